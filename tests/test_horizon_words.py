"""Horizons in words, on the command line, and the items that surprise."""

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.measures.horizons.words import about_agent, about_horizons
from gindex_lab.press.cli import main


@pytest.fixture(scope="module")
def study():
    return gl.simulate_runs([3.0, 5.0, 7.0], 0.8, items=90, families=5, seed=2)


@pytest.fixture
def runs(study, tmp_path):
    long = study.to_long()
    long["human_minutes"] = long["item"].map(study.items["minutes"])
    long["family"] = long["item"].map(study.items["family"])
    days = {"agent 1": "2023-01-01", "agent 2": "2024-01-01", "agent 3": "2025-01-01"}
    long["released"] = long["agent"].map(days)
    long.to_csv(tmp_path / "runs.csv", index=False)
    return tmp_path / "runs.csv"


def test_analyse_prints_horizon_spread_and_doubling_time(runs, capsys):
    assert main(["analyse", str(runs), "--minutes", "human_minutes", "--dates", "released"]) == 0
    said = capsys.readouterr().out
    assert "agent 3: horizon" in said
    assert "at 50% (" in said
    assert "doublings (" in said
    assert "from 90% to 10% success the tasks get" in said
    assert "5 families, fewer than 10" in said
    assert "The horizon doubles every" in said


def test_without_minutes_no_horizon_is_stated(runs, capsys):
    table = pd.read_csv(runs).drop(columns="human_minutes")
    table.to_csv(runs, index=False)
    assert main(["analyse", str(runs), "--ci", "0"]) == 0
    assert "horizon" not in capsys.readouterr().out


@pytest.mark.parametrize(("option", "name"), [("--minutes", "hours"), ("--dates", "hours")])
def test_a_column_that_is_not_there_is_refused(runs, capsys, option, name):
    assert main(["analyse", str(runs), option, name]) == 2
    assert f"{option[2:]}='{name}'" in capsys.readouterr().err


def test_an_item_with_two_lengths_is_refused(runs, capsys):
    table = pd.read_csv(runs)
    table.loc[0, "human_minutes"] += 1
    table.to_csv(runs, index=False)
    assert main(["analyse", str(runs), "--minutes", "human_minutes"]) == 2
    assert "differs between rows of one item" in capsys.readouterr().err


def test_words_come_from_the_row(study):
    row = gl.horizon(study).loc["agent 2"]
    said = about_agent(row)
    times = 2 ** (2 * np.log(9) / row["slope"])
    assert f"spread {row['spread_logistic']:.1f} doublings" in said
    assert f"{times:.2g} times longer" in said or f"{float(f'{times:.2g}'):,.0f} times longer" in said


def test_an_agent_without_success_is_not_given_a_horizon():
    table = gl.horizon([[0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1]], [1, 2, 4, 8])
    said = dict(text.split(": ", 1) for text, _ in about_horizons(table))
    assert "solved nothing" in said["agent 1"]
    assert "failed at nothing" in said["agent 3"]
    assert "success rises with length" in said["agent 4"]


def test_growth_that_may_be_none_is_not_called_growth():
    table = pd.DataFrame(
        {"horizon_50": [4.0, 5.0, 4.5, 5.2], "date": ["2021", "2022", "2023", "2024"]},
    )
    found = gl.doubling_time(table, [f"{d}-01-01" for d in table["date"]], frontier="all")
    assert found.high == np.inf
    assert found.sentence().startswith("No growth of the horizon was found")


def test_a_trend_is_named_by_its_intervals():
    years = [f"{y}-01-01" for y in range(2015, 2025)]
    noise = np.array([0.1, -0.1] * 5)
    for slope, verdict in ((0.5, "rises"), (-0.5, "falls"), (0.0, "no trend found")):
        table = pd.DataFrame(
            {
                "horizon_50": 2.0 ** np.arange(10),
                "spread_logistic": 3 + slope * np.arange(10) + noise,
            }
        )
        found = gl.trend(table, dates=years)
        assert found.loc["year", "verdict"] == verdict
        assert found.attrs["sentence"].lower().count(verdict.split()[0]) >= 1


@pytest.mark.shared
def test_the_doubtful_task_of_lyptus_surprises_most_of_the_long_ones(shared):
    folder = shared / "datasets" / "lyptus"
    parts = {k: pd.read_csv(folder / f"{k}.csv", index_col=0) for k in ("items", "agents")}
    study = gl.Responses(pd.read_csv(folder / "responses.csv", index_col=0), **parts)
    found = gl.surprises(study, most=291)
    long = found[found["minutes"] > 600]
    assert long.index[0] == "arvo:14481"
    assert long["says"].iloc[0] == "solved more than expected"
