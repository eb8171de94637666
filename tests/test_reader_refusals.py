"""Forty ways to ask the readers for what cannot be had: each is refused by its argument and its code."""

import json
import zipfile
from pathlib import Path

import pytest

import gindex_lab as gl
from gindex_lab.press.analyse import analyse
from gindex_lab.press.cli import main

LONG = "model,item,score,words,level\na,1,1,x,3\na,2,0,y,4\nb,1,1,x,3\nb,2,1,y,5\n"
WIDE = "model,p,q\na,1,0\nb,0,1\nlevel,2,3\nlevel,4,5\n"
RESULTS = json.dumps({"results": {"arc": {"em,x": 1, "em,y": 0}}, "model_name": "m"})


def log(model="m", scorer="match", values=(1, 0), text="t", **about):
    samples = [
        {"id": k, "epoch": 1, "input": f"{text}{k}", "metadata": {"level": k, "half": None if k else 1},
         "scores": {scorer: {"value": value}}}
        for k, value in enumerate(values)
    ]  # fmt: skip
    head = {"version": 2, "status": "success", "eval": {"task": "t", "model": model} | about}
    return json.dumps(head | {"samples": samples})


def archive(*parts, damage=None):
    """The bytes of an `.eval`; `damage` changes them."""

    def write(path):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(
                "header.json",
                json.dumps({"status": "success", "eval": {"task": "t", "model": "m"}}),
            )
            for name, text in parts:
                file.writestr(name, text)
        if damage is not None:
            path.write_bytes(damage(bytearray(path.read_bytes())))

    return write


def packed_by(method):
    """Say that every part was packed by another method."""

    def change(data):
        for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            at = data.find(mark)
            while at >= 0:
                data[at + place : at + place + 2] = method.to_bytes(2, "little")
                at = data.find(mark, at + 4)
        return bytes(data)

    return change


SAMPLE = (
    "samples/1_epoch_1.json",
    json.dumps({"id": 1, "epoch": 1, "scores": {"m": {"value": 1}}}),
)
TWO = {"a.json": log("a"), "b.json": log("b")}

# what: (files, options, argument, code)
REFUSED = {
    "globs in one word": (TWO, {"include": "t"}, "include", "one-word"),
    "a glob that is a number": (TWO, {"exclude": [3]}, "exclude", "wrong-type"),
    "an empty glob": (TWO, {"include": [""]}, "include", "wrong-type"),
    "a glob of nothing": (TWO, {"include": ["zork*"]}, "include", "no-match"),
    "a task that is not there": (TWO, {"exclude": ["task:zork"]}, "exclude", "no-match"),
    "a model that is not there": (TWO, {"exclude": ["model:zork"]}, "exclude", "no-match"),
    "a file that is not there": (TWO, {"include": ["file:*.xyz"]}, "include", "no-match"),
    "everything left out": (TWO, {"exclude": ["*"]}, "exclude", "no-match"),
    "every task left out": (TWO, {"exclude": ["task:t"]}, "exclude", "no-match"),
    "strict in words": (TWO, {"strict": "yes"}, "strict", "not-a-flag"),
    "an agent from nowhere": (TWO, {"agent_from": "person"}, "agent_from", "not-an-option"),
    "a solver of results": ({"results.json": RESULTS}, {"agent_from": "solver"}, "agent_from", "not-found"),
    "an agent that is not there": (TWO, {"agents": ["zork"]}, "agents", "not-found"),
    "a family that is not there": (TWO, {"families": ["zork"]}, "families", "not-found"),
    "a role that is none": (TWO, {"columns": {"colour": "x"}}, "columns", "not-an-option"),
    "a role of a number": (TWO, {"columns": {"weight": 3}}, "columns['weight']", "bad-input"),
    "no agent at all": (TWO, {"columns": {"agent": None}}, "columns['agent']", "bad-input"),
    "a difficulty that no log has": (TWO, {"columns": {"difficulty": "zork"}}, "columns['difficulty']", "not-found"),
    "a difficulty of half the items": (TWO, {"columns": {"difficulty": "half"}}, "columns['difficulty']", "missing"),
    "a difficulty in words": ({"a.csv": LONG}, {"columns": {"difficulty": "words"}}, "columns['difficulty']", "not-a-number"),
    "two difficulties of one item": ({"a.csv": LONG}, {"columns": {"difficulty": "level"}}, "columns['difficulty']", "differs"),
    "a date that is no column": ({"a.csv": LONG}, {"columns": {"date": "zork"}}, "columns['date']", "not-found"),
    "a row that is not there": ({"a.csv": WIDE}, {"columns": {"difficulty": "zork"}}, "columns['difficulty']", "not-found"),
    "a row that is there twice": ({"a.csv": WIDE}, {"columns": {"difficulty": "level"}}, "columns['difficulty']", "not-found"),
    "a field in words": ({"a.jsonl": '{"model": "a", "item": 1, "score": 1, "d": "zork"}\n'}, {"columns": {"difficulty": "d"}}, "columns['difficulty']", "not-a-number"),
    "a metric that is a number": (TWO, {"metric": {"t": 3}}, "metric", "not-a-name"),
    "a metric that a task lacks": (TWO, {"metric": {"t": "f1"}}, "metric", "not-found"),
    "a filter that a task lacks": ({"results.json": RESULTS}, {"filter": "z"}, "filter", "not-found"),
    "scorers that differ": ({"a.json": log("a"), "b.json": log("b", "judge")}, {}, "path", "no-common-metric"),
    "runs with other settings": ({"a.json": log(solver="x"), "b.json": log(solver="y")}, {}, "path", "repeats"),
    "equal ids of other items": ({"a.json": log(), "b.json": log(text="u")}, {}, "path", "repeats"),
    "numbers of no known direction": ({"a.json": log(scorer="zork", values=(3, 99))}, {}, "metric", "unknown-direction"),
    "two columns of scores": ({"a.csv": "model,item,score,correct\na,1,1,1\n"}, {"format": "long"}, "path", "several"),
    "no column of items": ({"a.csv": "model,score\na,1\n"}, {"format": "long"}, "path", "no-column"),
    "tables of two kinds": ({"a.csv": LONG, "b.csv": "model,p\na,1\n"}, {}, "path", "mixed-formats"),
    "nothing that is known": ({"a.json": '{"x": 1}', "b.json": '{"y": 2}'}, {}, "path", "unknown-format"),
    "something unknown, strictly": (TWO | {"c.json": '{"x": 1}'}, {"strict": True}, "path", "mixed-formats"),
    "a damaged file, strictly": (TWO | {"c.json": log()[:80]}, {"strict": True}, "path", "not-json"),
    "an archive without samples": ({"a.eval": archive()}, {}, "path", "empty"),
    "a damaged part": ({"a.eval": archive(SAMPLE, damage=packed_by(93))}, {}, "path", "damaged"),
    "an unknown packing": ({"a.eval": archive(SAMPLE, damage=packed_by(97))}, {}, "path", "unknown-compression"),
}  # fmt: skip


def written(files, folder):
    """The files in a folder; the file itself where there is one."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        if callable(content):
            content(folder / name)
        else:
            (folder / name).write_text(content)
    return folder / next(iter(files)) if len(files) == 1 else folder


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_had_is_refused_by_argument_and_code(case, tmp_path):
    files, options, argument, code = REFUSED[case]
    path = written(files, tmp_path / "logs")
    read = analyse if code == "unknown-direction" else gl.read
    with pytest.raises(gl.BadInput) as error:
        read(path, **options)
    assert (error.value.argument, error.value.code) == (argument, code)
    assert error.value.remedy
    assert "\n" not in str(error.value)


def test_there_are_enough_and_each_is_another():
    assert len(REFUSED) >= 40
    rows = [
        json.dumps([sorted(map(str, files.items())), str(o), a, c]) for files, o, a, c in REFUSED.values()
    ]
    assert len(set(rows)) == len(rows)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--metric", "t="], "is not METRIC or TASK=METRIC"),
        (["--metric", "=acc"], "is not METRIC or TASK=METRIC"),
        (["--include", "zork"], "leaves no response at all; there are 'a', 'b', 't'"),
        (["--agent-from", "zork"], "agent_from='zork'"),
        (["--agents", "zork"], "is not in the logs"),
    ],
)
def test_the_command_line_says_the_same_and_ends_with_2(arguments, says, tmp_path, capsys):
    path = written(TWO, tmp_path / "logs")
    assert main(["analyse", str(path), "--ci", "0", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert Path(path).is_dir()
