"""The logs of Λ-One, step by step, and the rules that can explain them."""

import zipfile

import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.foundation.errors import DataUnavailable
from gindex_lab.studies.data.download import original
from gindex_lab.worlds.anytime.logs import VARIANTS

A = gl.anytime


@pytest.fixture
def archive(shared):
    return shared / "originals" / "generality" / "lambda.data.zip"


@pytest.mark.shared
def test_every_logged_run_is_explained_by_our_rules_and_not_by_the_nearest_other(archive):
    runs = A.logged_rewards(archive)
    nearest = "agent never starts on Good/Evil"
    found = A.explained(runs, {nearest: VARIANTS[nearest]})
    assert found.iloc[0].to_dict() == {"Human": 140, "QLearning": 140}
    assert found.loc[nearest].to_dict() == {"Human": 138, "QLearning": 139}


@pytest.mark.shared
def test_the_steps_average_to_the_tidy_means(archive, shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    runs = A.logged_rewards(archive)
    means = runs["rewards"].map(lambda r: sum(r) / len(r))
    for agent, own in means.groupby(runs["agent"]):
        assert own.tolist() == pytest.approx(gl.load("lambda").frame.loc[agent].tolist(), abs=1e-8)


@pytest.mark.shared
def test_an_original_lies_beside_the_data_folder(archive, shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    assert original("lambda", download=False) == archive


def test_a_file_with_another_checksum_does_not_count(tmp_path, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(tmp_path))
    monkeypatch.setenv("GINDEX_LAB_CACHE", str(tmp_path / "cache"))
    (tmp_path / "lambda").mkdir()
    (tmp_path / "lambda" / "lambda.data.zip").write_bytes(b"not the pinned one")
    with refused("name: no-original", DataUnavailable):
        original("lambda", download=False)


def test_a_foreign_archive_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as new:
        new.writestr("lambda.data/Experimentos.csv", "1;2;3\n")
    with refused("path: not-the-log"):
        A.logged_rewards(tmp_path / "other.zip")


def test_a_data_set_without_a_single_original_is_refused():
    with refused("name: several-originals"):
        original("demo")


def test_runs_that_we_play_ourselves_are_always_explained():
    worlds = [A.Environment("12-|1-2--|1++2--", "2210"), A.Environment("1+|1+|1+", "01")]
    runs = pd.DataFrame(
        [
            ("random", w.space.text, w.pattern, tuple(A.play("random", w, seed=s).rewards))
            for w in worlds
            for s in range(5)
        ],
        columns=["agent", "space", "pattern", "rewards"],
    )
    assert A.explained(runs, {})["random"].tolist() == [10]
