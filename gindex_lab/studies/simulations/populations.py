"""Simulated curves and populations: what agents of a known kind would look like.

`generated_curve` draws the curves of the galleries (Fig. S22 and S30) from items that an agent solves
or fails at random; `population` makes the four demonstration populations (steps, constant curves, coin
tossers, coin tossers of every skill). Both use R's random numbers, so that seed 0 gives exactly the
authors' agents, and any other seed others of the same kind.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.r_random import RRandom
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, integer, number

__all__ = ["POPULATIONS", "SHAPES", "curve_responses", "generated_curve", "items_seen", "population"]

SHAPES = ("normal", "logistic", "flat", "flat to the end", "decreasing")
POPULATIONS = ("steps", "constant", "coin", "coins of every skill")


def generated_curve(
    shape: str,
    *,
    slope: float = 4.0,
    location: float = 13.0,
    threshold: float = 0.8,
    levels: int = 250,
    width: float = 0.1,
    points: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """A curve of `points` random items at each of `levels` difficulties, `width` apart, from 0.

    An item of difficulty h is solved, with Z standard normal and U uniform on (0, 1), if
    "normal": location + Z / slope > h; "logistic": U < 1 / (1 + exp(slope (h - location)));
    "flat": U > threshold (and "flat to the end": but never at the last difficulty);
    "decreasing": U (1 - k / levels) > threshold at the k-th difficulty (Fig. S22, S30).
    """
    choice("shape", shape, SHAPES)
    levels, points = integer("levels", levels, 2), integer("points", points)
    h: FloatArray = width * np.arange(levels, dtype=np.float64)
    draw = RRandom(seed)
    if shape == "normal":
        solved = location + draw.normal(levels, points) / number("slope", slope, 1e-9) > h[:, None]
    elif shape == "logistic":  # the authors' code draws a normal number for each item first, unused
        chance = 1 / (1 + np.exp(np.clip(slope * (h - location), -700, 700)))
        solved = draw.uniform(levels, points, 3)[..., 2] < chance[:, None]
    else:
        fade = 1 - np.arange(1, levels + 1) / levels if shape == "decreasing" else np.ones(levels)
        solved = draw.uniform(levels, points) * fade[:, None] > threshold
        if shape == "flat to the end":
            solved[-1] = False
    curve = pd.DataFrame({"difficulty": h, "response": solved.mean(axis=1), "n": points})
    curve.attrs["interval"] = (float(h[0]), float(h[-1]))
    return curve


def curve_responses(curves: dict[str, pd.DataFrame]) -> Responses:
    """Curves of equal difficulties as one table of agents, ready for `gl.generality`."""
    first = next(iter(curves.values()))
    frame = pd.DataFrame({name: curve["response"].to_numpy() for name, curve in curves.items()}).T
    span = first.attrs["interval"]
    return Responses(frame, first["difficulty"].to_numpy(), interval=span, source="simulated")


def items_seen(curve: pd.DataFrame) -> pd.DataFrame:
    """The distinct (difficulty, response) pairs of right-or-wrong items behind a curve.

    >>> items_seen(pd.DataFrame({"difficulty": [1, 2], "response": [1.0, 0.3]}))["response"].tolist()
    [1, 1, 0]
    """
    right = curve[curve["response"] > 0][["difficulty"]].assign(response=1)
    wrong = curve[curve["response"] < 1][["difficulty"]].assign(response=0)
    return pd.concat([right, wrong], ignore_index=True)


def population(kind: str, agents: int = 100, items: int = 30, *, seed: int = 0) -> Responses:
    """A population of known kind on items of evenly spaced difficulty from 10 to 20.

    "steps": agent j solves the easiest items only, from none to all of them; "constant": agent j
    answers each item with j / (agents + 1); "coin": each answer is a fair coin; "coins of every
    skill": agent j solves each item with probability j / (agents + 1), whatever its difficulty.
    """
    choice("kind", kind, POPULATIONS)
    agents, items = integer("agents", agents, 2), integer("items", items, 2)
    skill = np.arange(1, agents + 1)[:, None] / (agents + 1)
    draw = RRandom(seed)
    coins = draw.uniform(agents, items)
    if kind == "steps":
        solved = np.round(items * np.arange(agents) / (agents - 1))[:, None]
        values = (np.arange(items) < solved).astype(float)
    elif kind == "constant":
        values = np.broadcast_to(skill, (agents, items))
    elif kind == "coin":
        values = (coins > 0.5).astype(float)
    else:  # the authors draw this population after the coins, from the same stream
        values = (draw.uniform(agents, items) < skill).astype(float)
    names = [f"S{j:03d}" for j in range(1, agents + 1)]
    frame = pd.DataFrame(values, index=names, columns=[f"i{i:02d}" for i in range(1, items + 1)])
    return Responses(frame, np.linspace(10, 20, items), name=kind, source="simulated")
