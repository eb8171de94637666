"""Logs of the authors' AIQ test: the same estimate from a log, and clear words for what is none."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused

from gindex_lab.worlds.aiq.author_logs import estimate_from_log, read_author_log
from gindex_lab.worlds.aiq.estimate import by_program_length, estimate
from gindex_lab.worlds.aiq.normalised import normalised_aiq
from gindex_lab.worlds.aiq.sampler import sample

HALVES = " ".join(["0.5", "0.5", *["0.0"] * 18])
GOOD = [HALVES, "0.1 1 90 80", "0.2 1 94 82", "0.3 2 10 -10", "0.4 2 4 0"]


@pytest.fixture(scope="module")
def tested():
    programs = sample(3_000, seed=5)
    return programs, estimate("freq", programs, episode=100, runs=800, mode="reference")


def written(path, programs, result, full=True):
    """The log that the authors' code would have written of a test of ours."""
    shares = np.bincount(programs["stratum"], minlength=21)[1:] / len(programs)
    lines = [" ".join(map(repr, shares.tolist()))]
    for k, row in enumerate(result.programs.itertuples()):
        more = f" 0 0 {row.program}" if full else ""
        lines.append(f"{k}.5 {row.stratum} {row.plus!r} {row.minus!r}{more}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_log_gives_the_same_estimate_and_published_interval(tested, tmp_path):
    programs, result = tested
    again = estimate_from_log(written(tmp_path / "a.log", programs, result), episode=100)
    assert again.value == pytest.approx(result.value, abs=1e-9)
    assert again.reference_half_interval == pytest.approx(result.reference_half_interval)
    pd.testing.assert_frame_equal(again.strata, result.strata)
    # the log takes the strata's probabilities as known: a little less is unsure
    assert 0.8 < again.standard_error / result.standard_error <= 1


@pytest.mark.parametrize("bucket", [1, 10])
def test_a_log_gives_the_same_means_by_program_length(tested, tmp_path, bucket):
    programs, result = tested
    again = estimate_from_log(written(tmp_path / "a.log", programs, result))
    pd.testing.assert_frame_equal(by_program_length(again, bucket), by_program_length(result, bucket))


def test_a_short_log_has_an_estimate_but_no_lengths(tested, tmp_path):
    programs, result = tested
    again = estimate_from_log(written(tmp_path / "a.log", programs, result, full=False))
    assert again.value == pytest.approx(result.value, abs=1e-9)
    with refused("result: unnamed-programs"):
        by_program_length(again)


@pytest.mark.slow
def test_a_log_is_normalised_for_the_episode_that_one_says(tested, tmp_path):
    """Ceilings depend on it: a log that does not say how long its runs were has none."""
    programs, result = tested
    path = written(tmp_path / "a.log", programs, result)
    known = normalised_aiq(estimate_from_log(path, episode=100), most=20)
    assert known.value == pytest.approx(normalised_aiq(result, most=20).value)
    with refused("result: no-episode"):
        normalised_aiq(estimate_from_log(path))


def test_failed_runs_are_left_out_and_named(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("\n".join([*GOOD, "0.5 1 nan 3 0 0 ,[+[-]+].#", "0.6 2 6 2 1 0 ,.#"]) + "\n")
    result = estimate_from_log(log)
    assert result.pairs == 5
    assert result.failures == (",[+[-]+].#",)
    assert result.diverged == 1
    assert result.value == pytest.approx(0.5 * 86.5 + 0.5 * 2)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "log: empty"),
        (["time stratum reward"], "log: no-probabilities"),
        (["0.5 0.5"], "log: no-probabilities"),
        ([" ".join(["0.5"] * 20)], "log: no-probabilities"),
        ([HALVES.replace("0.5", "nan")], "log: no-probabilities"),
        ([HALVES], "log: too-few"),
        ([*GOOD, "0.5 1 90"], "log: damaged"),
        ([*GOOD, "0.5 1 90 80 0"], "log: damaged"),
        ([*GOOD, "0.5 one 90 80"], "log: damaged"),
        ([*GOOD, "0.5 1 ninety 80"], "log: damaged"),
        ([*GOOD, "0.5 21 90 80"], "log: damaged"),
        ([*GOOD, "0.5 3 90 80"], "log: damaged"),
        ([*GOOD, "0.5 1 900 80"], "log: damaged"),
        ([*GOOD, "0.5 1 inf 80"], "log: damaged"),
        ([*GOOD, "0.5 1 90 80 0 0 ,[.#"], "program: never-closed"),
        ([*GOOD, "0.5 1 90 80 0 0 ,.x#"], "program: foreign-character"),
        (GOOD[:3], "log: no-value"),
        (['{"format": "gindex_lab AIQ log 1"}'], "log: no-probabilities"),
        (["0.5 0.5 \N{EURO SIGN}"], "log: wrong-encoding"),
    ],
)  # fmt: skip
def test_corrupted_and_foreign_logs_are_refused(lines, message, tmp_path):
    log = tmp_path / "a.log"
    log.write_text("\n".join(lines) + "\n" if lines else "", encoding="utf-8")
    with refused(message):
        estimate_from_log(log)


def test_a_log_that_is_not_there_says_so(tmp_path):
    with refused("log: not-found"):
        read_author_log(tmp_path / "none.log")
    with refused("ci: out-of-range"):
        estimate_from_log(tmp_path / "none.log", ci=2)
    with refused("episode: out-of-range"):
        estimate_from_log(tmp_path / "none.log", episode=0)


def test_what_is_no_path_is_refused():
    with refused("log: wrong-type"):
        estimate_from_log(None)
