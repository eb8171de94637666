"""Time horizons against the goldens of ../shared: fits, draws, curves, limits, doubling times, edge cases."""

import json

import numpy as np
import pandas as pd
import pytest
from loops import looped

import gindex_lab as gl
from gindex_lab.measures.horizons.limits import ends_of_draws
from gindex_lab.measures.horizons.runs import runs_of


def study_of(shared, name):
    folder = shared / "datasets" / name
    parts = {k: pd.read_csv(folder / f"{k}.csv", index_col=0) for k in ("items", "agents")}
    return gl.Responses(pd.read_csv(folder / "responses.csv", index_col=0), **parts)


@pytest.fixture(scope="module")
def lyptus(shared):
    return study_of(shared, "lyptus")


@pytest.fixture(scope="module")
def drawn(lyptus):
    """Exact fits on the authors' own thousand draws."""
    return gl.horizon(lyptus, ci=0.95, seed=42)


@pytest.fixture(scope="module")
def reference(lyptus):
    return gl.horizon(lyptus, mode="reference")


@pytest.fixture
def golden(goldens):
    return lambda name, **kw: pd.read_csv(goldens / "horizon" / name, **kw)


def same(ours, theirs, tolerance=1e-9):
    np.testing.assert_allclose(np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float), rtol=tolerance)


EXACT = {
    "horizon_50": "p50",
    "horizon_80": "p80",
    "spread_logistic": "spread_logistic",
    "capability_logistic_tested": "capability_logistic_tested",
    "spread_logistic_tested": "spread_logistic_tested",
    "normalised_generality_logistic": "gamma_logistic_tested",
    "mean": "mean",
    "weighted_mean": "weighted_mean",
}


@looped("estimator", ["trapezoid", "step", "isotonic"])
def test_exact_fits_and_curves_are_the_goldens(lyptus, golden, estimator):
    want = golden("lyptus_exact.csv", index_col=0)
    table = gl.horizon(lyptus, estimator=estimator).loc[want.index]
    for ours, theirs in EXACT.items():
        same(table[ours], want[theirs])
    same(table["slope"], -want["coefficient"])
    for ours, theirs in (("capability",) * 2, ("spread",) * 2, ("normalised_generality", "gamma")):
        same(table[ours], want[f"{theirs}_{estimator}"])


def test_reference_fits_are_the_printed_ones(reference, golden):
    want = golden("lyptus_published.csv", index_col=0)
    table = reference.loc[want.index]
    same(table["horizon_50"], want["p50"])
    same(table["horizon_80"], want["p80"])
    same(table["slope"], -want["coefficient"])
    same(table["loss"], want["bce_loss"])


def check_penalty(lyptus, golden, penalty):
    want = golden("lyptus_penalty.csv", index_col=0).query("penalty == @penalty")
    assert len(want)
    for mode, prefix in (("exact", ""), ("reference", "ref_")):
        table = gl.horizon(lyptus, penalty=penalty, mode=mode).loc[want.index]
        same(table["horizon_50"], want[f"{prefix}p50"])
        same(table["slope"], -want[f"{prefix}coefficient"])


def test_a_penalty_in_both_modes(lyptus, golden):
    check_penalty(lyptus, golden, 0.1)


@pytest.mark.slow
@looped("penalty", [0.2, 0.02, 0.01, 1e-3, 1e-5])
def test_every_other_penalty_in_both_modes(lyptus, golden, penalty):
    check_penalty(lyptus, golden, penalty)


@pytest.mark.parametrize(("draws", "every"), [(10, 7), pytest.param(20, 1, marks=pytest.mark.slow)])
def test_reference_replicates_are_the_published_ones(lyptus, golden, draws, every):
    want = golden("lyptus_replicates.csv").query("replicate < @draws")
    want = want[want["agent"].isin(want["agent"].unique()[::every])]
    study = lyptus.select(agents=sorted(set(want["agent"])))
    table = gl.horizon(study, mode="reference", ci=0.95, draws=draws)
    for level in ("50", "80"):
        found = pd.DataFrame(table.replicates.measures[f"horizon_{level}"], columns=table.index)
        ours = [found.loc[i, a] for i, a in zip(want["replicate"], want["agent"], strict=True)]
        assert (np.isnan(ours) == want[f"published_p{level}"].isna()).all()
        same(ours, want[f"published_p{level}"], 1e-8)


def test_exact_replicates_on_the_same_draws(drawn, golden):
    want = golden("lyptus_replicates.csv").dropna()
    found = pd.DataFrame(drawn.replicates.measures["horizon_50"], columns=drawn.index)
    ours = [found.loc[i, a] for i, a in zip(want["replicate"], want["agent"], strict=True)]
    same(ours, want["exact_p50"])


def test_sandwich_limits_are_the_goldens(lyptus, golden):
    want = golden("lyptus_intervals.csv", index_col=0)
    table = gl.horizon(lyptus, ci=0.95, method="sandwich").loc[want.index]
    for ours, theirs in (("horizon_50", "p50"), ("spread_logistic", "spread")):
        for side in ("low", "high"):
            same(table[f"{ours}_{side}"], want[f"sandwich_{theirs}_{side}"])


def test_limits_over_draws_leave_nothing_out(drawn, golden):
    want = golden("lyptus_intervals.csv", index_col=0)
    table = drawn.loc[want.index]
    for side in ("low", "high"):
        same(table[f"spread_logistic_{side}"], want[f"spread_logistic_{side}"])
        same(table[f"horizon_50_{side}"], want[f"p50_{side}"])
        same(table[f"horizon_80_{side}"], want[f"p80_{side}"])
    for kind in ("no_success", "no_failure", "rising"):
        assert [drawn.attrs[kind][a] for a in want.index] == want[kind].tolist()
    assert table.loc["GPT-2", "horizon_50_low"] == 0


def test_exact_curves_have_the_percentiles_of_the_goldens(drawn, golden):
    """Over the draws; the limits that the table offers are others, which cover (test_horizon_draws)."""
    want = golden("lyptus_exact.csv", index_col=0)
    at = drawn.index.get_indexer(want.index)
    for ours, theirs in (("capability",) * 2, ("spread",) * 2, ("normalised_generality", "gamma")):
        found = ends_of_draws(drawn.replicates.measures[ours][:, at], 0.95)
        for side, values in zip(("low", "high"), found, strict=True):
            same(values, want[f"{theirs}_trapezoid_{side}"])


def test_doubling_times_of_lyptus(lyptus, reference, shared):
    want = json.loads((shared / "golden/horizon/lyptus_doubling.json").read_text())
    for mode, table in (("exact", gl.horizon(lyptus)), ("reference", reference)):
        found = gl.doubling_time(table)
        assert found.days == pytest.approx(want[mode]["days"], rel=1e-9)
        assert found.r_squared == pytest.approx(want[mode]["r_squared"], rel=1e-9)
    assert list(found.frontier) == want["exact"]["frontier"]
    assert round(found.days, 1) == want["published"]["days"]


@pytest.mark.slow
def test_the_published_interval_of_the_doubling_time_takes_all_models(lyptus, shared):
    want = json.loads((shared / "golden/horizon/lyptus_doubling.json").read_text())["published"]
    table = gl.horizon(lyptus, mode="reference", ci=0.95, draws=1000)
    found = gl.doubling_time(table, frontier="above", redrawn="all")
    same([found.median, found.low, found.high], list(want["interval"].values()), 1e-8)


def test_doubling_times_of_metr_to_the_printed_digit(golden):
    printed = golden("metr_published.csv")
    for row in golden("metr_doubling.csv").itertuples():
        if len(str(row.since)) > 10:
            continue
        table = printed[(printed.table == row.table) & (printed.penalty_fix == row.penalty_fix)]
        table = table.set_index("model").rename(columns={"p50": "horizon_50"})
        found = gl.doubling_time(table, since=row.since)
        assert found.days == pytest.approx(row.days, rel=1e-9)
        assert len(found.frontier) == row.n


def test_134_systems_on_500_issues(shared, golden):
    want = golden("swebench_134.csv", index_col=0)
    table = gl.horizon(study_of(shared, "swebench_134"), weights="equal", penalty=0)
    same(table.loc[want.index, "slope"], -want["coefficient"])
    same(table.loc[want.index, "horizon_50"], want["p50"])


def test_weights_of_repeated_runs(goldens):
    want = json.loads((goldens / "horizon/edge_cases.json").read_text())["weights"]
    trials = pd.DataFrame({"agent": "a", "item": want["task"], "response": [1, 1, 0, 1, 0, 0, 1]})
    trials["trial"] = trials.groupby("item").cumcount()
    items = pd.DataFrame({"family": want["family"], "minutes": 2.0}, index=want["task"])
    items = items[~items.index.duplicated()]
    items["minutes"] = 2.0 ** np.arange(len(items))
    study = gl.Responses.from_long(trials, trial="trial", items=items)
    for rule in ("equal", "diversity"):
        same(runs_of(study, weights=rule).weight, want[rule], 1e-12)


@pytest.mark.parametrize("case", ["plain", "fractional", "separable", "weights matter"])
@pytest.mark.parametrize("penalty", ["1e-05", "0.1"])
def test_small_cases_in_both_modes(goldens, case, penalty):
    want = json.loads((goldens / "horizon/edge_cases.json").read_text())[case]
    minutes = 2.0 ** np.array(want["difficulty"])
    for mode, key in (("exact", "converged"), ("reference", "stopped_early")):
        row = gl.horizon(
            [want["response"]], minutes, weights=want["weight"], penalty=float(penalty), mode=mode
        ).iloc[0]
        numbers = want[f"penalty {penalty}"][key]
        same(row["slope"], -numbers["slope"])
        same(row["horizon_50"], numbers["p50"])
        same(row["horizon_80"], numbers["p80"])


def test_closed_forms_are_the_goldens(golden):
    for row in golden("theory_logistic.csv").itertuples():
        found = gl.logistic_indicators(
            row.theta, row.beta, (row.low, row.high), floor=row.floor, ceiling=row.ceiling
        )
        for name in ("capability", "spread", "normalised_generality", "expected_difficulty"):
            same(found[name], getattr(row, name), 1e-10)


@looped("free", ["c", "d", "cd"])
@pytest.mark.slow
def test_floors_and_ceilings_fit_at_least_as_well_as_the_goldens(lyptus, golden, free):
    want = golden("lyptus_floor.csv", index_col=0).query("free == @free")
    settings = {name: "fit" for key, name in (("c", "floor"), ("d", "ceiling")) if key in free}
    table = gl.horizon(lyptus.select(agents=list(want.index)), penalty=0, **settings)
    assert (table["loss"] <= want["weighted_loss"] + 1e-9).all()
    inside = want["c"].between(1e-3, 0.39) if free == "c" else want["d"].between(0.61, 0.999)
    inside &= want["beta"] < 3  # steeper optima are flat: the goldens stopped on the way
    assert inside.any()
    same(table.loc[inside, "location"], want.loc[inside, "theta"], 1e-3)
    same(table.loc[inside, "horizon_50"], want.loc[inside, "p50"], 2e-3)


def test_noise_in_the_minutes_is_taken_out_in_closed_form(lyptus, golden):
    for tau, want in golden("lyptus_noise.csv", index_col="agent").groupby("tau"):
        table = gl.horizon(lyptus.select(agents=list(want.index)), noise=tau)
        same(table["location"], want["theta_corrected"])
        same(table["spread_logistic"], want["S_corrected"])
        plain = gl.horizon(lyptus.select(agents=list(want.index)))
        same(table["horizon_50"] / plain["horizon_50"], want["p50_ratio"])


@pytest.mark.slow
def test_the_closed_form_agrees_with_simulated_extrapolation(lyptus, golden):
    """SIMEX, METR's way: add noise of rising size, and extrapolate a parabola back to none at all."""
    want = golden("lyptus_noise.csv", index_col="agent").query("tau == 0.5")
    agents = ["GPT-4o", "Opus 4"]
    study = lyptus.select(agents=agents)
    random = np.random.default_rng(1)
    h = np.log2(study.items["minutes"].to_numpy(dtype=float))
    sizes = np.array([0.0, 0.5, 1.0, 1.5, 2.0])
    found = np.zeros((len(sizes), 2, 2))
    for k, size in enumerate(sizes):
        for _ in range(300 if size else 1):
            noisy = h + 0.5 * np.sqrt(size) * random.standard_normal(len(h))
            table = gl.horizon(study, 2.0**noisy)[["location", "spread_logistic"]]
            found[k] += table.to_numpy() / (300 if size else 1)
    for j, agent in enumerate(agents):
        theta, spread = (np.polyval(np.polyfit(sizes, found[:, j, m], 2), -1) for m in (0, 1))
        assert theta == pytest.approx(want.loc[agent, "theta_corrected"], abs=0.06)
        assert spread == pytest.approx(want.loc[agent, "S_corrected"], rel=0.04)
        assert theta == pytest.approx(want.loc[agent, "theta_simex"], abs=0.06)
        assert spread == pytest.approx(want.loc[agent, "S_simex"], rel=0.04)
