"""The README keeps its word: every snippet and every call in it runs, from the README itself."""

import contextlib
import io
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.press.cli import _parser

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
LONG = ("gl.aiq.estimate", "gl.anytime.test")  # seconds, not milliseconds


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


def calls():
    """The code in backquotes that begins with a name of ours or assigns its result, in order."""
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", README, flags=re.DOTALL))
    return [span for span in spans if re.match(r"(?:\w+ = )?(?:gl\.|table\[)", span)]


def runs_of_tasks():
    """Runs of four models on sixty tasks of known minutes, for the calls about horizons."""
    rng = np.random.default_rng(1)
    models = {
        "a": (2, "2023-03-14"),
        "b": (4, "2024-05-13"),
        "c": (6, "2025-02-24"),
        "d": (7, "2025-08-07"),
    }
    rows = [
        (
            name,
            f"task {k}",
            f"family {k % 12}",
            int(rng.random() < 1 / (1 + np.exp(k / 6 - level))),
            2 ** (k / 6),
            date,
        )
        for name, (level, date) in models.items()
        for k in range(60)
    ]
    return pd.DataFrame(rows, columns=["agent", "item", "family", "response", "minutes", "date"])


@pytest.fixture
def namespace(tmp_path, monkeypatch):
    """A folder with the README's own table, and the names that its calls use."""
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text(blocks("csv")[0])
    runs_of_tasks().to_csv("runs.csv", index=False)
    rng = np.random.default_rng(2)
    ability, hard = rng.normal(size=(60, 1)), np.linspace(-1.5, 1.5, 12)
    solved = (rng.random((60, 12)) < 1 / (1 + np.exp(hard - ability))).astype(float)
    return {
        "gl": gl,
        "scores": gl.Scores.read("scores.csv"),
        "responses": gl.Responses(pd.DataFrame(solved), hard),
    }


def test_the_five_lines_print_what_the_readme_shows(namespace):
    (code,), (shown,) = blocks("python"), blocks("text")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, {})
    assert said.getvalue() == shown
    assert Path("plane.png").stat().st_size > 10_000


def test_every_call_of_the_readme_runs(namespace):
    assert len(calls()) > 15
    for call in calls():
        if not call.startswith(LONG):
            with contextlib.suppress(gl.DataUnavailable):  # gl.load, offline and without the data
                exec(call, namespace)


@pytest.mark.slow
def test_the_long_calls_of_the_readme_run(namespace):
    long = [call for call in calls() if call.startswith(LONG)]
    assert len(long) == len(LONG)
    for call in long:
        assert np.isfinite(eval(call, namespace).value)


def test_the_readme_says_only_of_the_least_general_what_the_table_says(namespace):
    exec(blocks("python")[0], namespace)
    table = namespace["table"]
    assert table["normalised_generality"].idxmin() == "cedar"
    assert table["capability"].rank()["cedar"] == 3
    assert "separate no two of the five" in README
    assert len(gl.tie_groups(table, "normalised_generality")) == 1


def test_every_command_of_the_readme_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"`make(?: ([a-z-]+)[^`]*)?`", README)
    assert {name for name in named if name} <= targets
    for command in re.findall(r"`gindex-lab ([a-z][^`]*)`", README):
        _parser().parse_args(" ".join(command.split()).split())


def test_the_pictures_and_links_of_the_readme_lead_somewhere():
    places = re.findall(r"\]\(([^)#]+)\)", README)
    assert [place for place in places if not (ROOT / place).exists()] == []
    pictures = [place for place in places if place.endswith(".png")]
    assert len(pictures) == 2
    assert all((ROOT / picture).stat().st_size < 300_000 for picture in pictures)


@pytest.mark.parametrize("word", ["AIQ", "g-index", "domain distance Ω", "Λ"])
def test_the_readme_explains_its_words(word):
    assert re.search(rf"^\| [^|]*{re.escape(word)} \| .{{30,}}", README, re.MULTILINE)


def test_claims_on_a_fresh_clone_say_what_to_do(tmp_path, monkeypatch, capsys):
    from gindex_lab.press import cli
    from gindex_lab.press.reproduction import claims

    monkeypatch.setattr(claims, "ROOT", tmp_path)
    assert cli.main(["claims"]) == 0
    said = capsys.readouterr().out
    assert "make reproduce" in said.splitlines()[-1]


def test_make_alone_lists_every_target_with_its_words():
    said = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    targets = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert [line.split()[1] for line in said.splitlines()] == targets
