"""gindex_lab: how capable, and how general? A workbench for measuring intelligence.

This file is the table of contents. A name is imported from its module when it is first used, so that
`import gindex_lab as gl` costs next to nothing.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

__version__ = "0.1.0"

_CONTENTS = {
    "errors": "BadInput BadProgram DataUnavailable GIndexLabError NotebookFailed",
    "responses": "Responses Scores",
}
_WHERE = {name: module for module, names in _CONTENTS.items() for name in names.split()}
__all__ = ["__version__", *sorted(_WHERE)]


def __getattr__(name: str) -> _Any:
    if name not in _WHERE:
        raise AttributeError(f"gindex_lab has no {name!r}; it offers {', '.join(sorted(_WHERE))}")
    value = getattr(_import_module(f"gindex_lab.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
