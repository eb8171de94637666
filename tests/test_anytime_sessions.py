"""Sessions in Λ: rules by hand, compiled and readable agents alike, exact analysis, the logs explained."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loops import looped
from refusals import refused

import gindex_lab as gl
from gindex_lab.worlds.anytime.environment import nested_seed
from gindex_lab.worlds.anytime.planning import body_moves

A = gl.anytime
ALL = ["random", "constant", "reactive", "q-learning", "follower", "oracle", "optimal"]
RING = "1+2-|1+2-|1+2-|1+2-"


def worlds(n=12, **rules):
    found = []
    for seed in range(n):
        space = A.random_space(3 + seed % 7, seed=seed)
        pattern = A.random_pattern(space.actions, space.cells, seed=100 + seed)
        found.append(A.Environment(space, pattern, **rules))
    return found


@pytest.fixture(scope="module")
def logs(goldens):
    return json.loads((goldens / "anytime/lambda_environments.json").read_text())


@pytest.fixture(scope="module")
def logged(logs):
    return [A.Environment(row["space"], row["pattern"]) for row in logs]


# -- rules by hand ----------------------------------------------------------------------------------------


def start(space, pattern, cell, first, second, good=0, seed=0, **rules):
    return A.Environment(space, pattern, **rules).start(
        seed, placement=A.Placement(cell, first, second, good)
    )


def test_rewards_come_from_the_new_positions():
    session = start(RING, "1", cell=1, first=0, second=2)
    assert session.act(0) == 1.0  # Good moves from 0 to 1 as Evil leaves for 3
    assert (session.good_cell, session.evil_cell) == (1, 3)
    assert session.act(2) == -1.0  # to 0, where Evil goes, too
    assert (session.good_cell, session.evil_cell) == (2, 0)


def test_good_and_evil_follow_the_pattern_with_one_pointer():
    session = start(RING, "120", cell=0, first=0, second=2)
    places = []
    for _ in range(4):
        session.act(0)
        places.append((session.good_cell, session.evil_cell))
    assert places == [(1, 3), (0, 2), (0, 2), (1, 3)]


def test_evil_costs_and_nothing_is_nothing():
    session = start(RING, "0", cell=0, first=1, second=3)
    assert [session.act(a) for a in (2, 0, 1, 1)] == [-1.0, -1.0, 0.0, 1.0]


FUNNEL = "1+2+|12+|1-2+|1+2+"  # cells 0 and 2 both enter cell 1 under action 1


def test_a_collision_lets_exactly_one_move_by_a_fair_coin():
    outcomes = set()
    wins = 0
    for seed in range(400):
        session = start(FUNNEL, "1", cell=3, first=0, second=2, seed=seed)
        session.act(0)
        outcomes.add((session.first, session.second))
        wins += session.first == 1
    assert outcomes == {(1, 2), (0, 1)}
    assert abs(wins - 200) < 4 * 10


def test_who_would_enter_a_cell_that_the_other_keeps_stays_out():
    session = start(FUNNEL, "1", cell=3, first=0, second=1)  # cell 1 stays under action 1
    session.act(0)
    assert (session.first, session.second) == (0, 1)


def test_swapping_cells_is_allowed():
    session = start("1+|1-", "1", cell=0, first=0, second=1)
    session.act(0)
    assert (session.first, session.second) == (1, 0)


def test_a_trail_fades_by_half_until_it_is_eaten():
    session = start(RING, "1", cell=3, first=1, second=3, delta=0.5)
    assert session.act(0) == 0.0  # Good goes to 2 and Evil to 0
    assert session.trail == [-1.0, 0.0, 1.0, 0.0]
    assert session.act(2) == 0.5  # to 2, which Good left for 3
    assert session.trail == [-0.5, -1.0, 0.0, 1.0]
    assert session.act(0) == -1.0  # Evil comes to 2


def test_without_delta_the_trail_rule_is_lambda_one():
    for world in worlds(6):
        run = A.play("q-learning", world, seed=4).rewards
        assert set(np.unique(run)) <= {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("delta", [0.0, 0.5, 0.9])
def test_rewards_stay_within_one(delta):
    for world in worlds(6, delta=delta):
        assert np.abs(A.play("random", world, 500, seed=1).rewards).max() <= 1


# -- observations -----------------------------------------------------------------------------------------


def test_full_observation_shows_both_symbols_and_not_which_is_good():
    world = A.Environment(RING, "1")
    for good in (0, 1):
        session = world.start(0, placement=A.Placement(3, 0, 2, good))
        assert session.observation == (3, (0, 2))


def test_identified_observation_shows_good_first():
    world = A.Environment(RING, "1", identify=True)
    session = world.start(0, placement=A.Placement(3, 0, 2, 1))
    assert session.observation == (3, (2, 0))


def test_local_observation_shows_the_destinations_only():
    world = A.Environment(RING, "1", observation="local")
    session = world.start(0, placement=A.Placement(3, 0, 1, 0))
    assert session.observation == (3, (0, 1, 0))  # stay 3, action 1 to 0, action 2 to 2


def test_cell_observation_shows_the_own_cell_only():
    session = A.Environment(RING, "1", observation="cell").start(0, placement=(3, 0, 1, 0))
    assert session.observation == (3, ())


def test_symbols_are_good_as_often_as_evil():
    world = A.Environment(RING, "1")
    good = [world.start(seed).good for seed in range(400)]
    assert abs(np.mean(good) - 0.5) < 4 * 0.025


def test_placements_are_uniform_with_good_and_evil_apart():
    world = A.Environment("1+|1+|1+", "1")
    seen = [world.start(seed).placement[:3] for seed in range(1800)]
    counts = np.unique(seen, axis=0, return_counts=True)
    assert len(counts[0]) == 3 * 3 * 2
    assert abs(counts[1] - 100).max() < 45


# -- compiled and readable ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["full", "local", "cell"])
@pytest.mark.parametrize("delta", [0.0, 0.5])
def test_compiled_agents_play_exactly_as_the_readable_ones(mode, delta):
    agents = [*ALL, A.QLearning(epsilon=0.2), A.Scripted("0121"), A.LuckyStopper("random", 0.2, 5)]
    if delta:
        agents.remove("optimal")
    for world in worlds(7, observation=mode, delta=delta):
        for agent in agents:
            for swap in (False, True):
                both = [
                    A.play(agent, world, engine=engine, swap=swap, seed=9).rewards
                    for engine in ("compiled", "readable")
                ]
                np.testing.assert_array_equal(*both, err_msg=f"{agent} {world}")


@given(st.integers(0, 10**9), st.integers(2, 6), st.sampled_from(ALL))
@settings(max_examples=40)
def test_compiled_and_readable_agree_on_any_environment(seed, cells, agent):
    space = A.random_space(cells, seed=seed)
    world = A.Environment(space, A.random_pattern(space.actions, cells, seed=seed), identify=True)
    one, other = (
        A.play(agent, world, 25, engine=engine, seed=seed).rewards for engine in ("compiled", "readable")
    )
    np.testing.assert_array_equal(one, other)


class Readable:
    """A readable player in the clothes of a user's agent, so that sessions run one by one."""

    def __init__(self, seed, actions):
        self.actions, self.seed = actions, seed

    def act(self, observation, reward):
        return 1 % self.actions


@pytest.mark.parametrize("antithetic", [False, True])
def test_many_compiled_runs_are_those_of_single_sessions(antithetic):
    some = worlds(6, delta=0.5)
    many = A.mean_rewards(A.Constant(1), some, runs=4, antithetic=antithetic, seed=3)
    single = A.mean_rewards(Readable, some, runs=4, antithetic=antithetic, seed=3)
    np.testing.assert_allclose(many, single, atol=1e-12)


@pytest.mark.parametrize("agent", [*ALL, A.LuckyStopper("q-learning", 0.1, 3)])
def test_a_run_has_the_seed_nested_in_that_of_its_environment(agent):
    some = worlds(4)
    many = A.mean_rewards(agent, some, runs=3, seed=8)
    for place, world in enumerate(some):
        for run in range(3):
            own = nested_seed(8, place, run)
            assert many[place, run] == pytest.approx(A.play(agent, world, seed=own).mean)


def test_the_same_seed_gives_the_same_session():
    world = worlds(1)[0]
    one, again, other = (A.play("random", world, 200, seed=s).rewards for s in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()


@given(st.integers(0, 10**9), st.lists(st.integers(0, 2), min_size=1, max_size=40))
def test_exchanging_good_and_evil_negates_every_reward(seed, actions):
    world = A.Environment("12-|1-2--|1++2--", "2210", delta=0.5)
    one, twin = (world.start(seed, steps=len(actions), swap=swap) for swap in (False, True))
    for action in actions:
        assert one.act(action) == -twin.act(action)


@pytest.mark.parametrize("agent", ["random", "constant", A.Scripted("021")])
def test_antithetic_pairs_are_exactly_balanced_for_agents_that_do_not_look(agent):
    assert (A.mean_rewards(agent, worlds(8), runs=3, antithetic=True, seed=1) == 0).all()


# -- exact analysis ------------------------------------------------------------------------------------------


def test_random_agent_has_mean_zero_in_all_logged_environments(logged):
    assert max(np.abs(A.random_agent_mean(world)).max() for world in logged) < 1e-12


def test_a_fixed_placement_is_not_balanced(logged):
    biases = [A.bias_of_placements(world) for world in logged]
    largest = np.array([np.nanmax(np.abs(bias)) for bias in biases])
    assert 0.3 < largest.max() < 0.4
    assert max(abs(np.nanmean(bias)) for bias in biases) < 1e-12


def test_body_moves_are_laws_that_keep_good_and_evil_apart():
    for world in worlds(8):
        n = world.cells
        apart = (~np.eye(n, dtype=bool)).ravel()
        for move in range(world.actions):
            law = body_moves(world, move)
            np.testing.assert_allclose(law.sum(axis=1), 1)
            assert law[apart][:, ~apart].sum() == 0


def test_forward_and_backward_analysis_agree():
    for world in worlds(5):
        forward = A.random_agent_mean(world).mean()
        assert np.nanmean(A.bias_of_placements(world)) == pytest.approx(forward, abs=1e-12)


def test_the_bias_of_a_placement_is_what_sessions_show():
    world = A.Environment("1+2-|1+2-|1+2-|1+2-|1+2", "0")
    bias = A.bias_of_placements(world, 10)
    placed = A.Placement(0, 0, 2, 0)
    means = [A.play("random", world, 10, placement=placed, seed=k).mean for k in range(3000)]
    error = np.std(means) / np.sqrt(len(means))
    assert abs(np.mean(means) - bias[0, 0, 2]) < 4 * error


def test_optimal_play_earns_what_dynamic_programming_says():
    for world in worlds(4):
        runs = A.mean_rewards("optimal", [world], runs=400, seed=3)
        error = runs.std() / np.sqrt(runs.size) + 1e-9
        assert abs(runs.mean() - A.achievable(world)[1]) < 4 * error


def test_no_agent_beats_the_achievable_best_in_brute_force():
    """Three steps, every action sequence that may depend on the state: by plain recursion."""
    world = A.Environment("12-|1-2--|1++2--", "21")
    table, script = world.space.destinations, [2, 1, 2]

    def best(step, cell, good, evil):
        if step == 3:
            return 0.0
        law = body_moves(world, script[step])[good * 3 + evil]
        options = []
        for target in table[cell]:
            value = 0.0
            for pair in np.flatnonzero(law):
                g, e = divmod(int(pair), 3)
                reward = (target == g) - (target == e)
                value += law[pair] * (reward + best(step + 1, target, g, e))
            options.append(value)
        return max(options)

    every = [best(0, c, g, e) for c in range(3) for g in range(3) for e in range(3) if g != e]
    assert A.achievable(world, 3)[1] == pytest.approx(np.mean(every) / 3)


def test_logged_environments_are_reward_sensitive_within_five_actions(logged):
    assert all(A.is_reward_sensitive(world, 5) for world in logged)
    assert max(A.fewest_sensitive_steps(world).max() for world in logged) == 5


def test_the_sieve_rejects_a_space_where_every_action_stays():
    assert not A.is_reward_sensitive(A.Environment("1|1|1", "1", check=False))


def test_the_sieve_rejects_a_trap():
    """From cell 2 there is no way back: far from Good and Evil nothing can be done."""
    assert not A.is_reward_sensitive(A.Environment("1+|1+|1", "0", check=False))


# -- the logs -------------------------------------------------------------------------------------------------


@pytest.mark.shared
def test_all_280_logged_reward_sequences_are_explained(logs, logged):
    for kind in ("human_rewards", "qlearning_rewards"):
        assert all(A.explains(w, row[kind]) for w, row in zip(logged, logs, strict=True))


@pytest.mark.shared
@looped("name", list(A.VARIANTS))
def test_other_rules_explain_exactly_as_many_as_the_golden_file_says(name, logs, logged, shared):
    golden = json.loads((shared / "golden/anytime/lambda_feasibility.json").read_text())
    counts = [
        sum(A.explains(w, row[kind], A.VARIANTS[name]) for w, row in zip(logged, logs, strict=True))
        for kind in ("human_rewards", "qlearning_rewards")
    ]
    assert counts == golden["variants"][name]


@given(st.integers(0, 10**9), st.sampled_from(ALL))
@settings(max_examples=30)
def test_every_played_session_is_explained(seed, agent):
    space = A.random_space(3 + seed % 4, seed=seed)
    world = A.Environment(space, A.random_pattern(space.actions, space.cells, seed=seed))
    assert A.explains(world, A.play(agent, world, seed=seed).rewards)


def test_agents_on_the_logged_environments_score_as_recorded(logged):
    means = {a: A.mean_rewards(a, logged, runs=10, seed=1).mean() for a in ALL}
    assert abs(means["random"]) < 0.015
    assert 0.22 < means["q-learning"] < 0.28
    assert means["follower"] == pytest.approx(0.266, abs=0.02)
    assert means["oracle"] == pytest.approx(0.813, abs=0.015)
    assert means["optimal"] == pytest.approx(0.957, abs=0.005)


def test_the_best_achievable_mean_over_the_logged_environments(logged):
    assert np.mean([A.achievable(world)[1] for world in logged]) == pytest.approx(0.9574, abs=1e-4)


# -- bad inputs ------------------------------------------------------------------------------------------------


def short_session():
    session = A.Environment("1+|1-", "0").start(0, steps=1)
    session.act(0)
    return session


WORLD = A.Environment("1+|1-", "0")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: WORLD.start(0).act(2), "action: not-an-action"),
        (lambda: WORLD.start(0).act(True), "action: not-an-action"),
        (lambda: WORLD.start(0).act("1"), "action: not-an-action"),
        (lambda: WORLD.start(0).act(np.array([0, 1])), "action: not-an-action"),
        (lambda: short_session().act(0), "action: after-the-end"),
        (lambda: WORLD.start(0, steps=0), "steps: out-of-range"),
        (lambda: WORLD.start(-1), "seed: not-a-seed"),
        (lambda: WORLD.start(0, placement=(0, 1, 1, 0)), "placement: same-cell"),
        (lambda: WORLD.start(0, placement=(0, 1, 5, 0)), "placement: not-on-space"),
        (lambda: WORLD.start(0, placement=(0, 1)), "placement: not-a-placement"),
        (lambda: A.Session("1+|1-"), "environment: not-an-environment"),
        (lambda: A.explains(WORLD, [1], "coin"), "rules: not-rules"),
        (lambda: A.play("random", WORLD, engine="fast"), "engine: not-an-option"),
        (lambda: A.play("genius", WORLD), "agent: not-an-agent"),
        (lambda: A.play(7, WORLD), "agent: not-an-agent"),
        (lambda: A.mean_rewards("random", []), "environments: empty"),
        (lambda: A.mean_rewards("random", "1+|1-"), "environments: not-a-list"),
        (
            lambda: A.mean_rewards("random", [WORLD, 3]),
            "environments[1]: not-an-environment",
        ),
        (lambda: A.explains(WORLD, [1, 0.5]), "rewards[1]: not-a-reward"),
        (lambda: A.explains(WORLD, "101"), "rewards: not-rewards"),
        (lambda: A.Rules(collision="bounce"), "collision: not-an-option"),
        (
            lambda: A.achievable(A.Environment("1+|1-", "0", delta=0.5)),
            "environment: leaves-trails",
        ),
        (lambda: A.random_agent_mean("1+|1-"), "environment: not-an-environment"),
        (lambda: A.is_reward_sensitive(WORLD, 0), "n: out-of-range"),
        (lambda: A.Optimal(0), "horizon: out-of-range"),
        (lambda: A.QLearning(gamma=1), "gamma: out-of-range"),
        (lambda: A.QLearning(alpha=2), "alpha: out-of-range"),
        (lambda: A.QLearning(epsilon=-0.1), "epsilon: out-of-range"),
        (lambda: A.Scripted(""), "script: not-digits"),
        (lambda: A.Constant(-1), "action: out-of-range"),
        (lambda: A.LuckyStopper("random", above=2), "above: out-of-range"),
        (lambda: A.Slow("random", 0), "cost: out-of-range"),
        (lambda: A.Slow("genius", 1), "agent: not-an-agent"),
    ],
)
def test_bad_sessions_and_agents_are_refused_by_message(call, message):
    with refused(message):
        call()
