"""Is more of a metric better? The log says, or its name does; where neither does, the caller must.

Perplexities, error rates, distances, times and costs are better when small. Read as they are, they would rank
the worst first; so their scores are turned round: 1 - x where they are shares, and -x otherwise. What has no
upper end (bits per byte, a loss, a cost) is not a share, even where all of it happens to lie below 1.
"""

from __future__ import annotations

import re

from gindex_lab.foundation.errors import BadInput
from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.options import Options

__all__ = ["direction_of", "is_unbounded", "settle_direction"]

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
        raise BadInput(
            "metric",
            metric,
            "may be better when larger or when smaller: neither the log nor its name tells",
            f"say which: --higher-is-better {metric} or --lower-is-better {metric}",
            code="unknown-direction",
        )
    if way is None:
        said = f"{metric!r} is taken to be better when larger: neither log nor name tells"
        found.note("direction", said, "lower_is_better=[...] (--lower-is-better)")
    if way == "lower":
        found.turn_round(metric, family, item, endless=is_unbounded(metric))
    return way or "higher"
