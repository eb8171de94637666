"""Folders of ours: made whole or not at all, and nothing of somebody else's in them is lost.

A folder of ours carries a marker, `.gindex_lab`, with the names and hashes of the files that we put there. A
folder without it is neither deleted nor replaced; what somebody added to a folder of ours, or changed in it,
is carried over when the folder is replaced.
"""

from __future__ import annotations

import filecmp
import glob
import itertools
import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput, CannotWrite, ensure
from gindex_lab.foundation.fingerprints import file_hash
from gindex_lab.foundation.output import as_path, write_text, writing

__all__ = [
    "ASIDE", "MARKER", "atomic_folder", "claim", "claimable", "clear_unfinished", "is_copy", "is_ours",
    "listed", "mark", "remove",
]  # fmt: skip

MARKER = ".gindex_lab"
ASIDE = re.compile(r"\.kept\d*$")  # how `_room` names what is the user's where we need its name
_NOTE = "gindex_lab wrote the files listed here, and may replace or delete them."
_GENERATED = (None, "reports", "state", "notebook", "docs", "site")  # what `make clean` removes
SOURCE = Path(__file__).resolve().parents[1]
_ELSEWHERE = "name another folder, for instance a new one inside it"


def mark(folder: Path, what: str, files: Iterable[str] | Mapping[str, str | None] = ()) -> None:
    """Put our marker into a folder; `files` are those that we wrote, with their SHA-256 where it is known."""
    hashes = dict(files) if isinstance(files, Mapping) else dict.fromkeys(files)
    text = _marker(folder, what, hashes)
    if not is_ours(folder) or (folder / MARKER).read_bytes() != text.encode():
        write_text(folder / MARKER, text)


def claim(folder: Path, what: str, files: Iterable[str]) -> None:
    """Put our marker into a folder where others may keep things, too; `files` are those that we write."""
    claimable(folder, what)
    mark(folder, what, {**listed(folder), **dict.fromkeys(files)})


def claimable(folder: Path, what: str) -> None:
    """Refuse, before anything is written, a place where our folder cannot go, or a folder of another kind."""
    _check_way(as_path("folder", folder))
    place = Path(os.path.realpath(folder))
    home = Path(os.path.expanduser("~"))
    kept = {"the working folder": Path.cwd(), "your home": home, "the package gindex_lab": SOURCE}
    for name, one in kept.items():
        holds = place in (one.resolve(), *one.resolve().parents)
        ensure(not holds, "folder", str(folder), f"[not-ours] is {name}, or holds it", _ELSEWHERE)
    inside, remedy = SOURCE in place.parents, "name a folder elsewhere"
    ensure(not inside, "folder", str(folder), "[not-ours] lies in the package gindex_lab", remedy)
    kind = _facts(place).get("what")
    problem = f"[not-ours] holds what gindex_lab wrote there for another purpose ({kind})"
    ensure(kind in (None, what), "folder", str(folder), problem, _ELSEWHERE)


def _marker(folder: Path, what: str, hashes: Mapping[str, str | None]) -> str:
    names = {name: hashes[name] for name in sorted(hashes) if name != MARKER}
    facts = {"note": _NOTE, "what": what, "at": _home(folder), "files": names}
    return json.dumps(facts, indent=1, ensure_ascii=False) + "\n"


def is_ours(folder: Path) -> bool:
    """Whether a folder carries our marker."""
    return (folder / MARKER).is_file() and not folder.is_symlink()


def _home(folder: Path) -> list[str]:
    """The last two names of a folder: what a copy of it elsewhere does not have."""
    return list(Path(os.path.abspath(folder)).parts[-2:])


def is_copy(folder: Path) -> bool:
    """Whether somebody copied or moved this folder of ours to another place, by its marker."""
    at, here = _facts(folder).get("at"), _home(folder)
    if not isinstance(at, list) or at == here:
        return False
    return at[-1:] != here[-1:] or not is_ours(folder.parent)  # the folder around it may be renamed


def _facts(folder: Path) -> dict[str, Any]:
    """What the marker says; nothing where it is damaged, and then no file counts as ours."""
    try:
        found = json.loads((folder / MARKER).read_bytes()) if is_ours(folder) else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def listed(folder: Path) -> dict[str, str | None]:
    """The files that we wrote into a folder, by its marker, with their hashes where it has them."""
    found = _facts(folder).get("files")
    if isinstance(found, list):  # markers of version 0.1
        found = dict.fromkeys(name for name in found if isinstance(name, str))
    names = found if isinstance(found, dict) else {}
    inside = [name for name in names if ".." not in Path(name).parts and not Path(name).is_absolute()]
    return {name: names[name] for name in inside}


def _unchanged(folder: Path) -> set[str]:
    """The files of a folder that are as we wrote them; what somebody changed is theirs."""
    place = Path(os.path.realpath(folder))
    return {
        name
        for name, written in listed(folder).items()
        if os.path.realpath((place / name).parent) == str((place / name).parent)  # no link on the way
        and (written is None or written == _hash(place / name))
    }


def _hash(path: Path) -> str | None:
    return None if path.is_symlink() else file_hash(path)


def _files(folder: Path) -> list[str]:
    """Everything in a folder that is not a folder, links included, as paths below it."""
    return [
        Path(base, name).relative_to(folder).as_posix()
        for base, folders, names in os.walk(folder)
        for name in [*names, *(f for f in folders if Path(base, f).is_symlink())]
    ]


def _folders(folder: Path) -> list[str]:
    """The folders below a folder; one that cannot be looked into is an error."""

    def unreadable(error: OSError) -> None:
        raise error

    return [
        Path(base, name).relative_to(folder).as_posix()
        for base, folders, _ in os.walk(folder, onerror=unreadable)
        for name in folders
        if not Path(base, name).is_symlink()
    ]


@contextmanager
def atomic_folder(path: Path, what: str = "folder") -> Iterator[Path]:
    """A temporary folder that takes the place of `path` when the block ends without an error.

    A folder that is there must be empty or carry our marker; what others put into it, or changed in it, is
    carried over.
    """
    claimable(Path(path), what)
    path = Path(path).resolve()
    with writing(path, "folder"):
        for aside in sorted(path.parent.glob(f".{glob.escape(path.name)}.*")):
            if is_ours(aside) and _facts(aside).get("what") == "replaced":
                _put_back(aside, path)
        _check_folder(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = _hidden(path, "unfinished")
        try:
            yield new
            (new / MARKER).unlink()
            own = {name: _hash(new / name) for name in _files(new)}
            _check_folder(path)
            if path.exists():
                _carry_over(path, new)
                shutil.copymode(path, new)
            write_text(new / MARKER, _marker(path, what, own))
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
        problem = "[broken-link] is a broken link" if step.is_symlink() else "[is-a-file] is a file"
        kind = BadInput if step == path else CannotWrite
        raise kind("folder", str(step), problem, "name a folder, or move this away")


def _check_folder(path: Path) -> None:
    try:
        if not path.exists():
            return
        found = sorted(p.name for p in path.iterdir())
    except OSError as error:
        problem = f"cannot be inspected ({error.strerror})"
        raise CannotWrite("folder", str(path), problem, "name another folder") from None
    problem = f"[not-ours] holds {found[:1]} and was not written by gindex_lab"
    ensure(not found or is_ours(path), "folder", str(path), problem, _ELSEWHERE)


def _carry_over(old: Path, new: Path) -> None:
    """Link or copy what others put into our folder, or changed in it, to where it is not there yet."""
    ours = _unchanged(old) | {MARKER}
    held = {parent.as_posix() for name in listed(old) for parent in Path(name).parents}
    for name in _folders(old):
        if name not in held and not (new / name).is_dir() and (place := _room(old, new, name)):
            place.mkdir(parents=True)
            shutil.copystat(old / name, place)
    theirs = sorted(set(_files(old)) - ours, key=lambda name: (os.path.lexists(new / name), name))
    for name in theirs:
        source = old / name
        problem = f"[not-ours] holds {name!r}, which is neither a file nor a folder"
        ensure(source.is_symlink() or source.is_file(), "folder", str(old), problem, "move it elsewhere")
        if target := _room(old, new, name):
            target.parent.mkdir(parents=True, exist_ok=True)
            _link_or_copy(source, target)


def _room(old: Path, new: Path, name: str) -> Path | None:
    """Its own name, or one with `.kept` where we need that name; None where it is there already."""
    place, parts = new, Path(name).parts
    for depth, part in enumerate(parts, 1):
        last = depth == len(parts)
        for k in itertools.count():
            found = place / f"{part}{('', '.kept')[k] if k < 2 else f'.kept{k}'}"
            if not os.path.lexists(found) or (not last and found.is_dir() and not found.is_symlink()):
                break
            if last and _same(old / name, found):
                return None
        place = found
    return place


def _same(one: Path, other: Path) -> bool:
    """Whether two are the same link, or files of the same content."""
    if one.is_symlink() or other.is_symlink():
        both = one.is_symlink() and other.is_symlink()
        return both and os.readlink(one) == os.readlink(other)
    return one.is_file() and other.is_file() and filecmp.cmp(one, other, shallow=False)


def _link_or_copy(source: Path, target: Path) -> None:
    if source.is_symlink():
        target.symlink_to(os.readlink(source))
        return
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
    try:
        new.replace(path)
    finally:
        _put_back(aside, path)


def _put_back(aside: Path, home: Path) -> None:
    """End what `_swap` began: what it moved aside comes back, or what others saved in it meanwhile."""
    old = aside / "old"
    if old.is_dir() and not home.exists():
        old.replace(home)
    elif old.is_dir():
        _carry_over(old, home)
    mark(aside, "unfinished")  # after a kill, what is left of it no longer counts
    shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(aside)


def clear_unfinished(folder: Path) -> None:
    """Remove what a killed `atomic_folder` left in `folder`; put back what it had just moved aside."""
    for path in sorted(folder.glob(".*")):
        if path.is_symlink() or not path.is_dir() or not is_ours(path):
            continue
        what = _facts(path).get("what")
        if what == "replaced":
            with writing(path, "folder"):
                _put_back(path, path.with_name(path.name[1:].rpartition(".")[0]))
        elif what == "unfinished":
            shutil.rmtree(path, ignore_errors=True)


def remove(folder: Path) -> list[str]:
    """Delete the files that we wrote into a folder and into folders of ours in it; gives what stays.

    A file that somebody changed, a table that somebody saved, and a folder of ours that somebody copied or
    moved there, is theirs.
    """
    folder = Path(folder)
    places = [Path(base) for base, _, names in os.walk(folder, topdown=False) if MARKER in names]
    for place in places:
        kind = _facts(place).get("what")
        if not is_ours(place) or kind not in _GENERATED or (place != folder and is_copy(place)):
            continue
        for name in [*_unchanged(place), MARKER]:
            if (place / name).is_file() or (place / name).is_symlink():
                (place / name).unlink()
                _remove_empty((place / name).parent, folder)
    return sorted(_files(folder)) if folder.is_dir() else []


def _remove_empty(place: Path, top: Path) -> None:
    """The folders that our files leave empty, up to the top one."""
    while not any(place.iterdir()):
        place.rmdir()
        if place == top:
            return
        place = place.parent


if __name__ == "__main__":  # `make clean`: needs nothing but Python
    for given in sys.argv[1:]:
        kept = remove(Path(given))
        if kept:
            print(f"{given}: kept {len(kept)} files that gindex_lab did not write ({kept[0]} ...)")
