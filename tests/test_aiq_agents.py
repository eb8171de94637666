"""The agents of the AIQ test: equal to the authors', readable and compiled alike."""

import json

import numpy as np
import pytest
from oracles.aiq_learners import Twin, start
from refusals import refused

from gindex_lab.worlds.aiq.agents import (
    HLQ,
    NAMES,
    Constant,
    Freq,
    Own,
    QLearning,
    Random,
    agent,
)
from gindex_lab.worlds.aiq.episodes import Trial, interact, run
from gindex_lab.worlds.aiq.machine import Machine
from gindex_lab.worlds.aiq.program import MachineSettings

PROGRAMS = [",.#", ".,#", ",+.,.#", ",,.>,.#", ",[>++<[+]]>.#", "%[,.]>,.#", ",>%[-<+.>],.#"]
AGENTS = [
    Random(),
    Constant(3),
    Freq(0.1),
    Freq(0.05, decay=60),
    QLearning(trace=0.0),
    QLearning(initial=20.0, trace=0.9, epsilon=0.1, discount=0.9),
    QLearning(decay=70),
    HLQ(),
    HLQ(trace=0.95, epsilon=0.3, decay=40),
    HLQ(softmax=True, epsilon=0.5),
    HLQ(softmax=True, epsilon=40.0, decay=20),
]


def of_the_goldens(name, values):
    """The extended parameter order of the authors: (.., ε, decay, γ)."""
    return {
        "Random": lambda: Random(),
        "Constant": lambda a: Constant(a),
        "Freq": lambda e, d=0: Freq(e, d),
        "Q_l": lambda q, trace, rate, e, d, g: QLearning(q, trace, rate, e, d, g),
        "HLQ_l": lambda m, q, trace, e, d, g: HLQ(bool(m), q, trace, e, d, g),
    }[name](*values)


def played(learner, program, interactions, sign):
    machine, reward, observation = Machine(program), 0.0, [2]
    actions, rewards = [], []
    for _ in range(interactions):
        actions.append(learner.perceive(observation, sign * reward))
        reward, observation = machine.act(actions[-1])
        rewards.append(reward)
    return actions, rewards


def test_learners_equal_the_authors_traces_bit_for_bit(goldens):
    traces = (goldens / "aiq/agent_traces.jsonl").read_text().splitlines()
    assert {json.loads(trace)["agent"] for trace in traces} >= {"Freq", "Q_l", "HLQ_l"}
    for trace in map(json.loads, traces):
        uniforms = iter(trace["uniforms"])
        who = of_the_goldens(trace["agent"], trace["params"])
        learner = start(who, lambda stream=uniforms: next(stream), Trial((1,)))
        actions, rewards = played(learner, trace["program"], trace["episode_length"], trace["rflip"])
        assert (actions, rewards) == (trace["actions"], trace["rewards"]), trace["agent"]
        assert next(uniforms, None) is None, "not all recorded draws were used"
        for field, name in [
            ("Q", "value"),
            ("E", "trace"),
            ("V", "visits"),
            ("total", "total"),
            ("acts", "count"),
            ("final_epsilon", "epsilon"),
        ]:
            if field in trace:
                assert getattr(learner, name) == trace[field], (trace["agent"], field)
        if hasattr(learner, "diverged"):
            assert learner.diverged == trace["failed"]


@pytest.mark.parametrize("who", AGENTS, ids=repr)
def test_compiled_agents_equal_the_readable_ones(who):
    trial = Trial((40, 150), seed=3)
    compiled = run(who, PROGRAMS, np.arange(7), trial)
    for row, program in enumerate(PROGRAMS):
        for j, sign in enumerate((1, -1)):
            twin = Twin(who, trial, row, sign)
            steps = interact(twin, "twin", program, row, sign, trial)
            rewards = [reward for _, reward in steps]
            assert compiled.values[row, j].tolist() == [sum(rewards[:k]) / k for k in (40, 150)]
            assert compiled.diverged[row, j] == getattr(twin.learner, "diverged", False)


@pytest.mark.parametrize(
    "machine", [MachineSettings(4, 2), MachineSettings(3, 2, True), MachineSettings(2, 1)], ids=str
)
@pytest.mark.parametrize("who", [Freq(), QLearning(), HLQ()], ids=repr)
def test_compiled_agents_equal_the_readable_ones_on_other_machines(who, machine):
    trial = Trial((100,), machine=machine, seed=5)
    for row, program in enumerate([",.,+.>,.#", ",[>+<-]>.,.%.#"]):
        compiled = run(who, [program], np.array([row]), trial).values[0, 1, 0]
        steps = interact(Twin(who, trial, row, -1), "", program, row, -1, trial)
        assert compiled == sum(reward for _, reward in steps) / 100


def test_discounted_totals_are_divided_exactly_or_as_the_authors_do():
    total = 100 + 50 + 25
    for reference, weight in ((False, 1.75), (True, 1.875)):  # 1 + 1/2 + 1/4 (+ 1/8)
        trial = Trial((3,), discount=0.5, reference=reference)
        values = run(Constant(4), [",.#"], np.arange(1), trial).values
        assert values[0, :, 0].tolist() == [total / weight, -total / weight]


def test_one_run_gives_every_shorter_episode():
    long = run(Freq(), PROGRAMS, np.arange(7), Trial((10, 200, 1000)))
    short = run(Freq(), PROGRAMS, np.arange(7), Trial((200,)))
    assert (long.values[:, :, 1] == short.values[:, :, 0]).all()


def test_a_run_that_meets_the_step_limit_has_no_value():
    values = run(Random(), [",[+[-]+]#", ",.#"], np.arange(2), Trial((200,))).values
    assert np.isnan(values[0]).all()
    assert not np.isnan(values[1]).any()


def test_divergence_is_flagged():
    wild = QLearning(initial=900.0, trace=0.0, discount=0.5)
    assert run(wild, [",.#"], np.arange(1), Trial((5,))).diverged.all()
    assert not run(QLearning(), [",.#"], np.arange(1), Trial((50,))).diverged.any()


def test_values_depend_on_seed_and_row_but_not_on_order_or_workers():
    rows = np.arange(600)
    programs = [PROGRAMS[row % 7] for row in rows]
    one = run(Freq(), programs, rows, Trial((20,))).values
    two = run(Freq(), programs, rows, Trial((20,)), jobs=2).values
    assert (one == two).all()
    assert (run(Freq(), programs[::-1], rows[::-1], Trial((20,))).values[::-1] == one).all()
    assert (run(Freq(), programs, rows, Trial((20,), seed=2)).values != one).any()
    assert len({tuple(v) for v in one[::7, :, 0]}) > 20  # the same program, other chance


class Repeats:
    """An agent of the user's own: remembers its best action."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.best, self.last = (-np.inf, 0), 0

    def perceive(self, observation, reward):
        self.best = max(self.best, (reward, self.last))
        explore = self.random.random() < 0.5
        self.last = int(self.random.integers(5)) if explore else self.best[1]
        return self.last


def test_an_agent_of_the_user_is_fresh_and_seeded_in_each_run():
    who = agent(Repeats)
    first = run(who, [",.#"] * 3, np.arange(3), Trial((60,))).values
    assert (first == run(who, [",.#"] * 3, np.arange(3), Trial((60,))).values).all()
    assert len(np.unique(first)) > 1
    assert (first > 0).all()


def test_an_object_is_copied_for_each_run():
    class Counts:
        def __init__(self):
            self.n = 0

        def perceive(self, observation, reward):
            self.n += 1
            return 4 if self.n <= 10 else 2

    who = Counts()
    values = run(agent(who), [",.#"] * 2, np.arange(2), Trial((20,))).values
    assert values[:, 0, 0].tolist() == [50.0, 50.0]
    assert who.n == 0


def test_names_and_lines_of_the_tables():
    assert agent("Freq,0.05") == Freq(0.05)
    assert agent("Q_l,0.0,0.5,0.5,0.01,0.9") == QLearning(0.0, 0.5, 0.5, 0.01, 0, 0.9)
    assert agent("H_l,0.0,0.0,0.99,0.02,0.7") == HLQ(False, 0.0, 0.99, 0.02, 0, 0.7)
    assert {agent(name) for name in NAMES} == set(NAMES.values())
    assert isinstance(agent(Repeats), Own)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: agent("q"), "agent: not-an-agent"),
        (lambda: agent("Freq,much"), "agent: not-an-agent"),
        (lambda: agent("MC_AIXI,100,16,4,0.85,0.9"), "agent: not-an-agent"),
        (lambda: agent("Q_l,0.0,0.5"), "agent: not-an-agent"),
        (lambda: agent(3), "agent: not-an-agent"),
        (lambda: agent(dict).fresh(1), "agent: no-method"),
        (lambda: Freq(1.5), "epsilon: out-of-range"),
        (lambda: Freq("little"), "epsilon: not-a-number"),
        (lambda: Freq(0.05, -1), "decay: out-of-range"),
        (lambda: Constant(-1), "action: out-of-range"),
        (lambda: QLearning(discount=1.0), "discount: out-of-range"),
        (lambda: HLQ(discount=1.2), "discount: out-of-range"),
        (lambda: QLearning(trace=2), "trace: out-of-range"),
        (lambda: QLearning(rate=-0.1), "rate: out-of-range"),
        (lambda: HLQ(trace=0), "trace: out-of-range"),
        (lambda: HLQ(epsilon=2.0), "epsilon: out-of-range"),
        (lambda: agent("Q_l,0.0,0.5,0.5,0.02,1.0"), "discount: out-of-range"),
        (lambda: run(QLearning(discount=0), [",.#"], np.arange(1), Trial((5,))), "discount: discount-of-one"),
        (lambda: run(Constant(7), [",.#"], np.arange(1), Trial((5,))), "action: not-an-action"),
        (lambda: run(agent(lambda: Fixed(5)), [",.#"], np.arange(1), Trial((5,))), "action: not-an-action"),
        (lambda: run(agent(lambda: Fixed(None)), [",.#"], np.arange(1), Trial((5,))), "action: not-an-action"),
    ],
)  # fmt: skip
def test_bad_agents_say_what_is_wrong(make, message):
    with refused(message):
        make()


class Fixed:
    def __init__(self, action):
        self.action = action

    def perceive(self, observation, reward):
        return self.action
