"""Inputs are untrusted: bombs, pipes, huge headers, sparse tables and look-alike names are refused or kept apart."""

import dataclasses
import gzip
import io
import itertools
import json
import lzma
import os
import subprocess
import sys
import textwrap
import threading
import time
import zipfile

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.foundation import inputs
from gindex_lab.studies.readers import reading

HEADER = {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}}
MEASURED = """
import resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30,) * 2)
import gindex_lab as gl, pandas, numpy, pyarrow.parquet, gindex_lab.studies.readers.reading, gindex_lab.studies.readers.tables
import gindex_lab.studies.readers.inspect_logs, gindex_lab.studies.readers.harness
before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
try:
    {call}
except gl.BadInput as error:
    code = error.code
else:
    code = "accepted"
taken = time.process_time() - start
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(code, taken, grown)
"""


def measured(call):
    """The code of the refusal, the seconds of CPU and the megabytes that it took, in a process of its own."""
    script = MEASURED.format(call=textwrap.indent(call, "    ").strip())
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    code, seconds, megabytes = done.stdout.split()
    return code, float(seconds), float(megabytes)


def packed(path, head, piece, times):
    """A gzip file of `head` and then `piece` many times, written a megabyte at a time."""
    with gzip.open(path, "wb", 6) as file:
        file.write(head)
        for _ in range(times):
            file.write(piece)


def gz_rows(path):
    packed(path, b"model,item,score\n", b"m,x,1\n" * 200_000, 120)


def gz_wide_line(path):
    packed(path, b"agent,i\n", b"9" * 2**20, 300)


def gz_lines(path):
    packed(path, b'{"model":"m","item":"x","score":1}\n', b" " * 2**20, 300)


def gz_document(path):
    packed(path, b"[{}", b",{}" * 400_000, 120)


def archive(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        new.writestr("header.json", json.dumps(HEADER))
        with new.open("samples/1.json", "w", force_zip64=True) as member:
            member.write(b'{"id": 1, "junk": "')
            for _ in range(300):
                member.write(b"a" * 2**20)
            member.write(b'"}')


def packed_archive(path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_STORED) as new:
        new.writestr("header.json", json.dumps(HEADER))
        new.writestr("samples/1.json", b" " * 200 * 2**20)
    path.write_bytes(gzip.compress(inner.getvalue(), 1))


def zstd_archive(path):
    from backports.zstd import zipfile as modern

    with modern.ZipFile(path, "w", modern.ZIP_ZSTANDARD) as new:
        new.writestr("header.json", json.dumps(HEADER))
        with new.open("samples/1.json", "w", force_zip64=True) as member:
            member.write(b'{"id": 1, "junk": "')
            for _ in range(600):
                member.write(b"a" * 2**20)
            member.write(b'"}')


def small_rows(path):
    """Parsed row by row they would take many seconds before sixteen megabytes are counted."""
    from backports import zstd

    rows = b'{"id":1,"score":1}\n' * 1_200_000
    path.write_bytes(zstd.compress(rows) if path.suffix == ".zst" else gzip.compress(rows, 1))


def gz_data_of_r(path):
    packed(path, b"X\n", b"0" * 2**20, 800)


def xz_data_of_r(path):
    with lzma.open(path, "wb", preset=0) as new:
        for _ in range(300):
            new.write(b"0" * 2**20)


def sheet(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        new.writestr("[Content_Types].xml", "<Types/>")
        with new.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as member:
            for _ in range(300):
                member.write(b"<row></row>" * 2**17)


def laughs(path):
    lines = ["a: &a [" + ",".join(["x"] * 9) + "]"]
    for one, two in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{two}: &{two} [" + ",".join([f"*{one}"] * 9) + "]")
    path.write_text("\n".join(lines))


def table_of_one_value(path):
    rows = 60_000_000
    import pyarrow as pa
    from pyarrow import parquet

    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, np.int8)), ["m"])
    one = pa.table({"model": column, "item": column, "score": pa.array(np.ones(1_000_000))})
    with parquet.ParquetWriter(path, one.schema) as new:
        for _ in range(rows // 1_000_000):
            new.write_table(one)


def stairs(path):
    """The library written in C ends Python with a segmentation fault on this."""
    path.write_text("- " * 50_000 + "x")


def lying_archive(path):
    """Its directory says that a part has a hundred bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        new.writestr("header.json", b" " * 400 * 2**20)
        new.writestr("samples/1.json", b"{}")
    content = bytearray(path.read_bytes())
    for signature, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.find(signature) + place
        content[at : at + 4] = (100).to_bytes(4, "little")
    path.write_bytes(content)


def table_of_one_long_text(path):
    """Stored once, and four gigabytes in a table."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = pa.array(np.zeros(2_000_000, np.int8))
    column = pa.DictionaryArray.from_arrays(rows, ["x" * 2000])
    table = pa.table({"model": column, "item": column, "score": pa.array(np.ones(2_000_000))})
    parquet.write_table(table, path)


BOMBS = {
    "stairs.yaml": stairs,
    "lying.eval": lying_archive,
    "text.parquet": table_of_one_long_text,
    "rows.csv.gz": gz_rows,
    "line.csv.gz": gz_wide_line,
    "lines.jsonl.gz": gz_lines,
    "document.json.gz": gz_document,
    "small.jsonl.zst": small_rows,
    "small.jsonl.gz": small_rows,
    "log.eval": archive,
    "log.eval.gz": packed_archive,
    "table.parquet": table_of_one_value,
    "zstd.eval": zstd_archive,
    "packed.rds": gz_data_of_r,
    "packed.rda": xz_data_of_r,
    "sheet.xlsx": sheet,
    "laughs.yaml": laughs,
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("log.eval", "stairs.yaml") else pytest.mark.slow)
        for name in BOMBS
    ],
)
def test_a_bomb_is_refused_quickly_and_in_little_memory(name, tmp_path):
    BOMBS[name](tmp_path / name)
    code, seconds, megabytes = measured(f"gl.read({str(tmp_path / name)!r})")
    assert code in ("bomb", "too-large", "too-many-cells", "too-deep", "damaged")
    assert seconds < 2
    assert megabytes < 300


@pytest.mark.slow
def test_a_bomb_is_refused_by_the_table_reader_too(tmp_path):
    gz_rows(tmp_path / "a.csv.gz")
    code, seconds, megabytes = measured(f"gl.Responses.read({str(tmp_path / 'a.csv.gz')!r})")
    assert code == "bomb"
    assert seconds < 2
    assert megabytes < 300


def test_what_is_beyond_a_limit_can_be_read_when_the_limit_is_raised(tmp_path, monkeypatch):
    lines = "".join(f"m,x{k},1\n" for k in range(3))
    file = tmp_path / "a.csv.gz"
    file.write_bytes(gzip.compress(("model,item,score\n" + lines + " " * 20_000_000).encode()))
    with pytest.raises(gl.BadInput) as caught:
        gl.read(file)
    assert caught.value.code == "bomb"
    assert "gl.limits(ratio=" in caught.value.remedy
    with gl.limits(ratio=5000):
        assert gl.read(file).shape == (1, 3)
    monkeypatch.setenv("GINDEX_LAB_LIMITS", "cells=2")
    with pytest.raises(gl.BadInput) as caught:
        gl.Responses.from_long(pd.DataFrame({"agent": list("ab"), "item": list("xy"), "response": [1, 1]}))
    assert caught.value.code == "too-many-cells"


@pytest.mark.parametrize("text", ["cells", "cells=many", "rooms=3", "cells=0"])
def test_a_limit_that_cannot_be_is_refused(text, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_LIMITS", text)
    with pytest.raises(gl.BadInput):
        gl.Responses.from_long(pd.DataFrame({"agent": ["a"], "item": ["x"], "response": [1]}))


LIMITED = {  # limit: a value too low for the files below, the code of the refusal
    "size": (10, "too-large"),
    "document": (10, "too-large"),
    "columns": (1, "too-many-columns"),
    "members": (1, "too-many-members"),
    "cells": (1, "too-many-cells"),
    "depth": (1, "too-deep"),
    "ratio": (1, "bomb"),
    "seconds": (1, "too-slow"),
    "pipe": (0, "not-a-regular-file"),
}


def test_every_limit_is_in_the_table():
    assert set(LIMITED) == {field.name for field in dataclasses.fields(gl.Limits)}


@pytest.mark.parametrize("how", ["block", "environment"])
@pytest.mark.parametrize("name", LIMITED)
def test_each_limit_refuses_and_can_be_raised(name, how, tmp_path, monkeypatch):
    value, code = LIMITED[name]
    monkeypatch.setattr(inputs, "UNCHECKED", 1)
    body = "model,item,score\n" + "".join(f"m,x{k},1\n" for k in range(3000))
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    (tmp_path / "folder" / "inside" / "a.csv.gz").write_bytes(gzip.compress(body.encode()))
    (tmp_path / "folder" / "b.csv").write_text("model,item,score\nm,y,1\n")
    place = tmp_path / "folder"
    if name == "seconds":
        clock = itertools.count(0, 3)
        monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    if name == "pipe":
        place = tmp_path / "pipe.csv"
        os.mkfifo(place)

    def under(limit):
        if how == "block":
            with gl.limits(**{name: limit}):
                return gl.read(place)
        monkeypatch.setenv("GINDEX_LAB_LIMITS", f"{name}={limit}")
        return gl.read(place)

    with pytest.raises(gl.BadInput) as caught:
        under(value)
    assert caught.value.code == code
    assert f"gl.limits({name}=" in caught.value.remedy
    if name == "pipe":
        threading.Thread(target=lambda: place.write_text(body), daemon=True).start()
    assert under(10**6).shape == (1, 3000 if name == "pipe" else 3001)


def test_a_document_that_must_be_held_whole_may_only_be_so_large(tmp_path):
    place = tmp_path / "flow.json"
    gl.Flow([{"id": "a", "type": "t" * 900, "wires": [[]]}]).to_json(place)
    with gl.limits(document=900), pytest.raises(gl.BadInput) as caught:
        gl.Flow.read(place)
    assert caught.value.code == "too-large"
    with gl.limits(document=9000):
        assert len(gl.Flow.read(place)) == 1


def test_a_part_of_an_archive_that_must_be_held_whole_may_only_be_so_large(tmp_path):
    place = tmp_path / "log.eval"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("samples/1.json", "{}" + " " * 900)
    with zipfile.ZipFile(place) as archive:
        inputs.check_archive(archive, place)
        with gl.limits(document=900), pytest.raises(gl.BadInput) as caught:
            inputs.check_archive(archive, place)
    assert caught.value.code == "too-large"


def test_json_may_be_nested_only_so_deep(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"model": "m", "item": "x", "score": 1, "more": ' + "[" * 300 + "]" * 300 + "}")
    with pytest.raises(gl.BadInput) as caught:
        gl.read(file)
    assert caught.value.code == "too-deep"
    with gl.limits(depth=400):
        assert gl.read(file).shape == (1, 1)


def test_reading_may_take_only_so_long(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("model,item,score\nm,x,1\n")
    clock = iter(range(0, 10**7, 5000))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    with pytest.raises(gl.BadInput) as caught:
        gl.read(tmp_path / "a.csv")
    assert caught.value.code == "too-slow"


# -- sparse tables --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_sparse_long_table_is_refused_with_the_size_that_it_would_need(tmp_path):
    file = tmp_path / "sparse.csv"
    file.write_text("model,item,score\n" + "".join(f"m{k},x{k},1\n" for k in range(20_000)))
    for call in (
        f"gl.read({str(file)!r})",
        f"gl.Responses.from_long(pandas.read_csv({str(file)!r}), 'model', 'item', 'score')",
    ):
        code, seconds, megabytes = measured(call)
        assert code == "too-many-cells"
        assert seconds < 2
        assert megabytes < 300
    with refused("path: too-many-cells"):
        gl.read(file)


@pytest.mark.slow
def test_a_header_of_thirty_thousand_columns_is_read_in_seconds(tmp_path):
    file = tmp_path / "wide.csv"
    names = [f"i{k}" for k in range(30_000)]
    file.write_text("agent," + ",".join(names) + "\nann" + ",1" * 30_000 + "\n")
    start = time.process_time()
    assert gl.read(file).shape == (1, 30_000)
    assert time.process_time() - start < 30  # it took minutes; 6 on an idle machine
    file.write_text("agent," + ",".join([*names, "i7"]) + "\nann" + ",1" * 30_001 + "\n")
    with pytest.raises(gl.BadInput) as caught:
        gl.read(file)
    assert caught.value.code == "duplicate-label"


# -- what is not a regular file ------------------------------------------------------------------------

READERS = {
    "read": lambda path: gl.read(path),
    "read_scores": lambda path: gl.read_scores(path),
    "Responses.read": lambda path: gl.Responses.read(path),
    "Scores.read": lambda path: gl.Scores.read(path),
    "Flow.read": lambda path: gl.Flow.read(path),
    "Experiment.read": lambda path: gl.Experiment.read(path),
    "g_index": lambda path: gl.g_index(path),
    "aiq.read_sample": lambda path: gl.aiq.read_sample(path),
    "aiq.estimate_from_log": lambda path: gl.aiq.estimate_from_log(path),
    "flatland.read": lambda path: gl.flatland.read(path),
    "score_programs": lambda path: gl.score_programs(path),
    "logged_rewards": lambda path: gl.anytime.logged_rewards(path),
}


@pytest.mark.parametrize("name", READERS)
def test_a_pipe_or_a_device_is_refused_at_once(name, tmp_path):
    suffix = ".fbp" if name == "flatland.read" else ".csv"
    pipe = tmp_path / f"pipe{suffix}"
    os.mkfifo(pipe)
    device = tmp_path / f"zero{suffix}"
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        start = time.perf_counter()
        with pytest.raises(gl.GIndexLabError) as caught:
            READERS[name](path)
        assert caught.value.code == "not-a-regular-file"
        assert time.perf_counter() - start < 2


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "path",
    [None, 7, b"a.csv", "", "a\0b", "x" * 5000],
    ids=["None", "7", "bytes", "empty", "zero", "long"],
)
def test_what_is_not_a_path_is_refused(name, path):
    with pytest.raises(gl.GIndexLabError):
        READERS[name](path) if not (name == "logged_rewards" and path is None) else gl.read(path)


TABLE = "agent,i,j,k\na,1,0,1\nb,0,0,1\nc,1,1,1\n"


@pytest.mark.parametrize("reader", ["read", "read_scores"])
def test_a_pipe_is_read_where_it_is_asked_for(reader, tmp_path):
    pipe = tmp_path / "runs.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(TABLE), daemon=True)
    writer.start()
    with gl.limits(pipe=20):
        assert list(getattr(gl, reader)(pipe).frame.index) == ["a", "b", "c"]
    writer.join(10)


def test_a_pipe_that_gives_nothing_or_too_much_is_refused(tmp_path):
    pipe = tmp_path / "runs.csv"
    os.mkfifo(pipe)
    with gl.limits(pipe=0.2), pytest.raises(gl.BadInput) as caught:
        gl.read(pipe)
    assert caught.value.code == "too-slow"
    threading.Thread(target=lambda: pipe.write_text(TABLE), daemon=True).start()
    with gl.limits(pipe=20, document=10), refused("path: too-large") as caught:
        gl.read(pipe)  # before it is copied: it may have no end
    assert caught.value.code == "too-large"


def test_the_command_reads_a_pipe_where_the_environment_allows_it(tmp_path):
    (tmp_path / "runs.csv").write_text(TABLE)
    command = f"exec {sys.executable} -m gindex_lab analyse <(cat {tmp_path}/runs.csv) --ci 0"
    for limits, status in (("pipe=20", 0), ("", 2)):
        environment = {**os.environ, "GINDEX_LAB_LIMITS": limits}
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr


def test_a_pipe_in_a_folder_of_logs_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("model,item,score\nm,x,1\n")
    os.mkfifo(tmp_path / "b.csv")
    with refused("path: not-a-regular-file"):
        gl.read(tmp_path)


def test_a_folder_that_cannot_be_read_is_skipped_and_named(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("model,item,score\nm,x,1\n")
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "b.csv").write_text("model,item,score\nm,y,1\n")
    scandir = os.scandir

    def refuse(path):
        if str(path) in barred:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    barred = {str(closed)}
    monkeypatch.setattr(os, "scandir", refuse)  # root may read everything
    found = gl.read(tmp_path)
    assert list(found.frame.columns) == ["x"]
    assert "1 folder was skipped (closed: " in found.notes[1]
    with pytest.raises(gl.BadInput) as caught:
        gl.read(tmp_path, strict=True)
    assert (caught.value.code, caught.value.value) == ("unreadable", str(closed))
    (tmp_path / "a.csv").unlink()
    with pytest.raises(gl.BadInput) as caught:
        gl.read(tmp_path)
    assert (caught.value.code, caught.value.value) == ("unreadable", str(closed))
    barred = {str(tmp_path)}
    with pytest.raises(gl.BadInput) as caught:
        gl.read(tmp_path)
    assert (caught.value.code, caught.value.value) == ("unreadable", str(tmp_path))


def test_a_file_that_may_not_be_read_does_not_stop_a_folder(tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text(f"model,item,score\n{name},x,1\n")
    opened = os.open

    def refuse(path, *flags, **more):
        if str(path).endswith(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *flags, **more)

    closed = "b.csv"
    monkeypatch.setattr(os, "open", refuse)  # root may read everything
    found = gl.read(tmp_path)
    assert list(found.frame.index) == ["a", "c"]
    assert "1 file was skipped (b.csv: cannot be read" in found.notes[1]
    with pytest.raises(gl.BadInput) as caught:
        gl.read(tmp_path, strict=True)
    assert (caught.value.code, caught.value.value) == ("unreadable", str(tmp_path / "b.csv"))
    closed = ".csv"
    with pytest.raises(gl.BadInput) as caught:
        gl.read(tmp_path)
    assert caught.value.code == "unreadable"


# -- identities ------------------------------------------------------------------------------------------


def test_items_of_different_families_do_not_merge_where_their_names_read_alike(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("model,task,item,score\nm,t/u,1,1\nm,t,u/1,0\nm,t,2,1\n")
    found = gl.read(file)
    assert found.shape == (1, 3)
    assert sorted(found.frame.iloc[0]) == [0, 1, 1]
    assert found.items["family"].tolist() == ["t/u", "t", "t"]
    assert any("kept apart" in note for note in found.notes)


def test_facts_of_items_stay_with_items_that_have_families(tmp_path):
    file = tmp_path / "irw.csv"
    file.write_text("id,item,resp,item_family,itemcov_words\n1,a,1,f,7\n2,a,0,f,7\n1,a,0,g,9\n")
    found = gl.read(file)
    assert found.items["itemcov_words"].tolist() == [7, 9]


def test_the_files_of_a_folder_are_read_in_the_same_order_on_every_machine(tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.csv").write_text(f"model,item,score\nm,{name},1\n")
    files = reading._files(tmp_path)
    assert files == sorted(files)


POOL = gl.anytime.Pool.of([gl.anytime.Environment("1+|1-", "0")])


@pytest.fixture
def closed(tmp_path):
    """A folder that may not be entered, also where the tests run as root."""
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "scores.csv").write_text("agent,i,j\na,1,0\nb,0,1\n")
    gl.read(folder / "scores.csv")  # what is imported late is imported now
    gl.anytime.test("random", 0.01, pool=POOL, path=folder / "other.json")
    folder.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    yield folder
    if root:
        os.seteuid(0)
    folder.chmod(0o700)


def test_what_lies_in_a_closed_folder_is_refused_as_unreadable(closed):
    for place in (closed, closed / "scores.csv"):
        with pytest.raises(gl.BadInput) as caught:
            gl.read(place)
        assert (caught.value.argument, caught.value.code) == ("path", "unreadable")
    with pytest.raises(gl.BadInput) as caught:
        gl.anytime.test("random", 0.01, pool=POOL, path=closed / "state.json")
    assert (caught.value.argument, caught.value.code) == ("path", "unreadable")
