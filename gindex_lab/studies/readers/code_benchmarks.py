"""Benchmarks of code: EvalPlus, BigCodeBench and LiveCodeBench.

EvalPlus (0.3) and BigCodeBench (0.2) write `<model>_..._eval_results.json`: {"eval": {task: [one per sample:
{base_status, plus_status} or {status}]}}; EvalPlus 0.2 wrote {task: {"base": [[status, ...]], "plus": []}}.
BigCodeBench's name is `<org>--<model>--<revision>--bigcodebench[-hard]-<split>--<backend>-...`.
LiveCodeBench writes `output/<model>/Scenario.<scenario>_<n>_<temperature>_eval_all.json`: a list of
{question_id, platform, difficulty, contest_date, graded_list: [true, false ...]}, with `test_id` or `id`
where a question has several tests. Samples of a task are repeats, and their mean is pass@1. None of the files
names its model: it is the file's name or the folder's. (evaluate.py of evalplus 0.3.1 and bigcodebench 0.2.5,
runner/main.py of LiveCodeBench's repository, read in November 2026.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.metrics import choose_metric, note_metrics
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import field, names_by_file, rows_of, wrong_field
from gindex_lab.studies.readers.roles import add_role
from gindex_lab.studies.readers.text import load_json, plain

__all__ = ["read_evalplus", "read_livecodebench"]

_PASSED = ("pass", "success")
_SPLIT = re.compile(r"^(.+?)(?:--[\w.]+)?--bigcodebench-?((?:hard-)?(?:instruct|complete))--")
_SCENARIOS = ("selfrepair", "testoutputprediction", "codeexecution")


def read_evalplus(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Items are tasks, trials are samples. Of EvalPlus the response is passing all tests, old and new."""
    names = names_by_file(
        files, found, options, clean=_without_suffix, generic=("", "samples"), prefer="file"
    )
    chosen: dict[str, str] = {}
    others: dict[str, set[str]] = {}
    for file in files:
        with found.reading(file, options, chosen, others):
            content = load_json(file, options.encoding)
            tasks = field(content, "eval", dict, file, "EvalPlus")
            if not tasks:
                raise wrong_field(file, "[empty] has no task in eval", "run the evaluation again")
            split = _SPLIT.search(plain(file).stem)
            for task, given in tasks.items():
                first = str(task).split("/")[0] if "/" in str(task) else ""
                family = f"{first} {split[2].replace('-', ' ')}".strip() if split else first
                for number, passed in enumerate(_statuses(given, str(task), file), 1):
                    others.setdefault(family, set()).update(passed)
                    if family not in chosen:
                        order = [name for name in ("plus", "status", "base") if name in passed]
                        wanted = options.metrics_of(family)
                        chosen[family] = choose_metric(order, wanted, file, f"task {task!r}")
                    value = passed.get(chosen[family], float("nan"))
                    found.add(names[file], family, _short(task, first), value, trial=number)
    found.notes.extend(note_metrics(chosen, others))


def _short(task: object, family: str) -> str:
    return str(task).removeprefix(f"{family}/") if family else str(task)


def _without_suffix(stem: str) -> str:
    """What EvalPlus and BigCodeBench append to the name of a model's samples.

    >>> _without_suffix("Qwen--Qwen2.5-Coder_vllm_temp_0.0-sanitized_eval_results")
    'Qwen/Qwen2.5-Coder'
    """
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
        base = field(given, "base", list, file, "EvalPlus")
        plus = given.get("plus") or []
        for number, one in enumerate(base):
            passed = {"base": _passed(one, task, file)}
            if number < len(plus):
                passed["plus"] = passed["base"] * _passed(plus[number], task, file)
            yield passed
        return
    if not isinstance(given, list):
        raise wrong_field(file, f"has {given!r} for {task!r}", "name a file that EvalPlus wrote")
    for one in given:
        if not isinstance(one, dict):
            raise wrong_field(file, f"has {one!r} for {task!r}", "name a file that EvalPlus wrote")
        names = {"base_status": "base", "plus_status": "plus", "status": "status"}
        found = {new: _passed(one[old], task, file) for old, new in names.items() if one.get(old)}
        if "plus" in found:
            found["plus"] *= found.get("base", 1.0)
        yield found


def _passed(status: Any, task: str, file: Path) -> float:
    word = status[0] if isinstance(status, list) and status else status
    if not isinstance(word, str):
        raise wrong_field(file, f"has status {word!r} for {task!r}", "run the evaluation again")
    return float(word in _PASSED)


def read_livecodebench(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Families are platforms, items are problems with level and date, trials are samples."""
    names = names_by_file(files, found, options, prefer="folder")
    for file in files:
        with found.reading(file, options):
            for number, row in rows_of(file, found, options):
                item = str(row.get("question_id") or row.get("question_title") or "")
                part = row.get("test_id", row.get("id"))
                item += "" if part is None or not item else f"/{part}"
                graded = row.get("graded_list")
                if not item or not isinstance(graded, list):
                    problem = f"has no graded_list in problem {number}"
                    raise wrong_field(file, problem, "grade it again")
                family = _family(file, str(row.get("platform") or ""))
                for trial, solved in enumerate(graded, 1):
                    if not isinstance(solved, (bool, int)):
                        problem = f"has grade {solved!r} for {item!r}"
                        raise wrong_field(file, problem, "grade it again")
                    found.add(names[file], family, item, float(bool(solved)), trial=trial)
                facts = found.item_facts.setdefault((family, item), {})
                add_role(facts, "difficulty", "difficulty", row.get("difficulty"), asked=False)
                if row.get("contest_date"):
                    facts["date"] = str(row["contest_date"])[:10]


def _family(file: Path, platform: str) -> str:
    """The platform; of other scenarios than writing code, the scenario as well."""
    match = re.match(r"(?:Scenario\.)?([a-z]+)_", plain(file).stem)
    scenario = match[1] if match and match[1] in _SCENARIOS else ""
    return " ".join(filter(None, (scenario, platform)))
