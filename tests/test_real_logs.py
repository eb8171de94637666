"""Logs that Inspect and lm-evaluation-harness write today, read without an option: their own headline numbers.

Both tools run in an environment of their own (`make log-writers`), with mock models and tasks of ours: no network.
"""

import json
import math
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import gindex_lab as gl
from gindex_lab.press.analyse import analyse

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PYTHON = ROOT / ".tools" / "log-writers" / "bin" / "python"
SCRIPTS = Path(__file__).parent / "log_writers"


def written(script, folder):
    """Run a script that writes logs; what the tool itself says of them."""
    if not PYTHON.exists():
        if os.environ.get("GINDEX_LAB_REQUIRE_LOG_WRITERS"):
            pytest.fail("make log-writers has not been run")
        pytest.skip("needs Inspect and lm-evaluation-harness: make log-writers")
    done = subprocess.run(
        [PYTHON, SCRIPTS / script, folder], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def inspect(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inspect")
    return folder, written("write_inspect.py", folder)


@pytest.fixture(scope="module")
def harness(tmp_path_factory):
    folder = tmp_path_factory.mktemp("harness")
    return folder, written("write_harness.py", folder)


def means(found):
    return found.frame.T.groupby(found.family).mean().T


def test_logs_of_inspect_in_every_packing_give_its_own_numbers(inspect):
    folder, said = inspect
    found = gl.read(folder / "shares")
    table = means(found)
    runs = [run for run in said if run["folder"] == "shares"]
    assert {run["packing"] for run in runs} == {"eval", "json", "chunks", "deflate"}
    assert len(runs) == table.size == 15
    for run in runs:
        scores = next(iter(run["scores"].values()))
        headline = scores.get("accuracy", scores.get("mean"))
        assert table.loc[run["model"], run["task"]] == pytest.approx(headline, abs=1e-12)
    assert not any("skipped" in note for note in found.notes)


def test_epochs_are_trials_errors_are_gaps_and_options_are_counted(inspect):
    folder, _ = inspect
    found = gl.read(folder / "shares")
    epochs = found.trials[found.trials["item"].str.startswith("sums/")]
    assert set(epochs["trial"]) == {"1", "2", "3"}
    assert found.frame["fragile/4"].isna().all()
    assert any("6 samples have no score (an error, or a limit)" in note for note in found.notes)
    assert (found.items["choices"].dropna() == 4).sum() == 12


def test_roles_and_scorers_of_several_parts_are_found_in_every_packing(inspect):
    folder, said = inspect
    found = gl.read(folder / "shares", include=["task:capitals"])
    assert found.difficulty.tolist() == [1 + int(i.split("/q")[1]) for i in found.frame.columns]
    found = gl.read(folder / "shares", include=["judged"], metric="judge/right")
    for run in said:
        if run["task"] == "judged":
            expected = run["scores"]["right"]["accuracy"]
            assert found.frame.loc[run["model"]].mean() == pytest.approx(expected)


def test_distances_of_inspect_are_better_when_small(inspect):
    folder, said = inspect
    found = gl.read_scores(folder / "numbers")
    for run in said:
        if run["folder"] == "numbers":
            expected = -run["scores"]["edit_distance"]["mean"]
            assert found.frame.loc[run["model"]].mean() == pytest.approx(expected)
    assert analyse(folder / "numbers", ci=None).data.shape == (3, 6)


def test_samples_of_the_harness_give_its_own_numbers(harness):
    folder, said = harness
    found = gl.read(folder / "logs")
    table = means(found)
    assert list(table.columns) == ["own_choice", "own_open"]
    for model, results in said.items():
        assert table.loc[model, "own_choice"] == pytest.approx(results["own_choice"]["acc,none"])
        first = results["own_open"]["exact_match,strict"]
        assert table.loc[model, "own_open"] == pytest.approx(first)
    assert any("first filter 'strict' was read" in note for note in found.notes)
    other = gl.read(folder / "logs", filter="flexible", metric={"own_choice": "acc_norm"})
    for model, results in said.items():
        assert means(other).loc[model].tolist() == pytest.approx(
            [results["own_choice"]["acc_norm,none"], results["own_open"]["exact_match,flexible"]]
        )


def test_results_of_the_harness_alone_give_its_own_numbers(harness, tmp_path):
    folder, said = harness
    for file in (folder / "logs").rglob("results_*.json"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    found = gl.read_scores(tmp_path)
    for model, results in said.items():
        row = found.frame.loc[model]
        assert row["own_choice"] == pytest.approx(results["own_choice"]["acc,none"])
        assert row["own_rolling"] == pytest.approx(-results["own_rolling"]["bits_per_byte,none"])


def test_difficulties_of_documents_are_a_role(harness):
    folder, _ = harness
    found = gl.read(folder / "logs", columns={"difficulty": "level"})
    assert found.difficulty["own_choice/3"] == 4


def test_a_folder_of_both_tools_opens_at_once(inspect, harness, tmp_path):
    shutil.copytree(inspect[0] / "shares", tmp_path / "inspect")
    shutil.copytree(harness[0] / "logs", tmp_path / "harness")
    found = gl.read(tmp_path)
    assert found.shape == (6, 39 + 40)
    assert "Inspect logs" in found.notes[0]
    assert "lm-evaluation-harness" in found.notes[0]


def test_samples_of_perplexities_give_the_headline_of_the_harness(harness):
    folder, said = harness
    found = gl.read_scores(folder / "logs", include=["task:own_rolling"])
    length = found.items["length"]
    for model, results in said.items():
        mean = (found.frame.loc[model] * length).sum() / length.sum()
        bits = results["own_rolling"]["bits_per_byte,none"]
        assert -mean / math.log(2) == pytest.approx(bits)
