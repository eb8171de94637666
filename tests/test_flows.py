"""Flows: what is read, what is refused and in which words, what can be saved."""

import json
import time

import pytest
from refusals import cautioned, refused

from gindex_lab.foundation.errors import BadProgram
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.presentation.plots.programs import layers, plot_divergence, positions

NODE = {"id": "a", "type": "t"}
TWO = [{"id": "a", "type": "in", "wires": [["b"]]}, {"id": "b", "type": "out", "wires": []}]


def node(**changes):
    return {**NODE, **changes}


@pytest.mark.parametrize(
    "source",
    [
        TWO,
        tuple(TWO),
        json.dumps(TWO),
        json.dumps(TWO).encode(),
        {"flow": TWO},
        json.dumps({"flow": TWO, "name": "n", "text": "do it"}),
        {"flow": json.dumps(TWO)},
        [{**TWO[0], "wires": ["b"]}, {**TWO[1], "wires": None}],
        [{**TWO[0], "wires": [["b", "b"], ["b"]]}, TWO[1]],
        [{**TWO[0], "wires": [["b", "nowhere"], ["a"]]}, {"id": "b", "type": "out"}],
    ],
)
def test_every_form_of_the_same_program_reads_alike(source):
    flow = Flow(source)
    assert (flow.ids, flow.types, flow.wires) == (("a", "b"), ("in", "out"), ((0, 1),))


def test_wrapped_flow_keeps_name_and_prompt(tmp_path):
    path = tmp_path / "program.json"
    path.write_text(json.dumps({"flow": TWO, "text": "do it"}))
    flow = Flow.read(path)
    assert (flow.name, flow.prompt) == ("program", "do it")
    assert Flow(flow.to_json(tmp_path / "copy.json")).nodes == flow.nodes
    assert Flow.of(tmp_path / "copy.json").ids == flow.ids


def test_dangling_wires_and_loops_are_set_aside():
    flow = Flow([node(wires=[["a", "zzz"]])])
    assert flow.dangling == (("a", "zzz"),)
    assert flow.loops == ("a",)
    assert flow.wires == ()
    assert not flow.is_dag


def test_cycles_are_accepted_and_reported():
    cycle = [node(wires=[["b"]]), {"id": "b", "type": "t", "wires": [["a"]]}]
    assert not Flow(cycle).is_dag
    assert Flow(TWO).is_dag
    assert sorted(layers(Flow(cycle))) == [0, 1]


def test_config_nodes_count_and_types_can_be_dropped():
    flow = [NODE, {"id": "tab", "type": "tab"}]
    assert len(Flow(flow)) == 2
    assert Flow(flow, drop_types=["tab"]).ids == ("a",)


def test_lenient_reading_is_the_reference():
    with cautioned("duplicate"):
        flow = Flow([node(p=1), node(p=2)], strict=False)
    assert flow.attributes == ({"p": 2},)
    untyped = Flow([{"id": "a", "p": 1}], strict=False)
    assert float(divergence(untyped, untyped, mode="reference")) == 1


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


BAD = [
    ("", "nodes: not-json"),
    ("[", "nodes: not-json"),
    ('[{"id": "a", "type": "t"', "nodes: not-json"),
    ('[{"id": "a" "type": "t"}]', "nodes: not-json"),
    ("[{'id': 'a'}]", "nodes: not-json"),
    ('[{"id": "a", "type": "t", "p": NaN}]', "nodes: not-json"),
    ('[{"id": "a", "type": "t", "p": -Infinity}]', "nodes: not-json"),
    ("[" * 100_000, "nodes: too-deep"),
    ('[{"id": "a", "type": "t", "p": ' + "9" * 5000 + "}]", "nodes: not-json"),
    ("3", "nodes: not-a-list"),
    ("null", "nodes: not-a-list"),
    ('"text"', "nodes: not-a-list"),
    (7, "nodes: not-a-list"),
    ({"nodes": []}, "nodes: no-flow"),
    ({"flow": {"a": 1}}, "nodes: not-a-list"),
    ({"flow": "["}, "nodes: not-json"),
    ([3], "nodes[0]: not-a-node"),
    ([NODE, None], "nodes[1]: not-a-node"),
    ([[NODE]], "nodes[0]: not-a-node"),
    ([{"type": "t"}], "nodes[0]['id']: not-a-name"),
    ([node(id=3)], "nodes[0]['id']: not-a-name"),
    ([node(id="")], "nodes[0]['id']: not-a-name"),
    ([{"id": "a"}], "nodes[0]['type']: not-a-type"),
    ([node(type=None)], "nodes[0]['type']: not-a-type"),
    ([node(type=4)], "nodes[0]['type']: not-a-type"),
    ([node(type="")], "nodes[0]['type']: not-a-type"),
    ([NODE, NODE], "nodes[1]['id']: duplicate"),
    ([node(wires="b")], "wires of 'a': not-a-list"),
    ([node(wires=3)], "wires of 'a': not-a-list"),
    ([node(wires={"b": 1})], "wires of 'a': not-a-list"),
    ([node(wires=[[], "b"])], "wires of 'a': mixed-ports"),
    ([node(wires=[["b"], None])], "wires of 'a': mixed-ports"),
    ([node(wires=[[3]])], "wires of 'a': not-an-id"),
    ([node(wires=[[["b"]]])], "wires of 'a': not-an-id"),
    ([node(p=object())], "nodes[0]['p']: not-a-json-value"),
    ([node(p={1, 2})], "nodes[0]['p']: not-a-json-value"),
    ([{**NODE, 5: 1}], "nodes[0]: not-a-name"),
    ([node(p=deep(100))], "nodes[0]['p']: too-deep"),
    ([node(id=str(k)) for k in range(5001)], "nodes: too-many"),
]


@pytest.mark.parametrize(("source", "message"), BAD)
def test_bad_flows_say_what_is_wrong(source, message):
    with refused(message, BadProgram):
        Flow(source)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "path: not-found"),
        ("folder", "path: not-a-regular-file"),
        (b"\xff\xfe[]", "path: wrong-encoding"),
    ],
)
def test_bad_files_say_what_is_wrong(tmp_path, content, message):
    path = tmp_path / "flow.json"
    if content == "folder":
        path.mkdir()
    elif content:
        path.write_bytes(content)
    with refused(message, BadProgram):
        Flow.read(path)


# --- saving what can be saved -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (json.dumps(TWO), ["a", "b"]),
        (json.dumps(TWO)[:-12], ["a"]),
        (json.dumps(TWO)[1:], ["a", "b"]),
        (json.dumps({"flow": TWO, "name": "x"}), ["a", "b"]),
        (json.dumps({"flow": TWO, "name": "x"})[:-3], ["a", "b"]),
        ('Here is the program: [{"id": "a", "type": "t"}] as you asked', ["a"]),
        ('[{"id": "a", "type": "t", "r": [{"q": 1}]}, {"id": "b", "type": }]', ["a"]),
        ('[{"id": "a", "type": "t", "x": "open}, {"id": "b", "type": "t"}]', ["b"]),
        ('[{"id": "a"}, {"id": "b", "type": "t"}, {"id": "c", "type": "t", "wires": 3}]', ["b"]),
        ("no program at all", []),
        ("", []),
    ],
)
def test_salvage_keeps_the_complete_nodes(text, ids):
    assert list(Flow.salvage(text).ids) == ids


def test_salvaged_program_scores_between_nothing_and_all():
    flow = [{"id": str(k), "type": f"t{k}", "wires": [[str(k + 1)]]} for k in range(6)]
    cut = Flow.salvage(json.dumps(flow)[:-60])
    assert cut.lost
    assert 0 < float(divergence(flow, cut)) < 1


MEGABYTES = 5_000_000


@pytest.mark.parametrize(
    "text",
    [
        "{" * MEGABYTES,
        '{"' * (MEGABYTES // 2),
        '[{"a":' * (MEGABYTES // 6),
        '[{"id":"a","type":"t","p":"' + "x" * MEGABYTES,
        "[" + ",".join(f'{{"id":"{k}","type":"t"}}' for k in range(MEGABYTES // 28)) + "]",
        '[{"id":"a","type":"t",' + ",".join(f'"k{k}":{k}' for k in range(MEGABYTES // 16)) + "}]",
    ],
    ids=["braces", "quotes", "nested", "open string", "many nodes", "many attributes"],
)
def test_hostile_megabytes_end_quickly_and_in_bounded_memory(text):
    resource = pytest.importorskip("resource")  # in kilobytes, on Linux
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for read in (Flow, Flow.salvage):
        try:
            flow = read(text)
        except BadProgram:
            continue
        assert 0 <= float(divergence(flow, flow, seconds=1)) <= 1
    assert time.monotonic() - start < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 600_000


# --- pictures -----------------------------------------------------------------------------------------


def test_layout_puts_every_wire_left_to_right_and_no_two_nodes_together():
    flow = Flow(
        [
            {"id": "a", "type": "t", "wires": [["b", "c", "d"]]},
            {"id": "b", "type": "t", "wires": [["d"]]},
            {"id": "c", "type": "t"},
            {"id": "d", "type": "t"},
            {"id": "tab", "type": "tab"},
        ]
    )
    place = positions(flow)
    assert all(place[j, 0] > place[i, 0] for i, j in flow.wires)
    assert len({tuple(p) for p in place}) == len(flow)


def test_drawings_show_every_node_and_the_value():
    import matplotlib.pyplot as plt

    ax = Flow(TWO).plot()
    assert {text.get_text() for text in ax.texts} >= {"in", "out"}
    figure = plot_divergence(divergence(TWO, TWO[:1]))
    assert "Δ = 0.5000: 1 nodes matched" in figure.get_suptitle()
    labels = {text.get_text() for ax in figure.axes for text in ax.texts}
    assert {"1 · in", "out"} <= labels
    plt.close("all")


def test_networkx_graph_has_types_and_wires():
    graph = Flow(TWO).to_networkx()
    assert list(graph.edges) == [("a", "b")]
    assert graph.nodes["a"]["type"] == "in"


def test_a_wire_over_several_layers_passes_no_other_node():
    """Otherwise it would look as if it led there: change → gauge → mqtt out in the drone of Fig 3."""
    import matplotlib.pyplot as plt
    import numpy as np

    from gindex_lab.presentation.plots.programs import plot_flow, positions
    from gindex_lab.worlds.learning.examples import example

    flow = Flow(example("drone"))
    fig, ax = plt.subplots(figsize=(9, 2.6))
    plot_flow(flow, ax)
    fig.canvas.draw()
    nodes = ax.transData.transform(positions(flow))
    arrows = [child.arrow_patch for child in ax.texts if getattr(child, "arrow_patch", None)]
    assert len(arrows) == len(flow.wires)
    for (source, target), arrow in zip(flow.wires, arrows, strict=True):
        path = arrow._get_path_in_displaycoord()[0][0].interpolated(40).vertices
        others = np.delete(nodes, [source, target], axis=0)
        gap = np.linalg.norm(path[:, None] - others[None], axis=2).min() / fig.dpi
        assert gap > 0.1, (flow.types[source], flow.types[target])
    plt.close(fig)
