"""What to keep of what the logs hold: agents, tasks and files by name or by glob; and checks of the result.

A glob such as `mmlu*` is compared with tasks, models and files alike; `task:`, `model:` or `file:` before it
says which. Kept is what matches one glob of each of these kinds that `include` names, and none of `exclude`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.studies.readers.formats import TABLE_FORMATS
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.text import bad_file, listed

__all__ = [
    *("check_applies", "check_directions", "check_scale", "chosen_files", "file_names", "glob_mask"),
    *("is_unwanted", "named_mask", "none_left", "shares_beside"),
]

Mask = np.ndarray


def matching(globs: Iterable[str], names: Sequence[str]) -> Mask:
    """Which of the names match one of the globs (capital letters count).

    >>> matching(["a*"], ["arc", "boolq"]).tolist()
    [True, False]
    """
    known = list(globs)
    return np.array([any(fnmatchcase(n, g) for g in known) for n in names], dtype=bool)


def file_names(file: Path, folder: Path) -> list[str]:
    """What a file answers to: its name, its path below the folder, and the folders on the way."""
    inside = file.relative_to(folder) if folder in file.parents else Path(file.name)
    parts = [*inside.parents][:-1]
    return [file.name, inside.as_posix(), *(p.as_posix() for p in parts), *(p.name for p in parts)]


def chosen_files(files: Sequence[Path], folder: Path, options: Options) -> list[Path]:
    """Files that are not excluded, and that a glob about files (`file:...`) includes.

    >>> chosen_files([Path("a/x.csv"), Path("a/old/y.csv")], Path("a"), Options(exclude=["old"]))
    [PosixPath('a/x.csv')]
    """
    wanted, unwanted = options.patterns("include"), options.patterns("exclude")
    left_out = [*unwanted.get("any", []), *unwanted.get("file", [])]
    names = {file: file_names(file, folder) for file in files}
    kept = [
        file
        for file, known in names.items()
        if ("file" not in wanted or matching(wanted["file"], known).any())
        and not matching(left_out, known).any()
    ]
    for name, patterns in (("include", wanted), ("exclude", unwanted)):
        for glob in patterns.get("file", []):
            if not any(matching([glob], known).any() for known in names.values()):
                problem = "[no-match] does not match any file"
                raise BadInput(name, f"file:{glob}", problem, f"there are {listed(files, 5)}")
    if files and not kept:
        name = "include" if "file" in wanted else "exclude"
        problem = f"[no-match] leaves none of the {len(files)} files"
        raise BadInput(name, list(getattr(options, name)), problem, "name fewer")
    return kept


def glob_mask(
    options: Options,
    agents: tuple[Sequence[str], np.ndarray],
    tasks: tuple[Sequence[str], np.ndarray],
    files: tuple[Sequence[Sequence[str]], np.ndarray],
    passed: Iterable[str] = (),
) -> Mask:
    """Which rows `include` and `exclude` keep; each kind of name comes with the code of each row.

    `passed` are names that were already left out, and that a glob may match.

    >>> rows = (["gpt", "llama"], np.array([0, 1])), (["arc"], np.array([0, 0])), ([["a"]], np.array([0, 0]))
    >>> glob_mask(Options(exclude=["llama*"]), *rows).tolist()
    [True, False]
    """
    keep = np.ones(len(agents[1]), dtype=bool)
    for name in ("include", "exclude"):
        for kind, globs in options.patterns(name).items():
            hit = np.zeros(len(keep), dtype=bool)
            for glob in globs:
                one = np.zeros(len(keep), dtype=bool)
                if kind in ("model", "any"):
                    one |= matching([glob], agents[0])[agents[1]]
                if kind in ("task", "any"):
                    one |= matching([glob], tasks[0])[tasks[1]]
                if kind in ("file", "any"):
                    one |= np.array([matching([glob], n).any() for n in files[0]])[files[1]]
                known = name == "exclude" and (kind == "file" or matching([glob], list(passed)).any())
                if not one.any() and not known:
                    raise _no_match(name, kind, glob, agents[0], tasks[0])
                hit |= one
            keep &= hit if name == "include" else ~hit
    if not keep.any():
        raise none_left(options, [*tasks[0][:3], *agents[0][:3]])
    return keep


def is_unwanted(options: Options, model: str, task: str, names: Sequence[str]) -> bool:
    """Whether `include` and `exclude` leave out a whole run, so that it need not be read.

    >>> is_unwanted(Options(include=["mmlu*"]), "gpt", "boolq", ["a.eval"])
    True
    """
    about = {"model": [model], "task": [task], "file": names, "any": [model, task, *names]}
    missed = [not matching(globs, about[kind]).any() for kind, globs in options.patterns("include").items()]
    hit = [matching(globs, about[kind]).any() for kind, globs in options.patterns("exclude").items()]
    return any(missed) or any(hit)


def none_left(options: Options, passed: Iterable[str]) -> BadInput:
    """The error where `include` and `exclude` leave out every run."""
    name = "include" if options.include else "exclude"
    problem = "[no-match] leaves no response at all"
    return BadInput(name, list(getattr(options, name)), problem, f"there are {listed(sorted(passed), 6)}")


def _no_match(name: str, kind: str, glob: str, agents: Sequence[str], tasks: Sequence[str]) -> BadInput:
    tasks, agents = list(dict.fromkeys(tasks)), list(agents)
    there = {"model": agents, "task": tasks}.get(kind, [*tasks[:3], *agents[:3]])
    what = "task, model or file" if kind == "any" else kind
    return BadInput(name, glob, f"[no-match] does not match any {what}", f"there are {listed(there, 6)}")


def named_mask(name: str, wanted: Iterable[str] | None, known: Mapping[str, int], code: np.ndarray) -> Mask:
    """Which rows belong to the agents or families that were named; all of them where none was."""
    if wanted is None:
        return np.ones(len(code), dtype=bool)
    labels, there = list(wanted), [one for one in known if one]
    for label in labels:
        if label not in known and not there:
            problem = f"[not-found] cannot be found: these items have no {name}"
            remedy = f"leave {name} out, or name the column that tells them"
            raise BadInput(name, label, problem, remedy)
        if label not in known:
            raise BadInput(name, label, "[not-found] is not in the logs", f"there are {listed(there, 5)}")
    return np.isin(code, [known[label] for label in labels])


# -- options that do not apply, scales that do not fit ------------------------------------------------

_ONLY = {"filter": {"lm-eval", "mteb"}, "items": {"wide", "leaderboard"}, "transpose": {"wide"}}


def check_applies(kinds: Iterable[str], options: Options) -> None:
    """Refuse an option that none of these formats has: ignored, it would be a decision that nobody took.

    >>> check_applies(["long"], Options(filter="strict"))
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: filter='strict': is not an option of what was found (long)...
    """
    there = set(kinds)
    useless = [name for name, formats in _ONLY.items() if not there & formats]
    if there <= TABLE_FORMATS:
        useless += ["metric"] if "long" not in there else []
        useless += ["agent_from"] if options.agent_from not in ("model", "file", "folder") else []
    for name in useless:
        given = getattr(options, name)
        if given is not None and given is not False:
            problem = f"[not-applicable] is not an option of what was found ({', '.join(sorted(there))})"
            raise BadInput(name, given, problem, "leave it out")


def check_directions(options: Options, known: Collection[str]) -> None:
    """Refuse a direction of a metric that is not there: misspelt, it would leave the order upside down."""
    for name in ("higher_is_better", "lower_is_better"):
        for metric in getattr(options, name):
            if metric not in known:
                problem = "[not-found] does not match any metric or column that was read"
                raise BadInput(name, metric, problem, f"there is {listed(known, 6) or 'no metric by name'}")


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
    """Items that look like shares in a table whose other items go up to 100.

    >>> shares_beside(pd.DataFrame({"mmlu": [80.5, 70], "gsm8k": [0.75, 0.5]}))
    ['gsm8k']
    """
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
