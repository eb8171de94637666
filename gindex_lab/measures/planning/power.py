"""How many items tell two agents apart, and what could a finished study have seen?

The power of a design is the share of studies in which `gl.comparisons` separates two agents that differ by a
given amount. Studies are simulated by the thousand and put to that very test; a closed form stands beside it:
the difference is normal around its true value with the variance of the units' contributions, and is compared
with the t quantile that the test uses on average. The closed form finds the number of items, and the
simulation confirms it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import Label, SeedLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, confidence, generator, known
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.planning.designs import Design, Measure, curves_apart, value_of
from gindex_lab.measures.planning.pilots import pilot_design
from gindex_lab.measures.planning.separating import closed_form, observed

__all__ = ["Power", "detectable", "power"]

# Judgements
_CURVE = (0.4, 0.6, 0.8, 1.0, 1.25, 1.6)  # of the items that the closed form asks for
_POINT = 1_000  # studies for each point of the curve
_DRAWS = 100  # curves that a pilot leaves open
_MOST_ITEMS, _MOST_REPEATS = 100_000, 100  # of a plan
_NEAR = 0.02  # of the difference: how exactly curves must differ by it


@dataclass(frozen=True)
class Power:
    """The chance of separating two agents that differ by `difference`, and what a wanted chance takes.

    `low` and `high` (95%) are what a pilot leaves open, equal to `value` for a design that was given;
    `error` is the standard error of the simulation. `items_needed`, `families_needed` and `repeats_needed`
    are the smallest that reach `wanted`, each with the rest of the design as it is; None where none does.
    `curve` is the power by the number of items, simulated and in closed form.
    """

    value: float
    low: float
    high: float
    error: float
    closed_form: float
    measure: str
    difference: float
    wanted: float
    ci: float
    items_needed: int | None
    families_needed: int | None
    repeats_needed: int | None
    curve: pd.DataFrame = field(repr=False, compare=False)
    design: Design = field(repr=False, compare=False)

    def __str__(self) -> str:
        name = {"normalised_generality": "normalised generality"}.get(self.measure, self.measure)
        design = self.design
        trials = f", {design.repeats} times each," if design.repeats > 1 else ""
        said = (
            f"{design.items:,} items{trials} separate two agents whose {name} differs by "
            f"{self.difference:g} in {self.value:.0%} of studies"
        )
        if self.low < self.high:
            said += f" (the pilot leaves {self.low:.0%} to {self.high:.0%} open)"
        if self.items_needed is None:
            return f"{said}. No number of items up to {_MOST_ITEMS:,} reaches {self.wanted:.0%}."
        families = "" if self.families_needed is None else f" in {self.families_needed:,} families"
        return f"{said}. {self.items_needed:,} items{families} reach {self.wanted:.0%}."


def power(
    study: Responses | Design,
    *,
    difference: float,
    measure: Measure = "capability",
    wanted: float = 0.8,
    ci: float = 0.95,
    pairs: int = 1,
    agent: Label = None,
    resample: Literal["items", "families"] = "items",
    interval: Interval | None = None,
    simulations: int = 4_000,
    seed: SeedLike,
) -> Power:
    """The probability of telling two agents apart, and how many items, families or repeats it takes.

    Parameters
    ----------
    study : a pilot (`Responses`), or a `gl.Design`
        A pilot lends its difficulties, families and trials, the curve of an agent, and how far agents share
        their luck. Without difficulties only "mean" can be planned for.
    difference : between the two agents, in the unit of the measure, half above the curve and half below it
    measure : which is compared
    wanted : the power for which `items_needed` is found
    ci : two agents are separated at level 1 - ci
    pairs : pairs of agents in the study, by which the level is divided (the first step of Holm's method)
    agent : of the pilot, whose curve is taken; the one of median mean response by default
    resample : as in `gl.generality`
    interval : of the pilot; that of its difficulties by default
    simulations : studies
    seed : of the simulation

    Returns
    -------
    Power
        `value` with `low`, `high` and `error`, `items_needed`, `families_needed`, `repeats_needed`, `curve`.

    Notes
    -----
    Predicted and observed: `data/measured/power.csv`, 12 designs for each measure, in which the observed
    share comes from `gl.comparisons` on studies simulated one by one (`benchmarks/measured/power.py`).

    References
    ----------
    Cohen (1988), chapter 1; Muthén and Muthén (2002) for planning by simulation.

    Examples
    --------
    >>> found = power(Design(items=60), difference=0.15, simulations=500, seed=1)
    >>> 0.4 < found.value < 0.9, found.items_needed > 60
    (True, True)
    """
    level, random = 1 - (1 - confidence(ci)) / pairs, generator(seed)
    design, draws = _design_of(study, measure, agent, resample, interval)
    gap = float(difference)
    ensure(gap != 0, "difference", gap, "cannot be detected", "give the difference that matters to you")
    chance = _apart(design, measure, gap)
    closed = closed_form(design, chance, measure, level)
    shown, error = observed(design, chance, measure, level, simulations, random)
    offset = _probit(shown) - _probit(closed)
    low, high = (shown, shown) if draws is None else _open(design, draws, measure, gap, level, offset, random)
    curve, needed = _needed(design, measure, gap, level, wanted, min(simulations, _POINT), random)
    again = _repeats_needed(design, chance, measure, level, wanted, offset)
    families = None if needed is None else design.of(needed).families
    low, high = min(low, shown), max(high, shown)
    about = shown, low, high, error, closed, measure, gap, wanted, level
    return Power(*about, needed, families, again, curve, design)


def detectable(
    study: Responses | Design,
    *,
    measure: Measure = "capability",
    wanted: float = 0.8,
    ci: float = 0.95,
    pairs: int = 1,
    agent: Label = None,
    resample: Literal["items", "families"] = "items",
    interval: Interval | None = None,
) -> float:
    """The smallest difference that a study like this separates with the wanted power; NaN where none does.

    By the closed form of `gl.power`, so nothing is drawn: what could this study have seen?

    Parameters
    ----------
    study, measure, wanted, ci, pairs, agent, resample, interval : as for `gl.power`

    Returns
    -------
    float

    References
    ----------
    Cohen (1988), chapter 1.

    Examples
    --------
    >>> round(detectable(Design(items=100), measure="mean"), 2)
    0.14
    """
    level = 1 - (1 - confidence(ci)) / pairs
    design, _ = _design_of(study, measure, agent, resample, interval)
    h = design.places()
    top = float(_largest(design, h, measure))

    def reached(gap: float) -> float:
        above, below, _ = curves_apart(design, h, design.chance(h)[None], measure, gap)
        return closed_form(design, np.concatenate([above, below]), measure, level)

    low, high = 0.0, top * 0.98
    if high <= 0 or reached(high) < wanted:
        return float("nan")
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) >= wanted else (middle, high)
    return high


def _design_of(
    study: object, measure: str, agent: Label, resample: str, interval: Interval | None
) -> tuple[Design, Callable[..., list[Design]] | None]:
    """The design, and for a pilot a function that draws designs as the pilot leaves them open."""
    if isinstance(study, Design):
        for name, value in (("agent", agent), ("interval", interval)):
            remedy = "leave it out, or give a pilot"
            ensure(value is None, name, value, "belongs to a pilot, and a design was given", remedy)
        return study, None
    remedy = "turn them into responses first, for instance with gl.rank(scores)"
    ensure(not isinstance(study, Scores), "study", type(study).__name__, "holds raw scores", remedy)
    if not isinstance(study, Responses):
        problem = "[wrong-type] is neither a pilot nor a design"
        remedy = "give gl.Responses(...), gl.read(...) or gl.Design(...)"
        raise BadInput("study", type(study).__name__, problem, remedy)
    enough = measure == "mean" or (study.difficulty is not None and study.difficulty.nunique() > 1)
    problem = "[no-difficulty] needs items of at least two difficulties"
    ensure(enough, "measure", measure, problem, "plan for measure='mean', or give difficulties")
    if agent is None:
        means = study.frame.mean(axis=1).dropna().sort_values(kind="stable")
        ensure(len(means) > 0, "study", study, "has no responses", "give a pilot with responses")
        agent = means.index[len(means) // 2]
    else:
        known("agent", [agent], study.frame.index)
    design, draws = pilot_design(study, agent, interval, resample)
    return design, lambda count, random: [replace(design, curve=one) for one in draws(count, random)]


def _largest(design: Design, h: FloatArray, measure: str) -> FloatArray:
    """Twice the smaller way from the curve to the ends of what a tilt can reach."""
    psi = design.chance(h)[None]
    middle = value_of(design, h, psi, measure)[0]
    width = {"normalised_generality": 2.0, "mean": 1.0}.get(measure, design.interval[1] - design.interval[0])
    above, below, _ = curves_apart(design, h, psi, measure, 4 * width)
    ends = [value_of(design, h, curve, measure)[0] for curve in (above, below)]
    return np.asarray(2 * min(abs(end - middle) for end in ends))


def _apart(design: Design, measure: str, gap: float) -> FloatArray:
    """Chances (2, N) of two agents that differ by `gap`."""
    h = design.places()
    above, below, apart = curves_apart(design, h, design.chance(h)[None], measure, gap)
    if abs(apart[0] - gap) > _NEAR * abs(gap):
        most = float(_largest(design, h, measure))
        problem = "[out-of-range] is more than two curves around this one can differ by"
        raise BadInput("difference", gap, problem, f"give at most {most:.3g}")
    return np.concatenate([above, below])


def _probit(share: float | FloatArray) -> FloatArray:
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(share, 1e-4, 1 - 1e-4)))


def _open(
    design: Design,
    draws: Callable[..., list[Design]],
    measure: str,
    gap: float,
    level: float,
    offset: FloatArray,
    random: np.random.Generator,
) -> tuple[float, float]:
    """Limits (95%) of the power over the curves that a pilot leaves open, by the closed form and what the
    simulation found beside it."""
    from scipy.special import ndtr

    some, h = draws(_DRAWS, random), design.places()
    curves = np.stack([one.chance(h) for one in some])
    above, below, apart = curves_apart(design, h, curves, measure, gap)
    near = np.abs(apart - gap) <= _NEAR * abs(gap)
    pairs = zip(above[near], below[near], strict=True)
    found = [closed_form(design, np.stack(two), measure, level) for two in pairs]
    if len(found) < _DRAWS / 4:
        return 0.0, 1.0
    low, high = ndtr(_probit(np.quantile(found, [0.025, 0.975])) + offset)
    return float(low), float(high)


def _needed(
    design: Design,
    measure: str,
    gap: float,
    level: float,
    wanted: float,
    most: int,
    random: np.random.Generator,
) -> tuple[pd.DataFrame, int | None]:
    """Power by the number of items, simulated and in closed form; and the number that reaches `wanted`."""
    from scipy.special import ndtr

    def closed(n: int) -> float:
        other = design.of(n)
        return closed_form(other, _apart(other, measure, gap), measure, level)

    about = _smallest(closed, wanted)
    sizes = np.unique([max(5, round((about or design.items) * share)) for share in _CURVE])
    rows = []
    for n in sizes[sizes <= _MOST_ITEMS]:
        other = design.of(int(n))
        chance = _apart(other, measure, gap)
        studies = int(np.clip(1_000_000 // other.items, min(100, most), most))
        share, error = observed(other, chance, measure, level, studies, random)
        by = {"items": other.items, "families": other.families, "power": share, "error": error}
        rows.append(by | {"closed_form": closed_form(other, chance, measure, level)})
    curve = pd.DataFrame(rows)
    if about is None:
        return curve, None
    gaps = _probit(curve["power"].to_numpy()) - _probit(curve["closed_form"].to_numpy())
    near = (curve["power"] - wanted).abs() <= 0.25
    offset = float(gaps[near].mean()) if near.any() else 0.0
    return curve, _smallest(lambda n: float(ndtr(_probit(closed(n)) + offset)), wanted)


def _smallest(
    reached: Callable[[int], float], wanted: float, low: int = 4, most: int = _MOST_ITEMS
) -> int | None:
    """The smallest whole number above `low` that reaches `wanted`, by doubling and halving."""
    high = low + 1
    while reached(high) < wanted:
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= wanted else (middle, high)
    return high


def _repeats_needed(
    design: Design, chance: FloatArray, measure: str, level: float, wanted: float, offset: FloatArray
) -> int | None:
    """Repeats of each item, the number of items as it is."""
    from scipy.special import ndtr

    def reached(repeats: int) -> float:
        closed = closed_form(replace(design, repeats=repeats), chance, measure, level)
        return float(ndtr(_probit(closed) + offset))

    return _smallest(reached, wanted, 0, _MOST_REPEATS)
