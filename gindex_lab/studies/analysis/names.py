"""Names that can stand in a figure: short, drawn by the font, each once, and no formula.

Tables and pages show the full names; a figure has room for some thirty characters, and a font that lacks
a letter draws an empty box for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from gindex_lab.foundation.likes import Label

__all__ = ["drawable_names"]

_LONGEST = 30


def drawable_names(names: Iterable[Label], longest: int = _LONGEST) -> dict[Label, str]:
    """A name for figures for each name: cut in the middle if long, a number where the font fails.

    >>> list(drawable_names(["gpt", "a" * 40, "猫"]).values())
    ['gpt', 'aaaaaaaaaaaaaa…aaaaaaaaaaaaaaa', 'agent 3']
    """
    found: dict[object, str] = {}
    used: set[str] = set()
    for k, name in enumerate(names, 1):
        text = " ".join(str(name).split()) or f"agent {k}"
        if not _drawable(text):
            text = f"agent {k}"
        if len(text) > longest:
            half = (longest - 1) // 2
            text = f"{text[:half]}…{text[half + 1 - longest :]}"
        text = text if text not in used else f"{text} #{k}"
        used.add(text)
        found[name] = text
    return found


@cache
def _font() -> frozenset[int]:
    from matplotlib import font_manager, ft2font, rcParams

    path = font_manager.findfont(font_manager.FontProperties(family=rcParams["font.family"]))
    return frozenset(ft2font.FT2Font(path).get_charmap())


def _drawable(text: str) -> bool:
    return all(ord(letter) in _font() for letter in text)
