"""Does selection make capable agents general? The simulation of section C.3 (Fig. S25 and S26).

Agents answer items of rising difficulty at random: with even odds ("flat"), or the more rarely the
harder the item ("triangle"). An agent survives if it solves half of the items (pressure on capability)
and if its effort M = Σ (i - ½) x_i stays below a limit (pressure on effort). The paper's text limits
the effort relative to each agent's own capability, the authors' code by one fixed number: we offer both.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.r_random import RRandom
from gindex_lab.foundation.validate import FloatArray, choice, integer, number
from gindex_lab.measures.psychometrics.correlations import correlation

__all__ = ["EXCESS", "PRESSURES", "correlations", "select"]

PRESSURES = ("none", "capability", "effort", "both")
EXCESS = {"flat": 1.0, "triangle": 0.25}  # effort allowed over the minimum (captions of S25, S26)
_AT_ONCE = 1024  # candidates drawn together, for speed
_MOST = 2_000_000  # candidates before we give up on a rule that nobody passes: a judgement
_TINY = 1e-7  # the authors' noise, which keeps the columns from being constant


def select(
    shape: str = "flat",
    pressure: str = "both",
    *,
    rule: str = "fixed",
    excess: float | None = None,
    agents: int = 200,
    items: int = 200,
    seed: int = 0,
) -> pd.DataFrame:
    """The agents that survive, in the order in which they were drawn.

    `rule="fixed"` (the authors' code): effort < (1 + excess) (items/2)²/2, the minimum for solving
    half of the items; `rule="own"` (the paper's text): effort < (1 + excess) Ψ²/2, the minimum for
    the agent's own capability. `excess` is 1 for "flat" and 0.25 for "triangle" unless given.
    Columns: `capability` (share of items), `solved`, `effort`, `spread` = √|2M - Ψ²| and
    `generality` = 1/spread, all with unit rectangles (§C.3); `attrs["tries"]` counts the candidates.
    """
    choice("shape", shape, tuple(EXCESS))
    choice("pressure", pressure, PRESSURES)
    choice("rule", rule, ("fixed", "own"))
    agents, items = integer("agents", agents, 2), integer("items", items, 2)
    over = number("excess", EXCESS[shape] if excess is None else excess, 0, 1e6)
    draw = RRandom(seed)
    kept: list[FloatArray] = []
    tries = found = 0
    while found < agents:
        problem = f"[too-rare] lets {found} of {tries} agents pass"
        ensure(tries < _MOST, "excess", over, problem, "allow more effort")
        batch = _candidates(draw, shape, items)
        passed = np.flatnonzero(_survives(batch, pressure, rule, over, items))[: agents - found]
        found += len(passed)
        tries += int(passed[-1]) + 1 if found == agents else len(batch)
        kept.append(batch[passed])
    solved, effort = np.concatenate(kept).T
    spread = np.sqrt(np.abs(2 * effort - solved**2))
    index = pd.RangeIndex(1, agents + 1, name="agent")
    table = pd.DataFrame({"capability": solved / items, "solved": solved, "effort": effort}, index)
    table["spread"], table["generality"] = spread, 1 / spread
    table.attrs |= {"tries": tries, "shape": shape, "pressure": pressure, "rule": rule}
    return table


def correlations(
    shape: str, pressure: str, *, rule: str = "fixed", seeds: Iterable[int] = range(6)
) -> pd.Series:
    """The correlation of generality and capability among the survivors, for each seed."""
    found = {}
    for seed in seeds:
        kept = select(shape, pressure, rule=rule, seed=seed)
        found[seed] = correlation(kept["generality"], kept["capability"])
    return pd.Series(found, name=f"{shape}, {pressure}").rename_axis("seed")


def _candidates(draw: RRandom, shape: str, items: int) -> FloatArray:
    """The next candidates, as (solved, effort): for each answer one number decides, one is noise."""
    u = draw.uniform(_AT_ONCE, items, 2)
    middle = np.arange(items) + 0.5
    limit = np.full(items, 0.5) if shape == "flat" else middle / items
    x = (u[..., 0] >= limit) + _TINY * u[..., 1]
    return np.column_stack([_sum(x), _sum(x * middle)])


def _sum(rows: FloatArray) -> FloatArray:
    """Row sums as R makes them: from left to right, in extended precision where there is any."""
    total = np.zeros(len(rows), dtype=np.longdouble)
    for column in rows.T:
        total += column
    return total.astype(float)


def _survives(batch: FloatArray, pressure: str, rule: str, excess: float, items: int) -> np.ndarray:
    solved, effort = batch.T
    capability = solved if rule == "own" else items / 2.0
    limit = capability**2 / 2 * (1 + excess)  # the least effort is that of a step, Ψ²/2 (proposition 9)
    capable = (solved >= items / 2) | (pressure in ("none", "effort"))
    frugal = (effort < limit) | (pressure in ("none", "capability"))
    return np.asarray(capable & frugal)
