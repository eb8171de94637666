"""Letter series of the C-test: their complexity Kt (a *reconstruction*), items, systems and sessions.

>>> import gindex_lab as gl
>>> gl.letter_series.kt("adgjm"), gl.letter_series.predict("adgj")
(9.0, 'm')

Generality supplement, A.2. The published difficulties of the 35 items stay the reference for them.
"""

from gindex_lab.foundation.declared import hold_all as _hold_all
from gindex_lab.worlds.tasks.series_items import (
    Filters,
    Item,
    generate,
    is_stable,
    items_table,
    shown_length,
)
from gindex_lab.worlds.tasks.series_kt import (
    KtScale,
    Scale,
    best_program,
    continuations,
    kt,
    predict,
)
from gindex_lab.worlds.tasks.series_machine import INSTRUCTIONS, canonical, run
from gindex_lab.worlds.tasks.series_systems import (
    SLIPS,
    SYSTEMS,
    Induction,
    computed,
    differences,
    fit,
)
from gindex_lab.worlds.tasks.series_table import Table, table
from gindex_lab.worlds.tasks.sessions import SeriesSession as Session

__all__ = [
    "INSTRUCTIONS",
    "SLIPS",
    "SYSTEMS",
    "Filters",
    "Induction",
    "Item",
    "KtScale",
    "Scale",
    "Session",
    "Table",
    "best_program",
    "canonical",
    "computed",
    "continuations",
    "differences",
    "fit",
    "generate",
    "is_stable",
    "items_table",
    "kt",
    "predict",
    "run",
    "shown_length",
    "table",
]
_hold_all(__name__, __all__)
