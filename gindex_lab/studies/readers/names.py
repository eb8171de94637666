"""The names that agents, items, responses and the other roles go by, in tables and logs alike; and what a
table is by the names of its columns.

Nested names (`evaluation.score`) are recognised by their last part.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gindex_lab.studies.readers.signatures import of_header, values_of

__all__ = [
    *("AUDITED", "ERRORS", "ITEMS", "SETTINGS", "SUBJECTS", "TEXTS", "TIERS", "WORDINGS", "column_of"),
    *("families_are_items", "first_of", "flat_names", "has_items_only", "is_model", "is_question"),
    *("is_scores", "is_scores_by_model", "lone_response", "metric_column", "nested", "responses_in"),
    *("sniff_header", "task_of", "time_unit", "total_of", "unsure_item"),
]

# Of several columns that could play a role, the first line wins over the second, and so on
_NAMES = {
    "agent": (
        "alias",
        "agent agent_name model model_name model_id system participant person student respondent subject_id",
        "llm engine model_alias",
        "modell",
    ),
    "item": (
        "item item_id question_id question doc_id sample_id instance_id problem_id problem",
        "task_id prompt_id example_id test_id",
        "idx qid question_idx item_idx sample_idx problem_idx question_no item_no user_input frage aufgabe",
    ),
    "response": (
        "score_binarized",
        "response resp score correct is_correct accuracy acc value result",
        "reward cum_reward is_resolved resolved passed success score_cont hit outcome results punkte richtig",
        "f1 f1_score exact_match em bleu chrf rouge auc pass@1 win_rate points marks grade perplexity ppl "
        "word_perplexity byte_perplexity bits_per_byte nll loss brier brier_score wer cer error error_rate "
        "mae mse rmse",
    ),
    "trial": ("trial epoch repeat run seed attempt wave replicate", "run_id trial_id"),
    "family": (
        "family item_family task task_name dataset benchmark scenario category domain",
        "task_family subject topic suite",
    ),
    "difficulty": ("difficulty", "difficulty_level"),
    "minutes": (
        "human_minutes task_minutes minutes human_time_minutes expert_minutes baseline_minutes",
        "human_seconds human_time_seconds expert_seconds human_hours human_time_hours expert_hours",
    ),
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
_MODEL = re.compile(  # names by which models go, with or without their organisation
    r"(?i)^([\w.-]+/)?(chat)?(gpt|claude|gemini|gemma|llama|qwen|mistral|mixtral|deepseek|phi-?\d|grok|"
    r"command-?r|falcon|yi-|o[134](-|$)|kimi|glm-|olmo|palm|bard|nova-|jamba|granite|nemotron)"
)
_QUESTION = re.compile(r"(?i)(q|item|question|task|problem|prompt|example|sample)[-_ .]?\d+")
_SCORED = re.compile(r"(scores|feedback)\.")  # exports of trackers
_COUNTS = frozenset(
    ["c", "correct", "n_correct", "num_correct", "successes", "n_success", "passed", "n_passed"]
)
_TOTALS = frozenset(
    ["n", "total", "n_total", "num_total", "n_samples", "num_samples", "n_trials", "trials", "attempts"]
)
_PERSONAL = frozenset(("species", "sex", "gender", "age", "session"))
_UNITS = {"seconds": 1 / 60, "minutes": 1.0, "hours": 60.0}  # in minutes
_METRICS = ("metric", "metric_name")
_IDS = ("id", "qid", "uid", "idx", "index", "key")
_TASKS = ("task", "task_name", "dataset", "benchmark", "scenario")
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
    scores = [name for name, word in plain if _SCORED.match(word)]
    if kind == "response" and scores:
        return scores
    dotted = [(name, word.split(".")) for name, word in plain if "." in word]
    joined = [(name, "_".join(parts[-2:])) for name, parts in dotted]  # model.name: model_name
    for some in (plain, joined, [(name, parts[-1]) for name, parts in dotted]):
        for known in TIERS[kind]:
            found = [name for name, word in some if word in known]
            if found:
                return found
    if kind == "item" and scores:
        return [name for name, word in plain if word == "input"]
    if kind == "agent" and any(word in _PERSONAL for _, word in plain):  # no subjects of a school
        return [name for name, word in plain if word == "subject"]
    return []


def is_model(name: object) -> bool:
    """Whether something is called like a well-known model."""
    return bool(_MODEL.match(str(name)))


def is_question(name: object) -> bool:
    """Whether something is numbered like an item."""
    return bool(_QUESTION.fullmatch(str(name).strip()))


def time_unit(name: object) -> float | None:
    """How many minutes one unit of a column of times is, by the end of its name; None for another column."""
    word = str(name).strip().lower()
    return next((unit for end, unit in _UNITS.items() if word.endswith(end)), None)


def metric_column(header: Sequence[str]) -> str | None:
    """The column of a long table that says of which metric each row is."""
    return next((name for name in header if str(name).strip().lower() in _METRICS), None)


def families_are_items(header: Sequence[str]) -> bool:
    """Whether a long table has one row per agent and task, and no item: each column plays a role, or the
    task is called so (a row per agent has no task; it may have a category or a family).

    >>> families_are_items(["model", "task", "score", "q1"]), families_are_items(["m", "domain", "q1", "q2"])
    (True, False)
    """
    roles = {kind: column_of(header, kind) for kind in TIERS}
    response = roles["response"] or lone_response(header)
    needed = roles["agent"] and response and len(task_of(roles["family"])) == 1
    known = {name for found in roles.values() for name in found} | set(response)
    if not needed or roles["item"]:
        return False
    task = task_of(roles["family"])[0].strip().lower().rpartition(".")[-1]
    return known == set(header) or task in _TASKS


def task_of(families: Sequence[str]) -> list[str]:
    """Of columns that could be the family, the finest: the task beside a benchmark or a category."""
    found = column_of(families, "family")
    tasks = [name for name in found if name.strip().lower().rpartition(".")[-1] in _TASKS[:2]]
    return tasks if len(found) > 1 and tasks else found


def total_of(header: Sequence[str], response: str) -> str | None:
    """The column that says out of how many, beside a response that is a count."""
    known = [name for name in header if name.strip().lower() in _TOTALS]
    return known[0] if len(known) == 1 and response.strip().lower() in _COUNTS else None


def unsure_item(header: Sequence[str]) -> list[str]:
    """A column that names the items of a long table if the rows of an agent are many: `id` and the like."""
    if not (column_of(header, "agent") and column_of(header, "response")):
        return []
    if column_of(header, "item") or families_are_items(header):
        return []
    return [name for name in header if str(name).strip().lower() in _IDS][:1]


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
    counts = [name for name in rest if total_of(rest, name)]
    return counts if len(counts) == 1 else rest if len(rest) == 1 else []


def flat_names(record: Mapping[str, Any], depth: int = 3) -> list[str]:
    """The names in a record, nested ones with dots."""
    names: list[str] = []
    for name, value in record.items():
        inside = flat_names(value, depth - 1) if isinstance(value, dict) and depth > 1 else None
        names += [str(name)] if inside is None else [f"{name}.{one}" for one in inside]
    return names


def nested(record: Any, name: str) -> Any:
    """The value of a name with dots; None where there is none."""
    if not isinstance(record, dict):
        return None
    if name in record:
        return record[name]
    first, dot, rest = name.partition(".")
    return nested(record.get(first), rest) if dot else None


# -- what a table is -------------------------------------------------------------------------------


BENCHMARKS = {
    *("arc", "hellaswag", "mmlu", "truthfulqa", "winogrande", "gsm8k"),
    *("ifeval", "bbh", "math lvl 5", "gpqa", "musr", "mmlu-pro"),
}


def sniff_header(header: Sequence[str]) -> str | None:
    """The format of a table, by the names of its columns.

    >>> sniff_header(["Model", "Average", "ARC", "GSM8K"]), sniff_header(["model", "pong", "go"])
    ('leaderboard', 'wide')
    """
    names = {name.strip().lower() for name in header}
    tool = of_header(names)
    if tool is not None:
        return tool
    if {"id", "item", "resp"} <= names:
        return "irw"
    response = column_of(header, "response") or lone_response(header)
    if response and all(column_of(header, kind) for kind in ("agent", "item")):
        return "long"
    if families_are_items(header):
        return "long"
    if not column_of(header, "agent") and has_items_only(header):
        return "per-model"
    if len(names & BENCHMARKS) >= 2 and (column_of(header, "agent") or "fullname" in names):
        return "leaderboard"
    return "wide" if len(header) > 1 else None


# -- files of one model that they do not name --------------------------------------------------------


_ROWS = """
item item_id question_id doc_id sample_id instance_id problem_id task_id example_id prompt_id test_id case_id
qid idx index uid key id
"""
_SCORES = """
response resp score correct is_correct accuracy acc pass passed success reward resolved is_resolved solved
"""
ITEMS, RESPONSES = tuple(_ROWS.split()), tuple(_SCORES.split())
LESS_SURE = ("hit", "results", "outcome")  # where there is none of these
WORDINGS = ("question", "prompt", "problem", "instruction", "input", "query")


def has_items_only(header: Collection[str]) -> bool:
    """Whether rows have an item and a response."""
    names = {name.strip().lower() for name in header}
    asked = names & {*ITEMS, *WORDINGS} or {name for name in names if name.rpartition(".")[-1] in WORDINGS}
    return bool(asked) and len(responses_in(names)) == 1


def responses_in(names: Collection[str]) -> list[str]:
    """Those of some names that a response goes by; less sure ones where no other does."""
    exported = [name for name in names if re.match(r"(?i)(scores|feedback)\.", name)]
    sure, less = ([name for one in some for name in names if name.strip().lower() == one]
                  for some in (RESPONSES, LESS_SURE))  # fmt: skip
    return sure or exported or less


def is_scores(found: Any) -> bool:
    """Whether a document is an object of scores by item.

    >>> is_scores({"q1": 1, "q2": 0}), is_scores({"q1": {"correct": True}}), is_scores({"seed": 1234})
    (True, True, False)
    """
    some = list(found.values())[:100] if isinstance(found, dict) else []
    if some and all(isinstance(one, dict) for one in some):
        return all(isinstance(first_of(one, RESPONSES), bool) for one in some)
    return len(some) > 1 and all(isinstance(x, (bool, int, float)) and 0 <= x <= 1 for x in some)


def is_scores_by_model(found: Any) -> bool:
    """Whether a document is an object of models, each with scores of the same items.

    >>> is_scores_by_model({"gpt": {"q1": 1, "q2": 0}, "llama": {"q1": 0, "q2": 0}})
    True
    >>> is_scores_by_model({"train": {"seed": 1}, "test": {"seed": 2}})
    False
    """
    some = values_of(found)
    if len(some) < 2 or len(some[0]) < 2 or any(set(RESPONSES) & one.keys() for one in some):
        return False
    numbers = all(isinstance(x, (bool, int, float)) for one in some for x in one.values())
    return numbers and all(len(one.keys() & some[0].keys()) * 2 > len(some[0]) for one in some)


def first_of(row: Mapping[str, Any], names: Collection[str]) -> Any:
    """The value of the first of some names that a row has, whatever their case; None for none."""
    known = {str(name).strip().lower(): value for name, value in row.items()}
    return next((known[name] for name in names if name in known), None)
