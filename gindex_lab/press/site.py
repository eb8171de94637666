"""`make site`: pages that open from a folder or from any web server, with nothing to install.

The live demos compute in the browser; those that need a kernel are walked through in states that the package
computes here; the reports are those that `make reproduce` left. Browsers load no modules from a folder, so
each page carries its script inside, and its policy lets that script run and no other.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gindex_lab.foundation.folders import atomic_folder
from gindex_lab.foundation.output import write_text
from gindex_lab.presentation.pages import TEMPLATES, page
from gindex_lab.presentation.web import bundle, source
from gindex_lab.presentation.widgets.calculator import calculator_demo
from gindex_lab.presentation.widgets.curve import curve_demo
from gindex_lab.presentation.widgets.exercises_page import exercise_data
from gindex_lab.presentation.widgets.front import MODULES
from gindex_lab.presentation.widgets.guttman import guttman_demo
from gindex_lab.presentation.widgets.horizon import horizon_demo
from gindex_lab.presentation.widgets.individuals import individuals_demo
from gindex_lab.presentation.widgets.live import text_of
from gindex_lab.press.reproduction.docs import build as build_guide
from gindex_lab.press.reproduction.glossary import terms
from gindex_lab.press.reproduction.inputs import read_catalogue
from gindex_lab.press.site_reports import copy_reports
from gindex_lab.press.walks import WALKS

__all__ = ["DEMOS", "Page", "build"]

DEMOS = [curve_demo, guttman_demo, individuals_demo, calculator_demo, horizon_demo]
_PAGES = {
    "demos.html": "Demos",
    "data.html": "Your own data",
    "exercises.html": "Exercises",
    "tutorials.html": "Tutorials",
    "guide.html": "Guide",
    "glossary.html": "Glossary",
    "gallery.html": "Reports",
}
_START = """
const data = JSON.parse(document.getElementById("data").textContent);
const place = document.getElementById("mount");
"""
_WORDS: dict[str, Any] = tomllib.loads((TEMPLATES / "site.toml").read_text("utf-8"))
Cards = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Page:
    """A page of the site: what stands on it, and which function of which modules runs on it with `data`."""

    name: str
    title: str
    lead: str
    groups: Sequence[tuple[str, Cards]] = ()
    mount: str = ""
    modules: Sequence[str] = ()
    data: Any = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def html(self) -> str:
        """The page, complete in itself."""
        script = f"\n{bundle(*self.modules)}{_START}{self.mount}(place, data);\n"
        data = json.dumps(self.data, ensure_ascii=False).replace("<", "\\u003c")
        styles = {"": [], "mountSessions": ["exercises.css"]}
        return page(
            "site.html.j2", title=self.title, lead=self.lead, groups=self.groups, here=self.name,
            mount=self.mount, data=data, scripts=[script] if self.mount else [], pages=_PAGES.items(), up="",
            more_style="".join(source(name) for name in styles.get(self.mount, ["demos.css"])),
            **({"terms": ()} | dict(self.more)),
        )  # fmt: skip


def build(
    out: Path | str = Path("reports") / "site",
    reports: Path | str = Path("reports"),
    root: Path | str = Path(),
) -> Path:
    """Write the site into the folder `out`, whole or not at all; gives its front page.

    `reports` is where `gindex-lab reproduce` wrote, `root` the project with its notebooks; what is not there
    is named with the command that brings it.
    """
    folder, project = Path(out), Path(root)
    with atomic_folder(folder, "site") as new:
        copy_reports(Path(reports), new / "reports")
        build_guide(new / "reference", new / "reports")
        for one in [*_live_pages(), *_walk_pages(new), *_reading_pages(new, project)]:
            write_text(new / one.name, one.html())
    return folder / "index.html"


def _plain(name: str, groups: Sequence[tuple[str, Cards]] = (), **more: Any) -> Page:
    """A page of the menu, with the words that it has in `site.toml`."""
    kind = "lead" if groups or more else "absent"
    return Page(name, _PAGES[name], _WORDS[kind][name], groups, **more)


def _live_pages() -> Iterator[Page]:
    """The demos, the list of them, and the page for one's own data."""
    demos, words = [make() for make in DEMOS], _WORDS["demo"]
    live = [{"href": f"demo-{d.name}.html", "title": d.title, "text": words[d.name]} for d in demos]
    walks = [{"href": f"walk-{name}.html"} | walk for name, walk in _WORDS["walk"].items()]
    yield _plain("demos.html", [("Live", live), ("Recorded walk-throughs", walks)])
    for d in demos:
        name, spec = f"demo-{d.name}.html", d.spec()
        yield Page(name, d.title, words[d.name], (), "mountDemo", MODULES, spec)
    yield _plain("data.html", mount="mountData", modules=(*MODULES, "data.js"))


def _walk_pages(folder: Path) -> Iterator[Page]:
    """The demos that need a kernel, in states computed now; their pictures go into the folder `walks`."""
    (folder / "walks").mkdir()
    for name, states in WALKS.items():
        steps = []
        for k, (caption, view) in enumerate(states(), 1):
            picture = f"walks/{name}-{k:02}.png"
            (folder / picture).write_bytes(view.png())
            numbers = [[key, text_of(value)] for key, value in view.numbers.items()]
            step = {"caption": caption, "picture": picture, "alt": f"{caption} {view.alt}"}
            wide = round(110 * view.figure.get_figwidth())
            steps.append(step | {"wide": wide, "numbers": numbers, "note": view.note, "code": view.code})
        words = _WORDS["walk"][name]
        lead = f"{words['text']} Live, with your own input: `make demo`, then {words['notebook']}."
        modules = (*MODULES, "steps.js")
        yield Page(f"walk-{name}.html", words["title"], lead, (), "mountSteps", modules, steps)


def _reading_pages(folder: Path, project: Path) -> Iterator[Page]:
    """The front page and what there is to read; a page with nothing to show says what brings it."""
    front, lead = [("", _WORDS["front"])], _WORDS["lead"]["index.html"]
    yield Page("index.html", "How capable, and how general?", lead, front)
    yield _plain("glossary.html", more={"terms": terms()})
    yield _plain("guide.html", [("", _WORDS["guide"])])
    there = [card for card in _WORDS["reports"] if (folder / card["href"]).is_file()]
    yield _plain("gallery.html", [("", there)] if there else ())
    yield _plain("tutorials.html", _tutorials(folder, project))
    modules = ("exercises.js", "sessions.js")
    data = [task | {"pages": _pages_for(task["session"], folder)} for task in exercise_data()]
    yield _plain("exercises.html", mount="mountSessions", modules=modules, data=data)


def _pages_for(session: int, folder: Path) -> list[list[str]]:
    """Addresses and titles of the pages on which to try what a session asks; reports if they are here."""
    listed: list[list[str]] = _WORDS["session"][str(session)]
    return [page for page in listed if "reports/" not in page[0] or (folder / page[0]).is_file()]


def _tutorials(folder: Path, project: Path) -> Sequence[tuple[str, Cards]]:
    if not (project / "notebooks" / "catalogue.toml").is_file():
        return ()
    kinds: dict[str, list[dict[str, str]]] = {"tutorials": [], "teaching": []}
    for entry in read_catalogue(project):
        kind, _, name = entry.path.partition("/")
        if kind in kinds:
            place = f"reports/{entry.path}/report.html"
            there = (folder / place).is_file()
            text = f"`{name}`" if there else f"Not run yet: `make reproduce ONLY={entry.path}`"
            kinds[kind].append({"href": place if there else "", "title": entry.title, "text": text})
    titles = {"tutorials": "For one kind of reader each", "teaching": "The sessions of the course"}
    return [(titles[kind], cards) for kind, cards in kinds.items()]
