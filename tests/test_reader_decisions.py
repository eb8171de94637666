"""What the readers decide by themselves (which way is up, what is an item), that they say so, and the way out."""

import json

import numpy as np
import pytest

import gindex_lab as gl
from gindex_lab.press.analyse import analyse
from gindex_lab.press.cli import main
from gindex_lab.studies.readers.cells import is_fact
from gindex_lab.studies.readers.metrics import direction_of

# -- which way is up -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "way"),
    [
        *((n, "lower") for n in ("perplexity", "word_perplexity", "bits_per_byte", "latency_ms")),
        *((n, "lower") for n in ("likelihood_difference", "error_rate", "WER", "cost_usd", "loss")),
        *((n, "higher") for n in ("acc", "acc_norm", "exact_match", "pass@1", "f1", "success_rate")),
        *((n, "lower") for n in ("byte_perplexity", "brier_score", "ece_10_bin", "wer_score", "TER")),
        *((n, "lower") for n in ("toxic_frac", "cer_score", "inference_runtime", "nll", "MAE")),
        *((n, None) for n in ("zork", "difference", "error_score", "")),
    ],
)
def test_the_direction_of_a_metric_is_known_by_its_name_or_not_at_all(name, way):
    assert direction_of(name) == way


def harness_results(folder, metric="perplexity", **more):
    """Three models on five tasks; model c has the lowest numbers."""
    for k, model in enumerate("abc"):
        tasks = {f"t{i}": {f"{metric},none": 30.0 - 8 * k + i} for i in range(5)}
        content = {"model_name": model, "results": tasks, "config": {}} | more
        (folder / f"results_2026-01-0{k + 1}T00-00-00.json").write_text(json.dumps(content))
    return folder


def test_perplexities_do_not_rank_the_worst_first(tmp_path):
    found = analyse(harness_results(tmp_path))
    assert found.table["capability"].idxmax() == "c"
    assert any("'perplexity' is better when smaller" in note for note in found.data.notes)


def test_the_log_knows_its_direction_better_than_the_name(tmp_path):
    says = {f"t{i}": {"perplexity": True} for i in range(5)}
    found = analyse(harness_results(tmp_path, higher_is_better=says))
    assert found.table["capability"].idxmax() == "a"
    says = {f"t{i}": {"zork": False} for i in range(5)}
    (tmp_path / "z").mkdir()
    found = analyse(harness_results(tmp_path / "z", "zork", higher_is_better=says))
    assert found.table["capability"].idxmax() == "c"


def test_an_unknown_direction_is_refused_with_the_options_that_tell(tmp_path, capsys):
    path = harness_results(tmp_path, "zork")
    with pytest.raises(gl.BadInput) as error:
        analyse(path)
    assert (error.value.argument, error.value.code) == ("metric", "unknown-direction")
    assert main(["analyse", str(path), "--ci", "0"]) == 2
    assert "--lower-is-better zork" in capsys.readouterr().err
    for option, best in (("--lower-is-better", "c"), ("--higher-is-better", "a")):
        assert main(["analyse", str(path), "--ci", "0", option, "zork"]) == 0
        assert f"The capability of {best} is" in capsys.readouterr().out


def test_error_rates_become_shares_of_success(tmp_path):
    file = tmp_path / "runs.csv"
    rows = [f"{m},q{i},{(i + k) % 2}" for k, m in enumerate("ab") for i in range(4)]
    file.write_text("\n".join(["model,item,error", *rows]))
    columns = {"agent": "model", "item": "item", "response": "error"}
    found = gl.read(file, columns=columns, format="long")
    assert found.frame.loc["a"].tolist() == [1.0, 0.0, 1.0, 0.0]
    as_is = gl.read(file, columns=columns, format="long", higher_is_better=["error"])
    assert as_is.frame.loc["a", "q1"] == 1.0


def test_a_column_of_latencies_is_turned_round_among_scores(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text("model,accuracy,latency_ms\nslow,0.9,900\nquick,0.8,100\n")
    found = gl.read_scores(file)
    assert found.frame["latency_ms"].tolist() == [-900, -100]
    assert found.frame["accuracy"].tolist() == [0.9, 0.8]
    assert gl.read_scores(file, higher_is_better=["latency_ms"]).frame["latency_ms"].max() == 900


# -- what is an item ---------------------------------------------------------------------------------------


def test_every_benchmark_of_a_leaderboard_is_an_item(tmp_path):
    file = tmp_path / "board.csv"
    head = (
        "Model,Model Family,Model Size (B),FLOPs (1E21),MMLU,ARC-C,HellaSwag,Winograd,GSM8K,HumanEval,Average"
    )
    file.write_text(f"{head}\na/x,X,7,84,.4,.5,.7,.7,.1,.1,.4\nb/y,Y,13,156,.5,.6,.8,.8,.2,.2,.5\n")
    found = gl.read(file)
    assert list(found.frame) == ["MMLU", "ARC-C", "HellaSwag", "Winograd", "GSM8K", "HumanEval"]
    assert found.agents.loc["b/y", "Model Size (B)"] == 13
    assert any("--items" in note and "'Average'" in note for note in found.notes)
    assert list(gl.read(file, items=["MMLU", "Average"]).frame) == ["MMLU", "Average"]


def test_age_and_gender_are_facts_and_no_items(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("rownames,gender,education,age,ACT,SATV\n1,2,3,19,24,500\n2,1,3,23,35,600\n")
    found = gl.read_scores(file)
    assert list(found.frame) == ["ACT", "SATV"]
    assert found.agents["age"].tolist() == [19, 23]


def test_the_model_stands_in_the_column_that_is_called_so(tmp_path):
    file = tmp_path / "arena.csv"
    file.write_text("rank,model,arena_score,votes,organization\n1,big,1317,76,G\n2,small,1316,31,O\n")
    found = gl.read_scores(file)
    assert (list(found.frame.index), list(found.frame)) == (["big", "small"], ["arena_score"])


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        *((n, True) for n in ("Average ⬆️", "#Params (B)", "rank", "Age", "License", "Total")),
        *((n, False) for n in ("Q1", "MATH Lvl 5", "arena_score", "language understanding", "item")),
    ],
)
def test_facts_are_known_by_their_names(name, fact):
    assert is_fact(name) == fact


def test_a_transposed_table_is_turned(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("question,gpt,claude\nq1,1,0\nq2,0,1\nq3,1,1\n")
    found = gl.read(file)
    assert (list(found.frame.index), list(found.frame)) == (["gpt", "claude"], ["q1", "q2", "q3"])
    assert any("--no-transpose" in note for note in found.notes)
    assert list(gl.read(file, transpose=False).frame.index) == ["q1", "q2", "q3"]


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"items": ["ARC"]}, "items"),
        ({"items": "ARC"}, "items"),
        ({"lower_is_better": "go"}, "lower_is_better"),
        ({"lower_is_better": ["go"], "higher_is_better": ["go"]}, "lower_is_better"),
        ({"transpose": "yes"}, "transpose"),
    ],
)
def test_a_wrong_choice_of_items_or_directions_is_refused(options, argument, tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text("model,go,chess\na,1,0\nb,0,1\n")
    with pytest.raises(gl.BadInput) as error:
        gl.read(file, **options)
    assert error.value.argument == argument


# -- the same name, other items ----------------------------------------------------------------------------


def inspect_log(path, model, args, values, choices=None):
    samples = [
        {"id": i, "epoch": 1, "scores": {"choice": {"value": "CI"[int(v)]}}}
        | ({"choices": choices} if choices else {})
        for i, v in enumerate(values)
    ]
    spec = {"model": model, "task": "exam", "task_args": args}
    path.write_text(json.dumps({"status": "success", "eval": spec, "samples": samples}))


def test_one_inspect_task_with_other_arguments_is_another_task(tmp_path):
    for k, (model, subject) in enumerate([("a", "law"), ("b", "law"), ("a", "art"), ("b", "art")]):
        inspect_log(tmp_path / f"{k}.json", model, {"subject": subject, "shots": 5}, [0, 1, k % 2])
    found = gl.read(tmp_path)
    assert found.family.unique().tolist() == ["exam(subject=law)", "exam(subject=art)"]
    assert found.shape == (2, 6)
    assert any("different subject" in note for note in found.notes)


def test_equal_arguments_leave_the_name_of_the_task_alone(tmp_path):
    for k, model in enumerate("ab"):
        inspect_log(tmp_path / f"{k}.json", model, {"shots": 5}, [0, 1, k % 2], list("wxyz"))
    found = gl.read(tmp_path)
    assert found.family.unique().tolist() == ["exam"]
    assert found.items["choices"].tolist() == [4, 4, 4]


def helm_run(folder, name, groups, entries):
    folder.mkdir()
    spec = {"name": f"{name}:model=m", "adapter_spec": {"model": "org/m"}, "groups": groups}
    (folder / "run_spec.json").write_text(json.dumps(spec))
    rows = [
        {
            "instance_id": f"id{k}",
            "train_trial_index": 0,
            "stats": [
                {"name": {"name": metric, "split": split}, "count": 1, "sum": value}
                for metric, value in scores.items()
            ],
        }
        for k, (split, scores) in enumerate(entries)
    ]
    (folder / "per_instance_stats.json").write_text(json.dumps(rows))
    return folder


@pytest.mark.parametrize(
    ("group", "metric", "split"),
    [
        ("narrative_qa", "f1_score", "test"),
        ("boolq", "quasi_exact_match", "valid"),
        ("mmlu_pro", "chain_of_thought_correctness", "test"),
        ("wildbench", "wildbench_score_rescaled", "test"),
    ],
)
def test_helm_is_read_by_its_own_headline(group, metric, split, tmp_path):
    other = {"test": "valid", "valid": "test"}[split]
    entries = [
        (split, {"exact_match": 0.0, metric: 0.75}),
        (other, {"exact_match": 0.0, metric: 0.1}),
    ]
    found = gl.read(helm_run(tmp_path / "r", group, [group], entries))
    assert found.frame.to_numpy().tolist() == [[0.75]]
    assert any("other splits" in note for note in found.notes)


def test_bits_per_byte_of_helm_are_turned_round(tmp_path):
    entries = [("test", {"bits_per_byte": 0.9 + k}) for k in range(3)]
    found = gl.read_scores(helm_run(tmp_path / "r", "the_pile", ["the_pile"], entries))
    assert np.allclose(found.frame.to_numpy(), [[-0.9, -1.9, -2.9]])


def test_lm_eval_tells_how_many_options_a_question_has(tmp_path):
    lines = [
        {
            "doc_id": k,
            "metrics": ["acc"],
            "acc": k % 2,
            "resps": [[[-1.0, False]]] * (4 if k else 2),
        }
        for k in range(3)
    ]
    (tmp_path / "m").mkdir()
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "m" / "samples_arc.jsonl").write_text(text)
    found = gl.read(tmp_path, format="lm-eval")
    assert found.items["choices"].tolist() == [2, 4, 4]
