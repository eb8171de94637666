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
from typing import IO, Any, Protocol

from gindex_lab.foundation.bounds import UNCHECKED, check_time, current, too_large
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import as_path, scratch, writing

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile
else:  # the same module for older versions of Python
    from backports.zstd import ZstdError, ZstdFile

__all__ = [
    "BROKEN",
    "as_path",
    "check_archive",
    "check_depth",
    "files_below",
    "member_bytes",
    "open_bytes",
    "parse_json",
    "present",
    "read_bytes",
    "read_text",
    "spooled",
]

BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, ZstdError)  # of a compressed file that ends early
_CHUNK = 2**18
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def present(path: Path, argument: str = "path") -> bool:
    """Whether something is there; a place that may not be looked into is refused."""
    try:
        path.stat()
    except PermissionError as error:
        problem, remedy = (
            f"[unreadable] cannot be read ({error.strerror})",
            "name a file that you may read",
        )
        raise BadInput(argument, str(path), problem, remedy) from None
    except (OSError, ValueError):
        return False
    return True


def open_regular(path: Path, argument: str = "path") -> IO[bytes]:
    """A regular file, opened for reading; a pipe, a device or a folder is refused without waiting."""
    try:
        handle = os.open(path, _FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        problem, remedy = "[not-found] does not exist", "check the name"
        raise BadInput(argument, str(path), problem, remedy) from None
    except (OSError, ValueError) as error:
        problem = f"[unreadable] cannot be read ({getattr(error, 'strerror', None) or error})"
        remedy = "name a file that you may read"
        raise BadInput(argument, str(path), problem, remedy) from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise _not_regular(path, mode, argument)
    return os.fdopen(handle, "rb")


def _not_regular(path: Path, mode: int, argument: str = "path") -> BadInput:
    kinds = {
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a pipe",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFSOCK: "a socket",
    }
    problem = f"[not-a-regular-file] is {kinds.get(stat.S_IFMT(mode), 'a special file')}, not a regular file"
    remedy = "name a file"
    if stat.S_ISFIFO(mode):
        remedy = (
            "copy what it gives into a file, or allow it with `with gl.limits(pipe=10)` (seconds)"
        )
    elif not stat.S_ISDIR(mode):
        remedy = "copy what it gives into a file first"
    return BadInput(argument, str(path), problem, remedy)


@contextmanager
def spooled(path: Path) -> Iterator[Path]:
    """The file itself; of a pipe that `limits(pipe=...)` admits, a copy of all that comes through it.

    A pipe without an ending in its name (`/dev/fd/63`) is taken for CSV.

    >>> with spooled(Path("a.csv")) as same:
    ...     same.name
    'a.csv'
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
        if size > allowed.document:
            problem = f"gives more than {size - len(part):,} bytes"
            raise too_large("path", str(path), problem, "document", 10 * size)
        if not part:
            return
        yield part
    raise too_large("path", str(path), "gives nothing", "pipe", 10 * allowed.pipe)


class _Counted(io.RawIOBase):
    """Bytes that are counted as they are read, and refused beyond the limits of size, ratio and time."""

    def __init__(self, inner: IO[bytes], file: IO[bytes], path: Path, packed: bool) -> None:
        super().__init__()
        self._inner, self._file, self._path, self._packed = inner, file, path, packed
        self._on_disk = os.fstat(file.fileno()).st_size
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
        if whence == 2 and self._packed:  # unpack to the end, under the same eyes
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
        if at > current().size:
            raise _bomb(self._path, at, self._on_disk, "size")
        check_time(self._path, self._since)
        unpacked, packed = self._window
        if not self._packed or at - unpacked < UNCHECKED:
            return
        consumed = self._file.tell()
        if at - unpacked > current().ratio * max(consumed - packed, 1):
            raise _bomb(self._path, at, consumed, "ratio")
        self._window = at, consumed


def _bomb(path: Path, unpacked: float, packed: int, name: str) -> BadInput:
    if name == "size":
        problem = f"holds more than {unpacked:,.0f} bytes"
        return too_large("path", str(path), problem, "size", 10 * unpacked)
    problem = (
        f"unpacks to more than {unpacked:,.0f} bytes from {packed:,}, "
        f"over {current().ratio:,.0f} times its size"
    )
    return too_large("path", str(path), problem, "ratio", 2000)


def open_bytes(path: Path, argument: str = "path") -> IO[bytes]:
    """The bytes of a regular file, unpacked if it is compressed with gzip or Zstandard (by its content).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.txt.gz")
    ...     _ = file.write_bytes(gzip.compress(b"hello"))
    ...     open_bytes(file).read()
    b'hello'
    """
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
    except BROKEN:
        problem = "[damaged] is a compressed file that ends early or is damaged"
        remedy = "copy it again, or unpack what is there with `gzip -dc`"
        raise BadInput(argument, str(path), problem, remedy) from None
    except OSError as error:
        problem = f"[unreadable] cannot be read ({error.strerror or error})"
        raise BadInput(argument, str(path), problem, "copy it again") from None
    if len(data) > most:
        problem = f"holds more than {most:,} bytes, to be held whole"
        raise too_large(argument, str(path), problem, "document", 10 * most)
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
        raise BadInput(
            argument, str(place), f"[wrong-encoding] is not {name} text", f"save it as {name}"
        ) from None


# -- JSON --------------------------------------------------------------------------------------------


def parse_json(text: str | bytes, argument: str, value: object) -> Any:
    """A JSON document, no deeper than allowed; `ValueError` (not ours) where it is not JSON."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise _too_deep(argument, value) from None
    check_depth(text, found, argument, value)
    return found


def check_depth(text: str | bytes, found: object, argument: str, value: object) -> None:
    """Refuse what is nested more deeply than allowed; brackets are counted before anything is walked."""
    most = current().depth
    if isinstance(text, str):
        opened = text.count("[") + text.count("{")
    else:
        opened = text.count(b"[") + text.count(b"{")
    if opened > most and _depth(found, int(most)) > most:
        raise _too_deep(argument, value)


def _too_deep(argument: str, value: object) -> BadInput:
    most = current().depth
    return too_large(
        argument, value, f"is nested more than {most:.0f} levels deep", "depth", 2 * most
    )


def _depth(found: object, most: int) -> int:
    """Levels of nesting, level by level, until there are more than allowed."""
    level: list[Any] = [found] if isinstance(found, (list, dict)) else []
    depth = 0
    while level and depth <= most:
        depth += 1
        inside = (one.values() if isinstance(one, dict) else one for one in level)
        level = [x for values in inside for x in values if isinstance(x, (list, dict))]
    return depth


# -- archives and folders ----------------------------------------------------------------------------


class Archive(Protocol):
    """A zip, of the standard library or of its back port that knows Zstandard."""

    def infolist(self) -> list[Any]: ...


def check_archive(archive: Archive, path: Path) -> None:
    """Refuse an archive with too many members, or whose members would unpack to too much."""
    allowed, infos = current(), archive.infolist()
    if len(infos) > allowed.members:
        problem = f"holds {len(infos):,} files"
        raise too_large("path", str(path), problem, "members", len(infos))
    unpacked, packed = sum(info.file_size for info in infos), path.stat().st_size
    if unpacked > allowed.size:
        raise _bomb(path, unpacked, packed, "size")
    if unpacked > max(UNCHECKED, allowed.ratio * packed):
        raise _bomb(path, unpacked, packed, "ratio")
    for info in infos:
        if info.file_size > max(UNCHECKED, allowed.ratio * info.compress_size):
            raise _bomb(path, info.file_size, info.compress_size, "ratio")
    largest = max((info.file_size for info in infos), default=0)
    if largest > allowed.document:
        problem = f"has a part of {largest:,} bytes, to be held whole"
        raise too_large("path", str(path), problem, "document", largest)


def member_bytes(archive: Any, name: str) -> bytes:
    """A part of an archive, unpacked piece by piece: no more than it says of itself, which may be a lie.

    >>> import zipfile
    >>> with zipfile.ZipFile(io.BytesIO(), "w") as archive:
    ...     archive.writestr("a.txt", "hello")
    ...     member_bytes(archive, "a.txt")
    b'hello'
    """
    with archive.open(name) as file:
        return b"".join(_up_to(file, archive.getinfo(name).file_size + 1))


def files_below(folder: Path, skipped: dict[Path, BadInput] | None = None) -> Iterator[Path]:
    """Every file below a folder, in order; a folder that cannot be read is an error, or in `skipped`."""

    def unreadable(failure: OSError) -> None:
        where = Path(failure.filename)
        problem = f"[unreadable] is a folder that cannot be read ({failure.strerror})"
        error = BadInput("path", str(where), problem, "make it readable")
        if skipped is None or where == folder:
            raise error
        skipped[where] = error

    allowed = current()
    count = 0
    for where, folders, names in os.walk(folder, onerror=unreadable):
        folders.sort()
        if len(Path(where).relative_to(folder).parts) >= allowed.depth:
            raise too_large("path", where, "is nested too deeply", "depth", 2 * allowed.depth)
        for name in sorted(names):
            count += 1
            if count > allowed.members:
                problem = f"holds more than {count - 1:,} files"
                raise too_large("path", str(folder), problem, "members", 10 * count)
            yield Path(where, name)
