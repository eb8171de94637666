"""Δ against the authors' numbers, against brute force, against networkx, and against its own axioms."""

import json
import time
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from gindex_lab.measures.programs.comparison import Uncertified, compare, divergences
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.encode import Rules
from gindex_lab.measures.programs.explain import node_similarity
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.measures.programs.neighbours import nearest, nearest_many
from gindex_lab.measures.programs.tiles import pairwise

MODES = ("exact", "reference")
BOTH_WAYS = Rules(symmetric=False, both_ways=True)  # what the goldens call "both directions"


def random_flow(rng, nodes, types=3, density=0.3, acyclic=True, keys="pqr"):
    """A flow with few types and values, so that nodes resemble each other and wires matter."""
    names = [f"n{k}" for k in rng.permutation(nodes)]
    result = []
    for k, name in enumerate(names):
        wires = [names[m] for m in range(nodes) if m != k and rng.random() < density]
        wires = [t for t in wires if not acyclic or names.index(t) > k]
        values = {key: int(rng.integers(3)) for key in keys if rng.random() < 0.85}
        result.append({"id": name, "type": f"t{rng.integers(types)}", "wires": [wires], **values})
    return Flow(result)


def association(a, b, rules):
    """The association graph of the spec, written down plainly."""
    graph = nx.Graph()
    for i in range(len(a)):
        for j in range(len(b)):
            w, _ = node_similarity(a.attributes[i], b.attributes[j], rules)
            if a.types[i] == b.types[j] and w > 0:
                graph.add_node((i, j), weight=round(w * 360360))
    one, two = set(a.wires), set(b.wires)
    nodes = list(graph)
    for at, (i, j) in enumerate(nodes):
        for k, m in nodes[:at]:
            if i == k or j == m:
                continue
            forth = ((i, k) in one) == ((j, m) in two)
            back = ((k, i) in one) == ((m, j) in two)
            if (forth and back) if rules.both_ways else (forth or back):
                graph.add_edge((i, j), (k, m))
    return graph


def brute_force(graph):
    """The greatest weight over all cliques, by listing them."""
    best = 0

    def extend(weight, candidates):
        nonlocal best
        best = max(best, weight)
        for at, v in enumerate(candidates):
            extend(
                weight + graph.nodes[v]["weight"],
                [u for u in candidates[at + 1 :] if graph.has_edge(u, v)],
            )

    extend(0, list(graph))
    return best


def delta(weight, a, b):
    return 1 - (weight / 360360) ** 2 / (len(a) * len(b))


@pytest.mark.parametrize("mode", MODES)
def test_equals_brute_force_on_400_small_pairs(mode):
    rng = np.random.default_rng(1)
    rules = Rules.of(mode)
    for case in range(400):
        a, b = (
            random_flow(rng, int(rng.integers(1, 8)), int(rng.integers(1, 4)), acyclic=case % 4 > 0)
            for _ in range(2)
        )
        result = divergence(a, b, mode=mode)
        assert result.exact
        assert float(result) == pytest.approx(delta(brute_force(association(a, b, rules)), a, b), abs=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_equals_networkx_on_100_larger_pairs(mode):
    rng = np.random.default_rng(2)
    rules = Rules.of(mode)
    for _ in range(100):
        a, b = (random_flow(rng, int(rng.integers(8, 15)), int(rng.integers(3, 6))) for _ in "ab")
        _, weight = nx.max_weight_clique(association(a, b, rules))
        assert float(divergence(a, b, mode=mode)) == pytest.approx(delta(weight, a, b), abs=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_mapping_is_a_common_subgraph_that_attains_the_value(mode):
    rng = np.random.default_rng(3)
    rules = Rules.of(mode)
    for _ in range(60):
        a, b = random_flow(rng, 9), random_flow(rng, 8)
        result = divergence(a, b, mode=mode)
        graph = association(a, b, rules)
        pairs = [(a.ids.index(x), b.ids.index(y)) for x, y in result.mapping.items()]
        assert all(graph.has_edge(p, q) for k, p in enumerate(pairs) for q in pairs[:k])
        weight = sum(graph.nodes[pair]["weight"] for pair in pairs)
        assert result.value == pytest.approx(delta(weight, a, b), abs=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_batch_equals_one_by_one(mode):
    rng = np.random.default_rng(4)
    flows = [random_flow(rng, int(rng.integers(0, 10))) for _ in range(15)]
    values = pairwise(flows + flows[:2], mode=mode)
    single = [[float(divergence(a, b, mode=mode)) for b in flows] for a in flows]
    assert np.array_equal(values[:15, :15], single)
    assert np.array_equal(values[15:], values[:2])
    assert np.array_equal(compare(flows[:4], flows[4:], mode=mode).values, values[:4, 4:15])
    turned = compare(flows, flows[::-1], mode=mode).values
    assert np.array_equal(turned, values[:15, 14::-1])
    assert np.array_equal(divergences(flows[:5], flows[5:10], mode), values[:5, 5:10].diagonal())


def test_nearest_equals_the_first_least_of_the_row():
    rng = np.random.default_rng(5)
    flows = [random_flow(rng, int(rng.integers(1, 8)), 4) for _ in range(60)]
    values = pairwise(flows)
    for k in range(0, 60, 7):
        assert nearest(flows[k], flows) == (int(np.argmin(values[k])), float(values[k].min()))
    found = nearest_many(flows, flows, exclude=np.arange(60))
    np.fill_diagonal(values, 9)
    assert np.array_equal(found.index, values.argmin(axis=1))
    assert np.array_equal(found.value, values.min(axis=1))
    assert found.evaluated < found.weighed < found.pairs == 60 * 59


# --- axioms (Eq 1) ----------------------------------------------------------------------------------

scalars = st.sampled_from([None, True, False, 0, 1, 1.0, "1", "a", [1], {"k": True}])


@st.composite
def flows(draw, most=6):
    count = draw(st.integers(0, most))
    names = [f"n{k}" for k in range(count)]
    nodes = []
    for k, name in enumerate(names):
        later = names[k + 1 :]
        wires = draw(st.lists(st.sampled_from(later), unique=True)) if later else []
        values = draw(st.dictionaries(st.sampled_from("pqr"), scalars))
        kind = draw(st.sampled_from("ab"))
        nodes.append({"id": name, "type": kind, "wires": [wires], **values})
    return nodes


def renamed(nodes, order):
    """The same program: other ids, other order of nodes, and attributes that do not count changed."""
    new = {node["id"]: f"other-{k}" for k, node in enumerate(nodes)}
    copy = [
        {
            **node,
            "id": new[node["id"]],
            "x": k,
            "name": "moved",
            "wires": [[new[t] for t in port] for port in node["wires"]],
        }
        for k, node in enumerate(nodes)
    ]
    return [copy[k] for k in order]


@given(flows(), flows())
@settings(max_examples=150, deadline=None)
def test_bounded_and_symmetric(a, b):
    d = divergence(a, b)
    assert 0 <= d.lower == d.value == d.upper <= 1
    assert float(d) == float(divergence(b, a))


@given(st.data(), flows(), flows())
@settings(max_examples=100, deadline=None)
def test_renaming_and_permuting_change_nothing(data, a, b):
    copy = renamed(a, data.draw(st.permutations(range(len(a)))))
    assert float(divergence(copy, b)) == float(divergence(a, b))
    assert float(divergence(a, copy)) == (0.0 if a else 1.0)


@given(flows(), flows())
@settings(max_examples=100, deadline=None)
def test_one_means_nothing_in_common_and_zero_the_same_program(a, b):
    one, two = Flow(a), Flow(b)
    d = float(divergence(one, two))
    shared = any(
        one.types[i] == two.types[j] and node_similarity(one.attributes[i], two.attributes[j], Rules())[0] > 0
        for i in range(len(one))
        for j in range(len(two))
    )
    assert (d == 1) == (not shared)
    if d == 0:
        same = nx.is_isomorphic(
            one.to_networkx(),
            two.to_networkx(),
            node_match=lambda x, y: (
                x["type"] == y["type"] and not node_similarity(x["attributes"], y["attributes"], Rules())[1]
            ),
        )
        assert same


@given(st.data(), flows())
@settings(max_examples=100, deadline=None)
def test_removing_a_wire_never_lowers_the_exact_divergence_from_the_original(data, nodes):
    original = Flow(nodes)
    if not original.wires:
        return
    left = [dict(node) for node in nodes]
    for source, target in data.draw(st.permutations(original.wires)):
        ports = left[source]["wires"]
        left[source]["wires"] = [[t for t in port if t != original.ids[target]] for port in ports]
        assert float(divergence(original, left)) > 0 == float(divergence(original, original))


@given(flows(), st.lists(flows(), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_domain_distance_of_a_member_is_zero(task, others):
    if task:
        assert nearest(task, [*others, task])[1] == 0


# --- the authors' numbers -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def golden(goldens):
    return lambda name: json.loads((goldens / "gindex" / name).read_text())


@pytest.fixture(scope="module")
def programs(shared):
    return shared / "originals/g-index-benchmark/domains"


@pytest.mark.shared
def test_sixteen_programs_in_both_modes(golden, programs):
    expected = golden("divergence_16_programs.json")
    flows = [Flow.read(programs / name) for name in expected["files"]]
    for mode in MODES:
        assert np.abs(pairwise(flows, mode) - np.array(expected[mode])).max() < 1e-12


@pytest.mark.shared
def test_all_pairs_of_the_sample_differ_between_modes_as_the_spec_says(programs):
    flows = [Flow.read(path) for path in sorted(programs.glob("*/*.json"))]
    exact, reference = pairwise(flows), pairwise(flows, "reference")
    upper = np.triu_indices(32, 1)
    change = (exact - reference)[upper]
    assert (change > 1e-12).sum() == 24
    assert change.max() == pytest.approx(0.134, abs=5e-4)
    assert change.min() > -1e-12
    assert reference[upper].max() == pytest.approx(0.991667, abs=5e-7)
    blind = compare(flows, mode="reference")
    assert blind.decided["search"] == 0  # no pair of the sample needs more than the blind matching


def test_tiny_cases(golden):
    for case in golden("tiny_cases.json"):
        a, b = case["A"], case["B"]
        for mode, key in (("reference", "reference"), (BOTH_WAYS, "both_directions")):
            assert float(divergence(a, b, mode=mode)) == pytest.approx(case[f"{key}_AB"], abs=1e-12)
            assert float(divergence(b, a, mode=mode)) == pytest.approx(case[f"{key}_BA"], abs=1e-12)
        if "key" not in case["name"]:  # where the attributes agree, that is exact mode
            assert float(divergence(a, b)) == pytest.approx(case["both_directions_AB"], abs=1e-12)


def test_synthetic_cases(golden):
    for case in golden("synthetic_cases.json"):
        a, b = case["A"], case["B"]
        reference = float(divergence(a, b, mode="reference"))
        assert reference == pytest.approx(case["delta_reference"], abs=1e-12)
        assert float(divergence(a, b)) == pytest.approx(case["delta_both_directions"], abs=1e-12)


@pytest.mark.shared
def test_ids_in_attributes_can_be_resolved(programs):
    path = sorted((programs / "facebook").glob("*.json"))[0]
    content = json.loads(path.read_text())["flow"]
    text = json.dumps(content)
    for k, node in enumerate(content):
        text = text.replace(node["id"], f"renamed-{k}")
    assert float(divergence(content, text)) == pytest.approx(0.2856, abs=5e-5)
    assert float(divergence(content, text, mode=Rules(resolve_references=True))) == 0


# --- values, keys, ports ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "exact", "reference"),
    [
        ({"p": 1}, {"p": 1.0}, 0, 0),
        ({"p": 1}, {"p": True}, 1, 0),
        ({"p": 1}, {"p": "1"}, 1, 1),
        ({"p": None}, {}, 1, 0),
        ({}, {"p": None}, 1, 0),
        ({"p": 1}, {"p": 1, "q": 2, "r": 3}, 1 - 1 / 9, 0),
        ({"p": 1, "q": 2, "r": 3}, {"p": 1}, 1 - 1 / 9, 1 - 1 / 9),
        ({"p": [1, {"k": 1}]}, {"p": [1, {"k": True}]}, 1, 0),
        ({"p": {"a": 1, "b": 2}}, {"p": {"b": 2, "a": 1}}, 0, 0),
        ({"p": [1, 2]}, {"p": [2, 1]}, 1, 1),
        ({"name": "x", "label": 1}, {"name": "y", "label": 2}, 0, 0),
        ({"module": "x"}, {"module": "y"}, 1, 1),
    ],
)
def test_values_compare_as_the_mode_says(first, second, exact, reference):
    a, b = [{"id": "a", "type": "t", **first}], [{"id": "b", "type": "t", **second}]
    assert float(divergence(a, b)) == pytest.approx(exact, abs=1e-15)
    assert float(divergence(a, b, mode="reference")) == pytest.approx(reference, abs=1e-15)


def test_ports_count_only_on_request():
    def switch(*wires):
        return [
            {"id": "s", "type": "switch", "wires": wires},
            {"id": "a", "type": "yes"},
            {"id": "b", "type": "no"},
        ]

    one, swapped = switch(["a"], ["b"]), switch(["b"], ["a"])
    assert float(divergence(one, swapped)) == 0
    assert float(divergence(one, swapped, mode=Rules(ports=True))) > 0
    assert float(divergence(one, one, mode=Rules(ports=True))) == 0


def test_many_numbers_of_attributes_do_not_overflow():
    """The least common multiple of 1 ... 60 has 26 digits: sums must stay right all the same."""
    nodes = [{"id": f"n{k}", "type": f"t{k}", **{f"a{m}": m for m in range(k)}} for k in range(1, 61)]
    changed = [{**node, "a0": "other"} for node in nodes]
    expected = 1 - (sum((k - 1) / k for k in range(1, 61)) / 60) ** 2
    assert float(divergence(nodes, changed)) == pytest.approx(expected, abs=1e-12)
    assert float(divergence(nodes, nodes)) == 0


# --- budgets ------------------------------------------------------------------------------------------


def hard_pair(nodes=60, seed=6):
    rng = np.random.default_rng(seed)
    return random_flow(rng, nodes, 1, 0.1), random_flow(rng, nodes, 1, 0.1)


def test_interrupted_search_gives_an_interval_that_holds_the_truth():
    a, b = hard_pair(32)
    small, more, whole = (divergence(a, b, effort=effort) for effort in (1, 10**8, 10**9))
    assert (whole.exact, whole.decided) == (True, "search")
    assert (small.exact, small.decided) == (False, "effort")
    assert small.lower < whole.value < small.upper == small.value
    assert small.lower <= more.lower <= whole.value <= more.upper <= small.upper


def test_no_time_at_all_still_gives_a_true_interval():
    a, b = hard_pair(40)
    result = divergence(a, b, seconds=0)
    assert not result.exact
    assert result.lower < divergence(a, b, effort=100_000_000).upper <= result.upper


def test_seconds_are_kept():
    a, b = hard_pair()
    divergence(a, b, effort=1)  # compiled before the clock starts
    start = time.monotonic()
    result = divergence(a, b, seconds=0.3)
    assert time.monotonic() - start < 5  # generous: other work may share the machine
    assert not result.exact
    assert result.decided == "time"
    assert result.lower < result.upper


def chain(nodes, wired=True):
    return [
        {"id": f"{k}", "type": "t", "wires": [[f"{k + 1}"]] if wired and k + 1 < nodes else []}
        for k in range(nodes)
    ]


@pytest.mark.parametrize(("nodes", "seconds"), [(100, None), (500, 5)])
def test_flows_too_large_for_a_search_are_told_from_budgets_that_ended(nodes, seconds):
    """Every second node of a chain goes with unwired nodes: Δ = 1 - (n/2)² / n²."""
    result = divergence(chain(nodes), chain(nodes, wired=False), seconds=seconds)
    assert result.lower < 0.75 == result.upper == result.value
    assert result.decided == "size"
    assert len(result.mapping) == nodes / 2
    assert divergence(*hard_pair(), effort=1).decided == "effort"


def test_time_is_used_where_it_can_help():
    blind = divergence(chain(92), chain(92, wired=False))
    timed = divergence(chain(92), chain(92, wired=False), seconds=4)
    assert blind.decided == "size"
    assert timed.decided in ("search", "time")  # as fast as the machine is
    assert blind.lower <= timed.lower <= 0.75 == timed.upper


def test_a_divergence_counts_compares_and_prints_as_its_value():
    d = divergence(chain(4), chain(4, wired=False))
    assert 0.7 < d < 0.8
    assert d <= 0.75 <= d
    assert d == 0.75
    assert hash(d) == hash(0.75)
    assert d != "0.75"
    assert round(d, 1) == 0.8
    assert (f"{d:.3f}", f"{d}") == ("0.750", "Divergence(0.75, 2 nodes matched)")
    assert float(np.mean([d, 0.25])) == 0.5
    assert sorted([d, divergence(chain(2), chain(2))])[0] == 0
    with pytest.raises(TypeError):
        d < "1"  # noqa: B015
    still = divergence(*hard_pair(), effort=1)
    certain = f"{still.value:.6g}, at least {still.lower:.6g}, open by effort"
    assert repr(still) == f"Divergence({certain}, {len(still.mapping)} nodes matched)"


def test_files_are_read_and_names_become_labels(tmp_path):
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    Flow(chain(2)).to_json(one)
    Flow(chain(2, wired=False)).to_json(two)
    assert divergence(one, two) == divergence(str(one), str(two)) == 0.75
    table = pairwise({"chain": one, "loose": chain(2, wired=False)})
    assert table.loc["chain", "loose"] == 0.75
    assert pairwise([str(one), two])[0, 1] == 0.75


def test_a_cold_cache_is_announced_once_compiling_starts(monkeypatch, tmp_path, caplog):
    from gindex_lab.measures.programs.divergence import say_if_cold

    class Cold:
        signatures = ()
        stats = SimpleNamespace(cache_path=tmp_path)
        __name__ = "solve"

    monkeypatch.delenv("GINDEX_LAB_OUTPUT", raising=False)
    cold = Cold()
    say_if_cold(cold)
    say_if_cold(cold)
    assert caplog.text.count("compiling the kernels") == 1
    caplog.clear()
    (tmp_path / "matching.solve-1.py312.nbi").touch()
    say_if_cold(Cold())
    assert not caplog.text


def test_open_pairs_are_told_never_hidden(monkeypatch):
    monkeypatch.setattr("gindex_lab.measures.programs.comparison.EFFORT", 1)
    for module in ("comparison", "neighbours"):
        monkeypatch.setattr(f"gindex_lab.measures.programs.{module}.EFFORT_IN_BATCH", 1)
    a, b = hard_pair(30)
    with pytest.warns(Uncertified):
        values = pairwise([a, b])
    (lower, upper) = compare([a, b]).intervals[0, 1]
    assert lower < upper == values[0, 1]
    with pytest.warns(Uncertified):
        assert nearest(a, [b])[0] == 0


@pytest.mark.parametrize("types", [1, 3000])
def test_flow_of_3000_nodes_returns_within_its_budget(types):
    def large(shift):
        return Flow(
            [
                {"id": f"{k}", "type": f"t{k % types}", "p": k % 7, "wires": [[f"{k + shift}"]]}
                for k in range(3000)
            ]
        )

    a, b = large(1), large(2)
    start = time.monotonic()
    result = divergence(a, b, seconds=1)
    assert time.monotonic() - start < 20
    assert 0 <= result.lower <= result.upper <= 1
    assert divergence(a, a, seconds=1).upper == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: divergence([], [], mode="fast"), "mode: not-an-option"),
        (lambda: divergence([], [], seconds=-1), "seconds: out-of-range"),
        (lambda: divergence([], [], effort=0), "effort: out-of-range"),
        (lambda: pairwise("[]"), "flows: one-program"),
        (lambda: pairwise(None), "flows: not-a-list"),
        (lambda: pairwise(Path("a.json")), "flows: one-program"),
        (lambda: compare({"a": []}), "flows: not-a-list"),
        (lambda: Flow.read(None), "path: not-a-path"),
        (lambda: divergence("no such file", []), "nodes: not-json"),
        (lambda: divergences([[]], []), "seconds: wrong-length"),
        (lambda: nearest([], []), "corpus: nothing-to-compare"),
        (lambda: nearest_many([[]], [[]], exclude=[0]), "corpus: nothing-to-compare"),
        (lambda: nearest_many([[]], [[], []], exclude=[0, 1]), "exclude: wrong-length"),
    ],
)
def test_bad_calls_say_what_to_do(call, message):
    with refused(message):
        call()


def test_explanation_names_nodes_attributes_and_wires():
    a = [
        {"id": "a", "type": "in", "topic": "x", "qos": 1, "wires": [["b"]]},
        {"id": "b", "type": "f", "wires": [["c"]]},
        {"id": "c", "type": "out"},
    ]
    b = [
        {"id": "p", "type": "in", "topic": "y", "qos": 1, "wires": [["q"]]},
        {"id": "q", "type": "f"},
        {"id": "r", "type": "csv"},
    ]
    table = divergence(a, b).explain()
    counts = table["what"].value_counts().to_dict()
    assert counts == {
        "matched node": 2,
        "differing attribute": 1,
        "node only in the first": 1,
        "node only in the second": 1,
        "wire only in the first": 1,
    }
    row = table[table["what"] == "differing attribute"].iloc[0]
    assert (row["attribute"], row["in_first"], row["in_second"]) == ("topic", "x", "y")
