"""promptfoo (0.60 and newer): each test case under each provider and prompt, passed or not.

Read are `--output` files and exports as JSON and YAML ({"results": {"version": 3, "results": [...]}, ...} or
{"config", "results": [...]}), JSONL (one result a line) and CSV (for each prompt a column
`[provider] prompt`, then Status, Score; in older files a cell begins with `[PASS] (1.00)`). A result has
`provider`, `prompt`, `vars`, `success`, `score`, `namedScores` and `failureReason` (2 is an error). The
response is `success`, which makes promptfoo's pass rate; an error counts as not passed there, and here.
Equal test cases are repeats; files of one name and several endings hold the same evaluation, and one of them
is read. (promptfoo 0.121.20, run with its echo provider in November 2026.)
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import short
from gindex_lab.foundation.files import whole_lines
from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.metrics import choose_metric, note_metrics, settle_direction
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import (
    Identities,
    Repeats,
    document,
    mapping,
    note_failures,
    score_of,
    text_code,
    wrong_field,
)  # fmt: skip
from gindex_lab.studies.readers.roles import keep_roles
from gindex_lab.studies.readers.text import LINES, json_lines, open_text, plain

__all__ = ["read_promptfoo"]

_CELL = re.compile(r"'?\[(PASS|FAIL|ERROR)\]\s*(?:\((-?[\d.]++)[^)]*\))?")


class _PromptfooResult(NamedTuple):
    provider: str
    prompt: str
    label: str  # of the test
    content: object  # what tells the test from others
    scores: dict[str, Any]
    error: bool


def read_promptfoo(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are providers (with the prompt where there are several), items are test cases."""
    by_file: dict[Path, list[_PromptfooResult]] = {}
    for file in _once(files, found):
        with found.reading(file, options):
            by_file[file] = list(_results(file, found, options))
    results = [one for some in by_file.values() for one in some]
    if not results:
        raise wrong_field(files[0], "[empty] has no result", "run the evaluation again")
    names = dict.fromkeys(name for one in results for name in one.scores)
    metric = choose_metric(list(names), options.metrics, files[0], "the results")
    settle_direction(metric, found, options)
    agents = _agents(results, found)
    items, turn = Identities(), Repeats()
    labels: dict[int, str] = {}  # a test that stands there twice is one item
    for file, some in by_file.items():
        with found.reading(file, options):
            for one in some:
                label = labels.setdefault(text_code(one.content), one.label)
                item = items.name("", label, one.content)
                value = score_of(one.scores.get(metric), file, repr(item))
                agent = agents[one.provider, one.prompt]
                found.add(agent, "", item, value, trial=turn.next(agent, "", item))
                if isinstance(one.content, list) and isinstance(one.content[0], dict):
                    variables = one.content[0]
                    keep_roles(found, "", item, variables, options)
                found.detail(text=text_code(one.content), errored=one.error)
    found.notes.extend(note_metrics({"tests": metric}, {"tests": set(names)}))
    errors = sum(one.error for one in results)
    if metric == "success":
        note_failures(found, errors, "results that ended in an error", "promptfoo")
    else:
        found.note_count(errors, "results ended in an error; their score is the one in the file")
    items.say(found)


def _once(files: Sequence[Path], found: Collector) -> list[Path]:
    """Each evaluation once: `-o out.json -o out.csv` writes it in both."""
    order = (".json", ".yaml", ".yml", ".jsonl", ".ndjson", ".csv", ".tsv")
    kinds = {file: plain(file).suffix.lower() for file in files}
    same: dict[Path, list[Path]] = {}
    for file in sorted(files, key=lambda each: order.index(kinds[each])):
        same.setdefault(plain(file).with_suffix(""), []).append(file)
    left = [file.name for some in same.values() for file in some[1:]]
    if left:
        said = f"{len(left)} files hold the same evaluation as another ({', '.join(left[:3])})"
        found.note("files", said, "naming the file")
    return [some[0] for some in same.values()]


def _agents(results: Sequence[_PromptfooResult], found: Collector) -> dict[tuple[str, str], str]:
    """Providers; one that was given several prompts is an agent with each of them."""
    pairs = dict.fromkeys((one.provider, one.prompt) for one in results)
    count = Counter(provider for provider, _ in pairs)
    prompts = list(dict.fromkeys(prompt for provider, prompt in pairs if count[provider] > 1))
    numbers = {prompt: f"prompt {k + 1}" for k, prompt in enumerate(prompts)}
    if prompts:
        shown = "; ".join(f"{numbers[p]}: {short(p)}" for p in prompts[:3])
        found.notes.append(
            f"a provider with each of the {len(prompts)} prompts is an agent ({shown} …)"
        )
    return {
        (provider, prompt): f"{provider} ({numbers[prompt]})" if count[provider] > 1 else provider
        for provider, prompt in pairs
    }


# -- JSON, YAML, JSONL -------------------------------------------------------------------------------


def _results(file: Path, found: Collector, options: Options) -> Iterator[_PromptfooResult]:
    suffix = plain(file).suffix.lower()
    if suffix in (".csv", ".tsv"):
        yield from _table(file, options)
        return
    rows: Iterable[Any]
    if suffix in LINES:
        rows = (row for _, row in json_lines(file, found.notes, options.encoding))
    else:
        content = document(file, options)
        rows = content if isinstance(content, list) else _listed(content, file)
    for number, row in enumerate(rows, 1):
        yield _result(row, number, file)


def _listed(content: Any, file: Path) -> list[Any]:
    results = content.get("results") if isinstance(content, dict) else None
    rows = results.get("results") if isinstance(results, dict) else results
    if not isinstance(rows, list):
        problem = f"has results={short(rows)} where promptfoo writes a list"
        raise wrong_field(file, problem, "export it again with `promptfoo export eval`")
    return rows


def _result(row: Any, number: int, file: Path) -> _PromptfooResult:
    if not isinstance(row, dict) or not isinstance(row.get("success"), bool):
        problem = f"has no success (true or false) in result {number}"
        raise wrong_field(file, problem, "export it again with `promptfoo export eval`")
    provider, prompt, test = row.get("provider"), mapping(row, "prompt"), mapping(row, "testCase")
    name = provider.get("label") or provider.get("id") if isinstance(provider, dict) else provider
    if not name:
        raise wrong_field(file, f"names no provider in result {number}", "export it again")
    values = test.get("vars") if "vars" in test else row.get("vars")
    scores = {"success": row["success"], "score": row.get("score")}
    scores |= mapping(row, "namedScores")
    index = row.get("testIdx")
    label = str(
        test.get("description") or f"test {index + 1 if isinstance(index, int) else number}"
    )
    written = str(prompt.get("label") or prompt.get("display") or prompt.get("raw") or "")
    content = [values, test.get("assert"), test.get("description")]
    return _PromptfooResult(
        str(name), written, label, content, scores, row.get("failureReason") == 2
    )


# -- CSV ---------------------------------------------------------------------------------------------


def _table(file: Path, options: Options) -> Iterator[_PromptfooResult]:
    separator = "\t" if plain(file).suffix.lower() == ".tsv" else ","
    with open_text(file, options.encoding) as text:
        rows = csv.reader(whole_lines(text, file), delimiter=separator)
        header = [name.lstrip("\ufeff") for name in next(rows, [])]
        prompts = _prompts(header)
        if not prompts:
            raise wrong_field(file, "[missing-field] has no column of a prompt", "export it again")
        for number, row in enumerate(rows, 1):
            if row and len(row) != len(header):
                raise wrong_field(file, f"has {len(row)} cells in row {number}", "export it again")
            for at, (provider, prompt) in prompts.items() if row else ():
                status, score = _verdict(row, header, at)
                if status:
                    scores = {"success": status == "PASS", "score": score}
                    content = row[: min(prompts)]
                    yield _PromptfooResult(
                        provider, prompt, f"test {number}", content, scores, status == "ERROR"
                    )


def _prompts(header: Sequence[str]) -> dict[int, tuple[str, str]]:
    """The columns that hold answers, with provider and prompt."""
    newer = [k for k in range(len(header) - 1) if header[k + 1] == "Status"]
    older = [k for k, name in enumerate(header) if re.match(r"\[[^]]+\] ", name)]
    found = {}
    for k in newer or older:
        match = re.match(r"\[([^]]+)\] ?(.*)", header[k], re.DOTALL)
        found[k] = (match[1], match[2]) if match else (header[k], "")
    return found


def _verdict(row: Sequence[str], header: Sequence[str], at: int) -> tuple[str, float | None]:
    if at + 2 < len(header) and header[at + 1] == "Status":
        return row[at + 1], float(row[at + 2]) if row[at + 2] else None
    match = _CELL.match(row[at])
    if not match:
        return "", None
    return match[1], float(match[2]) if match[2] else None
