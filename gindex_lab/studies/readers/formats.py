"""Which format is it? A look at the name, the first bytes or the header, never at the whole file."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gindex_lab.foundation.files import comments_in
from gindex_lab.studies.readers.eval_archives import is_eval_archive
from gindex_lab.studies.readers.foreign import foreign_table, load_yaml, parquet_names, records_of
from gindex_lab.studies.readers.names import (
    column_of,
    flat_names,
    is_scores,
    is_scores_by_model,
    sniff_header,
    unsure_item,
)
from gindex_lab.studies.readers.signatures import of_document, of_line
from gindex_lab.studies.readers.text import (
    LINES,
    beginning,
    encoding_of,
    glimpse_of,
    is_lines,
    json_glimpse,
    suffix_of,
)

__all__ = [
    *("BESIDE", "FOREIGN", "FORMATS", "HELM_FILES", "READERS", "SUFFIXES", "TABLES", "TABLE_FORMATS"),
    *("separator_of", "sniff"),
]

FORMATS = {
    "lm-eval": "lm-evaluation-harness: samples_<task>_<time>.jsonl, results_<time>.json",
    "inspect": "Inspect logs: .json or .eval",
    "helm": "HELM run folders: run_spec.json with per_instance_stats.json or stats.json",
    "every-eval-ever": "every_eval_ever: results in JSON with <uuid>_samples.jsonl",
    "terminal-bench": "Terminal-Bench: results.json of runs and trials",
    "harbor": "Harbor (Terminal-Bench 2): result.json of trials",
    "tau-bench": "tau-bench and tau2-bench: rewards of trials",
    "swe-bench": "SWE-bench: reports, report.json of instances, results.json of the leaderboard",
    "mteb": "MTEB: one JSON per model and task",
    "evalplus": "EvalPlus and BigCodeBench: <model>_eval_results.json",
    "livecodebench": "LiveCodeBench: <scenario>_eval_all.json",
    "lighteval": "lighteval: results_<time>.json, details_<task>_<time>.parquet",
    "promptfoo": "promptfoo: outputs and exports (JSON, JSONL, YAML, CSV)",
    "openai-evals": "OpenAI evals: JSONL of events",
    "deepeval": "DeepEval: test runs as JSON",
    "opencompass": "OpenCompass: results with details, summary CSV",
    "alpaca-eval": "AlpacaEval: annotations.json",
    "arena": "battles of an arena: model_a, model_b, winner",
    "mt-bench": "MT-bench (FastChat): <judge>_single.jsonl",
    "arena-hard": "Arena-Hard: model_judgment/<judge>/<model>.jsonl",
    "arc-prize": "ARC Prize: results.json with task_results",
    "bfcl": "BFCL: BFCL_<version>_<category>_score.json",
    "metr": "METR's runs: task_id, alias, score_binarized, human_minutes (JSONL or a table)",
    "leaderboard": "leaderboard tables: a column of models, known benchmarks, an average",
    "irw": "Item Response Warehouse tables: id, item, resp",
    "long": "long tables: one row per agent and item (CSV, TSV, Parquet, JSON, Excel, SPSS, R, YAML)",
    "per-model": "one file per model (JSON, JSONL, CSV) with items and scores and no model",
    "wide": "wide tables: agents in the first column, then one column per item (the same files)",
    "tidy": "the folder that Responses.save writes: responses.csv",
}
TABLE_FORMATS = frozenset(("irw", "long", "wide", "leaderboard", "per-model"))
_MODULES = {  # those that are not called like their format
    "preferences": "alpaca-eval arena mt-bench arena-hard",
    "prompt_tests": "promptfoo deepeval openai-evals",
    "benchmarks": "evalplus livecodebench arc-prize bfcl swe-bench",
    "harness": "lm-eval",
    "inspect_logs": "inspect",
    "tables": "irw long",
    "trials": "metr tau-bench terminal-bench harbor",
    "wide": "wide leaderboard",
}
_MODULE = {kind: module for module, kinds in _MODULES.items() for kind in kinds.split()}
READERS = {  # the module and the function of each
    kind: (_MODULE.get(kind, kind.replace("-", "_")), f"read_{kind.replace('-', '_')}")
    for kind in FORMATS
    if kind != "tidy"
}
FOREIGN = (".xlsx", ".xlsm", ".sav", ".zsav", ".rds", ".rda", ".rdata", ".yaml", ".yml")
TABLES = (".csv", ".tsv", ".tab")
SUFFIXES = (".json", *LINES, ".parquet", ".eval", *TABLES, *FOREIGN)
_SIDE_FILES = """
run_specs.json runs.json groups.json groups_metadata.json summary.json costs.json schema.json
runs_to_run_suites.json run_suites.json logs.json eval-set.json
run_metadata.json model_meta.json config.json package.json package-lock.json metadata.json metadata.yaml
metadata.yml reward.json lock.json manifest.json
resolved_by_repo.json resolved_by_time.json
promptfooconfig.yaml task.yaml docker-compose.yaml trajectory.json ctrf.json
"""
BESIDE = frozenset(_SIDE_FILES.split())  # what tools write beside their logs: lists, settings
HELM_FILES = ("run_spec.json", "per_instance_stats.json", "stats.json", "scenario_state.json")
_START = 4_000_000  # bytes in which the header of a table, or the first line, must end


def sniff(path: Path, encoding: str | None = None) -> str | None:
    """The format of one file, by its name and its beginning.

    Parameters
    ----------
    path : the file
    encoding : of text that is not UTF-8

    Returns
    -------
    One of `FORMATS`, or None for a file that none of them describes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.csv")
    ...     _ = file.write_text("id,item,resp\\n1,a,0\\n")
    ...     sniff(file)
    'irw'
    """
    suffix = suffix_of(path)
    if path.name in HELM_FILES:
        return "helm"
    if suffix in (".eval", ".json"):
        return _sniff_json(path)
    if suffix in LINES:
        return _sniff_lines(path)
    if suffix == ".parquet":
        return sniff_header(parquet_names(path))
    if suffix in FOREIGN:
        return _sniff_foreign(path, suffix, encoding)
    if suffix not in TABLES:
        return None
    header, *rows = _csv_start(path, encoding) or [[]]
    return _sniff_rows(header, [dict(zip(header, row, strict=False)) for row in rows])


def separator_of(path: Path, encoding: str | None = None) -> str:
    """Tab, semicolon or comma: the one that stands most often in the first line."""
    start = beginning(path).decode(encoding_of(path, encoding), errors="replace")
    rows = start.splitlines()[comments_in(start) :]
    first = next((line for line in rows if line.strip()), "")
    return max(",\t;", key=first.count)


def _csv_start(path: Path, encoding: str | None) -> list[list[str]]:
    """The header and the first rows, up to one with a cell that is too long for csv."""
    separator = separator_of(path, encoding)
    start = beginning(path, _START).decode(encoding_of(path, encoding), errors="replace")
    lines = start.splitlines()[comments_in(start) :][:300]
    found: list[list[str]] = []
    with suppress(csv.Error):
        for row in csv.reader(lines, delimiter=separator):
            found += [row] if row else []
    return found


def _sniff_rows(header: Sequence[str], rows: Sequence[Any]) -> str | None:
    """A table by its header; rows with an id, a score and an agent are responses if an agent has several."""
    some = [row for row in rows[:200] if isinstance(row, dict)]
    if some and unsure_item(list(some[0])):
        agent = column_of(list(some[0]), "agent")[0]
        if len({str(row.get(agent)) for row in some}) < len(some):
            return "long"
    return sniff_header(header)


def _sniff_json(path: Path) -> str | None:
    if beginning(path, 2) == b"PK":
        return "inspect" if is_eval_archive(path) else None
    if is_lines(path):
        return _sniff_lines(path)
    found = json_glimpse(path)
    tool = of_document(found)
    if tool is not None:
        return tool
    if isinstance(found, list) and found and isinstance(found[0], dict):
        return _sniff_rows(list(found[0]), found) or "long"
    if is_scores(found):
        return "per-model"
    if is_scores_by_model(found):
        return "wide"
    # the rows of a table that is the only list in an object: {"updated": ..., "models": [...]}
    lists = isinstance(found, dict) and any(isinstance(one, list) for one in found.values())
    rows = records_of(found) if lists else None
    if not rows or not (column_of(list(rows[0]), "agent") or "name" in rows[0]):
        return None
    kind = _sniff_rows(list(rows[0]), rows)
    return kind if kind in ("long", "wide", "leaderboard") else None


def _sniff_lines(path: Path) -> str | None:
    start = beginning(path, _START).decode(encoding_of(path), errors="replace").lstrip("\ufeff")
    first = next((line for line in start.splitlines() if line.strip()), "")
    try:
        found = json.loads(first.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        found = glimpse_of(start) if first.lstrip("\ufeff")[:1] == "[" else None
    found = found[0] if isinstance(found, list) and found else found
    if not isinstance(found, dict):
        return None
    tool = of_line(found)
    if tool is not None:
        return tool
    kind = sniff_header(flat_names(found))
    if unsure_item(flat_names(found)) or kind in ("long", "irw"):
        return "long"
    return kind if kind in ("per-model", "leaderboard") else None


def _sniff_foreign(path: Path, suffix: str, encoding: str | None) -> str | None:
    """Excel, SPSS and R hold tables; YAML a table or a log."""
    if suffix in (".yaml", ".yml"):
        found = load_yaml(path, encoding)
        tool, rows = of_document(found), records_of(found)
        if tool is not None or not rows or not column_of([str(name) for name in rows[0]], "agent"):
            return tool
    return sniff_header(list(foreign_table(path, encoding).columns))
