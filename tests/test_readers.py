"""Every format that `gl.read` knows: what was written comes back, joined, named, and with its notes."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from examples_of_prompts import MORE_TOOLS
from examples_of_tools import TOOLS
from refusals import refused

import gindex_lab as gl
from gindex_lab.studies.readers.examples import EXAMPLES, simulated_runs, write_example

ITEMWISE = [
    name
    for name in EXAMPLES
    if name not in ("lm-eval results", "leaderboard") and name not in TOOLS | MORE_TOOLS
]
REPEATED = ["inspect", "inspect archives", "helm", "long", "long lines", "irw"]


def same(found, runs):
    frame = found.frame.loc[runs.frame.index, runs.frame.columns]
    pd.testing.assert_frame_equal(frame, runs.frame, check_names=False)


@pytest.mark.parametrize("format", ITEMWISE)
def test_what_was_written_comes_back(format, tmp_path):
    runs = simulated_runs(agents=4, items=3, seed=2)
    found = gl.read(write_example(tmp_path, format, runs))
    same(found, runs)
    assert found.trials is None
    if format != "wide":
        assert found.family.loc[runs.frame.columns].tolist() == runs.family.tolist()


@pytest.mark.parametrize("format", REPEATED)
def test_epochs_and_trials_are_kept_and_averaged(format, tmp_path):
    runs = simulated_runs(agents=3, items=2, trials=4, seed=3)
    found = gl.read(write_example(tmp_path, format, runs))
    same(found, runs)
    assert len(found.trials) == 3 * 8 * 4
    assert found.trials["trial"].nunique() == 4


@pytest.mark.parametrize("format", ["lm-eval results", "leaderboard"])
def test_aggregates_are_one_item_per_task(format, tmp_path):
    runs = simulated_runs(agents=4, items=5, seed=4)
    found = gl.read(write_example(tmp_path, format, runs))
    means = runs.frame.T.groupby(runs.family).mean().T
    assert found.shape == (4, 4)
    assert found.frame.to_numpy() == pytest.approx(means.loc[found.frame.index].to_numpy())


def test_the_average_of_a_leaderboard_is_no_item_and_facts_stay_with_the_models(tmp_path):
    found = gl.read(write_example(tmp_path, "leaderboard"))
    assert list(found.frame) == ["IFEval", "BBH", "GPQA", "MUSR"]
    assert found.agents["Precision"].eq("bfloat16").all()


def test_percent_needs_its_scale(tmp_path):
    file = tmp_path / "board.csv"
    file.write_text("model,Average,ARC,GSM8K\na,55,60,50\nb,20,25,15\n")
    with refused("path: raw-scores"):
        gl.read(file)
    found = gl.read(file, scale=(0, 100))
    assert found.frame.loc["a"].tolist() == [0.6, 0.5]
    assert "rescaled from [0, 100]" in " ".join(found.notes)
    assert gl.read_scores(file).frame.loc["a", "ARC"] == 60


def test_a_model_with_two_precisions_is_two_agents(tmp_path):
    file = tmp_path / "board.csv"
    file.write_text(
        "fullname,Precision,ARC Raw,GSM8K Raw,ARC,GSM8K\na,fp16,.6,.5,60,50\na,int8,.5,.4,50,40\n"
    )
    assert list(gl.read(file).frame.index) == ["a (fp16)", "a (int8)"]


# -- lm-evaluation-harness ---------------------------------------------------------------------------


def sample(doc, **scores):
    names = [k for k in scores if k not in ("filter", "doc_hash")]
    return {"doc_id": doc, "filtered_resps": ["x"], "filter": "none", "metrics": names} | scores


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


TIME = "2024-05-01T10-00-00.123"


def test_the_folder_names_the_model_where_no_results_do(tmp_path):
    lines(tmp_path / "org__m" / f"samples_arc_easy_{TIME}.jsonl", [sample(0, acc=1.0)])
    found = gl.read(tmp_path)
    assert found.frame.to_dict() == {"arc_easy/0": {"org/m": 1.0}}
    assert "the model is called 'org/m'" in " ".join(found.notes)


def test_the_first_metric_is_read_and_the_others_are_named(tmp_path):
    lines(tmp_path / "m" / "samples_arc.jsonl", [sample(0, acc=1.0, acc_norm=0.0)])
    found = gl.read(tmp_path)
    assert found.frame.iloc[0, 0] == 1.0
    assert "the logs also have 'acc_norm'" in " ".join(found.notes)
    assert gl.read(tmp_path, metric="acc_norm").frame.iloc[0, 0] == 0.0
    assert gl.read(tmp_path, metric=["f1", "acc_norm"]).frame.iloc[0, 0] == 0.0


def test_a_log_without_the_metric_of_the_others_is_refused(tmp_path):
    lines(tmp_path / "a" / "samples_arc.jsonl", [sample(0, acc=1.0), sample(1, acc=0.0)])
    lines(tmp_path / "b" / "samples_arc.jsonl", [sample(0, exact_match=1.0)])
    with refused("path: no-common-metric"):
        gl.read(tmp_path)
    rows = [sample(0, exact_match=1.0), sample(1, acc=1.0)]  # one document of it has it
    lines(tmp_path / "b" / "samples_arc.jsonl", rows)
    assert gl.read(tmp_path).frame.loc["b"].isna().tolist() == [True, False]


def test_an_inspect_log_without_the_scorer_of_the_others_is_refused(tmp_path):
    for model, scorer in (("a", "match"), ("b", "judge")):
        samples = [{"id": 1, "epoch": 1, "scores": {scorer: {"value": "C"}}}]
        log = {"status": "success", "eval": {"model": model, "task": "t"}, "samples": samples}
        (tmp_path / f"{model}.json").write_text(json.dumps(log))
    with refused("path: no-common-metric"):
        gl.read(tmp_path)
    with refused("metric: not-found"):
        gl.read(tmp_path, metric="judge")


def test_ratings_get_the_scale_of_their_points_as_a_hint(tmp_path):
    (tmp_path / "likert.csv").write_text("id,item,resp\n1,a,4\n1,b,2\n2,a,0\n2,b,1\n")
    with refused("path: raw-scores"):
        gl.read(tmp_path / "likert.csv")


def test_a_metric_of_which_less_is_better_is_not_taken(tmp_path):
    folder = tmp_path / "m"
    lines(folder / f"samples_wiki_{TIME}.jsonl", [sample(0, perplexity=0.5, acc=1.0)])
    results = {
        "results": {},
        "model_name": "m",
        "higher_is_better": {"wiki": {"perplexity": False, "acc": True}},
    }
    (folder / f"results_{TIME}.json").write_text(json.dumps(results))
    assert gl.read(tmp_path).frame.iloc[0, 0] == 1.0


def test_samples_without_a_time_follow_the_newest_results_of_their_folder(tmp_path):
    """An old run said that less of acc was better; the newest says it of the other metric."""
    folder = tmp_path / "m"
    lines(folder / "samples_wiki.jsonl", [sample(0, acc=1.0, acc_norm=0.0)])
    for time, worse in ((TIME, "acc"), ("2025-01-01T10-00-00.123", "acc_norm")):
        table = {"wiki": {name: name != worse for name in ("acc", "acc_norm")}}
        results = {"results": {}, "model_name": "m", "higher_is_better": table}
        (folder / f"results_{time}.json").write_text(json.dumps(results))
    assert gl.read(tmp_path).frame.iloc[0, 0] == 1.0


def test_of_several_filters_the_first_is_read_and_it_is_said(tmp_path):
    both = [
        sample(0, filter="strict", exact_match=0.0),
        sample(0, filter="flexible", exact_match=1.0),
    ]
    lines(tmp_path / "m" / "samples_gsm8k.jsonl", both)
    lines(tmp_path / "m" / "samples_arc.jsonl", [sample(0, acc=1.0)])
    found = gl.read(tmp_path)
    assert found.frame.loc["m", "gsm8k/0"] == 0.0
    note = next(note for note in found.notes if "filter" in note)
    assert "'strict' was read, not 'flexible'" in note
    assert "--filter" in note
    found = gl.read(tmp_path, filter="flexible").frame.loc["m"]
    assert found.to_dict() == {"arc/0": 1.0, "gsm8k/0": 1.0}
    assert gl.read(tmp_path, filter="strict").frame.loc["m", "gsm8k/0"] == 0.0


def test_two_runs_of_one_model_are_repeats_only_when_said(tmp_path):
    for hour, score in ((10, 1.0), (11, 0.0)):
        name = f"samples_arc_2024-05-01T{hour}-00-00.jsonl"
        lines(tmp_path / "m" / name, [sample(0, acc=score)])
    with refused("path: repeats"):
        gl.read(tmp_path)
    assert gl.read(tmp_path, repeats="trials").frame.iloc[0, 0] == 0.5
    assert gl.read(tmp_path, repeats="last").frame.iloc[0, 0] == 0.0
    assert gl.read(tmp_path, repeats="first").frame.iloc[0, 0] == 1.0


def test_documents_that_changed_between_runs_are_reported(tmp_path):
    for model, text in (("a", "one"), ("b", "two")):
        lines(tmp_path / model / "samples_arc.jsonl", [sample(0, acc=1.0, doc_hash=text)])
    assert "another doc_hash in another run" in " ".join(gl.read(tmp_path).notes)


def test_true_is_one_and_nothing_is_missing(tmp_path):
    rows = [sample(0, strict=True), sample(1, strict=False), sample(2, strict=None)]
    lines(tmp_path / "m" / "samples_ifeval.jsonl", rows)
    found = gl.read(tmp_path)
    assert found.frame.loc["m"].tolist()[:2] == [1.0, 0.0]
    assert np.isnan(found.frame.iloc[0, 2])
    assert "1 samples have no score" in " ".join(found.notes)


def test_means_over_groups_are_left_out_of_results(tmp_path):
    results = {
        "mmlu": {"acc,none": 0.5},
        "mmlu_law": {"acc,none": 0.4},
        "mmlu_art": {"acc,none": 0.6},
    }
    content = {
        "results": results,
        "group_subtasks": {"mmlu": ["mmlu_law", "mmlu_art"]},
        "config": {"model_args": "pretrained=org/m"},
    }
    (tmp_path / f"results_{TIME}.json").write_text(json.dumps(content))
    found = gl.read(tmp_path)
    assert found.frame.to_dict("index") == {"org/m": {"mmlu_law": 0.4, "mmlu_art": 0.6}}


# -- Inspect and HELM ----------------------------------------------------------------------------------


def inspect_log(path, samples, model="m", task="t", **header):
    content = {
        "version": 2,
        "status": "success",
        "eval": {"model": model, "task": task},
        "samples": samples,
    }
    path.write_text(json.dumps(content | header))
    return path


def test_letters_words_and_parts_of_inspect_are_scores(tmp_path):
    values = ["C", "I", "P", "N", "yes", "0.25", True, float("nan")]
    samples = [{"id": k, "epoch": 1, "scores": {"s": {"value": v}}} for k, v in enumerate(values)]
    found = gl.read(inspect_log(tmp_path / "a.json", samples)).frame.loc["m"].to_numpy()
    assert found[:7].tolist() == [1, 0, 0.5, 0, 1, 0.25, 1]
    assert np.isnan(found[7])
    parts = [{"id": 1, "scores": {"judge": {"value": {"tone": 0.5, "facts": 1}}}}]
    assert gl.read(inspect_log(tmp_path / "b.json", parts), metric="judge/facts").frame.iloc[0, 0] == 1


def test_a_run_that_failed_is_read_and_said_so(tmp_path):
    samples = [{"id": 1, "scores": {"s": {"value": 1}}}, {"id": 2, "error": {"message": "x"}}]
    found = gl.read(inspect_log(tmp_path / "a.json", samples, status="error"))
    said = " ".join(found.notes)
    assert "ended with status 'error'" in said
    assert "1 samples have no score" in said


def test_perturbed_instances_of_helm_are_other_inputs(tmp_path):
    path = write_example(tmp_path, "helm", simulated_runs(agents=2, items=2))
    file = next(path.rglob("per_instance_stats.json"))
    entries = json.loads(file.read_text())
    file.write_text(json.dumps([*entries, entries[0] | {"perturbation": {"name": "typos"}}]))
    found = gl.read(path)
    assert found.shape == (2, 8)
    assert "1 perturbed instances were left out" in " ".join(found.notes)


def test_summaries_that_helm_writes_beside_its_runs_are_passed_over(tmp_path):
    path = write_example(tmp_path, "helm", simulated_runs(agents=2, items=2))
    suite = path / "runs" / "v1"
    (suite / "groups").mkdir()
    for name in ("run_specs.json", "summary.json", "groups/core.json"):
        (suite / name).write_text('{"a": 1}')
    assert gl.read(path).shape == (2, 8)


def test_one_file_of_samples_finds_its_model_in_the_results_beside(tmp_path):
    path = write_example(tmp_path, "lm-eval", simulated_runs(agents=2, items=2))
    file = next((path / "specialist").glob("samples_*"))
    assert list(gl.read(file).frame.index) == ["specialist"]
    assert "no results file" not in " ".join(gl.read(file).notes)


def test_a_helm_run_without_instances_is_read_from_its_stats(tmp_path):
    (tmp_path / "run_spec.json").write_text(
        json.dumps({"name": "boolq:model=m", "adapter_spec": {"model": "org/m"}})
    )
    stats = [{"name": {"name": "exact_match", "split": "test"}, "count": 4, "sum": 3.0}]
    (tmp_path / "stats.json").write_text(json.dumps(stats))
    assert gl.read(tmp_path).frame.to_dict() == {"boolq": {"org/m": 0.75}}


def test_the_test_split_of_helm_is_taken_and_training_never(tmp_path):
    (tmp_path / "run_spec.json").write_text(
        json.dumps({"name": "own:model=m", "adapter_spec": {"model": "org/m"}})
    )
    stats = [
        {"name": {"name": "exact_match", "split": split}, "count": 4, "sum": total}
        for split, total in (("train", 4.0), ("valid", 2.0), ("test", 3.0))
    ]
    for kept, mean in ((stats, 0.75), (stats[:2], 0.5)):
        (tmp_path / "stats.json").write_text(json.dumps(kept))
        assert gl.read(tmp_path).frame.to_dict() == {"own": {"org/m": mean}}
    (tmp_path / "stats.json").write_text(json.dumps(stats[:1]))
    with pytest.raises(gl.BadInput):
        gl.read(tmp_path)


# -- tables, encodings, compression --------------------------------------------------------------------

WIDE = "agent,i,jé\n007,1,0\nNA,0,1\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("pack", [False, True])
@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_text_comes_in_many_coats(encoding, pack, separator, tmp_path):
    text = WIDE.replace(",", separator).encode(encoding)
    file = tmp_path / ("a.csv.gz" if pack else "a.csv")
    file.write_bytes(gzip.compress(text) if pack else text)
    found = gl.read(file)
    assert list(found.frame.index) == ["007", "NA"]
    assert list(found.frame.columns) == ["i", "jé"]


def test_latin_1_is_read_when_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(WIDE.encode("latin-1"))
    assert list(gl.read(file, encoding="latin-1").frame.columns) == ["i", "jé"]


def test_packed_lines_are_read(tmp_path):
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"model": "m", "item": 1, "score": true}\n'))
    assert gl.read(file).frame.to_dict() == {"1": {"m": 1.0}}


def test_a_list_of_records_is_a_long_table(tmp_path):
    file = tmp_path / "a.json"
    file.write_text('[{"model": "m", "item": "x", "score": 0.5}]')
    assert gl.read(file).frame.loc["m", "x"] == 0.5


def test_columns_may_be_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("who,what,score,correct\nann,x,9,1\nbob,x,3,0\n")
    wanted = {"agent": "who", "item": "what", "response": "correct"}
    assert gl.read(file, format="long", columns=wanted).frame["x"].tolist() == [1, 0]


def test_tables_of_one_form_are_joined(tmp_path):
    (tmp_path / "a.csv").write_text("model,i,j\nann,1,0\n")
    (tmp_path / "b.csv").write_text("model,i,k\nbob,0,1\n")
    found = gl.read(tmp_path)
    assert found.shape == (2, 3)
    assert "2 of 6 cells (33.3%) are missing; the agents met 2 different sets" in found.notes[-1]


def test_agents_and_families_are_chosen_and_renamed(tmp_path):
    path = write_example(tmp_path, "inspect", simulated_runs(agents=3, items=2))
    found = gl.read(path, agents={"specialist": "S"}, families=["logic"])
    assert list(found.frame.index) == ["S"]
    assert list(found.frame.columns) == ["logic/1", "logic/2"]


def test_facts_of_items_from_the_warehouse_stay_with_them(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("id,item,resp,rt,itemcov_length\n1,a,0,2.5,7\n2,a,1,3.5,7\n1,b,1,1.0,9\n2,b,1,1.5,9\n")
    assert gl.read(file).items["itemcov_length"].tolist() == [7, 9]


def test_the_tidy_form_is_read_as_it_was_saved(tmp_path):
    runs = simulated_runs(agents=3, items=2, trials=2)
    same(gl.read(runs.save(tmp_path / "saved")), runs)


def test_what_gl_read_gives_can_be_measured_at_once(tmp_path):
    found = gl.read(write_example(tmp_path))
    table = gl.generality(gl.rank(found), ci=0.9)
    assert table["capability"].idxmax() != "specialist"
    assert table["normalised_generality"].idxmin() == "specialist"


@pytest.mark.slow
def test_a_million_lines_are_read_in_bounded_memory(tmp_path):
    """200 models x 5,000 items; the text is 30 times what the numbers need, and never held."""
    file = tmp_path / "big.jsonl"
    filler = "x" * 300
    with file.open("w") as stream:
        for model in range(200):
            stream.writelines(
                f'{{"model": "m{model}", "item": "i{i}", "score": {(i * 7 + model) % 3 // 2}, "answer": "{filler}"}}\n'
                for i in range(5000)
            )
    code = (
        "import resource, sys, gindex_lab as gl\n"
        "gl.read; import pandas\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
        "before = peak(); found = gl.read(sys.argv[1]); print(*found.shape, peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True)
    agents, items, grown = done.stdout.split()
    assert (agents, items) == ("200", "5000")
    assert file.stat().st_size > 300e6
    assert float(grown) < 160  # MiB
