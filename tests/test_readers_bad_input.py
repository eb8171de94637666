"""Logs that cannot mean what they say: each is refused in words, and none becomes a number."""

import gzip
import json
import re
import zipfile

import pytest
from refusals import refused

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
    "an empty table": ("a.csv", "", {}, "path: empty"),
    "a header alone": ("a.csv", "agent,i,j\n", {}, "path: no-rows"),
    "a header alone, of whom it does not say": ("a.csv", "who,i,j\n", {}, "path: no-rows"),
    "one column": ("a.csv", "agent\nann\n", {}, "path: unknown-format"),
    "text for a number": (
        "a.csv",
        "agent,i\nann,good\n",
        {},
        "scores['ann', 'i']: not-a-number",
    ),
    "a percent sign beside a number": (
        "a.csv",
        "agent,i\nann,50%\nbob,1\n",
        {},
        "scores['ann', 'i']: not-a-number",
    ),
    "an infinite score": ("a.csv", "agent,i\nann,inf\n", {}, "scores['ann', 'i']: not-finite"),
    "two columns of one name": ("a.csv", "agent,i,i\nann,1,0\n", {}, "path: duplicate-label"),
    "an agent without a name": ("a.csv", "agent,i\n,1\n", {}, "path: no-row"),
    "a row too long": ("a.csv", "agent,i\nann,1,0\n", {}, "path: uneven-rows"),
    "scores above one": ("a.csv", "agent,i\nann,7\n", {}, "path: raw-scores"),
    "scores below zero": (
        "a.csv",
        "agent,i\nann,-1\n",
        {},
        "path: raw-scores",
    ),
    "nothing but gaps": ("a.csv", "agent,i\nann,\n", {}, "path: empty"),
    "an agent twice": (
        "a.csv",
        "agent,i\nann,1\nann,0\n",
        {},
        "path: repeats",
    ),
    "a scale too short": ("a.csv", "agent,i\nann,150\n", {"scale": (0, 100)}, "scale: off-scale"),
    "an empty scale": ("a.csv", "agent,i\nann,1\n", {"scale": (1, 1)}, "scale: out-of-range"),
    "two columns that could be the response": (
        "a.csv",
        "model,item,score,correct\na,x,1,1\n",
        {},
        "path: several",
    ),
    "a long table without items": (
        "a.csv",
        "model,score\na,1\n",
        {"format": "long"},
        "path: no-column",
    ),
    "a column that is not there": (
        "a.csv",
        "model,item,score\na,x,1\n",
        {"columns": {"response": "acc"}},
        "columns['response']: not-found",
    ),
    "a row twice": ("a.csv", "model,item,score\na,x,1\na,x,1\n", {}, "path: repeats"),
    "a trial twice": (
        "a.csv",
        "model,item,epoch,score\na,x,1,1\na,x,1,0\n",
        {},
        "path: repeats",
    ),
    "a long header without rows": (
        "a.csv",
        "model,item,score\n",
        {},
        "path: no-rows",
    ),
    "latin-1 unannounced": (
        "a.csv",
        "agent,é\nann,1\n".encode("latin-1"),
        {},
        "path: not-csv",
    ),
    "utf-16 without its mark": (
        "a.csv",
        "agent,i\nann,1\n".encode("utf-16-le"),
        {},
        "path: not-text",
    ),
    "bytes": ("a.csv", bytes(range(256)), {}, "path: not-text"),
    "a quote that never ends": ("a.csv", 'agent,i\n"ann,1\n', {}, "path: not-csv"),
    "no Parquet": ("a.parquet", "agent,i\n", {}, "path: damaged"),
    "a truncated gzip": (
        "a.csv.gz",
        gzip.compress(b"agent,i\nann,1\n" * 99)[:-12],
        {},
        "path: damaged",
    ),
    # JSON lines
    "an empty log": ("samples_a.jsonl", "", {}, "path: empty"),
    "a picture": ("a.jsonl", b"\x89PNG\r\n\x1a\n", {}, "path: not-a-log"),
    "a broken line in the middle": ("a.jsonl", ROW + '{"model": \n' + ROW, {}, "path: not-json"),
    "a list in a line": ("a.jsonl", ROW + "[1]\n", {}, "path: not-an-object"),
    "a line without a score": (
        "a.jsonl",
        ROW + '{"model": "m", "item": "y"}\n',
        {},
        "path: missing-field",
    ),
    "a line with a word for a score": (
        "a.jsonl",
        ROW.replace("1}", '"good"}'),
        {},
        "path: missing-field",
    ),
    "a line without a model": (
        "a.jsonl",
        ROW.replace('"m"', "null"),
        {},
        "path: missing-field",
    ),
    "a line nested without end": (
        "a.jsonl",
        ROW + "[" * 100_000 + "\n" + ROW,
        {},
        "path: too-deep",
    ),
    "an endless number": (
        "a.jsonl",
        ROW.replace("1}", "1" + "0" * 400 + "}"),
        {},
        "path: not-finite",
    ),
    "latin-1 in a line": (
        "a.jsonl",
        ROW.encode() + '{"model": "é"}\n'.encode("latin-1"),
        {},
        "path: wrong-encoding",
    ),
    # lm-evaluation-harness
    "a sample without its document": (
        "samples_a.jsonl",
        SAMPLE + '{"acc": 1}\n',
        {},
        "path: no-id",
    ),
    "a metric that is not there": (
        "samples_a.jsonl",
        SAMPLE,
        {"metric": "f1"},
        "metric: not-found",
    ),
    "a metric that is a list": (
        "samples_a.jsonl",
        SAMPLE + SAMPLE.replace("0,", "1,", 1).replace("1.0", "[1]"),
        {},
        "path: not-a-number",
    ),
    "no metric at all": (
        "samples_a.jsonl",
        SAMPLE.replace("1.0", '"x"'),
        {},
        "path: no-metric",
    ),
    "a filter that is not there": (
        "samples_a.jsonl",
        SAMPLE + SAMPLE.replace("none", "strict"),
        {"filter": "loose"},
        "filter: not-found",
    ),
    "results without a model": (
        "results.json",
        '{"results": {"a": {"acc,none": 1}}}',
        {},
        "path: no-model",
    ),
    "results of another kind": (
        "results.json",
        '{"results": {"a": {}}, "model_name": "m"}',
        {},
        "path: no-metric",
    ),
    "results without that filter": (
        "results.json",
        '{"results": {"a": {"em,x": 1, "em,y": 0}}, "model_name": "m"}',
        {"filter": "z"},
        "filter: not-found",
    ),
    "truncated results": ("results.json", '{"results": {"a": {"acc,none": 1', {}, "path: not-json"),
    "an object of something else": ("a.json", '{"hello": 1}', {}, "path: unknown-format"),
    # Inspect
    "a header only": ("a.json", json.dumps(INSPECT), {}, "path: no-samples"),
    "a log without a model": ("a.json", logs(eval={"task": "t"}), {}, "path: no-model"),
    "a sample without an id": (
        "a.json",
        logs(samples=[{"scores": ONE["scores"]}]),
        {},
        "path: no-id",
    ),
    "a score that is a list": (
        "a.json",
        logs(samples=[ONE, ONE | {"id": 2, "scores": {"s": {"value": [1]}}}]),
        {},
        "path: words",
    ),
    "scores that are a word": (
        "a.json",
        logs(samples=[ONE | {"scores": "C"}]),
        {},
        "path: wrong-type",
    ),
    "a scorer that is not there": (
        "a.json",
        logs(),
        {"metric": "judge"},
        "metric: not-found",
    ),
    "an epoch twice": ("a.json", logs(samples=[ONE, ONE]), {}, "path: repeats"),
    "no archive": ("a.eval", b"PK\x03\x04" + b"x" * 50, {}, "path: damaged"),
    # options
    "an unknown format": (
        "a.csv",
        "agent,i\nann,1\n",
        {"format": "excel"},
        "format: not-an-option",
    ),
    "an unknown rule for repeats": (
        "a.csv",
        "agent,i\nann,1\n",
        {"repeats": "mean"},
        "repeats: not-an-option",
    ),
    "an unknown encoding": (
        "a.csv",
        "agent,i\nann,1\n",
        {"encoding": "klingon"},
        "encoding: unknown-word",
    ),
    "an unknown kind of column": (
        "a.csv",
        "agent,i\nann,1\n",
        {"columns": {"score": "i"}},
        "columns: not-an-option",
    ),
    "columns as a list": (
        "a.csv",
        "agent,i\nann,1\n",
        {"columns": ["i"]},
        "columns: not-a-mapping",
    ),
    "an unknown agent": (
        "a.csv",
        "agent,i\nann,1\n",
        {"agents": ["bob"]},
        "agents: not-found",
    ),
    "an agent as a word": ("a.csv", "agent,i\nann,1\n", {"agents": "ann"}, "agents: one-word"),
    "an unknown family": (
        "a.csv",
        "agent,i\nann,1\n",
        {"families": ["art"]},
        "families: not-found",
    ),
    "an unknown family among others": (
        "a.csv",
        "agent,item,family,score\nann,i,maths,1\nann,j,logic,0\n",
        {"families": ["art"]},
        "families: not-found",
    ),
    "a metric that is a number": (
        "a.csv",
        "agent,i\nann,1\n",
        {"metric": 3},
        "metric: not-a-name",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_read_says_why(case, tmp_path):
    name, content, options, message = FILES[case]
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with refused(message) as error:
        gl.read(file, **options)
    assert "\n" not in str(error.value)


def helm_run(tmp_path, **files):
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))


FOLDERS = {
    "nothing": (
        lambda path: None,
        "path: no-log",
    ),
    "text only": (lambda path: (path / "README.md").write_text("hi"), "path: no-log"),
    "two formats": (
        lambda path: [
            (path / "a.csv").write_text("agent,item,score\nann,1,1\n"),
            (path / "b.csv").write_text("agent,i\nann,1\n"),
        ],
        "path: mixed-formats",
    ),
    "several things unknown": (
        lambda path: [(path / n).write_text("{}") for n in ("a.json", "b.json")],
        "path: unknown-format",
    ),
    "stats without a run": (
        lambda path: helm_run(path, stats=[STAT]),
        "path: no-model",
    ),
    "a run that did not end": (lambda path: helm_run(path, run_spec=SPEC), "path: unfinished"),
    "a run without a model": (
        lambda path: helm_run(path, run_spec={"name": "x"}, stats=[STAT]),
        "path: no-model",
    ),
    "instances that are none": (
        lambda path: helm_run(path, run_spec=SPEC, per_instance_stats={"a": 1}),
        "path: not-a-list",
    ),
    "a run without instances": (
        lambda path: helm_run(path, run_spec=SPEC, per_instance_stats=[]),
        "path: empty",
    ),
    "a run that counts tokens": (
        lambda path: helm_run(path, run_spec=SPEC, stats=[STAT | {"name": {"name": "num_output_tokens"}}]),
        "path: no-metric",
    ),
    "a stat that is a word": (
        lambda path: helm_run(path, run_spec=SPEC, stats=[STAT | {"mean": "high"}]),
        "path: not-a-number",
    ),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_a_folder_that_cannot_be_read_says_what_it_holds(case, tmp_path):
    make, message = FOLDERS[case]
    make(tmp_path)
    with refused(message):
        gl.read(tmp_path)


def test_no_pattern_above_matches_whatever_is_said():
    patterns = [row[-1] for row in (*FILES.values(), *FOLDERS.values())]
    assert not [pattern for pattern in patterns if re.search(pattern, "")]


def test_what_is_absent_is_said_so(tmp_path):
    with refused("path: not-found"):
        gl.read(tmp_path / "none")
    with refused("path: wrong-type"):
        gl.read(3)


def test_a_damaged_part_of_an_archive_is_named(tmp_path):
    file = tmp_path / "a.eval"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", json.dumps(INSPECT))
        archive.writestr("samples/1_epoch_1.json", '{"id": 1')
    with refused("path: damaged"):
        gl.read(file)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", json.dumps(INSPECT))
    with refused("path: empty"):
        gl.read(file)


def test_a_format_that_the_folder_does_not_hold_is_refused(tmp_path):
    write_example(tmp_path, "inspect", simulated_runs(agents=2, items=1))
    with refused("format: other-format"):
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


@pytest.mark.parametrize("read", [gl.read, gl.read_scores])
@pytest.mark.parametrize("name", ["families", "agents", "items", "include", "lower_is_better"])
def test_an_option_that_is_not_a_list_is_refused_by_its_name(read, name, tmp_path):
    (tmp_path / "a.csv").write_text("agent,i\nann,1\n")
    with refused(f"{name}: wrong-type"):
        read(tmp_path / "a.csv", **{name: 1})


def test_what_a_skipped_file_has_is_not_counted(tmp_path):
    row = {"task_id": "a/1", "alias": "ann", "score_binarized": 1, "human_minutes": 4}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    rows = [row | {"score_binarized": None}, row | {"score_binarized": "wrong number"}]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, rows)))
    notes = gl.read(tmp_path).notes
    assert any("b.jsonl" in note for note in notes)
    assert not any("no score" in note for note in notes)


def test_tests_of_promptfoo_without_variables_are_told_apart_by_their_rows(tmp_path):
    (tmp_path / "a.csv").write_text("[openai:gpt-4] p\n[PASS] (1.0)\n[FAIL] (0.0)\n")
    assert gl.read(tmp_path / "a.csv", format="promptfoo").frame.loc["openai:gpt-4"].tolist() == [1, 0]
