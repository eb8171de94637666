"""From a pilot study to the number of items: what `gindex-lab plan` does.

The pilot is read as `gindex-lab analyse` reads it; `gl.power` says how likely a study like it is to tell two
agents apart, and what it would take; `gl.detectable` says what it could have seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.planning.power import Power, detectable, power
from gindex_lab.press.analyse import read_table_of

__all__ = ["StudyPlan", "plan"]


@dataclass(frozen=True)
class StudyPlan:
    """The power of a study like the pilot, and the smallest difference that it could have seen."""

    power: Power
    detectable: float
    points: bool  # the mean is spoken of in points of 100

    def text(self) -> str:
        """A few lines for a terminal: the answer, what the pilot could have seen, and the curve."""
        found, unit = (self.power, (lambda x: f"{100 * x:.3g} points") if self.points else "{:.3g}".format)
        said = str(found).replace(f"differs by {found.difference:g}", f"differs by {unit(found.difference)}")
        lines = [said]
        if found.repeats_needed is not None and found.repeats_needed > found.design.repeats:
            lines.append(
                f"So would {found.repeats_needed} trials of each of the {found.design.items:,} items."
            )
        lines.append(
            "The pilot itself could hardly have seen any difference."
            if np.isnan(self.detectable)
            else f"The pilot itself could have seen {unit(self.detectable)} with power {found.wanted:.0%}."
        )
        shown = found.curve.dropna(axis=1, how="all").drop(columns="error")
        return "\n".join([*lines, "", shown.round(3).to_string(index=False)])

    def write(self, out: str | PathLike[str]) -> Path:
        """Power by the number of items, as CSV."""
        write_text(Path(out), self.power.curve.to_csv(index=False))
        return Path(out)


def plan(
    path: str | PathLike[str],
    *,
    difference: float,
    measure: str | None = None,
    wanted: float = 0.8,
    ci: float = 0.95,
    pairs: int = 1,
    agent: Label = None,
    resample: str = "items",
    difficulty: str | None = None,
    seed: int = 1,
    reading: Mapping[str, Any] | None = None,
) -> StudyPlan:
    """How many items separate two agents like those of a pilot, from logs or a table of responses.

    `difference` of the mean is in points of 100 ("three points better"), of other measures in their own unit.
    Without `measure`: capability where the items have difficulties, else the mean.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "pilot.csv")
    ...     _ = file.write_text("agent," + ",".join(f"q{i}" for i in range(30)) + "\\n"
    ...         + "ann" + ",1,1,0" * 10 + "\\nbob" + ",1,0,1" * 10 + "\\n")
    ...     found = plan(file, difference=10)
    >>> found.power.measure, found.power.items_needed > 100
    ('mean', True)
    """
    data, _ = read_table_of(Path(path), difficulty, dict(reading or {}), {})
    if not isinstance(data, Responses):
        problem = "[not-responses] holds raw scores, and power is that of responses between 0 and 1"
        remedy = "say on which scale they are, with --scale LOW HIGH"
        raise BadInput("path", str(path), problem, remedy)
    known = data.difficulty is not None and data.difficulty.nunique() > 1
    what = measure or ("capability" if known else "mean")
    points = what == "mean"
    common: dict[str, Any] = {"measure": what, "wanted": wanted, "ci": ci, "pairs": pairs}
    common |= {"agent": agent, "resample": resample}
    gap = difference / 100 if points else difference
    found = power(data, difference=gap, seed=seed, **common)
    return StudyPlan(found, detectable(data, **common), points)
