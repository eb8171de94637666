"""The pages of reports/: one per notebook, the gallery, and the ledger.

Plain HTML files that need no network and no server: the styles are inside, figures are embedded or lie
beside the page, formulas are MathML, and the ledger's filter is a few lines of script. Whatever comes
from a notebook, a paper or an error message is escaped by the templates.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from gindex_lab.foundation.places import PROJECT_DATA
from gindex_lab.presentation.pages import TEMPLATES, formula, page, player_scripts
from gindex_lab.press.claim_lines import claims_line
from gindex_lab.press.reproduction import claims as ledger
from gindex_lab.press.reproduction.glossary import explained, terms
from gindex_lab.press.reproduction.inputs import CatalogueEntry

__all__ = ["claims_page", "glossary_page", "index_page", "notebook_page", "places", "places_page"]
__all__ += ["rehearse", "ten_minutes_page"]

_PAPERS = {  # in the order in which they build on each other
    "tutorial": "Tutorials: one for each kind of reader",
    "generality": "General intelligence disentangled via a generality metric",
    "g-index": "Towards a measure of general machine intelligence (g-index)",
    "aiq": "Towards general evaluation of intelligent systems (AIQ)",
    "anytime": "Measuring universal intelligence: towards an anytime intelligence test",
    "horizon": "Time horizons: METR, Lyptus and their relatives, read as generality",
    "planning": "Planning and stopping: how many items, which items, and when to stop",
    "teaching": "Teaching: live demos for a course of eight sessions",
}


_START = {
    "generality/fig01_toy_matrix": "the idea, in one figure",
    "generality/a07_atari": "a study of the paper, redone",
    "generality/analyse_your_own": "the same for your own logs",
}


@cache
def _exporter() -> Any:
    """nbconvert with our cells (code folded away) and formulas as MathML instead of MathJax."""
    import jinja2
    from nbconvert.exporters.html import HTMLExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def inline_math(self, body: str) -> str:
            return formula(body)

        def block_math(self, body: str) -> str:
            return formula(body, block=True)

        def latex_environment(self, name: str, body: str) -> str:
            return formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", block=True)

    def markdown(source: str) -> str:
        renderer = Renderer(escape=False, anchor_link_text="")
        return str(MarkdownWithMath(renderer=renderer).render(source))

    exporter = HTMLExporter(  # type: ignore[no-untyped-call]
        template_name="basic",
        template_file="cells.html.j2",
        extra_loaders=[jinja2.FileSystemLoader(TEMPLATES)],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    exporter.register_filter("markdown2html", markdown)  # type: ignore[no-untyped-call]
    return exporter


def rehearse() -> None:
    """Convert a small notebook: templates and patterns are compiled now, and forks inherit them."""
    from nbformat import v4

    shown = v4.new_output("display_data", {"text/html": "<i>x</i>"})  # type: ignore[no-untyped-call]
    cells = [v4.new_markdown_cell("# `x` is $x$"), v4.new_code_cell("x = 1", outputs=[shown])]  # type: ignore[no-untyped-call]
    notebook = v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    _exporter().from_notebook_node(notebook)


def notebook_page(executed: Path, entry: CatalogueEntry, profile: str) -> str:
    """The HTML report of an executed notebook."""
    import nbformat
    from nbconvert.filters import Highlight2HTML
    from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]

    notebook = nbformat.read(executed, as_version=4)  # type: ignore[no-untyped-call]
    answer = _answer(executed.parent)
    if answer:
        _take_away_answers(notebook.cells, answer, executed.parent)
    notebook.cells = _joined(notebook.cells)
    exporter = _exporter()
    highlight = Highlight2HTML(pygments_lexer="python")  # type: ignore[no-untyped-call]
    exporter.register_filter("highlight_code", highlight)
    body, _ = exporter.from_notebook_node(notebook)
    body = explained(body, "../../")
    if answer:
        answer["html"] = explained(f"<p>{answer['html']}</p>", "../../")[3:-4]
    title, _, rest = body.partition("</h1>") if "</h1>" in body else ("", "", body)
    return page(
        "notebook.html.j2",
        title=entry.title,
        paper=_PAPERS.get(entry.paper, entry.paper),
        entry=entry,
        profile=profile,
        heading=f"{title}</h1>" if title else "",
        body=rest,
        answer=answer,
        claims=_claims_of(executed.parent),
        scripts=[(TEMPLATES / "fold.js").read_text(encoding="utf-8"), *player_scripts(body)],
        colours=HtmlFormatter(style="friendly").get_style_defs(".highlight"),
        up="../../",
        here="",
    )


def _joined(cells: list[Any]) -> list[Any]:
    """Code that shows nothing joins the code that follows it: one fold, not a row of them.

    What comes before everything that is shown but the banner (parameters, imports) is the set-up.
    """
    joined: list[Any] = []
    shown = False
    for cell in cells:
        if cell.cell_type == "code":
            if "injected-parameters" in cell.metadata.get("tags", []):
                cell["id"] = "injected-parameters"  # papermill gives its own cell a random id
            before = joined[-1] if joined else cell
            if before is not cell and before.cell_type == "code" and not before.outputs:
                parts = [c.source.removeprefix("# Parameters\n").strip() for c in (before, cell)]
                cell.source = "\n\n".join(filter(None, parts))
                joined.pop()
            shown = shown or any('class="gl-banner"' not in _markup(o) for o in cell.outputs)
            if not shown:
                cell.metadata["tags"] = ["set-up"]
        joined.append(cell)
    return joined


def _markup(output: Any) -> str:
    return str(output.get("data", {}).get("text/html", ""))


def _answer(folder: Path) -> dict[str, Any]:
    """What the page opens with, and from which kind of data it was computed."""
    path, origin = folder / "answer.json", folder / "provenance.json"
    told = json.loads(path.read_bytes()) if path.is_file() else {}
    known = json.loads(origin.read_bytes()) if told and origin.is_file() else {}
    return (_sources(known) | told) if told else {}


def _sources(provenance: Mapping[str, Any]) -> dict[str, str]:
    """The source that counts, and all of them in words."""
    source = str(provenance.get("source", ""))
    return {"source": source, "label": str(provenance.get("label") or source)}


def _take_away_answers(cells: list[Any], answer: Mapping[str, Any], folder: Path) -> None:
    """The page opens with answer and figure: the one does not stand a second time, the other is a fold."""
    path = folder / "figures" / f"{answer.get('figure')}.png"
    shown = b64encode(path.read_bytes()).decode() if path.is_file() else None
    alt, name = escape(str(answer.get("alt", ""))), escape(path.name)
    fold = (
        '<details class="again"><summary>the figure that this page opens with</summary>'
        f'<img src="figures/{name}" alt="{alt}" width="{answer.get("width")}"></details>'
    )
    for cell in cells:
        if cell.cell_type == "code":
            kept = [output for output in cell.outputs if 'class="gl-answer"' not in _markup(output)]
            for output in kept:
                if output.get("data", {}).get("image/png", "").replace("\n", "") == shown:
                    output["data"] = {"text/html": fold}
            cell.outputs = kept


def _claims_of(folder: Path) -> str:
    """What became of the claims of a notebook, in one line; empty where it has none."""
    path = folder / "claims.json"
    kept = json.loads(path.read_bytes()) if path.is_file() else []
    known = ledger.ledger()
    records = [ledger.Record(**entry) for entry in kept if entry["id"] in known]
    results = [ledger.Result(known[r.id], (r,), *ledger.status(known[r.id], [r])) for r in records]
    return claims_line(results) if results else ""


def index_page(
    entries: Sequence[CatalogueEntry], runs: Mapping[str, Mapping[str, Any]], found: Iterable[ledger.Result]
) -> str:
    """The gallery: where to start, a search, and one card per notebook, grouped by paper."""
    found = list(found)
    findable = _findable(found)
    papers = [*_PAPERS, *dict.fromkeys(e.paper for e in entries if e.paper not in _PAPERS)]
    groups = {
        _PAPERS.get(paper, paper): [
            _card(entry, runs[entry.path], found, findable.get(entry.path, ""))
            for entry in sorted(entries, key=_order)
            if entry.paper == paper
        ]
        for paper in papers
    }
    there = {entry.path: entry.title for entry in entries if "outputs" in runs[entry.path]}
    return page(
        "index.html.j2",
        title="gindex_lab reports",
        start=[(path, there[path], why) for path, why in _START.items() if path in there],
        groups={paper: cards for paper, cards in groups.items() if cards},
        counts=_counts(found),
        total=len(ledger.counted_once(found)),
        done=sum(run["status"] == "done" for run in runs.values()),
        notebooks=len(entries),
        scripts=[(TEMPLATES / "index.js").read_text(encoding="utf-8")],
        up="",
        here="index",
    )


def _order(entry: CatalogueEntry) -> tuple[int, list[Any]]:
    """The figures of a paper first, then its tables and case studies, each in the order of their numbers."""
    name = entry.path.rpartition("/")[2]
    kinds = ("fig", "table", "a", "theory", "session")
    kind = next((k for k, start in enumerate(kinds) if re.match(rf"{start}(\d|_)", name)), len(kinds))
    return kind, [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _findable(found: Iterable[ledger.Result]) -> dict[str, str]:
    """What a search finds a notebook by: figures and tables by number, claims by id and by what they say."""
    words: dict[str, list[str]] = {}
    for row in places().itertuples():
        kind = str(row.kind).split(",")[0]
        for path in row.notebooks:
            words.setdefault(path, []).extend([f"{kind}-{row.number}", str(row.what)])
    for result in found:
        for path in result.notebooks:
            words.setdefault(path, []).extend([result.claim.id, result.claim.what])
    return {path: " ".join(dict.fromkeys(said)).lower() for path, said in words.items()}


def _card(
    entry: CatalogueEntry, run: Mapping[str, Any], found: list[ledger.Result], findable: str
) -> dict[str, Any]:
    of_this = [r for r in found if entry.path in {record.notebook for record in r.records}]
    answer, first, picture = _opening(run)
    figures = [name for name in run.get("outputs", {}) if name.endswith(".png")]
    figure = f"figures/{first}.png" if first else figures[0] if figures else None
    return {
        "path": entry.path,
        "title": entry.title,
        "find": f"{entry.path} {entry.title} {entry.paper} {findable}".lower(),
        "answer": answer.get("html", ""),
        "status": run["status"],
        "error": run.get("error", ""),
        "seconds": run.get("seconds"),
        "profile": run.get("profile", ""),
        **_sources(run.get("provenance") or {}),
        "figure": f"{entry.path}/{figure}" if figure else None,
        "alt": picture.get("alt") or f"A figure of: {entry.title}",
        "figures": len(figures),
        "tables": sum(name.startswith("tables/") for name in run.get("outputs", {})),
        "claims": len(of_this),
        "reproduced": sum(r.status == "reproduced" for r in of_this),
        "differs": sum(r.status == "differs" for r in of_this),
        "needs": sum(r.status == "needs data" for r in of_this),
    }


def _opening(run: Mapping[str, Any]) -> tuple[dict[str, Any], str | None, dict[str, Any]]:
    """The answer of a run, the name of the figure that its page opens with, and what is known of that."""
    answer, pictures = run.get("answer") or {}, run.get("pictures") or {}
    first = answer.get("figure") or next(iter(pictures), None)
    return answer, first, pictures.get(first, {})


def glossary_page(entries: Sequence[CatalogueEntry], runs: Mapping[str, Mapping[str, Any]]) -> str:
    """What the symbols mean, with the notebooks that show them at work."""
    there = {entry.path: entry.title for entry in entries if "outputs" in runs[entry.path]}
    return page("glossary.html.j2", title="Glossary", terms=terms(), there=there, up="", here="glossary")


def ten_minutes_page(entries: Sequence[CatalogueEntry], runs: Mapping[str, Mapping[str, Any]]) -> str:
    """The ideas from the beginning, with the figures and the answers of the notebooks that have run."""
    answers = {}
    for entry in entries:
        run = runs[entry.path]
        if "outputs" in run:
            answer, first, picture = _opening(run)
            shown = {"figure": first, "alt": picture.get("alt", ""), "width": picture.get("width")}
            shown |= _sources(run.get("provenance") or {})
            answers[entry.path] = {"title": entry.title, "html": answer.get("html", ""), **shown}
    title = "In ten minutes"
    return explained(page("ten_minutes.html.j2", title=title, answers=answers, up="", here="ten_minutes"))


def _counts(found: Iterable[ledger.Result]) -> dict[str, int]:
    counted = Counter(result.status for result in ledger.counted_once(found))
    return {status: counted[status] for status in ledger.STATUSES}


def claims_page(found: Iterable[ledger.Result]) -> str:
    """The ledger: published, ours, status, grade and why, to filter and to sort."""
    found = list(found)
    once = ledger.counted_once(found)
    return page(
        "claims.html.j2",
        title="What the papers state, and what we get",
        results=found,
        counts=_counts(found),
        grades=ledger.GRADES,
        graded={g: _counts(r for r in once if r.grade == g) for g in ledger.GRADES},
        papers=list(dict.fromkeys(result.claim.paper for result in found)),
        total=len(once),
        linked=len(found) - len(once),
        scripts=[(TEMPLATES / "claims.js").read_text(encoding="utf-8")],
        up="",
        here="claims",
    )


def places() -> pd.DataFrame:
    """The rows of `data/places.csv`, numbers and notes as text, `notebooks` as a list: every figure, table,
    equation, definition and proposition of the sources, and what shows it.

    >>> places().query("source == 'generality' and number == 'S28'")["notebooks"].iloc[0]
    ['generality/theory_all_tasks']
    """
    table = pd.read_csv(PROJECT_DATA / "places.csv", dtype=str, keep_default_na=False)
    return table.assign(notebooks=table["notebooks"].str.split())


def places_page() -> str:
    """Where is Figure X? Every numbered thing of the sources with the notebook and function that show it."""
    table = places()
    return page(
        "places.html.j2",
        title="Where is Figure X?",
        rows=table.to_dict("records"),
        sources=list(dict.fromkeys(table["source"])),
        kinds=list(dict.fromkeys(table["kind"])),
        total=len(table),
        scripts=[(TEMPLATES / "claims.js").read_text(encoding="utf-8")],
        up="",
        here="places",
    )
