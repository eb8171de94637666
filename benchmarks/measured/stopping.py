"""The tables `stopping` and `saving` of `data/measured`: every bank, rule and measure of `stopping_study`.

`python -m benchmarks.measured.stopping stopping OUT.csv` (or `saving`) makes one again, and goes on where it
was stopped.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.measures.adaptive.bank import Bank
from gindex_lab.measures.adaptive.session import adaptive
from gindex_lab.measures.generality import generality
from gindex_lab.studies.simulations.coverage_study import kept_study
from gindex_lab.studies.simulations.stopping_study import (
    BANKS,
    PUBLISHED,
    WIDTHS,
    answered,
    bank_for,
    measure_stopping,
)

__all__ = ["measure_saving", "saving_rows", "stopping_rows"]

SAVING = ("simulated", "mazes", "letter series", "swebench_134")  # answers are right or wrong
_REPLAYS = 168  # of a row: over a thousand on the six banks together


def measure_saving(row: dict[str, Any], simulations: int, seed: int) -> dict[str, float]:
    """Items until the interval is 0.2, 0.15 and 0.1 of its range wide, for one agent (`row["agent"]`).

    >>> row = {"bank": "simulated", "agent": 0, "rule": "bayes"}
    >>> found = measure_saving(row, 1, 1)
    >>> found["0.2"] <= found["0.1"]
    True
    """
    study, agent = answered(row["bank"]), int(row["agent"])
    bank = bank_for(row["bank"], agent, row["rule"])
    true = float(generality(study)["capability"].iloc[agent])
    found = []
    for k in range(simulations):
        rng = np.random.default_rng([seed, agent, k, *f"{row['bank']} {row['rule']}".encode()])
        session = adaptive(study.frame.iloc[agent], bank, rule=row["rule"], width=_narrow(bank), seed=rng)
        course = session.table
        width = (course["high"] - course["low"]).to_numpy() / (bank.span[1] - bank.span[0])
        one = {f"{w:g}": float(np.argmax(width <= w) + 1) if (width <= w).any() else np.nan for w in WIDTHS}
        at = course.iloc[-1]
        found.append(one | {"held": float(at["low"] - 1e-9 <= true <= at["high"] + 1e-9)})
    return pd.DataFrame(found).mean().round(3).to_dict()


def _narrow(bank: Bank) -> float:
    return min(WIDTHS) * (bank.span[1] - bank.span[0])


def stopping_rows() -> pd.DataFrame:
    """Bank, rule, measure and number of agents of every row of the table of coverage."""
    kinds = [(rule, "capability", 1) for rule in ("random", "stratified", "bayes")]
    kinds += [("random", "mean", 1), ("bayes", "mean", 1), ("random", "spread", 1)]
    kinds += [("bayes", "spread", 1), ("bayes", "normalised_generality", 1)]
    kinds += [("random", "mean", 2), ("random", "capability", 2), ("bayes", "capability", 2)]
    rows = [(bank, *kind) for kind in kinds for bank in _banks()]
    return pd.DataFrame(rows, columns=["bank", "rule", "measure", "agents"])


def saving_rows() -> pd.DataFrame:
    """Bank, agent and rule of every row of the table of items saved."""
    rules = ("random", "stratified", "bayes", "information")
    rows = []
    for bank in _banks(SAVING):
        n = len(answered(bank).frame)
        some = np.linspace(0, n - 1, min(n, 24)).round().astype(int)
        rows += [(bank, int(agent), rule) for agent in some for rule in rules]
    return pd.DataFrame(rows, columns=["bank", "agent", "rule"])


def _banks(names: tuple[str, ...] = BANKS) -> list[str]:
    from gindex_lab.studies.data.loading import datasets

    known = datasets().set_index("name")["available"]
    return [b for b in names if b not in PUBLISHED or bool(known.get(b, False))]


if __name__ == "__main__":
    if sys.argv[1] == "stopping":
        print(kept_study(sys.argv[2], stopping_rows(), measure_stopping, _REPLAYS, 31).T.to_string())
    else:
        print(kept_study(sys.argv[2], saving_rows(), measure_saving, 1, 32).to_string())
