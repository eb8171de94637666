"""What every public number may be: one table for the doors, the fuzz tests and the reader.

A parameter has a type by its hint and a range by its name, because one noun has one meaning everywhere.
Where a function needs another range, an entry `function.parameter` (or `Class.parameter`) says so. `declared`
checks every public call against this table; `tests/test_constraints.py` fails when a public number is not in
it, or when a function refuses what the table allows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["RANGES", "Range", "range_of"]


@dataclass(frozen=True)
class Range:
    """The numbers from `low` to `high`; a round bracket in `ends` leaves that end out.

    >>> 0 in Range(0, 1), 0 in Range(0, 1, "(]"), float("nan") in Range()
    (True, False, False)
    >>> print(Range(0, 1, "()"), "|", Range(4), "|", Range(0, ends="(]"), "|", Range())
    between 0 and 1, ends excluded | from 4 up | above 0 | finite
    """

    low: float = -math.inf
    high: float = math.inf
    ends: str = "[]"
    rising: bool = False  # of a pair of numbers: the first below the second
    free: bool = False  # part of a result, which may be NaN or infinite
    inside: bool = False  # checked by the function itself, which has more to say than the range

    def __contains__(self, value: float | Fraction) -> bool:
        if self.free:
            return True
        above = value > self.low if self.ends[0] == "(" else value >= self.low
        below = value < self.high if self.ends[1] == ")" else value <= self.high
        return above and below and -math.inf < value < math.inf

    def __str__(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return "finite"
        if math.isinf(self.high):
            return f"above {self.low:g}" if self.ends[0] == "(" else f"from {self.low:g} up"
        left_out = {"()": ", ends excluded", "(]": f", {self.low:g} excluded"}
        left_out["[)"] = f", {self.high:g} excluded"
        return f"between {self.low:.12g} and {self.high:.12g}{left_out.get(self.ends, '')}"


ANY = Range()
COUNT = Range(1)  # how many, at least one
NONE_OR_MORE = Range(0)
POSITIVE = Range(0, ends="(]")
SHARE = Range(0, 1)
INSIDE = Range(0, 1, "()")  # a level of confidence, a quantile
INTERVAL = Range(rising=True)
RESULT = Range(free=True)  # of what functions give back
LIMIT = Range(1, 1e18)  # as `Limits` itself asks for: far above any machine
PLACE = Range(-1e6, 1e6)  # on the canvas of the drawing world

_NAMES: Mapping[Range, str] = {
    COUNT: """
        after ahead beam bins block branches bucket copies count cycles depth difficulty domains
        effort episodes families games horizon jobs k largest length lengths letters longest
        looks members minimum most most_steps n n_time neighbours nodes programs replications runs
        samples scale sensitivity size step steps topics transitions trials weight window""",
    NONE_OR_MORE: """
        action actions agents by_chance cell chance closing counts crossing curriculum decay decimals
        destinations dots draws family_sd first gap indent links minimum_length noise observations offset
        penalty priors r_seed seed states times used with_prior""",
    POSITIVE: "beta compute cost deviation distance elapsed limit without_prior xi",
    Range(0, ends="(]", inside=True): "budgets seconds tau tau0",
    Range(0, 10, "()"): "bandwidth",
    SHARE: """
        alpha ceiling discount epsilon floor heights likeness lower_bound other own performance rate
        specialists steepness threshold trace variation worth""",
    INSIDE: "ci confidence level levels saturation saturations wanted",
    ANY: """
        args centre codes difference heading high indicators initial low mean moves position randoms sd
        theta truth""",
    INTERVAL: "interval",
    Range(2): "cells columns environments items order points rank ranks tests",
    Range(100): "resamples",
    Range(99): "permutations",
    Range(19): "shuffles",
    Range(2, 100): "symbols",
    Range(-1, 1): "above rewards",
    Range(0, 1, "[)"): "gamma",
    Range(0, 1, "[)", inside=True): "delta",
    Range(0, 1, "(]"): "r0",
    Range(0, 1, "(]", inside=True): "stop",
    Range(0.5, 1): "cover",
    Range(0, 5): "margin tolerance",
    Range(12, 1000): "highest",
    Range(6, 13): "rivals",
    Range(1, 128): "shortest",
    Range(1e-6): "temperature",
    Range(10, 1000): "dpi",
    Range(1, 10**6): "n_per_domain simulations",
    Range(1, 10**7): "episode",
    PLACE: "radius x x0 x1 y y0 y1",
    RESULT: """
        diverged exhausted finished halted increments kt lower numbers reward value
        value_counted weights""",
}

#: `function.parameter` or `Class.parameter`, where the name alone says something else.
_EXACTLY: Mapping[Range, str] = {
    COUNT: """
        BinaryModel.simulate.agents Caps.states ItemResponseModel.simulate.agents adaptive.budget
        detectable.pairs difficulty.dots guttman_responses.agents matching.dots plot_subgroups.columns
        power.pairs shorter.random_tests simulate_irt.agents""",
    Range(0, inside=True): "Session.act.action",
    Range(inside=True): "Call.position Call.theta",  # the program that is called says where they are
    Range(1, inside=True): "dimensions.n_obs factors.n_obs generate.difficulty",
    Range(2, 20): "irt.categories",
    NONE_OR_MORE: "HLQ.epsilon Trace.steps divergence.seconds distance.seconds",
    SHARE: """
        Composing.margin Design.accuracy Design.shared Design.stable
        generalisation_level.distance""",
    POSITIVE: "Design.spread adaptive.width designs.tolerance",
    INTERVAL: "read.scale",
    RESULT: "Estimate.confidence AnytimeResult.interval Score.interval",
    ANY: "Bank.information.ability Design.curve Design.difficulty adaptive.threshold",
    Range(2): """
        by_budget.tests shorter.k compare.tests coverage.levels factor_view.draws normalised_aiq.most
        population_responses.agents random_pattern.actions random_space.actions simulate_profile.levels
        """,
    Range(3): """
        confirm.n_obs coverage.families coverage.items rewriting_effect.n
        simulate_profile.families simulate_profile.items""",
    Range(3, 100_000): "Design.families Design.items",
    Range(4): "compare.runs estimate.runs population_responses.items",
    Range(8): "null_experiment.runs",
    Range(10): "horizon.draws multiverse.draws",
    Range(1, 10_000): "Design.of.repeats Design.repeats",
    Range(2, 10): "MarkovPattern.actions",
    Range(6, 10): "Filters.longest",
    Range(0, 1, "[)"): "Design.floor HLQ.discount QLearning.discount",
    Range(0, 1, "(]"): "HLQ.trace adaptive.exposure",
    Range(0, 1e6): "KtScale.offset kt.offset table.offset",
    Range(1e-6, 1e6): "Noisy.noise",
    Range(2, 100): "curve_demo.levels",
    Range(-20, 30): "horizon_view.theta",
    Range(0, 50, "()"): "horizon_view.beta",
    Range(0.01, 1000): "anytime_view.seconds",
    Range(0.02, 60): "animate_capability_spread.seconds animation_html.seconds save_animation.seconds",
    Range(1, 10**6): """
        coupled.cycles coupled.runs curriculum.count item_programs.programs round_robin.games variations.n""",
    Range(2, 10**7): "stopping_bias.runs",
    Range(1, 10**7): "generate.n sample.n",  # a gigabyte of programs
    Range(0, 1e18): "Limits.pipe",
    LIMIT: """
        Limits.cells Limits.columns Limits.depth Limits.document Limits.members Limits.ratio Limits.seconds
        Limits.size""",
}

RANGES: dict[str, Range] = {
    name: allowed
    for table in (_NAMES, _EXACTLY)
    for allowed, names in table.items()
    for name in names.split()
}


def range_of(function: str, parameter: str) -> Range | None:
    """The range of a parameter of a function or class (by its name in the code); None where there is none."""
    return RANGES.get(f"{function}.{parameter}", RANGES.get(parameter))
