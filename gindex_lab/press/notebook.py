"""What a notebook needs to say where its numbers come from, and to hand its results on.

`start` shows the banner (which data, seed, mode, version); `show` and `save_table` display a figure or
a table and, when `gindex-lab reproduce` runs the notebook, also write it to the notebook's folder;
`claim` holds a computed value against what the paper printed; `say` states a result in the text, `found` in a
box. Run by hand, the same calls only display.

>>> start("Which model is the most general?", data="simulated", seed=1)   # a banner
>>> claim("N295", -0.8660)                                                # a line, and a record
>>> found("A step curve has a correlation of **-0.866** with difficulty.")
"""

from __future__ import annotations

import html
import io
import json
import os
import re
import struct
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import write_bytes, write_text
from gindex_lab.foundation.places import OUTPUT
from gindex_lab.foundation.validate import choice, number
from gindex_lab.press.descriptions import description
from gindex_lab.press.figures import PER_INCH
from gindex_lab.press.reproduction.claim_values import shown
from gindex_lab.press.reproduction.claims import Record, Result, find, status

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

__all__ = ["OUTPUT", "SOURCES", "claim", "claims", "found", "save_table", "say", "show", "start"]

SOURCES = ("published", "own experiment", "simulated")
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_COLOURS = {"published": "#0072B2", "own experiment": "#009E73", "simulated": "#D55E00"}
_LAID_OUT: Any = {"figure.autolayout": False, "figure.constrained_layout.use": False}
_DPI = 200
_SIGNATURE = 7  # points
_BOX = "border-left:4px solid {colour};padding:.5em .9em;margin:.6em 0;background:{ground}"


@dataclass(frozen=True)
class _Provenance:
    source: str = ""
    data: str = ""
    seed: int | None = None
    mode: str = ""
    profile: str = ""

    def line(self, source: bool = True) -> str:
        parts = [self.data, f"{self.source} data" if source and self.source else ""]
        parts += [] if self.seed is None else [f"seed {self.seed}"]
        parts += [f"mode {self.mode}"] if self.mode else []
        parts += [f"profile {self.profile}"] if self.profile else []
        return " · ".join([*filter(None, parts), f"gindex_lab {_version()}"])


_current = _Provenance()


def start(
    title: str = "",
    *,
    data: object = None,
    seed: int | None = None,
    mode: str | None = None,
    profile: str | None = None,
) -> None:
    """Show the banner, and remember where the numbers of this notebook come from.

    `data` is what `gl.load` returned, one of "published", "own experiment" and "simulated", or a list
    of these; with several sources the least of them counts (one simulated table makes it simulated).

    >>> start("How general are the players of 2005?", data="published", mode="reference")
    """
    global _current
    tables = list(data) if isinstance(data, (list, tuple)) else [] if data is None else [data]
    sources = [_source(table) for table in tables]
    worst = max(sources, key=SOURCES.index) if sources else ""
    names = ", ".join(filter(None, (str(getattr(table, "name", "")) for table in tables)))
    if mode is not None:
        choice("mode", mode, ["exact", "reference"])
    _current = _Provenance(worst, names, seed, mode or "", profile or "")
    _keep("provenance.json", asdict(_current))
    _display(_banner(title), f"{title} ({_current.line()})")


def _source(table: object) -> str:
    source = table if isinstance(table, str) else getattr(table, "source", None)
    return choice("data", source, SOURCES)


def _banner(title: str) -> str:
    colour = _COLOURS.get(_current.source, "#666")
    badge = f"{_current.source} data" if _current.source else "no data"
    heading = f"<strong>{html.escape(title)}</strong><br>" if title else ""
    return (
        f'<div class="gl-banner" style="{_BOX.format(colour=colour, ground="#f4f6f8")};color:#222">'
        f'{heading}<span class="gl-badge" style="background:{colour};color:#fff;border-radius:3px;'
        f'padding:.05em .5em;font-size:85%">{badge}</span> '
        f'<span style="font-size:85%;color:#555">{html.escape(_current.line(source=False))}</span></div>'
    )


def show(
    fig: Figure, name: str, table: pd.DataFrame | None = None, *, alt: str | None = None
) -> None:
    """Display a figure with its provenance line; in a pipeline run also save SVG, PNG and the table.

    `alt` says what it shows to readers who do not see it; by default that is read from the axes.

    >>> import matplotlib.pyplot as plt
    >>> figure, axes = plt.subplots()
    >>> show(figure, "fig06")
    """
    import matplotlib

    _checked_name(name)
    folder = _output()
    told = description(fig) if alt is None else alt
    with matplotlib.rc_context(_LAID_OUT):
        crop = _sign(fig)
        png = _png(fig, crop)
        if folder is not None:
            _save_figure(fig, crop, png, folder / "figures" / name)
    if table is not None:
        save_table(table, name)
    _show_png(png, told)
    _close(fig)


def _save_figure(fig: Figure, crop: Bbox, png: bytes, path: Path) -> None:
    """SVG and PNG; no dates and no random ids, so that the same figure is the same file."""
    import matplotlib

    metadata = {"Date": None, "Creator": f"gindex_lab {_version()}"}
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": path.name}):
        fig.savefig(buffer, format="svg", bbox_inches=crop, metadata=metadata)
    write_bytes(Path(f"{path}.svg"), buffer.getvalue())
    write_bytes(Path(f"{path}.png"), png)


def _sign(fig: Figure) -> Bbox:
    """Where the numbers come from, in small type below everything that is drawn.

    Returns the part of the paper that is drawn on, in inches: found once, since finding it takes as long
    as drawing, and each format would look for it again.
    """
    import matplotlib
    from matplotlib.transforms import Bbox

    fig.draw_without_rendering()
    fig.set_layout_engine(None)  # or the line would move the axes, and each format be drawn twice
    renderer = fig.canvas.get_renderer()  # type: ignore[attr-defined]
    drawn = fig.get_tightbbox(renderer)
    below = drawn.y0 / fig.get_figheight() - 0.02
    letters = max(int(72 * drawn.width / (0.62 * _SIGNATURE)), 40)  # a letter takes 0.6 of its size
    text = textwrap.fill(_current.line(), letters)
    look: dict[str, Any] = {"fontsize": _SIGNATURE, "color": "#707070", "va": "top", "ha": "left"}
    line = fig.text(0.01, below, text, **look)
    signed = line.get_window_extent(renderer).transformed(fig.dpi_scale_trans.inverted())
    return Bbox.union([drawn, signed]).padded(matplotlib.rcParams["savefig.pad_inches"])


def _png(fig: Figure, crop: Bbox) -> bytes:
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=_DPI, bbox_inches=crop, metadata={"Software": None})
    return buffer.getvalue()


def _show_png(png: bytes, alt: str) -> None:
    """At the size at which it is read: `PER_INCH` pixels of the page to an inch of the figure."""
    if not _in_notebook():
        return
    from IPython.display import Image, display

    width = round(struct.unpack(">I", png[16:20])[0] * PER_INCH / _DPI)
    display(Image(png, width=width, alt=alt))  # type: ignore[no-untyped-call]


def _close(fig: Figure) -> None:
    import matplotlib.pyplot as plt

    plt.close(fig)


def save_table(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The table itself, for the cell to display; in a pipeline run it is also saved as CSV.

    Numbers are written with twelve significant digits: the same bytes from the same inputs.

    >>> import pandas as pd
    >>> save_table(pd.DataFrame({"theta": [0.697]}), "table1")
       theta
    0  0.697
    """
    _checked_name(name)
    if not hasattr(table, "to_csv"):
        raise BadInput("table", table, "is not a DataFrame", "wrap it: pd.DataFrame(...)")
    folder = _output()
    if folder is not None:
        plain = list(table.index.names) == [None] and list(table.index) == list(range(len(table)))
        text = table.to_csv(index=not plain, float_format="%.12g", lineterminator="\n")
        write_text(folder / "tables" / f"{name}.csv", text)
    return table


def claim(
    claim_id: str,
    value: object,
    *,
    mode: str | None = None,
    source: str | None = None,
    exact: object = None,
    error: float = 0.0,
    note: str = "",
) -> None:
    """Hold a computed value against the ledger, show the result in a line, and record it.

    The value stands in the unit of the print (76.2 for "76%"): a number, a list where several are
    printed, a string for a name, True or False for a statement. `exact` is the exact mode's value where
    the printed one needs `mode="reference"`, `error` the standard error of a value that was sampled.
    `source` and `mode` are those of `start` unless given.

    >>> claim("N295", -0.8660254)
    """
    _display(*_held(claim_id, value, mode, source, exact, error, note)[1:])


def claims(
    values: Mapping[str, object],
    *,
    mode: str | None = None,
    title: str = "",
    exact: Mapping[str, object] | None = None,
) -> None:
    """Hold many computed values (by claim id) against the ledger: one line, the rest folded away.

    `exact` holds the exact mode's value of those that have one.

    >>> claims({"N295": -0.8660254, "N296": 0.5}, title="Correlations of a step")
    """
    beside = exact or {}
    held = [
        _held(key, value, mode, None, beside.get(key), 0.0, "") for key, value in values.items()
    ]
    counts = Counter(word for word, *_ in held)
    said = ", ".join(f"{n} {word}" for word, n in counts.items()) or "none on this machine"
    summary = f"{title + ': ' if title else ''}{len(held)} printed numbers, {said}"
    body = "".join(markup for _, markup, _ in held)
    fold = f"<details><summary>{html.escape(summary)}</summary>{body}</details>"
    _display(fold, "\n".join([summary, *(plain for *_, plain in held)]))


def _held(
    claim_id: str,
    value: object,
    mode: str | None,
    source: str | None,
    exact: object,
    error: float,
    note: str,
) -> tuple[str, str, str]:
    """Record a value; its status, and the line that shows it, as HTML and as text."""
    entry = find(claim_id)
    record = Record(
        claim_id,
        entry.check(value),
        source=_current.source if source is None else choice("source", source, SOURCES),
        mode=mode or _current.mode,
        exact=None if exact is None else entry.check(exact),
        error=number("error", error, 0),
        note=note,
    )
    _keep_claim(record)
    word, why = status(entry, [record])
    result = Result(entry, (record,), word, why)
    beside = f" (exact: {shown(record.exact)})" if record.exact is not None else ""
    beside += f" ± {record.error:.2g} (sampling)" if record.error else ""
    text = f"{claim_id} {entry.quantity}: printed {entry.published}, ours {shown(record.value)}{beside}"
    text += f" [{result.grade}]"
    return word, _claim_line(word, text, note or why), f"{text} -> {word}"


def _claim_line(word: str, text: str, why: str) -> str:
    mark, colour = {"reproduced": ("✓", "#009E73"), "differs": ("≠", "#D55E00")}.get(
        word, ("○", "#666666")
    )
    reason = f' <span style="color:#666">({html.escape(why)})</span>' if why else ""
    return (
        f'<div class="gl-claim" style="font-size:90%"><span style="color:{colour};font-weight:bold">'
        f"{mark} {word}</span> {html.escape(text)}{reason}</div>"
    )


def found(text: str) -> None:
    """A "What we found" box: paragraphs, with **bold** and `code`.

    >>> found("The exact value is **0.412**; the printed one follows `mode='reference'`.")
    """
    paragraphs = [_inline(part) for part in re.split(r"\n\s*\n", text.strip())]
    body = "".join(f'<p style="margin:.3em 0">{part}</p>' for part in paragraphs)
    box = _BOX.format(colour="#E69F00", ground="#fdf7ea")
    _display(
        f'<div class="gl-found" style="{box};color:#222"><strong>What we found</strong>{body}</div>',
        f"What we found: {text}",
    )


def say(text: str, *, holds: object = True, otherwise: str = "", only: str | None = None) -> None:
    """A paragraph that states a result of this run, in the text of the page.

    It is shown where `holds`, computed from the table it speaks of, is true; `otherwise` is shown where it is
    not. `only="published"` keeps a sentence about the published data off a page made from other data.

    >>> say("The apes are behind in every category.", holds=0.3 < 0.7, otherwise="The apes lead somewhere.")
    """
    if only is not None and choice("only", only, SOURCES) != _current.source:
        return
    for part in re.split(r"\n\s*\n", (text if holds else otherwise).strip()):
        if part:
            _display(f'<p class="gl-said">{_inline(part)}</p>', part)


def _inline(text: str) -> str:
    text = html.escape(text.strip(), quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)


def _output() -> Path | None:
    folder = os.environ.get(OUTPUT)
    return Path(folder) if folder else None


def _keep(name: str, content: Any) -> None:
    folder = _output()
    if folder is not None:
        text = json.dumps(content, indent=1, ensure_ascii=False)
        write_text(folder / name, text + "\n")


def _keep_claim(record: Record) -> None:
    """Replace an earlier record of the same claim: a cell may be run again."""
    folder = _output()
    if folder is None:
        return
    path = folder / "claims.json"
    kept: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
    fields: Iterable[str] = ("id", "value", "source", "mode", "exact", "error", "note")
    entry = {field: getattr(record, field) for field in fields}
    _keep("claims.json", [e for e in kept if e["id"] != record.id] + [entry])


def _checked_name(name: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadInput("name", name, "cannot be a file name here", 'use lower case, e.g. "fig06"')


def _in_notebook() -> bool:
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None


def _display(markup: str, plain: str) -> None:
    if not _in_notebook():
        return
    from IPython.display import display

    display({"text/html": markup, "text/plain": plain}, raw=True)  # type: ignore[no-untyped-call]


def _version() -> str:
    from gindex_lab import __version__

    return __version__
