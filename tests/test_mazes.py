"""Elithorn mazes: the package's numbers, the printed table, paths, agents, and bad input."""

import json
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import gindex_lab as gl
from gindex_lab.worlds.tasks.mazes.paths import checked_path, reach

MAZE = gl.mazes.make_maze(10, 0.3, seed=1, name="ten")
small_mazes = st.builds(
    lambda rank, share, seed: gl.mazes.make_maze(rank, share, seed=seed),
    st.integers(2, 9),
    st.floats(0.05, 0.95),
    st.integers(0, 1000),
)


def listed_paths(rank):
    for turns in product((0, 1), repeat=rank - 1):
        r = np.r_[0, np.cumsum(turns)]
        yield [(int(a), k - int(a)) for k, a in enumerate(r)]


def test_every_golden_maze_comes_out_bit_by_bit(goldens):
    golden = json.loads((goldens / "anytime/mazes_mazegen.json").read_text())
    assert {row["sample_kind"] for row in golden} == {"Rejection", "Rounding"}
    for row in golden:
        rank, share = row["rank"], row["sat"]
        maze = gl.mazes.make_maze(rank, share, r_seed=row["seed"], sample_kind=row["sample_kind"])
        assert [r * rank + c + 1 for r, c in maze.dots] == row["dots"]
        facts = maze.facts
        assert gl.mazes.analyse(rank, row["dots"]) == facts  # also by mazeGen's numbers
        assert facts["max_score"] == row["max_score"]
        assert facts["min_steps"] == row["min_steps"]
        assert facts["routes"] == row["n_full_max_routes"]
        assert facts["min_routes"] == row["n_min_step_routes"]
        assert facts["scores"] == {int(k): n for k, n in row["full_route_score_counts"].items()}
        for kind, name in {"m1": "m1", "m2": "m2", "package": "m3"}.items():
            ours = gl.mazes.difficulty(rank, share, facts["min_steps"], facts["max_score"], kind)
            assert ours == pytest.approx(row[name], abs=1e-9)


SEVEN_DIGITS = [9.525685, 8.877153, 11.01401, 10.21133, 12.16474, 11.66572, 13.26292, 13.53889, 14.90944,
                14.90944, 15.77249, 15.77249, 16.31832, 16.80505, 18.05222, 19.12021, 19.41059, 18.25986,
                11.41418, 11.73435, 14.10147, 14.93203, 10.1093]  # fmt: skip


def test_table_s1_follows_from_the_design_to_its_last_digit(beside, monkeypatch):
    names = [f"X{k}" for k in (*range(247, 265), 216, 217, 225, 227, 233)]
    theirs = pd.Series(SEVEN_DIGITS, index=names)
    if beside:
        monkeypatch.setenv("GINDEX_LAB_DATA", str(beside / "datasets"))
        assert gl.load("mazes").difficulty.to_dict() == theirs.to_dict()
    ours = gl.mazes.published_design()["difficulty"]
    assert list(ours.index) == list(theirs.index)
    assert np.abs(ours - theirs).max() < 5e-6
    found = gl.mazes.designs(theirs)
    of = found.set_index("item")
    assert found["item"].nunique() == 23
    assert of.loc["X263", ["rank", "saturation", "steps", "dots"]].tolist() == [20, 0.4, 19, 13]


def test_printed_difficulties_are_natural_logarithms():
    printed = gl.published("generality_table_s1").set_index("item")["difficulty"]
    assert (gl.mazes.published_design()["difficulty"] - printed).abs().max() < 0.0051
    assert gl.mazes.designs(printed, 0.005)["item"].nunique() == len(printed)
    assert gl.mazes.designs(printed, 0.005, base="10")["item"].nunique() <= 2


def test_a_step_of_rank_doubles_the_paths():
    low, high = (gl.mazes.difficulty(rank, 0.3, 9, 5) for rank in (10, 11))
    assert high - low == pytest.approx(np.log(2))
    assert gl.mazes.difficulty(10, 0.3, 9, 5, kind="paper") == pytest.approx(low / np.log(10))


@given(small_mazes)
def test_analysis_is_that_of_all_paths_listed(maze):
    marked = set(maze.dots)
    met = [[len(marked & set(path[: k + 1])) for k in range(maze.rank)] for path in listed_paths(maze.rank)]
    facts, most = maze.facts, max(row[-1] for row in met)
    assert facts["max_score"] == most
    assert facts["routes"] == sum(row[-1] == most for row in met)
    assert facts["min_steps"] == min(row.index(most) for row in met if most in row)
    assert sum(facts["scores"].values()) == 2 ** (maze.rank - 1)
    assert facts["min_steps"] >= most  # the tip has no dot


@given(small_mazes)
def test_solutions_are_all_the_best_paths_and_each_once(maze):
    for full, count in ((False, "min_routes"), (True, "routes")):
        paths = gl.mazes.solve(maze.rank, maze.dots, full=full)
        assert len({tuple(path) for path in paths}) == len(paths) == maze.facts[count]
        for path in paths:
            assert checked_path(maze.rank, path) == path
            assert len(set(path) & set(maze.dots)) == maze.facts["max_score"]
    assert gl.mazes.best_path(maze.rank, maze.dots) in gl.mazes.solve(maze.rank, maze.dots)


@given(small_mazes)
def test_agents_chances_are_those_of_all_walks(maze):
    marked, most = set(maze.dots), maze.facts["max_score"]
    for agent in (gl.mazes.RandomWalk(), gl.mazes.LookAhead(1), gl.mazes.Noisy(0.7)):
        go, total = agent.chances(maze), 0.0
        for path in listed_paths(maze.rank):
            if len(marked & set(path)) == most:
                steps = pairwise(path)
                total += np.prod([go[r, c] if to[0] > r else 1 - go[r, c] for (r, c), to in steps])
        assert gl.mazes.success(maze, agent) == pytest.approx(total)
    assert gl.mazes.success(maze, gl.mazes.Optimal()) == pytest.approx(1)
    blind = gl.mazes.success(maze, gl.mazes.RandomWalk())
    assert blind == pytest.approx(maze.facts["routes"] / 2 ** (maze.rank - 1))


def test_looking_further_ahead_solves_more():
    mazes = gl.mazes.battery((8, 12), (0.2, 0.4), copies=8, seed=1)
    agents = {str(k): gl.mazes.LookAhead(k) for k in (1, 3, 6, 12)}
    means = gl.mazes.play(mazes, agents).frame.mean(axis=1)
    assert means.is_monotonic_increasing
    assert means["12"] == pytest.approx(1)


def test_drawn_walks_solve_as_often_as_the_chance_says():
    maze, agent = gl.mazes.make_maze(6, 0.4, seed=2), gl.mazes.Noisy(1.0)
    rng = np.random.default_rng(1)
    solved = [
        len(set(gl.mazes.walk(maze, agent, rng)) & set(maze.dots)) == maze.facts["max_score"]
        for _ in range(2000)
    ]
    assert np.mean(solved) == pytest.approx(gl.mazes.success(maze, agent), abs=0.035)


def test_greedy_walkers_fail_most_in_sparse_mazes_and_never_in_full_ones():
    means = []
    for share in (0.02, 0.1, 0.5, 0.97):
        mazes = gl.mazes.battery((12,), (share,), copies=80, seed=1)
        means.append(gl.mazes.play(mazes, {"greedy": gl.mazes.LookAhead(1)}).frame.values.mean())
    assert means[1] < means[0]
    assert means[1] < means[2] < means[3] == pytest.approx(1, abs=0.01)


def test_a_maze_has_its_share_of_dots_and_none_at_the_tip():
    dots = gl.mazes.random_maze(10, 0.3, seed=1)
    assert len(set(dots)) == 17
    assert (0, 0) not in dots
    assert all(r + c < 10 for r, c in dots)
    assert dots == gl.mazes.random_maze(10, 0.3, seed=1)
    assert len(gl.mazes.random_maze(3, 0.999, seed=1)) == 5


def test_large_mazes_are_counted_exactly():
    maze = gl.mazes.make_maze(80, 0.2, seed=1)
    assert sum(maze.facts["scores"].values()) == 2**79


def test_a_maze_like_one_of_the_table_has_its_difficulty():
    maze = gl.mazes.matching(*gl.mazes.TABLE_S1["X248"], seed=1)
    assert maze.difficulty == pytest.approx(8.877153, abs=5e-6)


def test_sight_ends_after_the_given_number_of_crossings():
    dots = frozenset({(1, 0), (2, 0), (3, 0)})
    assert [reach(5, dots, k)[0, 0] for k in (1, 2, 3, 4, 5)] == [0, 1, 2, 3, 3]


def test_a_session_records_paths_and_only_allows_steps_up():
    mazes = gl.mazes.battery((5, 6), (0.3,), copies=1, seed=1)
    session = gl.mazes.Session(mazes)
    assert not session.click((3, 0))
    for crossing in gl.mazes.best_path(mazes[0].rank, mazes[0].dots)[1:]:
        assert crossing in session.steps()
        assert session.click(crossing)
    assert session.dots == mazes[0].facts["max_score"]
    assert session.answer()
    assert session.path == [(0, 0)]
    assert not session.answer([(0, 0)])
    assert session.finished
    assert session.item is None
    table = session.responses("me")
    assert table.frame.loc["me"].tolist() == [1, 0]
    assert table.difficulty.tolist() == [maze.difficulty for maze in mazes]


def test_a_click_on_the_path_goes_back_to_it():
    session = gl.mazes.Session([MAZE])
    for crossing in ((1, 0), (1, 1), (2, 1)):
        session.click(crossing)
    assert session.click((1, 0))
    assert session.path == [(0, 0), (1, 0)]


def finished():
    session = gl.mazes.Session([MAZE])
    session.skip()
    return session


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gl.mazes.analyse(1, []), "rank: out-of-range"),
        (lambda: gl.mazes.analyse(500, []), "rank: too-large"),
        (lambda: gl.mazes.analyse(4, "ab"), "dots: not-a-list"),
        (lambda: gl.mazes.analyse(4, [2.5]), "dots[0]: not-a-whole-number"),
        (lambda: gl.mazes.analyse(4, [(2, 2)]), "dots: outside-maze"),
        (lambda: gl.mazes.analyse(4, [8]), "dots: outside-maze"),
        (lambda: gl.mazes.analyse(4, [1]), "dots: is-the-tip"),
        (lambda: gl.mazes.analyse(4, [(0, 0)]), "dots: is-the-tip"),
        (
            lambda: gl.mazes.analyse(4, [(1, 0), (1, 0)]),
            "dots: duplicate",
        ),
        (lambda: gl.mazes.difficulty(10, 0.3, 9, 5, kind="best"), "kind: not-an-option"),
        (lambda: gl.mazes.difficulty(10, 30, 9, 5), "saturation: out-of-range"),
        (lambda: gl.mazes.difficulty(10, 0.3, 0, 5), "steps: out-of-range"),
        (lambda: gl.mazes.difficulty(10, 0.3, 9, 0), "dots: out-of-range"),
        (lambda: gl.mazes.designs(pd.Series([9.5]), 0), "tolerance: out-of-range"),
        (lambda: gl.mazes.designs(pd.Series([9.5]), base="2"), "base: not-an-option"),
        (lambda: gl.mazes.make_maze(5, 0.3), "seed: one-of-two"),
        (lambda: gl.mazes.make_maze(5, 0.3, r_seed=1, seed=1), "seed: one-of-two"),
        (
            lambda: gl.mazes.make_maze(5, 0.3, r_seed=1, sample_kind="x"),
            "sample_kind: not-an-option",
        ),
        (lambda: gl.mazes.make_maze(5, 1.0, seed=1), "saturation: out-of-range"),
        (lambda: gl.mazes.make_maze(5, 0.3, seed="one"), "seed: not-a-seed"),
        (lambda: gl.mazes.r_sample(3, 4, seed=1), "size: too-many"),
        (lambda: gl.mazes.battery((), seed=1), "ranks: empty"),
        (
            lambda: gl.mazes.matching(6, 0.2, 1, 1, most=20, seed=1),
            "most: no-such-maze",
        ),
        (lambda: gl.mazes.solve(20, [(1, 0)], full=True), "most: too-few-paths"),
        (lambda: gl.mazes.play([], {}), "agents: empty"),
        (lambda: gl.mazes.success(MAZE, gl.mazes.LookAhead(0)), "ahead: out-of-range"),
        (lambda: gl.mazes.success(MAZE, gl.mazes.Noisy(0)), "noise: out-of-range"),
        (lambda: gl.mazes.Session([]), "items: not-a-list"),
        (lambda: gl.mazes.Session([MAZE, MAZE]), "items: duplicate-label"),
        (lambda: gl.mazes.Session([MAZE]).responses(), "session: too-few"),
        (lambda: gl.mazes.Session([MAZE]).click((9, 9)), "crossing: outside-maze"),
        (lambda: gl.mazes.Session([MAZE]).click("up"), "crossing: not-a-crossing"),
        (lambda: gl.mazes.Session([MAZE]).answer([(1, 0)]), "path: not-from-tip"),
        (
            lambda: gl.mazes.Session([MAZE]).answer([(0, 0), (2, 0)]),
            "path: not-a-step",
        ),
        (lambda: finished().answer(), "session: all-answered"),
    ],
)
def test_bad_input_is_told(call, message):
    with refused(message):
        call()
