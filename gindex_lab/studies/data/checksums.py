"""What lies in the cache is what was put there: a list of SHA-256 beside the files, checked at every load."""

from __future__ import annotations

from pathlib import Path

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.fingerprints import file_hash
from gindex_lab.foundation.folders import ASIDE
from gindex_lab.foundation.inputs import files_below, read_text

__all__ = ["LIST", "damage", "write_checksums"]

LIST = "SHA256SUMS"


def _sums(folder: Path) -> dict[str, str]:
    own = [path for path in files_below(folder) if not path.name.startswith(".")]  # no markers
    files = [path for path in own if path.relative_to(folder) != Path(LIST)]
    return {
        path.relative_to(folder).as_posix(): str(file_hash(path))  # of what is not a file: None
        for path in files
    }


def write_checksums(folder: Path) -> None:
    """List the files of a folder with their SHA-256, in the form that `sha256sum -c` reads."""
    lines = [f"{digest}  {name}\n" for name, digest in sorted(_sums(folder).items())]
    (folder / LIST).write_text("".join(lines), encoding="utf-8")


def damage(folder: Path) -> str:
    """What is not as it was written: the first such file, in words; empty where all is well.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     file = Path(place, "a.csv")
    ...     _ = file.write_text("1")
    ...     write_checksums(Path(place))
    ...     before = damage(Path(place))
    ...     _ = file.write_text("2")
    ...     before, damage(Path(place))
    ('', "'a.csv' was changed")
    """
    try:
        lines = read_text(folder / LIST).splitlines()
    except BadInput:
        return f"it has no readable list of checksums ({LIST})"
    known = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    found = {name: digest for name, digest in _sums(folder).items() if not ASIDE.search(name)}
    for name in sorted({*known, *found}):
        if name not in found:
            return f"{name!r} is gone"
        if name not in known:
            return f"{name!r} was added"
        if known[name] != found[name]:
            return f"{name!r} was changed"
    return ""
