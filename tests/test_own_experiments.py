"""Our own experiments: difficulties equal the published ones, units are kept, models do what they say."""

import json

import numpy as np
import pandas as pd
import pytest
from digests import digest
from refusals import cautioned, refused

import gindex_lab as gl
from gindex_lab.press.reproduction import case_studies
from gindex_lab.studies.own_experiments import compare, digits, iris, memory, units
from gindex_lab.studies.own_experiments.iris import classifiers
from gindex_lab.studies.own_experiments.stand_ins import APE_TASKS, orangutans


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_CACHE", str(tmp_path))
    return tmp_path


# -- iris ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "theirs"), [("KDN", "f02e6d0bbd09af01"), ("TD_U", "fc31d1b7b02776d9")])
def test_difficulties_equal_the_published_columns_on_all_150_flowers(name, theirs, beside):
    ours = iris.difficulties()[name].tolist()
    if beside:
        published = pd.read_csv(beside / "datasets/openml/items.csv", index_col="item")
        assert ours == published[name].tolist()
    assert digest(ours) == theirs


def test_ten_fold_discriminants_are_rows_two_and_three_of_table_s4():
    study = iris.iris(2)
    table = gl.generality(study, mode="reference")
    printed = gl.published("generality_table_s4").set_index("technique")
    for name, row in {"linear discriminant (1)": "Linear Discriminant",
                      "quadratic discriminant (1)": "Quadratic Discriminant"}.items():  # fmt: skip
        assert table.loc[name, "capability"] == pytest.approx(printed.loc[row, "capability"], abs=1e-3)
        assert table.loc[name, "spread"] == pytest.approx(printed.loc[row, "spread"], abs=1e-3)


def test_there_are_at_least_150_classifiers_of_many_families_with_names_of_their_own():
    everyone = classifiers()
    assert len(everyone) >= 150
    assert len({c.name for c in everyone}) == len(everyone)
    assert len({c.family for c in everyone}) >= 20


def test_a_part_of_the_classifiers_is_the_beginning_of_all_and_has_every_family():
    assert classifiers(40) == classifiers()[:40]
    assert {c.family for c in classifiers(40)} == {c.family for c in classifiers()}


def test_every_classifier_can_be_built_and_knows_its_seed():
    for c in classifiers():
        estimator = c.build(7)
        last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
        assert last.get_params().get("random_state", 7) == 7
        assert dict(c.settings).items() <= last.get_params().items()


def test_guessing_falls_below_the_bar_and_a_discriminant_does_not():
    guess = next(c for c in classifiers() if c.name == "guessing (1)")
    assert iris.held_out(guess).mean() < iris.CHANCE
    table = iris.iris(2)
    assert table.agents["kept"].tolist() == [1, 1]
    assert table.agents["accuracy"].tolist() == table.frame.mean(axis=1).tolist()
    assert table.source == "own experiment"


# -- units -----------------------------------------------------------------------------------------


def test_an_interrupted_experiment_goes_on_where_it_stopped():
    asked = []

    def compute(unit):
        asked.append(unit)
        if unit == "c" and asked.count("c") == 1:
            raise KeyboardInterrupt
        return np.array([0.1, 1 / 3])

    with pytest.raises(KeyboardInterrupt):
        units.run_units("x", ["a", "b", "c"], compute, settings={})
    rows = units.run_units("x", ["a", "b", "c"], compute, settings={})
    assert asked == ["a", "b", "c", "c"]
    assert list(rows) == ["a", "b", "c"]
    assert rows["a"].tolist() == [0.1, 1 / 3]


def test_other_settings_or_other_code_compute_anew(tmp_path):
    code = tmp_path / "experiment.py"
    code.write_text("one")
    keys = [units.key_of({"seed": 1}, [code]), units.key_of({"seed": 2}, [code])]
    code.write_text("two")
    keys.append(units.key_of({"seed": 1}, [code]))
    assert len(set(keys)) == 3
    assert units.key_of({"seed": 1, "folds": 10}) == units.key_of({"folds": 10, "seed": 1})


@pytest.mark.parametrize("text", ["", "{", json.dumps({"unit": "b", "row": [1]}), "[1]"])
def test_a_damaged_or_foreign_file_is_computed_again(cache, text):
    answer = lambda unit: np.array([5.0])
    units.run_units("x", ["a"], answer, settings={})
    (path,) = cache.rglob("*.kept")
    path.write_text(text)
    assert units.run_units("x", ["a"], answer, settings={})["a"].tolist() == [5.0]
    assert json.loads(path.read_text().splitlines()[1])["row"] == [5.0]


def test_a_cache_that_cannot_be_written_is_said_and_does_no_harm(cache, monkeypatch):
    (cache / "own_experiments").write_text("a file where a folder should be")
    with cautioned("not-kept"):
        rows = units.run_units("x", ["a"], lambda unit: np.array([2.0]), settings={})
    assert rows["a"].tolist() == [2.0]


def test_a_row_does_not_depend_on_what_was_computed_before_it():
    one = iris.iris(3)
    two = pd.DataFrame([iris.held_out(c) for c in reversed(classifiers(3))], index=one.frame.index[::-1])
    assert (one.frame.to_numpy() == two.loc[one.frame.index].to_numpy()).all()


# -- digits ----------------------------------------------------------------------------------------


def test_digits_are_240_items_of_ten_objects_with_the_difficulty_of_the_paper():
    study = digits.digits(("nearest centroid", "linear discriminant"), images=3, copies=1)
    assert study.shape == (2, 240)
    assert study.family.value_counts().unique().tolist() == [24]
    scaled = study.items[["eccentricity", "size", "pose", "contrast"]]
    scaled = (scaled - scaled.min()) / (scaled.max() - scaled.min())
    expected = scaled["eccentricity"] + 1 - scaled["size"] + scaled["pose"] + 1 - scaled["contrast"]
    assert study.difficulty.tolist() == pytest.approx(expected.tolist())
    easy = study.difficulty < study.difficulty.median()
    means = study.frame.mean()
    assert means[easy].mean() > means[~easy].mean() + 0.15


def test_ten_families_and_each_is_one_unit():
    assert len(digits.FAMILIES) >= 8
    for family in digits.FAMILIES:
        assert hasattr(units.estimator(*digits._MODELS[family], 1), "fit")


def test_a_distortion_does_what_its_name_says():
    image = np.zeros((8, 8))
    image[2:6, 2:6] = 1.0

    def seen(**how):
        return digits.distort(image, np.random.default_rng(3), **how)

    plain = seen()
    noise = seen(contrast=0.0)  # the same draws, nothing shown

    def centre(picture):
        shown = picture - noise
        rows, columns = np.mgrid[:16, :16]
        return np.array([(rows * shown).sum(), (columns * shown).sum()]) / shown.sum()

    moved = np.linalg.norm(centre(seen(eccentricity=2.0)) - centre(plain))
    assert moved == pytest.approx(2.0, abs=0.1)
    shrunk = (seen(size=0.5) - noise).sum() / (plain - noise).sum()
    assert shrunk == pytest.approx(0.25, abs=0.05)
    assert seen(contrast=0.3) - noise == pytest.approx(0.3 * (plain - noise))
    assert centre(seen(pose=45.0)) == pytest.approx(centre(plain), abs=0.1)
    assert np.abs(seen(pose=45.0) - plain).max() > 0.3


# -- rats and apes ---------------------------------------------------------------------------------


def test_a_rat_without_memory_guesses_and_one_with_all_of_it_does_not():
    table = memory.odour_span(
        (memory.Rat("none", 0), memory.Rat("all", 72), memory.Rat("asleep", 72, lapse=1.0)),
        sessions=60,
    )
    assert table.frame.loc["all"].eq(1).all()
    for rat in ("none", "asleep"):
        assert table.frame.loc[rat].iloc[1:].mean() < 0.12
    assert table.agents.loc["all", ["span", "longest_run"]].tolist() == [71, 71]


def test_a_rat_is_a_step_up_to_its_capacity_and_the_old_scents_fade_beyond():
    rat = memory.Rat("ten", 10)
    rights = np.array([memory.session(rat, np.random.default_rng(k)) for k in range(200)])
    assert rights[:, :10].all()
    assert 0.5 < rights[:, 60:].mean() < 0.75


def test_novelty_helps_and_lapses_cost_generality():
    same = {"capacity": 20, "lapse": 0.0}
    table = memory.odour_span(
        (memory.Rat("exposed", **same), memory.Rat("naive", **same, novelty=0.6)), sessions=60
    )
    measured = gl.generality(table)
    assert measured.loc["naive", "capability"] > measured.loc["exposed", "capability"] + 5
    steady = memory.odour_span((memory.Rat("a", 72, 0.3), memory.Rat("b", 72, 0.02)), sessions=60)
    gamma = gl.generality(steady)["normalised_generality"]
    assert gamma["a"] < gamma["b"]


def test_the_longest_run_is_at_least_the_span():
    agents = memory.odour_span(sessions=5).agents
    assert (agents["longest_run"] >= agents["span"]).all()
    assert (agents["exposure"] == "none").sum() == 5


def test_expected_appearances_is_the_harmonic_number():
    assert memory.expected_appearances(72) == pytest.approx(sum(1 / i for i in range(1, 72)))


def test_apes_have_one_factor_of_the_asked_size_and_scores_on_their_scales():
    table = orangutans(3000, general=0.6, seed=2)
    assert gl.factors(table).loadings["factor 1"].mean() == pytest.approx(0.58, abs=0.04)
    for task, (best, scores) in APE_TASKS.items():
        assert table.frame[task].between(0, best).all()
        assert table.frame[task].nunique() <= scores


def test_shuffled_tasks_lose_their_general_ability():
    strong = orangutans(200, general=0.9, seed=3)
    observed = gl.generality(gl.rank(strong, columns=None, leave_one_out=True))
    without = compare.shuffled_generality(strong, 20, seed=1)
    assert observed["normalised_generality"].mean() > without.max() + 0.1
    assert without.std() < 0.02


def test_blocks_of_ten_trials_stand_at_their_middle():
    table = memory.odour_span(sessions=2)
    assert table.difficulty.tolist() == [0, 5.5, 15.5, 25.5, 35.5, 45.5, 55.5, 65.5]
    assert table.frame["0 scents"].eq(1).all()


def test_the_same_seed_is_the_same_table():
    for make in (orangutans, memory.odour_span):
        assert make(seed=4).frame.equals(make(seed=4).frame)
        assert not make(seed=4).frame.equals(make(seed=5).frame)


# -- beside the printed numbers --------------------------------------------------------------------

TIES = pd.DataFrame({"capability": [1.0, 3, 3 + 1e-14, 2], "spread": [0.4, 0.5, 0.5, 0.2]})
NAMES = pd.Series(["a", "b", "c", "d"])


def test_ties_share_a_rank_and_the_first_of_them_lends_its_name():
    best = compare.best_distinct(TIES, NAMES, "capability", n=3)
    assert best["name"].tolist() == ["b", "d", "a"]
    assert best["tied"].tolist() == [2, 1, 1]
    assert best["also"].tolist() == ["c", "", ""]
    assert compare.best_distinct(TIES, NAMES, "spread", n=1, largest=False)["name"].tolist() == ["d"]


def test_a_curve_tips_where_it_first_falls_below_one_half():
    curve = pd.DataFrame({"difficulty": [0.6, 0.2, 0.4, 0.8], "response": [0.7, 0.9, 0.3, 0.0]})
    assert compare.tipping_point(curve) == 0.2
    assert compare.tipping_point(curve.assign(response=1.0)) == 0.8


def test_printed_numbers_of_agents_come_from_the_ledger_and_hang_together():
    rats = case_studies.printed_agents("A.4")
    assert len(rats) == 10
    implied = (2 * rats["capability"] * rats["expected_difficulty"] - rats["capability"] ** 2) ** 0.5
    assert implied.tolist() == pytest.approx(rats["spread"].tolist(), abs=0.04)
    groups = case_studies.printed_agents("A.3")
    assert len(groups) == 8
    assert (1 / groups["spread"]).tolist() == pytest.approx(groups["generality"].tolist(), abs=0.025)


def test_claims_of_agents_and_ranks_reach_the_record(tmp_path, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_OUTPUT", str(tmp_path))
    case_studies.claim_agents("A.4", case_studies.printed_agents("A.4"))
    ranks = pd.DataFrame({"name": ["classif.nnet(3)"], "tied": [2], "capability": 0.797, "spread": 0.195})
    case_studies.claim_ranks("N155", ranks)
    kept = {entry["id"]: entry for entry in json.loads((tmp_path / "claims.json").read_text())}
    assert kept["N117"]["value"] == 51.32
    assert kept["N155"]["value"] == "classif.nnet(3)"
    assert kept["N157"]["value"] == 0.195
    assert len(kept) == 33


def test_groups_of_a_table_stand_apart_by_their_means():
    table = pd.DataFrame({"capability": [1.0, 1, 4], "spread": 1.0, "normalised_generality": 0.5})
    found = compare.group_means(table, pd.DataFrame({"g": ["x", "x", "y"]}), ["g"])
    assert found["agents"].tolist() == [2, 1]
    assert found["distance"].tolist() == pytest.approx([1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: classifiers(10_000), "n: too-many"),
        (lambda: classifiers(0), "n: out-of-range"),
        (lambda: iris.iris(1, folds=1), "folds: out-of-range"),
        (lambda: digits.digits(("oracle",)), "families: not-a-list"),
        (lambda: digits.digits(()), "families: not-a-list"),
        (lambda: digits.difficulty_of(pd.DataFrame({"size": [1]})), "items: no-column"),
        (
            lambda: digits.difficulty_of(pd.DataFrame(1.0, range(2), list(digits.RANGES))),
            "items: no-variance",
        ),
        (lambda: memory.Rat("a", -1), "capacity: out-of-range"),
        (lambda: memory.Rat("a", 3, lapse=2.0), "lapse: out-of-range"),
        (lambda: memory.odour_span(sessions=0), "sessions: out-of-range"),
        (lambda: memory.expected_appearances(1), "odours: out-of-range"),
        (lambda: orangutans(1), "agents: out-of-range"),
        (lambda: orangutans(general=1.5), "general: out-of-range"),
        (lambda: compare.best_distinct(TIES, NAMES, "luck"), "by: not-an-order"),
        (
            lambda: compare.tipping_point(pd.DataFrame({"difficulty": [1], "response": [0.4]})),
            "curve: below-half",
        ),
        (lambda: compare.item_column(pd.DataFrame({"a": [1]}), "object"), "items: no-column"),
        (lambda: case_studies.claim_agents("A.4", TIES), "table: no-row"),
        (lambda: case_studies.printed_agents("A.1"), "section: no-numbers"),
        (
            lambda: compare.group_means(TIES, pd.DataFrame(index=TIES.index), ["sex"]),
            "columns: no-column",
        ),
        (lambda: units.run_units("x", ["a", "a"], len, settings={}), "units: duplicate-label"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with refused(message):
        call()


def test_a_gap_is_the_difference_of_means_and_its_chance_is_that_of_all_deals():
    one, other = (pd.DataFrame({"capability": rows}) for rows in ([1.0, 2, 3], [7.0, 8, 9]))
    pairs = {"far": (one, other), "same": (one, one)}
    found = compare.mean_gaps(pairs, ["capability"], seed=1)
    assert found["capability gap"].tolist() == [-6.0, 0.0]
    assert found["capability p"].tolist() == pytest.approx([2 / 20, 1.0])  # 20 ways to deal six out


def test_a_permutation_test_needs_shuffles():
    one = pd.DataFrame({"capability": [1.0, 2]})
    with refused("shuffles: out-of-range"):
        compare.mean_gaps({"a": (one, one)}, ["capability"], shuffles=0, seed=1)
