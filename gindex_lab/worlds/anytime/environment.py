"""An environment of the class Λ, and a session in it: the readable rules that the compiled ones follow.

Good and Evil walk a space under one pattern; the agent walks it freely. After each joint move the agent
gets the reward of the cell where it is: `r0` with Good, `-r0` with Evil. With `delta` > 0 a reward fades
where it was left (delta times its size at each step) until the agent eats it; `delta=0` is Λ-One, the class
of the published logs. Good and Evil never share a cell: if both would enter it, a fair coin says who moves.
(Hernández-Orallo and Dowe 2010, Section 5; Insa-Cabrera et al. 2011.)

A session has two random streams, one for the coins and the placement, one for the agent. Draw k of a stream
depends on its key and on k alone (`aiq.random_streams`), so that readable and compiled sessions, and
antithetic pairs, meet the same chance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import IntArray, choice, flag, integer, number
from gindex_lab.worlds.aiq.random_streams import AGENT, CHANCE, PROGRAM, below, stream_key, uniform
from gindex_lab.worlds.anytime.markov import MarkovPattern
from gindex_lab.worlds.anytime.spaces import parse, primitive_root, strongly_connected

__all__ = ["MODES", "Environment", "Observation", "Placement", "Session", "Stream", "checked", "nested_seed"]
__all__ += ["whole_seed"]

MODES = ("full", "local", "cell")
_PLACEMENT = 1 << 40  # where a stream's draws of the placement begin: no session is so long


class Observation(NamedTuple):
    """What an agent sees: its own cell, and by mode the two other bodies.

    `seen` is in mode "full" the cells of the two symbols; in mode "local" what stands at the destination of
    each action (0 nothing, 1 the first symbol, 2 the second); in mode "cell" nothing. Which symbol is Good
    differs from session to session, unless the environment was made with `identify=True`. (Hernández-Orallo
    and Dowe 2010, section 5; Insa-Cabrera et al. 2011.)
    """

    cell: int
    seen: tuple[int, ...]


class Placement(NamedTuple):
    """Where a session begins: the agent's cell, those of the two symbols, and which symbol is Good.

    Reference: Hernández-Orallo and Dowe (2010), section 5; Insa-Cabrera et al. (2011).
    """

    cell: int
    first: int
    second: int
    good: int


@dataclass(frozen=True)
class Environment:
    """A space and a pattern, with the rules of reward and of observation.

    `space` is the notation or a `Space`; `pattern` a string of digits or a `MarkovPattern`. `check=False`
    admits spaces that are not strongly connected, to study what the sieve rejects. (Hernández-Orallo and Dowe
    2010, section 5; Insa-Cabrera et al. 2011.)

    >>> Environment("1+|1-", "01")
    Environment('1+|1-', '01')
    >>> Environment("1+|1-", "0101") == Environment("1-|1+", "01")     # the same moves for ever
    True
    """

    space: Any = field(compare=False)
    pattern: Any = field(compare=False)
    delta: float = field(default=0.0, kw_only=True)
    r0: float = field(default=1.0, kw_only=True)
    observation: str = field(default="full", kw_only=True)
    identify: bool = field(default=False, kw_only=True)
    check: bool = field(default=True, kw_only=True, compare=False)
    key: tuple[Any, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        space, pattern = parse(self.space), self.pattern
        object.__setattr__(self, "space", space)
        problem = "[not-connected] is not strongly connected: some cell cannot be reached from another"
        remedy = "change a move, or pass check=False to study it anyway"
        connected = not flag("check", self.check) or strongly_connected(space)
        ensure(connected, "space", space.text, problem, remedy)
        if isinstance(pattern, MarkovPattern):
            problem = f"[too-few-actions] emits {pattern.actions} actions where the space has {self.actions}"
            remedy = "use a program with fewer actions"
            ensure(pattern.actions <= self.actions, "pattern", pattern, problem, remedy)
        else:
            digits = isinstance(pattern, str) and pattern and set(pattern) <= set("0123456789")
            ensure(digits, "pattern", pattern, "[not-digits] is not a string of digits", "use e.g. '2210'")
            problem = f"[not-an-action] has the action {max(pattern)}, and the space 0 to {self.actions - 1}"
            remedy = "use digits of the space's actions"
            ensure(int(max(pattern)) < self.actions, "pattern", pattern, problem, remedy)
        problem = "[out-of-range] would keep every reward"
        ensure(number("delta", self.delta, 0, 1) < 1, "delta", self.delta, problem, "use a number below 1")
        problem = "[out-of-range] gives no rewards"
        ensure(number("r0", self.r0, 0, 1), "r0", self.r0, problem, "use a number above 0")
        choice("observation", self.observation, MODES)
        flag("identify", self.identify)
        root = primitive_root(pattern) if isinstance(pattern, str) else pattern
        object.__setattr__(self, "key", (space.destinations, root))

    def __repr__(self) -> str:
        shown = f"'{self.pattern}'" if isinstance(self.pattern, str) else repr(self.pattern)
        return f"Environment('{self.space.text}', {shown})"

    @property
    def cells(self) -> int:
        """n_c."""
        return self.space.cells

    @property
    def actions(self) -> int:
        """n_a, with "stay"."""
        return self.space.actions

    @property
    def steps(self) -> int:
        """The length of the published sessions, 10 (n_c - 1)."""
        return 10 * (self.cells - 1)

    @cached_property
    def table(self) -> IntArray:
        """T[cell][action] as an array."""
        return np.array(self.space.destinations, dtype=np.int64)

    def script(self, steps: int) -> IntArray:
        """The pattern's actions: its primitive root, or as many as a Markov program must give."""
        if isinstance(self.pattern, MarkovPattern):
            return np.array(self.pattern.run(max(1, steps)).actions, dtype=np.int64)
        return self._root

    @cached_property
    def _root(self) -> IntArray:
        return np.array([int(digit) for digit in self.key[1]], dtype=np.int64)

    def start(
        self,
        seed: SeedLike = 0,
        *,
        steps: int | None = None,
        swap: bool = False,
        placement: Placement | None = None,
    ) -> Session:
        """A session: the placement and the coins follow from the seed; `swap` exchanges Good and Evil."""
        return Session(self, seed, steps=steps, swap=swap, placement=placement)


def checked(environment: Any, name: str = "environment") -> Environment:
    """The environment, if it is one."""
    problem = "[not-an-environment] is not an environment"
    remedy = "use gl.anytime.Environment(space, pattern)"
    ensure(isinstance(environment, Environment), name, environment, problem, remedy)
    return environment


class Session:
    """One run in an environment, step by step: `.observation`, `.act(action)`, `.rewards`, `.done`.

    Plain enough to be driven by a widget. All chance is a function of the seed and the step, so that the
    compiled twin and the swapped (antithetic) session meet the same coins. (Hernández-Orallo and Dowe 2010,
    section 5; Insa-Cabrera et al. 2011.)

    >>> session = Session(Environment("1+|1-", "0"), seed=3, steps=2)
    >>> [session.act(0), session.act(1)], session.done
    ([-1.0, 1.0], True)
    """

    def __init__(
        self,
        environment: Environment,
        seed: SeedLike = 0,
        steps: int | None = None,
        *,
        swap: bool = False,
        placement: Placement | None = None,
    ) -> None:
        self.environment = checked(environment)
        self.steps = environment.steps if steps is None else integer("steps", steps, 1)
        self.coins, self.agent_key = session_keys(seed)
        self.placement = placed(environment, self.coins, swap, placement)
        self.cell, self.first, self.second, self.good = self.placement
        self.trail = [0.0] * environment.cells
        self.rewards: list[float] = []
        self.taken: list[int] = []
        self._script = environment.script(self.steps)

    @property
    def step(self) -> int:
        """How many interactions are over."""
        return len(self.rewards)

    @property
    def done(self) -> bool:
        """Whether all steps were taken."""
        return self.step >= self.steps

    @property
    def good_cell(self) -> int:
        """Where Good is now."""
        return self.second if self.good else self.first

    @property
    def evil_cell(self) -> int:
        """Where Evil is now."""
        return self.first if self.good else self.second

    @property
    def mean(self) -> float:
        """The mean reward so far; 0 before the first step."""
        return sum(self.rewards) / len(self.rewards) if self.rewards else 0.0

    @property
    def observation(self) -> Observation:
        """What the agent sees now."""
        one, two = self.first, self.second
        if self.environment.identify:
            one, two = self.good_cell, self.evil_cell
        if self.environment.observation == "full":
            return Observation(self.cell, (one, two))
        if self.environment.observation == "cell":
            return Observation(self.cell, ())
        reach = self.environment.space.destinations[self.cell]
        return Observation(self.cell, tuple(1 if to == one else 2 if to == two else 0 for to in reach))

    @property
    def move(self) -> int:
        """The pattern's next action."""
        return int(self._script[self.step % len(self._script)])

    def next_bodies(self) -> tuple[int, int]:
        """Where the two symbols will be after this step's move, by the pattern, the rule and the coin."""
        table = self.environment.space.destinations
        first, second = table[self.first][self.move], table[self.second][self.move]
        if first != second:
            return first, second
        if first == self.first:  # the other would enter its cell, and may not
            return first, self.second
        if second == self.second:
            return self.first, second
        wins = uniform(self.coins, self.step) < 0.5
        return (first, self.second) if wins else (self.first, second)

    def act(self, action: int) -> float:
        """Move, let Good and Evil move at the same time, and get the reward of the new cell."""
        if self.done:
            problem = f"[after-the-end] comes after the last of {self.steps} steps"
            raise BadInput("action", action, problem, "start a new session")
        actions, delta, r0 = self.environment.actions, self.environment.delta, self.environment.r0
        if isinstance(action, bool) or np.ndim(action) or action not in range(actions):
            problem = "[not-an-action] is not an action here"
            raise BadInput("action", action, problem, f"use 0 to {actions - 1}")
        self.first, self.second = self.next_bodies()
        self.cell = self.environment.space.destinations[self.cell][int(action)]
        self.trail = [delta * left for left in self.trail]
        self.trail[self.good_cell] = r0
        self.trail[self.evil_cell] = -r0
        reward, self.trail[self.cell] = self.trail[self.cell], 0.0  # it is eaten
        self.taken.append(int(action))
        self.rewards.append(reward)
        return reward


def placed(environment: Environment, coins: int, swap: bool, placement: Placement | None) -> Placement:
    """The given placement or a drawn one; with Good and Evil exchanged where `swap` says so.

    Drawn are two distinct cells and a third, any, uniformly; and a fair coin for which symbol is Good.
    """
    n = environment.cells
    if placement is None:
        draws = Stream(coins, _PLACEMENT)
        first, second, cell = draws.below(n), draws.below(n - 1), draws.below(n)
        placement = Placement(cell, first, second + (second >= first), draws.below(2))
    try:
        start = Placement(*placement)
    except TypeError:
        problem, remedy = "[not-a-placement] is not a placement", "give (cell, first, second, good)"
        raise BadInput("placement", placement, problem, remedy) from None
    on_space = {*start[:3]} <= set(range(n)) and start.good in (0, 1)
    problem, remedy = "[not-on-space] is not on the space", f"use cells 0 to {n - 1}"
    ensure(on_space, "placement", tuple(start), problem, remedy)
    problem = "[same-cell] has Good and Evil in one cell"
    ensure(start.first != start.second, "placement", tuple(start), problem, "use two different cells")
    return start._replace(good=1 - start.good) if flag("swap", swap) else start


def whole_seed(seed: SeedLike) -> int:
    """A seed as a whole number below 2^63, whether it is one or a numpy SeedSequence."""
    if isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1, np.uint64)[0] >> np.uint64(1))
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and 0 <= seed < 2**63:
        return int(seed)
    raise BadInput("seed", seed, "[not-a-seed] is not a seed", "pass a whole number such as seed=1")


def session_keys(seed: SeedLike) -> tuple[int, int]:
    """The keys of the coins and of the agent's draws in one session."""
    whole = whole_seed(seed)
    return int(stream_key(whole, 0, 0, 1, CHANCE)), int(stream_key(whole, 0, 0, 1, AGENT))


def nested_seed(seed: SeedLike, *places: int) -> int:
    """The seed of the session at these places (environment 3, replicate 0, ...) of a larger work."""
    whole = whole_seed(seed)
    for place in places:
        whole = int(stream_key(whole, place, 0, 1, PROGRAM)) & (2**63 - 1)
    return whole


class Stream:
    """Draws one after the other from a key."""

    def __init__(self, key: int, drawn: int = 0) -> None:
        self.key, self.drawn = key, drawn

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        self.drawn += 1
        return int(below(self.key, self.drawn - 1, n))

    def uniform(self) -> float:
        """A number in [0, 1)."""
        self.drawn += 1
        return float(uniform(self.key, self.drawn - 1))
