"""Do intervals hold whenever one stops, and how many items does choosing them save?

Agents whose every response is known are tested by `gl.adaptive`, item by item to the end of a bank (sixty
items, drawn anew for every replay), and the course is read under five rules for stopping, among them "stop
when the ordinary interval excludes the truth", which is what happens to somebody who looks until a difference
is significant although there is none. Two agents are asked the same items, and stopped when they seem to
differ. The ordinary interval (mean ± t, corrected for the finite bank) is given for comparison. `stopping`
counts how often each interval holds the truth; `saving` counts the items until the interval is narrow enough,
compared with random order.

`benchmarks/measured/stopping.py` makes the tables of `data/measured` again, on four more banks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.measures.adaptive.bank import SUMS, Bank, bank_of
from gindex_lab.measures.adaptive.session import AdaptiveSession
from gindex_lab.measures.generality import difficulties_of, generality
from gindex_lab.studies.simulations.coverage import PROFILES, simulate_profile

__all__ = ["STOPS", "WIDTHS", "answered", "measure_stopping", "ordinary", "saved", "sittings", "stops"]

STOPS = ("budget", "width", "decided", "looks significant", "looks best")
# judgements
WIDTHS = (0.2, 0.15, 0.1)  # of the interval, or of 1 for the mean
_FIRST = 20  # items before one looks at an ordinary interval
_SIZE = 60  # items of the banks on which stopping is replayed


@lru_cache(maxsize=8)
def answered(bank: str, seed: int = 1) -> Responses:
    """Right or wrong answers of many agents to all items of a bank with difficulties: "simulated" or "mazes".

    >>> answered("simulated")
    Responses(90 agents x 120 items, with difficulties, simulated)
    """
    rng = np.random.default_rng([seed, *choice("bank", bank, ("simulated", "mazes")).encode()])
    if bank == "simulated":
        return simulate_profile(10 * list(PROFILES.values()), 120, seed=rng)
    return sittings(_maze_chances(seed), rng)


def sittings(chances: Responses, rng: np.random.Generator) -> Responses:
    """Right or wrong answers with these chances, each agent as often as makes about eighty of them."""
    frame = pd.concat([chances.frame] * max(1, round(80 / len(chances.frame))))
    frame.index = pd.Index([f"{name} ({k})" for k, name in enumerate(frame.index)])
    answers = (rng.random(frame.shape) < frame).astype(float)
    return Responses(answers, items=chances.items, source="own experiment")


def _maze_chances(seed: int) -> Responses:
    """Walkers that see one to twelve crossings ahead, and careless ones, on mazes of 4 to 18 rows."""
    from gindex_lab.worlds.tasks import mazes

    battery = mazes.battery(tuple(range(4, 19, 2)), (0.2, 0.3, 0.4), copies=5, seed=seed)
    agents: dict[str, Any] = {f"{k} ahead": mazes.LookAhead(k) for k in (1, 2, 3, 4, 6, 8, 12)}
    agents |= {f"noise {x:g}": mazes.Noisy(x) for x in (0.2, 0.4, 0.7, 1.0, 2.0)}
    return mazes.play(battery, agents)


def ordinary(bank: Bank, course: pd.DataFrame, measure: str) -> FloatArray:
    """Mean ± t after every item in random order (2, T), corrected for the finite bank; NaN at first.

    For two agents (a column `response_b`) it is the difference of their responses that is averaged.
    """
    weights, constant = bank.weights(measure)
    n, t, two = len(weights), np.arange(1, len(course) + 1), "response_b" in course
    at = bank.items.index.get_indexer(pd.Index(course["item"]))
    worth = course["response"] - course["response_b"] if two else course["response"]
    cells = weights[at] * worth.to_numpy() * n
    mean = np.cumsum(cells) / t
    square = np.maximum(np.cumsum(cells**2) / t - mean**2, 0.0) * t / np.maximum(t - 1, 1)
    half = half_width(np.sqrt(square / t * (1 - t / n)), 0.95, np.maximum(t - 1, 1))
    shift = 0.0 if two else constant + (bank.span[0] if measure == "capability" else 0.0)
    found = np.stack([mean - half, mean + half]) + shift
    return np.where(t >= _FIRST, found, np.nan)


def stops(
    course: pd.DataFrame, limits: FloatArray, usual: FloatArray, truth: float, scale: float
) -> dict[str, int]:
    """The item after which each rule stops, by position; the last where it never does.

    "decided" is when the limits leave a value near the truth, for two agents (a column `response_b`) 0.
    """
    low, high = limits
    aims = (0.0, 0.0) if "response_b" in course else (truth - 0.12 * scale, truth + 0.12 * scale)
    last, late = len(course) - 1, np.arange(len(course)) >= _FIRST - 1
    usual_out = (usual[0] > truth) | (usual[1] < truth)
    rules = {
        "budget": np.arange(len(course)) >= len(course) // 2,
        "width": high - low <= 0.25 * scale,
        "decided": (low > aims[0]) | (high < aims[1]),
        "looks significant": late & usual_out,
    }
    found = {name: int(hit.argmax()) if hit.any() else last for name, hit in rules.items()}
    upper = np.where(late, course["estimate"].to_numpy(), -np.inf)
    return found | {"looks best": int(upper[: 3 * len(course) // 4].argmax())}


def measure_stopping(
    row: dict[str, Any],
    simulations: int,
    seed: int,
    study: Responses | None = None,
    bank_for: Callable[[int], Bank] | None = None,
) -> dict[str, float]:
    """How often the interval holds the truth at each stop, and at all of them; for capability and mean under
    random order, the ordinary interval beside it, and for all rules that of the model alone. A row with
    `agents` = 2 is about how far one agent is ahead of another. Without `study`, the answers are those of
    `answered(row["bank"])`; without `bank_for` (the bank for an agent), the bank is `bank_of(study)`.
    """
    study, number = answered(row["bank"]) if study is None else study, row.get("agents", 1)
    rng = np.random.default_rng([seed, *"".join(map(str, row.values())).encode()])
    rows = []
    for _ in range(simulations):
        who, some = rng.permutation(len(study.frame))[:number], _some(study, rng)
        whole = bank_of(study) if bank_for is None else bank_for(int(who[0]))
        bank = Bank(whole.items.loc[some])
        answers = study.frame.iloc[who][some]
        true = generality(answers, bank.difficulty)[row["measure"]].to_numpy(dtype=float)
        session = AdaptiveSession(bank, measure=row["measure"], rule=row["rule"], agents=number, seed=rng)
        while not session.finished:  # to the end of the bank, whatever was decided on the way
            session.record(list(answers[session.next_item()]))
        rows.append(_held(bank, session.table, true[0] - true[1] if number == 2 else true[0], row))
    return {"replays": simulations} | pd.DataFrame(rows).mean().round(4).to_dict()


def _some(study: Responses, rng: np.random.Generator) -> list[Label]:
    """Sixty items of a bank, of two difficulties at least: a new bank for every replay."""
    h = difficulties_of(study)
    while True:
        chosen = rng.permutation(study.shape[1])[:_SIZE]
        if len(np.unique(h[chosen])) > 1:
            return list(study.frame.columns[np.sort(chosen)])


def _held(bank: Bank, course: pd.DataFrame, true: float, row: dict[str, Any]) -> dict[str, float]:
    limits = course[["low", "high"]].to_numpy().T
    model = course[["model_low", "model_high"]].to_numpy().T
    scale = {"mean": 1.0, "normalised_generality": 2.0}.get(row["measure"], bank.span[1] - bank.span[0])
    sums = row["measure"] in SUMS and row["rule"] == "random"
    usual = ordinary(bank, course, row["measure"]) if sums else model
    at, tiny = stops(course, limits, usual, true, scale), 1e-9 * scale
    holds = {"": limits, "model, ": model} | ({"ordinary, ": usual} if sums else {})
    inside = {name: (ends[0] <= true + tiny) & (ends[1] >= true - tiny) for name, ends in holds.items()}
    found = {f"{name}{rule}": float(ok[at[rule]]) for name, ok in inside.items() for rule in STOPS}
    return found | {"always": float(inside[""].all()), "items, width": float(at["width"] + 1)}


def saved(table: pd.DataFrame) -> pd.DataFrame:
    """The share of items that a rule saves compared with random order, by bank, width and rule, with 95%
    limits over agents (Student's t on the logarithm of the ratio).
    """
    rows = {}
    for bank, part in table.groupby("bank", sort=False):
        for width in (f"{w:g}" for w in WIDTHS):
            wide = part.pivot(index="agent", columns="rule", values=width)
            for rule in wide.columns.drop("random"):
                ratio = np.log(wide[rule] / wide["random"]).dropna()
                n = len(ratio)
                half = half_width(ratio.std(ddof=1), 0.95, max(n - 1, 1)) / np.sqrt(n)
                ends = 1 - np.exp(ratio.mean() + np.array([0.0, half, -half]))
                held = part.loc[part["rule"] == rule, "held"].mean()
                rows[bank, width, rule] = [*ends, wide["random"].mean(), wide[rule].mean(), n, held]
    columns = ["saved", "low", "high", "random_items", "items", "agents", "held"]
    found = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    found.index = pd.MultiIndex.from_tuples(found.index, names=["bank", "width", "rule"])
    return found
