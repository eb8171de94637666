"""Responses that are fractions: a Beta distribution between exact zeros and exact ones.

A success rate of 0.37 is neither a failure nor a category. Given z = a·θ, an answer is 0, 1 or between, as in
a graded model of three categories, and between them it is Beta distributed around σ(z + d) with
precision φ. An item that nobody failed or solved entirely has no cut there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import betaln, digamma, polygamma

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_models import (
    FAR,
    BoolArray,
    Form,
    IntArray,
    ItemModel,
    between_cuts,
    logistic,
    slope_of,
)

__all__ = ["OrderedBeta", "parts"]


def parts(form: Form) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The chances of 0, between and 1 (items x 3 x nodes), and α and β of the Beta between."""
    alpha, beta = form.log[:, 3] + 1, form.log[:, 4] + 1
    log = form.log[:, :3].copy()
    log[:, 1] += betaln(alpha, beta)
    return np.exp(log), alpha, beta


class OrderedBeta(ItemModel):
    """Fractions: P(y > 0) = σ(z + d1), P(y = 1) = σ(z + d2), and between them Beta(μφ, (1 - μ)φ) with
    μ = σ(z + d) (Noel and Dauvier 2007; with exact zeros and ones, Kubinec 2023)."""

    name = "beta"

    def __init__(self, categories: Sequence[int] | IntArray, ends: BoolArray | None = None) -> None:
        self.ends = np.ones((len(categories), 2), dtype=bool) if ends is None else ends
        super().__init__(np.full(len(categories), 3))
        self.columns = 5
        inside = np.ones((len(self.ends), 1), dtype=bool)
        self.used = np.hstack([self.ends[:, :1], inside, self.ends[:, 1:], inside, inside])

    def rest(self) -> list[tuple[str, str, float, float]]:
        """The cuts at 0 and at 1, the middle, and log φ (φ from 0.02 to 160,000), which has no prior."""
        return [(name, "intercept", -FAR, FAR) for name in ("d1", "d2", "d")] + [("log_phi", "", -4.0, 12.0)]

    @property
    def free(self) -> BoolArray:
        """An item without zeros (or ones) has no cut for them."""
        return np.hstack([self.ends, np.ones((len(self.ends), 2), dtype=bool)])

    def form(self, z: FloatArray, rest: FloatArray) -> Form:
        """Σ over columns of weight times log is the log density: 1(0), 1(inside), 1(1), log y, log(1 - y)."""
        shown = np.ones((len(rest), 3), dtype=bool)
        ends = between_cuts(z, np.where(self.ends, rest[:, :2], [FAR, -FAR]), shown)
        mean, miss = logistic(z + rest[:, 2:3]), logistic(-z - rest[:, 2:3])
        phi = np.exp(rest[:, 3:])
        alpha, beta = np.maximum(mean * phi, 1e-12), np.maximum(miss * phi, 1e-12)
        steep = mean * miss * phi
        both = digamma(alpha + beta)
        up, down = digamma(alpha) - both, digamma(beta) - both
        zero = np.zeros_like(z)
        log = np.concatenate([ends.log, np.stack([alpha - 1, beta - 1], 1)], 1)
        log[:, 1] -= betaln(alpha, beta)
        by_mean = np.stack([zero, steep * (down - up), zero, steep, -steep], 1)
        by_phi = np.stack([zero, -alpha * up - beta * down, zero, alpha, beta], 1)
        by_cuts = np.pad(ends.by_rest, ((0, 0), (0, 0), (0, 2), (0, 0)))
        by_rest = np.concatenate([by_cuts, by_mean[:, None], by_phi[:, None]], 1)
        by_z = np.pad(ends.by_z, ((0, 0), (0, 2), (0, 0))) + by_mean
        return Form(log, lambda: by_z, lambda: by_rest)

    def carried(self, rest: FloatArray) -> FloatArray:
        """All but the precision move."""
        return np.broadcast_to([1.0, 1.0, 1.0, 0.0], rest.shape)

    def about_z(self, form: Form) -> FloatArray:
        """As `fisher`, of z alone."""
        return self._told(form, form.by_z[:, None])[:, 0, 0]

    def fisher(self, form: Form, full: FloatArray, seen: FloatArray) -> FloatArray:
        """Summed over the nodes."""
        return np.asarray((self._told(form, full) * seen[:, None, None]).sum(3))

    def _told(self, form: Form, full: FloatArray) -> FloatArray:
        """Graded ends, and between them what a Beta tells of its two parameters (items x k x k x nodes)."""
        chance, alpha, beta = parts(form)
        both = digamma(alpha + beta)
        by_alpha, by_beta = full[:, :, 3], full[:, :, 4]  # items x k x nodes
        ends = full[:, :, :3].copy()
        means = (digamma(alpha) - both)[:, None], (digamma(beta) - both)[:, None]
        ends[:, :, 1] += by_alpha * means[0] + by_beta * means[1]
        info = np.einsum("jcq,jkcq,jlcq->jklq", chance, ends, ends)
        shared = polygamma(1, alpha + beta)
        mixed = by_alpha + by_beta
        for left, curve in ((by_alpha, polygamma(1, alpha)), (by_beta, polygamma(1, beta)), (mixed, -shared)):
            info += np.einsum("jkq,jlq,jq->jklq", left, left, curve * chance[:, 1])
        return np.asarray(info)

    def start(self, shares: FloatArray, tied: FloatArray) -> tuple[FloatArray, FloatArray]:
        """`shares` has the mean of log y and of log(1 - y) among the fractions in its last columns."""
        slopes = slope_of(shares[:, :3], tied[:, :3])
        above = np.clip(np.stack([1 - shares[:, 0], shares[:, 2]], 1), 1e-3, 1 - 1e-3)
        cuts = np.where(self.ends, np.log(above / (1 - above)) * 1.2, [FAR, -FAR])
        inside = np.maximum(shares[:, 1], 1e-9)
        middle = (shares[:, 3] - shares[:, 4]) / inside
        return slopes, np.column_stack([cuts, np.clip(middle, -4, 4), np.full(len(slopes), 1.0)])
