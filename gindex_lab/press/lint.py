"""What a careful reader would wince at on a rendered page, found by a program.

`page_findings` reads one HTML page of ours: markup that was not rendered, reprs and file paths, numbers with
noise for digits, tables that do not fit, pictures without a description. Code, formulas and what is quoted
from a paper (`class="quoted"`) are not prose and are left alone. `gindex-lab lint` runs it over all pages of
a run, together with `figures.figure_findings`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import read_text
from gindex_lab.press.figures import Finding, figure_texts, page_of_figures
from gindex_lab.press.statements import page_of_statements
from gindex_lab.press.tables import COLUMNS

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

__all__ = ["COLUMN", "REMEDIES", "RULES", "Finding", "findings", "page_findings", "report"]

COLUMN = 836  # pixels: the text column of a notebook's page (style.css, main.notebook)
_SILENT = ("script", "style", "math", "code", "pre", "svg", "title", "option")
_NUMBER = r"(?<![\w.#-])[-−+]?\d+(?:\.\d+)?"
_OBJECTS = "array Timestamp Timedelta Index DataFrame Series OrderedDict defaultdict Counter Interval Text"
_THINGS = (
    "agents apes claims classifiers components curves designs differences domains factors games groups items "
    "learners mazes models names nodes pairs people points programs responses runs samples shapes shares "
    "shuffles species studies systems tasks tests tokens values"
)
_PATTERNS: dict[str, tuple[str, ...]] = {
    "tex": (r"\\{1,2}[A-Za-z]{2,}", r"\$[^$\s][^$]*[\\^_][^$]*\$"),
    "markup": (*(r"\*\*", "`", r"\]\(\S+\)", r"(?<!\w)__\w+__", r"^#{1,6} "), r"(?<![\w*])\*[^\s*][^*]*\*"),
    "missing": (
        r"(?<![\w-])(?:nan|NaN|NaT|<NA>)(?!\w)",
        r"(?<![\w-])[-−]?inf(?![\w.])",
        r"[=:(] ?None\b|\bNone(?=[,;)\]%])|^None$",
    ),
    "repr": (
        *(r"\{['\"]", r"\[['\"(]", r"\(['\"]\w+['\"],", r"dtype[:=]", r"<class '"),
        rf"\b(?:{_OBJECTS.replace(' ', '|')}|np\.\w+|dict_\w+)\((?!s\))",
        r"<[\w.]+ (?:object )?at 0x|<(?:Axes|Figure)\b|<[A-Z]\w+ of ",
        r"^[A-Z][a-z]+[A-Z]?\w*\((?:['\"]|\d+ )",
    ),
    "truth": (r"(?:\b(?:holds|is|was)|[=:]):? ?(?:True|False)\b", r"\b(?:True|False)(?=[,;.)]|$)"),
    "statistics": (r"\bp 0?\.\d", r"P[Rr]\(>[F|]", r"\bC\(\w+\)(?:\[|:)", r"\b(?:sum|mean)_sq\b"),
    "python": (
        *(r"\b(?:gl|nb|np|pd|plt)\.\w+", r"\b[a-z_]+(?:\.[a-z_]+)*\(\)", r"\blambda \w+:"),
        r"\b[a-z_]+=(?:'|\"|True|False|None)",
    ),
    "path": (r"(?<![\w.])/(?:home|work|tmp|root|Users|usr|var|opt|mnt)/\w+", r"\b[A-Z]:\\\w+"),
    "digits": (
        *(r"(?<![\w.])\d+\.\d{8,}", r"(?<![\w.#-])(?![01]+\b)\d{10,}(?!\w)"),
        rf"{_NUMBER}e[-−+]?\d+\b",
        r"(?<![\w.])[-−]0(?:\.0+)?(?![\w.%])|(?<![\w.])[-−]0(?:\.0+)?%",
        *(r"(?<![\w.])\+0\.0+(?!\d)", r"(?<![\w.−-])(?P<end>\d+\.\d+) to (?P=end)(?![\w.])"),
    ),
    "count": (r"(?<![\w.])\d+\.0 (?:bins|items|agents|people|tasks|games|runs|steps|programs)\b",),
    "ascii": (
        *(r"(?<=\w)\^[\w{(]", r"(?:^|(?<=[\w\s)]))->", "<=|>=|!=", r"\+/?-(?=\s?\d)", r"\bsqrt\("),
        *(r"(?<=[\w)]) \* (?=[\w(])", r"\b[A-Za-z]_\{", r"\[-\d"),
    ),
    "minus": (r"(?:^|(?<=[\s(=]))-\d", r"(?<=\d) - (?=[\dA-Za-zΑ-ω(])|(?<=[A-Za-zΑ-ω)]) - (?=\d)"),
    "stops": (r"(?<!\.)\.\.(?!\.)", r"\d\. \d+ (?=[a-z])"),
    "plural": (r"\w\(e?s\)(?!\w)", rf"(?<![\w.,−-])1 (?:{_THINGS.replace(' ', '|')})\b"),
    "nothing": (
        r"(?<![\w.,−-])0 of (?:the )?\d+(?! (?:reproduced|claims?\b))",
        r"\b(?:at most|to|by|within) 0\.0+(?![\d%])(?! to| \()",
        rf"(?<![\w.,−-])0 (?:{_THINGS.replace(' ', '|')})\b|, 0 by ",
    ),
    "decimal": (r"(?<![\w.…)\]])\.\d",),
    "percent": (r"\d %",),
    "thousands": (rf"(?<![\w.,])\d{{4,}} (?:{_THINGS.replace(' ', '|')})\b",),
    "bracket": (r"\d \[[-−+]?\d[\d.]*, [-−+]?\d[\d.]*\]",),
    "twice": (r"\b([a-z]{2,}) \1\b",),
    "identifier": (r"(?<![\w/.$-])(?!gindex_lab)[a-z]+_[a-z]\w*(?![\w/])",),
}
#: What may not stand in text: a pattern by rule.
RULES = {rule: re.compile("|".join(parts)) for rule, parts in _PATTERNS.items()}
_OF_PROSE = ("minus", "stops")  # prompts and programs stand in tables as they are
#: What only a whole paragraph shows, whatever in it is bold.
_OF_SENTENCES = (*("plural", "nothing", "decimal", "percent", "thousands", "bracket", "twice", "identifier"),)
_OF_CELLS = ("plural", "decimal", "percent", "thousands", "twice")
#: The rules that the texts of a figure keep as well.
_OF_FIGURES = ("missing", "digits", "minus", "stops")
#: What to do about a finding, by rule.
REMEDIES = {
    "tex": "write the formula with single backslashes, between dollars, in a Markdown cell",
    "markup": "use nb.found or a Markdown cell: elsewhere nothing renders the markup",
    "missing": "say in words what is missing, or show – (nb.table does)",
    "repr": "write the object in words",
    "truth": "write yes or no (nb.table does), or what follows from it",
    "statistics": "name the column for people: p value, factor, sum of squares",
    "python": "set it as code in backquotes, or say it in words",
    "path": "name the file, not its place on this machine",
    "digits": "show digits that mean something: 6.2 × 10⁻¹¹, not 6.2e-11; 0.00, not +0.00 or 0.79 to 0.79",
    "count": "show a count without decimals",
    "ascii": "write ², →, ≤, ≥, ≠, ±, √, ×, − or a formula",
    "minus": "write −, not a hyphen",
    "stops": "one full stop; begin no sentence with a number after one that ends with a number",
    "plural": "write 1 item, 2 items (words.counted)",
    "nothing": "say none, no or nothing (words.some_of); below 0.01, not at most 0.00",
    "decimal": "write 0.5, not .5",
    "percent": "write 5%, not 5 %",
    "thousands": "group the digits: 1,500",
    "bracket": "write 0.4 (95% interval 0.3 to 0.5)",
    "twice": "a word stands twice",
    "identifier": "say it in words, or set it as code",
    "empty column": "leave out a column that says nothing: nb.table(..., columns=...)",
    "alt": "nb.show(..., alt=...) says what the picture shows",
    "stderr": "fix what warns, or catch the warning where it is expected",
    "columns": "nb.table(..., columns=...) chooses at most seven; the CSV keeps all",
    "cut": "shorten names and cells, or choose fewer columns: the last ones cannot be seen",
    "name": "nb.table(...) gives columns people's names",
    "shrunk": "draw it narrower: at 110 pixels an inch the page has room for 10.7 inches",
    "small": "texts of a figure need 7.5 points on the page: 6.6 where it does not shrink",
    "cut off": "let the layout see the text, or move it inside",
    "overlap": "move one of the texts; plots.labels places many",
    "colour-blind": "take colours of the style's cycle, or tell them apart by shape as well",
    "colour of a label": "pass one mapping from agents to colours to all figures of the page",
    "untrue": "its condition failed in this run: show what `otherwise` says, or nothing",
    "no answer": "nb.answer(..., otherwise=...) says what to answer where the condition fails",
    "unrecorded": "state results by nb.say, nb.found or nb.answer, which keep their conditions",
    "row numbers": "let the first column name the rows, or nb.table(..., index=False)",
}
_RAW_NAME = re.compile(r"^[a-z]\w*_\w+$|^\w+\.\w+_\w+$")
_MEASURES = {"normalised_generality", "expected_difficulty", "p_value", "domain_distance", "g_index"}
_FILE_NAME = re.compile(r"^[\w.-]*$|\.(?:png|svg)$|^No description", re.IGNORECASE)


def findings(reports: Path, only: str | None = None) -> list[Finding]:
    """Everything found in the pages and figures of a run; `only` names a notebook or a folder of them."""
    found: list[Finding] = []
    for path in sorted(Path(reports).glob("*/*/report.html")):
        name = path.parent.relative_to(reports).as_posix()
        if only is None or name == only or name.startswith(f"{only}/"):
            found += page_findings(read_text(path), name)
            found += page_of_figures(path.parent, name)
            found += _texts_of_figures(path.parent, name)
            found += [Finding(name, *piece) for piece in page_of_statements(path.parent)]
    if only is not None and not any(True for _ in Path(reports).glob(f"{only}*/**/report.html")):
        remedy = f"run gindex-lab reproduce {only}"
        raise BadInput("only", only, f"[not-run] has no page in {reports}", remedy)
    if only is None:
        for path in sorted(Path(reports).glob("*.html")):
            if path.stem not in ("claims", "places"):  # they quote what the papers print
                found += page_findings(read_text(path), path.name)
    return found


def _texts_of_figures(folder: Path, place: str) -> list[Finding]:
    return [
        Finding(f"{place}/{path.stem}", rule, piece)
        for path in sorted((folder / "figures").glob("*.svg"))
        for words in figure_texts(read_text(path))
        for rule, piece in _in_text(words, _OF_FIGURES)
    ]


def report(found: list[Finding], *, counts: bool = False) -> str:
    """The findings as text: by page and figure, or how many of each rule by page.

    >>> print(report([Finding("gindex/fig05", "tex", "D")], counts=True))
    gindex/fig05: 1 tex
    1 finding
    """
    lines = list(map(str, found))
    if counts:
        pages: dict[str, Counter[str]] = {}
        for finding in found:
            page = "/".join(finding.place.split("/")[:2])
            pages.setdefault(page, Counter())[finding.rule] += 1
        lines = [
            f"{page}: {', '.join(f'{n} {rule}' for rule, n in rules.most_common())}"
            for page, rules in pages.items()
        ]
    rules = dict.fromkeys(finding.rule for finding in found)
    advice = [] if counts else [f"{rule}: {REMEDIES[rule]}" for rule in rules]
    total = f"{len(found)} finding{'' if len(found) == 1 else 's'}"
    return "\n".join([*lines, *([""] if advice else []), *advice, total])


def page_findings(html: str, place: str = "") -> list[Finding]:
    """What is wrong with one page, in its order, each thing once.

    >>> [f.rule for f in page_findings("<p>Both are **equal**: holds: True</p>")]
    ['markup', 'truth']
    >>> page_findings("<p>Both are <b>equal</b>, to 0.01.</p>")
    []
    """
    from bs4 import BeautifulSoup

    page = BeautifulSoup(html, "html.parser")
    found = [*_formulas(page), *_pictures(page), *_tables(page), *_left_out(page), *_warnings(page)]
    for quoted in page.select(".quoted, details.code, .highlight, .gl-code"):
        quoted.decompose()
    everywhere = [rule for rule in RULES if rule not in (*_OF_PROSE, *_OF_SENTENCES)]
    found += [pair for text in _texts(page) for pair in _in_text(text, everywhere)]
    found += [pair for text in _texts(page, "td") for pair in _in_text(text, _OF_PROSE)]
    for tag, text in _paragraphs(page):
        found += _in_text(text, _OF_CELLS if tag == "td" else _OF_SENTENCES)
    return [Finding(place, rule, piece) for rule, piece in dict.fromkeys(found)]


def _texts(page: BeautifulSoup, *silent: str) -> Iterator[str]:
    """Pieces of text as a reader sees them: outside of code, and whole paragraphs where possible."""
    from bs4 import Comment, Doctype

    for node in page.find_all(string=True):
        if isinstance(node, (Comment, Doctype)):
            continue
        outer = [parent.name for parent in node.parents]
        written = "pre" in outer and any("output" in _classes(p) for p in node.parents)
        if written or not set(outer) & {*_SILENT, *silent}:
            text = " ".join(str(node).split())
            if text:
                yield text


def _paragraphs(page: BeautifulSoup) -> Iterator[tuple[str, str]]:
    """Paragraphs, points of lists and cells of tables as sentences; code and formulas leave a mark."""
    for silent in page.find_all(_SILENT):
        silent.replace_with("‹›")
    for block in page.select("p, li, figcaption, h1, h2, h3, th, td, pre"):
        if text := " ".join(block.get_text().split()):
            yield block.name, text


def _classes(tag: Any) -> list[str]:
    return list(tag.get("class") or ())


def _in_text(text: str, rules: Iterable[str] = RULES) -> Iterator[tuple[str, str]]:
    for rule in rules:
        for match in RULES[rule].finditer(text):
            start, end = max(match.start() - 24, 0), min(match.end() + 24, len(text))
            yield rule, text[start:end].strip()


def _formulas(page: BeautifulSoup) -> Iterator[tuple[str, str]]:
    """Formulas that could not be converted, and inline ones in which `\\\\` became a new line."""
    for left in page.select("code.formula"):
        yield "tex", left.get_text()
    for broken in page.select('math[display="inline"] mspace[linebreak]'):
        yield "tex", broken.find_parent("math").get_text()[:60]  # type: ignore[union-attr]


def _pictures(page: BeautifulSoup) -> Iterator[tuple[str, str]]:
    for picture in page.find_all("img"):
        alt = picture.get("alt")
        if alt is None or _FILE_NAME.search(str(alt).strip()):
            yield "alt", str(alt or "") or str(picture.get("src", ""))[:40]


def _warnings(page: BeautifulSoup) -> Iterator[tuple[str, str]]:
    for said in page.select(".output_stderr"):
        yield "stderr", said.get_text().strip()[:80]


def _tables(page: BeautifulSoup) -> Iterator[tuple[str, str]]:
    for table in page.find_all("table"):
        rows = [row.find_all(["th", "td"]) for row in table.find_all("tr")]
        rows = [row for row in rows if row]
        if not rows or table.find_parent(class_="quoted"):
            continue
        texts = [[" ".join(cell.get_text(" ").split()) for cell in row] for row in rows]
        for rule, piece in _table(texts):
            if rule != "empty column" or "quoted" not in _classes(table):
                yield rule, piece


def _left_out(page: BeautifulSoup) -> Iterator[tuple[str, str]]:
    """Columns that a table for people left out because nobody chose among them."""
    for note in page.select("[data-left-out]"):
        table = note.find_previous("table")
        head = table.find("tr").get_text(" ") if table else ""  # type: ignore[union-attr]
        yield ("columns", f"{note['data-left-out']} columns left out after {' '.join(head.split())[:60]}")


def _table(rows: list[list[str]]) -> Iterator[tuple[str, str]]:
    head, width = rows[0], max(map(len, rows))
    named = " | ".join(filter(None, head))[:70]
    if width > COLUMNS:
        yield "columns", f"{width} columns: {named}"
    elif _least_width(rows, width) > COLUMN:
        yield "cut", f"about {_least_width(rows, width):.0f} of {COLUMN} pixels: {named}"
    measures = {row[0] for row in rows[1:]} & _MEASURES
    for name in [*head, *sorted(measures)]:
        if _RAW_NAME.match(name):
            yield "name", name
    body = rows[1:]
    for k, name in enumerate(head):
        if len(body) > 1 and {row[k] for row in body if len(row) == width} <= {"–", ""}:
            yield "empty column", f"{name or 'a column without a name'} in the table {named}"
    if len(body) > 1 and [row[0] for row in body] == [str(k) for k in range(len(body))] and not head[0]:
        yield "row numbers", named
    for row in body:
        if RULES["identifier"].search(row[0]):
            yield "identifier", f"{row[0]} in the table {named}"
        for cell in row:
            if cell == "None":
                yield "missing", f"None in the table {named}"
            if cell == "..." or (len(cell) > 12 and cell.endswith("...")):
                yield "cut", f"{cell[-24:]} in the table {named}"


def _least_width(rows: list[list[str]], width: int) -> float:
    """How wide a table is at least, in pixels: the longest word of each column, and its padding."""
    whole = [row for row in rows if len(row) == width]
    longest = [max(len(w) for row in whole for w in (row[k].split() or [""])) for k in range(width)]
    return sum(7.6 * n + 25.6 for n in longest)
