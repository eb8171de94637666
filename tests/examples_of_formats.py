"""The simulated runs as logs of lm-evaluation-harness, Inspect and HELM, and as tables of each kind."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
from examples_of_tools import Writer, dump

from gindex_lab.foundation.output import atomic_path, write_bytes, write_text
from gindex_lab.studies.readers.examples import FAMILIES

__all__ = ["BASIC"]

_TIME = "2026-01-02T03-04-05.000006"


def _harness_results(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        means = rows.groupby("family", sort=False)["response"].mean()
        results = {f: {"alias": f, "acc,none": v, "acc_stderr,none": 0.01} for f, v in means.items()}
        content = {"results": results, "model_name": agent, "config": {"model": "hf"}}
        dump(folder / str(agent).replace("/", "__") / f"results_{_TIME}.json", content)


def _inspect_documents(long: pd.DataFrame) -> list[tuple[str, dict[str, Any]]]:
    documents = []
    for k, ((agent, family), rows) in enumerate(long.groupby(["agent", "family"], sort=False)):
        letters = {1.0: "C", 0.0: "I"}
        samples = [
            {"id": row.id, "epoch": int(row.trial), "input": row.item, "target": "A",
             "scores": {"match": {"value": letters.get(row.response, row.response)}}}
            for row in rows.itertuples()
        ]  # fmt: skip
        header = {"version": 2, "status": "success", "eval": {"task": family, "model": agent}}
        documents.append((f"2026-01-02T03-04-05_{k}", header | {"samples": samples}))
    return documents


def _inspect(folder: Path, long: pd.DataFrame) -> None:
    for name, content in _inspect_documents(long):
        dump(folder / f"{name}.json", content)


def _inspect_archives(folder: Path, long: pd.DataFrame) -> None:
    for name, content in _inspect_documents(long):
        samples = content.pop("samples")
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", json.dumps(content))
            for sample in samples:
                part = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
                archive.writestr(part, json.dumps(sample))
        write_bytes(folder / f"{name}.eval", buffer.getvalue())


def _helm(folder: Path, long: pd.DataFrame) -> None:
    for (agent, family), rows in long.groupby(["agent", "family"], sort=False):
        run = folder / "runs" / "v1" / f"{family}:model={str(agent).replace('/', '_')}"
        spec = {"name": f"{family}:model={agent}", "adapter_spec": {"model": agent}, "groups": [family]}
        dump(run / "run_spec.json", spec)
        name = {"name": "exact_match", "split": "test"}
        entries = [
            {"instance_id": row.id, "train_trial_index": int(row.trial) - 1,
             "stats": [{"name": name, "count": 1, "sum": row.response, "mean": row.response}]}
            for row in rows.itertuples()
        ]  # fmt: skip
        dump(run / "per_instance_stats.json", entries)
        dump(run / "scenario_state.json", {"request_states": []})


def _wide(folder: Path, long: pd.DataFrame) -> Path:
    file = folder / "wide.csv"
    means = long.pivot_table("response", "agent", "item", sort=False)
    write_text(file, means.rename_axis("model").to_csv())
    return file


def _long(folder: Path, long: pd.DataFrame) -> Path:
    file = folder / "long.csv"
    table = long.rename(columns={"agent": "model", "item": "name", "id": "item", "response": "score"})
    write_text(file, table[["model", "family", "item", "trial", "score"]].to_csv(index=False))
    return file


def _long_lines(folder: Path, long: pd.DataFrame) -> Path:
    file = folder / "long.jsonl"
    table = long.rename(columns={"agent": "model", "item": "name", "id": "item", "response": "score"})
    columns = ["model", "family", "item", "trial", "score"]
    write_text(file, table[columns].to_json(orient="records", lines=True, force_ascii=False))
    return file


def _warehouse(folder: Path, long: pd.DataFrame) -> Path:
    file = folder / "irw.parquet"
    table = long.rename(columns={"id": "name", "family": "item_family"})
    table = table.assign(id=table["agent"], item=table["name"], resp=table["response"], wave=table["trial"])
    with atomic_path(file) as new:
        table[["id", "item", "item_family", "resp", "wave"]].to_parquet(new, index=False)
    return file


def _leaderboard(folder: Path, long: pd.DataFrame) -> Path:
    """The four families under the names of four benchmarks, in percent and raw."""
    file = folder / "leaderboard.csv"
    names = dict(zip(FAMILIES, ("IFEval", "BBH", "GPQA", "MUSR"), strict=True))
    means = long.pivot_table("response", "agent", "family", sort=False).rename(columns=names)
    table = (100 * means).join(means.add_suffix(" Raw"))
    table.insert(0, "Average", 100 * means.mean(axis=1))
    write_text(file, table.rename_axis("Model").assign(Precision="bfloat16").to_csv())
    return file


BASIC: dict[str, Writer] = {
    "lm-eval results": _harness_results,
    "inspect": _inspect,
    "inspect archives": _inspect_archives,
    "helm": _helm,
    "wide": _wide,
    "long": _long,
    "long lines": _long_lines,
    "irw": _warehouse,
    "leaderboard": _leaderboard,
}
