"""The g-index against the authors' numbers, piece by piece, and what drives it."""

import copy
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from loops import looped
from refusals import refused
from scipy import stats

from gindex_lab.foundation.errors import BadInput, DataUnavailable
from gindex_lab.measures.programs.domains import domain_distances
from gindex_lab.measures.programs.gindex import Settings, g_index
from gindex_lab.measures.programs.records import Experiment
from gindex_lab.measures.programs.sensitivity import (
    generalisation_level,
    priors_by_ablation,
    random_distances,
    repeated_split,
    sensitivity,
    simulate,
    summary,
    uneven_split,
)

OMEGA = pd.DataFrame([[0.1, 0.9], [0.8, 0.2]], ["a", "b"], ["a", "b"])
RECORD = {
    "train_set": {"data": [{"name": "a", "num_samples": 40}, {"name": "b", "num_samples": 80}]},
    "train_cost": {"compute": 100},
    "performance": {
        "domains": [
            {"name": "a", "num_samples": 5, "divergence": 0.2, "perfects": 0.4},
            {"name": "b", "num_samples": 5, "divergence": 0.0, "perfects": 1.0},
        ]
    },
}


def changed(path, value):
    """The record with one entry changed (or removed, where the value is Ellipsis)."""
    record = copy.deepcopy(RECORD)
    place = record
    *parents, last = path
    for key in parents:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return record


# --- the authors' numbers -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sample(shared):
    return shared / "originals/g-index-benchmark"


@pytest.mark.shared
def test_experiments_equal_the_authors_code(shared, sample):
    golden = json.loads((shared / "golden/gindex/g_index_4_experiments.json").read_text())
    for name, expected in golden["experiments"].items():
        result = g_index(sample / f"experiments/{name}.json", mode="reference")
        assert result.value == expected["g_index_rounded3"]
        found = result.components["contribution"]
        assert found.mean() == pytest.approx(expected["g_index"], rel=1e-12)
        wanted = pd.Series(expected["task_contributions"])[found.index]
        assert np.abs(found / wanted - 1).max() < 1e-12
        assert result.terms["experience"].unique() == pytest.approx([expected["E"]], abs=1e-12)
        assert result.components["performance"].mean() == pytest.approx(expected["theta"], abs=1e-12)


@pytest.mark.shared
def test_published_table_is_a_little_lower_and_ranks_two_and_three_swap(shared, sample):
    golden = json.loads((shared / "golden/gindex/g_index_4_experiments.json").read_text())
    published = pd.Series(golden["published_table_1"])
    ours = pd.Series(
        {name: g_index(sample / f"experiments/{name}.json", "reference").value for name in published.index}
    )
    excess = 100 * (ours / published - 1)
    assert excess.min() == pytest.approx(0.33, abs=0.005)
    assert excess.max() == pytest.approx(1.16, abs=0.005)
    order = list(ours.sort_values(ascending=False).index)
    assert order[1:3] == list(published.index[2:0:-1])
    assert order[3:] == list(published.index[3:])


@pytest.mark.shared
def test_other_domains_drive_the_index(sample):
    """Findings 2 and 3 of the spec: own domain under 0.05%, Ω over all of C, samples as domains."""
    files = sorted((sample / "experiments").glob("*.json"))
    apart = domain_distances(sample / "domains", "reference", exclude_self=True)
    whole = Settings.of("reference", difficulty="curriculum")
    results = [g_index(f, "reference", distances=apart) for f in files]
    assert max(r.components["own_share"].max() for r in results) == pytest.approx(0.00043, abs=5e-6)
    nearest = [g_index(f, "reference", distances=apart, settings=whole).value for f in files]
    assert (round(min(nearest)), round(max(nearest))) == (118, 272)
    assert np.argsort(nearest).tolist() != np.argsort([r.value for r in results]).tolist()
    path = sample / "experiments/GPT2-345M_2.json"
    split = g_index(path, "reference", settings=Settings.of("reference", domains="samples"))
    assert split.value / g_index(path, "reference").value == pytest.approx(36.5, abs=0.05)


def kept_distances():
    """The sixteen domains' distances as the authors' code rounds them, without the programs."""
    return pd.read_csv(Path(__file__).parent / "goldens/gindex/domain_distances.csv", index_col=0)


@pytest.mark.shared
def test_the_kept_distances_are_those_of_the_public_programs(sample):
    found = domain_distances(sample / "domains", "reference")
    pd.testing.assert_frame_equal(found, kept_distances(), check_names=False)


@looped(("figure", "priors"), [("fig7_even", 1e-3), ("fig8_even", 1e-2)])
def test_even_simulations_equal_the_authors(goldens, figure, priors):
    golden = json.loads((goldens / "gindex/simulations_even.json").read_text())[figure]
    omega = kept_distances()
    for theta, points in golden.items():
        x, expected = zip(*points, strict=True)
        grid = {"samples": x} if figure == "fig7_even" else {"compute": x}
        found = simulate(omega, performance=[float(theta)], priors=priors, mode="reference", **grid)
        assert found["g_index"].tolist() == list(expected)


@pytest.mark.shared
def test_exact_mode_uses_the_text_of_the_paper(sample):
    path = sample / "experiments/GPT2-345M_1.json"
    result = g_index(path)
    assert result.terms["experience"].unique() == pytest.approx([np.log2(74.75 * 1000 / 16)])
    assert "Jensen" in result.notes[0]
    assert result.value == pytest.approx(result.components["contribution"].mean(), rel=1e-15)


# --- the formula --------------------------------------------------------------------------------------


def test_formula_by_hand():
    result = g_index(RECORD, "reference", distances=OMEGA)
    experience = np.log2(100)
    contributions = [
        np.sqrt(
            np.exp(12 * theta)
            * sum(
                np.exp(10 * omega) / (1 + np.log2(n)) / (1e-4 + experience)
                for omega, n in zip(row, (40, 80), strict=True)
            )
        )
        for theta, row in zip((0.8, 1.0), OMEGA.to_numpy(), strict=True)
    ]
    assert result.components["contribution"].tolist() == pytest.approx(contributions, rel=1e-14)
    assert result.value == round(float(np.mean(contributions)), 3) == float(result)
    assert result.components["domain_distance"].tolist() == [0.1, 0.2]
    assert result.components["skill"].tolist() == [0.4, 1.0]
    assert len(result.terms) == 4


def test_compute_is_split_by_samples_and_the_own_share_is_of_the_bracket():
    result = g_index(RECORD, "reference", distances=OMEGA, settings=Settings(split="samples"))
    terms = result.terms.set_index(["task", "curriculum"])
    wanted = np.log2(1e3 * 100 * np.array([40, 80]) / 120)
    assert terms.loc["a", "experience"].tolist() == pytest.approx(wanted.tolist(), rel=1e-14)
    for name in "ab":
        own = terms.loc[(name, name), "term"] / terms.loc[name, "term"].sum()
        assert result.components.loc[name, "own_share"] == pytest.approx(own, rel=1e-14)


def test_experience_without_priors_must_be_more_than_nothing():
    one = changed(["train_cost", "compute"], 1)  # log2 of 1 PFLOP is 0
    with pytest.raises(BadInput) as caught:
        g_index(one, distances=OMEGA, settings=Settings(priors=0, unit="PFLOP", split="total"))
    assert caught.value.argument == "compute"


@pytest.mark.parametrize(("unit", "finer"), [("PFLOP", "TFLOP"), ("GFLOP", "FLOP"), ("FLOP", "FLOP")])
def test_too_little_compute_is_asked_for_in_the_next_finer_unit(unit, finer):
    little = changed(["train_cost", "compute"], 1e-16)
    with refused("compute: experience-not-positive") as caught:
        g_index(little, distances=OMEGA, settings=Settings(unit=unit))
    assert f"unit='{finer}'" in caught.value.remedy


def test_the_first_distance_that_is_none_is_named():
    odd = OMEGA.copy()
    odd.loc["b"] = [1.5, -0.1]
    with pytest.raises(BadInput) as caught:
        g_index(RECORD, distances=odd)
    assert (caught.value.argument, caught.value.value) == ("distances['b', 'a']", 1.5)


def test_a_simulation_without_draws_says_so_and_rounds_only_in_reference_mode():
    tables = {m: simulate(OMEGA, performance=[0.5], compute=[70], mode=m) for m in ("reference", "exact")}
    assert all((table["draw"] == -1).all() for table in tables.values())
    g = {mode: table["g_index"] for mode, table in tables.items()}
    assert (g["reference"] == g["reference"].round(3)).all()
    assert (g["exact"] != g["exact"].round(3)).all()


def test_empty_curriculum_domain_is_dropped():
    record = changed(["train_set", "data", 1, "num_samples"], 0)
    assert set(g_index(record, distances=OMEGA).terms["curriculum"]) == {"a"}


def test_samples_count_one_by_one_where_they_are_listed():
    listed = changed(["performance", "domains", 0, "samples"], [0.0, 0.5, 0.5, 0.0, 0.0])
    result = g_index(listed, distances=OMEGA)
    assert len(result.components) == 6
    assert result.components.loc["a", "skill"].tolist() == [1, 0, 0, 1, 1]
    mean = g_index(RECORD, distances=OMEGA)
    own = result.components.loc["a", "contribution"].mean()
    assert own > mean.components.loc["a", "contribution"]  # Jensen


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (RECORD, changed(["train_cost", "compute"], 1000)),
        (RECORD, changed(["train_set", "data", 0, "num_samples"], 400)),
        (RECORD, changed(["performance", "domains", 0, "divergence"], 0.3)),
    ],
)
@pytest.mark.parametrize("mode", ["exact", "reference"])
def test_less_compute_fewer_samples_and_more_performance_are_better(better, worse, mode):
    one, two = (g_index(record, mode, distances=OMEGA).value for record in (better, worse))
    assert one > two
    assert g_index(RECORD, mode, distances=OMEGA + 0.05).value > one if better is RECORD else True


def test_record_survives_a_round_trip(tmp_path):
    tasks = pd.DataFrame({"domain": ["a", "a", "b"], "performance": [1.0, 0.25, 0.5], "skill": [1, 0, 0]})
    one = Experiment({"a": 3, "b": 4}, 12.5, tasks, name="mine", distances=OMEGA)
    two = Experiment.read(one.save(tmp_path / "mine.json"))
    assert two.curriculum == one.curriculum
    pd.testing.assert_frame_equal(two.tasks, one.tasks, check_dtype=False)
    pd.testing.assert_frame_equal(two.distances, OMEGA)
    assert g_index(two).value == g_index(one).value
    assert (one.performance, one.skill) == (pytest.approx(7 / 12), pytest.approx(1 / 3))
    stored = json.loads((tmp_path / "mine.json").read_text())
    assert stored["performance"]["domains"][0]["divergence"] == 0.375
    assert stored["train_set"]["total"] == 7


def test_programs_beside_the_record_are_found(tmp_path):
    for domain, kind in (("a", "csv"), ("b", "tab")):
        (tmp_path / "domains" / domain).mkdir(parents=True)
        flow = [{"id": "x", "type": kind}]
        (tmp_path / "domains" / domain / "1.json").write_text(json.dumps({"flow": flow}))
    (tmp_path / "experiments").mkdir()
    path = tmp_path / "experiments/run.json"
    path.write_text(json.dumps(RECORD))
    far = pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], ["a", "b"], ["a", "b"])
    assert g_index(path).value == g_index(RECORD, distances=far).value
    assert g_index(RECORD, programs=tmp_path / "domains").value == g_index(path).value


def test_programs_that_are_nowhere_are_asked_for(monkeypatch):
    def nothing(name):
        raise DataUnavailable("name", name, "is not here", "fetch it")

    monkeypatch.setattr("gindex_lab.studies.data.loading.load", nothing)
    with refused("experiment: no-programs"):
        g_index(RECORD)


# --- levels, simulations, sensitivity -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("distance", "level"),
    [
        (0, "L1"),
        (0.15, "L1"),
        (0.16, "between L1 and L2"),
        (0.4, "L2"),
        (0.7, "L2"),
        (0.71, "between L2 and L3"),
        (0.85, "L3"),
        (1, "L3"),
    ],
)
def test_levels_and_the_gaps_between(distance, level):
    assert generalisation_level(distance) == level
    assert generalisation_level(distance, rule_based=True) == "L0"


def test_simulated_splits_are_seeded_and_keep_the_total():
    rng = np.random.default_rng(1)
    parts = [uneven_split(160, 16, rng) for _ in range(50)]
    assert all(part.sum() == 160 and part.min() >= 1 for part in parts)
    options = {"performance": [0.5, 1.0], "samples": [20, 40], "draws": 3}
    one, two = (simulate(OMEGA, seed=7, **options) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)
    assert len(one) == 12
    assert not one.equals(simulate(OMEGA, seed=8, **options))
    drawn = simulate(lambda rng: random_distances(rng, 4), performance=[1.0], draws=2, seed=1)
    assert drawn["mean_distance"].nunique() == 2


def test_repeated_splitting_follows_the_law_of_the_authors():
    """Against their rule written out one number at a time; no count three times among sixteen domains."""

    def one(rng):
        while True:
            counts, left = [], 640 * 16 - 15
            for _ in range(15):
                counts.append(int(rng.integers(1, left)))
                left += 1 - counts[-1]
            counts.append(left)
            if max(Counter(counts).values()) < 3:
                return counts

    rng = np.random.default_rng(1)
    ours = np.array([repeated_split(640 * 16, 16, rng) for _ in range(300)])
    theirs = np.array([one(rng) for _ in range(150)])
    assert (ours.sum(axis=1) == 640 * 16).all()
    assert ours.min() == 1
    assert max(np.bincount(split).max() for split in ours) == 2
    for column in (0, 1, 2, 8, 15):
        assert stats.ks_2samp(ours[:, column], theirs[:, column]).pvalue > 0.001, column
    assert ours[:, 0].mean() > 10 * ours[:, 8:].mean()
    again = (repeated_split(320, 16, np.random.default_rng(3)).tolist() for _ in range(2))
    assert next(again) == next(again)


def test_uneven_splits_give_the_authors_mean_and_a_band_that_widens():
    """Addendum: about 8,530 at 640 samples and θ = 1, where an even split gives 5,235."""
    omega = kept_distances()
    options = {"performance": [1.0], "samples": [20, 640], "priors": 1e-3, "mode": "reference"}
    even = simulate(omega, **options)["g_index"]
    assert even[1] == pytest.approx(5235, abs=1)
    drawn = simulate(omega, draws=200, seed=1, **options).groupby("samples_per_domain")["g_index"]
    error = drawn.std() / np.sqrt(200)
    assert drawn.mean()[640] == pytest.approx(8530, abs=4 * error[640])
    width = drawn.quantile(0.95) - drawn.quantile(0.05)
    assert 1.6 < width[640] / width[20] < 2.6


def test_reference_mode_splits_as_the_authors_do_and_its_band_widens():
    omega = random_distances(np.random.default_rng(1))
    options = {"performance": [1.0], "samples": [40, 640], "priors": 1e-3, "draws": 60, "seed": 1}
    found = {
        split: simulate(omega, mode="reference", split=split, **options)
        for split in (None, "uniform", "repeated")
    }
    pd.testing.assert_frame_equal(found[None], found["repeated"])
    exact = simulate(omega, **options)
    pd.testing.assert_frame_equal(exact, simulate(omega, split="uniform", **options))
    by = {name: table.groupby("samples_per_domain")["g_index"] for name, table in found.items()}
    assert (by["repeated"].mean() > 1.2 * by["uniform"].mean()).all()
    width = {name: group.quantile(0.95) - group.quantile(0.05) for name, group in by.items()}
    assert width["uniform"][640] < width["uniform"][40]
    assert width["repeated"][640] > width["repeated"][40]


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda rng: repeated_split(90, 9, rng), "parts"),
        (lambda rng: repeated_split(16, 16, rng), "total"),
        (lambda rng: repeated_split(18, 16, rng), "total"),
        (lambda rng: simulate(OMEGA, performance=[1], draws=1, split="even"), "split"),
    ],
)
def test_a_split_that_cannot_be_drawn_is_refused(call, argument):
    with pytest.raises(BadInput) as error:
        call(np.random.default_rng(1))
    assert error.value.argument == argument


def test_raw_compute_exaggerates_the_fall():
    """Finding 5: 82% over 50 to 1500 with raw compute, 27% with its logarithm."""
    for mode, fall in (("reference", 0.82), ("exact", 0.27)):
        g = simulate(OMEGA, performance=[0.6], compute=[50, 1500], mode=mode)["g_index"]
        assert 1 - g[1] / g[0] == pytest.approx(fall, abs=0.005)


def test_sensitivity_names_what_changes_the_ranking():
    def run(n, theta):
        return Experiment({"a": n}, 100, pd.DataFrame({"domain": ["a"], "performance": [theta]}))

    table = sensitivity({"few": run(10, 0.7), "many": run(640, 0.8)}, distances=OMEGA)
    assert table.loc[("none", ""), "kendall_tau"] == 1
    assert table.loc[("performance_rate", "6.0"), "kendall_tau"] == -1
    assert table.loc[("unit", "PFLOP"), "ratio"] == 1
    assert table.loc[("unit", "TFLOP"), "ratio"] < 1


def test_ablation_is_the_ratio_of_indices():
    better = g_index(RECORD, distances=OMEGA)
    worse = g_index(changed(["performance", "domains", 0, "divergence"], 0.9), distances=OMEGA)
    assert priors_by_ablation(better, worse) == better.value / worse.value > 1
    table = summary({"better": better, "worse": worse})
    assert table["rank"].tolist() == [1, 2]
    assert table["level"].tolist() == ["L1", "L1"]


# --- bad input ----------------------------------------------------------------------------------------

DOMAIN = ["performance", "domains", 0]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (3, "experiment: not-an-object"),
        ([], "experiment: not-an-object"),
        ({}, "experiment: missing-field"),
        (changed(["train_set"], ...), "experiment: missing-field"),
        (changed(["train_cost"], ...), "experiment: missing-field"),
        (changed(["performance"], ...), "experiment: missing-field"),
        (changed(["train_cost"], 3), "train_cost: not-an-object"),
        (changed(["train_cost", "compute"], ...), "train_cost: missing-field"),
        (changed(["train_cost", "compute"], "100"), "compute: not-a-number"),
        (changed(["train_cost", "compute"], -1), "compute: out-of-range"),
        (changed(["train_cost", "compute"], 0), "compute: out-of-range"),
        (changed(["train_cost", "compute"], float("nan")), "compute: out-of-range"),
        (changed(["train_set", "data"], []), "train_set.data: empty"),
        (changed(["train_set", "data"], "a"), "train_set.data: empty"),
        (changed(["train_set", "data", 0, "name"], ...), "train_set.data[0]: missing-field"),
        (changed(["train_set", "data", 0, "name"], "b"), "train_set: duplicate"),
        (
            changed(["train_set", "data", 0, "num_samples"], 2.5),
            "curriculum['a']: not-a-whole-number",
        ),
        (changed(["train_set", "data", 0, "num_samples"], -4), "curriculum['a']: out-of-range"),
        (
            changed(["train_set", "data"], [{"name": "a", "num_samples": 0}]),
            "curriculum: empty",
        ),
        (changed(["performance", "domains"], []), "performance.domains: empty"),
        (changed([*DOMAIN, "divergence"], ...), "performance.domains[0]: missing-field"),
        (changed([*DOMAIN, "divergence"], 1.2), "performance.domains[0].divergence: out-of-range"),
        (changed([*DOMAIN, "divergence"], None), "performance.domains[0].divergence: not-a-number"),
        (changed([*DOMAIN, "num_samples"], 0), "performance.domains[0].num_samples: out-of-range"),
        (changed([*DOMAIN, "perfects"], 3), "tasks.skill: out-of-range"),
        (changed([*DOMAIN, "perfects"], "x"), "tasks.skill: out-of-range"),
        (changed([*DOMAIN, "perfects"], [1]), "tasks.skill: out-of-range"),
        ({**RECORD, "settings": [1]}, "settings: not-settings"),
        (
            {**RECORD, "settings": {"units": "FLOP"}},
            "settings: not-a-setting",
        ),
        (changed([*DOMAIN, "samples"], []), "performance.domains[0].samples: empty"),
        (
            changed([*DOMAIN, "samples"], [0.1, 2]),
            "performance.domains[0].samples[1]: out-of-range",
        ),
        (changed([*DOMAIN, "name"], "c"), "distances: no-distance"),
        (
            changed(["train_set", "data", 0, "name"], "c"),
            "distances: no-distance",
        ),
    ],
)
def test_bad_experiments_say_what_is_wrong(record, message):
    with refused(message):
        g_index(record, distances=OMEGA)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: g_index(RECORD, "quick", distances=OMEGA), "mode: not-an-option"),
        (lambda: g_index("/no/such.json"), "experiment: not-found"),
        (
            lambda: g_index(changed(["train_cost", "compute"], 0.5), "reference", distances=OMEGA),
            "compute: experience-not-positive",
        ),
        (lambda: Settings(priors=-1), "priors: out-of-range"),
        (lambda: Settings(unit="MIPS"), "unit: not-an-option"),
        (lambda: replace(Settings(), split="even"), "split: not-an-option"),
        (lambda: Experiment({"a": 1}, 1, pd.DataFrame()), "tasks: not-a-table"),
        (
            lambda: Experiment({"a": 1}, 1, pd.DataFrame({"domain": [], "performance": []})),
            "tasks: empty",
        ),
        (
            lambda: Experiment({"a": 1}, 1, pd.DataFrame({"domain": ["a"], "performance": [7]})),
            "tasks.performance[0]: out-of-range",
        ),
        (
            lambda: Experiment([1], 1, pd.DataFrame()),
            "curriculum: not-samples",
        ),
        (lambda: generalisation_level(1.5), "distance: out-of-range"),
        (lambda: simulate(OMEGA, performance=[2]), "performance: out-of-range"),
        (
            lambda: simulate(OMEGA, performance=[1], compute=[0.5]),
            "compute: experience-not-positive",
        ),
        (lambda: simulate(OMEGA, performance=[1], draws=1, seed="x"), "seed: not-a-seed"),
        (lambda: sensitivity({"a": RECORD}, distances=OMEGA), "experiments: too-few"),
        (lambda: priors_by_ablation(1.0, 0.0), "without_prior: out-of-range"),
        (
            lambda: Experiment.of({**RECORD, "distances": {"a": {"a": 3.0}}}),
            "distances['a', 'a']: out-of-range",
        ),
        (
            lambda: Experiment.of({**RECORD, "distances": {"a": 1}}),
            "distances: not-distances",
        ),
        (
            lambda: Experiment.of({**RECORD, "distances": {"a": {"a": "x"}}}),
            "distances['a', 'a']: not-a-number",
        ),
        (
            lambda: Experiment(
                {"a": 1},
                1,
                pd.DataFrame({"domain": ["a"], "performance": [1]}),
                distances=pd.DataFrame([["x"]]),
            ),
            "distances[0, 0]: not-a-number",
        ),
        (
            lambda: Experiment(
                {"a": 1},
                1,
                pd.DataFrame({"domain": ["a"], "performance": [1]}),
                distances=pd.DataFrame([[2.0]]),
            ),
            "distances[0, 0]: out-of-range",
        ),
    ],
)
def test_bad_calls_say_what_to_do(call, message):
    with refused(message):
        call()


def test_broken_file_is_named(tmp_path):
    path = tmp_path / "run.json"
    path.write_text("{")
    with refused("experiment: not-json"):
        g_index(path)
