"""Two small programs to edit, and what comes of it: Δ, the association graph, and its heaviest clique.

Programs are written in three kinds of line, so that nobody has to type JSON:

    tick: inject, repeat=60        a node: its name, its type, its attributes
    out: debug
    tick -> out                    wires, as long a chain as you like
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.measures.programs.divergence import Divergence, divergence
from gindex_lab.measures.programs.equations import association_graph
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.presentation.plots.common import styled
from gindex_lab.presentation.plots.programs import plot_association, plot_divergence
from gindex_lab.presentation.widgets.live import Demo, View, blank_figure, input_field

__all__ = ["EXAMPLES", "programs_demo", "programs_view", "written_flow"]

EXAMPLES = (
    "tick: inject, repeat=60, payload=now\nask: http request, url=weather, method=GET\n"
    "out: debug, active=true, console=false\nkeep: file, append=true\ntick -> ask -> out\nask -> keep",
    "tick: inject, repeat=10, payload=now\nask: http request, url=weather, method=GET\n"
    "see: debug, active=true, console=true\nerr: debug, active=true, console=false\n"
    "tick -> ask -> see\nask -> err",
)
_EQUATIONS = (
    r"\Delta(G_1, G_2) = 1 - \frac{\left(\sum_{v} w(v, \varphi(v))\right)^2}{|V_1|\,|V_2|}",
    r"w = \frac{\text{equal attributes}}{\text{all attributes}}",
)
_NODE = re.compile(r"([\w.-]+)\s*:\s*(.+)")
_NODE_HELP = "write `name: type, attribute=value`, or `name -> name`"


def written_flow(text: str) -> Flow:
    """A flow from lines such as `tick: inject, repeat=60` and `tick -> out`; empty lines are skipped.

    >>> flow = written_flow("a: inject, repeat=60\\nb: debug\\na -> b")
    >>> flow, flow.attributes[0]
    (Flow(2 nodes, 1 wire, 2 types), {'repeat': 60})
    """
    if not isinstance(text, str):
        raise BadProgram("program", text, "[not-text] is not a text", _NODE_HELP)
    nodes: dict[str, dict[str, Any]] = {}
    chains: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if "->" in line:
            chains.append((number, [name.strip() for name in line.split("->")]))
        elif line.strip():
            node = _node(number, line.strip())
            if node["id"] in nodes:
                remedy = "give each node a name of its own"
                raise BadProgram(f"line {number}", line, "[duplicate] names a node twice", remedy)
            nodes[node["id"]] = node
    for number, names in chains:
        _wire(number, names, nodes)
    if not nodes:
        raise BadProgram("program", text, "[no-node] has no node", _NODE_HELP)
    return Flow(list(nodes.values()))


def _node(number: int, line: str) -> dict[str, Any]:
    found = _NODE.fullmatch(line)
    if found is None:
        raise BadProgram(f"line {number}", line, "[not-a-node] is neither a node nor a wire", _NODE_HELP)
    kind, *attributes = (part.strip() for part in found[2].split(","))
    node: dict[str, Any] = {"id": found[1], "type": kind, "wires": [[]]}
    for part in attributes:
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            problem = "[not-an-attribute] is not an attribute"
            raise BadProgram(f"line {number}", part, problem, "write attribute=value")
        if name.strip() in ("id", "type", "wires"):
            problem = "[reserved-word] is part of every node"
            raise BadProgram(f"line {number}", part, problem, "use another name")
        node[name.strip()] = _value(value.strip())
    return node


def _wire(number: int, names: list[str], nodes: dict[str, dict[str, Any]]) -> None:
    for name in names:
        if name not in nodes:
            remedy = f"write a line such as `{name or 'out'}: debug`"
            raise BadProgram(f"line {number}", name, "[not-a-node] is wired to, but is not defined", remedy)
    for source, target in pairwise(names):
        nodes[source]["wires"][0].append(target)


def _value(text: str) -> int | float | bool | str:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


@styled
def programs_view(first: str, second: str, mode: str = "exact") -> View:
    """Δ of two written programs, both drawn, with the association graph (Section 2.4, Appendix C, Eq 5).

    >>> view = programs_view("a: inject\\nb: debug\\na -> b", "x: inject\\ny: debug")
    >>> view.numbers["divergence Δ"], view.numbers["nodes matched"]
    (0.75, 1)
    """
    one, two = written_flow(first), written_flow(second)
    result = divergence(one, two, mode=mode)  # type: ignore[arg-type]
    graph = association_graph(one, two, mode)  # type: ignore[arg-type]
    weight = sum(graph.nodes[pair]["weight"] for pair in result.mapping.items())
    numbers = {
        "divergence Δ": float(result),
        "certificate": f"{result.lower:.3f} ≤ Δ ≤ {result.upper:.3f}",
        "similarity Σw": float(weight),
        "nodes": f"{len(one)} and {len(two)}",
        "nodes matched": len(result.mapping),
        "vertices of the graph": graph.number_of_nodes(),
        "edges of the graph": graph.number_of_edges(),
    }
    code = (
        f"a = gl.widgets.written_flow({_quoted(first)})\nb = gl.widgets.written_flow({_quoted(second)})\n"
        f"gl.divergence(a, b, mode={mode!r})"
    )
    return View(
        _figure(result, graph, mode), numbers, code, _reading(result), {"why": result.explain()},
        _shown(one, two, result),
    )  # fmt: skip


def _shown(one: Flow, two: Flow, result: Divergence) -> str:
    """Both programs and the clique in words."""
    drawn = [f"{len(flow)} nodes ({', '.join(map(str, flow.types))})" for flow in (one, two)]
    pairs = ", ".join(f"{a} with {b}" for a, b in result.mapping.items()) or "none"
    graph = "their association graph, the heaviest clique in bold"
    return f"Two programs, of {drawn[0]} and of {drawn[1]}, beside {graph}; pairs: {pairs}."


def _quoted(text: str) -> str:
    """A text as Python writes it: over several lines where that is safe."""
    plain = "\\" not in text and '"' not in text
    return f'"""\n{text}\n"""' if plain else repr(text)


def _figure(result: Divergence, graph: Any, mode: str) -> Any:
    figure = blank_figure(8.6, 4.4)
    left, right = figure.subfigures(1, 2, width_ratios=[1, 1.1])  # type: ignore[misc]
    left.subplots_adjust(left=0.02, right=0.98, bottom=0.02, top=0.84, hspace=0.12)
    plot_divergence(result, left)
    ax = right.subplots()
    right.subplots_adjust(left=0.0, right=1.0, bottom=0.02, top=0.9)
    if graph.number_of_nodes():
        plot_association(result.first, result.second, mode, ax)  # type: ignore[arg-type]
    else:
        ax.text(0.5, 0.5, "no two nodes of one type:\nan empty graph, Δ = 1", ha="center")
        ax.set_axis_off()
    return figure


def _reading(result: Divergence) -> str:
    if result.value == 0:
        return "The same program, up to names."
    if not result.mapping:
        return "Nothing corresponds to anything: the largest divergence there is."
    facts = result.explain()["what"].value_counts()
    told = [f"{count} × {what}" for what, count in facts.items() if what != "matched node"]
    return "What differs: " + ", ".join(told) + "."


def programs_demo() -> Demo:
    """The demo: two programs to edit, and the paper's or the authors' rule for wires.

    >>> round(programs_demo().view.numbers["divergence Δ"], 3)
    0.609
    """
    look = {"layout": {"width": "330px", "height": "130px"}}
    modes = {"options": ["exact", "reference"], "style": {"button_width": "90px"}, "layout": {}}
    controls = {
        "first": input_field("Textarea", "", value=EXAMPLES[0], tooltip="the first program", **look),
        "second": input_field("Textarea", "", value=EXAMPLES[1], tooltip="the second program", **look),
        "mode": input_field("ToggleButtons", "", **modes),
    }
    return Demo(programs_view, controls, name="programs", equations=_EQUATIONS)
