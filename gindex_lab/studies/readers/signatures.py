"""What a log of each tool looks like from its first bytes: one test per format, none true of another's.

`of_document` looks at a JSON (or YAML) document, `of_line` at the first line of JSONL, and `of_header` at the
names of columns. Each test names fields that the tool itself always writes; the order does not matter, and a
test of ours crosses every example with every signature.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

__all__ = ["of_document", "of_header", "of_line", "values_of"]

Test = Callable[[Any], bool]
Looks = dict[str, tuple[Test, ...]]


def of_document(found: Any) -> str | None:
    """The format of a JSON document, by its beginning."""
    if isinstance(found, dict):
        return _first(_DOCUMENTS, found)
    rows = [row for row in found[:20] if isinstance(row, dict)] if isinstance(found, list) else []
    if not rows or len(rows) < min(len(found), 20):
        return None
    return _first(_RECORDS, rows[0])


def of_line(first: Mapping[str, Any]) -> str | None:
    """The format of JSONL, by its first line."""
    return _first(_LINES | _RECORDS, first)


def of_header(names: Collection[str]) -> str | None:
    """The format of a table, by the names of its columns."""
    return _first(_HEADERS, set(names))


def _first(looks: Looks, found: Any) -> str | None:
    """The first format that something looks like."""
    return next((name for name, tests in looks.items() if any(t(found) for t in tests)), None)


def _with(all_of: str = "", one_of: str = "", **kinds: type) -> Test:
    """The test for a record with all of some fields, one of others, and further ones of their types."""
    needed, other = set(all_of.split()), set(one_of.split())

    def test(found: Any) -> bool:
        names = set(found)
        typed = all(name in names and isinstance(found[name], k) for name, k in kinds.items())
        return needed <= names and (not other or bool(other & names)) and typed

    return test


def values_of(found: Any) -> list[dict[str, Any]]:
    """The first values of a mapping, where all of them are mappings themselves."""
    some = list(found.values())[:20] if isinstance(found, dict) else []
    return some if some and all(isinstance(one, dict) for one in some) else []


def _holds(name: str, test: Test, first: int = 20) -> Test:
    """The test for a record with a field that is a list: one of its `first` elements passes a test."""

    def passes(found: Any) -> bool:
        some = found[name][:first] if isinstance(found.get(name), list) else []
        return any(isinstance(one, dict) and test(one) for one in some)

    return passes


_LIGHTEVAL = _with(config_general=dict, results=dict)
_BFCL = _with("accuracy correct_count total_count")
_ALPACA = _with("preference generator_1 generator_2")
_METR = _with("task_id score_binarized", "alias model")
_BATTLE = (
    _with("model_1 model_2 g1_winner g2_winner"),
    _with("model_a model_b winner"),
    _with("model_a model_b winner_model_a winner_model_b"),
)
_PATCHED = _with("resolved patch_successfully_applied")
_MEASURED = _with("", "metricsData metrics_data")
_CASES = "testCases test_results conversationalTestCases"
_OF_HARNESS = _with("", "config versions configs n-shot model_name git_hash higher_is_better")
_OF_SWE_BENCH = """
completed_ids submitted_ids unresolved_ids schema_version
generated no_generation applied no_logs no_apply with_logs
"""


def _promptfoo(found: Mapping[str, Any]) -> bool:
    results = found.get("results")
    if isinstance(results, dict):  # files of --output, and exports
        inside = _with("", "table results"), _with("", "stats version prompts")
        return all(test(results) for test in inside)
    return "config" in found and _holds("results", _graded, first=1)(found)


def _graded(row: Mapping[str, Any]) -> bool:
    """One result of promptfoo."""
    known = "promptIdx testIdx gradingResult namedScores testCase vars latencyMs"
    return {"success", "score"} <= set(row) and len(set(known.split()) & set(row)) >= 3


def _harness(found: Mapping[str, Any]) -> bool:
    if not _with(results=dict)(found) or _LIGHTEVAL(found) or _promptfoo(found):
        return False
    return _OF_HARNESS(found) or bool(values_of(found["results"]))


def _evalplus(found: Mapping[str, Any]) -> bool:
    if not _with(eval=dict)(found) or "status" in found:
        return False
    some = list(found["eval"].values())[:3]
    older = any(isinstance(one, dict) and "base" in one for one in some)  # before 0.3
    rows = [one[0] for one in some if isinstance(one, list) and one and isinstance(one[0], dict)]
    tests = _with("", "base_status plus_status"), _with("task_id status")
    return older or any(test(row) for row in rows for test in tests)


def _opencompass(found: Mapping[str, Any]) -> bool:
    details = found.get("details")
    if isinstance(details, dict):
        inside = values_of({k: v for k, v in details.items() if not isinstance(v, str)})
        words = {"correct", "pred", "predictions", "answer", "references", "is_correct"}
        return bool(inside) and any(len(words & set(one)) >= 2 for one in inside)
    return _holds("details", _with("pred correct"), first=1)(found)


def _promptfoo_header(names: set[str]) -> bool:
    lower = {name.lower() for name in names}
    newer = {"status", "score", "named scores", "grader reason"} <= lower
    return newer or any(re.match(r"\[[\w.-]+:[^]]+\] ", name) for name in names)


# of each format the ways in which it may look: documents, records (elements of a list, or lines), headers

_DOCUMENTS: Looks = {
    "every-eval-ever": (_with(evaluation_results=list, model_info=dict),),
    "promptfoo": (_promptfoo,),
    "lighteval": (_LIGHTEVAL,),
    "terminal-bench": (
        _with("task_id is_resolved", "trial_name parser_results failure_mode"),
        _holds("results", _with("is_resolved task_id"), first=1),
    ),
    "harbor": (
        _with("task_name trial_name", "verifier_result agent_info exception_info"),
        _with("n_total_trials stats"),
    ),
    "tau-bench": (
        _with("task_id termination_reason reward_info"),
        _with("", "tasks info", simulations=list),
        _with("simulation_index", "tasks info"),
    ),
    "swe-bench": (
        _with("", _OF_SWE_BENCH, resolved_ids=list),
        _with("", _OF_SWE_BENCH, resolved=list),
        lambda found: any(_PATCHED(one) for one in values_of(found)),
    ),
    "mteb": (
        _with("", "mteb_version dataset_revision", task_name=str, scores=dict),
        _with("mteb_dataset_name mteb_version"),
    ),
    "evalplus": (_evalplus,),
    "deepeval": tuple(_holds(name, _MEASURED) for name in _CASES.split()),
    "inspect": (_with(eval=dict, status=str), _with("samples", eval=dict)),
    "lm-eval": (_harness,),
    "opencompass": (_opencompass,),
    "arc-prize": (lambda found: any("score" in one for one in values_of(found.get("task_results"))),),
    "bfcl": (_BFCL,),  # nothing was wrong: the first line alone
}
_RECORDS: Looks = {
    "tau-bench": (_with("task_id reward", "traj info"),),
    "livecodebench": (_with("", "question_id question_title", graded_list=list),),
    "alpaca-eval": (_ALPACA,),
    "arena": _BATTLE,
    "mt-bench": (_with("question_id model judge judgment score turn"),),
    "arena-hard": (_with("model judge games"),),
    "metr": (_METR,),
    "promptfoo": (_graded,),
}
_LINES: Looks = {
    "lm-eval": (_with("doc_id", "filtered_resps metrics"),),
    "every-eval-ever": (_with("evaluation_name model_id sample_id evaluation"),),
    "openai-evals": (lambda row: _with(spec=dict)(row) and _with("eval_name completion_fns")(row["spec"]),),
    "bfcl": (_BFCL,),
}
_HEADERS: Looks = {
    "lighteval": (_with("doc metric model_response"), _with("metrics predictions", "example full_prompt")),
    "alpaca-eval": (_ALPACA,),
    "arena": _BATTLE,
    "metr": (_METR,),
    "opencompass": (_with("dataset version metric mode"),),
    "promptfoo": (_promptfoo_header,),
}
