"""Programs with one error each, for tests of the scoring function.

Section 2.4.4 of the g-index paper tells syntax, function and dataflow errors apart, and says that Δ
sees all three. `mutate` makes function errors (an attribute, a node) and dataflow errors (a wire).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import choice, generator
from gindex_lab.worlds.learning.corpus import Program, plain_copy, ports_of

__all__ = ["MUTATIONS", "mutate"]

MUTATIONS = ("attribute", "missing node", "missing wire", "reversed wire")
_FIXED = frozenset({"id", "type", "x", "y", "z", "wires", "name", "label", "group", "tab"})
_LINKLESS = "[no-wire] has no wire to change"


def mutate(program: Program, kind: str, *, seed: SeedLike) -> Program:
    """A copy with one error of section 2.4.4: function errors or dataflow errors.

    `attribute` changes one attribute value, `missing node` drops a node (not the tab) and the wires to
    it, `missing wire` drops one wire, `reversed wire` turns one round.

    >>> from gindex_lab.worlds.learning.corpus import corpus
    >>> program = corpus(1, ["http"], seed=1)[0].program
    >>> len(mutate(program, "missing node", seed=1))
    3
    """
    if not program:
        raise BadInput(
            "program", program, "[no-node] has no node to change", "pass a program with nodes"
        )
    rng = generator(seed)
    change = {
        "attribute": _change_attribute,
        "missing node": _drop_node,
        "missing wire": _drop_wire,
        "reversed wire": _reverse_wire,
    }
    copy = [node | {"wires": ports_of(node)} for node in plain_copy(program)]
    return change[choice("kind", kind, MUTATIONS)](copy, rng)


def _change_attribute(program: Program, rng: np.random.Generator) -> Program:
    places = [(node, key) for node in program for key in node if key not in _FIXED]
    if not places:
        raise BadInput(
            "program", program, "[no-attribute] has no attribute to change", "use another kind"
        )
    node, key = places[int(rng.integers(len(places)))]
    node[key] = not node[key] if isinstance(node[key], bool) else f"changed {node[key]}"
    return program


def _drop_node(program: Program, rng: np.random.Generator) -> Program:
    nodes = [node["id"] for node in program if node["type"] != "tab"] or [program[0]["id"]]
    gone = nodes[int(rng.integers(len(nodes)))]
    kept = [node for node in program if node["id"] != gone]
    for node in kept:
        node["wires"] = [[to for to in port if to != gone] for port in node["wires"]]
    return kept


def _one_wire(program: Program, rng: np.random.Generator) -> tuple[dict[str, Any], int, str]:
    wires = [
        (node, port, to)
        for node in program
        for port, targets in enumerate(node["wires"])
        for to in targets
    ]
    if not wires:
        raise BadInput("program", program, _LINKLESS, "use the kind 'attribute' or 'missing node'")
    return wires[int(rng.integers(len(wires)))]


def _drop_wire(program: Program, rng: np.random.Generator) -> Program:
    node, port, to = _one_wire(program, rng)
    node["wires"][port].remove(to)
    return program


def _reverse_wire(program: Program, rng: np.random.Generator) -> Program:
    node, port, to = _one_wire(program, rng)
    node["wires"][port].remove(to)
    target = next((other for other in program if other["id"] == to), node)
    target["wires"] = [*target["wires"], [node["id"]]]
    return program
