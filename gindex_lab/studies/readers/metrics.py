"""Which of a log's metrics is the response, and is more of it better?

Those asked for are read, else the log's own first, and that is always noted. A metric is a candidate if it is
a number (True and False are 1 and 0) and more of it is better. The direction is what the log says, or what
the name of the metric tells; where neither does, the caller must say it. Perplexities, error rates,
distances, times and costs are better when small. Read as they are, they would rank the worst first; so their
scores are turned round: 1 - x where they are shares, and -x otherwise. A metric without an upper end (bits
per byte, a loss, a cost) is not a share, even where all of its values happen to lie below 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.notes import Note
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import bad_file, listed

__all__ = ["Metrics", "direction_of", "is_unbounded", "lacks_metric", "rising", "settle_direction"]


class Metrics:
    """Of each task the metric that is read, and which others there are: one item, one metric."""

    def __init__(self, found: Storage) -> None:
        self.found = found
        self.chosen: dict[str, str] = {}
        self.others: dict[str, set[str]] = {}
        found.remember(self.chosen, self.others)

    def of(
        self, task: str, names: Iterable[str], path: Path | str, first: Sequence[str] = (), what: str = ""
    ) -> str:
        """The metric of a task ("" for all): as asked for, else the first of `first` (or of `names`).

        Later files need it too.
        """
        known, what = list(names), what or f"task {task!r}"
        self.others.setdefault(task, set()).update(known)
        if task not in self.chosen:
            wanted = self.found.options.metrics_of(task)
            self.chosen[task] = choose_metric(known if wanted else list(first or known), wanted, path, what)
        if self.chosen[task] not in known:
            raise lacks_metric(self.chosen[task], path, what)
        return self.chosen[task]

    def say(self) -> None:
        """Note each metric that was read: of which tasks, and what else there was."""
        for metric in dict.fromkeys(self.chosen.values()):
            tasks = [task for task, name in self.chosen.items() if name == metric]
            also = sorted(set().union(*(self.others.get(task, set()) for task in tasks)) - {metric})
            of = f" ({len(tasks)} tasks)" if len(tasks) > 1 else f" (task {tasks[0]!r})" if tasks[0] else ""
            rest = f"; the logs also have {listed(also, 6)}" if also else ""
            change = "metric=... (--metric)" if also else ""
            self.found.notes.append(Note("metric", f"metric {metric!r} was read{of}{rest}", change))


def choose_metric(candidates: Sequence[str], wanted: Sequence[str], path: Path | str, what: str) -> str:
    """The metric to read of one task: the first of `wanted` that is there, else the first candidate."""
    if not candidates:
        problem = f"[no-metric] has no metric of {what} that is a number"
        raise bad_file(path, problem, "name another log, or leave the task out")
    for name in wanted or candidates[:1]:
        if name in candidates:
            return name
    given = wanted[0] if len(wanted) == 1 else list(wanted)
    remedy = f"it has {listed(candidates, 8)}: name one of them"
    raise BadInput("metric", given, f"[not-found] is not in {what}", remedy)


def lacks_metric(metric: str, path: Path | str, what: str) -> BadInput:
    """The error for a log without the metric by which the other logs of a task were read."""
    problem = f"[no-common-metric] has no {metric!r} of {what}, by which other logs were read"
    remedy = "choose one that all of them have with metric=... (--metric), or read them apart"
    return bad_file(path, problem, remedy)


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
# Measures that stay what they are when called a score or a value (brier_score)
_NAMED = "perplexity ppl wer cer ter mer ece brier crps mae mse rmse mape nll bpb"
_MEASURES = frozenset(_NAMED.split())
_UNBOUNDED = """
perplexity ppl bits bpb bpc loss nll entropy mae mse rmse mape latency ttft runtime duration seconds
milliseconds ms elapsed cost costs price usd regret mistakes fid kl divergence distance emissions co2
difference
"""
_ENDLESS = frozenset(_UNBOUNDED.split())
_ANY = {"score", "scores", "value", "result", "response", "resp"}
# Whole names whose words would mislead
_FALLING = """
likelihood_difference likelihood_diff absolute_value_difference pct_wrong percent_wrong num_wrong
"""
_RISING = "edit_similarity naive_average weighted_average mean_reciprocal_rank reciprocal_rank"
_WHOLE = dict.fromkeys(_FALLING.split(), "lower") | dict.fromkeys(_RISING.split(), "higher")


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
    """Whether the name of a metric that is better when small says that it has no upper end."""
    return bool(_words(name.strip().lower()) & _ENDLESS)


def _words(plain: str) -> set[str]:
    return set(re.findall(r"[a-z]+[0-9]?", plain.replace("_", " ")))


def rising(names: Iterable[str], ways: Mapping[str, str]) -> list[str]:
    """The metrics of which more is better, by the log (`ways`) or their names; all where there are none."""
    known = list(names)
    return [name for name in known if (ways.get(name) or direction_of(name)) != "lower"] or known


def settle_direction(
    metric: str,
    found: Storage,
    *,
    log: str | None = None,
    family: str | None = None,
    item: str | None = None,
    guess: str | None = None,
) -> None:
    """Settle which way a metric runs: as asked for, as the log says (`log`), by its name, or else `guess`.

    A metric that is better when small is marked to be turned round: all of it, of one family (task), or of
    one item. Without a guess an unknown direction is refused where the options say so, and noted otherwise.
    """
    found.directed[metric] = None
    way = found.options.direction(metric) or log or direction_of(metric) or guess
    if way is None and found.options.unknown_direction == "error":
        problem = "may be better when larger or when smaller: neither the log nor its name tells"
        remedy = f"say which: --higher-is-better {metric} or --lower-is-better {metric}"
        raise BadInput("metric", metric, f"[unknown-direction] {problem}", remedy)
    if way is None:
        said = f"{metric!r} is taken to be better when larger: neither log nor name tells"
        found.note("direction", said, "lower_is_better=[...] (--lower-is-better)")
    if way == "lower":
        found.turn_round(metric, family, item, endless=is_unbounded(metric))
