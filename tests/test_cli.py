"""The command line: each command does its work, and a mistake is one clear line and status 2."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from refusals import refused

from gindex_lab.foundation.responses import Scores
from gindex_lab.measures.generality import generality
from gindex_lab.measures.transforms import rank
from gindex_lab.press.analyse import analyse
from gindex_lab.press.cli import main

SCORES = """model,pong,chess,go,poker
ann,21,1200,3,0.5
bob,7,1500,1,0.7
cem,-3,1100,2,0.1
"""
RESPONSES = "agent,i1,i2,i3,i4\nann,1,1,1,0\nbob,1,0,1,0\n"
ITEMS = "item,difficulty\ni1,1\ni2,2\ni3,3\ni4,4\n"


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


@pytest.fixture
def responses(tmp_path):
    (tmp_path / "responses.csv").write_text(RESPONSES)
    (tmp_path / "hard.csv").write_text(ITEMS)
    return tmp_path / "responses.csv"


def test_raw_scores_are_ranked_by_themselves(scores):
    found = analyse(scores)
    assert found.transform == "rank"
    assert found.table["capability"].idxmax() == "ann"
    assert {"capability_low", "capability_high"} <= set(found.table)


def test_responses_with_difficulties_are_used_as_they_are(responses, tmp_path):
    found = analyse(responses, difficulty=str(tmp_path / "hard.csv"), ci=None)
    assert found.transform == "none"
    assert found.table.loc["ann", "capability"] == pytest.approx(3.5)


def test_the_command_prints_a_table_and_writes_a_page(scores, tmp_path, capsys):
    out = tmp_path / "report.html"
    assert main(["analyse", str(scores), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "3 agents on 4 items" in printed
    assert "capability" in printed
    page = out.read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "data:image/png;base64," in page
    assert not re.search(r'(src|href)="https?:', page)


@pytest.mark.usefixtures("sketched")
def test_names_from_the_file_cannot_smuggle_markup_into_the_page(tmp_path):
    evil = "<script>alert(1)</script>"
    path = tmp_path / "evil.csv"
    path.write_text(f"model,a,b\n{evil},1,2\nbob,3,1\n")
    page = analyse(path, ci=None).write(tmp_path / "r.html").read_text()
    assert evil not in page
    assert "&lt;script&gt;" in page


def test_the_same_seed_gives_the_same_page(scores, tmp_path):
    pages = [analyse(scores, seed=3).write(tmp_path / f"{k}.html").read_bytes() for k in (1, 2)]
    assert pages[0] == pages[1]


@pytest.mark.parametrize("transform", ["rank", "standardise"])
def test_every_population_transform_measures_all_agents(scores, transform):
    table = analyse(scores, transform=transform, ci=None).table
    assert list(table.index) == ["ann", "bob", "cem"]
    assert table[["capability", "spread"]].notna().all(axis=None)


def test_a_reference_agent_can_be_named(scores, capsys):
    assert main(["analyse", str(scores), "--transform", "reference", "--reference", "bob"]) == 0
    assert "beat the reference" in capsys.readouterr().out


def test_a_tournament_is_read_as_opponents(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("player,a,b,c\na,,1,1\nb,0,,0.5\nc,0,0.5,\n")
    assert analyse(path, transform="opponent", ci=None).table["capability"].idxmax() == "a"


def test_a_gap_is_refused_with_the_option_that_helps(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES.replace("21,1200", ",1200"))
    assert main(["analyse", str(path)]) == 2
    assert "scores['ann', 'pong']=nan: is missing" in (said := capsys.readouterr().err)
    assert "--missing drop" in said
    assert main(["analyse", str(path), "--missing", "drop"]) == 0
    assert "3 agents on 4 items" in capsys.readouterr().out


@pytest.mark.parametrize("options", [{}, {"transform": "none"}, {"transform": "irt"}])
def test_every_reading_of_responses_asks_about_gaps(options, tmp_path):
    (tmp_path / "r.csv").write_text("agent,i,j,k,l\na,1,1,0,\nb,0,1,0,0\nc,1,0,1,1\nd,0,0,1,1\n")
    (tmp_path / "h.csv").write_text("item,difficulty\ni,1\nj,2\nk,3\nl,4\n")
    options = {"difficulty": str(tmp_path / "h.csv"), "ci": None} | options
    with refused("scores['a', 'l']: missing"):
        analyse(tmp_path / "r.csv", **options)
    assert len(analyse(tmp_path / "r.csv", missing="drop", **options).table) == 4


def test_an_incomplete_tournament_can_be_analysed_too(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("player,a,b,c\na,,1,\nb,0,,0.5\nc,,0.5,\n")
    with refused("scores['a', 'c']: missing"):
        analyse(path, transform="opponent", ci=None)
    found = analyse(path, transform="opponent", ci=None, missing="drop")
    assert found.table["capability"].idxmax() == "a"


@pytest.mark.filterwarnings("error")
def test_a_table_without_numbers_is_refused(tmp_path, capsys):
    path = tmp_path / "empty.csv"
    path.write_text("model,i,j\na,,\nb,,\n")
    assert main(["analyse", str(path)]) == 2
    assert "has no number at all" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["/proc/x/y.html", "."])
@pytest.mark.usefixtures("sketched")
def test_a_report_that_cannot_be_written_is_one_line(scores, out, capsys):
    assert main(["analyse", str(scores), "--ci", "0", "--out", out]) == 2
    printed = capsys.readouterr().err
    assert f"out='{out}': cannot be written" in printed
    assert printed.count("\n") == 1


def test_a_saved_transform_is_analysed_as_it_was(scores, tmp_path):
    kept = rank(Scores.read(scores))
    found = analyse(kept.save(tmp_path / "kept"))
    assert found.transform == "none"
    pd.testing.assert_frame_equal(found.table, generality(kept, ci=0.95, seed=1))


def test_a_reference_with_a_number_for_a_name_is_found(tmp_path, capsys):
    path = tmp_path / "numbers.csv"
    path.write_text("model,i,j\n007,3,4\n7,1,5\n8,2,2\n")
    call = ["analyse", str(path), "--ci", "0", "--transform", "reference", "--reference"]
    assert main([*call, "007"]) == 0
    assert "007" in capsys.readouterr().out
    assert main([*call, "9"]) == 2


def test_data_list_names_every_set(capsys):
    assert main(["data", "list"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("mazes", "ale", "g-index-programs", "odour_span"))


def test_claims_are_summed_up(capsys):
    assert main(["claims"]) == 0
    assert "not yet checked" in capsys.readouterr().out


BAD_CALLS = {
    "an unknown data set": (["data", "where", "mazed"], "mazes"),
    "an absent file": (["analyse", "no/such.csv"], "path='no/such.csv': does not exist"),
    "no such notebook": (["reproduce", "gindex/tabel1"], "gindex/table1"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_a_mistake_is_one_line_and_status_2(case, capsys):
    arguments, message = BAD_CALLS[case]
    assert main(arguments) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


BAD_TABLES = {
    "raw scores as they are": (SCORES, {"transform": "none"}, "transform: raw-scores"),
    "a reference without a name": (SCORES, {"transform": "reference"}, "reference: no-reference"),
    "an unknown reference": (
        SCORES,
        {"transform": "reference", "reference": "eve"},
        "reference: not-an-agent",
    ),
    "an unknown transform": (SCORES, {"transform": "magic"}, "transform: not-an-option"),
    "an unknown difficulty column": (SCORES, {"difficulty": "KDN"}, "difficulty: no-column"),
    "a tournament of other players": (SCORES, {"transform": "opponent"}, "results: not-square"),
    "an interval of 200 percent": (SCORES, {"ci": 2.0}, "ci: out-of-range"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_table_that_cannot_be_analysed_says_why(case, tmp_path):
    text, options, message = BAD_TABLES[case]
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with refused(message):
        analyse(path, **options)


def test_a_difficulty_file_without_its_columns_is_refused(responses, tmp_path):
    pd.DataFrame({"name": ["i1"], "hardness": [1]}).to_csv(tmp_path / "odd.csv", index=False)
    with refused("difficulty: no-column"):
        analyse(responses, difficulty=str(tmp_path / "odd.csv"))


@pytest.mark.parametrize("module", ["gindex_lab", "gindex_lab.press.cli"])
def test_a_module_run_by_its_name_is_the_command(module):
    command = [sys.executable, "-m", module, "data", "where", "no-such-data"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 2


def test_a_name_cannot_steer_the_terminal(tmp_path, capsys):
    (tmp_path / "a.csv").write_text('agent,"i","i"\nx,1,2\ny,2,3\n')
    (tmp_path / "b\x1b[2J.csv").write_text('agent,"i",j\nx,foo,2\ny,2,3\n')
    assert main(["analyse", str(tmp_path), "--ci", "0"]) == 2
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert said.count("\n") == 1


def test_a_caution_is_printed_once(tmp_path, capsys):
    """An agent that met the easy half only: the table, its shuffles and its other definitions all see it."""
    random, level = np.random.default_rng(1), np.arange(40)
    answers = random.random((4, 40)) < 1 / (1 + np.exp((level - 20) / 5))
    cells = pd.DataFrame(answers.astype(int)).assign(model=list("abcd")).melt("model", var_name="item")
    cells["difficulty"] = cells["item"]
    cells = cells[(cells["model"] != "a") | (cells["item"] < 20)].rename(columns={"value": "correct"})
    cells.to_csv(tmp_path / "half.csv", index=False)
    assert main(["analyse", str(tmp_path / "half.csv"), "--missing", "drop"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert sum("met no item on more than" in line for line in said) == 1
