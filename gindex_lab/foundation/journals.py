"""Journals: text files by which a long computation goes on where it was interrupted.

The first line says what is computed; two runs are parts of one computation only if it agrees. Each further
line is a finished piece with a hash. A line is written when its piece is safe; one that a kill cut off, or
that is damaged, does not count, so a journal never promises more than there is. One process at a time writes
a journal; another one is refused until it ends. Results that are kept whole: `kept.py`.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Any, ClassVar
from weakref import WeakValueDictionary

from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput, CannotWrite
from gindex_lab.foundation.fingerprints import mark_of
from gindex_lab.foundation.kept import set_aside
from gindex_lab.foundation.output import appendable, write_text, writing

__all__ = ["Damaged", "Journal", "continued"]


class Damaged(ValueError):
    """A line that cannot have been written by the computation; says what is wrong with it."""


class Journal:
    """`header` and finished pieces (`entries`, each plain JSON), in memory and in the file.

    `argument` is the argument that named the file, for the messages; `anew` drops what a file of ours says.
    A journal with lines of its own form overrides `written` and `understood`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder, "sums.journal")
    ...     Journal(place, {"format": "sums 1", "n": 3}).add({"piece": 0, "sum": 0.5})
    ...     Journal(place, {"format": "sums 1", "n": 3}).entries
    [{'piece': 0, 'sum': 0.5}]
    """

    foreign = "[not-a-journal] is not a journal of this computation"
    other = "[other-computation] is of another computation"
    remedy = "name a new file, or delete this one"

    def __init__(
        self,
        path: str | os.PathLike[str],
        header: Mapping[str, Any],
        argument: str = "checkpoint",
        *,
        anew: bool = False,
    ) -> None:
        self.path, self.header, self.argument = Path(path), dict(header), argument
        self.entries: list[Any] = []
        appendable(self.path, argument)
        new = not self.path.exists()
        try:
            self._hold = self._held()
            if anew or not self.path.stat().st_size:  # or a run was killed before its first line
                self._begin()
            else:
                self._read()
        except CannotWrite:
            with suppress(OSError):
                if new:
                    self.path.unlink()
            raise

    def _held(self) -> _Hold:
        """The file, made if it does not exist, for this process alone."""
        with writing(self.path, self.argument):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            hold = _Hold.of(self.path)
        if hold is None:
            raise self._bad("[in-use] is being written by another process", "wait until that one ends")
        return hold

    def _begin(self) -> None:
        """The first line alone; not through a new file, since this one is held."""
        with writing(self.path, self.argument), _opened(self.path, "w") as file:
            file.write((json.dumps(self.header) + "\n").encode())

    def add(self, *entries: Any) -> None:
        """Write finished pieces down; they are on the disk when this returns."""
        self.entries.extend(entries)
        lines = [self._sealed(self.written(entry)) + "\n" for entry in entries]
        with writing(self.path, self.argument), _opened(self.path, "a") as file:
            file.write("".join(lines).encode())
            file.flush()
            _write_through(file)

    def forget(self, entries: list[Any], why: str) -> None:
        """Take back pieces that turned out to be damaged, so that they are computed again."""
        self.entries = [entry for entry in self.entries if entry not in entries]
        self._rewrite(f"{len(entries)} of its pieces {why}")

    def _sealed(self, line: str) -> str:
        """A line with a hash of itself and of the header: of this computation, and whole."""
        text = json.dumps(self.header, sort_keys=True) + "\n" + line
        return f"{line}\t#{mark_of(text)}"

    def _rewrite(self, problem: str) -> None:
        """Keep the damaged file beside the new one, and say what happens."""
        lines = [json.dumps(self.header), *(self._sealed(self.written(e)) for e in self.entries)]
        set_aside(self.path, f"{problem} damaged; this part is computed again")
        write_text(self.path, "\n".join(lines) + "\n")
        self._hold = self._held()

    def written(self, entry: Any) -> str:
        """A piece as a line."""
        return json.dumps(entry)

    def understood(self, line: str) -> Any:
        """The piece of a line, or `Damaged`."""
        try:
            return json.loads(line)
        except json.JSONDecodeError:
            raise Damaged(repr(line[:40])) from None

    def _read(self) -> None:
        try:
            found = self.path.read_bytes()
        except OSError as error:
            raise self._bad(f"cannot be read ({error})") from None
        size, (first, *lines) = len(found), found.split(b"\n")
        self._check(first)
        pieces = [self._opened(line) for line in lines[:-1]]
        self.entries = [piece for piece in pieces if piece is not None]
        damaged = len(pieces) - len(self.entries)
        if damaged:
            self._rewrite(f"{damaged} of its lines {'is' if damaged == 1 else 'are'}")
        elif lines and lines[-1]:  # cut off when the run was interrupted
            if self.path.stat().st_size == size:  # else another process is just writing it
                os.truncate(self.path, size - len(lines[-1]))
        elif not lines:  # the line break of the header is gone
            self._begin()

    def _opened(self, line: bytes) -> Any:
        """The piece of a line as it was written, or None where anything in the line has changed."""
        try:
            text = line.decode()
            plain = text.rpartition("\t#")[0]
            return self.understood(plain) if self._sealed(plain) == text else None
        except (UnicodeDecodeError, Damaged, RecursionError):
            return None

    def _check(self, first: bytes) -> None:
        try:
            found = json.loads(first)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or found.get("format") != self.header["format"]:
            raise self._bad(self.foreign)
        for name, value in json.loads(json.dumps(self.header)).items():
            if found.get(name) != value:
                raise self._bad(f"{self.other} ({name} {found.get(name)}, not {value})")

    def by(self, key: str) -> dict[int, dict[str, Any]]:
        """The pieces by the number that each has under `key`."""
        for number, entry in enumerate(self.entries, 2):
            if not isinstance(entry, dict) or not isinstance(entry.get(key), int):
                raise self._bad(f"[damaged] is corrupted in line {number} ({repr(entry)[:40]})")
        return {entry[key]: entry for entry in self.entries}

    def _bad(self, problem: str, remedy: str = "") -> BadInput:
        return BadInput(self.argument, str(self.path), problem, remedy or self.remedy)


class _Hold:
    """A file that this process holds as long as this object lives.

    Two objects of one process share it: a notebook keeps what failed a moment ago, and must be able to go on.
    """

    _held: ClassVar[WeakValueDictionary[tuple[int, int], _Hold]] = WeakValueDictionary()

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    @classmethod
    def of(cls, path: Path) -> _Hold | None:
        """Hold a file; None where another process does."""
        file = _opened(path, "a")
        facts = os.fstat(file.fileno())
        mine = cls._held.get((facts.st_dev, facts.st_ino))
        if mine is None and _locked(file):
            mine = cls._held[facts.st_dev, facts.st_ino] = cls(file)
        else:
            file.close()
        return mine

    def __del__(self) -> None:
        self.file.close()


def _opened(path: Path, mode: str) -> IO[bytes]:
    """A file for writing, and never through a link that somebody has just put there."""
    no_link = getattr(os, "O_NOFOLLOW", 0)  # Windows has none
    return open(path, mode + "b", opener=lambda name, flags: os.open(name, flags | no_link, 0o666))


def _write_through(file: IO[bytes]) -> None:
    """Wait until it is on the disk; some disks cannot be asked to do so."""
    try:
        os.fsync(file.fileno())
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def _locked(file: IO[bytes]) -> bool:
    """Lock a file; where the system has no locks, go on without."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # Windows, or a disk without locks
        return True
    return True


def continued(
    journal: Journal | None,
    compute: Callable[..., dict[str, Any]],
    items: Iterable[int],
    *,
    key: str = "item",
    shared: tuple[Any, ...] = (),
    jobs: int | None = 1,
    progress: str | None = None,
) -> list[dict[str, Any]]:
    """`compute(*shared, item)` of every item, in order; what the journal knows is not computed again.

    A piece is the answer (plain JSON) with its item under `key`, and is written down as it comes.
    """
    wanted = list(items)
    known = {} if journal is None else journal.by(key)
    new = [item for item in wanted if item not in known]
    answers = parallel.as_done(compute, new, shared=shared, jobs=jobs, progress=progress)
    with closing(answers) as done:
        for place, answer in done:
            known[new[place]] = {key: new[place], **answer}
            if journal is not None:
                journal.add(known[new[place]])
    return [{name: known[i][name] for name in known[i] if name != key} for i in wanted]
