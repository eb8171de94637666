"""The random streams of a session: one for the coins and the placement, one for the agent.

They are counter-based (`aiq.random_streams`): draw k of a stream depends on its key and on k
alone, so that readable and compiled sessions, and antithetic pairs, meet the same chance.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.worlds.aiq.random_streams import AGENT, CHANCE, PROGRAM, below, stream_key, uniform

__all__ = ["Stream", "nested_seed", "session_keys", "whole_seed"]


def whole_seed(seed: SeedLike) -> int:
    """A seed as a whole number below 2^63, whether it is one or a numpy SeedSequence.

    >>> whole_seed(7)
    7
    """
    if isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1, np.uint64)[0] >> np.uint64(1))
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and 0 <= seed < 2**63:
        return int(seed)
    raise BadInput("seed", seed, "[not-a-seed] is not a seed", "pass a whole number such as seed=1")


def session_keys(seed: SeedLike) -> tuple[int, int]:
    """The keys of the coins and of the agent's draws in one session.

    >>> coins, agent = session_keys(1)
    >>> coins != agent and (coins, agent) == session_keys(1)
    True
    """
    whole = whole_seed(seed)
    return int(stream_key(whole, 0, 0, 1, CHANCE)), int(stream_key(whole, 0, 0, 1, AGENT))


def nested_seed(seed: SeedLike, *places: int) -> int:
    """The seed of the session at these places (environment 3, replicate 0, ...) of a larger work.

    >>> nested_seed(1, 3) == nested_seed(1, 3) != nested_seed(1, 4)
    True
    """
    whole = whole_seed(seed)
    for place in places:
        whole = int(stream_key(whole, place, 0, 1, PROGRAM)) & (2**63 - 1)
    return whole


class Stream:
    """Draws one after the other from a key.

    >>> first, second = Stream(5), Stream(5)
    >>> [first.below(6) for _ in range(3)] == [second.below(6) for _ in range(3)]
    True
    """

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
