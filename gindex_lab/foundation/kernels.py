"""How this package compiles: numba, with machine code kept on disk that never goes stale.

numba drops the machine code of a function when its file changes, but not when a file changes whose functions
it calls. Here the stamp of a kernel is that of every file of kernels beside it, and of the packages it names.
The stamp is private to numba: only this module writes it, and `test_kernels.py` fails when it is not needed.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, overload

from numba import njit
from numba.core.caching import IndexDataCacheFile

from gindex_lab.foundation.fingerprints import digest_of

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).resolve().parents[1]


@overload
def compiled(function: F, /) -> F: ...
@overload
def compiled(*, uses: tuple[str, ...] = (), **options: Any) -> Callable[[F], F]: ...
def compiled(function: Any = None, /, *, uses: tuple[str, ...] = (), **options: Any) -> Any:
    """Compile at the first call, keep the machine code on disk; `options` are those of `numba.njit`.

    `uses` names the folders of `gindex_lab` whose kernels this one calls, beside those of its own.

    >>> @compiled(cache=False)
    ... def twice(x):
    ...     return 2 * x
    >>> twice(3)
    6
    """
    if function is None:
        return lambda it: _compiled(it, uses, options)
    return _compiled(function, uses, options)


def _compiled(function: Callable[..., Any], uses: tuple[str, ...], options: dict[str, Any]) -> Any:
    wanted = {"cache": True, "nogil": True} | options
    try:
        dispatcher: Any = njit(**wanted)(function)
    except RuntimeError as error:
        if "locator" not in str(error):
            raise
        dispatcher = njit(**wanted | {"cache": False})(function)  # nowhere to keep machine code
    cache_file = getattr(dispatcher._cache, "_cache_file", None)
    if cache_file is not None:
        cache_file.__class__ = _CheckedFiles
        own = Path(function.__code__.co_filename).resolve()
        folders = sorted({own.parent, *(_PACKAGE / name for name in uses)})
        cache_file._source_stamp = [_stamp(own), *(s for f in folders for s in _stamps(f))]
    return dispatcher


class _CheckedFiles(IndexDataCacheFile):
    """numba's files of machine code, each with a hash: a damaged one is compiled again.

    Where nothing can be written (a full disk, a read-only home), functions are compiled in every session.
    """

    def load(self, key: Any) -> Any:
        """What was kept, or None where it is absent or damaged."""
        try:
            return super().load(key)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, pickle.UnpicklingError):
            return None

    def save(self, key: Any, data: Any) -> None:
        """Keep it, where that is possible."""
        with suppress(OSError):
            super().save(key, data)  # type: ignore[no-untyped-call]

    def _load_index(self) -> dict[Any, str]:
        try:
            stamp, overloads = _opened(Path(self._index_path))
        except (OSError, ValueError):
            return {}
        return overloads if stamp == [self._version, self._source_stamp] else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(Path(self._index_path), ([self._version, self._source_stamp], overloads))

    def _load_data(self, name: str) -> Any:
        return _opened(Path(self._cache_path, name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(Path(self._cache_path, name), data)

    def _write(self, path: Path, data: Any) -> None:
        content: bytes = self._dump(data)  # type: ignore[no-untyped-call]
        with self._open_for_write(str(path)) as file:
            file.write(_digest(path.name, content) + content)


def _digest(name: str, content: bytes) -> bytes:
    """The name counts: whole code under the name of another function is damage too."""
    return bytes.fromhex(digest_of(name.encode() + b"\0" + content))


def _opened(path: Path) -> Any:
    """What `_CheckedFiles` wrote; ValueError where a bit of it has changed, or what it names is gone."""
    if not path.is_file():  # reading a pipe would wait for ever
        raise ValueError(f"{path} is not a file")
    found = path.read_bytes()
    if _digest(path.name, found[32:]) != found[:32]:
        raise ValueError(f"{path} is damaged")
    try:
        return pickle.loads(found[32:])
    except (AttributeError, EOFError, ImportError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None


@lru_cache
def _stamps(folder: Path) -> tuple[tuple[float, int], ...]:
    """When each file of kernels in a folder was changed, and its size."""
    files = sorted(folder.glob("*.py"))
    return tuple(_stamp(file) for file in files if "compiled" in file.read_text("utf-8"))


def _stamp(file: Path) -> tuple[float, int]:
    facts = file.stat()
    return facts.st_mtime, facts.st_size
