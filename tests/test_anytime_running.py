"""Time and the anytime test: Definitions 16 to 18 by hand, stopping, resuming, agents compared, pictures."""

import json
import random
import signal
import sys
import warnings
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from damages import damaged
from refusals import cautioned, refused

import gindex_lab as gl
from gindex_lab.presentation.plots import agents as plots
from gindex_lab.worlds.anytime.averages import average_evenly
from gindex_lab.worlds.anytime.pool import default_pool

matplotlib.use("agg")
A = gl.anytime
CELLS = "1+|1+|1+"


@pytest.fixture(scope="module")
def pool():
    return A.make_pool(1500, seed=7)


@pytest.fixture(scope="module")
def few():
    """Environments of 8 to 19 bits in one space."""
    return A.Pool.of([A.Environment(CELLS, "1" * k + "0") for k in range(9)])


# -- Definition 16 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rewards", "times", "tau", "expected"),
    [
        ([1, 1, -1, -1], [1, 2, 3, 4], 8, (1.0, 4, 2)),  # t = τ/2: half of them
        ([1], [7], 8, (0.0, 1, 0)),  # one interaction never counts,
        ([1], [8], 8, (1.0, 1, 1)),  # unless it ends exactly with the time
        ([], [], 8, (0.0, 0, 0)),
        ([1, 0, 1, 0], [2, 4, 6, 8], 8, (0.5, 4, 4)),  # exactly τ: all of them
        ([1, 1, -1], [2, 4, 9], 8, (1.0, 2, 1)),  # the last came too late, and is discarded
        ([1], [9], 8, (0.0, 0, 0)),
    ],
)
def test_average_with_diminishing_history_by_hand(rewards, times, tau, expected):
    assert A.average_reward(rewards, times, tau) == expected


def test_the_floor_is_exact_where_floats_would_fail():
    """3 interactions at 1/10 s each in 3/10 s: in floats 3 * 0.30000000000000004 / 0.3 goes wrong."""
    times = [Fraction(1, 10), Fraction(2, 10), Fraction(3, 10)]
    assert A.average_reward([1, 1, 1], times, Fraction(3, 10)).counted == 3
    assert A.average_reward([1] * 49, list(range(1, 50)), 49).counted == 49


@given(st.integers(1, 60), st.integers(1, 20), st.integers(1, 500))
def test_even_times_give_the_general_definition(n, cost, tau):
    rewards = np.arange(n, dtype=float) / n
    general = A.average_reward(rewards, [cost * k for k in range(1, n + 1)], tau)
    even = average_evenly(rewards[: tau // cost], cost, tau)
    assert even == pytest.approx(general)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), st.integers(1, 400))
def test_never_more_is_counted_than_completed(gaps, tau):
    times = np.cumsum(gaps).tolist()
    average = A.average_reward([1] * len(times), times, tau)
    assert 0 <= average.counted <= average.completed <= len(times)


def test_stopping_policies_gain_as_recorded():
    """Table of the specification: lucky stopping at N = 10, 100, 1000."""
    table = A.stopping_bias([10, 100, 1000], runs=20_000, seed=1)
    recorded = {
        "plain": [0.48, 0.56, 0.57],
        "diminishing": [-0.12, -0.10, -0.05],
        "total": [0, 0, 0],
    }
    for name, values in recorded.items():
        error = 4 * table[f"{name}_error"] + 0.006  # the recorded numbers are rounded and have their own
        assert (abs(table[name] - values) < error).all(), table[name]


def test_a_milder_rule_still_gains():
    row = A.stopping_bias([100], "patient", runs=20_000, seed=1).loc[100]
    assert row["diminishing"] == pytest.approx(0.08, abs=0.02)


def test_who_never_stops_gains_nothing():
    row = A.stopping_bias([50], "never", runs=5000, seed=1).loc[50]
    assert row["plain"] == row["diminishing"] == row["total"]
    assert abs(row["plain"]) < 4 * row["plain_error"]


# -- Definition 18 -----------------------------------------------------------------------------------------


def scripted(exam, rewards):
    """Hand in these rewards and give the complexities after each."""
    levels = []
    for reward in rewards:
        exam.record(exam.task(), A.Average(reward, 1, 1))
        levels.append(exam.xi)
    return levels


def test_complexity_and_time_follow_the_closed_form(pool):
    exam = A.Examination("random", pool=pool, tau0=1, xi=20)
    rewards = [1, -1, 0.5, 0, -0.5]
    assert scripted(exam, rewards) == pytest.approx(20 * np.cumprod([1.5, 0.5, 1.25, 1, 0.75]))
    assert exam.tau == Fraction(3, 2) ** 5
    table = exam.result.trajectory
    assert table["tau"].tolist() == [1.5**k for k in range(5)]
    assert table["elapsed"].iloc[-1] == 2 * (1.5**5 - 1)
    assert exam.result.value == pytest.approx(np.mean(rewards))
    assert table["score"].tolist() == pytest.approx(np.cumsum(rewards) / np.arange(1, 6))


def test_total_loss_halves_the_complexity(pool):
    exam = A.Examination("random", pool=pool, xi=30)
    scripted(exam, [-1])
    assert exam.xi == 15


def test_complexity_rises_artificially_until_an_environment_is_found(pool):
    exam = A.Examination("random", pool=pool)
    task = exam.task()
    assert (task.xi, task.increments) == (8, 7)  # the simplest has 8 bits, and ξ began at 1
    assert exam.xi == 1  # nothing changes before the record
    exam.record(task, A.Average(-1, 1, 1))
    assert exam.result.increments == 7
    assert exam.xi == 4


def test_chosen_environments_lie_in_the_window_and_are_never_used_again(pool):
    table = A.test("q-learning", seconds=5, pool=pool, seed=2).trajectory
    assert ((table["xi"] - 1 <= table["complexity"]) & (table["complexity"] <= table["xi"])).all()
    assert table["place"].is_unique


def test_time_is_checked_before_each_environment_only(pool):
    """1 + 1.5 + 2.25 ms: at 4 ms the third has begun, and is finished."""
    table = A.test("random", seconds=0.004, tau0=0.001, pool=pool).trajectory
    assert table["elapsed"].tolist() == pytest.approx([0.001, 0.0025, 0.00475])


@pytest.mark.parametrize(("seconds", "environments"), [(1, 33), (60, 43), (3600, 53)])
def test_from_a_microsecond_a_second_takes_33_environments(seconds, environments):
    tau, elapsed, count = Fraction(1, 10**6), Fraction(0), 0
    while elapsed < seconds:
        elapsed, tau, count = elapsed + tau, tau * Fraction(3, 2), count + 1
    assert count == pytest.approx(environments, abs=1)


def test_an_empty_test_has_value_zero(pool):
    exam = A.Examination("random", pool=pool)
    assert exam.result.value == 0
    assert exam.result.interval == (-1.0, 1.0)
    assert exam.result.trajectory.empty


def test_a_used_up_pool_ends_the_test(few):
    result = A.test("optimal", seconds=1e6, tau0=1, pool=few, clock=A.VirtualClock(10_000))
    assert result.reason == "exhausted"
    assert 0 < len(result.trajectory) <= len(few)


def test_complexity_is_capped_at_the_pool(few):
    exam = A.Examination("random", pool=few, xi=18)
    scripted(exam, [1])
    assert exam.xi == few.complexity[-1]


def test_complexity_climbs_for_the_oracle_and_hovers_for_random(pool):
    both = A.compare(["random", "oracle"], seconds=2, tests=15, pool=pool, seed=3)
    assert both.table.loc["oracle", "xi"] > 40
    assert both.table.loc["random", "xi"] < 25
    assert abs(both.table.loc["random", "value"]) < 4 * 0.08 / np.sqrt(15)


@pytest.mark.slow
def test_agents_are_ordered_with_intervals_that_do_not_meet(pool):
    """In a short test: Q-learning has little time to learn, and is between random and the follower."""
    order = ["random", "q-learning", "follower", "oracle", "optimal"]
    table = A.compare(order, seconds=0.15, tests=120, pool=pool, seed=5).table
    for lower, upper in pairwise(order):
        assert table.loc[lower, "high"] < table.loc[upper, "low"], table


@pytest.mark.slow
def test_given_time_q_learning_overtakes_the_follower(pool):
    table = A.compare(["q-learning", "follower"], seconds=600, tests=40, pool=pool, seed=5).table
    assert table.loc["q-learning", "low"] > table.loc["follower", "high"]


def test_the_score_is_surer_with_more_environments(pool):
    table = A.by_budget(["random", "oracle"], [0.01, 0.3, 10], 40, pool=pool, seed=1)
    for _, own in table.groupby("agent"):
        assert own["standard_deviation"].is_monotonic_decreasing
        assert own["standard_deviation"].iloc[-1] < 0.6 * own["standard_deviation"].iloc[0]
        assert own["environments"].is_monotonic_increasing


def test_a_budget_gives_the_score_of_a_test_of_that_time(pool):
    table = A.by_budget(["oracle"], [0.05, 1], 3, pool=pool, seed=4)
    alone = A.compare(["oracle"], seconds=0.05, tests=3, pool=pool, seed=4)
    assert table["value"].iloc[0] == pytest.approx(alone.table.loc["oracle", "value"])


def test_antithetic_test_of_a_random_agent_is_exactly_zero(pool):
    result = A.test("random", seconds=1, pool=pool, antithetic=True, seed=1)
    assert (result.trajectory["reward"] == 0).all()
    assert result.trajectory["elapsed"].iloc[0] == pytest.approx(0.002)  # both twins take their time


# -- time, wrappers -----------------------------------------------------------------------------------------


def test_a_slow_agent_has_zeros_until_its_first_action_fits(pool):
    result = A.test(A.Slow("oracle", 0.004), seconds=1, tau0=0.001, pool=pool, seed=1)
    table = result.trajectory
    late = table["tau"] < 0.004
    assert (table.loc[late, ["completed", "reward"]] == 0).all(axis=None)
    assert table["completed"].iloc[-1] > 1
    assert result.value < result.value_counted


def test_a_slower_agent_of_the_same_policy_scores_less(pool):
    slow = A.compare({"slow": A.Slow("oracle", 0.02), "fast": "oracle"}, 3, 15, pool=pool, seed=1)
    assert slow.table.loc["slow", "high"] < slow.table.loc["fast", "low"]


def test_a_lucky_stopper_rests_and_less_is_counted(pool):
    stopper = A.LuckyStopper("random", above=0)
    table = A.test(stopper, seconds=2, pool=pool, seed=1).trajectory
    assert (table["counted"] <= table["completed"]).all()
    assert (table["completed"] < (table["tau"] / 0.001).astype(int)).any()


class Ticking:
    """A clock of our own: an action takes a fixed time."""

    def __init__(self, nanoseconds):
        self.step, self.calls = nanoseconds, 0

    def __call__(self):
        self.calls += 1
        return (self.calls // 2) * self.step


def test_a_real_clock_counts_only_the_agents_time(pool):
    """Each act takes 100 ns by the given clock: in 1000 ns ten interactions are complete."""
    clock = A.RealClock(now=Ticking(100))
    session = pool.environments[0].start
    average = clock.run("random", lambda n: session(1, steps=n), Fraction(1, 10**6), Fraction(1))
    assert average[1:] == (10, 10)


def test_a_real_test_runs_and_ends_with_the_time(pool):
    result = A.test("random", seconds=0.2, clock="real", pool=pool, seed=1)
    assert result.reason == "time"
    assert result.trajectory["elapsed"].iloc[-1] >= 0.2


# -- stopping and going on ------------------------------------------------------------------------------------


def test_stop_gives_the_completed_environments(pool):
    result = A.test("oracle", seconds=100, pool=pool, each=lambda e: len(e.rows) == 4 and e.stop())
    assert result.reason == "stopped"
    assert len(result.trajectory) == 4
    assert result.value == result.trajectory["score"].iloc[-1]


class Interrupting:
    """Acts twenty times, then somebody presses Ctrl-C."""

    def __init__(self):
        self.acted = 0

    def act(self, observation, reward):
        self.acted += 1
        if self.acted == 20:
            signal.raise_signal(signal.SIGINT)
        return 0


def test_ctrl_c_drops_the_interrupted_environment(pool):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = A.test(Interrupting(), seconds=100, pool=pool)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.reason == "interrupted"
    assert result.trajectory["completed"].sum() < 20
    assert len(result.trajectory) == 6  # 1, 1, 2, 3, 5, 7 actions; the seventh had begun
    assert result.value == pytest.approx(result.trajectory["reward"].mean())


def test_an_interrupted_test_goes_on_as_if_nothing_had_happened(pool, tmp_path):
    path = tmp_path / "test.json"
    whole = A.test("q-learning", seconds=2, pool=pool, seed=6)
    A.test("q-learning", 2, pool=pool, path=path, each=lambda e: len(e.rows) == 5 and e.stop(), seed=6)
    assert len(json.loads(path.read_text())["rows"]) == 5
    resumed = A.test("q-learning", 2, pool=pool, path=path, seed=6)
    pd.testing.assert_frame_equal(resumed.trajectory, whole.trajectory)
    assert resumed.value == whole.value


def test_a_finished_test_goes_on_when_given_more_time(pool, tmp_path):
    path = tmp_path / "test.json"
    A.test("oracle", seconds=0.1, pool=pool, path=path, seed=1)
    longer = A.test("oracle", seconds=1, pool=pool, path=path, seed=1)
    pd.testing.assert_frame_equal(
        longer.trajectory, A.test("oracle", seconds=1, pool=pool, seed=1).trajectory
    )


def test_the_same_seed_gives_the_same_test_and_another_another(pool):
    one, again, other = (A.test("random", 1, pool=pool, seed=s).trajectory for s in (1, 1, 2))
    pd.testing.assert_frame_equal(one, again)
    assert one["place"].tolist() != other["place"].tolist()


@pytest.mark.slow
def test_comparison_does_not_depend_on_the_number_of_processes(few):
    one, two = (
        A.compare(["random", "oracle"], 0.02, 2, pool=few, jobs=jobs, seed=1).tests for jobs in (1, 2)
    )
    pd.testing.assert_frame_equal(one, two)


# -- the user's own agents --------------------------------------------------------------------------------------


class Stubborn:
    """Counts what it is told."""

    def __init__(self, seed, actions, space):
        assert actions == len(space[0])
        self.first = None

    def act(self, observation, reward):
        self.first = reward if self.first is None else self.first
        assert self.first == 0
        return 0


def test_a_class_is_started_anew_in_each_environment_with_what_it_asks_for(pool):
    own = A.test(Stubborn, seconds=0.1, pool=pool, seed=1)
    same = A.test(A.Constant(0), seconds=0.1, pool=pool, seed=1)
    assert own.trajectory["reward"].tolist() == same.trajectory["reward"].tolist()


def test_an_object_keeps_what_it_learnt(pool):
    agent = Interrupting()
    agent.acted = 1000
    A.test(agent, seconds=0.01, pool=pool)
    assert agent.acted > 1005


class Resting:
    def act(self, observation, reward):
        return None


def test_who_rests_has_no_interactions(pool):
    table = A.test(Resting, seconds=0.01, pool=pool).trajectory
    assert (table[["completed", "reward"]] == 0).all(axis=None)


# -- Definition 17, the pool, items -----------------------------------------------------------------------------


def test_pool_is_sorted_sieved_and_of_different_environments(pool):
    assert (np.diff(pool.complexity) >= 0).all()
    assert len({world.key for world in pool.environments}) == len(pool) == 1500
    assert all(A.is_reward_sensitive(world) for world in pool.environments[::50])
    assert pool.complexity[-1] <= 64


def test_pool_of_the_natural_law_is_thin_where_it_is_complex():
    pool = A.make_pool(300, law="natural", seed=1)
    lower, upper = np.sum(pool.complexity < 30), np.sum(pool.complexity > 60)
    assert lower > 5 * upper


def test_the_same_seed_gives_the_same_pool():
    one, again, other = (A.make_pool(40, seed=s).table for s in (1, 1, 2))
    pd.testing.assert_frame_equal(one, again)
    assert not one.equals(other)


def test_universal_weights_favour_simple_environments(pool):
    simple, even = (A.score("random", 60, pool=pool, weights=w) for w in ("universal", "uniform"))
    assert simple.environments["complexity"].mean() < even.environments["complexity"].mean() - 10


def test_score_is_the_mean_of_its_environments_with_an_interval(pool):
    score = A.score("oracle", 40, tau=0.05, pool=pool, weights="uniform", seed=1)
    assert score.value == pytest.approx(score.environments["reward"].mean())
    assert score.interval[0] < score.value < score.interval[1]
    narrow = A.score("oracle", 400, tau=0.05, pool=pool, weights="uniform", seed=1)
    assert np.ptp(narrow.interval) < 0.5 * np.ptp(score.interval)


@pytest.mark.parametrize("scale", ["clip", "unit"])
def test_environments_become_items_with_difficulties(scale, few):
    table = A.as_items(["random", "optimal"], few.environments, runs=3, scale=scale, seed=1)
    assert isinstance(table, gl.Responses)
    assert table.shape == (2, len(few))
    assert table.frame.loc["optimal"].mean() > table.frame.loc["random"].mean()
    np.testing.assert_allclose(table.difficulty, table.items["comp2"])
    assert len(table.trials) == 2 * len(few) * 3
    if scale == "unit":
        assert table.frame.loc["random"].mean() == pytest.approx(0.5, abs=0.1)
    gl.generality(table)


def test_bins_of_complexity_hold_all_items(few):
    table = A.by_complexity(A.as_items(["oracle"], few.environments, seed=1), bins=3)
    assert table["items"].sum() == len(few)
    assert table["complexity"].is_monotonic_increasing


# -- pictures ---------------------------------------------------------------------------------------------------


def test_space_shows_cells_and_walkers():
    world = A.Environment("12-|1-2--|1++2--", "2210")
    texts = {text.get_text() for text in plots.plot_space(world, title="A space").texts}
    assert {"0", "1", "2", "Good", "Evil", "agent"} <= texts


def test_trajectories_have_a_line_for_each_agent(pool):
    tables = {a: A.test(a, 0.1, pool=pool).trajectory for a in ("random", "oracle")}
    axes = plots.plot_trajectories(tables)
    drawn = [[line for line in ax.get_lines() if len(line.get_xdata())] for ax in axes]
    assert [len(lines) for lines in drawn] == [2, 3, 2]  # the empty ones are seaborn's, for its legend
    assert axes[2].get_yscale() == "log"


def test_placement_bias_is_symmetric_about_zero():
    ax = plots.plot_placement_bias([A.bias_of_placements(A.Environment(CELLS, "0"))])
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == heights[::-1]


# -- bad inputs -------------------------------------------------------------------------------------------------


class Raising:
    def act(self, observation, reward):
        raise KeyError("lost")


class Wild:
    def act(self, observation, reward):
        return 99


class Wordy:
    def act(self, observation, reward):
        return "left"


class Mute:
    pass


class Unstartable:
    def __init__(self):
        raise RuntimeError("no licence")

    def act(self, observation, reward):
        return 0


WORLDS = A.Pool.of([A.Environment(CELLS, "0"), A.Environment(CELLS, "1")])


def other_test(tmp_path):
    path = tmp_path / "state.json"
    A.test("random", seconds=0.001, pool=WORLDS, path=path, seed=1)
    A.test("oracle", seconds=0.001, pool=WORLDS, path=path, seed=1)


def broken_state(tmp_path):
    path = tmp_path / "state.json"
    path.write_text("{}")
    A.test("random", pool=WORLDS, path=path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: A.average_reward([1], [0.5], 1), "times[0]: not-a-time"),
        (lambda: A.average_reward([1], [1], 1.5), "tau: not-a-time"),
        (lambda: A.average_reward([1], [1], 0), "tau: not-positive"),
        (lambda: A.average_reward([1, 1], [1], 2), "times: wrong-length"),
        (lambda: A.average_reward([1, 1], [2, 1], 2), "times[1]: not-in-order"),
        (lambda: A.average_reward(None, [1], 2), "rewards: not-a-list"),
        (lambda: A.average_reward(["a"], [1], 1), "rewards[0]: not-a-number"),
        (lambda: A.stopping_bias([10], "greedy"), "rule: not-an-option"),
        (lambda: A.stopping_bias(10), "lengths: not-a-list"),
        (lambda: A.test("random", pool=WORLDS, path=5), "path: not-a-path"),
        (
            lambda: A.Examination("random", pool=WORLDS).record(None, None),
            "task, average: not-a-task",
        ),
        (lambda: A.compare({}, pool=WORLDS), "agents: not-a-list"),
        (lambda: A.score("random", 5, pool=5), "pool: not-a-pool"),
        (lambda: A.stopping_bias([0]), "lengths[0]: out-of-range"),
        (lambda: A.test("random", seconds=0, pool=WORLDS), "seconds: out-of-range"),
        (lambda: A.test("random", seconds="5", pool=WORLDS), "seconds: not-a-number"),
        (lambda: A.test("random", seconds=float("nan"), pool=WORLDS), "seconds: out-of-range"),
        (lambda: A.test("random", tau0=-1, pool=WORLDS), "tau0: out-of-range"),
        (lambda: A.test("random", clock="sundial", pool=WORLDS), "clock: not-a-clock"),
        (lambda: A.test("random", pool=[1, 2]), "pool: not-a-pool"),
        (lambda: A.test("random", pool=WORLDS, seed="x"), "seed: not-a-seed"),
        (lambda: A.test("genius", pool=WORLDS), "agent: not-an-agent"),
        (
            lambda: A.test("random", pool=WORLDS, tau0=1, seconds=2, clock=A.VirtualClock(1e-9)),
            "seconds: too-long",
        ),
        (lambda: A.test(Raising, pool=WORLDS), "agent: agent-failed"),
        (lambda: A.test(Wild, pool=WORLDS), "agent: not-an-action"),
        (lambda: A.test(Wordy, pool=WORLDS), "agent: not-an-action"),
        (lambda: A.test(Mute, pool=WORLDS), "agent: no-method"),
        (
            lambda: A.test(Unstartable, pool=WORLDS),
            "agent: agent-failed",
        ),
        (lambda: A.play(Wild, WORLDS.environments[0], engine="compiled"), "engine: not-our-agent"),
        (lambda: A.Examination("random", pool=WORLDS).run(), "seconds: never-ends"),
        (lambda: A.Examination("random", pool=WORLDS, xi=0), "xi: out-of-range"),
        (lambda: A.Examination("random", pool=WORLDS).restore("no/such/file"), "path: not-found"),
        (lambda: A.VirtualClock(0), "cost: out-of-range"),
        (lambda: A.make_pool(10, law="any"), "law: not-an-option"),
        (lambda: A.make_pool(10, cells=()), "cells: empty"),
        (lambda: A.make_pool(10, cells=5), "cells: not-a-list"),
        (
            lambda: A.make_pool(100, cells=(2,), highest=12),
            "size: too-many",
        ),
        (lambda: A.Pool.of([A.Environment(CELLS, "0")] * 2), "environments: duplicate-label"),
        (lambda: A.score("random", 3, pool=WORLDS), "environments: too-many"),
        (lambda: A.score("random", 2, pool=WORLDS, weights="even"), "weights: not-an-option"),
        (lambda: A.compare([], pool=WORLDS), "agents: not-a-list"),
        (lambda: A.compare("random", pool=WORLDS), "agents: not-a-list"),
        (lambda: A.compare(["random", "random"], pool=WORLDS), "agents: duplicate-label"),
        (lambda: A.compare(["random"], tests=1, pool=WORLDS), "tests: out-of-range"),
        (lambda: A.by_budget(["random"], [], pool=WORLDS), "budgets: empty"),
        (lambda: A.by_complexity(gl.Responses([[1, 0]])), "responses: no-difficulty"),
        (lambda: A.as_items(["random"], WORLDS.environments, scale="raw"), "scale: not-an-option"),
        (lambda: A.as_items(["random"], WORLDS.environments, runs=0), "runs: out-of-range"),
        (lambda: plots.plot_trajectories({}), "trajectories: empty"),
        (
            lambda: plots.plot_bands(pd.DataFrame({"agent": [1]}), "seconds", "value"),
            "table: no-column",
        ),
        (lambda: plots.plot_placement_bias([np.array([np.nan])]), "biases: empty"),
    ],
)
def test_bad_tests_clocks_and_agents_are_refused_by_message(call, message):
    with refused(message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (other_test, "path: other-test"),
        (broken_state, "path: not-a-state"),
    ],
)
def test_a_state_of_another_test_is_refused(call, message, tmp_path):
    with refused(message):
        call(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"test": "x"},
        {"xi": float("nan")},
        {"xi": 0},
        {"elapsed": "1/0"},
        {"elapsed": "-1"},
        {"increments": None},
        {"rows": "abc"},
        {"rows": [{"place": 0}]},
        {"rows": [{"place": 0, "reward": 7, "counted": 1}]},
        {"rows": [{"place": 0, "reward": 0, "counted": 1}] * 2},
    ],
    ids=str,
)
def test_a_damaged_state_is_kept_aside_and_the_test_begins_anew(change, tmp_path):
    path = tmp_path / "state.json"
    whole = A.test("random", pool=WORLDS, seconds=1)
    A.test("random", pool=WORLDS, seconds=0.01, path=path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    before = path.read_text()
    with pytest.raises(gl.BadInput) as caught:
        A.Examination("random", pool=WORLDS).restore(path)
    assert caught.value.code == "damaged"
    with cautioned("damaged"):
        assert A.test("random", pool=WORLDS, seconds=1, path=path).value == whole.value
    assert path.with_name("state.json.damaged").read_text() == before


def test_two_hundred_damages_of_a_saved_state_give_no_wrong_result(tmp_path):
    path, draw = tmp_path / "state.json", random.Random(1)
    expected = A.test("random", pool=WORLDS, seconds=0.05).value
    A.test("random", pool=WORLDS, seconds=0.01, path=path)
    whole, refused = path.read_bytes(), 0
    for _ in range(200):
        path.write_bytes(damaged(whole, draw))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                assert A.test("random", pool=WORLDS, seconds=0.05, path=path).value == expected
            except gl.BadInput:
                refused += 1
                path.unlink()
        assert A.test("random", pool=WORLDS, seconds=0.05, path=path).value == expected
    assert refused < 120


@pytest.mark.parametrize("rules", [{"r0": 0.5}, {"identify": True}, {"delta": 0.5}], ids=str)
def test_a_state_of_other_rules_of_reward_or_sight_is_refused(rules, tmp_path):
    path = tmp_path / "state.json"
    A.test("random", pool=WORLDS, seconds=0.01, path=path)
    other = A.Pool.of([A.Environment(e.space, e.pattern, **rules) for e in WORLDS.environments])
    with refused("path: other-test"):
        A.test("random", pool=other, seconds=1, path=path)


def test_the_contract_names_are_there():
    assert A.test.__test__ is False  # pytest must not collect it
    result = A.test("random", seconds=1, seed=1)
    assert isinstance(result.value, float)
    assert isinstance(result.trajectory, pd.DataFrame)
    assert len(default_pool()) == 5000


def test_ctrl_c_ends_a_comparison_as_a_whole(pool):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            A.compare([Interrupting()], seconds=1, tests=2, pool=pool)
    finally:
        signal.signal(signal.SIGINT, before)
