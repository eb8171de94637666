"""The page of all benchmarks: `reports/benchmarks.html`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rows import quantity
from gindex_lab.foundation.output import write_text
from gindex_lab.presentation.pages import page

__all__ = ["write_page"]


def write_page(
    path: Path,
    found: list[dict[str, Any]],
    machine: dict[str, Any],
    before: dict[str, Any] | None,
    profile: str,
) -> None:
    """Every benchmark with its rows, the growth curves, and what the numbers were measured on."""
    rows = [row for part in found for row in part["rows"]]
    curves = [row for row in rows if row["kind"] == "curve"]
    content = page(
        "benchmarks.html.j2",
        title="How fast, and against what?",
        parts=found,
        machine=machine,
        before=before,
        profile=profile,
        fallen=[row for row in rows if row["fell"]],
        compared=sum(row["change"] is not None for row in rows),
        absent=[row for row in rows if row["kind"] == "race" and row["peer"] is None],
        limits=[row for row in rows if row["kind"] == "limit"],
        curves=curves,
        quantity=quantity,
        chart=growth_chart(curves) if curves else "",
        up="",
        here="",
    )
    write_text(path, content)


def growth_chart(curves: list[dict[str, Any]]) -> str:
    """Time against size, log-log, one panel each, with the fitted exponent."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    from gindex_lab.presentation.plots.common import use_style

    use_style()
    columns = min(3, len(curves))
    rows = -(-len(curves) // columns)
    fig, axes = plt.subplots(
        rows, columns, figsize=(3.7 * columns, 2.9 * rows), squeeze=False, layout="constrained"
    )
    for ax in axes.flat[len(curves) :]:
        ax.remove()
    for ax, curve in zip(axes.flat, curves, strict=False):
        _panel(ax, curve)
    text = io.StringIO()
    fig.savefig(text, format="svg", metadata={"Date": None})
    plt.close(fig)
    return text.getvalue().split("?>", 1)[-1].split('.dtd">', 1)[-1]


def _panel(ax: Any, curve: dict[str, Any]) -> None:
    sizes, seconds = np.array(curve["sizes"], float), np.array(curve["seconds"])
    proven = np.array(curve["proven"])
    if curve["exponent"] is not None:
        level = np.mean(np.log(seconds[proven]) - curve["exponent"] * np.log(sizes[proven]))
        fitted = np.exp(level) * sizes[proven] ** curve["exponent"]
        ax.loglog(sizes[proven], fitted, color="#999999", linewidth=1)
        ax.text(0.05, 0.9, f"exponent {curve['exponent']:.2f}", transform=ax.transAxes, fontsize=8)
    ax.loglog(sizes[proven], seconds[proven], "o", color="C0", markersize=4)
    ax.loglog(sizes[~proven], seconds[~proven], "o", color="C0", mfc="white", markersize=4)
    for size, second in zip(sizes, seconds, strict=True):
        beside = {"ha": "right", "xytext": (-6, 2)} if size == sizes[-1] else {"xytext": (6, -8)}
        told = quantity(float(f"{second:.2g}"), "s")
        ax.annotate(told, (size, second), fontsize=7, textcoords="offset points", **beside)
    ax.set_title(curve["name"], fontsize=8)
    ax.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    ax.set_xlabel(curve["of"], fontsize=8)
    ax.set_ylabel("seconds", fontsize=8)
    ax.tick_params(labelsize=7)
    ax.minorticks_off()
    ax.margins(0.12, 0.2)
