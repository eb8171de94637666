"""The AIQ test: agents measured on random programs (Legg and Veness 2013; Vadinský 2018).

This file is the table of contents of `gl.aiq`. A name is imported from its module when it is first used.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

_CONTENTS = {
    "program": "Settings check compile_program",
    # the machine
    "machine": "Episode Machine episode run trace",
    # the programs
    "rewriting": "passes_sdp rewrite",
    "sampler": "generate read_sample sample save_sample",
    "strata": "stratum",
    # what they do
    "patterns": "by_pattern shares",
    "exact": "Caps Process close same_law",
    "symbolic": "straight_line",
    "semantics": "classify coupled is_discriminative pointless_code",
    "explain": "explain",
}
_WHERE = {name: module for module, names in _CONTENTS.items() for name in names.split()}
__all__ = sorted(_WHERE)


def __getattr__(name: str) -> _Any:
    if name not in _WHERE:
        raise AttributeError(f"gindex_lab.aiq has no {name!r}; it offers {', '.join(__all__)}")
    value = getattr(_import_module(f"gindex_lab.aiq.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
