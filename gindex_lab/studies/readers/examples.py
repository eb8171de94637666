"""Simulated evaluation logs in the formats that we read: to try things on, and to test the readers with.

Twelve made-up models of rising ability meet four families of items of known difficulty; one of them is a
specialist, as good as the best at two families and as bad as the worst at the others.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.output import atomic_path, write_bytes, write_text, writing
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice, generator, integer

__all__ = ["EXAMPLES", "simulated_runs", "write_example"]

FAMILIES = ("arithmetic", "logic", "reading", "spelling")
_TIME = "2026-01-02T03-04-05.000006"


def simulated_runs(agents: int = 12, items: int = 30, trials: int = 1, *, seed: SeedLike = 1) -> Responses:
    """Responses of made-up models to `items` items of each of four families.

    Logistic models with discrimination 1.6, abilities from -1.5 to 1.5; `specialist` has the lowest
    ability, but +4 in arithmetic and logic. With several trials, each is a draw of its own.

    >>> runs = simulated_runs(agents=3, items=5, seed=1)
    >>> runs, runs.family.unique().tolist()
    (Responses(example: 3 agents x 20 items, simulated), ['arithmetic', 'logic', 'reading', 'spelling'])
    """
    rng = generator(seed)
    n, k = integer("agents", agents, 2), integer("items", items, 1)
    ability = np.linspace(-1.5, 1.5, n)
    names = [f"model-{chr(97 + i % 26)}{i // 26 or ''}" for i in range(n - 1)]
    difficulty = rng.normal(0, 1.2, (len(FAMILIES), k))
    gap = np.sort(ability)[[*range(1, n), 0], None, None] - difficulty
    gap[-1, :2] += 4.0  # the specialist's families
    chance = 1 / (1 + np.exp(-1.6 * gap.reshape(n, -1)))
    drawn = rng.random((integer("trials", trials), *chance.shape)) < chance
    labels = [f"{family}/{i + 1}" for family in FAMILIES for i in range(k)]
    frame = pd.DataFrame(drawn.mean(axis=0), [*names, "specialist"], labels)
    facts = pd.DataFrame({"family": np.repeat(FAMILIES, k)}, index=labels)
    repeated = _trials(drawn, frame) if trials > 1 else None
    return Responses(frame, items=facts, trials=repeated, name="example", source="simulated")


def _trials(drawn: np.ndarray, frame: pd.DataFrame) -> pd.DataFrame:
    t, a, i = (x.ravel() for x in np.indices(drawn.shape))
    columns = {"agent": frame.index[a], "item": frame.columns[i]}
    return pd.DataFrame(columns | {"response": drawn.ravel().astype(float), "trial": (t + 1).astype(str)})


def write_example(
    folder: str | PathLike[str], format: str = "lm-eval", runs: Responses | None = None, *, seed: SeedLike = 1
) -> Path:
    """Write `runs` (or `simulated_runs(seed=seed)`) as logs of a format; the path that `gl.read` takes.

    >>> import tempfile
    >>> from gindex_lab.studies.readers.reading import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read(write_example(folder, "inspect", simulated_runs(agents=3, items=2)))
    Responses(logs: 3 agents x 8 items)
    """
    choice("format", format, list(EXAMPLES))
    target = Path(folder) / "logs"
    with writing(target, "folder"):
        target.mkdir(parents=True, exist_ok=True)
    study = simulated_runs(seed=seed) if runs is None else runs
    long = study.to_long()
    long["family"] = long["item"].map(study.items["family"])
    long["id"] = [item.split("/", 1)[1] for item in long["item"]]
    if "trial" not in long:
        long["trial"] = "1"
    return EXAMPLES[format](target, long) or target


def _dump(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(content, ensure_ascii=False))


def _harness(folder: Path, long: pd.DataFrame) -> None:
    for (agent, family), rows in long.groupby(["agent", "family"], sort=False):
        where = folder / str(agent).replace("/", "__")
        where.mkdir(exist_ok=True)
        lines = [
            {"doc_id": row.id, "doc": {"question": row.item}, "target": "A", "resps": [["A"]],
             "filtered_resps": ["A"], "filter": "none", "metrics": ["acc"], "doc_hash": row.item,
             "acc": row.response}
            for row in rows.itertuples()
        ]  # fmt: skip
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        write_text(where / f"samples_{family}_{_TIME}.jsonl", text)
        _dump(where / f"results_{_TIME}.json", {"results": {}, "model_name": agent, "config": {}})


def _harness_results(folder: Path, long: pd.DataFrame) -> None:
    for agent, rows in long.groupby("agent", sort=False):
        means = rows.groupby("family", sort=False)["response"].mean()
        results = {f: {"alias": f, "acc,none": v, "acc_stderr,none": 0.01} for f, v in means.items()}
        content = {"results": results, "model_name": agent, "config": {"model": "hf"}}
        _dump(folder / str(agent).replace("/", "__") / f"results_{_TIME}.json", content)


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
        _dump(folder / f"{name}.json", content)


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
        _dump(run / "run_spec.json", spec)
        name = {"name": "exact_match", "split": "test"}
        entries = [
            {"instance_id": row.id, "train_trial_index": int(row.trial) - 1,
             "stats": [{"name": name, "count": 1, "sum": row.response, "mean": row.response}]}
            for row in rows.itertuples()
        ]  # fmt: skip
        _dump(run / "per_instance_stats.json", entries)
        _dump(run / "scenario_state.json", {"request_states": []})


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


EXAMPLES: dict[str, Callable[[Path, pd.DataFrame], Path | None]] = {
    "lm-eval": _harness,
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
