"""The one way by which gindex_lab writes: whole or not at all, and never over what is not ours.

A folder of ours carries a marker, `.gindex_lab`, with the names of the files that we put there. A folder
without it is neither deleted nor replaced; what somebody added to a folder of ours is carried over when the
folder is made anew. A file is replaced only if it is a regular file: no link, device or pipe. The umask
decides who may read. A full disk or a missing permission is one error of ours, with the remedy.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput, CannotWrite

__all__ = [
    "MARKER",
    "appendable",
    "atomic_folder",
    "atomic_path",
    "clear_unfinished",
    "is_ours",
    "mark",
    "remove",
    "write_bytes",
    "write_text",
    "writing",
]

MARKER = ".gindex_lab"
_NOTE = "gindex_lab wrote the files listed here, and may replace or delete them."
_ELSEWHERE = "name another folder, for instance a new one inside it"
_REMEDIES = {
    errno.ENOSPC: "free some space, or write to another disk",
    errno.EDQUOT: "free some space, or write to another disk",
    errno.EFBIG: "write to a disk that takes larger files",
    errno.EROFS: "write to another disk",
    errno.EXDEV: "write to a folder on the same disk",
    errno.EBUSY: "name a folder inside it",
    errno.ENAMETOOLONG: "use a shorter name",
    errno.ENOTDIR: "name a file inside a folder",
}
_ABOUT_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)


@contextmanager
def writing(path: Path, argument: str = "path") -> Iterator[None]:
    """Turn what the system says about writing `path` into one error with a remedy.

    >>> with writing(Path("a.txt")):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.CannotWrite: path='a.txt': cannot be written (No space left on device); ...
    """
    try:
        yield
    except CannotWrite:
        raise
    except OSError as error:
        if not _concerns(error, path):
            raise
        number = error.errno or 0
        remedy = _REMEDIES.get(number, "choose a place where you may write")
        problem = f"cannot be written ({error.strerror or error})"
        failed = CannotWrite(argument, str(path), problem, remedy)
        failed.errno = number
        raise failed from None


def _concerns(error: OSError, path: Path) -> bool:
    """Whether it is about this place or its disk, and not about something else that a block does."""
    if isinstance(error, (BrokenPipeError, ConnectionError)):
        return False
    named = [os.fsdecode(name) for name in (error.filename, error.filename2) if name is not None]
    return error.errno in _ABOUT_THE_DISK or any(
        name.startswith(str(path.parent)) for name in named
    )


def _replaceable_file(path: Path, argument: str = "path") -> None:
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder"}
        problem = f"cannot be written (it is {kinds.get(stat.S_IFMT(mode), 'not a regular file')})"
        raise BadInput(argument, str(path), problem, "name a regular file", code="not-regular")
    if not os.access(path, os.W_OK):
        remedy = "name another file, or allow it to be changed"
        raise CannotWrite(argument, str(path), "cannot be written (it is read-only)", remedy)


def appendable(path: Path, argument: str = "path") -> None:
    """Refuse, before it is opened, a path that is neither a regular file nor new.

    >>> appendable(Path("no", "such", "file"))
    """
    with writing(path, argument):
        _replaceable_file(Path(path), argument)


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` that becomes `path` when the block ends without an error.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as d:
    ...     with atomic_path(Path(d) / "a.txt") as new:
    ...         _ = new.write_text("whole")
    ...     (Path(d) / "a.txt").read_text()
    'whole'
    """
    path = Path(path)
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


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all, the same bytes on every system."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with atomic_path(path) as new:
        new.write_bytes(content)


# -- folders ---------------------------------------------------------------------------------------


def mark(folder: Path, what: str, files: list[str] | None = None) -> None:
    """Put our marker into a folder; `files` (by default all there are) are those that we wrote."""
    names = _files(folder) if files is None else files
    facts = {"note": _NOTE, "what": what, "files": sorted(set(names) - {MARKER})}
    text = json.dumps(facts, indent=1, ensure_ascii=False) + "\n"
    if not is_ours(folder) or (folder / MARKER).read_bytes() != text.encode():
        write_text(folder / MARKER, text)


def is_ours(folder: Path) -> bool:
    """Whether a folder carries our marker.

    >>> is_ours(Path("/"))
    False
    """
    return (folder / MARKER).is_file() and not folder.is_symlink()


def _facts(folder: Path) -> dict[str, Any]:
    """What the marker says; nothing where it is damaged, and then no file counts as ours."""
    try:
        found = json.loads((folder / MARKER).read_bytes()) if is_ours(folder) else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def listed(folder: Path) -> set[str]:
    """The files that we wrote into a folder, by its marker."""
    names = _facts(folder).get("files", [])
    plain = [n for n in names if isinstance(n, str)] if isinstance(names, list) else []
    return {n for n in plain if not Path(n).is_absolute() and ".." not in Path(n).parts}


def _files(folder: Path) -> list[str]:
    """Everything in a folder that is not a folder, links included, as paths below it."""
    return [
        Path(base, name).relative_to(folder).as_posix()
        for base, folders, names in os.walk(folder)
        for name in [*names, *(f for f in folders if Path(base, f).is_symlink())]
    ]


@contextmanager
def atomic_folder(path: Path, what: str = "folder") -> Iterator[Path]:
    """A temporary folder that takes the place of `path` when the block ends without an error.

    A folder that is there must be empty or carry our marker; what others put into it is carried over.
    """
    path = Path(path)
    _check_way(path)
    path = path.resolve()
    _check_folder(path)
    with writing(path, "folder"):
        path.parent.mkdir(parents=True, exist_ok=True)
        new = _hidden(path, "unfinished")
        try:
            yield new
            (new / MARKER).unlink()
            own = _files(new)
            _check_folder(path)
            if path.exists():
                _carry_over(path, new, set(own))
            mark(new, what, own)
            _swap(path, new)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def _hidden(path: Path, what: str) -> Path:
    """A folder beside `path` that is ours from the first moment."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    new.mkdir()
    mark(new, what)
    return new


def _check_way(path: Path) -> None:
    """Refuse what stands in the way to a folder: a file, or a link that leads nowhere."""
    for step in (path, *path.parents):
        if step.is_dir() or not os.path.lexists(step):
            continue
        problem = "is a link that leads nowhere" if step.is_symlink() else "is a file"
        kind = BadInput if step == path else CannotWrite
        raise kind("folder", str(step), problem, "name a folder, or move this away")


def _check_folder(path: Path) -> None:
    try:
        if not path.exists():
            return
        if path == Path.cwd() or path in Path.cwd().parents:
            raise BadInput("folder", str(path), "is the working folder, or holds it", _ELSEWHERE)
        found = sorted(p.name for p in path.iterdir())
    except OSError as error:
        problem = f"cannot be looked at ({error.strerror})"
        raise CannotWrite("folder", str(path), problem, "name another folder") from None
    if found and not is_ours(path):
        problem = f"holds {found[0]!r} and was not written by gindex_lab"
        raise BadInput("folder", str(path), problem, _ELSEWHERE, code="not-ours")


def _carry_over(old: Path, new: Path, taken: set[str]) -> None:
    """Link or copy what others put into our folder; a name that we need now gets `.kept`."""
    ours = listed(old) | {MARKER}
    for name in sorted(set(_files(old)) - ours):
        source, target = old / name, new / name
        if name in taken:
            if source.is_file() and source.read_bytes() == target.read_bytes():
                continue
            target = target.with_name(f"{target.name}.kept")
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.symlink_to(os.readlink(source))
        elif not source.is_file():
            problem = f"holds {name!r}, which is neither a file nor a folder"
            raise BadInput("folder", str(old), problem, "move it elsewhere", code="not-ours")
        else:
            _link_or_copy(source, target)


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _swap(path: Path, new: Path) -> None:
    if not path.exists():
        new.replace(path)
        return
    aside = _hidden(path, "replaced")
    path.replace(aside / "old")
    new.replace(path)
    shutil.rmtree(aside)


def clear_unfinished(folder: Path) -> None:
    """Remove what a killed `atomic_folder` left in `folder`; put back what it had just moved aside."""
    for path in sorted(folder.glob(".*")):
        if path.is_symlink() or not path.is_dir() or not is_ours(path):
            continue
        what = _facts(path).get("what")
        if what == "replaced":
            home = path.with_name(path.name[1:].rpartition(".")[0])
            if (path / "old").is_dir() and not home.exists():
                (path / "old").replace(home)
            shutil.rmtree(path, ignore_errors=True)
        elif what == "unfinished":
            shutil.rmtree(path, ignore_errors=True)


def remove(folder: Path) -> list[str]:
    """Delete the files that we wrote into a folder and into folders of ours in it; gives what stays.

    >>> remove(Path("no", "such", "folder"))
    []
    """
    folder = Path(folder)
    for marker in sorted(folder.rglob(MARKER), key=lambda p: len(p.parts), reverse=True):
        place = marker.parent
        if not is_ours(place):
            continue
        for name in listed(place):
            if (place / name).is_file() or (place / name).is_symlink():
                (place / name).unlink()
        marker.unlink()
    for base, _, _ in os.walk(folder, topdown=False):
        if not any(Path(base).iterdir()):
            Path(base).rmdir()
    return sorted(_files(folder)) if folder.is_dir() else []


if __name__ == "__main__":  # `make clean`: needs nothing but Python
    for given in sys.argv[1:]:
        kept = remove(Path(given))
        if kept:
            print(f"{given}: kept {len(kept)} files that gindex_lab did not write ({kept[0]} ...)")
