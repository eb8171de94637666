"""Our measurements beside the author's tables, his test over settings, and the coverage of our intervals.

The author compares two samples of programs by a paired t-test over 25 settings of agents (Vadinský 2018,
sections 3.1 and 3.2): `settings_test`. All settings met the same programs, so that a sample which happens
to be easy is easy for all of them; `gl.aiq.null_experiment` shows what the test says where nothing differs.

Coverage: testing an agent on many programs once gives a finite population with a known mean. A replication
draws a sample from it (with replacement), lets the estimator choose and "test" programs by looking them up,
and notes whether its intervals hold the mean. So 200 replications cost less than one test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import AgentLike, SeedLike
from gindex_lab.foundation.many_tests import half_width
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, refuse
from gindex_lab.worlds.aiq import stratified
from gindex_lab.worlds.aiq.agents import agent as agent_of
from gindex_lab.worlds.aiq.episodes import run
from gindex_lab.worlds.aiq.estimate import trial_of

__all__ = [
    *("Population", "beside", "consistent_tests", "population", "published_shares", "published_values"),
    *("replications", "settings_test"),
]

_TABLES = {
    "SEP-orig": "03-Experiment_Results_SEP-orig",
    "SEP-ext": "04-Experiment_Results_SEP-ext",
    "SDP": "05-Experiment_Results_SDP",
}
_COUNTS = "01-SemAnEP_improved_test-results"
_SAMPLES = {
    "BF(5-1)#original": "original",
    "BF(5-1)#SEP-orig": "SEP-orig",
    "BF(5-1)#SEP-ext": "SEP-ext",
    "BF(5-1)#SEP-ext+SDP": "SDP",
}
#: Row of the author's counts (section, characteristic) -> class of `gl.aiq.shares`.
_CLASSES = {
    ("Chance", "instruction is present:"): "chance",
    ("Chance", "surely influences reward:"): "reward_random",
    ("Chance", "surely influences observation:"): "observation_random",
    ("Action", "surely influences reward:"): "reward_action",
    ("Action", "possibly influences reward:"): "reward_sometimes_action",
    ("Action", "surely influences observation:"): "observation_action",
    ("Action", "surely doesn't influence computation:"): "action_pointless",
    ("Infinite loops", "are present:"): "never_ending",
    ("Premature termination", "surely occures"): "write_limit",
    ("Premature termination", "possibly occures"): "write_limit_possible",
    ("Pointless code", "never executed loops"): "never_executed",
    ("Pointless code", "incrementation/decrementation of chance"): "modified_chance",
    (
        "Pointless code",
        "action/chance/incrementation/decrementation overwritten by chance or action",
    ): "overwritten",
    ("Pointless code", "zeroing overwritten by chance or action"): "zeroing_overwritten",
    ("Pointless code", "zeroed chance or action"): "zeroed",
}
# Of the paper and its tables: programs in each of the author's samples; programs behind a printed value
# (N = 10,000 runs; 1,000 of MC-AIXI); the error of values that are printed to 0.1.
_COUNTED, _PAIRS, _PAIRS_OF_MC_AIXI = 200_000, 5_000, 500
_ROUNDING = 0.1 / np.sqrt(12)  # the standard deviation of a uniform error of 0.1


def _table(tables: Mapping[str, pd.DataFrame], name: str) -> pd.DataFrame:
    problem = "[not-published] is not one of the published tables"
    ensure(name in tables, "tables", name, problem, 'use gl.load("aiq_published")')
    return tables[name]


def published_values(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The author's AIQ of each sample, setting and episode length, with its standard error put right.

    The printed half interval counts runs for programs; from the printed spread, the error is
    √(SD²/5,000 + 0.1²/12), with 5,000 programs (500 for MC-AIXI) and the rounding to 0.1.

    Parameters
    ----------
    tables : `gl.load("aiq_published")`

    Returns
    -------
    DataFrame with columns `condition`, `setting`, `episode`, `printed` and `error`.

    References
    ----------
    Vadinský (2018), sections 3.1 and 3.2.

    Examples
    --------
    >>> one = pd.DataFrame({"AIQ": [40.3], "HCI": [0.5], "SD": [24.0], "EL": [1000],
    ...                     "agent": ["Freq"], "configuration": ["0.05"]})
    >>> table = published_values({name: one for name in _TABLES.values()})
    >>> table.loc[1, ["condition", "setting"]].tolist(), float(table["error"].round(2)[1])
    (['SEP-ext', 'Freq,0.05'], 0.34)
    """
    parts = {condition: _table(tables, name) for condition, name in _TABLES.items()}
    table = pd.concat(parts, names=["condition"]).reset_index("condition").reset_index(drop=True)
    pairs = np.where(table["agent"] == "MC_AIXI", _PAIRS_OF_MC_AIXI, _PAIRS)
    setting = table["agent"] + "," + table["configuration"].astype(str)
    found = table[["condition"]].assign(setting=setting, episode=table["EL"], printed=table["AIQ"])
    return found.assign(error=np.sqrt(table["SD"] ** 2 / pairs + _ROUNDING**2))


def published_shares(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The author's counts of classes, in percent.

    Parameters
    ----------
    tables : `gl.load("aiq_published")`

    Returns
    -------
    DataFrame, classes of `gl.aiq.shares` x his four samples.

    References
    ----------
    Vadinský (2018), sections 3.1 and 3.2.

    Examples
    --------
    >>> counts = pd.DataFrame(list(_CLASSES), columns=["section", "Characteristics"])
    >>> counts[list(_SAMPLES)] = 50_000
    >>> published_shares({_COUNTS: counts}).loc["chance"].tolist()
    [25.0, 25.0, 25.0, 25.0]
    """
    counts = _table(tables, _COUNTS).set_index(["section", "Characteristics"])
    found = counts.loc[list(_CLASSES), list(_SAMPLES)].astype(float) / _COUNTED * 100
    return found.set_axis(list(_CLASSES.values())).rename(columns=_SAMPLES).rename_axis("class")


def beside(measured: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """What was both measured and printed, and how far apart the two are.

    Settings share their programs, so that the rows of one sample and length go up and down together.

    Parameters
    ----------
    measured : from a sweep
    published : from `published_values`

    Returns
    -------
    The columns of both, `difference` (measured minus printed) and `apart`, in standard errors of both.

    References
    ----------
    Vadinský (2018), sections 3.1 and 3.2.

    Examples
    --------
    >>> key = {"condition": ["SDP"], "setting": ["Freq,0.05"], "episode": [1000]}
    >>> ours = pd.DataFrame({**key, "value": [47.0], "standard_error": [0.3]})
    >>> beside(ours, pd.DataFrame({**key, "printed": [46.5], "error": [0.4]}))["apart"].tolist()
    [1.0]
    """
    table = measured.merge(published, on=["condition", "setting", "episode"])
    ensure(len(table), "measured", len(measured), "[not-published] is not in the tables", "use gl.aiq.sweep")
    table["difference"] = table["value"] - table["printed"]
    return table.assign(apart=table["difference"] / np.hypot(table["standard_error"], table["error"]))


def settings_test(first: pd.Series, second: pd.Series, alternative: str = "two-sided") -> dict[str, float]:
    """The author's test: paired t over settings, with its 95% interval.

    Parameters
    ----------
    first, second : AIQ by setting (the index of both)
    alternative : "two-sided", or "greater" with a one-sided interval, as in section 3.2

    Returns
    -------
    dict: `difference` (first minus second), `low`, `high`, `t`, `p`, `settings`.

    References
    ----------
    Vadinský (2018), sections 3.1 and 3.2; `t.test(first, second, paired = TRUE)` in R.

    Examples
    --------
    >>> a, b = pd.Series({"Freq": 3.0, "Q": 5.0, "HLQ": 6.0}), pd.Series({"Freq": 2.0, "Q": 3.0, "HLQ": 5.0})
    >>> {name: round(value, 3) for name, value in settings_test(a, b).items()}
    {'difference': 1.333, 'low': -0.101, 'high': 2.768, 't': 4.0, 'p': 0.057, 'settings': 3}
    """
    from scipy.stats import ttest_1samp

    choice("alternative", alternative, ["two-sided", "greater"])
    gain = (first - second).dropna()
    problem = "[too-few] shares fewer than two settings"
    ensure(len(gain) > 1, "first", len(gain), problem, "measure the same settings")
    test = ttest_1samp(gain, 0.0, alternative=alternative)
    low, high = test.confidence_interval(0.95)
    found = {"difference": gain.mean(), "low": low, "high": high, "t": test.statistic, "p": test.pvalue}
    return {name: float(value) for name, value in found.items()} | {"settings": len(gain)}


def consistent_tests(analysis: pd.DataFrame) -> pd.DataFrame:
    """The author's t-tests with what must follow: p from t, and the limits δ ± t₀.₉₇₅ δ/t.

    Parameters
    ----------
    analysis : his table of tests, with `section`, `EL` (in thousands), `delta`, `df`, `t`, `p`, `CIl`, `CIu`

    Returns
    -------
    DataFrame with `compared`, `episode`, `difference`, `t`, `p`, and by how much the printed p (relative) and
    limits differ from those recomputed: `p apart`, `interval apart`.

    References
    ----------
    Vadinský (2018), section 3.1 and its appendix.

    Examples
    --------
    >>> row = {"section": "Paired t-test a x b", "EL": 1, "delta": 1.0, "df": 24, "t": 2.0,
    ...        "p": 0.05694, "CIl": -0.03195, "CIu": 2.03195}
    >>> consistent_tests(pd.DataFrame([row]))[["p apart", "interval apart"]].round(4).to_numpy().tolist()
    [[0.0, 0.0]]
    """
    from scipy.stats import t as student

    table = analysis.astype(dict.fromkeys(("EL", "delta", "df", "t", "p", "CIl", "CIu"), float))
    problem, remedy = "[out-of-range] is not a length", "give thousands of interactions"
    refuse("analysis['EL']", table["EL"], ~(table["EL"].abs() <= 1e12), problem, remedy)
    p = 2 * student.sf(table["t"].abs(), table["df"])
    half = half_width((table["delta"] / table["t"]).abs(), 0.95, table["df"])
    low = (table["CIl"] - (table["delta"] - half)).abs()
    high = (table["CIu"] - (table["delta"] + half)).abs()
    columns = {"compared": table["section"].str.removeprefix("Paired t-test ")}
    columns |= {"episode": (1000 * table["EL"]).astype(int), "difference": table["delta"]}
    columns |= {"t": table["t"], "p": table["p"], "p apart": (p / table["p"] - 1).abs()}
    return pd.DataFrame(columns | {"interval apart": np.maximum(low, high)})


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
    agent: AgentLike, sample: pd.DataFrame, *, episode: int, jobs: int | None = 1, seed: int = 1
) -> Population:
    """Test an agent on every program of a sample; programs that meet the step limit are left out."""
    trial, rows = trial_of(sample, episode, 1.0, seed), np.arange(len(sample))
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
    rng, rows = generator(seed), []
    size = 5 * integer("runs", runs, 4) if size is None else integer("size", size, 1)
    for _ in range(integer("n", n, 1)):
        drawn = rng.integers(0, len(programs.stratum), size)
        stratum, look_up = programs.stratum[drawn], programs.values[drawn].__getitem__
        tested = stratified.adaptive(look_up, stratum, runs, caution)
        probability = np.bincount(stratum) / size
        strata = stratified.summarise(stratum[tested.rows], tested.values, probability)
        error, freedom = stratified.standard_error(strata, size), stratified.degrees_of_freedom(strata, size)
        half, published = half_width(error, 0.95, freedom), stratified.reference_half_interval(strata)
        rows.append((strata.value[0], half[0], published[0]))
    table = pd.DataFrame(rows, columns=["value", "half", "published"])
    off = (table["value"] - programs.truth).abs()
    return table.assign(holds=off <= table["half"], published_holds=off <= table["published"])
