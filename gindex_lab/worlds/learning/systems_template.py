"""A learner that induces templates: what is constant in a task's programs, and where the rest comes from.

Programs with the same node types and wires are examples of one template. Their equal attribute values
are the template; each value that varies is a slot, and the learner looks for its origin in the prompt:
copied from a place that a pattern describes, or put together from parts that go with certain words
("Tuesday" with the cron field 2). This is programming by example in its plainest form.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from gindex_lab.worlds.learning.programs import Program, ports_of
from gindex_lab.worlds.learning.retrieval import frame, tokens
from gindex_lab.worlds.learning.systems import Learner

__all__ = ["TemplateInduction"]

_SKIPPED = frozenset({"id", "type", "x", "y", "z", "wires"})
_LONGEST = 5  # tokens of a run of words: a judgement
_Path = tuple[Any, ...]
_Parts = dict[tuple[Any, ...], Counter[str]]


@dataclass
class _Slot:
    """A value that varies: its places in the program, and what it was in each example."""

    paths: list[_Path]
    values: list[Any]
    parts: _Parts = field(default_factory=dict)


@dataclass
class _Template:
    """The examples of one shape of program, their slots, and the patterns of their prompts."""

    prompts: list[str]
    programs: list[Program]
    slots: list[_Slot] = field(default_factory=list)
    patterns: list[tuple[re.Pattern[str], list[int]]] = field(default_factory=list)


class TemplateInduction(Learner):
    """Induce a template for each shape of program, then fill its slots from the prompt.

    >>> def song(name):
    ...     return f"Play {name} now", [{"id": "a", "type": "play", "song": name, "loud": True}]
    >>> system = TemplateInduction()
    >>> system.fit([song("Tea for two"), song("Summertime"), song("Misty")])
    >>> system.generate("Play Take five now")
    [{'id': 'a', 'type': 'play', 'song': 'Take five', 'loud': True}]
    """

    def _learn(self) -> None:
        groups: dict[str, _Template] = {}
        frames: dict[tuple[str, ...], str] = {}
        for prompt, program in self.pairs:
            shape = _shape(program)
            group = groups.setdefault(shape, _Template([], []))
            group.prompts.append(prompt)
            group.programs.append(program)
            frames.setdefault(tuple(frame(prompt)), shape)
            self.operations += len(program)
        self._frames = [groups[shape] for shape in frames.values()]
        self._remember(list(frames))
        for group in groups.values():
            self._induce(group)

    def _induce(self, group: _Template) -> None:
        group.slots = _varying(group.programs)
        marked = [_mark(prompt, group.slots, at) for at, prompt in enumerate(group.prompts)]
        group.patterns = _patterns(marked)
        copied = {slot for _, order in group.patterns for slot in order}
        for number, slot in enumerate(group.slots):
            if number not in copied and all(isinstance(value, str) for value in slot.values):
                slot.parts = _associate(group.prompts, slot.values)
        leaves = sum(1 for program in group.programs for _ in _leaves(program))
        read = sum(len(slot.parts) for slot in group.slots)
        self.operations += leaves + read + sum(map(len, group.prompts)) * len(group.slots)

    def _answer(self, prompt: str) -> Program:
        group = self._frames[self._nearest(frame(prompt))]
        self.operations += len(prompt) * len(group.patterns) + len(group.slots)
        found = _captured(prompt, group)
        program = deepcopy(group.programs[0])
        for number, slot in enumerate(group.slots):
            value = _typed(found[number], slot.values) if number in found else self._guess(prompt, slot)
            for *way, last in slot.paths:
                target: Any = program
                for step in way:
                    target = target[step]
                target[last] = deepcopy(value)
        return program

    def _guess(self, prompt: str, slot: _Slot) -> Any:
        """Part by part from the words that go with it; without such words the commonest value."""
        if not slot.parts:
            return json.loads(Counter(map(json.dumps, slot.values)).most_common(1)[0][0])
        grams = list(_grams(prompt))
        self.operations += len(grams)
        parts = []
        for at in range(1 + slot.values[0].count(" ")):
            shape = _predicted((at,), grams, slot)
            words = (_predicted((at, shape, k), grams, slot) for k in range(shape.count("#")))
            parts.append(shape.replace("#", "{}").format(*words))
        return " ".join(parts)


def _shape(program: Program) -> str:
    """Node types and wires by position: programs of one shape can share a template."""
    at = {node["id"]: i for i, node in enumerate(program)}
    wires = [[[at.get(to, -1) for to in port] for port in ports_of(node)] for node in program]
    return json.dumps([[node["type"] for node in program], wires])


def _leaves(value: Any, path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    """Every plain value of a program with the way to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if len(path) != 1 or key not in _SKIPPED:
                yield from _leaves(inner, (*path, key))
    elif isinstance(value, list) and value:
        for at, inner in enumerate(value):
            yield from _leaves(inner, (*path, at))
    else:
        yield path, value


def _varying(programs: list[Program]) -> list[_Slot]:
    """The values that are not the same in all programs; values that vary together share a slot."""
    flat = [dict(_leaves(program)) for program in programs]
    uneven = {path[:2] for leaves in flat for path in leaves.keys() ^ flat[0].keys()}
    columns: dict[_Path, list[Any]] = {
        path: [leaves[path] for leaves in flat] for path in flat[0] if path[:2] not in uneven
    }
    for node, key in sorted(uneven):
        columns[node, key] = [program[node].get(key) for program in programs]
    slots: dict[str, _Slot] = {}
    for path, values in columns.items():
        if any(value != values[0] for value in values):
            slots.setdefault(json.dumps(values), _Slot([], values)).paths.append(path)
    return list(slots.values())


def _mark(prompt: str, slots: Sequence[_Slot], at: int) -> list[str | int]:
    """The prompt as text and slot numbers: each slot where its value was copied from."""
    pieces: list[str | int] = [prompt]
    texts = [(str(slot.values[at]), number) for number, slot in enumerate(slots)]
    for text, number in sorted(texts, key=lambda pair: -len(pair[0])):
        value = re.compile(rf"(?<![\w-]){re.escape(text)}(?!\w)" if text.strip() else "(?!)", re.IGNORECASE)
        for i, piece in enumerate(pieces):
            found = value.search(piece) if isinstance(piece, str) else None
            if found:
                pieces[i : i + 1] = [found.string[: found.start()], number, found.string[found.end() :]]
                break
    return pieces


def _patterns(marked: Sequence[Sequence[str | int]]) -> list[tuple[re.Pattern[str], list[int]]]:
    """Regular expressions with a group for each slot, the best supported first.

    Text that occurs in one example only is not part of the pattern: its first letter is kept, to close
    the slot before it, and anything may follow.
    """
    seen = Counter(piece for pieces in marked for piece in pieces if isinstance(piece, str))
    support: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for pieces in marked:
        order = tuple(piece for piece in pieces if isinstance(piece, int))
        texts = ("(.+?)" if isinstance(piece, int) else _literal(piece, seen[piece] > 1) for piece in pieces)
        support["".join(texts), order] += 1
    ranked = sorted(support, key=lambda key: (-support[key], -len(key[0]), key))
    return [(re.compile(text, re.IGNORECASE), list(order)) for text, order in ranked if order]


def _literal(text: str, shared: bool) -> str:
    return re.escape(text) if shared or not text else re.escape(text[0]) + ".*"


def _captured(prompt: str, group: _Template) -> dict[int, str]:
    """What the first pattern that fits the whole prompt puts into each slot."""
    for pattern, order in group.patterns:
        match = pattern.fullmatch(prompt)
        if match:
            return dict(zip(order, match.groups(), strict=True))
    return {}


def _typed(text: str, values: Sequence[Any]) -> Any:
    """The captured text as the slot's examples are: a number, lower case, or unchanged."""
    if all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        return int(text) if re.fullmatch(r"-?\d+", text) else values[0]
    return text.lower() if all(isinstance(v, str) and v == v.lower() for v in values) else text


def _grams(prompt: str) -> Iterator[str]:
    """Every run of up to five tokens, and the numberless prompt's start and end as tokens."""
    words = ["^", *(token.lower() for token in tokens(prompt)), "$"]
    for length in range(1, _LONGEST + 1):
        for at in range(len(words) - length + 1):
            yield " ".join(words[at : at + length])


def _associate(prompts: Sequence[str], values: Sequence[str]) -> _Parts:
    """How often each word run went with each shape and each word of every space-separated part.

    The shape of "*/24" is "*/#", its only word "24"; which words go with 24 is learnt per shape.
    """
    counts: defaultdict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    if len({value.count(" ") for value in values}) > 1:
        return {}
    for prompt, value in zip(prompts, values, strict=True):
        outcomes = [pair for at, part in enumerate(value.split(" ")) for pair in _outcomes(at, part)]
        for gram in set(_grams(prompt)):
            for place, outcome in outcomes:
                counts[(*place, gram)][outcome] += 1
    return dict(counts)


def _outcomes(at: int, part: str) -> list[tuple[tuple[Any, ...], str]]:
    shape = re.sub(r"\w+", "#", part)
    words = [((at, shape, k), word) for k, word in enumerate(re.findall(r"\w+", part))]
    return [((at,), shape), *words]


def _predicted(place: tuple[Any, ...], grams: Sequence[str], slot: _Slot) -> str:
    """What the best word run predicts: the purest, then the best supported."""
    best, value = (-1.0, 0), ""
    for gram in grams:
        counts = slot.parts.get((*place, gram))
        if counts:
            (outcome, hits), total = counts.most_common(1)[0], counts.total()
            rank = ((hits + 0.5) / (total + 1.5), total)
            if rank > best:
                best, value = rank, outcome
    return value
