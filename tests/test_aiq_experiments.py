"""What rewriting changes on the same programs, and a t-test over settings under a true null."""

import json

import numpy as np
import pandas as pd
import pytest
from refusals import cautioned, refused

from gindex_lab.worlds.aiq.agents import Freq
from gindex_lab.worlds.aiq.experiments import (
    differences,
    null_experiment,
    ratio_differences,
    rewriting_effect,
    rewriting_values,
)
from gindex_lab.worlds.aiq.rewriting import rewrite
from gindex_lab.worlds.aiq.sampler import generate, sample

AGENTS = ["freq", "q0", "q-learning", "hlq"]


@pytest.fixture(scope="module")
def forms():
    return rewriting_values("freq", 2_000, episode=200, seed=4)


def test_forms_are_rewritings_of_the_same_raw_program(forms):
    texts, values = forms
    assert texts.shape == values.shape == (2_000, 3)
    for number in texts.index[:50]:
        raw = generate(1, first=int(number), seed=4)[0][0]
        assert texts.loc[number].tolist() == [rewrite(raw, name) for name in texts]


def test_an_unchanged_text_keeps_its_value(forms):
    texts, values = forms
    same = (texts["original"] == texts["sep-orig"]) & values.notna().all(axis=1)
    assert same.mean() > 0.8
    assert (values["original"] == values["sep-orig"])[same].all()


def test_accepted_forms_are_those_of_the_sampler(forms):
    texts, values = forms
    kept = texts["sep-ext"][values["sep-ext"].notna()]
    sampled = sample(len(kept) + 20, "sep-ext", seed=4)["program"]
    assert set(kept) <= set(sampled)


def test_rewriting_leaves_the_aiq_as_it_is():
    table = rewriting_effect("freq", 2_500, episode=300, seed=2)
    assert (table["difference"].abs() < 3 * table["standard_error"] + 1e-12).all()
    assert table.loc[("original", "sep-ext"), "standard_error"] < 0.6  # unpaired it is above 1
    assert (table["low"] <= table["difference"]).all()
    assert table["changed"].between(0, 1).all()


def test_ratio_difference_of_complete_columns_is_the_paired_interval():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    ours = ratio_differences(table).loc[("a", "b")]
    paired = differences(table[["b", "a"]]).loc[("b", "a")]
    for name in ("difference", "low", "high"):
        assert ours[name] == pytest.approx(paired[name])


def test_ratio_difference_covers_95_percent_when_values_are_missing():
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(400):
        level = rng.normal(10, 5, 150)
        table = pd.DataFrame({"a": level + rng.normal(size=150), "b": level + 1})
        table = table.mask(rng.random((150, 2)) < [0.1, 0.3])
        row = ratio_differences(table).loc[("a", "b")]
        held += row["low"] <= 1 <= row["high"]
    assert 0.92 <= held / 400 <= 0.98


def test_t_over_settings_is_too_sure_under_a_true_null():
    settings = {f"Freq {e}": Freq(e) for e in (0.03, 0.05, 0.07, 0.09, 0.11)}
    settings |= {name: name for name in AGENTS}
    table = null_experiment(settings, 24, episode=100, runs=400, seed=3)
    assert (table["p"] < 0.01).sum() >= 5  # a valid test: 0.24 expected
    assert (table["p_programs"] < 0.01).sum() <= 2


def test_null_experiment_does_not_depend_on_workers_and_goes_on_from_its_log(tmp_path):
    log = tmp_path / "null.log"
    first = null_experiment(AGENTS, 2, episode=20, runs=100, log=log)
    written = log.read_text()
    longer = null_experiment(AGENTS, 3, episode=20, runs=100, log=log, jobs=2)
    assert log.read_text().startswith(written)
    pd.testing.assert_frame_equal(longer.iloc[:2], first)
    pd.testing.assert_frame_equal(longer, null_experiment(AGENTS, 3, episode=20, runs=100))
    log.write_text(log.read_text()[:-5])  # torn by an interruption
    pd.testing.assert_frame_equal(null_experiment(AGENTS, 3, episode=20, runs=100, log=log), longer)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rewriting_effect("freq", 2), "n: out-of-range"),
        (lambda: rewriting_effect("freq", 9, ["original"]), "rewritings: same-rewriting"),
        (lambda: rewriting_effect("freq", 9, ["original", "original"]), "rewritings: same-rewriting"),
        (lambda: rewriting_effect("freq", 9, ["original", "best"]), "rewritings: not-an-option"),
        (lambda: rewriting_effect("clever", 9), "agent: not-an-agent"),
        (lambda: rewriting_effect("freq", 9, episode=0), "episode: out-of-range"),
        (lambda: ratio_differences(pd.DataFrame({"a": [1.0] * 4})), "values: too-few"),
        (lambda: null_experiment(["freq"]), "agents: too-few"),
        (lambda: null_experiment(AGENTS, 0), "replications: out-of-range"),
        (lambda: null_experiment(AGENTS, 1, runs=2), "runs: out-of-range"),
        (lambda: null_experiment(AGENTS, 1, runs=50, rewriting="no"), "rewriting: not-an-option"),
    ],
)  # fmt: skip
def test_bad_experiments_say_what_is_wrong(call, message):
    with refused(message):
        call()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda head, lines: ["not a log", *lines], "log: not-a-log"),
        (lambda head, lines: [json.dumps({**head, "runs": 7}), *lines], "log: other-test"),
    ],
)  # fmt: skip
def test_foreign_logs_of_experiments_are_refused(change, message, tmp_path):
    log = tmp_path / "null.log"
    null_experiment(AGENTS, 1, episode=10, runs=40, log=log)
    head, *lines = log.read_text().splitlines()
    log.write_text("\n".join(change(json.loads(head), lines)) + "\n")
    with refused(message):
        null_experiment(AGENTS, 1, episode=10, runs=40, log=log)


@pytest.mark.parametrize("line", ["[1]", '{"t": 1}'])
def test_a_damaged_line_of_a_log_is_measured_again(line, tmp_path):
    log = tmp_path / "null.log"
    whole = null_experiment(AGENTS, 1, episode=10, runs=40, log=log)
    head, *_ = log.read_text().splitlines()
    log.write_text(f"{head}\n{line}\n")
    with cautioned("damaged"):
        again = null_experiment(AGENTS, 1, episode=10, runs=40, log=log)
    assert again.equals(whole)
