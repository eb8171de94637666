"""Opp: opponents as items. Whoever scores well is a difficult opponent.

In a tournament the item is the other player, its difficulty is its score, and the response is the
result of the game. The scale runs from 0 to the number of players (supplement, A.6 and Table 1).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import choice, flag, numeric_frame

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
    played = (frame.fillna(0.5) if incomplete == "draw" else frame).to_numpy(copy=True)
    np.fill_diagonal(played, 0.5 if self_draw else np.nan)
    games = pd.DataFrame(played, frame.index, frame.columns)
    _check_complete(games, incomplete)
    top = float(len(games) - (not self_draw))
    difficulty = games.mean(axis=1) * top
    return _anchored(games, difficulty, top, table)


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
        raise BadInput(
            "results",
            frame.shape,
            "does not have the same players in rows and columns",
            "give one row and one column to each of at least two players",
        )
    frame = frame.loc[:, list(frame.index)]
    values = frame.to_numpy()
    off = ~np.eye(len(frame), dtype=bool)
    _refuse(
        frame, off & ((values < 0) | (values > 1)), "is not a result in [0, 1]", "use 1, 0.5, 0"
    )
    _refuse(
        frame,
        off & (np.isnan(values) != np.isnan(values.T)),
        "and its mirror disagree: one side of the game is missing",
        "give both results of every game",
    )
    with np.errstate(invalid="ignore"):
        uneven = off & (np.abs(values + values.T - 1) > 1e-9)
    _refuse(frame, uneven, "and its mirror do not add up to 1", "correct one side of the game")
    return frame


def _check_complete(games: pd.DataFrame, incomplete: str) -> None:
    values = games.to_numpy()
    off = ~np.eye(len(games), dtype=bool)
    if incomplete == "error":
        _refuse(
            games,
            off & np.isnan(values),
            "was not played: the round robin is incomplete",
            "pass incomplete='draw' or incomplete='drop'",
        )
    idle = (np.isnan(values) | ~off).all(axis=1)
    if idle.any():
        raise BadInput(
            "results", games.index[idle.argmax()], "played no game", "leave the player out"
        )


def _refuse(frame: pd.DataFrame, wrong: np.ndarray, problem: str, remedy: str) -> None:
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        label = f"results[{frame.index[row]!r}, {frame.columns[column]!r}]"
        raise BadInput(label, float(frame.iloc[row, column]), problem, remedy)
