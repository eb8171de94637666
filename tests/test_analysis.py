"""What an analysis says of a table, what it refuses to say, and that the page shows just that."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import gindex_lab as gl
from gindex_lab.press.analyse import analyse
from gindex_lab.press.cli import main
from gindex_lab.studies.analysis import surviving
from gindex_lab.studies.analysis.audit import audit_counts, expected_duplicates, item_audit
from gindex_lab.studies.analysis.shuffle import deal, shuffle_control
from gindex_lab.studies.analysis.starting import analyse_table
from gindex_lab.studies.analysis.tables import drawable_names
from gindex_lab.studies.readers.examples import simulated_runs, write_example

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def example():
    return gl.analysis.analyse_table(simulated_runs(agents=12, items=12), seed=1)


@pytest.fixture(scope="module")
def coin():
    rng = np.random.default_rng(5)
    return gl.analysis.analyse_table(gl.Responses((rng.random((8, 15)) < 0.5).astype(float)))


# -- the page ------------------------------------------------------------------------------------------


class Cells(HTMLParser):
    """The text of the rows of the tables of a page."""

    def __init__(self):
        super().__init__()
        self.rows, self.tags = [], set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag == "table":
            self.rows.append([])

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip() + " "


def parsed(page):
    cells = Cells()
    cells.feed(page)
    return cells


@pytest.mark.usefixtures("sketched")
def test_the_table_of_the_page_is_that_of_generality(tmp_path):
    path = write_example(tmp_path, "wide", simulated_runs(agents=6, items=8))
    page = analyse(path, seed=3).write(tmp_path / "r.html").read_text()
    expected = gl.generality(gl.rank(gl.read(path)), ci=0.95, seed=3)
    rows = {row[0].strip(): row for row in parsed(page).rows if len(row) == 5}
    for agent, values in expected.iterrows():
        shown = rows[agent]
        for cell, measure in zip(
            shown[1:],
            ["capability", "spread", "generality", "normalised_generality"],
            strict=True,
        ):
            value, span = cell.split(" ", 1)
            assert value == f"{values[measure]:.3f}"
            ends = f"{values[measure + '_low']:.3f} to {values[measure + '_high']:.3f}"
            marks = values[f"{'spread' if measure == 'generality' else measure}_bounds"]
            assert span.strip() == (f"bounds {ends}" if marks else ends)


def evil_logs(folder):
    runs = folder / f"{EVIL.replace('/', '∕')}"
    for k, model in enumerate(["a", "b", "c"]):
        samples = [
            {"id": f"{EVIL}{i}", "epoch": 1, "scores": {EVIL: {"value": int(i % (k + 2) > 0)}}}
            for i in range(6)
        ]
        spec = {"model": f"{EVIL}{model}", "task": f"{EVIL}-task"}
        runs.mkdir(exist_ok=True)
        (runs / f"{model}.json").write_text(
            json.dumps({"status": "success", "eval": spec, "samples": samples})
        )
    return runs


@pytest.mark.usefixtures("sketched")
def test_no_string_from_the_logs_becomes_markup(tmp_path):
    page = analyse(evil_logs(tmp_path)).write(tmp_path / "r.html").read_text()
    assert "<script" not in page.lower()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;a" in page  # a model
    assert "&lt;script&gt;alert(1)&lt;/script&gt;-task/" in page  # a task and its items
    assert parsed(page).tags.isdisjoint({"script", "iframe", "svg", "object", "link"})
    assert all("script" not in alt for alt in re.findall(r'alt="([^"]*)"', page))


def test_the_page_is_one_file_that_needs_nothing(example, tmp_path):
    page = example.write(tmp_path / "r.html").read_text()
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert page.count("data:image/png;base64,") == 7
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.usefixtures("sketched")
def test_a_page_that_fails_leaves_the_old_one(example, tmp_path, monkeypatch):
    out = tmp_path / "r.html"
    out.write_text("old")
    monkeypatch.setattr(
        "gindex_lab.foundation.files.Path.replace",
        lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")),
    )
    with refused("out: disk-full"):
        example.write(out)
    assert out.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.usefixtures("sketched")
@pytest.mark.filterwarnings("error")
def test_odd_names_are_shown_whole_and_drawn_in_short(tmp_path):
    file = tmp_path / "odd.csv"
    names = ["猫", "z" * 200, "étoile $x_1$", "\x1b[31mred"]
    rows = "\n".join(f"{name},{k % 2},{k // 2},1,0" for k, name in enumerate(names))
    file.write_text(f"model,数学,légende,🎲,{'y' * 200}\n{rows}\n", encoding="utf-8")
    found = analyse(file)
    page = found.write(tmp_path / "r.html").read_text()
    assert "z" * 200 in page
    assert "in figures: agent 1" in page
    assert "\x1b" not in found.text()


@settings(max_examples=40)
@given(st.lists(st.text(max_size=60), unique=True, max_size=12))
def test_names_in_figures_differ_and_fit(names):
    found = drawable_names(names)
    assert len(set(found.values())) == len(names)
    assert all(len(name) <= 40 for name in found.values())


# -- items ---------------------------------------------------------------------------------------------


def test_a_wrong_key_is_found_among_good_items():
    runs = simulated_runs(agents=40, items=10, seed=1)
    frame = runs.frame.copy()
    frame["arithmetic/3"] = 1 - frame["reading/1"]
    audit = item_audit(gl.Responses(frame))
    assert audit.index[audit["negative"]].tolist() == ["arithmetic/3"]


def test_noise_is_seldom_called_a_wrong_key():
    rng = np.random.default_rng(1)
    flagged = [
        audit_counts(item_audit(gl.Responses((rng.random((9, 40)) < 0.5).astype(float))))[
            "negative beyond chance"
        ]
        for _ in range(20)
    ]
    assert sum(flagged) <= 1


def test_three_agents_are_no_discovery():
    audit = item_audit(gl.Responses([[1, 0, 1], [0, 1, 1], [1, 1, 0]]))
    assert not audit["negative"].any()


def test_copies_are_named_and_constants_are_not_copies():
    frame = pd.DataFrame({"a": [1, 0, 1], "b": [1, 0, 1], "c": [1, 1, 1], "d": [1, 1, 1]}, index=list("xyz"))
    audit = item_audit(gl.Responses(frame.astype(float)))
    assert audit["duplicate_of"].tolist() == ["", "a", "", ""]
    assert audit["same"].tolist() == [False, False, True, True]


def test_the_number_of_copies_by_chance_is_that_of_a_simulation():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame((rng.random((6, 12)) < 0.4).astype(float))
    pairs = []
    for _ in range(400):
        dealt = deal(frame.to_numpy(), rng)
        varied = dealt[:, np.ptp(dealt, axis=0) > 0]
        _, counts = np.unique(varied, axis=1, return_counts=True)
        pairs.append((counts * (counts - 1) / 2).sum())
    expected = expected_duplicates(gl.Responses(frame))
    assert expected == pytest.approx(np.mean(pairs), abs=4 * np.std(pairs) / 20)


def test_raw_scores_discriminate_by_their_ranks():
    scores = gl.Scores([[1, 1000, 3], [2, 2000, 1], [3, 3000, 2]])
    same = gl.Scores([[1, 1, 3], [2, 2, 1], [3, 3, 2]])
    pd.testing.assert_series_equal(item_audit(scores)["discrimination"], item_audit(same)["discrimination"])


# -- shuffling -------------------------------------------------------------------------------------------


def test_dealing_keeps_every_item_and_every_gap():
    rng = np.random.default_rng(3)
    values = rng.random((7, 9))
    values[rng.random((7, 9)) < 0.3] = np.nan
    dealt = deal(values, rng)
    assert (np.isnan(dealt) == np.isnan(values)).all()
    assert np.allclose(np.sort(dealt, axis=0), np.sort(values, axis=0), equal_nan=True)


def test_shuffling_takes_ability_away_and_finds_nothing_in_coins(example, coin):
    assert example.control.loc["capability_sd", "p"] == 0.01
    assert coin.control.loc["capability_sd", "p"] > 0.05


def test_the_control_is_the_same_for_the_same_seed(example):
    again = shuffle_control(example.measured, 19, seed=7)
    pd.testing.assert_frame_equal(again, shuffle_control(example.measured, 19, seed=7))


# -- survival --------------------------------------------------------------------------------------------


def test_a_pair_that_turns_round_is_counted():
    table = pd.DataFrame(
        {"capability": [3.0, 2, 1], "normalised_generality": [0.1, 0.2, 0.3]}, index=list("abc")
    )
    other = table.assign(capability=[1.0, 2, 3])
    apart = pd.DataFrame([[0, 0, 1], [0, 0, 0], [1, 0, 0]], list("abc"), list("abc")).astype(bool)
    found = surviving.survival(table, {"same": table, "turned": other}, {"capability": apart})
    assert found["reversed"].tolist() == [0, 1]
    assert found["separated"].tolist() == [1, 1]
    assert surviving.verdict(found, ["a"], ["a"], 3) == {
        "best": False,
        "order": False,
        "least_general": True,
    }


def test_four_definitions_whatever_the_data():
    rng = np.random.default_rng(4)
    scores = gl.Scores(rng.normal(0, 10, (6, 8)))
    graded = gl.Responses(rng.random((6, 8)))
    assert list(surviving.definitions(scores)[0]) == ["failure", "rank", "standardise", "reference"]
    assert list(surviving.definitions(graded)[0]) == ["failure", "rank", "standardise", "reference"]


def test_a_definition_that_cannot_be_had_says_why():
    tables, refused = surviving.definitions(gl.Responses([[1.0, 0, 1], [0, 1, 0]]))
    assert "failure" in refused
    assert "all items have the same difficulty" in refused["failure"]
    assert "rank" in tables


# -- in words --------------------------------------------------------------------------------------------


def test_data_that_cannot_tell_are_said_so(coin):
    said = " ".join(coin.sentences())
    assert "The data cannot tell the agents apart in capability: not one of 28 pairs is separated." in said
    assert "there is no conclusion to try on other difficulties" in said
    assert "do not rank them" in said
    assert "Survives" not in said


def test_the_specialist_is_seen_and_its_doubts_too():
    study = gl.analysis.analyse_table(simulated_runs(agents=12, items=30), seed=1)
    said = {line.text: line.firm for line in study.said()}
    least = next(text for text in said if text.startswith("The least general"))
    assert "specialist" in least
    assert any("families" in text and not firm for text, firm in said.items())


def test_too_little_for_a_model_is_said_so():
    few = gl.analysis.analyse_table(gl.Responses([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 1]]))
    assert few.factors.table is None
    assert "too few for a factor analysis" in few.factors.sentence
    raw = gl.analysis.analyse_table(gl.Scores([[5, 1, 9], [7, 3, 2]]))
    assert raw.irt.table is None
    assert "raw scores" in raw.irt.sentence


def test_repeats_and_families_reach_the_intervals(tmp_path):
    path = write_example(tmp_path, "inspect", simulated_runs(agents=4, items=4, trials=3))
    items = analyse(path)
    families = analyse(path, resample="families")
    width = [(t["capability_high"] - t["capability_low"]).mean() for t in (items.table, families.table)]
    assert width[1] > 1.5 * width[0]
    assert "families, and the intervals" not in " ".join(families.sentences())


# -- the command -----------------------------------------------------------------------------------------


def test_options_of_the_reader_reach_it(tmp_path, capsys):
    both = [
        {
            "doc_id": k,
            "filter": name,
            "metrics": ["em", "f1"],
            "filtered_resps": [],
            "em": (k + m) % 2,
            "f1": 1,
        }
        for m in range(3)
        for k in range(5)
        for name in ("strict", "loose")
    ]
    for m, model in enumerate("abc"):
        folder = tmp_path / "logs" / model
        folder.mkdir(parents=True)
        rows = both[10 * m : 10 * m + 10]
        (folder / "samples_sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = ["analyse", str(tmp_path / "logs"), "--ci", "0"]
    assert main(call) == 0
    assert "first filter 'strict' was read, not 'loose'" in capsys.readouterr().out
    assert main([*call, "--filter", "strict", "--metric", "em", "--format", "lm-eval"]) == 0
    assert "metric 'em' was read" in capsys.readouterr().out


def test_columns_may_be_named_on_the_command_line(tmp_path, capsys):
    file = tmp_path / "long.csv"
    rows = [f"{who},q{k},{(k + n) % 2},9" for n, who in enumerate("ab") for k in range(4)]
    file.write_text("\n".join(["who,what,correct,score", *rows]))
    call = ["analyse", str(file), "--ci", "0", "--format", "long"]
    assert main(call) == 2
    assert "has no column for the agent" in capsys.readouterr().err
    assert main([*call, "--columns", "agent=who", "item=what", "response=correct"]) == 0
    assert "2 agents on 4 items" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([*call, "--columns", "who"])
    assert "'who' is not KIND=NAME" in capsys.readouterr().err


def test_one_agent_has_scores_and_is_refused_a_comparison(tmp_path, capsys):
    (tmp_path / "one.csv").write_text("model,a,b,c\nx,1,0,1\n")
    assert main(["analyse", str(tmp_path / "one.csv"), "--out", str(tmp_path / "one.html")]) == 0
    assert "x scores 66.7% (20.8 to 93.9) on 3 items." in capsys.readouterr().out
    assert "66.7%" in (tmp_path / "one.html").read_text()
    assert main(["analyse", str(tmp_path / "one.csv"), "--transform", "rank"]) == 2
    assert "is the only agent" in capsys.readouterr().err


def test_two_items_are_refused_with_a_way_out(tmp_path, capsys):
    (tmp_path / "two.csv").write_text("model,a,b\nx,1,0\ny,0,1\n")
    assert main(["analyse", str(tmp_path / "two.csv")]) == 2
    assert (
        "too few for intervals; measure three or more, or ask for no intervals (--ci 0)"
        in capsys.readouterr().err
    )
    assert main(["analyse", str(tmp_path / "two.csv"), "--ci", "0"]) == 0


def test_help_needs_no_library():
    code = (
        "import sys\nfrom gindex_lab.press.cli import _parser\n_parser().format_help()\n"
        "print([m for m in ('numpy', 'pandas', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("ci", "text"),
    [
        (0.95, "Only 4 items: intervals are wide, and cover more than they say."),
        (None, "Only 4 items: other items of the same kind could give another order."),
    ],
)
def test_few_items_are_told_with_intervals_and_without(ci, text):
    family = pd.Series(list("aabb"), index=list("wxyz"), name="family")
    table = gl.Responses(
        pd.DataFrame([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 1]], columns=list("wxyz")), items=family.to_frame()
    )  # fmt: skip
    said = [sentence.text for sentence in analyse_table(table, ci=ci, seed=1).said()]
    assert text in said
    assert any("the intervals take items as independent" in one for one in said) == (ci is not None)
