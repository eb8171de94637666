"""Flatland's metrics: the authors' numbers, certificates, and what a distance must satisfy."""

import json
from dataclasses import astuple, replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import gindex_lab as gl
from gindex_lab.worlds.flatland import Circle, Drawing, Line
from gindex_lab.worlds.flatland.curricula import samples
from gindex_lab.worlds.flatland.distances import nearest_many

F = gl.flatland
whole = st.integers(0, 128).map(float)
lines = st.builds(Line, whole, whole, whole, whole)
circles = st.builds(Circle, whole, whole, st.integers(3, 50).map(float))
drawings = st.lists(st.one_of(lines, circles), min_size=1, max_size=5).map(
    lambda parts: Drawing(tuple(parts))
)
NAMES = ["circle", "square", "polygon", "star", "house", "wheel", "figure", "spiral"]


@pytest.mark.parametrize(
    ("metric", "key"),
    [
        pytest.param("list", "distance_recursive_center_tolerance", marks=pytest.mark.slow),
        ("matching", "distance_recursive_no_edge_check"),
    ],
)
def test_the_list_metric_equals_the_authors(goldens, metric, key):
    golden = json.loads((goldens / "anytime/flatland_list_metric.json").read_text())
    known = [Drawing.of(golden["programs"][name]) for name in golden["names"]]
    ours = F.distances(known, metric=metric, mode="reference")
    assert ours == pytest.approx(np.array(golden[key]), abs=1e-12)
    for (i, p), (j, q) in combinations(enumerate(known), 2):
        one = F.distance(p, q, metric=metric, mode="reference")
        assert one.exact
        assert one.value == pytest.approx(golden[key][i][j], abs=1e-12)


def test_the_binary_list_metric_equals_the_golden(goldens):
    golden = json.loads((goldens / "anytime/flatland_list_metric.json").read_text())
    known = [Drawing.of(golden["programs"][name]) for name in golden["names"]]
    ours = [[F.binary_distance(p, q) for q in known] for p in known]
    assert np.array(ours) == pytest.approx(np.array(golden["distance_binary"]), abs=1e-12)


# --- against the definition, written plainly --------------------------------------------------------


def plain_near(a, b):
    shares = [max(0.0, 1 - abs(p - q) / 128) for p, q in zip(a, b, strict=True)]
    return (sum(shares) / 2) ** 2


def plain_similarity(p, q):
    if type(p) is not type(q):
        return 0.0
    if isinstance(p, Circle):
        turn = 1 - abs(p.theta % 360 - q.theta % 360) / 360
        radius = max(0.0, 1 - abs(p.radius - q.radius) / 128)
        return (1 + plain_near(p.centre, q.centre) + radius + turn) / 4
    a, b = astuple(p), astuple(q)
    along = plain_near(a[:2], b[:2]) + plain_near(a[2:], b[2:])
    against = plain_near(a[:2], b[2:]) + plain_near(a[2:], b[:2])
    return (1 + max(along, against)) / 3


def plain_distance(p, q):
    graph = nx.Graph()
    for i, a in enumerate(p.shapes):
        for j, b in enumerate(q.shapes):
            if plain_similarity(a, b) > 0:
                graph.add_node((i, j), weight=round(1e9 * plain_similarity(a, b)))
    for (i, j), (k, m) in combinations(list(graph), 2):
        close = plain_near(p.shapes[i].centre, p.shapes[k].centre)
        other = plain_near(q.shapes[j].centre, q.shapes[m].centre)
        if i != k and j != m and abs(close - other) <= 0.05:
            graph.add_edge((i, j), (k, m))
    best = nx.max_weight_clique(graph)[1] / 1e9 if len(graph) else 0
    return 1 - best**2 / (len(p) * len(q))


@given(drawings, drawings)
@settings(max_examples=120)
def test_the_list_metric_is_that_of_its_definition(p, q):
    assert float(F.distance(p, q)) == pytest.approx(plain_distance(p, q), abs=1e-7)


@given(
    drawings,
    drawings,
    st.sampled_from(["list", "matching"]),
    st.sampled_from(["exact", "reference"]),
)
@settings(max_examples=100)
def test_a_distance_is_symmetric_bounded_and_zero_to_itself(p, q, metric, mode):
    there = F.distance(p, q, metric=metric, mode=mode)
    back = F.distance(q, p, metric=metric, mode=mode)
    assert float(there) == float(back)
    assert 0 <= there.lower <= there.value <= there.upper <= 1
    assert there.exact
    assert float(F.distance(p, p, metric=metric, mode=mode)) == 0
    assert float(there) >= float(F.distance(p, q, metric="matching", mode=mode)) - 1e-12


@given(drawings, st.integers(0, 4), st.integers(1, 40), st.integers(1, 40))
@settings(max_examples=80)
def test_moving_one_line_farther_never_brings_it_closer(p, at, less, more):
    """One line of its own kind of place: what is off by more is no nearer."""
    line = Line(10.0, 10.0, 50.0, 50.0)
    base = Drawing((line,))
    near = Drawing((replace(line, x1=50.0 + less),))
    far = Drawing((replace(line, x1=50.0 + less + more),))
    assert float(F.distance(base, near)) <= float(F.distance(base, far))


def test_each_edit_of_one_node_takes_a_program_farther():
    text = F.shape("house").to_text()
    base = F.parse(text)
    edited = [base]
    for old, new in (
        ("(turn -30)", "(turn -31)"),
        ("(turn -120)", "(turn -125)"),
        ("(* w 0.4) true", "(* w 0.3) true"),
    ):
        text = text.replace(old, new)
        edited.append(F.parse(text))
    values = [float(F.distance(base, other)) for other in edited]
    assert values == sorted(values)
    assert values[0] == 0
    assert len(set(values)) == 4
    longer = F.parse(
        F.shape("house").to_text().replace("door -> house(end)", "door -> x(turn 5)\nx -> house(end)")
    )
    assert 0 < float(F.distance(base, longer)) < 0.2


# --- graphs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), list(combinations(NAMES, 2)))
def test_graph_distances_are_symmetric_and_certified(a, b):
    there, back = F.distance(F.shape(a), F.shape(b)), F.distance(F.shape(b), F.shape(a))
    assert there.exact
    assert there.value == pytest.approx(back.value, abs=1e-12)
    assert 0 < there.value < 1
    assert sum(there.weights) ** 2 / (len(there.first) * len(there.second)) == pytest.approx(1 - there.value)


@pytest.mark.parametrize("name", F.library())
def test_a_program_is_at_no_distance_from_itself(name):
    for mode in ("exact", "reference"):
        assert float(F.distance(F.shape(name), F.shape(name), mode=mode)) == 0


def plain_graph_distance(p, q):
    """The graph metric by networkx: types, shares of equal arguments, turns round the circle, ports."""
    one, two = p.graph, q.graph
    ports = [{(s, t): port for s, port, t in g.links} for g in (one, two)]

    def similarity(a, b):
        if a.type != b.type:
            return 0.0
        if a.type in ("turn", "START"):
            apart = abs(a.params["theta"] % 360 - b.params["theta"] % 360)
            turn = 1 - min(apart, 360 - apart) / 180
            if a.type == "turn":
                return turn
            places = zip(a.params["position"], b.params["position"], strict=True)
            return (sum(1 - abs(x - y) / 128 for x, y in places) / 2 + turn) / 2
        keys = ("dist", "penup") if a.type == "move" else ("start", "end")
        return sum(a.params[k] == b.params[k] for k in keys) / 2

    graph = nx.Graph()
    for i, a in enumerate(one.nodes):
        for j, b in enumerate(two.nodes):
            if similarity(a, b) > 0:
                graph.add_node((i, j), weight=round(1e9 * similarity(a, b)))
    for (i, j), (k, m) in combinations(list(graph), 2):
        forth = ports[0].get((i, k)) == ports[1].get((j, m))
        back = ports[0].get((k, i)) == ports[1].get((m, j))
        if i != k and j != m and forth and back:
            graph.add_edge((i, j), (k, m))
    return 1 - (nx.max_weight_clique(graph)[1] / 1e9) ** 2 / (len(one) * len(two))


@pytest.mark.parametrize(("a", "b"), list(combinations(["circle", "square", "star", "rectangle", "ring"], 2)))
def test_the_graph_metric_is_that_of_its_definition(a, b):
    p, q = F.shape(a), F.shape(b)
    assert float(F.distance(p, q)) == pytest.approx(plain_graph_distance(p, q), abs=1e-7)


def test_a_budget_that_ends_leaves_a_certified_interval():
    car, face = F.shape("car"), F.shape("face")
    short = F.distance(car, face, effort=1)
    assert not short.exact
    assert short.lower < short.value == short.upper
    assert short.decided == "effort"
    longer = F.distance(car, face, effort=100_000_000)
    assert short.lower <= longer.lower <= longer.upper <= short.upper
    assert F.distance(car, face, seconds=0.05).decided == "time"


def test_the_authors_shortcuts_never_find_more():
    for a, b in combinations(NAMES, 2):
        p, q = F.shape(a), F.shape(b)
        kept = F.distance(p, q, mode="reference")
        assert 0 <= kept.value <= 1
    # a turn of 359 degrees and one of 1 are far apart for the authors, next to each other for us
    turns = [F.parse(f"f(start) -> t(turn {k})\nt -> f(end)\n{{}} -> f()") for k in (1, 359)]
    exact, reference = (float(F.distance(*turns, mode=mode)) for mode in ("exact", "reference"))
    assert exact < 0.02
    assert reference > 0.7


def test_many_pairs_take_the_shortcuts_that_one_pair_takes():
    """The greedy mapping was tried by `distance` alone: these turns had another Δ in a matrix."""
    text = "f(start) -> a(turn {})\nf -> b(turn {})\na -> f\nb -> f(end)\n{{}} -> f()"
    p, q = F.parse(text.format(0, 10)), F.parse(text.format(30, 9))
    alone = F.distance(p, q, mode="reference").value
    assert alone == pytest.approx(0.0566, abs=5e-5)  # without it, 0.0530
    assert F.distances([p], [q], mode="reference").tolist() == [[alone]]
    assert F.nearest(p, [q], mode="reference") == (0, alone)
    assert F.distances([F.shape("car")], mode="reference").tolist() == [[0.0]]  # it was 0.77


def test_a_larger_set_of_primitives_changes_distances():
    one, two = F.shape("wheel", 20), F.shape("wheel", 24)
    kept = [float(F.distance(one, two, primitives=names)) for names in ((), ["circle"], ["wheel"])]
    assert kept[0] < kept[2]
    assert len(F.distance(one, two, primitives=["wheel"]).first) == 2


def test_the_result_explains_itself():
    result = F.distance(F.shape("square"), F.shape("rectangle"))
    table = result.explain()
    assert set(table["what"]) == {"matched", "only in the second"}
    assert table["similarity"].sum() == pytest.approx(sum(result.weights))
    assert float(result) == result.value
    assert round(result, 3) == round(result.value, 3) == 0.63


def test_too_large_a_comparison_is_refused():
    many = Drawing(tuple(Line(0.0, 0.0, float(k), 1.0) for k in range(130)))
    with refused("programs: too-large"):
        F.distance(many, many)


# --- Ω ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_omega_is_the_least_distance_and_skips_pairs():
    known = [task.drawing for task in F.curriculum(6, seed=1)]
    tests = [task.drawing for domain in F.DOMAINS for task in samples(domain, 1, 3, seed=5)]
    found = nearest_many(tests, known)
    every = F.distances(tests, known)
    assert found.value == pytest.approx(every.min(axis=1), abs=1e-12)
    assert found.index.tolist() == every.argmin(axis=1).tolist()
    assert found.evaluated < found.weighed <= found.pairs == every.size
    assert F.nearest(tests[0], known) == (found.index[0], found.value[0])
    assert F.generalisation_difficulty(tests[0], known) == pytest.approx(np.exp(10 * found.value[0]))


@pytest.mark.parametrize("metric", ["list", "matching"])
def test_empty_drawings_are_the_same_program_and_share_nothing_with_others(metric):
    empty, line = Drawing(()), Drawing((Line(1, 1, 9, 9),))
    assert F.distances([empty, line], metric=metric).tolist() == [[0, 1], [1, 0]]
    result = F.distance(empty, empty, metric=metric)
    assert (float(result), result.exact, result.mapping) == (0.0, True, {})
    assert F.nearest(empty, [line, empty], metric=metric) == (1, 0.0)
    assert F.distances([empty], metric=metric, mode="reference").tolist() == [[1.0]]


def test_of_an_arc_a_list_keeps_centre_radius_and_extent_but_not_where_it_begins():
    text = '#include "arc.fbp"\n{{"position": [64, 44], "theta": {}}} -> arc(20 90)'
    arcs = [Drawing.of_program(F.parse(text.format(theta))).shapes[0] for theta in (0, 90)]
    assert [(arc.radius, arc.theta) for arc in arcs] == [pytest.approx((arcs[0].radius, 90))] * 2
    assert arcs[0].centre != pytest.approx(arcs[1].centre)
    assert Drawing((arcs[1],)).segments[0, :2] == pytest.approx((arcs[1].x, arcs[1].y - arcs[1].radius))


def test_omega_of_a_known_program_is_zero():
    known = [task.drawing for task in F.curriculum(3, seed=1)]
    assert all(F.omega(drawing, known) == 0 for drawing in known[::7])
    shapes = [F.shape(name) for name in NAMES]
    assert all(F.omega(program, shapes) == 0 for program in shapes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.omega(F.shape("square"), []), "curriculum: nothing-to-compare"),
        (lambda: F.distances("square"), "programs: not-a-list"),
        (lambda: F.distance(F.shape("car"), F.shape("face"), primitives="circle"), "primitives: not-a-list"),
        (lambda: F.distance(F.shape("car"), F.shape("face"), primitives=["wheel", "sircle"]), "primitives: not-a-flow"),
        (lambda: F.distances([F.shape("car")], primitives=["tree"]), "primitives: not-a-flow"),
        (lambda: F.nearest(F.shape("car"), [F.shape("face")], primitives=["tree"]), "primitives: not-a-flow"),
        (lambda: F.distance(F.shape("car"), F.shape("face"), metric="list", primitives=["circle"]), "primitives: not-with-metric"),
        (lambda: F.distance(F.shape("square"), 3), "drawing: not-a-list"),
        (lambda: F.distance(F.shape("square"), 3, metric="graph"), "program: not-a-program"),
        (lambda: F.distance(F.shape("square"), F.shape("star"), metric="tree"), "metric: not-an-option"),
        (lambda: F.distance(F.shape("square"), F.shape("star"), mode="fast"), "mode: not-an-option"),
        (lambda: F.distance(F.shape("square"), F.shape("star"), effort=0), "effort: out-of-range"),
        (lambda: Drawing.of([{"type": "oval"}]), "drawing[0]: not-a-shape"),
        (lambda: Drawing.of([{"type": "line", "start": 3}]), "drawing[0].start: not-a-point"),
        (lambda: Drawing.of([{"type": "circle", "center": {"x": 1, "y": 2}}]), "drawing[0].radius: not-a-number"),
        (lambda: Drawing((Line(0, 0, float("nan"), 1),)), "x1: out-of-range"),
        (lambda: Drawing((3,)), "shapes[0]: not-a-shape"),
        (lambda: Drawing(()).program(), "drawing: draws-nothing"),
        (lambda: Drawing((Line(-5, 0, 1, 1),)).program(), "start: off-canvas"),
    ],
)  # fmt: skip
def test_bad_comparisons_are_refused_by_message(call, message):
    with refused(message):
        call()


# --- drawings ---------------------------------------------------------------------------------------

inside = st.integers(1, 126).map(float)
small = st.builds(lambda x, y, r: Circle(x, y, min(r, y)), inside, inside, st.integers(3, 40).map(float))
kept = st.lists(st.one_of(st.builds(Line, inside, inside, inside, inside), small), min_size=1, max_size=4)


@given(kept)
@settings(max_examples=60)
def test_a_drawing_and_its_program_draw_the_same(parts):
    parts = [p for p in parts if not (isinstance(p, Line) and p.x0 == p.x1 and p.y0 == p.y1)]
    parts = [p for p in parts if not (isinstance(p, Circle) and (p.radius < 1 or p.y < p.radius))]
    if not parts:
        return
    drawing = Drawing(tuple(parts))
    again = drawing.program().drawing()
    assert [type(p) for p in again.shapes] == [type(p) for p in drawing.shapes]
    for mine, theirs in zip(drawing.shapes, again.shapes, strict=True):
        assert astuple(theirs) == pytest.approx(astuple(mine), abs=1e-5)


def test_the_list_of_a_drawing_reads_back():
    drawing = F.sample("stick_figure", 2, seed=1).drawing
    assert Drawing.of(json.loads(json.dumps(drawing.to_list()))) == drawing


def test_image_similarity_is_one_only_for_the_same_picture():
    one, two = F.shape("car").image(), F.shape("face").image()
    assert F.image_similarity(one, one) == 1
    assert 0 <= F.image_similarity(one, two) < 0.5
    assert F.image_similarity(np.zeros((128, 128)), np.zeros((128, 128))) == 1
    with refused("first: not-binary"):
        F.image_similarity(one * 255, two)
