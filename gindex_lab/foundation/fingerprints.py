"""Hashes, all in one place: they tell contents apart, and show that a file is as it was written.

- `mark_of`: 16 digits, of a text or of bytes; `mark_of_arrays`: of numbers, with shapes and types. In headers
  of journals, logs and states, and in names of kept files.
- `digest_of` and `file_hash`: all 64 digits of a content and of a file, as `sha256sum` prints them.
- `sealed`: a JSON object with a digest of everything else in it.

Every hash of the package comes from here, except the policy of our pages, whose form a browser prescribes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["digest_of", "file_hash", "is_sealed", "mark_of", "mark_of_arrays", "sealed"]


def digest_of(content: str | bytes) -> str:
    """The SHA-256 of a text or of bytes."""
    plain = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(plain).hexdigest()


def mark_of(content: str | bytes) -> str:
    """The first 16 digits of the SHA-256.

    >>> mark_of("gindex_lab") == mark_of(b"gindex_lab") != mark_of("gindex-lab")
    True
    """
    return digest_of(content)[:16]


def mark_of_arrays(arrays: Iterable[npt.ArrayLike]) -> str:
    """A mark of numbers, shapes and types: the same input, or another one."""
    import numpy as np  # here: `make clean` hashes files with nothing but Python

    digest = hashlib.sha256()
    for array in map(np.ascontiguousarray, arrays):
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def file_hash(path: Path) -> str | None:
    """The SHA-256 of a regular file; None where there is none: a pipe would be read for ever."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON object with its seal, a hash of everything else in it."""
    plain = json.loads(json.dumps({name: record[name] for name in record if name != "seal"}))
    return {**record, "seal": digest_of(json.dumps(plain, sort_keys=True, ensure_ascii=False))}


def is_sealed(found: Any) -> bool:
    """Whether an object that was read is as `sealed` wrote it."""
    return isinstance(found, dict) and sealed(found)["seal"] == found.get("seal")
