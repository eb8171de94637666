"""OpenCompass (0.2-0.5): `outputs/<run>/results/<model>/<dataset>.json`, and a summary as CSV.

A result is {"accuracy": 81.2, "details": {"0": {pred, answer, correct}, ...}} (details also as a list); the
model is the folder and the data set the file. The summary has `dataset, version, metric, mode` and a column
per model, "-" where there is no score: percentages, unless name or range of the metric says otherwise.
Details are read where they say which answers were correct. Of a summary the first metric of each data set is
read; means over groups have "-" for a version and are left out. (tasks/openicl_eval.py and
summarizers/default.py of opencompass 0.5.4, read in November 2026.)
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.foundation.files import whole_lines
from gindex_lab.studies.readers.metrics import Metrics, is_unbounded, settle_direction
from gindex_lab.studies.readers.roles import keep_roles
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import bad_file, load_json, open_text, stem_of, suffix_of

__all__ = ["read_opencompass"]

_CORRECT = ("correct", "is_correct", "cascade_correct")
_WORDS = "elo|rating|rewards?|returns?|lengths?|len|tokens?|counts?|num|std"
_COUNT = re.compile(rf"(?<![a-z])({_WORDS})(?![a-z])")
# data sets that a judge rates from 1 to 10
_RATED = re.compile(r"align_?bench|mt_?bench|compassarena|creation_?bench")
_AGAIN = "write the summary again"
_FIXED = ("dataset", "version", "metric", "mode")


def read_opencompass(files: Sequence[Path], found: Storage) -> None:
    """Read details where there are some, and otherwise summaries."""
    details = [file for file in files if suffix_of(file) == ".json"]
    summaries = [file for file in files if file not in details]
    for file in details:
        with found.reading(file):
            _read_details(file, found)
    if len(found.skipped.keys() & set(details)) < len(details):
        found.count("files", "summaries were left out: the details were read", len(summaries))
        return
    for file in summaries:
        with found.reading(file):
            _read_summary(file, found)


def _read_details(file: Path, found: Storage) -> None:
    content = load_json(file, found.options.encoding)
    model, family = file.resolve().parent.name, stem_of(file)
    found.note("agents", "agents are called after the folders of the results, families after the files")
    for label, one in _entries(content, file):
        value = next((one[name] for name in _CORRECT if name in one), None)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, (bool, int, float)):
            problem = f"[wrong-type] does not say whether answer {label!r} was correct"
            remedy = "leave it out, or read the summary (summary/summary_<time>.csv)"
            raise bad_file(file, problem, remedy)
        asked = ("prompt", "question", "answer", "references")
        text = next((one[name] for name in asked if one.get(name)), None)
        item = found.item_name(family, label, text)
        found.add(model, family, item, float(value))
        keep_roles(found, family, item, {"metadata": one})


def _entries(content: Any, file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    details = content.get("details") if isinstance(content, dict) else None
    if isinstance(details, list):
        details = {str(k): one for k, one in enumerate(details)}
    if not isinstance(details, dict):
        raise bad_file(file, "[wrong-type] has no details", "run the evaluation with --dump-eval-details")
    entries = [(str(label), one) for label, one in details.items() if not isinstance(one, str)]
    if not entries:
        raise bad_file(file, "[empty] has no answer in its details", "leave it out")
    for label, one in entries:
        if not isinstance(one, dict):
            raise bad_file(file, f"[wrong-type] has {one!r} in its details", "run the evaluation again")
        yield label, one


def _read_summary(file: Path, found: Storage) -> None:
    scores: dict[str, dict[str, list[float]]] = {}
    groups: set[str] = set()
    with open_text(file, found.options.encoding) as text:
        rows = csv.reader(whole_lines(text, file))
        header = [name.strip().lstrip("\ufeff") for name in next(rows, [])]
        models = header[len(_FIXED) :]
        if tuple(header[: len(_FIXED)]) != _FIXED or not models:
            raise bad_file(file, "[wrong-type] names no model in its header", _AGAIN)
        for number, row in enumerate(rows, 1):
            if len(row) != len(header):
                raise bad_file(file, f"[wrong-type] has {len(row)} cells in row {number}", _AGAIN)
            dataset, version, metric, _ = (cell.strip() for cell in row[: len(_FIXED)])
            if metric in ("-", ""):
                continue  # a heading, or a data set that was not run
            cells = [_number(cell, file, number) for cell in row[len(_FIXED) :]]
            if version in ("-", ""):
                groups.add(dataset)
            else:
                scores.setdefault(dataset, {})[metric] = cells
    if not scores:
        raise bad_file(file, "[empty] has no row of scores", _AGAIN)
    metrics = Metrics(found)
    for dataset, some in scores.items():
        metrics.of(dataset, some, file, what=f"data set {dataset!r}")
    values = {dataset: scores[dataset][metric] for dataset, metric in metrics.chosen.items()}
    ends = _upper_ends(metrics.chosen, values) if found.options.scale is None else {}
    for dataset, metric in metrics.chosen.items():
        settle_direction(metric, found, item=dataset)
        for model, value in zip(models, values[dataset], strict=True):
            found.add(model, "", dataset, value / ends.get(dataset, 1))
    found.note("items", "summaries only: each data set is one item, its score a mean")
    _say_scale(metrics.chosen, ends, found)
    if groups:
        found.note("items", f"means over groups were left out: {', '.join(sorted(groups)[:5])}")
    metrics.say()


def _upper_ends(chosen: Mapping[str, str], values: Mapping[str, Sequence[float]]) -> dict[str, int]:
    """Where the scale of a data set ends: at 100, at 10 (ratings of a judge), or at 1 (left as it is).

    Left as they are: a metric that has no end or counts something, one that goes beyond 100, one of which all
    that the summary holds are fractions within 1, and a "score" that never goes beyond 10 and may be either.

    >>> metrics = {"a": "accuracy", "b": "ppl", "c": "f1", "mtbench": "score", "d": "score"}
    >>> _upper_ends(metrics, {"a": [60, 0.5], "b": [9], "c": [0.7], "mtbench": [8.1], "d": [4.2]})
    {'a': 100, 'b': 1, 'c': 1, 'mtbench': 10, 'd': 1}
    """
    rated = {name for name in chosen if _RATED.search(name.lower())}
    ranges: dict[str, float] = {}
    for name, metric in chosen.items():
        if name not in rated:
            ranges[metric] = max(ranges.get(metric, 0.0), _largest(values[name]))
    return {name: _upper_end(metric, values[name], ranges.get(metric, 0.0), name in rated)
            for name, metric in chosen.items()}  # fmt: skip


def _largest(values: Sequence[float]) -> float:
    return max((abs(v) for v in values if v == v), default=0.0)


def _upper_end(metric: str, values: Sequence[float], whole: float, rated: bool) -> int:
    most, vague = _largest(values), metric.lower() in ("score", "rating", "judge_score")
    if rated and vague and most <= 10:
        return 10
    if is_unbounded(metric) or _COUNT.search(metric.lower()) or most > 100:
        return 1
    fractions = whole <= 1 and any(v % 1 for v in values if v == v)
    return 1 if fractions or (vague and 1 < whole <= 10) else 100


def _say_scale(chosen: Mapping[str, str], ends: Mapping[str, int], found: Storage) -> None:
    """Which metrics were taken for percentages, which for ratings, and which were left alone."""
    of = {end: sorted({chosen[d] for d, e in ends.items() if e == end}) for end in (100, 1)}
    rated = sorted(d for d, e in ends.items() if e == 10)
    if of[100]:
        said = f"scores in percent were divided by 100 ({', '.join(of[100])})"
        found.note("scale", said, "scale=(0, 1) (--scale)")
    if rated:
        said = f"ratings from 1 to 10 were divided by 10 ({', '.join(rated)})"
        found.note("scale", said, "scale=(0, 1) (--scale)")
    if of[1]:
        said = f"not percentages by name or range, and read as they are: {', '.join(of[1])}"
        found.note("scale", said, "scale=(low, high) (--scale)")


def _number(cell: str, file: Path, number: int) -> float:
    if cell.strip() in ("-", ""):
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        problem = f"[wrong-type] has {cell!r} in row {number}, which is not a number"
        raise bad_file(file, problem, _AGAIN) from None
