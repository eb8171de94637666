"""The horizon notebooks' helpers: published variants again, seeds as trials, ceilings, stand-ins, figures."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab import notebook as nb
from gindex_lab.foundation.responses import Responses
from gindex_lab.presentation.plots import curves as plots
from gindex_lab.press.reproduction import horizon_studies as studies
from gindex_lab.studies.own_experiments import stand_ins


@pytest.fixture(scope="module")
def lyptus(shared):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
        return gl.load("lyptus"), gl.load("lyptus_model_minutes")


@pytest.mark.shared
def test_the_printed_sensitivity_to_the_penalty_comes_from_rounded_horizons(lyptus):
    study, _ = lyptus
    dates = study.agents["release_date"]
    for penalty, months in {1e-5: 9.3, 0.02: 8.4, 0.2: 7.0}.items():
        table = gl.horizon(study, penalty=penalty, mode="reference")
        assert studies.rounded_doubling(table, dates) == pytest.approx(months, abs=0.05)


def test_printed_horizons_give_metrs_trend_and_doubling_time():
    printed = gl.published("metr_horizons")
    table = studies.printed_table(printed, "TH1.1", "after")
    recent = gl.trend(table[table["tasks_of"] == "TH1.1"], since="2023-01-01").loc["year"]
    assert recent["slope"] == pytest.approx(0.07, abs=0.005)
    assert (round(recent["t_low"], 2), round(recent["t_high"], 2)) == (-0.17, 0.31)
    assert recent["verdict"] == "no trend found"
    assert gl.doubling_time(table, since="2023-01-01").days == pytest.approx(128.744, abs=5e-4)


def test_a_known_ceiling_is_found_and_its_absence_too():
    rng = np.random.default_rng(5)
    h = np.repeat([0.0, 2, 4, 6, 8], 800)
    for ceiling in (0.8, 1.0):
        psi = ceiling / (1 + np.exp(1.0 * (h - 5)))
        study = Responses([(rng.random(len(h)) < psi).astype(float)], difficulty=h)
        row = studies.ceiling_fit(study).iloc[0]
        assert row["ceiling"] == pytest.approx(ceiling, abs=0.03)
        assert row["slope"] == pytest.approx(1.0, abs=0.12)
        assert (row["gain"] > 1.92) == (ceiling < 1)
        if ceiling < 1:
            assert row["spread_two"] > 1.2 * row["spread"]


def test_seeds_become_trials_of_their_system():
    seeds = stand_ins.arenas(seed=2, items=60)
    study = studies.pooled(seeds)
    assert study.shape == (4, 60)
    assert len(study.trials) == 12 * 60
    of = seeds.agents.index[seeds.agents["system"] == "sprinter"]
    expected = seeds.frame.loc[of].mean()
    np.testing.assert_allclose(study.frame.loc["sprinter", expected.index], expected)
    with refused("by: no-column"):
        studies.pooled(seeds, "colour")


@pytest.mark.parametrize("make", ["cyber_tasks", "issues", "arenas"])
def test_a_stand_in_says_so_and_is_the_same_for_the_same_seed(make):
    first, again, other = (getattr(stand_ins, make)(seed) for seed in (1, 1, 2))
    assert first.source == "simulated"
    assert first.frame.equals(again.frame)
    assert not first.frame.equals(other.frame)
    assert first.family.nunique() > 5


def test_many_claims_are_recorded_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setenv(nb.OUTPUT, str(tmp_path))
    nb.start("Held against the print", data="published")
    recorded = studies.claim_by_quantity({"models": 16, "runs": 4257, "no claim": 1}, "data")
    assert recorded == 2
    assert '"L001"' in (tmp_path / "claims.json").read_text()


@pytest.fixture(scope="module")
def simulated():
    study = stand_ins.cyber_tasks(seed=1, agents=5, tasks=70)
    return study, gl.horizon(study, ci=0.9, draws=20, seed=1)


def test_the_figures_show_every_agent_and_both_horizons(simulated):
    study, table = simulated
    ax = plots.plot_horizon_curve(study, table.index[2], table)
    texts = " ".join(t.get_text() for t in ax.texts)
    assert "50%: " in texts
    assert "80%: " in texts
    ax = plots.plot_horizon_spread(table, frontier=list(table.index))
    assert set(table.index) <= {t.get_text() for t in ax.texts}
    figure = plots.plot_horizon_time(table, study.agents["release_date"])
    assert len(figure.axes) == 2
    figure = plots.plot_penalty({p: gl.horizon(study, penalty=p) for p in (1e-5, 0.1)}, table.index)
    assert len(figure.axes[0].get_lines()) == len(table)
    plt.close("all")


def test_a_plane_without_an_interval_is_refused(simulated):
    _, table = simulated
    bare = pd.DataFrame(table[["horizon_50", "spread_logistic"]].to_dict())
    with refused("interval: no-interval"):
        plots.plot_horizon_spread(bare)
    with refused("table: no-column"):
        plots.plot_horizon_spread(bare[["spread_logistic"]], interval=(0, 10))
    plt.close("all")
