"""`make docs`: the reference, one page per concept, and the guide that leads to it.

pdoc turns each module's docstrings into a page (equation, example, source); the front page is ours:
which measure answers which question (`guide.toml`), then every public name with its first sentence.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.folders import atomic_folder
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.places import PROJECT
from gindex_lab.presentation.pages import TEMPLATES, page, with_policy

__all__ = ["PublicName", "accessible", "build", "documented", "questions", "uses"]

ROOT = "gindex_lab"
_NAMED_LINK = r'class="headerlink" aria-label="link to \1" href="#\1"'
_AA = (
    ".pdoc span:is(.def,.nb,.bp,.kc,.k,.kn,.ow){color:#1b5e20!important}"
    "main.pdoc a{text-decoration:underline}"
    "nav.pdoc .attribution,nav.pdoc footer{color:#333;opacity:1;filter:none}"
)
_PAGES = {  # of the reports, for the line of links: those that are there
    "ten_minutes.html": "In ten minutes",
    "index.html": "Notebooks",
    "claims.html": "Claims",
    "places.html": "Where is Figure X?",
    "glossary.html": "Glossary",
}
_LAST = {"gindex_lab.foundation.errors", "gindex_lab.foundation.bounds"}  # nobody begins with these


@dataclass(frozen=True)
class PublicName:
    """A public name: how a user writes it, what it says of itself, and where it is explained."""

    name: str
    module: str
    summary: str
    anchor: str

    @property
    def link(self) -> str:
        """Where its reference stands, from the front page.

        >>> PublicName("gl.generality", "gindex_lab.measures.generality", "...", "generality").link
        'gindex_lab/measures/generality.html#generality'
        """
        return f"{self.module.replace('.', '/')}.html#{self.anchor}"


def documented() -> dict[str, list[PublicName]]:
    """Every public function and class under its module, in the order of the tables of contents.

    >>> [entry.name for entry in documented()["gindex_lab.measures.generality"]]
    ['gl.characteristic_curve', 'gl.generality']
    """
    import gindex_lab as gl

    found: dict[str, list[PublicName]] = {}
    for spoken, module in [("gl", gl), *((f"gl.{n}", getattr(gl, n)) for n in gl._PACKAGES)]:
        for name in _names(module):
            thing = getattr(module, name)
            if callable(thing):  # constants are explained where they are used
                entry = PublicName(
                    f"{spoken}.{name}", thing.__module__, _first_sentence(thing), thing.__qualname__
                )
                found.setdefault(entry.module, []).append(entry)
    return found


def build(out: Path | str = Path("reports") / "docs", reports: Path | str = Path("reports")) -> Path:
    """Write the guide and the reference into the folder `out`, whole or not at all; its front page.

    The front page leads to the reports of the notebooks, where there are some in the folder `reports`.
    """
    folder = Path(out)
    if folder.is_file():
        raise BadInput("out", str(out), "[is-a-file] is a file", "name a folder")
    names = dict(sorted(documented().items(), key=lambda listed: listed[0] in _LAST))
    titles = {module: _first_sentence(import_module(module)) for module in names}
    asked, around, used = questions(names), Path(reports), uses(names)
    targets = list(_PAGES)
    shown = {question["notebook"] for question in asked}.union(*used.values())
    targets += [f"{notebook}/report.html" for notebook in sorted(shown)]
    front = page("docs.html.j2", title="gindex_lab: guide and reference", here="docs",
                 up=f"{Path(os.path.relpath(around, folder)).as_posix()}/",
                 there={target for target in targets if (around / target).is_file()},
                 pages=_PAGES, questions=asked, names=names, titles=titles, uses=used,
                 scripts=[(TEMPLATES / "docs.js").read_text(encoding="utf-8")])  # fmt: skip
    with atomic_folder(folder, "docs") as temporary:
        _reference(list(names), temporary)
        write_text(temporary / "index.html", front)
    return folder / "index.html"


def questions(names: Mapping[str, Sequence[PublicName]]) -> list[dict[str, Any]]:
    """The rows of the guide: a user's question, the calls that answer it with their links (`calls`), what to
    `mind`, and the `notebook` that shows it."""
    links = {entry.name: entry.link for entries in names.values() for entry in entries}
    rows = tomllib.loads((TEMPLATES / "guide.toml").read_text("utf-8"))["question"]
    return [row | {"calls": [(f"gl.{name}", links[f"gl.{name}"]) for name in row["calls"]]} for row in rows]


def uses(names: Mapping[str, list[PublicName]]) -> dict[str, list[str]]:
    """The notebooks of the project that use each public name, in the order of their paths.

    A name is followed through imports and short forms: after `A = gl.anytime`, `A.test` is `gl.anytime.test`,
    and what `from gindex_lab.worlds.learning.corpus import corpus` brings is `gl.corpus`. A class that a
    notebook does not name is used where a function is called that returns it.
    """
    entries = [entry for listed in names.values() for entry in listed]
    known = {entry.name for entry in entries}
    defined = {(entry.module, entry.anchor): entry.name for entry in reversed(entries)}
    found: dict[str, list[str]] = {}
    notebooks = PROJECT / "notebooks"
    for path in sorted(notebooks.glob("[!.]*/*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        title = path.relative_to(notebooks).with_suffix("").as_posix()
        for name in sorted(_used(ast.parse(code), defined) & known):
            found.setdefault(name, []).append(title)
    for name in known - set(found):  # what only a call makes is used where that call is
        made = {path for maker in _makers(name, entries) for path in found.get(maker, [])}
        found |= {name: sorted(made)} if made else {}
    return found


def _makers(name: str, entries: list[PublicName]) -> list[str]:
    """The public functions of the same package whose result is annotated as this class."""
    package, _, last = name.rpartition(".")
    makers = []
    for entry in entries:
        thing = getattr(import_module(entry.module), entry.anchor, None)
        annotation = getattr(thing, "__annotations__", {}).get("return", "")
        if entry.name.rpartition(".")[0] == package and last in re.findall(r"\w+", str(annotation)):
            makers.append(entry.name)
    return makers


def _used(code: ast.Module, defined: Mapping[tuple[str, str], str]) -> set[str]:
    """The dotted names that a notebook uses, each as a user writes it from `gl` on."""
    short: dict[str, str] = {}
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            short |= {a.asname: "gl" for a in node.names if a.name == ROOT and a.asname}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(ROOT):
            short |= {a.asname or a.name: _public(node.module, a.name, defined) for a in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = _dotted(node.value, short)
            short |= {node.targets[0].id: value} if value.startswith("gl.") else {}
    return {_dotted(node, short) for node in ast.walk(code)}


def _public(module: str | None, name: str, defined: Mapping[tuple[str, str], str]) -> str:
    """How a user writes what `from module import name` brings."""
    thing = getattr(import_module(str(module)), name, None)  # None: a module of a package
    place = (getattr(thing, "__module__", ""), getattr(thing, "__qualname__", ""))
    return defined.get(place, f"gl.{name}" if module == ROOT else f"{module}.{name}")


def _dotted(node: ast.AST, short: Mapping[str, str]) -> str:
    if isinstance(node, ast.Name):
        return short.get(node.id, "")
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value, short)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _names(module: Any) -> list[str]:
    packages: Mapping[str, str] = getattr(module, "_PACKAGES", {})
    order: Mapping[str, str] = getattr(module, "_CONTENTS", {})
    listed = [name for line in order.values() for name in line.split()]
    rest = [name for name in module.__all__ if name not in listed and name not in packages]
    return listed + rest


def _first_sentence(thing: Any) -> str:
    return " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())


def _reference(modules: list[str], folder: Path) -> None:
    import pdoc

    from gindex_lab import __version__

    pdoc.render.configure(docformat="numpy", footer_text=f"gindex_lab {__version__}", math=False)
    with warnings.catch_warnings():  # names that only the type checker imports stay as written
        warnings.filterwarnings("ignore", message="Error parsing type annotation")
        pdoc.pdoc(*modules, output_directory=folder)
    for file in sorted(folder.rglob("*.html")):
        text = lighter(file.read_text(encoding="utf-8"))
        write_text(file, with_policy(accessible(text)))
    search = folder / "search.js"
    if search.is_file():
        write_text(search, lighter_search(search.read_text(encoding="utf-8")))


def lighter(html: str) -> str:
    """A page of pdoc without the marks around names and brackets of a source, and without a link per line.

    >>> lighter('<a href="#L-1"><span class="linenos">1</span></a><span class="n">x</span>')
    '<span class="linenos">1</span>x'
    """
    html = re.sub(r'<span class="[npw]">([^<]*)</span>', r"\1", html)
    return re.sub(r'<a href="#[^"]*">(<span class="linenos">[ \d]*</span>)</a>', r"\1", html)


def lighter_search(script: str) -> str:
    """pdoc's search with the texts alone: the browser makes the index from them, which is twice their size.

    >>> made = {"_isPrebuiltIndex": True, "documentStore": {"docs": {"a": {"fullname": "a"}}}}
    >>> lighter_search(f"/** docs */const docs = {json.dumps(made)};")
    '/** docs */const docs = [{"fullname": "a"}];'
    """
    head, mark, rest = script.partition("const docs = ")
    found, end = json.JSONDecoder().raw_decode(rest) if mark else ([], 0)
    if not isinstance(found, dict) or not found.get("_isPrebuiltIndex"):
        return script
    texts = list(found["documentStore"]["docs"].values())
    return f"{head}{mark}{json.dumps(texts, ensure_ascii=False)}{rest[end:]}"


def accessible(html: str) -> str:
    """A page of pdoc with what it lacks at level AA: links have names, what scrolls is reached by keyboard,
    and its faint colours are dark enough (`tests/test_docs.py` asks axe).

    >>> accessible('<a class="headerlink" href="#x"></a><pre>1</pre>')
    '<a class="headerlink" aria-label="link to x" href="#x"></a><pre tabindex="0">1</pre>'
    """
    html = re.sub(r'class="headerlink" href="#([^"]*)"', _NAMED_LINK, html)
    html = re.sub(r'<(pre|div class="attr[^"]*")(?=[ >])', r'<\1 tabindex="0"', html)
    return html.replace("</head>", f"<style>{_AA}</style></head>", 1)
