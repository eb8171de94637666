"""Bars of progress that no other process can hold up.

tqdm's own lock is shared with every forked process: one that is killed while it draws takes the lock along,
and whoever draws next waits for ever (`tests/test_parallel.py` shows it). Threads of one process are enough.
"""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["progress_bar"]

_LOCK = threading.RLock()


def progress_bar(**settings: Any) -> Any:
    """A bar of tqdm, with its own settings.

    >>> with progress_bar(total=2, disable=True) as bar:
    ...     bar.update()
    """
    from tqdm import tqdm

    tqdm.set_lock(_LOCK)
    return tqdm(**settings)
