"""Flatland: syntaxes that round-trip, traces against closed forms, pictures, limits, augmentation."""

import itertools
import json
import math
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import drawing_trees as trees
from refusals import refused

import gindex_lab as gl
from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.flatland.checks import rule_of
from gindex_lab.worlds.flatland.definitions import Call, Definition, DrawingLimits, Link, Node
from gindex_lab.worlds.flatland.execution import SIZE, _wrapped, steps, trace
from gindex_lab.worlds.flatland.expansion import expand
from gindex_lab.worlds.flatland.expressions import Symbol, read_expressions, to_lisp
from gindex_lab.worlds.flatland.programs import Program

F = gl.flatland
SYNTAXES = ("fbp", "lisp", "json")
SIDE = "side(start d) -> step(move d)\nstep -> side(end)\n"


def run(text, **options):
    return F.parse(text, **options)


# --- random programs --------------------------------------------------------------------------------

numbers = st.one_of(st.integers(-40, 40), st.floats(-40, 40, allow_nan=False).map(lambda x: round(x, 3)))


@st.composite
def expressions(draw, names):
    """A number, a name, or a sum or product of such."""
    leaf = st.one_of(numbers, st.sampled_from([Symbol(n) for n in names])) if names else numbers
    if draw(st.booleans()):
        return draw(leaf)
    operation = Symbol(draw(st.sampled_from(["+", "-", "*", "min", "max"])))
    return (operation, draw(leaf), draw(leaf))


@st.composite
def definitions(draw, name, known):
    """A flow whose nodes hang on earlier ones, by any port, and which may call the flows known so far."""
    params = tuple(draw(st.lists(st.sampled_from("abc"), unique=True, max_size=2)))
    nodes, links = [], []
    for k in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["move", "turn", "loop", *known]))
        values = expressions(params)
        args = {
            "move": lambda v=values: (draw(v), draw(st.booleans())),
            "turn": lambda v=values: (draw(v),),
            "loop": lambda i=k: (Symbol(f"i{i}"), 0, draw(st.integers(0, 3))),
        }.get(kind, lambda n=kind, v=values: tuple(draw(v) for _ in known[n].params))()
        nodes.append(Node(f"n{k}", kind, args))
        if k:
            source = nodes[draw(st.integers(0, k - 1))]
            port = draw(st.sampled_from(["body", "out"])) if source.type == "loop" else "out"
            links.append(Link(source.name, port, f"n{k}"))
    randoms = {p: (Symbol("int"), (1, draw(st.integers(2, 9)))) for p in params[:1]}
    exits = ((f"n{draw(st.integers(0, len(nodes) - 1))}", "out"),)
    return Definition(name, params, randoms, tuple(nodes), tuple(links), ("n0",), exits)


@st.composite
def programs(draw):
    flows = {}
    for k in range(draw(st.integers(1, 3))):
        flows[f"flow{k}"] = draw(definitions(f"flow{k}", dict(flows)))
    name = draw(st.sampled_from(sorted(flows)))
    args = tuple(draw(numbers) for _ in flows[name].params)
    position = (float(draw(st.integers(0, 127))), float(draw(st.integers(0, 127))))
    return Program(flows, Call(name, args, position, float(draw(st.integers(0, 359)))))


@given(programs(), st.sampled_from(SYNTAXES))
@settings(max_examples=150)
def test_every_syntax_reads_back_as_the_same_program(program, syntax):
    again = F.parse(program.to_text(syntax), syntax)
    assert again == program
    assert again.graph == program.graph


@given(programs(), st.sampled_from(SYNTAXES), st.sampled_from(SYNTAXES))
@settings(max_examples=60)
def test_translating_twice_is_translating_once(program, one, two):
    there = F.parse(program.to_text(one), one)
    assert there.to_text(two) == program.to_text(two)


@given(programs())
@settings(max_examples=100)
def test_the_list_of_nodes_is_the_same_graph(program):
    again = F.parse(program.graph.to_json(), "json").graph
    assert again.links == program.graph.links
    assert [(n.type, n.params) for n in again.nodes] == [(n.type, n.params) for n in program.graph.nodes]


@given(programs())
@settings(max_examples=60)
def test_stepping_and_tracing_tell_the_same_story(program):
    moves = [step for step in F.steps(program) if step.type == "move"]
    trace = program.trace()
    assert [(*s.start[:2], s.x, s.y, s.pen) for s in moves] == [tuple(s) for s in trace]
    assert all(0 <= value < 128 for value in trace.position)


@given(st.lists(numbers, min_size=1, max_size=4), st.sampled_from(["+", "*", "min", "max"]))
def test_expressions_read_back(values, operation):
    expression = (Symbol(operation), *values, (Symbol("abs"), Symbol("r")), True)
    assert read_expressions(to_lisp(expression))[0].value == expression


@pytest.mark.parametrize("name", F.library())
def test_every_shape_of_the_library_draws_and_translates(name):
    program = F.shape(name)
    assert program.image().any()
    for syntax in SYNTAXES:
        assert F.parse(program.to_text(syntax), syntax) == program


def test_the_library_is_composed():
    assert F.uses("square") == {"polygon"}
    assert F.uses("wheel") == {"ring"}
    assert F.uses("ring") == {"circle"}
    assert "wheel" in F.uses("car")


def test_the_json_of_a_task_names_sources_and_targets():
    rows = json.loads(F.shape("square").graph.to_json())
    assert rows[0]["type"] == "START"
    assert [row["type"] for row in rows] == ["START", "loop", "move", "turn"]
    assert rows[1]["targets"] == {"body": [rows[2]["id"]]}
    assert rows[2]["sources"] == [rows[1]["id"]]
    assert rows[2]["scope"] == "square/sides"
    assert rows[2]["params"] == {"dist": 30, "penup": False}


# --- traces -----------------------------------------------------------------------------------------


def test_a_circle_closes_with_the_ink_of_its_closed_form():
    trace = F.shape("circle", 20, position=(64, 64)).trace()
    assert len(trace) == trace.drawn == 360
    assert trace.ink == pytest.approx(125.65732634844206, abs=1e-9)
    assert trace.ink == pytest.approx(360 * 20 * math.sin(math.pi / 180), abs=1e-9)
    assert trace.position == pytest.approx((64, 64), abs=1e-9)
    assert trace.heading % 360 == pytest.approx(0, abs=1e-9)


@given(st.integers(3, 12), st.integers(1, 15), st.integers(0, 359))
@settings(max_examples=60)
def test_polygons_have_the_corners_of_their_closed_form(n, d, theta):
    program = F.shape("polygon", n, d, position=(64, 64), theta=theta)
    trace = program.trace()
    angle = np.radians(theta + 360 / n * np.arange(n))
    corners = np.cumsum(np.column_stack([d * np.cos(angle), d * np.sin(angle)]), axis=0) + 64
    assert trace.lines[:, 2:] == pytest.approx(corners, abs=1e-9)
    assert trace.position == pytest.approx((64, 64), abs=1e-9)


def test_a_loop_runs_end_minus_start_times():
    for start, end in ((0, 4), (2, 7), (5, 5), (7, 2), (-3, 1)):
        text = f"f(start) -> l(loop i {start} {end})\nl body -> m(move 1)\nl -> f(end)\n{{}} -> f()"
        assert len(run(text).trace()) == max(0, end - start)


def test_the_count_of_a_loop_is_an_argument_of_its_body_and_of_flows_within():
    text = (
        "step(start d) -> m(move (* 2 d))\nm -> step(end)\n"
        "f(start) -> l(loop i 1 4)\nl body -> s(step i)\nl -> f(end)\n{} -> f()"
    )
    assert [s.x1 - s.x0 for s in run(text).trace()] == pytest.approx([2, 4, 6])


def test_branches_start_from_the_same_pose_and_the_last_goes_on():
    text = (
        "f(start) -> a(move 10)\na -> l(turn 90)\nl -> up(move 5)\na -> r(turn -90)\nr -> down(move 7)\n"
        'down -> f(end)\n{"position": [20, 20]} -> f()'
    )
    trace = run(text).trace()
    assert trace.lines[1:].ravel() == pytest.approx([30, 20, 30, 25, 30, 20, 30, 13])
    assert trace.position == pytest.approx((30, 13))


def test_pen_up_moves_without_ink():
    trace = run("f(start) -> a(move 10 true)\na -> b(move 5)\nb -> f(end)\n{} -> f()").trace()
    assert (len(trace), trace.drawn, trace.ink) == (2, 1, 5)


def test_what_leaves_the_canvas_goes_on_at_the_other_side():
    trace = run(SIDE + '{"position": [120, 10]} -> side(20)').trace()
    assert trace.lines[0].tolist() == [120, 10, 140, 10]
    assert trace.position == pytest.approx((12, 10))


def test_flows_kept_whole_make_smaller_graphs():
    car = F.shape("car")
    sizes = [len(expand(car, kept)) for kept in ((), ["circle"], ["wheel"], ["car"])]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 2
    with refused("primitives: not-a-flow", BadProgram):
        expand(car, ["boat"])


# --- pictures ---------------------------------------------------------------------------------------


def test_pictures_are_binary_with_row_0_at_the_top():
    image = run(SIDE + '{"position": [10, 100]} -> side(20)').image()
    assert image.shape == (128, 128)
    assert image.dtype == np.uint8
    rows, columns = np.nonzero(image)
    assert set(rows) == {27}
    assert (columns.min(), columns.max()) == (10, 30)


def test_teleport_cuts_and_torus_wraps():
    program = run(SIDE + '{"position": [120, 10]} -> side(20)')
    cut, wrapped = program.image("teleport"), program.image("torus")
    assert np.flatnonzero(cut[117]).tolist() == list(range(120, 128))
    assert np.flatnonzero(wrapped[117]).tolist() == [*range(13), *range(120, 128)]


places = st.floats(-300, 400).map(lambda x: round(x, 3))


@given(st.lists(st.lists(places, min_size=4, max_size=4), max_size=5))
@settings(max_examples=60)
def test_a_line_is_drawn_without_gaps_and_clipping_changes_nothing(lines):
    image = F.picture(lines)
    fine = np.zeros((128, 128), np.uint8)
    for x0, y0, x1, y1 in lines:
        count = int(np.ceil(max(abs(x1 - x0), abs(y1 - y0)))) * 4 + 1
        for s in np.linspace(0, 1, count):
            x, y = math.floor(x0 + s * (x1 - x0)), math.floor(y0 + s * (y1 - y0))
            if 0 <= x < 128 and 0 <= y < 128:
                fine[127 - y, x] = 1
    grown = np.pad(fine, 1)
    near = sum(grown[1 + i : 129 + i, 1 + j : 129 + j] for i in (-1, 0, 1) for j in (-1, 0, 1))
    assert not (image > 0)[near == 0].any()
    drawn = np.pad(image, 1)
    beside = sum(drawn[1 + i : 129 + i, 1 + j : 129 + j] for i in (-1, 0, 1) for j in (-1, 0, 1))
    missed = fine[beside == 0].sum()
    assert missed <= 4 * len(lines)  # at most where a line just touches an edge


def test_svg_is_a_document_of_numbers():
    from xml.etree import ElementTree

    for wrap in ("teleport", "torus"):
        root = ElementTree.fromstring(F.shape("car", position=(100, 60)).svg(wrap))
        assert root.attrib["viewBox"] == "0 0 128 128"
        path = root[-1].attrib["d"]
        assert set(path) <= set("ML,-.e0123456789")


def test_a_png_is_written_whole(tmp_path):
    from PIL import Image

    path = F.save_png(F.shape("star").image(), tmp_path / "star.png", scale=2)
    with Image.open(path) as picture:
        assert picture.size == (256, 256)
    with refused("image: wrong-shape"):
        F.save_png(np.zeros((3, 3)), tmp_path / "no.png")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["star.png"]


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        ([[1, 2, 3]], "segments: wrong-shape"),
        ([[1, 2, 3, math.nan]], "segments: out-of-range"),
        ([[1, 2, 3, math.inf]], "segments: out-of-range"),
        ([[1, 2, 3, 1e9]], "segments: out-of-range"),
    ],
)
def test_what_cannot_be_drawn_is_refused(segments, message):
    for draw in (F.picture, F.to_svg):
        with refused(message):
            draw(segments)
    with refused("wrap: not-an-option"):
        F.picture([[1, 2, 3, 4]], "mirror")


# --- augmentation -----------------------------------------------------------------------------------


def lengths_and_turns(program):
    lines = program.trace().lines
    steps = lines[:, 2:] - lines[:, :2]
    heading = np.degrees(np.arctan2(steps[:, 1], steps[:, 0]))
    turns = (np.diff(heading) + 180) % 360 - 180
    return np.hypot(*steps.T), np.abs(turns)


@pytest.mark.parametrize("name", ["square", "star", "house", "figure", "worm"])
def test_moving_a_program_moves_its_trace_rigidly(name):
    program = F.shape(name)
    for one in F.variations(program, 3, arguments=False, seed=4):
        assert one != program
        for mine, theirs in zip(lengths_and_turns(program), lengths_and_turns(one), strict=True):
            assert theirs == pytest.approx(mine, abs=1e-6)


@pytest.mark.parametrize("name", F.library())
def test_variations_keep_the_structure_and_follow_the_rules(name):
    program = F.shape(name)
    rules = program.flows[name].randoms
    for one in F.variations(program, 5, seed=2):
        assert [node.type for node in one.graph.nodes] == [node.type for node in program.graph.nodes]
        assert one.flows == program.flows
        for param, value in zip(program.flows[name].params, one.run.args, strict=True):
            kind, bounds = rules[param]
            assert value in bounds if kind == "choice" else bounds[0] <= value <= bounds[1]


def test_the_same_seed_is_the_same_variation_and_leaves_the_program_alone():
    program = F.shape("polygon")
    before = program.to_text()
    assert F.augment(program, seed=3) == F.augment(program, seed=3) != F.augment(program, seed=4)
    assert program.to_text() == before
    with refused("program: not-a-program"):
        F.augment("square", seed=1)


def test_every_kind_of_rule_can_be_drawn():
    rules = "@param {a} (int (3 5))\n@param {b} (float (0.5 0.75))\n@param {c} (bool 1)\n@param {d} (choice (7 8))\n"
    text = "f(start a b c d) -> m(move (+ a b d) c)\nm -> f(end)\n{} -> f(1 1 false 1)"
    for one in F.variations(run(rules + text), 20, seed=1):
        a, b, c, d = one.run.args
        assert (a in (3, 4), 0.5 <= b <= 0.75, c is True, d in (7, 8)) == (True,) * 4


# --- bad programs, by message -----------------------------------------------------------------------

LOOP = "f(start) -> l(loop i 0 {n})\nl body -> m(move 1)\nl -> f(end)\n{{}} -> f()"
BAD_TEXTS = [
    ("", "fbp", "text: empty"),
    ("f(start) -> m(move 1)", "fbp", "flow f: no-end"),
    (SIDE, "fbp", "program: runs-nothing"),
    (SIDE + "{} -> tide(3)", "fbp", "run: not-a-flow"),
    (SIDE + "{} -> side()", "fbp", "run: wrong-arguments"),
    (SIDE + '{"position": [1]} -> side(3)', "fbp", "line 3: not-a-position"),
    (SIDE + '{"position": "here"} -> side(3)', "fbp", "line 3: not-a-position"),
    (SIDE + '{"place": [1, 2]} -> side(3)', "fbp", "line 3: not-a-start"),
    (SIDE + "{oops} -> side(3)", "fbp", "line 3: not-json"),
    (SIDE + '{"position": [NaN, 0]} -> side(3)', "fbp", "run, x: out-of-range"),
    (SIDE + '{"position": [true, 0]} -> side(3)', "fbp", "run, x: not-a-number"),
    (SIDE + '{"theta": "up"} -> side(3)', "fbp", "run, theta: not-a-number"),
    (SIDE + '{"theta": Infinity} -> side(3)', "fbp", "run, theta: out-of-range"),
    (SIDE + '{"position": [1e300, 0]} -> side(3)', "fbp", "run, x: out-of-range"),
    (SIDE + "{} -> side(3)\nmore(start) -> x(turn 1)", "fbp", "line 4: after-the-call"),
    (SIDE + "{} -> side(nan)", "fbp", "run: unknown-name"),
    (SIDE + "{} -> side(1e999)", "fbp", "line 3: too-large"),
    (SIDE + f"{{}} -> side({'9' * 400})", "fbp", "line 3: too-large"),
    (SIDE + "{} -> side((* 1e9 1e9))", "fbp", "run: out-of-range"),
    (SIDE + "{} -> side((/ 1 0))", "fbp", "run: no-value"),
    (SIDE + "{} -> side((sqrt -1))", "fbp", "run: no-value"),
    (SIDE + "{} -> side((+ 1 2)", "fbp", "line 3: never-closed"),
    (SIDE + "{} -> side((power 2 3))", "fbp", "run: unknown-operation"),
    (SIDE + '{} -> side((+ "a" 1))', "fbp", "run: not-a-number"),
    (SIDE + "{} -> side(" + "(+ " * 60 + "1" + ")" * 60 + ")", "fbp", "line 3: too-deep"),
    ("f(start) -> f(end)\n{} -> f()", "fbp", "line 1: no-end"),
    ("f(start) -> m(move 1)\nx -> f(end)\n{} -> f()", "fbp", "line 2: not-defined-yet"),
    ("f(start) -> m(move 1)\nm -> m(turn 1)\n", "fbp", "line 2: duplicate"),
    ("f(start) -> m(move 1)\n\nm = f(end)\n{} -> f()", "fbp", "line 3: not-a-link"),
    ("f(start) -> m(jump 1)\nm -> f(end)\n{} -> f()", "fbp", "flow f, node m: not-a-type"),
    ("f(start) -> m(move)\nm -> f(end)\n{} -> f()", "fbp", "flow f, node m: wrong-arguments"),
    ("f(start) -> m(move 1)\nm body -> f(end)\n{} -> f()", "fbp", "flow f: not-a-port"),
    ("f(start) -> l(loop 3 0 4)\nl -> f(end)\n{} -> f()", "fbp", "flow f, node l: not-a-name"),
    ("f(start) -> l(loop i 0 2.5)\nl -> f(end)\n{} -> f()", "fbp", "f/l: not-a-whole-number"),
    ("f(start 3) -> m(move 1)\nm -> f(end)\n{} -> f()", "fbp", "line 1: not-a-name"),
    ("move(start) -> m(move 1)\nm -> move(end)\n{} -> move()", "fbp", "flow move: reserved-word"),
    ("m(move 1) -> n(turn 2)", "fbp", "line 1: outside-any-flow"),
    ("@param {d} (int (5 3))\n" + SIDE + "{} -> side(3)", "fbp", "flow side, @param d: not-a-rule"),
    ("@param {e} (int (3 5))\n" + SIDE + "{} -> side(3)", "fbp", "flow side: not-a-parameter"),
    ("@param d\n" + SIDE + "{} -> side(3)", "fbp", "line 1: unreadable"),
    ('#include "../../etc/passwd"\n', "fbp", "line 1: unknown-ending"),
    ('#include "../secret.fbp"\n', "fbp", "line 1: outside-folder"),
    ('#include "/etc/secret.fbp"\n', "fbp", "line 1: outside-folder"),
    ('#include "nowhere.fbp"\n', "fbp", "line 1: not-found"),
    ("#include nowhere\n", "fbp", "line 1: unreadable"),
    ("(begin", "lisp", "line 1: never-closed"),
    ("(begin))", "lisp", "line 1: no-opening-bracket"),
    ("(run-flow f () (1 2) 0)", "lisp", "line 1: not-one-list"),
    ("(begin\n(define-flow f))", "lisp", "line 2: wrong-number-of-parts"),
    ("(begin\n\n(define-flow f () () ((make-node a))))", "lisp", "line 3: unknown-word"),
    ("(begin (draw f))", "lisp", "line 1: unknown-word"),
    ('{"flows": [', "json", "line 1: not-json"),
    ('{"flows": {}}', "json", "program.flows: wrong-type"),
    ('{"flows": [{"name": "f"}], "run": {}}', "json", "flows[0]: missing-field"),
    ("[]", "json", "program: empty"),
    ('[{"id": "a", "type": "move", "params": {}}]', "json", "nodes[0].type: not-the-start"),
    ('[{"id": "a", "type": "START"}, {"id": "a", "type": "turn"}]', "json", "program: duplicate"),
    ('[{"id": "a", "type": "START", "targets": {"out": ["z"]}}]', "json", "nodes[0].targets: not-an-id"),
    ('[{"id": "a", "type": "START", "targets": {"out": ["b"]}}, {"id": "b", "type": "turn", "params": {}}]',
     "json", "nodes[1]: missing-field"),
    ("[" * 100_000, "json", "line 1: too-deep"),
    ("x" * 1_000_001, "fbp", "text: too-large"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "syntax", "message"), BAD_TEXTS, ids=range(len(BAD_TEXTS)))
def test_bad_programs_are_refused_by_message(text, syntax, message):
    with refused(message, BadProgram):
        F.parse(text, syntax)


def test_what_is_no_text_or_no_syntax_is_refused():
    with refused("text: not-text", BadProgram):
        F.parse(b"f(start)", "fbp")
    with refused("syntax: not-an-option"):
        F.parse(SIDE, "logo")


@pytest.mark.parametrize("n", [10**9, 500_000])
def test_endless_loops_end_with_an_error(n):
    with refused("program: too-long", BadProgram):
        run(LOOP.format(n=n)).trace()


def test_empty_loops_within_loops_end_with_an_error():
    text = "f(start) -> a(loop i 0 100000)\na body -> b(loop j 0 100000)\na -> f(end)\n{} -> f()"
    with refused("program: too-long", BadProgram):
        run(text).image()


def test_fans_that_multiply_end_with_an_error():
    lines = ["f(start) -> a0(turn 1)"]
    for k in range(40):  # each level is reached on twice as many ways
        lines += [f"a{k} -> b{k}(turn 1)", f"a{k} -> c{k}(turn 1)", f"b{k} -> a{k + 1}(turn 1)"]
        lines += [f"c{k} -> a{k + 1}"]
    with refused("program: too-long", BadProgram):
        run("\n".join([*lines, "a40 -> f(end)", "{} -> f()"])).trace()


# a body that links back to its loop, as every body of the authors' own programs does: {0} is that link
CLOSED = {
    "one loop": """
@param {{n}} (int (3 12))
star(start n d) -> around(loop i 0 n)
around body -> side(move d)
side -> bend(turn (/ 720 n))
{0}bend -> around
around -> star(end)
{{"position": [96, 10], "theta": 45}} -> star(5 30)
""",
    "one node in the body": """
dash(start) -> around(loop i 1 5)
around body -> side(move (* 2 i))
{0}side -> around
around -> more(move 7)
more -> dash(end)
{{}} -> dash()
""",
    "a loop in a loop": """
grid(start) -> rows(loop i 0 3)
rows body -> cells(loop j 0 4)
cells body -> step(move 5)
step -> bend(turn 90)
{0}bend -> cells
cells -> jump(move 9 true)
{0}jump -> rows
rows -> last(turn 45)
last -> grid(end)
{{}} -> grid()
""",
    "the inner body goes straight on to the next outer round": """
grid(start) -> rows(loop i 0 3)
rows body -> cells(loop j 0 4)
cells body -> step(move 5)
step -> bend(turn 80)
{0}bend -> rows
rows -> last(turn 45)
last -> grid(end)
{{}} -> grid()
""",
    "a flow in the body": """
edge(start d) -> side(move d)
side -> bend(turn 90)
bend -> edge(end)
box(start d) -> around(loop i 0 4)
around body -> part(edge d)
{0}part -> around
around -> box(end)
{{}} -> box(20)
""",
}


def unlinked(case):
    lines = CLOSED[case].format("~").splitlines()
    return F.parse("\n".join(line for line in lines if not line.startswith("~")))


@pytest.mark.parametrize("case", CLOSED)
def test_a_link_that_closes_a_body_means_the_next_round(case):
    linked, plain = F.parse(CLOSED[case].format("")), unlinked(case)
    back = linked.graph.closing
    assert len(back) == CLOSED[case].count("{0}")
    assert all(linked.graph.nodes[end].type == "loop" for _, _, end in back)
    assert linked.graph.links == plain.graph.links
    assert plain.graph.closing == ()
    for text, syntax in [
        *((linked.to_text(syntax), syntax) for syntax in ("fbp", "lisp", "json")),
        (linked.graph.to_json(), "json"),
    ]:
        again = F.parse(text, syntax)
        assert (again.graph.links, again.graph.closing) == (linked.graph.links, back), syntax
        for found in (linked, again):
            assert list(found.trace()) == list(plain.trace())
            assert found.trace().heading == plain.trace().heading
    assert len(linked.drawing().shapes) == len(plain.drawing().shapes)


def test_an_unknown_type_lists_twelve_that_are_known():
    flows = "".join(f"f{k:02}(start) -> m(move 1)\nm -> f{k:02}(end)\n" for k in range(20))
    with pytest.raises(BadProgram) as caught:
        F.parse(f"{flows}g(start) -> m(jump 1)\nm -> g(end)\n{{}} -> g()")
    known = ["move", "turn", "loop", *(f"f{k:02}" for k in range(9))]
    assert caught.value.remedy == "known are " + ", ".join(known)


def test_only_the_reference_metric_sees_the_closing_link():
    linked, plain = F.parse(CLOSED["one loop"].format("")), unlinked("one loop")
    assert float(F.distance(linked, plain)) == 0
    assert float(F.distance(linked, linked, mode="reference")) == 0
    # the pair loop-turn is wired in one and not in the other: only three of four nodes go together
    other = plain.with_run(position=(10, 90), theta=200)
    apart = [float(F.distance(p, other, mode="reference")) for p in (plain, linked)]
    assert apart[0] < apart[1]


def test_the_ports_of_the_authors_lisp_are_read():
    theirs = """(begin
      (define-flow star (n d) ((n (int (3 12))))
        ((create-node around loop i 0 n) (create-node side move d)
         (create-node bend turn (/ 720 n))
         (create-entry around) (create-link around:body side) (create-link side bend)
         (create-link bend around) (create-exit around)))
      (run-flow star (5 30) (96 10) 45))"""
    assert F.parse(theirs, "lisp") == F.parse(CLOSED["one loop"].format(""))


@pytest.mark.parametrize(
    "links",
    [
        "around -> next(turn 9)\nnext -> around",  # behind the loop
        "side -> next(turn 9)\naround -> next\nnext -> around",  # in the body and behind it
        "side -> next(turn 9)\nnext -> side",  # a cycle within the body
        "around body -> around",  # a loop that is its own body
    ],
)
def test_other_links_back_stay_cycles(links):
    text = f"f(start) -> around(loop i 0 3)\naround body -> side(move 9)\n{links}\naround -> f(end)"
    with refused("flow f: circle", BadProgram):
        F.parse(text + "\n{} -> f()")


def test_recursion_is_refused_with_its_circle():
    text = "f(start) -> a(g)\na -> f(end)\ng(start) -> b(f)\nb -> g(end)\n{} -> f()"
    with refused("program: circle", BadProgram):
        run(text)
    with refused("flow f: circle", BadProgram):
        run("f(start) -> a(turn 1)\na -> b(turn 1)\nb -> a\na -> f(end)\n{} -> f()")


def nested(levels, copies):
    lines = ["f0(start) -> m(move 1)", "m -> f0(end)"]
    for k in range(1, levels + 1):
        names = [f"n{c}" for c in range(copies)]
        lines += [f"f{k}(start) -> n0(f{k - 1})"]
        lines += [f"{a} -> {b}(f{k - 1})" for a, b in pairwise(names)]
        lines += [f"{names[-1]} -> f{k}(end)"]
    return "\n".join([*lines, f"{{}} -> f{levels}()"])


def test_programs_too_deep_or_too_large_are_refused():
    with refused("program: too-deep", BadProgram):
        run(nested(2_000, 1))
    with refused("program: too-many-nodes", BadProgram):
        run(nested(40, 2))
    assert len(run(nested(10, 2)).graph) == 1025


def test_exits_times_entries_is_refused():
    many = range(1, 1500)
    lines = ["f(start) -> n0(turn 1)", *(f"n0 -> n{k}(turn 1)" for k in many)]
    lines += [*(f"n{k} -> f" for k in many), "n0 -> f(end)"]
    lines += ["g(start) -> a(f)", "a -> b0(turn 1)", *(f"a -> b{k}(turn 1)" for k in many)]
    with refused("program: too-many-links", BadProgram):
        run("\n".join([*lines, "b0 -> g(end)", "{} -> g()"]))


def test_arguments_that_double_at_every_level_are_refused():
    lines = ["f0(start p) -> m(move p)", "m -> f0(end)"]
    for k in range(1, 40):
        lines += [f"f{k}(start p) -> n(f{k - 1} (+ p p))", f"n -> f{k}(end)"]
    lines += ["g(start) -> l(loop i 0 3)", "l body -> c(f39 i)", "l -> g(end)", "{} -> g()"]
    with refused("g/c/n/n/n/n/n/n/n: too-long", BadProgram):
        run("\n".join(lines))


def test_far_moves_are_refused():
    with refused("side/step: too-far", BadProgram):
        run(SIDE + "{} -> side(1000000)").trace()
    assert run(SIDE + "{} -> side(5000)", limits=DrawingLimits(distance=1e4)).trace().ink == 5000


def test_a_count_is_known_only_once_its_loop_runs():
    text = "f(start) -> m(move i)\nm -> l(loop i 0 2)\nl -> f(end)\n{} -> f()"
    with refused("f/m: unknown-name", BadProgram):
        run(text).trace()


def test_includes_are_found_beside_the_program_and_circles_refused(tmp_path):
    (tmp_path / "a.fbp").write_text('#include "b.fbp"\n')
    (tmp_path / "b.fbp").write_text('#include "a.fbp"\n')
    (tmp_path / "side.fbp").write_text(SIDE)
    with refused("line 1: circle", BadProgram):
        run('#include "a.fbp"\n{} -> side(1)', folder=tmp_path)
    program = run('#include "side.fbp"\n#include "side.fbp"\n{} -> side(9)', folder=tmp_path)
    assert program.trace().ink == 9
    lisp = '(begin (#include "side.fbp") (run-flow side (9) (64 64) 0))'
    assert F.parse(lisp, "lisp", folder=tmp_path).trace().ink == 9
    (tmp_path / "bad.fbp").write_bytes(b"\xff\xfe")
    with refused("file: wrong-encoding", BadProgram):
        run('#include "bad.fbp"\n{} -> side(1)', folder=tmp_path)


def test_an_include_through_a_link_cannot_leave_its_folder(tmp_path):
    (tmp_path / "secret.fbp").write_text(SIDE)
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "way.fbp").symlink_to(tmp_path / "secret.fbp")
    with refused("line 1: outside-folder", BadProgram):
        run('#include "way.fbp"\n{} -> side(1)', folder=inside)


def test_two_flows_of_one_name_are_refused(tmp_path):
    (tmp_path / "side.fbp").write_text(SIDE.replace("move d", "move (* 2 d)"))
    with refused("flow: duplicate", BadProgram):
        run('#include "side.fbp"\n' + SIDE + "{} -> side(1)", folder=tmp_path)


def test_files_are_read_by_their_ending(tmp_path):
    square = F.shape("square")
    for syntax in SYNTAXES:
        path = tmp_path / f"square.{syntax}"
        path.write_text(square.to_text(syntax))
        assert F.read(path) == square
    with refused("path: unknown-ending", BadProgram):
        F.read(tmp_path / "square.txt")
    with refused("file: not-found", BadProgram):
        F.read(tmp_path / "absent.fbp")


def test_comments_and_blank_lines_are_skipped():
    text = (
        "; a side\n\n   \nside(start d) -> step(move d)  ; forward\nstep -> side(end)\n\n{} -> side(30) ; run"
    )
    assert run(text).trace().ink == 30


def test_a_program_is_a_flow_of_the_g_index():
    flow = F.shape("square").to_flow()
    assert flow.types == ("START", "loop", "move", "turn")
    assert flow.is_dag
    assert float(gl.divergence(flow, flow)) == 0


@pytest.mark.parametrize(
    ("kind", "values", "right"),
    [
        ("int", (3, 4), True), ("int", (3, 3), False), ("int", (3, 4.5), False), ("int", (3,), False),
        ("float", (0.5, 0.6), True), ("float", (0.5, 0.5), False), ("float", (1, 2, 3), False),
        ("bool", (0,), True), ("bool", (1,), True), ("bool", (2,), False), ("bool", (-0.1,), False),
        ("bool", (0, 1), False), ("choice", (7,), True), ("choice", (), False), ("normal", (0, 1), False),
    ],
)  # fmt: skip
def test_a_rule_can_be_drawn_from_or_is_refused(kind, values, right):
    if right:
        assert rule_of((Symbol(kind), values), "here") == (kind, values)
        return
    with pytest.raises(BadProgram):
        rule_of((Symbol(kind), values), "here")


def test_a_trace_counts_its_steps_and_a_turn_draws_nothing():
    program = run('#include "square.fbp"\n{} -> square(30)')
    every = list(steps(program))
    assert trace(program).steps == len(every)
    turns = [step for step in every if step.type == "turn"]
    assert turns
    assert not any(step.pen for step in turns)


def test_a_hair_beyond_the_left_edge_is_that_edge():
    assert _wrapped(-1e-10) == 0.0
    assert _wrapped(-1e-8) == pytest.approx(SIZE - 1e-8, abs=1e-12)


def test_random_programs_run_as_their_trees_do_in_every_syntax_closed_or_not():
    random = Random(5)
    loops = 0
    for _ in range(40):
        flows = trees.random_flows(random)
        args, position = [random.randint(0, 12) for _ in flows[-1][1]], [random.randint(0, 127)] * 2
        theta, lines = random.randint(0, 359), []
        given = dict(zip(flows[-1][1], args, strict=True))
        trees.walked(flows[-1][2], given, flows, (*map(float, position), float(theta)), lines)
        graphs = set()
        for syntax, closing in itertools.product(SYNTAXES, (False, True)):
            text = trees.written(flows, args, position, theta, syntax, closing)
            program = F.parse(text, syntax)
            assert [tuple(move) for move in program.trace()] == lines, text
            of_type = [node.type for node in program.graph.nodes]
            assert len(program.graph.closing) >= closing * of_type.count("loop")
            graphs.add((tuple(of_type), program.graph.links))
            loops += of_type.count("loop")
        assert len(graphs) == 1
    assert loops > 300


@pytest.mark.parametrize("position", [(1.0,), (1.0, 2.0, 3.0), {1.0, 2.0}, 5.0])
def test_a_place_has_two_numbers_in_order(position):
    with pytest.raises(BadProgram) as caught:
        F.shape("circle", 20, position=position)
    assert caught.value.argument == "position"
