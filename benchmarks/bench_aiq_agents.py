"""How fast is the compiled AIQ test against a straightforward loop in Python?

Two peers run the same sampled programs with the readable learners of `tests/oracles`, on one
core, in turn: the readable machine of `aiq.machine` ("plain"), and one with a list as tape and
local variables, about as fast as Python gets ("tuned"). The authors' code, whose Q-learners are slower than
ours in Python, made 136,000 (Random), 88,000 (Freq), 23,000 (Q(0)), 25,000 (Q(0.5)) and 14,300 (HLQ)
interactions per second on a machine like this one: the note divides by these recorded numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from benchmarks.rows import Row, best_time, race
from gindex_lab.worlds.aiq.agents import HLQ, Agent, Freq, QLearning, Random
from gindex_lab.worlds.aiq.episodes import Trial
from gindex_lab.worlds.aiq.episodes import run as run_compiled
from gindex_lab.worlds.aiq.machine import Machine
from gindex_lab.worlds.aiq.sampler import sample
from tests.oracles.aiq_learners import start

__all__ = ["run"]

AGENTS: dict[str, Agent] = {
    "Random": Random(),
    "Freq": Freq(),
    "Q(0)": QLearning(trace=0.0),
    "Q(0.5)": QLearning(),
    "HLQ": HLQ(),
}
GOALS = {"Random": 150, "Freq": 150, "Q(0)": 400, "Q(0.5)": 400, "HLQ": 400}  # issue 6
AUTHORS = {"Random": 136_000, "Freq": 88_000, "Q(0)": 23_000, "Q(0.5)": 25_000, "HLQ": 14_300}
REPEATS = 9  # the best of both sides: speed goes up and down by a third on a shared machine


def run(programs: int = 400, episode: int = 1_000, seed: int = 1) -> list[Row]:
    """One row per agent: interactions per second of both, the ratio, and the growth with episodes."""
    table = sample(programs, seed=seed)["program"].tolist()
    return [_row(name, agent, table, episode) for name, agent in AGENTS.items()]


def _row(name: str, agent: Agent, table: list[str], episode: int) -> Row:
    rows, few = np.arange(len(table)), table[::10]
    run_compiled(agent, table[:1], rows[:1], Trial((2,)))  # compile, or load what was compiled
    values = run_compiled(agent, table, rows, Trial((episode,))).values
    ours = best_time(lambda: run_compiled(agent, table, rows, Trial((episode,))), REPEATS)
    longer = best_time(lambda: run_compiled(agent, table, rows, Trial((10 * episode,))))
    plain = best_time(lambda: [_play(_plain, agent, p, episode // 2) for p in few], REPEATS)
    tuned = best_time(lambda: [_play(_Machine, agent, p, episode // 2) for p in few])
    speed = 2 * episode * int(np.isfinite(values[:, 0, 0]).sum()) / ours
    plain_speed, tuned_speed = (episode * len(few) / seconds for seconds in (plain, tuned))
    return race(
        f"AIQ: {name}, {len(table)} programs, episode {episode:,}",
        speed,
        plain_speed,
        "plain Python",
        unit="interactions/s",
        goal=GOALS[name],
        note=f"{speed / tuned_speed:.0f} times tuned Python; {speed / AUTHORS[name]:.0f} times the authors' "
        f"recorded speed; ten times the episode takes {longer / ours:.1f} times as long",
    )


def _plain(program: str, chance: random.Random) -> Machine:
    return Machine(program, chance=lambda: chance.randrange(5))


def _play(machine_of: Callable[..., Machine | _Machine], agent: Agent, program: str, episode: int) -> None:
    """Both signs of one program in Python; the rare program that meets the step limit goes on."""
    for sign in (1, -1):
        machine = machine_of(program, random.Random(1))
        learner = start(agent, random.Random(2).random, Trial((episode,)))
        reward, observation = 0.0, [2]
        for _ in range(episode):
            reward, observation = machine.act(learner.perceive(observation, sign * reward))


class _Machine:
    """The machine of five symbols as one writes it in an afternoon."""

    def __init__(self, program: str, chance: random.Random) -> None:
        self.program, self.chance = program, chance
        self.work, self.head = [2] * 100_000, 0
        self.actions, self.output = [2] * 25, [2, 2]
        self.jump, waiting = {}, []
        for place, letter in enumerate(program):
            if letter == "[":
                waiting.append(place)
            elif letter == "]":
                partner = waiting.pop()
                self.jump[place], self.jump[partner] = partner, place

    def act(self, action: int) -> tuple[float, list[int]]:
        """Push the action and run the program once."""
        program, work, head, output = self.program, self.work, self.head, self.output
        self.actions.insert(0, action)
        self.actions.pop()
        place = steps = reads = writes = 0
        while steps < 1000 and writes < 2:
            letter = program[place]
            steps += 1
            if letter == "+":
                work[head] = (work[head] + 1) % 5
            elif letter == "-":
                work[head] = (work[head] - 1) % 5
            elif letter == ">":
                head = 0 if head == 99_999 else head + 1
            elif letter == "<":
                head = 0 if head == -100_000 else head - 1
            elif letter == ",":
                work[head] = self.actions[reads] if reads < 24 else 2
                reads += reads < 24
            elif letter == ".":
                output[writes] = work[head]
                writes += 1
            elif letter == "%":
                work[head] = self.chance.randrange(5)
            elif (letter == "[" and work[head] == 2) or (letter == "]" and work[head] != 2):
                place = self.jump[place]
            elif letter == "#":
                break
            place += 1
        self.head = head
        return 100 * (output[0] - 2) / 2, [output[1]]
