"""Variants, model minutes, June 2025, trends and METR's printed tables against the goldens of ../shared."""

import json

import numpy as np
import pandas as pd
import pytest
from loops import looped

import gindex_lab as gl
from gindex_lab.measures.horizons.dates import frontier_of
from gindex_lab.measures.horizons.estimates import corrected, reliability
from gindex_lab.measures.horizons.fitting import FOUND, Curves
from gindex_lab.measures.horizons.logistic import SPREAD
from gindex_lab.press.reproduction import horizon_studies as studies

T_LIMITS = ["slope", "t_low", "t_high"]
OLDEST = ["GPT-2", "GPT-3"]


PENALTIES = ["lambda 0.001", "lambda 0.01", "lambda 0.1", "lambda 0.2"]
FAMILIES = ["cvebench", "cybashbench", "cybench", "intercode_ctf", "nl2bash", "nyuctf"]
VARIANTS = ["actuals_only", "cybench_adjusted", "no_cybench_fb", *(f"no_{f}" for f in FAMILIES)]
MODELS = ["model_est_human_taskset", "model_est_full"]
NOW = ("lambda 0.1", "no_cybashbench")


@pytest.fixture(scope="module")
def data(shared):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
        return {n: gl.load(n) for n in ("lyptus", "lyptus_model_minutes", "lyptus_2025")}


@pytest.fixture(scope="module")
def variants(data):
    return studies.lyptus_variants(data["lyptus"], data["lyptus_model_minutes"])


@pytest.fixture
def golden(goldens):
    return lambda name, **kw: pd.read_csv(goldens / "horizon" / name, **kw)


def same(ours, theirs, tolerance=1e-9, near_zero=0.0):
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=near_zero)


def same_fits(study, want, **settings):
    """Both modes against a golden table; the tables, for what else is read off them."""
    tables = {mode: gl.horizon(study, mode=mode, **settings) for mode in ("exact", "reference")}
    some = want.index[np.isfinite(want["ref_coefficient"])]  # no success: the slope is -inf
    for table, prefix in zip(tables.values(), ("", "ref_"), strict=True):
        same(table.loc[want.index, "horizon_50"], want[f"{prefix}p50"])
        if f"{prefix}p80" in want:
            same(table.loc[want.index, "horizon_80"], want[f"{prefix}p80"])
        same(table.loc[some, "slope"], -want.loc[some, f"{prefix}coefficient"])
        intercept = table["slope"] * table["location"]
        same(intercept[some], want.loc[some, f"{prefix}intercept"], 1e-8)
    return tables


def check_variant(variants, golden, data, name):
    part = variants[name]
    want = golden("lyptus_variants.csv", index_col="agent").query("variant == @name")
    assert (want["n_tasks"] == part.shape[1]).all()
    assert (part.frame.notna().sum(axis=1)[want.index] == want["n_runs"]).all()
    tables = same_fits(part, want)
    row = golden("lyptus_variant_doubling.csv", index_col=0).loc[name]
    assert (part.shape[1], part.frame.notna().sum().sum()) == (row["n_tasks"], row["n_rows"])
    dates = data["lyptus"].agents["release_date"]
    for mode, table in tables.items():
        found = gl.doubling_time(table, dates[table.index], frontier="above")
        same(found.days, row[f"{mode}_days"])
        if mode == "reference":
            assert round(found.days, 1) == row["published_days"]
            assert round(found.r_squared, 4) == row["published_r2"]
            assert len(found.frontier) == row["published_n_frontier"]


@looped("name", [name for name in VARIANTS if name in NOW])
def test_variants_have_their_golden_fits_and_doubling_times(variants, golden, data, name):
    check_variant(variants, golden, data, name)


@pytest.mark.slow
@looped("name", [name for name in VARIANTS if name not in NOW])
def test_every_other_variant_has_its_golden_fits_too(variants, golden, data, name):
    check_variant(variants, golden, data, name)


def test_minutes_estimated_by_models(data, golden):
    want = golden("lyptus_model_minutes.csv", index_col=0)
    table = same_fits(data["lyptus_model_minutes"], want)["reference"].loc[want.index]
    assert (table["n_items"] == want["n_tasks"]).all()
    same(table["loss"], want["published_bce_loss"])


def test_the_runs_of_june_2025_with_the_weights_as_published(data, golden):
    want = golden("lyptus_2025.csv", index_col=0)
    study, weights = data["lyptus_2025"], "equal_task_weight"
    tables = same_fits(study, want, penalty=0.1, weights=weights)
    penalised, printed = (tables[mode].loc[want.index] for mode in ("exact", "reference"))
    same(penalised["spread_logistic"], want["spread_penalised"])
    same(penalised["weighted_mean"], want["average"])
    same(printed["horizon_50"].round(6), want["published_p50"], near_zero=1e-12)
    free = gl.horizon(study, weights=weights).loc[want.index]
    same(free["slope"], -want["unpenalised_coefficient"])
    same(free["horizon_50"], want["unpenalised_p50"])
    same(free["spread_logistic"], want["spread_unpenalised"])


SETS = {
    "all 16": lambda t, day: list(t.index),
    "without GPT-2 and GPT-3": lambda t, day: [a for a in t.index if a not in OLDEST],
    "since 2024": lambda t, day: list(day.index[day >= "2024-01-01"]),
    "frontier": lambda t, day: list(
        frontier_of(t["horizon_50"], pd.to_datetime(day).map(pd.Timestamp.toordinal), "above")
    ),
}
SETS["frontier without GPT-2 and GPT-3"] = lambda t, day: [
    a for a in SETS["frontier"](t, day) if a not in OLDEST
]
COLUMNS = {
    "spread_logistic": "spread_logistic",
    "log2_spread_logistic": "log2_spread_logistic",
    "spread_logistic_tested": "spread_logistic_tested",
    "gamma_logistic_tested": "normalised_generality_logistic",
}


def column_and_estimator(measure):
    if measure in COLUMNS:
        return COLUMNS[measure], "trapezoid"
    kind, estimator = measure.split("_")
    return {"spread": "spread", "gamma": "normalised_generality"}[kind], estimator


TRENDS = ["headline", "equal weights", *PENALTIES, *VARIANTS, *MODELS]


def check_trends(data, variants, golden, name):
    study = data["lyptus"]
    day = study.agents["release_date"]
    settings = {"weights": "equal"} if name == "equal weights" else {}
    if name in PENALTIES:
        settings = {"penalty": float(name.split()[1])}
    part = variants.get(name, study)
    tables = {e: gl.horizon(part, estimator=e, **settings) for e in ("trapezoid", "isotonic")}
    want = golden("lyptus_trend_sensitivity.csv").query("variant == @name")
    assert len(want) == 30
    for row in want.itertuples():
        column, estimator = column_and_estimator(row.measure)
        table = tables[estimator]
        agents = SETS[row.set](table, day[table.index])
        found = gl.trend(table, column, day, agents=agents).loc[row.on]
        same(found[T_LIMITS], [row.slope, row.t_low, row.t_high], near_zero=1e-11)
        assert found["n"] == row.n


@looped("name", [name for name in TRENDS if name in NOW])
def test_trends_under_some_variants(data, variants, golden, name):
    check_trends(data, variants, golden, name)


@pytest.mark.slow
@looped("name", [name for name in TRENDS if name not in NOW])
def test_trends_under_every_other_variant(data, variants, golden, name):
    check_trends(data, variants, golden, name)


def redrawn(study, **options):
    table = gl.horizon(study, ci=0.95, **options)
    drawn = table.replicates.measures
    table["log2_spread_logistic"] = np.log2(table["spread_logistic"])
    drawn["log2_spread_logistic"] = np.log2(drawn["spread_logistic"])
    return table


@pytest.fixture(scope="module")
def families_redrawn(data):
    return redrawn(data["lyptus"], seed=42)


def trends_of(table, golden, estimator, mode):
    """The rows of the goldens that an estimator answers, each with our trend of it."""
    day = table.replicates.agents["release_date"]
    rows = golden("lyptus_trends.csv").to_dict("records")
    for row in rows:
        column, of = column_and_estimator(row["measure"])
        if of == estimator:
            agents = SETS[row["set"]](table, day)
            yield row, gl.trend(table, column, agents=agents, mode=mode).loc[row["per"]]


def same_trends(table, golden, estimator, prefix):
    """The goldens read the draws as published: a rising curve has its number, one class is missing."""
    rows = list(trends_of(table, golden, estimator, "reference"))
    assert len(rows) == {"trapezoid": 60, "step": 10, "isotonic": 20}[estimator]
    for row, found in rows:
        same(found[T_LIMITS], [row[k] for k in T_LIMITS], near_zero=1e-11)
        assert (found["n"], found["draws"]) == (row["n"], row[f"{prefix}_complete"])
        limits = [row[f"{prefix}_low"], row[f"{prefix}_high"]]
        same(found[["low", "high"]], limits, 1e-8, near_zero=1e-10)


def test_trends_with_families_redrawn(families_redrawn, golden):
    same_trends(families_redrawn, golden, "trapezoid", "families")


@pytest.mark.slow
@looped("estimator", ["step", "isotonic"])
def test_trends_of_other_curves_with_families_redrawn(data, golden, estimator):
    table = redrawn(data["lyptus"], estimator=estimator, seed=42)
    same_trends(table, golden, estimator, "families")


@pytest.mark.slow
@looped("estimator", ["trapezoid", "step", "isotonic"])
def test_trends_with_tasks_redrawn(data, golden, estimator):
    table = redrawn(data["lyptus"], estimator=estimator, resample="items", seed=1000)
    same_trends(table, golden, estimator, "tasks")


def test_exact_trends_differ_from_the_goldens_by_draws_with_a_rising_curve_or_one_class(
    families_redrawn, golden
):
    """Section 14: a rising curve is left out, and no success counts as the lower end of the lengths."""
    table = families_redrawn
    drawn = table.replicates
    one_class = np.isnan(drawn.as_published["horizon_50"])
    rising = np.isnan(drawn.measures["horizon_50"]) & ~one_class
    assert rising.any()
    counts = {"fewer": 0, "as many": 0, "more": 0}
    for row, found in trends_of(table, golden, "trapezoid", "exact"):
        at = table.index.isin(SETS[row["set"]](table, drawn.agents["release_date"]))
        if found["draws"] == row["families_complete"]:
            limits = [row["families_low"], row["families_high"]]
            same(found[["low", "high"]], limits, 1e-8, near_zero=1e-10)
            counts["as many"] += 1
        elif found["draws"] < row["families_complete"]:
            gone = row["families_complete"] - found["draws"]
            assert 0 < gone <= rising[:, at].any(axis=1).sum()
            counts["fewer"] += 1
        else:
            more = found["draws"] - row["families_complete"]
            assert row["measure"].endswith("logistic_tested")
            assert 0 < more <= one_class[:, at].any(axis=1).sum()
            counts["more"] += 1
    assert counts == {"fewer": 26, "as many": 30, "more": 4}


def test_the_golden_interval_of_the_doubling_time_reads_the_draws_as_published(families_redrawn, shared):
    want = json.loads((shared / "golden/horizon/lyptus_doubling.json").read_text())["exact"]
    want = want["interval_frontier_only"]
    table = families_redrawn
    found = gl.doubling_time(table, frontier="above", mode="reference")
    assert (found.draws, found.dropped) == (want["n"], want["negative"])
    same([found.median, found.low, found.high], [want[k] for k in ("median", "low", "high")])
    kept = gl.doubling_time(table, frontier="above")
    assert (kept.draws, kept.dropped) == (1000, 0)
    same([kept.low, kept.high], [found.low, found.high], 0.01)


def test_noise_in_minutes_attenuates_as_the_theory_says(golden):
    """The correction takes the closed form of a disturbed curve back to the true one."""
    for row in golden("theory_attenuation.csv").itertuples():
        h = row.mean_h + np.array([-1.0, 1.0]) * np.hypot(
            row.sd_h, row.noise_sd if row.kind == "classical" else 0.0
        )
        one = np.ones(1)
        curve = Curves(one * row.theta_formula, one * SPREAD / row.spread_formula, 0 * one, one, FOUND * one)
        found = corrected(curve, h, np.full((1, 2), 0.5), row.noise_sd, row.kind.lower())
        same(found.theta, row.theta, 1e-10)
        same(SPREAD / found.beta, row.spread_true, 1e-10)
        if row.kind == "classical":
            same(reliability(h, np.full((1, 2), 0.5), row.noise_sd)[1], row.kappa, 1e-12)
        assert row.theta_observed == pytest.approx(row.theta_formula, abs=0.01)
        assert row.spread_observed == pytest.approx(row.spread_formula, rel=0.03)


def metr(golden, suite, fix):
    printed = golden("metr_published.csv").assign(fix=lambda t: t["penalty_fix"].str.split().str[0])
    return printed, studies.printed_table(printed, suite, fix)


@looped("suite", ["TH1.0", "TH1.1"])
@looped("fix", ["before", "after"])
def test_spreads_of_metrs_printed_horizons(golden, suite, fix):
    printed, table = metr(golden, suite, fix)
    want = printed[(printed["table"] == suite) & (printed["fix"] == fix)].set_index("model")
    same(table["spread_logistic"], want["spread_logistic"])
    same(SPREAD / table["spread_logistic"], -want["slope"])
    day = pd.to_datetime(table["release_date"]).map(pd.Timestamp.toordinal)
    assert set(frontier_of(table["horizon_50"], day)) == set(want.index[want["is_sota"]])


@looped("suite", ["TH1.0", "TH1.1"])
@looped("fix", ["before", "after"])
def test_trends_of_metrs_printed_spreads(golden, suite, fix):
    _, table = metr(golden, suite, fix)
    want = golden("metr_trends.csv").query("data == @name", local_dict={"name": f"{suite} {fix} fix"})
    assert len(want) == 5
    table["log2_spread"] = np.log2(table["spread_logistic"])
    for row in want.to_dict("records"):
        year = next((y for y in ("2023", "2024") if y in row["set"]), None)
        settings = {"since": year and f"{year}-01-01"}
        if "frontier" in row["set"]:
            settings["agents"] = list(gl.doubling_time(table).frontier)
        found = gl.trend(table, **settings)
        relative = gl.trend(table, "log2_spread", **settings).loc["year"]
        same(found.loc["year", T_LIMITS], [row[k] for k in ("per_year", "t_low", "t_high")])
        same(found.loc["doubling", T_LIMITS], [row[k] for k in ("per_doubling", "d_low", "d_high")])
        same(relative[T_LIMITS], [row[f"log2_{k}"] for k in ("per_year", "t_low", "t_high")])
        assert found.loc["year", "n"] == row["n"]
