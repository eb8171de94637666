"""Verdicts that were once wrong on other people's logs, each with data of the same shape made here."""

import re

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.press.analyse import analyse
from gindex_lab.studies.analysis import surviving
from gindex_lab.studies.analysis.accuracy import score_differences
from gindex_lab.studies.analysis.audit import audit_counts, item_audit
from gindex_lab.studies.analysis.models import fitted
from gindex_lab.studies.analysis.starting import analyse_table
from gindex_lab.studies.readers.examples import simulated_runs

pytestmark = pytest.mark.usefixtures("sketched")


def logistic(abilities, difficulties, rng):
    chance = 1 / (1 + np.exp(-(np.asarray(abilities)[..., None] - difficulties)))
    return (rng.random(chance.shape) < chance).astype(float)


def in_families(agents=15, families=14, size=86, lead=2.1, seed=1):
    """Models a fixed step of ability apart, on families that differ in difficulty and favour nobody much."""
    rng = np.random.default_rng(seed)
    family = np.repeat([f"f{k}" for k in range(families)], size)
    hard = np.repeat(rng.normal(0, 0.5, families), size) + rng.normal(0, 1.5, len(family))
    ability = np.linspace(0, lead, agents)[:, None] + rng.normal(0, 0.1, (agents, families))
    chance = 1 / (1 + np.exp(hard - np.repeat(ability, size, axis=1)))
    names = [f"{f}/{k}" for k, f in enumerate(family)]
    frame = pd.DataFrame((rng.random(chance.shape) < chance).astype(float), columns=names)
    frame.index = [f"model {k + 1}" for k in range(agents)]
    return gl.Responses(frame, items=pd.DataFrame({"family": family}, index=names))


def test_a_lead_in_every_family_separates_when_families_are_resampled():
    runs = in_families()
    by_family = runs.frame.T.groupby(runs.family).mean().T
    ahead = (by_family.loc["model 15"] - by_family.loc["model 1"]).min()
    assert ahead > 0.15
    table = gl.generality(gl.rank(runs), ci=0.95, resample="families")
    assert gl.separations(table).loc["model 1", "model 15"]


@pytest.mark.slow
@pytest.mark.parametrize("between", [0.0, 0.3, 3.0])
def test_equal_agents_on_families_are_seldom_separated(between):
    rng, false = np.random.default_rng(7), 0
    family, names = np.repeat(list("abcdefghij"), 12), [f"q{k}" for k in range(120)]
    items = pd.DataFrame({"family": family}, index=names)
    for _ in range(200):
        luck = np.repeat(rng.normal(0, between, (4, 10)), 12, axis=1)
        chance = 1 / (1 + np.exp(rng.normal(0, 1.5, 120) - luck))
        frame = pd.DataFrame((rng.random((4, 120)) < chance).astype(float), columns=names)
        table = gl.generality(gl.rank(gl.Responses(frame, items=items)), ci=0.95, resample="families")
        false += gl.separations(table).any(axis=None)
    assert false <= 16  # 5 % of 200, and two standard errors


# -- unequal item sets -----------------------------------------------------------------------------------


def unequal(seed=3):
    """Twelve models on 753 items; `few` met only the 45 easiest, `hard` the 60 hardest, `lost` failed on all
    16 items that it met."""
    rng = np.random.default_rng(seed)
    hard = np.sort(rng.normal(0, 1.5, 753))
    names = ["lost", "few", *(f"model {k}" for k in range(2, 10)), "hard", "best"]
    values = logistic(np.linspace(-1, 1.5, 12), hard, rng)
    values[0], values[1, 45:], values[10, :-60] = np.nan, np.nan, np.nan
    values[0, 400:416] = 0.0
    frame = pd.DataFrame(values, names, [f"q{k}" for k in range(753)])
    return frame, hard


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.filterwarnings("ignore:no interval")
def test_an_agent_that_met_few_items_is_not_called_the_most_capable(given):
    frame, hard = unequal()
    runs = gl.Responses(frame, difficulty=hard if given else None)
    found = analyse_table(runs, missing="drop", shuffles=19)
    said = " ".join(found.sentences())
    assert "most capable agent is few" not in said
    assert "most capable agent is best" in said
    assert found.scores["coverage"].round(3)[["few", "best"]].tolist() == [0.06, 1.0]
    assert "few (45 of 753)" in said
    assert "(few)" not in said  # no range of scores that are of other items
    assert "separated from every other agent." not in said
    assert all("few" not in group and "lost" not in group for group in found.groups)


@pytest.mark.filterwarnings("ignore:no interval")
def test_an_agent_that_failed_everything_it_met_is_not_capable():
    frame, hard = unequal()
    table = analyse_table(gl.Responses(frame, difficulty=hard), missing="drop").table
    assert table["capability"].idxmin() == "lost"


def test_agents_without_a_common_item_are_not_comparable():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(np.nan, list("ab"), [f"q{k}" for k in range(40)])
    frame.iloc[0, :20], frame.iloc[1, 20:] = rng.integers(0, 2, 20), rng.integers(0, 2, 20)
    found = analyse_table(gl.Responses(frame, difficulty=np.arange(40.0)), missing="drop")
    said = " ".join(found.sentences())
    assert found.differences["verdict"].tolist() == ["not comparable"]
    assert "No two agents met the same item" in said
    assert "responded alike" not in said
    assert "separated from every other" not in said


@pytest.mark.slow
def test_equal_agents_on_unequal_item_sets_are_seldom_separated():
    rng, false = np.random.default_rng(11), np.zeros(2)
    for _ in range(200):
        hard = np.sort(rng.normal(0, 1.5, 80))
        values = logistic(np.zeros(5), hard, rng)
        values[1, :40], values[2, 40:] = np.nan, np.nan  # one the harder half, one the easier
        values[3:][rng.random((2, 80)) < 0.6] = np.nan
        study = gl.Responses(values, difficulty=hard)
        table = gl.generality(study, ci=0.95, missing="drop")
        false += [
            gl.separations(table).any(axis=None),
            (score_differences(study)["verdict"] == "separated").any(),
        ]
    assert (false <= 16).all()  # 5 % of 200, and two standard errors


# -- what the words say ------------------------------------------------------------------------------------


def test_accuracy_stands_first_and_no_column_is_called_mean(tmp_path):
    found = analyse_table(simulated_runs(agents=5, items=10), shuffles=19)
    page = found.write(tmp_path / "r.html").read_text()
    assert page.index("<th>score</th>") < page.index("<th>capability</th>")
    assert "<th>mean</th>" not in page
    assert "score" in found.text().split("capability")[0]


def with_constants(constant):
    rng = np.random.default_rng(5)
    values = logistic(np.linspace(-1.5, 1.5, 10), rng.normal(0, 1.5, 30), rng)
    values = values[:, np.ptp(values, axis=0) > 0]
    ends = np.repeat([[1.0] * constant + [0.0] * constant], 10, axis=0)
    names = [f"q{k}" for k in range(values.shape[1] + 2 * constant)]
    return gl.Responses(pd.DataFrame(np.hstack([values, ends]), columns=names))


def test_items_that_nobody_or_everybody_solves_do_not_move_the_item_response_order():
    few, many = with_constants(0), with_constants(200)
    alone = surviving.definitions(few, model=fitted(few))[0]["irt"]
    found = surviving.definitions(many, model=fitted(many))[0]["irt"]
    assert found["capability"].rank().tolist() == alone["capability"].rank().tolist()
    assert found["capability"].to_numpy() == pytest.approx(alone["capability"].to_numpy(), abs=0.05)
    assert any("400 of" in line for line in analyse_table(many, shuffles=19).sentences())


def test_one_missing_cell_changes_no_definition():
    runs = simulated_runs(agents=6, items=8)
    frame = runs.frame.copy()
    frame.iloc[0, 0] = np.nan
    whole = surviving.definitions(runs, model=fitted(runs))[0]
    gap = gl.Responses(frame, items=runs.items)
    assert list(surviving.definitions(gap, "drop", fitted(gap))[0]) == list(whole)


def test_equal_ranks_are_not_equal_responses():
    scores = gl.Scores([[1, 1000, 3, 1], [2, 2000, 1, 2], [3, 3000, 2, 3]])
    assert item_audit(scores)["duplicate_of"].tolist() == ["", "", "", "item 1"]


def test_pairs_of_copies_are_compared_with_pairs_by_chance():
    values = np.tile(np.array([[1.0], [0.0], [1.0], [0.0], [1.0]]), (1, 4))
    more = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0]])
    counts = audit_counts(item_audit(gl.Responses(np.hstack([values, more]))))
    assert (counts["duplicates"], counts["duplicate pairs"]) == (3, 6)


def test_a_test_without_power_is_not_called_a_finding_of_chance():
    rng = np.random.default_rng(2)
    runs = gl.Responses((rng.random((4, 30)) < 0.5).astype(float))
    said = [line.text for line in analyse_table(runs, shuffles=19).said() if "negative" in line.text]
    assert said
    assert "no more than chance gives" not in said[0]
    assert "4 agents are too few to tell" in said[0]


def test_generality_that_shuffling_gives_as_well_is_never_a_firm_order():
    rng = np.random.default_rng(1)
    values = logistic(np.linspace(-1, 1, 14), rng.normal(0, 1.5, 4000), rng)
    found = analyse_table(gl.Responses(values), shuffles=19)
    gamma = found.control.loc["mean_gamma"]
    assert gamma["observed"] - gamma["shuffled"] < 0.05
    about = [line for line in found.said() if "γ" in line.text and "pairs" in line.text]
    assert about
    assert not any(line.firm for line in about)


def test_an_interval_that_spans_the_whole_scale_is_not_printed_as_a_number(tmp_path):
    frame = pd.DataFrame([[1.0] * 8, [1.0] * 7 + [0], [1, 0] * 4, [0] * 8, [1] * 4 + [0] * 4])
    found = analyse_table(gl.Responses(frame, difficulty=np.arange(8.0)), shuffles=19)
    page = found.write(tmp_path / "r.html").read_text()
    assert "-1.000 to 1.000" not in page
    assert not re.search(r">[^<]*\b(inf|nan)\b[^<]*<", page)
    assert any("say nothing about the generality of" in line for line in found.sentences())


# -- sentences that contradict nothing -----------------------------------------------------------------------


def test_everything_solved_states_scores_and_nothing_else():
    found = analyse_table(gl.Responses(np.ones((4, 30))), shuffles=19)
    said = " ".join(found.sentences())
    assert not found.measures
    assert "All 4 agents score 100.0%." in said
    assert "capab" not in said


def test_scores_and_capability_that_separate_other_pairs_say_why():
    rng = np.random.default_rng(3)
    hard = np.concatenate([rng.normal(0, 0.05, 190), np.linspace(-4, 4, 10)])
    values = logistic(np.linspace(-1, 1, 5), hard, rng)
    found = analyse_table(gl.Responses(values, difficulty=hard), shuffles=19)
    score, order = found.score_order.separated, found.orders["capability"].separated
    assert score != order
    assert any("are tested differently" in line for line in found.sentences())


def test_two_agents_are_named_and_not_counted():
    level = np.arange(60)
    runs = gl.Responses(pd.DataFrame([level < 50, level < 20], ["old", "new"]) * 1.0, difficulty=level)
    said = " ".join(analyse_table(runs, shuffles=19).sentences())
    assert "separated from new" in said
    assert "1 of 1" not in said


def test_a_few_gaps_do_not_stop_an_analysis_and_many_do():
    runs = simulated_runs(agents=6, items=20).frame
    few, many = runs.copy(), runs.copy()
    few.iloc[0, 0], many.iloc[0] = np.nan, np.nan
    assert analyse_table(gl.Responses(few), shuffles=19).missing == "drop"
    with refused("scores['model-a', 'arithmetic/1']: missing"):
        analyse_table(gl.Responses(many), shuffles=19)


def test_generality_without_an_upper_end_is_a_bound(tmp_path):
    scores = gl.Scores(np.arange(1, 7)[:, None] * np.array([1.0, 30, 0.1, 5]))
    page = analyse_table(scores, shuffles=19).write(tmp_path / "r.html").read_text()
    assert "342.9" not in page
    assert "or more" in page


def test_choices_of_a_long_table_are_a_floor(tmp_path):
    rows = [f"m{m},q{i},{int((i * 7 + m) % 9 < 3 + 2 * m)},4" for m in range(3) for i in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["model,item,score,choices", *rows]))
    found = analyse(tmp_path / "a.csv")
    assert found.floors.tolist() == [0.25] * 40
    assert found.transform == "failure"
