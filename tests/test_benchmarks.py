"""The benchmarks' page: rows of any form, stored ratios, falls that are seen."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.page import write_page
from benchmarks.rows import compared, exponent, tidy

ROOT = Path(__file__).parents[1]


def test_rows_of_every_form_become_one():
    plain = tidy([{"benchmark": "a", "ratio": 3.5, "target": 2, "ours": 0.25, "note": "warm"}])
    assert plain == [{"name": "a", "ratio": 3.5, "goal": 2, "told": "ours 0.25; warm"}]
    by_task = tidy([{"task": "read", "times_faster": 1.5}])
    assert (by_task[0]["name"], by_task[0]["ratio"]) == ("read", 1.5)
    by_index = tidy(pd.DataFrame({"seconds": [2.0], "times faster": [7.0]}, index=["b"]))
    assert by_index == [{"name": "b", "ratio": 7.0, "goal": None, "told": "2 s"}]
    by_size = tidy(
        pd.DataFrame({"size": ["9 x 9"], "program": ["peer"], "times ours": [float("nan")]})
    )
    assert (by_size[0]["name"], by_size[0]["ratio"]) == ("9 x 9, peer", None)


def test_a_curve_gets_the_exponent_of_its_growth():
    assert exponent([1, 10, 100], [0.5, 50, 5_000]) == pytest.approx(2)
    assert tidy([{"what": "c", "sizes": [1, 10], "seconds": [1.0, 10.0]}])[0][
        "exponent"
    ] == pytest.approx(1)


@pytest.mark.parametrize(("now", "fell"), [(100, False), (71, False), (69, True), (500, False)])
def test_a_fall_of_more_than_thirty_percent_is_seen(now, fell):
    row = compared(tidy([{"benchmark": "a", "ratio": now}]), {"a": 100.0})[0]
    assert row["fell"] is fell
    assert row["change"] == pytest.approx(now / 100 - 1)


def test_what_has_no_stored_ratio_cannot_fall():
    rows = compared(tidy([{"benchmark": "new", "ratio": 0.1}, {"benchmark": "a"}]), {"a": 9.0})
    assert [row["fell"] for row in rows] == [False, False]


def test_the_page_shows_falls_limits_growth_and_failures(tmp_path):
    rows = [
        {"benchmark": "slower <now>", "ratio": 50.0},
        {"benchmark": "near", "share_of_limit": 0.118, "limit": "one tick"},
        {"benchmark": "growth: x", "sizes": [1, 10], "seconds": [1.0, 10.0]},
    ]
    part = {"benchmark": "one", "error": "", "cpu": 1.0, "peak_mb": 99.0, "load": 0.5}
    found = [
        part | {"rows": compared(tidy(rows), {"slower <now>": 100.0})},
        {"benchmark": "two", "error": "ImportError: gone", "rows": [], "load": 0.5},
    ]
    machine = {"processor": "P", "cores": 2, "python": "3", "load": 0.5, "date": "today"}
    write_page(tmp_path / "page.html", found, machine, machine, "quick")
    text = (tmp_path / "page.html").read_text()
    for expected in (
        "1 of 1 ratios fell",
        "slower &lt;now&gt;",
        "-50%",
        "11.8%",
        "<svg",
        "size^1.00",
        "ImportError: gone",
        "99 MB",
    ):
        assert expected in text


def test_an_unknown_benchmark_is_told():
    command = [sys.executable, "-m", "benchmarks", "nonsense"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert "nonsense: no such benchmark; there are aiq_agents," in done.stderr


def test_stored_ratios_say_where_they_were_measured():
    stored = json.loads((ROOT / "benchmarks" / "baseline.json").read_text())
    assert stored["machine"].keys() >= {"processor", "cores", "load", "date"}
    assert all(ratio > 0 for rows in stored["ratios"].values() for ratio in rows.values())
