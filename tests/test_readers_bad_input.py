"""Logs that cannot mean what they say: each is refused in words, and none becomes a number."""

import gzip
import json
import re
import zipfile

import pytest

import gindex_lab as gl
from gindex_lab.press.cli import main
from gindex_lab.studies.readers.examples import simulated_runs, write_example

ROW = '{"model": "m", "item": "x", "score": 1}\n'
SAMPLE = '{"doc_id": 0, "filter": "none", "metrics": ["acc"], "filtered_resps": [], "acc": 1.0}\n'
INSPECT = {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}}
ONE = {"id": 1, "epoch": 1, "scores": {"s": {"value": "C"}}}
SPEC = {"name": "boolq:model=m", "adapter_spec": {"model": "m"}}
STAT = {"name": {"name": "exact_match"}, "count": 1, "sum": 1.0}


def logs(**changes):
    return json.dumps(INSPECT | {"samples": [ONE]} | changes)


# name of the file, its content, options, what the message says
FILES = {
    # tables
    "an empty table": ("a.csv", "", {}, "is empty"),
    "a header alone": ("a.csv", "agent,i,j\n", {}, "has no row of scores"),
    "one column": ("a.csv", "agent\nann\n", {}, "is not recognised"),
    "text for a number": (
        "a.csv",
        "agent,i\nann,good\n",
        {},
        r"scores\['ann', 'i'\]='good': is not a number",
    ),
    "a percent sign beside a number": ("a.csv", "agent,i\nann,50%\nbob,1\n", {}, "is not a number"),
    "an infinite score": ("a.csv", "agent,i\nann,inf\n", {}, "is infinite"),
    "two columns of one name": ("a.csv", "agent,i,i\nann,1,0\n", {}, "has two columns 'i'"),
    "an agent without a name": ("a.csv", "agent,i\n,1\n", {}, "has no agent in row 1"),
    "a row too long": ("a.csv", "agent,i\nann,1,0\n", {}, "more cells in a row|is not a CSV"),
    "scores above one": ("a.csv", "agent,i\nann,7\n", {}, r"scores from 7 to 7.*scale=\(0, 100\)"),
    "scores below zero": (
        "a.csv",
        "agent,i\nann,-1\n",
        {},
        r"scores from -1 to -1.*scale=\(low, high\)",
    ),
    "nothing but gaps": ("a.csv", "agent,i\nann,\n", {}, "holds no number at all"),
    "an agent twice": (
        "a.csv",
        "agent,i\nann,1\nann,0\n",
        {},
        "has 1 more responses.*'ann' on 'i'",
    ),
    "a scale too short": ("a.csv", "agent,i\nann,150\n", {"scale": (0, 100)}, "does not hold 150"),
    "an empty scale": ("a.csv", "agent,i\nann,1\n", {"scale": (1, 1)}, r"scale=\(1, 1\): is empty"),
    "two columns that could be the response": (
        "a.csv",
        "model,item,score,correct\na,x,1,1\n",
        {},
        "several columns that could be the response: 'score', 'correct'",
    ),
    "a long table without items": (
        "a.csv",
        "model,score\na,1\n",
        {"format": "long"},
        "has no column for the item",
    ),
    "a column that is not there": (
        "a.csv",
        "model,item,score\na,x,1\n",
        {"columns": {"response": "acc"}},
        "is not a column of a.csv",
    ),
    "a row twice": ("a.csv", "model,item,score\na,x,1\na,x,1\n", {}, "has 1 more responses"),
    "a trial twice": (
        "a.csv",
        "model,item,epoch,score\na,x,1,1\na,x,1,0\n",
        {},
        "has 1 more responses",
    ),
    "a long header without rows": (
        "a.csv",
        "model,item,score\n",
        {},
        "has a header and no row|no response at all",
    ),
    "latin-1 unannounced": (
        "a.csv",
        "agent,é\nann,1\n".encode("latin-1"),
        {},
        "is not a CSV.*UTF-8",
    ),
    "utf-16 without its mark": (
        "a.csv",
        "agent,i\nann,1\n".encode("utf-16-le"),
        {},
        "zero bytes.*encoding='utf-16-le'",
    ),
    "bytes": ("a.csv", bytes(range(256)), {}, "zero bytes"),
    "a quote that never ends": ("a.csv", 'agent,i\n"ann,1\n', {}, "is not a CSV"),
    "no Parquet": ("a.parquet", "agent,i\n", {}, "is not Parquet"),
    "a truncated gzip": (
        "a.csv.gz",
        gzip.compress(b"agent,i\nann,1\n" * 99)[:-12],
        {},
        "ends early or is damaged",
    ),
    # JSON lines
    "an empty log": ("samples_a.jsonl", "", {}, "is empty"),
    "a picture": ("a.jsonl", b"\x89PNG\r\n\x1a\n", {}, "is a picture"),
    "a broken line in the middle": ("a.jsonl", ROW + '{"model": \n' + ROW, {}, "no JSON in line 2"),
    "a list in a line": ("a.jsonl", ROW + "[1]\n", {}, r"no object in line 2, but \[1\]"),
    "a line without a score": (
        "a.jsonl",
        ROW + '{"model": "m", "item": "y"}\n',
        {},
        "has no 'score' in line 2",
    ),
    "a line with a word for a score": (
        "a.jsonl",
        ROW.replace("1}", '"good"}'),
        {},
        "no number, or no name, in line 1",
    ),
    "a line without a model": (
        "a.jsonl",
        ROW.replace('"m"', "null"),
        {},
        "no number, or no name, in line 1",
    ),
    "a line nested without end": (
        "a.jsonl",
        ROW + "[" * 100_000 + "\n" + ROW,
        {},
        "line 2.*nested more than 200 levels deep",
    ),
    "an endless number": (
        "a.jsonl",
        ROW.replace("1}", "1" + "0" * 400 + "}"),
        {},
        "infinite score",
    ),
    "latin-1 in a line": (
        "a.jsonl",
        ROW.encode() + '{"model": "é"}\n'.encode("latin-1"),
        {},
        "not utf-8 text after line.*encoding='latin-1'",
    ),
    # lm-evaluation-harness
    "a sample without its document": (
        "samples_a.jsonl",
        SAMPLE + '{"acc": 1}\n',
        {},
        "has no doc_id in line 2",
    ),
    "a metric that is not there": (
        "samples_a.jsonl",
        SAMPLE,
        {"metric": "f1"},
        "metric='f1': is not in task 'a'; it has 'acc'",
    ),
    "a metric that is a list": (
        "samples_a.jsonl",
        SAMPLE + SAMPLE.replace("0,", "1,", 1).replace("1.0", "[1]"),
        {},
        r"acc=\[1\] in line 2, which is not a number",
    ),
    "no metric at all": (
        "samples_a.jsonl",
        SAMPLE.replace("1.0", '"x"'),
        {},
        "has no metric of task 'a'",
    ),
    "a filter that is not there": (
        "samples_a.jsonl",
        SAMPLE + SAMPLE.replace("none", "strict"),
        {"filter": "loose"},
        "filter='loose': is not in task 'a'; it has 'none', 'strict'",
    ),
    "results without a model": (
        "results.json",
        '{"results": {"a": {"acc,none": 1}}}',
        {},
        "does not say which model",
    ),
    "results of another kind": (
        "results.json",
        '{"results": {"a": {}}, "model_name": "m"}',
        {},
        "has no metric of task 'a'",
    ),
    "results without that filter": (
        "results.json",
        '{"results": {"a": {"em,x": 1, "em,y": 0}}, "model_name": "m"}',
        {"filter": "z"},
        "is not in task 'a'; it has 'x', 'y'",
    ),
    "truncated results": ("results.json", '{"results": {"a": {"acc,none": 1', {}, "is not JSON"),
    "an object of something else": ("a.json", '{"hello": 1}', {}, "is not recognised"),
    # Inspect
    "a header only": ("a.json", json.dumps(INSPECT), {}, "has no samples: it is a header only"),
    "a log without a model": ("a.json", logs(eval={"task": "t"}), {}, "does not say its model"),
    "a sample without an id": (
        "a.json",
        logs(samples=[{"scores": ONE["scores"]}]),
        {},
        "a sample without an id",
    ),
    "a score that is a list": (
        "a.json",
        logs(samples=[ONE, ONE | {"id": 2, "scores": {"s": {"value": [1]}}}]),
        {},
        "sample '2' in words or a list",
    ),
    "scores that are a word": (
        "a.json",
        logs(samples=[ONE | {"scores": "C"}]),
        {},
        "has scores='C'",
    ),
    "a scorer that is not there": (
        "a.json",
        logs(),
        {"metric": "judge"},
        "is not in task 't'; it has 's'",
    ),
    "an epoch twice": ("a.json", logs(samples=[ONE, ONE]), {}, "has 1 more responses"),
    "no archive": ("a.eval", b"PK\x03\x04" + b"x" * 50, {}, "is a damaged .eval archive"),
    # options
    "an unknown format": (
        "a.csv",
        "agent,i\nann,1\n",
        {"format": "excel"},
        "format='excel': is not an option",
    ),
    "an unknown rule for repeats": (
        "a.csv",
        "agent,i\nann,1\n",
        {"repeats": "mean"},
        "repeats='mean': is not an option",
    ),
    "an unknown encoding": (
        "a.csv",
        "agent,i\nann,1\n",
        {"encoding": "klingon"},
        "encoding='klingon': is not known",
    ),
    "an unknown kind of column": (
        "a.csv",
        "agent,i\nann,1\n",
        {"columns": {"score": "i"}},
        "columns='score': is not an option",
    ),
    "columns as a list": ("a.csv", "agent,i\nann,1\n", {"columns": ["i"]}, "is not a mapping"),
    "an unknown agent": (
        "a.csv",
        "agent,i\nann,1\n",
        {"agents": ["bob"]},
        "agents='bob': is not in the logs; there are 'ann'",
    ),
    "an agent as a word": ("a.csv", "agent,i\nann,1\n", {"agents": "ann"}, r"agents=\['ann'\]"),
    "an unknown family": (
        "a.csv",
        "agent,i\nann,1\n",
        {"families": ["art"]},
        "families='art': cannot be found: these items have no families; leave families out, or name the column",
    ),
    "an unknown family among others": (
        "a.csv",
        "agent,item,family,score\nann,i,maths,1\nann,j,logic,0\n",
        {"families": ["art"]},
        "families='art': is not in the logs; there are 'maths', 'logic'",
    ),
    "a metric that is a number": (
        "a.csv",
        "agent,i\nann,1\n",
        {"metric": 3},
        "metric=3: is not a name",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_read_says_why(case, tmp_path):
    name, content, options, message = FILES[case]
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(gl.BadInput, match=message) as error:
        gl.read(file, **options)
    assert "\n" not in str(error.value)


def helm_run(tmp_path, **files):
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))


FOLDERS = {
    "nothing": (
        lambda path: None,
        "holds no log and no table; supported are lm-evaluation-harness",
    ),
    "text only": (lambda path: (path / "README.md").write_text("hi"), "holds no log and no table"),
    "two formats": (
        lambda path: [
            (path / "a.csv").write_text("agent,item,score\nann,1,1\n"),
            (path / "b.csv").write_text("agent,i\nann,1\n"),
        ],
        r"mixes formats: 1 long \(a.csv\); 1 wide \(b.csv\).*supported are",
    ),
    "several things unknown": (
        lambda path: [(path / n).write_text("{}") for n in ("a.json", "b.json")],
        r"is not recognised: 2 not recognised \(a.json, b.json\)",
    ),
    "stats without a run": (
        lambda path: helm_run(path, stats=[STAT]),
        "no run_spec.json, which names the model",
    ),
    "a run that did not end": (lambda path: helm_run(path, run_spec=SPEC), "the run did not end"),
    "a run without a model": (
        lambda path: helm_run(path, run_spec={"name": "x"}, stats=[STAT]),
        "does not name the run and its adapter_spec.model",
    ),
    "instances that are none": (
        lambda path: helm_run(path, run_spec=SPEC, per_instance_stats={"a": 1}),
        "is not a list of instances",
    ),
    "a run without instances": (
        lambda path: helm_run(path, run_spec=SPEC, per_instance_stats=[]),
        "holds no instance",
    ),
    "a run that counts tokens": (
        lambda path: helm_run(
            path, run_spec=SPEC, stats=[STAT | {"name": {"name": "num_output_tokens"}}]
        ),
        "has no metric of run",
    ),
    "a stat that is a word": (
        lambda path: helm_run(path, run_spec=SPEC, stats=[STAT | {"mean": "high"}]),
        "a stat that is not a number",
    ),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_a_folder_that_cannot_be_read_says_what_it_holds(case, tmp_path):
    make, message = FOLDERS[case]
    make(tmp_path)
    with pytest.raises(gl.BadInput, match=message):
        gl.read(tmp_path)


def test_no_pattern_above_matches_whatever_is_said():
    patterns = [row[-1] for row in (*FILES.values(), *FOLDERS.values())]
    assert not [pattern for pattern in patterns if re.search(pattern, "")]


def test_what_is_absent_is_said_so(tmp_path):
    with pytest.raises(gl.BadInput, match="does not exist"):
        gl.read(tmp_path / "none")
    with pytest.raises(gl.BadInput, match="path=3: is not a path"):
        gl.read(3)


def test_a_damaged_part_of_an_archive_is_named(tmp_path):
    file = tmp_path / "a.eval"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", json.dumps(INSPECT))
        archive.writestr("samples/1_epoch_1.json", '{"id": 1')
    with pytest.raises(gl.BadInput, match=r"damaged part 'samples/1_epoch_1\.json'"):
        gl.read(file)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", json.dumps(INSPECT))
    with pytest.raises(gl.BadInput, match="archive without samples"):
        gl.read(file)


def test_a_format_that_the_folder_does_not_hold_is_refused(tmp_path):
    write_example(tmp_path, "inspect", simulated_runs(agents=2, items=1))
    with pytest.raises(gl.BadInput, match="format='helm': is not what the folder holds"):
        gl.read(tmp_path, format="helm")


def test_a_cut_off_last_line_is_left_out_and_noted(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text(ROW + ROW.replace('"x"', '"y"') + '{"model": "m", "it')
    found = gl.read(file)
    assert found.shape == (1, 2)
    assert "a.jsonl: the last line (3) is cut off, and was left out" in found.notes


def test_the_command_says_it_in_one_line(tmp_path, capsys):
    assert main(["analyse", str(tmp_path)]) == 2
    printed = capsys.readouterr().err
    assert "holds no log and no table" in printed
    assert printed.count("\n") == 1
