"""The one way in: files are opened, unpacked and decoded here, within the limits of `bounds`.

Only regular files are opened: a pipe or a device would hang, or never end. What is compressed is counted as
it is unpacked, so that a few megabytes that would become gigabytes are refused after the first sixteen.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import select
import stat
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from gindex_lab.foundation.bounds import UNCHECKED, check_time, current, too_large, within
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import as_path, scratch, writing
from gindex_lab.foundation.validate import deeper_than

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile
else:  # the same module for older versions of Python
    from backports.zstd import ZstdError, ZstdFile

__all__ = [
    "BROKEN", "as_path", "check_archive", "files_below", "member_bytes", "open_bytes", "open_regular",
    "parse_json", "present", "read_bytes", "read_text", "spooled", "unreadable",
]  # fmt: skip

BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, ZstdError)  # of a compressed file that ends early
_CHUNK = 2**18  # bytes that are read at once
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_SPECIAL = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
_SPECIAL |= dict.fromkeys((stat.S_IFCHR, stat.S_IFBLK), "a device")


def unreadable(error: Exception, path: object, argument: str = "path") -> BadInput:
    """The error for what the system, or whoever unpacks a file, says of it."""
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return BadInput(argument, str(path), "[not-found] does not exist", "check the name")
    if isinstance(error, BROKEN):
        problem = "[damaged] is a compressed file that ends early or is damaged"
        remedy = "copy it again, or unpack what is there with `gzip -dc`"
        return BadInput(argument, str(path), problem, remedy)
    problem = f"[unreadable] cannot be read ({getattr(error, 'strerror', None) or error})"
    return BadInput(argument, str(path), problem, "name a file that you may read")


def present(path: Path, argument: str = "path") -> bool:
    """Whether something is there; a place that may not be looked into is refused."""
    try:
        path.stat()
    except PermissionError as error:
        raise unreadable(error, path, argument) from None
    except (OSError, ValueError):
        return False
    return True


def open_regular(path: Path, argument: str = "path") -> IO[bytes]:
    """A regular file, opened for reading; a pipe, a device or a folder is refused without waiting."""
    try:
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        raise unreadable(error, path, argument) from None
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    kind = _SPECIAL.get(stat.S_IFMT(mode), "a special file")
    remedy = "name a file" if stat.S_ISDIR(mode) else "copy what it gives into a file first"
    if stat.S_ISFIFO(mode):
        remedy += ", or allow it with `with gl.limits(pipe=10)` (seconds)"
    problem = f"[not-a-regular-file] is {kind}, not a regular file"
    raise BadInput(argument, str(path), problem, remedy)


@contextmanager
def spooled(path: Path) -> Iterator[Path]:
    """The file itself; of a pipe that `limits(pipe=...)` admits, a copy of all that comes through it.

    A pipe without an ending in its name (`/dev/fd/63`) is taken for CSV.
    """
    if not current().pipe or not path.is_fifo():
        yield path
        return
    with scratch() as folder:
        copy = folder / (path.name if path.suffix else f"{path.name}.csv")
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            with writing(copy, "TMPDIR"):
                copy.write_bytes(b"".join(_through(handle, path)))
        finally:
            os.close(handle)
        yield copy


def _through(handle: int, path: Path) -> Iterator[bytes]:
    """What comes through a pipe, until its writer closes it, within the limits of size and time."""
    allowed, size = current(), 0
    while select.select([handle], [], [], allowed.pipe)[0]:
        part = os.read(handle, _CHUNK)
        size += len(part)
        within("document", size, path, f"gives more than {size - len(part):,} bytes", more=10)
        if not part:
            return
        yield part
    raise too_large("path", str(path), "gives nothing", "pipe", 10 * allowed.pipe)


class _Counted(io.RawIOBase):
    """Bytes that are counted as they are read, and refused beyond the limits of size, ratio and time."""

    def __init__(self, inner: IO[bytes], file: IO[bytes], path: Path, packed: bool) -> None:
        super().__init__()
        self._inner, self._file, self._path, self._packed = inner, file, path, packed
        self._since, self._at = time.monotonic(), 0
        self._window = 0, 0  # unpacked and packed bytes at the last look
        self._ahead = memoryview(b"")  # unpacked and looked at, and not yet given

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._ahead:
            # After the beginning a whole window is unpacked and looked at before its rows are parsed
            size = UNCHECKED if self._packed and self._at >= _CHUNK else len(buffer)
            self._ahead = memoryview(self._inner.read(size))
            self._check(self._at + len(self._ahead))
        data, self._ahead = self._ahead[: len(buffer)], self._ahead[len(buffer) :]
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == 2 and self._packed:  # unpack to the end, with the same checks
            while self.readinto(memoryview(bytearray(_CHUNK))):
                pass
            self._at = self._inner.seek(self._inner.tell() + offset)
        else:
            start = self._at if whence == 1 else 0
            self._at = self._inner.seek(start + offset, 0 if whence == 1 else whence)
        self._ahead = memoryview(b"")
        self._window = self._at, self._file.tell()
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
            self._file.close()
        super().close()

    def _check(self, at: int) -> None:
        """Every sixteen megabytes must come from enough packed ones, whatever came before."""
        within("size", at, self._path, f"holds more than {at:,} bytes", more=10)
        check_time(self._path, self._since)
        unpacked, packed = self._window
        if not self._packed or at - unpacked < UNCHECKED:
            return
        consumed = self._file.tell()
        if at - unpacked > current().ratio * max(consumed - packed, 1):
            raise _bomb(self._path, at, consumed)
        self._window = at, consumed


def _bomb(path: Path, unpacked: float, packed: int) -> BadInput:
    times = f"over {current().ratio:,.0f} times its size"
    problem = f"unpacks to more than {unpacked:,.0f} bytes from {packed:,}, {times}"
    return too_large("path", str(path), problem, "ratio", 2000)


def open_bytes(path: Path, argument: str = "path") -> IO[bytes]:
    """The bytes of a regular file, unpacked if it is compressed with gzip or Zstandard (by its content)."""
    file = open_regular(Path(path), argument)
    start = file.read(4)
    file.seek(0)
    inner: Any = file
    if start[:2] == b"\x1f\x8b":
        inner = gzip.GzipFile(fileobj=file)
    elif start == b"\x28\xb5\x2f\xfd":
        inner = ZstdFile(file)
    return io.BufferedReader(_Counted(inner, file, Path(path), inner is not file), _CHUNK)


def read_bytes(path: Path, argument: str = "path") -> bytes:
    """All of a file that may be held whole: at most `document` bytes."""
    most = int(current().document)
    try:
        with open_bytes(path, argument) as file:
            data = b"".join(_up_to(file, most + 1))
    except (OSError, *BROKEN) as error:
        raise unreadable(error, path, argument) from None
    problem = f"holds more than {most:,} bytes, to be held whole"
    within("document", len(data), path, problem, more=10, argument=argument)
    return data


def _up_to(file: IO[bytes], most: int) -> Iterator[bytes]:
    """The first bytes of a file, piece by piece: a bomb is seen before it has unpacked itself."""
    while most and (part := file.read(min(_CHUNK, most))):
        most -= len(part)
        yield part


def read_text(path: object, encoding: str = "utf-8-sig", argument: str = "path") -> str:
    """The text of a regular file, within the limits."""
    place = as_path(argument, path)
    try:
        return read_bytes(place, argument).decode(encoding)
    except UnicodeError:
        name = encoding.removesuffix("-sig").upper()
        problem = f"[wrong-encoding] is not {name} text"
        raise BadInput(argument, str(place), problem, f"save it as {name}") from None


# -- JSON --------------------------------------------------------------------------------------------


_BRACKETS: dict[type, Any] = {str: ("[", "{"), bytes: (b"[", b"{")}  # a million lines: made once


def parse_json(text: str | bytes, argument: str, value: object, remedy: str | None = None) -> Any:
    """A JSON document, no deeper than allowed.

    What is not JSON is a `BadInput` with this remedy; without one, the `ValueError` of `json`.
    """
    most = current().depth
    try:
        found = json.loads(text)
    except RecursionError:
        raise _too_deep(argument, value, most) from None
    except ValueError as error:
        if remedy is None:
            raise
        raise BadInput(argument, value, f"[not-json] is not JSON ({str(error)[:80]})", remedy) from None
    square, curly = _BRACKETS[type(text)]
    opened = text.count(square) + text.count(curly)  # counted before anything is walked
    if opened > most and deeper_than(found, most):
        raise _too_deep(argument, value, most)
    return found


def _too_deep(argument: str, value: object, most: float) -> BadInput:
    return too_large(argument, value, f"is nested more than {most:.0f} levels deep", "depth", 2 * most)


# -- archives and folders ----------------------------------------------------------------------------


def check_archive(archive: Any, path: Path) -> None:
    """Refuse an archive with too many members, or whose members would unpack to too much."""
    infos, packed = archive.infolist(), path.stat().st_size
    within("members", len(infos), path, f"holds {len(infos):,} files")
    unpacked, ratio = sum(info.file_size for info in infos), current().ratio
    within("size", unpacked, path, f"holds more than {unpacked:,} bytes", more=10)
    for large, small in ((unpacked, packed), *((info.file_size, info.compress_size) for info in infos)):
        if large > max(UNCHECKED, ratio * small):
            raise _bomb(path, large, small)
    largest = max((info.file_size for info in infos), default=0)
    within("document", largest, path, f"has a part of {largest:,} bytes, to be held whole")


def member_bytes(archive: Any, name: str) -> bytes:
    """A part of an archive, unpacked piece by piece: no more than it says of itself, which may be a lie."""
    with archive.open(name) as file:
        return b"".join(_up_to(file, archive.getinfo(name).file_size + 1))


def files_below(folder: Path, skipped: dict[Path, BadInput] | None = None) -> Iterator[Path]:
    """Every file below a folder, in order; a folder that cannot be read is an error, or in `skipped`."""

    def closed(failure: OSError) -> None:
        where = Path(failure.filename)
        problem = f"[unreadable] is a folder that cannot be read ({failure.strerror})"
        error = BadInput("path", str(where), problem, "make it readable")
        if skipped is None or where == folder:
            raise error
        skipped[where] = error

    count = 0
    for where, folders, names in os.walk(folder, onerror=closed):
        folders.sort()
        depth = len(Path(where).relative_to(folder).parts)
        within("depth", depth + 1, where, "is nested too deeply", more=2)
        for name in sorted(names):
            count += 1
            within("members", count, folder, f"holds more than {count - 1:,} files", more=10)
            yield Path(where, name)
