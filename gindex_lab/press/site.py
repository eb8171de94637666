"""`make site`: pages that open from a folder or from any web server, with nothing to install.

The live demos compute in the browser; those that need a kernel are walked through in states that the package
computes here; the reports are those that `make reproduce` left, with their pictures as files beside the page
(in a report they are inside as well, so that it can be passed on as one file). Browsers load no modules from
a folder, so each page carries its script inside, and its policy lets that script run and no other.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gindex_lab.foundation.fingerprints import digest_of
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
from gindex_lab.presentation.widgets.live import View, text_of
from gindex_lab.presentation.widgets.stepper import stepper_view
from gindex_lab.presentation.widgets.take_test import Sitting, sitting_view
from gindex_lab.presentation.widgets.two_programs import EXAMPLES, programs_view
from gindex_lab.press.reproduction.docs import build as build_guide
from gindex_lab.press.reproduction.glossary import terms
from gindex_lab.press.reproduction.inputs import read_catalogue

__all__ = ["DEMOS", "WALKS", "Page", "build", "copy_reports"]

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
Step = tuple[str, View]  # a caption, and what the live demo would show
_PROGRAM, _ACTIONS, _STEPS = ",[>++<[+]]>.#", "424", 14
_WORLDS, _PRESSES = "Λ worlds", ("0", "1", "2")
_INSIDE = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=]+)")
_FOLDERS = re.compile(r'<a href="figures/">figures</a>.*?<a href="tables/">tables</a> \(CSV\) ·\s*')


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
    return [one for one in listed if "reports/" not in one[0] or (folder / one[0]).is_file()]


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


# -- demos that need a kernel ----------------------------------------------------------------------------


def _programs() -> Iterator[Step]:
    one, two = EXAMPLES
    faster = one.replace("repeat=60", "repeat=10")
    shorter = "\n".join(line for line in one.split("\n") if "keep" not in line)
    yield "The same program twice: nothing to tell them apart.", programs_view(one, one)
    yield "One attribute changes: the clock ticks six times as often.", programs_view(one, faster)
    yield "A node goes: what is left still corresponds.", programs_view(one, shorter)
    yield "Two programs for one task, by two authors.", programs_view(one, two)
    caption = "The same two, as the authors' code compares them."
    yield caption, programs_view(one, two, "reference")
    yield "No type in common: as far apart as can be.", programs_view("a: inject", "b: debug")


def _machine() -> Iterator[Step]:
    for step in range(1, _STEPS + 1):
        view = stepper_view(_PROGRAM, _ACTIONS, step=step)
        yield f"Step {step}: {view.numbers['instruction']}.", view


def _worlds() -> Iterator[Step]:
    """Every press of the first world, then the end of each, and the curve."""
    at, ends = Sitting(_WORLDS), [0]
    pressed: list[str] = []
    while at.options:
        done = at.session.number
        pressed.append(_PRESSES[len(pressed) % len(_PRESSES)])
        at.press(pressed[-1])
        ends += [len(pressed)] if at.session.number > done else []
    for n in sorted({*range(ends[1] + 1), *ends}):
        view = sitting_view(_WORLDS, pressed[:n])
        told = f"after pressing {pressed[n - 1]}" if n else "before the first press"
        yield f"{view.numbers['items done']} worlds done, {told}.", view


WALKS: dict[str, Callable[[], Iterator[Step]]] = {
    "programs": _programs,
    "machine": _machine,
    "worlds": _worlds,
}


# -- the reports of a run --------------------------------------------------------------------------------


def copy_reports(written: Path, target: Path) -> None:
    """The pages, figures and tables of a run, without its state and without other folders of ours."""
    if not (written / "index.html").is_file():
        return

    def skipped(folder: str, names: list[str]) -> set[str]:
        top = {"site", "docs"} if Path(folder) == written else set()
        return {name for name in names if name[0] == "." or name in top or name.endswith(".svg")}

    shutil.copytree(written, target, ignore=skipped)
    for report in sorted(target.rglob("report.html")):
        names = {digest_of(file.read_bytes()): file.name for file in report.parent.glob("figures/*.png")}
        text = pictures_beside(report.read_text("utf-8"), names)
        # a web server shows no folders; the tables are linked where they stand
        text = _FOLDERS.sub("", text).replace(">executed notebook<", ">notebook, without results<")
        write_text(report, text)
    for notebook in sorted(target.rglob("notebook.ipynb")):
        write_text(notebook, without_results(notebook.read_text("utf-8")))


def pictures_beside(html: str, names: dict[str, str]) -> str:
    """A page whose pictures are links to the files of the folder `figures` with the same bytes.

    >>> names = {digest_of(b"bytes of a picture"): "a.png"}
    >>> inside = base64.b64encode(b"bytes of a picture").decode()
    >>> pictures_beside(f'<img src="data:image/png;base64,{inside}">', names)
    '<img src="figures/a.png">'
    """

    def beside(found: re.Match[str]) -> str:
        name = names.get(digest_of(base64.b64decode(found[1])))
        return found[0] if name is None else f"figures/{name}"

    return _INSIDE.sub(beside, html)


def without_results(notebook: str) -> str:
    """A notebook as its author wrote it.

    >>> without_results('{"cells": [{"cell_type": "code", "source": ["1"], "outputs": [1]}]}')
    '{"cells": [{"cell_type": "code", "source": ["1"], "outputs": [], "execution_count": null}]}'
    """
    content = json.loads(notebook)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    return json.dumps(content, ensure_ascii=False)
