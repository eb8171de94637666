"""The machine of the AIQ test: equal to the authors' traces, and the compiled one equal to the readable one."""

import hashlib
import inspect
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from gindex_lab import aiq
from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.aiq import kernel, random_streams
from gindex_lab.worlds.aiq.kernel import compile_program
from gindex_lab.worlds.aiq.machine import Machine, episode, run, trace
from gindex_lab.worlds.aiq.program import MachineSettings, check, partners


def golden(goldens, name):
    return [json.loads(line) for line in (goldens / "aiq" / name).read_text().splitlines()]


def machine_of(case):
    return MachineSettings(case["num_symbols"], case["obs_cells"], bool(case["reverse_output"]))


@pytest.mark.parametrize("name", ["bf_traces_nochance.jsonl", "bf_traces_chance.jsonl"])
def test_compiled_machine_equals_the_authors_traces(goldens, name):
    for case in golden(goldens, name):
        setup = machine_of(case)
        got = episode(case["program"], case["actions"], setup, chance=case.get("chance_stream"))
        assert got.rewards.tolist() == case["rewards"], case["program"]
        assert got.observations.tolist() == case["observations"], case["program"]
        assert got.steps.tolist() == case["steps"], case["program"]
        assert got.heads.tolist() == case["work_ptr"], case["program"]
        tape = got.state.work
        digest = hashlib.sha256(tape.tobytes()).hexdigest()
        assert digest == case["final_tape_sha256"], case["program"]
        if "chance_used" in case:
            assert got.state.registers[kernel.DRAWS] == case["chance_used"]


@pytest.mark.parametrize("name", ["bf_traces_nochance.jsonl", "bf_traces_chance.jsonl"])
def test_readable_machine_equals_the_authors_traces(goldens, name):
    for case in golden(goldens, name):
        draws = iter(case.get("chance_stream", []) * 1000)
        machine = Machine(case["program"], machine_of(case), lambda d=draws: next(d))
        for t, action in enumerate(case["actions"]):
            assert machine.act(action) == (case["rewards"][t], case["observations"][t])
            assert (machine.steps, machine.head) == (case["steps"][t], case["work_ptr"][t])


@st.composite
def programs(draw):
    """Balanced programs with every instruction, runs of one instruction included."""
    letters = draw(st.lists(st.sampled_from("+-<>,.%[]"), max_size=30))
    text, depth = "", 0
    for letter in letters:
        if letter == "]" and depth == 0:
            continue
        depth += {"[": 1, "]": -1}.get(letter, 0)
        text += letter * draw(st.sampled_from([1, 1, 1, 2, 7])) if letter in "+-<>" else letter
    return text + "]" * depth + "#"


@settings(max_examples=300)
@given(
    programs(),
    st.integers(2, 7),
    st.integers(0, 3),
    st.booleans(),
    st.lists(st.integers(0, 1), min_size=1, max_size=12),
)
def test_compiled_machine_equals_the_readable_one(program, n, cells, reverse, actions):
    setup = MachineSettings(n, cells, reverse)
    draws = [3, 1, 4, 1, 5, 9, 2, 6]
    got = episode(program, actions, setup, chance=draws)
    symbols = iter(draws * 20_000)
    machine = Machine(program, setup, lambda: next(symbols) % n)
    for t, action in enumerate(actions):
        assert machine.act(action) == (got.rewards[t], got.observations[t].tolist())
        assert (machine.steps, machine.head) == (got.steps[t], got.heads[t])
    tape = np.full(100_000, setup.middle)
    for place, symbol in machine.work.items():
        tape[place] = symbol
    assert (tape == got.state.work).all()


@settings(max_examples=300)
@given(programs(), st.integers(2, 7), st.lists(st.integers(0, 1), min_size=1, max_size=12))
def test_fused_code_equals_one_row_per_instruction_until_overtime(program, n, actions):
    setup = MachineSettings(n)
    key = random_streams.stream_key(3, 0, 0, 1, random_streams.CHANCE)
    fused, single = kernel.new_state(setup), kernel.new_state(setup)
    for action in actions:
        steps = [
            kernel.act(
                compile_program(program, n, fused=careful is False),
                n,
                state,
                key,
                kernel.NO_RECORD,
                careful,
                action,
            )
            for state, careful in ((fused, False), (single, True))
        ]
        if steps[1] >= kernel.MOST_STEPS:
            assert steps[0] >= kernel.MOST_STEPS
            return
        assert steps[0] == steps[1]
        for name in ("work", "history", "output"):
            assert (getattr(fused, name) == getattr(single, name)).all()
        where = [kernel.HEAD, kernel.DRAWS]
        assert (fused.registers[where] == single.registers[where]).all()


@pytest.mark.parametrize("length", [997, 998, 999])
def test_a_straight_line_is_too_long_from_a_thousand_steps(length):
    steps = [
        kernel.act(
            compile_program("+" * length + ",#", fused=fused),
            5,
            kernel.new_state(MachineSettings()),
            0,
            kernel.NO_RECORD,
            not fused,
            0,
        )
        for fused in (True, False)
    ]
    assert [step >= kernel.MOST_STEPS for step in steps] == [length + 2 >= 1000] * 2


@pytest.mark.parametrize("direction", ["<", ">"])
def test_tape_wraps_around_as_in_the_reference(direction):
    program = direction * 900 + "+.#"
    cycles = 240
    got = episode(program, [0] * cycles)
    machine = Machine(program)
    for t in range(cycles):
        machine.act(0)
        assert machine.head == got.heads[t]
    assert len(set(np.sign(np.diff(got.heads)))) == 2  # it went round


def test_reset_machine_is_a_fresh_machine():
    code, setup = kernel.compile_program("<%>>,.+>.#"), MachineSettings()
    state = kernel.new_state(setup)
    key = random_streams.stream_key(1, 2, 3, 1, random_streams.CHANCE)
    for action in (0, 4, 1):
        kernel.act(code, 5, state, key, kernel.NO_RECORD, False, action)
    assert not all((a == b).all() for a, b in zip(state, kernel.new_state(setup), strict=True))
    kernel.reset(state, 5)
    assert all((a == b).all() for a, b in zip(state, kernel.new_state(setup), strict=True))


@pytest.mark.parametrize(
    ("program", "actions", "rewards"),
    [
        (",.#", [4, 0, 2], [100, -100, 0]),  # pays the action
        (".,#", [4, 0, 2], [0, 100, -100]),  # pays the previous one: the cell is kept
        (",[.#]#", [4, 2, 2], [100, 100, 100]),  # the output is stale when nothing is written
        (
            ",,,.#",
            [4, 0, 2, 1],
            [0, 0, 100, -100],
        ),  # the third read is the action of two cycles ago
        (",..+++.#", [4, 4], [100, 100]),  # halts right after the second write
        ("," * 25 + ".#", [4] * 30, [0] * 30),  # the 25th read is always blank
    ],
)
def test_rewards_of_small_programs(program, actions, rewards):
    assert run(program, actions)[0].tolist() == rewards


def test_chance_depends_on_the_seed_and_on_nothing_else():
    actions = [0] * 50
    first, again, other = (run("%.%.#", actions, seed=seed) for seed in (1, 1, 2))
    assert (first[0] == again[0]).all()
    assert (first[1] == again[1]).all()
    assert (first[0] != other[0]).any()


def test_chance_is_uniform():
    rewards, _ = run("%.#", [0] * 20_000, seed=7)
    shares = np.unique(rewards, return_counts=True)[1] / 20_000
    assert len(shares) == 5
    assert np.abs(shares - 0.2).max() < 0.015


def test_streams_do_not_repeat_each_other():
    keys = {
        int(random_streams.stream_key(seed, program, replicate, sign, purpose))
        for seed in range(4)
        for program in range(10)
        for replicate in range(3)
        for sign in (-1, 1)
        for purpose in range(4)
    }
    assert len(keys) == 4 * 10 * 3 * 2 * 4
    draws = [random_streams.uniform(key, 0) for key in sorted(keys)]
    assert abs(np.mean(draws) - 0.5) < 0.04


def test_trace_shows_each_step_and_ends_like_the_machine():
    table = trace(",[>+<-]>.#", [4, 3, 2])
    machine = Machine(",[>+<-]>.#")
    for cycle, action in enumerate([4, 3, 2], 1):
        machine.act(action)
        rows = table[table["cycle"] == cycle]
        assert len(rows) == machine.steps
        assert rows["output"].iloc[-1] == machine.output
        assert rows["head"].iloc[-1] == machine.head
    assert (table["instruction"] == [",[>+<-]>.#"[place] for place in table["place"]]).all()


def test_jump_table_pairs_the_brackets():
    assert partners("[[].]#") == {1: 2, 2: 1, 0: 4, 4: 0}


def test_longer_tapes_of_output_give_more_observations():
    rewards, seen = run(",.+.+.#", [1], observations=2)
    assert (rewards.tolist(), seen.tolist()) == ([-50.0], [[2, 3]])
    rewards, seen = run(",.+.+.#", [1], observations=2, reverse=True)
    assert (rewards.tolist(), seen.tolist()) == ([50.0], [[1, 2]])


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (3, "program: not-text"),
        ("", "program: empty"),
        (",.", "program: no-end"),
        (",[.#]", "program: end-in-loop"),
        (",.# ", "program: foreign-character"),
        (",x.#", "program: foreign-character"),
        (",.\n#", "program: foreign-character"),
        ("[,.#", "program: never-closed"),
        (",.]#", "program: no-opening-bracket"),
        ("][#", "program: no-opening-bracket"),
        ("[[,]#", "program: never-closed"),
    ],
)
def test_bad_programs_are_refused_with_the_place(program, message):
    for call in (check, compile_program, lambda p: run(p, [0])):
        with refused(message, BadProgram):
            call(program)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"symbols": 1}, "symbols: out-of-range"),
        ({"symbols": 2.5}, "symbols: not-a-whole-number"),
        ({"symbols": 101}, "symbols: out-of-range"),
        ({"symbols": "five"}, "symbols: not-a-whole-number"),
        ({"observations": -1}, "observations: out-of-range"),
        ({"reverse": "yes"}, "reverse: not-a-flag"),
        ({"seed": -1}, "seed: not-a-seed"),
        ({"seed": None}, "seed: not-a-seed"),
        ({"actions": [0, 5]}, "actions[1]: not-an-action"),
        ({"actions": [-1]}, "actions[0]: out-of-range"),
        ({"actions": [1.5]}, "actions[0]: not-a-whole-number"),
        ({"actions": ["up"]}, "actions: not-a-whole-number"),
        ({"actions": [[0], [1]]}, "actions: not-flat"),
        ({"actions": [True]}, "actions[0]: not-a-whole-number"),
    ],
)
def test_bad_settings_are_refused_by_name(keywords, message):
    with refused(message):
        aiq.run(**{"program": ",.#", "actions": [0], **keywords})


def test_table_of_contents_is_lazy_and_complete():
    for name in aiq.__all__:
        assert getattr(aiq, name) is not None
    assert inspect.unwrap(aiq.run) is inspect.unwrap(run)
    import gindex_lab.worlds.aiq.explain  # noqa: F401  # a module of the same name must not hide the function

    assert callable(aiq.explain)
    with pytest.raises(AttributeError) as caught:
        aiq.runn  # noqa: B018
    assert caught.value.name == "runn"
