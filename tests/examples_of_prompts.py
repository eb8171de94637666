"""More logs of other tools, as `examples_of_tools`: prompts, judges, test runs, and plain files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from examples_of_tools import Writer, _lines, dump

from gindex_lab.foundation.output import atomic_path, write_text

__all__ = ["MORE_TOOLS"]


def _lighteval(folder: Path, long: pd.DataFrame) -> None:
    time = "2026-01-02T03-04-05.000006"
    for agent, rows in long.groupby("agent", sort=False):
        means = rows.groupby("family", sort=False)["response"].mean()
        results = {f"{f}|0": {"acc": v, "acc_stderr": 0.1} for f, v in means.items()}
        about = {
            "config_general": {"model_name": agent},
            "results": results | {"all": {"acc": 0.5}},
        }
        dump(folder / "results" / str(agent) / f"results_{time}.json", about)
        for family, some in rows.groupby("family", sort=False):
            where = folder / "details" / str(agent) / time
            where.mkdir(parents=True, exist_ok=True)
            table = [
                {"doc": {"id": row.id, "query": row.item, "choices": ["A", "B"]},
                 "metric": {"acc": int(row.response)}, "model_response": {"text": ["A"]}}
                for row in some.itertuples()
            ]  # fmt: skip
            with atomic_path(where / f"details_{family}|0_{time}.parquet") as new:
                pd.DataFrame(table).to_parquet(new, index=False)


def _lighteval_results(folder: Path, long: pd.DataFrame) -> None:
    _lighteval(folder, long)
    for file in folder.rglob("*.parquet"):
        file.unlink()


def _graded(long: pd.DataFrame) -> list[dict[str, Any]]:
    """Results as promptfoo has them; a repeat is another test with the same variables."""
    tests = {pair: k for k, pair in enumerate(dict.fromkeys(zip(long["item"], long["trial"], strict=True)))}
    return [
        {"promptIdx": 0, "testIdx": tests[row.item, row.trial], "vars": {"question": row.item},
         "testCase": {"vars": {"question": row.item}, "assert": []}, "prompt": {"label": "{{question}}"},
         "provider": {"id": row.agent, "label": ""}, "success": bool(row.response),
         "score": row.response, "namedScores": {}, "latencyMs": 5, "failureReason": 0}
        for row in long.itertuples()
    ]  # fmt: skip


def _promptfoo(folder: Path, long: pd.DataFrame) -> Path:
    results = {"version": 3, "prompts": [], "results": _graded(long), "stats": {"successes": 0}}
    dump(folder / "output.json", {"evalId": "eval-1", "results": results, "config": {}})
    return folder / "output.json"


def _promptfoo_lines(folder: Path, long: pd.DataFrame) -> Path:
    _lines(folder / "output.jsonl", _graded(long))
    return folder / "output.jsonl"


def _promptfoo_yaml(folder: Path, long: pd.DataFrame) -> Path:
    import yaml

    results = {"version": 3, "results": _graded(long), "stats": {}}
    write_text(folder / "output.yaml", yaml.safe_dump({"evalId": "eval-1", "results": results}))
    return folder / "output.yaml"


def _promptfoo_table(folder: Path, long: pd.DataFrame) -> Path:
    agents = list(dict.fromkeys(long["agent"]))
    words = "Status,Score,Named Scores,Grader Reason,Comment"
    lines = [",".join(["question", *(f"[{agent}] prompt,{words}" for agent in agents)])]
    for (item, _), rows in long.groupby(["item", "trial"], sort=False):
        cells = rows.set_index("agent")["response"]
        parts = [f"text,{'PASS' if cells[a] else 'FAIL'},{cells[a]:.2f},,," for a in agents]
        lines.append(",".join([str(item), *parts]))
    write_text(folder / "output.csv", "\n".join(lines) + "\n")
    return folder / "output.csv"


def _openai_evals(folder: Path, long: pd.DataFrame) -> None:
    for (agent, family), rows in long.groupby(["agent", "family"], sort=False):
        spec = {"completion_fns": [agent], "eval_name": family, "base_eval": family, "split": "dev"}
        events = [
            {"run_id": "1", "event_id": k, "sample_id": row.id, "type": "match",
             "data": {"correct": bool(row.response), "expected": "A", "picked": "A"}}
            for k, row in enumerate(rows.itertuples())
        ]  # fmt: skip
        report = {"final_report": {"accuracy": rows["response"].mean()}}
        _lines(folder / f"{agent}_{family}.jsonl", [{"spec": spec}, *events, report])


def _deepeval(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        cases = [
            {"name": f"test_case_{k}", "input": row.item, "success": bool(row.response),
             "metricsData": [{"name": "Answer Relevancy", "score": row.response, "success": True}]}
            for k, row in enumerate(rows.itertuples())
        ]  # fmt: skip
        dump(folder / f"run-{agent}.json", {"testCases": cases, "hyperparameters": {"model": agent}})


def _opencompass(folder: Path, long: pd.DataFrame) -> None:
    for (agent, family), rows in long.groupby(["agent", "family"], sort=False):
        details = {
            row.id: {"pred": "A", "answer": "A", "correct": bool(row.response)} for row in rows.itertuples()
        }
        content = {"accuracy": 100 * rows["response"].mean(), "details": {"type": "GEN"} | details}
        dump(folder / "results" / str(agent) / f"{family}.json", content)


def _opencompass_summary(folder: Path, long: pd.DataFrame) -> Path:
    means = 100 * long.pivot_table("response", "family", "agent", sort=False)
    lines = [",".join(["dataset,version,metric,mode", *map(str, means.columns)])]
    lines.append(",".join(["--- Exam ---,-,-,-", *("-" for _ in means.columns)]))
    lines += [f"{name},abc123,accuracy,gen," + ",".join(map(str, row)) for name, row in
              zip(means.index, means.to_numpy(), strict=True)]  # fmt: skip
    write_text(folder / "summary_20260102.csv", "\n".join(lines) + "\n")
    return folder / "summary_20260102.csv"


def _alpaca_eval(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        notes = [
            {"instruction": row.item, "output_1": "a", "generator_1": "gpt4_turbo", "output_2": "b",
             "generator_2": agent, "dataset": row.family, "annotator": "judge",
             "preference": 1.0 + row.response}
            for row in rows.itertuples()
        ]  # fmt: skip
        dump(folder / "results" / str(agent) / "annotations.json", notes)


def _mt_bench(folder: Path, long: pd.DataFrame) -> None:
    rows = [
        {"question_id": row.item, "model": row.agent, "judge": ["gpt-4", "single-v1"], "user_prompt": "",
         "judgment": "", "score": 10 * row.response, "turn": 1, "tstamp": 1.0}
        for row in long.itertuples()
    ]  # fmt: skip
    _lines(folder / "model_judgment" / "gpt-4_single.jsonl", rows)


def _arena_hard(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        lines = [
            {"uid": row.item, "category": row.family, "judge": "judge", "model": agent, "baseline": "o3",
             "games": [{"score": "B>A" if row.response else "A>>B"}, {"score": "A>B" if row.response else "B>A"}]}
            for row in rows.itertuples()
        ]  # fmt: skip
        _lines(folder / "model_judgment" / "judge" / f"{agent}.jsonl", lines)


def _arc_prize(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        tasks = {row.item: {"score": row.response, "cost": 0.1} for row in rows.itertuples()}
        content = {"score": 100 * rows["response"].mean(), "task_results": tasks}
        dump(folder / str(agent) / "results.json", content)


def _bfcl(folder: Path, long: pd.DataFrame) -> None:
    for (agent, family), rows in long.groupby(["agent", "family"], sort=False):
        right = int(rows["response"].sum())
        head = {"accuracy": right / len(rows), "correct_count": right, "total_count": len(rows)}
        wrong = [
            {"id": row.id, "model_name": agent, "valid": False}
            for row in rows.itertuples()
            if not row.response
        ]
        _lines(folder / "score" / str(agent) / f"BFCL_v3_{family}_score.json", [head, *wrong])


def _per_model(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        lines = [
            {"id": row.id, "family": row.family, "trial": row.trial, "prediction": "A",
             "correct": bool(row.response)}
            for row in rows.itertuples()
        ]  # fmt: skip
        _lines(folder / f"{agent}.jsonl", lines)


def _one_object(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        scores = dict(zip(rows["item"], rows["response"], strict=True))
        dump(folder / str(agent) / "results.json", scores)


MORE_TOOLS: dict[str, Writer] = {
    "lighteval": _lighteval,
    "lighteval results": _lighteval_results,
    "promptfoo": _promptfoo,
    "promptfoo lines": _promptfoo_lines,
    "promptfoo yaml": _promptfoo_yaml,
    "promptfoo table": _promptfoo_table,
    "openai-evals": _openai_evals,
    "deepeval": _deepeval,
    "opencompass": _opencompass,
    "opencompass summary": _opencompass_summary,
    "alpaca-eval": _alpaca_eval,
    "mt-bench": _mt_bench,
    "arena-hard": _arena_hard,
    "arc-prize": _arc_prize,
    "bfcl": _bfcl,
    "per-model": _per_model,
    "per-model objects": _one_object,
}
