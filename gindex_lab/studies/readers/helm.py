"""HELM run folders: `run_spec.json` says model and scenario, `per_instance_stats.json` how it went.

An entry of `per_instance_stats.json` is one instance in one trial (`train_trial_index`) with a list of
stats, each a name and a sum over `count` outputs. A run without it is read from `stats.json`: one item, the
mean over its instances. Perturbed copies of an instance are other inputs, and are left out and counted.
The metric and the split are `main_name` and `main_split` of HELM's schemas, which a run folder does not hold.
(benchmark/static/schema*.yaml and metrics of crfm-helm 0.5.16, read in November 2026.)
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import short
from gindex_lab.studies.readers.metrics import Metrics, choose_metric, settle_direction
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import mapping
from gindex_lab.studies.readers.roles import keep_roles
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.text import bad_file, load_json

__all__ = ["MAIN_METRICS", "headlines_of", "read_helm", "scenario_of"]

# HELM's measures of being right, in the order in which one of them is taken where the scenario is not known
MAIN_METRICS = (
    *("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match"),
    *("final_number_exact_match", "math_equiv_chain_of_thought", "math_equiv", "f1_score"),
    *("ifeval_strict_accuracy", "chain_of_thought_correctness", "rouge_l", "rouge_2", "bleu_4"),
    *("wildbench_score_rescaled", "omni_math_accuracy", "exact_match_indicator", "f1_set_match"),
    *("pass", "classification_macro_f1", "RR@10", "NDCG@10", "bits_per_byte"),
)
# What HELM's own tables print: `main_name` and `main_split` of its schemas, by groups of runs (names or
# globs); a group stands twice where schemas differ. Of crfm-helm 0.5.16.
_HEADLINES = Path(__file__).with_name("helm_headlines.csv")
_WRITTEN = "name a run folder that helm-run wrote"
_ADAPTER = ("model_deployment", "method", "max_train_instances", "temperature", "max_tokens")


def headlines_of(group: str) -> list[tuple[str, str]]:
    """Main metric and split of a group of HELM's own tables; several where its schemas differ.

    >>> headlines_of("narrative_qa"), headlines_of("bbq")[0], headlines_of("zig")
    ([('f1_score', 'test')], ('bbq_accuracy', 'test'), [])
    """
    rows = [(metric, split, groups.split()) for metric, split, groups in _headlines()]
    named = [row for row in rows if group in row[2]]
    named = named or [row for row in rows if any(fnmatchcase(group, one) for one in row[2])][:1]
    found = [(metric, split) for metric, split, _ in named]
    return sorted(found, key=lambda pair: not pair[0].startswith(group))


@cache
def _headlines() -> list[list[str]]:
    return list(csv.reader(_HEADLINES.read_text(encoding="utf-8").splitlines()[1:]))


def read_helm(files: Sequence[Path], found: Storage) -> None:
    """Read each run folder: agents are models, families are scenarios, trials are train trials."""
    metrics = Metrics(found)
    for folder in sorted({file.parent for file in files}):
        with found.reading(folder):
            _read_run(folder, metrics, found)
    metrics.others = {run: some & {*MAIN_METRICS} for run, some in metrics.others.items()}
    metrics.say()


def _read_run(folder: Path, metrics: Metrics, found: Storage) -> None:
    model, scenario, headlines = _run(folder, found)
    if found.is_unwanted(folder, model, scenario):
        return
    entries = _entries(folder, found.options)
    kept = [entry for entry in entries if entry.get("perturbation") is None]
    whole = "instance_id" not in entries[0]
    left = len(entries) - len(kept)
    found.count("items", "perturbed instances were left out: they are other inputs", left)
    found.count("items", "runs have no per_instance_stats.json: each is one item, its mean", whole)
    names = dict.fromkeys(n for entry in kept for n in map(_name, entry["stats"]) if n)
    wanted = found.options.metrics_of(scenario)
    usual = _candidates(names, headlines, scenario.partition(":")[0])
    what = f"run {folder.name!r}"
    if not usual and not wanted:
        choose_metric((), (), folder, what)  # refused, whatever other runs have
    metric = metrics.of(scenario, names, folder, usual, what)
    split = _split(kept, metric, [where for name, where in headlines if name == metric or wanted])
    settle_direction(metric, found, **{"item" if whole else "family": scenario})
    left = sum(_add(entry, metric, split, model, scenario, found, folder) for entry in kept)
    if left:
        found.note("items", f"{scenario}: {left} instances of other splits than {split!r} were left out")
    _add_roles(folder, scenario, found)


def _add_roles(folder: Path, scenario: str, found: Storage) -> None:
    """Facts of instances that were asked for: they stand in `scenario_state.json`."""
    path = folder / "scenario_state.json"
    asked = any(found.options.columns.get(role) for role in ("difficulty", "weight", "family"))
    content = load_json(path, found.options.encoding) if asked and path.exists() else {}
    states = content.get("request_states") if isinstance(content, dict) else None
    for state in states if isinstance(states, list) else ():
        instance = mapping(state, "instance")
        if "id" in instance and found.has_item(scenario, str(instance["id"])):
            keep_roles(found, scenario, str(instance["id"]), instance)


def scenario_of(name: str) -> str:
    """The scenario in a run's name, without the model."""
    return re.sub(r"(?<=[:,])model(?:_deployment)?=[^,]*(?:,|$)", "", name).rstrip(",:")


def _run(folder: Path, found: Storage) -> tuple[str, str, list[tuple[str, str]]]:
    """Model, scenario, and the metrics and splits of HELM's own tables."""
    path = folder / "run_spec.json"
    if not path.exists():
        problem = "[no-model] holds stats of HELM but no run_spec.json, which names the model"
        raise bad_file(folder, problem, "copy the whole run folder")
    spec = load_json(path, found.options.encoding)
    adapter = mapping(spec, "adapter_spec")
    model = adapter.get("model") or adapter.get("model_deployment")
    if not model or not isinstance(spec.get("name"), str):
        problem = "[no-model] does not name the run and its adapter_spec.model"
        raise bad_file(path, problem, _WRITTEN)
    listed = spec.get("groups")
    groups = [str(g) for g in listed] if isinstance(listed, list) else []
    known = [headlines_of(group) for group in (*groups, spec["name"].partition(":")[0])]
    model = found.agent(str(model), folder, {"model+args": {k: adapter.get(k) for k in _ADAPTER}})
    return model, scenario_of(spec["name"]), next(filter(None, known), [])


def _entries(folder: Path, options: Options) -> list[dict[str, Any]]:
    """Instances with their stats; of `stats.json`, one entry with the stats of the whole run."""
    path, whole = folder / "per_instance_stats.json", folder / "stats.json"
    if path.exists():
        content = load_json(path, options.encoding)
        entries: list[Any] = content if isinstance(content, list) else [None]
        if not all(isinstance(entry, dict) and isinstance(entry.get("stats"), list) for entry in entries):
            raise bad_file(path, "[not-a-list] is not a list of instances with stats", _WRITTEN)
    elif whole.exists():
        stats = load_json(whole, options.encoding)
        entries = [{"stats": stats if isinstance(stats, list) else []}]
    else:
        problem = "[unfinished] has neither per_instance_stats.json nor stats.json: the run did not end"
        raise bad_file(folder, problem, "run helm-run to its end, or leave it out")
    if not entries:
        raise bad_file(path, "[empty] has no instance", "leave the run out")
    return entries


def _name(stat: object) -> str:
    """The name of a stat that counts: of the original input, not the training split."""
    name = stat.get("name") if isinstance(stat, dict) else None
    if not isinstance(name, dict) or name.get("perturbation") is not None:
        return ""
    return "" if name.get("split") == "train" else str(name.get("name") or "")


def _candidates(names: Iterable[str], headlines: Sequence[tuple[str, str]], group: str) -> list[str]:
    """That of HELM's own tables, else one that is called after the scenario, else what is usual."""
    there = list(names)
    own = [name for name in there if name in (f"{group}_accuracy", f"{group}_score")]
    known = [name for name, _ in headlines]
    return [name for name in dict.fromkeys((*known, *own, *MAIN_METRICS)) if name in there]


def _split(entries: Sequence[dict[str, Any]], metric: str, headlines: Sequence[str]) -> str:
    """The split to read: that of HELM's own tables, else test, else the only one there is."""
    stats = (stat for entry in entries for stat in entry["stats"] if _name(stat) == metric)
    splits = dict.fromkeys(str(stat["name"].get("split") or "") for stat in stats)
    return next((s for s in (*headlines, "test") if s in splits), next(iter(splits), ""))


def _add(
    entry: dict[str, Any], metric: str, split: str, model: str, scenario: str, found: Storage, folder: Path
) -> bool:
    """Add one instance; whether it was left out because it is of another split."""
    stats = [stat for stat in entry["stats"] if _name(stat) == metric]
    if not stats:
        return False  # each metric of HELM writes an entry of its own for the same instance
    stats = [stat for stat in stats if str(stat["name"].get("split") or "") == split]
    if not stats:
        return True
    value = _mean(stats[0], folder)
    if "instance_id" in entry:
        trial = entry.get("train_trial_index", 0)
        found.add(model, scenario, str(entry["instance_id"]), value, trial=trial)
    else:
        found.add(model, "", scenario, value)
    return False


def _mean(stat: dict[str, Any], folder: Path) -> float:
    value = as_number(stat.get("mean"))
    count = stat.get("count")
    if "mean" not in stat and isinstance(count, int) and count > 0:
        total = as_number(stat.get("sum"))
        value = None if total is None else total / count
    if value is None:
        problem = f"[not-a-number] has a stat that is not a number: {short(stat)}"
        raise bad_file(folder, problem, "run helm-run again")
    return value
