"""The terminal: Ctrl-C ends a command once, and printing works in any encoding and into closed pipes.

The first Ctrl-C raises `KeyboardInterrupt` as usual; further ones are ignored, because the end is under way
and an interrupted clean-up would leave processes behind. If the clean-up itself gets stuck, a watchdog ends
the process and all that it started. A terminal that cannot show γ gets `gamma`; what else it cannot show
becomes its plain form or `?`.
"""

from __future__ import annotations

import codecs
import io
import os
import select
import signal
import sys
import threading
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

__all__ = [
    "INTERRUPTED", "READER_GONE", "ends_once", "quiet_start", "reader_gone", "silence",
    "speak_any_encoding", "visible",
]  # fmt: skip

INTERRUPTED = 130  # what a shell reports of a program that SIGINT ended
READER_GONE = 141  # the same of SIGPIPE
_PATIENCE = 3.0  # seconds for an orderly end; all must be over within five (SECURITY.md)
_HANDLER = "gindex_lab.spelled"
_PLAIN = {"–": "-", "—": "-", "−": "-", "…": "...", "×": "x", "≤": "<=", "≥": ">=", "→": "->",
          "“": '"', "”": '"', "‘": "'", "’": "'", "·": "*", "∞": "inf", "±": "+-"}  # fmt: skip


@contextmanager
def ends_once() -> Iterator[None]:
    """While the block runs, the first Ctrl-C counts and the others are ignored."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (signal.SIG_IGN, _first):
        yield
        return
    signal.signal(signal.SIGINT, _first)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is _first:  # else we were interrupted, and are ending
            signal.signal(signal.SIGINT, before)


@contextmanager
def quiet_start() -> Iterator[None]:
    """A process that starts in the block gets no Ctrl-C until it asks to: we end it, without a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _first(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_anyway, args=(os.getpid(),), daemon=True).start()
    raise KeyboardInterrupt


def _end_anyway(process: int) -> None:
    """Wait for the orderly end; then end everything that this process started, and itself."""
    time.sleep(_PATIENCE)
    if os.getpid() == process:
        _end_children(process)
        with suppress(OSError):
            os.write(2, b"stopped\n")
        os._exit(INTERRUPTED)


def _end_children(process: int) -> None:
    import psutil  # type: ignore[import-untyped]

    with suppress(psutil.Error):
        for child in psutil.Process(process).children(recursive=True):
            with suppress(psutil.Error):
                child.kill()


def in_ascii(character: str) -> str:
    """How a character is written where only ASCII can be shown.

    >>> [in_ascii(c) for c in "γΔé…☃"]
    ['gamma', 'Delta', 'e', '...', '?']
    """
    name = unicodedata.name(character, "").split()
    if name[:1] == ["GREEK"] and "LETTER" in name:
        word = name[name.index("LETTER") + 1].lower()
        return word if "SMALL" in name else word.capitalize()
    if character in _PLAIN:
        return _PLAIN[character]
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(in_ascii, error.object[error.start : error.end])), error.end


def visible(text: str) -> str:
    r"""One line in which nothing steers the terminal: a name from a file may hold escape sequences."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def speak_any_encoding() -> None:
    """Print any character without an error, whatever the terminal's encoding."""
    codecs.register_error(_HANDLER, _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def reader_gone() -> bool:
    """Whether standard output or error is a pipe that nobody reads any longer."""
    if not hasattr(select, "poll"):  # Windows: the error itself is all we know
        return True
    waiting = select.poll()
    for stream in (sys.stdout, sys.stderr):
        try:
            waiting.register(stream.fileno(), select.POLLOUT)
        except (OSError, ValueError, AttributeError):
            continue
    return any(event & select.POLLERR for _, event in waiting.poll(0))


def silence() -> None:
    """Discard what is still in the buffers, so that Python does not fail on it when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
