"""Letter series: the reconstructed machine, Kt, the table, items, systems, sessions, and bad input."""

import importlib
import json
import time
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import cautioned, refused

import gindex_lab as gl
from gindex_lab.foundation.errors import BadInput
from gindex_lab.worlds.tasks.letter_series.items import rotated
from gindex_lab.worlds.tasks.letter_series.kt import KtScale
from gindex_lab.worlds.tasks.letter_series.machine import ALPHABET, INSTRUCTIONS, text_of
from gindex_lab.worlds.tasks.letter_series.systems import shown_and_answer

ls = gl.letter_series
SERIES_TABLE = importlib.import_module("gindex_lab.worlds.tasks.letter_series.table")
FIVE = {  # difficulty, series with answer, program, instructions, steps to the sixth letter
    "adgjm": (9, "WRITE SUCC SUCC SUCC LOOPTOP", 5, 26),
    "acbdced": (10, "WRITE SUCC SUCC WRITE PRED LOOPTOP", 6, 16),
    "aazcyexg": (12, "A=C WRITE A=B WRITE SUCC SUCC B=A LOOPTOP", 8, 20),
    "aaabbbcc": (8, "WRITE WRITE WRITE SUCC LOOPTOP", 5, 8),
}


@cache
def generated(kind="prediction", hardest=12):
    """Two items of each difficulty; made when a test first asks (up to 14 they take ten seconds)."""
    return ls.generate(range(7, hardest + 1), n=2, seed=1, kind=kind)


ALL_KINDS = pytest.mark.parametrize(
    ("kind", "hardest"),
    [
        ("prediction", 12),
        ("imputation", 12),
        pytest.param("prediction", 14, marks=pytest.mark.slow),
        pytest.param("imputation", 14, marks=pytest.mark.slow),
    ],
)


# -- the machine and Kt


@pytest.mark.parametrize("series", FIVE)
def test_known_programs_write_their_series_and_are_the_best(series):
    difficulty, program, length, steps = FIVE[series]
    made = ls.run(program, max(len(series), 6))
    assert made.letters.startswith(series)
    assert (len(program.split()), made.steps[5]) == (length, steps)
    found = ls.best_program(series)
    assert (found["program"], found["length"], found["steps"]) == (program, length, steps)
    assert ls.kt(series) == difficulty


def test_kt_of_prediction_items_is_that_of_the_golden_table(goldens):
    golden = json.loads((goldens / "anytime/ctest_machine_fit.json").read_text())
    short = [row for row in golden if row["length"] <= 9]
    assert len(short) == 17
    for row in short:
        assert ls.table(9).kt(row["sequence"]) == pytest.approx(row["kt"], abs=1e-9)
        assert ls.run(row["program_full"], 6).steps[5] == row["steps_to_6"]
    for row in [row for row in short if row["kt"] < 13]:
        assert ls.kt(row["sequence"], rounding="none") == pytest.approx(row["kt"], abs=1e-9)
        assert ls.kt(row["sequence"]) == row["kt_floor"]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("longest", "written", "equal", "near"),
    [(9, 31, 24, 30), pytest.param(11, 35, 25, 34, marks=pytest.mark.slow)],
)
def test_published_difficulties_are_matched_as_often_as_the_reconstruction_says(
    longest, written, equal, near, shared, monkeypatch
):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    found = ls.fit(gl.load("ctest").items, longest=longest).dropna()
    off = found["reconstructed"] - found["published"]
    assert (len(off), (off == 0).sum(), (off.abs() <= 1).sum()) == (written, equal, near)


@pytest.mark.parametrize("seed", range(3))
def test_the_compiled_table_is_that_of_the_readable_machine(seed):
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(ls.table(7)), 60, replace=False)
    table = ls.table(7)
    outputs = table.outputs()
    for row in rows:
        made = ls.run(text_of(int(table.code[row])), SERIES_TABLE.LETTERS)
        assert rotated(made.letters, -ALPHABET.index(made.letters[0])) == outputs[row]
        assert made.steps[5] == table.steps[row]
        assert ls.canonical(text_of(int(table.code[row])))


words = st.lists(st.sampled_from(INSTRUCTIONS), min_size=2, max_size=6)


@given(words, st.integers(0, 25))
def test_no_program_is_cheaper_than_kt_and_rotation_changes_nothing(program, shift):
    made = ls.run(program, 8, most_steps=900)
    if len(made.letters) < 8 or not ls.canonical(program):
        return
    price = len(program) + np.log2(made.steps[5] + 1)
    assert ls.table(6).kt(made.letters) <= price + 1e-9
    assert ls.table(6).kt(rotated(made.letters, shift)) == ls.table(6).kt(made.letters)


def test_search_and_table_agree_where_the_table_is_complete():
    table = ls.table(7)
    cheap = np.flatnonzero(table.costs < 7 + np.log2(7))  # a longer program would cost more
    outputs = table.outputs()
    for row in cheap[:: max(len(cheap) // 25, 1)]:
        series = outputs[row][:8]
        if len(series) == 8:
            assert ls.kt(series, rounding="none") == pytest.approx(table.kt(series), abs=1e-9)


@pytest.mark.parametrize(
    ("rounding", "values"),
    [("floor", [13, 12, 13, 13]), ("ceiling", [13, 13, 13, 14]), ("nearest", [13, 13, 13, 13])],
)
def test_the_last_digits_do_not_change_a_whole_kt(rounding, values):
    numbers = [13 - 1e-12, 12.7, 13 + 1e-12, 13.3]
    assert [KtScale(rounding=rounding).rounded(x) for x in numbers] == values


def test_rounding_time_and_offset_are_parameters():
    assert ls.kt("adgjm", rounding="none") == pytest.approx(5 + np.log2(27))
    assert [ls.kt("adgjm", rounding=r) for r in ("floor", "nearest", "ceiling")] == [9, 10, 10]
    assert ls.kt("adgjm", rounding="none", n_time=5) == pytest.approx(5 + np.log2(22))
    assert ls.kt("adgjm", rounding="none", offset=0) == pytest.approx(5 + np.log2(26))
    assert ls.kt("abdegh") == 10  # 6 + log2(16), exactly 10


def test_answers_of_the_slides_examples():
    assert ls.predict("adgj") == "m"
    assert ls.predict("aazcyex") == "g"


# -- the cached table


def test_a_damaged_table_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_CACHE", str(tmp_path))
    first = ls.table(6)
    (path,) = (tmp_path / "letter_series").iterdir()
    stored = path.read_bytes()
    path.write_bytes(stored[:-50] + b"x" * 50)
    SERIES_TABLE._table.cache_clear()
    again = ls.table(6)
    assert (again.key == first.key).all()
    assert path.read_bytes() == stored
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_table_that_cannot_be_kept_is_made_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_CACHE", str(tmp_path))
    (tmp_path / "letter_series").write_text("a file, not a folder")
    with cautioned("not-kept"):
        assert ls.table(4).kt("aaaaaaaa") == ls.kt("aaaaaaaa", rounding="none")


def test_the_table_holds_no_program_that_another_beats_in_both_ways():
    table = ls.table(7)
    frame = pd.DataFrame({"key": table.key, "length": table.length, "steps": table.steps})
    assert not frame.duplicated(["key", "length"]).any()
    assert (frame.groupby("key")["steps"].diff().dropna() < 0).all()
    assert (np.diff(table.key) >= 0).all()


# -- items


@ALL_KINDS
def test_items_have_their_difficulty_five_options_and_one_gap(kind, hardest):
    items = generated(kind, hardest)
    assert [item.difficulty for item in items] == [h for h in range(7, hardest + 1) for _ in "ab"]
    for item in items:
        assert item.shown.count("_") == 1
        assert len(set(item.options)) == 5
        assert item.answer in item.options
        assert np.floor(item.kt + 1e-9) == item.difficulty
        assert 4 <= len(item.shown) - 1 <= 12
        assert (item.shown[-1] == "_") == (item.kind == "prediction")
        assert "_" not in item.whole


@ALL_KINDS
def test_each_item_has_one_best_answer_by_exhaustive_search(kind, hardest):
    for item in generated(kind, hardest):
        found = ls.table(9).continuations(item.shown)
        assert found["letter"].iloc[0] == item.answer
        assert found["kt"].iloc[0] == pytest.approx(item.kt)
        assert len(found) == 1 or found["kt"].iloc[1] > item.kt + 1
        if item.difficulty <= 12:  # all programs of that Kt, however long
            whole = ls.continuations(item.shown, margin=0)
            assert whole["letter"].tolist() == [item.answer]
            assert whole["kt"].iloc[0] == pytest.approx(item.kt)


@pytest.mark.slow
def test_an_item_that_a_longer_program_questions_is_left_out():
    loose = ls.generate(12, n=6, seed=5, filters=ls.Filters(rivals=9))
    rivals = [len(ls.continuations(item.shown, margin=1, longest=10)) - 1 for item in loose]
    assert rivals.count(0) == 5  # one has a rival of ten instructions within 1
    strict = ls.generate(12, n=6, seed=5)
    assert [item for item in strict if item in loose] != loose
    for item in strict:
        found = ls.continuations(item.shown, margin=1, longest=10)
        assert found["letter"].tolist() == [item.answer]
        assert found["kt"].iloc[0] == pytest.approx(item.kt)


def test_the_seed_decides_and_series_are_different():
    assert ls.generate(10, n=4, seed=5) == ls.generate(10, n=4, seed=5)
    assert ls.generate(10, n=4, seed=5) != ls.generate(10, n=4, seed=6)
    starts = [rotated(i.whole, -(ord(i.whole[0]) - 97)) for i in ls.generate(11, n=12, seed=1)]
    assert len(set(starts)) == 12


def test_without_wrap_no_step_goes_around_the_alphabet():
    for item in ls.generate(range(7, 13), n=3, seed=2, filters=ls.Filters(wrap=False)):
        codes = np.array([ord(x) for x in item.whole])
        steps = np.diff(codes)
        assert ((steps + 12) % 26 - 12 == steps).all()


def test_options_hold_what_simple_rules_would_say():
    for item in generated():
        said = ls.SYSTEMS["last"](item.shown)
        assert said in item.options


# -- systems


@pytest.mark.shared
def test_published_vectors_come_out_with_the_two_known_slips(shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    published = gl.load("ctest")
    found = ls.differences(published, ls.computed(published.items))
    rows = {(a, b): (c, d) for a, b, c, d in found.values.tolist()}
    assert rows == ls.SLIPS


@pytest.mark.shared
def test_difficulty_and_mean_response_of_people(shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    series = gl.load("ctest")
    golden = json.loads((shared / "golden/anytime/ctest_items.json").read_text())
    assert len(golden) == len(series.items) == 35
    assert [row["kt"] for row in golden] == series.difficulty.tolist()
    humans = series.frame[series.agents["kind"] == "human"]
    assert humans.mean().corr(series.difficulty) == pytest.approx(-0.7720632916, abs=1e-9)


def test_induction_reaches_further_with_longer_programs():
    agents = {str(k): ls.Induction(k) for k in (4, 6, 8)}
    table = ls.computed(generated(), agents)
    right = (table.frame == 1).sum(axis=1)
    assert right.is_monotonic_increasing
    assert right["4"] < right["6"] < right["8"]
    assert gl.generality(table)["capability"].is_monotonic_increasing


def test_induction_searches_for_what_is_longer_than_the_table():
    assert ls.Induction(4)(tuple("aabbccddeeffgghh_")) == "i"
    assert ls.Induction(4)(tuple("aqzbtxmaqzbtxmkc_")) is None


# -- sessions


def test_a_session_goes_through_its_items_and_scores_them():
    session = ls.Session(generated()[:3])
    assert (len(session), session.number, session.finished) == (3, 0, False)
    assert session.answer(session.item.answer)
    wrong = next(x for x in session.item.options if x != session.item.answer)
    assert not session.answer(wrong)
    session.skip()
    assert session.finished
    table = session.responses()
    assert table.frame.loc["you"].tolist() == [1, 0, 0.2]
    assert table.difficulty.tolist() == [7, 7, 8]
    assert table.items["kind"].tolist() == ["prediction"] * 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ls.kt(7), "sequence: not-letters"),
        (lambda: ls.kt("Adg"), "sequence: not-a-letter"),
        (lambda: ls.kt(["a", "bc"]), "sequence: not-a-letter"),
        (lambda: ls.kt("ad_j"), "sequence: gaps"),
        (lambda: ls.kt("a"), "sequence: too-short"),
        (lambda: ls.kt("adgj", rounding="up"), "rounding: not-an-option"),
        (
            lambda: ls.kt("adgj", n_time=40),
            "n_time: too-many",
        ),
        (lambda: ls.kt("adgj", offset=-1), "offset: out-of-range"),
        (lambda: ls.kt("adgj", longest=30), "longest: too-slow"),
        (lambda: ls.kt("aqzbtxm", longest=5), "sequence: no-program"),
        (lambda: ls.continuations("a_c_e"), "pattern: gaps"),
        (lambda: ls.continuations("abc", margin=-1), "margin: out-of-range"),
        (lambda: ls.run("WRITE JUMP"), "program: not-an-instruction"),
        (lambda: ls.run(""), "program: empty"),
        (lambda: ls.run(5), "program: not-a-program"),
        (lambda: ls.table(14), "longest: too-slow"),
        (lambda: ls.table(6).kt("abcdefghijklmnopq"), "sequence: too-long"),
        (lambda: ls.generate(6), "difficulty: no-items"),
        (lambda: ls.generate("hard"), "difficulty: not-a-whole-number"),
        (lambda: ls.generate([7, 7]), "difficulty: empty-or-duplicate"),
        (lambda: ls.generate(None), "difficulty: not-a-difficulty"),
        (lambda: ls.generate(7, n=50), "n: too-many"),
        (lambda: ls.generate(7, n=0), "n: out-of-range"),
        (lambda: ls.generate(7, seed="x"), "seed: not-a-seed"),
        (lambda: ls.generate(7, kind="guess"), "kind: not-an-option"),
        (lambda: ls.Filters(rivals=14), "rivals: out-of-range"),
        (lambda: ls.Filters(longest=12), "longest: out-of-range"),
        (lambda: ls.Filters(wrap="no"), "wrap: not-a-flag"),
        (lambda: ls.computed(pd.DataFrame({"kind": ["x"]})), "items: no-column"),
        (
            lambda: ls.fit(pd.DataFrame({"sequence": ["ab"], "answer": ["c"]})),
            "items: no-column",
        ),
        (lambda: shown_and_answer([1]), "items: not-items"),
        (lambda: ls.Induction(0)("ab_"), "longest: out-of-range"),
        (lambda: ls.Session([]), "items: not-a-list"),
        (
            lambda: ls.Session(generated()).answer("?"),
            "option: not-an-option",
        ),
        (lambda: ls.Session(generated()).responses(), "session: too-few"),
    ],
)
def test_bad_input_is_told(call, message):
    with refused(message):
        call()


@pytest.mark.parametrize("margin", [1, 2])
def test_continuations_are_the_letters_whose_series_cost_at_most_the_margin_more(margin):
    cost = {x: ls.kt(f"aabb{x}", rounding="none", longest=8) for x in "abcz"}
    near = {x for x in cost if cost[x] <= min(cost.values()) + margin}
    found = ls.continuations("aabb", margin=margin, longest=8)
    assert len(near) > 1
    assert near == set(found["letter"]) & set(cost)


def test_a_series_that_no_program_writes_is_named_as_given():
    with pytest.raises(BadInput) as caught:
        ls.kt("aqzbtxm", longest=3)
    assert (caught.value.argument, caught.value.value) == ("sequence", "aqzbtxm")


def test_time_is_counted_up_to_the_twelfth_letter():
    assert KtScale(n_time=12).n_time == 12
    with pytest.raises(BadInput) as caught:
        KtScale(n_time=13)
    assert caught.value.argument == "n_time"


def test_the_search_goes_up_to_the_highest_kt(monkeypatch):
    series_kt = importlib.import_module("gindex_lab.worlds.tasks.letter_series.kt")
    for highest, written in ((10.0, True), (9.0, False)):  # adgjm costs 5 + log2(27) = 9.75
        monkeypatch.setattr(series_kt, "HIGHEST", highest)
        series_kt._found.cache_clear()
        if written:
            assert ls.kt("adgjm", rounding="none", longest=5) == pytest.approx(5 + np.log2(27))
        else:
            with refused("sequence: no-program"):
                ls.kt("adgjm", longest=5)
    series_kt._found.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_time", "argument", "code"),
    [(6, "sequence", "no-program"), (1, "longest", "too-large")],
)
def test_a_search_without_end_is_given_up_at_its_limit(n_time, argument, code):
    """With the time of the first letter, nothing bounds a program that goes on: 14 instructions took minutes."""
    ls.kt("adgjm")
    began = time.process_time()
    with pytest.raises(BadInput) as caught:
        ls.kt("qwertyuiop", n_time=n_time, longest=14 if n_time == 1 else 11)
    assert (caught.value.argument, caught.value.code) == (argument, code)
    assert time.process_time() - began < 40  # 4 and 8 s


def test_programs_of_fourteen_instructions_are_the_longest():
    assert gl.letter_series.predict("aaaa", longest=14) == "a"
    with pytest.raises(gl.BadInput) as caught:
        gl.letter_series.predict("aaaa", longest=15)
    assert caught.value.argument == "longest"
