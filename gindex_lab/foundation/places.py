"""Where things are: the tables that come with the project, and the user's cache.

`PROJECT_DATA` is the folder `data/` of a clone, or the part of it that an installed package carries. Read
from it through `project_file`, which says what is missing and what to do.
"""

from __future__ import annotations

import os
from pathlib import Path

from gindex_lab.foundation.errors import DataUnavailable

__all__ = ["OUTPUT", "PROJECT", "PROJECT_DATA", "cache_folder", "project_file"]

PROJECT = Path(__file__).resolve().parents[2]
# in a clone; a wheel carries the same folder inside the package (setup.py)
_OWN, _SHIPPED = PROJECT / "data", PROJECT / "gindex_lab" / "shipped"
PROJECT_DATA = _SHIPPED if _SHIPPED.is_dir() else _OWN
OUTPUT = "GINDEX_LAB_OUTPUT"  # the folder of the running notebook; the pipeline sets it


def project_file(argument: str, *parts: str) -> Path:
    """A file or folder of the project's `data/`, or an error that says what to do."""
    path = PROJECT_DATA.joinpath(*parts)
    if not path.exists():
        remedy = "run gindex_lab from a clone of its repository"
        raise DataUnavailable(argument, str(path), "[not-found] was not found", remedy)
    return path


def cache_folder() -> Path:
    """Where downloads and long computations are kept: `$GINDEX_LAB_CACHE`, or the system's usual place."""
    value = os.environ.get("GINDEX_LAB_CACHE", "").strip()
    if value:
        return Path(value).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("gindex_lab", appauthor=False))
