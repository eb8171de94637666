"""Letter series of the C-test: their complexity Kt (a *reconstruction*), items, systems and sessions.

>>> import gindex_lab as gl
>>> gl.letter_series.kt("adgjm"), gl.letter_series.predict("adgj")
(9.0, 'm')

Generality supplement, A.2. The published difficulties of the 35 items stay the reference for them.
"""

from gindex_lab.foundation.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__,
    {
        "items": "Filters Item SeriesSession Session generate is_stable items_table shown_length",
        "kt": "KtScale Scale best_program continuations kt predict",
        "machine": "INSTRUCTIONS canonical run",
        "systems": "SLIPS SYSTEMS Induction computed differences fit",
        "table": "Table table",
    },
)
