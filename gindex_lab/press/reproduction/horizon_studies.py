"""What the horizon notebooks share: the published variants, their claims, a ceiling, seeds as trials.

`lyptus_variants` gives the authors' sensitivity variants of the headline (specs/horizon.md, Part IV);
`claim_fits` and `claim_by_quantity` hold fits against the ledger; `ceiling_fit` sets curves with and
without a ceiling side by side; `demand_table` reads several demands of the same items; `pooled` takes
seeds as repeated trials.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.horizons.growth import doubling_time
from gindex_lab.measures.horizons.horizons import horizon
from gindex_lab.press import notebook as nb
from gindex_lab.press.reproduction.claims import ledger

__all__ = ["PENALTIES", "ceiling_fit", "claim_by_quantity", "claim_fits", "demand_table"]
__all__ += ["lyptus_variants", "pooled", "printed_table", "rounded_doubling", "short_name"]
__all__ += ["short_table", "variant_row"]

PENALTIES = (1e-5, 0.001, 0.01, 0.02, 0.1, 0.2)  # those of the authors' table of sensitivity
_FIRST_BLOOD = 2.4  # the authors' factor from a first blood to a usual completion
_MONTH = 30.44  # days: 365.25 / 12


def lyptus_variants(study: Responses, every: Responses | None = None) -> dict[str, Responses]:
    """The authors' variants of the headline, by name: other minutes, or a family left out.

    `every` holds all tasks that were run: three with a first blood have no best available minutes.
    """
    items, wide = _with_numbers(study), study if every is None else every
    timed = _with_numbers(wide)
    won = items["minutes_source"].str.contains("first").fillna(False)
    blood = _FIRST_BLOOD * items["firstblood_minutes"]
    estimated = items["estimate_minutes"].fillna(items["censored_lower_minutes"])
    actual = timed["completion_minutes"].fillna(_FIRST_BLOOD * timed["firstblood_minutes"])
    found = {
        "completions_only": _with_minutes(wide, timed["completion_minutes"]),
        "actuals_only": _with_minutes(wide, actual),
        "cybench_adjusted": _with_minutes(study, items["minutes"].where(~won, blood)),
        "no_cybench_fb": _with_minutes(study, items["minutes"].where(~won, estimated)),
    }
    if "model_estimate_minutes" in timed:
        guessed = timed["model_estimate_minutes"]
        found["model_est_human_taskset"] = _with_minutes(wide, guessed[items.index])
        found["model_est_full"] = _with_minutes(wide, guessed)
    for family in sorted(items["family"].unique()):
        out = items["family"] == family
        if family == "cybergym":
            out |= items.index.str.startswith("arvo:")
        found[f"no_{family}"] = study.select(items=list(items.index[~out]))
    return found


def _with_numbers(study: Responses) -> pd.DataFrame:
    minutes = study.items.filter(regex="minutes$").astype(float)
    return study.items.assign(**{str(name): column for name, column in minutes.items()})


def _with_minutes(study: Responses, minutes: pd.Series) -> Responses:
    kept = minutes.dropna()
    part = study.select(items=list(kept.index))
    items = part.items.assign(minutes=kept, difficulty=np.log2(kept))
    return Responses(part.frame, items=items, agents=part.agents, name=study.name, source=study.source)


def claim_by_quantity(
    values: Mapping[str, Any], section: str = "", prefix: str = "L", exact: Mapping[str, Any] | None = None
) -> int:
    """Record every value whose key is the `quantity` of a claim (of that section); how many there were.

    `exact` holds the values of the converged fit beside those of the published optimiser.
    """
    rows = [
        c
        for c in ledger().values()
        if c.id.startswith(prefix)
        and section in ("", c.section, f"{c.section}/{c.figure}")
        and c.quantity in values
    ]
    if rows:
        known = exact or {}
        beside = {c.id: known[c.quantity] for c in rows if c.quantity in known}
        found = {c.id: values[c.quantity] for c in rows}
        nb.claims(found, mode="reference", title=section, exact=beside)
    return len(rows)


def claim_fits(table: pd.DataFrame, section: str, suffix: str = "", exact: pd.DataFrame | None = None) -> int:
    """Horizons, slope and intercept of every agent against the printed ones of a section/figure."""
    beside = None if exact is None else _fit_values(exact, suffix)
    return claim_by_quantity(_fit_values(table, suffix), section, exact=beside)


def _fit_values(table: pd.DataFrame, suffix: str) -> dict[str, float]:
    values: dict[str, float] = {}
    for agent, row in table.iterrows():
        intercept = row["slope"] * row["location"]
        values |= {
            f"{agent}: 50% horizon{suffix}, minutes": row["horizon_50"],
            f"{agent}: 80% horizon{suffix}, minutes": row["horizon_80"],
            f"{agent}: slope in log2 minutes": -row["slope"],
            f"{agent}: slope{suffix}": -row["slope"],
            f"{agent}: intercept": intercept,
        }
        for level in (50, 80):
            for side, word in (("low", "lower"), ("high", "upper")):
                if f"horizon_{level}_{side}" in row:
                    key = f"{agent}: {level}% horizon, {word} limit (1000 draws, seeds 42-1041)"
                    values[key] = row[f"horizon_{level}_{side}"]
    return values


def rounded_doubling(table: pd.DataFrame, dates: pd.Series) -> float:
    """Months in which the horizon doubles, from horizons rounded to 0.1 minute with zeros left out.

    That is how the printed sensitivity to the penalty was computed; the horizons themselves give another.
    """
    rounded = table[["horizon_50"]].round(1)
    rounded = rounded[rounded["horizon_50"] > 0]
    return doubling_time(rounded, dates[rounded.index], frontier="above").days / _MONTH


def ceiling_fit(study: Responses, agents: Iterable[Any] | None = None) -> pd.DataFrame:
    """Curves of maximum likelihood with a fitted ceiling and without one, items counting alike.

    `gain` is how much the log-likelihood rises over the curve without a ceiling: above 1.92 a ceiling is
    found at the 5% level (one more parameter).
    """
    part = study if agents is None else study.select(agents=list(agents))
    two = horizon(part, weights=None, penalty=0)
    three = horizon(part, weights=None, penalty=0, ceiling="fit")
    names = {"location": "location", "slope": "slope", "spread_logistic": "spread"}
    table = three[[*names, "ceiling"]].join(two[list(names)].add_suffix("_two"))
    table["gain"] = two["n_trials"] * (two["loss"] - three["loss"])
    return table.rename(columns=names | {"spread_logistic_two": "spread_two"})


def short_name(system: str) -> str:
    """A name that fits a figure, of a system of Animal-AI; other names stay.

    >>> short_name("Random_Walker_Fixed_Forwards_Saccade_15_Angle_10"), short_name("ppo_bc_all")
    ('walker, fixed', 'PPO bc all')
    """
    starts = {
        "Random_Walker_Fixed": "walker, fixed",
        "Random_Walker_Rayleigh": "walker, Rayleigh",
        "Random_Walker_Levy": "walker, Lévy",
        "Random_Action_Agent_no_bias": "random actions",
        "Random_Action_Agent_cephalocaudal": "random, biased",
        "Vanilla_Braitenberg": "Braitenberg",
    }
    for start, name in starts.items():
        if system.startswith(start):
            return name
    return system.replace("dreamer_", "Dreamer ").replace("ppo_", "PPO ").replace("_", " ")


def pooled(study: Responses, by: str = "system") -> Responses:
    """Agents that are seeds of one system become repeated trials of that system."""
    if by not in study.agents:
        raise BadInput("by", by, "[no-column] is not a column of agents", f"use one of {list(study.agents)}")
    long = study.to_long()
    long = long.assign(trial=long["agent"], agent=long["agent"].map(study.agents[by]))
    return Responses.from_long(long, trial="trial", items=study.items, name=study.name, source=study.source)


def demand_table(study: Responses, demands: Sequence[str], *, seed: int) -> pd.DataFrame:
    """Capability, spread and γ of every agent along each demand, with the items as the sample.

    Each demand is one column of `study.items`, taken as the difficulty. Families are left aside: where two
    of them hold nearly all items, as in the Animal-AI study, no interval over families can be given.
    """
    from gindex_lab import generality

    about = study.items.drop(columns="family", errors="ignore")
    items = Responses(study.frame, items=about, agents=study.agents)
    parts = {name: generality(items.with_difficulty(name), ci=0.95, seed=seed) for name in demands}
    return pd.concat(parts, names=["demand", "agent"])


def printed_table(printed: pd.DataFrame, suite: str, fix: str) -> pd.DataFrame:
    """One printed table of METR as a table of horizons, with the spread that its two horizons imply.

    S = π/(√3 ln 4) log2(p50/p80), the logistic curve's (specs/horizon.md, section 9).
    """
    chosen = printed[(printed["table"] == suite) & (printed["fix"] == fix)].set_index("model")
    names = {name: name.replace("p", "horizon_", 1) for name in ("p50", "p80", "p50_low", "p50_high")}
    spread = np.pi / np.sqrt(3) / np.log(4) * np.log2(chosen["p50"] / chosen["p80"])
    table = chosen.assign(spread_logistic=spread).rename(columns=names)
    return table[[*names.values(), "spread_logistic", "release_date", "tasks_of"]]


def short_table(table: pd.DataFrame) -> pd.DataFrame:
    """Horizons and spread of each agent with their limits, in seven columns or fewer and people's words.

    >>> short_table(pd.DataFrame({"horizon_50": [57.0], "horizon_80": [18.4], "spread_logistic": [2.126]}))
      50% horizon 80% horizon  spread S
    0      57 min    18.4 min      2.13
    """
    from gindex_lab.presentation.plots.curves import length_text

    words: dict[str, Any] = {
        "50% horizon": table["horizon_50"].map(length_text),
        "80% horizon": table["horizon_80"].map(length_text),
        "spread S": table["spread_logistic"].round(2),
    }
    if "horizon_50_low" in table:
        low, high = (table[f"horizon_50_{end}"].map(length_text) for end in ("low", "high"))
        words["50%: 95% interval"] = low + " to " + high
    if "spread_logistic_low" in table:
        ends = table[["spread_logistic_low", "spread_logistic_high"]].round(1).astype(str)
        words["S: 95% interval"] = ends.iloc[:, 0] + " to " + ends.iloc[:, 1]
    return pd.DataFrame(words, index=table.index)


def variant_row(study: Responses, dates: pd.Series) -> dict[str, float]:
    """Doubling time, R² and number of tasks of one variant, along the strict frontier, as the authors fit."""
    table = horizon(study, mode="reference")
    found = doubling_time(table, dates.reindex(table.index), frontier="above")
    return {"doubling time, days": found.days, "R squared": found.r_squared, "tasks": study.shape[1]}
