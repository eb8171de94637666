"""Scores, paired differences, floors and the ruler: against other people's code, and on bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

import gindex_lab as gl
from gindex_lab.press.cli import main
from gindex_lab.studies.analysis.accuracy import (
    against_chance,
    floors_of,
    score_differences,
    score_table,
    task_table,
)
from gindex_lab.studies.analysis.comparing import order_in, widely_measured
from gindex_lab.studies.analysis.starting import analyse_table
from gindex_lab.studies.analysis.tables import task_cells

pytestmark = pytest.mark.usefixtures("sketched")


def binary(agents=5, items=60, seed=1, gaps=0.0):
    rng = np.random.default_rng(seed)
    values = (rng.random((agents, items)) < np.linspace(0.3, 0.8, agents)[:, None]).astype(float)
    values[rng.random(values.shape) < gaps] = np.nan
    return gl.Responses(pd.DataFrame(values, columns=[f"q{k}" for k in range(items)]))


def test_intervals_of_right_and_wrong_are_those_of_statsmodels():
    runs = binary(gaps=0.2)
    table = score_table(runs, 0.9)
    right, n = runs.frame.sum(axis=1), runs.frame.notna().sum(axis=1)
    low, high = proportion_confint(right, n, alpha=0.1, method="wilson")
    assert np.allclose(table["score_low"], low)
    assert np.allclose(table["score_high"], high)
    assert table["coverage"].tolist() == (n / 60).tolist()


def test_the_test_of_a_pair_is_mcnemars_on_common_items():
    runs = binary(gaps=0.3)
    row = score_differences(runs).iloc[0]
    a, b = runs.frame.iloc[0], runs.frame.iloc[1]
    both = a.notna() & b.notna()
    expected = mcnemar(pd.crosstab(a[both], b[both]).to_numpy(), exact=True).pvalue
    assert row["common"] == both.sum()
    assert row["p_value"] == pytest.approx(expected)
    assert row["difference"] == pytest.approx((a[both] - b[both]).mean())


def test_exchanging_graded_responses_finds_a_real_lead_and_no_false_one():
    rng = np.random.default_rng(2)
    base = rng.random(80) * 0.5
    frame = pd.DataFrame([base, base + 0.2, rng.permutation(base)], index=list("abc"))
    found = score_differences(gl.Responses(frame)).set_index(["a", "b"])
    assert found.loc[("a", "b"), "verdict"] == "separated"
    assert found.loc[("a", "c"), "verdict"] == "not separated"
    assert found.loc[("a", "b"), ["low", "high"]].tolist() == pytest.approx([-0.2, -0.2], abs=0.02)


@pytest.mark.slow
def test_intervals_of_differences_cover_and_equal_agents_are_seldom_separated():
    rng, covered, false = np.random.default_rng(3), 0, 0
    for _ in range(500):
        chance = np.clip(rng.normal(0.6, 0.2, 60), 0, 1)
        found = score_differences(gl.Responses((rng.random((4, 60)) < chance).astype(float)))
        covered += int(((found["low"] <= 0) & (found["high"] >= 0)).sum())
        false += bool((found["verdict"] == "separated").any())
    assert covered / 3000 >= 0.935
    assert false <= 35


def test_comparing_with_one_agent_gives_the_same_p_values():
    runs = binary()
    every = score_differences(runs)
    one = score_differences(runs, against=0)
    assert one["p_value"].tolist() == every[every["a"] == 0]["p_value"].tolist()
    assert (one["p_adjusted"] >= one["p_value"]).all()


def test_families_that_share_their_luck_make_wider_intervals():
    rng = np.random.default_rng(4)
    luck = np.repeat(rng.random((3, 8)) < 0.5, 10, axis=1).astype(float)
    names = [f"q{k}" for k in range(80)]
    items = pd.DataFrame({"family": np.repeat(list("abcdefgh"), 10)}, index=names)
    runs = gl.Responses(pd.DataFrame(luck, columns=names), items=items)
    by_item, by_family = score_table(runs), score_table(runs, resample="families")
    wide = (by_family["score_high"] - by_family["score_low"]).mean()
    assert wide > 2 * (by_item["score_high"] - by_item["score_low"]).mean()
    assert len(task_table(runs)) == 24


def test_an_agent_in_front_is_unbeaten_on_common_items():
    pairs = pd.DataFrame({"a": ["x"], "b": ["y"], "difference": [-0.2], "verdict": ["separated"]})
    order = order_in(pairs, pd.Series({"x": 0.9, "y": 0.8}), ["x", "y"])
    assert (order.front, order.reversed) == ("y", 1)
    assert widely_measured(np.array([[True] * 10, [True] * 4 + [False] * 6])).tolist() == [
        True,
        False,
    ]


# -- guessing ----------------------------------------------------------------------------------------------


def test_agents_at_and_below_chance_are_flagged_and_their_generality_is_not_read(tmp_path):
    rng = np.random.default_rng(5)
    chance = np.array([0.05, 0.25, 0.6, 0.8])[:, None]
    frame = pd.DataFrame((rng.random((4, 200)) < chance).astype(float), list("wxyz"))
    frame.columns = [f"q{k}" for k in range(200)]
    found = analyse_table(gl.Responses(frame), floor=0.25, shuffles=19)
    assert found.chance["against_chance"].tolist() == [
        "below chance",
        "at chance",
        "above chance",
        "above chance",
    ]
    said = " ".join(found.sentences())
    assert "w scores below what guessing gives (25.0%)" in said
    assert "The score of x cannot be told from guessing" in said
    assert not {"w", "x"} & set(found.determined)
    page = found.write(tmp_path / "r.html").read_text()
    assert page.split("<th>capability</th>")[1].split("</table>")[0].count("not determined") >= 4
    assert found.table["capability"].idxmin() == "w"
    assert "below chance" in found.write(tmp_path / "r.html").read_text()


def test_floors_come_from_the_items_or_the_caller():
    items = pd.DataFrame({"choices": [4, 2, 0], "family": ["a", "a", "b"]}, index=["i", "j", "k"])
    runs = gl.Responses(pd.DataFrame([[1, 0, 1]], columns=["i", "j", "k"]), items=items)
    assert floors_of(runs).tolist() == [0.25, 0.5, 0.0]
    assert floors_of(runs, {"a": 0.2}).tolist() == [0.2, 0.2, 0.0]
    assert floors_of(runs, 0.1).tolist() == [0.1, 0.1, 0.1]
    assert floors_of(gl.Responses([[1, 0]])) is None
    table = against_chance(runs, score_table(runs, None), floors_of(runs))
    assert table["against_chance"].tolist() == ["unknown"]


def test_floors_on_the_command_line(tmp_path, capsys):
    file = tmp_path / "a.csv"
    rows = [f"m{m},t,{i},{int(i % 5 < m + 1)}" for m in range(3) for i in range(30)]
    file.write_text("\n".join(["model,task,item,score", *rows]))
    for floor in (["0.9"], ["t=0.9"]):
        assert main(["analyse", str(file), "--floor", *floor]) == 0
        assert "below what guessing gives (90.0%)" in capsys.readouterr().out
    for floor in (["much"], ["0.2", "0.3"], ["x=0.2"], ["2"]):
        assert main(["analyse", str(file), "--floor", *floor]) == 2
        assert "floor" in capsys.readouterr().err


# -- the ruler ---------------------------------------------------------------------------------------------


def test_the_correlation_of_difficulty_and_failure_is_spearmans():
    runs = binary(gaps=0.2)
    hard = np.random.default_rng(6).random(60)
    found = gl.difficulty_validity(runs, hard)
    row = runs.frame.iloc[2]
    seen = row.notna().to_numpy()
    expected = spearmanr(hard[seen], 1 - row[seen]).statistic
    assert found["correlation"].iloc[2] == pytest.approx(expected)
    assert found.index[-1] == "all agents"


def test_a_straight_a_crooked_and_a_backward_ruler_are_told_apart(tmp_path):
    rng = np.random.default_rng(7)
    hard = rng.normal(0, 1.5, 150)
    values = (rng.random((4, 150)) < 1 / (1 + np.exp(2 * hard))).astype(float)
    verdicts = {
        name: gl.difficulty_validity(values, given)["verdict"].iloc[-1]
        for name, given in (("straight", hard), ("crooked", rng.random(150)), ("back", -hard))
    }
    assert verdicts == {
        "straight": "orders failures",
        "crooked": "says nothing",
        "back": "orders them backwards",
    }
    page = analyse_table(gl.Responses(values, difficulty=-hard), shuffles=19)
    assert any("check which way difficulty runs" in line for line in page.sentences())
    assert "How straight is the ruler?" in page.write(tmp_path / "r.html").read_text()


@pytest.mark.slow
def test_intervals_of_the_ruler_cover():
    rng, covered = np.random.default_rng(8), 0
    for _ in range(400):
        found = gl.difficulty_validity((rng.random((1, 40)) < 0.5).astype(float), rng.random(40))
        covered += found["low"].iloc[0] <= 0 <= found["high"].iloc[0]
    assert covered >= 368  # 95 % of 400, and two and a half standard errors


# -- bad input ---------------------------------------------------------------------------------------------

RUNS = binary(3, 8)
BAD = {
    "scores of a list": (lambda: score_table([[1, 0]]), "responses"),
    "scores of raw scores": (lambda: score_table(gl.Scores([[5, 7]])), "responses"),
    "a level of 1": (lambda: score_table(RUNS, 1.0), "ci"),
    "a level in words": (lambda: score_table(RUNS, "most"), "ci"),
    "resampling agents": (lambda: score_table(RUNS, 0.9, "agents"), "resample"),
    "families that are unknown": (lambda: score_table(RUNS, 0.9, "families"), "resample"),
    "trials that are unknown": (lambda: score_table(RUNS, 0.9, "trials"), "resample"),
    "differences of a list": (lambda: score_differences([[1, 0]]), "responses"),
    "differences by trials": (lambda: score_differences(RUNS, 0.9, "trials"), "resample"),
    "against nobody": (lambda: score_differences(RUNS, against="nobody"), "against"),
    "against a list": (lambda: score_differences(RUNS, against=[0]), "against"),
    "too many to pair": (lambda: score_differences(gl.Responses(np.eye(2001, 6))), "responses"),
    "no difficulty": (lambda: gl.difficulty_validity(RUNS), "difficulty"),
    "one difficulty": (lambda: gl.difficulty_validity(RUNS, [1] * 8), "difficulty"),
    "too few difficulties": (lambda: gl.difficulty_validity(RUNS, [1, 2]), "difficulty"),
    "an unknown column": (lambda: gl.difficulty_validity(RUNS, "minutes"), "difficulty"),
    "difficulty in words": (lambda: gl.difficulty_validity(RUNS, list("abcdefgh")), "difficulty"),
    "a level of 0": (lambda: gl.difficulty_validity(RUNS, range(8), ci=0.0), "ci"),
    "a floor of 2": (lambda: analyse_table(RUNS, floor=2), "floor"),
    "a floor of nothing": (lambda: analyse_table(RUNS, floor={"task": 0.2}), "floor"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    call, argument = BAD[case]
    with pytest.raises(gl.BadInput) as error:
        call()
    assert error.value.argument.split("[")[0] == argument


@pytest.mark.parametrize(("families", "first", "rows"), [(3, "agent", 8), (14, "task", 14)])
def test_the_table_by_task_has_at_most_seven_columns(families, first, rows):
    """Fourteen tasks beside one another ran off the page."""
    runs = binary(agents=8, items=84)
    items = pd.DataFrame({"family": [f"t{k % families}" for k in range(84)]}, index=runs.frame.columns)
    found = analyse_table(gl.Responses(runs.frame, items=items), ci=None)
    cells = task_cells(found)
    assert (cells["first"], len(cells["rows"])) == (first, rows)
    assert all(len(parts) == len(cells["measures"]) <= 6 for _, parts in cells["rows"])
    best = found.scores["score"].idxmax()
    assert str(best) in (cells["rows"][0][0], cells["measures"][0])
