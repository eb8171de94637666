"""Benchmarks whose files do not name the model: it is the file's name or the folder's.

EvalPlus (0.3) and BigCodeBench (0.2) write `<model>_..._eval_results.json`: {"eval": {task: [one per sample:
{base_status, plus_status} or {status}]}}; EvalPlus 0.2 wrote {task: {"base": [[status, ...]], "plus": []}}.
BigCodeBench's name is `<org>--<model>--<revision>--bigcodebench[-hard]-<split>--<backend>-...`.
LiveCodeBench writes `output/<model>/Scenario.<scenario>_<n>_<temperature>_eval_all.json`: a list of
{question_id, platform, difficulty, contest_date, graded_list: [true, false ...]}, with `test_id` or `id`
where a question has several tests. Samples of a task are repeats, and their mean is pass@1. (evaluate.py of
evalplus 0.3.1 and bigcodebench 0.2.5, runner/main.py of LiveCodeBench's repository, read in November 2026.)

arc-agi-benchmarking writes one results.json per model: {score (per cent), total_tasks, task_results: {task:
{score, cost, attempts ...}}}. The Berkeley Function-Calling Leaderboard writes for each model and category
score/<model>/BFCL_v3_<category>_score.json: a first line {accuracy, correct_count, total_count}, and then
only the answers that were *wrong*. What was right is not listed there, so that a category is one item, its
score a mean. (bfcl-eval and arc-agi-benchmarking, layouts of 2025.)

SWE-bench says which issues a system resolved. Three files of the harness (2.x-4.x) and its leaderboard are
read:

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

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.metrics import Metrics
from gindex_lab.studies.readers.parts import field, loaded, model_of_folder, names_by_file, rows_of, score_of
from gindex_lab.studies.readers.roles import add_role
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.text import bad_file, json_lines, listed, load_json, stem_of

__all__ = ["read_arc_prize", "read_bfcl", "read_evalplus", "read_livecodebench", "read_swe_bench"]

_SPLIT = re.compile(r"^(.+?)(?:--[\w.]+)?--bigcodebench-?((?:hard-)?(?:instruct|complete))--")
_CATEGORY = re.compile(r"(?:BFCL_v\d+_)?(?P<name>.+?)(?:_score)?")
_SCENARIOS = ("selfrepair", "testoutputprediction", "codeexecution")


def read_evalplus(files: Sequence[Path], found: Storage) -> None:
    """Items are tasks, trials are samples. Of EvalPlus the response is passing all tests, old and new."""
    names = names_by_file(files, found, clean=_without_suffix, generic=("", "samples"), prefer="file")
    metrics = Metrics(found)
    for file in files:
        with found.reading(file):
            content = load_json(file, found.options.encoding)
            tasks = field(content, "eval", dict, file, "EvalPlus")
            if not tasks:
                raise bad_file(file, "[empty] has no task in eval", "run the evaluation again")
            split = _SPLIT.search(stem_of(file))
            for task, given in tasks.items():
                first, slash, rest = task.partition("/")
                first, item = (first, rest) if first and slash else ("", task)
                family = f"{first} {split[2].replace('-', ' ')}".strip() if split else first
                for number, passed in enumerate(_statuses(given, task, file), 1):
                    if family not in metrics.chosen:
                        order = [name for name in ("plus", "status", "base") if name in passed]
                        metrics.of(family, order, file, what=f"task {task!r}")
                    metrics.others[family].update(passed)
                    value = passed.get(metrics.chosen[family], float("nan"))
                    found.add(names[file], family, item, value, trial=number)
    metrics.say()


def _without_suffix(stem: str) -> str:
    """What EvalPlus and BigCodeBench append to the name of a model's samples."""
    split = _SPLIT.search(stem)
    if split:
        return split[1].removesuffix("--skip_prefill").replace("--", "/", 1)
    stem = re.sub(r"([-_.](sanitized|calibrated|raw))*[-_.]?eval_results$", "", stem)
    plus = re.fullmatch(r"(.+?)_[a-z]+_temp_(\d+(?:\.\d+)?)", stem)
    if not plus:
        return stem
    warm = "" if float(plus[2]) == 0 else f" (temperature {plus[2]})"
    return plus[1].replace("--", "/", 1) + warm


def _statuses(given: Any, task: str, file: Path) -> Iterator[dict[str, float]]:
    """Which of the tests each sample of a task passed; `plus` means the old tests as well."""
    if isinstance(given, Mapping):  # EvalPlus before 0.3
        plus = given.get("plus") or []
        for number, one in enumerate(field(given, "base", list, file, "EvalPlus")):
            passed = {"base": _passed(one, task, file)}
            if number < len(plus):
                passed["plus"] = passed["base"] * _passed(plus[number], task, file)
            yield passed
        return
    for one in given if isinstance(given, list) else [given]:
        if not isinstance(one, dict):
            problem = f"[wrong-type] has {one!r} for {task!r}"
            raise bad_file(file, problem, "name a file that EvalPlus wrote")
        names = {"base_status": "base", "plus_status": "plus", "status": "status"}
        found = {new: _passed(one[old], task, file) for old, new in names.items() if one.get(old)}
        if "plus" in found:
            found["plus"] *= found.get("base", 1.0)
        yield found


def _passed(status: Any, task: str, file: Path) -> float:
    word = status[0] if isinstance(status, list) and status else status
    if not isinstance(word, str):
        problem = f"[wrong-type] has status {word!r} for {task!r}"
        raise bad_file(file, problem, "run the evaluation again")
    return float(word in ("pass", "success"))


def read_livecodebench(files: Sequence[Path], found: Storage) -> None:
    """Families are platforms, items are problems with level and date, trials are samples."""
    names = names_by_file(files, found, prefer="folder")
    for file in files:
        with found.reading(file):
            for number, row in rows_of(file, found):
                item = str(row.get("question_id") or row.get("question_title") or "")
                part = row.get("test_id", row.get("id"))
                item += "" if part is None or not item else f"/{part}"
                graded = row.get("graded_list")
                if not item or not isinstance(graded, list):
                    problem = f"[wrong-type] has no graded_list in problem {number}"
                    raise bad_file(file, problem, "grade it again")
                family = _family(file, str(row.get("platform") or ""))
                for trial, solved in enumerate(graded, 1):
                    if not isinstance(solved, (bool, int)):
                        raise bad_file(
                            file, f"[wrong-type] has grade {solved!r} for {item!r}", "grade it again"
                        )
                    found.add(names[file], family, item, float(bool(solved)), trial=trial)
                facts = found.facts_of(family, item)
                add_role(facts, "difficulty", "difficulty", row.get("difficulty"), asked=False)
                if row.get("contest_date"):
                    facts["date"] = str(row["contest_date"])[:10]


def _family(file: Path, platform: str) -> str:
    """The platform; of other scenarios than writing code, the scenario as well."""
    match = re.match(r"(?:Scenario\.)?([a-z]+)_", stem_of(file))
    scenario = match[1] if match and match[1] in _SCENARIOS else ""
    return " ".join(filter(None, (scenario, platform)))


def read_arc_prize(files: Sequence[Path], found: Storage) -> None:
    """Agents are files or folders, items are tasks."""
    agents = names_by_file(files, found, generic=("results",))
    for file, content in loaded(files, found).items():
        with found.reading(file):
            for task, about in field(content, "task_results", dict, file, "ARC Prize").items():
                score = about.get("score") if isinstance(about, dict) else about
                found.add(agents[file], "", str(task), score_of(score, file, f"task {task!r}"))


def read_bfcl(files: Sequence[Path], found: Storage) -> None:
    """Agents are folders, items are categories."""
    agents = names_by_file(files, found, prefer="folder")
    for file in files:
        with found.reading(file):
            rows = list(json_lines(file, found.notes, found.options.encoding))  # all: it may be cut off
            head = rows[0][1] if rows else {}
            score = score_of(head.get("accuracy"), file, "the category")
            right, of = (as_number(head.get(name)) for name in ("correct_count", "total_count"))
            if right is None or of is None or not abs(score * of - right) <= 1:
                problem = f"[wrong-type] has accuracy={score:g} beside {right} right of {of}"
                raise bad_file(file, problem, "score it again, or leave it out")
            category = _CATEGORY.fullmatch(stem_of(file))
            found.add(agents[file], "", category["name"] if category else file.stem, score)
    found.note("items", "BFCL lists only what was wrong: each category is one item, its score a mean")


# -- SWE-bench ---------------------------------------------------------------------------------------


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


def _add(found: Storage, agent: str, instance: str, solved: bool, trial: object = None) -> None:
    repository = instance.rpartition("-")[0].replace("__", "/", 1)  # django__django-11099
    found.add(agent, repository, instance, float(solved), trial=trial)


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
