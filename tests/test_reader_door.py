"""The door of the readers: roles, bad files among good ones, globs, what an agent is, and what is said of it all."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.foundation.notes import Note, Notes
from gindex_lab.press.analyse import analyse
from gindex_lab.press.cli import main


def inspect_log(folder, model="gpt", task="sums", name=None, scores=(1, 0, 1), **more):
    """A log of Inspect; each score is the value of one sample."""
    samples = [
        {"id": k + 1, "epoch": 1, "input": f"{task} {k}", "scores": {"match": {"value": value}}}
        for k, value in enumerate(scores)
    ]
    for key in ("metadata", "input"):
        for sample, value in zip(samples, more.pop(key, []), strict=False):
            sample[key] = value
    about = {"task": task, "model": model} | more.pop("eval", {})
    content = {"version": 2, "status": "success", "eval": about, "samples": samples} | more
    file = folder / f"{name or f'{model}_{task}'}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))
    return file


def harness_samples(folder, model="gpt", task="arc", docs=None, results=None, time="2026-01-01T00-00-00"):
    where = folder / model
    where.mkdir(parents=True, exist_ok=True)
    lines = [
        {
            "doc_id": k,
            "doc": doc,
            "filter": "none",
            "metrics": ["acc"],
            "acc": k % 2,
            "doc_hash": str(k),
        }
        for k, doc in enumerate(docs or [{}, {}, {}])
    ]
    file = where / f"samples_{task}_{time}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    content = {"results": {}, "model_name": model, "config": {}} | (results or {})
    (where / f"results_{time}.json").write_text(json.dumps(content))
    return file


# -- notes -----------------------------------------------------------------------------------------------


def test_notes_are_sentences_and_a_table_with_the_option_that_changes_each(tmp_path):
    (tmp_path / "a.csv").write_text("model,q1,q2,age\nann,1,0,30\nbob,0,1,40\n")
    found = gl.read(tmp_path / "a.csv")
    assert all(isinstance(note, str) for note in found.notes)
    table = found.notes.table
    assert list(table.columns) == ["what", "decided", "how to change it"]
    row = table[table["what"] == "items"].iloc[0]
    assert "'age'" in row["decided"]
    assert "--items" in row["how to change it"]
    shown = found._repr_html_()
    assert "2 agents x 2 items" in shown
    assert "how to change it" in shown
    again = pickle.loads(pickle.dumps(found))
    assert again.notes.table.equals(table)


def test_plain_sentences_are_notes_too_and_html_is_escaped():
    notes = Notes(["a <b>"]).with_more([Note("x", "y & z", "w")])
    assert notes.table["decided"].tolist() == ["a <b>", "y & z"]
    assert "a &lt;b&gt;" in notes._repr_html_()


# -- bad files -------------------------------------------------------------------------------------------


@pytest.fixture
def mess(tmp_path):
    """Three good logs and five files that are none, in different ways."""
    for model in ("ann", "bob", "cat"):
        inspect_log(tmp_path, model)
    (tmp_path / "cut.json").write_text((tmp_path / "ann_sums.json").read_text()[:200])
    (tmp_path / "damaged.eval").write_bytes(b"PK\x03\x04" + b"x" * 50)
    (tmp_path / "other.json").write_text('{"name": "something else"}')
    inspect_log(tmp_path, "dog", scores=(1, [2], 0))  # a list is no score
    (tmp_path / "header.json").write_text(
        json.dumps({"status": "success", "eval": {"task": "t", "model": "m"}})
    )
    return tmp_path


def test_bad_files_are_skipped_listed_and_counted_at_the_top(mess):
    found = gl.read(mess)
    assert list(found.frame.index) == ["ann", "bob", "cat"]
    table = found.notes.table
    assert table["what"].tolist()[:2] == ["files", "skipped"]
    assert "3 files" in table["decided"][0]
    assert "5 files were skipped" in table["decided"][1]
    assert "--strict" in table["how to change it"][1]


@pytest.mark.parametrize(("logs", "likely"), [("a", "b"), ("b", "a")])
def test_perplexities_beside_logs_of_another_tool_are_left_out_in_any_order(tmp_path, logs, likely):
    for model in ("ann", "bob"):
        inspect_log(tmp_path / logs, model)
        file = harness_samples(tmp_path / likely, model, "wikitext")
        lines = [
            {"doc_id": k, "doc": {}, "filter": "none", "metrics": ["word_perplexity"],
             "word_perplexity": [-9.0 - k, 4], "doc_hash": str(k)}
            for k in range(3)
        ]  # fmt: skip
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = gl.read(tmp_path)
    assert list(found.frame.columns) == ["sums/1", "sums/2", "sums/3"]
    assert "2 files were skipped" in found.notes[1]


def failed(folder, name, scores=None, created="2026-01-01"):
    """A run of `gpt` that ended with an error, before its samples were scored or after some."""
    error = {"message": "Error code: 404 - no such judge"}
    more = {"status": "error", "error": error, "eval": {"created": created}}
    file = inspect_log(folder, name=name, scores=scores or (1, 1, 1), **more)
    if scores is None:
        content = json.loads(file.read_text())
        content["samples"] = [sample | {"scores": {}} for sample in content["samples"]]
        file.write_text(json.dumps(content))


def test_failed_runs_and_runs_scored_in_words_are_skipped_with_their_reasons(tmp_path, capsys):
    failed(tmp_path, "a", created="2026-01-01")
    failed(tmp_path, "b", created="2026-01-02")
    inspect_log(tmp_path, name="c", scores=("both", "left", "both"))
    with pytest.raises(gl.BadInput) as error:
        gl.read(tmp_path)
    assert error.value.argument == "path"
    for part in ("404", "'both'", "no score"):
        assert part in error.value.problem
    assert main(["analyse", str(tmp_path), "--ci", "0"]) == 2
    assert "'both'" in capsys.readouterr().err
    inspect_log(tmp_path, "bob", scores=("CORRECT", "incorrect", "partially_correct"))
    inspect_log(tmp_path, "cat", scores=("C", "I", "NOT_ATTEMPTED"))
    found = gl.read(tmp_path)
    assert found.frame.to_numpy().tolist() == [[1, 0, 0.5], [1, 0, 0]]
    assert "3 files were skipped" in found.notes[1]
    assert "404" in found.notes[1]
    assert "'both'" in found.notes[1]
    with pytest.raises(gl.BadInput):
        gl.read(tmp_path, strict=True)
    assert main(["analyse", str(tmp_path), "--ci", "0"]) == 0
    assert "3 files were skipped" in capsys.readouterr().out


def test_a_failed_run_with_scores_is_read_where_the_run_after_it_has_none(tmp_path):
    failed(tmp_path, "a", scores=(1, 0), created="2026-01-01")
    failed(tmp_path, "b", scores=(0, 0), created="2026-01-02")
    failed(tmp_path, "c", created="2026-01-03")
    found = gl.read(tmp_path)
    assert found.frame.to_numpy().tolist() == [[0, 0]]
    said = " ".join(found.notes)
    assert "1 file was skipped (c.json" in said
    assert "a.json: error" in said


def test_strict_makes_the_first_bad_file_an_error(mess, capsys):
    with pytest.raises(gl.BadInput) as error:
        gl.read(mess, strict=True)
    assert error.value.argument == "path"
    assert main(["analyse", str(mess), "--ci", "0", "--strict"]) == 2
    capsys.readouterr()
    assert main(["analyse", str(mess), "--ci", "0"]) == 0
    assert "5 files were skipped" in capsys.readouterr().out


def test_a_bad_file_leaves_nothing_behind(tmp_path):
    """Its rows, its metric and its notes are forgotten, also where it fails at the last sample."""
    bad = inspect_log(tmp_path, "aaa", scores=(1, 1, "word"))
    content = json.loads(bad.read_text())
    for sample in content["samples"]:
        sample["scores"] = {"zork": sample["scores"]["match"]}
    bad.write_text(json.dumps(content | {"status": "error"}))
    inspect_log(tmp_path, "bob")
    found = gl.read(tmp_path)
    assert found.frame.to_dict("index") == {"bob": {"sums/1": 1.0, "sums/2": 0.0, "sums/3": 1.0}}
    assert not any("zork" in note or "status" in note for note in found.notes[2:])


def test_where_every_file_is_bad_the_first_reason_is_the_error(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.json").write_text('{"status": "success", "eval": {"task"')
    with refused("path: not-json") as error:
        gl.read(tmp_path)
    assert "a.json" in str(error.value.value)


@pytest.mark.parametrize("write", [
    lambda f: (f / "b.csv").write_text("agent,item,score\nx,1,high\ny,1,1\n"),
    lambda f: (f / "b.csv").write_text("agent,item,score\nx,,1\n"),
    lambda f: (f / "b.csv").write_bytes(b"agent,item,score\n\xff\xfe,1,1\n"),
])  # fmt: skip
def test_one_bad_table_does_not_stop_a_folder_of_tables(write, tmp_path):
    (tmp_path / "a.csv").write_text("agent,item,score\nann,1,1\nann,2,0\n")
    write(tmp_path)
    found = gl.read(tmp_path)
    assert list(found.frame.index) == ["ann"]
    assert any("1 file was skipped (b.csv" in note for note in found.notes)


def test_bad_samples_and_results_of_the_harness_are_skipped(tmp_path):
    harness_samples(tmp_path, "ann")
    harness_samples(tmp_path, "bob")
    (tmp_path / "bob" / "results_2026-01-01T00-00-00.json").write_text('{"results": {')
    harness_samples(tmp_path, "cat").write_text('{"doc_id": 1, "filter": "none", "metrics"\n{"doc_id": 2}\n')
    found = gl.read(tmp_path)
    assert list(found.frame.index) == ["ann", "bob"]
    assert any("2 files were skipped" in note for note in found.notes)


def test_a_choice_that_the_caller_must_make_is_not_a_bad_file(tmp_path):
    """Two logs of one task by different scorers: dropping one of the models would be a verdict."""
    inspect_log(tmp_path, "ann")
    file = inspect_log(tmp_path, "bob")
    file.write_text(file.read_text().replace('"match"', '"judge"'))
    with pytest.raises(gl.BadInput) as error:
        gl.read(tmp_path)
    assert error.value.code == "no-common-metric"


def test_logs_of_two_tools_are_read_together_and_a_table_beside_them_is_not(tmp_path):
    inspect_log(tmp_path, "gpt")
    harness_samples(tmp_path, "gpt")
    (tmp_path / "summary.csv").write_text("model,accuracy\ngpt,0.6\n")
    found = gl.read(tmp_path)
    assert found.shape == (1, 6)
    assert sorted(found.family.unique()) == ["arc", "sums"]
    assert any("summary.csv" in note and "--format" in note for note in found.notes)
    assert gl.read(tmp_path, format="wide").shape == (1, 1)


# -- globs -----------------------------------------------------------------------------------------------


@pytest.fixture
def runs(tmp_path):
    for model in ("gpt-4", "gpt-5", "llama"):
        for task in ("mmlu_law", "mmlu_art", "boolq"):
            inspect_log(tmp_path / "runs" / model, model, task)
    return tmp_path / "runs"


@pytest.mark.parametrize(
    ("options", "agents", "tasks"),
    [
        ({"include": ["mmlu*"]}, "gpt-4 gpt-5 llama", "mmlu_art mmlu_law"),
        ({"include": ["task:mmlu*", "model:gpt*"]}, "gpt-4 gpt-5", "mmlu_art mmlu_law"),
        ({"exclude": ["gpt*"]}, "llama", "boolq mmlu_art mmlu_law"),
        ({"exclude": ["*_law", "model:llama"]}, "gpt-4 gpt-5", "boolq mmlu_art"),
        ({"include": ["file:*boolq*"]}, "gpt-4 gpt-5 llama", "boolq"),
        ({"exclude": ["file:llama/*"]}, "gpt-4 gpt-5", "boolq mmlu_art mmlu_law"),
        ({"include": ["*_mmlu_art.json"]}, "gpt-4 gpt-5 llama", "mmlu_art"),
        ({"agents": ["gpt-5"]}, "gpt-5", "boolq mmlu_art mmlu_law"),
    ],
)
def test_globs_choose_tasks_models_and_files(options, agents, tasks, runs):
    found = gl.read(runs, **options)
    assert list(found.frame.index) == agents.split()
    assert sorted(found.family.unique()) == tasks.split()


def test_globs_on_the_command_line(runs, capsys):
    call = ["analyse", str(runs), "--ci", "0", "--include", "mmlu*", "--exclude", "llama"]
    assert main(call) == 0
    assert "llama" not in capsys.readouterr().out
    assert main(["analyse", str(runs), "--ci", "0", "--agents", "gpt-4", "gpt-5"]) == 0


def test_an_excluded_file_is_not_even_opened(runs):
    (runs / "broken.json").write_text("{")
    assert not any("skipped" in note for note in gl.read(runs, exclude=["broken*"]).notes)


def test_globs_choose_columns_of_a_wide_table(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text("model,arc_easy,arc_hard,boolq\na,.1,.2,.3\nb,.4,.5,.6\n")
    assert list(gl.read(file, include=["arc*"]).frame) == ["arc_easy", "arc_hard"]
    assert list(gl.read(file, exclude=["arc*"]).frame) == ["boolq"]


# -- metrics by task, filters ------------------------------------------------------------------------------


def test_a_metric_can_be_chosen_for_one_task(tmp_path, capsys):
    tasks = {t: {"acc,none": 0.1, "acc_norm,none": 0.9} for t in ("arc", "boolq")}
    for model in "ab":
        file = tmp_path / f"results_2026-01-01T00-00-0{model == 'b':d}.json"
        file.write_text(json.dumps({"results": tasks, "model_name": model}))
    found = gl.read(tmp_path, metric={"arc": "acc_norm"})
    assert found.frame.loc["a"].to_dict() == {"arc": 0.9, "boolq": 0.1}
    found = gl.read(tmp_path, metric={"arc": "acc", "*": "acc_norm"})
    assert found.frame.loc["a"].to_dict() == {"arc": 0.1, "boolq": 0.9}
    assert main(["analyse", str(tmp_path), "--ci", "0", "--metric", "acc_norm", "arc=acc"]) == 0
    assert "metric 'acc_norm' was read (task 'boolq')" in capsys.readouterr().out


def test_the_first_filter_of_the_task_is_the_default_wherever_it_stands(tmp_path):
    """The configuration lists the filters; the order of lines, or of keys, is not the task's."""
    config = {"configs": {"gsm": {"filter_list": [{"name": "strict"}, {"name": "flexible"}]}}}
    file = harness_samples(tmp_path, task="gsm", results=config)
    lines = [
        {"doc_id": 0, "filter": name, "metrics": ["acc"], "acc": value}
        for name, value in (("flexible", 1), ("strict", 0))
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = gl.read(tmp_path)
    assert found.frame.loc["gpt", "gsm/0"] == 0
    assert any("first filter 'strict' was read, not 'flexible'" in note for note in found.notes)


# -- what an agent is ------------------------------------------------------------------------------------


@pytest.fixture
def settings(tmp_path):
    """One model on one task: with two solvers, two temperatures, two revisions."""
    for k, (solver, heat, commit) in enumerate(
        [("plain", 0, "abc"), ("agent", 0, "abc"), ("plain", 1, "def")]
    ):
        about = {
            "solver": solver,
            "model_args": {"temperature": heat},
            "revision": {"commit": commit},
        }
        inspect_log(tmp_path / f"day{k}", "gpt", name=f"run{k}", eval=about, scores=(1, 0, k % 2))
    return tmp_path


def test_runs_with_other_settings_are_no_repeats_and_the_error_says_what_they_are(settings):
    with pytest.raises(gl.BadInput) as error:
        gl.read(settings)
    assert error.value.code == "repeats"
    assert "agent_from='solver'" in error.value.remedy
    assert "trials" not in error.value.remedy


@pytest.mark.parametrize(
    ("way", "names"),
    [
        ("file", {"run0", "run1", "run2"}),
        ("folder", {"day0", "day1", "day2"}),
    ],
)
def test_an_agent_can_be_a_file_or_a_folder(way, names, settings):
    assert set(gl.read(settings, agent_from=way).frame.index) == names


def test_an_agent_can_be_the_model_with_its_solver_arguments_or_revision(settings):
    (settings / "day2" / "run2.json").unlink()
    assert set(gl.read(settings, agent_from="solver").frame.index) == {"gpt (plain)", "gpt (agent)"}
    inspect_log(settings / "day1", "gpt", name="run1", eval={"model_args": {"temperature": 1}})
    found = gl.read(settings, agent_from="model+args").frame.index
    assert sorted(found) == ["gpt (args=temperature=0)", "gpt (args=temperature=1)"]


def test_same_runs_again_are_offered_as_trials(tmp_path):
    for name in "ab":
        inspect_log(tmp_path, "gpt", name=name)
    with refused("path: repeats"):
        gl.read(tmp_path)
    assert len(gl.read(tmp_path, repeats="trials").trials) == 6


def test_equal_ids_with_other_texts_are_other_items_and_not_repeats(tmp_path):
    inspect_log(tmp_path, "gpt", name="a", input=["x", "y", "z"])
    inspect_log(tmp_path, "gpt", name="b", input=["u", "v", "w"])
    with pytest.raises(gl.BadInput) as error:
        gl.read(tmp_path)
    assert "their texts differ" in error.value.remedy
    assert "trials" not in error.value.remedy


def test_ids_that_start_anew_in_every_subject_name_the_column_that_tells_them_apart(tmp_path):
    file = tmp_path / "a.csv"
    rows = [f"{m},{i},{s},1" for m in "ab" for s in ("law", "art") for i in (1, 2)]
    file.write_text("\n".join(["model,item,chapter,score", *rows]))
    with pytest.raises(gl.BadInput) as error:
        gl.read(file)
    assert "columns={'family': 'chapter'}" in error.value.remedy
    assert gl.read(file, columns={"family": "chapter"}).shape == (2, 4)


def test_one_table_per_model_needs_no_column_of_models(tmp_path):
    for model in ("gpt", "llama"):
        (tmp_path / f"{model}.csv").write_text("item,score\n1,1\n2,0\n")
        (tmp_path / f"{model}.jsonl").write_text('{"item": 3, "score": 1}\n')
    found = gl.read(tmp_path, agent_from="file", format="long")
    assert (list(found.frame.index), found.shape) == (["gpt", "llama"], (2, 3))


# -- roles -----------------------------------------------------------------------------------------------

LONG = "alias,model,task_id,task_family,score_binarized,score_cont,human_minutes,release_date\n" + "".join(
    f"{m},{m}-x,t{i},f{i % 2},{(i + k) % 2},.5,{2**i},2024-0{k + 1}-01\n"
    for k, m in enumerate("ab")
    for i in range(4)
)


def as_lines(text):
    table = pd.read_csv(pd.io.common.StringIO(text))
    return table.to_json(orient="records", lines=True)


@pytest.mark.parametrize("form", ["csv", "jsonl", "nested"])
def test_common_names_are_recognised_in_every_long_form(form, tmp_path):
    file = tmp_path / ("runs.csv" if form == "csv" else "runs.jsonl")
    if form == "nested":
        rows = map(json.loads, as_lines(LONG).splitlines())
        lines = [
            {"alias": r["alias"], "task_id": r["task_id"], "task_family": r["task_family"],
             "evaluation": {"score": r["score_binarized"]}, "metadata": {"human_minutes": r["human_minutes"]},
             "release_date": r["release_date"]}
            for r in rows
        ]  # fmt: skip
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    else:
        file.write_text(LONG if form == "csv" else as_lines(LONG))
    found = gl.read(file)
    assert list(found.frame.index) == ["a", "b"]
    assert found.frame.loc["b"].tolist() == [1, 0, 1, 0]
    assert found.difficulty.tolist() == [1, 2, 4, 8]
    assert found.family.tolist() == ["f0", "f1", "f0", "f1"]
    assert [str(d)[:10] for d in found.agents["date"]] == ["2024-01-01", "2024-02-01"]


def test_roles_are_named_by_columns_in_logs_of_inspect(tmp_path):
    facts = [{"level": k, "chapter": c, "stakes": 2 * k} for k, c in zip((3, 1, 2), "aba", strict=True)]
    inspect_log(tmp_path, metadata=facts)
    roles = {"difficulty": "level", "family": "metadata.chapter", "weight": "stakes"}
    found = gl.read(tmp_path, columns=roles)
    assert found.difficulty.tolist() == [3, 1, 2]
    assert found.family.tolist() == ["a", "b", "a"]
    assert found.items["weight"].tolist() == [6, 2, 4]
    inspect_log(tmp_path, metadata=[{"human_minutes": m} for m in (1, 2, 30)])
    found = gl.read(tmp_path)
    assert found.difficulty.tolist() == found.items["minutes"].tolist() == [1, 2, 30]
    assert gl.read(tmp_path, columns={"difficulty": None}).difficulty is None


def test_roles_are_named_by_columns_in_logs_of_the_harness(tmp_path):
    harness_samples(tmp_path, docs=[{"level": 5, "kind": "x"}, {"level": 6, "kind": "y"}])
    found = gl.read(tmp_path, columns={"difficulty": "doc.level", "family": "kind"})
    assert (found.difficulty.tolist(), found.family.tolist()) == ([5, 6], ["x", "y"])


def test_roles_of_a_wide_table_are_columns_of_its_items_or_rows(tmp_path):
    file = tmp_path / "items.csv"
    file.write_text("task,category,human_minutes,gpt,llama\na,x,1,1,0\nb,x,5,1,1\nc,y,60,0,0\n")
    found = gl.read(file)
    assert list(found.frame.index) == ["gpt", "llama"]
    assert (found.difficulty.tolist(), found.family.tolist()) == ([1, 5, 60], ["x", "x", "y"])
    file.write_text("model,a,b,released\ngpt,1,0,2024-01-01\nllama,0,0,2023-01-01\nlevel,3,7,\n")
    found = gl.read(file, columns={"difficulty": "level", "date": "released"})
    assert found.difficulty.tolist() == [3, 7]
    assert found.agents["date"].tolist() == ["2024-01-01", "2023-01-01"]


def test_half_a_difficulty_is_left_alone_unless_asked_for(tmp_path):
    inspect_log(tmp_path, metadata=[{"human_minutes": 3}])
    found = gl.read(tmp_path)
    assert found.difficulty is None
    assert any("2 items have no difficulty" in note for note in found.notes)
    assert "minutes" not in found.items
    with pytest.raises(gl.BadInput) as error:
        gl.read(tmp_path, columns={"difficulty": "human_minutes"})
    assert (error.value.argument, error.value.code) == ("columns['difficulty']", "missing")


# -- which way is up -------------------------------------------------------------------------------------


def test_numbers_of_a_scorer_of_unknown_name_have_no_known_direction(tmp_path):
    inspect_log(tmp_path, "ann", scores=(3.0, 250.0, 17.0))
    file = inspect_log(tmp_path, "bob", scores=(9.0, 20.0, 7.0))
    for one in tmp_path.glob("*.json"):
        one.write_text(one.read_text().replace('"match"', '"zork"'))
    with pytest.raises(gl.BadInput) as error:
        analyse(tmp_path)
    assert (error.value.argument, error.value.code) == ("metric", "unknown-direction")
    assert "--lower-is-better zork" in error.value.remedy
    lower = gl.read_scores(tmp_path, lower_is_better=["zork"]).frame
    assert np.array_equal(lower.loc["bob"], [-9, -20, -7])
    assert file.exists()


@pytest.mark.parametrize("scores", [("C", "I", "P"), (1, 0, 1), (True, False, True)])
def test_right_and_wrong_of_a_scorer_of_unknown_name_are_better_when_larger(scores, tmp_path):
    for model in ("ann", "bob"):
        file = inspect_log(tmp_path, model, scores=scores)
        file.write_text(file.read_text().replace('"match"', '"zork"'))
    assert analyse(tmp_path, ci=None).data.frame.iloc[0, 0] == gl.read(tmp_path).frame.iloc[0, 0]


@pytest.mark.usefixtures("sketched")
def test_the_page_begins_with_the_table_of_decisions(mess, tmp_path):
    page = analyse(mess, ci=None).write(tmp_path / "page.html").read_text()
    top = page[: page.index("<h2")]
    assert "<th>How to change it</th>" in top
    assert "5 files were skipped" in top
    assert "strict=True (--strict)" in top


def test_items_that_every_run_failed_on_do_not_stop_an_analysis(tmp_path):
    for model, scores in (("ann", (1, 0, None)), ("bob", (0, 1, None))):
        inspect_log(tmp_path, model, scores=scores)
    found = analyse(tmp_path, ci=None, missing="drop")
    assert found.data.shape == (2, 2)
    assert any("1 items have no score of any agent" in note for note in found.data.notes)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("model,item,perplexity", ("item", "perplexity")),
        ("model,task,correct", ("task", "correct")),
        ("system,dataset,f1", ("dataset", "f1")),
    ],
)
def test_a_row_for_each_agent_and_task_is_a_long_table(tmp_path, header, names):
    """They were taken for wide tables with one item, and refused as repeats of it."""
    rows = [f"{a},q{i},{(i * 7 + k) % 5 / 5}" for k, a in enumerate("abc") for i in range(6)]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join([header, *rows]) + "\n")
    found = gl.read_scores(file)
    assert found.frame.shape == (3, 6)
    assert all(repr(name) in str(found.notes) for name in names)


def test_a_wide_table_with_a_column_called_task_stays_wide(tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("model,score,q1,q2\na,1,0,1\nb,0,1,1\n")
    assert list(gl.read(file).frame.columns) == ["score", "q1", "q2"]


@pytest.mark.parametrize(
    ("text", "items", "value"),
    [
        ("model,solved,won\nx,99%,0.5\ny,45.5 %,0.25\nz,,1\n", ["solved", "won"], 0.99),
        ("model,solved,won\nx,99%,71.2\ny,45.5%,50\n", ["solved", "won"], 99),
        ("model,seen,won\nx,99%,0.5\ny,⚠️ NA,0.25\n", ["won"], 0.5),
        ("Model,ARC,MMLU,won\nx,99%,7%,3%\ny,45.5%,50%,2%\n", ["ARC", "MMLU", "won"], 0.99),
        ("item,gpt-4,claude\nq1,99%,20%\nq2,10%,3%\n", ["q1", "q2"], 0.99),
    ],
)
def test_percentages_in_wide_tables_are_numbers(tmp_path, text, items, value):
    (tmp_path / "a.csv").write_text(text)
    found = gl.read_scores(tmp_path / "a.csv")
    assert list(found.frame.columns) == items
    assert found.frame.iloc[0, 0] == pytest.approx(value)
    if len(items) > 1:
        assert any("percentages were read" in note for note in found.notes)
    else:
        assert found.agents["seen"].tolist() == ["99%", "⚠️ NA"]


def test_the_leaderboard_of_mteb_is_read(tmp_path):
    (tmp_path / "mteb.csv").write_text(
        "Rank (Borda),Model,Zero-shot,Memory Usage (MB),Number of Parameters,Embedding Dimensions,Max Tokens,"
        "Mean (Task),Mean (TaskType),Bitext Mining,Retrieval\n"
        "1,org/one,99%,1200,0.6B,1024,512,61.2,60.1,71.5,55.2\n"
        "2,org/two,87%,Unknown,Unknown,768,8192,58.2,57.1,66.5,51.0\n"
    )
    found = gl.read(tmp_path / "mteb.csv", scale=(0, 100))
    assert found.frame.to_dict("index") == {
        "org/one": pytest.approx({"Bitext Mining": 0.715, "Retrieval": 0.552}),
        "org/two": pytest.approx({"Bitext Mining": 0.665, "Retrieval": 0.51}),
    }
