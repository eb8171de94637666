"""A tournament of our own: players of connect four, each against each, as a table of results.

The players differ in how they choose, not only in how well: at random, towards the centre, greedily
(win, else block), by negamax search of a given depth, or by counting random playouts (Monte Carlo).
Their results go to `gl.opponent`, which asks how general each player is against weak and strong alike.

Rules and players are compiled, on bitboards of 7 columns and 6 rows: `mine` marks the stones of the player to
move, `filled` those of both. Column x, row y is bit 7x + y; the seventh bit of each column stays empty, so
that lines never wrap around.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.kernels import compiled
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, no_duplicates

__all__ = ["KINDS", "PLAYERS", "Player", "has_four", "play", "play_games", "round_robin", "threats"]

RANDOM, CENTRE, GREEDY, NEGAMAX, MONTE_CARLO = range(5)  # the places of `KINDS`, for the kernels

_BOTTOM = sum(1 << (7 * x) for x in range(7))  # the lowest bit of each of the seven columns
_BOARD = _BOTTOM * 63  # six bits of each
_ORDER = np.array([3, 2, 4, 1, 5, 0, 6])  # the middle first: better cut-offs in the search
_WON = 1000  # above what all threats on a board can count
_NEVER = 10 * _WON  # beyond any value


@compiled
def has_four(stones: int) -> bool:
    """Whether four of these stones are in a line: vertical, horizontal, or on a diagonal."""
    for shift in (1, 7, 6, 8):
        pairs = stones & (stones >> shift)
        if pairs & (pairs >> (2 * shift)):
            return True
    return False


@compiled
def threats(stones: int, filled: int) -> int:
    """How many empty cells would complete a line of four."""
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    for shift in (7, 6, 8):
        pair = (stones << shift) & (stones << 2 * shift)
        cells |= pair & ((stones << 3 * shift) | (stones >> shift))
        pair = (stones >> shift) & (stones >> 2 * shift)
        cells |= pair & ((stones >> 3 * shift) | (stones << shift))
    cells &= _BOARD ^ filled
    count = 0
    while cells:
        cells &= cells - 1
        count += 1
    return count


@compiled
def _drop(filled: int, column: int) -> int:
    """The bit where a stone in this column comes to rest; 0 if the column is full."""
    landing = (filled + (1 << (7 * column))) & (63 << (7 * column))
    return landing & ~filled


@compiled
def _search(mine: int, filled: int, depth: int, alpha: int, beta: int) -> int:
    """Negamax with alpha-beta: the value for the player to move, `depth` stones ahead.

    A win counts 1000 plus the depth left (sooner is better), a full board 0, and at the horizon each
    own threat counts 1, each of the opponent -1.
    """
    if filled == _BOARD:
        return 0
    for column in range(7):
        stone = _drop(filled, column)
        if stone and has_four(mine | stone):
            return _WON + depth
    if depth <= 1:
        return threats(mine, filled) - threats(filled ^ mine, filled)
    best = -_NEVER
    for column in _ORDER:
        stone = _drop(filled, column)
        if stone == 0:
            continue
        value = -_search(filled ^ mine, filled | stone, depth - 1, -beta, -alpha)
        best = max(best, value)
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


@compiled
def _negamax_values(mine: int, filled: int, depth: int, values: FloatArray) -> None:
    best = -_NEVER
    for column in _ORDER:
        stone = _drop(filled, column)
        if stone == 0:
            continue
        if has_four(mine | stone):
            values[column] = _WON + depth
        elif depth == 1:
            after = filled | stone
            values[column] = threats(mine | stone, after) - threats(filled ^ mine, after)
        else:  # from best - 1, so that a move as good as the best is seen to be so
            values[column] = -_search(filled ^ mine, filled | stone, depth - 1, -_NEVER, 1 - best)
        best = max(best, int(values[column]))


@compiled
def _playout(mine: int, filled: int, rng: np.random.Generator) -> float:
    """The result for the player to move when both move at random from here."""
    sign = 1.0
    while filled != _BOARD:
        stone = 0
        while stone == 0:
            stone = _drop(filled, int(7 * rng.random()))
        if has_four(mine | stone):
            return sign
        mine, filled, sign = filled ^ mine, filled | stone, -sign
    return 0.0


@compiled
def _monte_carlo_values(
    mine: int, filled: int, playouts: int, values: FloatArray, rng: np.random.Generator
) -> None:
    for column in range(7):
        stone = _drop(filled, column)
        if stone == 0:
            continue
        if has_four(mine | stone):
            values[column] = playouts + 1
            continue
        total = 0.0
        for _ in range(playouts):
            total -= _playout(filled ^ mine, filled | stone, rng)
        values[column] = total


@compiled
def _simple_values(mine: int, filled: int, kind: int, values: FloatArray) -> None:
    for column in range(7):
        stone = _drop(filled, column)
        if stone == 0:
            continue
        values[column] = -abs(column - 3) if kind == CENTRE else 0
        if kind == GREEDY and has_four(mine | stone):
            values[column] = 2
        elif kind == GREEDY and has_four((filled ^ mine) | stone):
            values[column] = 1


@compiled
def _move(mine: int, filled: int, kind: int, strength: int, rng: np.random.Generator) -> int:
    """The stone that a player sets: one of its best moves, at random."""
    values = np.full(7, -np.inf)
    if kind == NEGAMAX:
        _negamax_values(mine, filled, strength, values)
    elif kind == MONTE_CARLO:
        _monte_carlo_values(mine, filled, strength, values, rng)
    else:
        _simple_values(mine, filled, kind, values)
    best = np.flatnonzero(values == values.max())
    return _drop(filled, best[int(len(best) * rng.random())])


@compiled
def play(first: np.ndarray, second: np.ndarray, rng: np.random.Generator) -> float:
    """One game between two players, each (kind, strength): 1 if the first wins, ½ drawn, 0 lost."""
    mine, filled, mover = 0, 0, 0
    while filled != _BOARD:
        player = first if mover == 0 else second
        stone = _move(mine, filled, player[0], player[1], rng)
        if has_four(mine | stone):
            return 1.0 - mover
        mine, filled, mover = filled ^ mine, filled | stone, 1 - mover
    return 0.5


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
        problem = f"[no-effect] has no effect on a {self.kind} player"
        remedy = "leave it out, or use a negamax or monte carlo player"
        ensure(searching or not self.strength, "strength", self.strength, problem, remedy)
        quick = self.kind != "negamax" or self.strength <= 12
        ensure(quick, "strength", self.strength, "[too-slow] would take hours", "use a depth up to 12")

    @property
    def name(self) -> str:
        return f"{self.kind} {self.strength}" if self.strength else self.kind


PLAYERS = (
    *(Player(kind) for kind in KINDS[:3]),
    *(Player("negamax", depth) for depth in (1, 2, 3, 4, 5, 6, 8)),
    *(Player("monte carlo", playouts) for playouts in (3, 10, 30, 100, 300)),
)


def play_games(first: Player, second: Player, games: int = 1, seed: SeedLike = 1) -> list[float]:
    """The results for `first` of `games` games; who begins alternates."""
    rng = generator(seed)
    a, b = (np.array([KINDS.index(p.kind), p.strength]) for p in (first, second))
    count = integer("games", games)
    return [float(1 - play(b, a, rng) if k % 2 else play(a, b, rng)) for k in range(count)]


def round_robin(players: Sequence[Player] = PLAYERS, games: int = 10, seed: int = 1) -> Responses:
    """A tournament of connect four: everyone against everyone.

    Parameters
    ----------
    players : at least two, each of another kind or strength
    games : of each pair, an even number: who begins alternates
    seed : whole number; each pair has a random stream of its own, so that the order of play does not matter

    Returns
    -------
    Responses
        Players x players: the mean result of a pair (1 won, ½ drawn, 0 lost), NaN on the diagonal. `.agents`
        has `kind`, `strength` and `score`.

    References
    ----------
    Generality supplement, A.6, whose chess tournaments have this form.

    Examples
    --------
    >>> table = round_robin([Player("random"), Player("greedy"), Player("negamax", 4)], games=6)
    >>> table.frame.loc["negamax 4"].tolist()
    [1.0, 1.0, nan]
    >>> table.source
    'own experiment'
    """
    problem, remedy = "[too-few] are too few for a tournament", "give two or more"
    ensure(len(players) >= 2, "players", len(players), problem, remedy)
    problem = "[odd-number] is odd, so one of two begins more often"
    ensure(integer("games", games) % 2 == 0, "games", games, problem, "use an even number")
    names = [player.name for player in players]
    no_duplicates("players", names)
    results = pd.DataFrame(np.nan, index=names, columns=names)
    pairs = list(combinations(players, 2))
    streams = np.random.SeedSequence(integer("seed", seed, 0)).spawn(len(pairs))
    for (a, b), stream in zip(pairs, streams, strict=True):
        mean = float(np.mean(play_games(a, b, games, stream)))
        results.loc[a.name, b.name], results.loc[b.name, a.name] = mean, 1 - mean
    about = {"kind": [p.kind for p in players], "strength": [p.strength for p in players]}
    agents = pd.DataFrame(about | {"score": results.sum(axis=1).to_numpy()}, index=results.index)
    return Responses(
        results,
        agents=agents,
        name="connect four",
        source="own experiment",
        citation="Round robin of gindex_lab.studies.own_experiments.games",
    )
