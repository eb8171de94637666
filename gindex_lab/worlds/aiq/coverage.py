"""How often do the intervals of the AIQ hold the truth? Replications on programs whose values are known.

Testing an agent on many programs once gives a finite population with a known mean. A replication draws a
sample from it (with replacement), lets the estimator choose and "test" programs by looking them up, and
notes whether its intervals hold the mean. So 200 replications cost less than one test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import FloatArray, generator, integer
from gindex_lab.worlds.aiq import stratified
from gindex_lab.worlds.aiq.agents import agent as agent_of
from gindex_lab.worlds.aiq.episodes import run
from gindex_lab.worlds.aiq.estimate import trial_of

__all__ = ["Population", "population", "replications"]


@dataclass(frozen=True)
class Population:
    """Programs whose values are known: `stratum` of each, and `values` (programs x signs x 1)."""

    stratum: npt.NDArray[np.int64]
    values: FloatArray

    @property
    def truth(self) -> float:
        """The mean over all programs."""
        return float(self.values.mean())


def population(
    agent: object, sample: pd.DataFrame, *, episode: int, seed: int = 1, jobs: int | None = 1
) -> Population:
    """Test an agent on every program of a sample; programs that meet the step limit are left out."""
    trial = trial_of(sample, episode, 1.0, seed)
    rows = np.arange(len(sample))
    values = run(agent_of(agent), sample["program"].tolist(), rows, trial, jobs=jobs).values
    kept = ~np.isnan(values).any(axis=(1, 2))
    return Population(sample["stratum"].to_numpy(dtype=np.int64)[kept], values[kept])


def replications(
    programs: Population,
    n: int,
    *,
    runs: int = 4_000,
    size: int | None = None,
    caution: float = stratified.CAUTION,
    seed: SeedLike = 1,
) -> pd.DataFrame:
    """`n` estimates from fresh samples of `size` programs (five per run by default), one per row.

    Columns: `value`, `half` (our interval, t with Satterthwaite's degrees of freedom), `published` (the
    authors' half interval), and whether each `holds` the truth.

    >>> rng = np.random.default_rng(1)
    >>> toy = Population(rng.integers(1, 4, 2000), rng.normal(20, 5, (2000, 2, 1)))
    >>> table = replications(toy, 100, runs=400)
    >>> bool(table["holds"].mean() > 0.88 > table["published_holds"].mean())
    True
    """
    from scipy.stats import t

    rng = generator(seed)
    size = 5 * integer("runs", runs, 4) if size is None else integer("size", size, 1)
    strata = [_one(programs, runs, size, caution, rng) for _ in range(integer("n", n, 1))]
    error = np.array([stratified.standard_error(one, size)[0] for one in strata])
    freedom = np.array([stratified.degrees_of_freedom(one, size)[0] for one in strata])
    table = pd.DataFrame(
        {
            "value": [one.value[0] for one in strata],
            "half": error * t.ppf(0.975, freedom),
            "published": [stratified.reference_half_interval(one)[0] for one in strata],
        }
    )
    off = (table["value"] - programs.truth).abs()
    return table.assign(holds=off <= table["half"], published_holds=off <= table["published"])


def _one(
    programs: Population, runs: int, size: int, caution: float, rng: np.random.Generator
) -> stratified.Strata:
    drawn = rng.integers(0, len(programs.stratum), size)
    stratum = programs.stratum[drawn]
    tested = stratified.adaptive(lambda rows: programs.values[drawn[rows]], stratum, runs, caution)
    probability = np.bincount(stratum) / size
    return stratified.summarise(stratum[tested.rows], tested.values, probability)
