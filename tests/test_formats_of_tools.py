"""Logs of further tools: what was written comes back, no format is mistaken for another, bad ones are refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from examples_of_prompts import MORE_TOOLS
from examples_of_tools import TOOLS as FIRST_TOOLS

import gindex_lab as gl
from gindex_lab.studies.readers.examples import EXAMPLES, simulated_runs, write_example
from gindex_lab.studies.readers.formats import BESIDE, FORMATS, READERS, SUFFIXES, sniff
from gindex_lab.studies.readers.signatures import _DOCUMENTS, _HEADERS, _LINES, _RECORDS
from gindex_lab.studies.readers.text import json_glimpse

TOOLS = FIRST_TOOLS | MORE_TOOLS
MEANS = (
    "every-eval-ever results",
    "mteb",
    "lighteval results",
    "opencompass summary",
    "bfcl",
)  # one item per task
ONE_FILE = {
    "metr", "mt-bench", "excel", "promptfoo", "promptfoo lines", "promptfoo yaml", "promptfoo table", "opencompass summary",
}  # fmt: skip
REPEATED = (
    "terminal-bench", "harbor", "tau-bench", "tau2-bench", "swe-bench instances", "evalplus",
    "livecodebench", "metr", "excel",
    "promptfoo", "promptfoo lines", "promptfoo yaml", "promptfoo table", "per-model",
)  # fmt: skip
NAMES = {
    "swe-bench": {f"model-{x}": f"model-{x}.run1" for x in "abcdefgh"} | {"specialist": "specialist.run1"}
}


def columns(frame):
    """The columns of a table as a multiset, agents in one order."""
    return sorted(tuple(column) for column in frame.sort_index().to_numpy().T)


def dump(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize("name", [name for name in TOOLS if name not in MEANS])
def test_what_a_tool_would_write_comes_back(name, tmp_path):
    runs = simulated_runs(agents=3, items=2, seed=2)
    found = gl.read(write_example(tmp_path, name, runs))
    frame = runs.frame.rename(index=NAMES.get(name, {}))
    assert sorted(found.frame.index) == sorted(frame.index)
    assert columns(found.frame) == columns(frame)
    assert found.trials is None
    if found.family is not None and not name.startswith("swe-bench"):
        assert {family.removesuffix("|0") for family in found.family} == set(runs.family)


@pytest.mark.parametrize("name", MEANS)
def test_results_without_samples_are_one_item_per_task(name, tmp_path):
    runs = simulated_runs(agents=3, items=2, seed=2)
    scale = (0, 100) if name == "opencompass summary" else None
    found = gl.read(write_example(tmp_path, name, runs), scale=scale)
    means = runs.frame.T.groupby(runs.family.to_numpy()).mean().T
    assert np.allclose(columns(found.frame), columns(means))


@pytest.mark.parametrize("name", REPEATED)
def test_attempts_are_repeats(name, tmp_path):
    runs = simulated_runs(agents=2, items=2, trials=3, seed=3)
    found = gl.read(write_example(tmp_path, name, runs))
    assert columns(found.frame) == columns(runs.frame)
    assert len(found.trials) == 2 * 8 * 3


def kinds(path):
    """The formats that the files of a folder are taken for; files beside the logs are nothing."""
    files = [path] if path.is_file() else [f for f in sorted(path.rglob("*")) if f.is_file()]
    return {kind for file in files if (kind := sniff(file)) is not None}


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_no_example_is_mistaken_for_another_format(name, tmp_path):
    where = write_example(tmp_path, name, simulated_runs(agents=3, items=2))
    expected = {
        "long lines": "long", "excel": "long", "inspect archives": "inspect", "tau2-bench": "tau-bench",
    }.get(name, name.split(" ")[0])  # fmt: skip
    assert kinds(where) == {expected}
    files = [where] if where.is_file() else sorted(where.rglob("*"))
    assert all(one_signature(file) for file in files if file.suffix in (".json", ".jsonl"))


def one_signature(file):
    """Every signature is tried on a file: at most one holds, so that their order does not matter."""
    lines = file.suffix == ".jsonl"
    found = json.loads(file.read_text().splitlines()[0]) if lines else json_glimpse(file)
    tests = _DOCUMENTS if isinstance(found, dict) and not lines else _LINES | _RECORDS
    row = found[0] if isinstance(found, list) else found
    held = [name for name, test in tests.items() if any(one(row) for one in test)]
    return len(held) <= 1 and sum(any(one(set(row)) for one in test) for test in _HEADERS.values()) <= 1


def test_every_format_has_a_reader_and_a_line():
    assert set(READERS) | {"tidy"} == set(FORMATS)
    assert all(suffix.startswith(".") for suffix in SUFFIXES)


@pytest.mark.parametrize("name", sorted(set(TOOLS) - ONE_FILE))
def test_a_damaged_file_does_not_stop_a_folder(name, tmp_path):
    where = write_example(tmp_path, name, simulated_runs(agents=3, items=2, seed=2))
    endings = (
        "_samples.jsonl",
        ".parquet",
        "results.json",
        "result.json",
        "report.json",
        ".jsonl",
        ".json",
    )
    files = [f for f in sorted(where.rglob("*")) if f.is_file() and f.name not in BESIDE]
    last = next(some[-1] for end in endings if (some := [f for f in files if f.name.endswith(end)]))
    data = last.read_bytes()
    last.write_bytes(data[: len(data) // 2] + b"\n{]\n" + data[len(data) // 2 :])
    found = gl.read(where)
    assert last.name in " ".join(found.notes)
    assert "skipped" in " ".join(found.notes)
    with pytest.raises(gl.BadInput):
        gl.read(where, strict=True)


def test_the_readme_names_what_is_read():
    text = (Path(__file__).parents[1] / "README.md").read_text()
    tools = [line.split(":")[0].split()[0].removesuffix("'s") for line in FORMATS.values()]
    assert [name for name in tools if name[0].isupper() and name not in text] == []
