"""Forty things that are not logs, whatever they are called: one error of ours, by argument and code."""

import gzip
import io
import sqlite3
import zipfile

import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl

PNG = b"\x89PNG\r\n\x1a\n" + bytes(50)
PAGE = "\ufeff\n<!DOCTYPE html>\n<html><body><h1>404 Not Found</h1></body></html>"
POINTER = "version https://git-lfs.example/spec/v1\noid sha256:0\nsize 1\n"
LONG = "model,item,score\nm,1,1\n"


def archive(**members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, text in members.items():
            file.writestr(name, text)
    return made.getvalue()


BAD = {
    "a document": ("a.pdf", b"%PDF-1.7\n", "not-a-log"),
    "a document called JSON": ("a.json", b"%PDF-1.7\n", "not-a-log"),
    "a picture": ("a.png", PNG, "not-a-log"),
    "a picture called a table": ("a.csv", PNG, "not-a-log"),
    "a photograph": ("a.jsonl", b"\xff\xd8\xff\xe0abc", "not-a-log"),
    "a page called JSON": ("a.json", PAGE, "not-a-log"),
    "a page called lines": ("a.jsonl", PAGE, "not-a-log"),
    "a page called a table": ("a.csv", PAGE, "not-a-log"),
    "a page called an archive": ("a.eval", PAGE, "not-a-log"),
    "a page called Parquet": ("a.parquet", PAGE, "not-a-log"),
    "XML": ("a.json", '<?xml version="1.0"?><a/>', "not-a-log"),
    "a pointer to JSON": ("a.json", POINTER, "not-a-log"),
    "a pointer to lines": ("a.jsonl", POINTER, "not-a-log"),
    "a pointer to Parquet": ("a.parquet", POINTER, "not-a-log"),
    "a pointer to an archive": ("a.eval", POINTER, "not-a-log"),
    "a packed pointer": ("a.json.gz", gzip.compress(POINTER.encode()), "not-a-log"),
    "a program": ("a.csv", b"\x7fELF\2\1\1", "not-a-log"),
    "what macOS writes": ("a.json", b"\0\5\x16\7\0\2\0\0Mac OS X", "not-a-log"),
    "a conflict": ("a.json", "<<<<<<< HEAD\n{}\n", "not-a-log"),
    "a zip": ("a.zip", archive(a="x"), "unknown-format"),
    "a zip called an archive": ("a.eval", archive(a="x"), "unknown-format"),
    "an empty zip": ("a.eval", archive(), "unknown-format"),
    "a damaged zip": ("a.eval", archive(a="x")[:20], "damaged"),
    "numbers": ("a.json", "[1, 2]", "unknown-format"),
    "a number": ("a.json", "3", "unknown-format"),
    "nothing": ("a.json", "null", "unknown-format"),
    "settings": ("a.json", '{"model": "m", "seed": 1}', "unknown-format"),
    "the error of a service": ("a.json", '{"error": {"code": 429}}', "unknown-format"),
    "an empty object": ("a.json", "{}", "unknown-format"),
    "Python": ("a.json", "{'a': True}", "unknown-format"),
    "a table called JSON": ("a.json", LONG, "unknown-format"),
    "JSON called a table": ("a.csv", '{"model": "a"}\n', "unknown-format"),
    "lists in lines": ("a.jsonl", "[1]\n[2]\n", "unknown-format"),
    "depth": ("a.json", "[" * 5000 + "]" * 5000, "unknown-format"),
    "another ending": ("a.xyz", "hello", "unknown-format"),
    "no ending": ("hello", "hello", "unknown-format"),
    "no bytes": ("a.json", "", "empty"),
    "blank lines": ("a.jsonl", "\n \n", "empty"),
    "an empty table": ("a.csv", "", "empty"),
    "a packed file that ends": ("a.json.gz", gzip.compress(b"{}" * 500)[:25], "damaged"),
    "text called Excel": ("a.xlsx", "hello", "damaged"),
    "text called SPSS": ("a.sav", "hello", "damaged"),
    "text called R": ("a.rds", "hello", "damaged"),
    "text called Parquet": ("a.parquet", "hello", "damaged"),
    "half of YAML": ("a.yaml", "a: [1, 2", "not-yaml"),
}


def put(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("what", BAD)
def test_what_is_not_a_log_is_refused_and_in_a_folder_skipped(what, tmp_path):
    name, content, code = BAD[what]
    bad = put(tmp_path / name, content)
    with pytest.raises(gl.BadInput) as error:
        gl.read(bad)
    assert (error.value.argument, error.value.code) == ("path", code)
    put(tmp_path / "good.csv", LONG)
    found = gl.read(tmp_path)
    assert found.frame.shape == (1, 1)
    read = name.rpartition(".")[2] in ("pdf", "png", "zip", "xyz", "hello")
    assert read or any("1 file was skipped" in note and name in note for note in found.notes)


def test_a_database_and_nested_columns_are_refused(tmp_path):
    file = tmp_path / "a.json"
    with sqlite3.connect(file) as database:
        database.execute("create table t (a)")
    with pytest.raises(gl.BadInput) as error:
        gl.read(file)
    assert error.value.code == "not-a-log"
    nested = tmp_path / "a.parquet"
    pd.DataFrame({"a": [{"x": 1}], "b": [[1]]}).to_parquet(nested)
    with pytest.raises(gl.BadInput) as error:
        gl.read(nested)
    assert error.value.code == "not-a-number"


@pytest.mark.parametrize("pictures", [False, True])
def test_a_folder_without_a_log_is_refused(pictures, tmp_path):
    if pictures:
        put(tmp_path / "a.png", PNG)
    with refused("path: no-log") as error:
        gl.read(tmp_path)
    assert error.value.argument == "path"
