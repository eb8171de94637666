"""What only tests need of the systems that learn programs: the worst of them, and a text that stops midway."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import generator
from gindex_lab.worlds.learning.corpus import Program
from gindex_lab.worlds.learning.systems import Learner

__all__ = ["Empty", "broken_json"]


class Empty(Learner):
    """The floor: an empty program, whatever is asked (Δ = 1)."""

    def _answer(self, prompt: str) -> Program:
        return []


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
