"""Where the numbers of a notebook come from, and the banner that says so."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace

from gindex_lab.foundation.validate import choice

__all__ = ["BOX", "SOURCES", "Provenance", "banner", "source_of"]

SOURCES = ("published", "own experiment", "simulated")
BOX = "border-left:4px solid {colour};padding:.5em .9em;margin:.6em 0;background:{ground}"
# dark enough for white words on them (WCAG AA)
_COLOURS = {"published": "#0068A3", "own experiment": "#00694C", "simulated": "#A84300"}


@dataclass(frozen=True)
class Provenance:
    """Source of the data, their names, seed, mode and profile: what the banner shows.

    Of several sources `source` is the least, and `label` names them all.

    >>> Provenance("simulated", seed=1, mode="exact").line()  # doctest: +ELLIPSIS
    'simulated data · seed 1 · mode exact · gindex_lab ...'
    """

    source: str = ""
    data: str = ""
    seed: int | None = None
    mode: str = ""
    profile: str = ""
    label: str = ""

    @property
    def badge(self) -> str:
        """Which data, in words."""
        return f"{self.label or self.source} data" if self.source else "no data"

    def instead(self, source: str | None) -> Provenance:
        """The same for what has a source of its own: a printed table on a page of our own data.

        >>> Provenance("simulated", "arenas").instead("published").badge
        'published data'
        """
        if source is None or source_of(source) == self.source:
            return self
        return replace(self, source=source, data="", label="")

    def line(self, source: bool = True) -> str:
        """One line, with or without the source."""
        from gindex_lab import __version__

        parts = [self.data, self.badge if source and self.source else ""]
        parts += [] if self.seed is None else [f"seed {self.seed}"]
        parts += [f"mode {self.mode}"] if self.mode else []
        parts += [f"profile {self.profile}"] if self.profile else []
        return " · ".join([*filter(None, parts), f"gindex_lab {__version__}"])


def source_of(table: object) -> str:
    """One of `SOURCES`: of what `gl.load` returned, or the name itself."""
    source = table if isinstance(table, str) else getattr(table, "source", None)
    return choice("data", source, SOURCES)


def banner(title: str, origin: Provenance) -> str:
    """The banner of a notebook, as HTML."""
    colour = _COLOURS.get(origin.source, "#666")
    heading = f"<strong>{html.escape(title)}</strong><br>" if title else ""
    return (
        f'<div class="gl-banner" style="{BOX.format(colour=colour, ground="#f4f6f8")};color:#222">'
        f'{heading}<span class="gl-badge" style="background:{colour};color:#fff;border-radius:3px;'
        f'padding:.05em .5em;font-size:85%">{origin.badge}</span> '
        f'<span style="font-size:85%;color:#555">{html.escape(origin.line(source=False))}</span></div>'
    )
