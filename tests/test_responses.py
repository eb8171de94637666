"""Responses and Scores: what goes in comes out, and what cannot be meant is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gindex_lab.errors import BadInput, GIndexLabError
from gindex_lab.responses import Responses, Scores

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
    table = Responses.from_long(
        long(*rows, columns=("agent", "item", "response", "trial")), trial="trial"
    )
    assert table.frame["i"].to_dict() == {"a": 0.5, "b": 1}
    assert len(table.trials) == len(table.to_long()) == 3
    assert len(table.select(agents=["b"]).trials) == 1


def test_a_long_table_keeps_its_order_and_gaps():
    table = Responses.from_long(long(("z", "i2", 1), ("a", "i1", 0)))
    assert list(table.frame.index) == ["z", "a"]
    assert table.describe()["missing cells"] == 2
    again = Responses.from_long(table.to_long())
    pd.testing.assert_frame_equal(again.frame, table.frame)


@given(
    hnp.arrays(
        float, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(0, 1)
    )
)
def test_a_saved_table_reads_back_bit_for_bit(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("round") / "trip"
    table = Responses(values, difficulty=np.arange(values.shape[1]) / 7)
    table.save(folder)
    again = Responses.read(folder)
    assert (again.values == table.values).all()
    pd.testing.assert_frame_equal(again.items, table.items, check_names=False)


def test_a_saved_table_keeps_gaps_trials_and_replaces_an_older_one(tmp_path):
    rows = [("a", "i", 1, 1), ("a", "i", 0, 2), ("b", "j", 1, 1)]
    table = Responses.from_long(
        long(*rows, columns=("agent", "item", "response", "trial")), trial="trial"
    )
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


def test_numeric_agent_names_survive_a_round_trip(tmp_path):
    Responses(pd.DataFrame([[1.0], [0.0]], index=[10, 2], columns=["i"])).save(tmp_path / "t")
    assert list(Responses.read(tmp_path / "t").frame.index) == [10, 2]


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


BAD = {
    "a number above one": (lambda: Responses([[0, 2]]), r"frame\['agent 1', 'item 2'\]=2.0: is not in \[0, 1\]; rescale"),
    "a negative number": (lambda: Responses([[-0.1]]), r"is not in \[0, 1\]"),
    "an infinite score": (lambda: Scores([[np.inf]]), r"frame\['agent 1', 'item 1'\]=.*is infinite; mend"),
    "a word": (lambda: Responses(pd.DataFrame({"i": ["yes", 1]}, index=["a", "b"])), r"frame\['a', 'i'\]='yes': is not a number"),
    "no rows": (lambda: Responses(FRAME.iloc[:0]), r"frame=\(0, 2\): is empty"),
    "no columns": (lambda: Responses(FRAME[[]]), r"is empty; pass at least one agent"),
    "a ragged list": (lambda: Responses([[1, 0], [1]]), "frame='list': is not a table"),
    "an agent twice": (lambda: Responses(pd.concat([FRAME, FRAME])), r"frame.index='ann': stands there more than once"),
    "an item twice": (lambda: Responses(FRAME.set_axis(["i", "i"], axis=1)), r"frame.columns='i': stands there more"),
    "too few difficulties": (lambda: Responses(FRAME, [1]), "difficulty=1: has another length than the 2 items"),
    "a missing difficulty": (lambda: Responses(FRAME, [1, None]), "difficulty='hard': is an item without"),
    "an infinite difficulty": (lambda: Responses(FRAME, [1, np.inf]), "is infinite"),
    "a difficulty in words": (lambda: Responses(FRAME, ["low", "high"]), "is not a number"),
    "difficulties of other items": (lambda: Responses(FRAME, {"easy": 1}), "difficulty='hard': is an item without"),
    "an item not described": (lambda: Responses(FRAME, items=ITEMS.iloc[:1]), "items='easy': is in the frame but not described"),
    "an item described twice": (lambda: Responses(FRAME, items=pd.concat([ITEMS, ITEMS])), "items.index='hard': stands there"),
    "items as a list": (lambda: Responses(FRAME, items=["easy", "hard"]), "items='list': is not a DataFrame"),
    "an agent not described": (lambda: Responses(FRAME, agents=pd.DataFrame(index=["ann"])), "agents='bob': is in the frame"),
    "an empty interval": (lambda: Responses(FRAME, interval=(2, 2)), r"interval=\(2, 2\): is empty"),
    "an endless interval": (lambda: Responses(FRAME, interval=(0, np.inf)), "is empty or not finite"),
    "an unknown agent": (lambda: Responses(FRAME).select(agents=["eve"]), "agents='eve': is not in the table; known are"),
    "an unknown item": (lambda: Responses(FRAME).select(items=["odd"]), "items='odd': is not in the table"),
    "an unknown difficulty column": (lambda: Responses(FRAME, items=ITEMS).with_difficulty("KDN"), "difficulty='KDN': is not a column of items"),
    "a long table without responses": (lambda: Responses.from_long(FRAME), "has no column 'agent'; name the columns"),
    "a cell twice": (lambda: Responses.from_long(long(("a", "i", 1), ("a", "i", 0))), r"table=\('a', 'i'\): stands there more than once; name the column of trials"),
    "a trial twice": (lambda: Responses.from_long(long(("a", "i", 1), ("a", "i", 0)).assign(t=1), trial="t"), "drop the repeated row"),
    "a row without an agent": (lambda: Responses.from_long(long((None, "i", 1))), "table='row 0': names no agent"),
    "a trial off the scale": (lambda: Responses.from_long(long(("a", "i", 3)).assign(t=1), trial="t"), r"is not in \[0, 1\]"),
    "a constant item to rescale": (lambda: Scores([[1], [1]]).to_responses(), "leave no room between them"),
    "a score beyond the given range": (lambda: Scores([[5]]).to_responses(0, 1), r"is not in \[0, 1\]"),
    "an unknown rule for the outside": (lambda: Scores([[5]]).to_responses(outside="drop"), "outside='drop': is not an option; use one of 'error', 'clip'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_tables_are_refused_by_name_value_and_remedy(case):
    make, message = BAD[case]
    with pytest.raises(BadInput, match=message):
        make()


BAD_FILES = {
    "an absent file": (None, "does not exist; check the name"),
    "an empty file": ("", "is not a CSV"),
    "one column": ("agent\na\n", "has fewer than two columns"),
    "rows of unequal length": ("agent,i\na,1\nb,1,2,3\n", "is not a CSV"),
    "a word in a cell": ("agent,i\na,one\n", r"frame\['a', 'i'\]='one': is not a number"),
    "an agent twice": ("agent,i\na,1\na,0\n", "frame.index='a': stands there"),
    "bytes that are no text": (b"agent,i\n\xff\xfe,1\n", "save it as UTF-8 CSV"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_are_refused_with_their_name(case, tmp_path):
    content, message = BAD_FILES[case]
    path = tmp_path / "scores.csv"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadInput, match=message):
        Responses.read(path)


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
