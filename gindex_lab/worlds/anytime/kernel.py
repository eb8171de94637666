"""The compiled session: the rules of `environment.Session` and the agents of `players`, step for step.

`play` runs one agent through one session, `mean_of_runs` through many. Both read the same counter-based keys,
placements and draws as the readable classes, so that they give the same rewards; the tests compare them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation import kernels
from gindex_lab.foundation.validate import FloatArray, IntArray
from gindex_lab.worlds.aiq.random_streams import AGENT, CHANCE, PROGRAM, below, stream_key, uniform

__all__ = ["KINDS", "best_policy", "mean_of_runs", "play", "sensitive_states"]

# kinds of agents, and which of them a class is
RANDOM, SCRIPTED, FOLLOWER, ORACLE, PLANNED, QLEARNING, REACTIVE = range(7)
KINDS = {"Random": RANDOM, "Scripted": SCRIPTED, "Constant": SCRIPTED, "Follower": FOLLOWER}
KINDS |= {"Oracle": ORACLE, "Optimal": PLANNED, "QLearning": QLEARNING, "Reactive": REACTIVE}

compiled = kernels.compiled(uses=("worlds/aiq",))  # whose random streams it draws from
inlined = kernels.compiled(uses=("worlds/aiq",), inline="always")

Policy = npt.NDArray[np.int8]


@inlined
def _move(table: IntArray, move: int, first: int, second: int, coins: int, step: int) -> tuple[int, int]:
    """Where the two bodies go: the rule of `Session.next_bodies`."""
    to_first, to_second = table[first, move], table[second, move]
    if to_first != to_second:
        return to_first, to_second
    if to_first == first or to_second == second:  # who would enter the other's cell stays out
        return first, second
    if uniform(coins, step) < 0.5:
        return to_first, second
    return first, to_second


@inlined
def _state(table: IntArray, mode: int, cell: int, one: int, two: int) -> int:
    """A number for what is seen: own cell and both bodies, n_c standing for one out of sight."""
    n = table.shape[0]
    if mode == 2:
        one = two = n
    elif mode == 1:
        see_one = see_two = False
        for action in range(table.shape[1]):
            see_one |= table[cell, action] == one
            see_two |= table[cell, action] == two
        one = one if see_one else n
        two = two if see_two else n
    return (cell * (n + 1) + one) * (n + 1) + two


@inlined
def _best_of(worths: FloatArray, key: int, drawn: int) -> int:
    """The place of the largest number; among equals the draw decides."""
    top, ties = worths[0], 1
    for place in range(1, len(worths)):
        if worths[place] > top:
            top, ties = worths[place], 1
        elif worths[place] == top:
            ties += 1
    chosen = below(key, drawn, ties)
    for place in range(len(worths)):
        if worths[place] == top:
            if chosen == 0:
                return place
            chosen -= 1
    return 0


@inlined
def _towards(table: IntArray, cell: int, target: int) -> int:
    """The first action that leads to the target, or -1."""
    for action in range(table.shape[1]):
        if table[cell, action] == target:
            return action
    return -1


@inlined
def _foresee(
    table: IntArray, cell: int, good: int, evil: int, rule: tuple[float, float], trail: FloatArray
) -> FloatArray:
    """The reward of each action, if Good and Evil enter these cells; 0 where both would."""
    worths = np.empty(table.shape[1])
    for action in range(table.shape[1]):
        to = table[cell, action]
        worths[action] = rule[0] * trail[to]
        if to in (good, evil):
            worths[action] = rule[1] * (int(to == good) - int(to == evil))
    return worths


@inlined
def _eat(cell: int, good: int, evil: int, rule: tuple[float, float], trail: FloatArray) -> float:
    """The reward of the new cell: the rule of `Session._eat`."""
    if rule[0] == 0:
        return rule[1] if cell == good else -rule[1] if cell == evil else 0.0
    trail *= rule[0]
    trail[good] = rule[1]
    trail[evil] = -rule[1]
    reward = trail[cell]
    trail[cell] = 0.0
    return reward


@compiled
def play(
    how: tuple[Any, ...],
    placement: tuple[int, int, int, int],
    keys: tuple[int, int],
    rewards: FloatArray,
) -> int:
    """Fill `rewards` and return how many steps the agent took (fewer if its stopping rule says so).

    `how` is what `episodes` says of environment and agent: `rule` is (delta, r0), `view` (mode, identify),
    `parameters` (alpha, gamma, epsilon, initial) of a learner, `stop` (mean above which it rests, steps
    before).
    """
    table, pattern, rule, view, kind, parameters, script, policy, stop = how
    cell, first, second, swapped = placement
    coins, key = keys
    n, actions = table.shape
    steps, length, drawn, pointer, action, state = len(rewards), len(pattern), 0, 0, 0, 0
    trail, reward, total = np.zeros(n), 0.0, 0.0
    alpha, gamma, epsilon, initial = parameters[0], parameters[1], parameters[2], parameters[3]
    values = np.full((n * (n + 1) * (n + 1) if kind == QLEARNING else 1, actions), initial)
    for step in range(steps):
        good, evil = (second, first) if swapped else (first, second)
        to_first, to_second = _move(table, pattern[pointer], first, second, coins, step)
        to_good, to_evil = (to_second, to_first) if swapped else (to_first, to_second)
        # a reactive agent keeps what paid
        tries = kind == RANDOM or (kind == REACTIVE and reward <= 0)
        if kind == SCRIPTED:
            action = script[step % len(script)] % actions
        elif kind == FOLLOWER:
            action = _towards(table, cell, good)
            tries = action < 0
        elif kind == ORACLE:
            move = pattern[pointer]
            worths = _foresee(table, cell, table[good, move], table[evil, move], rule, trail)
            action = _best_of(worths, key, drawn)
            drawn += 1
        elif kind == PLANNED:
            left = min(steps - step, policy.shape[0]) - 1
            action = policy[left, pointer, (cell * n + good) * n + evil]
        elif kind == QLEARNING:
            one, two = (good, evil) if view[1] else (first, second)
            new = _state(table, view[0], cell, one, two)
            if step:
                target = reward + 1 + gamma * values[new].max()
                values[state, action] += alpha * (target - values[state, action])
            state = new
            if epsilon > 0:
                tries = uniform(key, drawn) < epsilon
                drawn += 1
            if not tries:
                action = _best_of(values[state], key, drawn)
                drawn += 1
        if tries:
            action = below(key, drawn, actions)
            drawn += 1
        cell, first, second = table[cell, action], to_first, to_second
        pointer = 0 if pointer + 1 == length else pointer + 1
        reward = _eat(cell, to_good, to_evil, rule, trail)
        rewards[step] = reward
        total += reward
        if step + 1 >= stop[1] and total > stop[0] * (step + 1):
            return step + 1
    return steps


@inlined
def _ahead(worth: FloatArray, table: IntArray, cell: int, first: int, second: int, move: int) -> float:
    """The expected worth of being in `cell` after this move of Good (first) and Evil (second)."""
    n = table.shape[0]
    to_first, to_second = table[first, move], table[second, move]
    if to_first != to_second:
        return worth[(cell * n + to_first) * n + to_second]
    if to_first == first or to_second == second:
        return worth[(cell * n + first) * n + second]
    one = worth[(cell * n + to_first) * n + second]
    other = worth[(cell * n + first) * n + to_second]
    return (one + other) / 2


@compiled
def _backward(table: IntArray, move: int, later: FloatArray, values: FloatArray, policy: Policy) -> None:
    """One step of dynamic programming: the best action and its value, for every (agent, Good, Evil)."""
    n, actions = table.shape
    worth = later.copy()
    for cell in range(n):
        for other in range(n):
            if other != cell:
                worth[(cell * n + cell) * n + other] += 1.0
                worth[(cell * n + other) * n + cell] -= 1.0
    for first in range(n):
        for second in range(n):
            if first == second:
                continue
            for cell in range(n):
                best, chosen = -np.inf, 0
                for action in range(actions):
                    value = _ahead(worth, table, table[cell, action], first, second, move)
                    if value > best + 1e-12:
                        best, chosen = value, action
                place = (cell * n + first) * n + second
                values[place] = best
                policy[place] = chosen


@compiled
def best_policy(table: IntArray, pattern: IntArray, horizon: int) -> tuple[Policy, FloatArray]:
    """The best actions [steps to go - 1, pointer, state] and the values [pointer, state] at the horizon."""
    n, length = table.shape[0], len(pattern)
    policy = np.zeros((horizon, length, n * n * n), dtype=np.int8)
    later = np.zeros((length, n * n * n))
    for left in range(horizon):
        values = np.zeros((length, n * n * n))
        for pointer in range(length):
            after = later[0 if pointer + 1 == length else pointer + 1]
            _backward(table, pattern[pointer], after, values[pointer], policy[left, pointer])
        later = values
    return policy, later


@compiled
def sensitive_states(table: IntArray, pattern: IntArray, horizon: int) -> IntArray:
    """For each (pointer, state) the fewest steps in which actions make a difference; 0 if none do.

    The worst value is minus the best one with Good and Evil exchanged, so one recursion is enough.
    """
    n, length = table.shape[0], len(pattern)
    fewest = np.zeros((length, n * n * n), dtype=np.int64)
    unused = np.zeros(n * n * n, dtype=np.int8)
    later = np.zeros((length, n * n * n))
    for left in range(1, horizon + 1):
        values = np.zeros((length, n * n * n))
        open_states = 0
        for pointer in range(length):
            after = later[0 if pointer + 1 == length else pointer + 1]
            _backward(table, pattern[pointer], after, values[pointer], unused)
            for cell in range(n):
                for first in range(n):
                    for second in range(n):
                        here = (cell * n + first) * n + second
                        swapped = (cell * n + second) * n + first
                        if first == second or fewest[pointer, here] > 0:
                            continue
                        if values[pointer, here] + values[pointer, swapped] > 1e-12:
                            fewest[pointer, here] = left
                        else:
                            open_states += 1
        if open_states == 0:
            break
        later = values
    return fewest


_PLACEMENT = 1 << 40  # as in `environment`
_WHOLE = (1 << 63) - 1  # the bits of a seed


@compiled
def _nested(seed: int, place: int) -> int:
    return stream_key(seed, place, 0, 1, PROGRAM) & _WHOLE


@compiled
def _placement(cells: int, key: int) -> tuple[int, int, int, int]:
    first = below(key, _PLACEMENT, cells)
    second = below(key, _PLACEMENT + 1, cells - 1)
    cell = below(key, _PLACEMENT + 2, cells)
    return cell, first, second + int(second >= first), below(key, _PLACEMENT + 3, 2)


@compiled
def mean_of_runs(how: tuple[Any, ...], seed: int, steps: int, antithetic: bool, means: FloatArray) -> None:
    """Fill `means` with the mean reward of each run; run k has the seed nested in `seed` at k."""
    cells, rewards = len(how[0]), np.zeros(steps)
    for run in range(len(means)):
        own = _nested(seed, run)
        keys = (stream_key(own, 0, 0, 1, CHANCE), stream_key(own, 0, 0, 1, AGENT))
        cell, first, second, good = _placement(cells, keys[0])
        means[run] = 0.0
        for twin in range(1 + int(antithetic)):
            placed = (cell, first, second, 1 - good if twin else good)
            taken = play(how, placed, keys, rewards)
            means[run] += rewards[:taken].mean() if taken else 0.0
        means[run] /= 1 + int(antithetic)
