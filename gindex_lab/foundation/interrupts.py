"""Ctrl-C ends a command once: within seconds, however often it is pressed, and with every process.

The first Ctrl-C raises `KeyboardInterrupt` as usual; further ones are ignored, because the end is under way
and an interrupted clean-up would leave processes behind. If the clean-up itself gets stuck, a watchdog ends
the process and all that it started.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

__all__ = ["INTERRUPTED", "ends_once"]

INTERRUPTED = 130
_PATIENCE = 3.0  # seconds for an orderly end; all must be over within five


@contextmanager
def ends_once() -> Iterator[None]:
    """While the block runs, the first Ctrl-C counts and the others are ignored.

    >>> with ends_once():
    ...     signal.getsignal(signal.SIGINT) is signal.default_int_handler
    False
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (
        signal.SIG_IGN,
        _first,
    ):
        yield
        return
    signal.signal(signal.SIGINT, _first)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is _first:  # else we were interrupted, and are ending
            signal.signal(signal.SIGINT, before)


def _first(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_anyway, args=(os.getpid(),), daemon=True).start()
    raise KeyboardInterrupt


def _end_anyway(process: int) -> None:
    """Wait for the orderly end; then end everything that this process started, and itself."""
    time.sleep(_PATIENCE)
    if os.getpid() == process:
        _end_children(process)
        os._exit(INTERRUPTED)


def _end_children(process: int) -> None:
    import psutil  # type: ignore[import-untyped]

    with suppress(psutil.Error):
        for child in psutil.Process(process).children(recursive=True):
            with suppress(psutil.Error):
                child.kill()
