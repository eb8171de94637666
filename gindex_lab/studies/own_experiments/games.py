"""A tournament of our own: players of connect four, each against each, as a table of results.

The players differ in how they choose, not only in how well: at random, towards the centre, greedily
(win, else block), by negamax search of a given depth, or by counting random playouts (Monte Carlo).
Their results go to `gl.opponent`, which asks how general each player is against weak and strong alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice, integer, no_duplicates

__all__ = ["KINDS", "PLAYERS", "Player", "play_games", "round_robin"]

KINDS = ("random", "centre", "greedy", "negamax", "monte carlo")


@dataclass(frozen=True)
class Player:
    """How a player chooses; `strength` is the depth of negamax, or the playouts for each move.

    >>> Player("negamax", 4).name
    'negamax 4'
    """

    kind: str
    strength: int = 0

    def __post_init__(self) -> None:
        choice("kind", self.kind, KINDS)
        searching = self.kind in KINDS[3:]
        integer("strength", self.strength, int(searching))
        if self.strength and not searching:
            raise BadInput(
                "strength",
                self.strength,
                f"means nothing to a {self.kind} player",
                "leave it out, or use a negamax or monte carlo player",
            )
        if self.kind == "negamax" and self.strength > 12:
            raise BadInput("strength", self.strength, "would take hours", "use a depth up to 12")

    @property
    def name(self) -> str:
        return f"{self.kind} {self.strength}" if self.strength else self.kind


PLAYERS = (
    *(Player(kind) for kind in KINDS[:3]),
    *(Player("negamax", depth) for depth in (1, 2, 3, 4, 5, 6, 8)),
    *(Player("monte carlo", playouts) for playouts in (3, 10, 30, 100, 300)),
)


def play_games(first: Player, second: Player, games: int = 1, seed: SeedLike = 1) -> list[float]:
    """The results for `first` of `games` games; who begins alternates.

    >>> play_games(Player("negamax", 4), Player("random"), games=4, seed=1)
    [1.0, 1.0, 1.0, 1.0]
    """
    from gindex_lab.foundation.validate import generator
    from gindex_lab.studies.own_experiments.games_kernel import play

    rng = generator(seed)
    a, b = (np.array([KINDS.index(p.kind), p.strength]) for p in (first, second))
    count = integer("games", games)
    return [float(1 - play(b, a, rng) if k % 2 else play(a, b, rng)) for k in range(count)]


def round_robin(players: Sequence[Player] = PLAYERS, games: int = 10, seed: int = 1) -> Responses:
    """Everyone against everyone: the mean result of a number of games for each pair.

    The diagonal is empty: nobody meets itself. Each pair has a random stream of its own, so that
    a result does not depend on the order of play. `.agents` has `kind`, `strength` and `score`.

    >>> table = round_robin([Player("random"), Player("greedy"), Player("negamax", 4)], games=6)
    >>> table.frame.loc["negamax 4"].tolist()
    [1.0, 1.0, nan]
    >>> table.source
    'own experiment'
    """
    if len(players) < 2:
        raise BadInput("players", len(players), "are too few for a tournament", "give two or more")
    if integer("games", games, 1, 10**6) % 2:
        raise BadInput(
            "games", games, "is odd, so one of two begins more often", "use an even number"
        )
    names = [player.name for player in players]
    no_duplicates("players", names)
    results = pd.DataFrame(np.nan, index=names, columns=names)
    pairs = list(combinations(players, 2))
    streams = np.random.SeedSequence(integer("seed", seed, 0)).spawn(len(pairs))
    for (a, b), stream in zip(pairs, streams, strict=True):
        mean = float(np.mean(play_games(a, b, games, stream)))
        results.loc[a.name, b.name], results.loc[b.name, a.name] = mean, 1 - mean
    return _as_responses(results, players)


def _as_responses(results: pd.DataFrame, players: Sequence[Player]) -> Responses:
    about = {"kind": [p.kind for p in players], "strength": [p.strength for p in players]}
    agents = pd.DataFrame(about | {"score": results.sum(axis=1).to_numpy()}, index=results.index)
    return Responses(
        results,
        agents=agents,
        name="connect four",
        source="own experiment",
        citation="Round robin of gindex_lab.studies.own_experiments.games",
    )
