"""Verdicts that were once wrong on other people's logs, each with data of the same shape made here."""

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl


def logistic(abilities, difficulties, rng):
    chance = 1 / (1 + np.exp(-(np.asarray(abilities)[..., None] - difficulties)))
    return (rng.random(chance.shape) < chance).astype(float)


def in_families(agents=15, families=14, size=86, lead=2.1, seed=1):
    """Models a fixed step of ability apart, on families that differ in difficulty and favour nobody much."""
    rng = np.random.default_rng(seed)
    family = np.repeat([f"f{k}" for k in range(families)], size)
    hard = np.repeat(rng.normal(0, 0.5, families), size) + rng.normal(0, 1.5, len(family))
    ability = np.linspace(0, lead, agents)[:, None] + rng.normal(0, 0.1, (agents, families))
    chance = 1 / (1 + np.exp(hard - np.repeat(ability, size, axis=1)))
    names = [f"{f}/{k}" for k, f in enumerate(family)]
    frame = pd.DataFrame((rng.random(chance.shape) < chance).astype(float), columns=names)
    frame.index = [f"model {k + 1}" for k in range(agents)]
    return gl.Responses(frame, items=pd.DataFrame({"family": family}, index=names))


def test_a_lead_in_every_family_separates_when_families_are_resampled():
    runs = in_families()
    by_family = runs.frame.T.groupby(runs.family).mean().T
    ahead = (by_family.loc["model 15"] - by_family.loc["model 1"]).min()
    assert ahead > 0.15
    table = gl.generality(gl.rank(runs), ci=0.95, resample="families")
    assert gl.separations(table).loc["model 1", "model 15"]


@pytest.mark.slow
@pytest.mark.parametrize("between", [0.0, 0.3, 3.0])
def test_equal_agents_on_families_are_seldom_separated(between):
    rng, false = np.random.default_rng(7), 0
    family, names = np.repeat(list("abcdefghij"), 12), [f"q{k}" for k in range(120)]
    items = pd.DataFrame({"family": family}, index=names)
    for _ in range(200):
        luck = np.repeat(rng.normal(0, between, (4, 10)), 12, axis=1)
        chance = 1 / (1 + np.exp(rng.normal(0, 1.5, 120) - luck))
        frame = pd.DataFrame((rng.random((4, 120)) < chance).astype(float), columns=names)
        table = gl.generality(
            gl.rank(gl.Responses(frame, items=items)), ci=0.95, resample="families"
        )
        false += gl.separations(table).any(axis=None)
    assert false <= 16  # 5 % of 200, and two standard errors
