"""The mathematics of the pages is that of the package: goldens made now, computed in a browser, to 1e-9.

A case is a function of `measures.js` with its arguments, and what the package gives for the same.
"""

import math

import numpy as np
import pandas as pd
import pytest
from web_pages import browser, module_url, needs_chromium, watched

import gindex_lab as gl
from gindex_lab.measures.programs.sensitivity import generalisation_level
from gindex_lab.presentation.web import source
from gindex_lab.presentation.widgets import (
    general_factor_share,
    guttman_responses,
    population_responses,
    system,
)

pytestmark = needs_chromium
INDICATORS = ["capability", "spread", "generality", "normalised_generality"]
INDICATORS += ["expected_difficulty", "mean", "abstruse"]
RUN = """async ([module, calls]) => {
    const m = await import(module);
    const population = (w, v, seed) => m.populationResponses(w, v, { seed }).rows;
    const more = {  // whole tables as texts: Playwright takes seconds to carry so many numbers
        table: (name, ...given) => m[name](...given).rows.map((row) => row.join("")).join(),
        share: (w, v, seed) => m.generalFactorShare(population(w, v, seed), { seed }),
    };
    return calls.map(([name, ...given]) => ({ ...m, ...more })[name](...given));
}"""


def as_text(study):
    return ",".join("".join(f"{value:g}" for value in row) for row in study.values)


@pytest.fixture(scope="module")
def compute():
    """Many calls of the module at once, in a page."""
    with browser() as chromium, watched(chromium) as page:
        yield lambda calls: page.evaluate(RUN, [module_url(source("measures.js")), calls])


def far(found, wanted):
    """The largest difference, relative above 1; NaN and infinities must be equal."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    with np.errstate(invalid="ignore"):
        gap = np.abs(found - wanted) / np.maximum(1, np.abs(wanted))
    return float(np.where(same, 0, gap).max())


def indicator_rows(found):
    return [[row[name] for name in INDICATORS] for row in found]


def curves():
    """Tables with ties, missing cells, steps, constants and intervals that end inside, at and beyond the items."""
    rng, cases = np.random.default_rng(22), []
    for k in range(60):
        items = int(rng.integers(2, 14))
        h = rng.integers(-3, 6, items) * 1.0 if k % 2 else rng.normal(3, 4, items)
        if len(set(h)) < 2:
            h[0] += 1
        rows = rng.random((4, items)).round(k % 3)  # right or wrong, or shares
        rows[2], rows[3] = 0.5, h < np.median(h)
        rows[0, 1:][rng.random(items - 1) < 0.3 * (k % 5 == 0)] = np.nan
        low, high = float(h.min()), float(h.max())
        intervals = [None, (low, high), (low - 2, high + 3), (low + 0.3, high - 0.2 * (high - low))]
        found = intervals[k % 4]
        cases.append((rows, h, found if found is None or found[0] < found[1] else None))
    cases.append((np.array([[1.0, 1, 1], [0, 0, 0]]), np.arange(3.0), (0.0, 2.0)))  # all or nothing
    step = np.where(np.arange(2000) < 1000, 1.0, 0.0)[None]
    cases.append((step, np.arange(2000.0) + 1e6, None))  # a spread that 2M - A² would lose
    return cases


def test_indicators_are_those_of_generality(compute):
    cases = curves()
    found = compute([["generality", rows.tolist(), h.tolist(), i] for rows, h, i in cases])
    for (rows, h, interval), one in zip(cases, found, strict=True):
        table = gl.generality(rows, h, interval=interval, missing="drop")
        assert far(indicator_rows(one), table[INDICATORS].astype(float)) < 1e-9


def test_a_curve_is_the_mean_response_at_each_difficulty(compute):
    for rows, h, _ in curves()[:8]:
        (curve,) = compute([["characteristicCurve", rows[1].tolist(), h.tolist()]])
        wanted = gl.characteristic_curve(rows[1:2], "agent 1", h)
        assert far([curve["levels"], curve["psi"]], wanted[["difficulty", "response"]].T) < 1e-12


def test_ranks_are_those_of_pandas(compute):
    means = [0.5, 0.25, 0.5, 1, 0, 0.25, 0.25]
    (found,) = compute([["ranksFromTop", means]])
    assert found == pd.Series(means).rank(ascending=False).tolist()


def test_a_seed_gives_numpys_draws(compute):
    """Every seed of the demos: agents' tables are equal cell by cell."""
    calls, wanted = [], []
    for seed in range(1, 21):
        share, topics = (seed - 1) / 19, 1 + seed % 8
        calls.append(["table", "guttmanResponses", share, {"topics": topics, "seed": seed}])
        wanted.append(as_text(guttman_responses(share, topics=topics, seed=seed)))
        calls.append(["table", "populationResponses", share, 0.02 * seed, {"seed": seed}])
        wanted.append(as_text(population_responses(share, 0.02 * seed, seed=seed)))
    assert compute(calls) == wanted
    (small,) = compute([["guttmanResponses", 0.5, {"agents": 2, "items": 4}]])
    study = guttman_responses(0.5, agents=2, items=4)
    assert [small["difficulty"], small["interval"]] == [[1, 2, 3, 4], list(study.interval)]


def test_normal_draws_reach_the_tails(compute):
    """Steepness 1: a row says how many items lie below the agent's rate, which is a normal draw."""
    given = {"agents": 3000, "items": 40, "seed": 5}
    (found,) = compute([["table", "populationResponses", 1, 0.14, given]])
    assert found == as_text(population_responses(1, 0.14, **given))


def test_one_factor_carries_the_same_share(compute):
    cases = [(w, v, s) for w in (0.0, 1.0) for v in (0.05, 0.3) for s in (1, 4)] + [(0.3, 0.0, 2)]
    studies = [population_responses(w, v, seed=s) for w, v, s in cases]
    pairs = zip(studies, cases, strict=True)
    wanted = [general_factor_share(study, seed=s) for study, (*_, s) in pairs]
    found = compute([["share", *case] for case in cases])
    assert far(found, wanted) < 1e-7  # both end a search: the page shows three digits


@pytest.mark.parametrize("mode", ["exact", "reference"])
def test_the_g_index_and_its_parts(compute, mode):
    rng, calls, wanted = np.random.default_rng(3), [], []
    for _ in range(30):
        given = {
            "performance": float(rng.uniform()), "domains": int(rng.integers(1, 17)),
            "samples": int(rng.integers(1, 640)), "compute": float(10 ** rng.uniform(0.5, 5)),
            "own": float(rng.uniform()), "other": float(rng.uniform()),
        }  # fmt: skip
        result = gl.g_index(system(**given), mode)
        term, part = result.terms.iloc[0], result.components.iloc[0]
        calls.append(["gIndex", given, mode])
        names = ["own_share", "bracket", "contribution", "domain_distance"]
        wanted.append([result.value, *term[["weight", "experience", "difficulty"]], *part[names]])
    keys = ["value", "weight", "experience", "difficulty"]
    keys += ["own_share", "bracket", "contribution", "domain_distance"]
    found = [[row[key] for key in keys] for row in compute(calls)]
    assert far(found, np.array(wanted, dtype=float)) < 1e-9


def test_levels_of_generalisation(compute):
    omegas = [k / 100 for k in range(101)] + [0.15 + 1e-12, 0.7 - 1e-12]
    found = compute([["generalisationLevel", omega] for omega in omegas])
    assert found == [generalisation_level(omega) for omega in omegas]


def test_a_logistic_curve_has_its_horizons_and_indicators(compute):
    thetas, betas = [-6, -2, 0.3, 4.5, 9, 11, 14], [0.02, 0.2, 0.7, 1.55, 4, 30]
    cases = [(t, b, i) for t in thetas for b in betas for i in ((-2.0, 11.0), (0.0, 3.5))]
    # farther outside, q - A is a difference of equal numbers: γ has no nine digits, here or there
    cases = [(t, b, (low, high)) for t, b, (low, high) in cases if b * max(low - t, t - high) < 12]
    assert len(cases) > 60
    names = ["capability", "spread", "generality", "normalised_generality"]
    names += ["expected_difficulty", "spread_logistic", "h50"]
    for (t, b, interval), row in zip(
        cases, compute([["logisticIndicators", t, b, list(i)] for t, b, i in cases]), strict=True
    ):
        wanted = gl.logistic_indicators(t, b, interval)
        assert far([row[name] for name in names], wanted[names]) < 1e-9, (t, b, interval)
        assert row["horizon_50"] == pytest.approx(2.0**t, rel=1e-12)
        assert row["horizon_80"] == pytest.approx(2.0 ** (t - math.log(4) / b), rel=1e-12)
