"""An analysis of a table, whole: scores, measures, and the questions to ask before believing them.

Accuracy first: every agent's score with its interval, and which pairs differ. Then choose (or take) a
transform, measure capability and generality, and ask: which agents do the data separate, does the
conclusion survive other definitions of difficulty, what do shuffled responses give, which items are odd,
what do the psychometric models say? Each part is computed when it is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, CannotWrite
from gindex_lab.foundation.guessing import floors_of
from gindex_lab.foundation.likes import PerItemLike
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.step_curves import StepCurves
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.studies.analysis import comparing, models, summary, surviving
from gindex_lab.studies.analysis.accuracy import against_chance, score_table, task_table
from gindex_lab.studies.analysis.audit import audit_counts, item_audit
from gindex_lab.studies.analysis.differences import score_differences
from gindex_lab.studies.analysis.integrity import audit_study
from gindex_lab.studies.analysis.linking import with_links
from gindex_lab.studies.analysis.measuring import FLOORED
from gindex_lab.studies.analysis.psychometrics import Psychometrics, compared
from gindex_lab.studies.analysis.score_words import undetermined, why_gamma_is_unsure
from gindex_lab.studies.analysis.shuffle import shuffle_control
from gindex_lab.studies.analysis.telling import said_of
from gindex_lab.studies.analysis.validity import difficulty_validity

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt import ItemResponseModel

__all__ = ["Analysis"]

_MANY = 60  # agents from which limits without draws are quicker than anyone waits
_MANY_PAIRED = 200  # agents from which only the one with the best score is compared with the others
_SHUFFLED_CELLS = 50_000_000  # cells that the shuffle control deals out anew, in all
_FEWEST_SHUFFLES = 19  # the fewest that can show p .05
_MOST_ERRORS = 400  # items up to which the model's standard errors are computed: they take (2N)³
_MEASURES = ("capability", "normalised_generality")


@dataclass(frozen=True)
class Analysis:
    """What was read, how it was transformed, and what came out.

    `table` is that of `gl.generality`, without a column where there is one agent and no difficulty.
    """

    data: Responses | Scores
    transform: str
    measured: Responses | None
    table: pd.DataFrame
    ci: float | None
    seed: int
    missing: str = "error"
    resample: str = "items"
    shuffles: int = field(default=99, repr=False)
    dates: str | None = None
    floor: PerItemLike = None
    rows: pd.DataFrame | None = field(default=None, repr=False)

    @cached_property
    def raw(self) -> Responses | Scores | None:
        """The data by item: of saved curves, the positions that they were made of."""
        if not isinstance(self.data, StepCurves):
            return self.data
        return None if self.data.positions is None else Scores(self.data.positions)

    @property
    def _gaps(self) -> str:
        return "drop" if self.raw is not None and np.isnan(self.raw.values).any() else "error"

    @property
    def measures(self) -> bool:
        """Whether capability and generality could be measured at all."""
        return "capability" in self.table

    # -- scores ----------------------------------------------------------------------------------------

    @cached_property
    def scores(self) -> pd.DataFrame | None:
        """`score` with limits, `n` and `coverage` of every agent; None for raw scores, whose units differ."""
        if not isinstance(self.raw, Responses):
            return None
        return score_table(self.raw, self.ci, self.resample)

    @cached_property
    def tasks(self) -> pd.DataFrame | None:
        """The same by task (`gl.analysis.task_table`); None where the items have no families."""
        return task_table(self.raw, self.ci) if isinstance(self.raw, Responses) else None

    @cached_property
    def chance(self) -> pd.DataFrame | None:
        """Every agent against guessing (`gl.analysis.against_chance`); None where no floor is known."""
        if self.scores is None or not isinstance(self.raw, Responses):
            return None
        floors = self.floors
        return None if floors is None else against_chance(self.raw, self.scores, floors)

    @cached_property
    def floors(self) -> pd.Series | None:
        """What guessing gives at each item (`gl.analysis.floors_of`); None where nobody says."""
        return floors_of(self.raw, self.floor) if isinstance(self.raw, Responses) else None

    @property
    def measured_floor(self) -> pd.Series | None:
        """The floors that are inside capability and γ: positions among agents have none."""
        if self.floors is None or self.measured is None or self.transform not in FLOORED:
            return None
        return self.floors[self.measured.frame.columns]

    @cached_property
    def met(self) -> pd.Series:
        """How many items each agent met."""
        frame = self.data.frame if self.raw is None else self.raw.frame
        return frame.notna().sum(axis=1)

    @cached_property
    def ranked(self) -> list[Any]:
        """The agents that met enough items to be put in order."""
        source = self.data if self.raw is None else self.raw
        if self.transform == "opponent":
            return list(source.frame.index)
        return list(source.frame.index[comparing.widely_measured(~np.isnan(source.values))])

    @property
    def differences(self) -> pd.DataFrame | None:
        """Pairs of agents (`gl.analysis.score_differences`); of many, the best score with each other."""
        return self._differences[0]

    @property
    def linked(self) -> pd.DataFrame | None:
        """Pairs with too few common items (`gl.analysis.linked_differences`); None where there are none."""
        return self._differences[1]

    @cached_property
    def _differences(self) -> tuple[pd.DataFrame | None, pd.DataFrame | None]:
        if self.scores is None or self.ci is None or len(self.scores) < 2:
            return None, None
        assert isinstance(self.raw, Responses)
        resample = "families" if self.resample == "families" else "items"
        many = len(self.scores) > _MANY_PAIRED
        against = comparing.front_of(self.scores["score"], self.ranked) if many else None
        found = score_differences(self.raw, self.ci, resample, against=against)
        return with_links(found, self.raw, self.ci, resample)

    @cached_property
    def score_order(self) -> comparing.Order | None:
        """Who has the best score, and from whom that is separated."""
        if self.differences is None or self.scores is None:
            return None
        level = 0.05 if self.ci is None else 1 - self.ci
        return comparing.order_in(self.differences, self.scores["score"], self.ranked, level=level)

    # -- what one should ask before believing it --------------------------------------------------------

    @cached_property
    def orders(self) -> dict[str, comparing.Order]:
        """Who is in front in capability, and least general; empty without intervals."""
        if self.ci is None or len(self.table) < 2 or self.measured is None:
            return {}
        kept = set(self.determined)
        told = [agent for agent in self.ranked if agent in kept]
        shown = {"capability": self.ranked, "normalised_generality": told}
        return {
            m: comparing.order_of(self.table, m, agents, self.measured, self.resample)
            for m, agents in shown.items()
            if len(agents) > 1
        }

    @property
    def gamma_is_unsure(self) -> str:
        """Why an order in γ is not to be read; empty where it may be."""
        return why_gamma_is_unsure(self.control, self.table) if self.measures else ""

    @property
    def determined(self) -> list[Any]:
        """Agents whose γ says something: not at chance, and with an interval that is not the whole scale."""
        wide = undetermined(self.table)
        guess = set() if self.chance is None else set(self.chance.index[self._guessing])
        return [a for a in self.table.index if not wide[a] and a not in guess]

    @property
    def _guessing(self) -> pd.Series:
        assert self.chance is not None
        return self.chance["against_chance"].isin(["at chance", "below chance"])

    @property
    def apart(self) -> dict[str, pd.DataFrame]:
        """Agents x agents, True where separated, in capability and in γ; empty without intervals."""
        return {m: order.apart for m, order in self.orders.items()}

    @property
    def groups(self) -> list[list[Any]]:
        """Groups of agents that the data cannot separate in capability."""
        return self.orders["capability"].groups if "capability" in self.orders else []

    @property
    def gamma_groups(self) -> list[list[Any]]:
        """Groups of agents that the data cannot separate in γ."""
        order = self.orders.get("normalised_generality")
        return [] if order is None else order.groups

    @property
    def tie_groups(self) -> dict[str, list[list[Any]]]:
        """The groups in capability and in γ."""
        return {"capability": self.groups, "normalised_generality": self.gamma_groups}

    @cached_property
    def validity(self) -> pd.DataFrame | None:
        """How far given difficulties order the failures (`gl.difficulty_validity`)."""
        if not isinstance(self.raw, Responses) or self.raw.difficulty is None:
            return None
        if self.raw.difficulty.nunique() < 2:
            return None
        return difficulty_validity(self.raw, ci=self.ci or 0.95)

    @cached_property
    def integrity(self) -> pd.DataFrame | None:
        """What is wrong with the data (`gl.audit`), one row per finding; None for saved curves."""
        if self.raw is None:
            return None
        return audit_study(self.raw, self.floor, self.rows)

    @cached_property
    def audit(self) -> pd.DataFrame | None:
        """One row per item (see `gl.analysis.item_audit`); None for one agent."""
        return None if self.raw is None or len(self.raw.frame) < 2 else item_audit(self.raw)

    @cached_property
    def items(self) -> pd.DataFrame | None:
        """Parameters of every item: share solved, item-rest correlation, and those of the model."""
        if self.audit is None or self.model is None:
            return None
        known = self.audit[["mean", "agents", "discrimination"]].set_axis(
            ["solved", "agents", "item_rest_correlation"], axis=1
        )
        kept = ["difficulty", "difficulty_se", "discrimination", "discrimination_se"]
        whole = self.model.items if len(known) <= _MOST_ERRORS else self.model.parameters
        model = whole.drop(index=self.model.constant_items, errors="ignore")
        return known.join(model[[name for name in kept if name in model]])

    @property
    def audit_counts(self) -> dict[str, int]:
        return {} if self.audit is None else audit_counts(self.audit)

    @cached_property
    def definitions(self) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
        """The measures under other definitions of difficulty, and what could not be tried."""
        if self.raw is None or len(self.table) < 2 or not self.measures:
            return {}, {}
        return surviving.definitions(self.raw, self._gaps, self.model, self.floors)

    @cached_property
    def survival(self) -> pd.DataFrame | None:
        """One row per definition (see `gl.analysis.survival`), of the agents that can be put in order."""
        tables = self.definitions[0]
        if not tables:
            return None
        some = self.table.loc[self.ranked]
        apart = {m: each.loc[self.ranked, self.ranked] for m, each in self.apart.items()}
        return surviving.survival(some, tables, apart)

    @cached_property
    def control(self) -> pd.DataFrame | None:
        """Observed against shuffled (see `gl.analysis.shuffle_control`); None for one agent."""
        if len(self.table) < 2 or self.measured is None:
            return None
        enough = max(_FEWEST_SHUFFLES, _SHUFFLED_CELLS // max(self.data.frame.size, 1))
        return shuffle_control(
            self.measured, min(self.shuffles, enough), seed=self.seed, floor=self.measured_floor
        )

    @cached_property
    def model(self) -> ItemResponseModel | None:
        """The item response model, where one can be fitted."""
        return None if self.raw is None else models.fitted(self.raw)

    @cached_property
    def horizons(self) -> pd.DataFrame | None:
        """Time horizons (see `gl.horizon`), where the items have minutes."""
        if not isinstance(self.raw, Responses) or "minutes" not in self.raw.items:
            return None
        from gindex_lab.measures.horizons.horizons import horizon

        resample = "trials" if self.resample == "trials" else "families"
        method = "bootstrap" if len(self.table) <= _MANY else "jackknife"
        return horizon(self.raw, ci=self.ci, seed=self.seed, resample=resample, method=method)

    @cached_property
    def irt(self) -> models.ModelView:
        """Abilities beside capabilities, or why there are none."""
        if self.raw is None or not self.measures:
            return models.ModelView(None, "One agent, or no items: there is nothing to fit.")
        return models.irt_view(self.raw, self.table, self.model)

    @cached_property
    def factors(self) -> models.ModelView:
        """Loadings of one factor, or why there is none."""
        if self.raw is None:
            return models.ModelView(None, "No items.")
        return models.factor_view(self.raw, seed=self.seed)

    @cached_property
    def fit(self) -> models.ModelView:
        """Person fit, the strangest agent first, or why there is none."""
        if self.raw is None:
            return models.ModelView(None, "No items.")
        return models.person_fit_view(self.raw, self._gaps, self.model)

    @cached_property
    def methods(self) -> Psychometrics:
        """What these views and the measures say together, and where they disagree (`gl.psychometrics`)."""
        if self.raw is None or not self.measures:
            return Psychometrics([], why_not="The methods were not compared: there are no items.")
        ruler = None if self.measured is None else self.measured.difficulty
        if ruler is not None and not ruler.index.isin(self.raw.frame.columns).all():
            ruler = None  # positions among agents, not items
        return compared(self.raw, self.table, self.model, self.factors, ruler)

    # -- in words ------------------------------------------------------------------------------------

    def said(self) -> list[summary.Said]:
        """What the numbers say, in words, and what they do not: scores first."""
        return list(self._said)

    @cached_property
    def _said(self) -> tuple[summary.Said, ...]:
        return tuple(said_of(self))

    @property
    def verdict(self) -> dict[str, bool]:
        """Which conclusions every definition of difficulty agrees with."""
        if self.survival is None or not self.orders:
            return {}
        tied = {
            m: [order.front, *order.tied]
            for m, order in self.orders.items()
            if order.apart.loc[order.front].any()
        }
        leaders, least = (tied.get(m, self.ranked) for m in _MEASURES)
        found = surviving.verdict(self.survival, leaders, least, agents=len(self.ranked))
        unread = ("least_general", "gamma_order") if self.gamma_is_unsure else ()
        return {name: holds for name, holds in found.items() if name not in unread}

    def sentences(self) -> list[str]:
        """The same as plain text."""
        return [said.text for said in self.said()]

    def text(self) -> str:
        """The report for a terminal."""
        return str(upstairs("text_report")(self))

    def write(self, path: str | PathLike[str]) -> Path:
        """The report as one HTML file, whole or not at all."""
        try:
            write_text(Path(path), upstairs("report_page")(self))
        except CannotWrite as error:
            raise error.told_of("out", str(path), BadInput) from None
        except OSError as error:
            problem = f"cannot be written ({error.strerror or error})"
            remedy = "name an HTML file in a folder that you may write to"
            raise BadInput("out", str(path), problem, remedy) from None
        return Path(path)
