"""The tables `stopping` and `saving` of `data/measured`: every bank, rule and measure of `stopping_study`.

`python -m benchmarks.measured.stopping stopping OUT.csv` (or `saving`) makes one again, and goes on where it
was stopped. With $GINDEX_LAB_DATA they include `swebench_134` and `lyptus`, whose difficulty is the time that
people need.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.adaptive.bank import Bank, bank_of
from gindex_lab.measures.adaptive.session import adaptive
from gindex_lab.measures.generality import generality
from gindex_lab.studies.simulations.coverage_study import kept_study
from gindex_lab.studies.simulations.stopping_study import WIDTHS, answered, measure_stopping, sittings

__all__ = ["BANKS", "measure_row", "measure_saving", "saving_rows", "stopping_rows"]

PUBLISHED = ("swebench_134", "lyptus")
BANKS = ("simulated", "mazes", "letter series", "Λ environments", *PUBLISHED)
SAVING = ("simulated", "mazes", "letter series", "swebench_134")  # answers are right or wrong
_REPLAYS = 168  # of a row: over a thousand on the six banks together
_FOLDS = 5  # of agents: a bank is calibrated on the agents of the other folds


@lru_cache(maxsize=8)
def answers_of(bank: str, seed: int = 1) -> Responses:
    """Right or wrong answers of many agents to all items of a bank, with difficulties."""
    if bank in ("simulated", "mazes"):
        return answered(bank, seed)
    if bank in PUBLISHED:
        from gindex_lab.studies.data.loading import load

        study = load(bank)
        met = study.frame.columns[study.frame.notna().all()]
        return study.select(items=list(met))
    if bank == "Λ environments":
        return _environments(seed)
    return sittings(_series_chances(seed), np.random.default_rng([seed, *bank.encode()]))


def _environments(seed: int) -> Responses:
    """One run each of 36 Q-learners and five bounds in 140 environments of the class Λ; mean rewards."""
    from gindex_lab.worlds.anytime.agents import QLearning
    from gindex_lab.worlds.anytime.pool import make_pool
    from gindex_lab.worlds.anytime.scoring import as_items

    settings = product((0.02, 0.05, 0.2, 0.6), (0.1, 0.35, 0.8), (0.0, 0.1, 0.3))
    agents: dict[str, Any] = {
        f"α {a:g}, γ {g:g}, ε {e:g}": QLearning(alpha=a, gamma=g, epsilon=e) for a, g, e in settings
    }
    agents |= {name: name for name in ("random", "reactive", "follower", "oracle", "optimal")}
    worlds = make_pool(140, seed=seed).environments
    return as_items(agents, worlds, runs=1, difficulty="bits", seed=seed)


def _series_chances(seed: int) -> Responses:
    """Systems that search programs of 3 to 6 instructions, each with its slips and guesses."""
    from gindex_lab.worlds.tasks import letter_series

    number = {7: 9, 8: 16}  # all that there are of the easiest; items harder than 11 take long to find
    items = [x for h in range(7, 12) for x in letter_series.generate(h, number.get(h, 28), seed)]
    systems = {f"search {k}": letter_series.Induction(k) for k in (3, 4, 5, 6)}
    exact = letter_series.computed(items, systems)
    slips = (0.02, 0.1, 0.25)
    rows = {
        f"{name}, slips {slip:g}": slip / 4 + (1 - slip) * row
        for name, row in exact.frame.iterrows()
        for slip in slips
    }
    return Responses(pd.DataFrame(rows).T, items=exact.items)


@lru_cache(maxsize=64)
def _calibrated(bank: str, fold: int) -> Bank:
    """The bank, its two-parameter model fitted to the agents of the other folds."""
    study = answers_of(bank)
    others = study.frame.index[np.arange(len(study.frame)) % _FOLDS != fold]
    return Bank.calibrated(study.select(agents=list(others)))


def bank_for(bank: str, agent: int, rule: str) -> Bank:
    """The bank: by intrinsic difficulty where it has one, else calibrated on the other agents."""
    if bank == "swebench_134" or rule == "information":
        return _calibrated(bank, agent % _FOLDS)
    return bank_of(answers_of(bank))


def measure_row(row: dict[str, Any], simulations: int, seed: int) -> dict[str, float]:
    """`measure_stopping` on the answers and the bank that a row names."""
    study = answers_of(row["bank"])
    bank = lambda agent: bank_for(row["bank"], agent, row["rule"])
    return measure_stopping(row, simulations, seed, study, bank)


def measure_saving(row: dict[str, Any], simulations: int, seed: int) -> dict[str, float]:
    """Items until the interval is 0.2, 0.15 and 0.1 of its range wide, for one agent (`row["agent"]`).

    >>> row = {"bank": "simulated", "agent": 0, "rule": "bayes"}
    >>> found = measure_saving(row, 1, 1)
    >>> found["0.2"] <= found["0.1"]
    True
    """
    study, agent = answers_of(row["bank"]), int(row["agent"])
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
        n = len(answers_of(bank).frame)
        some = np.linspace(0, n - 1, min(n, 24)).round().astype(int)
        rows += [(bank, int(agent), rule) for agent in some for rule in rules]
    return pd.DataFrame(rows, columns=["bank", "agent", "rule"])


def _banks(names: tuple[str, ...] = BANKS) -> list[str]:
    from gindex_lab.studies.data.loading import datasets

    known = datasets().set_index("name")["available"]
    return [b for b in names if b not in PUBLISHED or bool(known.get(b, False))]


if __name__ == "__main__":
    if sys.argv[1] == "stopping":
        print(kept_study(sys.argv[2], stopping_rows(), measure_row, _REPLAYS, 31).T.to_string())
    else:
        print(kept_study(sys.argv[2], saving_rows(), measure_saving, 1, 32).to_string())
