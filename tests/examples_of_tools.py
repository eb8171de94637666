"""The simulated runs as the logs of further tools: a small writer per format, after the tool's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from gindex_lab.foundation.output import atomic_path, write_text

__all__ = ["TOOLS", "Writer", "dump"]

Writer = Callable[[Path, pd.DataFrame], Path | None]


def dump(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(content, ensure_ascii=False))


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _every_eval_ever(folder: Path, long: pd.DataFrame) -> None:
    for k, (agent, rows) in enumerate(long.groupby("agent", sort=False)):
        where, uuid = folder / "data" / "study" / str(agent), f"00000000-0000-4000-8000-{k:012d}"
        about = {"schema_version": "0.3.0", "evaluation_id": f"study/{agent}/1"}
        means = rows.groupby("family", sort=False)["response"].mean()
        results = [
            {"evaluation_name": family, "source_data": {"dataset_name": family},
             "metric_config": {"lower_is_better": False, "min_score": 0.0, "max_score": 1.0},
             "score_details": {"score": mean}}
            for family, mean in means.items()
        ]  # fmt: skip
        info = {"name": agent, "id": agent}
        dump(where / f"{uuid}.json", about | {"model_info": info, "evaluation_results": results})
        samples = [
            about | {"model_id": agent, "evaluation_name": row.family, "sample_id": row.id,
             "interaction_type": "single_turn", "input": {"raw": row.item, "reference": ["A"]},
             "answer_attribution": [], "evaluation": {"score": row.response, "is_correct": False}}
            for row in rows.itertuples()
        ]  # fmt: skip
        _lines(where / f"{uuid}_samples.jsonl", samples)


def _every_eval_results(folder: Path, long: pd.DataFrame) -> None:
    _every_eval_ever(folder, long)
    for file in folder.rglob("*_samples.jsonl"):
        file.unlink()


def _terminal_bench(folder: Path, long: pd.DataFrame) -> None:
    for (agent, family), rows in long.groupby(["agent", "family"], sort=False):
        run = folder / "runs" / f"{agent}-{family}"
        dump(run / "run_metadata.json", {"model_name": agent, "dataset_name": family})
        attempts = rows["trial"].nunique()
        trials = [
            {"trial_name": f"{row.id}.{row.trial}-of-{attempts}", "task_id": row.id,
             "is_resolved": bool(row.response), "failure_mode": "unset", "parser_results": {}}
            for row in rows.itertuples()
        ]  # fmt: skip
        dump(run / "results.json", {"results": trials, "accuracy": rows["response"].mean()})
        for trial in trials:
            dump(run / trial["task_id"] / trial["trial_name"] / "results.json", trial)


def _harbor(folder: Path, long: pd.DataFrame) -> None:
    job = folder / "jobs" / "2026-01-02__03-04-05"
    dump(job / "result.json", {"id": "1", "n_total_trials": len(long), "stats": {}})
    for k, row in enumerate(long.itertuples()):
        trial = {
            "task_name": row.id,
            "trial_name": f"{row.id}__{k:07d}",
            "source": row.family,
            "agent_info": {"version": "1", "model_info": {"name": row.agent}},
            "verifier_result": {"rewards": {"reward": row.response}},
            "exception_info": None,
        }
        dump(job / str(trial["trial_name"]) / "result.json", trial)


def _tau_bench(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        entries = [
            {"task_id": row.item, "reward": row.response, "trial": int(row.trial) - 1, "traj": [],
             "info": {"task": {"instruction": row.item}}}
            for row in rows.itertuples()
        ]  # fmt: skip
        dump(folder / f"{agent}.json", entries)


def _tau2_bench(folder: Path, long: pd.DataFrame) -> None:
    for (agent, family), rows in long.groupby(["agent", "family"], sort=False):
        about = {"agent_info": {"llm": agent}, "environment_info": {"domain_name": family}}
        simulations = [
            {"id": str(k), "task_id": row.id, "trial": int(row.trial) - 1,
             "reward_info": {"reward": row.response}, "termination_reason": "user_stop"}
            for k, row in enumerate(rows.itertuples())
        ]  # fmt: skip
        content = {"timestamp": "2026", "info": about, "tasks": [], "simulations": simulations}
        dump(folder / f"{agent}_{family}.json", content)


def _instances(long: pd.DataFrame) -> pd.Series:
    return long["family"] + "__" + long["family"] + "-" + long["id"]


def _swe_bench(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.assign(instance=_instances(long)).groupby("agent", sort=False):
        solved = sorted(rows["instance"][rows["response"] == 1])
        failed = sorted(rows["instance"][rows["response"] == 0])
        report = {
            "total_instances": len(rows),
            "submitted_ids": sorted(rows["instance"]),
            "completed_ids": solved + failed,
            "resolved_ids": solved,
            "unresolved_ids": failed[1:],
            "error_ids": failed[:1],
            "schema_version": 2,
        }
        dump(folder / f"{agent}.run1.json", report)


def _swe_bench_instances(folder: Path, long: pd.DataFrame) -> None:
    for row in long.assign(instance=_instances(long)).itertuples():
        where = folder / "run_evaluation" / f"run{row.trial}" / row.agent / row.instance
        verdict = {"patch_successfully_applied": True, "resolved": bool(row.response)}
        dump(where / "report.json", {row.instance: verdict})


def _mteb(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        where = folder / str(agent) / "rev1"
        dump(where / "model_meta.json", {"name": agent, "revision": "rev1"})
        for family, mean in rows.groupby("family", sort=False)["response"].mean().items():
            scores = [{"main_score": mean, "hf_subset": "default", "languages": ["eng-Latn"]}]
            task = {"task_name": family, "mteb_version": "2.1", "dataset_revision": "1"}
            dump(where / f"{family}.json", task | {"scores": {"test": scores}})


def _evalplus(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        tasks: dict[str, list[dict[str, str]]] = {}
        for row in rows.itertuples():
            status = "pass" if row.response else "fail"
            sample = {"task_id": row.item, "base_status": "pass", "plus_status": status}
            tasks.setdefault(row.item, []).append(sample)
        dump(folder / f"{agent}_eval_results.json", {"date": "2026", "hash": "0", "eval": tasks})


def _livecodebench(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        problems = [
            {"question_id": str(some["id"].iloc[0]), "platform": str(some["family"].iloc[0]),
             "difficulty": "medium", "contest_date": "2026-01-02T00:00:00",
             "graded_list": [bool(x) for x in some["response"]]}
            for _, some in rows.groupby("item", sort=False)
        ]  # fmt: skip
        name = "Scenario.codegeneration_10_0.2_eval_all.json"
        dump(folder / "output" / str(agent) / name, problems)


def _metr(folder: Path, long: pd.DataFrame) -> None:
    rows = [
        {"task_id": row.id, "task_family": row.family, "run_id": str(k), "alias": row.agent,
         "score_binarized": int(row.response), "human_minutes": 2.0 ** int(row.id),
         "equal_task_weight": 0.1}
        for k, row in enumerate(long.itertuples())
    ]  # fmt: skip
    _lines(folder / "runs.jsonl", rows)


def _excel(folder: Path, long: pd.DataFrame) -> Path:
    file = folder / "runs.xlsx"
    table = long.drop(columns="item").rename(columns={"agent": "model", "id": "item"})
    with atomic_path(file) as new:
        table[["model", "family", "item", "trial", "response"]].to_excel(new, index=False, engine="openpyxl")
    return file


TOOLS: dict[str, Writer] = {
    "every-eval-ever": _every_eval_ever,
    "every-eval-ever results": _every_eval_results,
    "terminal-bench": _terminal_bench,
    "harbor": _harbor,
    "tau-bench": _tau_bench,
    "tau2-bench": _tau2_bench,
    "swe-bench": _swe_bench,
    "swe-bench instances": _swe_bench_instances,
    "mteb": _mteb,
    "evalplus": _evalplus,
    "livecodebench": _livecodebench,
    "metr": _metr,
    "excel": _excel,
}
