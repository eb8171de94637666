"""Flatland's curricula, the distances of the paper's figure, and systems that learn to draw."""

from dataclasses import astuple

import numpy as np
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.worlds.flatland import Circle, Drawing, Line
from gindex_lab.worlds.flatland.curricula import samples
from gindex_lab.worlds.flatland.distances import nearest_many
from gindex_lab.worlds.flatland.experiments import score

F = gl.flatland
# the tests of Fig 15 with their printed Ω (g-index paper)
FIGURE_15 = {
    ("lines", 2): 0.25,
    ("circles", 4): 0.31,
    ("rectangles", 1): 0.48,
    ("circle_in_box", 2): 0.75,
    ("rotated_lines", 1): 0.70,
    ("stick_figure", 1): 0.72,
}


@pytest.fixture(scope="module")
def known():
    """The curriculum of Fig 15: 200 drawings of each of ten kinds."""
    return [task.drawing for task in F.curriculum(200, seed=1)]


@pytest.fixture(scope="module")
def omegas(known):
    """Ω of forty drawings of each test domain."""
    found = {}
    for (domain, n), _ in FIGURE_15.items():
        tests = [task.drawing for task in samples(domain, n, 40, seed=2)]
        found[domain, n] = nearest_many(tests, known, mode="reference")
    return found


# --- curricula --------------------------------------------------------------------------------------


def test_the_curriculum_of_the_figure_has_one_to_five_members():
    tasks = F.curriculum(3, seed=1)
    assert len(tasks) == 30
    assert {task.domain for task in tasks} == {f"{d}-{n}" for d in ("circles", "lines") for n in range(1, 6)}
    assert all(len(task.drawing) == int(task.domain[-1]) for task in tasks)
    assert all(task.image.shape == (128, 128) for task in tasks)


def test_the_same_seed_is_the_same_curriculum_whatever_its_length():
    short, long = F.curriculum(2, seed=3), F.curriculum(4, seed=3)
    for domain in {task.domain for task in short}:
        mine = [task.drawing for task in short if task.domain == domain]
        theirs = [task.drawing for task in long if task.domain == domain]
        assert theirs[:2] == mine
    assert F.curriculum(2, seed=4) != short


@pytest.mark.parametrize(
    ("domain", "shapes", "low", "high"),
    [
        ("circles", (1, 0), 0, 96),
        ("lines", (0, 1), 0, 128),
        ("rectangles", (0, 4), -192, 288),
        ("circle_in_box", (1, 4), -25, 97),
        ("stick_figure", (1, 6), -200, 320),
    ],
)
def test_domains_have_the_shapes_and_ranges_of_the_spec(domain, shapes, low, high):
    for task in samples(domain, 1, 60, seed=5):
        parts = task.drawing.shapes
        assert (
            sum(isinstance(p, Circle) for p in parts),
            sum(isinstance(p, Line) for p in parts),
        ) == shapes
        for part in parts:
            values = astuple(part)[:2] if isinstance(part, Circle) else astuple(part)
            assert low <= min(values) <= max(values) <= high


def test_rectangles_close_and_boxes_hold_their_circle():
    for task in samples("rectangles", 1, 20, seed=1):
        first, last = task.drawing.shapes[0], task.drawing.shapes[-1]
        assert (last.x1, last.y1) == pytest.approx((first.x0, first.y0), abs=1e-9)
    circle, *box = F.sample("circle_in_box", seed=1).drawing.shapes
    sides = sorted({line.x0 for line in box})
    assert sides == pytest.approx([circle.x - circle.radius, circle.x + circle.radius])


def test_rotated_lines_turn_by_the_same_angle_each_time():
    for task in samples("rotated_lines", 1, 20, seed=1):
        steps = [(p.x1 - p.x0) + 1j * (p.y1 - p.y0) for p in task.drawing.shapes]
        assert 5 <= len(steps) <= 20
        turns = np.array(steps[1:]) / np.array(steps[:-1])
        assert turns == pytest.approx(np.full(len(turns), turns[0]), abs=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.sample("ovals", seed=1), "domain: not-an-option"),
        (lambda: F.sample("lines", 0, seed=1), "n: out-of-range"),
        (lambda: F.sample("lines", seed=-1), "seed: not-a-seed"),
        (lambda: F.curriculum(0, seed=1), "count: out-of-range"),
        (lambda: F.curriculum(2, domains=(), seed=1), "domains: empty"),
    ],
)
def test_bad_curricula_are_refused_by_message(call, message):
    with refused(message):
        call()


# --- the paper's figure -----------------------------------------------------------------------------


def test_the_distances_of_the_figure_lie_in_the_ranges_of_seeded_drawings(omegas):
    for key, printed in FIGURE_15.items():
        assert omegas[key].value.min() <= printed <= omegas[key].value.max(), key


def test_the_domains_of_the_figure_come_in_its_order(omegas):
    median = {domain: float(np.median(found.value)) for (domain, _), found in omegas.items()}
    near = max(median["lines"], median["circles"])
    composed = min(median[name] for name in ("circle_in_box", "rotated_lines", "stick_figure"))
    assert median["lines"] < median["circles"]
    assert near < median["rectangles"] < composed
    assert all(0 < value < 1 for value in median.values())


def test_most_pairs_are_skipped_by_bounds(omegas):
    pairs = sum(found.pairs for found in omegas.values())
    assert pairs == 6 * 40 * 2000
    assert sum(found.evaluated for found in omegas.values()) < 0.3 * pairs


def test_a_larger_curriculum_is_never_farther(known):
    tests = [task.drawing for task in samples("rectangles", 1, 10, seed=3)]
    few, many = nearest_many(tests, known[::10]).value, nearest_many(tests, known).value
    assert (many <= few).all()


# --- systems ----------------------------------------------------------------------------------------


def pairs_of(tasks):
    return [task.pair for task in tasks]


def test_a_nearest_picture_knows_what_it_has_seen():
    tasks = F.curriculum(4, seed=1)
    system = F.NearestPicture()
    system.fit(pairs_of(tasks))
    assert all(system.generate(task.image) == task.drawing for task in tasks)
    assert system.operations > sum(task.image.size for task in tasks)


@pytest.mark.parametrize(
    "drawing",
    [
        Drawing((Circle(60, 60, 25),)),
        Drawing((Line(10, 110, 120, 100),)),
        Drawing((Circle(40, 40, 20), Circle(80, 80, 30), Line(5, 5, 120, 60))),
        Drawing((Line(20, 20, 100, 20), Line(100, 20, 100, 90), Line(20, 20, 20, 90))),
    ],
)
def test_a_fitter_finds_the_shapes_of_a_clean_picture(drawing):
    system = F.ShapeFitter()
    system.fit([(drawing.image(), drawing)])
    answer = system.generate(drawing.image())
    assert len(answer) == len(drawing)
    assert float(F.distance(drawing, answer)) < 0.1


def test_an_empty_picture_is_an_empty_drawing():
    task = F.sample("lines", seed=1)
    for system in (F.ShapeFitter(), F.PieceSearch()):
        system.fit([task.pair])
        assert len(system.generate(np.zeros((128, 128), np.uint8))) == 0


def test_a_search_composes_pieces_it_has_seen_apart():
    circle, line = Drawing((Circle(60, 60, 25),)), Drawing((Line(10, 110, 120, 100),))
    both = Drawing(circle.shapes + line.shapes)
    system = F.PieceSearch()
    system.fit([(drawing.image(), drawing) for drawing in (circle, line)])
    answer = system.generate(both.image())
    assert len(answer) == 2
    assert float(F.distance(both, answer)) < 0.05
    alone = F.NearestPicture()
    alone.fit([(drawing.image(), drawing) for drawing in (circle, line)])
    assert float(F.distance(both, alone.generate(both.image()))) > 0.4


def test_systems_rank_as_their_priors_suggest():
    tasks = F.curriculum(10, seed=1)
    tests = [task for n in (1, 2, 3) for d in ("circles", "lines") for task in samples(d, n, 2, seed=9)]
    theta = {}
    for system in (F.RandomDrawing(seed=1), F.NearestPicture(), F.ShapeFitter()):
        theta[type(system).__name__] = F.experiment(system, tasks, tests).performance
    assert theta["RandomDrawing"] < theta["NearestPicture"] < theta["ShapeFitter"]
    assert theta["ShapeFitter"] > 0.8


def test_the_index_is_that_of_the_record():
    tasks = F.curriculum(3, members=(1, 2), seed=1)
    tests = samples("rectangles", 1, 3, seed=2) + tasks[:2]
    outcome = F.experiment(F.NearestPicture(), tasks, tests, name="nearest")
    assert outcome.index.value == gl.g_index(outcome.experiment).value
    assert outcome.experiment.curriculum == {f"{d}-{n}": 3 for d in ("circles", "lines") for n in (1, 2)}
    seen = outcome.tests["domain_distance"] == 0
    assert seen.tolist() == [False] * 3 + [True] * 2
    assert (outcome.tests["performance"][seen] == 1).all()
    assert outcome.index.components.shape[0] == 5
    again = F.experiment(F.NearestPicture(), tasks, tests, name="nearest")
    assert again.index.value == outcome.index.value
    assert again.cost["operations"] == outcome.cost["operations"]


def test_the_g_index_of_a_flatland_record_survives_saving(tmp_path):
    tasks = F.curriculum(2, members=(1,), seed=1)
    outcome = F.experiment(F.NearestPicture(), tasks, samples("lines", 2, 2, seed=2))
    path = outcome.save(tmp_path / "run.json")
    assert gl.g_index(path).value == pytest.approx(outcome.index.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: F.NearestPicture().generate(t[0].image), "image: not-trained"),
        (lambda t: F.NearestPicture(block=7), "block: not-a-divisor"),
        (lambda t: F.NearestPicture().fit([]), "pairs: empty"),
        (lambda t: F.NearestPicture().fit([3]), "pairs[0]: not-a-pair"),
        (lambda t: F.NearestPicture().fit([(np.zeros((2, 2)), t[0].drawing)]), "pairs[0]: wrong-shape"),
        (lambda t: F.ShapeFitter(cover=2), "cover: out-of-range"),
        (lambda t: F.PieceSearch(beam=0), "beam: out-of-range"),
        (lambda t: F.experiment(F.NearestPicture, t, t), "system: not-a-system"),
        (lambda t: F.experiment(F.NearestPicture(), [], t), "curriculum: empty"),
        (lambda t: F.experiment(F.NearestPicture(), t, [3]), "tests[0]: not-a-sample"),
        (lambda t: score([], t), "answers: wrong-length"),
    ],
)  # fmt: skip
def test_bad_experiments_are_refused_by_message(call, message):
    with refused(message):
        call(F.curriculum(1, members=(1,), seed=1))
