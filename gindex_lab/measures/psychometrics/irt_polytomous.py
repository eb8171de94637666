"""`gl.irt` for answers in categories and for fractions: graded, partial credit, nominal, 4PL and Beta.

The result answers to the same names as that of a 2PL (`items`, `abilities`, `score`, `person_fit`, ...), and
has the items in R's slope-intercept form too (`slope_intercept`). What was done to the answers before the
fit stands in `notes`.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, Caution
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, vector
from gindex_lab.measures.psychometrics import irt_engine, irt_forms, irt_scoring
from gindex_lab.measures.psychometrics.irt import ItemResponseModel
from gindex_lab.measures.psychometrics.irt_categories import (
    Answers,
    read_answers,
    read_fractions,
)
from gindex_lab.measures.psychometrics.irt_em import EmFit
from gindex_lab.measures.psychometrics.irt_errors import observed_information
from gindex_lab.measures.psychometrics.irt_information import covariance
from gindex_lab.measures.psychometrics.irt_models import ItemModel, model_of
from gindex_lab.measures.psychometrics.irt_plan import EMPlan, PatternTable
from gindex_lab.measures.psychometrics.irt_settings import (
    IrtSettings,
    Priors,
    check_agents,
    coded,
    table_of,
)
from gindex_lab.measures.psychometrics.irt_simulate import draw

__all__ = ["AnswersFit", "CategoryModel", "fit_answers", "read_for"]


def read_for(
    model: str, responses: ResponsesLike, categories: int | None, fractions: str
) -> Answers:
    """The answers as `model` wants them."""
    if model == "beta":
        return read_fractions(responses)
    if model in ("2pl", "3pl", "4pl"):
        frame = coded(table_of(responses), fractions)
        return read_answers(frame, 2)
    return read_answers(responses, categories, least=2 if model == "pcm" else 3)


def fit_answers(
    responses: ResponsesLike,
    model: str,
    settings: str | IrtSettings,
    priors: str | Priors | None,
    fractions: str,
    categories: int | None,
) -> CategoryModel:
    """Fit one of the models of `irt_models` to a table."""
    belief = Priors.named(priors)
    notes: tuple[str, ...] = ()
    if model == "4pl" and priors is None:
        said = (
            "the asymptotes of a 4pl and the slopes beside them are hardly pinned down by data: it has "
            'priors="weak" (logit of guessing -1.4 and of the upper asymptote 2.2, sd 0.5; slope 1, sd 1); '
            'priors="none" switches them off'
        )
        warnings.warn(Caution(f"[asymptotes] {said}"), stacklevel=3)
        belief, notes = Priors.named("weak"), (said,)
    answers = read_for(model, responses, categories, fractions)
    answers = answers._replace(notes=(*notes, *answers.notes))
    fit = AnswersFit.of(answers, model, settings, belief, common_slope=model == "pcm")
    return CategoryModel(fit, fractions)


class AnswersFit(NamedTuple):
    """Everything that a model of categories, of one dimension or several, is told and found."""

    answers: Answers
    table: PatternTable
    kind: ItemModel
    plan: EMPlan
    found: irt_engine.EngineFit
    model: str
    settings: IrtSettings
    priors: Priors

    @classmethod
    def of(
        cls, answers: Answers, model: str, settings: str | IrtSettings, priors: Priors, **free: Any
    ) -> AnswersFit:
        """Fitted; `free` says what is, as in `EMPlan.usual`."""
        table, kind = tabulated(answers, model)
        knobs, plan = (
            IrtSettings.named(settings, answers.frame.shape[1]),
            EMPlan.usual(kind, **free),
        )
        found = irt_engine.fit([table], kind, plan, settings=knobs, priors=priors)
        return cls(answers, table, kind, plan, found, model, knobs, priors)

    def covariance(self) -> FloatArray:
        """Of the free parameters, numbered by `plan.index`; infinite where nothing pins one down."""
        given = [self.table], self.kind, self.plan, self.found, self.settings, self.priors
        return covariance(observed_information(*given))


def tabulated(answers: Answers, name: str) -> tuple[PatternTable, ItemModel]:
    """The engine's table and the model of its items."""
    values = answers.frame.to_numpy()
    if name != "beta":
        kind = model_of(name, answers.categories)
        return PatternTable.of_categories(values, kind.columns), kind
    zero, one = values == 0, values == 1
    inside = ~(zero | one | np.isnan(values))
    safe = np.where(inside, values, 0.5)
    logs = [np.where(inside, np.log(safe), 0.0), np.where(inside, np.log1p(-safe), 0.0)]
    weights = np.stack([zero, inside, one, *logs], axis=2).astype(float)
    ends = np.column_stack([zero.any(0), one.any(0)])
    return PatternTable.of(weights), model_of(name, answers.categories, ends)


class CategoryModel(ItemResponseModel):
    """A fitted model of categories or fractions; see `ItemResponseModel` for what it shares with a 2PL."""

    def __init__(self, fit: AnswersFit, fractions: str) -> None:
        answers, found = fit.answers, fit.found
        self.table, self._kind, self.plan = fit.table, fit.kind, fit.plan
        each = _upright(fit.kind, found.parameters[0])
        end = EmFit(each, found.log_likelihood, found.converged, found.iterations)
        informative = pd.Series(True, index=answers.frame.columns)
        told = fit.model, fit.settings, fit.priors
        super().__init__(answers.frame, informative, end, *told, fractions)
        self.answers, self.found = answers, found._replace(parameters=each[None])
        self._fit = fit._replace(found=self.found)
        self.constant_items, self.notes = answers.constant, answers.notes

    @property
    def kind(self) -> ItemModel:
        """The model as `irt_models` has it."""
        return self._kind

    # -- the items -----------------------------------------------------------------------------------

    @cached_property
    def parameters(self) -> pd.DataFrame:
        """The items in their classical form: `discrimination`, `difficulty` (the mean of the cuts b1, b2,
        ...), and what the model adds; without errors."""
        return self._told(irt_forms.classical(self.model, self.kind, self._fitted))

    @cached_property
    def items(self) -> pd.DataFrame:
        """The same with standard errors (`*_se`), from the observed information by the delta method.

        `limits` makes intervals of them, and says where their coverage is kept.
        """
        return self._with_errors(irt_forms.classical)

    @cached_property
    def slope_intercept(self) -> pd.DataFrame:
        """The items as R's mirt writes them (a1, d1, d2, ...), with standard errors."""
        return self._with_errors(irt_forms.slope_intercept)

    @cached_property
    def covariance(self) -> FloatArray:
        """Of the free parameters, numbered by `plan.index`; infinite where nothing pins one down."""
        return self._fit.covariance()

    def _told(self, columns: dict[str, FloatArray]) -> pd.DataFrame:
        return pd.DataFrame(columns, index=self.responses.columns)

    def _with_errors(self, form: irt_forms.Writer) -> pd.DataFrame:
        """Each column of `form` and its error: √ of J C J', J the derivatives by an item's parameters."""
        at, index = self._fitted, self.plan.index[0]
        table = self._told(form(self.model, self.kind, at))
        free = index >= 0
        slopes = np.zeros((*table.shape, at.shape[1]))  # items x columns x parameters
        for k in range(at.shape[1]):
            width = 1e-5 * np.where(free[:, k], np.maximum(1.0, np.abs(at[:, k])), 0.0)
            step = np.zeros_like(at)
            step[:, k] = width
            with np.errstate(invalid="ignore"):
                ends = [
                    pd.DataFrame(form(self.model, self.kind, at + s)).to_numpy()
                    for s in (step, -step)
                ]
                change = (ends[0] - ends[1]) / np.where(width > 0, 2 * width, 1.0)[:, None]
            slopes[:, :, k] = np.where(np.isnan(change), 0.0, change)
        own = self.covariance[index[:, :, None], index[:, None, :]]
        own = np.where(free[:, :, None] & free[:, None, :], own, 0.0)
        loose = np.asarray(np.isinf(own).any(2))
        own = np.where(np.isinf(own), 0.0, own)
        variance = np.einsum("jmk,jkl,jml->jm", slopes, own, slopes)
        variance = np.where(((np.abs(slopes) > 1e-9) & loose[:, None]).any(2), np.inf, variance)
        variance = np.where(table.isna() | (variance == 0), np.nan, variance)
        errors = pd.DataFrame(np.sqrt(variance), table.index, [f"{name}_se" for name in table])
        return table.join(errors)

    # -- the agents ----------------------------------------------------------------------------------

    def score(self, method: str = "eap", responses: ResponsesLike = None) -> pd.DataFrame:
        """`ability` and `se` by "eap", "map", "ml" or "wle" (Warm 1989), of these agents or of new ones."""
        choice("method", method, ["eap", "map", "ml", "wle"])
        table, index = self.table, self.responses.index
        if responses is not None:
            answers = self._new(responses)
            table, index = tabulated(answers, self.model)[0], answers.frame.index
        given = table, self.kind, self._fitted, method, self.settings
        ability, error = irt_scoring.abilities(*given)
        return pd.DataFrame({"ability": ability, "se": error}, index=index)

    def _new(self, responses: ResponsesLike) -> Answers:
        if self.model == "beta":
            frame = table_of(responses)
            known = [item for item in self.responses.columns if item in frame]
            if len(known) < self.responses.shape[1]:
                problem, remedy = "[other-items] lacks items of the model", "give all of them"
                raise BadInput("responses", list(frame.columns[:3]), problem, remedy)
            check_agents(frame[known])
            return self.answers._replace(frame=frame[known])
        frame = coded(table_of(responses), self.fractions) if self.kind.columns == 2 else responses
        return read_answers(frame, None, labels=self.answers.labels)

    # -- fit and information -------------------------------------------------------------------------

    def curves(self, ability: NumbersLike = None) -> pd.DataFrame:
        """P of each category (columns: item and category) at each ability (rows; -4 to 4 by default)."""
        at = np.linspace(-4, 4, 81) if ability is None else vector("ability", ability)
        form = irt_engine.log_chances(self.kind, self._fitted, at[:, None])
        counted = self.kind.used[:, : self.kind.indicators]
        place = [
            (item, c) for n, item in enumerate(self.responses) for c in np.flatnonzero(counted[n])
        ]
        chance = np.exp(form.log[:, : self.kind.indicators])[counted]
        columns = pd.MultiIndex.from_tuples(place, names=["item", "category"])
        return pd.DataFrame(chance.T, pd.Index(at, name="ability"), columns)

    def item_information(self, ability: NumbersLike = None) -> pd.DataFrame:
        """Fisher information of each item (columns) at each ability (rows)."""
        at = np.linspace(-4, 4, 81) if ability is None else vector("ability", ability)
        told = irt_scoring.item_information(self.kind, self._fitted, at)
        return pd.DataFrame(told.T, pd.Index(at, name="ability"), self.responses.columns)

    def person_fit(self) -> pd.DataFrame:
        """`lz_star`, `lz`, `infit` and `outfit` of each agent, as for binary answers (`irt_fit`)."""
        from gindex_lab.measures.psychometrics.irt_person import person_fit

        likeliest = self.score("map")["ability"].to_numpy()
        table = person_fit(self, self.abilities["ability"].to_numpy(), likeliest)
        return pd.DataFrame(table, index=self.responses.index)

    def item_fit(self) -> pd.DataFrame:
        """`infit` and `outfit` of each item, and (not of fractions) S-X², as for right and wrong."""
        from gindex_lab.measures.psychometrics.irt_person import item_fit

        table = item_fit(self, self.abilities["ability"].to_numpy())
        if self.model != "beta":
            shared = self.model == "pcm"
            table |= self._s_x2((self.plan.index[0] >= 0).sum(1) - shared)
        return pd.DataFrame(table, index=self.responses.columns)

    # -- the rest ------------------------------------------------------------------------------------

    def simulate(self, agents: int | None = None, *, seed: SeedLike) -> Responses:
        """Responses drawn from the model: of the same agents at their abilities, or of new ones."""
        ability = self.abilities["ability"] if agents is None else None
        return draw(self.kind, self._fitted, self.responses.columns, agents, ability, seed)

    @property
    def n_parameters(self) -> int:
        """How many numbers were fitted to the items."""
        return self.plan.size

    def _evidence(self) -> dict[str, float]:
        """As for a 2PL: the log-likelihood above that of independent items, per hundred answers."""
        if self.model == "beta":
            problem, remedy = (
                "[not-an-option] has no control of this kind",
                'use model="graded", categories=5',
            )
            raise BadInput("model", self.model, problem, remedy)
        counts = (self.table.incidence.T @ self.table.agents).reshape(self.kind.used.shape)
        answered = counts.sum(1, keepdims=True)
        independent = (counts * np.log(np.maximum(counts, 1e-300) / answered))[counts > 0].sum()
        gain, per = self.log_likelihood - independent, 100 / counts.sum()
        added = self.plan.size - int((self.kind.categories - 1).sum())
        spread = (
            self._fitted[:, 0]
            if self.kind.slope_free
            else np.ptp(self.kind.scores(self._fitted[:, 1:]), axis=1)
        )
        return {
            "gain": float(per * gain),
            "penalised_gain": float(per * (gain - added)),
            "median_discrimination": float(np.median(spread)),
        }


def _upright(kind: ItemModel, each: FloatArray) -> FloatArray:
    """Ability grows with the category: turn the scale round if most discriminations say so."""
    each = each.copy()
    part = slice(0, 1) if kind.slope_free else slice(1, kind.columns)
    if each[:, part].sum() < 0:
        each[:, part] *= -1.0
    return each
