"""An analysis of a table, whole: measures with intervals, and the questions to ask before believing them.

Choose (or take) a transform, measure every agent, and then: which agents do the data separate, does the
conclusion survive other definitions of difficulty, what do shuffled responses give, which items are odd,
what do the psychometric models say? Each part is computed when it is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.analysis import models, summary, surviving
from gindex_lab.analysis.audit import audit_counts, expected_duplicates, item_audit
from gindex_lab.analysis.options import TRANSFORMS, WHY
from gindex_lab.analysis.page import cells, report_page
from gindex_lab.analysis.shuffle import shuffle_control
from gindex_lab.errors import BadInput
from gindex_lab.measures.generality import generality
from gindex_lab.measures.steps import StepCurves
from gindex_lab.output import write_text
from gindex_lab.responses import Responses, Scores
from gindex_lab.validate import choice

if TYPE_CHECKING:
    from gindex_lab.psychometrics.irt import ItemResponseModel

__all__ = ["Analysis", "analyse_table"]

_MANY = 60  # agents from which limits without draws are quicker than anyone waits


@dataclass(frozen=True)
class Analysis:
    """What was read, how it was transformed, and what came out."""

    data: Responses | Scores
    transform: str
    measured: Responses
    table: pd.DataFrame
    groups: list[list[Any]]
    ci: float | None
    seed: int
    missing: str = "error"
    resample: str = "items"
    shuffles: int = field(default=99, repr=False)
    dates: str | None = None

    # -- what one should ask before believing it --------------------------------------------------------

    @cached_property
    def raw(self) -> Responses | Scores | None:
        """The data by item: of saved curves, the positions that they were made of."""
        if not isinstance(self.data, StepCurves):
            return self.data
        return None if self.data.positions is None else Scores(self.data.positions)

    @property
    def _gaps(self) -> str:
        return "drop" if self.raw is not None and self.raw.frame.isna().any(axis=None) else "error"

    @cached_property
    def apart(self) -> dict[str, pd.DataFrame]:
        """Agents x agents, True where separated, in capability and in γ; empty without intervals."""
        from gindex_lab.measures.pairs import separations

        if self.ci is None or len(self.table) < 2:
            return {}
        return {m: separations(self.table, m) for m in ("capability", "normalised_generality")}

    @cached_property
    def gamma_groups(self) -> list[list[Any]]:
        """Groups of agents that the data cannot separate in γ."""
        from gindex_lab.measures.pairs import tie_groups

        if not self.apart:
            return []
        return [list(g) for g in tie_groups(self.table, "normalised_generality")]

    @property
    def tie_groups(self) -> dict[str, list[list[Any]]]:
        """The groups in capability and in γ."""
        return {"capability": self.groups, "normalised_generality": self.gamma_groups}

    @cached_property
    def audit(self) -> pd.DataFrame | None:
        """One row per item (see `gl.analysis.item_audit`); None for one agent."""
        return None if self.raw is None or len(self.raw.frame) < 2 else item_audit(self.raw)

    @property
    def audit_counts(self) -> dict[str, int]:
        return {} if self.audit is None else audit_counts(self.audit)

    @cached_property
    def definitions(self) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
        """The measures under other definitions of difficulty, and what could not be tried."""
        if self.raw is None or len(self.table) < 2:
            return {}, {}
        return surviving.definitions(self.raw, self._gaps, self.model)

    @cached_property
    def survival(self) -> pd.DataFrame | None:
        """One row per definition (see `gl.analysis.survival`)."""
        tables = self.definitions[0]
        return surviving.survival(self.table, tables, self.apart) if tables else None

    @cached_property
    def control(self) -> pd.DataFrame | None:
        """Observed against shuffled (see `gl.analysis.shuffle_control`); None for one agent."""
        if len(self.table) < 2:
            return None
        return shuffle_control(self.measured, self.shuffles, seed=self.seed)

    @cached_property
    def model(self) -> ItemResponseModel | None:
        """The item response model, where one can be fitted."""
        return None if self.raw is None else models.fitted(self.raw)

    @cached_property
    def horizons(self) -> pd.DataFrame | None:
        """Time horizons (see `gl.horizon`), where the items have minutes."""
        from gindex_lab.horizons.horizons import horizon

        if not isinstance(self.raw, Responses) or "minutes" not in self.raw.items:
            return None
        resample = "trials" if self.resample == "trials" else "families"
        method = "bootstrap" if len(self.table) <= _MANY else "sandwich"
        return horizon(self.raw, ci=self.ci, seed=self.seed, resample=resample, method=method)

    @cached_property
    def irt(self) -> models.View:
        """Abilities beside capabilities, or why there are none."""
        if self.raw is None:
            return models.View(None, "No items.")
        return models.irt_view(self.raw, self.table, self.model)

    @cached_property
    def factors(self) -> models.View:
        """Loadings of one factor, or why there is none."""
        if self.raw is None:
            return models.View(None, "No items.")
        return models.factor_view(self.raw, seed=self.seed)

    @cached_property
    def fit(self) -> models.View:
        """Person fit, the strangest agent first, or why there is none."""
        if self.raw is None:
            return models.View(None, "No items.")
        return models.person_fit_view(self.raw, self._gaps, self.model)

    # -- in words ------------------------------------------------------------------------------------

    def said(self) -> list[summary.Said]:
        """What the numbers say, in words, and what they do not."""
        agents, items = self.data.shape if self.raw is None else self.raw.shape
        found = [summary.Said(f"{agents} agents on {items} items. {WHY[self.transform]}")]
        found += self._said_of_horizons()
        found += self._said_of_order()
        if self.survival is not None and self.apart:
            found += summary.about_survival(self.verdict, self.survival, self.definitions[1])
        if self.control is not None:
            found += summary.about_control(self.control)
        if self.audit is not None and self.raw is not None:
            found += summary.about_items(self.audit_counts, expected_duplicates(self.raw))
        resample = None if self.ci is None else self.resample
        return found + ([] if self.raw is None else summary.about_data(self.raw, resample))

    def _said_of_horizons(self) -> list[summary.Said]:
        from gindex_lab.horizons.growth import doubling_time
        from gindex_lab.horizons.words import about_horizons

        if self.horizons is None:
            return []
        said = [summary.Said(*each) for each in about_horizons(self.horizons)]
        if self.dates is None:
            return said
        try:
            grown = doubling_time(self.horizons, self.dates)
        except BadInput as error:
            if error.argument != "frontier":
                raise
            return [*said, summary.Said("Too few dated horizons for a doubling time.", False)]
        return [*said, summary.Said(grown.sentence(), np.isfinite(grown.high))]

    def _said_of_order(self) -> list[summary.Said]:
        if self.apart:
            return summary.about_order(self.table, self.tie_groups, self.apart)
        best, widest = (
            self.table["capability"].idxmax(),
            self.table["normalised_generality"].idxmin(),
        )
        text = (
            f"The most capable agent is {best} (capability {self.table.loc[best, 'capability']:.3g}); "
            f"the least general for its capability is {widest} "
            f"(normalised generality {self.table.loc[widest, 'normalised_generality']:.3g})."
        )
        if self.ci is not None:
            return [
                summary.Said(text.split(";")[0] + "; there is nobody to compare it with.", False)
            ]
        why = "No intervals were asked for: do not read small differences as real."
        return [summary.Said(text, False), summary.Said(why, False)]

    @property
    def verdict(self) -> dict[str, bool]:
        """Which conclusions every definition of difficulty agrees with."""
        if self.survival is None:
            return {}
        best, least = (
            self.table["capability"].idxmax(),
            self.table["normalised_generality"].idxmin(),
        )
        groups = summary.with_agent(self.groups, best), summary.with_agent(self.gamma_groups, least)
        return surviving.verdict(self.survival, *groups, agents=len(self.table))

    def sentences(self) -> list[str]:
        """The same as plain text."""
        return [said.text for said in self.said()]

    def text(self) -> str:
        """The report for a terminal."""
        shown = cells(self.table.sort_values("capability", ascending=False, kind="stable"))
        table = pd.DataFrame(
            [[f"{v} [{span}]" if span else v for v, span in row] for _, row in shown["rows"]],
            index=[agent for agent, _ in shown["rows"]],
            columns=shown["measures"],
        )
        groups = [f"  {k}. {', '.join(map(str, group))}" for k, group in enumerate(self.groups, 1)]
        title = ["", "Agents that the data cannot separate in capability:"] if groups else []
        notes = [f"({note})" for note in self.data.notes]
        lines = [*notes, *self.sentences(), "", table.to_string(max_rows=60), *title, *groups]
        return "\n".join(_printable(line) for line in lines)

    def write(self, path: str | PathLike[str]) -> Path:
        """The report as one HTML file, whole or not at all."""
        try:
            write_text(Path(path), report_page(self))
        except OSError as error:
            raise BadInput(
                "out",
                str(path),
                f"cannot be written ({error.strerror or error})",
                "name an HTML file in a folder that you may write to",
            ) from None
        return Path(path)


def _printable(text: str) -> str:
    """No escape sequence of a log reaches the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def analyse_table(
    data: Responses | Scores,
    *,
    transform: str = "auto",
    reference: str | None = None,
    ci: float | None = 0.95,
    missing: str = "error",
    resample: str = "items",
    shuffles: int = 99,
    dates: str | None = None,
    seed: int = 1,
) -> Analysis:
    """Measure the agents of a table, ready to be asked everything else.

    `transform="auto"` takes responses with difficulties as they are and ranks everything else. A missing
    cell is an error, or with `missing="drop"` left out: each agent is measured on what it met.
    `resample` is that of `gl.generality`, `shuffles` the size of the shuffle control, `dates` a column of the
    agents. Items with a column `minutes` are given time horizons, too.

    >>> from gindex_lab.readers.examples import simulated_runs
    >>> found = analyse_table(simulated_runs())
    >>> found.groups[0], found.verdict["best"]
    (['model-k', 'model-j'], True)
    """
    wanted = choice("transform", transform, TRANSFORMS)
    choice("missing", missing, ["error", "drop"])
    if wanted == "auto":
        as_is = isinstance(data, Responses) and data.difficulty is not None
        wanted = "none" if as_is else "rank"
    if missing == "error":
        _check_gaps(data, wanted)
    _check_size(data, wanted, ci)
    measured = _transformed(data, wanted, reference, missing)
    gaps = "drop" if measured.frame.isna().any(axis=None) else "error"
    table = generality(measured, ci=ci, seed=seed if ci else None, missing=gaps, resample=resample)
    groups: list[list[Any]] = []
    if ci is not None and len(table) > 1:
        from gindex_lab.measures.pairs import tie_groups

        groups = [list(group) for group in tie_groups(table)]
    return Analysis(
        data, wanted, measured, table, groups, ci, seed, missing, resample, shuffles, dates
    )


def _check_size(data: Responses | Scores, transform: str, ci: float | None) -> None:
    """One agent beats nobody (every transform but "none" compares agents), two items have no spread."""
    if data.shape[1] < 3 and ci is not None and transform != "opponent":
        remedy = "measure three or more, or ask for no intervals (--ci 0)"
        raise BadInput("items", list(data.frame.columns), "are too few for intervals", remedy)
    if len(data.frame) == 1 and transform != "none":
        agent = data.frame.index[0]
        problem = f"is the only agent, and {transform!r} gets difficulty from comparing agents"
        remedy = "add agents, or give the items' difficulties (--difficulty)"
        raise BadInput("agents", agent, problem, remedy)


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


def _transformed(
    data: Responses | Scores, transform: str, reference: str | None, missing: str
) -> Responses:
    from gindex_lab.measures import transforms

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
