"""The exercises of the course: answers by their digits, mistakes recognised, and the same verdicts in a browser."""

import json
import math
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_pages import browser, module_url, needs_chromium, watched

from gindex_lab.presentation.pages import TEMPLATES
from gindex_lab.presentation.web import source
from gindex_lab.presentation.widgets import exercises_lab
from gindex_lab.presentation.widgets.exercises import Verdict, check
from gindex_lab.presentation.widgets.exercises_answers import agreement, typed
from gindex_lab.presentation.widgets.exercises_course import ANSWERS, EXERCISES
from gindex_lab.presentation.widgets.exercises_page import exercise_data, exercises_page, sessions

ROOT = Path(__file__).resolve().parent.parent
TEACHING = sorted((ROOT / "notebooks" / "teaching").glob("*.ipynb"))


# -- answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "truth", "found"),
    [
        ("1.8", 1.7995, "yes"), ("1.80", 1.7995, "yes"), ("1.79", 1.7995, "cut"), ("1.7", 1.7995, "cut"),
        ("3.4", 3.3798, "yes"), ("3.38", 3.3798, "yes"), ("3.3", 3.3798, "cut"), ("3,38", 3.3798, "yes"),
        ("3.380", 3.3798, "yes"), ("3", 3.3798, "coarse"), ("3.39", 3.3798, "no"), ("0.4", 0.395, "coarse"),
        ("exp(0.6)", math.exp(0.6), "yes"), ("1.82", math.exp(0.6), "yes"), ("1/(1+3)", 0.25, "yes"),
        ("2^3", 8.0, "yes"), ("sqrt(2)", 2**0.5, "yes"), ("0", 0.0, "yes"), ("0.0001", 0.0, "no"), ("0.0", 0.0, "yes"),
        ("−100", -100.0, "yes"), ("-99", -100.0, "no"), ("100", -100.0, "no"), ("1e2", 100.0, "yes"),
    ],
)  # fmt: skip
def test_how_close_an_answer_must_be_follows_from_its_digits(text, truth, found):
    assert agreement(typed(text), truth) == found


@pytest.mark.parametrize(
    "text",
    ["a lot", "", "1 2", "2pi", "__import__('os')", "(1", "1)", "1/0", "exp(1000)", "ln(-1)", "log(2)", "1" * 101, "nan", "inf", "1e999", "²", "(-8)^(1/3)", ".", "--", "exp 1"],
)  # fmt: skip
def test_what_is_no_number_is_no_number(text):
    assert typed(text) is None


@given(st.floats(-1e6, 1e6).filter(lambda x: abs(x) > 1e-3), st.integers(2, 12))
def test_every_number_agrees_with_its_own_rounding_to_two_digits_or_more(truth, digits):
    assert agreement(typed(f"{truth:.{digits}g}"), truth) in ("yes", "coarse")
    assert agreement(typed(f"{truth:.{digits + 1}g}"), truth) == "yes"


def right_answer(task):
    truth = task.answer()
    return truth["example"] if isinstance(truth, dict) else truth


@pytest.mark.parametrize("name", EXERCISES)
def test_the_right_answer_is_right_and_each_mistake_is_recognised(name):
    task = EXERCISES[name]
    assert task.judge(right_answer(task)).right
    assert task.answer_text().strip("`") in task.judge(right_answer(task)).text
    for wrong, says in task.wrong():
        verdict = task.judge(wrong)
        assert (verdict.kind, says in verdict.text) == ("mistake", True)
    told = [task.judge("?!", tries).text for tries in range(1, len(task.hints) + 1)]
    assert [hint in text for hint, text in zip(task.hints, told, strict=True)] == [True] * len(told)
    assert len(task.hints) >= 2


def test_texts_and_answers_belong_together():
    texts = tomllib.loads((TEMPLATES / "exercises.toml").read_text(encoding="utf-8"))
    assert list(texts) == list(ANSWERS)
    for task in EXERCISES.values():
        if task.words:
            assert {mistake.answer for mistake in task.mistakes} <= set(task.words)
            assert task.answer() in task.words


def test_an_answer_says_what_is_the_matter_with_it():
    kinds = {
        "1": "low",
        "5": "high",
        "a lot": "unreadable",
        "": "empty",
        "2": "coarse",
        "1.21": "high",
    }
    kinds["1.21"] = "low"
    assert {given: check("g-growth", given).kind for given in kinds} == kinds
    assert check("g-domain", "sideways").kind == "word"
    assert check("bf-write", ",,,.").kind == check("bf-write", ",%.#").kind == "program"
    assert check("bf-write", ",,.#").kind == "pays"
    assert check("curve-step", np.float64(4.5)).right
    assert check("factor-none", "0 %").right
    assert "<script>" not in Verdict("right", "<script>")._repr_html_()


# -- the course -------------------------------------------------------------------------------------------


def source_of(path):
    return "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])


def test_every_exercise_stands_in_a_notebook_of_its_session_and_in_the_readme():
    readme = (ROOT / "notebooks" / "teaching" / "README.md").read_text()
    for session in sessions():
        texts = [source_of(ROOT / "notebooks" / "teaching" / f"{n}.ipynb") for n in session["notebooks"]]
        used = re.findall(r'exercise\("([\w-]+)"\)', "\n".join(texts))
        assert used == session["exercises"]
        assert [name for name in used if f"`{name}`" not in readme] == []
        assert sum(minutes for minutes, _ in session["timing"]) == 90
    named = [name for session in sessions() for name in session["notebooks"]]
    assert sorted(named) == [path.stem for path in TEACHING]
    assert [name for session in sessions() for name in session["exercises"]] == list(EXERCISES)


@pytest.mark.parametrize("path", TEACHING, ids=lambda path: path.stem)
def test_a_prediction_comes_before_every_demo_and_every_result(path):
    """The first exercise of a notebook asks for a guess, and all demos and results wait for an exercise above them."""
    cells = ["".join(c["source"]) for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]  # fmt: skip
    asked = []
    for text in cells:
        asked += re.findall(r'widgets\.exercise\("([\w-]+)"\)', text)
        if re.search(r"\.show\(\)|nb\.(show|found|say|table|save_table)\(", text):
            waits = re.findall(r'^with widgets\.after\("([\w-]+)"\):', text, re.MULTILINE)
            assert len(waits) == 1, text
            assert waits[0] in asked, text
    assert EXERCISES[asked[0]].predict


def test_in_a_pipeline_run_the_solution_is_folded_and_nothing_is_kept_back(monkeypatch, capsys):
    monkeypatch.setenv("GINDEX_LAB_OUTPUT", "/nowhere")
    still = exercises_lab.still("bf-memory")
    assert still.count("<details>") == still.count("</details>") == 1
    assert "<code>.,#</code>" in still
    with exercises_lab.after("bf-memory"):
        print("shown")
    assert capsys.readouterr().out == "shown\n"


def test_a_result_waits_for_its_exercise(monkeypatch):
    pytest.importorskip("anywidget")
    from IPython.testing.globalipapp import start_ipython

    start_ipython()
    monkeypatch.delenv("GINDEX_LAB_OUTPUT", raising=False)
    box = exercises_lab._box()(task={})
    gate = exercises_lab._gate(box, [{"output_type": "display_data", "data": {}, "metadata": {}}])
    note, place = gate.children
    assert (place.outputs, note.layout.display) == ((), "")
    box.state = {"first": "flat", "open": True}
    assert (len(place.outputs), note.layout.display) == (1, "none")
    box.state = {}
    assert place.outputs == ()


# -- the same rules in the browser --------------------------------------------------------------------------


def many_answers(task, rng):
    """Right ones, mistakes, near misses, expressions and nonsense."""
    words = ["", "?", "nonsense", " ", *task.words, *(w.upper() for w in task.words)]
    truth = task.answer()
    if task.words:
        return words
    if isinstance(truth, dict):
        drawn = ["".join(rng.choice(list("+-<>,.[]"), rng.integers(1, 14))) for _ in range(400)]
        return [*words, ",,,.#", ",>,>,.#", ",,,,[-]+.#", ".#.#", ",%.#", "+[.]#", "+[>+]#", "#", *(f"{one}#" for one in drawn)]  # fmt: skip
    near = [truth, *(wrong for wrong, _ in task.wrong())]
    digits = [f"{x:.{d}f}" for x in near for d in range(6)] + [f"{x:.{d}e}" for x in near for d in (1, 3)]  # fmt: skip
    off = [f"{x + rng.normal(scale=s):.{d}f}" for x in near for s in (0.003, 0.05, 0.5) for d in (1, 2, 3)]  # fmt: skip
    typed_as = ["exp(0.6)", "1/4", "1/(1+3)", "2^3", "2^-1", "-2^2", "2**0.5", "sqrt(2)", "√3", "π/(√(3)*ln(2))", "22,4", "22.43 %", "25%", "1e-3", "ln 4", "1/0", "1/(1/0)", "e", "2e", "(((1)))", "((1)", "1+", "1--1", "10^400", "0^0", "(-1)^0.5", "1" * 101, "１", "exp", "constructor", "toString(1)", "0.5.5", "3·4", "6÷2"]  # fmt: skip
    return [*words, *digits, *off, *typed_as, *(d.replace(".", ",") for d in digits), *(f"{d}%" for d in digits)]  # fmt: skip


@pytest.mark.browser
@pytest.mark.skipif(needs_chromium[1].args[0], reason="needs Chromium")
def test_python_and_the_page_judge_alike():
    rng = np.random.default_rng(1)
    tasks = {task["name"]: task for task in exercise_data()}
    asked = {name: many_answers(EXERCISES[name], rng) for name in tasks}
    module = module_url(source("exercises.js"))
    judge = "async ([url, tasks, asked]) => { const { exerciseJudge } = await import(url); return Object.fromEntries(Object.entries(asked).map(([name, all]) => [name, all.map((one) => { const { kind, said } = exerciseJudge(tasks[name], one); return [kind, said]; })])); }"  # fmt: skip
    with browser() as chromium, watched(chromium) as page:
        told = page.evaluate(judge, [module, tasks, asked])
    compared, kinds = 0, set()
    for name, answers in asked.items():
        for one, (kind, said) in zip(answers, told[name], strict=True):
            verdict = EXERCISES[name].judge(one)
            assert (name, one, verdict.kind, verdict.said) == (name, one, kind, said)
            compared, kinds = compared + 1, kinds | {kind}
    assert compared > 2500
    assert kinds == {"right", "empty", "unreadable", "word", "mistake", "low", "high", "coarse", "cut", "program", "pays"} | (kinds & {"other"})  # fmt: skip


def test_the_page_shows_no_answer_to_the_eye():
    page = exercises_page()
    assert "upside down`: it solves" not in page
    assert page.count("<h2>") == len(sessions()) == 8
