"""Which columns of a table are items, and which are facts about the agents?

Age, parameters, a rank or an average are numbers but not items: read as items they would decide the order.
They are recognised by name, kept with the agents, and named in one note; `items=[...]` overrides this.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import listed

__all__ = ["facts_beside", "is_fact", "is_generic", "is_text", "split_columns"]

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
    """Whether a column holds words: nothing in it is a number, or there are words beside percentages.

    >>> is_text(pd.Series(["12%", "none"])), is_text(pd.Series(["12%", "9%"])), is_text(pd.Series(["1", "x"]))
    (True, False, False)
    """
    if pd.api.types.is_numeric_dtype(column):
        return False
    known = column.dropna().astype(str).str.strip()
    numbers = known.str.fullmatch(LIKE_A_NUMBER)
    words = not numbers.any() or (not numbers.all() and known.str.fullmatch(PERCENT).any())
    return len(known) > 0 and bool(words)
