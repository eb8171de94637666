"""What the readers of other tools decide: headlines, directions, identities, repeats, facts of items."""

import json

import numpy as np
import pandas as pd
import pytest
from loops import looped
from refusals import refused

import gindex_lab as gl
from gindex_lab.studies.readers.examples import simulated_runs, write_example


def dump(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def lines(path, *rows):
    return dump(path, "".join(json.dumps(row) + "\n" for row in rows))


def said(found):
    return " | ".join(found.notes)


# -- every_eval_ever, MTEB ---------------------------------------------------------------------------


def result(name, score, **metric):
    return {
        "evaluation_name": name,
        "source_data": {"dataset_name": name},
        "metric_config": metric,
        "score_details": {"score": score},
    }


def test_the_scale_and_the_direction_of_a_result_are_those_of_the_log(tmp_path):
    for model, points, errors in (("a", 80, 2.0), ("b", 40, 6.0)):
        rows = [
            result("exam", points, min_score=0, max_score=100, lower_is_better=False),
            result("slips", errors, min_score=0, max_score=8, lower_is_better=True),
        ]
        dump(tmp_path / f"{model}.json", {"model_info": {"id": model}, "evaluation_results": rows})
    found = gl.read(tmp_path)
    assert found.frame.loc["a"].tolist() == [0.8, 0.75]
    assert found.frame.loc["b"].tolist() == [0.4, 0.25]
    assert "'slips' is better when smaller" in said(found)
    assert "4 scores were put on [0, 1]" in said(found)


def test_of_several_metrics_of_a_sample_one_is_read(tmp_path):
    line = {
        "model_id": "m",
        "evaluation_name": "qa",
        "sample_id": "1",
        "input": {"raw": "?", "reference": ["A"]},
    }
    rows = [
        line | {"evaluation_result_id": k, "evaluation": {"score": v}}
        for k, v in (("qa/em", 0.0), ("qa/f1", 0.5))
    ]
    lines(tmp_path / "u_samples.jsonl", *rows)
    assert gl.read(tmp_path).frame.iloc[0, 0] == 0.0
    assert gl.read(tmp_path, metric="qa/f1").frame.iloc[0, 0] == 0.5


def test_samples_of_one_id_with_other_answers_are_other_items(tmp_path):
    for model, answer in (("a", "4"), ("b", "5")):
        row = {
            "model_id": model,
            "evaluation_name": "qa",
            "sample_id": "1",
            "evaluation": {"score": 1.0},
        }
        lines(
            tmp_path / f"{model}_samples.jsonl",
            row | {"input": {"raw": "?", "reference": [answer]}},
        )
    found = gl.read(tmp_path)
    assert found.shape == (2, 2)
    assert "kept apart" in said(found)


def mteb(folder, model, revision, task, **splits):
    scores = {
        split: [{"main_score": v, "hf_subset": k} for k, v in some.items()] for split, some in splits.items()
    }
    content = {"task_name": task, "mteb_version": "2.0", "dataset_revision": "1", "scores": scores}
    return dump(folder / model / revision / f"{task}.json", content)


def test_subsets_are_items_and_test_is_the_split(tmp_path):
    mteb(tmp_path, "org__a", "r1", "STS", test={"en": 0.8, "de": 0.4}, validation={"en": 0.1})
    mteb(tmp_path, "org__b", "r1", "STS", test={"en": 0.6})
    found = gl.read(tmp_path)
    assert found.frame.loc["org/a"].to_dict() == {"STS/test/en": 0.8, "STS/test/de": 0.4}
    assert np.isnan(found.frame.loc["org/b", "STS/test/de"])
    assert "'validation' of 1 files" in said(found)
    with refused("filter: missing-field"):
        gl.read(tmp_path, filter="validation")


def test_revisions_that_ran_the_same_task_are_agents_of_their_own(tmp_path):
    mteb(tmp_path, "org__a", "r1", "STS", test={"default": 0.8})
    mteb(tmp_path, "org__a", "r2", "STS", test={"default": 0.7})
    assert list(gl.read(tmp_path).frame.index) == ["org/a (r1)", "org/a (r2)"]


# -- agents that act -----------------------------------------------------------------------------------


def test_a_run_of_terminal_bench_is_counted_once_and_no_verdict_is_a_failure(tmp_path):
    trials = [
        {"task_id": "t", "trial_name": f"t.{k}-of-2", "is_resolved": v, "parser_results": None}
        for k, v in ((1, True), (2, None))
    ]
    run = tmp_path / "2026-run"
    dump(run / "results.json", {"results": trials, "accuracy": 0.5})
    for trial in trials:
        dump(run / "t" / trial["trial_name"] / "results.json", trial)
    found = gl.read(tmp_path)
    assert found.frame.to_dict() == {"t": {"2026-run": 0.5}}
    assert len(found.trials) == 2
    assert "1 trials without a verdict" in said(found)
    assert "called after folders" in said(found)


def test_a_broken_trial_of_harbor_counts_as_in_its_mean(tmp_path):
    about = {"agent_info": {"name": "terminus", "model_info": {"name": "m"}}, "task_name": "t"}
    reward = {"verifier_result": {"rewards": {"reward": 1.0}}, "exception_info": None}
    broken = {"verifier_result": None, "exception_info": {"exception_type": "AgentTimeoutError"}}
    dump(tmp_path / "job" / "t__1" / "result.json", about | reward | {"trial_name": "t__1"})
    dump(tmp_path / "job" / "t__2" / "result.json", about | broken | {"trial_name": "t__2"})
    found = gl.read(tmp_path)
    assert found.frame.to_dict() == {"t": {"m (terminus)": 0.5}}
    assert "1 trials without a reward count as failed" in said(found)


def test_tasks_of_two_domains_with_one_number_stay_apart(tmp_path):
    for domain in ("retail", "airline"):
        info = {"task": {"instruction": f"a wish in {domain}"}}
        name = f"tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_{len(domain)}.json"
        dump(
            tmp_path / domain / name,
            [{"task_id": 0, "reward": 1.0, "info": info, "traj": [], "trial": 0}],
        )
    found = gl.read(tmp_path)
    assert found.shape == (1, 2)
    assert list(found.frame.index) == ["gpt-4o (tool-calling)"]
    assert "1 items have the name of another item" in said(found)


def test_the_leaderboard_of_swe_bench_lists_what_was_resolved(tmp_path):
    for name, solved in (("a", ["d__d-1", "d__d-2"]), ("b", ["d__d-2"])):
        content = {"resolved": solved, "no_generation": ["d__d-3"], "no_logs": []}
        dump(tmp_path / f"2026_{name}" / "results" / "results.json", content)
    found = gl.read(tmp_path)
    assert found.frame.loc["2026_b"].tolist() == [0.0, 1.0, 0.0]
    assert set(found.family) == {"d/d"}
    assert "divides by the whole split" in said(found)


def test_what_was_never_submitted_is_missing_and_an_error_is_a_failure(tmp_path):
    report = {
        "submitted_ids": ["d__d-1", "d__d-2"], "resolved_ids": ["d__d-1"], "error_ids": ["d__d-2"],
        "incomplete_ids": ["d__d-3"], "schema_version": 2,
    }  # fmt: skip
    found = gl.read(dump(tmp_path / "org__m.run1.json", report))
    assert found.frame.loc["org/m.run1"].tolist() == [1.0, 0.0]
    assert "1 instances with an empty patch or an error count as failed" in said(found)
    assert "1 instances were never submitted" in said(found)


def test_minutes_and_weights_of_runs_go_with_the_items(tmp_path):
    row = {"task_family": "f", "alias": "m", "score_binarized": 1}
    rows = [
        row | {"task_id": task, "human_minutes": minutes, "equal_task_weight": weight}  # of a run
        for task, minutes, weight in (("f/1", 4, 0.5), ("f/2", 30, 0.25), ("f/2", 30, 0.25))
    ]
    found = gl.read(lines(tmp_path / "runs.jsonl", *rows, rows[0] | {"alias": "human"}))
    assert found.items["minutes"].tolist() == [4, 30]
    assert found.items["weight"].tolist() == [0.5, 0.5]
    assert list(found.frame) == ["f/1", "f/2"]
    assert "several values" not in said(found)
    assert "'human' is an agent too" in said(found)


# -- code ----------------------------------------------------------------------------------------------


def test_passing_the_new_tests_means_passing_the_old_ones_too(tmp_path):
    status = [("pass", "pass"), ("fail", "pass"), ("pass", "fail")]
    tasks = {f"HumanEval/{k}": [{"base_status": b, "plus_status": p}] for k, (b, p) in enumerate(status)}
    file = dump(tmp_path / "org__m_eval_results.json", {"eval": tasks})
    assert gl.read(file).frame.loc["org/m"].tolist() == [1.0, 0.0, 0.0]
    assert gl.read(file, metric="base").frame.loc["org/m"].tolist() == [1.0, 0.0, 1.0]
    older = {"HumanEval/0": {"nfiles": 1, "base": [["success", []]], "plus": [["failed", []]]}}
    assert gl.read(dump(tmp_path / "old_eval_results.json", {"eval": older})).frame.iloc[0, 0] == 0.0


def test_problems_have_levels_and_dates(tmp_path):
    row = {
        "platform": "leetcode",
        "contest_date": "2026-03-01T00:00:00",
        "graded_list": [True, False],
    }
    rows = [row | {"question_id": str(k), "difficulty": d} for k, d in enumerate(("easy", "hard"))]
    found = gl.read(dump(tmp_path / "output" / "m" / "Scenario.codegeneration_2_0.2_eval_all.json", rows))
    assert found.difficulty.tolist() == [1, 3]
    assert found.items["date"].tolist() == ["2026-03-01"] * 2
    assert found.frame.iloc[0].tolist() == [0.5, 0.5]


# -- prompts and judges ----------------------------------------------------------------------------------


def foo(provider, question, success, **more):
    return {
        "provider": {"id": provider}, "vars": {"q": question}, "success": success, "score": float(success),
        "namedScores": {}, "latencyMs": 1, "prompt": {"label": "p"},
    } | more  # fmt: skip


def test_errors_of_promptfoo_count_as_in_its_pass_rate(tmp_path):
    rows = [
        foo("a", "1", True),
        foo("a", "2", False, failureReason=2),
        foo("b", "1", False, failureReason=1),
    ]
    found = gl.read(lines(tmp_path / "out.jsonl", *rows))
    assert found.frame.loc["a"].tolist() == [1.0, 0.0]
    assert "1 results that ended in an error count as failed" in said(found)


def test_older_tables_of_promptfoo_tell_verdicts_in_their_cells(tmp_path):
    text = 'q,[openai:gpt-4] p\none,"[PASS] (1.00) yes"\ntwo,"[FAIL] (0.25) no"\n'
    found = gl.read(dump(tmp_path / "out.csv", text))
    assert found.frame.loc["openai:gpt-4"].tolist() == [1.0, 0.0]
    assert gl.read(tmp_path / "out.csv", metric="score").frame.iloc[0].tolist() == [1.0, 0.25]


def test_a_toxicity_of_deepeval_is_turned_round(tmp_path):
    data = [{"name": "Toxicity", "score": 0.25, "success": True}]
    case = {"name": "t", "input": "i", "success": True, "metricsData": data}
    file = dump(tmp_path / "run.json", {"testCases": [case]})
    assert gl.read(file).frame.to_dict() == {"t": {"run": 1.0}}
    assert gl.read(file, metric="Toxicity").frame.iloc[0, 0] == 0.75


def test_a_draw_is_a_half_and_two_references_are_two_families(tmp_path):
    row = {"instruction": "i", "generator_1": "r", "generator_2": "m", "dataset": "d"}
    rows = [row | {"preference": 0}, row | {"generator_1": "s", "preference": 1.75}]
    found = gl.read(dump(tmp_path / "annotations.json", rows))
    assert found.frame.iloc[0].tolist() == [0.5, 0.75]
    assert set(found.family) == {"d against r", "d against s"}


def test_an_item_of_an_arena_is_an_opponent(tmp_path):
    rows = [
        ("a", "b", "model_a"),
        ("b", "a", "tie"),
        ("a", "c", "model_b"),
        ("b", "c", "tie (bothbad)"),
    ]
    table = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])
    file = tmp_path / "battles.csv"
    table.to_csv(file, index=False)
    found = gl.read(file)
    assert found.frame.loc["a", "against b"] == 0.75
    assert found.frame.loc["b", "against a"] == 0.25
    assert np.isnan(found.frame.loc["a", "against a"])
    assert "not the Elo" in said(found)


# -- plain files and tables of other programs ------------------------------------------------------------


def test_a_file_per_model_is_named_by_file_or_folder(tmp_path):
    for model in ("x", "y"):
        lines(tmp_path / "flat" / f"{model}.jsonl", {"id": 1, "correct": True})
        lines(tmp_path / "deep" / model / "results.jsonl", {"id": 1, "correct": True})
    for where, word in (("flat", "file"), ("deep", "folder")):
        found = gl.read(tmp_path / where)
        assert list(found.frame.index) == ["x", "y"]
        assert f"called after its {word}" in said(found)


def test_a_question_of_other_wording_is_another_item(tmp_path):
    for model, question in (("x", "2+2?"), ("y", "3+3?")):
        lines(tmp_path / f"{model}.jsonl", {"id": 1, "question": question, "correct": True})
    assert gl.read(tmp_path).shape == (2, 2)


@pytest.mark.parametrize("suffix", [".xlsx", ".sav", ".rds", ".rda", ".yaml", ".json"])
def test_a_wide_table_of_another_program_is_the_same_table(suffix, tmp_path):
    import pyreadstat
    import rdata
    import yaml

    table = pd.DataFrame({"model": ["a", "b"], "q1": [1.0, 0.0], "q2": [0.5, np.nan]})
    plain = table.astype({"model": object})
    file = tmp_path / f"scores{suffix}"
    records = table.astype(object).where(table.notna(), None).to_dict("records")
    {
        ".xlsx": lambda: table.to_excel(file, index=False),
        ".sav": lambda: pyreadstat.write_sav(table, str(file)),
        ".rds": lambda: rdata.write_rds(file, plain),
        ".rda": lambda: rdata.write_rda(file, {"scores": plain}),
        ".yaml": lambda: file.write_text(yaml.safe_dump(records)),
        ".json": lambda: file.write_text(json.dumps(records)),
    }[suffix]()
    found = gl.read(file)
    expected = table.set_index("model")
    pd.testing.assert_frame_equal(found.frame, expected, check_names=False, check_index_type=False)


def test_persons_without_names_are_called_after_their_rows(tmp_path):
    import pyreadstat

    table = pd.DataFrame({"q1": [1.0, 0.0, 1.0], "q2": [0.0, 0.0, 1.0]})
    pyreadstat.write_sav(table, str(tmp_path / "test.sav"))
    found = gl.read(tmp_path / "test.sav")
    assert list(found.frame.index) == ["row 1", "row 2", "row 3"]
    assert found.frame["q1"].tolist() == [1, 0, 1]
    assert "called after their rows" in said(found)


def test_two_data_frames_are_not_guessed_at(tmp_path):
    import rdata

    table = pd.DataFrame({"q1": [1.0], "q2": [0.0]})
    rdata.write_rda(tmp_path / "two.rda", {"a": table, "b": table})
    with refused("path: not-a-table") as error:
        gl.read(tmp_path / "two.rda")
    assert error.value.code == "not-a-table"


def test_counts_and_costs_of_a_leaderboard_are_no_items(tmp_path):
    rows = [
        f"- {{model: m{k}, pass_rate_1: {50 + k}, test_cases: 133, error_outputs: 2, total_cost: 1.5, date: 2026-01-0{k}}}"
        for k in (1, 2)
    ]
    found = gl.read(dump(tmp_path / "board.yml", "\n".join(rows)), scale=(0, 100))
    assert list(found.frame) == ["pass_rate_1"]
    assert found.agents["total_cost"].tolist() == [1.5, 1.5]


def test_the_errors_of_a_win_rate_are_no_item(tmp_path):
    text = ",win_rate,standard_error,n_wins,n_total,avg_length\na,50.1,1.2,400,805,1800\nb,20.1,1.1,160,805,1500\n"
    assert list(gl.read_scores(dump(tmp_path / "leaderboard.csv", text)).frame) == ["win_rate"]


def test_files_of_one_name_in_several_folders_are_not_guessed_at(tmp_path):
    for place in ("arc", "gsm"):
        for model in ("x", "y"):
            lines(tmp_path / place / f"{model}.jsonl", {"id": 1, "correct": model == "x"})
    with refused("path: ambiguous-agent") as error:
        gl.read(tmp_path)
    assert error.value.code == "ambiguous-agent"
    found = gl.read(tmp_path, agent_from="file")
    assert found.frame.to_dict() == {"arc/1": {"x": 1.0, "y": 0.0}, "gsm/1": {"x": 1.0, "y": 0.0}}
    assert list(gl.read(tmp_path, agent_from="folder").frame.index) == ["arc", "gsm"]


def test_settings_in_yaml_are_no_table(tmp_path):
    file = dump(tmp_path / "promptfoo.yml", "providers: [a, b]\ntests:\n- {vars: {q: 1}, weight: 2}\n")
    with refused("path: unknown-format"):
        gl.read(file)


# -- real logs -------------------------------------------------------------------------------------------


def the_pass_rate_of_a_real_promptfoo_export(logs):
    file = logs / "promptfoo" / "sample-export.json"
    results = json.loads(file.read_text())["results"]
    found, scores = gl.read(file), gl.read(file, metric="score")
    assert found.frame.to_numpy().sum() == results["stats"]["successes"]
    for prompt in results["prompts"]:
        row = scores.frame.loc[prompt["provider"]]
        assert row.sum() == pytest.approx(prompt["metrics"]["score"])


def real_trials_of_terminal_bench(logs):
    files = list((logs / "terminal_bench").rglob("results.json"))
    solved = [bool(json.loads(file.read_text())["is_resolved"]) for file in files]
    found = gl.read(logs / "terminal_bench")
    assert found.frame.mean(axis=1).item() == pytest.approx(np.mean(solved))


def main_scores_of_real_mteb_results(logs):
    found = gl.read(logs / "mteb")
    for file in (logs / "mteb").rglob("*.json"):
        content = json.loads(file.read_text())
        split = content["scores"].get("test") or next(iter(content["scores"].values()))
        model = file.parent.parent.name.replace("__", "/", 1)
        items = found.items.index[found.family == content["task_name"]]
        mean = np.mean([one["main_score"] for one in split])
        agent = next(a for a in found.frame.index if a == model or a.startswith(f"{model} ("))
        assert found.frame.loc[agent, items].mean() == pytest.approx(mean)


def real_results_of_every_eval_ever(logs):
    file = next((logs / "every_eval_ever").glob("98ea*.json"))
    scores = [r["score_details"]["score"] for r in json.loads(file.read_text())["evaluation_results"]]
    assert gl.read(file).frame.iloc[0].tolist() == pytest.approx(scores)


def a_real_yaml_leaderboard_keeps_its_rates(logs):
    found = gl.read(logs / "aider" / "refactor_leaderboard.yml", scale=(0, 100))
    assert list(found.frame) == ["pass_rate_1", "percent_cases_well_formed"]


@pytest.mark.shared
@looped(
    "check",
    [
        the_pass_rate_of_a_real_promptfoo_export,
        real_trials_of_terminal_bench,
        main_scores_of_real_mteb_results,
        real_results_of_every_eval_ever,
        a_real_yaml_leaderboard_keeps_its_rates,
    ],
)
def test_real_files_keep_what_they_state(shared, check):
    check(shared / "logs")


def test_the_items_of_the_example_runs_have_their_minutes(tmp_path):
    found = gl.read(write_example(tmp_path, "metr", simulated_runs(agents=2, items=3)))
    assert sorted(set(found.items["minutes"])) == [2.0, 4.0, 8.0]
