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
from gindex_lab.studies.analysis.accuracy import against_chance, score_differences, score_table, task_table
from gindex_lab.studies.analysis.audit import audit_counts, item_audit
from gindex_lab.studies.analysis.integrity import audit_study
from gindex_lab.studies.analysis.linking import with_links
from gindex_lab.studies.analysis.psychometrics import Psychometrics, compared
from gindex_lab.studies.analysis.score_words import undetermined, why_gamma_is_unsure
from gindex_lab.studies.analysis.shuffle import shuffle_control
from gindex_lab.studies.analysis.telling import said_of
from gindex_lab.studies.analysis.validity import difficulty_validity

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt import ItemResponseModel

__all__ = ["FLOORED", "Analysis"]

FLOORED = ("none", "failure", "irt")  # transforms whose responses can be freed of guessing
# So that a report takes seconds:
_MANY = 60  # agents from which limits of horizons are computed without draws
_MANY_PAIRED = 200  # agents from which only the one with the best score is compared with the others
_SHUFFLED_CELLS = 50_000_000  # cells that the shuffle control deals out anew, in all
_FEWEST_SHUFFLES = 19  # the fewest that can show p .05
_MOST_ERRORS = 400  # items up to which the model's standard errors are computed: they take (2N)³


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
    def _responses(self) -> Responses | None:
        """The data by item, unless they are raw scores."""
        return self.raw if isinstance(self.raw, Responses) else None

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
        data = self._responses
        return None if data is None else score_table(data, self.ci, self.resample)

    @cached_property
    def tasks(self) -> pd.DataFrame | None:
        """The same by task (`gl.analysis.task_table`); None where the items have no families."""
        return None if self._responses is None else task_table(self._responses, self.ci)

    @cached_property
    def floors(self) -> pd.Series | None:
        """What guessing gives at each item (`gl.analysis.floors_of`); None where it is not known."""
        return None if self._responses is None else floors_of(self._responses, self.floor)

    @cached_property
    def chance(self) -> pd.DataFrame | None:
        """Every agent against guessing (`gl.analysis.against_chance`); None where no floor is known."""
        if self._responses is None or self.scores is None or self.floors is None:
            return None
        return against_chance(self._responses, self.scores, self.floors)

    @property
    def measured_floor(self) -> pd.Series | None:
        """The floors that are inside capability and γ: positions among agents have none."""
        if self.floors is None or self.measured is None or self.transform not in FLOORED:
            return None
        return self.floors[self.measured.frame.columns]

    @property
    def _seen(self) -> pd.DataFrame:
        """Agents x items, True where an agent met an item."""
        return (self.data if self.raw is None else self.raw).frame.notna()

    @cached_property
    def met(self) -> pd.Series:
        """How many items each agent met."""
        return self._seen.sum(axis=1)

    @cached_property
    def ranked(self) -> list[Any]:
        """The agents that met enough items to be put in order."""
        if self.transform == "opponent":
            return list(self._seen.index)
        return list(self._seen.index[comparing.widely_measured(self._seen.to_numpy())])

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
        data, scores = self._responses, self.scores
        if data is None or scores is None or self.ci is None or len(scores) < 2:
            return None, None
        resample = "families" if self.resample == "families" else "items"
        many = len(scores) > _MANY_PAIRED
        against = comparing.front_of(scores["score"], self.ranked) if many else None
        found = score_differences(data, self.ci, resample, against=against)
        return with_links(found, data, self.ci, resample)

    @cached_property
    def score_order(self) -> comparing.Order | None:
        """Who has the best score, and from whom that is separated."""
        if self.differences is None or self.scores is None or self.ci is None:
            return None
        return comparing.order_in(self.differences, self.scores["score"], self.ranked, level=1 - self.ci)

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
        """Why an order in γ should not be read; empty where it may be."""
        return why_gamma_is_unsure(self.control, self.table) if self.measures else ""

    @property
    def determined(self) -> list[Any]:
        """Agents whose γ says something: not at chance, and with an interval that is not the whole scale."""
        wide, chance = undetermined(self.table), self.chance
        guessing = ["at chance", "below chance"]
        guess = [] if chance is None else chance.index[chance["against_chance"].isin(guessing)]
        return [agent for agent in self.table.index if not wide[agent] and agent not in guess]

    @property
    def apart(self) -> dict[str, pd.DataFrame]:
        """Agents x agents, True where separated, in capability and in γ; empty without intervals."""
        return {m: order.apart for m, order in self.orders.items()}

    @property
    def tie_groups(self) -> dict[str, list[list[Any]]]:
        """Groups of agents that the data cannot separate, in capability and in γ."""
        measures = ("capability", "normalised_generality")
        return {m: self.orders[m].groups if m in self.orders else [] for m in measures}

    @property
    def groups(self) -> list[list[Any]]:
        """Groups of agents that the data cannot separate in capability."""
        return self.tie_groups["capability"]

    @property
    def gamma_groups(self) -> list[list[Any]]:
        """Groups of agents that the data cannot separate in γ."""
        return self.tie_groups["normalised_generality"]

    @cached_property
    def validity(self) -> pd.DataFrame | None:
        """How far given difficulties order the failures (`gl.difficulty_validity`)."""
        data = self._responses
        if data is None or data.difficulty is None or data.difficulty.nunique() < 2:
            return None
        return difficulty_validity(data, ci=self.ci or 0.95)

    @cached_property
    def integrity(self) -> pd.DataFrame | None:
        """What is wrong with the data (`gl.audit`), one row per finding; None for saved curves."""
        return None if self.raw is None else audit_study(self.raw, self.floor, self.rows)

    @cached_property
    def audit(self) -> pd.DataFrame | None:
        """One row per item (see `gl.analysis.item_audit`); None for one agent."""
        return None if self.raw is None or len(self.raw.frame) < 2 else item_audit(self.raw)

    @property
    def audit_counts(self) -> dict[str, int]:
        """How many items have each oddity (`gl.analysis.audit_counts`)."""
        return {} if self.audit is None else audit_counts(self.audit)

    @cached_property
    def items(self) -> pd.DataFrame | None:
        """Parameters of every item: share solved, item-rest correlation, and those of the model."""
        if self.audit is None or self.model is None:
            return None
        names = {"mean": "solved", "agents": "agents", "discrimination": "item_rest_correlation"}
        known = self.audit[list(names)].rename(columns=names)
        kept = ["difficulty", "difficulty_se", "discrimination", "discrimination_se"]
        whole = self.model.items if len(known) <= _MOST_ERRORS else self.model.parameters
        model = whole.drop(index=self.model.constant_items, errors="ignore")
        return known.join(model[[name for name in kept if name in model]])

    @cached_property
    def definitions(self) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
        """The measures under other definitions of difficulty, and what could not be tried."""
        if self.raw is None or len(self.table) < 2 or not self.measures:
            return {}, {}
        return surviving.definitions(self.raw, self._gaps, self.model, self.floors)

    @cached_property
    def survival(self) -> pd.DataFrame | None:
        """One row per definition (see `gl.analysis.survival`), of the agents that can be put in order."""
        tables, some = self.definitions[0], self.ranked
        if not tables:
            return None
        apart = {m: each.loc[some, some] for m, each in self.apart.items()}
        return surviving.survival(self.table.loc[some], tables, apart)

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
        leaders, least = (tied.get(m, self.ranked) for m in ("capability", "normalised_generality"))
        found = surviving.verdict(self.survival, leaders, least, agents=len(self.ranked))
        unread = ("least_general", "gamma_order") if self.gamma_is_unsure else ()
        return {name: holds for name, holds in found.items() if name not in unread}

    @cached_property
    def control(self) -> pd.DataFrame | None:
        """Observed against shuffled (see `gl.analysis.shuffle_control`); None for one agent."""
        if len(self.table) < 2 or self.measured is None:
            return None
        enough = max(_FEWEST_SHUFFLES, _SHUFFLED_CELLS // max(self.data.frame.size, 1))
        shuffles = min(self.shuffles, enough)
        return shuffle_control(self.measured, shuffles, floor=self.measured_floor, seed=self.seed)

    @cached_property
    def horizons(self) -> pd.DataFrame | None:
        """Time horizons (see `gl.horizon`), where the items have minutes."""
        if self._responses is None or "minutes" not in self._responses.items:
            return None
        from gindex_lab.measures.horizons.horizons import horizon

        return horizon(
            self._responses,
            ci=self.ci,
            resample="trials" if self.resample == "trials" else "families",
            method="bootstrap" if len(self.table) <= _MANY else "jackknife",
            seed=self.seed,
        )

    # -- models ----------------------------------------------------------------------------------------

    @cached_property
    def model(self) -> ItemResponseModel | None:
        """The item response model, where one can be fitted."""
        return None if self.raw is None else models.fitted(self.raw)

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

    @cached_property
    def _said(self) -> tuple[summary.Said, ...]:
        return tuple(said_of(self))

    def said(self) -> list[summary.Said]:
        """What the numbers say, in words, and what they do not: scores first."""
        return list(self._said)

    def sentences(self) -> list[str]:
        """The same as plain text."""
        return [said.text for said in self._said]

    def text(self) -> str:
        """The report for a terminal."""
        return str(upstairs("text_report")(self))

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the report as one HTML file, whole or not at all."""
        try:
            write_text(Path(path), upstairs("report_page")(self))
        except CannotWrite as error:
            raise error.told_of("out", str(path), BadInput) from None
        except OSError as error:
            problem = f"cannot be written ({error.strerror or error})"
            remedy = "name an HTML file in a folder that you may write to"
            raise BadInput("out", str(path), problem, remedy) from None
        return Path(path)
