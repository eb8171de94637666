"""What every fitted item response model has beside its items and agents: reliability, control, criteria."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import confidence
from gindex_lab.measures.psychometrics import irt_fit, irt_forms, irt_scoring
from gindex_lab.measures.psychometrics.irt_information import covariance, information
from gindex_lab.measures.psychometrics.irt_settings import Patterns
from gindex_lab.measures.psychometrics.irt_simulate import shuffle_within_items

if TYPE_CHECKING:
    import numpy.typing as npt

    from gindex_lab.foundation.validate import FloatArray
    from gindex_lab.measures.psychometrics.irt_models import ItemModel
    from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Priors

__all__ = ["SharedByModels"]


class SharedByModels:
    """What follows from the parts of a fit that all models have."""

    if TYPE_CHECKING:
        responses: pd.DataFrame
        model: str
        settings: IrtSettings
        priors: Priors
        log_likelihood: float
        _informative: npt.NDArray[np.bool_]
        _fitted: FloatArray

        @property
        def abilities(self) -> pd.DataFrame: ...
        @property
        def items(self) -> pd.DataFrame: ...
        @property
        def kind(self) -> ItemModel: ...
        @property
        def n_parameters(self) -> int: ...
        @property
        def fitted_parameters(self) -> FloatArray: ...
        @property
        def _values(self) -> FloatArray: ...

    @cached_property
    def slope_intercept(self) -> pd.DataFrame:
        """The items as R's mirt writes them, P = g + (1 - g) / (1 + exp(-aθ - d)), with standard errors.

        >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> irt(simulate_irt(true, agents=500, seed=1)).slope_intercept.round(2).iloc[0].to_dict()
        {'a1': 1.61, 'd': 1.6, 'a1_se': 0.33, 'd_se': 0.22}
        """
        at = self.fitted_parameters
        told = irt_forms.slope_intercept(self.model, self.kind, at)
        data = Patterns.of(self._values), at, self.model, self.settings, self.priors
        variance = covariance(information(*data)).diagonal()
        later = len(variance) - len(at) * (at.shape[1] - 1)  # one slope for all items, or one each
        slopes = np.broadcast_to(variance[:later], len(at))
        error = np.sqrt(np.vstack([slopes, variance[later:].reshape(-1, len(at))]))
        if "g" in told:
            error[2] *= told["g"] * (1 - told["g"])
        errors = {f"{name}_se": row for name, row in zip(told, error, strict=True)}
        return pd.DataFrame(told | errors, index=self.responses.columns[self._informative])

    def limits(self, ci: float = 0.95) -> pd.DataFrame:
        """`*_low` and `*_high` of every parameter of the items, from their standard errors.

        Estimate ± z errors; of items with asymptotes (3pl, 4pl) the discrimination on the scale of its log
        and the asymptotes on that of their logits, where the estimates are nearly normal. How often they hold
        the truth is in the kept table `data/measured/irt_recovery.csv`.

        >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> found = irt(simulate_irt(true, agents=500, seed=1)).limits()
        >>> found[["difficulty_low", "difficulty_high"]].round(1).iloc[0].tolist()
        [-1.3, -0.7]
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

    @property
    def reliability(self) -> float:
        """The share of the abilities' variance that is not error: var(EAP) / (var(EAP) + mean se²).

        >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=500, seed=1))
        >>> longer = pd.concat([true] * 6, ignore_index=True)
        >>> round(model.reliability, 2), round(irt(simulate_irt(longer, 500, seed=1)).reliability, 2)
        (0.58, 0.88)
        """
        table = self.abilities
        signal, noise = table["ability"].var(ddof=0), (table["se"] ** 2).mean()
        return float(signal / (signal + noise))

    @property
    def marginal_reliability(self) -> float:
        """The reliability over N(0, 1) by the items alone: the mean of I / (I + 1), I the test information
        (R's mirt, `marginal_rxx`).

        >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> round(irt(simulate_irt(true, agents=500, seed=1)).marginal_reliability, 2)
        0.57
        """
        nodes, weights = self.settings.grid()
        told = irt_scoring.item_information(self.kind, self.fitted_parameters, nodes).sum(0)
        return float(weights @ (told / (told + 1)))

    def negative_control(self, seed: SeedLike) -> pd.DataFrame:
        """The same fit on shuffled responses: it must lose what it found, or it found nothing.

        Each item's responses are shuffled among the agents who answered it, which keeps the
        item's share of right responses and breaks every tie between items. `gain` is the
        log-likelihood above that of independent items, `penalised_gain` the same less one for each
        parameter that was added (Akaike), both per hundred responses.

        >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-2, 2, 10)})
        >>> irt(simulate_irt(true, agents=500, seed=4)).negative_control(seed=1).round(2)
                  gain  penalised_gain  median_discrimination
        observed  5.79            5.59                   1.49
        shuffled  0.12           -0.08                   0.14
        """
        shuffled = shuffle_within_items(self.responses.loc[:, self._informative], seed)
        from gindex_lab.measures.psychometrics.irt import irt

        control = irt(
            shuffled, self.model, settings=self.settings, priors=self.priors, fractions="weigh"
        )
        rows = {"observed": self._evidence(), "shuffled": control._evidence()}
        return pd.DataFrame.from_dict(rows, orient="index")

    def _evidence(self) -> dict[str, float]:
        added = self.n_parameters - len(self._fitted)
        found = irt_fit.gains(self._values, self.log_likelihood, added)
        return found | {"median_discrimination": float(np.median(self._fitted[:, 0]))}

    @property
    def aic(self) -> float:
        """Akaike's criterion, 2 k - 2 log L: smaller is better.

        >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
        >>> true = pd.DataFrame({"discrimination": 1.5, "difficulty": [-1.0, 0.0, 0.5, 1.0, 2.0]})
        >>> model = irt(simulate_irt(true, agents=500, seed=1))
        >>> irt(model.responses, "1pl").aic < model.aic  # the items were made alike
        True
        """
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, k log n - 2 log L: smaller is better."""
        return float(self.n_parameters * np.log(len(self.responses)) - 2 * self.log_likelihood)
