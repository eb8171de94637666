"""Item response models of several groups: do the items measure the same in each? How do the groups differ?

Three models, each stricter than the one before. Configural: every group has item parameters of its own.
Metric: the discriminations are the same, so that a step of ability means the same. Scalar: difficulties
too, so that groups can be compared; the first group is N(0, 1), mean and deviation of the others are
estimated. What a step costs in likelihood is a χ² (`invariance`); which item costs it is DIF
(`likelihood_ratio`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import Label, ResponsesLike
from gindex_lab.foundation.validate import FloatArray, choice, known
from gindex_lab.measures.psychometrics import irt_engine
from gindex_lab.measures.psychometrics.groups import Told, binary_table, group_labels
from gindex_lab.measures.psychometrics.irt_errors import covariance, observed_information
from gindex_lab.measures.psychometrics.irt_models import ItemModel, model_of
from gindex_lab.measures.psychometrics.irt_plan import EMPlan, Latent, PatternTable, grid
from gindex_lab.measures.psychometrics.irt_scoring import expected_a_posteriori
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Priors, table_of

__all__ = ["Invariance", "Multigroup", "invariance", "multigroup"]

_MODELS = ["1pl", "2pl", "graded"]
_LEVELS = ["configural", "metric", "scalar"]
_FEWEST = 20  # agents in a group: a judgement, below which no item model is worth fitting
_MOST_LEVELS = 12  # of a graded item: a judgement, more are better taken as a measurement


@dataclass(frozen=True)
class Groups:
    """The responses of each group as category numbers, and the model to fit to them."""

    labels: pd.Series
    names: list[object]
    items: pd.Index
    left_out: list[object]  # items without all their categories in every group
    tables: list[PatternTable]
    model: ItemModel
    kind: str
    settings: IrtSettings

    @classmethod
    def of(cls, responses: ResponsesLike, group: Any, kind: str, reference: Label) -> Groups:
        """Sorted into groups, the reference (the largest unless named) first."""
        choice("model", kind, _MODELS)
        frame = table_of(responses) if kind == "graded" else binary_table(responses)
        labels = group_labels(responses, group, frame.index, _FEWEST)
        names = list(labels.value_counts().index)
        if reference is not None:
            first = known("reference", [reference], pd.Index(names))[0]
            names = [first, *[name for name in names if name != first]]
        codes = _categories(frame)
        parts = [codes[(labels == name).to_numpy()] for name in names]
        kept = [j for j in range(codes.shape[1]) if len({_seen(part[:, j]) for part in parts}) == 1]
        kept = [j for j in kept if len(_seen(codes[:, j])) > 1]
        problem = f"[too-few] has {len(kept)} items that vary alike in every group"
        ensure(len(kept) >= 3, "responses", frame.shape, problem, "give three")
        model = model_of("graded", [len(_seen(codes[:, j])) for j in kept])
        tables = [PatternTable.of_categories(part[:, kept], model.columns) for part in parts]
        gone = [name for j, name in enumerate(frame.columns) if j not in set(kept)]
        items = frame.columns[kept]
        settings = IrtSettings.named("default", len(kept))
        return cls(labels, names, items, gone, tables, model, kind, settings)

    def plan(self, level: str, own: Sequence[int] = ()) -> EMPlan:
        """What is free at a level of invariance, the items `own` keeping parameters of each group."""
        base = EMPlan.usual(self.model).index[0]
        alike = np.zeros(base.shape, dtype=bool)
        alike[:, : {"configural": 0, "metric": 1, "scalar": base.shape[1]}[level]] = True
        alike[list(own)] = False
        count, later = base.max() + 1, np.arange(len(self.tables))
        index = np.stack([np.where(base >= 0, base + g * count * ~alike, -1) for g in later])
        if self.kind == "1pl":
            index[:, :, 0] = index.max() + 1 + (later * (level == "configural"))[:, None]
        index[index >= 0] = np.unique(index[index >= 0], return_inverse=True)[1]
        others = tuple(bool(g) for g in later)
        none = (False,) * len(others)
        return EMPlan(index, others if level == "scalar" else none, none if level == "configural" else others)

    def fit(
        self, plan: EMPlan, start: irt_engine.EngineFit | None = None
    ) -> tuple[irt_engine.EngineFit, int]:
        """The fit and its number of parameters, begun at another fit if there is one."""
        begin: dict[str, Any] = {}
        if start is not None:  # what the plan does not free is N(0, 1)
            mean = np.where(np.array(plan.mean)[:, None], start.latent.mean, 0.0)
            free = np.array(plan.deviation)[:, None, None]
            latent = Latent(mean, np.where(free, start.latent.covariance, np.eye(1)))
            begin = {"parameters": start.parameters, "latent": latent}
        found = irt_engine.fit(self.tables, self.model, plan, settings=self.settings, **begin)
        return found, plan.size + len(found.latent.packed(plan))


def _categories(frame: pd.DataFrame) -> FloatArray:
    """Each item's responses as 0, 1, 2 ... in their order; NaN stays."""
    columns = []
    for name, column in frame.items():
        code, levels = pd.factorize(column.round(9), sort=True)
        problem, remedy = f"[too-large] has {len(levels)} levels", "bin it: a graded item has few categories"
        ensure(len(levels) <= _MOST_LEVELS, "responses", name, problem, remedy)
        columns.append(np.where(code < 0, np.nan, code))
    return np.column_stack(columns)


def _seen(column: FloatArray) -> tuple[float, ...]:
    return tuple(np.unique(column[~np.isnan(column)]))


@dataclass(frozen=True)
class Multigroup:
    """A fitted model of several groups: `groups` (mean and sd of ability), `items`, `log_likelihood`."""

    kind: str
    level: str
    groups: pd.DataFrame = field(repr=False, compare=False)
    items: pd.DataFrame = field(repr=False, compare=False)
    abilities: pd.DataFrame = field(repr=False, compare=False)
    log_likelihood: float
    n_parameters: int
    converged: bool
    left_out: list[object]  # items that do not vary alike in every group

    @property
    def aic(self) -> float:
        """Akaike's criterion: smaller is better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion: smaller is better."""
        agents = float(self.groups["agents"].sum())
        return float(self.n_parameters * np.log(agents) - 2 * self.log_likelihood)


def multigroup(
    responses: ResponsesLike,
    group: Any,
    model: str = "2pl",
    *,
    level: str = "scalar",
    own: Sequence[Label] = (),
    reference: Label = None,
) -> Multigroup:
    """Fit one item response model to several groups of agents.

    Parameters
    ----------
    responses : Responses or a table, agents x items (missing cells allowed), 0 and 1, or for "graded" at
        most 12 ordered levels
    group : one label for each agent: a list, a Series or dict by agent, a column of `responses.agents`
    model : "1pl", "2pl" or "graded"
    level : "configural", "metric" or "scalar" (items the same in all groups, abilities free)
    own : items that keep parameters of each group (partial invariance)
    reference : the group whose abilities are N(0, 1); the largest unless given

    Returns
    -------
    Multigroup with `groups` (`agents`, `mean`, `sd` and their `_se`), `items` (by item and group),
    `abilities`, `log_likelihood`, `aic`, `bic`.

    References
    ----------
    Bock and Zimowski (1997), in van der Linden and Hambleton, Handbook of Modern IRT, 433-448. Millsap
    (2011), Statistical Approaches to Measurement Invariance, ch. 6.

    Examples
    --------
    >>> from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
    >>> items = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-1.5, 2, 10)})
    >>> rng = np.random.default_rng(1)
    >>> parts = [simulate_irt(items, ability=rng.normal(m, 1, 600), seed=rng).frame for m in (0, 1)]
    >>> table = pd.concat(parts, ignore_index=True)
    >>> multigroup(table, ["old"] * 600 + ["new"] * 600, reference="old").groups.round(1)
         agents  mean   sd  mean_se  sd_se
    old     600   0.0  1.0      NaN    NaN
    new     600   1.1  1.0      0.1    0.1
    """
    choice("level", level, _LEVELS)
    made = Groups.of(responses, group, model, reference)
    places = made.items.get_indexer(pd.Index(known("own", own, made.items)))
    plan = made.plan(level, [int(x) for x in places])
    found, size = made.fit(plan)
    tables = _group_table(made, plan, found), _item_table(made, found), _abilities(made, found)
    ended = found.log_likelihood, size, found.converged
    return Multigroup(model, level, *tables, *ended, made.left_out)


def _group_table(made: Groups, plan: EMPlan, found: irt_engine.EngineFit) -> pd.DataFrame:
    """Agents, mean and sd of each group, with errors from the observed information where estimated."""
    info = observed_information(made.tables, made.model, plan, found, made.settings, Priors())
    errors = list(np.sqrt(covariance(info).diagonal()[plan.size :]))
    rows = []
    for g, table in enumerate(made.tables):
        mean, sd = float(found.latent.mean[g, 0]), float(np.sqrt(found.latent.covariance[g, 0, 0]))
        mean_se = errors.pop(0) if plan.mean[g] else np.nan
        sd_se = sd * errors.pop(0) if plan.deviation[g] else np.nan
        rows.append((int(table.agents.sum()), mean, sd, mean_se, sd_se))
    return pd.DataFrame(rows, made.names, ["agents", "mean", "sd", "mean_se", "sd_se"])


def _item_table(made: Groups, found: irt_engine.EngineFit) -> pd.DataFrame:
    """Discrimination and difficulty (of graded items one per step) by item and group."""
    graded = made.kind == "graded"
    names = [f"difficulty_{c + 1}" for c in range(made.model.size)] if graded else ["difficulty"]
    slope, cuts = np.split(found.parameters.swapaxes(0, 1).reshape(-1, 1 + made.model.size), [1], axis=1)
    steps = -cuts / np.where(np.abs(slope) > 1e-9, slope, 1e-9)
    steps = np.where(np.repeat(made.model.free, len(made.names), axis=0), steps, np.nan)
    index = pd.MultiIndex.from_product([made.items, made.names], names=["item", "group"])
    return pd.DataFrame(np.hstack([slope, steps]), index, ["discrimination", *names])


def _abilities(made: Groups, found: irt_engine.EngineFit) -> pd.DataFrame:
    """EAP ability and its error of each agent, under its own group's distribution."""
    nodes = grid(made.settings, 1)
    table = pd.DataFrame({"group": made.labels, "ability": np.nan, "se": np.nan})
    for g, name in enumerate(made.names):
        latent = Latent(found.latent.mean[g : g + 1], found.latent.covariance[g : g + 1])
        told = expected_a_posteriori(made.tables[g], made.model, found.parameters[g], nodes, latent)
        table.loc[made.labels == name, ["ability", "se"]] = np.hstack(told)
    return table


@dataclass(frozen=True)
class Invariance(Told):
    """One row per model in `table`; `str()` says which of them the data do not contradict."""

    table: pd.DataFrame = field(repr=False, compare=False)
    groups: pd.DataFrame = field(repr=False, compare=False)  # of the scalar model
    limit: float = 0.05

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        tested = self.table.iloc[1:]
        refused = tested.index[tested["p"] < self.limit]
        if not len(refused):
            return (
                f"No difference between the groups' items was found ({_tests(tested)}): "
                "their abilities can be compared as far as this test can see."
            )
        names = {"metric": "discriminations", "scalar": "difficulties"}
        what = names[refused[0]] if "metric" in self.table.index else "relative difficulties"
        return (
            f"The items' {what} differ between the groups ({_tests(tested)}): abilities of the "
            f"groups are not on one scale until the items behind it (gl.dif) have parameters of their own."
        )


def _tests(rows: pd.DataFrame) -> str:
    each = (f"{name} χ²({row.df:.0f}) = {row.chi2:.1f}, p = {row.p:.3g}" for name, row in rows.iterrows())
    return "; ".join(each)


def invariance(
    responses: ResponsesLike, group: Any, model: str = "2pl", *, reference: Label = None
) -> Invariance:
    """Compare configural, metric and scalar models of several groups by likelihood-ratio tests.

    A 1PL has one slope in each group, which is the group's deviation: its metric model is the configural one,
    and is left out.

    Parameters
    ----------
    responses, group, model, reference : as in `gl.multigroup`

    Returns
    -------
    Invariance with `table`: `log_likelihood`, `parameters`, `aic`, `bic` of each model, and against the one
    before `chi2`, `df` and `p`; `groups` as in `gl.multigroup`, of the scalar model.

    Notes
    -----
    How often the tests warn of groups that have the same items is in `data/measured/irt_levels.csv` (with 250
    agents a group and six items in .05 to .07, the metric test of a 2PL most often), and how
    often mean ± 1.96 errors of a second group hold the truth in `data/measured/irt_recovery.csv`.

    References
    ----------
    Meredith (1993), Psychometrika 58, 525-543.

    Examples
    --------
    >>> from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
    >>> items = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-1.5, 2, 10)})
    >>> found = invariance(simulate_irt(items, 800, seed=1), ["a", "b"] * 400)
    >>> found.table[["parameters", "df"]].to_numpy().tolist()
    [[40.0, nan], [31.0, 9.0], [22.0, 9.0]]
    """
    from scipy.stats import chi2

    made = Groups.of(responses, group, model, reference)
    levels = ["configural", "scalar"] if model == "1pl" else _LEVELS
    agents, rows = sum(table.agents.sum() for table in made.tables), []
    before: irt_engine.EngineFit | None = None
    for level in levels:
        plan = made.plan(level)
        found, size = made.fit(plan, before)
        before, log = found, found.log_likelihood
        rows.append((log, size, 2 * size - 2 * log, size * np.log(agents) - 2 * log))
    table = pd.DataFrame(rows, levels, ["log_likelihood", "parameters", "aic", "bic"])
    table["chi2"] = (-2 * table["log_likelihood"].diff()).clip(lower=0)
    table["df"] = -table["parameters"].diff()
    table["p"] = chi2.sf(table["chi2"], table["df"])
    return Invariance(table, _group_table(made, plan, found))


def likelihood_ratio(made: Groups, anchors: np.ndarray) -> dict[str, FloatArray]:
    """DIF of each item: twice the gain in log-likelihood when it gets parameters of each group, the other
    `anchors` (items, True) being the same in both; `difference` the second group's P less the first's,
    averaged over the second group's abilities, and `area` the same without the signs.

    Thissen, Steinberg and Wainer (1993), in Holland and Wainer, Differential Item Functioning, 67-113. The
    effect sizes are SIDS and UIDS of Meade (2010), J. Appl. Psychol. 95, 728-743.
    """
    from scipy.stats import chi2

    own = [int(j) for j in np.flatnonzero(~anchors)]
    base, size = made.fit(made.plan("scalar", own))
    rows = []
    for j in range(len(anchors)):
        if anchors[j]:
            free, more = made.fit(made.plan("scalar", sorted([*own, j])), base)
            statistic, df = 2 * (free.log_likelihood - base.log_likelihood), more - size
        else:
            free = base
            held, fewer = made.fit(made.plan("scalar", [x for x in own if x != j]), base)
            statistic, df = 2 * (base.log_likelihood - held.log_likelihood), size - fewer
        statistic = max(statistic, 0.0)
        rows.append((statistic, df, chi2.sf(statistic, df), *_curve_gap(made, free, j)))
    columns = np.array(rows).T
    return dict(zip(("chi2", "df", "p", "difference", "area"), columns, strict=True))


def _curve_gap(made: Groups, found: irt_engine.EngineFit, item: int) -> tuple[float, float]:
    """Signed and unsigned mean difference of the item's curves over the second group's abilities."""
    nodes = grid(made.settings, 1)
    weight = np.exp(found.latent.log_weights(nodes)[1])
    one, other = (irt_engine.log_chances(made.model, found.parameters[g], nodes).log for g in (0, 1))
    gap = np.exp(other[item, 1]) - np.exp(one[item, 1])
    return float(weight @ gap), float(weight @ np.abs(gap))
