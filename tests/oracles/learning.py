"""What only tests need of the systems that learn programs: the worst of them, one that has answered already,
and a text that stops midway."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import generator
from gindex_lab.worlds.learning.programs import Program
from gindex_lab.worlds.learning.scoring import entries_of
from gindex_lab.worlds.learning.systems import Learner

__all__ = ["Empty", "Recorded", "broken_json"]


class Empty(Learner):
    """The floor: an empty program, whatever is asked (Δ = 1)."""

    def _answer(self, prompt: str) -> Program:
        return []


class Recorded:
    """A system that has answered already: `generate` looks the prompt up in a file (see `score_programs`).

    So that any language model can take part in an experiment, with the compute that it took.
    """

    def __init__(self, file: Path) -> None:
        self.answers = {entry["prompt"]: entry["generated"] for entry in entries_of(file)}

    def fit(self, pairs: object) -> None:
        """Nothing: training took place elsewhere."""

    def generate(self, prompt: str) -> Any:
        if prompt not in self.answers:
            raise BadInput("prompt", prompt, "[no-answer] has no recorded answer", "add it to the file")
        return self.answers[prompt]


def broken_json(program: Sequence[Mapping[str, Any]], *, seed: object, keep: float = 0.7) -> str:
    """The program's text cut off after about `keep` of it: the syntax error of section 2.4.4.

    >>> from gindex_lab.worlds.learning.corpus import corpus
    >>> text = broken_json(corpus(1, ["http"], seed=1)[0].program, seed=1)
    >>> text.startswith('[{"id"'), text.endswith("]")
    (True, False)
    """
    if not 0 < keep < 1:
        raise BadInput(
            "keep",
            keep,
            "[out-of-range] leaves nothing broken or nothing at all",
            "use 0 < keep < 1",
        )
    text = json.dumps(list(program))
    cut = int(len(text) * keep + generator(seed).integers(-5, 6))
    return text[: min(max(cut, 1), len(text) - 1)]
