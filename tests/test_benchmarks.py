"""The benchmarks' page: rows of any form, stored ratios, falls that are seen."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import bench_irt
from benchmarks.page import write_page
from benchmarks.rows import alone, compared, curve, exponent, quantity, race, within
from gindex_lab.foundation.folders import remove
from gindex_lab.press.lint import page_findings

ROOT = Path(__file__).parents[1]


def test_a_ratio_above_one_means_ours_is_faster_for_times_and_rates():
    assert race("a", 0.5, 2.0, "loop")["ratio"] == 4.0
    assert race("a", 2e6, 1e6, "loop", unit="steps/s")["ratio"] == 2.0
    assert race("a", 50.0, 100.0, "loop", unit="MiB")["ratio"] == 2.0


def test_a_limit_tells_its_share_and_a_peer_that_could_not_run_has_no_ratio():
    assert within("a", 3.0, 60.0, "a minute", unit="s")["share_of_limit"] == 0.05
    absent = race("a", 0.5, None, "girth", note="girth is not installed here")
    assert (absent["ratio"], absent["peer"]) == (None, None)


def test_a_curve_gets_the_exponent_of_its_proven_points():
    assert exponent([1, 10, 100], [0.5, 50, 5_000]) == pytest.approx(2)
    sizes, seconds = [1, 10, 100, 1000], [1.0, 10.0, 100.0, 101.0]
    bent = curve("c", sizes, seconds, "nodes", proven=[True, True, True, False])
    assert bent["exponent"] == pytest.approx(1)
    short = curve("c", sizes, seconds, "nodes", proven=[True, True, False, False])
    assert short["exponent"] is None, "a line through two points fits anything"


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        (0.00144, "s", "1.44 ms"),
        (2.5e-5, "s", "25 µs"),
        (215.4, "s", "215 s"),
        (0.0, "s", "0 ns"),
        (25_134_282, "steps/s", "25.1 M steps/s"),
        (461, "pictures/s", "461 pictures/s"),
        (0.17, "GB", "0.17 GB"),
        (None, "s", "–"),
    ],
)
def test_quantities_have_three_digits_and_a_unit(value, unit, told):
    assert quantity(value, unit) == told


@pytest.mark.parametrize(("now", "fell"), [(100, False), (71, False), (69, True), (500, False)])
def test_a_fall_of_more_than_thirty_percent_is_seen(now, fell):
    row = compared([race("a", 1.0, now, "loop")], {"a": 100.0})[0]
    assert row["fell"] is fell
    assert row["change"] == pytest.approx(now / 100 - 1)


def test_what_has_no_stored_ratio_or_no_peer_cannot_fall():
    rows = [race("new", 1.0, 0.1, "loop"), race("a", 1.0, None, "gone"), alone("a", 1.0)]
    assert [row["fell"] for row in compared(rows, {"a": 9.0})] == [False, False, False]


def test_the_page_shows_falls_limits_growth_and_failures(tmp_path):
    rows = [
        race("slower <now>", 1.0, 50.0, "a <loop>", goal=60),
        race("unmet", 0.25, None, "girth", note="girth is not installed here"),
        within("near", 0.118, 1.0, "one tick", unit="s"),
        curve("growth of x", [1, 10, 100], [1.0, 10.0, 100.0], "nodes", note="1 is in proportion"),
        curve("hard", [1, 10], [1.0, 10.0], "nodes", proven=[False, False]),
        alone("lonely", 0.002),
    ]
    part = {"benchmark": "one", "error": "", "cpu": 1.0, "peak_mb": 99.0, "load": [0.5, 1.7]}
    found = [
        part | {"rows": compared(rows, {"slower <now>": 100.0})},
        {"benchmark": "two", "error": "ImportError: gone", "rows": [], "load": [0.5, 0.5]},
    ]
    machine = {"processor": "P", "cores": 2, "python": "3", "load": 0.5, "date": "today"}
    write_page(tmp_path / "page.html", found, machine, machine, "quick")
    text = (tmp_path / "page.html").read_text()
    assert [f for f in page_findings(text) if f.rule in ("columns", "cut")] == []
    for expected in (
        "1 of 1 ratios fell",
        "<li>slower &lt;now&gt;: 100 × stored, 50 × now</li>",
        "a &lt;loop&gt;",
        "missed</span>",
        "-50%",
        "1 peers could not be measured</span> girth is not installed here",
        "11.8%",
        "<svg",
        "exponent 1.00",
        "no peer",
        "ImportError: gone",
        "99 MB",
        "0.5 to 1.7",
    ):
        assert expected in text


def test_a_peer_that_is_not_installed_leaves_a_row_with_the_reason(monkeypatch, tmp_path):
    monkeypatch.setattr(bench_irt, "FOLDER", tmp_path)
    rows = bench_irt.run([(60, 6)])
    assert [row["against"] for row in rows] == ["mirt", "girth"]
    assert all(row["ratio"] is None and row["ours"] > 0 for row in rows)
    assert "mirt is not installed here: `make bench` fetches it" in rows[0]["note"]


def test_a_peer_that_fails_tells_its_last_words(monkeypatch, tmp_path):
    package = tmp_path / "girth"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('needs another scipy')")
    monkeypatch.setattr(bench_irt, "FOLDER", tmp_path)
    notes = [row["note"] for row in bench_irt.run([(60, 6)])]
    assert notes[1] == "girth failed: ImportError: needs another scipy"


def test_the_peers_are_pinned_with_hashes_and_without_an_address():
    lock = (ROOT / "benchmarks" / "requirements.lock").read_text()
    blocks = [block for block in lock.replace("\\\n", "").splitlines() if block]
    assert [block.split("==")[0] for block in blocks] == ["girth", "mirt"]
    assert all("--hash=sha256:" in block for block in blocks)
    assert "://" not in lock


def test_an_unknown_benchmark_is_told():
    command = [sys.executable, "-m", "benchmarks", "nonsense"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert "nonsense: no such benchmark; there are aiq_agents," in done.stderr


def test_stored_ratios_say_where_they_were_measured():
    stored = json.loads((ROOT / "benchmarks" / "baseline.json").read_text())
    assert stored["machine"].keys() >= {"processor", "cores", "load", "date"}
    assert all(ratio > 0 for rows in stored["ratios"].values() for ratio in rows.values())


def test_make_clean_takes_the_page_of_the_benchmarks_along(tmp_path):
    from benchmarks.__main__ import _write

    (tmp_path / "mine.txt").write_text("mine")
    options = SimpleNamespace(reports=tmp_path, profile="quick", save=False)
    _write([], {}, options)
    assert {p.name for p in tmp_path.iterdir()} > {"benchmarks.html", "benchmarks.json"}
    assert remove(tmp_path) == ["mine.txt"]
