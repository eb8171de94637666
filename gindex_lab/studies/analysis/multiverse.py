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
from gindex_lab.foundation.likes import (
    DateLike,
    DatesLike,
    Label,
    ResponsesLike,
    SeedLike,
    SettingLike,
)
from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.horizons.growth import doubling_time, trend
from gindex_lab.measures.horizons.horizons import horizon
from gindex_lab.studies.analysis.surviving import survival

__all__ = ["CHOICES", "Multiverse", "multiverse", "named"]

CHOICES = ("penalty", "weights", "scores", "floor", "ceiling", "without", "minutes", "noise")
_SCORES = ("as given", "binarised")
_MOST = 5000
_TEXTS = {
    "best": "who has the longest horizon (up to ties)",
    "order": "the order of agents whose horizons are separated",
    "growth": "that the horizon grows",
    "trend": "the trend",
}


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
        n = len(self.universes)
        said = [f"{n} universes were fitted; the first is the baseline."]
        for _, row in self.conclusions.iterrows():
            text = str(row["conclusion"])
            text = text[0].upper() + text[1:]
            if row["survives"]:
                said.append(f"{text} survives all {row['universes']} universes.")
            else:
                said.append(
                    f"{text} does not survive: it holds in {row['holds_in']} of {row['universes']} "
                    f"universes, least often with {row['depends_on']}."
                )
        if self.conclusions.empty:
            said.append("The baseline separates nothing, so there is no conclusion to try.")
        if self.refused:
            first = next(iter(self.refused.items()))
            said.append(
                f"{len(self.refused)} combinations could not be fitted ({first[0]}: {first[1]})."
            )
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
    measure : column whose trend is asked, since the date `since`
    penalty, weights, floor, ceiling, noise, minutes : values of the arguments of `gl.horizon`
        The first of each is the baseline. `minutes` are columns of the items.
    scores : "as given", "binarised"; both by default where some response is a fraction
    without : families to leave out, None for none; by default none, then each family in turn
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
    study = _study(responses)
    fractional = not np.isin(study.values[~np.isnan(study.values)], (0.0, 1.0)).all()
    given: dict[str, list[Label]] = {
        "penalty": _some("penalty", penalty),
        "weights": _some("weights", weights),
        "scores": _some("scores", scores or (_SCORES if fractional else _SCORES[:1])),
        "floor": _some("floor", floor),
        "ceiling": _some("ceiling", ceiling),
        "without": _some("without", _families(study) if without is None else without),
        "minutes": _some("minutes", minutes),
        "noise": _some("noise", noise),
    }
    for score in given["scores"]:
        if score not in _SCORES:
            raise BadInput("scores", score, "is not an option", f"use {_SCORES}")
    size = int(np.prod([len(values) for values in given.values()]))
    if size > _MOST:
        raise BadInput(
            "choices", size, f"are more than {_MOST} universes", "try fewer values of each"
        )
    worlds = [dict(zip(given, values, strict=True)) for values in product(*given.values())]
    base = _fitted(study, worlds[0], ci=ci, draws=draws, seed=seed)
    plan = (study, _agents_view(base), _apart(base, ci), dates, measure, since, ci)
    rows: list[Any] = parallel.map(_universe, worlds, shared=plan, jobs=jobs)
    refused = {_name(w): r for w, r in zip(worlds, rows, strict=True) if isinstance(r, str)}
    kept = [(w, r) for w, r in zip(worlds, rows, strict=True) if not isinstance(r, str)]
    if not kept:
        why = next(iter(refused.values()))
        raise BadInput(
            "choices", size, f"[all-refused] are all refused: {why}", "fix the first reason"
        )
    table = pd.DataFrame([{**_shown(w), **r} for w, r in kept])
    varied = [name for name, values in given.items() if len(values) > 1]
    conclusions = _conclusions(table, base, _apart(base, ci), varied, measure)
    return Multiverse(table, conclusions, refused, base, measure)


def named(measure: str) -> str:
    """A column of the table in words.

    >>> named("spread_logistic"), named("normalised_generality")
    ('spread', 'normalised generality')
    """
    return measure.removesuffix("_logistic").replace("_", " ")


def _study(responses: ResponsesLike) -> Responses:
    if not isinstance(responses, Responses):
        raise BadInput(
            "responses", type(responses).__name__, "is not a gl.Responses", "make one first"
        )
    return responses


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


def _shown(world: Mapping[str, object]) -> dict[str, object]:
    """The choices as they may stand in a table."""
    words = {"minutes": "as given", "without": "nothing"}
    return {k: words[k] if v is None and k in words else v for k, v in world.items()}


def _name(world: Mapping[str, object]) -> str:
    return ", ".join(f"{k} {v}" for k, v in _shown(world).items())


def _fitted(study: Responses, world: Mapping[str, Any], **options: Any) -> pd.DataFrame:
    """The horizons of one universe."""
    data = study
    if world["without"] is not None:
        if study.family is None or world["without"] not in set(study.family.map(str)):
            raise BadInput("without", world["without"], "is not a family of the items", "name one")
        data = data.select(
            items=list(study.family.index[study.family.map(str) != world["without"]])
        )
        met = data.frame.notna().any(axis=1)
        data = data.select(agents=list(data.frame.index[met]))
    if world["scores"] == "binarised":
        data = _binarised(data)
    if options:
        options = {"ci": options["ci"], "draws": options["draws"], "seed": options["seed"]}
    chosen = {k: world[k] for k in ("penalty", "weights", "floor", "ceiling", "noise")}
    return horizon(data, world["minutes"], **chosen, **options)


def _binarised(data: Responses) -> Responses:
    """Success is a response of at least 1/2, run by run."""
    if data.trials is None:
        frame = (data.frame >= 0.5).astype(float).where(data.frame.notna())
        return Responses(frame, items=data.items, agents=data.agents)
    trials = data.trials.assign(response=(data.trials["response"] >= 0.5).astype(float))
    means = trials.groupby(["agent", "item"])["response"].mean().unstack()
    frame = means.reindex(data.frame.index, columns=data.frame.columns)
    return Responses(frame, items=data.items, agents=data.agents, trials=trials)


def _agents_view(table: pd.DataFrame) -> pd.DataFrame:
    """Horizons in doublings as capabilities: what `survival` compares. Zero and infinity are far ends."""
    with np.errstate(divide="ignore"):
        doublings = np.clip(np.log2(table["horizon_50"].astype(float)), -100, 100)
    columns = {
        "capability": doublings,
        "spread": table["spread_logistic"],
        "normalised_generality": table["normalised_generality_logistic"],
    }
    return pd.DataFrame(columns).dropna(subset=["capability", "normalised_generality"])


def _apart(table: pd.DataFrame, ci: float) -> dict[str, pd.DataFrame]:
    """Pairs whose difference over the paired draws excludes 0, in log2 horizon and in γ."""
    view = _agents_view(table)
    at = table.index.get_indexer(view.index)
    draws = table.replicates.measures
    with np.errstate(divide="ignore", invalid="ignore"):
        values = {
            "capability": np.clip(np.log2(draws["horizon_50"][:, at]), -100, 100),
            "normalised_generality": draws["normalised_generality_logistic"][:, at],
        }
    found = {}
    for name, each in values.items():
        n = each.shape[1]
        apart = np.zeros((n, n), dtype=bool)
        for i in range(n):
            gap = each[:, [i]] - each
            seen = ~np.isnan(gap).all(axis=0)
            low, high = np.nanquantile(gap[:, seen], [(1 - ci) / 2, (1 + ci) / 2], axis=0)
            apart[i, seen] = (low > 0) | (high < 0)
        found[name] = pd.DataFrame(apart, view.index, view.index)
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
        row["agents"] = len(both)
        row["median_spread"] = float(np.nanmedian(table["spread_logistic"]))
        return row | (_over_time(table, dates, measure, since, ci) if dates is not None else {})
    except GIndexLabError as error:
        return f"{error.argument}: {error.problem}"


def _over_time(
    table: pd.DataFrame, dates: DatesLike, measure: str, since: DateLike, ci: float
) -> dict[str, Any]:
    """Growth and trend, with the agents as the sample."""
    grown = doubling_time(table, dates, ci=ci)
    moved = trend(table, measure, dates, since=since, ci=ci).loc["year"]
    return {
        "doubling_days": grown.days,
        "doubling_low": grown.low,
        "doubling_high": grown.high,
        "trend": moved["slope"],
        "trend_low": moved["t_low"],
        "trend_high": moved["t_high"],
        "verdict": moved["verdict"],
    }


# -- what the universes agree on ---------------------------------------------------------------------------


def _conclusions(
    table: pd.DataFrame,
    base: pd.DataFrame,
    apart: Mapping[str, pd.DataFrame],
    varied: list[str],
    measure: str,
) -> pd.DataFrame:
    """One row per conclusion that the baseline draws."""
    holds: dict[str, pd.Series] = {}
    pairs = apart["capability"]
    best = _agents_view(base)["capability"].idxmax()
    tied = [best, *pairs.index[~pairs.loc[best]]]
    if set(tied) != set(pairs.index):
        holds["best"] = table["best"].isin(tied)
    if pairs.to_numpy().any():
        holds["order"] = table["reversed"] == 0
    texts = dict(_TEXTS)
    if "verdict" in table:
        first = table.iloc[0]
        if np.isfinite(first["doubling_high"]):
            holds["growth"] = np.isfinite(table["doubling_high"])
        holds["trend"] = table["verdict"] == first["verdict"]
        texts["trend"] = f"the verdict “{first['verdict']}” on the {named(measure)}"
    rows = {
        name: {
            "conclusion": texts[name],
            "holds_in": int(each.sum()),
            "universes": len(each),
            "survives": bool(each.all()),
            "depends_on": "" if each.all() else _decisive(table, each, varied),
        }
        for name, each in holds.items()
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
    text = {"without": f"{worst} left out", "minutes": str(worst), "scores": f"scores {worst}"}
    return f"{text.get(name, f'{name} {worst}').replace('_', ' ')} ({share:.0%})"
