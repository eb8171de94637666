"""Teams and portfolios: what a group of agents is capable of, by how it decides (§B.4, §D.3).

"best": the team solves what any member solves (it always picks the right one, as a portfolio with a perfect
switch does); "majority": what more than half of them solve; "random": a member drawn for each item answers.
If all members are steps, the most able member dominates and no team exceeds it; if they are specialised, a
team can.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice, generator, integer, known, number, vector
from gindex_lab.measures.generality import difficulties_of, generality
from gindex_lab.studies.simulations.theory import normal_curve

__all__ = ["RULES", "best_of", "growing_portfolio", "specialists", "team"]

RULES = ("best", "majority", "random")


def team(members: Responses, rule: str = "best") -> Responses:
    """The members' team as one agent on the same items, named after the rule.

    "random" gives the expected response, the mean of the members' curves: for steps, lemma 19.
    """
    choice("rule", rule, RULES)
    values = members.values
    binary = rule == "random" or np.isin(values, (0, 1)).all()
    ensure(binary, "members", "a response", "[not-binary] is neither 0 nor 1", 'use rule="random"')
    if rule == "majority":
        answer = (values.mean(axis=0) > 0.5).astype(float)
    else:
        answer = values.max(axis=0) if rule == "best" else values.mean(axis=0)
    frame = pd.DataFrame([answer], index=[rule], columns=members.frame.columns)
    return Responses(frame, items=members.items, interval=members.interval, source=members.source)


def specialists(
    capability: NumbersLike,
    sd: float,
    *,
    items: int = 1000,
    lowest: float = 0.0,
    highest: float = 20.0,
    seed: SeedLike,
) -> Responses:
    """Agents of these capabilities and one spread: each item of difficulty h is within reach of an
    agent with chance 1 - Φ((h - Ψ) / sd), once and for all (§F.2); sd = 0 makes steps.
    """
    psi = vector("capability", capability)
    span = number("lowest", lowest), number("highest", highest, lowest, open_ends=True)
    h = np.linspace(*span, integer("items", items, 2))
    if sd == 0:
        values = (psi[:, None] >= h).astype(float)
    else:
        chance = np.array([normal_curve(h, mean, sd) for mean in psi])
        values = (generator(seed).random(chance.shape) < chance).astype(float)
    return Responses(values, h, interval=span, name=f"specialists, sd {sd:g}", source="simulated")


def best_of(study: Responses, members: Sequence[str]) -> pd.Series:
    """The responses of a portfolio with a perfect switch: on each item those of its best member."""
    ensure(len(members), "members", list(members), "[empty] is an empty portfolio", "name agents")
    return study.frame.loc[known("members", members, study.frame.index)].max()


def growing_portfolio(study: Responses, members: Sequence[str], steps: int = 5) -> pd.DataFrame:
    """A portfolio that takes, step by step, the member that raises its capability most (ties: as given).

    One row per size with capability, spread and γ of the portfolio, the member added, and the mean
    response on the easier and the harder half of the items.
    """
    difficulty = pd.Series(difficulties_of(study), index=study.frame.columns)
    hard = difficulty > difficulty.median()
    chosen: list[str] = []
    rows = []
    for size in range(1, min(integer("steps", steps), len(members)) + 1):
        left = [name for name in members if name not in chosen]
        options = pd.DataFrame({name: best_of(study, [*chosen, name]) for name in left}).T
        table = generality(options, study.difficulty, interval=study.interval)
        name = table["capability"].idxmax()
        chosen.append(name)
        measures = table.loc[name, ["capability", "spread", "normalised_generality"]].astype(float)
        halves = {
            "solved easy": options.loc[name, ~hard].mean(),
            "solved hard": options.loc[name, hard].mean(),
        }
        rows.append({"members": size, "added": name, **measures, **halves})
    return pd.DataFrame(rows)
