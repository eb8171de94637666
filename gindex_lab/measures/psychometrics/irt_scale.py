"""Difficulties from a logistic model, fit to be used as the scale of a characteristic curve.

A 2PL of few agents follows them too closely: an item that splits them all but perfectly gets a steep
slope, one that hardly splits them a flat one, and a flat item's difficulty b = -d / a runs away (the
letter series: -34.8 to 93.7). Below 200 agents the slopes therefore get a lognormal prior. Items that
all agents solve, or all fail, have no difficulty on this scale: they are left out. Whatever is done is
said, in a `Caution` and in the `notes` of the result.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution, ensure, short
from gindex_lab.foundation.likes import ResponsesLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice, number
from gindex_lab.measures.psychometrics.irt import ItemResponseModel, irt
from gindex_lab.measures.psychometrics.irt_engine import derivatives, e_step, kinds_of, log_chances
from gindex_lab.measures.psychometrics.irt_errors import covariance
from gindex_lab.measures.psychometrics.irt_settings import Priors

__all__ = ["difficulty_errors", "irt_difficulty"]

# Chosen on 54 simulated tables (15, 25 and 40 items). On 360 others the prior changed the mean root mean
# square error of b from 3.26 to 0.89 at 20 agents, 1.77 to 0.67 at 50, 1.22 to 0.45 at 100, 0.53 to 0.38
# at 200, 0.40 to 0.31 at 300 (with equal medians) and 0.22 to 0.22 at 500.
_FEW = 200
_FARTHEST = 6.0  # the end of the grid of abilities: beyond it nobody is, and b is an extrapolation
_MANY = 300  # items: the full information of more would be a matrix of 600 x 600 and larger


def irt_difficulty(
    responses: ResponsesLike,
    model: str = "2pl",
    *,
    priors: str | Priors | None = "auto",
    constant: str = "drop",
    centre: float | None = None,
    deviation: float | None = None,
    **options: Any,
) -> Responses:
    """Take the difficulty of each item from a logistic model of agents and items: its b.

    Parameters
    ----------
    responses : Responses or a table, agents x items in [0, 1]
    model : "1pl", "2pl" or "3pl", as in `gl.irt`
    priors : "auto" gives the slopes a lognormal prior where there are fewer than 200 agents (and says
        so in a `Caution`); None, "weak", "lognormal" or a `Priors` as in `gl.irt`
    constant : items that all agents solve, or all fail, have no difficulty on this scale: "drop" leaves
        them out; "median" gives them the median of the others (Hernández-Orallo et al., A.1)
    centre, deviation : move the difficulties to this mean and sample sd, so that they compare with
        another scale (supplement, Fig. S7)
    options : go to `gl.irt`

    Returns
    -------
    Responses with these difficulties; `items` has them and their standard errors, `difficulty_se`.

    Notes
    -----
    Difficulties beyond ±6, where no agent is, are announced with a `Caution`.

    References
    ----------
    Birnbaum (1968), in Lord and Novick, ch. 17 (2PL); Mislevy and Bock (1990), BILOG 3 (the prior).

    Examples
    --------
    >>> from gindex_lab.measures.psychometrics.irt import simulate_irt
    >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
    >>> irt_difficulty(simulate_irt(true, agents=2000, seed=1)).difficulty.rank().tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0]
    """
    both, problem = (centre is None) == (deviation is None), "[not-together] go together"
    ensure(both, "centre, deviation", (centre, deviation), problem, "give both or neither")
    choice("constant", constant, ["drop", "median"])
    table = responses if isinstance(responses, Responses) else Responses(responses)
    auto = isinstance(priors, str) and priors == "auto"
    held = auto and model != "1pl" and len(table.frame) < _FEW
    belief = ("lognormal" if held else None) if auto else priors
    fit = irt(table, model, priors=belief, **options)
    columns = {"difficulty": fit.parameters["difficulty"], "difficulty_se": difficulty_errors(fit)}
    found = pd.DataFrame(columns)
    kept = [item for item in found.index if constant == "median" or item not in fit.constant_items]
    said = _said(fit, found.loc[kept, "difficulty"], held, constant)
    for code, sentence in said.items():
        warnings.warn(Caution(f"[{code}] {sentence}"), stacklevel=2)
    found = found.loc[kept]
    if centre is not None and deviation is not None:
        found = _moved(found, number("centre", centre), number("deviation", deviation, 0, open_ends=True))
    result = table.select(items=kept).with_difficulty(found["difficulty"])
    result.items["difficulty_se"] = found["difficulty_se"]
    result.notes = (*table.notes, *said.values())
    return result


def difficulty_errors(fit: ItemResponseModel) -> pd.Series:
    """The standard error of each b; NaN for constant items, infinite where nothing pins b down.

    From the observed information of all items together; with more than 300 varying items, from each
    item's own, as if the abilities were known. b ± 1.96 errors held the true b of simulated items (20 of
    them) in .98 of cases with 30 agents and the lognormal prior, .97 with 60 and 120, .95 with 400.
    """
    if len(fit.fitted_parameters) <= _MANY:
        return fit.items["difficulty_se"]
    at, (nodes, weights) = fit.fitted_parameters, fit.settings.grid()
    form = log_chances(fit.kind, at, nodes[:, None])
    _, posterior = e_step(fit.table, form.log, np.log(weights))
    counts = (fit.table.incidence.T @ (posterior * fit.table.agents[:, None])).reshape(form.log.shape)
    info = fit.kind.fisher(form, derivatives(form, nodes[:, None]), counts.sum(1))
    k = np.arange(at.shape[1])
    info[:, k, k] += np.maximum(fit.priors.pull(at, kinds_of(fit.kind, 1))[2], 0.0)
    own = np.stack([covariance(block) for block in info])
    steep = np.where(at[:, 0] == 0, 1e-12, at[:, 0])
    b = -at[:, 1] / steep
    variance = own[:, 1, 1] + b**2 * own[:, 0, 0] + 2 * b * own[:, 0, 1]  # of a b, by the delta method
    errors = pd.Series(np.sqrt(np.maximum(variance, 0.0)) / np.abs(steep), fit.answers.frame.columns)
    return errors.reindex(fit.responses.columns)


def _said(fit: ItemResponseModel, difficulty: pd.Series, held: bool, constant: str) -> dict[str, str]:
    """What was done to the items, and what to doubt, by the code of the caution."""
    agents, items = fit.responses.shape
    said = {}
    if held:
        said["few-agents"] = (
            f"{agents} agents are few for a {fit.model} model: the slopes have a lognormal prior (mean 0 "
            'and sd 0.5 of the log); priors=None switches it off, priors="lognormal" accepts it silently'
        )
    if fit.constant_items:
        what = "are left out" if constant == "drop" else "get the median difficulty"
        some = ", ".join(map(str, fit.constant_items[:5]))
        some += f" and {len(fit.constant_items) - 5} more" if len(fit.constant_items) > 5 else ""
        said["constant-items"] = (
            f"{len(fit.constant_items)} of {items} items tell no agents apart and have no difficulty on "
            f"this scale: they {what} ({some})"
        )
    far = difficulty[difficulty.abs() > _FARTHEST]
    if len(far):
        worst = far.abs().idxmax()
        place = f"{far[worst]:.1f}".replace("-", "−")
        said["far-difficulties"] = (
            f"{len(far)} of {items} difficulties {'lies' if len(far) == 1 else 'lie'} beyond "
            f"±{_FARTHEST:g}, farther than any agent (largest: {short(worst)} at {place}): leave "
            f"{'this item' if len(far) == 1 else 'these items'} out, or use "
            'priors="lognormal" or model="1pl"'
        )
    return said


def _moved(found: pd.DataFrame, centre: float, deviation: float) -> pd.DataFrame:
    """Difficulties with this mean and sample standard deviation, and errors on the same scale."""
    plain = found["difficulty"]
    scale = deviation / plain.std()
    moved = (plain - plain.mean()) * scale + centre
    return pd.DataFrame({"difficulty": moved, "difficulty_se": found["difficulty_se"] * scale})
