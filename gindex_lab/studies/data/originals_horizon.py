"""From the files of the horizon studies to the tidy form: runs, minutes, families and release dates.

Every converter takes the original files by their names and gives a `Tidy`. A study that ran some cells more
than once also gives `runs`, one row a run; `responses` then holds the mean over the runs of a cell. Minutes
are those of the authors, `difficulty` is log2 of them. What identifies a person is not in these files.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.studies.data.tidy import Tidy

__all__ = ["CONVERTERS", "by_name"]

Files = Mapping[str, Path]

_LYPTUS_ALIASES = {
    "Claude Haiku 4.5": "Haiku 4.5",
    "Claude Opus 4": "Opus 4",
    "Claude Sonnet 4.6": "Sonnet 4.6",
    "Claude Opus 4.6": "Opus 4.6",
    "Gemini 2.5 Pro (June 2025)": "Gemini 2.5 Pro",
}
# stated in the authors' code: these three were run for the study of June 2025
_LYPTUS_OLDEST = {"GPT-2": "2019-11-05", "GPT-3": "2020-07-11", "GPT-3.5": "2022-03-15"}
_LYPTUS_MINUTES = [
    *("completion_minutes", "n_completions", "estimate_minutes", "n_estimates", "firstblood_minutes"),
    *("model_estimate_minutes", "censored_lower_minutes", "best_available_minutes"),
]
# what `all_runs.jsonl` calls the columns of a run
_RUNS = {"alias": "agent", "task_id": "item", "score_binarized": "response"}
_LEVELS = {  # minutes that METR gives to the four answers of the annotators
    7.5: "under 15 minutes",
    30.0: "15 minutes to 1 hour",
    120.0: "1 to 4 hours",
    480.0: "over 4 hours",
}
_ARENA = {
    "difficulty": "minDistToGoal",
    "suite": "Suite",
    "family": "Paradigm",
    "task": "Task",
    "distance": "minDistToGoal",
    "turns": "minNumTurnsGoal",
    "choices": "numChoices",
    "distance_to_choice": "minDistToCorrectChoice",
    "turns_to_choice": "minNumTurnsChoice",
    "euclidean_distance": "goalMaxDistEuclidean",
    "goal_size": "mainGoalSize",
    "lava": "lavaPresence",
    "occluded": "goalBecomesAllocentricallyOccluded",
    "forced_choice": "forcedChoice",
}
_ARENA_KINDS = {
    "Random_Walker": "random walker",
    "Random_Action": "random action",
    "Vanilla_Braitenberg": "Braitenberg vehicle",
    "dreamer": "DreamerV3",
    "ppo": "PPO",
}


def by_name(originals: Files) -> Files:
    """The files by the end of their address: the name, with its folder where two share a name."""
    paths = {address: address.split("/") for address in originals}
    names = [parts[-1] for parts in paths.values()]
    return {
        parts[-1] if names.count(parts[-1]) == 1 else "/".join(parts[-2:]): originals[address]
        for address, parts in paths.items()
    }


# -- reading, with suspicion ---------------------------------------------------------------------


def _expect(holds: object, name: str, problem: str) -> None:
    ensure(holds, "files", name, problem, "check that it is the pinned file, and fetch it again")


def _read(files: Files, name: str, reader: Callable[[Path], Any], kind: str) -> Any:
    problem = f"[no-file] lacks {name!r}"
    ensure(name in files, "files", sorted(files), problem, "fetch the data set again")
    try:
        return reader(files[name])
    except (OSError, ValueError, yaml.YAMLError) as error:  # pyarrow's errors are the former two
        problem, remedy = f"[unreadable] is not {kind} ({error})", "check that it is the pinned file"
        raise BadInput("files", name, problem, f"{remedy}, and fetch it again") from None


def _table(
    files: Files, name: str, columns: list[str], reader: Callable[[Path], Any], kind: str
) -> pd.DataFrame:
    table: pd.DataFrame = _read(files, name, reader, kind)
    for column in columns:
        known = list(table.columns[:6])
        _expect(column in table, name, f"[no-column] has no column {column!r} but {known} …")
    return table


def _parquet(files: Files, name: str, columns: list[str]) -> pd.DataFrame:
    return _table(files, name, columns, pd.read_parquet, "a Parquet file")


def _lines(files: Files, name: str, columns: list[str]) -> pd.DataFrame:
    def reader(path: Path) -> pd.DataFrame:
        with path.open(encoding="utf-8") as file:
            return pd.DataFrame([json.loads(line) for line in file if line.strip()])

    return _table(files, name, columns, reader, "a JSON object a line")[columns]


def _part(files: Files, name: str, load: Callable[[str], Any], kind: str, part: str) -> dict[str, Any]:
    """One table of a TOML or YAML file."""
    content = _read(files, name, lambda path: load(path.read_text("utf-8")), kind)
    known = isinstance(content, dict) and isinstance(content.get(part), dict)
    _expect(known, name, f"[no-table] has no table {part!r}")
    return dict(content[part])


def _splits(files: Files, name: str) -> dict[str, Any]:
    return _part(files, name, tomllib.loads, "TOML", "splits")


def _dates(files: Files) -> dict[str, str]:
    dates = _part(files, "release_dates.yaml", yaml.safe_load, "YAML", "date")
    return {str(model): str(date) for model, date in dates.items()}


def _wide(runs: pd.DataFrame, agents: list[str], items: list[str]) -> pd.DataFrame:
    """Mean response of each cell, NaN where an agent did not meet an item."""
    wide = runs.groupby(["agent", "item"])["response"].mean().unstack()
    return wide.reindex(index=agents, columns=items)


def _runs(raw: pd.DataFrame, *others: str) -> pd.DataFrame:
    """One row a run, numbered within its cell, with its response and these other columns."""
    numbered = raw.assign(run=raw.groupby(["agent", "item"]).cumcount() + 1)
    runs = numbered[["agent", "item", "run", "response", *others]]
    return runs.sort_values(["agent", "item", "run"], ignore_index=True)


def _one_a_task(runs: pd.DataFrame, name: str, column: str) -> pd.Series:
    found = runs.groupby("item")[column].agg(["first", "nunique"])
    problem = f"[two-values] gives {found['nunique'].idxmax()!r} more than one {column}"
    _expect((found["nunique"] <= 1).all(), name, problem)
    return found["first"]


# -- Lyptus ----------------------------------------------------------------------------------------


def _lyptus(source: str, files: Files) -> Tidy:
    """The runs whose tasks have minutes in the column `source`."""
    name = "model_runs.parquet"
    wanted = ["task_id", "task_family", "agent", "alias", "score_binarized", "total_tokens"]
    runs = _parquet(files, name, wanted)
    columns = ["task_id", *_LYPTUS_MINUTES, "best_available_source"]
    tasks = _parquet(files, "task_difficulties.parquet", columns).set_index("task_id")
    ours = {"task_id": "item", "agent": "model", "task_family": "family"} | _RUNS
    runs = runs[runs["task_id"].map(tasks[source]).notna()].rename(columns=ours)
    twice = runs[runs.duplicated(["agent", "item"])]["item"].tolist()
    _expect(not twice, name, f"has a cell twice: {twice[:1]}")
    names = sorted(runs["item"].unique())
    known = tasks.loc[names]
    items = pd.DataFrame(
        {
            "family": _one_a_task(runs, name, "family").loc[names],
            "minutes": known[source],
            "difficulty": np.log2(known[source]),
            "minutes_source": known["best_available_source"],
            **{column: known[column] for column in _LYPTUS_MINUTES},
        },
        index=names,
    )
    agents = _lyptus_agents(files, runs)
    return Tidy(_wide(runs, list(agents.index), names), items, agents)


def _lyptus_agents(files: Files, runs: pd.DataFrame) -> pd.DataFrame:
    """Model and release date of each alias, the oldest first."""
    dates = dict(_LYPTUS_OLDEST)
    for name in sorted(name for name in files if name.endswith(".json")):
        for model in _read(files, name, lambda path: json.loads(path.read_text("utf-8")), "JSON")["models"]:
            alias = _LYPTUS_ALIASES.get(model["alias"], model["alias"])
            dates.setdefault(alias, model["release_date"])
    models = runs.groupby("agent")["model"].first()
    undated = [agent for agent in models.index if agent not in dates]
    _expect(not undated, "models/*.json", f"do not date {undated[:1]}")
    agents = pd.DataFrame(
        {
            "model": models,
            "release_date": models.index.map(dates),
            "study": np.where(models.index.isin(list(_LYPTUS_OLDEST)), "June 2025", "2026"),
        },
        index=models.index,
    )
    return agents.reset_index().sort_values(["release_date", "agent"]).set_index("agent")


def lyptus_2025(files: Files) -> Tidy:
    """The study of June 2025: some cells run twice, six tasks with two different minutes."""
    name = "all_runs.jsonl"
    wanted = ["task_id", "task_family", "alias", "model", "score_binarized", "human_minutes"]
    raw = _lines(files, name, [*wanted, "task_source", "equal_task_weight"]).rename(columns=_RUNS)
    raw["minutes"] = raw["human_minutes"]
    runs = _runs(raw, "minutes", "equal_task_weight")
    minutes = runs.groupby("item")["minutes"].agg(lambda m: m.mode().iloc[0])
    items = pd.DataFrame(
        {
            "family": _one_a_task(raw, name, "task_family"),
            "source": _one_a_task(raw, name, "task_source"),
            "minutes": minutes,
            "difficulty": np.log2(minutes),
            "minutes_differ": runs.groupby("item")["minutes"].nunique() > 1,
        }
    )
    models = raw.groupby("agent")["model"].first()
    agents = pd.DataFrame({"model": models, "release_date": models.map(_dates(files))})
    responses = _wide(runs, list(agents.index), list(items.index))
    return Tidy(responses, items, agents, runs)


# -- METR --------------------------------------------------------------------------------------------


def metr_th1(files: Files) -> Tidy:
    """METR's earliest public runs: `human` is an agent, up to 96 runs a cell."""
    name = "all_runs.jsonl"
    wanted = ["task_id", "task_family", "alias", "score_binarized", "score", "human_minutes"]
    wanted += ["human_score", "human_source", "time_limit", "fatal_error_from"]
    raw = _lines(files, name, wanted).rename(columns=_RUNS)
    runs = _runs(raw, "score", "time_limit", "fatal_error_from")
    minutes = _one_a_task(raw, name, "human_minutes")
    items = pd.DataFrame(
        {
            "family": _one_a_task(raw, name, "task_family"),
            "minutes": minutes,
            "minutes_source": _one_a_task(raw, name, "human_source"),
            "human_score": raw.groupby("item")["human_score"].first(),
            "difficulty": np.log2(minutes),
        }
    )
    names = sorted(raw["agent"].unique())
    dates = pd.Series(_dates(files)).reindex(names)
    agents = pd.DataFrame(
        {"release_date": dates, "kind": ["human" if n == "human" else "model" for n in names]},
        index=pd.Index(names, name="agent"),
    )
    return Tidy(_wide(runs, names, list(items.index)), items, agents, runs)


# -- SWE-bench Verified --------------------------------------------------------------------------------


def _issues(lengths: Mapping[str, Any], names: list[str]) -> pd.DataFrame:
    """Repository, minutes and annotated level of each issue."""
    name = "swe_bench_verified.toml"
    absent = [issue for issue in names if issue not in lengths]
    _expect(not absent, name, f"[no-length] has no length of {absent[:1]}")
    minutes = pd.Series([float(lengths[issue]["lengths"][0]) for issue in names], names)
    unknown = minutes[~minutes.isin(list(_LEVELS))]
    _expect(unknown.empty, name, f"gives minutes that are not one of four levels: {unknown[:1].to_dict()}")
    return pd.DataFrame(
        {
            "family": [issue.rsplit("-", 1)[0].replace("__", "/") for issue in names],
            "minutes": minutes,
            "difficulty": np.log2(minutes),
            "annotated": minutes.map(_LEVELS),
        }
    )


def swebench_134(files: Files) -> Tidy:
    """Systems x issues; the date is that of the submission, which begins the system's name."""
    name = "response_matrix.csv"
    table = _table(files, name, ["model"], pd.read_csv, "a CSV").set_index("model")
    stamps = table.index.astype(str).str.extract(r"^(\d{8})_(.+)$")
    undated = list(table.index[stamps[0].isna()])
    _expect(not undated, name, f"[no-date] has a system without a date: {undated[:1]}")
    dates = pd.to_datetime(stamps[0], format="%Y%m%d").dt.strftime("%Y-%m-%d")
    agents = pd.DataFrame(
        {"release_date": dates.to_numpy(), "system": stamps[1].to_numpy()}, index=table.index.rename("agent")
    )
    lengths = _splits(files, "swe_bench_verified.toml")
    return Tidy(table, _issues(lengths, list(table.columns)), agents)


def metr_swebench(files: Files) -> Tidy:
    """METR's own 13 models on the same issues, scored 0 or 100; no dates are in these files."""
    scores = _splits(files, "scores/swe_bench_verified.toml")
    responses = (pd.DataFrame(scores) / 100).sort_index()
    _expect(responses.notna().all(axis=None), "scores/swe_bench_verified.toml", "leaves cells empty")
    lengths = _splits(files, "benchmarks/swe_bench_verified.toml")
    agents = pd.DataFrame(index=responses.index.rename("agent"))
    return Tidy(responses, _issues(lengths, list(responses.columns)), agents)


# -- Animal-AI -------------------------------------------------------------------------------------------


def animal_ai(files: Files) -> Tidy:
    """Success of agents (a system with a seed) in arenas, each with several demands."""
    name = "results_final_clean_agents_wide.csv"
    wanted = ["InstanceName", *dict.fromkeys(_ARENA.values())]
    table = _table(files, name, wanted, pd.read_csv, "a CSV")
    table.index = pd.Index(table["InstanceName"].str.removesuffix(".yml"), name="item")
    success = table.filter(regex="^success_").rename(columns=lambda c: c.removeprefix("success_"))
    items = pd.DataFrame({ours: table[theirs] for ours, theirs in _ARENA.items()})
    parts = success.columns.to_series().str.rsplit("_", n=1, expand=True)
    kinds = [next((k for p, k in _ARENA_KINDS.items() if n.startswith(p)), "") for n in parts.index]
    agents = pd.DataFrame(
        {"seed": parts[1].astype(int), "system": parts[0], "kind": kinds}, index=parts.index.rename("agent")
    )
    return Tidy(success.T.rename_axis(columns=None), items.rename_axis(None), agents)


CONVERTERS: dict[str, Callable[[Files], Tidy]] = {
    "lyptus": partial(_lyptus, "best_available_minutes"),
    "lyptus_model_minutes": partial(_lyptus, "model_estimate_minutes"),
    "lyptus_2025": lyptus_2025,
    "metr_th1": metr_th1,
    "swebench_134": swebench_134,
    "metr_swebench": metr_swebench,
    "animal_ai": animal_ai,
}
