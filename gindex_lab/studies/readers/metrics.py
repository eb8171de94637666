"""Which of a log's metrics is the response, and is more of it better?

Those asked for are read, else the log's own first, and that is always said. A metric counts as a candidate if
it is a number (True and False are 1 and 0) and more of it is better. The log says which way it runs, or its
name does; where neither does, the caller must. Perplexities, error rates, distances, times and costs are
better when small. Read as they are, they would rank the worst first; so their scores are turned round: 1 - x
where they are shares, and -x otherwise. What has no upper end (bits per byte, a loss, a cost) is not a share,
even where all of it happens to lie below 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.notes import Note
from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.options import Options

__all__ = [
    "Metrics",
    "choose_metric",
    "direction_of",
    "is_unbounded",
    "lacks_metric",
    "note_metrics",
    "settle_direction",
]


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
        """What to forget with a bad file (`Storage.reading`)."""
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
            f"[not-found] is not in {what}",
            remedy,
        )
    return candidates[0]


def lacks_metric(metric: str, path: object, what: str) -> BadInput:
    """The error for a log without the metric by which the other logs of a task were read.

    >>> str(lacks_metric("acc", "b.jsonl", "task 'arc'"))[:68]
    "path='b.jsonl': has no 'acc' of task 'arc', by which other logs were"
    """
    problem = f"[no-common-metric] has no {metric!r} of {what}, by which other logs were read"
    remedy = "choose one that all of them have with metric=... (--metric), or read them apart"
    return BadInput("path", str(path), problem, remedy)


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


# -- is more of it better? ---------------------------------------------------------------------------


_SMALL = """
perplexity ppl bits bpb bpc loss nll entropy error errors err wer cer ter mer mae mse rmse mape brier ece
latency ttft runtime duration seconds milliseconds ms elapsed cost costs price usd toxicity toxic
hallucination hallucinations stereotype violation violations regret mistakes failures failure fails fid kl
divergence distance emissions co2 criterion rank ranks incorrect misses missed
"""
_LARGE = """
acc accuracy exact match em f1 score scores correct correctness pass passed success successes solved resolved
reward return win wins elo rating mcc matthews auc auroc auprc precision recall bleu chrf rouge meteor
bertscore ndcg mrr rr map spearman pearson kendall r2 mc1 mc2 response resp value result iou dice equiv
logprob loglikelihood likelihood points marks grade quality reliability kappa agreement macc ibleu
hit hits outcome results punkte richtig faithfulness relevancy relevance helpfulness factuality groundedness
"""
_LOWER, _HIGHER = frozenset(_SMALL.split()), frozenset(_LARGE.split())
# Names of measures, which stay what they are when called a score or a value (brier_score)
_MEASURES = {"perplexity", "ppl", "wer", "cer", "ter", "mer", "ece", "brier", "crps"}
_MEASURES |= {"mae", "mse", "rmse", "mape", "nll", "bpb"}
_UNBOUNDED = """
perplexity ppl bits bpb bpc loss nll entropy mae mse rmse mape latency ttft runtime duration seconds
milliseconds ms elapsed cost costs price usd regret mistakes fid kl divergence distance emissions co2
difference
"""
_ENDLESS = frozenset(_UNBOUNDED.split())
_ANY = {"score", "scores", "value", "result", "response", "resp"}
_WHOLE = {  # names whose words would mislead
    "likelihood_difference": "lower",
    "likelihood_diff": "lower",
    "pct_stereotype": "lower",
    "absolute_value_difference": "lower",
    "edit_distance": "lower",
    "edit_similarity": "higher",
    "failure_rate": "lower",
    "pct_wrong": "lower",
    "percent_wrong": "lower",
    "num_wrong": "lower",
    "naive_average": "higher",
    "mean_reciprocal_rank": "higher",
    "reciprocal_rank": "higher",
    "weighted_average": "higher",
    "refusal_rate": None,
    "success_rate": "higher",
    "bits_per_byte": "lower",
}


def direction_of(name: str) -> str | None:
    """ "higher" or "lower" by the name of a metric, None where it does not tell.

    >>> [direction_of(n) for n in ("acc_norm", "word_perplexity", "brier_score", "pass@1", "zig")]
    ['higher', 'lower', 'lower', 'higher', None]
    """
    plain = name.strip().lower()
    if plain in _WHOLE:
        return _WHOLE[plain]
    words = _words(plain)
    if words & _MEASURES and words & _HIGHER <= _ANY:
        return "lower"
    lower, higher = bool(words & _LOWER), bool(words & _HIGHER)
    return None if lower == higher else "lower" if lower else "higher"


def is_unbounded(name: str) -> bool:
    """Whether the name of a metric that is better when small says that it has no upper end.

    >>> is_unbounded("bits_per_byte"), is_unbounded("error_rate")
    (True, False)
    """
    return bool(_words(name.strip().lower()) & _ENDLESS)


def _words(plain: str) -> set[str]:
    return set(re.findall(r"[a-z]+[0-9]?", plain.replace("_", " ")))


def settle_direction(
    metric: str,
    found: Collector,
    options: Options,
    *,
    log: str | None = None,
    family: str | None = None,
    item: str | None = None,
    guess: str | None = None,
) -> str:
    """Which way a metric runs: as asked for, as the log says (`log`), by its name, or else `guess`.

    A metric that is better when small is marked to be turned round: all of it, of one family (task), or of
    one item. Without a guess an unknown direction is refused where the options say so, and noted otherwise.
    """
    found.directed[metric] = None
    way = options.direction(metric) or log or direction_of(metric) or guess
    if way is None and options.unknown_direction == "error":
        problem = (
            "[unknown-direction] may be better when larger or when "
            "smaller: neither the log nor its name tells"
        )
        remedy = f"say which: --higher-is-better {metric} or --lower-is-better {metric}"
        raise BadInput("metric", metric, problem, remedy)
    if way is None:
        said = f"{metric!r} is taken to be better when larger: neither log nor name tells"
        found.note("direction", said, "lower_is_better=[...] (--lower-is-better)")
    if way == "lower":
        found.turn_round(metric, family, item, endless=is_unbounded(metric))
    return way or "higher"
