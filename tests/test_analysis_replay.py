"""Sentences and pages that a second reading of the analysis, on new data of every shape, found to be false."""

import json

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.press.analyse import analyse
from gindex_lab.studies.analysis.starting import analyse_table
from gindex_lab.studies.analysis.summary import about_control

pytestmark = pytest.mark.usefixtures("sketched")


def logistic(abilities, difficulties, seed):
    rng = np.random.default_rng(seed)
    chance = 1 / (1 + np.exp(-(np.asarray(abilities)[:, None] - np.asarray(difficulties))))
    return (rng.random(chance.shape) < chance).astype(float)


def long_csv(path, values, column="correct", **facts):
    """A long table of agents a, b, c ... on items q0, q1 ...; NaN is a row that is not there."""
    rows = [
        {"model": chr(97 + i), "item": f"q{j}", column: x} | {k: v[j] for k, v in facts.items()}
        for (i, j), x in np.ndenumerate(np.asarray(values, dtype=float))
        if x == x
    ]
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


# -- metrics of any name, and which way they run -----------------------------------------------------------


@pytest.mark.parametrize("name", ["latency_s", "cost_usd", "likelihood_difference"])
def test_the_one_number_beside_model_and_item_is_the_response(name, tmp_path):
    values = np.linspace(0.1, 0.9, 24).reshape(3, 8)
    found = gl.read_scores(long_csv(tmp_path / "runs.csv", values, name))
    assert found.shape == (3, 8)
    assert found.frame.loc["a"].mean() > found.frame.loc["c"].mean()  # less is better


def test_one_number_of_unknown_direction_is_refused_with_the_remedy(tmp_path):
    file = long_csv(tmp_path / "runs.csv", np.linspace(0.1, 0.9, 24).reshape(3, 8), "zeta")
    with pytest.raises(gl.BadInput) as error:
        analyse(file)
    assert (error.value.argument, error.value.code) == ("metric", "unknown-direction")
    found = analyse(file, ci=None, reading={"lower_is_better": ["zeta"]})
    assert found.table["capability"].idxmax() == "a"


def test_a_long_table_of_several_numbers_asks_for_the_response(tmp_path):
    file = long_csv(tmp_path / "runs.csv", np.eye(4), "zeta", depth=[1, 2, 3, 4])
    with pytest.raises(gl.BadInput) as error:
        gl.read_scores(file)
    assert (error.value.argument, error.value.code) == ("path", "no-column")
    found = gl.read_scores(file, columns={"response": "zeta"})
    assert found.shape == (4, 4)


@pytest.mark.parametrize("name", ["bits_per_byte", "loss", "cost_usd"])
def test_what_has_no_upper_end_is_no_share_though_all_of_it_is_below_one(name, tmp_path):
    file = long_csv(tmp_path / "runs.csv", np.linspace(0.1, 0.9, 24).reshape(3, 8), name)
    found = analyse(file)
    assert found.scores is None
    assert "%" not in " ".join(found.sentences())
    assert gl.read(file, scale=(0, 1)).frame.loc["a", "q0"] == pytest.approx(0.9)


# -- wide tables -------------------------------------------------------------------------------------------


def test_the_orientation_of_a_wide_table_is_always_said(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text("name,pong,chess\nann,9,1200\nbob,7,1500\n")
    notes = gl.read_scores(file).notes
    assert [n.change for n in notes if getattr(n, "what", "") == "orientation"] == [
        "transpose=True (--transpose)"
    ]


def test_columns_that_are_called_like_models_are_agents(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text("name,gpt-5,claude-x,Llama-4-70B\nsums,.9,.8,.7\nverse,.5,.6,.4\n")
    found = gl.read(file)
    assert list(found.frame.index) == ["gpt-5", "claude-x", "Llama-4-70B"]
    assert list(gl.read(file, transpose=False).frame.index) == ["sums", "verse"]


def test_two_leaderboards_do_not_share_a_column_that_is_only_called_score(tmp_path):
    (tmp_path / "law.csv").write_text("model,score,bar\na,.9,.8\nb,.5,.6\n")
    (tmp_path / "art.csv").write_text("model,score,MMLU\na,.2,.7\nb,.3,.1\n")
    found = gl.read(tmp_path)
    assert sorted(found.frame) == ["MMLU", "art/score", "bar", "law/score"]


def test_a_benchmark_of_two_leaderboards_is_one_item_and_that_is_said(tmp_path):
    (tmp_path / "one.csv").write_text("model,MMLU,bar\na,.9,.8\nb,.5,.6\n")
    (tmp_path / "two.csv").write_text("model,MMLU,foo\nc,.2,.7\nd,.3,.1\n")
    found = gl.read(tmp_path)
    assert found.frame["MMLU"].notna().all()
    assert any("'MMLU'" in note and "one.csv" in note for note in found.notes)


def test_parts_of_one_table_are_joined_without_a_word(tmp_path):
    (tmp_path / "one.csv").write_text("model,score,bar\na,.9,.8\n")
    (tmp_path / "two.csv").write_text("model,score,bar\nb,.2,.7\n")
    assert list(gl.read(tmp_path).frame) == ["score", "bar"]


# -- unequal item sets -------------------------------------------------------------------------------------


def unequal():
    """Five agents on 120 items with minutes: two halves, and one that failed on all 16 that it met."""
    values = logistic([1, 0.5, 0, -0.5, 0.2], np.linspace(-2, 2, 120), 12)
    values[3, :60], values[2, 60:], values[4] = np.nan, np.nan, np.nan
    values[4, 104:] = 0
    return values


@pytest.mark.filterwarnings("ignore:no interval")
def test_a_page_is_written_where_an_agent_has_no_interval(tmp_path):
    study = gl.Responses(unequal(), difficulty=np.linspace(0, 8, 120))
    found = analyse_table(study, missing="drop", shuffles=19)
    assert "agent 5" in found.write(tmp_path / "page.html").read_text()


def test_agents_that_are_not_put_in_order_do_not_lead_the_tables():
    values = logistic([1.2, 0.9, 0.6, 0.3, 0], np.linspace(-2, 2, 200), 11)
    values[4] = np.nan
    values[4, :20] = 1.0
    found = analyse_table(gl.Responses(values), missing="drop", shuffles=19)
    from gindex_lab.studies.analysis.tables import score_cells

    assert score_cells(found)["rows"][-1][0] == "agent 5"
    text = " ".join(found.sentences())
    assert "Scores of the 4 agents that are put in order run from" in text


def test_minutes_are_said_to_be_doublings(tmp_path):
    values = logistic([1, 0.5, 0], np.linspace(-2, 2, 40), 12)
    file = long_csv(tmp_path / "runs.csv", values, minutes=2 ** np.linspace(0, 8, 40))
    notes = analyse(file, ci=None).data.notes
    assert any("log2" in note for note in notes)
    assert not any("difficulty is the column 'minutes'" in note for note in notes)


# -- sentences ---------------------------------------------------------------------------------------------


def control(gamma, shuffled, p):
    rows = {"observed": [0.2, gamma], "shuffled": [0.1, shuffled], "p": [0.01, p]}
    return pd.DataFrame(rows, index=["capability_sd", "mean_gamma"])


def test_a_gap_that_chance_could_make_is_not_called_a_property_of_the_items():
    said = about_control(control(0.53, 0.25, 0.11))[-1]
    assert not said.firm
    assert "comes from the items" not in said.text
    assert "cannot tell" in said.text
    assert "comes from the items" in about_control(control(0.7, 0.703, 0.5))[-1].text


def test_missing_cells_are_said_to_be_left_out_of_pairs_too():
    found = analyse_table(gl.Responses(unequal()), missing="drop", ci=None, shuffles=19)
    (said,) = [s for s in found.sentences() if "cells are missing" in s]
    assert "both" in said


def test_raw_scores_that_may_be_per_cent_say_how_to_read_them(tmp_path):
    file = tmp_path / "board.csv"
    file.write_text("model,law,art,sums\na,80,70,60\nb,50,60,70\nc,20,30,40\n")
    assert any("--scale 0 100" in s for s in analyse(file, ci=None).sentences())


def test_select_keeps_what_the_reader_decided(tmp_path):
    found = gl.read(long_csv(tmp_path / "runs.csv", np.eye(4)))
    assert found.select(agents=["a", "b"]).notes == found.notes
    assert found.with_difficulty([1, 2, 3, 4]).notes == found.notes


# -- Inspect -----------------------------------------------------------------------------------------------


def inspect_log(path, values, status="success", scorer="match", task_id="t1", model="m"):
    samples = [{"id": k, "epoch": 1, "scores": {scorer: {"value": v}}} for k, v in enumerate(values)]
    about = {"model": model, "task": "sums", "task_id": task_id}
    path.write_text(json.dumps({"status": status, "eval": about, "samples": samples}))


def test_a_failed_inspect_run_beside_its_retry_is_left_out(tmp_path):
    inspect_log(tmp_path / "1.json", "CI", "error")
    inspect_log(tmp_path / "2.json", "CCI")
    found = gl.read(tmp_path)
    assert found.frame.loc["m"].tolist() == [1, 1, 0]
    assert found.trials is None
    assert any("1.json" in note and "gave way" in note for note in found.notes)


def test_a_failed_inspect_run_alone_is_read(tmp_path):
    inspect_log(tmp_path / "1.json", "CI", "error")
    inspect_log(tmp_path / "2.json", "CCI", model="n")
    assert gl.read(tmp_path).shape == (2, 3)


def test_graded_inspect_scores_of_unknown_name_have_no_known_direction(tmp_path):
    inspect_log(tmp_path / "1.json", [0.2, 0.7, 0.4], scorer="zork")
    with pytest.raises(gl.BadInput) as error:
        analyse(tmp_path / "1.json")
    assert (error.value.argument, error.value.code) == ("metric", "unknown-direction")
    inspect_log(tmp_path / "1.json", "CIC", scorer="zork")
    assert analyse(tmp_path / "1.json").scores.loc["m", "score"] == pytest.approx(2 / 3)


# -- a mess of a folder, one model, two models ---------------------------------------------------------------


def test_guessing_is_that_of_the_agents_that_are_named():
    values = np.vstack([logistic([1.5], np.zeros(80), 1), logistic([-1.1], np.zeros(80), 2)])
    values[0, 40:], values[1, :40] = np.nan, np.nan
    study = gl.Responses(
        values,
        items=pd.DataFrame({"choices": [np.nan] * 40 + [4] * 40}).set_index(
            pd.Index([f"item {k + 1}" for k in range(80)])
        ),
    )
    found = analyse_table(study, missing="drop", shuffles=19)
    (said,) = [s for s in found.sentences() if "cannot be told from guessing" in s]
    assert "(25.0%)" in said


def test_one_model_is_told_nothing_about_positions(tmp_path):
    file = long_csv(tmp_path / "one.csv", logistic([1], np.zeros(30), 1), choices=[4] * 30)
    found = analyse(file)
    assert found.transform == "scores"
    assert not any("Positions" in s for s in found.sentences())


def test_two_models_are_told_their_difference_in_points():
    study = gl.Responses([[1] * 30 + [0] * 10, [1] * 20 + [0] * 20])
    (said,) = [s for s in analyse_table(study).said() if "points more than" in s.text]
    assert said.firm
    assert "agent 1 scores 25.0 points more than agent 2" in said.text
    same = gl.Responses([[1, 0] * 20, [0, 1] * 20])
    assert not any("points more than" in s for s in analyse_table(same).sentences())


def test_a_definition_that_was_not_tried_says_of_whom():
    values = np.array([[1, 0, 1, np.nan, np.nan, np.nan], [0, 1, 1, np.nan, np.nan, np.nan]])
    values = np.vstack([values, [np.nan, np.nan, np.nan, 1, 0, 1]])
    refused = analyse_table(gl.Responses(values), missing="drop", shuffles=19).definitions[1]
    assert "agent 3" in refused["standardise"]


def test_many_horizons_are_a_table_and_not_a_wall(tmp_path):
    study = gl.simulate_runs(np.linspace(3, 6, 12), 0.8, items=40, families=4, seed=1)
    found = analyse_table(study, shuffles=19)
    said = [s for s in found.sentences() if "at 50%" in s]
    assert len(said) == 2
    assert any("12 agents" in s for s in found.sentences())
    page = found.write(tmp_path / "page.html").read_text()
    assert page.count("doublings (") <= 2
    assert "<h2>Time horizons" in page
    assert all(f"agent {k}</th>" in page for k in range(1, 13))


def test_several_agents_at_an_end_are_not_called_one():
    study = gl.Responses([[1] * 20, [1] * 20, [1, 0] * 10, [0] * 20])
    assert any("to 100.0% (agent 1 and 1 more)" in s for s in analyse_table(study).sentences())


@pytest.mark.filterwarnings("ignore:no interval")
def test_generality_that_is_not_determined_is_not_drawn(monkeypatch):
    from gindex_lab.presentation import analysis_page
    from gindex_lab.presentation.plots import population

    study = gl.Responses(unequal(), difficulty=np.linspace(0, 8, 120))
    found = analyse_table(study, missing="drop", shuffles=19)
    drawn = {}

    def keep(table, measures):
        drawn[measures[0]] = list(table.index)
        return original(table, measures)

    original = population.plot_intervals
    monkeypatch.setattr(population, "plot_intervals", keep)
    analysis_page._figures(found)
    assert drawn["normalised_generality"] == found.determined
    assert set(drawn["capability"]) > set(found.determined)


def test_many_agents_are_told_why_scores_and_capability_separate_others():
    level = np.repeat([1.0, 2.0, 3.0, 4.0], [60, 50, 8, 2])
    values = logistic(np.linspace(-3, 3, 64), level - 2, 5)
    study = gl.Responses(values, difficulty=level)
    found = analyse_table(study, shuffles=19)
    score, order = found.score_order, found.orders["capability"]
    a, b = (int(one.apart.loc[one.front].sum()) for one in (score, order))
    assert a != b
    (said,) = [s for s in found.sentences() if "are tested differently" in s]
    assert f"{a} are separated from {score.front} in score, {b} from" in said


def test_items_answered_alike_are_not_called_duplicates_on_the_page(tmp_path):
    values = logistic(np.linspace(-1, 1, 6), np.zeros(10), 1)
    study = gl.Responses(np.hstack([values, values[:, :3]]))
    page = analyse_table(study, ci=None, shuffles=19).write(tmp_path / "page.html").read_text()
    assert ">duplicates<" not in page
    assert "answered by all like an earlier item" in page
