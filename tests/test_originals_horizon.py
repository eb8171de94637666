"""Horizon studies: the authors' files become the tidy data, runs included, and odd files are named."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest
from loops import looped
from refusals import refused

from gindex_lab.foundation.errors import DataUnavailable
from gindex_lab.studies.data.loading import _fill, load, where
from gindex_lab.studies.data.originals_horizon import CONVERTERS, by_name
from gindex_lab.studies.data.registry import entries, entry

STUDIES = list(CONVERTERS)
STORED = ["lyptus", "lyptus_model_minutes", "lyptus_2025", "animal_ai"]


def originals(shared, name):
    """The stored originals of a study, by their address in the register."""
    folder = shared / "originals/horizon" / name.removesuffix("_model_minutes")
    found = {file: folder / file.rsplit("/", 1)[1] for file in entry(name).files}
    return {f: path if path.exists() else folder / "models" / path.name for f, path in found.items()}


def toml_of_minutes(path, items):
    lines = [f'[splits."{i}"]\nlengths = [ {m},]\n' for i, m in items["minutes"].items()]
    path.write_text("n_questions = 500\n\n" + "\n".join(lines))
    return path


def assert_same(ours, theirs):
    assert ours.index.tolist() == theirs.index.tolist()
    assert ours.columns.tolist() == theirs.columns.tolist()
    for column in theirs:
        if pd.api.types.is_numeric_dtype(theirs[column]):
            np.testing.assert_allclose(ours[column], theirs[column], rtol=1e-12, err_msg=column)
        else:
            left, right = ours[column].fillna(""), theirs[column].fillna("")
            assert left.astype(str).tolist() == right.astype(str).tolist(), column


@pytest.mark.shared
@looped("name", STORED)
def test_the_originals_become_the_tidy_data(name, shared, tmp_path):
    made = tmp_path / name
    made.mkdir()
    _fill(entry(name), originals(shared, name), made)
    for part in ("responses", "items", "agents", *["runs"] * bool(entry(name).trial)):
        key = [] if part == "runs" else [0]
        ours, theirs = (
            pd.read_csv(folder / f"{part}.csv", index_col=key or None, dtype={"run": int})
            for folder in (made, shared / "datasets" / name)
        )
        assert_same(ours, theirs)


@pytest.mark.shared
def test_swebench_becomes_the_tidy_data(shared, tmp_path):
    """The file of minutes has no licence and is not stored: here it is written in its layout."""
    theirs = {
        p: pd.read_csv(shared / f"datasets/swebench_134/{p}.csv", index_col=0)
        for p in ("responses", "items", "agents")
    }
    matrix = shared / "originals/horizon/swebench_134/response_matrix.csv"
    minutes = toml_of_minutes(tmp_path / "minutes.toml", theirs["items"])
    files = {"response_matrix.csv": matrix, "swe_bench_verified.toml": minutes}
    ours = CONVERTERS["swebench_134"](files)
    for part, table in theirs.items():
        assert_same(getattr(ours, part), table)


@pytest.mark.shared
def test_registered_hashes_of_the_horizon_studies_are_those_of_the_originals(shared):
    lines = (shared / "originals/horizon/SHA256SUMS").read_text().splitlines()
    known = dict(line.split() for line in lines)
    for name in STUDIES:
        for file, digest in entry(name).files.items():
            assert known[digest].endswith(file.rsplit("/", 1)[1]), (name, file)
    for name in STORED:
        for file, path in originals(shared, name).items():
            assert hashlib.sha256(path.read_bytes()).hexdigest() == entry(name).files[file]


@pytest.mark.shared
@looped("name", [*STORED, "swebench_134"])
def test_a_study_loads_with_dates_families_and_runs(name, shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    study = load(name)
    assert study.family.notna().all()
    if name != "animal_ai":
        np.testing.assert_allclose(study.difficulty, np.log2(study.items["minutes"]), rtol=1e-12)
        assert study.agents["release_date"].str.fullmatch(r"\d{4}-\d{2}-\d{2}").all()
    if name == "lyptus_2025":
        assert len(study.trials) == 4721
        repeated = study.trials.groupby(["agent", "item"]).size()
        assert (repeated[repeated > 1].groupby("agent").size()["GPT 2"]) == 40
    else:
        assert study.trials is None


def test_what_has_no_licence_is_for_download_only():
    for name in ("metr_th1", "metr_swebench"):
        assert entry(name).licence == "none stated"
        assert entry(name).permission.startswith("download only")
        assert entry(name).files


def test_a_folder_that_only_explains_itself_is_not_the_data(monkeypatch, tmp_path):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("GINDEX_LAB_CACHE", str(tmp_path / "cache"))
    (tmp_path / "data/metr_th1").mkdir(parents=True)
    (tmp_path / "data/metr_th1/README.md").write_text("no licence is stated: download only")
    assert where("metr_th1").startswith("to download from")
    with pytest.raises(DataUnavailable):
        load("metr_th1", download=False)


def test_every_pinned_address_names_a_commit():
    for name in STUDIES:
        what = entry(name)
        for file in what.files:
            address = file if "://" in file else what.url + file
            assert len(address.split("/")[5]) == 40, address


# -- METR's layout, made up --------------------------------------------------------------------------


def metr_runs():
    rng = np.random.default_rng(3)
    rows = []
    for agent in ("o1", "human", "GPT-2"):
        for item, minutes in {"b/2": 30.0, "a/1": 2.5}.items():
            for _ in range(3):
                success = int(rng.integers(2))
                rows.append(
                    {"run_id": "x", "task_id": item, "score": success / 2, "alias": agent}
                    | {"task_family": item[0], "human_minutes": minutes, "human_score": 1.0}
                    | {"human_source": "baseline", "time_limit": 60.0, "fatal_error_from": None}
                    | {"score_binarized": success, "started_at": 5, "model": agent}
                )
    return rows


def metr_files(folder, rows):
    (folder / "runs").write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    (folder / "dates").write_text("date:\n  o1: 2024-12-05\n  GPT-2: 2019-02-14\n")
    return {"all_runs.jsonl": folder / "runs", "release_dates.yaml": folder / "dates"}


def test_metr_runs_are_kept_in_the_order_of_the_file(tmp_path):
    rows = metr_runs()
    ours = CONVERTERS["metr_th1"](metr_files(tmp_path, rows))
    assert ours.responses.index.tolist() == ["GPT-2", "human", "o1"]
    assert ours.responses.columns.tolist() == ["a/1", "b/2"]
    assert ours.agents["release_date"].fillna("").tolist() == ["2019-02-14", "", "2024-12-05"]
    assert ours.agents["kind"].tolist() == ["model", "human", "model"]
    expected = [r["score_binarized"] for r in rows if (r["alias"], r["task_id"]) == ("o1", "a/1")]
    cell = ours.runs[(ours.runs["agent"] == "o1") & (ours.runs["item"] == "a/1")]
    assert cell["response"].tolist() == expected
    assert cell["run"].tolist() == [1, 2, 3]
    assert ours.responses.loc["o1", "a/1"] == pytest.approx(np.mean(expected))
    known = ["score", "time_limit", "fatal_error_from"]
    assert list(ours.runs) == ["agent", "item", "run", "response", *known]


def test_metr_scores_of_swebench_become_shares(tmp_path):
    items = pd.DataFrame({"minutes": {"pallets__flask-1": 7.5, "psf__requests-2": 480.0}})
    minutes = toml_of_minutes(tmp_path / "m.toml", items)
    scores = tmp_path / "s.toml"
    scores.write_text(
        '[splits.pallets__flask-1]\n"b/x" = 100.0\n"a/y" = 0.0\n\n'
        '[splits.psf__requests-2]\n"b/x" = 0.0\n"a/y" = 0.0\n'
    )
    addresses = {"data/benchmarks/swe_bench_verified.toml": minutes}
    addresses["data/scores/swe_bench_verified.toml"] = scores
    ours = CONVERTERS["metr_swebench"](by_name(addresses))
    assert ours.responses.to_numpy().tolist() == [[0, 0], [1, 0]]
    assert ours.items["family"].tolist() == ["pallets/flask", "psf/requests"]
    assert ours.items["annotated"].tolist() == ["under 15 minutes", "over 4 hours"]


# -- odd files ---------------------------------------------------------------------------------------


def without(rows, column):
    return [{k: v for k, v in row.items() if k != column} for row in rows]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: without(rows, "human_minutes"), "files: no-column"),
        (lambda rows: [*rows, rows[0] | {"human_minutes": 99.0}], "files: two-values"),
        (lambda rows: [*rows, "not an object"], "files: unreadable"),
    ],
)
def test_an_odd_file_of_runs_is_named(change, message, tmp_path):
    with refused(message):
        CONVERTERS["metr_th1"](metr_files(tmp_path, change(metr_runs())))


@pytest.mark.parametrize(
    ("text", "code"), [("date: [", "unreadable"), ("dates: {}", "no-table"), ("", "no-table")]
)
def test_odd_dates_are_named(text, code, tmp_path):
    files = metr_files(tmp_path, metr_runs())
    files["release_dates.yaml"].write_text(text)
    with refused(f"files: {code}") as caught:
        CONVERTERS["metr_th1"](files)
    assert caught.value.value == "release_dates.yaml"


def test_a_missing_file_is_named(tmp_path):
    with refused("files: no-file"):
        CONVERTERS["lyptus"]({})
    (tmp_path / "p").write_text("no parquet")
    with refused("files: unreadable"):
        CONVERTERS["lyptus"]({"model_runs.parquet": tmp_path / "p"})


def test_an_issue_without_a_length_is_named(tmp_path):
    matrix = tmp_path / "response_matrix.csv"
    matrix.write_text("model,psf__requests-2,astropy__astropy-12907\n20240101_one,1,0\n")
    items = pd.DataFrame({"minutes": {"psf__requests-2": 480.0}})
    minutes = toml_of_minutes(tmp_path / "m.toml", items)
    with refused("files: no-length"):
        CONVERTERS["swebench_134"]({"response_matrix.csv": matrix, "swe_bench_verified.toml": minutes})


def test_runs_that_are_not_behind_the_responses_are_refused(tmp_path, monkeypatch):
    folder = tmp_path / "lyptus_2025"
    folder.mkdir()
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.integers(0, 2, (9, 525)).astype(float))
    table = table.set_axis([f"a{k}" for k in range(9)]).set_axis([f"i{k}" for k in range(525)], axis=1)
    runs = table.rename_axis("agent").reset_index().melt("agent", var_name="item", value_name="response")
    again = runs.iloc[[0]].assign(response=1 - runs["response"].iloc[0])
    table.loc["a0", "i0"] = 0.5  # of its two runs one succeeds
    runs = pd.concat([runs.assign(run=1), again.assign(run=2)])
    runs[["agent", "item", "run", "response"]].to_csv(folder / "runs.csv", index=False)
    table.to_csv(folder / "responses.csv", index_label="agent")
    facts = {"family": "f", "minutes": 2.0, "difficulty": 1.0}
    pd.DataFrame(facts, index=table.columns).to_csv(folder / "items.csv", index_label="item")
    dates = pd.DataFrame({"release_date": "2025-01-01"}, index=table.index)
    dates.to_csv(folder / "agents.csv", index_label="agent")
    monkeypatch.setenv("GINDEX_LAB_DATA", str(tmp_path))
    assert len(load("lyptus_2025").trials) == 9 * 525 + 1
    runs = pd.read_csv(folder / "runs.csv")
    runs.loc[0, "response"] = 1 - runs.loc[0, "response"]
    runs.to_csv(folder / "runs.csv", index=False)
    with refused("lyptus_2025/runs.csv: other-trials"):
        load("lyptus_2025")


def test_horizon_converters_are_registered():
    assert set(CONVERTERS) <= {what.converter for what in entries().values()}
