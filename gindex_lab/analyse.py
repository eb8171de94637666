"""From a table of scores to a report: what `gindex-lab analyse` does.

Read the table, choose (or take) a transform, measure every agent with intervals, say which agents the
data cannot tell apart, and write it all as text or as one HTML file that opens anywhere.
"""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.acc.acc import generality
from gindex_lab.acc.summary import population_summary
from gindex_lab.errors import BadInput
from gindex_lab.files import header_of, read_facts, read_table, write_text
from gindex_lab.responses import Responses, Scores
from gindex_lab.validate import choice

__all__ = ["TRANSFORMS", "Analysis", "analyse"]

TRANSFORMS = ("auto", "none", "rank", "standardise", "reference", "opponent", "irt")
_SHOWN = ["capability", "spread", "generality", "normalised_generality", "mean"]
_WHY = {
    "none": "The responses are in [0, 1] and the items have difficulties: used as they are.",
    "rank": "Rnk: an agent's position on an item is the share of the agents it beats.",
    "standardise": "Scale: an agent's position on an item is its standard score.",
    "reference": "ARef: an item is solved by those who beat the reference agent.",
    "opponent": "Opp: an opponent is as hard as it scored in the tournament.",
    "irt": "IRT: the difficulty of an item comes from a two-parameter logistic model.",
}


@dataclass(frozen=True)
class Analysis:
    """What was read, how it was transformed, and what came out."""

    data: Responses | Scores
    transform: str
    table: pd.DataFrame
    groups: list[list[Any]]
    ci: float | None
    seed: int

    def sentences(self) -> list[str]:
        """What the numbers say, in words, and what they do not."""
        agents, items = self.data.shape
        table = self.table.sort_values("capability", ascending=False)
        best, widest = table.index[0], table["normalised_generality"].idxmin()
        said = [
            f"{agents} agents on {items} items. {_WHY[self.transform]}",
            f"The most capable agent is {best} (capability {table['capability'].iloc[0]:.3g}); "
            f"the least general for its capability is {widest} "
            f"(normalised generality {table.loc[widest, 'normalised_generality']:.3g}).",
        ]
        if self.ci is None:
            return [*said, "No intervals were asked for: do not read small differences as real."]
        leaders = next((group for group in self.groups if best in group), [best])
        if len(leaders) > 1:
            said.append(
                f"The data cannot separate {best} in capability from "
                f"{', '.join(str(a) for a in leaders if a != best)}."
            )
        elif agents > 1:
            said.append(f"{best} is separated in capability from every other agent.")
        return said

    def text(self) -> str:
        """The report for a terminal."""
        cells = _cells(self.table.sort_values("capability", ascending=False))
        shown = pd.DataFrame(
            [
                [f"{value} [{span}]" if span else value for value, span in row]
                for _, row in cells["rows"]
            ],
            index=[agent for agent, _ in cells["rows"]],
            columns=cells["measures"],
        )
        rows = shown.to_string(max_rows=60)
        groups = [f"  {k}. {', '.join(map(str, group))}" for k, group in enumerate(self.groups, 1)]
        heading = ["", "Agents that the data cannot separate in capability:"] if groups else []
        return "\n".join([*self.sentences(), "", rows, *heading, *groups])

    def write(self, path: str | PathLike[str]) -> Path:
        """The report as one HTML file, whole or not at all."""
        from gindex_lab.reproduction.reports import page

        markup = page(
            "analysis.html.j2",
            title=f"How capable and how general? {self.data.name}".strip(),
            sentences=self.sentences(),
            facts={k: _fact(v) for k, v in self.data.describe().items() if v is not None},
            table=_cells(self.table.sort_values("capability", ascending=False)),
            groups=self.groups,
            summary=population_summary(self.table).to_dict(),
            figures=self._figures(),
            transform=self.transform,
            ci=self.ci,
            seed=self.seed,
        )
        try:
            write_text(Path(path), markup)
        except OSError as error:
            raise BadInput(
                "out",
                str(path),
                f"cannot be written ({error.strerror or error})",
                "name an HTML file in a folder that you may write to",
            ) from None
        return Path(path)

    def _figures(self) -> dict[str, str]:
        from gindex_lab.plots.generality import plot_capability_spread

        return {"Capability against spread": _png(plot_capability_spread(self.table).figure)}


def analyse(
    path: str | PathLike[str],
    *,
    transform: str = "auto",
    reference: str | None = None,
    difficulty: str | None = None,
    ci: float | None = 0.95,
    seed: int = 1,
    missing: str = "error",
) -> Analysis:
    """Measure the agents of a table of scores or responses.

    `transform="auto"` takes responses with difficulties as they are and ranks everything else.
    `difficulty` is a column of the items, or a CSV with the columns item and difficulty. A missing
    cell is an error, or with `missing="drop"` left out: each agent is measured on what it met.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.csv")
    ...     _ = file.write_text("agent,pong,chess,go\\nann,9,1200,3\\nbob,7,1500,1\\n")
    ...     analyse(file, ci=None).table["capability"].round(2).to_dict()
    {'ann': 0.58, 'bob': 0.42}
    """
    data = _read(Path(path), difficulty)
    wanted = choice("transform", transform, TRANSFORMS)
    choice("missing", missing, ["error", "drop"])
    if wanted == "auto":
        as_is = isinstance(data, Responses) and data.difficulty is not None
        wanted = "none" if as_is else "rank"
    if missing == "error":
        _check_gaps(data, wanted)
    measured = _transformed(data, wanted, reference, missing)
    gaps = "drop" if measured.frame.isna().any(axis=None) else "error"
    table = generality(measured, ci=ci, seed=seed if ci else None, missing=gaps)
    groups: list[list[Any]] = []
    if ci is not None and len(table) > 1:
        from gindex_lab.uncertainty.intervals import tie_groups

        groups = [list(group) for group in tie_groups(table)]
    return Analysis(data, wanted, table, groups, ci, seed)


def _read(path: Path, difficulty: str | None) -> Responses | Scores:
    """Responses where every number is in [0, 1], raw scores otherwise."""
    if not path.exists():
        raise BadInput("path", str(path), "does not exist", "check the name")
    data: Responses | Scores
    if path.is_dir() and read_facts(path).get("kind") == "StepCurves":
        data = Responses.read(path)
    else:
        data = Scores.read(path)
        if not np.isfinite(data.values).any():
            raise BadInput("path", str(path), "holds no number at all", "fill its cells")
        if np.nanmin(data.values) >= 0 and np.nanmax(data.values) <= 1:
            data = Responses.read(path)
    if difficulty is None:
        return data
    is_file = difficulty.endswith(".csv")
    return data.with_difficulty(_difficulties(Path(difficulty)) if is_file else difficulty)


def _check_gaps(data: Responses | Scores, transform: str) -> None:
    """Refuse a missing cell; that nobody plays against itself is no gap in a tournament."""
    gaps = np.isnan(data.values)
    if transform == "opponent":
        gaps &= data.frame.index.to_numpy()[:, None] != data.frame.columns.to_numpy()
    if gaps.any():
        row, column = np.argwhere(gaps)[0]
        raise BadInput(
            f"scores[{data.frame.index[row]!r}, {data.frame.columns[column]!r}]",
            np.nan,
            "is missing",
            "fill the cell, or measure each agent on what it met: missing='drop' (--missing drop)",
        )


def _difficulties(path: Path) -> pd.Series:
    if not {"item", "difficulty"} <= set(header_of(path)):
        raise BadInput("difficulty", str(path), "lacks the columns item, difficulty", "name them")
    return read_table(path, ["item"]).set_index("item")["difficulty"]


def _transformed(
    data: Responses | Scores, transform: str, reference: str | None, missing: str
) -> Responses:
    from gindex_lab.acc import transforms

    if transform == "reference":
        if reference is None:
            raise BadInput(
                "reference", None, "is needed by ARef", "name an agent: --reference NAME"
            )
        return transforms.absolute_reference(data, reference)
    if transform == "none":
        if isinstance(data, Scores):
            raise BadInput(
                "transform", transform, "needs responses in [0, 1]", "use rank for raw scores"
            )
        return data
    simple: dict[str, Any] = {
        "rank": partial(transforms.rank, missing=missing),
        "standardise": partial(transforms.standardise, missing=missing),
        "opponent": partial(transforms.opponent, incomplete=missing),
        "irt": transforms.irt_difficulty,
    }
    return simple[transform](data)


def _cells(table: pd.DataFrame) -> dict[str, Any]:
    """Headings and rows of the table as text, intervals folded into their measure's cell."""
    measures = [m for m in _SHOWN if m in table]
    rows = []
    for agent, row in table.iterrows():
        cells = []
        for m in measures:
            low, high = row.get(f"{m}_low"), row.get(f"{m}_high")
            span = "" if low is None else f"{low:.3f} to {high:.3f}"
            cells.append((f"{row[m]:.3f}", span))
        rows.append((str(agent), cells))
    return {"measures": [m.replace("_", " ") for m in measures], "rows": rows}


def _fact(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _png(figure: Any) -> str:
    import matplotlib.pyplot as plt

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=160, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
    return base64.b64encode(buffer.getvalue()).decode()
