"""Scoring generated programs against the programs that were wanted: θ = 1 - Δ.

A language model answers with text: a JSON array, JSON in a fenced block, or JSON that stops in the
middle. Whatever it wrote is read as far as it goes (`Flow.salvage`, the "reduced DAG" of section 2.4.4
of the g-index paper), and the table says which answers were whole. An answer with nothing in it that is
a node scores Δ = 1; an answer that is missing altogether is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput, BadProgram
from gindex_lab.foundation.inputs import as_path, parse_json, read_text
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import Mode, mode_of
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.worlds.learning.corpus import PromptSample

__all__ = ["Recorded", "read_answer", "score_answers", "score_programs"]


def read_answer(answer: ProgramLike) -> tuple[Flow, bool]:
    """What a system wrote as a flow, and whether it was whole.

    >>> read_answer('```json\\n[{"id": "a", "type": "tab"}]\\n```')
    (Flow(1 node, 0 wires, 1 type), False)
    >>> read_answer([{"id": "a", "type": "tab"}])
    (Flow(1 node, 0 wires, 1 type), True)
    """
    try:
        return answer if isinstance(answer, Flow) else Flow(
            answer
        ), True  # never a file by its name
    except BadProgram:
        text = answer if isinstance(answer, str) else json.dumps(answer, default=str)
        return Flow.salvage(text), False


def score_answers(
    answers: Sequence[ProgramLike], tests: Sequence[PromptSample], *, mode: Mode = "exact"
) -> pd.DataFrame:
    """One row per test: `divergence` Δ, `performance` θ, `perfect` (Δ = 0), `whole` (parsed unmended).

    >>> from gindex_lab.worlds.learning.corpus import sample
    >>> task = sample("http", seed=1)
    >>> score_answers([task.program], [task])[["divergence", "performance", "perfect"]].to_numpy()
    array([[0.0, 1.0, True]], dtype=object)

    References: g-index paper, section 2.4 and θ in section 3.1.
    """
    if len(answers) != len(tests):
        problem = f"[wrong-length] do not match the {len(tests)} tests"
        raise BadInput("answers", len(answers), problem, "give one answer for each test")
    rows = []
    for task, answer in zip(tests, answers, strict=True):
        flow, whole = read_answer(answer)
        delta = float(divergence(task.program, flow, mode=mode_of(mode)))
        rows.append((task.domain, task.prompt, delta, 1 - delta, delta == 0, whole))
    columns = ["domain", "prompt", "divergence", "performance", "perfect", "whole"]
    return pd.DataFrame(rows, columns=columns)


def score_programs(
    file: str | PathLike[str], tests: Iterable[PromptSample] | None = None, *, mode: Mode = "exact"
) -> pd.DataFrame:
    """Score the programs that some system wrote into a file, with `score_answers`.

    The file is a JSON array or JSON lines of objects with `prompt` and `generated` (text or nodes), and
    `expected` (nodes) and `domain`, which may be left out where `tests` has the prompt.

    Reference: g-index paper, section 2.4, and θ in section 3.1.

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
    entries = _entries(as_path("file", file))
    wanted = [_wanted(at, entry, known) for at, entry in enumerate(entries)]
    return score_answers([entry["generated"] for entry in entries], wanted, mode=mode)


def _entries(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON array or of JSON lines, each with a prompt and an answer."""
    text = read_text(path, argument="file")
    entries = _array(path, text) if text.lstrip().startswith("[") else _lines(path, text)
    for at, entry in enumerate(entries):
        place = f"{path.name}[{at}]"
        if not isinstance(entry, dict):
            problem = "[not-an-object] is not an object"
            raise BadInput(place, entry, problem, 'write {"prompt": ..., "generated": ...}')
        for key in ("prompt", "generated"):
            if key not in entry:
                raise BadInput(
                    place, list(entry), f"[missing-field] has no {key!r}", f"give it {key!r}"
                )
    if not entries:
        raise BadInput("file", str(path), "[empty] has no answer", "write one object per prompt")
    return entries


def _array(path: Path, text: str) -> list[Any]:
    try:
        return list(parse_json(text, "file", str(path)))
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(
            "file", str(path), f"[not-json] is not JSON ({error})", "fix the file itself"
        ) from None


def _lines(path: Path, text: str) -> list[Any]:
    entries = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                entries.append(parse_json(line, "file", f"{path.name} line {number}"))
            except BadInput:
                raise
            except ValueError as error:
                problem = f"[not-json] is not JSON ({error})"
                raise BadInput(f"{path.name} line {number}", line, problem, "fix it") from None
    return entries


def _wanted(at: int, entry: Mapping[str, Any], known: Mapping[str, PromptSample]) -> PromptSample:
    prompt = entry["prompt"]
    if "expected" in entry:
        return PromptSample(str(prompt), entry["expected"], str(entry.get("domain", "unnamed")))
    if prompt not in known:
        remedy = "add 'expected' to the entry, or pass tests that have this prompt"
        raise BadInput(
            f"entry {at}", prompt, "[nothing-to-compare] has no program to compare with", remedy
        )
    return known[prompt]


class Recorded:
    """A system that has answered already: `generate` looks the prompt up in a file.

    So that any language model can stand beside our systems in an experiment: write its answers into a
    file (see `score_programs`) and give the experiment the compute that it took.
    """

    def __init__(self, file: str | PathLike[str]) -> None:
        self.answers = {entry["prompt"]: entry["generated"] for entry in _entries(Path(file))}

    def fit(self, pairs: object) -> None:
        """Nothing: training took place elsewhere."""

    def generate(self, prompt: str) -> Any:
        """The recorded answer."""
        if prompt not in self.answers:
            raise BadInput(
                "prompt", prompt, "[no-answer] has no recorded answer", "add it to the file"
            )
        return self.answers[prompt]
