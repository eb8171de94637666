"""How this package compiles: numba, with machine code kept on disk that never goes stale.

numba forgets the machine code of a function when its file changes, but not when a file that it calls
does. Here the stamp of a kernel is that of every file of kernels beside it, and of the packages it names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, overload

from numba import njit

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).resolve().parent


@overload
def compiled(function: F, /) -> F: ...
@overload
def compiled(*, uses: tuple[str, ...] = (), **options: Any) -> Callable[[F], F]: ...
def compiled(function: Any = None, /, *, uses: tuple[str, ...] = (), **options: Any) -> Any:
    """Compile at the first call, keep the machine code on disk; `options` are those of `numba.njit`.

    `uses` names the packages whose kernels this one calls, beside those of its own folder.

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
    dispatcher: Any = njit(**{"cache": True, "nogil": True} | options)(function)
    cache_file = getattr(dispatcher._cache, "_cache_file", None)
    if cache_file is not None:
        own = Path(function.__code__.co_filename).resolve()
        folders = sorted({own.parent, *(_PACKAGE / name for name in uses)})
        cache_file._source_stamp = [_stamp(own), *(s for f in folders for s in _stamps(f))]
    return dispatcher


@lru_cache
def _stamps(folder: Path) -> tuple[tuple[float, int], ...]:
    """When each file of kernels in a folder was changed, and its size."""
    files = sorted(folder.glob("*.py"))
    return tuple(_stamp(file) for file in files if "compiled" in file.read_text("utf-8"))


def _stamp(file: Path) -> tuple[float, int]:
    facts = file.stat()
    return facts.st_mtime, facts.st_size
