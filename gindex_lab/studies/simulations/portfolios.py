"""Portfolios: several systems behind one switch, and what that does to capability and generality.

Section D.3 of the generality supplement discusses combining specialised solutions. With a perfect switch the
response of a portfolio to an item is the best response of its members.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import integer
from gindex_lab.measures.generality import difficulties_of, generality

__all__ = ["best_of", "growing_portfolio"]


def best_of(study: Responses, members: Sequence[str]) -> pd.Series:
    """The responses of a portfolio with a perfect switch: on each item those of its best member.

    >>> study = Responses(pd.DataFrame([[1.0, 0.0], [0.0, 1.0]], ["a", "b"]), difficulty=[1, 2])
    >>> best_of(study, ["a", "b"]).tolist()
    [1.0, 1.0]
    """
    absent = [name for name in members if name not in study.frame.index]
    if absent or not len(members):
        problem = f"has no agent of this study: {absent}"
        raise BadInput("members", list(members), problem, "name agents")
    return study.frame.loc[list(members)].max()


def growing_portfolio(study: Responses, members: Sequence[str], steps: int = 5) -> pd.DataFrame:
    """A portfolio that takes, step by step, the member that raises its capability most (ties: as given).

    One row per size with capability, spread and γ of the portfolio, the member added, and the mean
    response on the easier and the harder half of the items.

    >>> frame = pd.DataFrame([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]], ["a", "b"])
    >>> growing_portfolio(Responses(frame, difficulty=[1, 2, 3]), ["a", "b"], 2)["added"].tolist()
    ['b', 'a']
    """
    chosen: list[str] = []
    left, rows = list(members), []
    for _ in range(min(integer("steps", steps), len(left))):
        options = pd.DataFrame({name: best_of(study, [*chosen, name]) for name in left}).T
        table = generality(options, study.difficulty, interval=study.interval)
        name = table["capability"].idxmax()
        chosen.append(name)
        left.remove(name)
        rows.append(
            {
                "members": len(chosen),
                "added": name,
                **_facts(study, table.loc[name], options.loc[name]),
            }
        )
    return pd.DataFrame(rows)


def _facts(study: Responses, row: pd.Series, responses: pd.Series) -> dict[str, float]:
    difficulty = pd.Series(difficulties_of(study), index=study.frame.columns)
    hard = difficulty > difficulty.median()
    return {
        **{name: float(row[name]) for name in ("capability", "spread", "normalised_generality")},
        "solved easy": float(responses[~hard].mean()),
        "solved hard": float(responses[hard].mean()),
    }
