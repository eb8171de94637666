"""Simulated people, people in groups, and the measures side by side."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.measures.psychometrics import agreement
from gindex_lab.measures.psychometrics.irt import irt
from gindex_lab.presentation.plots import analysis as figures
from gindex_lab.studies.own_experiments import compare, stand_ins

MAZES = stand_ins.maze_respondents(seed=1)
LETTERS = stand_ins.letter_series_respondents(seed=1)
FEW = stand_ins.maze_respondents(seed=2, agents=150)


def test_difficult_items_are_solved_less_often():
    humans = LETTERS.select(agents=list(LETTERS.agents.index[LETTERS.agents["kind"] == "human"]))
    for study in (MAZES, humans):
        assert study.frame.mean().corr(study.difficulty) < -0.4


def test_constant_programs_ignore_difficulty_and_searching_ones_do_not():
    many = [stand_ins.letter_series_respondents(seed) for seed in range(1, 31)]
    table = pd.concat([gl.generality(m) for m in many])["normalised_generality"]
    assert abs(table["a"].mean()) < 0.25
    assert table["repdiff"].mean() > 0.5


@pytest.mark.parametrize("agents", [20, 300])
def test_as_many_people_as_asked(agents):
    assert stand_ins.maze_respondents(seed=1, agents=agents).shape == (agents, 23)


def test_groups_are_halves_of_the_people():
    groups = compare.maze_groups(MAZES, gl.generality(MAZES)["capability"])
    pairs = list(groups.values())
    for one, other in zip(pairs[::2], pairs[1::2], strict=True):
        assert not (one & other).any()
        assert (one | other).all()


@pytest.mark.shared
def test_the_groups_are_those_of_figure_s3(shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    mazes = gl.load("mazes")
    table = gl.generality(mazes, mode="reference")
    groups = compare.maze_groups(mazes, table["capability"])
    ours = compare.group_summary(table, groups)
    golden = pd.read_csv(shared / "golden/generality/mazes_scenario.csv").pivot(
        index="study", columns="key", values="value"
    )
    theirs = ["gender.male", "gender.female", "education.low", "education.high",
              "age.young", "age.old", "capability.high", "capability.low"]  # fmt: skip
    golden = golden.loc[theirs].astype(float)
    for name, key in {"people": "n_agents", "r(Ψ, S)": "corr_cap_spread", "mean S": "mean_spread",
                      "mean γ": "mean_gamma_refgrid"}.items():  # fmt: skip
        assert ours[name].tolist() == pytest.approx(golden[key].tolist(), abs=1e-9)


def test_intervals_of_groups_surround_their_means():
    table = gl.generality(MAZES)
    groups = compare.maze_groups(MAZES, table["capability"])
    found = compare.group_intervals(MAZES, groups, seed=1, resamples=200)
    means = compare.group_summary(table, groups)
    for measure, column in {"capability": "mean Ψ", "normalised_generality": "mean γ"}.items():
        assert found[measure].tolist() == pytest.approx(means[column].tolist())
        assert (found[f"{measure}_low"] < found[measure]).all()
        assert (found[measure] < found[f"{measure}_high"]).all()


def test_few_people_are_not_shown():
    table = gl.generality(FEW)
    four = pd.Series([k < 4 for k in range(len(table))], index=table.index)
    with refused("groups['four']: too-small"):
        compare.group_summary(table, {"four": four})
    with refused("groups['four']: too-small"):
        compare.group_intervals(FEW, {"four": four}, seed=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agreement.measures([[1, 0, 1]] * 4, [1, 2, 3]), "responses: too-few-agents"),
        (
            lambda: agreement.share_of_score(pd.DataFrame({"mean": [0.1, 0.2, 0.3]})),
            "table: no-ties",
        ),
    ],
)
def test_bad_input_is_told(call, message):
    with refused(message):
        call()


# -- the measures side by side


def test_measures_are_those_of_their_own_modules():
    table = agreement.measures(FEW)
    assert list(table) == list(agreement.MEASURES)
    assert table["ability"].tolist() == irt(FEW).abilities["ability"].tolist()
    gamma = gl.generality(FEW)["normalised_generality"]
    assert table["normalised_generality"].tolist() == gamma.tolist()
    assert not table.isna().any(axis=None)


def test_blind_spots_are_what_the_definitions_say():
    found = agreement.blind_spots(FEW, seed=1)
    never_look = ["mean", "g_score", "ability", "lz"]
    own = ["mean", "capability", "spread", "normalised_generality", "norm_conformity"]
    assert found.loc[never_look, "without_difficulty"].tolist() == pytest.approx([1] * 4)
    assert found.loc["normalised_generality", "without_difficulty"] < 0.6
    assert found.loc[own, "in_other_company"].tolist() == pytest.approx([0] * 5, abs=1e-12)
    assert (found.loc[["g_score", "ability"], "in_other_company"] > 0.3).all()
    assert found.loc["mean", "share_of_score"] == 1
    assert found["split_half"].max() < 1


def test_the_score_accounts_for_nothing_in_noise():
    rng = np.random.default_rng(1)
    shares = [
        agreement.share_of_score(
            pd.DataFrame({"mean": rng.integers(0, 20, 60) / 20, "noise": rng.random(60)})
        )["noise"]
        for _ in range(200)
    ]
    assert np.mean(shares) == pytest.approx(0, abs=0.02)


def test_longer_tests_are_more_reliable():
    items = pd.DataFrame({"discrimination": 1.2, "difficulty": np.linspace(-2, 2, 60)})
    long = gl.simulate_irt(items, agents=300, seed=1)
    short = long.select(items=list(items.index[::6]))
    both = [agreement.split_half(study)["mean"] for study in (short, long)]
    assert both[0] + 0.1 < both[1]


def test_correction_for_noise_finds_one_ability_behind_two_measures():
    items = pd.DataFrame({"discrimination": 1.2, "difficulty": np.linspace(-2, 2, 30)})
    crossed = agreement.across_halves(gl.simulate_irt(items, agents=600, seed=1))
    assert crossed.loc["mean", "ability"] < 0.9
    freed = agreement.corrected(crossed)
    assert freed.loc["mean", "ability"] == pytest.approx(1, abs=0.03)
    assert np.diag(freed)[~np.isnan(np.diag(freed))] == pytest.approx(1)


def test_nothing_is_corrected_where_there_is_only_noise():
    crossed = pd.DataFrame([[0.64, 0.1], [0.1, 0.02]], ["mean", "lz"], ["mean", "lz"])
    assert np.isnan(agreement.corrected(crossed).loc["mean", "lz"])


def test_the_corrected_interval_surrounds_its_estimate_and_comes_from_the_seed():
    pairs = [("mean", "capability")]
    runs = [agreement.corrected_intervals(FEW, pairs, seed=s, resamples=60).iloc[0] for s in (1, 1, 2)]
    assert runs[0]["low"] < runs[0]["estimate"] < runs[0]["high"]
    freed = agreement.corrected(agreement.across_halves(FEW))
    assert runs[0]["estimate"] == pytest.approx(freed.loc["mean", "capability"])
    assert runs[0].equals(runs[1])
    assert not runs[0].equals(runs[2])


def test_several_pairs_are_corrected_as_one_is():
    pairs = [("mean", "capability"), ("normalised_generality", "lz")]
    found = agreement.corrected_intervals(FEW, pairs, seed=1, resamples=60)
    alone = agreement.corrected_intervals(FEW, pairs[:1], seed=1, resamples=60)
    assert found.iloc[0].equals(alone.iloc[0])
    matrix = agreement.rank_correlations(agreement.measures(FEW))
    assert found["observed"].tolist() == [matrix.loc[pair] for pair in pairs]
    with refused("pairs: not-an-option"):
        agreement.corrected_intervals(FEW, [("mean", "iq")], seed=1)


def test_blind_spots_have_one_panel_for_each_question_and_one_marker_for_each_study():
    spots = agreement.blind_spots(FEW, seed=1)
    figure = figures.plot_blind_spots({"one": spots, "other": spots})
    assert [len(ax.get_lines()) for ax in figure.axes] == [3] * 4  # two studies, and the line at 0


def test_every_number_is_written_into_its_square():
    matrix = agreement.rank_correlations(agreement.measures(FEW))
    ax = figures.plot_agreement(matrix, "few")
    assert len(ax.texts) == matrix.size
    assert ax.get_title(loc="left") == "few"
