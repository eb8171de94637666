"""The paper's experiment anew: sweeps that can be stopped, our values beside his, agents as respondents."""

import importlib
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import cautioned, refused
from scipy.stats import ttest_rel

from benchmarks.measured.aiq_sweep import keep_sweep
from gindex_lab.foundation.errors import BadInput, DataUnavailable
from gindex_lab.foundation.places import PROJECT_DATA
from gindex_lab.presentation.plots import agents as plots
from gindex_lab.presentation.plots.labels import spread_out
from gindex_lab.studies.data.loading import load
from gindex_lab.worlds.aiq.agents import Constant, Freq, Random, agent
from gindex_lab.worlds.aiq.estimate import estimate
from gindex_lab.worlds.aiq.respondents import SUBTESTS, agent_grid, item_programs, respond, subtests
from gindex_lab.worlds.aiq.sampler import sample
from gindex_lab.worlds.aiq.sweep import (
    NOT_RUN,
    SETTINGS,
    SweepPlan,
    measured_sweep,
    read_sweep,
    sweep,
)
from gindex_lab.worlds.aiq.validation import (
    beside,
    published_shares,
    published_values,
    settings_test,
)

sweeps = importlib.import_module("gindex_lab.worlds.aiq.sweep")  # the module: gl.aiq.sweep is its function
SMALL = SweepPlan(programs=300, runs=80, episodes=(20, 60), seed=3)
TWO = {"Freq,0.05": "Freq", "Q_l,0.0,0.5,0.5,0.02,0.8": "Q(0.5)"}


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    return folder, sweep(folder, ["SEP-ext", "SDP"], TWO, SMALL)


@pytest.fixture(scope="module")
def items():
    return item_programs(60, seed=2)


# -- the sweep ------------------------------------------------------------------------------------------


def test_the_settings_are_agents_and_with_mc_aixi_twenty_five():
    assert len(SETTINGS) + len(NOT_RUN) == 25
    assert len({repr(agent(line)) for line in SETTINGS}) == 20
    kinds = pd.Series(SETTINGS).value_counts()
    assert kinds.to_dict() == {"Freq": 5, "Q(0)": 5, "Q(0.5)": 5, "HLQ": 5}


def test_the_first_settings_are_one_of_each_kind():
    assert len(set(list(SETTINGS.values())[:4])) == 4


def test_a_sweep_measures_what_estimate_measures(swept):
    _, table = swept
    row = table.query("condition == 'SDP' and setting == 'Freq,0.05' and episode == 60").iloc[0]
    programs = sample(300, "sep-ext", "sdp", seed=3)
    one = estimate("Freq,0.05", programs, episode=[20, 60], runs=80, seed=3)
    assert row["value"] == pytest.approx(one.value, abs=1e-12)
    assert row["pairs"] == one.pairs


def test_what_is_done_is_not_done_again(swept, monkeypatch):
    folder, table = swept

    def refuse(*args, **kwargs):
        raise AssertionError("was measured again")

    monkeypatch.setattr(sweeps, "estimate", refuse)
    pd.testing.assert_frame_equal(sweep(folder, ["SEP-ext", "SDP"], TWO, SMALL), table)


def test_an_interrupted_sweep_goes_on_from_its_log(tmp_path, monkeypatch):
    whole = sweep(tmp_path / "whole", ["SEP-ext"], TWO, SMALL)
    real = sweeps.estimate

    def stops_late(line, *args, **kwargs):
        if line.startswith("Q_l"):
            raise KeyboardInterrupt
        return real(line, *args, **kwargs)

    monkeypatch.setattr(sweeps, "estimate", stops_late)
    with pytest.raises(KeyboardInterrupt):
        sweep(tmp_path / "cut", ["SEP-ext"], TWO, SMALL)
    assert len(read_sweep(tmp_path / "cut")) == 2
    monkeypatch.setattr(sweeps, "estimate", real)
    pd.testing.assert_frame_equal(sweep(tmp_path / "cut", ["SEP-ext"], TWO, SMALL), whole)


def test_a_damaged_result_of_a_sweep_is_measured_again(tmp_path):
    whole = sweep(tmp_path, ["SEP-ext"], TWO, SMALL)
    file = sorted(tmp_path.glob("*.csv"))[0]
    text = file.read_text()
    for changed in (text.replace("0.", "1.", 1), text[:50], "", text + text, "agent,x\n"):
        file.write_text(changed)
        with pytest.raises(BadInput) as caught:
            read_sweep(tmp_path)
        assert caught.value.code == "damaged"
        with cautioned("damaged"):
            pd.testing.assert_frame_equal(sweep(tmp_path, ["SEP-ext"], TWO, SMALL), whole)
        assert file.read_text() == text


def test_a_sweep_leaves_other_tables_alone_and_goes_over_no_link(tmp_path):
    mine, secret = tmp_path / "mine.csv", tmp_path / "secret"
    mine.write_text("a,b\n1,2\n")
    sweep(tmp_path, ["SEP-ext"], TWO, SMALL)
    assert len(read_sweep(tmp_path)) == 4
    secret.write_text("mine")
    file = sorted(tmp_path.glob("SEP*.csv"))[0]
    file.unlink()
    file.symlink_to(secret)
    with pytest.raises(BadInput) as caught:
        sweep(tmp_path, ["SEP-ext"], TWO, SMALL)
    assert (caught.value.argument, caught.value.code) == ("folder", "not-regular")
    assert (mine.read_text(), secret.read_text()) == ("a,b\n1,2\n", "mine")
    assert not list(tmp_path.glob("*.damaged*"))


def test_the_number_of_processes_does_not_matter(swept, tmp_path):
    _, table = swept
    again = sweep(tmp_path, ["SEP-ext", "SDP"], TWO, SMALL, jobs=2)
    pd.testing.assert_frame_equal(again, table)


def test_rows_stand_by_sample_setting_and_length(swept):
    folder, table = swept
    assert table["condition"].tolist() == ["SEP-ext"] * 4 + ["SDP"] * 4
    assert table["episode"].tolist() == [20, 60] * 4
    pd.testing.assert_frame_equal(read_sweep(folder), table)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"conditions": ["SEP"]}, "conditions: not-an-option"),
        ({"settings": {"Freq": "x"}}, "agent: not-an-agent"),
        ({"settings": {"MC_AIXI,50,8,3,0.85,0.3": "MC-AIXI"}}, "agent: not-an-agent"),
        ({"plan": SweepPlan(300, 80, (20,), 3)}, "folder: other-plan"),
        ({"plan": SweepPlan(300, 80, (20, 60), 4)}, "folder: other-plan"),
    ],
)
def test_wrong_sweeps_are_refused_by_message(swept, change, message):
    folder, _ = swept
    how = {"conditions": ["SEP-ext"], "settings": TWO, "plan": SMALL} | change
    with refused(message):
        sweep(folder, **how)


def test_an_empty_folder_is_no_sweep(tmp_path):
    with refused("folder: empty"):
        read_sweep(tmp_path)


def test_the_measured_table_is_the_papers_size_and_says_where_it_comes_from():
    table, facts = measured_sweep()
    plan = facts["plan"]
    assert (plan["programs"], plan["runs"]) == (200_000, 10_000)
    assert set(table["setting"]) == set(SETTINGS)
    assert len(table) == 2 * len(SETTINGS) * len(sweeps.EPISODES)
    assert (table.groupby(["condition", "setting"])["episode"].apply(list).map(len) == 5).all()
    assert table["value"].between(30, 70).all()
    assert (table["low"] < table["value"]).all()
    assert len(facts["commit"]) >= 7
    assert json.loads((PROJECT_DATA / "measured/aiq_sweep.json").read_text()) == facts


def test_a_kept_sweep_is_read_again_and_must_be_of_the_papers_size(swept, tmp_path, monkeypatch):
    folder, table = swept
    monkeypatch.setattr(sweeps.places, "PROJECT_DATA", tmp_path)
    with refused("folder: other-plan"):
        keep_sweep(folder, commit="abcdef1", cpu_minutes=1)
    keep_sweep(folder, SMALL, commit="abcdef1", cpu_minutes=1.23)
    found, facts = measured_sweep()
    assert np.allclose(found["value"], table["value"], atol=1e-4)
    assert (facts["commit"], facts["cpu_minutes"]) == ("abcdef1", 1.2)


def test_without_the_repository_there_is_no_measured_table(monkeypatch, tmp_path):
    monkeypatch.setattr(sweeps.places, "PROJECT_DATA", tmp_path)
    with refused("measured: not-found", DataUnavailable):
        measured_sweep()


# -- beside the author's tables -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables(shared):
    import os

    before = os.environ.get("GINDEX_LAB_DATA")
    os.environ["GINDEX_LAB_DATA"] = str(shared / "datasets")
    try:
        return load("aiq_published")
    finally:
        if before is None:
            del os.environ["GINDEX_LAB_DATA"]
        else:
            os.environ["GINDEX_LAB_DATA"] = before


@pytest.mark.shared
def test_his_table_has_our_settings_and_the_error_is_his_interval_put_right(tables):
    table = published_values(tables)
    assert len(table) == 3 * 125
    assert set(table["setting"]) == {*SETTINGS, *NOT_RUN}
    one = table.query("condition == 'SEP-ext' and setting == 'Freq,0.05' and episode == 1000").iloc[0]
    assert one["printed"] == 40.3
    # 0.5 is his half interval: 1.96 SD / sqrt(10,000), too small by the root of 2
    assert one["error"] == pytest.approx(0.47 / 1.96 * np.sqrt(2), abs=0.005)


@pytest.mark.shared
def test_his_test_comes_out_of_his_tables(tables):
    wide = published_values(tables).pivot(index="setting", columns=["condition", "episode"], values="printed")
    found = settings_test(wide["SDP", 100_000], wide["SEP-ext", 100_000], "greater")
    assert found["difference"] == pytest.approx(8.676, abs=5e-4)
    assert found["t"] == pytest.approx(87.15601, abs=5e-5)
    assert found["p"] == pytest.approx(7.689062e-32, rel=1e-5)
    assert found["low"] == pytest.approx(8.505689, abs=5e-6)
    assert found["settings"] == 25


@pytest.mark.shared
def test_measured_values_are_within_two_and_a_half_standard_errors_of_his(tables):
    table = beside(measured_sweep()[0], published_values(tables))
    assert (table["apart"].abs() < 2.5).mean() > 0.95
    freq = table.query("condition == 'SEP-ext' and setting == 'Freq,0.05'")
    assert freq["printed"].tolist() == [40.3, 42.8, 45.3, 47.5, 49.4]
    assert (freq["apart"].abs() < 1.96).all()


@pytest.mark.shared
def test_his_counts_are_shares_of_200_000(tables):
    table = published_shares(tables)
    assert table.loc["chance", "original"] == pytest.approx(76.4585)
    assert table.loc["reward_random", "SDP"] == pytest.approx(4.335)


def test_beside_counts_both_errors():
    key = {"condition": ["SDP"], "setting": ["Freq,0.05"], "episode": [10]}
    ours = pd.DataFrame({**key, "value": [50.0], "standard_error": [3.0]})
    table = beside(ours, pd.DataFrame({**key, "printed": [40.0], "error": [4.0]}))
    assert table["apart"].tolist() == [2.0]
    assert table["difference"].tolist() == [10.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: published_values({}), "tables: not-published"),
        (lambda: published_shares({}), "tables: not-published"),
        (lambda: settings_test(pd.Series({"a": 1.0}), pd.Series({"b": 1.0})), "first: too-few"),
        (
            lambda: settings_test(pd.Series([1.0, 2]), pd.Series([2.0, 2]), "less"),
            "alternative: not-an-option",
        ),
        (lambda: respond({"a": "freq"}, pd.DataFrame()), "items: no-column"),
        (lambda: item_programs(1), "programs: out-of-range"),
    ],
)
def test_wrong_input_is_refused_by_message(call, message):
    with refused(message):
        call()


@given(st.lists(st.floats(-50, 50), min_size=3, max_size=20), st.floats(0.1, 3))
def test_the_test_over_settings_is_the_paired_t_test(values, noise):
    first = pd.Series(values)
    second = first - noise * np.cos(np.arange(len(first)))
    found = settings_test(first, second)
    expected = ttest_rel(first, second)
    assert found["t"] == pytest.approx(expected.statistic, rel=1e-6)
    assert found["p"] == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)
    assert found["low"] <= found["difference"] <= found["high"]


# -- agents as respondents ------------------------------------------------------------------------------


def test_items_are_distinct_programs_that_can_be_won(items):
    assert items.index.is_unique
    assert (items["ceiling"] > 0).all()
    assert (items["ceiling"] <= 100).all()
    assert items["memory"].ge(0).all()
    assert items["length"].tolist() == [len(text) for text in items.index]


def test_who_does_not_learn_answers_zero_and_who_knows_the_program_one():
    items = pd.DataFrame({"ceiling": [100.0, 100.0], "stratum": [1, 2]}, index=[",.#", ".,#"])

    class Knows:
        """Pays itself best in `,.#` and `.,#`, whatever the sign: tries both ends, keeps the better."""

        def __init__(self):
            self.turn, self.best = 0, 0

        def perceive(self, observation, reward):
            self.turn += 1
            if self.turn < 4:
                return 4
            if self.turn == 4:
                self.best = 4 if reward > 0 else 0
            return self.best

    answers = respond({"Knows": Knows, "Constant": Constant(4)}, items, episode=500).frame
    assert answers.loc["Constant"].tolist() == [0.0, 0.0]
    assert (answers.loc["Knows"] > 0.97).all()


def test_responses_are_fractions_and_bring_their_items(items):
    answers = respond({"Freq": Freq(0.05), "Random": Random()}, items, episode=100, seed=1)
    assert answers.values.min() >= 0
    assert answers.values.max() <= 1
    assert {"length", "memory", "ceiling", "cut"} <= set(answers.items.columns)
    assert answers.source == "own experiment"
    assert answers.frame.loc["Freq"].mean() > answers.frame.loc["Random"].mean() + 0.2


def test_the_same_seed_gives_the_same_responses(items):
    one, two = (respond({"Freq": Freq(), "Q": "q0"}, items, episode=50, seed=4) for _ in range(2))
    pd.testing.assert_frame_equal(one.frame, two.frame)


def test_every_stratum_is_in_one_subtest():
    strata = [stratum for group in SUBTESTS.values() for stratum in group]
    assert sorted(strata) == list(range(1, 21))


def test_subtests_are_means_over_their_programs(items):
    answers = respond({"Freq": Freq(), "Q": "q0"}, items, episode=50)
    this = answers.items.index[answers.items["stratum"] == 1]
    found = subtests(answers)
    assert found.loc["Freq", "this action"] == pytest.approx(answers.frame.loc["Freq", this].mean())


def test_the_grid_names_each_agent_once():
    agents = agent_grid()
    assert len({repr(who) for who in agents.values()}) == len(agents) == 36


# -- the figures ----------------------------------------------------------------------------------------


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=12), st.floats(0.1, 20))
def test_names_are_spread_out_in_their_order(values, gap):
    values = np.sort(np.array(values))
    place = spread_out(values, gap)
    assert (np.diff(place) >= gap - 1e-9).all()
    assert place.mean() == pytest.approx(values.mean(), abs=1e-6)


def test_plot_apart_counts_what_is_beyond_the_band():
    rows = {
        "condition": "SDP",
        "setting": ["a", "b", "c"],
        "episode": 10,
        "apart": [0.0, 3.0, -2.6],
    }
    figure = plots.plot_apart(pd.DataFrame(rows))
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "2 of 3 beyond ±2.5" in texts


@pytest.mark.parametrize(
    ("plot", "message"),
    [
        (plots.plot_episodes, "table: no-column"),
        (plots.plot_apart, "table: no-column"),
        (plots.plot_differences, "table: no-column"),
        (lambda t: plots.plot_bands(t, "x", "mean"), "table: no-column"),
    ],
)
def test_tables_of_another_kind_are_refused_by_message(plot, message):
    with refused(message):
        plot(pd.DataFrame({"x": [1]}))
