"""Intelligence systems that learn programs from examples: retrieval, slots, composition, n-grams, chance.

A system in the sense of section 2.1 of the g-index paper is anything with `fit(pairs)`, which sees the
curriculum as (prompt, program) pairs, and `generate(prompt)`, which answers with a program (or with JSON text
that may be broken). Each counts its elementary operations in `operations`, so that experience E is measured
the same way on every machine. None is told which domain a prompt is from.

`NGram` is the smallest relative of the language models of section 4: it learns which token follows which in
the text "prompt, then program", and samples at a temperature, in one attempt, until the program ends or the
context window does. Nothing makes it write valid JSON: its syntax errors are real (section 2.4.4).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import FloatArray, generator
from gindex_lab.worlds.learning.programs import Program, join_programs, ports_of, renamed
from gindex_lab.worlds.learning.retrieval import TextIndex, changes, frame, substitute, tokens

__all__ = ["Composing", "Lazy", "Learner", "NGram", "NearestNeighbour", "Pairs", "RandomNodes"]
__all__ += ["RandomProgram", "SlotFilling", "System", "check_pairs"]

Pairs = Sequence[tuple[str, Program]]


@runtime_checkable
class System(Protocol):
    """What an experiment needs. A system that does not count its `operations` needs its compute stated."""

    def fit(self, pairs: Pairs) -> object:
        """Learn from the curriculum."""

    def generate(self, prompt: str) -> Program | str:
        """Answer one prompt with a program, in one attempt."""


def check_pairs(pairs: object) -> list[tuple[str, Program]]:
    """The curriculum as a list of (prompt, program), or an error that names the faulty pair."""
    listed = pairs if isinstance(pairs, Sequence) and not isinstance(pairs, (str, bytes)) else None
    remedy = "pass [(prompt, program), ...]"
    ensure(listed is not None, "pairs", pairs, "[not-a-list] is not a list of pairs", remedy)
    ensure(listed, "pairs", pairs, "[empty] is empty", "pass at least one pair")
    found = []
    for at, pair in enumerate(listed or ()):
        name, is_pair = f"pairs[{at}]", isinstance(pair, (tuple, list)) and len(pair) == 2
        remedy = "pass (prompt, program); of a PromptSample take .pair"
        ensure(is_pair, name, pair, "[not-a-pair] is not a (prompt, program) pair", remedy)
        prompt, program = pair
        said = isinstance(prompt, str) and prompt.strip()
        ensure(said, name, prompt, "[no-prompt] has no prompt", "give it a text")
        nodes = isinstance(program, list) and all(isinstance(node, dict) for node in program)
        ensure(nodes, name, program, "[no-program] has no program", "give it a list of nodes")
        whole = all("id" in node and "type" in node for node in program)
        ensure(whole, name, program, "[missing-field] has a node without id or type", "name both")
        found.append((prompt, program))
    return found


class Learner:
    """What our systems share: the pairs they saw, an index of texts, and the operations they spent."""

    def __init__(self) -> None:
        self.operations = 0
        self.pairs: list[tuple[str, Program]] = []

    def fit(self, pairs: Pairs) -> None:
        """Learn from the curriculum, forgetting any earlier one."""
        self.pairs = check_pairs(pairs)
        # each word of a prompt and each attribute of a program is read once
        self.operations = sum(len(prompt.split()) + sum(map(len, program)) for prompt, program in self.pairs)
        self._learn()

    def generate(self, prompt: str) -> Program | str:
        """Answer one prompt with a program."""
        problem = "[not-trained] cannot be answered before training"
        ensure(self.pairs, "prompt", prompt, problem, "call fit(pairs) first")
        said = isinstance(prompt, str) and prompt.strip()
        ensure(said, "prompt", prompt, "[empty] is empty", "pass some text")
        return self._answer(prompt)

    def _learn(self) -> None:
        """What a system does beyond reading the pairs: by default nothing."""

    def _answer(self, prompt: str) -> Program | str:
        raise NotImplementedError

    def _remember(self, texts: Sequence[Sequence[str]]) -> None:
        self._index = TextIndex(texts)
        self.operations += sum(map(len, texts))

    def _likeness(self, texts: Sequence[Sequence[str]]) -> FloatArray:
        """The cosine of these texts with all that are remembered, one row each."""
        scores, visited = self._index.scores(texts)
        self.operations += visited
        return scores

    def _nearest(self, text: Sequence[str]) -> int:
        return int(self._likeness([text])[0].argmax())


class RandomProgram(Learner):
    """A training program drawn at random, whatever is asked: a baseline for section 4 of the g-index paper.

    >>> system = RandomProgram(seed=1)
    >>> system.fit([("Pause", [{"id": "a", "type": "x"}])])
    >>> system.generate("Play")
    [{'id': 'a', 'type': 'x'}]
    """

    def __init__(self, *, seed: SeedLike = 1) -> None:
        super().__init__()
        self._rng = generator(seed)

    def _drawn(self, values: Sequence[Any]) -> Any:
        return values[int(self._rng.integers(len(values)))]

    def _answer(self, prompt: str) -> Program:
        self.operations += 1
        return deepcopy(self._drawn(self.pairs)[1])


class RandomNodes(RandomProgram):
    """Nodes drawn at random from all training programs, each wired to a later one at random (a baseline for
    section 4 of the g-index paper)."""

    def _answer(self, prompt: str) -> Program:
        size = len(self._drawn(self.pairs)[1])
        program = []
        for at in range(size):
            node = deepcopy(self._drawn(self._drawn(self.pairs)[1]))
            later = int(self._rng.integers(at + 1, size + 1))
            program.append(node | {"id": f"n{at}", "wires": [[f"n{later}"]] if later < size else []})
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
        self._remember([tokens(prompt.lower()) for prompt, _ in self.pairs])

    def _answer(self, prompt: str) -> Program:
        return deepcopy(self.pairs[self._nearest(tokens(prompt.lower()))][1])


class SlotFilling(Learner):
    """Retrieve by how the task is put, then copy what the prompt changed into the program.

    Phrases, numbers and names are masked when prompts are compared, so that the neighbour is one that is
    put alike; where the two prompts differ, the neighbour's words are replaced in its program.

    >>> system = SlotFilling()
    >>> system.fit([("Play 'tea for two'", [{"id": "a", "type": "x", "song": "tea for two"}])])
    >>> system.generate("Play 'summertime'")
    [{'id': 'a', 'type': 'x', 'song': 'summertime'}]
    """

    def _learn(self) -> None:
        frames = [tuple(frame(prompt)) for prompt, _ in self.pairs]
        self.operations += sum(map(len, frames))
        first: dict[tuple[str, ...], int] = {}
        for at, words in enumerate(frames):
            first.setdefault(words, at)
        self._first = list(first.values())  # the first pair of each frame
        self._remember(list(first))

    def _answer(self, prompt: str) -> Program:
        return self._fill(prompt, self._nearest(frame(prompt)))

    def _fill(self, prompt: str, nearest: int) -> Program:
        old, program = self.pairs[self._first[nearest]]
        pairs, compared = changes(old, prompt)
        filled, tried = substitute(program, pairs)
        self.operations += compared + tried
        return filled


class Composing(SlotFilling):
    """Slot filling that may read a prompt as two tasks and join the two programs (level 2 of section 3.3 of
    the g-index paper).

    Every place between two words is tried as a joint. The prompt is split where the worse half is
    nearest to something known, if that is nearer by `margin` than the prompt as a whole.
    """

    def __init__(self, margin: float = 0.0) -> None:
        super().__init__()
        self.margin = margin

    def _answer(self, prompt: str) -> Program:
        words = frame(prompt)
        halves = [half for cut in range(1, len(words)) for half in (words[:cut], words[cut:])]
        scores = self._likeness([words, *halves])
        whole, worse = scores[0].max(), scores[1:].max(axis=1).reshape(-1, 2).min(axis=1)
        if not len(worse) or worse.max() <= whole + self.margin:
            return self._fill(prompt, int(scores[0].argmax()))
        cut = int(np.flatnonzero(worse == worse.max())[-1]) + 1
        parts = [self._fill(half, self._nearest(frame(half))) for half in _cut(prompt, cut)]
        one, two = (renamed(program, seed=i) for i, program in enumerate(parts))
        self.operations += len(one) + len(two)
        return join_programs(one, two)


class Lazy:
    """Any system, made lazy: training stores the pairs, and each prompt pays for learning them again.

    Its programs are the system's own, and its training costs next to nothing: a reminder that experience E
    counts only what is spent before the test.

    Reference: g-index paper, section 3.1, on experience E.

    >>> lazy = Lazy(NearestNeighbour)
    >>> lazy.fit([("Pause", [{"id": "a", "type": "x"}])])
    >>> lazy.operations, lazy.generate("Pause"), lazy.operations > 1
    (1, [{'id': 'a', 'type': 'x'}], True)
    """

    def __init__(self, system: Callable[[], Any]) -> None:
        remedy = "pass the class, not an object of it: Lazy(NearestNeighbour)"
        ensure(callable(system), "system", system, "[wrong-type] cannot be called", remedy)
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
        self.order, self.neighbours, self.temperature, self.window = order, neighbours, temperature, window
        self._lengths = [order - 1]  # of contexts: backing off halves what is remembered
        while self._lengths[-1] > 0:
            self._lengths.append(self._lengths[-1] // 2)
        self._rng = generator(seed)

    def _learn(self) -> None:
        self._texts = [
            [*frame(prompt), _START, *program_tokens(program), _END] for prompt, program in self.pairs
        ]
        if self.neighbours is None:
            self._counts = self._count(range(len(self.pairs)))
        else:
            self._remember([frame(prompt) for prompt, _ in self.pairs])

    def _count(self, chosen: Iterable[int]) -> _Counts:
        """How often each token followed each context of the lengths counted."""
        counts: _Counts = {}
        for text in (self._texts[at] for at in chosen):
            start = text.index(_START) + 1
            for place in range(start, len(text)):
                token = text[place]
                for length in self._lengths:
                    context = tuple(text[max(0, place - length) : place])
                    follow = counts.setdefault(context, {})
                    follow[token] = follow.get(token, 0) + 1
            self.operations += len(self._lengths) * (len(text) - start)
        return counts

    def _answer(self, prompt: str) -> str:
        words = frame(prompt)
        if self.neighbours is not None:
            nearest = np.argsort(-self._likeness([words])[0], kind="stable")[: self.neighbours]
            self._counts = self._count(nearest)
        text = [*words, _START]
        start = len(text)
        while len(text) - start < self.window:
            token = self._next(text)
            if token == _END:
                break
            text.append(token)
        return "".join(text[start:])

    def _next(self, text: list[str]) -> str:
        """Sampled from the longest context seen in training: p(token) ∝ count^(1/temperature)."""
        for length in self._lengths:
            self.operations += 1
            found = self._counts.get(tuple(text[max(0, len(text) - length) :] if length else ()))
            if found:
                break
        assert found, "the empty context is always seen"
        logs = np.log(np.fromiter(found.values(), float)) / self.temperature
        weights = np.cumsum(np.exp(logs - logs.max()))
        self.operations += len(found)
        drawn = int(np.searchsorted(weights, self._rng.random() * weights[-1], side="right"))
        return list(found)[min(drawn, len(found) - 1)]


def program_tokens(program: Program) -> list[str]:
    """The program's JSON as tokens, with ids n0, n1, ... and without the places on the canvas."""
    short = {node["id"]: f"n{at}" for at, node in enumerate(program)}
    slim = []
    for node in program:
        kept = {key: value for key, value in node.items() if key not in ("x", "y", "z", "id", "wires")}
        wires = [[short.get(to, to) for to in port] for port in ports_of(node)]
        slim.append({"id": short[node["id"]], **kept, **({"wires": wires} if wires else {})})
    return _TOKEN.findall(json.dumps(slim))
