"""The AIQ estimator: allocation, intervals, logs, comparison."""

import json

import numpy as np
import pandas as pd
import pytest
from loops import looped
from refusals import cautioned, refused

from gindex_lab.foundation.many_tests import holm
from gindex_lab.worlds.aiq import stratified
from gindex_lab.worlds.aiq.agents import Freq
from gindex_lab.worlds.aiq.estimate import by_program_length, default_episode, estimate
from gindex_lab.worlds.aiq.experiments import compare, differences, values_on
from gindex_lab.worlds.aiq.sampler import sample
from gindex_lab.worlds.aiq.validation import Population, population, replications

TOY = pd.DataFrame({"program": [",.#", ".,#", ",[,.]>.#", "%.#"] * 100, "stratum": [1, 2, 11, 11] * 100})


@pytest.fixture(scope="module")
def programs():
    return sample(12_000, seed=5)


# -- the mathematics ---------------------------------------------------------------------------------


def test_stages_end_with_the_runs_that_were_asked_for():
    assert stratified.stages(20, 10_000)[-3:] == [2000, 5000, 10_000]
    assert stratified.stages(20, 9_999)[-2:] == [5000, 9_999]  # 10,000 + 20 >= 9,999: cut there
    assert stratified.stages(20, 10_021)[-2:] == [10_000, 10_021]
    assert stratified.stages(2, 50_000)[-2:] == [10_000, 50_000]


def test_allocation_spends_the_stage():
    rng = np.random.default_rng(1)
    for _ in range(50):
        p = rng.dirichlet(np.ones(20))
        new = stratified.allocate(p, rng.random(20), 600)
        assert abs(new.sum() - 300) <= 1
        assert (new >= 1).all()


def test_empty_strata_get_nothing_and_agreement_is_no_division_by_zero():
    p = np.array([0.0, 0.5, 0.5])
    assert stratified.allocate(p, np.zeros(3), 20).tolist() == [0, 5, 5]


def test_summary_equals_the_authors_formula_of_the_pair_spread():
    values = np.random.default_rng(2).normal(size=(40, 2, 1))
    strata = stratified.summarise(np.zeros(40, dtype=int), values, np.ones(1))
    plus, minus = values[:, 0, 0], values[:, 1, 0]
    cov = np.cov(plus, minus)
    assert strata.spread[0, 0] == pytest.approx(np.sqrt((cov[0, 0] + cov[1, 1] + 2 * cov[0, 1]) / 4))
    assert strata.mean[0, 0] == pytest.approx(values.mean())


def test_the_published_interval_is_too_small_by_root_two():
    values = np.random.default_rng(3).normal(size=(400, 2, 1))
    strata = stratified.summarise(np.zeros(400, dtype=int), values, np.ones(1))
    right = 1.96 * stratified.standard_error(strata)
    assert right / stratified.reference_half_interval(strata) == pytest.approx(np.sqrt(2))


def test_the_standard_error_adds_what_the_probabilities_are_unsure_of():
    """√(Σ p² s²/n + Σ p (m - value)²/M), by hand: within 0.25·4/10 + 0.25·1/5, between 0.5·9 + 0.5·9."""
    p, pairs = np.array([0.5, 0.5]), np.array([10, 5])
    strata = stratified.Strata(p, pairs, np.array([[2.0], [8.0]]), np.array([[2.0], [1.0]]))
    within = 0.25 * 4 / 10 + 0.25 * 1 / 5
    assert strata.value == pytest.approx([5])
    assert stratified.standard_error(strata) == pytest.approx([np.sqrt(within)])
    assert stratified.standard_error(strata, 90) == pytest.approx([np.sqrt(within + 9 / 90)])
    uncertain = (0.25 * 4 / 10) ** 2 / 9 + (0.25 * 1 / 5) ** 2 / 4
    assert stratified.degrees_of_freedom(strata) == pytest.approx([within**2 / uncertain])
    wider = (within + 9 / 90) ** 2 / uncertain
    assert stratified.degrees_of_freedom(strata, 90) == pytest.approx([wider])
    half = 1.96 * (0.5 * 2 + 0.5 * 1) / np.sqrt(30)
    assert stratified.reference_half_interval(strata) == pytest.approx([half])


def test_strata_are_summarised_by_program_with_one_for_two_or_fewer():
    values = np.array([[1.0, 3.0], [2.0, 6.0], [0.0, 0.0], [7.0, 9.0], [1.0, 1.0]])[:, :, None]
    found = stratified.summarise(np.array([0, 0, 0, 1, 1]), values, np.array([0.5, 0.25, 0.25]))
    assert found.pairs.tolist() == [3, 2, 0]
    assert found.mean[:, 0].tolist() == [2, 4.5, 0]
    assert found.spread[:, 0].tolist() == [2, 1, 1]  # programs 2, 4, 0; two; none
    agree = stratified.summarise(np.zeros(3, int), np.full((3, 2, 1), 5.0), np.ones(1))
    assert agree.spread.tolist() == [[0]]


def test_no_more_runs_are_made_than_the_method_can_use():
    few = TOY.iloc[:40]
    adaptive, plain = (
        estimate("freq", few, episode=20, runs=10_000, method=method) for method in ("adaptive", "plain")
    )
    assert plain.pairs == 40  # each program once, in two runs
    assert adaptive.pairs == pytest.approx(20, abs=1)  # a stage may end one short


def test_programs_without_a_value_are_replaced_from_the_same_stratum():
    stratum = np.array([1, 2] * 100)

    def test(rows, broken=10):
        values = np.ones((len(rows), 2, 1)) * stratum[rows][:, None, None]
        values[rows < broken] = np.nan
        return values

    tested = stratified.adaptive(test, stratum, 40)
    whole = stratified.adaptive(lambda rows: test(rows, 0), stratum, 40)
    assert sorted(tested.failed) == list(range(10))
    assert (np.bincount(stratum[tested.rows]) == np.bincount(stratum[whole.rows])).all()
    assert len(set(tested.rows)) == len(tested.rows) >= 18


def test_a_stratum_that_runs_out_is_reported():
    stratum = np.array([1] * 190 + [2] * 10)
    rng = np.random.default_rng(0)
    spread = np.where(stratum == 2, 90.0, 0.1)
    values = rng.normal(size=(200, 2, 1)) * spread[:, None, None]
    assert stratified.adaptive(lambda rows: values[rows], stratum, 190).exhausted == (2,)


@pytest.fixture(scope="module")
def bimodal():
    """Programs like those of the test: in each stratum a share can be won, the rest is chance."""
    rng = np.random.default_rng(11)
    stratum = rng.choice(21, p=np.r_[0, rng.dirichlet(np.ones(20) * 3)], size=60_000)
    share = rng.uniform(0.1, 0.5, 21)
    value = np.where(rng.random(60_000) < share[stratum], 80.0, 0.0) + rng.normal(0, 2, 60_000)
    return Population(stratum, value[:, None, None] + rng.normal(0, 1, (60_000, 2, 1)))


def test_the_interval_covers_95_percent_and_the_published_one_does_not(bimodal):
    table = replications(bimodal, 200, runs=1_500)
    assert 0.92 <= table["holds"].mean() <= 0.97
    assert table["published_holds"].mean() < 0.87


def test_caution_lowers_the_bias_of_the_authors_rule(bimodal):
    bias = {c: replications(bimodal, 60, runs=1_000, caution=c)["value"].mean() for c in (0.0, 0.5)}
    assert bias[0.0] - bimodal.truth < -0.5
    assert abs(bias[0.5] - bimodal.truth) < abs(bias[0.0] - bimodal.truth) / 2


# -- the test ----------------------------------------------------------------------------------------


def test_random_scores_zero(programs):
    result = estimate("random", programs, episode=300, runs=3_000)
    assert abs(result.value) < 3 * result.standard_error
    assert result.standard_error < 0.5


def test_freq_scores_as_published(programs):
    """40.3 at 1,000 and 42.8 at 3,000 (authors' SEP-ext table; HCI 0.5, in truth 0.7)."""
    result = estimate(Freq(0.05), programs, episode=[1_000, 3_000], runs=4_000)
    for episode, printed in [(1_000, 40.3), (3_000, 42.8)]:
        row = result.by_episode.loc[episode]
        assert abs(row["value"] - printed) < 2.5 * np.hypot(row["standard_error"], 0.36)


@looped(
    ("agent", "printed", "half"),
    [
        ("Freq,0.05", 46.3, 0.5),
        ("Q_l,0.0,0.5,0.5,0.02,0.8", 49.5, 0.5),
        ("H_l,0.0,0.0,0.99,0.02,0.7", 54.1, 0.5),
    ],
)
def test_sdp_sample_gives_the_published_values(beside, agent, printed, half):
    """The authors' SDP table at EL 1,000; their half interval is 1.96 SE, too small by root two."""
    if beside:
        path = beside / "datasets/aiq_published/05-Experiment_Results_SDP.csv"
        line = next(line for line in path.read_text().splitlines() if f",1000,{agent}" in line)
        assert [printed, half] == [float(part) for part in line.split(",")[:2]]
    result = estimate(agent, sample(8_000, discriminative="sdp", seed=7), episode=1_000, runs=4_000)
    error = np.hypot(result.standard_error, np.sqrt(2) * half / 1.96)
    assert abs(result.value - printed) < 2.5 * error


@pytest.mark.slow
def test_a_sample_of_discriminative_programs_is_accepted():
    kept = sample(60, discriminative="exact", seed=5)
    assert estimate("freq", kept, episode=200, runs=100, method="plain").low > 20


def test_learners_stand_in_the_published_order(programs):
    table = values_on(["random", "freq", "q-learning", "hlq"], programs, episode=1_000, runs=3_000)
    assert table.mean().is_monotonic_increasing
    assert (differences(table)["t"] < -2).all()


def test_estimates_do_not_depend_on_workers(programs):
    one = estimate("freq", programs, episode=50, runs=2_000)
    two = estimate("freq", programs, episode=50, runs=2_000, jobs=2)
    pd.testing.assert_frame_equal(one.programs, two.programs)
    assert estimate("freq", programs, episode=50, runs=2_000, seed=2).value != one.value


def test_plain_monte_carlo_agrees_with_the_adaptive_estimator(programs):
    plain = estimate("freq", programs, episode=300, runs=6_000, method="plain")
    adaptive = estimate("freq", programs, episode=300, runs=6_000)
    assert plain.pairs == 3_000
    apart = abs(plain.value - adaptive.value)
    assert apart < 3 * np.hypot(plain.standard_error, adaptive.standard_error)
    assert adaptive.standard_error < plain.standard_error


def test_estimate_is_the_weighted_mean_of_its_programs(programs):
    result = estimate("hlq", programs, episode=100, runs=1_000, mode="reference")
    mean = result.programs[["plus", "minus"]].mean(axis=1)
    assert result.value == pytest.approx((mean * result.programs["weight"]).sum())
    assert result.programs["weight"].sum() == pytest.approx(1)
    assert result.low < result.value < result.high
    assert result.strata["pairs"].sum() == result.pairs


def test_programs_with_overtime_are_named():
    looping = ",[+[-]+].#"
    table = pd.DataFrame({"program": [looping] * 3 + [",.#"] * 97, "stratum": [1] * 100})
    result = estimate("random", table, episode=100, runs=60)
    assert result.failures == (looping,) * 3
    clean = table.assign(program=",.#")
    assert result.pairs == estimate("random", clean, episode=100, runs=60).pairs


def test_by_length_weighs_programs_by_what_they_stand_for():
    result = estimate("constant", TOY, episode=10, runs=200)
    table = result.by_length
    assert table["pairs"].sum() == result.pairs
    assert table.loc[3, "mean"] == pytest.approx(0, abs=8)
    wide = by_program_length(result, bucket=5)
    assert wide.index.tolist() == [5, 10]
    own = result.programs[result.programs["program"].str.len() == 3]
    runs = own[["plus", "minus"]].to_numpy().ravel()
    assert table.loc[3, "reference_mean"] == pytest.approx(runs.mean())
    half = 1.96 * runs.std(ddof=1) / np.sqrt(len(runs))
    assert table.loc[3, "reference_half_interval"] == pytest.approx(half)


def test_a_population_is_the_plain_mean_of_its_programs(programs):
    known = population("freq", programs.iloc[:500], episode=100)
    plain = estimate("freq", programs.iloc[:500], episode=100, method="plain", runs=5_000)
    assert plain.pairs == len(known.stratum) >= 490
    assert plain.value == pytest.approx(known.truth)


def test_the_users_agent_is_measured():
    class Four:
        def perceive(self, observation, reward):
            return 4 if reward >= 0 else 0

    assert estimate(Four, TOY, episode=20, runs=40).pairs >= 18


def test_default_episode_covers_95_percent():
    assert estimate("freq", TOY, discount=0.9, runs=40).settings["episode"] == (29,)
    assert 1 - 0.9 ** default_episode(0.9) >= 0.95 > 1 - 0.9 ** (default_episode(0.9) - 1)


# -- logs --------------------------------------------------------------------------------------------


def test_a_log_continues_without_testing_a_program_twice(programs, tmp_path):
    log = tmp_path / "freq.log"
    estimate("freq", programs, episode=50, runs=1_000, log=log)
    short = log.read_text().splitlines()
    again = estimate("freq", programs, episode=50, runs=3_000, log=log)
    longer = log.read_text().splitlines()
    assert longer[: len(short)] == short
    rows = [line.split()[0] for line in longer[1:]]
    assert len(set(rows)) == len(rows)
    fresh = estimate("freq", programs, episode=50, runs=3_000)
    pd.testing.assert_frame_equal(again.by_episode, fresh.by_episode)


def test_an_interrupted_log_loses_only_its_torn_line(programs, tmp_path):
    log = tmp_path / "freq.log"
    whole = estimate("freq", programs, episode=50, runs=600, log=log)
    text = log.read_text()
    log.write_text(text[: len(text) // 2])
    assert estimate("freq", programs, episode=50, runs=600, log=log).value == whole.value
    assert sorted(log.read_text().splitlines()) == sorted(text.splitlines())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda head, lines: ["0.1 0.2 0.7", *lines], "log: not-a-log"),
        (lambda head, lines: ["{}", *lines], "log: not-a-log"),
        (lambda head, lines: [json.dumps({**head, "agent": "Random()"}), *lines], "log: other-test"),
        (lambda head, lines: [json.dumps({**head, "seed": 9}), *lines], "log: other-test"),
        (lambda head, lines: [json.dumps({**head, "sample": "abc"}), *lines], "log: other-test"),
    ],
)  # fmt: skip
def test_foreign_logs_are_refused(change, message, tmp_path):
    log = tmp_path / "a.log"
    estimate("freq", TOY, episode=10, runs=20, log=log)
    head, *lines = log.read_text().splitlines()
    log.write_text("\n".join(change(json.loads(head), lines)) + "\n")
    with refused(message):
        estimate("freq", TOY, episode=10, runs=20, log=log)


@pytest.mark.parametrize("line", ["5 0 x y", "5 0 1.0", "5 0 700.0 1.0", "5 0 7.0 1.0"])
def test_a_line_that_the_test_did_not_write_does_not_count(line, tmp_path):
    log = tmp_path / "a.log"
    value = estimate("freq", TOY, episode=10, runs=20, log=log).value
    head, *lines = log.read_text().splitlines()
    log.write_text("\n".join([head, line, *lines[1:]]) + "\n")
    with cautioned("damaged"):
        assert estimate("freq", TOY, episode=10, runs=20, log=log).value == value


# -- comparison --------------------------------------------------------------------------------------


def test_pairing_on_programs_narrows_the_difference(programs):
    table = values_on({"a": Freq(0.05), "b": Freq(0.07)}, programs, episode=300, runs=2_000)
    row = differences(table).loc[("a", "b")]
    complete = table.dropna()
    unpaired = np.sqrt(complete.var().sum() / len(complete))
    assert (row["high"] - row["low"]) / 3.92 < unpaired / 2


def test_paired_test_keeps_its_level_under_a_true_null():
    """Two copies of one agent with other seeds: p must be uniform."""
    rng = np.random.default_rng(4)
    p = []
    for _ in range(400):
        program = rng.normal(0, 30, 200)
        values = pd.DataFrame({k: program + rng.normal(0, 5, 200) for k in "ab"})
        p.append(differences(values)["p"].iloc[0])
    assert 0.03 < np.mean(np.array(p) < 0.05) < 0.08


def test_holm_is_monotone_and_capped():
    assert holm(np.array([0.5, 0.6, 0.7])).tolist() == [1.0, 1.0, 1.0]
    assert holm(np.array([0.01, 0.02, 0.03])).tolist() == pytest.approx([0.03, 0.04, 0.04])


# -- bad settings ------------------------------------------------------------------------------------

BAD = {"program": [",.#"] * 9, "stratum": [1] * 9}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimate("freq", TOY), "episode: no-episode"),
        (lambda: estimate("freq", TOY, episode=0), "episode: out-of-range"),
        (lambda: estimate("freq", TOY, episode=-5), "episode: out-of-range"),
        (lambda: estimate("freq", TOY, episode=10.5), "episode: not-a-whole-number"),
        (lambda: estimate("freq", TOY, episode=[]), "episode: empty"),
        (lambda: estimate("freq", TOY, episode="long"), "episode: not-a-whole-number"),
        (lambda: estimate("freq", TOY, episode=10, discount=1.1), "discount: out-of-range"),
        (lambda: estimate("freq", TOY, episode=10, discount=0), "discount: no-later-reward"),
        (lambda: estimate("freq", TOY, episode=10, runs=1), "runs: out-of-range"),
        (lambda: estimate("freq", TOY, episode=10, runs=5), "runs: too-few"),
        (lambda: estimate("freq", TOY, episode=10, seed=-1), "seed: out-of-range"),
        (lambda: estimate("freq", TOY, episode=10, seed=None), "seed: not-a-whole-number"),
        (lambda: estimate("freq", TOY, episode=10, ci=95), "ci: out-of-range"),
        (lambda: estimate("freq", TOY, episode=10, method="fast"), "method: not-an-option"),
        (lambda: estimate("freq", TOY, episode=10, mode="fast"), "mode: not-an-option"),
        (lambda: estimate("freq", TOY, episode=10, jobs=0), "jobs: out-of-range"),
        (lambda: estimate("wise", TOY, episode=10), "agent: not-an-agent"),
        (lambda: estimate("freq", [",.#"], episode=10), "sample: not-a-table"),
        (lambda: estimate("freq", TOY[["program"]], episode=10), "sample: no-column"),
        (lambda: estimate("freq", TOY.iloc[:0], episode=10), "sample: no-programs"),
        (lambda: estimate("freq", pd.DataFrame({**BAD, "stratum": -1}), episode=10, runs=9), "sample.stratum: not-a-stratum"),
        (lambda: estimate("freq", pd.DataFrame({**BAD, "program": ",[.#"}), episode=10, runs=9), "program: never-closed"),
        (lambda: estimate("freq", pd.DataFrame({**BAD, "program": ",[+[-]+].#"}), episode=99, runs=9), "sample: too-few"),
        (lambda: compare(["freq"], TOY, episode=10), "agents: too-few"),
        (lambda: compare("freq", TOY, episode=10), "agents: too-few"),
        (lambda: compare(["freq", "freq"], TOY, episode=10), "agents: duplicate"),
        (lambda: differences(pd.DataFrame({"a": [1.0, 2.0, 3.0]})), "values: too-few"),
    ],
)  # fmt: skip
def test_bad_settings_say_what_is_wrong(call, message):
    with refused(message):
        call()


def test_degrees_of_freedom_of_strata_with_two_programs_by_hand():
    """Satterthwaite: (Σ v_i)² / Σ v_i² / (n_i - 1), with v_i = p_i² s_i² / n_i."""
    pairs, spread = np.array([2, 5]), np.array([[1.0], [2.0]])
    strata = stratified.Strata(np.array([0.5, 0.5]), pairs, np.zeros((2, 1)), spread)
    parts = 0.25 * spread[:, 0] ** 2 / pairs
    wanted = parts.sum() ** 2 / (parts**2 / (pairs - 1)).sum()
    assert stratified.degrees_of_freedom(strata) == pytest.approx([wanted], rel=1e-12)


def test_an_empty_stratum_has_no_row():
    cells = np.array([[0.5], [np.nan], [0.1]])
    found = stratified.strata_table(
        stratified.Strata(np.array([0.6, 0.0, 0.4]), np.array([5, 0, 3]), cells, cells)
    )
    assert found.index.tolist() == [0, 2]
    assert found["pairs"].tolist() == [5, 3]
