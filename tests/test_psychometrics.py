"""One table by four methods: what is planted must be found, and nothing be said that the table does not show."""

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.measures.psychometrics.correlations import rank_correlation, rank_interval
from gindex_lab.measures.psychometrics.item_fit import dependent_pairs
from gindex_lab.studies.analysis.starting import analyse_table
from gindex_lab.studies.analysis.validity import rank_limits


def planted(agents=150, seed=1):
    """Fifteen items of a 2PL, one that the able fail, and an agent that fails what is easy."""
    rng = np.random.default_rng(seed)
    items = pd.DataFrame({"discrimination": 1.8, "difficulty": np.linspace(-2, 2, 15)})
    frame = gl.simulate_irt(items, agents, seed=rng).frame
    frame["backwards"] = 1.0 - (frame.mean(axis=1) + rng.normal(0, 0.15, agents) > 0.5)
    frame.loc["specialist"] = [0.0] * 7 + [1.0] * 8 + [0.0]
    return gl.Responses(frame, difficulty=[*items["difficulty"], 0.3])


@pytest.fixture(scope="module")
def found():
    return gl.psychometrics(planted())


def test_the_planted_agent_and_item_are_named(found):
    assert found.odd_agents.index[0] == "specialist"
    assert "misfits" in found.odd_agents.loc["specialist", "odd"]
    assert found.odd_items.index[0] == "backwards"
    assert "solved by the less able" in found.odd_items.loc["backwards", "odd"]
    assert any("backwards" in said.text for said in found.said)


def test_tables_and_sentences_are_complete_and_readable(found):
    assert len(found.agents) == 151
    assert found.odd_agents.shape[1] <= 7
    assert found.odd_items.shape[1] <= 7
    starts = ("Factors:", "IRT:", "Without any formula", "Person fit:", "Ability and capability")
    for start in starts:
        assert sum(said.text.startswith(start) for said in found.said) == 1
    assert str(found).startswith("Factors:")
    assert "<table" in found._repr_html_()
    assert found.agreement.shape == (4, 4)


def test_agents_ordered_both_ways_are_found_with_the_items_behind_it():
    """Ability follows the steep items in the middle, capability the far items that stand for most of the axis."""
    rng = np.random.default_rng(2)
    hard = np.array([*np.linspace(0, 1, 20), *np.linspace(1.5, 10, 18)])
    steep = np.array([3.0] * 20 + [0.15] * 18)
    chance = 1 / (1 + np.exp(-steep * (rng.normal(0.5, 1, (200, 1)) - np.linspace(-1, 2, 38))))
    frame = pd.DataFrame((rng.random((200, 38)) < chance).astype(float), columns=[f"i{k}" for k in range(38)])
    frame.index = [f"a{k}" for k in range(200)]
    frame.loc["sprinter"] = [1.0] * 20 + [0.0] * 18
    frame.loc["climber"] = [1.0] * 6 + [0.0] * 14 + [1.0] * 18
    result = gl.psychometrics(gl.Responses(frame, difficulty=hard))
    assert "ability and capability disagree" in result.agents.loc["sprinter", "odd"]
    assert "ability and capability disagree" in result.agents.loc["climber", "odd"]
    order = next(said.text for said in result.said if said.text.startswith("Ability and capability"))
    assert "the other way round" in order
    assert "these items weigh most: i" in order


def test_methods_that_agree_are_not_said_to_differ():
    items = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-2, 2, 20)})
    result = gl.psychometrics(gl.simulate_irt(items, 200, seed=3))
    texts = " ".join(said.text for said in result.said)
    assert "no pair of agents is told apart by both the other way round" in texts
    assert "No method finds an item odd" in texts
    assert "do not agree" not in texts


@pytest.mark.parametrize("shape", [(6, 8), (40, 3), (2, 2)])
def test_small_tables_end_in_one_line(shape):
    values = (np.random.default_rng(4).random(shape) < 0.5).astype(float)
    result = gl.psychometrics(values)
    assert result.said == []
    assert "not compared" in str(result)


@pytest.mark.parametrize("odd", ["constant", "graded", "gaps", "more items than agents"])
def test_degenerate_tables_end_in_a_result(odd):
    rng = np.random.default_rng(5)
    frame = planted(agents=60).frame
    if odd == "constant":
        frame = frame.assign(always=1.0, never=0.0)
    elif odd == "graded":
        frame = (frame + (rng.random(frame.shape) < 0.5)) / 2
    elif odd == "gaps":
        frame = frame.mask(rng.random(frame.shape) < 0.1)
    else:
        frame = pd.concat([frame.add_prefix(f"{k} ") for k in range(5)], axis=1)
    result = gl.psychometrics(frame)
    assert len(result.said) >= 5
    assert np.isfinite(result.agents["ability"]).all()


@pytest.mark.slow
def test_the_page_has_the_section_or_one_line_why_not(tmp_path):
    small = gl.Responses((np.random.default_rng(6).random((6, 8)) < 0.5).astype(float), difficulty=range(8))
    for data, words in (
        (planted(), "Agents that a method finds odd"),
        (small, "were not compared"),
    ):
        text = analyse_table(data, seed=1).write(tmp_path / "page.html").read_text(encoding="utf-8")
        section = text.split("Do the methods agree?")[1]
        assert words in section


def test_graded_items_are_factored_one_by_one_and_get_the_graded_model():
    """Five factors of five items each, in five grades."""
    rng = np.random.default_rng(7)
    five = rng.multivariate_normal(np.zeros(5), 0.3 + 0.7 * np.eye(5), 400)
    values = 0.65 * five[:, np.arange(25) % 5] + 0.76 * rng.standard_normal((400, 25))
    result = gl.psychometrics(pd.DataFrame(np.searchsorted([-1.2, -0.4, 0.4, 1.2], values) / 4))
    texts = " ".join(said.text for said in result.said)
    assert texts.startswith("Factors: 5 factors stand above noise")
    assert "a graded response model" in texts
    assert "up to 5 ordered grades" in texts
    assert "Person fit:" in texts


def graded(agents=250, seed=1):
    """Fourteen items of four grades, a copy of the eighth, one turned round, and an agent that does worst
    where it is easy."""
    rng = np.random.default_rng(seed)
    middle = np.linspace(-1.2, 1.2, 14)
    cuts = {f"b{k + 1}": middle + step for k, step in enumerate((-1.0, 0.0, 1.0))}
    names = [f"q{k + 1}" for k in range(14)]
    items = pd.DataFrame({"discrimination": rng.uniform(0.9, 2.2, 14), **cuts}, index=names)
    frame = gl.simulate_irt(items, agents, model="graded", seed=rng).frame
    frame["twin"] = frame["q8"].where(rng.random(agents) < 0.85, rng.integers(0, 4, agents) / 3)
    frame["q14"] = 1 - frame["q14"]
    frame.loc["contrary"] = np.linspace(0, 3, 15).round() / 3
    return frame.round(6)


def test_faults_planted_in_a_graded_table_are_named_with_what_is_behind_them():
    result = gl.psychometrics(graded())
    texts = " ".join(said.text for said in result.said)
    assert "q8 with twin" in texts
    assert result.odd_items.index[0] == "q14"
    assert "misfits" in result.odd_agents.loc["contrary", "odd"]
    behind = result.odd_agents.loc["contrary", "behind"]
    easy_or_hard = {f"q{k}" for k in (1, 2, 3, 4, 11, 12, 13, 14)} | {"twin"}
    assert {part.split(" = ")[0] for part in behind.split(", ")} <= easy_or_hard


def test_fractions_get_the_beta_model_and_say_what_was_not_done():
    rng = np.random.default_rng(3)
    mean = 1 / (1 + np.exp(-1.3 * rng.standard_normal((90, 1)) + np.linspace(-1.5, 1.5, 9)))
    result = gl.psychometrics(pd.DataFrame(rng.beta(8 * mean, 8 * (1 - mean))))
    texts = " ".join(said.text for said in result.said)
    assert "a Beta model" in texts
    assert "M2 is of right or wrong and of grades" in texts
    assert "an item has 90 levels" in texts
    assert "Person fit was not judged" in texts
    assert "lz_star" not in result.odd_agents


def test_fractions_beside_right_or_wrong_are_weighed_and_it_is_said():
    rng = np.random.default_rng(4)
    ability = rng.standard_normal((60, 1))
    frame = pd.DataFrame(1.0 * (ability + rng.standard_normal((60, 8)) > 0)).add_prefix("i")
    frame["share"] = rng.beta(2, 2, 60)
    texts = " ".join(said.text for said in gl.psychometrics(frame).said)
    assert "that share of a success" in texts


def test_gaps_leave_out_what_needs_whole_rows_and_say_how_many_there_are():
    frame = planted().frame
    frame = frame.mask(np.random.default_rng(5).random(frame.shape) < 0.15)
    texts = " ".join(said.text for said in gl.psychometrics(frame).said)
    whole = len(frame.dropna())
    assert f"{whole} agents answered all items, and M2 takes 100" in texts
    assert f"Mokken's H was not computed: {whole} agents" in texts
    few = planted().frame
    few.iloc[:20, 0] = np.nan
    assert f"of the {len(few) - 20} agents without gaps" in str(gl.psychometrics(few))


def test_items_named_behind_a_contradiction_are_behind_it():
    """Without the three items that are named, ability prefers the sprinter less; without others it does not."""
    rng = np.random.default_rng(2)
    hard = np.array([*np.linspace(0, 1, 20), *np.linspace(1.5, 10, 18)])
    steep = np.array([3.0] * 20 + [0.15] * 18)
    chance = 1 / (1 + np.exp(-steep * (rng.normal(0.5, 1, (200, 1)) - np.linspace(-1, 2, 38))))
    frame = pd.DataFrame(1.0 * (rng.random((200, 38)) < chance)).add_prefix("i").rename(index=str)
    frame.loc["sprinter"] = [1.0] * 20 + [0.0] * 18
    frame.loc["climber"] = [1.0] * 6 + [0.0] * 14 + [1.0] * 18
    found = gl.psychometrics(gl.Responses(frame, difficulty=hard))
    told = next(said.text for said in found.said if "the other way round" in said.text)
    named = told.split("weigh most: ")[1].rstrip(".").replace(" and ", ", ").split(", ")
    one, other = told.split("Between ")[1].split(" (more capable)")[0].split(" (abler) and ")
    model = gl.irt(frame, priors="weak")

    def gap(without):
        two = frame.loc[[one, other]].copy()
        two[without] = np.nan
        return -np.diff(model.score(responses=two)["ability"])[0]

    others = [x for x in frame if x not in named]
    drops = [gap([]) - gap(list(rng.choice(others, 3, replace=False))) for _ in range(20)]
    assert gap([]) - gap(named) > np.mean(drops)
    assert all(frame.loc[one, x] != frame.loc[other, x] for x in named)


@pytest.mark.slow
def test_independent_items_are_called_dependent_in_few_tables():
    named = 0
    for seed in range(60):
        rng = np.random.default_rng([9, seed])
        slopes, cuts = rng.uniform(0.8, 2.2, 20), np.linspace(-1.5, 1.5, 20)
        items = pd.DataFrame({"discrimination": slopes, "difficulty": cuts})
        model = gl.irt(gl.simulate_irt(items, 250, seed=rng), priors="weak")
        named += bool(dependent_pairs(model))
    assert named / 60 <= 0.1


@pytest.mark.slow
def test_graded_answers_that_follow_the_model_misfit_in_few_tables():
    named = 0
    for seed in range(40):
        frame = graded(200, seed).drop(columns=["twin", "q14"]).drop(index="contrary")
        named += gl.psychometrics(frame).agents["odd"].str.contains("misfits").any()
    assert named / 40 <= 0.15


def test_agents_that_chance_explains_are_not_called_odd():
    """Of 400 agents that follow the model, twenty have an lz* below -1.645, and none is named for it."""
    items = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-2, 2, 20)})
    result = gl.psychometrics(gl.simulate_irt(items, 400, seed=8))
    assert (result.agents["lz_star"] < -1.645).sum() > 5
    assert not result.agents["odd"].str.contains("misfits").any()
    assert any("Of no single agent is it sure" in said.text for said in result.said)


def test_the_interval_of_a_rank_correlation_counts_ties_and_the_shape_of_the_cloud():
    """Two scores of a few values that agree but for some agents: the usual interval holds in three of four."""
    rng = np.random.default_rng(9)
    people = rng.integers(0, 6, 20_000).astype(float)
    other = np.where(rng.random(20_000) < 0.15, rng.permutation(people), people)
    truth = rank_correlation(people, other)
    ours, usual = [], []
    for _ in range(300):
        some = rng.integers(0, 20_000, 80)
        low, high = rank_interval(people[some], other[some])
        ours.append(low <= truth <= high)
        low, high = rank_limits(rank_correlation(people[some], other[some]), 80, 0.95)
        usual.append(low <= truth <= high)
    assert 0.88 < np.mean(ours) < 0.98
    assert np.mean(usual) < np.mean(ours) - 0.1


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [(range(20), range(0, 40, 2), 1.0), (range(20), range(20, 0, -1), -1.0)],
)
def test_perfect_order_has_no_width_and_no_variation_or_few_agents_no_interval(x, y, wanted):
    assert rank_interval(x, y) == pytest.approx((wanted, wanted))
    assert np.isnan(rank_interval(x, [3] * 20)).all()
    assert np.isnan(rank_interval(x[:19], [*y[:17], y[18], y[17]])).all()


def test_bad_input_names_the_argument():
    for given, argument in (
        ({"responses": gl.Scores([[1, 2], [3, 4]])}, "responses"),
        ({"responses": planted(), "difficulty": [1, 2]}, "difficulty"),
        ({"responses": planted(), "seed": "a"}, "seed"),
    ):
        with pytest.raises(gl.BadInput) as refused:
            gl.psychometrics(**given)
        assert refused.value.argument == argument
