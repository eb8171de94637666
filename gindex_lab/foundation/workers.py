"""What a worker of `parallel.map` needs, on a core of this machine or of a cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gindex_lab.foundation.errors import WorkerLost

__all__ = ["inside", "is_inside", "lost", "parcel"]

_here = threading.local()  # .inside: this thread runs a task, and what it maps runs in turn


def is_inside() -> bool:
    """Whether this thread runs a task."""
    return getattr(_here, "inside", False)


@contextmanager
def inside() -> Iterator[None]:
    """While a worker runs a task: its own maps stay on its core, the others have work of theirs."""
    before = is_inside()
    _here.inside = True
    try:
        yield
    finally:
        _here.inside = before


def lost(argument: str, value: object) -> WorkerLost:
    """The error of a task that no worker survives."""
    return WorkerLost(
        argument,
        value,
        "a worker died again and again (killed, or out of memory)",
        "use fewer workers or smaller pieces, or look at what the task does",
    )


def parcel(function: Callable[..., Any], shared: tuple[Any, ...]) -> bytes:
    """The function and what its calls share, pickled once; what a notebook defines may be in it."""
    import cloudpickle  # type: ignore[import-untyped]  # joblib's own pickler

    return bytes(cloudpickle.dumps((function, shared)))
