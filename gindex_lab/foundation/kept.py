"""Whole results that are kept for later, each with its hash: a damaged file is never taken for a result.

There are two ways to go on where a run stopped:

- a `Journal` (`journals.py`) for a long computation in many pieces, written as they come, by one process;
- a kept file for a whole result: `keep` and `kept` in the user's cache, for what can be computed again (a
  table of programs, a unit of an experiment), by any number of processes; `vouch` and `is_vouched` for a
  table in a folder of the user's, which stays a plain CSV; a sealed JSON object (`fingerprints.sealed`) for
  the state of a test and the record of a notebook.

`joblib.Memory` would serve as the cache, but it unpickles whatever it finds, damaged or put there by somebody
else, and its files depend on the version of Python.
"""

from __future__ import annotations

import itertools
import os
import warnings
from pathlib import Path

from gindex_lab.foundation.errors import BadInput, Caution
from gindex_lab.foundation.fingerprints import digest_of, file_hash
from gindex_lab.foundation.output import write_bytes, write_text

__all__ = ["is_vouched", "keep", "kept", "set_aside", "vouch"]


def keep(path: Path, content: bytes) -> None:
    """Write what can be computed again, after a line with its hash; warn where that fails, and go on."""
    try:
        write_bytes(path, digest_of(content).encode() + b"\n" + content)
    except (OSError, BadInput) as error:
        said = f"[not-kept] {path.parent} cannot be written ({error}): nothing is kept"
        warnings.warn(said, Caution, stacklevel=3)


def kept(path: Path) -> bytes | None:
    """What `keep` wrote; None where it is absent, or not as it was written."""
    try:
        if not path.is_file():  # reading a pipe would wait for ever
            return None
        checksum, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if digest_of(content).encode() == checksum else None


def vouch(path: Path, content: bytes) -> None:
    """Write a file, and before it its hash beside it, in the form that `sha256sum -c` reads: a run that is
    killed in between has not finished it."""
    write_text(_voucher(path), f"{digest_of(content)}  {path.name}\n")
    write_bytes(path, content)


def is_vouched(path: Path) -> bool:
    """Whether a file is as `vouch` wrote it."""
    if not path.is_file() or not _voucher(path).is_file():
        return False
    return _voucher(path).read_bytes() == f"{file_hash(path)}  {path.name}\n".encode()


def _voucher(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def set_aside(path: Path, problem: str) -> None:
    """Keep a copy of a damaged file as `.damaged`, `.damaged2` ..., and say in a warning what happens."""
    names = (f"{path.name}.damaged{k if k > 1 else ''}" for k in itertools.count(1))
    aside = next(path.with_name(name) for name in names if not os.path.lexists(path.with_name(name)))
    write_bytes(aside, path.read_bytes())
    said = f"[damaged] {path}: {problem} (the file as it was: {aside.name})"
    warnings.warn(said, Caution, stacklevel=5)
