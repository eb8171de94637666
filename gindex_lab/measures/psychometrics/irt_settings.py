"""What an item response fit is told: the grid and stopping rule, the priors, and a table of 0 and 1.

`IrtSettings` and `Priors` are the knobs, each with named choices ("mirt", "weak").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import ResponsesLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, integer, number, numeric_frame

__all__ = ["FRACTIONS", "IrtSettings", "Priors", "check_agents", "check_binary", "check_size", "coded"]
__all__ += ["table_of", "varies"]

FRACTIONS = ["truncate", "round", "weigh", "error"]


@dataclass(frozen=True)
class IrtSettings:
    """The knobs of the fit. `IrtSettings()` has mirt's grid, `IrtSettings.named("mirt")` all it does.

    `nodes` points on [-limit, limit] stand for the abilities; the fit has converged when no
    parameter moves by more than `tolerance` in one EM step, and gives up after `iterations` steps.

    >>> IrtSettings.named("mirt")
    IrtSettings(nodes=61, limit=6.0, tolerance=0.0001, iterations=500, accelerate=True)
    """

    nodes: int = 61
    limit: float = 6.0
    tolerance: float = 1e-5
    iterations: int = 2000
    accelerate: bool = True

    def __post_init__(self) -> None:
        integer("settings.nodes", self.nodes, 5)
        number("settings.limit", self.limit, 1, 20)
        number("settings.tolerance", self.tolerance, 0, 1, open_ends=True)
        integer("settings.iterations", self.iterations, 1)

    @classmethod
    def named(cls, settings: object, items: int = 1) -> IrtSettings:
        """Settings from their name: "default", or "mirt" (R's mirt 1.x: 61 nodes on [-6, 6]).

        The more items, the narrower an agent's posterior: from 160 items on, the default grid gets
        finer, so that its step stays near one standard error. mirt's does not.

        >>> IrtSettings.named("default", items=100).nodes, IrtSettings.named("default", items=1000).nodes
        (61, 153)
        """
        if isinstance(settings, cls):
            return settings
        if settings == "default":
            return cls(nodes=max(61, 2 * int(np.ceil(6 * np.sqrt(0.16 * items))) + 1))
        if settings == "mirt":
            return cls(tolerance=1e-4, iterations=500)
        remedy = 'use "default", "mirt" or IrtSettings()'
        raise BadInput("settings", settings, "[not-a-setting] is not known", remedy)

    def grid(self) -> tuple[FloatArray, FloatArray]:
        """The nodes and their weights, the normal density scaled to sum to one."""
        nodes = np.linspace(-self.limit, self.limit, self.nodes)
        weights = np.exp(-(nodes**2) / 2)
        return nodes, weights / weights.sum()


@dataclass(frozen=True)
class Priors:
    """Normal priors (mean, sd) on slope, intercept and the logit of guessing; None for none.

    With few agents an item that splits them perfectly has an infinite slope: a weak prior, worth
    about one more response per item, keeps it finite (Mislevy 1986). `log_slope` is a normal prior on
    the log of the slope, which keeps it above zero too: "lognormal" has BILOG's mean 0 and sd ½
    (Mislevy and Bock 1990), as a density of the slope itself, as in R's mirt.
    """

    slope: tuple[float, float] | None = None
    intercept: tuple[float, float] | None = None
    guessing: tuple[float, float] | None = None
    log_slope: tuple[float, float] | None = None
    upper: tuple[float, float] | None = None  # the logit of the 4PL's upper asymptote

    def __post_init__(self) -> None:
        twice = self.slope is not None and self.log_slope is not None
        ensure(not twice, "priors.log_slope", self.log_slope, "is a second prior on the slope", "give one")
        for name in ("slope", "intercept", "guessing", "log_slope", "upper"):
            prior = getattr(self, name)
            if prior is None:
                continue
            pair = isinstance(prior, tuple) and len(prior) == 2
            ensure(pair, f"priors.{name}", prior, "[not-a-prior] is not a prior", "give (mean, sd) or None")
            number(f"priors.{name} mean", prior[0])
            number(f"priors.{name} sd", prior[1], 0, open_ends=True)

    @classmethod
    def named(cls, priors: object) -> Priors:
        """Priors from their name: None or "none", "weak" or "lognormal"."""
        if isinstance(priors, cls):
            return priors
        if priors is None or priors == "none":
            return cls()
        if isinstance(priors, str) and priors == "weak":
            return cls((1.0, 1.0), (0.0, 3.0), (-1.4, 0.5), upper=(2.2, 0.5))
        if isinstance(priors, str) and priors == "lognormal":
            return cls(guessing=(-1.4, 0.5), log_slope=(0.0, 0.5), upper=(2.2, 0.5))
        remedy = 'use None, "weak", "lognormal" or Priors(slope=(1, 1))'
        raise BadInput("priors", priors, "[not-a-setting] is not known", remedy)

    def pull(
        self, at: FloatArray, kinds: Sequence[str] = ("slope", "intercept")
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Log density (up to a constant), its gradient and minus its second derivative, all like `at`
        (... x k); `kinds` says which prior each of the k parameters takes ("": none).

        >>> [x.tolist() for x in Priors(log_slope=(0.0, 0.5)).pull(np.array([[1.0, 0.0]]))]
        [[[0.0, 0.0]], [[-1.0, 0.0]], [[3.0, 0.0]]]
        """
        pairs = [(getattr(self, kind) if kind else None) or (0.0, np.inf) for kind in kinds]
        mean, sd = np.array(pairs, dtype=float).T
        precision = sd**-2.0
        with np.errstate(invalid="ignore"):
            far = np.where(precision > 0, at - mean, 0.0)
        density, gradient = 0.0 - 0.5 * precision * far**2, 0.0 - precision * far
        curvature = np.broadcast_to(precision, at.shape).copy()
        if self.log_slope is not None:
            slopes, (centre, sd_log) = np.array(kinds) == "slope", self.log_slope
            slope = np.maximum(at[..., slopes], 1e-9)
            log = (np.log(slope) - centre) / sd_log**2
            density[..., slopes] -= np.log(slope) + 0.5 * (log * sd_log) ** 2
            gradient[..., slopes] -= (1 + log) / slope
            curvature[..., slopes] += (sd_log**-2 - 1 - log) / slope**2
        return density, gradient, curvature


def table_of(responses: ResponsesLike) -> pd.DataFrame:
    """The numbers of a `Responses` or of anything table-like, all in [0, 1] or missing."""
    if isinstance(responses, Responses):
        return responses.frame.copy()  # checked when it was made
    frame = responses if not hasattr(responses, "frame") else responses.frame
    return Responses(numeric_frame("responses", frame)).frame


def check_binary(frame: pd.DataFrame, remedy: str) -> None:
    """Every response is 0, 1 or missing; the first that is not is named."""
    values = frame.to_numpy(dtype=float)
    odd = np.argwhere(~np.isnan(values) & (values != 0) & (values != 1))
    if len(odd):
        agent, item = frame.index[odd[0][0]], frame.columns[odd[0][1]]
        where, found = f"responses[{agent!r}, {item!r}]", float(values[tuple(odd[0])])
        raise BadInput(where, found, "[not-binary] is neither 0 nor 1", remedy)


def coded(frame: pd.DataFrame, fractions: str) -> pd.DataFrame:
    """Responses as 0 and 1, by the rule for what lies between."""
    values = frame.to_numpy()
    if fractions == "error":
        check_binary(frame, 'choose fractions="truncate", "round" or "weigh"')
    if fractions == "truncate":
        values = np.floor(values + 1e-9)
    elif fractions == "round":
        values = np.round(values)
    return pd.DataFrame(values, frame.index, frame.columns)


def varies(frame: pd.DataFrame) -> pd.Series:
    """Which items have more than one value."""
    values = frame.to_numpy()
    if np.isnan(values).any():
        return frame.max() > frame.min()
    return pd.Series((values != values[:1]).any(axis=0), frame.columns)


def check_agents(frame: pd.DataFrame) -> None:
    """Every agent has answered something."""
    silent = np.isnan(frame.to_numpy()).all(axis=1)
    problem = "[no-response] is an agent without any response to a varying item"
    ensure(not silent.any(), "responses", frame.index[silent.argmax()], problem, "drop the agent")


def check_size(frame: pd.DataFrame, informative: pd.Series, model: str, fractions: str = "") -> None:
    """Enough to tell ability from difficulty: two agents, and three items that vary (as `fractions`,
    the rule for responses between 0 and 1, reads them)."""
    remedy = "measure two or more agents"
    ensure(len(frame) > 1, "responses", frame.shape, "[too-few] has one agent only", remedy)
    least, vary = 2 if model == "1pl" else 3, int(informative.sum())
    remedy = f"give at least {least} items that some agents solve and others do not"
    remedy += f", or read fractions otherwise than {fractions=}" if fractions else ""
    few = f"{vary} of {frame.shape[1]} items vary"
    ensure(vary >= least, "responses", few, f"[too-few] too few to fit a {model}", remedy)
    check_agents(frame.loc[:, informative])
