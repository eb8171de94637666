"""Spaces, patterns and complexities of Λ: the published notation, the generator, the goldens."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy.stats import chisquare

import gindex_lab as gl
from gindex_lab.worlds.anytime.markov import MOST_APPLICATIONS

A = gl.anytime


@pytest.fixture(scope="module")
def logged(goldens):
    return json.loads((goldens / "anytime/lambda_environments.json").read_text())


# -- notation ------------------------------------------------------------------------------------------


def test_action_zero_stays_and_is_not_written():
    space = A.parse("12-|1-2--|1++2--")
    assert space.destinations == ((0, 0, 2), (1, 0, 2), (2, 1, 0))
    assert (space.cells, space.actions) == (3, 3)


def test_the_140_logged_spaces_round_trip(logged):
    for row in logged:
        space = A.parse(row["space"])
        assert space.text == row["space"]
        assert [list(cell) for cell in space.destinations] == row["transition"]
        assert A.strongly_connected(space)
        assert A.Environment(space, row["pattern"]).steps == row["steps"]


@given(st.integers(2, 9), st.integers(2, 5), st.data())
def test_any_displacements_round_trip(cells, actions, data):
    step = st.integers(1 - cells, cells - 1)
    moves = tuple(tuple(data.draw(step) for _ in range(actions - 1)) for _ in range(cells))
    assert A.parse(A.Space(moves).text) == A.Space(moves)


@given(st.integers(2, 7), st.integers(0, 10**6))
def test_a_table_of_destinations_gives_a_space_with_that_table(cells, seed):
    table = A.random_space(cells, seed=seed).destinations
    assert A.space_of(table).destinations == table


@given(st.text("012", min_size=1, max_size=6), st.integers(1, 4))
def test_a_repeated_pattern_has_the_root_of_the_pattern(pattern, times):
    root = A.primitive_root(pattern * times)
    assert root == A.primitive_root(pattern)
    assert pattern == root * (len(pattern) // len(root))


def test_environments_are_the_same_when_they_move_the_same():
    assert A.Environment("1+|1-", "00") == A.Environment("1-|1+", "0")
    assert A.Environment("1+|1-", "00") != A.Environment("1+|1-", "01")
    assert len({A.Environment("1+|1-", "00"), A.Environment("1+|1-", "0")}) == 1


# -- the generator --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [3, 6, 9])
def test_generated_spaces_are_strongly_connected_with_at_most_n_actions(cells):
    for seed in range(30):
        space = A.random_space(cells, seed=seed)
        assert A.strongly_connected(space)
        assert 2 <= space.actions <= cells


def test_displacements_before_the_sieve_have_the_logged_law():
    """With many actions nearly every space is connected, so the sieve hardly bends the law."""
    cells = 5
    moves = np.concatenate([np.ravel(A.random_space(cells, 8, seed=seed).moves) for seed in range(300)])
    sizes = np.bincount(np.abs(moves), minlength=cells)
    assert chisquare(sizes).pvalue > 1e-3
    signs = [np.sum(moves > 0), np.sum(moves < 0)]
    assert chisquare(signs).pvalue > 1e-3


def test_pattern_lengths_are_geometric_with_mean_n_cells():
    lengths = [len(A.random_pattern(3, 6, seed=seed)) for seed in range(3000)]
    assert abs(np.mean(lengths) - 6) < 4 * np.std(lengths) / np.sqrt(3000)


def test_the_same_seed_gives_the_same_space():
    assert A.random_space(7, seed=5) == A.random_space(7, seed=5) != A.random_space(7, seed=6)


# -- complexity -----------------------------------------------------------------------------------------


def test_published_complexities_match_the_golden_file(logged, goldens):
    golden = pd.read_csv(goldens / "anytime/lambda_complexities.csv").iloc[::2, 1:]
    ours = [A.published_complexity(A.Environment(row["space"], row["pattern"])) for row in logged]
    np.testing.assert_allclose(pd.DataFrame(ours), golden, rtol=1e-12)


def test_bits_of_a_description_by_hand():
    world = A.Environment("12-|1-2--|1++2--", "2210")
    pattern = 3 + 3 + 5 + 4 * np.log2(3)  # γ(3) + γ(3) + γ(4) + 4 log2 3
    assert A.description_bits(world) == pytest.approx(pattern)
    space = 2 * 3 * np.log2(5)
    assert A.description_bits(world, include_space=True) == pytest.approx(pattern + space)


def test_a_pattern_has_the_bits_of_its_root():
    assert A.complexity(A.Environment("1+|1-", "0101")) == A.complexity(A.Environment("1+|1-", "01"))


def test_lz_measure_is_the_published_third():
    world = A.Environment("12-|1-2--|1++2--", "2210")
    assert A.complexity(world, "lz") == A.published_complexity(world)["comp3"] == 14


# -- patterns that a program writes ------------------------------------------------------------------------


def test_a_program_without_rules_is_a_cyclic_pattern():
    assert A.MarkovPattern("120", (), actions=3).run(7).actions == (1, 2, 0, 1, 2, 0, 1)


def test_rules_apply_in_order_at_the_leftmost_place():
    program = A.MarkovPattern("xy", (("y", "1"), ("x", "0")), actions=2)
    # y -> 1 first (its rule comes first), then x -> 0: the string 01 is emitted
    assert program.run(2).actions == (0, 1)
    assert program.run(2).work == (2, 1)


def test_a_program_may_count_for_ever():
    """x -> 1x0 puts a 1 before x: after each 1 the next step rewrites x again."""
    program = A.MarkovPattern("x", (("x", "01xy"), ("yy", "y")), actions=2)
    assert program.run(6).actions == (0, 1, 0, 1, 0, 1)


def test_a_step_that_finds_no_action_stays_and_is_charged_the_most():
    program = A.MarkovPattern("x", (("x", "y"), ("y", "x")), actions=2)
    emitted = program.run(3)
    assert emitted.actions == (0, 0, 0)
    assert emitted.work == (MOST_APPLICATIONS,) * 3
    assert program.kt_max(3) == pytest.approx(program.length + 6)


def test_a_terminating_rule_ends_the_step():
    program = A.MarkovPattern("x", (("x", "y", True), ("y", "1")), actions=2)
    assert program.run(2).actions == (0, 0)


def test_kt_max_never_falls_with_more_interactions():
    program = A.MarkovPattern("x", (("xx", "1y"), ("x", "0xx"), ("y", "x")), actions=2)
    costs = [program.kt_max(n) for n in range(1, 20)]
    assert costs == sorted(costs)


def test_a_program_drives_good_and_evil():
    program = A.MarkovPattern("x", (("x", "01y"), ("y", "x")), actions=2)
    written, plain = (A.Environment("1+|1+|1+", pattern) for pattern in (program, "01"))
    for seed in range(5):
        one, other = (A.play("oracle", world, seed=seed).rewards for world in (written, plain))
        np.testing.assert_array_equal(one, other)
    assert A.complexity(written) > A.complexity(plain)


# -- bad inputs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: A.parse(""), "space: not-a-description"),
        (lambda: A.parse(7), "space: not-a-description"),
        (lambda: A.parse("1+"), "space: one-cell"),
        (lambda: A.parse("1+|2-"), "space: wrong-actions"),
        (lambda: A.parse("1+2|1-"), "space: uneven-cells"),
        (lambda: A.parse("1+-|1-"), "space: not-moves"),
        (lambda: A.parse("1+||1-"), "space: not-moves"),
        (lambda: A.parse("a|b"), "space: not-moves"),
        (lambda: A.space_of([[0, 1], [1, 2]]), "destinations[1]: not-a-cell"),
        (lambda: A.space_of([[1, 0], [1, 0]]), "destinations[0]: moves-at-rest"),
        (lambda: A.space_of(5), "destinations: not-a-table"),
        (lambda: A.primitive_root(""), "pattern: not-digits"),
        (lambda: A.strongly_connected("1+|x"), "space: not-moves"),
        (lambda: A.complexity("1+|1-"), "environment: not-an-environment"),
        (lambda: A.MarkovPattern("0", None, 2), "rules: not-a-tuple"),
        (lambda: A.random_space(1), "cells: out-of-range"),
        (lambda: A.random_space(4, 11), "actions: out-of-range"),
        (lambda: A.random_space(4, seed=-1), "seed: not-a-seed"),
        (lambda: A.random_pattern(3, 4, stop=0), "stop: out-of-range"),
        (lambda: A.random_pattern(3, 4, length=0), "length: out-of-range"),
        (lambda: A.Environment("1+|1|1+", "0"), "space: not-connected"),
        (lambda: A.Environment("1+|1-", ""), "pattern: not-digits"),
        (lambda: A.Environment("1+|1-", "p0"), "pattern: not-digits"),
        (lambda: A.Environment("1+|1-", 10), "pattern: not-digits"),
        (lambda: A.Environment("1+|1-", "012"), "pattern: not-an-action"),
        (lambda: A.Environment("1+|1-", "0", delta=1), "delta: out-of-range"),
        (lambda: A.Environment("1+|1-", "0", r0=0), "r0: out-of-range"),
        (lambda: A.Environment("1+|1-", "0", observation="all"), "observation: not-an-option"),
        (lambda: A.Environment("1+|1-", "0", identify="yes"), "identify: not-a-flag"),
        (
            lambda: A.Environment("1+|1-", A.MarkovPattern("2", (), actions=3)),
            "pattern: too-few-actions",
        ),
        (lambda: A.complexity(A.Environment("1+|1-", "0"), "zip"), "measure: not-an-option"),
        (lambda: A.MarkovPattern("", (), actions=2), "start: empty"),
        (lambda: A.MarkovPattern("2", (), actions=2), "start: not-a-word"),
        (lambda: A.MarkovPattern("0", (("", "1"),), actions=2), "rules[0]: empty-side"),
        (lambda: A.MarkovPattern("0", ("01",), actions=2), "rules[0]: not-a-rule"),
        (lambda: A.MarkovPattern("0", (), actions=11), "actions: out-of-range"),
        (lambda: A.as_environments([("1+|1-", "0")]), "table: not-a-table"),
        (lambda: A.as_environments(pd.DataFrame({"space": ["1+|1-"]})), "table: no-column"),
    ],
)
def test_bad_spaces_patterns_and_programs_are_refused_by_message(call, message):
    with refused(message):
        call()
