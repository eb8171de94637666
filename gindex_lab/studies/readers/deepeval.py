"""DeepEval (2.x and 3.x): a test run as JSON, in the folder of DEEPEVAL_RESULTS_FOLDER or `.deepeval`.

{"testCases": [{name, input, success, metricsData: [{name, score, threshold, success, error}]}],
"conversationalTestCases": [...], "hyperparameters": {"model": ...}}. The response is `success`, that is,
every metric of the case reached its threshold; `metric=` chooses the score of one metric. Empty fields are
not written, so that a case without metrics has neither. Cases are items by their input, since the default
name of a case is its place. A file does not name its model unless it is a hyperparameter. (test_run/*.py
of deepeval 4.3.1, read in November 2026.)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.collect import Collector, as_number
from gindex_lab.studies.readers.metrics import choose_metric, note_metrics, settle_direction
from gindex_lab.studies.readers.naming import agent_name
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import (
    Identities,
    loaded,
    mapping,
    names_by_file,
    score_of,
    text_code,
    wrong_field,
)  # fmt: skip
from gindex_lab.studies.readers.roles import keep_roles

__all__ = ["read_deepeval"]

_LISTS = ("testCases", "conversationalTestCases", "test_results")


def read_deepeval(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are models (or files), items are test cases by their input."""
    runs = loaded(files, found, options)
    models = {file: _model(content) for file, content in runs.items()}
    unnamed = [file for file, model in models.items() if not model]
    names = names_by_file(unnamed, found, options, prefer="file") if unnamed else {}
    cases: dict[Path, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for file, content in runs.items():
        with found.reading(file, options):
            cases[file] = [(case, _scores(case, file)) for case in _cases(content, file)]
    metrics = dict.fromkeys(name for some in cases.values() for _, one in some for name in one)
    metric = choose_metric(list(metrics), options.metrics, files[0], "the test run")
    settle_direction(metric, found, options)
    items, unscored, errors = Identities(), 0, 0
    labels: dict[int, str] = {}
    for file, some in cases.items():
        with found.reading(file, options):
            agent = agent_name(models[file] or names[file], file, found, options, {})
            for case, scores in some:
                content = _content(case)
                code = text_code(content)
                label = labels.setdefault(code, str(case.get("name") or f"case {code:08x}"))
                item = items.name("", label, content)
                value = score_of(scores.get(metric), file, repr(item))
                unscored += value != value
                errors += _errored(case)
                found.add(agent, "", item, value)
                keep_roles(found, "", item, case | mapping(case, "additionalMetadata"), options)
                found.detail(text=text_code(content), errored=_errored(case))
    found.notes.extend(note_metrics({"cases": metric}, {"cases": set(metrics)}))
    items.say(found)
    found.note_count(errors, "cases have a metric that ended in an error")
    found.note_count(unscored, f"cases have no score by {metric!r}, and count as missing")


def _model(content: Any) -> str:
    given = mapping(content, "hyperparameters").get("model")
    return given if isinstance(given, str) else ""


def _cases(content: Any, file: Path) -> list[dict[str, Any]]:
    some = [content.get(name) or [] for name in _LISTS] if isinstance(content, dict) else []
    if any(not isinstance(one, list) for one in some):
        raise wrong_field(file, "has test cases that are not a list", "write the run again")
    cases = [case for one in some for case in one]
    if not cases:
        raise wrong_field(file, "[empty] has no test case", "run the tests again")
    for number, case in enumerate(cases, 1):
        if not isinstance(case, dict) or not isinstance(_data(case), list):
            problem = f"has metricsData that are not a list in test case {number}"
            raise wrong_field(file, problem, "run the tests again")
    return cases


def _content(case: dict[str, Any]) -> object:
    return case.get("input") or case.get("scenario") or case.get("turns") or case.get("name")


def _data(case: dict[str, Any]) -> Any:
    return case.get("metricsData", case.get("metrics_data", []))


def _errored(case: dict[str, Any]) -> bool:
    return any(isinstance(one, dict) and one.get("error") for one in _data(case))


def _scores(case: dict[str, Any], file: Path) -> dict[str, Any]:
    """Whether the case passed, and the score of each metric; one that broke has none."""
    scores: dict[str, Any] = {"success": case.get("success")}
    for one in _data(case):
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise wrong_field(file, "has a metric without a name", "run the tests again")
        broken = one.get("error") or as_number(one.get("score")) is None
        scores[one["name"]] = None if broken else one.get("score")
    return scores
