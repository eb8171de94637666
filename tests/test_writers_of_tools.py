"""What the tools' own writers write, read in their source or run: layouts that a memory of them got wrong.

Each test builds by hand a log of the shape that the named version writes; values are ours.
"""

import json
import math

import numpy as np
import pytest

import gindex_lab as gl
from gindex_lab.foundation.errors import BadInput


def dump(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def said(found, *words):
    """Whether one note has all the words."""
    return any(all(word in note for word in words) for note in found.notes)


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


# -- Inspect (inspect-ai 0.3.285) --------------------------------------------------------------------


def inspect_log(path, values, status="success", created="2026-01-01", model="m", **spec):
    samples = [
        {"id": k, "epoch": 1, "input": f"q{k}", "scores": {"match": {"value": v}} if v else {}}
        for k, v in enumerate(values, 1)
    ]
    about = {"created": f"{created}T00:00:00+00:00", "task": "sums", "model": model, **spec}
    return dump(path, {"version": 2, "status": status, "eval": about, "samples": samples})


def test_a_failed_run_beside_its_retry_is_not_a_repeat(tmp_path):
    inspect_log(tmp_path / "a.json", "II", "error", "2026-01-01")
    inspect_log(tmp_path / "b.json", "CCI", "success", "2026-01-02")
    inspect_log(tmp_path / "c.json", "I", "cancelled", "2026-01-03")
    found = gl.read(tmp_path)
    assert found.frame.loc["m"].tolist() == [1, 1, 0]
    assert found.trials is None
    assert said(found, "a.json", "c.json", "error", "cancelled")


def test_of_runs_that_all_failed_the_newest_is_read(tmp_path):
    inspect_log(tmp_path / "a.json", "III", "error", "2026-01-02")
    inspect_log(tmp_path / "b.json", "CC", "error", "2026-01-03")
    assert gl.read(tmp_path).frame.loc["m"].tolist() == [1, 1]


def test_two_whole_runs_remain_a_question_for_the_user(tmp_path):
    for name in "ab":
        inspect_log(tmp_path / f"{name}.json", "CI")
    with pytest.raises(BadInput) as error:
        gl.read(tmp_path)
    assert error.value.code == "repeats"


def test_failed_runs_of_other_models_and_arguments_stay(tmp_path):
    inspect_log(tmp_path / "a.json", "I", "error")
    inspect_log(tmp_path / "b.json", "C", model="n")
    inspect_log(tmp_path / "c.json", "C", task_args={"judge": "x"})
    assert gl.read(tmp_path).frame.shape == (2, 2)


def test_a_run_without_any_score_is_skipped_with_its_reason(tmp_path):
    inspect_log(tmp_path / "a.json", [None, None])
    inspect_log(tmp_path / "b.json", "CI")
    found = gl.read(tmp_path)
    assert found.frame.loc["m"].tolist() == [1, 0]
    assert said(found, "1 file was skipped", "a.json")
    with pytest.raises(BadInput) as error:
        gl.read(tmp_path / "a.json")
    assert error.value.code == "unscored"


def test_epochs_reduced_otherwise_than_by_their_mean_are_noted(tmp_path):
    inspect_log(tmp_path / "a.json", "CI", config={"epochs": 3, "epochs_reducer": ["mode"]})
    assert said(gl.read(tmp_path), "mode", "mean")


def test_a_mean_among_the_reducers_is_the_headline(tmp_path):
    inspect_log(tmp_path / "a.json", "CI", config={"epochs": 3, "epochs_reducer": ["mean", "pass_at_2"]})
    assert not any("not the mean" in note for note in gl.read(tmp_path / "a.json").notes)


# -- lm-evaluation-harness (lm-eval 0.4.13) ------------------------------------------------------------


def harness_samples(folder, metrics, *rows):
    time = "2026-01-01T00-00-00"
    about = {"model_name": "org/m", "config": {}, "results": {"wiki": {}}}
    ways = {name: name == "acc" for name in metrics}
    dump(folder / f"results_{time}.json", about | {"higher_is_better": {"wiki": ways}})
    written = [{"doc_id": k, "filter": "none", "metrics": metrics, **row} for k, row in enumerate(rows)]
    dump(folder / f"samples_wiki_{time}.jsonl", lines(*written))


def test_rolling_perplexities_give_the_headline_of_the_harness(tmp_path):
    pairs = [(-50.0, 10), (-400.0, 100)]
    names = ["word_perplexity", "byte_perplexity", "bits_per_byte"]
    harness_samples(tmp_path, names, *(dict.fromkeys(names, pair) for pair in pairs))
    found = gl.read_scores(tmp_path)
    words = found.items["length"].to_numpy()
    mean = float((found.frame.loc["org/m"].to_numpy() * words).sum() / words.sum())
    assert math.exp(-mean) == pytest.approx(math.exp(450 / 110))
    assert said(found, "log-likelihood")
    bits = gl.read_scores(tmp_path, metric="bits_per_byte")
    mean = float((bits.frame.loc["org/m"].to_numpy() * words).sum() / words.sum())
    assert mean / math.log(2) == pytest.approx(-450 / 110 / math.log(2))


def test_a_perplexity_of_one_sample_is_a_log_likelihood_and_not_turned_round(tmp_path):
    rows = [{"acc": 1, "perplexity": -0.5}, {"acc": 0, "perplexity": -6.0}]
    harness_samples(tmp_path, ["perplexity", "acc"], *rows)
    assert gl.read(tmp_path).frame.loc["org/m"].tolist() == [1, 0]
    found = gl.read_scores(tmp_path, metric="perplexity")
    assert found.frame.loc["org/m"].tolist() == [-0.5, -6.0]


# -- tau2-bench (main, 2026) -------------------------------------------------------------------------

TAU2 = {"info": {"agent_info": {"implementation": "llm_agent", "llm": "m"},
                 "environment_info": {"domain_name": "retail"}}, "tasks": []}  # fmt: skip


def simulation(task, trial, reward, reason="user_stop"):
    about = {"id": f"{task}-{trial}", "task_id": str(task), "trial": trial}
    reward_info = None if reward is None else {"reward": reward}
    return about | {"termination_reason": reason, "reward_info": reward_info, "messages": []}


def test_tau2_leaves_out_what_broke_in_the_infrastructure_as_its_own_metrics_do(tmp_path):
    runs = [simulation(1, 0, 1.0), simulation(2, 0, 0.0, "infrastructure_error"),
            simulation(3, 0, 0.0, "max_steps")]  # fmt: skip
    found = gl.read(dump(tmp_path / "m.json", TAU2 | {"simulations": runs}))
    assert found.frame.loc["m"].dropna().tolist() == [1, 0]
    assert said(found, "1 simulation", "infrastructure")


@pytest.mark.parametrize("index", [True, False])
def test_tau2_in_a_folder_of_simulations_is_read_once(index, tmp_path):
    runs = [simulation(1, 0, 1.0), simulation(1, 1, 0.0), simulation(2, 0, 1.0)]
    rows = [{"id": one["id"], "task_id": one["task_id"], "trial": one["trial"],
             "reward": one["reward_info"]["reward"], "termination_reason": "user_stop"}
            for one in runs]  # fmt: skip
    dump(tmp_path / "results.json", TAU2 | {"simulation_index": rows if index else None})
    for one in runs:
        dump(tmp_path / "simulations" / f"{one['id']}.json", one)
    found = gl.read(tmp_path)
    assert found.frame.loc["m"].tolist() == [0.5, 1.0]
    assert not said(found, "skipped")


# -- SWE-bench (swebench 5.0.2) ----------------------------------------------------------------------


def test_a_report_of_swe_bench_beside_its_instances_is_read_once(tmp_path):
    ids = ["a__b-1", "a__b-2", "a__b-3"]
    report = {"total_instances": 3, "completed_ids": ids[:2], "submitted_ids": ids,
              "resolved_ids": ids[:1], "unresolved_ids": ids[1:2], "error_ids": ids[2:],
              "failure_reasons": {}, "schema_version": 2}  # fmt: skip
    dump(tmp_path / "org__m-4.1.run1.json", report)
    logs = tmp_path / "logs" / "run_evaluation" / "run1"
    dump(logs / "run.json", {"dataset_name": "x", "split": "test"})
    for one in ids[:2]:
        entry = {
            "patch_exists": True,
            "patch_successfully_applied": True,
            "resolved": one == ids[0],
        }
        dump(logs / "org__m-4.1" / one / "report.json", {one: entry})
    found = gl.read(tmp_path)
    assert found.frame.index.tolist() == ["org/m-4.1"]
    assert found.frame.loc["org/m-4.1"].tolist() == [1, 0, 0]


# -- MTEB (mteb 2.26.24) -----------------------------------------------------------------------------


def test_experiments_of_mteb_are_agents_of_their_own(tmp_path):
    model = tmp_path / "results" / "org__m" / "rev1"
    task = {"task_name": "STS", "mteb_version": "2.26.24", "dataset_revision": "1"}
    for place, score, more in (
        (model, 0.5, {}),
        (model / "experiments" / "dim_8", 0.25, {"dim": 8}),
    ):
        dump(
            place / "STS.json",
            task | {"scores": {"test": [{"main_score": score, "hf_subset": "default"}]}},
        )
        about = {"name": "org/m", "revision": "rev1", "experiment_kwargs": more or None}
        dump(place / "model_meta.json", about)
    found = gl.read(tmp_path)
    assert found.frame["STS/test"].to_dict() == {"org/m": 0.5, "org/m (dim_8)": 0.25}


# -- DeepEval (deepeval 4.3.1) -----------------------------------------------------------------------


def test_cases_of_deepeval_without_metrics_are_missing_and_equal_inputs_are_one_item(tmp_path):
    def case(name, text, success=None):
        more = {} if success is None else {"success": success, "metricsData": [{"name": "x", "score": 1.0}]}
        return {"name": name, "input": text} | more

    for model, cases in {
        "a": [case("test_case_0", "q"), case("test_case_1", "r", True)],
        "b": [case("test_case_0", "r", False), case("test_case_1", "q", True)],
    }.items():
        dump(tmp_path / f"{model}.json", {"testCases": cases, "hyperparameters": {"model": model}})
    found = gl.read(tmp_path)
    assert found.frame.shape == (2, 2)
    assert sorted(found.frame.loc["b"]) == [0, 1]
    assert sorted(found.frame.loc["a"].dropna()) == [1]
    assert said(found, "1 cases", "missing")


# -- OpenCompass (opencompass 0.5.4) -----------------------------------------------------------------

SUMMARY = (
    "dataset,version,metric,mode,m,n\n"
    "--------- exams ---------,-,-,-,-,-\n"
    "mmlu,-,naive_average,gen,55.00,45.00\n"
    "mmlu_law,a1b2c3,accuracy,gen,60.00,50.00\n"
    "mmlu_art,d4e5f6,accuracy,gen,50.00,-\n"
    "math,a7b8c9,accuracy,gen,10.00,20.00\n"
    "math,a7b8c9,math_std,gen,1.00,2.00\n"
)


def test_groups_of_opencompass_are_not_items_and_its_percentages_are_shares(tmp_path):
    found = gl.read(dump(tmp_path / "summary" / "summary_20260101_000000.csv", SUMMARY))
    assert found.frame.columns.tolist() == ["mmlu_law", "mmlu_art", "math"]
    assert found.frame.loc["m"].tolist() == [0.6, 0.5, 0.1]
    assert said(found, "mmlu", "left out")
    assert said(found, "percent")
    assert said(found, "math_std")


def test_scores_of_opencompass_that_are_no_percentages_are_not_divided(tmp_path):
    text = (
        "dataset,version,metric,mode,m,n\n"
        "arc,a1,accuracy,gen,60.00,0.50\n"
        "wiki,b2,ppl,ppl,9.50,12.25\n"
        "chat,c3,elo,gen,1100,990\n"
        "sts,d4,pearson,gen,0.70,-0.10\n"
        "long,e5,score,gen,250,90\n"
    )
    found = gl.read_scores(dump(tmp_path / "summary" / "summary_20260101_000000.csv", text))
    assert found.frame.loc["m"].tolist() == [0.6, -9.5, 1100, 0.7, 250]
    assert found.frame.loc["n"].tolist() == [0.005, -12.25, 990, -0.1, 90]
    assert said(found, "divided by 100 (accuracy)")
    assert said(found, "not percentages", "elo, pearson, ppl, score")


def test_answers_of_opencompass_without_a_verdict_leave_the_summary(tmp_path):
    dump(tmp_path / "summary" / "summary_20260101_000000.csv", SUMMARY)
    answer = {"prompt": "p", "origin_prediction": "A", "predictions": "A", "references": "B"}
    dump(
        tmp_path / "results" / "m" / "mmlu_law.json",
        {"accuracy": 60, "details": {"type": "GEN", "0": answer}},
    )
    assert gl.read(tmp_path).frame.loc["n", "math"] == pytest.approx(0.2)


# -- BigCodeBench (0.2.5) and LiveCodeBench (main, 2025) -----------------------------------------------


def test_the_name_of_a_file_of_bigcodebench_has_model_and_split(tmp_path):
    for split, status in (("instruct", "pass"), ("complete", "fail")):
        name = f"org--m--main--bigcodebench-hard-{split}--vllm-0-1-sanitized_calibrated_eval_results.json"
        rows = {"BigCodeBench/1": [{"task_id": "BigCodeBench/1", "solution": "", "status": status}]}
        dump(tmp_path / name, {"date": "2026-01-01", "eval": rows})
    found = gl.read(tmp_path)
    assert found.frame.index.tolist() == ["org/m"]
    assert sorted(found.family) == ["BigCodeBench hard complete", "BigCodeBench hard instruct"]


def test_scenarios_of_livecodebench_are_families_and_tests_of_a_question_are_items(tmp_path):
    code = {"question_id": "1", "platform": "leetcode", "difficulty": "easy", "graded_list": [True]}
    test = {"question_id": "1", "difficulty": "easy", "question_title": "t", "graded_list": [False]}
    run = {"question_id": "1", "id": "sample_0", "difficulty": "easy", "graded_list": [True]}
    dump(tmp_path / "m" / "Scenario.codegeneration_1_0.2_eval_all.json", [code])
    dump(tmp_path / "m" / "Scenario.selfrepair_1_0.2_eval_all.json", [code])
    rows = [test | {"test_id": k} for k in (0, 1)]
    dump(tmp_path / "m" / "Scenario.testoutputprediction_1_0.2_eval_all.json", rows)
    rows = [run, run | {"id": "sample_1", "graded_list": [False]}]
    dump(tmp_path / "m" / "Scenario.codeexecution_1_0.2_eval_all.json", rows)
    found = gl.read(tmp_path)
    assert found.frame.shape == (1, 6)
    assert found.family.nunique() == 4
    assert found.trials is None


# -- promptfoo (0.121.20, run here with its echo provider) -----------------------------------------------


def foo(provider, prompt, test, success):
    return {"provider": {"id": provider}, "prompt": {"raw": prompt, "label": prompt}, "success": success,
            "score": int(success), "vars": {"q": test}, "testIdx": test, "promptIdx": 0, "namedScores": {},
            "latencyMs": 1, "testCase": {"vars": {"q": test}}, "failureReason": 0}  # fmt: skip


def test_one_evaluation_of_promptfoo_in_several_files_is_read_once(tmp_path):
    rows = [foo("p", "x", 0, True), foo("p", "x", 1, False)]
    dump(
        tmp_path / "out.json",
        {"evalId": "e", "results": {"version": 3, "results": rows, "stats": {}}},
    )
    dump(tmp_path / "out.jsonl", lines(*rows))
    found = gl.read(tmp_path)
    assert found.frame.loc["p"].tolist() == [1, 0]
    assert found.trials is None
    assert said(found, "out.jsonl", "same evaluation")


def test_only_providers_with_several_prompts_are_called_after_them(tmp_path):
    rows = [foo("p", "x", 0, True), foo("q", "y", 1, True), foo("q", "z", 1, False)]
    found = gl.read(dump(tmp_path / "out.jsonl", lines(*rows)))
    assert found.frame.index.tolist() == ["p", "q (prompt 1)", "q (prompt 2)"]


# -- Harbor (0.25.0), Terminal-Bench (0.2.18) ----------------------------------------------------------


def test_harbor_reads_the_reward_where_trials_have_several(tmp_path):
    for k, rewards in enumerate([{"format": 1.0, "reward": 0.0}, {"format": 1.0, "reward": 1.0}, None]):
        trial = {"task_name": f"t{k}", "trial_name": f"t{k}__a", "trial_uri": "", "task_checksum": "",
                 "agent_info": {"name": "a", "version": "1", "model_info": {"name": "m", "provider": "p"}},
                 "verifier_result": rewards and {"rewards": rewards}, "exception_info": None}  # fmt: skip
        dump(tmp_path / "job" / f"t{k}__a" / "result.json", trial)
    found = gl.read(tmp_path)
    assert found.frame.loc["m (a)"].tolist() == [0, 1, 0]
    assert said(found, "1 trials without a reward")


def test_two_runs_of_terminal_bench_by_one_agent_are_repeats(tmp_path):
    for run, solved in (("r1", True), ("r2", False)):
        dump(tmp_path / run / "run_metadata.json", {"agent_name": "a", "model_name": "m"})
        trial = {"trial_name": f"t.1-of-1.{run}", "task_id": "t", "is_resolved": solved,
                 "failure_mode": "unset", "parser_results": None}  # fmt: skip
        dump(tmp_path / run / "results.json", {"results": [trial], "accuracy": float(solved)})
    found = gl.read(tmp_path)
    assert found.frame.loc["a m"].tolist() == [0.5]
    assert said(found, "2 runs", "repeats")


# -- HELM (crfm-helm 0.5.16) -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "metric", "split"),
    [
        ("mm_star_reasoning", "quasi_prefix_exact_match", "valid"),
        ("image2latex_table", "earth_mover_similarity", "valid"),
        ("melt_question_answering_mlqa", "quasi_exact_match", "test"),
        ("cleva_summarization", "chinese_rouge_2", "test"),
        ("bbq", "bbq_accuracy", "test"),
        ("mmlu_anatomy", "exact_match", "test"),
    ],
)
def test_the_main_metric_of_helms_later_schemas_is_read(group, metric, split, tmp_path):
    spec = {"name": f"{group}:model=m", "adapter_spec": {"model": "m"}, "groups": [group]}
    dump(tmp_path / "run" / "run_spec.json", spec)

    def stat(name, where, mean):
        return {"name": {"name": name, "split": where}, "count": 1, "sum": mean, "mean": mean}

    names = {"exact_match": 0.0, "quasi_exact_match": 0.25, metric: 1.0}
    rows = [
        {"instance_id": f"{where}{k}", "train_trial_index": 0, "stats": [stat(n, where, v) for n, v in names.items()]}
        for where in ("valid", "test")
        for k in (1, 2)
    ]  # fmt: skip
    dump(tmp_path / "run" / "per_instance_stats.json", rows)
    found = gl.read(tmp_path)
    assert [c.rpartition("/")[2] for c in found.frame.columns] == [f"{split}1", f"{split}2"]
    assert np.all(found.frame.to_numpy() == 1.0)


# -- every_eval_ever (0.3.0) -------------------------------------------------------------------------


def eee_result(name, score, data="set", **metric):
    config = {"lower_is_better": False, "min_score": 0.0, "max_score": 1.0, **metric}
    return {"evaluation_name": name, "source_data": {"dataset_name": data}, "metric_config": config,
            "score_details": {"score": score}}  # fmt: skip


def test_an_overall_result_beside_its_parts_is_not_an_item(tmp_path):
    rows = [
        eee_result("X (overall)", 0.5),
        eee_result("X (law)", 0.25),
        eee_result("X (art)", 0.75),
    ]
    rows += [eee_result("Average", 0.5, "other"), eee_result("overall", 0.1, "alone")]
    dump(tmp_path / "a.json", {"model_info": {"id": "m"}, "evaluation_results": rows})
    found = gl.read(tmp_path)
    assert found.frame.columns.tolist() == [
        "set/X (law)",
        "set/X (art)",
        "other/Average",
        "alone/overall",
    ]
    assert said(found, "left out", "X (overall)")


def test_errors_and_roles_of_samples_of_every_eval_ever_are_kept(tmp_path):
    rows = [
        {"model_id": "m", "evaluation_name": "e", "sample_id": str(k), "evaluation": {"score": 0.0},
         "error": error, "metadata": {"difficulty": k}}
        for k, error in enumerate([None, "timeout"])
    ]  # fmt: skip
    found = gl.read(dump(tmp_path / "x_samples.jsonl", lines(*rows)))
    assert found.difficulty.tolist() == [0, 1]
    assert said(found, "1 samples ended in an error")


# -- what a folder of many logs must not do ------------------------------------------------------------


def test_inspect_logs_without_samples_are_read_by_their_results(tmp_path):
    for model, mean in (("a", 0.25), ("b", 0.5)):
        scores = [{"name": "match", "metrics": {"accuracy": {"value": mean}, "stderr": {"value": 0.1}}},
                  {"name": "other", "metrics": {"accuracy": {"value": 0.0}}}]  # fmt: skip
        log = {
            "status": "success",
            "eval": {"task": "sums", "model": model},
            "results": {"scores": scores},
        }
        dump(tmp_path / f"{model}.json", log)
    found = gl.read(tmp_path)
    assert found.frame["sums/mean"].to_dict() == {"a": 0.25, "b": 0.5}
    assert said(found, "results only")
    inspect_log(tmp_path / "c.json", "CI", model="c")
    found = gl.read(tmp_path)
    assert found.frame.index.tolist() == ["c"]
    assert said(found, "2 files were skipped")


def test_samples_of_a_skipped_run_are_not_counted(tmp_path):
    inspect_log(tmp_path / "a.json", [None, None])
    inspect_log(tmp_path / "b.json", "CI")
    assert not said(gl.read(tmp_path), "samples have no score")


def test_where_every_file_is_bad_each_reason_is_said(tmp_path):
    inspect_log(tmp_path / "a.json", [None])
    inspect_log(tmp_path / "b.json", ["both"], model="n")
    with pytest.raises(BadInput) as error:
        gl.read(tmp_path)
    assert "no score" in error.value.problem
    assert "b.json" in error.value.problem


def test_results_with_the_id_of_their_metric_are_told_apart_by_name(tmp_path):
    def row(name, score, metric):
        return eee_result(name, score, metric_name=metric) | {"evaluation_result_id": metric}

    rows = [row("algebra", 0.25, "exact_match"), row("geometry", 0.5, "exact_match")]
    rows += [row("logic", 0.75, "acc"), row("logic", 1.0, "acc_norm")]
    dump(tmp_path / "a.json", {"model_info": {"id": "m"}, "evaluation_results": rows})
    dump(tmp_path / "b.json", {"model_info": {"id": "n"}, "evaluation_results": rows[2:3]})
    found = gl.read(tmp_path)
    names = ["set/algebra", "set/geometry", "set/logic (acc)", "set/logic (acc_norm)"]
    assert found.frame.columns.tolist() == names
    assert found.frame.loc["n"].dropna().tolist() == [0.75]


# -- FastChat (fschat 0.2.36): MT-bench --------------------------------------------------------------


def judged(question, model, score, turn):
    return {"question_id": question, "model": model, "judge": ["gpt-4", "single-v1"], "user_prompt": "",
            "judgment": "", "score": score, "turn": turn, "tstamp": 1.0}  # fmt: skip


def test_judgments_of_mt_bench_give_its_mean_and_failed_ones_are_missing(tmp_path):
    rows = [
        judged(81, "a", 9, 1),
        judged(81, "a", 6, 2),
        judged(82, "a", -1, 1),
        judged(81, "b", 10, 1),
    ]
    found = gl.read(dump(tmp_path / "model_judgment" / "gpt-4_single.jsonl", lines(*rows)))
    assert 10 * found.frame.loc["a"].mean() == pytest.approx(7.5)
    assert found.frame.loc["b"].dropna().tolist() == [1.0]
    assert said(found, "1 judgments", "missing")


def test_pairs_of_mt_bench_are_battles_and_disagreement_is_a_draw(tmp_path):
    def pair(one, two):
        return {"question_id": 81, "model_1": "a", "model_2": "b", "g1_winner": one, "g2_winner": two,
                "judge": ["gpt-4", "pair-v2"], "turn": 1, "tstamp": 1.0}  # fmt: skip

    rows = [pair("model_1", "model_1"), pair("model_1", "model_2"), pair("error", "error")]
    found = gl.read(dump(tmp_path / "gpt-4_pair.jsonl", lines(*rows)))
    assert found.frame.loc["a", "against b"] == pytest.approx(0.75)
    assert said(found, "1 battles", "error")


# -- leaderboards in one folder (aider, arena) and tables of people ------------------------------------


def test_columns_of_two_leaderboards_are_told_apart_where_agents_or_names_say_so(tmp_path):
    dump(tmp_path / "edit.csv", "model,pass_rate_1,well_formed\na,0.5,1\nb,0.25,1\n")
    dump(tmp_path / "refactor.csv", "model,pass_rate_1,well_formed\na,0.75,0.5\n")
    found = gl.read(tmp_path)
    names = ["edit/pass_rate_1", "edit/well_formed", "refactor/pass_rate_1", "refactor/well_formed"]
    assert found.frame.columns.tolist() == names
    assert found.frame.loc["a"].tolist() == [0.5, 1, 0.75, 0.5]
    assert said(found, "pass_rate_1", "of several tables")


def test_two_arenas_are_two_items_and_parts_of_one_table_are_not(tmp_path):
    for name, rows in {"image": "a,1100\nb,1000\n", "vision": "c,1200\nd,900\n"}.items():
        dump(tmp_path / "arena" / f"{name}.csv", f"model,arena_score\n{rows}")
    assert gl.read_scores(tmp_path / "arena").frame.shape == (4, 2)
    for name in "ab":
        dump(tmp_path / "parts" / f"{name}.csv", f"model,accuracy\n{name},0.5\n")
        dump(tmp_path / "items" / f"{name}.csv", f"model,MMLU,GSM8K\n{name}1,0.5,1\n{name}2,0.5,1\n")
    assert gl.read(tmp_path / "parts").frame.shape == (2, 1)
    assert gl.read(tmp_path / "items").frame.shape == (4, 2)


def test_numbered_rows_of_two_tables_are_not_the_same_people(tmp_path):
    dump(tmp_path / "lsat.csv", "rownames,Q1,Q2\n1,0,1\n2,1,1\n")
    dump(tmp_path / "sat.csv", "rownames,V,W\n1,0.5,0.25\n2,0.75,1\n")
    found = gl.read(tmp_path)
    assert found.frame.shape == (4, 4)
    assert found.frame.loc["lsat 1"].dropna().tolist() == [0, 1]
    assert said(found, "numbers", "each table")


# -- what scores and files may look like ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "scores"),
    [
        (["pass", "FAIL"], [1, 0]),
        (["correct", "Incorrect"], [1, 0]),
        (["yes", "no"], [1, 0]),
        (["1.0", "0.25"], [1, 0.25]),
        (["85%", "20 %"], [0.85, 0.2]),
        ([True, None], [1, math.nan]),
    ],
)
def test_scores_in_words_and_percent_are_read_in_every_kind_of_log(words, scores, tmp_path):
    rows = [{"id": k, "correct": word} for k, word in enumerate(words)]
    dump(tmp_path / "own" / "m.jsonl", lines(*rows))
    rows = [{"model": "m", "item": k, "score": word} for k, word in enumerate(words)]
    dump(tmp_path / "long" / "a.jsonl", lines(*rows))
    inspect_log(tmp_path / "inspect" / "a.json", words)
    harness_samples(tmp_path / "harness", ["acc"], *({"acc": word} for word in words))
    for place in ("own", "long", "inspect", "harness"):
        found = gl.read(tmp_path / place)
        assert found.frame.iloc[0].tolist() == pytest.approx(scores, nan_ok=True)


def test_other_words_are_refused(tmp_path):
    rows = [{"id": 1, "correct": "pass"}, {"id": 2, "correct": "maybe"}]
    with pytest.raises(BadInput) as error:
        gl.read(dump(tmp_path / "m.jsonl", lines(*rows)))
    assert error.value.code == "wrong-type"


def test_files_packed_with_zstandard_are_read(tmp_path):
    zstd = pytest.importorskip("backports.zstd")
    text = lines({"id": 1, "correct": 1}, {"id": 2, "correct": 0})
    (tmp_path / "m.jsonl.zst").write_bytes(zstd.compress(text.encode()))
    (tmp_path / "n.csv.zst").write_bytes(zstd.compress(b"id,correct\n1,0\n2,1\n"))
    assert gl.read(tmp_path).frame.to_dict("index") == {
        "m": {"1": 1, "2": 0},
        "n": {"1": 0, "2": 1},
    }
    (tmp_path / "o.jsonl.zst").write_bytes(zstd.compress(text.encode())[:-6])
    with pytest.raises(BadInput) as error:
        gl.read(tmp_path / "o.jsonl.zst")
    assert error.value.code == "damaged"


def test_of_runs_of_the_harness_with_the_same_settings_the_newest_is_read(tmp_path):
    def run(day, value, **config):
        time = f"2026-01-0{day}T00-00-00"
        about = {"model_name": "org/m", "config": config, "results": {"arc": {}}}
        dump(tmp_path / f"results_{time}.json", about)
        row = {"doc_id": 0, "filter": "none", "metrics": ["acc"], "acc": value}
        dump(tmp_path / f"samples_arc_{time}.jsonl", lines(row))

    run(1, 0)
    run(2, 1)
    found = gl.read(tmp_path)
    assert found.frame.to_numpy().tolist() == [[1]]
    assert said(found, "newest", "samples_arc_2026-01-01")
    assert gl.read(tmp_path, repeats="trials").frame.to_numpy().tolist() == [[0.5]]
    run(3, 1, model_args="dtype=float16")
    with pytest.raises(BadInput) as error:
        gl.read(tmp_path)
    assert error.value.code == "repeats"


# -- lm-evaluation-harness 0.4.0-0.4.2, and results under a name of one's own ----------------------------


def test_samples_of_the_first_harness_4_are_a_list_in_a_file_of_lines(tmp_path):
    for name, values in {"org/small": [1, 0], "org/large": [1, 1]}.items():
        folder = tmp_path / name.rpartition("/")[2]
        args = f"pretrained={name},dtype=float16"
        config = {"model": "hf", "model_args": args}
        results = {"arc_easy": {"acc,none": sum(values) / 2, "alias": "arc_easy"}}
        about = {"results": results, "config": config, "configs": {"arc_easy": {}}, "git_hash": "0"}
        dump(folder / "results.json", about)
        stem = args.replace("/", "__").replace("=", "__") + "_arc_easy"
        rows = [{"doc_id": k, "doc": {}, "target": 0, "resps": [], "filtered_resps": [], "acc": float(v)}
                for k, v in enumerate(values)]  # fmt: skip
        dump(folder / f"{stem}.jsonl", json.dumps(rows, indent=2))
    found = gl.read(tmp_path)
    assert sorted(found.frame.index) == ["org/large", "org/small"]
    assert found.frame.columns.tolist() == ["arc_easy/0", "arc_easy/1"]
    assert found.frame.loc["org/small"].tolist() == [1, 0]


def test_results_under_a_name_of_ones_own_name_the_model_of_the_samples(tmp_path):
    time = "2026-01-01T00-00-00.000001"
    dump(
        tmp_path / f"mine_{time}.json",
        {"model_name": "org/m", "config": {}, "results": {"arc": {}}},
    )
    row = {"doc_id": 0, "filter": "none", "metrics": ["acc"], "acc": 1, "filtered_resps": []}
    dump(tmp_path / f"samples_arc_{time}.jsonl", lines(row))
    assert gl.read(tmp_path).frame.index.tolist() == ["org/m"]


# -- one item, one metric ------------------------------------------------------------------------------


def harness_results(path, model, **scores):
    return dump(path, {"model_name": model, "config": {}, "results": {"arc": scores}})


def test_results_of_several_models_are_read_by_a_metric_that_all_of_them_have(tmp_path):
    harness_results(tmp_path / "results_2026-01-01T00-00-00.json", "a", **{"acc,none": 0.5, "f1,none": 0.25})
    harness_results(tmp_path / "results_2026-01-02T00-00-00.json", "b", **{"f1,none": 0.75})
    found = gl.read(tmp_path)
    assert found.frame["arc"].to_dict() == {"a": 0.25, "b": 0.75}
    harness_results(tmp_path / "results_2026-01-03T00-00-00.json", "c", **{"em,none": 1.0})
    with pytest.raises(BadInput) as error:
        gl.read(tmp_path)
    assert error.value.code == "no-common-metric"


def test_runs_of_helm_by_other_metrics_are_not_one_item(tmp_path):
    for model, metric in (("a", "exact_match"), ("b", "f1_score")):
        folder = tmp_path / model
        dump(
            folder / "run_spec.json",
            {"name": f"zig:model={model}", "adapter_spec": {"model": model}},
        )
        stat = {"name": {"name": metric, "split": "test"}, "count": 1, "sum": 1.0, "mean": 1.0}
        row = {"instance_id": "1", "train_trial_index": 0, "stats": [stat]}
        dump(folder / "per_instance_stats.json", [row])
    with pytest.raises(BadInput) as error:
        gl.read(tmp_path)
    assert error.value.code == "no-common-metric"


def test_samples_without_the_metric_of_the_others_are_not_just_missing(tmp_path):
    for model, metric in (("a", "score"), ("b", "f1")):
        first = {"spec": {"completion_fns": [model], "eval_name": "e"}}
        event = {"type": "metrics", "sample_id": "1", "data": {metric: 1.0}}
        dump(tmp_path / f"{model}.jsonl", lines(first, event, {"final_report": {}}))
    with pytest.raises(BadInput) as error:
        gl.read(tmp_path)
    assert error.value.code == "no-common-metric"


def test_means_over_groups_are_known_by_their_lack_of_a_configuration(tmp_path):
    scores = {
        "mmlu": {"acc,none": 0.5},
        "mmlu_law": {"acc,none": 0.4},
        "mmlu_art": {"acc,none": 0.6},
    }
    about = {"model_name": "m", "config": {}, "configs": {"mmlu_law": {}, "mmlu_art": {}}}
    found = gl.read(dump(tmp_path / "results_2026-01-01T00-00-00.json", about | {"results": scores}))
    assert found.frame.columns.tolist() == ["mmlu_law", "mmlu_art"]


def test_the_name_of_a_file_of_evalplus_has_model_and_temperature(tmp_path):
    for end in ("0.0", "0.8"):
        rows = {"HumanEval/0": [{"task_id": "HumanEval/0", "base_status": "pass", "plus_status": "fail"}]}
        dump(
            tmp_path / f"org--m_vllm_temp_{end}_eval_results.json",
            {"date": "", "hash": "", "eval": rows},
        )
    assert gl.read(tmp_path).frame.index.tolist() == ["org/m", "org/m (temperature 0.8)"]


def test_perplexities_beside_shares_are_left_for_themselves(tmp_path):
    harness_samples(tmp_path, ["word_perplexity"], {"word_perplexity": [-50.0, 10]})
    row = {"doc_id": 0, "filter": "none", "metrics": ["acc"], "acc": 1}
    dump(tmp_path / "samples_arc_2026-01-01T00-00-00.jsonl", lines(row))
    found = gl.read(tmp_path)
    assert found.frame.columns.tolist() == ["arc/0"]
    assert said(found, "1 file was skipped", "log-likelihood")
    alone = gl.read_scores(tmp_path, include=["task:wiki"])
    assert alone.frame.to_numpy().tolist() == [[-5.0]]
    assert not said(alone, "skipped")
    assert gl.read_scores(tmp_path, strict=True).frame.shape == (1, 2)
