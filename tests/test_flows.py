"""Flows: what is read, what is refused and in which words, what can be saved."""

import json
import time

import pytest

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
    with pytest.warns(UserWarning, match="the last node wins"):
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
    ("", "nodes='': is not JSON .Expecting value"),
    ("[", "is not JSON .Expecting value.*Flow.salvage"),
    ('[{"id": "a", "type": "t"', "is not JSON"),
    ('[{"id": "a" "type": "t"}]', "is not JSON .Expecting ',' delimiter"),
    ("[{'id': 'a'}]", "is not JSON .Expecting property name"),
    ('[{"id": "a", "type": "t", "p": NaN}]', "nodes='NaN': is not JSON"),
    ('[{"id": "a", "type": "t", "p": -Infinity}]', "nodes='-Infinity': is not JSON"),
    ("[" * 100_000, "is nested too deeply"),
    ('[{"id": "a", "type": "t", "p": ' + "9" * 5000 + "}]", "is not JSON .Exceeds the limit"),
    ("3", "nodes=3: is not an array of nodes"),
    ("null", "nodes=None: is not an array of nodes"),
    ('"text"', "nodes='text': is not an array"),
    (7, "nodes=7: is not an array of nodes"),
    ({"nodes": []}, "nodes=\\['nodes'\\]: is an object without a flow"),
    ({"flow": {"a": 1}}, "is not an array of nodes"),
    ({"flow": "["}, "is not JSON"),
    ([3], "nodes\\[0\\]=3: is not a node"),
    ([NODE, None], "nodes\\[1\\]=None: is not a node"),
    ([[NODE]], "nodes\\[0\\]=.*is not a node"),
    ([{"type": "t"}], "nodes\\[0\\]\\['id'\\]=None: is not a name"),
    ([node(id=3)], "nodes\\[0\\]\\['id'\\]=3: is not a name"),
    ([node(id="")], "nodes\\[0\\]\\['id'\\]='': is not a name"),
    ([{"id": "a"}], "nodes\\[0\\]\\['type'\\]=None: is not a type"),
    ([node(type=None)], "\\['type'\\]=None: is not a type"),
    ([node(type=4)], "\\['type'\\]=4: is not a type"),
    ([node(type="")], "\\['type'\\]='': is not a type"),
    ([NODE, NODE], "nodes\\[1\\]\\['id'\\]='a': is already used; rename it, or pass strict=False"),
    ([node(wires="b")], "wires of 'a'='b': is not a list"),
    ([node(wires=3)], "wires of 'a'=3: is not a list"),
    ([node(wires={"b": 1})], "wires of 'a'=.*is not a list"),
    ([node(wires=[[], "b"])], "wires of 'a'=.*mixes ids and lists of ids"),
    ([node(wires=[["b"], None])], "wires of 'a'=.*mixes ids and lists"),
    ([node(wires=[[3]])], "wires of 'a'=3: is not an id"),
    ([node(wires=[[["b"]]])], "wires of 'a'=\\['b'\\]: is not an id"),
    ([node(p=object())], "nodes\\[0\\]\\['p'\\]=<object.*is not a JSON value"),
    ([node(p={1, 2})], "\\['p'\\]=.*is not a JSON value"),
    ([{**NODE, 5: 1}], "nodes\\[0\\]=5: is not a name of an attribute"),
    ([node(p=deep(100))], "\\['p'\\]=.*is over 60 levels deep"),
    ([node(id=str(k)) for k in range(5001)], "nodes=5001: are more than 5000; split the flow"),
]


@pytest.mark.parametrize(("source", "message"), BAD)
def test_bad_flows_say_what_is_wrong(source, message):
    with pytest.raises(BadProgram, match=message):
        Flow(source)


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "does not exist"), ("folder", "is a folder"), (b"\xff\xfe[]", "is not UTF-8 text")],
)
def test_bad_files_say_what_is_wrong(tmp_path, content, message):
    path = tmp_path / "flow.json"
    if content == "folder":
        path.mkdir()
    elif content:
        path.write_bytes(content)
    with pytest.raises(BadProgram, match=message):
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
