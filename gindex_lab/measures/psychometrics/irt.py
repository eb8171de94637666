"""Item response theory: ability and difficulty on one scale, from the responses alone.

The two-parameter model says that agent n solves item i with probability
P = 1 / (1 + exp(-a_i (θ_n - b_i))): θ the ability, b the difficulty, a the discrimination. The 1PL
gives all items one discrimination, the 3PL adds a guessing level c below which P never falls; others are of
categories and of fractions (`irt_models`). Items are fitted by marginal maximum likelihood (`irt_em`,
`irt_engine`), then agents are placed among them (`irt_scoring`). Where generality analysis takes difficulty
from the items themselves, IRT takes it from the agents.

Several abilities at once: z = a·θ + d with θ ~ N(0, Φ). Exploratory: every item may load on every dimension,
Φ = I, and the slopes are determined up to a turn, which `loadings` settles as the factors module does.
Confirmatory: a table of zeros and ones says which slopes are free, and the dimensions' correlations are
estimated. A slope a is the loading λ = a / √(1.702² + a'Φa), on the scale of a factor analysis of tetrachoric
correlations (Bock, Gibbons and Muraki 1988, Appl. Psychol. Meas. 12, 261-280; Reckase 2009).
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import Caution, ensure
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, integer, numeric_frame
from gindex_lab.measures.psychometrics import irt_em, irt_engine, item_fit
from gindex_lab.measures.psychometrics.irt_categories import Answers, read_answers, read_fractions
from gindex_lab.measures.psychometrics.irt_errors import covariance
from gindex_lab.measures.psychometrics.irt_models import MODELS, model_of
from gindex_lab.measures.psychometrics.irt_plan import EMPlan, Latent, Patterns, PatternTable, grid
from gindex_lab.measures.psychometrics.irt_result import Fitted, FittedModel, ItemResponseModel
from gindex_lab.measures.psychometrics.irt_scoring import expected_a_posteriori
from gindex_lab.measures.psychometrics.irt_settings import (
    FRACTIONS,
    IrtSettings,
    Priors,
    check_agents,
    check_size,
    coded,
    table_of,
    varies,
)
from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt
from gindex_lab.measures.psychometrics.rotation import ROTATIONS, rotate

__all__ = ["BinaryModel", "IrtSettings", "ItemResponseModel", "MultidimensionalModel", "Priors", "irt"]
__all__ += ["simulate_irt"]

_SCALE = 1.702  # a logistic curve of this slope is all but a normal one
_MOST = 3  # dimensions: 15³ nodes
_SEVERAL = ["2pl", "3pl", "4pl", "graded", "gpcm"]


def irt(
    responses: ResponsesLike,
    model: str = "2pl",
    *,
    settings: str | IrtSettings = "default",
    priors: str | Priors | None = None,
    fractions: str | None = None,
    categories: int | None = None,
    dimensions: Any = 1,
) -> ItemResponseModel:
    """Fit an item response model to responses (agents x items, missing cells allowed).

    Parameters
    ----------
    responses : Responses, or a table of numbers in [0, 1], agents x items; for the models of categories
        also whole numbers 0, 1, 2, ...
    model : right or wrong: "1pl" (or "rasch"), "2pl", "3pl", "4pl"; ordered categories: "graded", "gpcm",
        "pcm"; categories without order: "nominal"; fractions: "beta" (see `irt_models`)
    settings : "default", "mirt" (the defaults of R's mirt: 61 nodes on [-6, 6], stop when no
        parameter moves by 1e-4, at most 500 steps), or `IrtSettings`
    priors : None, "weak" (keeps few agents' items finite), "lognormal" (and their slopes positive), or
        a `Priors`
    fractions : what a response strictly between 0 and 1 counts as in right-or-wrong models. "truncate": a
        failure, only 1 is a success (what mirt does with the generality paper's data); None: the same, with a
        `Caution` where there are any; "round": the nearer (0.5 is 0, as in R); "weigh": that share of a
        success; "error": refused
    categories : into how many equal steps fractions are cut where they are not on a ladder k / m
    dimensions : 2 or 3 for an exploratory model of several abilities, or a table of 0 and 1 (items x
        dimensions) that says which slopes are free

    Returns
    -------
    ItemResponseModel with `items` (DataFrame: `discrimination`, `difficulty`, ..., and `*_se`), `abilities`
    (`ability`, `se`), `log_likelihood`, `person_fit()`, ...; with several dimensions a
    `MultidimensionalModel`.

    Notes
    -----
    Items whose rounded responses are all the same say nothing about ability: they are left out of
    the fit and get discrimination 0 and the median difficulty (Hernández-Orallo et al., A.1).

    The scale is fixed by θ ~ N(0, 1), its direction by a positive sum of discriminations; single
    discriminations may be negative (such an item is solved by the less able).

    References
    ----------
    Bock and Aitkin (1981), Psychometrika 46, 443-459. Birnbaum (1968), in Lord and Novick,
    Statistical Theories of Mental Test Scores, ch. 17. Chalmers (2012), J. Stat. Softw. 48(6).

    Examples
    --------
    >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
    >>> model = irt(simulate_irt(true, agents=2000, seed=1))
    >>> model
    ItemResponseModel(2pl, 2000 agents x 5 items, log-likelihood -5177.8, converged)
    >>> model.items["difficulty"].round(1).tolist()
    [-1.0, 0.0, 0.6, 1.0, 2.2]
    """
    choice("model", model, [*MODELS, "rasch"])
    silent, fractions = fractions is not None, "truncate" if fractions is None else fractions
    choice("fractions", fractions, FRACTIONS)
    if not (isinstance(dimensions, int) and dimensions == 1):
        answers = _read_for(choice("model", model, _SEVERAL), responses, categories, fractions)
        slopes, names, exploratory = _pattern(dimensions, answers)
        free = {"pattern": slopes, "correlated": not exploratory and len(names) > 1}
        fit = Fitted.of(answers, model, settings, Priors.named(priors), fractions, **free)
        return cast(Any, MultidimensionalModel(fit, names, exploratory))
    if model in ("1pl", "rasch", "2pl", "3pl"):
        return BinaryModel._of(responses, model, settings, Priors.named(priors), fractions, silent)
    belief = Priors.named(priors)
    notes: tuple[str, ...] = ()
    if model == "4pl" and priors is None:
        said = (
            "the asymptotes of a 4pl and the slopes beside them are hardly pinned down by data: it has "
            'priors="weak" (logit of guessing -1.4 and of the upper asymptote 2.2, sd 0.5; slope 1, sd 1); '
            'priors="none" switches them off'
        )
        warnings.warn(Caution(f"[asymptotes] {said}"), stacklevel=2)
        belief, notes = Priors.named("weak"), (said,)
    answers = _read_for(model, responses, categories, fractions)
    answers = answers._replace(notes=(*notes, *answers.notes))
    fit = Fitted.of(answers, model, settings, belief, fractions, common_slope=model == "pcm")
    return ItemResponseModel(fit)


def _read_for(model: str, responses: ResponsesLike, categories: int | None, fractions: str) -> Answers:
    """The answers as `model` wants them."""
    if model == "beta":
        return read_fractions(responses)
    if model in ("2pl", "3pl", "4pl"):
        return read_answers(coded(table_of(responses), fractions), 2)
    return read_answers(responses, categories, least=2 if model == "pcm" else 3)


class BinaryModel(ItemResponseModel):
    """A fitted 1PL, 2PL or 3PL, whose tables also name the items that all agents answer alike."""

    def __init__(self, fit: Fitted, responses: pd.DataFrame) -> None:
        super().__init__(fit)
        self.responses = responses

    @classmethod
    def _of(
        cls,
        responses: ResponsesLike,
        model: str,
        settings: str | IrtSettings,
        priors: Priors,
        fractions: str,
        silent: bool,
    ) -> BinaryModel:
        """Fitted to responses of which those between 0 and 1 are read as `fractions` says."""
        model = "1pl" if model == "rasch" else model
        frame = table_of(responses)
        knobs = IrtSettings.named(settings, frame.shape[1])
        binary = coded(frame, fractions)
        informative = varies(frame.round()) & varies(binary)
        values = frame.to_numpy()
        partial = bool(((values > 0) & (values < 1)).any())
        if partial and not silent:
            said = "responses strictly between 0 and 1 count as failures here, which fractions='truncate' "
            said += "accepts silently; model='beta' or 'graded' takes them as they are"
            warnings.warn(Caution(f"[fractions] {said}"), stacklevel=3)
        check_size(binary, informative, model, fractions if partial else "")
        kept = binary.loc[:, informative]
        kind = model_of(model, [2] * kept.shape[1])
        plan, data = EMPlan.usual(kind, common_slope=model == "1pl"), Patterns.of(kept.to_numpy())
        if model == "3pl":
            found = irt_engine.fit([data.table()], kind, plan, settings=knobs, priors=priors)
        else:
            found = irt_em.fit(data, model, knobs, priors)
        constant = list(informative.index[~informative])
        answers = Answers(kept, kind.categories, {}, constant, ())
        found = irt_engine.upright(found, kind)
        return cls(Fitted(answers, kind, plan, found, model, knobs, priors, fractions), binary)

    @cached_property
    def patterns(self) -> Patterns:
        """The responses to the fitted items, equal rows collapsed."""
        return Patterns.of(self.values)

    @cached_property
    def table(self) -> PatternTable:
        """The same as the engine has it."""
        return self.patterns.table()

    @cached_property
    def parameters(self) -> pd.DataFrame:
        """`discrimination` a, `difficulty` b = -d / a and `guessing` c of each item (no errors)."""
        table = super().parameters
        if not self.constant_items:
            return table
        absent = {"discrimination": 0.0, "difficulty": table["difficulty"].median(), "guessing": 0.0}
        return table.reindex(self.responses.columns).fillna(absent)

    @cached_property
    def covariance(self) -> FloatArray:
        """Of the free parameters, numbered by `plan.index`; infinite where nothing pins one down."""
        if self.model == "3pl":
            return super().covariance
        index = self.plan.index[0]
        told = self.patterns, self.fitted_parameters, index, self.settings, self.priors
        return covariance(irt_em.information(*told))

    def _new(self, responses: ResponsesLike) -> tuple[PatternTable, pd.Index]:
        frame, items = table_of(responses), self.responses.columns
        problem, same = "[other-items] has other items than the model", frame.columns.equals(items)
        remedy = f"give the same {len(items)} items in the same order"
        ensure(same, "responses", list(frame.columns[:3]), problem, remedy)
        kept = coded(frame, self.fit.fractions)[self.answers.frame.columns]
        check_agents(kept)
        return Patterns.of(kept.to_numpy()).table(), frame.index

    def _mean_squares(self) -> dict[str, FloatArray]:
        """Infit (of a 1PL with its z) and outfit of each item, averaged over the agents' posteriors."""
        nodes = self.settings.grid()[0]
        log = irt_engine.log_chances(self.kind, self.fitted_parameters, nodes[:, None]).log
        weights = Latent.standard().log_weights(nodes[:, None])[0]
        _, posterior = irt_engine.e_step(self.table, log, weights)
        shared = self.model == "1pl"
        return item_fit.item_mean_squares(self.patterns, posterior, np.exp(log[:, 1]), nodes, shared)

    def curves(self, ability: NumbersLike = None) -> pd.DataFrame:
        """P(right) of each fitted item (columns) at each ability (rows; -4 to 4 by default).

        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=500, seed=1))
        >>> model.curves([0.0]).round(2).to_numpy()
        array([[0.83, 0.49, 0.29, 0.19, 0.04]])
        """
        return super().curves(ability).xs(1, axis=1, level="category")

    def simulate(self, agents: int | None = None, *, seed: SeedLike) -> Responses:
        """Responses drawn from the model: of the same agents at their abilities, or of new ones."""
        ability = self.abilities["ability"] if agents is None else None
        items = self.parameters.loc[self.answers.frame.columns]
        return simulate_irt(items, agents=agents, ability=ability, seed=seed)


# -- several abilities ----------------------------------------------------------------------------------


def _pattern(dimensions: object, answers: Answers) -> tuple[npt.NDArray[np.bool_], list[object], bool]:
    """Which slopes are free, the dimensions' names, and whether every item may load on every one."""
    items = list(answers.frame.columns)
    if isinstance(dimensions, (int, np.integer)) and not isinstance(dimensions, bool):
        count = integer("dimensions", dimensions, 1, _MOST)
        problem = f"[too-few-items] are too many dimensions for {len(items)} items that vary"
        ensure(len(items) >= 3 * count, "dimensions", count, problem, "give at least three items for each")
        free = np.tril(np.ones((len(items), count), dtype=bool))  # the turn is fixed by zeros, as in mirt
        return free, [f"dimension {d + 1}" for d in range(count)], True
    frame = numeric_frame("dimensions", dimensions)
    if isinstance(dimensions, pd.DataFrame):
        absent = [item for item in items if item not in frame.index]
        problem, remedy = "[other-items] has no row for some item", "give one row per item"
        ensure(not absent, "dimensions", absent[:1], problem, remedy)
        frame = frame.loc[items]
    problem = f"[wrong-length] has {len(frame)} rows for {len(items)} items that vary"
    ensure(len(frame) == len(items), "dimensions", len(frame), problem, "give one per item")
    values = frame.to_numpy()
    problem, remedy = "[not-a-flag] is neither 0 nor 1", "1 where the slope is free, else 0"
    ensure(np.isin(values, (0.0, 1.0)).all(), "dimensions", float(values.max()), problem, remedy)
    free = values == 1
    problem = "[too-few-items] has an item without a dimension or a dimension with fewer than two items"
    enough = (free.sum(0) >= 2).all() and free.any(1).all()
    ensure(enough, "dimensions", free.sum(0).tolist(), problem, "free more slopes")
    problem = f"[too-many] is more than {_MOST} dimensions: the grid grows too large"
    ensure(free.shape[1] <= _MOST, "dimensions", free.shape[1], problem, f"use 2 or {_MOST}")
    named = isinstance(dimensions, pd.DataFrame)
    names = list(frame.columns) if named else [f"dimension {d + 1}" for d in range(free.shape[1])]
    return free, names, False


class MultidimensionalModel(FittedModel):
    """A fitted model of several dimensions: `items`, `loadings`, `correlations`, `abilities`."""

    def __init__(self, fit: Fitted, names: list[object], exploratory: bool) -> None:
        super().__init__(fit)
        self.names, self.exploratory = names, exploratory

    def __repr__(self) -> str:
        kind = "exploratory" if self.exploratory else "confirmatory"
        return self._said("MultidimensionalModel", f", {len(self.names)} dimensions ({kind})")

    @property
    def slopes(self) -> pd.DataFrame:
        """The slopes as they were fitted (items x dimensions)."""
        values = self.found.parameters[0][:, : len(self.names)]
        return pd.DataFrame(values, self.responses.columns, self.names)

    @cached_property
    def items(self) -> pd.DataFrame:
        """Slopes `a1`, `a2`, ... and intercepts in mirt's form with standard errors, and Reckase's
        `discrimination` √(a'a) and `difficulty` -d / √(a'a) (of the first intercept)."""
        at, index = self.found.parameters[0], self.plan.index[0]
        names = [f"a{d + 1}" for d in range(len(self.names))] + self.kind.names
        variance = self.covariance.diagonal()
        error = np.where(index >= 0, np.sqrt(np.maximum(variance[index], 0.0)), np.nan)
        length = np.sqrt((at[:, : len(self.names)] ** 2).sum(1))
        table = pd.DataFrame(at, self.responses.columns, names)
        table.insert(0, "difficulty", -at[:, len(self.names)] / np.maximum(length, 1e-12))
        table.insert(0, "discrimination", length)
        errors = pd.DataFrame(error, table.index, [f"{name}_se" for name in names])
        return table.join(errors)

    @property
    def correlations(self) -> pd.DataFrame:
        """Of the dimensions: estimated if confirmatory; see `rotated` for oblique rotations."""
        return pd.DataFrame(self.found.latent.covariance[0], self.names, self.names)

    @property
    def loadings(self) -> pd.DataFrame:
        """Standardised: of an exploratory model after oblimin, of a confirmatory one as specified."""
        return self.rotated()[0] if self.exploratory else self._standardised()

    def _standardised(self) -> pd.DataFrame:
        slopes = self.slopes.to_numpy()
        together = (slopes @ self.found.latent.covariance[0] * slopes).sum(1)
        return self.slopes / np.sqrt(_SCALE**2 + together)[:, None]

    def rotated(self, rotation: str = "oblimin") -> tuple[pd.DataFrame, pd.DataFrame]:
        """Loadings and the correlations of the dimensions after a rotation of the factors module."""
        choice("rotation", rotation, ROTATIONS)
        problem, remedy = "[confirmatory] would undo the pattern", "rotate an exploratory model"
        ensure(self.exploratory, "rotation", rotation, problem, remedy)
        turned, phi = rotate(self._standardised().to_numpy(), rotation)
        loadings = pd.DataFrame(turned, self.responses.columns, self.names)
        return loadings, pd.DataFrame(phi, self.names, self.names)

    @cached_property
    def abilities(self) -> pd.DataFrame:
        """The posterior mean of each agent on each dimension (as fitted) and its `*_se`."""
        nodes, latent = grid(self.settings, len(self.names)), self.found.latent
        found = expected_a_posteriori(self.table, self.kind, self.found.parameters[0], nodes, latent)
        errors = [f"{name}_se" for name in self.names]
        return pd.DataFrame(np.hstack(found), self.responses.index, [*self.names, *errors])

    @property
    def reliability(self) -> pd.Series:
        """Of each dimension: var(EAP) / (var(EAP) + mean se²)."""
        table = self.abilities
        signal = table[self.names].var(ddof=0)
        noise = (table[[f"{name}_se" for name in self.names]] ** 2).mean().to_numpy()
        return signal / (signal + noise)
