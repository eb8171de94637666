"""Damaged, empty and mistyped logs of every tool: one error of ours, by argument, code and words."""

import json

import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.studies.readers.formats import READERS

SAMPLE = {"model_id": "m", "evaluation_name": "e", "sample_id": "1", "evaluation": {"score": 1.0}}
RESULT = {"evaluation_name": "e", "score_details": {"score": 1}, "metric_config": {}}
EEE = {"schema_version": "0.3.0", "model_info": {"id": "m"}, "evaluation_results": [RESULT]}
TRIAL = {"task_id": "t", "trial_name": "t.1-of-1", "is_resolved": True, "parser_results": {}}
HARBOR = {
    "task_name": "t", "trial_name": "t__1", "agent_info": {"name": "a"},
    "verifier_result": {"rewards": {"reward": 1.0}},
}  # fmt: skip
TAU = {"task_id": 1, "reward": 1.0, "info": {}, "traj": []}
TAU2 = {
    "info": {"agent_info": {"llm": "m"}},
    "tasks": [],
    "simulations": [{"task_id": "1", "reward_info": {"reward": 1}}],
}
SWE = {"submitted_ids": ["a__b-1"], "resolved_ids": ["a__b-1"], "schema_version": 2}
MTEB = {"task_name": "STS", "mteb_version": "2", "scores": {"test": [{"main_score": 0.5}]}}
PLUS = {"eval": {"HumanEval/0": [{"task_id": "HumanEval/0", "base_status": "pass", "plus_status": "pass"}]}}
LIVE = {"question_id": "q", "graded_list": [True]}
METR = {"task_id": "t", "alias": "m", "score_binarized": 1}
LIGHT = {"config_general": {"model_name": "m"}, "results": {"arc|0": {"acc": 0.5}}}
FOO = {
    "vars": {"q": "1"}, "provider": {"id": "p"}, "success": True, "score": 1, "namedScores": {}, "latencyMs": 1,
}  # fmt: skip
EVALS = [
    {"spec": {"completion_fns": ["m"], "eval_name": "e"}},
    {"type": "match", "sample_id": "1", "data": {"correct": True}},
]
DEEP = {
    "testCases": [{"name": "t", "input": "i", "success": True, "metricsData": [{"name": "n", "score": 1}]}]
}
COMPASS = {"accuracy": 100, "details": {"0": {"pred": "A", "answer": "A", "correct": True}}}
ALPACA = {"instruction": "i", "generator_1": "r", "generator_2": "m", "preference": 1.5}
BATTLE = {"model_a": "a", "model_b": "b", "winner": "tie"}
JUDGED = {
    "question_id": 81, "model": "m", "judge": ["j", "v"], "judgment": "", "score": 7, "turn": 1,
}  # fmt: skip
HARD = {"uid": "q", "judge": "j", "model": "m", "games": [{"score": "A>B"}, {"score": "A=B"}]}
ARC = {"score": 100.0, "task_results": {"t": {"score": 1.0}}}
BFCL = {"accuracy": 0.5, "correct_count": 1, "total_count": 2}
PLAIN = {"id": 1, "correct": True}
CUT = "the tool stopped here"


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def cut(content):
    """A document that ends in the middle, as a stopped run leaves it."""
    return json.dumps(content)[:-3]


# format, file, content, code, what the message says
CASES = [
    ("every-eval-ever", "a.json", cut(EEE), "not-json", "path: not-json"),
    ("every-eval-ever", "a.json", EEE | {"evaluation_results": []}, "empty", "path: empty"),
    ("every-eval-ever", "a.json", EEE | {"model_info": {}}, "missing-field", "path: missing-field"),
    ("every-eval-ever", "a.json", EEE | {"evaluation_results": [RESULT | {"score_details": 7}]}, "wrong-type", "path: wrong-type"),
    ("every-eval-ever", "a_samples.jsonl", lines(SAMPLE | {"evaluation": {"score": "good"}}), "wrong-type", "path: wrong-type"),
    ("every-eval-ever", "a_samples.jsonl", lines(SAMPLE, {"a": 1}), "missing-field", "path: missing-field"),
    ("terminal-bench", "results.json", cut(TRIAL), "not-json", "path: not-json"),
    ("terminal-bench", "results.json", TRIAL | {"is_resolved": "maybe"}, "wrong-type", "path: wrong-type"),
    ("terminal-bench", "results.json", TRIAL | {"task_id": 4}, "wrong-type", "path: wrong-type"),
    ("terminal-bench", "results.json", {"results": [TRIAL, {"task_id": "t"}]}, "wrong-type", "path: wrong-type"),
    ("harbor", "result.json", cut(HARBOR), "not-json", "path: not-json"),
    ("harbor", "result.json", {"n_total_trials": 3, "stats": {}}, "no-samples", "path: no-samples"),
    ("harbor", "result.json", HARBOR | {"agent_info": {}}, "wrong-type", "path: wrong-type"),
    ("harbor", "result.json", HARBOR | {"verifier_result": {"rewards": {"reward": "one"}}}, "wrong-type", "path: wrong-type"),
    ("tau-bench", "a.json", cut([TAU]), "not-json", "path: not-json"),
    ("tau-bench", "a.json", [TAU, {"task_id": 2}], "wrong-type", "path: wrong-type"),
    ("tau-bench", "a.json", [TAU | {"reward": []}], "wrong-type", "path: wrong-type"),
    ("tau-bench", "a.json", TAU2 | {"info": 3}, "wrong-type", "path: wrong-type"),
    ("tau-bench", "a.json", TAU2 | {"info": {"agent_info": {}}}, "wrong-type", "path: wrong-type"),
    ("swe-bench", "a.json", cut(SWE), "not-json", "path: not-json"),
    ("swe-bench", "a.json", SWE | {"resolved_ids": [], "submitted_ids": []}, "empty", "path: empty"),
    ("swe-bench", "a.json", SWE | {"error_ids": [4]}, "wrong-type", "path: wrong-type"),
    ("swe-bench", "report.json", {"a__b-1": {"resolved": "yes", "patch_successfully_applied": True}}, "wrong-type", "path: wrong-type"),
    ("mteb", "a.json", cut(MTEB), "not-json", "path: not-json"),
    ("mteb", "a.json", MTEB | {"scores": {}}, "empty", "path: empty"),
    ("mteb", "a.json", MTEB | {"scores": {"test": [{"main_score": "high"}]}}, "wrong-type", "path: wrong-type"),
    ("mteb", "a.json", MTEB | {"scores": {"test": [{"ndcg": 1}]}}, "missing-field", "path: missing-field"),
    ("evalplus", "a.json", cut(PLUS), "not-json", "path: not-json"),
    ("evalplus", "a.json", {"eval": {"HumanEval/0": PLUS["eval"]["HumanEval/0"], "HumanEval/1": 4}}, "wrong-type", "path: wrong-type"),
    ("evalplus", "a.json", {"eval": {"a/0": [{"task_id": "a", "status": 4}]}}, "wrong-type", "path: wrong-type"),
    ("livecodebench", "a.json", cut([LIVE, LIVE]), "not-json", "path: not-json"),
    ("livecodebench", "a.json", [LIVE, {"question_id": "q2"}], "wrong-type", "path: wrong-type"),
    ("livecodebench", "a.json", [LIVE | {"graded_list": ["yes"]}], "wrong-type", "path: wrong-type"),
    ("metr", "runs.jsonl", lines(METR) + "{cut\n" + lines(METR), "not-json", "path: not-json"),
    ("metr", "runs.jsonl", lines(METR, {"task_id": "t", "score_binarized": 1}), "missing-field", "path: missing-field"),
    ("metr", "runs.jsonl", lines(METR | {"score_binarized": "maybe"}), "wrong-type", "path: wrong-type"),
    ("lighteval", "a.json", cut(LIGHT), "not-json", "path: not-json"),
    ("lighteval", "a.json", LIGHT | {"config_general": {}}, "missing-field", "path: missing-field"),
    ("lighteval", "a.json", LIGHT | {"results": {"all": {"acc": 1}}}, "empty", "path: empty"),
    ("lighteval", "a.parquet", b"PAR1 and no more", "damaged", "path: damaged"),
    ("lighteval", "a.parquet", pd.DataFrame({"doc": [{"id": "1"}], "metric": ["-"], "model_response": ["x"]}), "wrong-type", "path: wrong-type"),
    ("promptfoo", "a.json", cut({"config": {}, "results": [FOO]}), "not-json", "path: not-json"),
    ("promptfoo", "a.json", {"results": {"version": 3, "results": []}}, "empty", "path: empty"),
    ("promptfoo", "a.jsonl", lines(FOO, FOO | {"success": "maybe"}), "wrong-type", "path: wrong-type"),
    ("promptfoo", "a.jsonl", lines(FOO, FOO | {"provider": None}), "wrong-type", "path: wrong-type"),
    ("promptfoo", "a.csv", "q,[p] x,Status,Score,Named Scores,Grader Reason\n1,t,PASS\n", "wrong-type", "path: wrong-type"),
    ("promptfoo", "a.yaml", "results: {version: 3, results: [}", "not-yaml", "path: not-yaml"),
    ("openai-evals", "a.jsonl", lines(EVALS[0]), "empty", "path: empty"),
    ("openai-evals", "a.jsonl", lines({"spec": EVALS[0]["spec"] | {"completion_fns": []}}, EVALS[1]), "missing-field", "path: missing-field"),
    ("openai-evals", "a.jsonl", lines(EVALS[0], EVALS[1] | {"data": {"correct": "maybe"}}), "wrong-type", "path: wrong-type"),
    ("deepeval", "a.json", cut(DEEP), "not-json", "path: not-json"),
    ("deepeval", "a.json", {"testCases": [*DEEP["testCases"], {"metricsData": 1}]}, "wrong-type", "path: wrong-type"),
    ("deepeval", "a.json", {"testCases": [DEEP["testCases"][0] | {"success": "maybe"}]}, "wrong-type", "path: wrong-type"),
    ("opencompass", "a.json", cut(COMPASS), "not-json", "path: not-json"),
    ("opencompass", "a.json", {"details": {"0": {"pred": "A", "answer": "A"}}}, "wrong-type", "path: wrong-type"),
    ("opencompass", "a.csv", "dataset,version,metric,mode,m\narc,1,accuracy,gen,good\n", "wrong-type", "path: wrong-type"),
    ("opencompass", "a.csv", "dataset,version,metric,mode,m\n", "empty", "path: empty"),
    ("alpaca-eval", "a.json", cut([ALPACA, ALPACA]), "not-json", "path: not-json"),
    ("alpaca-eval", "a.json", [ALPACA | {"preference": 7}], "out-of-range", "path: out-of-range"),
    ("alpaca-eval", "a.json", [ALPACA, ALPACA | {"generator_2": None}], "missing-field", "path: missing-field"),
    ("mt-bench", "a.jsonl", lines(JUDGED, JUDGED | {"model": ""}), "missing-field", "path: missing-field"),
    ("mt-bench", "a.jsonl", lines(JUDGED, JUDGED | {"score": "high"}), "wrong-type", "path: wrong-type"),
    ("arena-hard", "a.jsonl", lines(HARD, HARD | {"model": ""}), "missing-field", "path: missing-field"),
    ("arena-hard", "a.jsonl", lines(HARD | {"games": []}), "wrong-type", "path: wrong-type"),
    ("arena-hard", "a.jsonl", lines(HARD | {"games": [None, {"score": "A>C"}]}), "not-an-option", "path: not-an-option"),
    ("arc-prize", "results.json", json.dumps(ARC | {"task_results": {"t": {"score": "?"}}}), "wrong-type", "path: wrong-type"),
    ("arc-prize", "results.json", json.dumps(ARC)[:-1], "not-json", "path: not-json"),
    ("arc-prize", "results.json", json.dumps(ARC | {"task_results": {"t": {"score": [1]}}}), "wrong-type", "path: wrong-type"),
    ("bfcl", "a_score.json", lines(BFCL | {"accuracy": "high"}, {"id": 1}), "wrong-type", "path: wrong-type"),
    ("bfcl", "a_score.json", lines(BFCL | {"accuracy": 0.9, "total_count": 20}, {"id": 1}), "wrong-type", "path: wrong-type"),
    ("bfcl", "a_score.json", lines(BFCL | {"total_count": None}, {"id": 1}), "wrong-type", "path: wrong-type"),
    ("mt-bench", "a.jsonl", lines(JUDGED, JUDGED), "repeats", "path: repeats"),
    ("arena", "a.jsonl", lines(BATTLE, BATTLE | {"winner": "me"}), "not-an-option", "path: not-an-option"),
    ("arena", "a.jsonl", lines(BATTLE, {"model_a": "a", "winner": "tie"}), "missing-field", "path: missing-field"),
    ("arena", "a.json", cut([BATTLE, BATTLE]), "not-json", "path: not-json"),
    ("per-model", "a.jsonl", lines(PLAIN) + "{cut\n" + lines(PLAIN), "not-json", "path: not-json"),
    ("per-model", "a.jsonl", lines(PLAIN, {"id": 2}), "missing-field", "path: missing-field"),
    ("per-model", "a.jsonl", lines(PLAIN, {"id": 2, "correct": "B"}), "wrong-type", "path: wrong-type"),
    ("per-model", "a.jsonl", lines(PLAIN, {"id": None, "correct": True}), "missing-field", "path: missing-field"),
    ("wide", "a.xlsx", b"PK but no workbook", "damaged", "path: damaged"),
    ("wide", "a.sav", b"$FL2 and no more", "damaged", "path: damaged"),
    ("wide", "a.rds", b"X\nno R data", "damaged", "path: damaged"),
    ("wide", "a.yaml", "- {model: a, x: 1}\n- {model: [", "not-yaml", "path: not-yaml"),
    ("wide", "a.yaml", "a: &a [1, 1]\nb: &b [*a, *a]\n" + "".join(f"c{k}: &c{k} [*{p}, *{p}, *{p}, *{p}, *{p}, *{p}, *{p}, *{p}, *{p}]\n" for k, p in [(0, "b"), *((k, f"c{k - 1}") for k in range(1, 9))]), "too-many-cells", "path: too-many-cells"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[f"{c[0]}: {c[4][:30]}" for c in CASES])
def test_a_bad_log_is_refused_in_words(case, tmp_path):
    name, file, content, code, message = case
    path = tmp_path / file
    if isinstance(content, pd.DataFrame):
        content.to_parquet(path)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    with refused(message) as error:
        gl.read(path, format=name)
    assert error.value.code == code
    assert error.value.argument == "path"


def test_every_tool_has_three_bad_inputs():
    from gindex_lab.studies.readers.formats import FORMATS

    older = {"lm-eval", "inspect", "helm", "leaderboard", "irw", "long", "wide", "tidy"}
    counts = pd.Series([case[0] for case in CASES]).value_counts()
    assert (counts.reindex(sorted(set(FORMATS) - older)).fillna(0) >= 3).all()


FORCED = [json.dumps(one) for one in ([1], [], [{}], {}, None, "text", {"a": "b"}, {"results": [1]})]
FORCED += [json.dumps(one) for one in ({"eval": "a"}, {"details": [1]}, {"samples": 1, "eval": {}})]
FORCED += ["", "PK\3\4", "a,b\n1,\n", '"[p] x",Status,Score\na,PASS,b\n', "model,a\nm,x\n", "- a\n"]
ENDINGS = (".json", ".jsonl", ".csv", ".tab", ".yaml", ".eval", ".txt", "")


@pytest.mark.parametrize("kind", READERS)
def test_a_format_forced_on_another_file_is_one_error_of_ours(kind, tmp_path):
    for number, content in enumerate(FORCED):
        for ending in ENDINGS:
            (tmp_path / f"{number}{ending}").write_text(content)
            with pytest.raises(gl.BadInput):
                gl.read(tmp_path / f"{number}{ending}", format=kind, metric=["score", "success"][number % 2])
