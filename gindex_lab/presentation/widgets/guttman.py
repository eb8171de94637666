"""From Guttman's ladder to a room of specialists, with everybody's score unchanged.

In a Guttman table each agent solves all items up to its capability. Here a slider moves the right answers
away from the easy items and towards a topic of the agent's own: every agent solves as many items as
before, so that the mean score sees nothing, while the spread grows and generality falls.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import generator, integer, number
from gindex_lab.measures.generality import generality
from gindex_lab.presentation.plots.common import styled
from gindex_lab.presentation.widgets.curve import responses_and_plane
from gindex_lab.presentation.widgets.front import Control, LiveDemo
from gindex_lab.presentation.widgets.live import View

__all__ = ["guttman_demo", "guttman_responses", "guttman_view"]

_EQUATIONS = (
    r"\bar{r}_j = \frac{1}{N}\sum_i r_{ji}",
    r"S_j^2 = 2\int h\,\psi_j\,dh - \Psi_j^2",
    r"\gamma_j = 1 - \frac{S_j^2}{\Psi_j\,(q - \Psi_j)}",
)


def guttman_responses(
    specialists: float, agents: int = 12, items: int = 24, topics: int = 4, seed: SeedLike = 1
) -> Responses:
    """Agents x items of 0 and 1: a Guttman table at `specialists` = 0, each agent its own topic at 1.

    An agent solves its share of the items by preference: the easiest first, or the items of its topic
    first, mixed by weight. Difficulties are 1, 2, 3 ...; topics go round among the items.

    >>> ladder, room = (guttman_responses(s, agents=3, items=4, topics=2) for s in (0, 1))
    >>> ladder.frame.to_numpy().astype(int).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]]
    >>> bool((ladder.frame.sum(axis=1) == room.frame.sum(axis=1)).all())
    True
    """
    weight = number("specialists", specialists, 0, 1)
    n, m = integer("agents", agents), integer("items", items, 2)
    kinds = integer("topics", topics)
    draw = generator(seed)
    easy = np.arange(m) / m
    taste = draw.random((n, m)) * 0.5 + (np.arange(m)[None, :] % kinds != draw.integers(kinds, size=(n, 1)))
    rank = np.argsort(np.argsort((1 - weight) * easy + weight * taste, axis=1), axis=1)
    solved = np.round(m * np.arange(1, n + 1) / (n + 1))[:, None]
    names = [f"agent {k + 1}" for k in range(n)]
    frame = pd.DataFrame((rank < solved).astype(float), names, [f"item {k + 1}" for k in range(m)])
    return Responses(frame, np.arange(1, m + 1), interval=(0, m + 1), source="simulated")


@styled
def guttman_view(specialists: float, topics: int = 4, seed: int = 1) -> View:
    """The table of responses, and every agent's place in the plane of capability and spread.

    >>> ladder, room = guttman_view(0), guttman_view(1)
    >>> ladder.numbers["mean score"] == room.numbers["mean score"]
    True
    >>> ladder.numbers["mean γ"] > 0.9 > 0.3 > room.numbers["mean γ"]
    True
    """
    study = guttman_responses(specialists, topics=topics, seed=seed)
    table = generality(study)
    titles = "Who solves what", "Twelve agents"
    figure = responses_and_plane(study, table, titles, wspace=0.18, left=0.09)
    numbers = {
        "mean score": float(study.frame.to_numpy().mean()),
        "mean capability Ψ": float(table["capability"].mean()),
        "mean spread S": float(table["spread"].mean()),
        "mean γ": float(table["normalised_generality"].mean()),
        "abstruse agents": int(table["abstruse"].sum()),
    }
    code = f"gl.generality(gl.widgets.guttman_responses({specialists:g}, topics={topics}, seed={seed}))"
    return View(figure, numbers, code, _reading(numbers["mean γ"]), {"indicators": table})


def _reading(gamma: float) -> str:
    if gamma > 0.99:
        return "A Guttman table: who solves a hard item solves all easier ones. All are generalists."
    if gamma > 0.4:
        return "Some easy items are failed, some hard ones solved: the spread has grown, the score has not."
    return "Everybody has a topic, difficulty hardly matters: specialists, with the scores they had before."


def guttman_demo() -> LiveDemo:
    """The demo: sliders for how special the agents are, and for the number of topics.

    >>> guttman_demo().view.numbers["abstruse agents"]
    0
    """
    controls = {
        "specialists": Control("specialists", 0.0),
        "topics": Control("topics", 4, 1, 8, 1),
        "seed": Control("seed", 1, 1, 20, 1),
    }
    title = "From Guttman's ladder to specialists"
    return LiveDemo(guttman_view, controls, name="guttman", title=title, equations=_EQUATIONS)
