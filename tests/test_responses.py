"""Responses and Scores: what goes in comes out, and what cannot be meant is refused."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from refusals import refused

from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.measures.generality import generality
from gindex_lab.measures.psychometrics.irt_scale import irt_difficulty
from gindex_lab.measures.transforms import opponent, rank, standardise

FRAME = pd.DataFrame([[1, 0.5], [0, 1]], index=["ann", "bob"], columns=["easy", "hard"])
ITEMS = pd.DataFrame({"difficulty": [1.0, 2.0], "family": ["f", "g"]}, index=["hard", "easy"])


def long(*rows, columns=("agent", "item", "response")):
    return pd.DataFrame(list(rows), columns=list(columns))


def test_metadata_follow_the_order_of_the_frame():
    table = Responses(FRAME, items=ITEMS)
    assert table.difficulty.tolist() == [2.0, 1.0]
    assert table.family.tolist() == ["g", "f"]


@pytest.mark.parametrize(
    "difficulty",
    [[3, 4], {"hard": 4, "easy": 3}, pd.Series({"hard": 4, "easy": 3}), np.array([3, 4])],
)
def test_difficulties_come_as_list_mapping_series_or_array(difficulty):
    assert Responses(FRAME, difficulty).difficulty.to_dict() == {"easy": 3.0, "hard": 4.0}


def test_the_users_frame_is_not_touched_nor_shared():
    frame = FRAME.copy()
    table = Responses(frame)
    frame.loc["ann", "easy"] = 0
    assert table.frame.loc["ann", "easy"] == 1
    table.with_difficulty([1, 2])
    assert table.difficulty is None


def test_booleans_integers_and_nullable_columns_are_numbers():
    frame = pd.DataFrame({"a": [True, False], "b": pd.array([1, None], dtype="Int64")})
    values = Responses(frame).values
    assert values[0].tolist() == [1, 1]
    assert np.isnan(values[1, 1])


def test_numbers_written_as_text_are_read():
    assert Responses(pd.DataFrame({"a": ["1", "0.5"]})).values.tolist() == [[1], [0.5]]


def test_repeated_trials_are_averaged_and_kept():
    rows = [("a", "i", 1, 1), ("a", "i", 0, 2), ("b", "i", 1, 1)]
    table = Responses.from_long(long(*rows, columns=("agent", "item", "response", "trial")), trial="trial")
    assert table.frame["i"].to_dict() == {"a": 0.5, "b": 1}
    assert len(table.trials) == len(table.to_long()) == 3
    assert len(table.select(agents=["b"]).trials) == 1


def test_a_long_table_keeps_its_order_and_gaps():
    table = Responses.from_long(long(("z", "i2", 1), ("a", "i1", 0)))
    assert list(table.frame.index) == ["z", "a"]
    assert table.describe()["missing cells"] == 2
    again = Responses.from_long(table.to_long())
    pd.testing.assert_frame_equal(again.frame, table.frame)


@given(hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(0, 1)))
def test_a_saved_table_reads_back_bit_for_bit(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("round") / "trip"
    table = Responses(values, difficulty=np.arange(values.shape[1]) / 7)
    table.save(folder)
    again = Responses.read(folder)
    assert (again.values == table.values).all()
    pd.testing.assert_frame_equal(again.items, table.items, check_names=False)


def test_a_saved_table_keeps_gaps_trials_and_replaces_an_older_one(tmp_path):
    rows = [("a", "i", 1, 1), ("a", "i", 0, 2), ("b", "j", 1, 1)]
    table = Responses.from_long(long(*rows, columns=("agent", "item", "response", "trial")), trial="trial")
    Responses(FRAME).save(tmp_path / "t")
    table.save(tmp_path / "t")
    again = Responses.read(tmp_path / "t")
    pd.testing.assert_frame_equal(again.frame, table.frame)
    pd.testing.assert_frame_equal(again.trials, table.trials)
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_a_wide_and_a_long_csv_give_the_same_table(tmp_path):
    (tmp_path / "wide.csv").write_text("model,i1,i2\na,1,0\nb,0.5,1\n")
    (tmp_path / "long.csv").write_text("agent,item,response\na,i1,1\na,i2,0\nb,i1,0.5\nb,i2,1\n")
    wide, tall = Responses.read(tmp_path / "wide.csv"), Responses.read(tmp_path / "long.csv")
    pd.testing.assert_frame_equal(wide.frame, tall.frame)


def test_whole_numbers_as_labels_survive_a_round_trip(tmp_path):
    trials = pd.DataFrame({"agent": [10, 2], "item": [0, 0], "response": [1.0, 0.0]})
    frame = pd.DataFrame([[1.0], [0.0]], index=[10, 2], columns=[0])
    Responses(frame, [3.0], trials=trials).save(tmp_path / "t")
    again = Responses.read(tmp_path / "t")
    pd.testing.assert_frame_equal(again.frame, frame)
    pd.testing.assert_frame_equal(again.trials, trials)
    assert again.difficulty.to_dict() == {0: 3.0}


NAMES = ["007", "7", "NA", "None", "1e3", " padded", 'a "quoted", name', "ünï"]


def test_names_are_text_exactly_as_written(tmp_path):
    table = Responses(pd.DataFrame(np.eye(8), index=NAMES, columns=NAMES[::-1]), range(8))
    again = Responses.read(table.save(tmp_path / "t"))
    pd.testing.assert_frame_equal(again.frame, table.frame)
    table.to_long().to_csv(tmp_path / "long.csv", index=False)
    pd.testing.assert_frame_equal(Responses.read(tmp_path / "long.csv").frame, table.frame)


def test_labels_of_a_plain_file_are_text_even_where_they_look_like_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("agent,0,1\n10,1,0\n2,,1\n")
    frame = Responses.read(tmp_path / "t.csv").frame
    assert (list(frame.index), list(frame.columns)) == (["10", "2"], ["0", "1"])
    assert np.isnan(frame.loc["2", "0"])


RESULTS = {
    "rank": lambda: rank(RAW),
    "rank, continuous": lambda: rank(RAW, columns=None),
    "standardise": lambda: standardise(RAW),
    "opponent": lambda: opponent([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]),
    "a given interval": lambda: Responses([[1, 1, 0], [1, 0, 0]], [1, 2, 4], interval=(0, 9)),
}
RAW = Scores(
    pd.DataFrame(np.random.default_rng(1).normal(size=(4, 12)), columns=range(12)),
    items=pd.DataFrame({"family": ["f", "g", "h"] * 4}),
    source="made up",
    citation="nobody (2026)",
    licence="CC0",
    name="raw",
)


@pytest.mark.parametrize("case", RESULTS)
def test_what_a_transform_made_measures_the_same_after_a_file(case, tmp_path):
    table = RESULTS[case]()
    again = Responses.read(table.save(tmp_path / "t"))
    assert type(again) is type(table)
    for fact in ("name", "source", "citation", "licence", "interval"):
        assert getattr(again, fact) == getattr(table, fact)
    pd.testing.assert_frame_equal(generality(again, ci=0.9), generality(table, ci=0.9))
    if isinstance(table, StepCurves):
        pd.testing.assert_frame_equal(again.positions, table.positions)
        by = {"ci": 0.9, "resample": "families"}
        pd.testing.assert_frame_equal(generality(again, **by), generality(table, **by))


def test_curves_are_not_read_as_scores(tmp_path):
    rank(RAW).save(tmp_path / "t")
    with refused("path: not-scores"):
        Scores.read(tmp_path / "t")


def test_saving_never_deletes_what_is_not_ours(tmp_path, monkeypatch):
    table = Responses(FRAME)
    (tmp_path / "notes.txt").write_text("mine")
    with refused("folder: not-ours"):
        table.save(tmp_path)
    with refused("folder: is-a-file"):
        table.save(tmp_path / "notes.txt")
    (tmp_path / "t" / "items.csv").mkdir(parents=True)
    with refused("folder: not-ours"):
        table.save(tmp_path / "t")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with refused("folder: not-ours"):
        table.save(".")
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty", "notes.txt", "t"]


def test_other_difficulties_drop_the_interval_of_the_old_ones():
    table = Responses(FRAME, [1, 2], interval=(0, 3))
    assert table.with_difficulty([10, 20]).interval is None
    found = generality(table, difficulty=[10, 20])
    assert found.attrs["interval"] == (10.0, 20.0)
    assert irt_difficulty(Responses(np.eye(6)[:, :4], range(4), interval=(0, 9))).interval is None


def test_scores_keep_their_trials_on_the_new_scale():
    rows = [("a", "i", 10, 1), ("a", "i", 30, 2), ("b", "i", 50, 1), ("b", "i", 50, 2)]
    raw = long(*rows, columns=("agent", "item", "response", "trial"))
    scores = Scores.from_long(raw, trial="trial")
    found = scores.to_responses()
    assert found.trials["response"].tolist() == [0, 0.5, 1, 1]
    assert found.frame["i"].to_dict() == {"a": 0.25, "b": 1}
    clipped = scores.to_responses(20, 40, outside="clip")
    assert clipped.trials["response"].tolist() == [0, 0.5, 1, 1]
    with refused("frame[0, 'response']: out-of-range"):  # the mean, 20, is; a trial is not
        scores.to_responses(15, 60)


def test_scores_map_to_responses_by_their_range_or_the_given_one():
    scores = Scores(pd.DataFrame({"pong": [-21, 21, 0]}))
    assert scores.to_responses().frame["pong"].tolist() == [0, 1, 0.5]
    assert scores.to_responses(0, 10, outside="clip").frame["pong"].tolist() == [0, 1, 0]


def test_describe_counts_what_is_there():
    facts = Responses(FRAME, items=ITEMS, source="simulated").describe()
    assert facts["families"] == 2
    assert facts["easiest"] == 1
    assert facts["constant items"] == 0
    assert facts["source"] == "simulated"


def test_the_repr_says_what_it_is():
    assert repr(Scores([[1, None]], name="toy")) == "Scores(toy: 1 agents x 2 items, 1 missing)"


DAY = datetime.date(2020, 1, 1)
BAD = {
    "a number above one": (lambda: Responses([[0, 2]]), "frame['agent 1', 'item 2']: out-of-range"),
    "a negative number": (lambda: Responses([[-0.1]]), "frame['agent 1', 'item 1']: out-of-range"),
    "an infinite score": (lambda: Scores([[np.inf]]), "frame['agent 1', 'item 1']: not-finite"),
    "a word": (lambda: Responses(pd.DataFrame({"i": ["yes", 1]}, index=["a", "b"])), "frame['a', 'i']: not-a-number"),
    "no rows": (lambda: Responses(FRAME.iloc[:0]), "frame: empty"),
    "no columns": (lambda: Responses(FRAME[[]]), "frame: empty"),
    "a ragged list": (lambda: Responses([[1, 0], [1]]), "frame: wrong-type"),
    "an agent twice": (lambda: Responses(pd.concat([FRAME, FRAME])), "frame.index: duplicate-label"),
    "an item twice": (lambda: Responses(FRAME.set_axis(["i", "i"], axis=1)), "frame.columns: duplicate-label"),
    "too few difficulties": (lambda: Responses(FRAME, [1]), "difficulty: wrong-length"),
    "a missing difficulty": (lambda: Responses(FRAME, [1, None]), "difficulty: missing"),
    "an infinite difficulty": (lambda: Responses(FRAME, [1, np.inf]), "difficulty['hard']: not-finite"),
    "a difficulty in words": (lambda: Responses(FRAME, ["low", "high"]), "difficulty['easy']: not-a-number"),
    "difficulties of other items": (lambda: Responses(FRAME, {"easy": 1}), "difficulty: missing"),
    "an item not described": (lambda: Responses(FRAME, items=ITEMS.iloc[:1]), "items: missing"),
    "an item described twice": (lambda: Responses(FRAME, items=pd.concat([ITEMS, ITEMS])), "items.index: duplicate-label"),
    "items as a list": (lambda: Responses(FRAME, items=["easy", "hard"]), "items: wrong-type"),
    "an agent not described": (lambda: Responses(FRAME, agents=pd.DataFrame(index=["ann"])), "agents: missing"),
    "an empty interval": (lambda: Responses(FRAME, interval=(2, 2)), "interval: out-of-range"),
    "an endless interval": (lambda: Responses(FRAME, interval=(0, np.inf)), "interval: out-of-range"),
    "an unknown agent": (lambda: Responses(FRAME).select(agents=["eve"]), "agents: unknown-label"),
    "an unknown item": (lambda: Responses(FRAME).select(items=["odd"]), "items: unknown-label"),
    "an unknown difficulty column": (lambda: Responses(FRAME, items=ITEMS).with_difficulty("KDN"), "difficulty: no-column"),
    "a long table without responses": (lambda: Responses.from_long(FRAME), "table: no-column"),
    "a cell twice": (lambda: Responses.from_long(long(("a", "i", 1), ("a", "i", 0))), "table: duplicate"),
    "a trial twice": (lambda: Responses.from_long(long(("a", "i", 1), ("a", "i", 0)).assign(t=1), trial="t"), "table: duplicate"),
    "a row without an agent": (lambda: Responses.from_long(long((None, "i", 1))), "table: missing"),
    "a trial off the scale": (lambda: Responses.from_long(long(("a", "i", 3)).assign(t=1), trial="t"), "frame[0, 'response']: out-of-range"),
    "an interval of letters": (lambda: Responses(FRAME, interval="xy"), "interval: not-a-pair"),
    "an interval of digits": (lambda: Responses(FRAME, interval="12"), "interval: not-a-pair"),
    "half an interval": (lambda: Responses(FRAME, interval=(1,)), "interval: not-a-pair"),
    "a number as interval": (lambda: Responses(FRAME, interval=5), "interval: not-a-pair"),
    "items of no difficulty": (lambda: Responses(FRAME, items=ITEMS.assign(difficulty=["a", 1])), "difficulty['hard']: not-a-number"),
    "a bad difficulty by item": (lambda: Responses([[1, 0]], [1, "b"]), "difficulty['item 2']: not-a-number"),
    "ragged difficulties": (lambda: Responses(FRAME, [[1], [1, 2]]), "difficulty: wrong-shape"),
    "difficulties as dates": (lambda: Responses(FRAME, pd.date_range("2020", periods=2)), "difficulty['easy']: not-a-number"),
    "difficulties as dates by item": (lambda: Responses(FRAME, {"easy": DAY, "hard": DAY}), "difficulty['easy']: not-a-number"),
    "dates as scores": (lambda: Scores(pd.DataFrame({"i": pd.date_range("2020", periods=2)})), "frame[0, 'i']: not-a-number"),
    "a date among scores": (lambda: Scores([[1, DAY]]), "frame['agent 1', 'item 2']: not-a-number"),
    "durations as scores": (lambda: Scores(np.array([[5]], dtype="m8[s]")), "frame['agent 1', 'item 1']: not-a-number"),
    "complex scores": (lambda: Scores(np.array([[1j, 2]])), "frame['agent 1', 'item 1']: not-a-number"),
    "a complex score among others": (lambda: Scores(pd.DataFrame({"i": [1, "2", 1j]})), "frame[2, 'i']: not-a-number"),
    "nothing": (lambda: Responses(None), "frame: wrong-type"),
    "a single number": (lambda: Responses(0.5), "frame: wrong-type"),
    "a mapping": (lambda: Responses({"a": [1]}), "frame: wrong-type"),
    "a column": (lambda: rank(pd.Series([1, 2, 3])), "frame: wrong-type"),
    "rows of two levels": (lambda: Responses(FRAME.set_axis(pd.MultiIndex.from_tuples([("a", 1), ("a", 2)], names=["x", "y"]))), "frame.index: wrong-type"),
    "an agent without a name": (lambda: Responses(FRAME.set_axis(["a", np.nan])), "frame.index[1]: missing"),
    "trials of something else": (lambda: Responses(FRAME, trials=pd.DataFrame({"x": [1]})), "trials: missing-column"),
    "trials as a list": (lambda: Responses(FRAME, trials=[1]), "trials: wrong-type"),
    "a long list": (lambda: Responses.from_long([1, 2]), "table: not-a-table"),
    "a long mapping": (lambda: Responses.from_long({"agent": ["a"]}), "table: not-a-table"),
    "nothing to read": (lambda: Responses.read(None), "path: wrong-type"),
    "too many lows": (lambda: Scores([[5]]).to_responses(low=[1, 2]), "low: wrong-length"),
    "a low in words": (lambda: Scores([[5]]).to_responses(low="a"), "low['item 1']: not-a-number"),
    "a high by another item": (lambda: Scores([[5]]).to_responses(high={"x": 9}), "high: missing"),
    "agents as one word": (lambda: Responses(FRAME).select(agents="ann"), "agents: wrong-type"),
    "agents as a number": (lambda: Responses(FRAME).select(agents=3), "agents: wrong-type"),
    "a list among agents": (lambda: Responses(FRAME).select(agents=[["ann"]]), "agents: unknown-label"),
    "difficulties of curves": (lambda: rank(RAW).with_difficulty(range(100)), "difficulty: fixed"),
    "a constant item to rescale": (lambda: Scores([[1], [1]]).to_responses(), "low, high of item 'item 1': not-in-order"),
    "a score beyond the given range": (lambda: Scores([[5]]).to_responses(0, 1), "frame['agent 1', 'item 1']: out-of-range"),
    "an unknown rule for the outside": (lambda: Scores([[5]]).to_responses(outside="drop"), "outside: not-an-option"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_tables_are_refused_by_name_value_and_remedy(case):
    make, message = BAD[case]
    with refused(message):
        make()


BAD_FILES = {
    "an absent file": (None, "path: not-found"),
    "an empty file": ("", "path: not-csv"),
    "one column": ("agent\na\n", "path: too-few"),
    "rows of unequal length": ("agent,i\na,1\nb,1,2,3\n", "path: not-csv"),
    "a word in a cell": ("agent,i\na,one\n", "frame['a', 'i']: not-a-number"),
    "a blank agent": ("agent,i\na,1\n,0\n", "path: no-row"),
    "a blank item in a long table": ("agent,item,response\na,,1\n", "path: no-row"),
    "an item twice": ("agent,i,i\na,1,0\n", "path: duplicate-label"),
    "an agent twice": ("agent,i\na,1\na,0\n", "frame.index: duplicate-label"),
    "bytes that are no text": (b"agent,i\n\xff\xfe,1\n", "path: not-csv"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_are_refused_with_their_name(case, tmp_path):
    content, message = BAD_FILES[case]
    path = tmp_path / "scores.csv"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with refused(message):
        Responses.read(path)


@pytest.mark.parametrize(
    ("part", "content", "message"),
    [
        ("items.csv", "item,difficulty\ni,easy\n", "difficulty['i']: not-a-number"),
        (
            "items.csv",
            "item,difficulty\ni,1\ni,2\n",
            "items.index: duplicate-label",
        ),
        ("study.json", "{", "path: not-json"),
        ("study.json", "[1]", "path: not-a-table"),
        ("study.json", '{"interval": [1]}', "interval: not-a-pair"),
    ],
)
def test_bad_parts_of_a_folder_are_refused(part, content, message, tmp_path):
    (tmp_path / "responses.csv").write_text("agent,i\na,1\n")
    (tmp_path / part).write_text(content)
    with refused(message):
        Responses.read(tmp_path)


def test_messages_speak_plain_numbers():
    error = BadInput(f"x[{np.int64(3)!r}]", (np.float64(0.5), np.True_), "is odd", "fix it")
    assert str(error) == "x[3]=(0.5, True): is odd; fix it"


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*_args, **_kwargs):
        raise OSError("disk full")

    table = Responses(FRAME)
    monkeypatch.setattr(pd.DataFrame, "to_csv", full)
    with pytest.raises(OSError, match="disk full"):
        table.save(tmp_path / "t")
    assert list(tmp_path.iterdir()) == []


def test_errors_survive_a_process_boundary():
    import pickle

    error = BadInput("seed", -1, "is not a seed", "pass seed=1")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert isinstance(error, GIndexLabError)


def test_a_long_table_holds_the_observed_cells_only():
    table = Responses([[1, None], [0, 1]])
    assert len(table.to_long()) == 3
    assert table.to_long()["response"].notna().all()
