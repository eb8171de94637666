"""MTEB results (1.x and 2.x): one JSON per model and task, `<model>/<revision>/<task>.json`.

`scores` holds for each split a list of subsets (languages), each with its `main_score`; files before 1.11
have the splits at the top and `mteb_dataset_name`. `model_meta.json` beside them names the model. Each subset
is an item of its own, because models are often run on different subsets; a task is a family, and its headline
is the mean over its subsets. The split "test" is read where there is one (choose with `filter=`). Runs with
other settings of a model stand in `<model>/<revision>/experiments/<settings>/`, and are agents of their own.
(results/task_result.py and cache/result_cache.py of mteb 2.26.24, read in November 2026.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import BadInput
from gindex_lab.studies.readers.metrics import settle_direction
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import field, model_of_folder, score_of
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import bad_file, listed, load_json

__all__ = ["read_mteb"]

_BESIDE = {"mteb_version", "mteb_dataset_name", "dataset_revision", "evaluation_time", "task_name"}


class _MtebResult(NamedTuple):
    file: Path
    model: str
    revision: str
    task: str
    splits: dict[str, list[dict[str, Any]]]


def read_mteb(files: Sequence[Path], found: Storage) -> None:
    """Agents are models, families are tasks, items are subsets of a split."""
    results, options = [], found.options
    for file in files:
        with found.reading(file):
            results.append(_result(file, load_json(file, options.encoding)))
    names = _agents(results, found)
    metric = options.metrics[0] if options.metrics else "main_score"
    settle_direction(metric, found, guess="higher" if metric == "main_score" else None)
    left: Counter[str] = Counter()
    for one in results:
        with found.reading(one.file):
            chosen = _split(one, options)
            left.update(split for split in one.splits if split not in chosen)
            for split in chosen:
                for subset in one.splits[split]:
                    _add(one, split, subset, metric, names[one.model, one.revision], found)
    found.note("metric", f"metric {metric!r} was read; each subset of a task is an item")
    if left:
        shown = ", ".join(f"{split!r} of {n} files" for split, n in left.items())
        found.note("items", f"other splits were left out: {shown}", "filter=... (--filter)")


def _add(
    one: _MtebResult, split: str, subset: Mapping[str, Any], metric: str, agent: str, found: Storage
) -> None:
    if metric not in subset:
        remedy = f"choose one of {listed(subset, 6)} with metric=..."
        raise bad_file(one.file, f"[missing-field] has no {metric!r} for {one.task!r}", remedy)
    label = str(subset.get("hf_subset") or "default")
    item = split if label == "default" else f"{split}/{label}"
    found.add(agent, one.task, item, score_of(subset[metric], one.file, f"{one.task}/{item}"))
    languages = subset.get("languages")
    if isinstance(languages, list):
        found.facts_of(one.task, item).setdefault("languages", ", ".join(map(str, languages)))


def _result(file: Path, content: Any) -> _MtebResult:
    if isinstance(content, dict) and "scores" in content:
        task = field(content, "task_name", str, file, "MTEB")
        given = field(content, "scores", dict, file, "MTEB")
        splits = {split: list(_subsets(split, value, file)) for split, value in given.items()}
    else:
        task = field(content, "mteb_dataset_name", str, file, "MTEB")
        given = {k: v for k, v in content.items() if isinstance(v, dict) and k not in _BESIDE}
        splits = {split: _older(value) for split, value in given.items()}
    if not any(splits.values()):
        raise bad_file(file, f"[empty] has no score for {task!r}", "run the task again")
    folder = file.resolve().parent
    experiment = folder.name if folder.parent.name == "experiments" else ""
    revision = folder.parent.parent if experiment else folder
    model = _model(folder, revision) + (f" ({experiment})" if experiment else "")
    return _MtebResult(file, model, revision.name, task, splits)


def _subsets(split: str, given: object, file: Path) -> Iterator[dict[str, Any]]:
    for one in given if isinstance(given, list) else [given]:
        if not isinstance(one, dict):
            problem = f"[wrong-type] has {one!r} among the scores of {split!r}"
            raise bad_file(file, problem, "name a file that MTEB wrote")
        yield one


def _older(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Scores of a split before 1.11: of one subset, or {language: scores}."""
    inside = {k: v for k, v in given.items() if isinstance(v, dict) and "main_score" in v}
    if "main_score" in given or not inside:
        return [dict(given)]
    return [dict(scores) | {"hf_subset": name} for name, scores in inside.items()]


def _model(folder: Path, revision: Path) -> str:
    about = folder / "model_meta.json"
    content = load_json(about) if about.is_file() else {}
    name = content.get("name") if isinstance(content, dict) else None
    return str(name) if name else model_of_folder(revision.parent.name)


def _split(one: _MtebResult, options: Options) -> list[str]:
    wanted = options.filter
    if wanted is not None:
        if wanted not in one.splits:
            problem = f"[missing-field] is not a split of {one.task!r} in {one.file.name}"
            raise BadInput("filter", wanted, problem, f"it has {listed(one.splits, 9)}")
        return [wanted]
    return ["test"] if "test" in one.splits else list(one.splits)


def _agents(results: Sequence[_MtebResult], found: Storage) -> dict[tuple[str, str], str]:
    """Models; with their revisions where one task was run with several of them."""
    runs = Counter((one.model, one.task) for one in results)
    twice = {model for (model, _), n in runs.items() if n > 1}
    if twice:
        shown = ", ".join(sorted(twice)[:3])
        found.note("agents", f"{shown}: several revisions ran the same task, and are agents of their own")
    return {
        (one.model, one.revision): one.model + f" ({one.revision[:12]})" * (one.model in twice)
        for one in results
    }
