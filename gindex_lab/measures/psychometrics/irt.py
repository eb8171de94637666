"""Item response theory: ability and difficulty on one scale, from right and wrong alone.

The two-parameter model says that agent n solves item i with probability
P = 1 / (1 + exp(-a_i (θ_n - b_i))): θ the ability, b the difficulty, a the discrimination. The 1PL
gives all items one discrimination, the 3PL adds a guessing level c below which P never falls. Items
are fitted by marginal maximum likelihood (`irt_em`), then agents are placed among them (`irt_fit`).
Where generality analysis takes difficulty from the items themselves, IRT takes it from the agents.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any, cast

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, Caution
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, vector
from gindex_lab.measures.psychometrics import (
    irt_em,
    irt_fit,
    irt_information,
    irt_scoring,
    item_fit,
)
from gindex_lab.measures.psychometrics.irt_models import OTHERS, ItemModel, model_of
from gindex_lab.measures.psychometrics.irt_settings import (
    FRACTIONS,
    IrtSettings,
    Patterns,
    Priors,
    check_agents,
    check_size,
    coded,
    table_of,
    varies,
)
from gindex_lab.measures.psychometrics.irt_shared import SharedByModels
from gindex_lab.measures.psychometrics.irt_simulate import simulate_irt

__all__ = ["IrtSettings", "ItemResponseModel", "Priors", "irt", "simulate_irt"]


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
    fractions : what a response strictly between 0 and 1 counts as. "truncate": a failure, only 1 is
        a success (what mirt does with the generality paper's data); None: the same, with a `Caution`
        where there are any; "round": the nearer (0.5 is 0,
        as in R); "weigh": that share of a success; "error": refused. Only for right-or-wrong models
    categories : into how many equal steps fractions are cut where they are not on a ladder k / m
    dimensions : 2 or 3 for an exploratory model of several abilities, or a table of 0 and 1 (items x
        dimensions) that says which slopes are free; then the result is a `MultidimensionalModel`

    Notes
    -----
    Items whose rounded responses are all the same say nothing about ability: they are left out of
    the fit and get discrimination 0 and the median difficulty (Hernández-Orallo et al., A.1).

    The scale is fixed by θ ~ N(0, 1), its direction by a positive sum of discriminations; single
    discriminations may be negative (such an item is solved by the less able).

    Examples
    --------
    >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
    >>> model = irt(simulate_irt(true, agents=2000, seed=1))
    >>> model
    ItemResponseModel(2pl, 2000 agents x 5 items, log-likelihood -5177.8, converged)
    >>> model.items["difficulty"].round(1).tolist()
    [-1.0, 0.0, 0.6, 1.0, 2.2]

    References
    ----------
    Bock and Aitkin (1981), Psychometrika 46, 443-459. Birnbaum (1968), in Lord and Novick,
    Statistical Theories of Mental Test Scores, ch. 17. Chalmers (2012), J. Stat. Softw. 48(6).
    """
    choice("model", model, [*irt_em.MODELS, "rasch", *OTHERS])
    silent, fractions = fractions is not None, "truncate" if fractions is None else fractions
    choice("fractions", fractions, FRACTIONS)
    if not (isinstance(dimensions, int) and dimensions == 1):
        from gindex_lab.measures.psychometrics.irt_dimensions import fit_dimensions

        given = settings, priors, fractions, categories
        return cast(Any, fit_dimensions(responses, model, dimensions, *given))
    if model in OTHERS:
        from gindex_lab.measures.psychometrics.irt_polytomous import fit_answers

        return fit_answers(responses, model, settings, priors, fractions, categories)
    model = "1pl" if model == "rasch" else model
    belief, frame = Priors.named(priors), table_of(responses)
    knobs = IrtSettings.named(settings, frame.shape[1])
    binary = coded(frame, fractions)
    informative = varies(frame.round()) & varies(binary)
    values = frame.to_numpy()
    partial = bool(((values > 0) & (values < 1)).any())
    if partial and not silent:
        said = (
            "[fractions] responses strictly between 0 and 1 count as failures here, which "
            "fractions='truncate' accepts "
            "silently; model='beta' or 'graded' takes them as they are"
        )
        warnings.warn(said, Caution, stacklevel=2)
    check_size(binary, informative, model, fractions if partial else "")
    data = Patterns.of(binary.loc[:, informative].to_numpy())
    result = irt_em.upright(irt_em.fit(data, model, knobs, belief))
    return ItemResponseModel(binary, informative, result, model, knobs, belief, fractions)


class ItemResponseModel(SharedByModels):
    """A fitted model: `items`, `abilities`, `log_likelihood`, and what follows from them."""

    def __init__(
        self,
        responses: pd.DataFrame,
        informative: pd.Series,
        fit: irt_em.EmFit,
        model: str,
        settings: IrtSettings,
        priors: Priors,
        fractions: str = "truncate",
    ) -> None:
        self.responses, self.fractions = responses, fractions
        self.model, self.settings, self.priors = model, settings, priors
        self.log_likelihood, self.converged = fit.log_likelihood, fit.converged
        self.iterations = fit.iterations
        self._informative = informative.to_numpy()
        self.constant_items = list(informative.index[~self._informative])
        self._fitted = fit.parameters

    def __repr__(self) -> str:
        agents, items = self.responses.shape
        state = "converged" if self.converged else f"NOT converged in {self.iterations} steps"
        parts = [self.model, f"{agents} agents x {items} items"]
        parts += [f"{len(self.constant_items)} constant"] if self.constant_items else []
        loose = self.runaway_items
        parts += [f'{len(loose)} running away: try priors="weak"'] if loose else []
        parts += [f"log-likelihood {self.log_likelihood:.1f}", state]
        return f"ItemResponseModel({', '.join(parts)})"

    @cached_property
    def patterns(self) -> Patterns:
        """The responses to the fitted items, equal rows collapsed."""
        return Patterns.of(self._values)

    @property
    def fitted_parameters(self) -> FloatArray:
        """Slope, intercept and, with guessing, its logit of each item that varies (items x k)."""
        return self._fitted

    @property
    def kind(self) -> ItemModel:
        """The model as `irt_models` has it."""
        return model_of("3pl" if self.model == "3pl" else "2pl", [2] * len(self._fitted))

    @property
    def _values(self) -> FloatArray:
        return self.responses.loc[:, self._informative].to_numpy()

    @property
    def runaway_items(self) -> list[object]:
        """Items whose discrimination runs off (beyond ±20, stopped at ±40): too few agents.

        >>> steps = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]] * 2
        >>> irt(np.array(steps)).runaway_items, irt(np.array(steps), priors="weak").runaway_items
        (['item 1', 'item 2', 'item 3'], [])
        """
        fitted = self.responses.columns[self._informative]
        return list(fitted[np.abs(self._fitted[:, 0]) > irt_em.STEEPEST / 2])

    # -- the items -----------------------------------------------------------------------------------

    @cached_property
    def parameters(self) -> pd.DataFrame:
        """`discrimination` a, `difficulty` b = -d / a and `guessing` c of each item (no errors).

        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=500, seed=1))
        >>> model.parameters["difficulty"].round(1).tolist()
        [-1.0, 0.0, 0.6, 1.2, 2.1]
        """
        slope, intercept = self._fitted[:, 0], self._fitted[:, 1]
        difficulty = -intercept / np.where(slope == 0, 1e-12, slope)
        table = np.zeros((len(self._informative), 3))
        table[:, 1] = np.median(difficulty)
        table[self._informative, :2] = np.column_stack([slope, difficulty])
        if self.model == "3pl":
            table[self._informative, 2] = irt_em.logistic(self._fitted[:, 2])
        names = ["discrimination", "difficulty", "guessing"]
        return pd.DataFrame(table, self.responses.columns, names)

    @cached_property
    def items(self) -> pd.DataFrame:
        """The parameters with their standard errors (`*_se`); NaN for what was not estimated.

        The errors come from the observed information of the marginal likelihood, by the delta
        method for the difficulty; infinite where the data do not pin a parameter down.

        >>> true = pd.DataFrame({"discrimination": 1.0, "difficulty": [-1.0, 0.0, 1.0, 2.0]})
        >>> irt(simulate_irt(true, agents=1000, seed=2), "1pl").items["difficulty_se"].round(2).tolist()
        [0.09, 0.07, 0.09, 0.13]
        """
        table = self.parameters.copy()
        given = self.patterns, self._fitted, self.model, self.settings, self.priors
        covariance = irt_information.covariance(irt_information.information(*given))
        difficulty = table.loc[self._informative, "difficulty"].to_numpy()
        found = irt_information.standard_errors(covariance, self._fitted, difficulty)
        errors = pd.DataFrame(found, self.responses.columns[self._informative])
        for name in errors:
            table[name] = errors[name].reindex(table.index)
        return table

    # -- the agents ----------------------------------------------------------------------------------

    @cached_property
    def abilities(self) -> pd.DataFrame:
        """`ability` (EAP, the posterior mean) and `se` of each agent; `score` has the others.

        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=500, seed=1))
        >>> model.abilities.head(2).round(2)
                 ability    se
        agent 1     0.65  0.63
        agent 2     0.11  0.63
        """
        return self.score()

    def score(self, method: str = "eap", responses: ResponsesLike = None) -> pd.DataFrame:
        """`ability` and `se` by "eap", "map", "ml" or "wle", of the agents fitted or of new `responses`.

        EAP and MAP lean on the N(0, 1) prior and are always finite; ML is ±inf for an agent with nothing (or
        everything) right; WLE (Warm 1989) leans on nothing, is finite and has less bias than ML.

        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=2000, seed=1))
        >>> new = pd.DataFrame([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]], columns=true.index)
        >>> model.score("eap", new)["ability"].round(2).tolist()
        [1.75, 0.06]
        >>> model.score("ml", new)["ability"].round(2).tolist()
        [inf, 0.12]
        """
        choice("method", method, ["eap", "map", "ml", "wle"])
        frame = self.responses if responses is None else self._same_items(responses)
        data = Patterns.of(frame.loc[:, self._informative].to_numpy())
        if method == "wle":
            given = data.table(), self.kind, self._fitted, method, self.settings
            ability, error = irt_scoring.abilities(*given)
            return pd.DataFrame({"ability": ability, "se": error}, index=frame.index)
        ability, error = irt_fit.expected_a_posteriori(data, self._fitted, self.settings)
        if method != "eap":
            ability, error = irt_fit.likeliest_ability(
                data, self._fitted, ability, prior=method == "map"
            )
        return pd.DataFrame({"ability": ability, "se": error}, index=frame.index)

    def _same_items(self, responses: ResponsesLike) -> pd.DataFrame:
        frame = table_of(responses)
        if not frame.columns.equals(self.responses.columns):
            problem = "[other-items] has other items than the model"
            remedy = f"give the same {self.responses.shape[1]} items in the same order"
            raise BadInput("responses", list(frame.columns[:3]), problem, remedy)
        binary = coded(frame, self.fractions)
        check_agents(binary.loc[:, self._informative])
        return binary

    # -- fit and information -------------------------------------------------------------------------

    def person_fit(self) -> pd.DataFrame:
        """`lz_star`, and `lz`, `infit` and `outfit` at the EAP ability of each agent (`irt_fit.person_fit`).
        Strange are agents with `lz_star` below -1.645, or `infit_z` or `outfit_z` above 1.645: each .03 to
        .07 of those who follow the model (`irt_fit.freed`). `lz` is there to compare with other programs.

        >>> true = pd.DataFrame({"discrimination": 2.0, "difficulty": np.linspace(-2, 2, 9)})
        >>> honest = simulate_irt(true, agents=500, seed=3).frame
        >>> honest.loc["backwards"] = [0, 0, 0, 0, 1, 1, 1, 1, 1]  # fails what is easy
        >>> irt(honest).person_fit()["lz_star"].idxmin()
        'backwards'
        """
        ability = self.abilities["ability"].to_numpy()
        likeliest = self.score("map")["ability"].to_numpy()
        fit = irt_fit.person_fit(self._values, self._fitted, ability, likeliest)
        return pd.DataFrame(fit, index=self.responses.index)

    def item_fit(self) -> pd.DataFrame:
        """`infit` (of a 1PL with its z), `outfit`, and S-X² (`s_x2`, `s_x2_df`, `s_x2_p`) of each item.

        A small `s_x2_p` says that the item's curve has another shape than the model's; S-X² uses
        the agents without missing responses, and is left out where fewer than ten are so. Of a 3PL or 4PL
        there is no p value: it was below .05 for .09 of items that follow a 3PL (300 agents, 10 items).

        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=500, seed=1))
        >>> list(model.item_fit().columns)
        ['infit', 'infit_z', 'outfit', 's_x2', 's_x2_df', 's_x2_p']
        """
        shared = self.model == "1pl"
        table = item_fit.item_mean_squares(self.patterns, self._fitted, self.settings, shared)
        table |= self._s_x2(1 if shared else self._fitted.shape[1])
        return pd.DataFrame(table, index=self.responses.columns[self._informative])

    def _s_x2(self, free: Any) -> dict[str, FloatArray]:
        """S-X² of the agents without gaps (and fractions); nothing where fewer than ten are so."""
        values = self._values
        whole = (values == np.rint(values)).all(1)
        if whole.sum() < 10:
            return {}
        nodes, weights = self.settings.grid()
        kind = self.kind
        form = kind.form(self._fitted[:, :1] * nodes, self._fitted[:, 1:])
        chance = np.exp(form.log) * kind.used[:, :, None]
        free = np.broadcast_to(free, len(chance))
        found = item_fit.s_x2(values[whole], chance, weights, kind.categories, free)
        if self.model in ("3pl", "4pl"):
            found["s_x2_p"] = np.full(len(chance), np.nan)
        return found

    def curves(self, ability: NumbersLike = None) -> pd.DataFrame:
        """P(right) of each fitted item (columns) at each ability (rows; -4 to 4 by default).

        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=500, seed=1))
        >>> model.curves([0.0]).round(2).to_numpy()
        array([[0.83, 0.49, 0.29, 0.19, 0.04]])
        """
        return self._over(ability, irt_em.curves)

    def item_information(self, ability: NumbersLike = None) -> pd.DataFrame:
        """Fisher information of each fitted item (columns) at each ability (rows).

        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=500, seed=1))
        >>> model.item_information().idxmax().round(1).tolist()  # at its difficulty
        [-1.0, 0.0, 0.6, 1.2, 2.1]
        """
        return self._over(ability, irt_fit.item_information)

    def test_information(self, ability: NumbersLike = None) -> pd.Series:
        """The items' information together; 1 / √ of it is the standard error of an ML ability.

        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=500, seed=1))
        >>> model.test_information([-3.0, 0.5, 4.0]).round(2).tolist()
        [0.14, 1.58, 0.18]
        """
        return self.item_information(ability).sum(axis=1).rename("information")

    def _over(
        self, ability: NumbersLike, function: Callable[[FloatArray, FloatArray], FloatArray]
    ) -> pd.DataFrame:
        at = np.linspace(-4, 4, 81) if ability is None else vector("ability", ability)
        index = pd.Index(at, name="ability")
        values = function(self._fitted, at).T
        return pd.DataFrame(values, index, self.responses.columns[self._informative])

    # -- what would have been ------------------------------------------------------------------------

    def simulate(self, agents: int | None = None, *, seed: SeedLike) -> Responses:
        """Responses drawn from the model: of the same agents at their abilities, or of new ones.

        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=500, seed=1))
        >>> model.simulate(3, seed=1).shape, model.simulate(seed=1).shape
        ((3, 5), (500, 5))
        """
        ability = self.abilities["ability"] if agents is None else None
        items = self.parameters.loc[self._informative]
        return simulate_irt(items, agents=agents, ability=ability, seed=seed)

    # -- comparing models ----------------------------------------------------------------------------

    @property
    def n_parameters(self) -> int:
        """How many numbers were fitted to the items."""
        items, size = self._fitted.shape
        return items + 1 if self.model == "1pl" else items * size
