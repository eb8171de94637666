"""What a score of Inspect is worth: a number, a letter, or a word with a known value.

The letters are C correct, I incorrect, P partial and N no answer; judges also write them as words. Categories
("left", "both") and free text have no value. (Inspect documentation, "Scorers".)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.studies.readers.collect import as_number

__all__ = ["in_words", "sample_id", "score_of", "score_values"]

_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"partial": 0.5, "partially correct": 0.5, "no answer": 0.0, "not attempted": 0.0}


def score_values(sample: dict[str, Any], file: Path) -> dict[str, float | None]:
    """Each score of a sample as a number, `scorer/key` for a score of several parts; None for text.

    >>> score_values({"scores": {"match": {"value": "C"}, "judge": {"value": {"tone": 0.5}}}}, Path("a"))
    {'match': 1.0, 'judge/tone': 0.5}
    """
    scores = sample.get("scores")
    if scores is None and isinstance(sample.get("score"), dict):
        scores = {"score": sample["score"]}  # logs of version 1
    if scores is not None and not isinstance(scores, dict):
        raise BadInput(
            "path", str(file), f"[wrong-type] has scores={short(scores)}", "write the log again"
        )
    found: dict[str, float | None] = {}
    for name, score in (scores or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        parts = (
            {f"{name}/{k}": v for k, v in value.items()}
            if isinstance(value, dict)
            else {name: value}
        )
        found |= {key: _as_score(part) for key, part in parts.items()}
    return found


def _as_score(value: object) -> float | None:
    if not isinstance(value, str):
        return as_number(value)
    word = value.strip().lower().replace("_", " ")
    return _LETTERS.get(value.strip(), _WORDS.get(word, as_number(value)))


def score_of(
    values: dict[str, float | None], metric: str | None, sample: dict[str, Any], file: Path
) -> float:
    """The score of the chosen metric; NaN where the sample has none."""
    if metric is None or metric not in values:
        return float("nan")
    value = values[metric]
    if value is None:
        raise in_words(sample, file)
    return value


def in_words(sample: dict[str, Any], file: Path) -> BadInput:
    """The error for a sample whose scores have no known value."""
    scores = sample.get("scores") or {"score": sample.get("score")}
    given = {
        k: one.get("value", one) if isinstance(one, dict) else one for k, one in scores.items()
    }
    problem = (
        f"[words] scores sample {sample_id(sample, file)!r} in words or a list "
        f"whose value is not known: {short(given)}"
    )
    remedy = "choose another scorer with metric=... (--metric), or score it again (`inspect score`)"
    return BadInput("path", str(file), problem, remedy)


def sample_id(sample: dict[str, Any], file: Path) -> str:
    """The id of a sample, as text."""
    if "id" not in sample:
        raise BadInput(
            "path", str(file), "[no-id] has a sample without an id", "write the log again"
        )
    return str(sample["id"])
