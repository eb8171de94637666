"""What a floor may ask of those above it: by name, never by import.

A program can draw itself and an analysis can become a page, but the code that draws is on a higher floor. The
package's table of contents, which knows every floor, lists under `_UPSTAIRS` what may be asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["upstairs"]


def upstairs(name: str) -> Any:
    """A function or class of a higher floor."""
    house: Any = import_module("gindex_lab")
    home = next(home for home, names in house._UPSTAIRS.items() if name in names.split())
    return getattr(import_module(f"gindex_lab.{home}"), name)
