"""Programs as lists of nodes: their wires, fresh ids, two joined into one, and programs with one error each.

Section 2.4.4 of the g-index paper tells syntax, function and dataflow errors apart, and says that Δ sees all
three. `mutate` makes function errors (an attribute, a node) and dataflow errors (a wire).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Literal, get_args

import numpy as np

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import generator

__all__ = ["MUTATIONS", "Program", "fresh_ids", "join_programs", "mutate", "ports_of", "renamed"]

Program = list[dict[str, Any]]
Mutation = Literal["attribute", "missing node", "missing wire", "reversed wire"]
MUTATIONS: tuple[str, ...] = get_args(Mutation)
_FIXED = frozenset({"id", "type", "x", "y", "z", "wires", "name", "label", "group", "tab"})


def ports_of(node: Mapping[str, Any]) -> list[list[str]]:
    """The targets of each output port; a flat list of ids is one port, null or nothing is none."""
    wires = node.get("wires") or []
    flat = bool(wires) and all(isinstance(to, str) for to in wires)
    return [list(wires)] if flat else [list(port) for port in wires]


def _targets(node: Mapping[str, Any]) -> list[str]:
    return [to for port in ports_of(node) for to in port]


def fresh_ids(count: int, rng: np.random.Generator) -> list[str]:
    """Ids of 16 hexadecimal digits, as the editor makes them."""
    return [f"{n:016x}" for n in rng.integers(2**63, size=count).tolist()]


def renamed(program: Program, *, seed: SeedLike) -> Program:
    """The same program under fresh ids (wires and tab follow): Δ to the original is 0."""
    ids = dict(zip((node["id"] for node in program), fresh_ids(len(program), generator(seed)), strict=True))
    result = []
    for node in deepcopy(program):
        wires = [[ids.get(to, to) for to in port] for port in ports_of(node)]
        home = {"z": ids.get(node["z"], node["z"])} if "z" in node else {}
        result.append(node | home | {"id": ids[node["id"]], "wires": wires})
    return result


def join_programs(first: Program, second: Program) -> Program:
    """Two programs with different ids on one tab: the first's last end is wired to the second's starts."""
    one, two = deepcopy(first), deepcopy(second)
    tab = next((node for node in one if node["type"] == "tab"), None)
    if tab is not None:
        two = [node | {"z": tab["id"]} for node in two if node["type"] != "tab"]
    targets = {to for node in two for to in _targets(node)}
    starts = [node["id"] for node in two if node["id"] not in targets and _targets(node)]
    ends = [node for node in one if node["type"] not in ("tab", "catch") and not _targets(node)]
    if ends and starts:
        ends[-1]["wires"] = [starts]
    return one + two


def mutate(program: Program, kind: Mutation, *, seed: SeedLike = 1) -> Program:
    """A copy of a program with one error in it.

    Parameters
    ----------
    program : list of nodes
    kind : the error
        A function error, "attribute" (one value is changed) or "missing node" (a node, not the tab, is
        dropped with the wires to it); or a dataflow error, "missing wire" or "reversed wire".
    seed : whole number or Generator

    Returns
    -------
    list of nodes

    References
    ----------
    g-index paper, section 2.4.4.

    Examples
    --------
    >>> from gindex_lab.worlds.learning.corpus import corpus
    >>> program = corpus(1, ["http"], seed=1)[0].program
    >>> len(mutate(program, "missing node", seed=1))
    3
    """
    problem, remedy = "[no-node] has no node to change", "pass a program with nodes"
    ensure(program, "program", program, problem, remedy)
    rng = generator(seed)
    nodes = [node | {"wires": ports_of(node)} for node in deepcopy(program)]
    if kind == "attribute":
        places = [(node, key) for node in nodes for key in node if key not in _FIXED]
        problem = "[no-attribute] has no attribute to change"
        ensure(places, "program", program, problem, "use another kind")
        node, key = places[int(rng.integers(len(places)))]
        node[key] = not node[key] if isinstance(node[key], bool) else f"changed {node[key]}"
        return nodes
    if kind == "missing node":
        ids = [node["id"] for node in nodes if node["type"] != "tab"] or [nodes[0]["id"]]
        gone = ids[int(rng.integers(len(ids)))]
        for node in nodes:
            node["wires"] = [[to for to in port if to != gone] for port in node["wires"]]
        return [node for node in nodes if node["id"] != gone]
    wires = [(node, port, to) for node in nodes for port in node["wires"] for to in port]
    problem, remedy = "[no-wire] has no wire to change", "use the kind 'attribute' or 'missing node'"
    ensure(wires, "program", program, problem, remedy)
    node, port, to = wires[int(rng.integers(len(wires)))]
    port.remove(to)
    if kind == "reversed wire":
        target = next((other for other in nodes if other["id"] == to), node)
        target["wires"].append([node["id"]])
    return nodes
