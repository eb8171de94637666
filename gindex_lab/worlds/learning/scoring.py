"""Scoring generated programs against the programs that were wanted: θ = 1 - Δ.

A language model answers with text: a JSON array, JSON in a fenced block, or JSON that stops in the middle.
Whatever it wrote is read as far as it goes (`Flow.salvage`, the "reduced DAG" of section 2.4.4 of the g-index
paper), and the table says which answers were whole. An answer without a single node scores Δ = 1; a missing
answer is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput, BadProgram, ensure
from gindex_lab.foundation.inputs import as_path, parse_json, read_text
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import Mode
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.worlds.learning.corpus import PromptSample

__all__ = ["entries_of", "read_answer", "score_answers", "score_programs"]


def read_answer(answer: ProgramLike) -> tuple[Flow, bool]:
    """What a system wrote as a flow, and whether it was whole."""
    try:
        return answer if isinstance(answer, Flow) else Flow(answer), True  # never a file by its name
    except BadProgram:
        text = answer if isinstance(answer, str) else json.dumps(answer, default=str)
        return Flow.salvage(text), False


def score_answers(
    answers: Sequence[ProgramLike], tests: Sequence[PromptSample], *, mode: Mode = "exact"
) -> pd.DataFrame:
    """Score the programs that a system wrote: θ = 1 - Δ for each test.

    Parameters
    ----------
    answers : what the system wrote, one for each test: lists of nodes, flows or text
    tests : the tasks
    mode : "exact" or "reference", the rules of Δ

    Returns
    -------
    DataFrame : one row per test: `domain`, `prompt`, `divergence` Δ, `performance` θ, `perfect` (Δ = 0) and
        `whole` (read without repair)

    References
    ----------
    g-index paper, section 2.4 (Δ) and section 3.1 (θ).

    Examples
    --------
    >>> from gindex_lab.worlds.learning.corpus import sample
    >>> task = sample("http", seed=1)
    >>> score_answers([task.program], [task])[["divergence", "performance", "perfect"]].to_numpy()
    array([[0.0, 1.0, True]], dtype=object)
    """
    problem = f"[wrong-length] do not match the {len(tests)} tests"
    ensure(len(answers) == len(tests), "answers", len(answers), problem, "give one answer for each test")
    rows = []
    for task, answer in zip(tests, answers, strict=True):
        flow, whole = read_answer(answer)
        delta = float(divergence(task.program, flow, mode=mode))
        rows.append((task.domain, task.prompt, delta, 1 - delta, delta == 0, whole))
    columns = ["domain", "prompt", "divergence", "performance", "perfect", "whole"]
    return pd.DataFrame(rows, columns=columns)


def score_programs(
    file: str | PathLike[str], tests: Iterable[PromptSample] | None = None, *, mode: Mode = "exact"
) -> pd.DataFrame:
    """Score the programs that some system wrote into a file.

    Parameters
    ----------
    file : a JSON array, or JSON lines
        Objects with `prompt` and `generated` (text or nodes); `expected` (nodes) and `domain` may be left out
        where `tests` has the prompt.
    tests : tasks whose prompts the file answers
    mode : "exact" or "reference", the rules of Δ

    Returns
    -------
    DataFrame : as `score_answers`

    References
    ----------
    g-index paper, section 2.4 (Δ) and section 3.1 (θ).

    Examples
    --------
    >>> import tempfile
    >>> from gindex_lab.worlds.learning.corpus import sample
    >>> task = sample("http", seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.jsonl"
    ...     entry = {"prompt": task.prompt, "generated": "[]"}
    ...     _ = path.write_text(json.dumps(entry))
    ...     score_programs(path, [task])["divergence"].tolist()
    [1.0]
    """
    known = {task.prompt: task for task in tests or ()}
    entries, wanted = entries_of(as_path("file", file)), []
    for at, entry in enumerate(entries):
        prompt, problem = entry["prompt"], "[nothing-to-compare] has no program to compare with"
        remedy = "add 'expected' to the entry, or pass tests that have this prompt"
        ensure("expected" in entry or prompt in known, f"entry {at}", prompt, problem, remedy)
        if "expected" in entry:
            wanted.append(PromptSample(str(prompt), entry["expected"], str(entry.get("domain", "unnamed"))))
        else:
            wanted.append(known[prompt])
    return score_answers([entry["generated"] for entry in entries], wanted, mode=mode)


def entries_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON array or of JSON lines, each with a prompt and an answer."""
    text = read_text(path, argument="file")
    if text.lstrip().startswith("["):
        entries = _parsed(text, "file", str(path))
    else:
        lines = enumerate(text.splitlines(), 1)
        entries = [_parsed(line, f"{path.name} line {k}", line) for k, line in lines if line.strip()]
    for at, entry in enumerate(entries):
        place, remedy = f"{path.name}[{at}]", 'write {"prompt": ..., "generated": ...}'
        ensure(isinstance(entry, dict), place, entry, "[not-an-object] is not an object", remedy)
        for key in ("prompt", "generated"):
            ensure(key in entry, place, list(entry), f"[missing-field] has no {key!r}", f"give it {key!r}")
    ensure(entries, "file", str(path), "[empty] has no answer", "write one object per prompt")
    return list(entries)


def _parsed(text: str, argument: str, value: str) -> Any:
    try:
        return parse_json(text, argument, value)
    except BadInput:  # nested too deeply
        raise
    except ValueError as error:
        raise BadInput(argument, value, f"[not-json] is not JSON ({error})", "fix the file") from None
