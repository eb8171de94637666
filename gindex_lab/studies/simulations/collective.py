"""Teams: what a group of agents is capable of, by how it decides (§B.4).

"best": the team solves what any member solves (it always picks the right one); "majority": what more
than half of them solve; "random": a member drawn for each item answers. If all members are steps, the
most able member dominates and no team exceeds it; if they are specialised, a team can.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import DifficultyLike, NumbersLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice, generator, integer, number, vector
from gindex_lab.measures.generality import study_of
from gindex_lab.studies.simulations.theory import normal_curve

__all__ = ["RULES", "specialists", "team"]

RULES = ("best", "majority", "random")


def team(members: object, rule: str = "best", *, difficulty: DifficultyLike = None) -> Responses:
    """The members' team as one agent on the same items, named after the rule.

    "random" gives the expected response, the mean of the members' curves: for steps, lemma 19.

    >>> pair = Responses([[1, 1, 0, 0], [0, 1, 1, 0]], difficulty=[1, 2, 3, 4])
    >>> {rule: team(pair, rule).frame.iloc[0].tolist() for rule in RULES}["best"]
    [1.0, 1.0, 1.0, 0.0]
    """
    choice("rule", rule, RULES)
    study = study_of(members, difficulty)
    values = study.values
    if rule != "random" and not np.isin(values, (0, 1)).all():
        raise BadInput(
            "members", "a response", "[not-binary] is neither 0 nor 1", 'use rule="random"'
        )
    if rule == "majority":
        answer = (values.mean(axis=0) > 0.5).astype(float)
    else:
        answer = values.max(axis=0) if rule == "best" else values.mean(axis=0)
    frame = pd.DataFrame([answer], index=[rule], columns=study.frame.columns)
    return Responses(frame, items=study.items, interval=study.interval, source=study.source)


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

    >>> specialists([5, 12], sd=0, items=5, highest=20, seed=1).frame.to_numpy()
    array([[1., 1., 0., 0., 0.],
           [1., 1., 1., 0., 0.]])
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
