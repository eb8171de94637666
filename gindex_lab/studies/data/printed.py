"""Tables printed in the papers, typed in as facts, each row with its place.

They live in `data/published/` of the repository, one CSV a table, numbers as printed.
"""

from __future__ import annotations

import difflib

import pandas as pd

from gindex_lab.foundation import places
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.files import read_table

__all__ = ["published"]


def published(name: str | None = None) -> pd.DataFrame:
    """A printed table by name; without a name, the list of them.

    Every table has the columns `paper`, `table` and `row`, which say where each row is printed.

    >>> published("gindex_table1")[["table", "row", "model", "g_index"]].head(2)
       table  row         model   g_index
    0      1    1     GPT2-345M  7902.972
    1      1    2  GPT Neo-2.7B  6421.049
    """
    folder = places.project_file("published", "published")
    files = {path.stem: path for path in sorted(folder.glob("*.csv"))}
    if name is None:
        return _contents({stem: read_table(path) for stem, path in files.items()})
    if name not in files:
        near = difflib.get_close_matches(str(name), files, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise BadInput(
            "name", name, "is not a printed table", f"{hint}gl.published() lists {len(files)}"
        )
    return read_table(files[name])


def _contents(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    rows = [
        (name, table.loc[0, "paper"], ", ".join(table["table"].astype(str).unique()), len(table))
        for name, table in tables.items()
    ]
    return pd.DataFrame(rows, columns=["name", "paper", "table", "rows"]).set_index("name")
