"""Percentile and BCa limits by literal resampling, for a block of agents at a time.

All agents meet the same draws, so a block is computed by itself from a copy of the generator: on one
core, on many or on a cluster the limits are the same, and with a checkpoint finished blocks are kept. The
size of a block depends on the number of resamples alone, never on who computes it.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

import numpy as np

from gindex_lab.errors import BadInput
from gindex_lab.journals import Journal, continued, fingerprint
from gindex_lab.uncertainty.contributions import contributions_of
from gindex_lab.uncertainty.resample import MEASURES, draws, jackknife, measures_of, quantiles
from gindex_lab.uncertainty.samples import Sample
from gindex_lab.uncertainty.studentised import Limits
from gindex_lab.validate import FloatArray

__all__ = ["Plan", "resampled_limits", "stacked"]

FORMAT = "gindex_lab bootstrap 1"
_BLOCK = 4_000_000  # draws of one measure that are held at a time
_DRAWN = [name for name in MEASURES if name != "generality"]


@dataclass(frozen=True)
class Plan:
    """How limits are read off: `method` ("percentile" or "bca"), confidence `ci`, `resamples`."""

    method: str
    ci: float
    resamples: int


def resampled_limits(
    sample: Sample,
    plan: Plan,
    random: np.random.Generator,
    jobs: int | None = 1,
    checkpoint: str | PathLike[str] | None = None,
) -> Limits:
    """Lower and upper limit (A,) of each measure; finished blocks are taken from the checkpoint."""
    size = max(1, _BLOCK // plan.resamples)
    count = len(sample.blocks(size))
    journal = None
    if checkpoint is not None:
        journal = Journal(checkpoint, _header(sample, plan, size, random))
    shared = (sample, plan, size, random)
    parts = continued(
        journal, _block, range(count), key="block", shared=shared, jobs=jobs, progress="bootstrap"
    )
    return stacked(map(_read, parts))


def _block(
    sample: Sample, plan: Plan, size: int, random: np.random.Generator, k: int
) -> dict[str, Any]:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    blocks = sample.blocks(size)
    with threadpool_limits(None if len(blocks) == 1 else 1):  # threads may sum in another order
        return {"limits": _written(_drawn(blocks[k], plan, copy.deepcopy(random)))}


def _header(sample: Sample, plan: Plan, size: int, random: np.random.Generator) -> dict[str, Any]:
    """What must agree for two runs to be parts of one."""
    state = repr(random.bit_generator.state).encode()
    scale = np.array([*sample.interval, sample.origin])
    given = [sample.values, sample.codes, scale, sample.difficulty, sample.trials]
    return {
        "format": FORMAT,
        **asdict(plan),
        "agents in a block": size,
        "resample": sample.word,
        "estimator": sample.estimator,
        "draws": hashlib.sha256(state).hexdigest()[:16],
        "responses": fingerprint(part for part in given if part is not None),
    }


def _written(ends: Limits) -> dict[str, list[list[float]]]:
    return {name: [low.tolist(), high.tolist()] for name, (low, high) in ends.items()}


def _read(entry: dict[str, Any]) -> Limits:
    found = entry["limits"]
    return {name: (np.array(found[name][0]), np.array(found[name][1])) for name in MEASURES}


def stacked(parts: Iterable[Limits]) -> Limits:
    """Limits of several blocks of agents as those of all."""
    found = list(parts)
    return {
        name: (
            np.concatenate([part[name][0] for part in found]),
            np.concatenate([part[name][1] for part in found]),
        )
        for name in MEASURES
    }


def _drawn(sample: Sample, plan: Plan, random: np.random.Generator) -> Limits:
    """Percentile or BCa limits from literal resampling."""
    if plan.method == "bca" and sample.trials is not None:
        raise BadInput(
            "method", plan.method, "is not offered for trials", "use 'studentised' or 'percentile'"
        )
    drawn = draws(sample, plan.resamples, random)
    levels = np.array([(1 - plan.ci) / 2, (1 + plan.ci) / 2])
    at = {name: np.repeat(levels[:, None], len(sample.agents), axis=1) for name in MEASURES}
    if plan.method == "bca":
        found = contributions_of(sample)
        estimate = measures_of(found.area, found.moment, found.mean, found.interval, found.origin)
        left_out = jackknife(sample)
        at = {
            name: _accelerated(drawn[name], estimate[name], left_out[name], levels)
            for name in _DRAWN
        }
    ends = {
        name: (quantiles(drawn[name], at[name][0]), quantiles(drawn[name], at[name][1]))
        for name in _DRAWN
    }
    low, high = ends["spread"]
    with np.errstate(divide="ignore"):
        return ends | {"generality": (1 / high, 1 / low)}


def _accelerated(
    drawn: FloatArray, estimate: FloatArray, left_out: FloatArray, levels: FloatArray
) -> FloatArray:
    """The levels (2, A) at which BCa reads the draws: z₀ from their bias, a from the jackknife.

    α = Φ(z₀ + (z₀ + z)/(1 - a(z₀ + z))), a = Σd³ / 6(Σd²)^(3/2)  (Efron 1987, Eq. 2.3 and 6.6).
    """
    from scipy.special import ndtr, ndtri

    below = (drawn < estimate).mean(axis=0) + (drawn == estimate).mean(axis=0) / 2
    bias = ndtri(np.clip(below, 1 / (2 * len(drawn)), 1 - 1 / (2 * len(drawn))))
    pull = np.nanmean(left_out, axis=0) - left_out
    size = np.nansum(pull**2, axis=0) ** 1.5
    acceleration = np.divide(
        np.nansum(pull**3, axis=0), 6 * size, out=np.zeros_like(size), where=size > 0
    )
    shifted = bias + ndtri(levels)[:, None]
    return np.asarray(ndtr(bias + shifted / np.maximum(1 - acceleration * shifted, 1e-3)))
