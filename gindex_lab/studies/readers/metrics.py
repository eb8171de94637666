"""Which of a log's metrics is the response? Those asked for, else the log's own first; always said.

A metric counts as a candidate if it is a number (True and False are 1 and 0) and more of it is better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.notes import Note
from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.options import Options

__all__ = ["Metrics", "choose_metric", "lacks_metric", "note_metrics"]


class Metrics:
    """Of each task the metric that is read, and which others there are: one item, one metric.

    >>> metrics = Metrics(Collector("logs"), Options())
    >>> metrics.of("arc", ["acc", "f1"], "a.json"), metrics.of("arc", ["f1", "acc"], "b.json")
    ('acc', 'acc')
    """

    def __init__(self, found: Collector, options: Options) -> None:
        self.found, self.options = found, options
        self.chosen: dict[str, str] = {}
        self.others: dict[str, set[str]] = {}

    @property
    def state(self) -> tuple[dict[str, str], dict[str, set[str]]]:
        """What is to be forgotten with a bad file (`Storage.reading`)."""
        return self.chosen, self.others

    def of(
        self,
        task: str,
        names: Sequence[str],
        path: object,
        first: Sequence[str] = (),
        what: str = "",
    ) -> str:
        """The metric of a task: as asked for, else the first of `first` (or all); later files need it too."""
        what = what or f"task {task!r}"
        self.others.setdefault(task, set()).update(names)
        metric = self.chosen.get(task)
        if metric is None:
            wanted = self.options.metrics_of(task)
            metric = choose_metric(
                list(first or names) if not wanted else names, wanted, path, what
            )
            self.chosen[task] = metric
        if metric not in names:
            raise lacks_metric(metric, path, what)
        return metric

    def say(self) -> None:
        """Note what was read."""
        self.found.notes.extend(note_metrics(self.chosen, self.others))


def choose_metric(candidates: Sequence[str], wanted: Sequence[str], path: object, what: str) -> str:
    """The metric to read of one task: the first of `wanted` that is there, else the first candidate.

    >>> choose_metric(["acc", "acc_norm"], ["acc_norm"], "logs", "task 'arc'")
    'acc_norm'
    >>> choose_metric(["acc"], ["f1"], "logs", "task 'arc'")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: metric='f1': is not in task 'arc'; it has 'acc': name one of them
    """
    if not candidates:
        problem = f"[no-metric] has no metric of {what} that is a number"
        raise BadInput("path", str(path), problem, "name another log, or leave the task out")
    for name in wanted:
        if name in candidates:
            return name
    if wanted:
        shown = ", ".join(map(repr, candidates[:8])) + " …" * (len(candidates) > 8)
        remedy = f"it has {shown}: name one of them"
        raise BadInput(
            "metric",
            wanted[0] if len(wanted) == 1 else list(wanted),
            f"is not in {what}",
            remedy,
            code="not-found",
        )
    return candidates[0]


def lacks_metric(metric: str, path: object, what: str) -> BadInput:
    """The error for a log without the metric by which the other logs of a task were read.

    >>> str(lacks_metric("acc", "b.jsonl", "task 'arc'"))[:68]
    "path='b.jsonl': has no 'acc' of task 'arc', by which other logs were"
    """
    problem = f"has no {metric!r} of {what}, by which other logs were read"
    remedy = "choose one that all of them have with metric=... (--metric), or read them apart"
    return BadInput("path", str(path), problem, remedy, code="no-common-metric")


def note_metrics(chosen: Mapping[str, str], others: Mapping[str, set[str]]) -> list[Note]:
    """One line for each metric that was read: of which tasks, and what else there was.

    >>> note_metrics({"arc": "acc", "boolq": "acc"}, {"arc": {"acc_norm"}})
    ["metric 'acc' was read (2 tasks); the logs also have 'acc_norm': change it with metric=... (--metric)"]
    """
    notes: list[Note] = []
    for metric in dict.fromkeys(chosen.values()):
        tasks = [task for task, name in chosen.items() if name == metric]
        also = sorted(set().union(*(others.get(task, set()) for task in tasks)) - {metric})
        of = f"{len(tasks)} tasks" if len(tasks) > 1 else f"task {tasks[0]!r}"
        more = ", ".join(map(repr, also[:6])) + " …" * (len(also) > 6)
        rest = f"; the logs also have {more}" if also else ""
        change = "metric=... (--metric)" if also else ""
        notes.append(Note("metric", f"metric {metric!r} was read ({of}){rest}", change))
    return notes
