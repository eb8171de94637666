"""What a log of each tool looks like from its first bytes: one test per format, none true of another's.

`of_document` looks at a JSON (or YAML) document, `of_line` at the first line of JSONL, and `of_header` at the
names of columns. Each test names fields that the tool itself always writes; the order does not matter, and a
test of ours crosses every example with every signature.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

__all__ = ["of_document", "of_header", "of_line", "values_of"]


def of_document(found: Any) -> str | None:
    """The format of a JSON document, by its beginning.

    >>> of_document({"task_name": "STS12", "mteb_version": "1.18", "scores": {"test": []}})
    'mteb'
    >>> of_document({"anything": "else"}) is None
    True
    """
    if isinstance(found, dict):
        return next((name for name, test in _DOCUMENTS.items() if test(found)), None)
    rows = [row for row in found[:20] if isinstance(row, dict)] if isinstance(found, list) else []
    if not rows or len(rows) < min(len(found), 20):
        return None
    return next((name for name, test in _RECORDS.items() if test(rows[0])), None)


def of_line(first: Mapping[str, Any]) -> str | None:
    """The format of JSONL, by its first line.

    >>> of_line({"task_id": "a/1", "alias": "o1", "score_binarized": 1, "human_minutes": 4.0})
    'metr'
    """
    tests = _LINES | _RECORDS
    return next((name for name, test in tests.items() if test(first)), None)


def of_header(names: Collection[str]) -> str | None:
    """The format of a table, by the names of its columns.

    >>> of_header(["doc", "metric", "model_response"])
    'lighteval'
    """
    known = set(names)
    return next((name for name, test in _HEADERS.items() if test(known)), None)


def _has(found: Mapping[str, Any], **kinds: type | tuple[type, ...]) -> bool:
    """Whether each field is there and of its type."""
    return all(isinstance(found.get(name), kind) for name, kind in kinds.items())


def values_of(found: Any) -> list[dict[str, Any]]:
    """The first values of a mapping, where all of them are mappings themselves."""
    some = list(found.values())[:20] if isinstance(found, dict) else []
    return some if some and all(isinstance(one, dict) for one in some) else []


# -- documents ---------------------------------------------------------------------------------------


def _inspect(found: Mapping[str, Any]) -> bool:
    return _has(found, eval=dict, status=str) or (_has(found, eval=dict) and "samples" in found)


def _promptfoo(found: Mapping[str, Any]) -> bool:
    results = found.get("results")
    if isinstance(results, dict):  # files of --output, and exports
        inside = {"table", "results"} & set(results) and {"stats", "version", "prompts"} & set(
            results
        )
        return bool(inside)
    rows = results if isinstance(results, list) else []
    return "config" in found and bool(rows) and isinstance(rows[0], dict) and _graded(rows[0])


def _graded(row: Mapping[str, Any]) -> bool:
    """One result of promptfoo."""
    known = {
        "promptIdx",
        "testIdx",
        "gradingResult",
        "namedScores",
        "testCase",
        "vars",
        "latencyMs",
    }
    return "success" in row and "score" in row and len(known & set(row)) >= 3


def _lighteval(found: Mapping[str, Any]) -> bool:
    return _has(found, config_general=dict, results=dict)


def _harness(found: Mapping[str, Any]) -> bool:
    about = {
        "config",
        "versions",
        "configs",
        "n-shot",
        "model_name",
        "git_hash",
        "higher_is_better",
    }
    if not _has(found, results=dict) or _lighteval(found) or _promptfoo(found):
        return False
    return bool(about & set(found)) or bool(values_of(found["results"]))


def _every_eval(found: Mapping[str, Any]) -> bool:
    return _has(found, evaluation_results=list, model_info=dict)


def _terminal_bench(found: Mapping[str, Any]) -> bool:
    trial = {"task_id", "is_resolved"} <= set(found) and bool(
        {"trial_name", "parser_results", "failure_mode"} & set(found)
    )
    rows = found.get("results")
    first = rows[0] if isinstance(rows, list) and rows else None
    return trial or (isinstance(first, dict) and {"is_resolved", "task_id"} <= set(first))


def _harbor(found: Mapping[str, Any]) -> bool:
    trial = {"task_name", "trial_name"} <= set(found) and bool(
        {"verifier_result", "agent_info", "exception_info"} & set(found)
    )
    return trial or {"n_total_trials", "stats"} <= set(found)


def _tau2(found: Mapping[str, Any]) -> bool:
    run = _has(found, simulations=list) or "simulation_index" in found
    one = {"task_id", "termination_reason", "reward_info"} <= set(found)
    return one or (run and ("tasks" in found or "info" in found))


def _swe_bench(found: Mapping[str, Any]) -> bool:
    if _has(found, resolved_ids=list) or _has(found, resolved=list):
        others = {"completed_ids", "submitted_ids", "unresolved_ids", "schema_version"}
        older = {"generated", "no_generation", "applied", "no_logs", "no_apply", "with_logs"}
        return bool((others | older) & set(found))
    return any(
        "resolved" in one and "patch_successfully_applied" in one for one in values_of(found)
    )


def _mteb(found: Mapping[str, Any]) -> bool:
    new = _has(found, task_name=str, scores=dict) and (
        "mteb_version" in found or "dataset_revision" in found
    )
    return new or ("mteb_dataset_name" in found and "mteb_version" in found)


def _evalplus(found: Mapping[str, Any]) -> bool:
    if not _has(found, eval=dict) or "status" in found:
        return False
    some = list(found["eval"].values())[:3]
    rows = [row for one in some for row in (one if isinstance(one, list) else _older(one))[:1]]
    return any(isinstance(row, dict) and _code_status(row) for row in rows)


def _older(one: Any) -> list[Any]:
    """EvalPlus before 0.3: {"nfiles": 1, "base": [[status, details]], "plus": ...}."""
    return [{"base_status": ""}] if isinstance(one, dict) and "base" in one else []


def _code_status(row: Mapping[str, Any]) -> bool:
    return bool({"base_status", "plus_status"} & set(row)) or {"task_id", "status"} <= set(row)


def _deepeval(found: Mapping[str, Any]) -> bool:
    rows = next(
        (
            found[k]
            for k in ("testCases", "test_results", "conversationalTestCases")
            if found.get(k)
        ),
        None,
    )
    some = [row for row in rows[:20] if isinstance(row, dict)] if isinstance(rows, list) else []
    return any({"metricsData", "metrics_data"} & set(row) for row in some)


def _opencompass(found: Mapping[str, Any]) -> bool:
    details = found.get("details")
    if isinstance(details, dict):
        inside = values_of({k: v for k, v in details.items() if not isinstance(v, str)})
        words = {"correct", "pred", "predictions", "answer", "references", "is_correct"}
        return bool(inside) and any(len(words & set(one)) >= 2 for one in inside)
    first = details[0] if isinstance(details, list) and details else None
    return isinstance(first, dict) and {"pred", "correct"} <= set(first)


def _arc_prize(found: Mapping[str, Any]) -> bool:
    return any("score" in one for one in values_of(found.get("task_results")))


def _bfcl(row: Mapping[str, Any]) -> bool:
    return {"accuracy", "correct_count", "total_count"} <= set(row)


_DOCUMENTS = {
    "every-eval-ever": _every_eval,
    "promptfoo": _promptfoo,
    "lighteval": _lighteval,
    "terminal-bench": _terminal_bench,
    "harbor": _harbor,
    "tau-bench": _tau2,
    "swe-bench": _swe_bench,
    "mteb": _mteb,
    "evalplus": _evalplus,
    "deepeval": _deepeval,
    "inspect": _inspect,
    "lm-eval": _harness,
    "opencompass": _opencompass,
    "arc-prize": _arc_prize,
    "bfcl": _bfcl,  # nothing was wrong: the first line alone
}

# -- records: elements of a list, or lines -------------------------------------------------------------


def _tau(row: Mapping[str, Any]) -> bool:
    return {"task_id", "reward"} <= set(row) and bool({"traj", "info"} & set(row))


def _livecodebench(row: Mapping[str, Any]) -> bool:
    return _has(row, graded_list=list) and bool({"question_id", "question_title"} & set(row))


def _alpaca(row: Mapping[str, Any]) -> bool:
    return "preference" in row and {"generator_1", "generator_2"} <= set(row)


def _battle(row: Mapping[str, Any]) -> bool:
    return _battle_of_judges(row) or (
        {"model_a", "model_b"} <= set(row)
        and ("winner" in row or {"winner_model_a", "winner_model_b"} <= set(row))
    )


def _battle_of_judges(row: Mapping[str, Any]) -> bool:
    return {"model_1", "model_2", "g1_winner", "g2_winner"} <= set(row)


def _judged(row: Mapping[str, Any]) -> bool:
    return {"question_id", "model", "judge", "judgment", "score", "turn"} <= set(row)


def _arena_hard(row: Mapping[str, Any]) -> bool:
    return {"model", "judge", "games"} <= set(row)


def _metr(row: Mapping[str, Any]) -> bool:
    return {"task_id", "score_binarized"} <= set(row) and bool({"alias", "model"} & set(row))


_RECORDS = {
    "tau-bench": _tau,
    "livecodebench": _livecodebench,
    "alpaca-eval": _alpaca,
    "arena": _battle,
    "mt-bench": _judged,
    "arena-hard": _arena_hard,
    "metr": _metr,
    "promptfoo": _graded,
}


def _harness_line(row: Mapping[str, Any]) -> bool:
    return "doc_id" in row and ("filtered_resps" in row or "metrics" in row)


def _every_eval_line(row: Mapping[str, Any]) -> bool:
    return {"evaluation_name", "model_id", "sample_id"} <= set(row) and "evaluation" in row


def _openai_evals(row: Mapping[str, Any]) -> bool:
    spec = row.get("spec")
    return isinstance(spec, dict) and "eval_name" in spec and "completion_fns" in spec


_LINES = {
    "lm-eval": _harness_line,
    "every-eval-ever": _every_eval_line,
    "openai-evals": _openai_evals,
    "bfcl": _bfcl,
}

# -- tables ------------------------------------------------------------------------------------------


def _lighteval_header(names: set[str]) -> bool:
    newer = {"doc", "metric", "model_response"} <= names
    return newer or (
        {"metrics", "predictions"} <= names and bool({"example", "full_prompt"} & names)
    )


def _alpaca_header(names: set[str]) -> bool:
    return {"preference", "generator_1", "generator_2"} <= names


def _battle_header(names: set[str]) -> bool:
    return _battle(dict.fromkeys(names))


def _metr_header(names: set[str]) -> bool:
    return _metr(dict.fromkeys(names))


def _promptfoo_header(names: set[str]) -> bool:
    lower = {name.lower() for name in names}
    newer = {"status", "score", "named scores", "grader reason"} <= lower
    return newer or any(re.match(r"\[[\w.-]+:[^]]+\] ", name) for name in names)


def _opencompass_header(names: set[str]) -> bool:
    return {"dataset", "version", "metric", "mode"} <= names


_HEADERS = {
    "lighteval": _lighteval_header,
    "alpaca-eval": _alpaca_header,
    "arena": _battle_header,
    "metr": _metr_header,
    "opencompass": _opencompass_header,
    "promptfoo": _promptfoo_header,
}
