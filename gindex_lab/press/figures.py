"""Can the figures of a run be read? Sizes, texts and colours, from their SVG files.

On the page an inch of a figure is `PER_INCH` pixels (96 in print), unless the figure is wider than `WIDE`
pixels and shrinks. So each text has a size on the page; texts may not overlap or leave the figure; colours
that stand in one panel must differ for colour-blind readers; and on one page an agent keeps its colour.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import read_text

__all__ = ["PER_INCH", "WIDE", "Finding", "figure_findings", "figure_texts", "page_of_figures"]

PER_INCH = 110  # pixels of a page to an inch of a figure (notebook.show)
WIDE = 1180  # pixels: what a wide figure may take (style.css)
_SHRINK = 0.8  # of its size, below which a figure counts as shrunk: a judgement
_POINTS = 7.5  # on the page: a judgement
_TOUCH = 1.2  # points by which two texts may reach into each other
_SAME, _DIFFERENT = 14.0, 20.0  # of ΔE: hard to tell apart, and clearly different
_MARKER = 12  # commands of an outline: matplotlib draws a circle with ten
_NO_MARKS = ("matplotlib.axis", "legend", "text", "QuadMesh")  # a heat map has a scale, not names
_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}"
_COLOUR = re.compile(r"(?:^|;)\s*(fill|stroke|opacity|fill-opacity|stroke-opacity):\s*([^;]+)")
# Machado, Oliveira and Fernandes (2009): dichromats, on linear RGB
_READERS = {
    "deuteranopes": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopes": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}


class _Text(NamedTuple):
    words: str
    size: float
    corners: np.ndarray  # four corners, in points
    colour: str


class Finding(NamedTuple):
    """What was found: where (a page or figure of `reports/`), which rule, and the piece itself."""

    place: str
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}: {self.text}"


def page_of_figures(folder: Path, place: str) -> list[Finding]:
    """The findings of all figures of one notebook, and labels that change their colour between them."""
    found: list[Finding] = []
    colours: dict[str, dict[str, str]] = {}
    for path in sorted((folder / "figures").glob("*.svg")):
        svg = read_text(path)
        found += figure_findings(svg, f"{place}/{path.stem}")
        for label, colour in _named(_labels(_root(svg))):
            colours.setdefault(label, {}).setdefault(colour, path.stem)
    for label, seen in colours.items():
        if any(_delta(a, b) > _DIFFERENT for a, b in combinations(seen, 2)):
            where = ", ".join(f"{colour} in {figure}" for colour, figure in seen.items())
            found.append(Finding(place, "colour of a label", f"{label}: {where}"))
    return found


def _named(labels: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Without what a label says in brackets, where the name alone is clear: follower (slope −0.6)."""
    pairs = list(dict.fromkeys(labels))
    names = [re.sub(r" \([^()]*\)$", "", label) for label, _ in pairs]
    return [
        (name if names.count(name) == 1 else label, colour)
        for name, (label, colour) in zip(names, pairs, strict=True)
    ]


def figure_findings(svg: str, place: str = "") -> list[Finding]:
    """What is hard to read in one figure that `notebook.show` has saved."""
    root = _root(svg)
    width, height = _view_box(root)
    per_inch = min(PER_INCH, WIDE / (width / 72))
    texts = _once(_texts(root))
    found = []
    if per_inch / 96 < _SHRINK:
        said = f"{per_inch / 96:.2f} of its size: {width / 72:.1f} inches wide"
        found.append(("shrunk", said))
    for text in texts:
        points = text.size * per_inch / 96
        if points < _POINTS - 0.05:
            found.append(("small", f"{text.words!r} is {points:.1f} points on the page"))
        low, high = text.corners.min(axis=0), text.corners.max(axis=0)
        if min(low) < -1 or high[0] > width + 1 or high[1] > height + 1:
            found.append(("cut off", repr(text.words)))
    found += [
        ("overlap", f"{a.words!r} and {b.words!r}")
        for a, b in combinations(texts, 2)
        if _overlap(a.corners, b.corners) > _TOUCH
    ]
    found += _confused(root)
    return [Finding(place, rule, said) for rule, said in dict.fromkeys(found)]


def _root(svg: str) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise BadInput("svg", svg[:40], f"is not SVG ({error})", "pass a saved figure") from None


def _view_box(root: ElementTree.Element) -> tuple[float, float]:
    given = root.get("viewBox", "")
    try:
        _, _, width, height = map(float, given.split())
    except ValueError:
        problem = "is not the viewBox of a figure"
        raise BadInput("svg", given, problem, "pass a saved figure") from None
    return width, height


# -- texts ------------------------------------------------------------------------------------------


def figure_texts(svg: str) -> list[str]:
    """The texts of a saved figure, each once."""
    return list(dict.fromkeys(text.words for text in _texts(_root(svg))))


def _once(texts: Iterator[_Text]) -> list[_Text]:
    """Without a text that is drawn twice in its place (an outline behind it)."""
    kept: dict[tuple[str, bytes], _Text] = {}
    for text in texts:
        kept.setdefault((text.words, text.corners.round(0).tobytes()), text)
    return list(kept.values())


def _texts(root: ElementTree.Element) -> Iterator[_Text]:
    for group in root.iter(f"{_SVG}g"):
        for text in group.findall(f"{_SVG}text"):
            spans = text.findall(f"{_SVG}tspan")
            if spans:
                yield from _formula(group, spans)
            elif (text.text or "").strip():
                yield _plain(text)


def _plain(text: ElementTree.Element) -> _Text:
    style, words = text.get("style", ""), text.text or ""
    size = _size(style)
    width, height, descent = _extent(words, size, "700" in style or "bold" in style)
    shift = {"middle": width / 2, "end": width}.get(_property(style, "text-anchor"), 0.0)
    corners = _box(-shift, descent - height, width - shift, descent)
    return _Text(words, size, _placed(corners, text), _property(style, "fill"))


def _formula(group: ElementTree.Element, spans: list[ElementTree.Element]) -> Iterator[_Text]:
    """Mathematics: letters with places of their own, in a group that is moved and turned."""
    boxes, sizes, letters = [], [], []
    for span in spans:
        size, y = _size(span.get("style", "")), float((span.get("y") or "0").split()[0])
        starts = [float(v) for v in (span.get("x") or "0").split()]
        letters += list(zip(starts, span.text or "", strict=False))
        width, height, descent = _extent((span.text or " ")[-1], size, False)
        sizes.append(size)
        boxes.append(_box(starts[0], y + descent - height, starts[-1] + width, y + descent))
    words = "".join(letter for _, letter in sorted(letters)).replace("\xa0", " ").strip()
    if words:
        every = np.vstack(boxes)
        corners = _box(*every.min(axis=0), *every.max(axis=0))
        fill = _property(group.get("style", ""), "fill")
        yield _Text(words, max(sizes), _placed(corners, group), fill)


def _placed(corners: np.ndarray, element: ElementTree.Element) -> np.ndarray:
    """Corners turned and moved as the element says, by its x and y or by its transform."""
    transform = element.get("transform", "")
    angle = re.search(r"rotate\(([-\d.e]+)", transform)
    moved = re.search(r"translate\(([-\d.e]+)[ ,]([-\d.e]+)\)", transform)
    at = moved.groups() if moved else (element.get("x", "0"), element.get("y", "0"))
    turn = np.radians(float(angle[1]) if angle else 0.0)
    c, s = np.cos(turn), np.sin(turn)
    return corners @ np.array([[c, s], [-s, c]]) + np.array(at, dtype=float)


def _property(style: str, name: str) -> str:
    match = re.search(rf"(?:^|;)\s*{name}:\s*([^;]+)", style)
    return match[1].strip() if match else ""


def _size(style: str) -> float:
    match = re.search(r"font(?:-size)?:[^;]*?([\d.]+)px", style)
    return float(match[1]) if match else 10.0


@cache
def _renderer() -> Any:
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(10, 10, 72)  # type: ignore[no-untyped-call]  # at 72 dots an inch a point is a pixel


@cache
def _extent(words: str, size: float, bold: bool) -> tuple[float, float, float]:
    """Width, height and descent of a text in points."""
    from matplotlib.font_manager import FontProperties

    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal", size=10 * size)
    width, height, descent = _renderer().get_text_width_height_descent(words, font, False)
    return width / 10, height / 10, descent / 10


def _box(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


def _overlap(a: np.ndarray, b: np.ndarray) -> float:
    """How far two boxes reach into each other at least, along the sides of either (separating axes)."""
    least = np.inf
    for box in (a, b):
        for side in (box[1] - box[0], box[3] - box[0]):
            length = np.hypot(*side)
            if length == 0:
                return 0.0
            p, q = a @ side / length, b @ side / length
            least = min(least, min(p.max(), q.max()) - max(p.min(), q.min()))
    return float(least)


# -- colours ----------------------------------------------------------------------------------------


def _confused(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """Colours of one panel that are clearly different to some readers and not to others, of marks that
    have the same shape: a circle and a triangle, or a point and a line, are told apart anyway."""
    markers = {path.get("id"): path.get("d", "") for path in root.iter(f"{_SVG}path") if path.get("id")}
    for panel in root.iter(f"{_SVG}g"):
        if not re.fullmatch(r"axes_\d+", panel.get("id", "")):
            continue
        shapes: dict[str, set[str]] = {}
        for colour, shape in _marks(panel, markers):
            if _chroma(colour) > 15:
                shapes.setdefault(colour, set()).add(shape)
        if len(shapes) > 12:  # a scale of colours, not names
            continue
        for a, b in combinations(sorted(shapes), 2):
            if _delta(a, b) < _DIFFERENT or not shapes[a] & shapes[b]:
                continue
            for reader in _READERS:
                if _delta(a, b, reader) < _SAME:
                    yield "colour-blind", f"{a} and {b} look alike to {reader} in {panel.get('id')}"


def _marks(group: ElementTree.Element, markers: Mapping[str | None, str]) -> Iterator[tuple[str, str]]:
    """Colours and shapes of what is drawn in a panel: not its axes, not its legend, not its texts."""
    for child in group:
        name = child.get("id", "")
        if name.startswith(_NO_MARKS) or child.tag == f"{_SVG}defs":
            continue
        if child.tag in (f"{_SVG}path", f"{_SVG}use"):
            drawn = markers.get(child.get(f"{_LINK}href", "").lstrip("#")) or _outline(child.get("d", ""))
            shape = re.sub(r"[^A-Za-z]", "", drawn)  # M C C C z is a circle, M L L z a triangle
            yield from ((colour, shape) for colour in _colours(child))
        yield from _marks(child, markers)


def _outline(drawn: str) -> str:
    """A path if it may be the outline of a marker, closed and short: lines and areas are no shapes."""
    return drawn if drawn.strip().endswith("z") and len(re.findall("[A-Za-z]", drawn)) <= _MARKER else ""


def _colours(mark: ElementTree.Element) -> Iterator[str]:
    style = dict(_COLOUR.findall(mark.get("style", "")))
    for kind in ("fill", "stroke"):
        colour = style.get(kind, "").strip()
        if re.fullmatch(r"#[0-9a-f]{6}", colour):
            share = float(style.get("opacity", 1)) * float(style.get(f"{kind}-opacity", 1))
            yield _on_white(colour, share)


def _on_white(colour: str, share: float) -> str:
    parts = [round(255 + share * (int(colour[k : k + 2], 16) - 255)) for k in (1, 3, 5)]
    return "#" + "".join(f"{part:02x}" for part in parts)


def _labels(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """Labels with their colours: the entries of legends, and texts that are coloured themselves."""
    for group in root.iter(f"{_SVG}g"):
        if group.get("id", "").startswith("legend_"):
            colour = ""
            for child in group:
                drawn = (e for e in child.iter() if e.tag in (f"{_SVG}path", f"{_SVG}use"))
                seen = [c for element in drawn for c in _colours(element) if _chroma(c) > 15]
                colour = seen[-1] if seen else colour
                words = "".join(t for e in child.iter(f"{_SVG}text") for t in e.itertext()).strip()
                if words and colour:
                    yield words, colour
                    colour = ""
    for text in _texts(root):
        if re.fullmatch(r"#[0-9a-f]{6}", text.colour) and _chroma(text.colour) > 25:
            yield text.words.strip(), text.colour


@cache
def _lab(colour: str, reader: str = "") -> np.ndarray:
    """The values L*, a*, b* of a colour (CIE 1976, white D65), as a colour-blind `reader` sees it if given.

    >>> _lab("#d62728", "deuteranopes").round().tolist()
    [52.0, -5.0, 50.0]
    """
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    if reader:
        linear = np.clip(np.array(_READERS[reader]) @ linear, 0, 1)
    rows = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(rows) @ linear / [0.9505, 1.0, 1.089]
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), xyz * 841 / 108 + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def _chroma(colour: str) -> float:
    return float(np.hypot(*_lab(colour)[1:]))


def _delta(a: str, b: str, reader: str = "") -> float:
    return float(np.linalg.norm(_lab(a, reader) - _lab(b, reader)))
