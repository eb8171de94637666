"""Tables that carry what they were computed from, so that a later call need not compute it again.

pandas passes the names in `_metadata` on to every part and copy of a table (its documented way for subclasses
to "define original properties"), by reference: thousands of draws are not copied with a table, and nothing of
the caller's is changed. What is short and worth reading (the interval, the level) is in `attrs`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import pandas as pd

__all__ = ["Measured"]


class Measured(pd.DataFrame):  # type: ignore[misc]  # pandas has no types here
    """A table of `gl.generality` with the `fit` behind its limits, or of `gl.horizon` with its `replicates`.

    >>> table = Measured({"capability": [1.0, 2.0]})
    >>> table.fit = "what the limits come from"
    >>> table.sort_values("capability", ascending=False).fit
    'what the limits come from'
    >>> pd.DataFrame(table[["capability"]]).equals(table)
    True
    """

    _metadata: ClassVar[list[str]] = ["fit", "replicates"]
    fit: Any = None
    replicates: Any = None

    @property
    def _constructor(self) -> type[Measured]:
        return Measured
