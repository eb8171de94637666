"""Columns and cells of a table: which columns are items, and which numbers stand in their cells.

Age, parameters, a rank or an average are numbers but not items: read as items they would decide the order.
They are recognised by name, kept with the agents, and named in one note; `items=[...]` overrides this. Cells
may have decimal commas, percentages, fractions, counts, and codes for no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import bad_file, listed

__all__ = [
    *(
        "check_scale",
        "facts_beside",
        "is_fact",
        "is_generic",
        "is_text",
        "missing_codes",
        "percentages",
        "plain_numbers",
    ),
    *("plain_numbers", "share_of", "shares_beside", "split_columns", "summaries", "without_headers"),
]

_WORDS = """
gender sex age birth birthday year date month country region language education school class race ethnicity
income rownames rowname index id uid uuid rank ranking place position average avg mean overall total sum
aggregate params parameters param size flops votes likes downloads license licence organization organisation
org creator developer provider url link price context window cutoff precision architecture arch type family
hub revision sha version released release submitted timestamp co2 emissions tokens layers vocab weights
weight cluster group condition cohort notes comment name case cases tests asks comments windows timeouts
outputs seconds cost costs command versions commit hash dirname stderr length errors wins draws
latency duration standard usage dimension dimensions speed throughput ttft
team submission submissions count experiment years ctx len runtime created
"""
_FACTS = frozenset(_WORDS.split())
_SETTINGS = """
lr|learning rate|batch size|weight decay|(random )?seed|(global )?step|epochs?|temperature|top p|max tokens|
level \\d|unnamed \\d+|z ?score|percentile|((params|tags|config|hparams) .*)
"""
_SETTING = re.compile(_SETTINGS.replace("\n", ""))
_WINS = frozenset(("win", "rate", "winrate"))
_AVERAGES = frozenset(("average", "avg", "overall", "mean", "total"))
_TIMES = frozenset(["rt", "time", "latency", "duration", "ms", "sec", "secs", "seconds"])
_SCORES = frozenset(("score", "accuracy", "acc", "correct", "answer", "response"))
_RATES = "value result points marks grade pass passed rate percent pct elo rating arena win winrate success"
_UNSAID = _FACTS | _SCORES | frozenset(_RATES.split())
_NEUTRAL = """
model data pretraining training knowledge the of b t per test user lazy exhausted total malformed syntax
indentation n error memory embedding max input output in out s sec m k usd eur prompt completion
"""
_BESIDE = frozenset(_NEUTRAL.split())
PERCENT = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)\s?%"
LIKE_A_NUMBER = r"[-+]?\.?\d[\d.,]*(e[-+]?\d+)?\s?\D{0,3}|\s*\d+\s*/\s*\d+\s*"
_ABOUT_A_SCORE = re.compile(  # its error, the ends of its interval; a number in a list, a price
    r"(.*[ _.-])?(std|std(err|ev)|standard[ _-]error|std[ _-](err|error|dev))|#|no\.?|.*[$€£].*"
    r"|(.*[ _.%-])?ci[ _-](low|lower|high|upper|lo|hi|width)|.+[ _.%-]ci|.*[ _.-](variance|deviation)"
)
_BESIDE_ITS_SCORE = re.compile(r"(.+)[ _.-](se|sem|sd|var|n|count|low|high|lower|upper|lo|hi|min|max|rank)")


def is_fact(name: str) -> bool:
    """Whether a column is a fact about an agent, by the words of its name.

    >>> [is_fact(n) for n in ("Average", "#Params (B)", "age", "Model Size (B)", "ARC-C", "rank_stylectrl")]
    [True, True, True, True, False, True]
    >>> [is_fact(n) for n in ("q1", "class action", "Average score of 3 games", "age discrimination")]
    [False, False, False, False]
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()  # TeamId
    plain = re.sub(r"\([^()]*\)|95[_ ]pct[_ ]ci|⬆️|⬇️|[↑↓]", " ", apart)
    if any(_ABOUT_A_SCORE.fullmatch(text.strip()) for text in (name.lower(), plain)):
        return True
    words = [w for w in re.split(r"[^a-z0-9]+", plain) if w]
    if _SETTING.fullmatch(" ".join(words)) or _is_average(words):
        return True
    if not words or any(w in _SCORES for w in words):
        return name.strip() == "" or (not words and bool(re.search("ci", name.lower())))
    if words[0] in ("rank", "average", "avg") and len(words) <= 2:
        return True
    if words[0] == "n" or {"num", "number"} & set(words):
        return True
    return all(w in _FACTS or w in _BESIDE for w in words) and any(w in _FACTS for w in words)


def _is_average(words: Sequence[str]) -> bool:
    """Of scores: `Overall Acc`, `mean score`."""
    return len(words) > 1 and words[0] in _AVERAGES and (_SCORES | _WINS).issuperset(words[1:])


def facts_beside(names: Sequence[str]) -> list[str]:
    """Columns about another column: its error, how many answers it rests on, or the time that it took.

    >>> facts_beside(["arc", "arc_se", "space_mean", "space_sd", "oslo_se", "q1", "rt1"])
    ['arc_se', 'space_sd', 'rt1']
    """
    plain = {name: name.strip().lower() for name in names}
    words = {name: re.findall(r"[a-z]+|\d+", text) for name, text in plain.items()}
    timed = {name: [w for w in some if w not in _TIMES] for name, some in words.items()}
    whole = [some for name, some in words.items() if some == timed[name]]
    known = {*map(tuple, whole), *(tuple(w for w in some if w.isdigit()) for some in whole)}
    stems = {
        text for one in plain.values() for text in (one, re.sub(r"[ _.-](mean|avg|acc|score)$", "", one))
    }
    found = []
    for name, text in plain.items():
        of = _BESIDE_ITS_SCORE.fullmatch(text)
        took = timed[name] != words[name] and timed[name] and tuple(timed[name]) in known
        if took or (of and of[1] in stems):
            found.append(name)
    return found


def is_generic(name: str) -> bool:
    """Whether a column of scores does not say of what, so that in another table it is another item.

    >>> is_generic("Score (%)"), is_generic("mean accuracy"), is_generic("GSM8K score")
    (True, True, False)
    """
    words = set(re.findall(r"[a-z0-9]+", name.lower()))
    return bool(words) and all(w in _UNSAID or w.isdigit() for w in words)


def split_columns(table: pd.DataFrame, agent: str, found: Storage) -> tuple[list[str], list[str]]:
    """The columns that are items and those that are facts; noted where there are facts."""
    rest = [c for c in table.columns if c != agent]
    if found.options.items is not None:
        asked = list(found.options.items)
        for name in asked:
            if name not in rest:
                problem = "[not-found] does not match any column"
                raise BadInput("items", name, problem, f"there are {listed(rest, 8)}")
        return asked, [c for c in rest if c not in set(asked)]
    text = [c for c in rest if is_text(table[c]) or table[c].isna().all()]
    beside = set(facts_beside([str(c) for c in rest]))
    facts = [c for c in rest if c in text or str(c) in beside or is_fact(str(c))]
    if any("embedding" in str(c).lower() for c in facts):  # MTEB: the share of tasks not trained on
        facts += [c for c in rest if str(c).strip().lower() == "zero-shot" and c not in facts]
    items = [c for c in rest if c not in facts]
    if not items:
        items = [c for c in rest if c not in text and _is_average(re.findall("[a-z0-9]+", str(c).lower()))]
        facts = [c for c in rest if c not in items]
    if not items:
        return rest, []
    if facts:
        shown = listed(map(str, facts), 6)
        note = f"{len(items)} columns were read as items, {len(facts)} as facts about the agents ({shown})"
        found.note("items", note, "items=[...] (--items)")
    return items, facts


def is_text(column: pd.Series) -> bool:
    """Whether a column holds words: nothing in it is a number, or there are words beside percentages."""
    if pd.api.types.is_numeric_dtype(column):
        return False
    known = column.dropna().astype(str).str.strip()
    numbers = known.str.fullmatch(LIKE_A_NUMBER)
    words = not numbers.any() or (not numbers.all() and known.str.fullmatch(PERCENT).any())
    return len(known) > 0 and bool(words)


# -- numbers in cells --------------------------------------------------------------------------------

_WITH_ERROR = r"([-+]?\d[\d.,]*\s*%?)\s*(?:±|\+/-)\s*\d"
_DECIMAL_COMMA = r"\s*[-+]?\d*,\d+\s*%?\s*"
_THOUSANDS = r"\s*[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*"
_FRACTION = r"\s*(\d+(?:\.\d+)?)\s*/\s*(\d+)\s*"
_GAPS = ("-", "–", "—", ".", "..", "?", "n.a.")
_SUMMARY = re.compile(r"(?i)(macro|micro|weighted)?[ _-]?(average|avg|mean)|overall|all")
_LONGEST = 200  # characters of a cell in which a number is looked for: searching takes their square
# Codes that questionnaires use for no answer: 7-9 beside right and wrong, the others also beside ratings
_CODES = (7, 8, 9)
_LONG_CODES = (-9, -99, -999, 99, 999)
# Fewer scores, or more codes than scores, are no ground for calling a number a code: a judgement
_FEWEST, _MOST_CODED = 20, 0.5
# How far a printed mean may be from the mean, of the largest number: rounding to whole per cent, and a little
_ROUNDED = 0.011


def plain_numbers(column: pd.Series, found: Storage, points: bool = False) -> pd.Series:
    """A column of text as numbers: without decimal commas (0,85), errors behind them (0.85 ± 0.02) and
    fractions (34/50). Whether 1,234 is a little more than one or more than a thousand is not guessed; where
    other numbers of the table have decimal `points`, it is more than a thousand.

    >>> plain_numbers(pd.Series(["0,85", "1"]), Storage("t")).tolist()
    ['0.85', '1']
    >>> plain_numbers(pd.Series(["34/50", "1/4"]), Storage("t")).tolist()
    [0.68, 0.25]
    """
    if pd.api.types.is_numeric_dtype(column):
        return column
    known = column.dropna().astype(str)
    dashes = known.str.strip().str.lower().isin(_GAPS)
    if dashes.any() and known[~dashes].str.fullmatch(LIKE_A_NUMBER).any():
        column = column.astype(object).mask(column.notna() & dashes.reindex(column.index, fill_value=False))
        known = known[~dashes]
    behind = known.str.slice(0, _LONGEST).str.extract(_WITH_ERROR)
    if len(known) and behind[0].notna().any():
        found.note("scale", "of numbers such as 0.85 ± 0.02 the part before the ± was read")
        column = column.astype(object).where(column.isna(), known.where(behind[0].isna(), behind[0]))
        known = column.dropna().astype(str).str.strip()
    parts = known.str.slice(0, _LONGEST).str.extract(_FRACTION).astype(float)
    if len(known) and (parts[0] <= parts[1]).all() and (parts[1] > 0).all():
        found.note("scale", "fractions such as 34/50 were read as shares")
        return (parts[0] / parts[1]).reindex(column.index)
    commas = known[known.str.contains(",", regex=False)]
    if len(commas) and commas.str.fullmatch(_DECIMAL_COMMA).all():
        fraction = commas.str.extract(r"(\d*),(\d+)")
        if ((fraction[1].str.len() != 3) | (fraction[0].isin(["", "0"]))).any():
            found.note("scale", "numbers with decimal commas (0,85) were read as such")
            return column.astype(object).where(column.isna(), known.str.replace(",", "."))
    thousands = len(commas) and commas.str.fullmatch(_THOUSANDS).all()
    if thousands and (points or commas.str.contains(r"\.|,.*,").any()):
        found.note("scale", "numbers with thousands apart (12,345) were read as such")
        return pd.to_numeric(known.str.replace(",", ""), errors="coerce").reindex(column.index)
    return column


def percentages(table: pd.DataFrame, agent: str, found: Storage) -> pd.DataFrame:
    """A wide table in which columns of percentages are numbers, on the scale of its other columns."""
    words = [c for c in table if c != agent and not pd.api.types.is_numeric_dtype(table[c])]
    points = bool(words) and any(_has_points(table[c]) for c in table if c != agent)
    table = table.assign(**{c: plain_numbers(table[c], found, points) for c in words})
    texts = [c for c in words if _in_percent(table[c])]
    if not texts:
        return table
    others = [c for c in table.columns if c not in (agent, *texts) and not is_fact(str(c))]
    beyond = [c for c in others if pd.to_numeric(table[c], errors="coerce").max() > 1]
    scale = found.options.scale
    points = scale[1] > 1 if scale is not None else bool(beyond)
    how, unit = ("as points (50% is 50)", 1) if points else ("as shares (50% is 0.5)", 100)
    shown = listed(map(str, texts), 6)
    found.note("scale", f"columns of percentages were read {how}: {shown}", "scale=(0, 100) (--scale)")
    numbers = {c: pd.to_numeric(table[c].astype("string").str.rstrip("% ")).astype(float) for c in texts}
    return table.assign(**{c: column / unit for c, column in numbers.items()})


def _has_points(column: pd.Series) -> bool:
    if pd.api.types.is_numeric_dtype(column):
        return bool((column.dropna() % 1 != 0).any())
    return bool(column.dropna().astype(str).str.fullmatch(r"\s*[-+]?[\d,]*\.\d+\s*").any())


def share_of(counts: np.ndarray, totals: pd.Series, names: tuple[str, str], found: Storage) -> np.ndarray:
    """Counts as shares of their totals, where they are counts: whole, and none beyond its total."""
    whole = pd.to_numeric(totals, errors="coerce").to_numpy(dtype=float)
    known = ~np.isnan(counts)
    fits = (whole[known] > 0) & (counts[known] <= whole[known]) & (counts[known] % 1 == 0)
    if not fits.all() or (names[0] != "c" and not (counts[known] > 1).any()):
        return counts
    found.note(
        "scale", f"the response is {names[0]!r} as a share of {names[1]!r}", "columns={...} (--columns)"
    )
    return counts / whole


def without_headers(table: pd.DataFrame, label: str, found: Storage) -> pd.DataFrame:
    """A table without the header lines among its rows, which files have that were joined."""
    column = table[label]
    if isinstance(column.dtype, pd.CategoricalDtype) and label not in column.cat.categories:
        return table
    again = (column.astype(str) == str(label)).to_numpy()
    some = again.any() and not again.all()
    if not some or not all((table.loc[again, c].astype(str) == c).all() for c in table if c != label):
        return table
    found.note("columns", f"{again.sum()} header lines among the rows were left out")
    table = table[~again].reset_index(drop=True)
    for name in table:
        if isinstance(table[name].dtype, pd.CategoricalDtype):
            table[name] = table[name].cat.remove_unused_categories()
        elif name != label:
            with suppress(ValueError, TypeError):
                table[name] = pd.to_numeric(table[name])
    return table


def missing_codes(value: FloatArray) -> FloatArray:
    """Numbers that stand for no answer: 9 among right and wrong, 99 among ratings; () for none.

    >>> missing_codes(np.array([0, 1, 1, 9, 0, 1, 9.0] * 3))
    array([9.])
    """
    if not len(value) or (np.fmin.reduce(value) >= 0 and np.fmax.reduce(value) < min(_CODES)):
        return value[:0]
    some = value[~np.isnan(value)]
    odd = (some < 0) | (some > 10) | np.isin(some, _CODES)
    if not odd.any() or len(some) < _FEWEST or odd.mean() > _MOST_CODED:
        return some[:0]
    rest, codes = some[~odd], np.unique(some[odd])
    right = np.isin(rest, (0, 1)).all()
    rating = (rest % 1 == 0).all() and not np.isin(codes, (7, 8, 9)).any()
    return codes if np.isin(codes, (*_CODES, *_LONG_CODES)).all() and (right or rating) else some[:0]


def summaries(frame: pd.DataFrame) -> list[str]:
    """Rows that are called an average and are the mean of the others, whatever they were rounded to.

    >>> summaries(pd.DataFrame({"a": [1, 0, 0.5], "b": [1, 1, 1]}, index=["ann", "bob", "Average"]))
    ['Average']
    """
    named = [name for name in frame.index if _SUMMARY.fullmatch(str(name).strip())]
    if not named or len(frame) < len(named) + 2:
        return []
    rest = frame.drop(index=named)
    near = (frame.loc[named] - rest.mean()).abs() <= _ROUNDED * np.nanmax(np.abs(rest.to_numpy()))
    return [name for name in named if (near.loc[name] | frame.loc[name].isna()).all()]


def _in_percent(column: pd.Series) -> bool:
    if pd.api.types.is_numeric_dtype(column):
        return False
    known = column.dropna().astype(str).str.strip()
    return len(known) > 0 and bool(known.str.fullmatch(PERCENT).all())


# -- scales ------------------------------------------------------------------------------------------


def check_scale(frame: pd.DataFrame, trials: pd.DataFrame | None, path: Path, *, raw: bool) -> None:
    """Refuse scores outside [0, 1], which are not responses: their scale is not guessed."""
    values = frame.to_numpy() if trials is None else trials["response"].to_numpy()
    if np.isnan(values).all():
        raise bad_file(path, "[empty] has no number at all", "fill its cells")
    _check_one_scale(frame, path)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if raw or (low >= 0 and high <= 1):
        return
    problem = f"[raw-scores] holds scores from {low:g} to {high:g}, and a response is in [0, 1]"
    points = low >= 0 and 1 < high <= 100
    few = low < high <= 10 and bool((values[~np.isnan(values)] % 1 == 0).all())  # the points of a rating
    likely = f"scale=({int(low == 1)}, {high:g})" if points and few else "scale=(0, 100)"
    remedy = f"give their scale, e.g. {likely if points else 'scale=(low, high)'}"
    shares = shares_beside(frame)
    if points and shares:
        remedy = f"bring the others to the scale of {listed(shares)}, which may be shares (50 % is 0.5)"
    outside = (values < 0) | (values > 1)
    beyond = frame.columns[outside.any(axis=0)] if trials is None else trials["item"][outside].unique()
    if len(beyond) < frame.shape[1]:
        problem += f": {len(beyond)} of {frame.shape[1]} items go beyond it ({listed(beyond)})"
        remedy = f"leave these out, e.g. exclude=[{beyond[0]!r}] (--exclude), {remedy}"
    raise bad_file(path, problem, f"{remedy}, or read them raw with gl.read_scores and use gl.rank")


def shares_beside(frame: pd.DataFrame) -> list[str]:
    """Items that look like shares in a table whose other items go up to 100."""
    values = frame.to_numpy(dtype=float)
    most = np.nanmax(values, axis=0, initial=-np.inf)
    broken = (np.nan_to_num(values) % 1 != 0).any(axis=0)
    return list(map(str, frame.columns[(most <= 1) & broken])) if (most > 1.5).any() else []


def _check_one_scale(frame: pd.DataFrame, path: Path) -> None:
    """Refuse agents of whom some have shares and others per cent: they would be ranked by their units.

    Shares are told by their fractions, and by means that are alike after multiplying by 100: within a
    factor of 4, a judgement that no table of `tests/test_strangers_tables.py` contradicts.
    """
    values = frame.to_numpy(dtype=float)
    most, least = np.fmax.reduce(values, axis=1), np.fmin.reduce(values, axis=None)
    share, points = most <= 1, most > 1
    if least < 0 or values.shape[1] < 3 or not 1 < np.nanmax(most) <= 100 or not share.any():
        return
    broken = (np.nan_to_num(values) % 1 != 0).any(axis=1)
    ends = np.isin(values[points], (0, 100)) | np.isnan(values[points])
    some, others = np.nanmean(values[share]), np.nanmean(values[points])
    alike = some > 0 and 0.25 < 100 * some / others < 4 and some < others / 10
    if not alike or not (broken[share].all() or ends.all()):
        return
    one, other = frame.index[share][0], frame.index[points][0]
    rows = f"{one!r} goes up to {most[share][0]:g}, {other!r} up to {most[points][0]:g}"
    remedy = f"bring them to one, for instance divide the scores of {other!r} by 100"
    raise bad_file(path, f"[two-scales] is on two scales: {rows}", remedy)
