"""Errors that teach: a stable code, the argument, the value and the remedy, whatever the value is."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.foundation import validate
from gindex_lab.foundation.errors import BadInput, short

GIANT = 10**400

CODES = {
    "not-an-option": lambda: validate.choice("mode", "fast", ["exact"]),
    "not-a-flag": lambda: validate.flag("plot", "yes"),
    "not-a-pair": lambda: validate.pair("interval", [GIANT, 1]),
    "not-a-whole-number": lambda: validate.integer("n", 1.5),
    "out-of-range": lambda: validate.integer("n", GIANT),
    "not-a-number": lambda: validate.number("x", "1"),
    "not-a-seed": lambda: validate.generator(-1),
    "unknown-label": lambda: validate.known("agents", ["z"], pd.Index(["a"])),
    "duplicate-label": lambda: validate.no_duplicates("agents", ["a", "a"]),
    "wrong-length": lambda: validate.vector("x", [1.0], 2),
    "wrong-shape": lambda: validate.vector("x", [[1.0]]),
    "not-finite": lambda: validate.vector("x", [np.nan]),
    "empty": lambda: gl.Responses(pd.DataFrame()),
    "missing-column": lambda: gl.Responses([[1]], trials=pd.DataFrame({"agent": ["a"]})),
}


@pytest.mark.parametrize("code", CODES)
def test_each_kind_of_problem_has_a_code_of_its_own(code):
    with pytest.raises(BadInput) as caught:
        CODES[code]()
    assert caught.value.code == code
    assert caught.value.argument
    assert caught.value.remedy


def test_an_error_without_a_code_has_that_of_its_class():
    assert gl.DataUnavailable("name", "x", "is absent", "fetch it").code == "data-unavailable"
    assert gl.BadProgram("program", "x", "is wrong", "fix it").code == "bad-program"


def test_the_code_survives_the_way_back_from_a_worker():
    error = pickle.loads(pickle.dumps(BadInput("n", 3, "[odd] is odd", "use 4")))
    assert (error.code, error.argument, error.value, error.remedy) == ("odd", "n", 3, "use 4")


@pytest.mark.parametrize(
    "call",
    [
        lambda: validate.integer("n", GIANT),
        lambda: validate.number("x", GIANT),
        lambda: validate.number("x", -GIANT, 0, 1),
        lambda: validate.pair("interval", (0, GIANT)),
        lambda: validate.vector("x", [1, GIANT]),
        lambda: validate.per_item("difficulty", [GIANT], pd.Index(["a"])),
        lambda: gl.Responses([[GIANT]]),
        lambda: gl.Scores([[GIANT, 1], [0, 1]]),
        lambda: validate.integer("n", 10**5000),
    ],
)
def test_whole_numbers_of_hundreds_of_digits_are_refused(call):
    with pytest.raises(BadInput) as caught:
        call()
    assert len(str(caught.value)) < 300


def test_cells_that_hold_lists_are_refused_by_their_address():
    with pytest.raises(BadInput) as caught:
        gl.Scores(pd.DataFrame({"i": [[1, 2]]}, index=["ann"]))
    assert caught.value.argument == "frame['ann', 'i']"


def test_a_value_that_cannot_be_written_does_not_hide_the_message():
    class Silent:
        def __repr__(self):
            raise RuntimeError("no")

    assert short(Silent()) == "<Silent>"
    assert len(short("a" * 10_000_000)) == 80


def test_text_among_numbers_and_half_precision_are_named():
    row = {"section": "Paired t-test a x b", "EL": 1, "delta": 1.0, "df": 24, "t": "x", "p": 0.05}
    row |= {"CIl": -0.03195, "CIu": 2.03195}
    with pytest.raises(gl.BadInput) as caught:
        gl.aiq.consistent_tests(pd.DataFrame([row]))
    assert (caught.value.argument, caught.value.code) == ("analysis", "not-a-number")
    assert gl.anytime.MarkovPattern("01", (), actions=2.0).length == 5.0
    process = gl.aiq.close(",.#")
    assert process.independent(np.zeros(len(process.following), dtype=np.float16))


def test_what_can_be_gone_through_only_once_is_gone_through_once(tmp_path):
    mazes = gl.mazes.battery(iter((6, 8)), iter((0.3, 0.4)), copies=1, seed=1)
    assert [maze.name for maze in mazes] == ["R06 S0.3 1", "R06 S0.4 1", "R08 S0.3 1", "R08 S0.4 1"]
    plan = gl.aiq.Plan(programs=400, runs=100, episodes=(5,))
    table = gl.aiq.sweep(tmp_path, iter(["SEP-ext"]), {"Freq,0.05": "Freq"}, plan)
    assert len(table) == 1


DEEP = """
import gindex_lab as gl
deep = []
for _ in range(100_000):
    deep = [deep]
process = gl.aiq.close(",.#")
for method in (process.random, process.independent):
    try:
        method(deep)
    except gl.BadInput as error:
        print(error.argument)
"""


def test_a_list_of_a_hundred_thousand_lists_does_not_end_python():
    done = subprocess.run([sys.executable, "-c", DEEP], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "labels\nlabels\n"), done.stderr[-500:]
