"""What the public functions accept, by name: for editors and type checkers.

While the program runs each is `object`: the functions look at what they get and say what is wrong with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

__all__ = [
    "AgentLike", "ClockLike", "DateLike", "DatesLike", "DifficultyLike", "Label", "LabelsLike",
    "LettersLike", "NumbersLike", "PerItemLike", "ProgramLike", "ResponsesLike", "ScoresLike", "SeedLike",
    "SettingLike",
]  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from datetime import date
    from typing import Any

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from gindex_lab.foundation.responses import Responses, Scores

    Label: TypeAlias = Hashable  # the name of an agent, an item or a group
    ResponsesLike: TypeAlias = Responses | pd.DataFrame | npt.ArrayLike  # agents x items, in [0, 1]
    ScoresLike: TypeAlias = Scores | Responses | pd.DataFrame | npt.ArrayLike  # agents x items, raw
    SeedLike: TypeAlias = int | np.integer | np.random.Generator | np.random.SeedSequence | None
    NumbersLike: TypeAlias = pd.Series | npt.ArrayLike  # one number, or a list, array or Series
    DifficultyLike: TypeAlias = str | Mapping[Any, float] | pd.Series | npt.ArrayLike | None
    PerItemLike: TypeAlias = Mapping[Any, float] | pd.Series | npt.ArrayLike | None  # one for all, or each
    DateLike: TypeAlias = str | date | np.datetime64 | pd.Timestamp | None
    LabelsLike: TypeAlias = str | Mapping[Any, Any] | pd.Series | npt.ArrayLike | None  # a column, or each
    SettingLike: TypeAlias = str | float | PerItemLike  # "fit", one number, or one of each item
    LettersLike: TypeAlias = str | Sequence[str]  # "adgj", or ["a", "d", "g", "j"]
    DatesLike: TypeAlias = str | Mapping[Any, Any] | pd.Series | npt.ArrayLike | None
    AgentLike: TypeAlias = Any  # a name, an agent of ours, or a class or object with act or perceive
    ClockLike: TypeAlias = Any  # "virtual", "real", or a clock of `gl.anytime`
    ProgramLike: TypeAlias = Any  # a program, a flow, a drawing, or a text or path that gives one
else:
    ResponsesLike = ScoresLike = SeedLike = NumbersLike = DifficultyLike = PerItemLike = object
    DateLike = DatesLike = AgentLike = ClockLike = ProgramLike = Label = object
    LabelsLike = SettingLike = LettersLike = object
