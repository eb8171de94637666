"""Variations of a program that keep its shape: other arguments within their rules, another place and turn.

Flatland makes new data from old by varying programs a little (g-index paper, section 5). Here only what a
flow declares as variable changes: the constant arguments of the call, by the `@param` rules of the flow,
and the pose of the start. The constants within a flow are its shape, and stay.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.parallel import seeds
from gindex_lab.foundation.validate import flag, generator, integer
from gindex_lab.worlds.flatland.checks import rule_of
from gindex_lab.worlds.flatland.expressions import Expression, Symbol
from gindex_lab.worlds.flatland.programs import SIZE, Program

__all__ = ["augment", "variations"]

_SHIFT = 60.0  # the start moves by up to this in x and y


def augment(
    program: object, *, arguments: bool = True, pose: bool = True, seed: SeedLike
) -> Program:
    """A variation of a program: its arguments redrawn by their rules, its start shifted and turned.

    >>> from gindex_lab.worlds.flatland import shape
    >>> square = shape("square")
    >>> one = augment(square, seed=1)
    >>> one == augment(square, seed=1), one == square, len(one.trace()) == len(square.trace())
    (True, False, True)
    """
    if not isinstance(program, Program):
        remedy = "pass a Program, as of parse()"
        raise BadInput("program", type(program).__name__, "is not a program", remedy)
    flag("arguments", arguments), flag("pose", pose)
    rng = generator(seed)
    changes: dict[str, Any] = {}
    if arguments:
        changes["args"] = _arguments(program, rng)
    if pose:
        x, y = np.add(program.run.position, rng.uniform(0, _SHIFT, 2)) % SIZE
        changes["position"] = (float(x), float(y))
        changes["theta"] = float(rng.integers(360))
    return program.with_run(**changes)


def variations(program: Program, n: int, *, seed: SeedLike, **options: Any) -> list[Program]:
    """So many variations, each with a seed of its own: the first ones stay when more are asked for.

    >>> from gindex_lab.worlds.flatland import shape
    >>> three = variations(shape("star"), 3, seed=1)
    >>> three == variations(shape("star"), 5, seed=1)[:3]
    True
    """
    return [augment(program, seed=one, **options) for one in seeds(seed, integer("n", n, 0, 10**6))]


def _arguments(program: Program, rng: np.random.Generator) -> tuple[Expression, ...]:
    flow = program.flows[program.run.flow]
    return tuple(
        _draw(flow.randoms[name], rng) if name in flow.randoms and _constant(value) else value
        for name, value in zip(flow.params, program.run.args, strict=True)
    )


def _constant(value: Expression) -> bool:
    return not isinstance(value, (tuple, Symbol))


def _draw(rule: Expression, rng: np.random.Generator) -> Expression:
    """A value by a rule; whole numbers from [low, high)."""
    kind, values = rule_of(rule, "@param")
    if kind == "int":
        return int(rng.integers(int(values[0]), int(values[1])))
    if kind == "float":
        return float(rng.uniform(values[0], values[1]))
    if kind == "bool":
        return bool(rng.random() < values[0])
    return values[int(rng.integers(len(values)))]
