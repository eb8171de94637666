"""The one way by which gindex_lab writes files: whole or not at all (for folders see `folders`).

A file is replaced only if it is a regular file: no link, device or pipe. The umask decides who may read.
A full disk or a missing permission is one error of ours, with the remedy.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gindex_lab.foundation.errors import BadInput, CannotWrite

__all__ = ["appendable", "as_path", "atomic_path", "scratch", "write_bytes", "write_text", "writing"]

_FULL = (errno.ENOSPC, errno.EDQUOT)
_AWAY = (errno.ESTALE, errno.ETIMEDOUT)
_ABOUT_THE_DISK = (*_FULL, *_AWAY, errno.EFBIG, errno.EROFS, errno.EIO)
_REMEDIES = {
    **dict.fromkeys(_FULL, "free some space, or write to another disk"),
    **dict.fromkeys(_AWAY, "connect the disk again, or write to another one"),
    errno.EFBIG: "write to a disk that takes larger files",
    errno.EROFS: "write to another disk",
    errno.EXDEV: "write to a folder on the same disk",
    errno.EBUSY: "name a folder inside it",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.ENOTDIR: "name a file inside a folder",
}


def as_path(argument: str, path: object) -> Path:
    """A path that the operating system can have, from a text or a path."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise BadInput(argument, path, "[wrong-type] is not a path", "name a file or a folder")
    text = os.fspath(path)
    try:
        longest = max(map(len, os.fsencode(text).split(os.sep.encode())))
    except UnicodeError:  # half of a surrogate pair
        longest = sys.maxsize
    if not text or "\0" in text or longest > 255 or len(text) > 4000:
        raise BadInput(argument, path, "[not-found] is not a path", "name a file or a folder")
    return Path(text)


@contextmanager
def writing(path: Path, argument: str = "path") -> Iterator[None]:
    """Turn what the system says about writing `path` into one error with a remedy."""
    try:
        yield
    except CannotWrite:
        raise
    except OSError as error:
        if not _concerns(error, path):
            raise
        number = error.errno or 0
        remedy = _REMEDIES.get(number, "choose a place where you may write")
        code = "disk-full" if number in _FULL else CannotWrite.code
        problem = f"[{code}] cannot be written ({error.strerror or error})"
        failed = CannotWrite(argument, str(path), problem, remedy)
        failed.errno = number
        raise failed from None


def _concerns(error: OSError, path: Path) -> bool:
    """Whether it is about this place or its disk, and not about something else that a block does."""
    if isinstance(error, (BrokenPipeError, ConnectionError)):
        return False
    named = [os.fsdecode(name) for name in (error.filename, error.filename2) if name is not None]
    home = os.path.abspath(path.parent)
    return error.errno in _ABOUT_THE_DISK or any(os.path.abspath(name).startswith(home) for name in named)


def _replaceable_file(path: Path, argument: str = "path") -> None:
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder"}
        kind = kinds.get(stat.S_IFMT(mode), "not a regular file")
        problem = f"[not-regular] cannot be written (it is {kind})"
        raise BadInput(argument, str(path), problem, "name a regular file")
    if not os.access(path, os.W_OK):
        remedy = "name another file, or allow it to be changed"
        raise CannotWrite(argument, str(path), "cannot be written (it is read-only)", remedy)


def appendable(path: Path, argument: str = "path") -> None:
    """Refuse, before it is opened, a path that is neither a regular file nor new."""
    with writing(path, argument):
        _replaceable_file(as_path(argument, path), argument)


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` that becomes `path` when the block ends without an error."""
    path = as_path("path", path)
    with writing(path):
        _replaceable_file(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}{path.suffix}")
        os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # less the umask
        try:
            yield new
            _replaceable_file(path)
            if path.exists():
                new.chmod(stat.S_IMODE(path.stat().st_mode))
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder; where there is no room for one, an error of ours."""
    home = Path(os.environ.get("TMPDIR") or "/tmp")
    try:
        made = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    except OSError as error:
        problem = f"has no room for temporary files ({error.strerror or error})"
        remedy = "set TMPDIR to a folder where you may write"
        raise CannotWrite("TMPDIR", str(home), problem, remedy) from None
    with made as folder:
        yield Path(folder)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all, the same bytes on every system."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with atomic_path(path) as new:
        new.write_bytes(content)
