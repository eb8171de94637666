"""From raw scores to responses and difficulties, when the items have no difficulty of their own.

A raw score means little until it is compared: with the other agents (`rank`, `standardise`), with a reference
agent (`absolute_reference`) or population (`distributional_reference`), with the opponents (`opponent`), or
through a model of agents and items (`psychometrics.irt_scale`). Table 1 of the generality paper calls
them Rnk, Scale, ARef, DRef, Opp and IRT. Each returns what `gl.generality` takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import Label, NumbersLike, ResponsesLike, ScoresLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.foundation.validate import choice, flag, integer, number, numeric_frame, per_item, refuse
from gindex_lab.measures.curves import Interval

__all__ = ["absolute_reference", "distributional_reference", "opponent", "rank", "standardise"]
__all__ += ["threshold"]

_TIES = {"half": 0.5, "win": 1.0, "loss": 0.0}


def rank(
    scores: ScoresLike,
    columns: int | None = 100,
    leave_one_out: bool = False,
    *,
    ties: str = "half",
    decimals: int | None = None,
    missing: str = "error",
) -> StepCurves:
    """Rnk: an agent's position on an item is the share of the population that it beats.

    p = (#{x < x_j} + ½ #{x = x_j}) / |P|. The item's curve falls from 1 to 0 at difficulty p, and the agent's
    curve is the mean over its items (supplement, F.4 and Table 1).

    Parameters
    ----------
    scores : agents x items, each item on its own scale, higher is better
    columns : the number of equal steps of [0, 1] at which curves are read and joined by lines; None keeps the
        staircase, where lemma 19 is exact: capability is the mean position, spread their population sd
    leave_one_out : is P all other agents (as for the orangutans), or all agents (as for ALE and GVGAI)?
    ties : "half" as above, or "win": p = #{x <= x_j} / |P|
    decimals : round the scores first, so that means which differ in their last digits tie
    missing : "error", or "drop" to rank an agent among those that have a score

    Returns
    -------
    Step curves with their `positions` (agents x items), ready for `gl.generality`.

    Examples
    --------
    >>> curves = rank([[10, 7], [20, 5], [30, 6]], columns=None)
    >>> curves.positions.round(3).to_numpy().tolist()
    [[0.167, 0.833], [0.5, 0.167], [0.833, 0.5]]
    """
    table = _scores(scores, missing)
    choice("ties", ties, ["half", "win"])
    alone = int(flag("leave_one_out", leave_one_out))
    problem = "[no-other-agent] has no other agent to compare with"
    ensure(len(table.frame) > alone, "scores", table.shape, problem, "add agents")
    frame = table.frame if decimals is None else table.frame.round(integer("decimals", decimals, 0))
    below = frame.rank(method="min") - 1
    equal = frame.rank(method="max") - below - alone
    others = frame.notna().sum() - alone
    problem = "[one-agent] is a single score, with none to rank it by"
    refuse("scores", others + 1, others < 1, problem, "leave it out")
    # Two divisions, as in the authors' code: on a grid of difficulties a position that meets one exactly
    # counts half there, and (below + ½ equal) / others can miss it, or meet it, by its last digit.
    halves = below / others + equal / others / 2
    share = halves if ties == "half" else (below + equal) / others
    return _steps(table, share, (0.0, 1.0), columns)


def standardise(
    scores: ScoresLike, columns: int | None = 100, *, limit: float = 3.0, missing: str = "error"
) -> StepCurves:
    """Scale: an agent's position on an item is its standard score (sample sd), on [-limit, limit].

    Parameters
    ----------
    scores, columns, missing : as in `gl.rank`
    limit : positions beyond it count as at it: the item is solved, or failed, at every difficulty

    Returns
    -------
    Step curves with their `positions` (agents x items), ready for `gl.generality` (supplement F.4).

    Examples
    --------
    >>> standardise([[1.0], [2.0], [3.0]], columns=None).positions[("item 1")].tolist()
    [-1.0, 0.0, 1.0]
    """
    table = _scores(scores, missing)
    edge, frame = number("limit", limit, 0, open_ends=True), table.frame
    flat = ~(frame.max() > frame.min())
    problem = "[no-variance] is the same for all agents, so it has no standard score"
    refuse("scores", frame.max(), flat, problem, "drop the constant item, or use gl.rank")
    # powers of two are exact: only the range of the numbers changes, so that no square overflows
    frame = frame / np.exp2(np.floor(np.log2(frame.abs().max())))
    return _steps(table, (frame - frame.mean()) / frame.std(ddof=1), (-edge, edge), columns)


def distributional_reference(
    values: NumbersLike,
    mean: NumbersLike,
    sd: NumbersLike,
    family: str = "beta",
    columns: int | None = 100,
    *,
    mode: str = "exact",
    missing: str = "error",
) -> StepCurves:
    """DRef: an agent's position on an item is the share of a reference population that it beats.

    p = F(value), with the item's mean μ and standard deviation σ (A.10, Table 1). A skewed F maps μ off ½.

    Parameters
    ----------
    values : agents x items
    mean, sd : one number per item, or the name of a column of `values.items`
    family : of F, "beta" on [0, 1] or "normal"
    columns, missing : as in `gl.rank`
    mode : in "reference" mode the normal family divides by σ², as the authors' code does

    Returns
    -------
    Step curves with their `positions` (agents x items), ready for `gl.generality`.

    Examples
    --------
    >>> curves = distributional_reference([[0.5, 0.9]], mean=[0.5, 0.5], sd=[0.1, 0.1], columns=None)
    >>> curves.positions.round(4).to_numpy().tolist()
    [[0.5, 1.0]]
    """
    from scipy.special import betainc, ndtr

    choice("mode", mode, ["exact", "reference"])
    choice("family", family, ["beta", "normal"])
    table = _scores(values, missing)
    frame, mu, sigma = table.frame, _per_item("mean", mean, table), _per_item("sd", sd, table)
    remedy = "give the standard deviation of the reference population"
    refuse("sd", sigma, ~(sigma > 0), "[not-positive] is not positive", remedy)
    if family == "normal":
        share = ndtr((frame - mu) / (sigma**2 if mode == "reference" else sigma))
        return _steps(table, share, (0.0, 1.0), columns)
    problem, remedy = "[out-of-range] is not in [0, 1], as beta needs", "use family='normal'"
    refuse("values", frame, (frame < 0) | (frame > 1), problem, f"rescale it, or {remedy}")
    refuse("mean", mu, (mu <= 0) | (mu >= 1), "[out-of-range] is not inside (0, 1)", remedy)
    problem, remedy = "[too-large] is too large for beta", "it must be below √(mean (1 - mean))"
    refuse("sd", sigma, sigma**2 >= mu * (1 - mu), problem, remedy)
    alpha = ((1 - mu) / sigma**2 - 1 / mu) * mu**2  # of the distribution with these moments
    beta = alpha * (1 / mu - 1)
    share = pd.DataFrame(betainc(*map(np.asarray, (alpha, beta, frame))), frame.index, frame.columns)
    return _steps(table, share, (0.0, 1.0), columns)


def absolute_reference(scores: ScoresLike, reference: Label, ties: str = "half") -> Responses:
    """ARef: an agent solves an item if it beats the reference; the fewer agents do, the harder the item.

    r = 1 if the score is above the reference's, 0 if below. The difficulty of an item is the share of agents
    other than the reference that fail on it; the interval is [0, 1] (A.7 and Table 1).

    Parameters
    ----------
    scores : agents x items, higher is better
    reference : an agent of the table, or "mean" for the mean of all agents, all of whom then count
    ties : a tie counts "half", as a "win" (the authors' GREATER_OR_EQUAL) or as a "loss" (GREATER)

    Returns
    -------
    Responses with difficulties and interval.

    Examples
    --------
    >>> found = absolute_reference([[5, 5], [7, 1], [9, 5]], "agent 1")
    >>> found.frame.to_numpy().tolist(), found.difficulty.tolist()
    ([[0.5, 0.5], [1.0, 0.0], [1.0, 0.5]], [0.0, 0.75])
    """
    table = _scores(scores, "drop")
    frame, level = table.frame, _TIES[choice("ties", ties, list(_TIES))]
    known = pd.api.types.is_hashable(reference) and reference in frame.index
    mean = isinstance(reference, str) and reference == "mean"
    remedy = f"use 'mean' or one of {list(frame.index[:5])} …"
    ensure(known or mean, "reference", reference, "[not-an-agent] is not in the table", remedy)
    bar = frame.loc[reference] if known else frame.mean()
    row, remedy = bar.to_frame(reference).T, "a reference needs a score on every item"
    refuse("scores", row, row.isna(), "[missing] is missing", remedy)
    won = (frame > bar) + level * (frame == bar)
    solved = won.astype(float).where(frame.notna())
    others = solved.drop(index=reference) if known else solved
    rated = others.notna().sum()
    refuse("scores", rated, rated < 1, "[one-agent] has only the reference", "add agents")
    return Responses(solved, 1 - others.mean(), interval=(0.0, 1.0), **_about(table))


def opponent(results: ScoresLike, *, self_draw: bool = True, incomplete: str = "error") -> Responses:
    """Opp: the item is the other player, its difficulty that player's score, the response the game's result.

    Two end points are added, marked as `anchor` in `.items`: difficulty 0, which everyone solves, and the
    top of the scale, which nobody does (A.6 and Table 1).

    Parameters
    ----------
    results : players x players, 1 won, ½ drawn, 0 lost
    self_draw : does everyone draw with itself, as in the authors' code? Scores rise by ½ and the scale is
        [0, n]; otherwise it is [0, n - 1]
    incomplete : what a missing game is: an "error", a "draw" (the authors' code), or a "drop": a score is
        then the mean result times the length of the scale, and `gl.generality` needs missing="drop"

    Returns
    -------
    Responses, players x opponents, with difficulties and interval.

    Examples
    --------
    >>> games = pd.DataFrame([[None, 1, 1], [0, None, 0.5], [0, 0.5, None]], list("abc"), list("abc"))
    >>> opponent(games).difficulty.to_dict()
    {'a': 2.5, 'b': 1.0, 'c': 1.0, '(nobody)': 0.0, '(everybody)': 3.0}
    """
    choice("incomplete", incomplete, ["error", "draw", "drop"])
    flag("self_draw", self_draw)
    table = results if isinstance(results, (Responses, Scores)) else None
    frame = _square(results if table is None else table.frame)
    if incomplete == "error":
        problem = "[incomplete] was not played: the round robin is incomplete"
        remedy = "pass incomplete='draw' or incomplete='drop'"
        refuse("results", frame, _games(frame.isna()), problem, remedy)
    played = (frame.fillna(0.5) if incomplete == "draw" else frame).to_numpy(copy=True)
    idle = frame.index[~_games(~np.isnan(played)).any(axis=1)]
    if len(idle):
        raise BadInput("results", idle[0], "[no-game] played no game", "leave the player out")
    np.fill_diagonal(played, 0.5 if self_draw else np.nan)
    games = pd.DataFrame(played, frame.index, frame.columns)
    top = float(len(frame) - (not self_draw))
    items = pd.DataFrame({"difficulty": games.mean(axis=1) * top, "anchor": False})
    for name, level, response in (("(nobody)", 0.0, 1.0), ("(everybody)", top, 0.0)):
        if not (items["difficulty"] == level).any():  # unless a player stands there already
            games[name] = response
            items.loc[name] = [level, True]
    items = items.astype({"difficulty": float, "anchor": bool})
    about = {} if table is None else _about(table)
    return Responses(games, items=items, interval=(0.0, top), **about)


def _square(results: object) -> pd.DataFrame:
    """Players x players in one order, every result in [0, 1] and the two sides of a game agreeing."""
    frame = numeric_frame("results", results)
    if not isinstance(results, pd.DataFrame) and frame.shape[0] == frame.shape[1]:
        frame.columns = frame.index
    problem = "[not-square] does not have the same players in rows and columns"
    remedy = "give one row and one column to each of at least two players"
    same = len(frame) > 1 and set(frame.index) == set(frame.columns)
    ensure(same, "results", frame.shape, problem, remedy)
    frame = frame.loc[:, list(frame.index)]
    values = frame.to_numpy()
    missing, uneven = np.isnan(values), np.abs(values + values.T - 1) > 1e-9
    one_sided = "[one-sided] and its mirror disagree: one side of the game is missing"
    for wrong, problem, remedy in (
        ((values < 0) | (values > 1), "[out-of-range] is not a result in [0, 1]", "use 1, 0.5, 0"),
        (missing != missing.T, one_sided, "give both results of every game"),
        (uneven, "[uneven] and its mirror do not add up to 1", "correct one side of the game"),
    ):
        refuse("results", frame, _games(wrong), problem, remedy)
    return frame


def _games(cells: object) -> np.ndarray:
    """Cells (n, n) that are true of a game: nobody plays itself."""
    return np.asarray(cells, dtype=bool) & ~np.eye(len(np.asarray(cells)), dtype=bool)


def threshold(responses: ResponsesLike, epsilon: float = 0.0) -> Responses:
    """Acceptable responses, the paper's A: 1 if the expected response is at least 1 - ε, else 0 (E.1).

    Parameters
    ----------
    responses : agents x items, each in [0, 1]
    epsilon : ε, from 0 to 1. A response that misses 1 - ε by a rounding error is accepted

    Returns
    -------
    Responses of 0 and 1 on the same items.

    Examples
    --------
    >>> threshold([[0.95, 0.3, 0.2]], epsilon=0.7).frame.to_numpy().tolist()
    [[1.0, 1.0, 0.0]]
    """
    remedy = "threshold the responses before the transform"
    raw = not isinstance(responses, StepCurves)
    ensure(raw, "responses", responses, "[transformed] has been transformed already", remedy)
    table = responses if isinstance(responses, Responses) else Responses(responses)
    bar = 1 - number("epsilon", epsilon, 0, 1) - 1e-12
    accepted = (table.frame >= bar).astype(float).where(table.frame.notna())
    return Responses(accepted, items=table.items, interval=table.interval, **_about(table))


def _scores(scores: ScoresLike, missing: str) -> Scores | Responses:
    """The scores as a table, checked; missing cells only where they are allowed."""
    choice("missing", missing, ["error", "drop"])
    problem = "[transformed] has been transformed already"
    ensure(not isinstance(scores, StepCurves), "scores", scores, problem, "pass the raw scores")
    table = scores if isinstance(scores, (Scores, Responses)) else Scores(scores)
    gaps = np.isnan(table.values)
    if missing == "error":
        remedy = "fill the cell, or pass missing='drop' where the transform takes it"
        refuse("scores", table.frame, gaps, "[missing] is missing", remedy)
    for labels, lost in ((table.frame.index, gaps.all(1)), (table.frame.columns, gaps.all(0))):
        if lost.any():
            label, problem = labels[lost.argmax()], "[no-score] has no score at all"
            raise BadInput("scores", label, problem, "leave it out")
    return table


def _steps(
    table: Scores | Responses, position: pd.DataFrame, interval: Interval, columns: int | None
) -> StepCurves:
    c = None if columns is None else integer("columns", columns, 2)
    return StepCurves.at(position, interval, c, table.items, **_about(table))


def _about(table: Scores | Responses) -> dict[str, Any]:
    return {key: getattr(table, key) for key in ("agents", "name", "source", "citation", "licence")}


def _per_item(name: str, values: NumbersLike, table: Scores | Responses) -> pd.Series:
    """One number per item: a column of `items`, a Series or mapping by item, or a list."""
    if isinstance(values, str):
        remedy = f"use one of {list(table.items)}"
        ensure(values in table.items, name, values, "[no-column] is not a column of items", remedy)
        values = table.items[values]
    return pd.Series(per_item(name, values, table.frame.columns), table.frame.columns)
