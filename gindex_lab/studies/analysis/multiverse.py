"""Which conclusions survive every choice that the literature argues about?

`surviving` asks it of the definition of difficulty; here the same questions are asked of every combination
of choices in a horizon study (penalty, weights, binarised or fractional scores, floor, ceiling, families
left out, minutes' source, noise in the minutes): one universe per combination, refitted whole. What only
some universes say is a property of the choices, not of the agents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.likes import DateLike, DatesLike, Label, SeedLike, SettingLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice
from gindex_lab.measures.horizons.growth import doubling_time, trend
from gindex_lab.measures.horizons.horizons import horizon
from gindex_lab.studies.analysis.accuracy import checked_responses, is_binary
from gindex_lab.studies.analysis.surviving import survival

__all__ = ["CHOICES", "Multiverse", "multiverse", "named"]

CHOICES = ("penalty", "weights", "scores", "floor", "ceiling", "without", "minutes", "noise")
_SCORES = ("as given", "binarised")
_MOST = 5000  # universes: some minutes, and more than anyone looks at
_FAR = 100.0  # doublings: horizons of 0 and infinity stand at the far ends


@dataclass(frozen=True, eq=False)
class Multiverse:
    """One row per universe, what they agree on, and which combinations could not be fitted."""

    universes: pd.DataFrame
    conclusions: pd.DataFrame
    refused: dict[str, str]
    baseline: pd.DataFrame
    measure: str

    def sentences(self) -> list[str]:
        """What survives and what does not, in words; the first universe is the baseline."""
        said = [f"{len(self.universes)} universes were fitted; the first is the baseline."]
        for _, row in self.conclusions.iterrows():
            text = f"{row['conclusion'][0].upper()}{row['conclusion'][1:]}"
            if row["survives"]:
                said.append(f"{text} survives all {row['universes']} universes.")
            else:
                said.append(
                    f"{text} does not survive: it holds in {row['holds_in']} of {row['universes']} "
                    f"universes, least often with {row['depends_on']}."
                )
        if self.conclusions.empty:
            said.append("The baseline separates nothing, so there is no conclusion to try.")
        for choices, why in list(self.refused.items())[:1]:
            said.append(f"{len(self.refused)} combinations could not be fitted ({choices}: {why}).")
        return said


def multiverse(
    responses: Responses,
    *,
    dates: DatesLike = None,
    measure: str = "spread_logistic",
    since: DateLike = None,
    penalty: Sequence[float] = (1e-5, 0.1),
    weights: Sequence[SettingLike] = ("diversity", "equal"),
    scores: Sequence[str] | None = None,
    floor: Sequence[SettingLike] = (0.0, "fit"),
    ceiling: Sequence[SettingLike] = (1.0, "fit"),
    without: Sequence[Label] | None = None,
    minutes: Sequence[Label] = (None,),
    noise: Sequence[float] = (0.0,),
    ci: float = 0.95,
    draws: int = 500,
    jobs: int | None = 1,
    seed: SeedLike = 1,
) -> Multiverse:
    """Refit a horizon study under every combination of choices, and see which conclusions survive.

    Parameters
    ----------
    responses : Responses with minutes, and families where `without` leaves them out
    dates : release dates, as in `gl.doubling_time`; without them growth and trend are not asked
    measure : column whose trend is asked
    since : date from which agents count for the trend
    penalty, weights, floor, ceiling, noise, minutes : values of the arguments of `gl.horizon`
        The first of each is the baseline. `minutes` are columns of the items.
    scores : "as given", "binarised"; both by default where some response is a fraction
    without : families to leave out, None for none; by default none, then each family in turn
    ci : level of all intervals
    draws, seed : of the baseline, whose draws say which agents are separated
    jobs : processes that share the universes

    Returns
    -------
    Multiverse
        `.universes` (one row each: the choices, `best`, how the order agrees as in `gl.analysis.survival`,
        `doubling_days` and `trend` with limits, `verdict`), `.conclusions` (only those that the baseline
        draws: in how many universes they hold, and the choice that they depend on most), `.sentences()`.

    References
    ----------
    Steegen, Tuerlinckx, Gelman and Vanpaemel (2016), "Increasing transparency through a multiverse
    analysis", Perspectives on Psychological Science 11, 702-712; Simonsohn,
    Simmons and Nelson (2020), "Specification curve analysis".

    Examples
    --------
    >>> from gindex_lab.measures.horizons.coverage import simulate_runs
    >>> study = simulate_runs([2.0, 8.0], 1.0, items=60, families=4, seed=1)
    >>> found = multiverse(study, floor=[0.0], ceiling=[1.0], draws=100)
    >>> len(found.universes), found.conclusions["survives"].to_dict()
    (20, {'best': True, 'order': True})
    """
    study = checked_responses(responses)
    known = (_SCORES[:1] if is_binary(study) else _SCORES) if scores is None else scores
    families = _families(study) if without is None else without
    values = (penalty, weights, known, floor, ceiling, families, minutes, noise)
    given = {name: _some(name, each) for name, each in zip(CHOICES, values, strict=True)}
    for score in given["scores"]:
        choice("scores", score, _SCORES)
    size = int(np.prod([len(each) for each in given.values()]))
    if size > _MOST:
        raise BadInput("choices", size, f"are more than {_MOST} universes", "try fewer values of each")
    worlds = [dict(zip(given, each, strict=True)) for each in product(*given.values())]
    base = _fitted(study, worlds[0], ci=ci, draws=draws, seed=seed)
    view, apart = _agents_view(base), _apart(base, ci)
    plan = (study, view, apart, dates, measure, since, ci)
    rows: list[Any] = parallel.map(_universe, worlds, shared=plan, jobs=jobs)
    shown = [_shown(world) for world in worlds]
    refused = {
        ", ".join(f"{k} {v}" for k, v in world.items()): row
        for world, row in zip(shown, rows, strict=True)
        if isinstance(row, str)
    }
    kept = [world | row for world, row in zip(shown, rows, strict=True) if not isinstance(row, str)]
    if not kept:
        why = next(iter(refused.values()))
        raise BadInput("choices", size, f"[all-refused] are all refused: {why}", "fix the first reason")
    table = pd.DataFrame(kept)
    varied = [name for name, each in given.items() if len(each) > 1]
    conclusions = _conclusions(table, view["capability"].idxmax(), apart["capability"], varied, measure)
    return Multiverse(table, conclusions, refused, base, measure)


def named(measure: str) -> str:
    """A column of the table in words.

    >>> named("spread_logistic"), named("normalised_generality")
    ('spread', 'normalised generality')
    """
    return measure.removesuffix("_logistic").replace("_", " ")


def _some(name: str, values: object) -> list[Label]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise BadInput(name, values, "is not a list of choices", f"pass {name}=[...]")
    found = list(values)
    if not found:
        raise BadInput(name, values, "is empty", "name at least one choice")
    return found


def _families(study: Responses) -> list[Label]:
    names = [] if study.family is None else sorted(set(study.family.map(str)))
    return [None, *names] if len(names) > 2 else [None]


def _shown(world: Mapping[str, Any]) -> dict[str, Any]:
    """The choices as a table shows them."""
    words = {"minutes": "as given", "without": "nothing"}
    return {k: words[k] if v is None and k in words else v for k, v in world.items()}


# -- one universe ------------------------------------------------------------------------------------------


def _fitted(study: Responses, world: Mapping[str, Any], **options: Any) -> pd.DataFrame:
    """The horizons of one universe."""
    data, left_out = study, world["without"]
    if left_out is not None:
        if study.family is None or left_out not in set(study.family.map(str)):
            raise BadInput("without", left_out, "is not a family of the items", "name one")
        data = data.select(items=list(study.family.index[study.family.map(str) != left_out]))
        data = data.select(agents=list(data.frame.index[data.frame.notna().any(axis=1)]))
    if world["scores"] == "binarised":
        data = _binarised(data)
    chosen = {k: world[k] for k in ("penalty", "weights", "floor", "ceiling", "noise")}
    return horizon(data, world["minutes"], **chosen, **options)


def _binarised(data: Responses) -> Responses:
    """Success is a response of at least 1/2, run by run."""
    trials, frame = data.trials, (data.frame >= 0.5).astype(float).where(data.frame.notna())
    if trials is not None:
        trials = trials.assign(response=(trials["response"] >= 0.5).astype(float))
        means = trials.groupby(["agent", "item"])["response"].mean().unstack()
        frame = means.reindex(data.frame.index, columns=data.frame.columns)
    return Responses(frame, items=data.items, agents=data.agents, trials=trials)


def _doublings(minutes: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.log2(minutes), -_FAR, _FAR)


def _agents_view(table: pd.DataFrame) -> pd.DataFrame:
    """Horizons in doublings as capabilities: what `survival` compares."""
    columns = {
        "capability": _doublings(table["horizon_50"].astype(float)),
        "spread": table["spread_logistic"],
        "normalised_generality": table["normalised_generality_logistic"],
    }
    return pd.DataFrame(columns).dropna(subset=["capability", "normalised_generality"])


def _apart(table: pd.DataFrame, ci: float) -> dict[str, pd.DataFrame]:
    """Pairs whose difference over the paired draws excludes 0, in log2 horizon and in γ."""
    agents, draws = _agents_view(table).index, table.replicates.measures
    at = table.index.get_indexer(agents)
    values = {
        "capability": _doublings(draws["horizon_50"][:, at]),
        "normalised_generality": draws["normalised_generality_logistic"][:, at],
    }
    found = {}
    for name, each in values.items():
        apart = np.zeros((len(agents), len(agents)), dtype=bool)
        for i in range(len(agents)):
            gap = each[:, [i]] - each
            seen = ~np.isnan(gap).all(axis=0)
            low, high = np.nanquantile(gap[:, seen], [(1 - ci) / 2, (1 + ci) / 2], axis=0)
            apart[i, seen] = (low > 0) | (high < 0)
        found[name] = pd.DataFrame(apart, agents, agents)
    return found


def _universe(
    study: Responses,
    base: pd.DataFrame,
    apart: Mapping[str, pd.DataFrame],
    dates: DatesLike,
    measure: str,
    since: DateLike,
    ci: float,
    world: Mapping[str, Any],
) -> dict[str, Any] | str:
    """What one combination of choices says, or why it says nothing."""
    try:
        table = _fitted(study, world)
        view = _agents_view(table)
        both = base.index.intersection(view.index)
        if len(both) < 2:
            return "fewer than two agents have a horizon"
        pairs = {name: each.loc[both, both] for name, each in apart.items()}
        row: dict[str, Any] = survival(base.loc[both], {"_": view}, pairs).iloc[0].to_dict()
        row |= {"agents": len(both), "median_spread": float(np.nanmedian(table["spread_logistic"]))}
        if dates is not None:  # with the agents as the sample
            grown = doubling_time(table, dates, ci=ci)
            row |= {"doubling_days": grown.days, "doubling_low": grown.low, "doubling_high": grown.high}
            moved = trend(table, measure, dates, since=since, ci=ci).loc["year"]
            row |= {"trend": moved["slope"], "trend_low": moved["t_low"], "trend_high": moved["t_high"]}
            row["verdict"] = moved["verdict"]
        return row
    except GIndexLabError as error:
        return f"{error.argument}: {error.problem}"


# -- what the universes agree on ---------------------------------------------------------------------------


def _conclusions(
    table: pd.DataFrame, best: Label, apart: pd.DataFrame, varied: list[str], measure: str
) -> pd.DataFrame:
    """One row per conclusion that the baseline draws."""
    holds: dict[str, tuple[str, pd.Series]] = {}
    tied = [best, *apart.index[~apart.loc[best]]]
    if set(tied) != set(apart.index):
        holds["best"] = "who has the longest horizon (up to ties)", table["best"].isin(tied)
    if apart.to_numpy().any():
        holds["order"] = "the order of agents whose horizons are separated", table["reversed"] == 0
    if "verdict" in table:
        first = table.iloc[0]
        if np.isfinite(first["doubling_high"]):
            holds["growth"] = "that the horizon grows", np.isfinite(table["doubling_high"])
        text = f"the verdict “{first['verdict']}” on the {named(measure)}"
        holds["trend"] = text, table["verdict"] == first["verdict"]
    rows = {
        name: {
            "conclusion": text,
            "holds_in": int(each.sum()),
            "universes": len(each),
            "survives": bool(each.all()),
            "depends_on": "" if each.all() else _decisive(table, each, varied),
        }
        for name, (text, each) in holds.items()
    }
    columns = ["conclusion", "holds_in", "universes", "survives", "depends_on"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def _decisive(table: pd.DataFrame, holds: pd.Series, varied: list[str]) -> str:
    """The choice whose values differ most in how often the conclusion holds: its worst value, how often."""
    shares = {name: holds.groupby(table[name].astype(str)).mean() for name in varied}
    if not shares:
        return "chance"
    name = max(shares, key=lambda k: float(shares[k].max() - shares[k].min()))
    worst, share = shares[name].idxmin(), float(shares[name].min())
    text = {"without": f"{worst} left out", "minutes": str(worst)}.get(name, f"{name} {worst}")
    return f"{text.replace('_', ' ')} ({share:.0%})"
