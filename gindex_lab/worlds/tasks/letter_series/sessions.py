"""One person who answers letter series, one after the other; a widget drives it."""

from __future__ import annotations

from gindex_lab.foundation.errors import BadInput
from gindex_lab.worlds.tasks.letter_series.items import Item
from gindex_lab.worlds.tasks.letter_series.systems import NO_GUESS
from gindex_lab.worlds.tasks.sessions import ItemSession

__all__ = ["SeriesSession"]


class SeriesSession(ItemSession):
    """Letter series: `answer(letter)` is right or wrong; `skip()` counts 0.2, as in the C-test.

    Reference: Hernández-Orallo et al. (2021), supplement A.2.

    >>> from gindex_lab.worlds.tasks.letter_series.items import generate
    >>> session = SeriesSession(generate([7, 8], n=1, seed=1))
    >>> session.answer(session.item.answer), session.skip(), session.finished
    (True, None, True)
    >>> session.responses().frame.loc["you"].tolist()
    [1.0, 0.2]
    """

    _type, _skipped, _name = Item, NO_GUESS, "letter series"

    def answer(self, option: str) -> bool:
        """Take one of the five options; True if it is right. On to the next item."""
        item: Item = self._current()
        if option not in item.options:
            remedy = f"use one of {', '.join(item.options)}"
            problem = "[not-an-option] is not an option of this item"
            raise BadInput("option", option, problem, remedy)
        self._record(float(option == item.answer))
        return option == item.answer


Session = SeriesSession  # its name until November 2026
