"""SWE-bench, per instance: which issues a system resolved.

Three files of the harness (2.x-4.x) and its leaderboard are read:

    <model>.<run>.json   a report: submitted_ids, resolved_ids, unresolved_ids, empty_patch_ids, error_ids,
                         incomplete_ids (never submitted), total_instances
    logs/run_evaluation/<run>/<model>/<instance>/report.json   {instance: {resolved, tests_status, ...}}
    <submission>/results/results.json   of the leaderboard: resolved, no_generation, no_logs ...

Errors and empty patches count as not resolved, as in SWE-bench's own rate. Where both a report and the
instances of a run are there, the report is read. A leaderboard file lists what was resolved and not what was
tried, so the instances are those that any of the files names. (harness/reporting.py and grading.py of
swebench 5.0.2, read in November 2026.)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.parts import loaded, model_of_folder, names_by_file
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import bad_file, listed, stem_of

__all__ = ["read_swe_bench", "repository_of"]

_GENERIC = ("results", "report", "results.json", "eval", "evaluation")
_FAILED = ("unresolved_ids", "empty_patch_ids", "error_ids")


def read_swe_bench(files: Sequence[Path], found: Storage) -> None:
    """Agents are systems, families are repositories, items are instances."""
    kinds: dict[str, dict[Path, dict[str, Any]]] = {"report": {}, "board": {}, "instance": {}}
    for file, content in loaded(files, found).items():
        with found.reading(file):
            kinds[_kind(content, file)][file] = content
    runs = {_run_of(file) for file in kinds["instance"]}
    reported = _reports(kinds["report"], runs, found)
    _boards(kinds["board"], found)
    alone = {f: one for f, one in kinds["instance"].items() if _run_of(f) not in reported}
    _instances(alone, found)
    twice = len(kinds["instance"]) - len(alone)
    if twice:
        found.note("files", f"{twice} instances are in a report, and were read there")


def _kind(content: Any, file: Path) -> str:
    if isinstance(content, dict):
        if isinstance(content.get("resolved_ids"), list):
            return "report"
        if isinstance(content.get("resolved"), list):
            return "board"
        if content and all(isinstance(one, dict) and "resolved" in one for one in content.values()):
            return "instance"
    problem = "[wrong-type] has no list of resolved instances (resolved_ids, resolved)"
    raise bad_file(file, problem, "name a report of SWE-bench")


def repository_of(instance: str) -> str:
    """The repository of an instance."""
    return instance.rpartition("-")[0].replace("__", "/", 1)


def _add(found: Storage, agent: str, instance: str, solved: bool, trial: object = None) -> None:
    found.add(agent, repository_of(instance), instance, float(solved), trial=trial)


def _ids(content: Mapping[str, Any], name: str, file: Path) -> list[str]:
    given = content.get(name, [])
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        problem = f"[wrong-type] has {name} that is not a list of names"
        raise bad_file(file, problem, "write the report again")
    return given


def _run_of(file: Path) -> tuple[str, str]:
    """Model and run of an instance: logs/run_evaluation/<run>/<model>/<instance>/report.json."""
    parents = [one.name for one in file.resolve().parents][:3]
    model, run = [*parents, "", ""][1:3]
    return model, run


def _reports(
    reports: Mapping[Path, Any], runs: Collection[tuple[str, str]], found: Storage
) -> set[tuple[str, str]]:
    """Read the reports; gives those of the runs that have one, by which its model is known."""
    if not reports:
        return set()
    known = {f"{model}.{run}": (model, run) for model, run in runs}
    own = {file: known[stem_of(file)] for file in reports if stem_of(file) in known}
    names = {file: model_of_folder(model) for file, (model, _) in own.items()}
    others = [f for f in reports if f not in own or found.options.agent_from in ("file", "folder")]
    if others:
        names |= names_by_file(others, found, generic=_GENERIC, prefer="file")
    for file, content in reports.items():
        with found.reading(file):
            solved = set(_ids(content, "resolved_ids", file))
            failed = {one for name in _FAILED for one in _ids(content, name, file)}
            failed |= set(_ids(content, "submitted_ids", file)) - solved
            if not solved | failed:
                raise bad_file(file, "[empty] does not name any instance", "write the report again")
            said = (
                "instances with an empty patch or an error count as failed, as in the headline of SWE-bench"
            )
            found.count("gaps", said, len({x for k in _FAILED[1:] for x in _ids(content, k, file)}))
            never = set(_ids(content, "incomplete_ids", file)) - failed - solved
            said = "instances were never submitted, and are missing (incomplete_ids)"
            found.count("gaps", said, len(never))
            for instance in sorted(solved | failed):
                _add(found, names[file], instance, instance in solved)
    return set(own.values())


def _boards(boards: Mapping[Path, Any], found: Storage) -> None:
    if not boards:
        return
    names = _submissions(list(boards), found)
    named: dict[Path, set[str]] = {}
    for file, content in boards.items():
        with found.reading(file):
            lists = [name for name, value in content.items() if isinstance(value, list)]
            named[file] = {one for name in lists for one in _ids(content, name, file)}
    known = sorted(set().union(*named.values()))
    if not known:
        raise bad_file(next(iter(boards)), "[empty] does not name any instance", "name another file")
    for file in named:
        with found.reading(file):
            solved = set(_ids(boards[file], "resolved", file))
            for instance in known:
                _add(found, names[file], instance, instance in solved)
    said = (
        "instances are named by some submission; what a submission does not list as resolved counts as not "
        "resolved. Instances that no file names cannot be seen, so that rates are higher than those of the "
        "leaderboard, which divides by the whole split"
    )
    found.count("items", said, len(known))


def _submissions(files: Sequence[Path], found: Storage) -> dict[Path, str]:
    """<submission>/results/results.json: the submission is the folder above."""
    nested = [f for f in files if f.resolve().parent.name == "results"]
    if len(nested) < len(files):
        return names_by_file(files, found, generic=_GENERIC, prefer="file")
    names = {file: file.resolve().parent.parent.name for file in files}
    shown = listed(names.values())
    found.note_once(f"agents are called after the folders of their submissions ({shown})")
    return names


def _instances(reports: Mapping[Path, Any], found: Storage) -> None:
    """One report per instance: the model is the folder above, the run the one above that."""
    runs: set[str] = set()
    for file, content in reports.items():
        model, run = _run_of(file)
        runs.add(run)
        agent = run if found.options.agent_from == "folder" else model_of_folder(model)
        with found.reading(file):
            for instance, one in content.items():
                if not isinstance(one["resolved"], bool):
                    problem = f"[wrong-type] has resolved={one['resolved']!r} for {instance!r}"
                    raise bad_file(file, problem, "write the report again")
                _add(found, agent, instance, one["resolved"], trial=run)
    if reports:
        said = "agents are called after the folders of the models"
        more = f", and the {len(runs)} runs ({', '.join(sorted(runs)[:3])}) are repeats"
        found.note_once(said + more * (len(runs) > 1))
        found.note_once("instances without a report.json (errors, empty patches) are missing")
