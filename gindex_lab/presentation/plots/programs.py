"""Figures of programs and how well they are written: heat map (Fig 6), size (Figs 10, 11), learning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.presentation.plots.common import columns_of, new_axes, styled

__all__ = ["plot_divergence_matrix", "plot_learning_curves", "plot_program_size"]


@styled
def plot_divergence_matrix(
    values: FloatArray, labels: Sequence[str], *, title: str = "", ax: Any = None
) -> Any:
    """Δ between programs as a heat map, dark for near, with lines between the domains (Fig 6).

    `values` is programs x programs, `labels` the domain of each, programs of a domain side by side.

    >>> plot_divergence_matrix(np.zeros((2, 2)), ["http", "http"]).get_yticklabels()[0].get_text()
    'http'
    """
    values = np.asarray(values, dtype=float)
    if values.shape != (len(labels), len(labels)) or not len(labels):
        problem = f"is not a matrix with a row and a column for each of {len(labels)} labels"
        raise BadInput("values", values.shape, problem, "pass pairwise(flows) and their domains")
    ax = new_axes(ax, figsize=(7, 6))
    image = ax.imshow(values, cmap="viridis", vmin=0, vmax=1)
    starts = [i for i, name in enumerate(labels) if i == 0 or name != labels[i - 1]]
    ends = [*starts[1:], len(labels)]
    middles = [(a + b - 1) / 2 for a, b in zip(starts, ends, strict=True)]
    names = [labels[i] for i in starts]
    ax.set_xticks(middles, names, rotation=45, ha="right", rotation_mode="anchor", fontsize=7)
    ax.set_yticks(middles, names, fontsize=7)
    for at in starts[1:]:
        ax.axhline(at - 0.5, color="white", lw=0.6)
        ax.axvline(at - 0.5, color="white", lw=0.6)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.figure.colorbar(image, ax=ax, label="divergence Δ", fraction=0.046, pad=0.03)
    ax.set_title(title)
    return ax


@styled
def plot_program_size(
    table: pd.DataFrame, value: str = "performance", *, title: str = "", ax: Any = None
) -> Any:
    """Performance θ (Fig 10) or skill (Fig 11) of each model on each domain against program size.

    `table` has the columns `model`, `characters` and the one named by `value`, a row per model and
    domain; a line through the means of four equally large groups of sizes guides the eye.

    >>> runs = pd.DataFrame({"model": ["a"] * 4, "characters": [900, 1500, 2500, 4000],
    ...                      "performance": [1.0, 0.9, 0.8, 0.4]})
    >>> plot_program_size(runs).get_ylabel()
    'performance θ'
    """
    columns_of(table, ["model", "characters", value], "a table of models and domains")
    ax = new_axes(ax, figsize=(7, 4.2))
    for model, runs in table.groupby("model", sort=False):
        points = ax.scatter(runs["characters"], runs[value], s=26, alpha=0.75, label=model)
        quarter = pd.qcut(runs["characters"], 4, labels=False, duplicates="drop")
        means = runs.groupby(quarter)[["characters", value]].mean()
        ax.plot(means["characters"], means[value], color=points.get_facecolor()[0], lw=1.2)
    ax.set_xlabel("program size (characters)")
    names = {"performance": "performance θ", "skill": "skill level (share of perfect programs)"}
    ax.set_ylabel(names.get(value, value))
    ax.set_ylim(-0.04, 1.04)
    ax.set_title(title)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False)
    return ax


@styled
def plot_learning_curves(
    table: pd.DataFrame, value: str = "performance", *, title: str = "", ax: Any = None
) -> Any:
    """A value against training samples, a line per system; bands hold the runs of equal size.

    `table` is of `experiments.learning_curve`, or several of them one below the other.

    >>> runs = pd.DataFrame({"system": ["a", "a"], "training_samples": [16, 64],
    ...                      "performance": [0.5, 0.7]})
    >>> [tick.get_text() for tick in plot_learning_curves(runs).get_xticklabels()]
    ['16', '64']
    """
    columns_of(table, ["system", "training_samples", value], "a table of learning_curve()")
    ax = new_axes(ax, figsize=(6, 4))
    for system, runs in table.groupby("system", sort=False):
        by_size = runs.groupby("training_samples")[value]
        mean = by_size.mean()
        line = ax.plot(mean.index, mean, marker="o", ms=4, label=system)[0]
        ax.fill_between(
            mean.index, by_size.min(), by_size.max(), color=line.get_color(), alpha=0.2, lw=0
        )
    sizes = sorted(table["training_samples"].unique())
    ax.set_xscale("log")
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ax.minorticks_off()
    ax.set_xlabel("training samples")
    names = {"performance": "performance θ", "g_index": "g-index", "skill": "skill level"}
    ax.set_ylabel(names.get(value, value.replace("_", " ")))
    ax.set_title(title)
    return ax
