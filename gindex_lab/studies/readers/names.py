"""The names that agents, items, responses and the other roles go by, in tables and logs alike.

Nested names (`evaluation.score`) are recognised by their last part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = [
    *(
        "AUDITED",
        "ERRORS",
        "SETTINGS",
        "SUBJECTS",
        "TEXTS",
        "TIERS",
        "column_of",
        "families_are_items",
    ),
    *("flat_names", "lone_response", "nested"),
]

# Of several columns that could play a role, the first line wins over the second, and so on
_NAMES = {
    "agent": (
        "alias",
        "agent model model_name model_id system participant person student respondent subject_id",
        "llm engine model_alias",
    ),
    "item": (
        "item item_id question_id question doc_id sample_id instance_id problem_id problem",
        "task_id prompt_id example_id test_id",
    ),
    "response": (
        "score_binarized",
        "response resp score correct is_correct accuracy acc value result",
        "reward is_resolved resolved passed success score_cont",
        "f1 f1_score exact_match em bleu chrf rouge auc pass@1 win_rate points marks grade perplexity ppl "
        "word_perplexity byte_perplexity bits_per_byte nll loss brier brier_score wer cer error error_rate "
        "mae mse rmse",
    ),
    "trial": ("trial epoch repeat run seed attempt wave replicate", "run_id trial_id"),
    "family": (
        "family item_family task task_name dataset benchmark scenario category domain",
        "task_family subject topic suite",
    ),
    "difficulty": ("difficulty",),
    "minutes": ("human_minutes task_minutes minutes human_time_minutes",),
    "choices": ("choices num_choices n_choices num_options n_options",),
    "weight": ("item_weight task_weight invsqrt_task_weight equal_task_weight", "weight"),
    "date": ("release_date model_release_date released", "date"),
}
# Columns that an audit looks at: what was asked, how it ended, how it was run, under what ids may start again
TEXTS = ("text", "prompt", "input", "question_text", "question")
ERRORS = ("error", "errored", "status", "exception")
SETTINGS = (
    *("configuration", "config", "temperature", "num_fewshot", "shots", "fewshot", "max_tokens"),
    *("prompt_version", "template", "task_version", "version", "system_prompt", "reasoning_effort"),
)
SUBJECTS = ("subject", "category", "topic", "domain", "section", "split", "subset", "chapter")
AUDITED = frozenset((*TEXTS, *ERRORS, *SETTINGS, *SUBJECTS))
TIERS = {kind: tuple(frozenset(names.split()) for names in tiers) for kind, tiers in _NAMES.items()}


def column_of(header: Sequence[str], kind: str) -> list[str]:
    """The columns of a header that could play a role; of nested names the last part counts.

    >>> column_of(["Model", "question_id", "score", "correct"], "response")
    ['score', 'correct']
    >>> column_of(["alias", "model"], "agent"), column_of(["run", "evaluation.score"], "response")
    (['alias'], ['evaluation.score'])
    """
    plain = [(name, str(name).strip().lower()) for name in header]
    for last in (False, True):
        for known in TIERS[kind]:
            found = [
                name
                for name, word in plain
                if ("." in word and word.rpartition(".")[2] if last else word) in known
            ]
            if found:
                return found
    return []


def families_are_items(header: Sequence[str]) -> bool:
    """Whether a long table has one row per agent and task: each column plays a role, and none is an item.

    >>> families_are_items(["model", "task", "score"]), families_are_items(["model", "task", "score", "q1"])
    (True, False)
    """
    roles = {kind: column_of(header, kind) for kind in TIERS}
    response = roles["response"] or lone_response(header)
    needed = roles["agent"] and response and len(roles["family"]) == 1
    known = {name for found in roles.values() for name in found} | set(response)
    return bool(needed) and not roles["item"] and known == set(header)


def lone_response(header: Sequence[str]) -> list[str]:
    """The response of a long table whose metric has a name of its own: the one column beside agent and item
    (or task) that plays no other role; empty where there is none, or more than one.

    >>> lone_response(["model", "item", "latency_s"]), lone_response(["model", "item", "depth", "zeta"])
    (['latency_s'], [])
    """
    roles = {kind: column_of(header, kind) for kind in TIERS}
    if not roles["agent"] or not (roles["item"] or roles["family"]) or roles["response"]:
        return []
    known = {name for found in roles.values() for name in found}
    rest = [name for name in header if name not in known]
    return rest if len(rest) == 1 else []


def flat_names(record: Mapping[str, Any], depth: int = 3) -> list[str]:
    """The names in a record, nested ones with dots.

    >>> flat_names({"id": 1, "evaluation": {"score": 0.5}})
    ['id', 'evaluation.score']
    """
    return list(_flat(record, depth))


def _flat(record: Mapping[str, Any], depth: int) -> Iterator[str]:
    for name, value in record.items():
        if isinstance(value, dict) and depth > 1:
            yield from (f"{name}.{inner}" for inner in _flat(value, depth - 1))
        else:
            yield str(name)


def nested(record: Any, name: str) -> Any:
    """The value of a name with dots; None where there is none.

    >>> nested({"evaluation": {"score": 0.5}}, "evaluation.score"), nested({"a.b": 1}, "a.b")
    (0.5, 1)
    """
    if not isinstance(record, dict):
        return None
    if name in record:
        return record[name]
    first, dot, rest = name.partition(".")
    return nested(record.get(first), rest) if dot else None
