"""Intelligence systems that learn programs from examples: retrieval, slots, composition, n-grams, chance.

A system in the sense of section 2.1 of the g-index paper is anything with `fit(pairs)`, which sees
the curriculum as (prompt, program) pairs, and `generate(prompt)`, which answers with a program (or
with JSON text that may be broken). Each counts its elementary operations in `operations`, so that
experience E is measured the same way on every machine. None is told what domain a prompt is from.

`NGram` is the smallest relative of the language models of section 4: it learns which token follows which in
the text "prompt, then program", and samples at a temperature, in one attempt, until the program ends or the
context window does. Nothing makes it write valid JSON: its syntax errors are real (section 2.4.4).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import generator, integer, number
from gindex_lab.worlds.learning.corpus import Program, join_programs, plain_copy, ports_of, renamed
from gindex_lab.worlds.learning.retrieval import TextIndex, changes, frame, substitute, tokens

__all__ = [
    "Composing",
    "Lazy",
    "Learner",
    "NGram",
    "NearestNeighbour",
    "Pairs",
    "RandomNodes",
    "RandomProgram",
    "SlotFilling",
    "System",
    "check_pairs",
]

Pairs = Sequence[tuple[str, Program]]


@runtime_checkable
class System(Protocol):
    """What an experiment needs. `operations` is optional: without it the time trained is what counts."""

    def fit(self, pairs: Pairs) -> object:
        """Learn from the curriculum."""

    def generate(self, prompt: str) -> Program | str:
        """Answer one prompt with a program, in one attempt."""


def check_pairs(pairs: object) -> list[tuple[str, Program]]:
    """The curriculum as a list of (prompt, program), or an error that names the faulty pair.

    >>> check_pairs([("Pause", [{"id": "a", "type": "tab"}])])
    [('Pause', [{'id': 'a', 'type': 'tab'}])]
    """
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Sequence):
        raise BadInput(
            "pairs", pairs, "[not-a-list] is not a list of pairs", "pass [(prompt, program), ...]"
        )
    if not pairs:
        raise BadInput("pairs", pairs, "[empty] is empty", "pass at least one pair")
    for at, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            remedy = "pass (prompt, program); of a Sample take .pair"
            raise BadInput(
                f"pairs[{at}]", pair, "[not-a-pair] is not a (prompt, program) pair", remedy
            )
        _check_pair(at, *pair)
    return [(prompt, program) for prompt, program in pairs]


def _check_pair(at: int, prompt: object, program: object) -> None:
    if not isinstance(prompt, str) or not prompt.strip():
        raise BadInput(f"pairs[{at}]", prompt, "[no-prompt] has no prompt", "give it a text")
    if not isinstance(program, list) or not all(isinstance(node, dict) for node in program):
        raise BadInput(
            f"pairs[{at}]", program, "[no-program] has no program", "give it a list of nodes"
        )
    if any("id" not in node or "type" not in node for node in program):
        raise BadInput(
            f"pairs[{at}]", program, "[missing-field] has a node without id or type", "name both"
        )


def _reading(prompt: str, program: Program) -> int:
    """What it takes to read a pair once: its words and its attribute values."""
    return len(prompt.split()) + sum(map(len, program))


class Learner:
    """What our systems share: the pairs they saw and the operations they spent."""

    def __init__(self) -> None:
        self.operations = 0
        self.pairs: list[tuple[str, Program]] = []

    def fit(self, pairs: Pairs) -> None:
        """Learn from the curriculum, forgetting any earlier one."""
        self.pairs = check_pairs(pairs)
        self.operations = sum(_reading(prompt, program) for prompt, program in self.pairs)
        self._learn()

    def generate(self, prompt: str) -> Program | str:
        """Answer one prompt with a program."""
        if not self.pairs:
            problem = "[not-trained] cannot be answered before training"
            raise BadInput("prompt", prompt, problem, "call fit(pairs) first")
        if not isinstance(prompt, str) or not prompt.strip():
            raise BadInput("prompt", prompt, "[empty] is empty", "pass some text")
        return self._answer(prompt)

    def _learn(self) -> None:
        """What a system does beyond reading the pairs: by default nothing."""

    def _answer(self, prompt: str) -> Program | str:
        raise NotImplementedError


class RandomProgram(Learner):
    """A training program drawn at random, whatever is asked."""

    def __init__(self, *, seed: SeedLike = 1) -> None:
        super().__init__()
        self._rng = generator(seed)

    def _answer(self, prompt: str) -> Program:
        self.operations += 1
        return plain_copy(self.pairs[int(self._rng.integers(len(self.pairs)))][1])


class RandomNodes(RandomProgram):
    """Nodes drawn at random from all training programs, each wired to a later one at random."""

    def _answer(self, prompt: str) -> Program:
        size = len(self.pairs[int(self._rng.integers(len(self.pairs)))][1])
        program = []
        for at in range(size):
            donor = self.pairs[int(self._rng.integers(len(self.pairs)))][1]
            node = plain_copy(donor[int(self._rng.integers(len(donor)))])
            later = int(self._rng.integers(at + 1, size + 1))
            program.append(
                node | {"id": f"n{at}", "wires": [[f"n{later}"]] if later < size else []}
            )
        self.operations += 3 * size
        return program


class NearestNeighbour(Learner):
    """The program of the training prompt nearest by TF-IDF cosine, unchanged.

    Reference: Salton and Buckley (1988), Information Processing and Management 24, 513-523 (TF-IDF).

    >>> system = NearestNeighbour()
    >>> system.fit([("Pause video", [{"id": "a", "type": "x"}]), ("Mail", [{"id": "b", "type": "y"}])])
    >>> system.generate("Pause the video")
    [{'id': 'a', 'type': 'x'}]
    """

    def _learn(self) -> None:
        self.index = TextIndex([[t.lower() for t in tokens(prompt)] for prompt, _ in self.pairs])
        self.operations += self.index.operations

    def _answer(self, prompt: str) -> Program:
        before = self.index.operations
        at, _ = self.index.best([token.lower() for token in tokens(prompt)])
        self.operations += self.index.operations - before
        return plain_copy(self.pairs[at][1])


class SlotFilling(Learner):
    """Retrieve by how the task is put, then copy what the prompt changed into the program.

    Phrases, numbers and names are masked when prompts are compared, so the neighbour is one that is
    put alike; where the two prompts differ, the neighbour's words are replaced in its program.

    >>> system = SlotFilling()
    >>> system.fit([("Play 'tea for two'", [{"id": "a", "type": "x", "song": "tea for two"}])])
    >>> system.generate("Play 'summertime'")
    [{'id': 'a', 'type': 'x', 'song': 'summertime'}]
    """

    def _learn(self) -> None:
        first: dict[tuple[str, ...], int] = {}
        for at, (prompt, _) in enumerate(self.pairs):
            words = tuple(frame(prompt))
            self.operations += len(words)
            first.setdefault(words, at)
        self.frames = list(first.values())
        self.index = TextIndex(list(first))
        self.operations += self.index.operations

    def _nearest(self, words: Sequence[str]) -> tuple[int, float]:
        before = self.index.operations
        at, cosine = self.index.best(words)
        self.operations += self.index.operations - before
        return self.frames[at], cosine

    def _answer(self, prompt: str) -> Program:
        return self._fill(prompt, self._nearest(frame(prompt))[0])

    def _fill(self, prompt: str, at: int) -> Program:
        old, program = self.pairs[at]
        pairs, compared = changes(old, prompt)
        filled, tried = substitute(program, pairs)
        self.operations += compared + tried
        return filled


class Composing(SlotFilling):
    """Slot filling that may read a prompt as two tasks and join the two programs.

    Every place between two words is tried as a joint. The prompt is split where the worse half is
    nearest to something known, if that is nearer by `margin` than the prompt as a whole.
    """

    def __init__(self, margin: float = 0.0) -> None:
        super().__init__()
        self.margin = number("margin", margin, 0, 1)

    def _answer(self, prompt: str) -> Program:
        words = frame(prompt)
        at, whole = self._nearest(words)
        splits = [(self._worse_half(words, cut), cut) for cut in range(1, len(words))]
        best, cut = max(splits, default=(0.0, 0))
        if best <= whole + self.margin:
            return self._fill(prompt, at)
        halves = _cut(prompt, cut)
        programs = [self._fill(half, self._nearest(frame(half))[0]) for half in halves]
        one, two = (renamed(program, seed=i) for i, program in enumerate(programs))
        self.operations += len(one) + len(two)
        return join_programs(one, two)

    def _worse_half(self, words: list[str], cut: int) -> float:
        return min(self._nearest(words[:cut])[1], self._nearest(words[cut:])[1])


class Lazy:
    """Any system, put off: training stores the pairs, and each prompt pays for learning them again.

    Its programs are the system's own, its training costs next to nothing: a reminder that experience E
    counts only what is spent before the test.

    Reference: g-index paper, section 3.1, on experience E.

    >>> lazy = Lazy(NearestNeighbour)
    >>> lazy.fit([("Pause", [{"id": "a", "type": "x"}])])
    >>> lazy.operations, lazy.generate("Pause"), lazy.operations > 1
    (1, [{'id': 'a', 'type': 'x'}], True)
    """

    def __init__(self, system: Callable[[], Any]) -> None:
        given: object = system
        if not callable(given):
            remedy = "pass the class, not an object of it: Lazy(NearestNeighbour)"
            raise BadInput("system", given, "[wrong-type] cannot be called", remedy)
        self.system, self.operations = system, 0
        self.pairs: list[tuple[str, Program]] = []

    def fit(self, pairs: Pairs) -> None:
        """Store the pairs, one operation each."""
        self.pairs = check_pairs(pairs)
        self.operations = len(self.pairs)

    def generate(self, prompt: str) -> Program | str:
        """Train the system, ask it, and count both."""
        worker = self.system()
        worker.fit(self.pairs)
        answer: Program | str = worker.generate(prompt)
        self.operations += worker.operations
        return answer


def _cut(prompt: str, words: int) -> tuple[str, str]:
    """The prompt before and after its first `words` tokens."""
    at = 0
    for token in tokens(prompt)[:words]:
        at = prompt.index(token, at) + len(token)
    return prompt[:at], prompt[at:]


_START, _END = "\u241f", "\u2403"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-\d.eE]+|true|false|null|[\[\]{},:]')
_Counts = dict[tuple[str, ...], dict[str, int]]


class NGram(Learner):
    """An n-gram model of programs, with back-off to contexts of half the length.

    `order` is n. With `neighbours`, the model is counted afresh for each prompt over that many nearest
    training pairs; without, once over them all, so that it remembers the prompt only as long as its
    context reaches. The temperature is 0.7 (g-index paper, section 4); `window` counts tokens.

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
