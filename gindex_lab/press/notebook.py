"""What a notebook needs to say where its numbers come from, and to hand its results on.

`start` shows the banner (which data, seed, mode, version); `show` and `save_table` display a figure or
a table and, when `gindex-lab reproduce` runs the notebook, also write it to the notebook's folder;
`table` shows one for people; `claim` holds a computed value against what the paper printed; `answer` is the
sentence that the page opens with, `say` states a result in the text, `found` in a box. Run by hand, the same
calls only display.

>>> start("Which model is the most general?", data="simulated", seed=1)   # a banner
>>> claim("N295", -0.8660)                                                # a line, and a record
>>> found("A step curve has a correlation of **-0.866** with difficulty.")
"""

from __future__ import annotations

import html
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.errors import BadInput, Caution
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.places import OUTPUT
from gindex_lab.foundation.validate import choice, number
from gindex_lab.press.claim_lines import claims_fold, claims_line
from gindex_lab.press.drawn import description, save_figure, show_png, sign, to_png, width_on_page
from gindex_lab.press.kernel import cell, in_notebook, inline, keep, output, shell
from gindex_lab.press.kernel import display as _display
from gindex_lab.press.provenance import BOX, SOURCES, Provenance, banner, source_of
from gindex_lab.press.reproduction.claims import Record, Result, find, status
from gindex_lab.press.statements import NO_ANSWER, state
from gindex_lab.press.tables import people_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["OUTPUT", "SOURCES", "answer", "claim", "claims", "found", "save_table", "say", "show"]
__all__ += ["start", "table"]

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_LAID_OUT: Any = {"figure.autolayout": False, "figure.constrained_layout.use": False}
_current = Provenance()
_folded: dict[str, list[Result]] = {}  # the claims that each cell has shown
_saved: dict[str, tuple[pd.Index, pd.Index]] = {}  # rows and columns of the tables by their names
_cautioned: set[tuple[int, str]] = set()  # what was cautioned against, by cell
_pictures: dict[str, dict[str, Any]] = {}  # the figures shown so far, in their order


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
    of these; with several sources the banner names all, and the least of them counts for claims.

    >>> start("How general are the players of 2005?", data="published", mode="reference")
    """
    global _current
    tables = list(data) if isinstance(data, (list, tuple)) else [] if data is None else [data]
    sources = [source_of(table) for table in tables]
    worst = max(sources, key=SOURCES.index) if sources else ""
    label = " and ".join(sorted(set(sources), key=SOURCES.index))
    names = ", ".join(dict.fromkeys(str(n) for t in tables if (n := getattr(t, "name", ""))))
    if mode is not None:
        choice("mode", mode, ["exact", "reference"])
    _current = Provenance(worst, names, seed, mode or "", profile or "", label)
    keep("provenance.json", asdict(_current))
    _tables_for_people()
    _cautions_for_people()
    _display(banner(title, _current), f"{title} ({_current.line()})")


def show(
    fig: Figure,
    name: str,
    table: pd.DataFrame | None = None,
    *,
    alt: str | None = None,
    data: str | None = None,
) -> None:
    """Display a figure with its provenance line; in a pipeline run also save SVG, PNG and the table.

    `alt` says what it shows to readers who do not see it; by default that is read from the axes. `data` names
    the source of a figure that was not made from the data of `start`: "published", "own experiment" or
    "simulated".

    >>> import matplotlib.pyplot as plt
    >>> figure, axes = plt.subplots()
    >>> show(figure, "fig06")
    """
    import matplotlib
    import matplotlib.pyplot as plt

    _checked_name(name)
    folder = output()
    told = description(fig) if alt is None else alt
    with matplotlib.rc_context(_LAID_OUT):
        crop = sign(fig, _current.instead(data).line())
        png = to_png(fig, crop)
        if folder is not None:
            save_figure(fig, crop, png, folder / "figures" / name)
    if table is not None:
        save_table(table, name)
    _pictures[name] = {"alt": told, "width": width_on_page(png)}
    keep("pictures.json", _pictures)
    show_png(png, told)
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
        raise BadInput("table", table, "[not-a-table] is not a DataFrame", "wrap it: pd.DataFrame(...)")
    folder = output()
    if folder is not None:
        plain = list(table.index.names) == [None] and list(table.index) == list(range(len(table)))
        text = table.to_csv(index=not plain, float_format="%.12g", lineterminator="\n")
        write_text(folder / "tables" / f"{name}.csv", text)
        _saved[name] = (table.index, table.columns)
        table.attrs["saved"] = name  # goes on to what is made of it by .round() or .head()
    return table


def table(
    table: pd.DataFrame,
    name: str,
    columns: Sequence[str] | Mapping[str, str] | None = None,
    *,
    digits: int = 3,
    index: bool | str | None = None,
    rows: int = 25,
) -> None:
    """Show a table for people, with a link to all of it (saved as CSV under `name`).

    `columns` chooses at most seven, as a list or as a mapping to the names to show; `index` names the first
    column, or is False to leave it out; `digits` is how many the largest number of a column has.

    >>> import pandas as pd
    >>> table(pd.DataFrame({"theta": [0.697]}, ["gpt-2"]), "table1", index="model")
    """
    save_table(table, name)
    options: dict[str, Any] = {"digits": digits, "index": index, "rows": rows}
    words = people_table(table, columns, **options, link=_link(table))
    _display(words, str(table if columns is None else table[list(columns)]))


def _link(table: pd.DataFrame) -> str:
    """Where the full table lies, seen from the page, if it was saved and this is a part of it."""
    name = table.attrs.get("saved", "")
    rows, columns = _saved.get(name, ((), ()))
    whole = name in _saved and set(table.index) <= set(rows) and set(table.columns) <= set(columns)
    return f"tables/{name}.csv" if whole else ""


def _cautions_for_people() -> None:
    """From here on, a Caution of ours is a note on the page; other warnings stay what they are."""
    if not in_notebook():
        return
    others = getattr(warnings.showwarning, "others", warnings.showwarning)

    def shown(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, Caution):
            others(message, category, *place, **more)
            return
        alike = (cell(), re.sub(r"[\d'.-]+", "", str(message)))  # but for its numbers
        if alike in _cautioned:
            return
        _cautioned.add(alike)
        box = BOX.format(colour="#666", ground="#f4f6f8")
        markup = f'<div class="gl-caution quoted" style="{box};color:#222"><strong>Caution:</strong> '
        told = re.sub(r"\['(.*?)'\]", lambda names: names[1].replace("', '", ", "), str(message))
        told = re.sub(r"\b\w+=(?:'\w+'|\"\w+\"|None|\w+)", r"<code>\g<0></code>", html.escape(told, False))
        _display(f"{markup}{told}.</div>", f"Caution: {message}")

    shown.others = others  # type: ignore[attr-defined]
    warnings.showwarning = shown


def _tables_for_people() -> None:
    """From here on, every DataFrame and Series of this notebook appears as a table for people."""
    if not in_notebook():
        return
    import pandas as pd

    html_of = shell().display_formatter.formatters["text/html"]
    html_of.for_type(pd.DataFrame, lambda frame: people_table(frame, link=_link(frame)))
    html_of.for_type(pd.Series, lambda series: people_table(series.to_frame(series.name or "value")))


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
    """Hold a computed value against the ledger, and record it; the claims of a cell are shown in one line.

    The value stands in the unit of the print (76.2 for "76%"): a number, a list where several are
    printed, a string for a name, True or False for a statement. `exact` is the exact mode's value where
    the printed one needs `mode="reference"`, `error` the standard error of a value that was sampled.
    `source` and `mode` are those of `start` unless given.

    >>> claim("N295", -0.8660254)
    """
    result = _held(claim_id, value, mode, source, exact, error, note)
    key = f"claims-{cell()}"
    results = _folded.setdefault(key, [])
    results[:] = [*(r for r in results if r.claim.id != claim_id), result]
    _show_claims(results, key=key)


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
    held = [_held(key, value, mode, None, beside.get(key), 0.0, "") for key, value in values.items()]
    _show_claims(held, title=title)


def _show_claims(results: list[Result], *, title: str = "", key: str = "") -> None:
    lines = [f"{r.claim.id} {r.claim.quantity}: printed {r.claim.published}, ours {r.ours}" for r in results]
    told = [f"{line} -> {r.status}" for line, r in zip(lines, results, strict=True)]
    heading = f"{title}: {claims_line(results)}" if title else claims_line(results)
    _display(claims_fold(results, title), "\n".join([heading, *told]), key)


def _held(
    claim_id: str, value: object, mode: str | None, source: str | None, exact: object, error: float, note: str
) -> Result:
    """Record a value; what comes of holding it against the print."""
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
    return Result(entry, (record,), *status(entry, [record]))


def answer(
    text: str,
    figure: str | None = None,
    *,
    holds: object = True,
    otherwise: str = "",
    data: str | None = None,
) -> None:
    """The answer to the question of the title, in one sentence that this run computed.

    The page opens with it and with `figure`, the name of one that was shown (the last one unless given).
    `holds` is the condition of its words, `otherwise` what to answer where that fails; `data` as for `show`.

    >>> gap = 0.25
    >>> answer(f"Agent b, by **{gap:.2f}** in γ.", holds=gap > 0, otherwise="Agent a.")
    """
    name = figure or next(reversed(_pictures), None)
    if figure is not None and figure not in _pictures:
        raise BadInput("figure", figure, "was not shown yet", f"choose from {list(_pictures)}")
    told = state("answer", text, holds, otherwise=otherwise or NO_ANSWER)
    sentence = inline(told)
    if len(told.split()) > 60:
        raise BadInput("text", told, "[long] has more than 60 words", "answer in one sentence")
    picture = {"figure": name, **_pictures[name]} if name else {}
    origin = {} if data is None else {"source": source_of(data), "label": data}
    keep("answer.json", {"text": told, "html": sentence, **picture, **origin})
    box = BOX.format(colour="#0072B2", ground="#eef5fa")
    markup = f'<div class="gl-answer" style="{box};color:#222;font-size:110%">{sentence}</div>'
    _display(markup, f"Answer: {told}")


def found(text: str, *, holds: object = True, otherwise: str = "") -> None:
    """A "What we found" box: paragraphs, with **bold** and `code`; `holds` and `otherwise` as for `say`.

    >>> found("The exact value is **0.412**; the printed one follows `mode='reference'`.")
    """
    told = state("found", text, holds, otherwise=otherwise)
    if not told:
        return
    paragraphs = [inline(part) for part in re.split(r"\n\s*\n", told)]
    body = "".join(f'<p style="margin:.3em 0">{part}</p>' for part in paragraphs)
    box = BOX.format(colour="#E69F00", ground="#fdf7ea")
    _display(
        f'<div class="gl-found" style="{box};color:#222"><strong>What we found</strong>{body}</div>',
        f"What we found: {told}",
    )


def say(text: str, *, holds: object = True, otherwise: str = "", only: str | None = None) -> None:
    """A paragraph that states a result of this run, in the text of the page.

    It is shown where `holds`, computed from the table it speaks of, is true; `otherwise` is shown where it is
    not. `only="published"` keeps a sentence about the published data off a page made from other data.

    >>> say("The apes are behind in every category.", holds=0.3 < 0.7, otherwise="The apes lead somewhere.")
    """
    kept = "" if only is None else choice("only", only, SOURCES)
    told = state("said", text, holds, otherwise=otherwise, only=kept, source=_current.source)
    for part in re.split(r"\n\s*\n", told):
        if part:
            _display(f'<p class="gl-said">{inline(part)}</p>', part)


def _keep_claim(record: Record) -> None:
    """Replace an earlier record of the same claim: a cell may be run again."""
    folder = output()
    if folder is None:
        return
    path = folder / "claims.json"
    kept: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
    fields = ("id", "value", "source", "mode", "exact", "error", "note")
    entry = {field: getattr(record, field) for field in fields}
    keep("claims.json", [e for e in kept if e["id"] != record.id] + [entry])


def _checked_name(name: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        problem = "[not-a-file-name] cannot be a file name here"
        raise BadInput("name", name, problem, 'use lower case, e.g. "fig06"')
