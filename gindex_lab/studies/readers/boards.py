"""ARC Prize and BFCL: scores by task, and counts by category.

arc-agi-benchmarking writes one results.json per model: {score (per cent), total_tasks, task_results: {task:
{score, cost, attempts ...}}}. The Berkeley Function-Calling Leaderboard writes for each model and category
score/<model>/BFCL_v3_<category>_score.json: a first line {accuracy, correct_count, total_count}, and then
only the answers that were *wrong*. What was right is not listed there, so that a category is one item, its
score a mean. (bfcl-eval and arc-agi-benchmarking, layouts of 2025.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from gindex_lab.studies.readers.parts import field, loaded, names_by_file, score_of
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.text import bad_file, json_lines, stem_of

__all__ = ["read_arc_prize", "read_bfcl"]

_CATEGORY = re.compile(r"(?:BFCL_v\d+_)?(?P<name>.+?)(?:_score)?")


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
            head = rows[0][1]
            score = score_of(head.get("accuracy"), file, "the category")
            right, of = (as_number(head.get(name)) for name in ("correct_count", "total_count"))
            if right is None or of is None or not abs(score * of - right) <= 1:
                problem = f"[wrong-type] has accuracy={score:g} beside {right} right of {of}"
                raise bad_file(file, problem, "score it again, or leave it out")
            category = _CATEGORY.fullmatch(stem_of(file))
            found.add(agents[file], "", category["name"] if category else file.stem, score)
    found.note("items", "BFCL lists only what was wrong: each category is one item, its score a mean")
