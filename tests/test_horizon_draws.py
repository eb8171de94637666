"""The nested draws of a horizon study against plain Python: families, tasks, runs; and limits without draws."""

import json
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import t as student

import gindex_lab as gl
from gindex_lab.measures.horizons.draws import draws_of
from gindex_lab.measures.horizons.runs import runs_of

DRAWS = 25
RUNS = {"fit": 3, "fog": 1, "elm": 2, "oak": 1, "ash": 4, "yew": 2, "rye": 1, "oat": 2}
FAMILY = dict(zip(RUNS, ["f", "f", "trees", "trees", "trees", "trees", "crops", "crops"], strict=True))
MINUTES = dict(zip(RUNS, [1.0, 3.0, 2.0, 9.0, 30.0, 64.0, 100.0, 480.0], strict=True))


def long_table(same_in_a_cell=False):
    """Agents with several runs a cell, as many as RUNS says and one more for the second; one misses `rye`."""
    random = np.random.default_rng(8)
    rows = []
    for agent, extra, theta in (("zeta", 0, 3.0), ("Alpha", 1, 6.0), ("mid", 0, 4.5)):
        for task, n in RUNS.items():
            if (agent, task) == ("mid", "rye"):
                continue
            chance = 1 / (1 + np.exp(0.6 * (np.log2(MINUTES[task]) - theta)))
            solved = random.random(n + extra) < chance
            if same_in_a_cell:
                solved[:] = solved[0]
            rows += [(agent, task, float(y), k) for k, y in enumerate(solved)]
    return pd.DataFrame(rows, columns=["agent", "item", "response", "trial"])


def study_of(long):
    items = pd.DataFrame({"minutes": MINUTES, "family": FAMILY})
    return gl.Responses.from_long(long, trial="trial", items=items.loc[list(RUNS)])


def three_steps(rows, seed):
    """METR's draw, one row after the other: how often each run (agent, task, trial) comes up."""
    rng = np.random.default_rng(seed)
    families = sorted(set(FAMILY.values()))
    tasks = []
    for f in rng.choice(len(families), size=len(families), replace=True):
        of = sorted(task for task in FAMILY if FAMILY[task] == families[f])
        tasks += [of[i] for i in rng.choice(len(of), size=len(of), replace=True)]
    pools = {}
    for task in tasks:
        for row in rows:
            if row[1] == task:
                pools.setdefault(f"{task}|||{row[0]}", []).append(row)
    numbers = iter(rng.random(sum(map(len, pools.values()))))
    drawn = Counter()
    for key in sorted(pools):
        pool = pools[key]
        drawn.update(pool[int(np.floor(next(numbers) * len(pool)))] for _ in range(len(pool)))
    return drawn


def plain_fit(h, y, w):
    """θ of the penalised curve by a general optimiser."""

    def loss(v):
        eta = v[0] + v[1] * h
        return w @ (np.logaddexp(0, eta) - y * eta) + 0.5e-5 * v[1] ** 2

    found = minimize(loss, [0.0, -0.5], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-15})
    return -found.x[0] / found.x[1]


def rows_of(study):
    """(agent, item, trial) of every run, in the order in which `runs_of` keeps them."""
    long = study.trials
    order = pd.Categorical(long["agent"], study.frame.index).argsort(kind="stable")
    return [tuple(r) for r in long.iloc[order][["agent", "item", "trial"]].to_numpy()]


def test_the_three_steps_are_those_of_metr_run_by_run():
    study = study_of(long_table())
    rows = rows_of(study)
    counts = draws_of(runs_of(study), "families", DRAWS, seed=42).counts
    for i in range(DRAWS):
        want = three_steps(rows, 42 + i)
        assert [int(n) for n in counts[i]] == [want[row] for row in rows], i


def test_a_replicate_is_the_fit_of_its_runs_with_the_weights_of_the_study():
    study = study_of(long_table())
    rows, runs = rows_of(study), runs_of(study)
    table = gl.horizon(study, ci=0.9, draws=10, seed=42)
    drawn = table.replicates.measures["location"]
    compared = 0
    for i in range(10):
        want = three_steps(rows, 42 + i)
        for j, agent in enumerate(study.frame.index):
            at = runs.of(j)
            n = np.array([want[row] for row in rows[at]])
            y, w = runs.response[at], n * runs.weight[at]
            if np.isfinite(drawn[i, j]) and (y * n).max() > 0 and ((1 - y) * n).max() > 0:
                assert drawn[i, j] == pytest.approx(plain_fit(runs.h[at], y, w), abs=1e-4), agent
                compared += 1
    assert compared > 15


def test_runs_that_agree_leave_only_the_draws_of_families_and_tasks():
    long = long_table(same_in_a_cell=True)
    once = long[long["trial"] == 0]
    several, single = (
        gl.horizon(study_of(part), ci=0.9, draws=20, seed=5).replicates.measures for part in (long, once)
    )
    for name in ("horizon_50", "spread_logistic", "capability", "weighted_mean", "mean"):
        np.testing.assert_allclose(several[name], single[name], rtol=1e-7, err_msg=name)


def test_a_draw_depends_on_its_seed_alone():
    runs = runs_of(study_of(long_table()))
    all_, last = draws_of(runs, "families", 20, seed=7), draws_of(runs, "families", 5, seed=22)
    np.testing.assert_array_equal(all_.counts[15:], last.counts)
    assert not np.array_equal(all_.counts[0], all_.counts[1])


@pytest.mark.parametrize("mode", ["exact", "reference"])
def test_leaving_agents_out_changes_no_draw_of_the_others(mode):
    made = gl.simulate_runs([3.0, 6.0], 0.8, items=40, families=5, seed=3)
    frame = made.frame.copy()
    frame.loc["agent 1", made.family[made.family == "family 2"].index] = np.nan
    both = gl.Responses(frame, items=made.items)
    options = {"mode": mode, "ci": 0.9, "draws": 10, "seed": 42}
    whole = gl.horizon(both, **options).replicates.measures["horizon_50"][:, 0]
    alone = gl.horizon(both.select(agents=["agent 1"]), **options)
    np.testing.assert_array_equal(alone.replicates.measures["horizon_50"][:, 0], whole)


@pytest.mark.shared
def test_families_and_tasks_are_the_published_draws(shared):
    want = json.loads((shared / "golden/horizon/lyptus_draws.json").read_text())
    items = pd.read_csv(shared / "datasets/lyptus/items.csv", index_col=0)
    study = gl.Responses(pd.DataFrame(np.eye(2, len(items)), columns=items.index), items=items)
    counts = draws_of(runs_of(study), "families", len(want["draws"]), seed=42).counts
    tasks = {f: sorted(items.index[items["family"] == f]) for f in want["family_sizes"]}
    for i, draw in enumerate(want["draws"]):
        (positions,) = [v for v in draw.values() if isinstance(v, list) and isinstance(v[0], list)]
        drawn = Counter(tasks[f][k] for f, at in zip(draw["families"], positions, strict=True) for k in at)
        assert [int(n) for n in counts[i]] == [drawn[item] for item in items.index]


# -- limits without draws ----------------------------------------------------------------------------------


def by_hand(study, agent, corrected):
    """Variance of (a, b) of one agent, family by family."""
    runs = runs_of(study)
    at = runs.of(list(study.frame.index).index(agent))
    h, y, w = runs.h[at], runs.response[at], runs.weight[at]
    row = gl.horizon(study).loc[agent]
    family = runs.family[runs.item[at]]
    p = 1 / (1 + np.exp(row["slope"] * (h - row["location"])))
    whole = np.diag([0.0, 1e-5])
    parts = {}
    for f in np.unique(family):
        score, hessian = np.zeros(2), np.zeros((2, 2))
        for k in np.flatnonzero(family == f):
            x = np.array([1.0, h[k]])
            score += w[k] * (y[k] - p[k]) * x
            hessian += w[k] * p[k] * (1 - p[k]) * np.outer(x, x)
        whole += hessian
        parts[f] = score, hessian
    n, total = len(parts), np.zeros((2, 2))
    for score, hessian in parts.values():
        moved = np.linalg.solve(whole - hessian if corrected else whole, score)
        total += np.outer(moved, moved)
    return total * ((n - 1) / n if corrected else n / (n - 1)), n, row


@pytest.mark.parametrize("method", ["sandwich", "jackknife"])
def test_limits_without_draws_are_those_computed_by_hand(method):
    study = gl.simulate_runs([4.0, 6.0], 0.8, items=90, families=6, family_sd=0.5, seed=2)
    table = gl.horizon(study, ci=0.9, method=method)
    for agent in study.frame.index:
        variance, n, row = by_hand(study, agent, method == "jackknife")
        wide = student.ppf(0.95, n - 1)
        slope, theta = row["slope"], row["location"]
        of_theta = np.array([1 / slope, theta / slope])
        half = wide * np.sqrt(of_theta @ variance @ of_theta)
        share = np.exp(wide * np.sqrt(variance[1, 1]) / slope)
        found = table.loc[agent]
        assert found["location_low"] == pytest.approx(theta - half, rel=1e-9)
        assert found["horizon_50_high"] == pytest.approx(2 ** (theta + half), rel=1e-9)
        assert found["spread_logistic_low"] == pytest.approx(row["spread_logistic"] / share)
        assert found["slope_high"] == pytest.approx(slope * share)


def test_the_one_step_jackknife_is_close_to_leaving_families_out():
    study = gl.simulate_runs([5.0], 0.8, items=300, families=15, family_sd=0.5, seed=4)
    table = gl.horizon(study, ci=0.95, method="jackknife").iloc[0]
    left = []
    weights = pd.Series(runs_of(study).weight, study.frame.columns)
    for family in study.family.unique():
        kept = study.family.index[study.family != family]
        left.append(gl.horizon(study.select(items=kept), weights=weights[kept]).iloc[0]["location"])
    error = np.sqrt(14 / 15 * ((np.array(left) - table["location"]) ** 2).sum())
    half = (table["location_high"] - table["location_low"]) / 2
    assert half == pytest.approx(student.ppf(0.975, 14) * error, rel=0.05)


@pytest.mark.parametrize("method", ["sandwich", "jackknife"])
def test_limits_on_the_tested_interval_follow_the_closed_form(method):
    """Where nothing is cut off they are those of the unlimited axis; at the ends they stay inside."""
    study = gl.simulate_runs([5.0], 1.5, items=120, families=12, lengths=np.linspace(0, 10, 120), seed=1)
    wide = gl.horizon(study, ci=0.9, method=method, interval=(-60, 70)).iloc[0]
    assert wide["spread_logistic_tested_high"] == pytest.approx(wide["spread_logistic_high"], rel=1e-5)
    assert wide["spread_logistic_tested_low"] == pytest.approx(wide["spread_logistic_low"], rel=1e-5)
    cut = gl.horizon(study, ci=0.9, method=method, interval=(0, 5)).iloc[0]
    assert 0 < cut["capability_logistic_tested_low"] < cut["capability_logistic_tested_high"] < 5
    gammas = cut[["normalised_generality_logistic" + end for end in ("_low", "", "_high")]]
    assert gammas.is_monotonic_increasing


@pytest.mark.parametrize("method", ["sandwich", "jackknife"])
def test_limits_without_draws_say_what_they_leave_out(method):
    study = gl.simulate_runs([4.0, 6.0], 0.8, items=60, families=4, seed=2)
    table = gl.horizon(study, ci=0.9, method=method)
    assert "capability_low" not in table
    assert any("logistic measures only" in note for note in table.attrs["notes"])
    assert any(note.startswith("few families (4)") for note in table.attrs["notes"])
    advised = any("jackknife' covers better" in note for note in table.attrs["notes"])
    assert advised == (method == "sandwich")


def test_a_family_without_which_nothing_is_left_moves_the_curve_without_limit():
    items = pd.DataFrame({"minutes": [1.0, 2, 4, 8, 8, 8], "family": list("aaaabb")}, list("uvwxyz"))
    study = gl.Responses(pd.DataFrame([[1, 0, 1, 0, 0, 1]], ["one"], list("uvwxyz")), items=items)
    row = gl.horizon(study, ci=0.9, method="jackknife", penalty=0).iloc[0]
    assert row[["slope_low", "horizon_50_low", "spread_logistic_low"]].tolist() == [0, 0, 0]
    assert row[["slope_high", "horizon_50_high", "location_high"]].tolist() == [np.inf] * 3
    assert row[["capability_logistic_tested_low", "capability_logistic_tested_high"]].tolist() == [
        0,
        3,
    ]


def test_limits_whose_coverage_nobody_measured_are_not_offered():
    study, columns = study_of(long_table()), ["weighted_mean_low", "loss_high"]
    table = gl.horizon(study, ci=0.9, draws=20, seed=5)
    assert table[columns].isna().all(axis=None)
    assert any("weighted_mean and loss" in note for note in table.attrs["notes"])
    assert gl.horizon(study, ci=0.9, draws=20, mode="reference")[columns].notna().all(axis=None)


def test_every_other_measure_has_limits_over_draws():
    table = gl.horizon(gl.simulate_runs([5.0], 0.8, seed=1), ci=0.9, draws=50, seed=1)
    counted = ["n_items", "n_trials", "note", "weighted_mean", "loss"]
    for name in [c for c in table if not c.endswith(("_low", "_high")) and c not in counted]:
        low, high = table[f"{name}_low"].iloc[0], table[f"{name}_high"].iloc[0]
        assert low <= high, name


# -- the exact curve: limits of its own, not percentiles of draws ------------------------------------------

CURVE = ["capability", "spread", "generality", "normalised_generality", "mean"]
ENDS = [f"{name}_{end}" for name in CURVE for end in ("low", "high")]


@pytest.mark.parametrize("estimator", ["trapezoid", "step"])
@pytest.mark.parametrize("resample", ["families", "items"])
def test_the_exact_curve_has_the_limits_of_generality(estimator, resample):
    study = gl.simulate_runs([3.0, 6.0], 0.8, items=60, families=12, family_sd=0.7, seed=5)
    how = {"estimator": estimator, "resample": resample, "ci": 0.9}
    table = gl.horizon(study, draws=10, seed=1, **how)
    length = np.log2(study.items["minutes"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gl.Caution)
        span = length.min(), length.max()
        want = gl.generality(study.with_difficulty(length), interval=span, **how)
    pd.testing.assert_frame_equal(table[ENDS], pd.DataFrame(want[ENDS]), rtol=1e-9)


def test_an_agent_with_gaps_has_the_limits_of_its_own_items():
    study = gl.simulate_runs([3.0, 6.0], 0.8, items=60, families=12, seed=5)
    frame = study.frame.copy()
    longest = study.items["minutes"].nlargest(15).index
    frame.loc["agent 1", longest] = np.nan
    gaps = gl.Responses(frame, items=study.items)
    table = gl.horizon(gaps, ci=0.9, draws=10, seed=1)
    alone = gl.horizon(
        study.select(agents=["agent 1"]).select(items=study.frame.columns.drop(longest)),
        interval=table.attrs["interval"], ci=0.9, draws=10, seed=1,
    )  # fmt: skip
    np.testing.assert_allclose(table.loc["agent 1", ENDS].astype(float), alone[ENDS].iloc[0])
    held = gaps.with_difficulty(np.log2(study.items["minutes"]))
    held = gl.generality(held, missing="drop", ci=0.9, resample="families").loc["agent 1"]
    assert table.loc["agent 1", "capability_high"] >= held["capability"]


def test_a_curve_without_measured_limits_has_none_and_says_so():
    study = gl.simulate_runs([3.0, 6.0], 0.8, items=60, families=12, seed=5)
    table = gl.horizon(study, estimator="isotonic", ci=0.9, draws=10, seed=1)
    assert table[[f"{name}_low" for name in CURVE[:4]]].isna().all(axis=None)
    assert table["mean_low"].notna().all()
    assert any("no limits" in note for note in table.attrs["notes"])
    few = gl.simulate_runs([3.0, 6.0], 0.8, items=60, families=2, seed=5)
    table = gl.horizon(few, ci=0.9, draws=10, seed=1)
    assert table[ENDS].isna().all(axis=None)
    assert any("no limits" in note for note in table.attrs["notes"])


def test_the_published_code_keeps_its_percentiles():
    study = gl.simulate_runs([3.0, 6.0], 0.8, items=60, families=12, seed=5)
    table = gl.horizon(study, mode="reference", ci=0.9, draws=10)
    drawn = table.replicates.measures["spread"]
    np.testing.assert_allclose(table["spread_low"], np.nanquantile(drawn, 0.05, axis=0))


def test_the_spread_of_the_exact_curve_is_covered_on_sixty_tasks():
    """Percentiles of draws held it in 71 to 86% of studies."""
    hits = []
    for k in range(80):
        study = gl.simulate_runs([4.0, 7.0], 0.6, items=60, families=15, seed=900 + k)
        table = gl.horizon(study, ci=0.95, draws=10, seed=1)
        for agent, theta in (("agent 1", 4.0), ("agent 2", 7.0)):
            true = gl.logistic_indicators(theta, 0.6, table.attrs["interval"])["spread"]
            row = table.loc[agent]
            hits.append(row["spread_low"] <= true <= row["spread_high"])
    assert np.mean(hits) > 0.92
