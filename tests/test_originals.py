"""Converters: the authors' files become the tidy data, and odd archives are refused by name."""

import struct
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from loops import looped
from refusals import refused

from gindex_lab.studies.data import download, originals, originals_horizon
from gindex_lab.studies.data.download import OriginalArchive
from gindex_lab.studies.data.originals import LAYOUT, MAZES, convert, group_levels
from gindex_lab.studies.data.registry import entries

PUBLIC = ["ale", "chess_Leiden2015", "chess_Reykjavik2005", "gvgai", "lambda", "openml"]


def make_zip(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def converted(name, path):
    with OriginalArchive(path) as archive:
        return convert(entries()[name].converter, archive)


def tidy(folder, part, key):
    table = pd.read_csv(folder / f"{part}.csv")
    return table.drop(columns=["agent"] if part == "responses" and key == "row" else []).set_index(
        "item" if part == "items" else key
    )


# -- the public originals ----------------------------------------------------------------------


@looped("name", PUBLIC)
@pytest.mark.shared
def test_original_becomes_the_tidy_data(name, shared):
    what = entries()[name]
    (file,) = what.files
    ours = converted(name, shared / "originals" / "generality" / file)
    assert ours.runs is None
    for part in ("responses", "items", "agents"):
        table, expected = getattr(ours, part), tidy(shared / "datasets" / name, part, what.key)
        assert table.index.tolist() == expected.index.tolist(), part
        if part == "responses":
            assert table.columns.tolist() == expected.columns.tolist()
            np.testing.assert_array_equal(table.to_numpy(float), expected.to_numpy(float))
        left_out = set(what.derived) if part == "items" else set()
        assert set(expected.columns) - left_out == set(table.columns), part
        for column in () if part == "responses" else table.columns:
            if pd.api.types.is_numeric_dtype(expected[column]):
                np.testing.assert_allclose(table[column], expected[column], rtol=1e-15)
            else:
                assert table[column].tolist() == expected[column].tolist(), (part, column)


@pytest.mark.shared
def test_written_tidy_form_reads_back(shared, tmp_path):
    ours = converted("lambda", shared / "originals" / "generality" / "lambda.data.zip")
    ours.write(tmp_path)
    back = tidy(tmp_path, "responses", "agent")
    np.testing.assert_array_equal(back.to_numpy(), ours.responses.to_numpy())
    assert tidy(tmp_path, "items", "agent")["diff2"].tolist() == ours.items["diff2"].tolist()


@pytest.mark.shared
def test_registered_hashes_are_those_of_the_originals(shared):
    import hashlib

    sums = {}
    for line in (shared / "originals" / "SHA256SUMS").read_text().splitlines():
        digest, path = line.split()
        sums[path] = digest
    registered = {
        f"{what.source}/{file}": digest
        for what in entries().values()
        for file, digest in what.files.items()
        if what.converter not in originals_horizon.CONVERTERS
    }
    assert registered == sums
    for path, digest in sums.items():
        if (shared / "originals" / path).exists():
            content = (shared / "originals" / path).read_bytes()
            assert hashlib.sha256(content).hexdigest() == digest


# -- grouping the levels -----------------------------------------------------------------------


@pytest.mark.shared
def test_grouped_means_tie_as_in_r_or_as_they_should(shared):
    """946 distinct means in R's 80-bit sums, 937 when equal means are equal (spec, part II.1)."""
    scores = pd.read_csv(shared / "datasets/gvgai/responses.csv", index_col=0)
    games = pd.read_csv(shared / "datasets/gvgai/items.csv", index_col=0)["game"]
    expected = pd.read_csv(shared / "datasets/gvgai_grouped5/responses.csv", index_col=0)
    extended = group_levels(scores, games, extended=True)
    assert extended.columns.tolist() == expected.columns.tolist()
    np.testing.assert_array_equal(extended.to_numpy(), expected.to_numpy())
    rounded = group_levels(scores, games, extended=False)
    assert extended.nunique().sum() == 946
    assert rounded.nunique().sum() == 937


def test_emulated_80_bit_sum_is_the_hardware_sum():
    if np.finfo(np.longdouble).nmant != 63:
        pytest.skip("this machine has no 80-bit numbers to compare with")
    rng = np.random.default_rng(7)
    values = rng.normal(size=(40, 5)) * 10.0 ** rng.integers(-9, 9, size=(40, 5))
    values[3] = 0
    frame = pd.DataFrame(values, columns=list("abcde"))
    ours = group_levels(frame, pd.Series("g", frame.columns), extended=True)["g"]
    total = np.zeros(40, dtype=np.longdouble)
    for column in values.T:
        total = total + column
    np.testing.assert_array_equal(ours.to_numpy(), (total / 5).astype(float))


# -- people: made-up archives of the documented layout ------------------------------------------


def maze_members(people=12, seed=5):
    """Answers of `people`, demographics of all but two of them in another order."""
    rng = np.random.default_rng(seed)
    codes = [originals._RENAMED.get(name, name) for name in MAZES]
    sessions = rng.permutation(np.arange(1000, 1000 + people))
    answers = pd.DataFrame(rng.integers(0, 2, (people, 23)), columns=codes)
    answers.insert(0, "session", sessions)
    answers.insert(1, "ssid", [f"secret{i}" for i in range(people)])
    years = [1950, 1960, 1970, 1980, 1985, 1990, 1995, 2010, 1800, np.nan]
    known = pd.DataFrame(
        {
            "id": range(people - 2),
            "gender": rng.integers(1, 3, people - 2),
            "session": np.sort(sessions)[::-1][: people - 2],
            "nationality": 44,
            "ethnicity": 7,
            "education": rng.integers(1, 8, people - 2),
            "dobYear": years[: people - 2],
            "birthday": "1980-01-01",
            "ssid": "secret",
        }
    )
    members = {
        LAYOUT["maze answers"]: answers.to_csv(),
        LAYOUT["maze people"]: known.to_csv(index=False),
    }
    return members, answers, known


def letter_members(people=3, seed=6):
    rng = np.random.default_rng(seed)
    items = originals._LETTER_ITEMS
    raw = pd.DataFrame(rng.choice([1, 0, -0.25], (people, 35)), columns=items)
    table = pd.concat([pd.DataFrame([range(7, 42)], columns=items), raw], ignore_index=True)
    personal = {"No": "", "Gender": "M", "Age": 16, "Studies": "x", "IQ": 123}
    for at, (name, value) in enumerate(personal.items()):
        table.insert(at, name, value)
    magic = pd.DataFrame({"item": items, "query": "señal", "score": rng.choice([0, 0.2, 1], 35)})
    programs = pd.DataFrame({"item": items} | {n: rng.choice([0, 0.2, 1], 35) for n in "abcdefghijk"})
    members = {
        LAYOUT["letter answers"]: table.to_csv(index=False),
        LAYOUT["letter magic"]: magic.to_csv(index=False).encode("latin-1"),
        LAYOUT["letter programs"]: programs.to_csv(index=False),
    }
    return members, raw, magic, programs


def test_mazes_keep_those_with_demographics_in_the_order_of_sessions(tmp_path):
    members, answers, known = maze_members()
    ours = converted("mazes", make_zip(tmp_path / "m.zip", members))
    assert ours.responses.shape == (10, 23)
    assert ours.responses.index.tolist() == [f"H{i:03d}" for i in range(1, 11)]
    by_session = answers.set_index("session").drop(columns="ssid")
    expected = by_session.loc[np.sort(known["session"].to_numpy())]
    np.testing.assert_array_equal(ours.responses.to_numpy(), expected.to_numpy())
    assert ours.responses.columns.tolist()[-5:] == ["X216", "X217", "X225", "X227", "X233"]
    gender = known.set_index("session")["gender"].sort_index().tolist()
    assert ours.agents["gender_code"].tolist() == gender


def test_of_what_stays_behind_only_sums_are_kept(tmp_path):
    members, _, known = maze_members()
    known["nationality"] = [1, 1, 1, 2, 2, 3, 4, 4, 4, 4]
    members[LAYOUT["maze people"]] = known.to_csv(index=False)
    ours = converted("mazes", make_zip(tmp_path / "m.zip", members))
    assert ours.counts.to_dict() == {
        "people with answers": 12,
        "nationality, group 1": 4,
        "nationality, group 2": 3,
        "nationality, group 3": 2,
        "nationality, group 4": 1,
        "ethnicity, group 1": 10,
    }
    assert {"nationality", "ethnicity"}.isdisjoint(ours.agents)
    letters, *_ = letter_members()
    text = letters[LAYOUT["letter answers"]].replace(",M,16,", ",M,17,", 2)
    letters[LAYOUT["letter answers"]] = text
    series = converted("ctest", make_zip(tmp_path / "c.zip", letters))
    assert series.counts.to_dict() == {"youngest": 16, "oldest": 17}
    assert series.agents.columns.tolist() == ["kind"]


def test_counts_are_read_beside_the_data(tmp_path, monkeypatch):
    from gindex_lab.studies.data.loading import counts

    members, *_ = maze_members()
    (tmp_path / "mazes").mkdir()
    converted("mazes", make_zip(tmp_path / "m.zip", members)).write(tmp_path / "mazes")
    monkeypatch.setenv("GINDEX_LAB_DATA", str(tmp_path))
    assert counts("mazes")["people with answers"] == 12
    (tmp_path / "mazes" / "counts.csv").unlink()
    assert counts("mazes").empty
    (tmp_path / "mazes" / "counts.csv").write_text("what,n\na,1\n")
    with refused("mazes/counts.csv: no-column"):
        counts("mazes")


def test_maze_sessions_that_are_words_are_sorted_without_case(tmp_path):
    members, answers, known = maze_members()
    words = dict(zip(sorted(answers["session"]), "aBcDeFgHiJkL", strict=True))
    named = {
        LAYOUT["maze answers"]: answers.replace({"session": words}).to_csv(),
        LAYOUT["maze people"]: known.replace({"session": words}).to_csv(index=False),
    }
    by_number = converted("mazes", make_zip(tmp_path / "numbers.zip", members))
    by_word = converted("mazes", make_zip(tmp_path / "words.zip", named))
    assert by_word.responses.equals(by_number.responses)


def test_maze_ages_become_two_groups_or_none(tmp_path):
    members, _, known = maze_members()
    ours = converted("mazes", make_zip(tmp_path / "m.zip", members))
    groups = dict(zip(known.sort_values("session")["dobYear"], ours.agents["age_group"], strict=True))
    assert {year for year, group in groups.items() if group == "young"} == {1985, 1990, 1995}
    assert {year for year, group in groups.items() if group == "old"} == {1950, 1960, 1970, 1980}
    assert sum(group is None or group != group for group in groups.values()) == 3


def test_no_personal_column_survives(tmp_path):
    members, *_ = maze_members()
    ours = converted("mazes", make_zip(tmp_path / "m.zip", members))
    assert set(ours.agents.columns) == {"gender_code", "education_code", "age_group"}
    letters = converted("ctest", make_zip(tmp_path / "c.zip", letter_members()[0]))
    assert set(letters.agents.columns) == {"kind"}
    for table in (ours, letters):
        table.write(tmp_path)
        text = "".join(p.read_text() for p in tmp_path.glob("*.csv"))
        for trace in ("secret", "1980", "session", "IQ", "123", "ssid", "birthday"):
            assert trace not in text


@pytest.mark.shared
def test_maze_difficulties_are_the_published_seven_digits(shared):
    expected = pd.read_csv(shared / "datasets/mazes/items.csv", index_col="item")["difficulty"]
    ours = {name: originals.maze_difficulty(*facts) for name, facts in MAZES.items()}
    assert ours == expected.to_dict()
    assert list(ours) == expected.index.tolist()


def test_letter_scores_are_mapped_for_people_and_kept_for_programs(tmp_path):
    members, raw, magic, programs = letter_members()
    ours = converted("ctest", make_zip(tmp_path / "c.zip", members))
    assert ours.responses.shape == (3 + 12, 35)
    assert ours.responses.index.tolist()[:5] == ["human01", "human02", "human03", "magic", "a"]
    np.testing.assert_array_equal(ours.responses[:3].to_numpy(), (raw.to_numpy() + 0.25) / 1.25)
    assert set(np.unique(ours.responses)) == {0.0, 0.2, 1.0}
    assert ours.responses.loc["magic"].tolist() == magic["score"].tolist()
    assert ours.responses.loc["k"].tolist() == programs["k"].tolist()
    assert ours.items["difficulty"].tolist() == list(range(7, 42))
    assert ours.items["kind"].value_counts().to_dict() == {"prediction": 20, "imputation": 15}


@pytest.mark.shared
def test_made_up_letter_archive_gives_the_tidy_data_back(shared, tmp_path):
    """Written in the originals' layout, the published answers come back as the published table."""
    folder = shared / "datasets/ctest"
    raw = pd.read_csv(folder / "responses_human_raw_scores.csv", index_col=0)
    tidy_form = pd.read_csv(folder / "responses.csv", index_col=0)
    difficulty = pd.read_csv(folder / "items.csv", index_col=0)["difficulty"]
    table = pd.concat([difficulty.to_frame().T, raw], ignore_index=True)
    machines = tidy_form.iloc[48:].T.rename_axis("item").reset_index()
    magic = pd.DataFrame({"item": machines["item"], "query": "", "score": machines["magic"]})
    members = {
        LAYOUT["letter answers"]: table.to_csv(index=False),
        LAYOUT["letter magic"]: magic.to_csv(index=False),
        LAYOUT["letter programs"]: machines.drop(columns="magic").to_csv(index=False),
    }
    ours = converted("ctest", make_zip(tmp_path / "c.zip", members))
    pd.testing.assert_frame_equal(ours.responses, tidy_form, check_names=False)


# -- odd archives --------------------------------------------------------------------------------


def without(members, member):
    return {name: content for name, content in members.items() if name != member}


def with_member(members, member, content):
    return members | {member: content}


MAZE, LETTER = maze_members()[0], letter_members()[0]
CHESS = "chess.data/Leiden2015.csv"
LAMBDA = "lambda.data/Experimentos.csv"


@pytest.mark.parametrize(
    ("name", "members", "message"),
    [
        (
            "mazes",
            without(MAZE, LAYOUT["maze people"]),
            "archive: no-file",
        ),
        ("mazes", {"readme.txt": "hello"}, "archive: no-file"),
        (
            "mazes",
            with_member(MAZE, LAYOUT["maze people"], "session,gender\n1,1\n"),
            "archive: no-column",
        ),
        (
            "mazes",
            with_member(MAZE, LAYOUT["maze answers"], "session,X1\n1,1\n"),
            "archive: no-column",
        ),
        (
            "ctest",
            with_member(LETTER, LAYOUT["letter magic"], "a,b,c\n1,2,3\n"),
            "archive: wrong-shape",
        ),
        (
            "ctest",
            with_member(LETTER, LAYOUT["letter programs"], "a\n1\n"),
            "archive: wrong-shape",
        ),
        (
            "ctest",
            with_member(
                LETTER,
                LAYOUT["letter answers"],
                LETTER[LAYOUT["letter answers"]] + "x" * 3 + ",q" * 39,
            ),
            "archive: not-a-number",
        ),
        ("ctest", with_member(LETTER, LAYOUT["letter answers"], ""), "archive: not-csv"),
        ("ale", {"ale.data/ALE_clean_24x45.csv": "a,b\n1,2\n"}, "archive: no-column"),
        (
            "chess_Leiden2015",
            {CHESS: "No,Name,1,Score\n1,a,NA,0\n2,b,1,1\n"},
            "archive: not-a-round-robin",
        ),
        ("lambda", {LAMBDA: "1;2;3\n"}, "archive: not-the-log"),
        (
            "lambda",
            {
                LAMBDA: "3;3;a;;;;p0;1;;Human;;;;;;0,5\n4;3;a;;;;p0;1;;QLearning;;;;;;0,5\n",
            },
            "archive: unlike-pairs",
        ),
    ],
)
def test_unexpected_layout_is_named(name, members, message, tmp_path):
    with refused(message):
        converted(name, make_zip(tmp_path / "odd.zip", members))


@pytest.mark.parametrize(
    "member",
    ["../evil.csv", "/etc/passwd", "a/../../b.csv", "C:/evil.csv", "..\\evil.csv"],
)
def test_path_traversal_is_refused(member, tmp_path):
    path = make_zip(tmp_path / "evil.zip", {"fine.csv": "a", member: "b"})
    with refused("archive: outside-archive"):
        OriginalArchive(path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["evil.zip"]


def test_absurd_size_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "LARGEST_MEMBER", 1000)
    path = make_zip(tmp_path / "bomb.zip", {"bomb.csv": "0" * 1001})
    with refused("archive: too-large"):
        OriginalArchive(path)


def test_truncated_zip_is_refused(tmp_path):
    path = make_zip(tmp_path / "cut.zip", {"a.csv": "a,b\n" * 500})
    path.write_bytes(path.read_bytes()[:-30])
    with refused("archive: damaged"):
        OriginalArchive(path)


@pytest.mark.parametrize("content", [b"", b"<html>404</html>"])
def test_what_is_no_zip_is_refused(content, tmp_path):
    path = tmp_path / "page.zip"
    path.write_bytes(content)
    with refused("archive: damaged"):
        OriginalArchive(path)


def test_damaged_member_is_named(tmp_path):
    path = make_zip(tmp_path / "bad.zip", {"a.csv": "a,b\n1,2\n"})
    content = bytearray(path.read_bytes())
    content[content.index(b"1,2")] ^= 0xFF
    path.write_bytes(content)
    with OriginalArchive(path) as archive, refused("archive: damaged"):
        archive.table("a.csv")


def test_encrypted_member_is_named(tmp_path):
    path = make_zip(tmp_path / "locked.zip", {"a.csv": "a,b\n1,2\n"})
    content = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        struct.pack_into("<H", content, content.index(signature) + offset, 1)
    path.write_bytes(content)
    with OriginalArchive(path) as archive, refused("archive: damaged"):
        archive.table("a.csv")


def test_rds_that_is_no_data_frame_is_refused(tmp_path):
    rdata = pytest.importorskip("rdata")
    path = tmp_path / "numbers.rds"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rdata.write_rds(str(path), np.array([1.0, 2.0]))
    zipped = make_zip(tmp_path / "g.zip", {"gvgai.data/GVGP.results.orig.rds": path.read_bytes()})
    with refused("archive: not-a-data-frame"):
        converted("gvgai", zipped)


def test_unknown_converter_is_named(tmp_path):
    path = make_zip(tmp_path / "a.zip", {"a": "b"})
    with (
        OriginalArchive(path) as archive,
        refused("converter: not-found"),
    ):
        convert("poker", archive)


def test_every_registered_converter_exists():
    from gindex_lab.studies.data import originals

    known = [*originals.CONVERTERS, *originals_horizon.CONVERTERS]
    assert {what.converter for what in entries().values()} - {None} == set(known)
