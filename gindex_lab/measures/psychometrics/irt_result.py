"""A fitted item response model: its items and agents, how well they fit, and what follows from them.

The same class serves every model of one ability: right or wrong, ordered categories, categories without
order, and fractions. `irt.BinaryModel` adds what only right-or-wrong answers have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, confidence, vector
from gindex_lab.measures.psychometrics import irt_engine, irt_scoring, irt_simulate, item_fit, person_fit
from gindex_lab.measures.psychometrics.irt_categories import Answers, read_again, tabulated
from gindex_lab.measures.psychometrics.irt_errors import covariance, observed_information
from gindex_lab.measures.psychometrics.irt_models import STEEPEST, ItemModel
from gindex_lab.measures.psychometrics.irt_plan import EMPlan, PatternTable
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Priors, check_agents, coded, table_of

__all__ = ["Fitted", "FittedModel", "ItemResponseModel"]


@dataclass(frozen=True)
class Fitted:
    """What a model was told and what was found."""

    answers: Answers
    kind: ItemModel
    plan: EMPlan
    found: irt_engine.EngineFit
    model: str
    settings: IrtSettings
    priors: Priors
    fractions: str = "truncate"

    @classmethod
    def of(
        cls,
        answers: Answers,
        model: str,
        settings: str | IrtSettings,
        priors: Priors,
        fractions: str,
        **free: Any,
    ) -> Fitted:
        """Fitted; `free` says what is, as in `EMPlan.usual`."""
        knobs = IrtSettings.named(settings, answers.frame.shape[1])
        table, kind = tabulated(answers, model)
        plan = EMPlan.usual(kind, **free)
        found = irt_engine.fit([table], kind, plan, settings=knobs, priors=priors)
        turned = irt_engine.upright(found, kind, plan.index.shape[2] - kind.size)
        return cls(answers, kind, plan, turned, model, knobs, priors, fractions)


class FittedModel:
    """What models of one ability and of several have in common."""

    def __init__(self, fit: Fitted) -> None:
        self.fit = fit
        self.answers, self.kind, self.plan, self.found = fit.answers, fit.kind, fit.plan, fit.found
        self.model, self.settings, self.priors = fit.model, fit.settings, fit.priors
        self.responses, self.notes = fit.answers.frame, fit.answers.notes
        self.constant_items, self.iterations = fit.answers.constant, fit.found.iterations
        self.log_likelihood, self.converged = fit.found.log_likelihood, fit.found.converged

    def _said(self, name: str, *parts: str) -> str:
        """Its `repr`, with some words on the model and some on the items."""
        agents, items = self.responses.shape
        state = "converged" if self.converged else f"NOT converged in {self.iterations} steps"
        said = [self.model + parts[0], f"{agents} agents x {items} items", *parts[1:]]
        return f"{name}({', '.join([*said, f'log-likelihood {self.log_likelihood:.1f}', state])})"

    @cached_property
    def table(self) -> PatternTable:
        """The answers as the engine has them, equal rows collapsed."""
        return tabulated(self.answers, self.model)[0]

    @cached_property
    def covariance(self) -> FloatArray:
        """Of the free parameters, numbered by `plan.index`; infinite where nothing pins one down."""
        told = self.kind, self.plan, self.found, self.settings, self.priors
        return covariance(observed_information([self.table], *told))

    @property
    def n_parameters(self) -> int:
        """How many numbers were fitted."""
        return self.plan.size + len(self.found.latent.packed(self.plan))

    @property
    def aic(self) -> float:
        """Akaike's criterion, 2 k - 2 log L: smaller is better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, k log n - 2 log L: smaller is better."""
        return float(self.n_parameters * np.log(len(self.responses)) - 2 * self.log_likelihood)


class ItemResponseModel(FittedModel):
    """A fitted model: `items`, `abilities`, `log_likelihood`, and what follows from them.

    Examples
    --------
    >>> import gindex_lab as gl
    >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
    >>> model = gl.irt(gl.simulate_irt(true, agents=500, seed=1))
    >>> model.items[["difficulty", "difficulty_se"]].round(2).iloc[0].tolist()
    [-0.99, 0.14]
    >>> model.limits()[["difficulty_low", "difficulty_high"]].round(1).iloc[0].tolist()
    [-1.3, -0.7]
    >>> model.slope_intercept.round(2).iloc[0].to_dict()  # as R's mirt writes it
    {'a1': 1.61, 'd': 1.6, 'a1_se': 0.33, 'd_se': 0.22}
    >>> model.abilities.head(2).round(2)
             ability    se
    agent 1     0.65  0.63
    agent 2     0.11  0.63
    >>> model.test_information([-3.0, 0.5, 4.0]).round(2).tolist()
    [0.14, 1.58, 0.18]
    >>> round(model.reliability, 2), round(model.marginal_reliability, 2)
    (0.58, 0.57)
    >>> model.simulate(3, seed=1).shape, model.simulate(seed=1).shape
    ((3, 5), (500, 5))
    """

    def __repr__(self) -> str:
        loose, gone = self.runaway_items, self.constant_items
        parts = [f"{len(gone)} constant"] if gone else []
        parts += [f'{len(loose)} running away: try priors="weak"'] if loose else []
        return self._said("ItemResponseModel", "", *parts)

    @property
    def fitted_parameters(self) -> FloatArray:
        """Slope and the rest (`kind.names`) of each item that varies (items x k)."""
        return self.found.parameters[0]

    @property
    def values(self) -> FloatArray:
        """The answers to the items that vary."""
        return self.answers.frame.to_numpy()

    @property
    def runaway_items(self) -> list[object]:
        """Items whose discrimination runs off (beyond ±20, stopped at ±40): too few agents.

        >>> import gindex_lab as gl
        >>> steps = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]] * 2
        >>> gl.irt(np.array(steps)).runaway_items, gl.irt(np.array(steps), priors="weak").runaway_items
        (['item 1', 'item 2', 'item 3'], [])
        """
        return list(self.answers.frame.columns[np.abs(self.fitted_parameters[:, 0]) > STEEPEST / 2])

    # -- the items -----------------------------------------------------------------------------------

    @cached_property
    def parameters(self) -> pd.DataFrame:
        """The items in their classical form: `discrimination`, `difficulty` (of categories the mean of the
        cuts b1, b2, ...), and what the model adds; without errors."""
        return self._written(irt_simulate.classical)

    @cached_property
    def items(self) -> pd.DataFrame:
        """The parameters with their standard errors (`*_se`); NaN for what was not estimated.

        The errors come from the observed information of the marginal likelihood, by the delta method;
        infinite where the data do not pin a parameter down.
        """
        return self.parameters.join(self._errors(irt_simulate.classical))

    @cached_property
    def slope_intercept(self) -> pd.DataFrame:
        """The items as R's mirt writes them (a1, and d or d1, d2, ...), with standard errors."""
        return self._written(irt_simulate.slope_intercept).join(self._errors(irt_simulate.slope_intercept))

    def _written(self, form: irt_simulate.Writer) -> pd.DataFrame:
        told = form(self.model, self.kind, self.fitted_parameters)
        return pd.DataFrame(told, index=self.answers.frame.columns)

    def _errors(self, form: irt_simulate.Writer) -> pd.DataFrame:
        """The error of each column of `form`: √ of J C J', J the derivatives by an item's parameters."""
        at, index = self.fitted_parameters, self.plan.index[0]
        names = form(self.model, self.kind, at)
        free = index >= 0
        slopes = np.zeros((len(at), len(names), at.shape[1]))  # items x columns x parameters
        for k in range(at.shape[1]):
            width = 1e-5 * np.where(free[:, k], np.maximum(1.0, np.abs(at[:, k])), 0.0)
            step = np.zeros_like(at)
            step[:, k] = width
            with np.errstate(invalid="ignore"):
                ends = [np.stack([*form(self.model, self.kind, at + s).values()], 1) for s in (step, -step)]
                change = (ends[0] - ends[1]) / np.where(width > 0, 2 * width, 1.0)[:, None]
            slopes[:, :, k] = np.where(np.isnan(change), 0.0, change)
        own = self.covariance[index[:, :, None], index[:, None, :]]
        own = np.where(free[:, :, None] & free[:, None, :], own, 0.0)
        loose = np.asarray(np.isinf(own).any(2))
        variance = np.einsum("jmk,jkl,jml->jm", slopes, np.where(np.isinf(own), 0.0, own), slopes)
        variance = np.where(((np.abs(slopes) > 1e-9) & loose[:, None]).any(2), np.inf, variance)
        missing = np.isnan(np.stack([*names.values()], 1)) | (variance == 0)
        error = np.sqrt(np.where(missing, np.nan, variance))
        return pd.DataFrame(error, self.answers.frame.columns, [f"{name}_se" for name in names])

    def limits(self, ci: float = 0.95) -> pd.DataFrame:
        """`*_low` and `*_high` of every parameter of the items, from their standard errors.

        Estimate ± z errors; of items with asymptotes (3pl, 4pl) the discrimination on the scale of its log
        and the asymptotes on that of their logits, where the estimates are nearly normal. How often they hold
        the truth is in the kept table `data/measured/irt_recovery.csv`.
        """
        from scipy.special import expit, logit, ndtri

        table, z = self.items, float(ndtri((1 + confidence(ci)) / 2))
        curved = self.model in ("3pl", "4pl")
        found: dict[str, pd.Series] = {}
        for name in (column for column in table if f"{column}_se" in table):
            at, error = table[name], z * table[f"{name}_se"]
            if error.isna().all():
                continue
            for end, side in (("low", -1.0), ("high", 1.0)):
                limit = at + side * error
                if curved and name == "discrimination":
                    limit = limit.where(at <= 0, at * np.exp(side * error / at.where(at > 0)))
                if name in ("guessing", "upper"):
                    limit = expit(logit(at) + side * error / (at * (1 - at)))
                found[f"{name}_{end}"] = limit
        return pd.DataFrame(found, table.index)

    # -- the agents ----------------------------------------------------------------------------------

    @cached_property
    def abilities(self) -> pd.DataFrame:
        """`ability` (EAP, the posterior mean) and `se` of each agent; `score` has the others."""
        return self.score()

    def score(self, method: str = "eap", responses: ResponsesLike = None) -> pd.DataFrame:
        """`ability` and `se` by "eap", "map", "ml" or "wle", of the agents fitted or of new `responses`.

        EAP and MAP lean on the N(0, 1) prior and are always finite; ML is ±inf for an agent with nothing (or
        everything) right; WLE (Warm 1989) leans on nothing, is finite and has less bias than ML.

        >>> import gindex_lab as gl
        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = gl.irt(gl.simulate_irt(true, agents=2000, seed=1))
        >>> new = pd.DataFrame([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], columns=true.index)
        >>> model.score("eap", new)["ability"].round(2).tolist()
        [1.75, 0.06]
        >>> model.score("ml", new)["ability"].round(2).tolist()
        [inf, 0.12]
        """
        choice("method", method, ["eap", "map", "ml", "wle"])
        table, index = (self.table, self.responses.index) if responses is None else self._new(responses)
        given = table, self.kind, self.fitted_parameters, method, self.settings
        ability, error = irt_scoring.abilities(*given)
        return pd.DataFrame({"ability": ability, "se": error}, index=index)

    def _new(self, responses: ResponsesLike) -> tuple[PatternTable, pd.Index]:
        """The answers of new agents to the same items."""
        if self.model == "beta":
            frame, items = table_of(responses), self.responses.columns
            problem, whole = "[other-items] lacks items of the model", items.isin(frame.columns).all()
            ensure(whole, "responses", list(frame.columns[:3]), problem, "give all of them")
            check_agents(frame[items])
            answers = self.answers._replace(frame=frame[items])
        else:
            plain = coded(table_of(responses), self.fit.fractions) if self.kind.columns == 2 else responses
            answers = read_again(plain, self.answers)
        return tabulated(answers, self.model)[0], answers.frame.index

    @property
    def reliability(self) -> float:
        """The share of the abilities' variance that is not error: var(EAP) / (var(EAP) + mean se²)."""
        table = self.abilities
        signal, noise = table["ability"].var(ddof=0), (table["se"] ** 2).mean()
        return float(signal / (signal + noise))

    @property
    def marginal_reliability(self) -> float:
        """The reliability over N(0, 1) by the items alone: the mean of I / (I + 1), I the test information
        (R's mirt, `marginal_rxx`)."""
        nodes, weights = self.settings.grid()
        told = irt_scoring.item_information(self.kind, self.fitted_parameters, nodes).sum(0)
        return float(weights @ (told / (told + 1)))

    # -- fit and information -------------------------------------------------------------------------

    def person_fit(self) -> pd.DataFrame:
        """`lz_star`, and `lz`, `infit` and `outfit` at the EAP ability of each agent (`person_fit`).

        Strange are agents with `lz_star` below -1.645 or, of right-or-wrong answers, `infit_z` or `outfit_z`
        above 1.645: each .03 to .07 of those who follow the model. `lz` is there to compare with other
        programs.

        >>> import gindex_lab as gl
        >>> true = pd.DataFrame({"discrimination": 2.0, "difficulty": np.linspace(-2, 2, 9)})
        >>> honest = gl.simulate_irt(true, agents=500, seed=3).frame
        >>> honest.loc["backwards"] = [0, 0, 0, 0, 1, 1, 1, 1, 1]  # fails what is easy
        >>> gl.irt(honest).person_fit()["lz_star"].idxmin()
        'backwards'
        """
        at, likeliest = self.abilities["ability"], self.score("map")["ability"]
        found = person_fit.model_person_fit(self, at.to_numpy(), likeliest.to_numpy())
        return pd.DataFrame(found, index=self.responses.index)

    def item_fit(self) -> pd.DataFrame:
        """`infit`, `outfit` and (not of fractions) S-X² (`s_x2`, `s_x2_df`, `s_x2_p`) of each item.

        A small `s_x2_p` says that the item's curve has another shape than the model's. S-X² uses the agents
        without missing responses, and is left out where they are fewer than ten. Of a 3PL or 4PL there is no
        p value: it was below .05 for .09 of items that follow a 3PL (300 agents, 10 items).
        """
        table = self._mean_squares()
        values, (nodes, weights) = self.values, self.settings.grid()
        whole = (values == np.rint(values)).all(1)
        if self.model != "beta" and whole.sum() >= 10:
            form = irt_engine.log_chances(self.kind, self.fitted_parameters, nodes[:, None])
            chance = np.exp(form.log) * self.kind.used[:, :, None]
            free = (self.plan.index[0] >= 0).sum(1) - (self.model in ("1pl", "pcm"))
            table |= item_fit.s_x2(values[whole], chance, weights, self.kind.categories, free)
            if self.model in ("3pl", "4pl"):
                table["s_x2_p"] = np.full(len(free), np.nan)
        return pd.DataFrame(table, index=self.answers.frame.columns)

    def _mean_squares(self) -> dict[str, FloatArray]:
        return person_fit.mean_squares(self, self.abilities["ability"].to_numpy(), axis=0)

    def curves(self, ability: NumbersLike = None) -> pd.DataFrame:
        """P of each category (columns: item and category) at each ability (rows; -4 to 4 by default)."""
        at = _places(ability)
        form = irt_engine.log_chances(self.kind, self.fitted_parameters, at[:, None])
        counted, names = self.kind.used[:, : self.kind.indicators], self.answers.frame.columns
        place = [(item, c) for n, item in enumerate(names) for c in np.flatnonzero(counted[n])]
        chance = np.exp(form.log[:, : self.kind.indicators])[counted]
        columns = pd.MultiIndex.from_tuples(place, names=["item", "category"])
        return pd.DataFrame(chance.T, pd.Index(at, name="ability"), columns)

    def item_information(self, ability: NumbersLike = None) -> pd.DataFrame:
        """Fisher information of each fitted item (columns) at each ability (rows)."""
        at = _places(ability)
        told = irt_scoring.item_information(self.kind, self.fitted_parameters, at)
        return pd.DataFrame(told.T, pd.Index(at, name="ability"), self.answers.frame.columns)

    def test_information(self, ability: NumbersLike = None) -> pd.Series:
        """The items' information together; 1 / √ of it is the standard error of an ML ability."""
        return self.item_information(ability).sum(axis=1).rename("information")

    # -- what would have been ------------------------------------------------------------------------

    def simulate(self, agents: int | None = None, *, seed: SeedLike) -> Responses:
        """Responses drawn from the model: of the same agents at their abilities, or of new ones."""
        ability, names = self.abilities["ability"] if agents is None else None, self.responses.columns
        return irt_simulate.draw(self.kind, self.fitted_parameters, names, agents, ability, seed)

    def negative_control(self, seed: SeedLike) -> pd.DataFrame:
        """The same fit on shuffled responses: it must lose what it found, or it found nothing.

        Each item's responses are shuffled among the agents who answered it, which keeps the shares and breaks
        every tie between items. `gain` is the log-likelihood above that of independent items,
        `penalised_gain` the same less one for each parameter that was added (Akaike), both per hundred
        responses.

        >>> import gindex_lab as gl
        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-2, 2, 10)})
        >>> gl.irt(gl.simulate_irt(true, agents=500, seed=4)).negative_control(seed=1).round(2)
                  gain  penalised_gain  median_discrimination
        observed  5.79            5.59                   1.49
        shuffled  0.12           -0.08                   0.14
        """
        from gindex_lab.measures.psychometrics.irt import irt

        problem, remedy = "[not-an-option] has no control of this kind", 'use model="graded", categories=5'
        ensure(self.model != "beta", "model", self.model, problem, remedy)
        shuffled = irt_simulate.shuffle_within_items(self.answers.frame, seed)
        control = irt(shuffled, self.model, settings=self.settings, priors=self.priors, fractions="weigh")
        rows = {"observed": self._evidence(), "shuffled": control._evidence()}
        return pd.DataFrame.from_dict(rows, orient="index")

    def _evidence(self) -> dict[str, float]:
        kind, at = self.kind, self.fitted_parameters
        counts = (self.table.incidence.T @ self.table.agents).reshape(kind.used.shape)
        answered = counts.sum(1, keepdims=True)
        independent = (counts * np.log(np.maximum(counts, 1e-300) / answered))[counts > 0].sum()
        gain, per = self.log_likelihood - independent, 100 / counts.sum()
        added = self.plan.size - int((kind.categories - 1).sum())
        spread = at[:, 0] if kind.slope_free else np.ptp(kind.scores(at[:, 1:]), axis=1)
        return {
            "gain": float(per * gain),
            "penalised_gain": float(per * (gain - added)),
            "median_discrimination": float(np.median(spread)),
        }


def _places(ability: NumbersLike) -> FloatArray:
    return np.linspace(-4, 4, 81) if ability is None else vector("ability", ability)
