"""Documents: published material that is not one table of agents x items.

A `Documents` is a read-only mapping from a name to parsed content, with the `name`, `source`, `citation` and
`licence` that `Responses` carry: programs by domain and file, experiments by file, the tables behind the AIQ
paper by file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gindex_lab.foundation.errors import BadInput, short

__all__ = ["Documents"]


class Documents(Mapping[str, Any]):
    """A mapping from names to parsed content that knows where it comes from.

    >>> found = Documents({"a": 1}, name="example", source="published")
    >>> found["a"], found
    (1, Documents(example: 1 entry, published))
    """

    def __init__(
        self,
        content: Mapping[str, Any],
        *,
        name: str = "",
        source: str = "",
        citation: str = "",
        licence: str = "",
    ) -> None:
        self._content = dict(content)
        self.name, self.source, self.citation, self.licence = name, source, citation, licence

    def __getitem__(self, name: str) -> Any:
        if name not in self._content:
            problem = f"[not-an-option] is not in {self.name}"
            raise BadInput("name", name, problem, f"use one of {short(sorted(self))}")
        return self._content[name]

    def __contains__(self, name: object) -> bool:
        return name in self._content

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __repr__(self) -> str:
        entries = f"{len(self)} entr{'y' if len(self) == 1 else 'ies'}"
        return f"Documents({self.name}: {entries}, {self.source})"
