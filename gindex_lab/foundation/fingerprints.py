"""A short hash that tells contents apart: in headers of logs and states, and in names of kept files."""

import hashlib

__all__ = ["mark_of"]


def mark_of(content: str | bytes) -> str:
    """The first 16 hexadecimal digits of the SHA-256.

    >>> mark_of("gindex_lab") == mark_of(b"gindex_lab") != mark_of("gindex-lab")
    True
    """
    plain = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(plain).hexdigest()[:16]
