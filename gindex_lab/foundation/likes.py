"""What the public functions accept, by name: for editors and type checkers.

While the program runs each is `object`: the functions look at what they get and say what is wrong with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

__all__ = ["ResponsesLike", "ScoresLike", "SeedLike"]

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from gindex_lab.foundation.responses import Responses, Scores

    ResponsesLike: TypeAlias = Responses | pd.DataFrame | npt.ArrayLike  # agents x items, in [0, 1]
    ScoresLike: TypeAlias = Scores | Responses | pd.DataFrame | npt.ArrayLike  # agents x items, raw
    SeedLike: TypeAlias = int | np.integer | np.random.Generator | np.random.SeedSequence | None
else:
    ResponsesLike = ScoresLike = SeedLike = object
