"""A token n-gram model that writes a program one token after the other.

The smallest relative of the language models of section 4 of the g-index paper: it learns which token
follows which in the text "prompt, then program", and samples at a temperature, in one attempt, until
the program ends or the context window does. Nothing makes it write valid JSON: its syntax errors are
real, and cost it what section 2.4.4 says they should.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import generator, integer, number
from gindex_lab.worlds.learning.corpus import Program, ports_of
from gindex_lab.worlds.learning.retrieval import TextIndex, frame
from gindex_lab.worlds.learning.systems import Learner

__all__ = ["NGram"]

_START, _END = "\u241f", "\u2403"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-\d.eE]+|true|false|null|[\[\]{},:]')
_Counts = dict[tuple[str, ...], dict[str, int]]


class NGram(Learner):
    """An n-gram model of programs, with back-off to contexts of half the length.

    `order` is n. With `neighbours`, the model is counted afresh for each prompt over that many nearest
    training pairs; without, once over them all, so that it remembers the prompt only as long as its
    context reaches. The temperature is the paper's 0.7 and the window as many tokens as `window` says.

    >>> model = NGram(order=3, neighbours=1, seed=1)
    >>> model.fit([("Pause", [{"id": "a", "type": "tab"}]), ("Mail", [{"id": "b", "type": "tab"}])])
    >>> model.generate("Pause")
    '[{"id":"n0","type":"tab"}]'
    """

    def __init__(
        self,
        order: int = 16,
        neighbours: int | None = None,
        *,
        temperature: float = 0.7,
        window: int = 1000,
        seed: SeedLike = 1,
    ) -> None:
        super().__init__()
        self.order = integer("order", order, 2)
        self.neighbours = None if neighbours is None else integer("neighbours", neighbours)
        self.temperature = number("temperature", temperature, 1e-6)
        self.window = integer("window", window)
        self._lengths = [*_halvings(self.order - 1), 0]
        self._rng = generator(seed)

    def _learn(self) -> None:
        self._texts = [[*frame(p), _START, *program_tokens(q), _END] for p, q in self.pairs]
        self._index = TextIndex([frame(prompt) for prompt, _ in self.pairs])
        self._starts = [text.index(_START) for text in self._texts]
        self._counts: _Counts = {}
        if self.neighbours is None:
            self._counts = self._count(range(len(self.pairs)))
        else:
            self.operations += self._index.operations

    def _count(self, chosen: Any) -> _Counts:
        """How often each token followed each context of the lengths counted."""
        counts: _Counts = {}
        for at in chosen:
            text = self._texts[at]
            for place in range(self._starts[at] + 1, len(text)):
                token = text[place]
                for length in self._lengths:
                    context = tuple(text[max(0, place - length) : place])
                    follow = counts.get(context)
                    if follow is None:
                        counts[context] = {token: 1}
                    else:
                        follow[token] = follow.get(token, 0) + 1
            self.operations += len(self._lengths) * (len(text) - self._starts[at] - 1)
        return counts

    def _answer(self, prompt: str) -> str:
        counts = self._counts if self.neighbours is None else self._near(prompt)
        text = [*frame(prompt), _START]
        start = len(text)
        while len(text) - start < self.window:
            token = self._next(text, counts)
            if token == _END:
                break
            text.append(token)
        return "".join(text[start:])

    def _near(self, prompt: str) -> _Counts:
        before = self._index.operations
        scores = self._index.scores(frame(prompt))
        self.operations += self._index.operations - before
        return self._count(np.argsort(-np.round(scores, 12), kind="stable")[: self.neighbours])

    def _next(self, text: list[str], counts: _Counts) -> str:
        """Sampled from the longest context seen in training: p(token) ∝ count^(1/temperature)."""
        for length in self._lengths:
            self.operations += 1
            found = counts.get(tuple(text[max(0, len(text) - length) :] if length else ()))
            if found:
                break
        assert found, "the empty context is always seen"
        logs = np.log(np.fromiter(found.values(), float)) / self.temperature
        weights = np.cumsum(np.exp(logs - logs.max()))
        self.operations += len(found)
        drawn = int(np.searchsorted(weights, self._rng.random() * weights[-1], side="right"))
        return list(found)[min(drawn, len(found) - 1)]


def _halvings(length: int) -> list[int]:
    """The context lengths that are counted: backing off halves what is remembered."""
    return [length, *_halvings(length // 2)] if length else []


def program_tokens(program: Program) -> list[str]:
    """The program's JSON as tokens, with ids n0, n1, ... and without the places on the canvas.

    >>> program_tokens([{"id": "7f", "type": "tab", "x": 1, "wires": [["7f"]]}])[:8]
    ['[', '{', '"id"', ':', '"n0"', ',', '"type"', ':']
    """
    short = {node["id"]: f"n{at}" for at, node in enumerate(program)}
    slim = []
    for node in program:
        kept = {
            key: value for key, value in node.items() if key not in ("x", "y", "z", "id", "wires")
        }
        wires = [[short.get(to, to) for to in port] for port in ports_of(node)]
        slim.append({"id": short[node["id"]], **kept, **({"wires": wires} if wires else {})})
    return _TOKEN.findall(json.dumps(slim))
