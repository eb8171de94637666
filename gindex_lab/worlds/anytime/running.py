"""The anytime test (Definition 18): it can be stopped at any time, and gets better the longer it runs.

    Y = 0; τ = τ0; ξ = 1; used = {}
    while elapsed < Θ:
        choose μ with ξ - 1 <= H(μ) <= ξ, not used; if there is none, ξ += 1 and choose again
        R = v(μ, π || τ)  (Def 16);  Y += R;  ξ += ξ R / 2;  τ += τ / 2;  used += {μ}
    return Y / |used|

(Hernández-Orallo and Dowe 2010.) τ grows whatever happens, by half, so that |used| grows with the
logarithm of the time; ξ follows the agent's success. τ is an exact fraction of a second.
"""

# ruff: noqa: PT028  (the name `test` is the paper's; it is not a pytest test)

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.fingerprints import is_sealed, mark_of, sealed
from gindex_lab.foundation.inputs import present, read_text
from gindex_lab.foundation.kept import set_aside
from gindex_lab.foundation.likes import AgentLike, ClockLike, SeedLike
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.parallel import progress_bar
from gindex_lab.foundation.validate import flag, number
from gindex_lab.worlds.anytime.agents import agent as agent_of
from gindex_lab.worlds.anytime.averages import (
    NANO,
    Average,
    RealClock,
    VirtualClock,
    clock_of,
    exact_seconds,
    mean_interval,
)
from gindex_lab.worlds.anytime.environment import Environment, Session, Stream, nested_seed, whole_seed
from gindex_lab.worlds.anytime.pool import Pool, pool_of

__all__ = ["AnytimeResult", "Examination", "NextTask", "test"]

_FORMAT = "gindex_lab anytime state 1"
COLUMNS = (
    *("xi", "tau", "complexity", "completed", "counted", "reward", "score", "score_counted"),
    *("elapsed", "increments", "cells", "actions", "space", "pattern", "place"),
)


class NextTask(NamedTuple):
    """What comes next: an environment for the time `tau`, at this place of the pool, chosen at `xi`."""

    environment: Environment
    tau: Fraction
    place: int
    xi: float
    increments: int
    seed: int


@dataclass(frozen=True, repr=False)
class AnytimeResult:
    """The score of the completed environments, and how the test went.

    `value` is Y / |used|; `value_counted` the average over the environments in which some interaction counted
    (n* > 0); `interval` a 95% interval of the mean reward over environments, as if they were a sample.
    `reason` says why it ended: "time", "stopped", "interrupted" or "exhausted". `trajectory` has a row for
    each environment. (Hernández-Orallo and Dowe 2010, Definition 18.)

    >>> AnytimeResult(0.5, 0.5, (0.1, 0.9), "time", 0, ())
    AnytimeResult(0.500 [0.100, 0.900], 0 environments, time)
    """

    value: float
    value_counted: float
    interval: tuple[float, float]
    reason: str
    increments: int
    rows: tuple[dict[str, Any], ...]

    @cached_property
    def trajectory(self) -> pd.DataFrame:
        """A row for each environment, with the running score and that of the environments that counted."""
        table = pd.DataFrame(self.rows, columns=[c for c in COLUMNS if not c.startswith("score")])
        rewards, counts = table["reward"].to_numpy(float), table["counted"].to_numpy(float) > 0
        number_ = np.arange(1, len(table) + 1)
        table["score"] = rewards.cumsum() / number_
        table["score_counted"] = (rewards * counts).cumsum() / counts.cumsum().clip(1)
        return table[list(COLUMNS)].set_axis(pd.Index(number_, name="environment"))

    def __repr__(self) -> str:
        shown = f"{self.value:.3f} [{self.interval[0]:.3f}, {self.interval[1]:.3f}]"
        return f"AnytimeResult({shown}, {len(self.rows)} environments, {self.reason})"


class Examination:
    """The algorithm, an environment at a time: `step()`, `run()`, `stop()`, `result`.

    Who drives an agent of another kind (a person at a widget) asks for `task()` and hands in what happened
    with `record(task, average)`. (Hernández-Orallo and Dowe 2010, Definition 18.)

    >>> exam = Examination("random", pool=Pool.of([Environment("1+|1-", "0")]), seed=1)
    >>> task = exam.task()
    >>> exam.record(task, Average(0.5, 1, 1))
    >>> exam.result.value, exam.xi
    (0.5, 8.0)
    """

    def __init__(
        self,
        agent: AgentLike,
        *,
        seconds: float | Fraction | None = None,
        pool: Pool | None = None,
        tau0: float | Fraction = 0.001,
        clock: ClockLike = "virtual",
        antithetic: bool = False,
        xi: float = 1.0,
        seed: SeedLike = 0,
    ) -> None:
        self.agent, self.clock, self.seed = agent_of(agent), clock_of(clock), whole_seed(seed)
        self.seconds = None if seconds is None else exact_seconds("seconds", seconds)
        self.pool = pool_of(pool)
        self.tau0, self.antithetic = exact_seconds("tau0", tau0), flag("antithetic", antithetic)
        self.xi = number("xi", xi, 0, open_ends=True)
        self.increments, self.elapsed = 0, Fraction(0)
        self.rows: list[dict[str, Any]] = []
        self.reason = ""

    @property
    def used(self) -> set[int]:
        """The places of the environments that were used."""
        return {row["place"] for row in self.rows}

    @property
    def tau(self) -> Fraction:
        """The time for the next environment, τ0 (3/2)^|used|, at most Θ."""
        tau = self.tau0 * Fraction(3, 2) ** len(self.rows)
        return tau if self.seconds is None else min(tau, self.seconds)

    def task(self) -> NextTask | None:
        """The next environment; None if there is none left to choose. Nothing changes before `record`."""
        xi, increments, used, number_ = self.xi, self.increments, self.used, len(self.rows)
        while xi - 1 <= self.pool.complexity[-1]:
            if window := self.pool.window(xi - 1, xi, used):
                place = window[Stream(nested_seed(self.seed, 0), number_).below(len(window))]
                own = nested_seed(self.seed, 1, number_)
                return NextTask(self.pool.environments[place], self.tau, place, xi, increments, own)
            xi, increments = xi + 1, increments + 1
        return None

    def record(self, task: object, average: object, elapsed: Fraction | None = None) -> None:
        """Take in what happened in an environment: score, complexity and time for the next."""
        if not isinstance(task, NextTask) or not isinstance(average, Average):
            problem = "[not-a-task] are not a task and its result"
            raise BadInput("task, average", (task, average), problem, "use task() and Average(...)")
        reward = number("average.value", average.value, -1, 1)
        self.elapsed += task.tau if elapsed is None else elapsed
        self.increments = task.increments
        world = task.environment
        self.rows.append(
            {
                "xi": task.xi,
                "tau": float(task.tau),
                "complexity": float(self.pool.complexity[task.place]),
                "completed": average.completed,
                "counted": average.counted,
                "reward": reward,
                "elapsed": float(self.elapsed),
                "increments": task.increments,
                "cells": world.cells,
                "actions": world.actions,
                "space": world.space.text,
                "pattern": str(world.pattern),
                "place": task.place,
            }
        )
        self.xi = min(task.xi + task.xi * reward / 2, float(self.pool.complexity[-1]))

    def step(self) -> bool:
        """One environment; False if the test is over, because the time is up or no environment is left."""
        if self.seconds is not None and self.elapsed >= self.seconds:
            self.reason = "time"
            return False
        task = self.task()
        if task is None:
            self.reason = "exhausted"
            return False
        real = self.clock if isinstance(self.clock, RealClock) else None
        began, both = real.now() if real else 0, []
        for swap in (False, True) if self.antithetic else (False,):
            session = partial(Session, task.environment, task.seed, swap=swap)
            both.append(self.clock.run(self.agent, session, task.tau, self.tau0))
        value = sum(average.value for average in both) / len(both)
        average = Average(value, min(a.completed for a in both), min(a.counted for a in both))
        taken = Fraction(real.now() - began, NANO) if real else task.tau * len(both)
        self.record(task, average, taken)
        return True

    def run(self, each: Callable[[Examination], object] | None = None) -> AnytimeResult:
        """Go on until the time is up; Ctrl-C ends it with the completed environments.

        `each` is called after every environment, and may call `stop()`.
        """
        self.reason = ""
        remedy = "give the test a time, or call step()"
        ensure(self.seconds is not None, "seconds", None, "[never-ends] would never end", remedy)
        try:
            while not self.reason and self.step():
                if each is not None:
                    each(self)
        except KeyboardInterrupt:
            self.reason = "interrupted"
        return self.result

    def stop(self) -> None:
        """End the test after the environment that is being played."""
        self.reason = "stopped"

    @property
    def result(self) -> AnytimeResult:
        """The valid result of what is complete, at any time."""
        rewards = np.array([row["reward"] for row in self.rows], dtype=float)
        counted = rewards[[row["counted"] > 0 for row in self.rows]]
        value, value_counted = (float(r.mean()) if len(r) else 0.0 for r in (rewards, counted))
        interval = mean_interval(rewards)
        return AnytimeResult(value, value_counted, interval, self.reason, self.increments, tuple(self.rows))

    def _identity(self) -> dict[str, Any]:
        """What must be the same for a test to go on."""
        worlds = self.pool.environments
        text = "\n".join(f"{e!r} {e.delta} {e.r0} {e.observation} {e.identify}" for e in worlds)
        return {
            "agent": repr(self.agent),
            "pool": mark_of(f"{self.pool.measure}\n{text}"),
            "clock": repr(self.clock) if isinstance(self.clock, VirtualClock) else "real",
            "tau0": str(self.tau0),
            "antithetic": self.antithetic,
            "seed": self.seed,
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state as JSON, whole or not at all; `restore` takes it up again.

        All chance is a function of the seed and of the number of the environment, so that a test which goes
        on from here gives what it would have given without the pause.
        """
        progress = {"xi": self.xi, "increments": self.increments, "elapsed": str(self.elapsed)}
        state = sealed({"format": _FORMAT, "test": self._identity(), **progress, "rows": self.rows})
        write_text(Path(path), json.dumps(state, indent=1) + "\n")

    def restore(self, path: str | PathLike[str]) -> None:
        """Go on from a saved state of the same test (agent, pool, clock, τ0, seed)."""
        try:
            state = _unsealed(Path(path))
            saved, xi, increments = dict(state["test"]), float(state["xi"]), int(state["increments"])
            elapsed, rows = Fraction(state["elapsed"]), list(state["rows"])
            if not (0 < xi < inf and elapsed >= 0 and increments >= 0):
                raise ValueError("ξ, the time or the increments are out of range")
            if len({int(row["place"]) for row in rows}) < len(rows):
                raise ValueError("an environment was used twice")
            if not all(-1 <= row["reward"] <= 1 and row["counted"] >= 0 for row in rows):
                raise ValueError("a reward is not in [-1, 1]")
        except BadInput:
            raise
        except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as error:
            said = f"{type(error).__name__}: {error}"
            problem = f"[not-a-state] is not a saved state of an anytime test ({said})"
            raise BadInput("path", str(path), problem, "name another file") from None
        for name, value in self._identity().items():
            problem = f"[other-test] holds a test with {name} {saved.get(name)!r}, not {value!r}"
            remedy = "go on with the same test, or name another file"
            ensure(saved.get(name) == value, "path", str(path), problem, remedy)
        self.xi, self.increments, self.elapsed, self.rows = xi, increments, elapsed, rows


def _unsealed(path: Path) -> dict[str, Any]:
    """What a file holds; "damaged" where it is ours, but not as we wrote it."""
    text = read_text(path)
    try:
        state = json.loads(text)
        if is_sealed(state):
            return dict(state)
    except (ValueError, RecursionError):
        pass
    if _FORMAT not in text:
        raise ValueError("it has no seal")
    problem = "[damaged] is a damaged state of an anytime test"
    raise BadInput("path", str(path), problem, "delete it, and the test starts from the beginning")


def test(
    agent: AgentLike,
    seconds: float = 5.0,
    *,
    pool: Pool | None = None,
    tau0: float | Fraction = 0.001,
    clock: ClockLike = "virtual",
    antithetic: bool = False,
    path: str | PathLike[str] | None = None,
    each: Callable[[Examination], object] | None = None,
    seed: SeedLike = 0,
) -> AnytimeResult:
    """The anytime test of an agent.

    Parameters
    ----------
    agent : a name, an agent of `gl.anytime`, or your own (see `gl.anytime.agent`)
    seconds : Θ, how long the test lasts
    pool : the environments to choose from, 5,000 random ones by default
    tau0 : τ0, the time for the first environment; the paper begins with 1e-6 "or any other small time value"
    clock : "virtual", where an action costs τ0 unless the clock or the agent says otherwise, so that
        `seconds / tau0` is about the number of interactions; "real"; or a clock
    antithetic : whether to play each environment twice, with Good and Evil exchanged, in twice the time
    path : a file that keeps the state after each environment; a test that was interrupted goes on from there
    each : called with the `Examination` after each environment; may call its `stop()`
    seed : of choices and sessions

    Returns
    -------
    An `AnytimeResult`, with `.value` and `.trajectory`.

    References
    ----------
    Hernández-Orallo and Dowe (2010), Definition 18.

    Examples
    --------
    >>> pool = Pool.of([Environment("1+|1+|1+", p) for p in ("0", "1", "01", "011")])
    >>> test("random", seconds=5, pool=pool, antithetic=True, seed=1).value
    0.0
    """
    rules: dict[str, Any] = {"pool": pool, "tau0": tau0, "clock": clock, "antithetic": antithetic}
    exam = Examination(agent, seconds=seconds, seed=seed, **rules)
    known = isinstance(path, str | PathLike | None)
    ensure(known, "path", path, "[not-a-path] is not a path", "name a file for the state")
    if path is not None and present(Path(path)):
        try:
            exam.restore(path)
        except BadInput as error:
            if error.code != "damaged":
                raise
            set_aside(Path(path), "is damaged; the test starts from the beginning")
    with progress_bar(total=seconds, desc="anytime test", unit="s", leave=False, disable=None) as bar:

        def after(exam: Examination) -> None:
            bar.update(min(float(exam.elapsed), bar.total) - bar.n)
            if path is not None:
                exam.save(path)
            if each is not None:
                each(exam)

        return exam.run(after)


test.__test__ = False  # type: ignore[attr-defined]


Result = AnytimeResult  # its name until November 2026
