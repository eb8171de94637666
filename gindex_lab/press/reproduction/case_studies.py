"""What the case-study notebooks share: the six printed numbers, two modes side by side, time, movies.

The authors print six numbers beside every capability-against-spread plot; `claim_population` holds ours
against them. `side_by_side` puts the exact normalised generality beside the authors'. `tie_table` and
`told_apart` say whom the data can separate. Agents through time (Fig. S20, S21) are tables that grow:
`cumulative_frames`, summed up by `frame_summary`.
"""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import atomic_path
from gindex_lab.foundation.validate import choice
from gindex_lab.press import notebook as nb
from gindex_lab.press.reproduction.claims import ledger
from gindex_lab.studies.data.printed import printed_numbers

if TYPE_CHECKING:
    from gindex_lab.foundation.responses import Responses

__all__ = ["claim_agents", "claim_population", "claim_ranks", "cumulative_frames", "frame_summary"]
__all__ += ["plot_curves", "printed_agents", "printed_numbers", "show_movie", "side_by_side"]
__all__ += ["tie_table", "told_apart"]

_TIED = ("capability", "normalised_generality")
_SYMBOLS = {"capability": "Ψ", "spread": "S", "generality": "Γ", "normalised_generality": "γ"}
_LENGTH = {"year": 4, "month": 7, "day": 10}  # letters of an ISO date
_MEASURES = {name: name for name in ("capability", "spread", "generality")} | {
    "expdiff": "expected_difficulty"
}
_QUANTITY = re.compile(rf"(\S+) ({'|'.join(_MEASURES)})")


def claim_population(first: str, table: pd.DataFrame, exact: pd.DataFrame | None = None) -> None:
    """Record the six printed numbers of a population as six claims in a row, from `first` on.

    >>> table = pd.DataFrame({"capability": [5.0, 7], "spread": [2.5, 2.46],
    ...                       "normalised_generality": [0.7, 0.76], "abstruse": [False] * 2})
    >>> claim_population("N373", table)
    """
    parts = re.fullmatch(r"([A-Z])(\d+)", str(first))
    if parts is None:
        raise BadInput("first", first, "[not-a-claim] is not the id of a claim", 'use one such as "N373"')
    ours = printed_numbers(table)
    true = None if exact is None else printed_numbers(exact)
    for k, (key, value) in enumerate(ours.items()):
        beside = None if true is None else float(true[key])
        nb.claim(f"{parts[1]}{int(parts[2]) + k:03d}", float(value), exact=beside)


def side_by_side(reference: pd.DataFrame, exact: pd.DataFrame) -> pd.DataFrame:
    """One table with the authors' numbers, the exact γ, and intervals where `reference` has them."""
    columns: dict[str, Any] = {}
    for name, symbol in _SYMBOLS.items():
        columns[symbol] = reference[name]
        if f"{name}_low" in reference and name in ("capability", "normalised_generality"):
            columns[f"{symbol} low"] = reference[f"{name}_low"]
            columns[f"{symbol} high"] = reference[f"{name}_high"]
    columns["γ exact"] = exact.loc[reference.index, "normalised_generality"]
    return pd.DataFrame(columns).sort_values("Ψ", ascending=False, kind="stable")


def tie_table(table: pd.DataFrame, measures: Sequence[str] = _TIED) -> pd.DataFrame:
    """The groups of `gl.tie_groups`, one row each: how many agents, and who.

    `table` comes from `gl.generality(..., ci=0.95)`; a group runs from its best agent to its worst, and
    neighbouring groups may share agents.
    """
    from gindex_lab.measures.pairs import tie_groups

    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for measure in measures:
        for k, group in enumerate(tie_groups(table, measure), start=1):
            names = [str(agent) for agent in group]
            rows[_SYMBOLS[measure], k] = {"agents": len(names), "members": ", ".join(names)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["measure", "group"])


def told_apart(table: pd.DataFrame, measures: Sequence[str] = _TIED) -> pd.DataFrame:
    """Of all pairs of agents, how many the data separate by each measure, all pairs tested together."""
    from gindex_lab.measures.pairs import separations, tie_groups

    rows: dict[str, dict[str, int]] = {}
    for measure in measures:
        groups = tie_groups(table, measure)
        rows[_SYMBOLS[measure]] = {
            "pairs told apart": int(separations(table, measure).to_numpy().sum()) // 2,
            "pairs": len(table) * (len(table) - 1) // 2,
            "tie groups": len(groups),
            "agents in the largest": max(map(len, groups)),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")


def cumulative_frames(table: pd.DataFrame, dates: pd.Series, by: str = "month") -> dict[str, pd.DataFrame]:
    """The agents known at each date, from the first date to the last (Fig. S20, S21).

    `dates` is an ISO date for each agent; `by` is the precision: "year", "month" or "day". Every
    frame holds the agents of all the frames before it.
    """
    choice("by", by, list(_LENGTH))
    absent = table.index.difference(dates.index, sort=False)
    if len(absent):
        raise BadInput("dates", absent[0], "[no-date] is an agent without a date", "give each agent one")
    text = dates.loc[table.index].astype(str)
    wrong = ~text.str.fullmatch(r"\d{4}-\d{2}-\d{2}")
    if wrong.any():
        place, given = f"dates[{wrong.idxmax()!r}]", text[wrong].iloc[0]
        raise BadInput(place, given, "[not-a-date] is not a date", "write 2015-02-26")
    label = text.str[: _LENGTH[by]]
    return {date: table[label <= date] for date in sorted(label.unique())}


def frame_summary(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One row for each frame: who is new, how many there are, and the six printed numbers.

    >>> table = pd.DataFrame({"capability": [1.0, 3], "spread": [0.5, 0.4],
    ...                       "normalised_generality": [0.1, 0.3], "abstruse": [True, False]})
    >>> frame_summary({"2012": table.head(1), "2015": table})[["agents", "new"]].to_numpy().tolist()
    [[1, '0'], [2, '1']]
    """
    rows, before = {}, pd.Index([])
    for date, table in frames.items():
        fresh = "; ".join(str(agent) for agent in table.index.difference(before, sort=False))
        rows[date] = {"agents": len(table), "new": fresh, **printed_numbers(table)}
        before = table.index
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("frame")


def plot_curves(
    study: Responses, table: pd.DataFrame, *, columns: int = 3, unit: str = "", title: str = ""
) -> Any:
    """One small characteristic curve for each agent of `table`, in its order (Fig. S19)."""
    import matplotlib.pyplot as plt

    from gindex_lab.measures.generality import characteristic_curve
    from gindex_lab.presentation.plots.common import STYLE, heading, indicator_line, with_unit
    from gindex_lab.presentation.plots.curves import plot_curve

    across = min(columns, len(table))
    down = -(-len(table) // across)
    with plt.style.context(STYLE):
        size = (2.75 * across, 2.1 * down + 0.6)
        figure, grid = plt.subplots(down, across, figsize=size, sharex=True, sharey=True, squeeze=False)
        for k, ax in enumerate(grid.flat):
            if k >= len(table):
                ax.set_axis_off()
                continue
            agent = table.index[k]
            plot_curve(characteristic_curve(study, agent), interval=study.interval, ax=ax)
            heading(ax, str(agent), indicator_line(table.loc[agent, list(_SYMBOLS)]), small=True)
            ax.set(xlabel="", ylabel="")
            ax.tick_params(labelbottom=k + across >= len(table))
        figure.supxlabel(with_unit("difficulty h", unit), fontsize=9.5)
        figure.supylabel("mean response ψ", fontsize=9.5)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return figure


def show_movie(movie: Any, name: str, seconds: float = 1.0, *, alt: str) -> None:
    """Play an animation in the notebook; in a pipeline run also save it as a GIF beside the figures.

    `alt` says what it shows to readers who do not see it.
    """
    import matplotlib.pyplot as plt
    from IPython.display import HTML, display

    from gindex_lab.presentation.plots.common import animation_html

    with plt.rc_context({"savefig.dpi": 110}):  # a report holds every frame of every movie
        page = animation_html(movie, seconds, alt=alt)
    folder = os.environ.get(nb.OUTPUT)
    if folder:
        target = Path(folder) / "figures" / f"{name}.gif"
        _save_gif(page, target, seconds)
    display(HTML(page))  # type: ignore[no-untyped-call]


def _save_gif(page: str, target: Path, seconds: float) -> None:
    """The pictures of the page once more: drawing them a second time would take as long again."""
    from PIL import Image

    coded = re.findall(r"data:image/png;base64,([^\"]+)\"", page)
    pictures = [Image.open(io.BytesIO(base64.b64decode(text.replace("\\", "")))) for text in coded]
    first, *rest = [picture.convert("RGB").quantize(64) for picture in pictures]
    with atomic_path(target) as new:
        first.save(new, save_all=True, append_images=rest, duration=int(1000 * seconds), loop=0)


def printed_agents(section: str) -> pd.DataFrame:
    """The numbers that the figures of a section print for each agent, from the ledger of claims."""
    rows: dict[str, dict[str, float]] = {}
    for claim, agent, measure in _printed(section):
        rows.setdefault(agent, {})[measure] = float(claim.published)
    if not rows:
        raise BadInput("section", section, "[no-numbers] prints no numbers of agents", 'use "A.3" or "A.4"')
    return pd.DataFrame.from_dict(rows, orient="index")


def claim_agents(section: str, table: pd.DataFrame) -> None:
    """Hold each agent's numbers against those printed for it, agent by agent."""
    for claim, agent, measure in _printed(section):
        if agent not in table.index:
            problem = "[no-row] is an agent of the paper without a row"
            raise BadInput("table", agent, problem, "name agents as it does")
        nb.claim(claim.id, float(table.loc[agent, measure]))


def claim_ranks(first: str, ranks: pd.DataFrame, exact: pd.DataFrame | None = None) -> None:
    """Record the rows of a printed table: three claims each (name, capability, spread) from `first`."""
    start = int(first[1:])
    for k, (agent, row) in enumerate(ranks.iterrows()):
        tied = f"{row['tied']} rows tie" if row["tied"] > 1 else ""
        nb.claim(f"N{start + 3 * k:03d}", row["name"], note=tied)
        for place, measure in enumerate(("capability", "spread"), start=1):
            beside = None if exact is None else float(exact.loc[[agent], measure].iloc[0])
            nb.claim(f"N{start + 3 * k + place:03d}", float(row[measure]), exact=beside)


def _printed(section: str) -> list[tuple[Any, str, str]]:
    found = []
    for claim in ledger().values():
        match = _QUANTITY.fullmatch(claim.quantity)
        if claim.paper == "generality" and claim.section == section and match:
            found.append((claim, match[1], _MEASURES[match[2]]))
    return found
