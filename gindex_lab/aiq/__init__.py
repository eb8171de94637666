"""The AIQ test: agents measured on random programs (Legg and Veness 2013; Vadinský 2018).

This file is the table of contents of `gl.aiq`. A name is imported from its module when it is first used.
"""

import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
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
    "semantics": "classify coupled is_discriminative optimise pointless_code",
    "survey": "survey survey_shares",
    "explain": "explain",
    # agents, and how they are measured
    "agents": "HLQ Constant Freq Own QLearning Random agent",
    "estimate": "Estimate by_program_length estimate",
    "compare": "compare",
}
_WHERE = {name: module for module, names in _CONTENTS.items() for name in names.split()}
__all__ = sorted(_WHERE)


class _Contents(_ModuleType):
    """Importing the module `explain` must not hide the function `explain`."""

    def __setattr__(self, name: str, value: _Any) -> None:
        if not (name in _WHERE and isinstance(value, _ModuleType)):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Contents


def __getattr__(name: str) -> _Any:
    if name not in _WHERE:
        raise AttributeError(f"gindex_lab.aiq has no {name!r}; it offers {', '.join(__all__)}")
    value = getattr(_import_module(f"gindex_lab.aiq.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
