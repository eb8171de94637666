"""Every public name, called with hostile arguments: an error of ours, a documented TypeError for a wrong call, or a
result; nothing raw, nothing that hangs, nothing that runs out of 4 GiB."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from fuzzing import attempt, cases, hostile, names
from refusals import refused

import gindex_lab as gl

HERE = Path(__file__).parent
BATCH, ROOM = 20, 420  # names per process, and at most so many in all
SAMPLE = len(hostile())  # calls of each name, of every kind at least one


def made(start, stop, sample, timeout, script="fuzzing.py"):
    """The number of calls, and those that went wrong, of some of the names, in a process of their own."""
    done = subprocess.run(
        [sys.executable, str(HERE / script), str(start), str(stop), str(sample)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
    calls = sum(line.get("calls", 0) for line in lines)
    assert done.returncode == 0, done.stderr[-500:]
    return calls, [line for line in lines if "problem" in line]


def test_more_than_three_hundred_names_are_walked():
    assert 300 < len(names()) <= ROOM


QUICK = (
    *("Responses", "Scores", "Flow", "read", "read_scores", "rank", "Limits", "Experiment"),
    *(
        "letter_series.differences",
        "letter_series.fit",
        "mazes.play",
        "mazes.success",
        "mazes.battery",
    ),
)


def test_some_hundred_hostile_calls_end_in_errors_of_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chosen = [(label, value) for label, value in names() if label in QUICK]
    calls = [
        (f"{label}({what})", attempt(value, args, kwargs))
        for label, value in chosen
        for what, args, kwargs in cases(label, value, 25)
    ]
    assert len(chosen) == len(QUICK)
    assert len(calls) >= 200
    assert [call for call in calls if call[1]] == []


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, ROOM, BATCH))
def test_thousands_of_hostile_calls_end_in_errors_of_ours(start):
    expected = sum(len(list(cases(label, value, SAMPLE))) for label, value in names()[start : start + BATCH])
    if not expected:
        pytest.skip("no names here")
    calls, wrong = made(start, start + BATCH, SAMPLE, 1200)
    assert wrong == []
    assert calls == expected


@pytest.mark.slow
def test_hostile_calls_of_methods_end_in_errors_of_ours():
    calls, wrong = made(-1, 0, SAMPLE, 1200)
    assert wrong == []
    assert calls > 2000


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, ROOM, 105))
def test_documented_calls_with_one_argument_made_odd_end_in_errors_of_ours(start):
    calls, wrong = made(start, start + 105, 8, 1200, "odd_examples.py")
    assert wrong == []
    assert calls > 300


def test_every_name_meets_every_kind_of_value():
    chosen = dict(names())
    for label in (
        "power",
        "detectable",
        "Design",
        "adaptive",
        "Bank",
        "shorter",
        "equate",
        "plot_power",
    ):
        met = {what.rpartition("\t")[2] for what, _, _ in cases(label, chosen[label], SAMPLE)}
        assert met == set(hostile()), label


@pytest.mark.slow
def test_the_slow_walk_makes_more_than_fifteen_thousand_calls():
    assert sum(len(list(cases(label, value, SAMPLE))) for label, value in names()) > 15_000


def answered():
    session = gl.mazes.Session([gl.mazes.Maze(3, 0.5, ((1, 0), (1, 1)), "one")])
    session.click((1, 0))
    session.answer()
    return session


TABLE = gl.Responses(np.tril(np.ones((4, 5))), difficulty=[1, 2, 3, 4, 5])
ENDLESS = {"section": "a x b", "EL": 1e307, "delta": 1.0, "df": 24, "t": 2.0, "p": 0.1, "CIl": 0.0, "CIu": 2.0}  # fmt: skip
REFUSED = {  # what the walk once found raw: the call, and the argument that its error must name
    "a giant as labels": (lambda: gl.aggregate(TABLE, by=10**400), "by"),
    "a ragged interval": (lambda: gl.isometrics([[1, 2], [3]]), "interval"),
    "an interval of three": (
        lambda: gl.plot_capability_spread(gl.generality(TABLE), interval=[1, 2, 3]),
        "interval",
    ),
    "no list of levels": (
        lambda: gl.letter_series.generate(difficulty=np.array(3.0)),
        "difficulty",
    ),
    "a text for items": (lambda: gl.letter_series.items_table("abc"), "items[0]"),
    "draws by name": (lambda: gl.aiq.episode(",.#", [0], chance={"a": 1}), "chance"),
    "half a symbol": (lambda: gl.aiq.compile_program(",.#", symbols=0.5), "symbols"),
    "half a cell": (lambda: gl.aiq.by_pattern(",.#", observations=0.5), "observations"),
    "no table": (lambda: gl.aiq.survey_shares(["a", "b"]), "table"),
    "a plan for a list": (lambda: gl.anytime.plan([1], 3), "environment"),
    "words for segments": (lambda: gl.flatland.picture(["a", "b"]), "segments"),
    "words for distances": (lambda: gl.task_domains(distances=np.array([["a", "b"]])), "distances"),
    "counts without items": (lambda: gl.analysis.about_items({"a": 1}, 0.0), "counts"),
    "half a level": (lambda: gl.widgets.curve_demo(0.5), "levels"),
    "a billion samples": (lambda: gl.corpus(10**9), "n_per_domain"),
    "numbers for tables": (
        lambda: gl.analysis.survival(gl.generality(TABLE), {"a": 1}),
        "tables['a']",
    ),
    "a listener that cannot hear": (
        lambda: gl.anytime.test("random", 1, pool=gl.anytime.make_pool(3), each=lambda: None),
        "each",
    ),
    "a billion programs": (lambda: gl.aiq.sample(10**9), "n"),
    "a billion raw programs": (lambda: gl.aiq.generate(10**9, seed=1), "n"),
    "a billion games": (lambda: gl.round_robin(games=10**9), "games"),
    "a billion runs": (lambda: gl.anytime.stopping_bias([10], runs=10**9), "runs"),
    "bytes for cells": (lambda: gl.anytime.make_pool(5, cells=b"abc"), "cells"),
    "a billion drawings": (lambda: gl.flatland.curriculum(10**9, seed=1), "count"),
    "a billion pairs": (lambda: gl.aiq.coupled(",.#", runs=10**9), "runs"),
    "a billion interactions": (
        lambda: gl.aiq.rewriting_effect("freq", 3, ["original", "sep-ext"], episode=10**9),
        "episode",
    ),
    "a ragged curve": (lambda: gl.Design(curve=[[0.1, 0.2], [0.3]]), "curve"),
    "an endless episode": (
        lambda: gl.aiq.consistent_tests(pd.DataFrame([ENDLESS])),
        "analysis['EL'][0]",
    ),
    "half a character": (
        lambda: gl.flatland.parse('#include "circle.fbp"', folder="\ud800"),
        "folder",
    ),
    "a place in no order": (lambda: gl.flatland.shape("circle", position={1, 2}), "position"),
    "three letters": (
        lambda: gl.letter_series.shown_length(gl.letter_series.table(4), "abc"),
        "series",
    ),
    "keys by name": (lambda: gl.widgets.manual_view(",.#", {"a": 1}), "keys"),
    "half a name": (lambda: answered().responses("\ud800"), "agent"),
    "a curve without end": (lambda: gl.sigmoid_curve([[1, 0.5, 0]], [0, 1, 10**9]), "difficulty"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_the_argument(name):
    call, argument = REFUSED[name]
    with pytest.raises(gl.BadInput) as caught:
        call()
    assert caught.value.argument == argument


def test_a_multiverse_in_which_nothing_can_be_computed_says_why():
    with refused("choices: all-refused"):
        gl.multiverse(
            gl.Responses(TABLE.frame, items=pd.DataFrame({"minutes": [1.0, 2, 4, 8, 16]}, TABLE.frame.columns)),
            dates={"nobody": "2020-01-01"}, floor=[0.0], ceiling=[1.0], draws=100,
        )  # fmt: skip


def test_what_is_wrong_with_a_call_is_said_by_argument():
    with pytest.raises(gl.BadInput) as caught:
        gl.letter_series.differences(1, 2)
    assert caught.value.code == "wrong-type"
