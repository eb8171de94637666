"""Opp: opponents as items. Whoever scores well is a difficult opponent.

In a tournament the item is the other player, its difficulty is its score, and the response is the
result of the game. The scale runs from 0 to the number of players (supplement, A.6 and Table 1).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import choice, flag, numeric_frame, refuse

__all__ = ["opponent"]


def opponent(results: object, *, self_draw: bool = True, incomplete: str = "error") -> Responses:
    """Responses of every player to every opponent, from a table of results (1 won, ½ drawn, 0 lost).

    `self_draw` lets everyone draw with itself, as the authors do: scores rise by ½, and the scale is
    [0, n]; without it nobody meets itself and the scale is [0, n - 1]. Two end points are added:
    difficulty 0, which everyone solves, and the top of the scale, which nobody does (marked as
    `anchor` in `.items`). An `incomplete` round robin is an "error", a "draw" for each missing game
    (what the authors' code would do) or a "drop": then a score is the mean result times the
    length of the scale, and `gl.generality` needs missing="drop".

    >>> games = pd.DataFrame([[None, 1, 1], [0, None, 0.5], [0, 0.5, None]], list("abc"), list("abc"))
    >>> opponent(games).difficulty.to_dict()
    {'a': 2.5, 'b': 1.0, 'c': 1.0, '(nobody)': 0.0, '(everybody)': 3.0}
    """
    choice("incomplete", incomplete, ["error", "draw", "drop"])
    flag("self_draw", self_draw)
    table = results if isinstance(results, (Responses, Scores)) else None
    frame = _square(results if table is None else table.frame)
    if incomplete == "error":
        problem = "was not played: the round robin is incomplete"
        refuse(
            "results",
            frame,
            _games(frame.isna()),
            problem,
            "pass incomplete='draw' or incomplete='drop'",
        )
    played = (frame.fillna(0.5) if incomplete == "draw" else frame).to_numpy(copy=True)
    idle = ~_games(~np.isnan(played)).any(axis=1)
    if idle.any():
        player = frame.index[idle.argmax()]
        raise BadInput("results", player, "played no game", "leave the player out")
    np.fill_diagonal(played, 0.5 if self_draw else np.nan)
    games = pd.DataFrame(played, frame.index, frame.columns)
    top = float(len(games) - (not self_draw))
    return _anchored(games, games.mean(axis=1) * top, top, table)


def _anchored(
    games: pd.DataFrame, difficulty: pd.Series, top: float, table: Responses | Scores | None
) -> Responses:
    """The end points of the scale, unless a player stands there already."""
    items = pd.DataFrame({"difficulty": difficulty, "anchor": False})
    frame = games.copy()
    for name, level, response in (("(nobody)", 0.0, 1.0), ("(everybody)", top, 0.0)):
        if not (difficulty == level).any():
            frame[name] = response
            items.loc[name] = [level, True]
    items = items.astype({"difficulty": float, "anchor": bool})
    kept = ("agents", "name", "source", "citation", "licence") if table is not None else ()
    about = {key: getattr(table, key) for key in kept}
    return Responses(frame, items=items, interval=(0.0, top), **about)


def _square(results: object) -> pd.DataFrame:
    """Players x players in one order, every result in [0, 1] and the two sides of a game agreeing."""
    frame = numeric_frame("results", results)
    if not isinstance(results, pd.DataFrame) and frame.shape[0] == frame.shape[1]:
        frame.columns = frame.index
    if len(frame) < 2 or set(frame.index) != set(frame.columns):
        problem = "does not have the same players in rows and columns"
        remedy = "give one row and one column to each of at least two players"
        raise BadInput("results", frame.shape, problem, remedy)
    frame = frame.loc[:, list(frame.index)]
    values = frame.to_numpy()
    missing, uneven = np.isnan(values), np.abs(values + values.T - 1) > 1e-9
    one_sided = "and its mirror disagree: one side of the game is missing"
    for wrong, problem, remedy in (
        ((values < 0) | (values > 1), "is not a result in [0, 1]", "use 1, 0.5, 0"),
        (missing != missing.T, one_sided, "give both results of every game"),
        (uneven, "and its mirror do not add up to 1", "correct one side of the game"),
    ):
        refuse("results", frame, _games(wrong), problem, remedy)
    return frame


def _games(cells: object) -> np.ndarray:
    """Cells (n, n) that are true of a game: nobody plays itself."""
    return np.asarray(cells, dtype=bool) & ~np.eye(len(np.asarray(cells)), dtype=bool)
