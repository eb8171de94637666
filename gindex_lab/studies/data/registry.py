"""The register of data sets: what each is, whose it is, where it may be found, and whether it is sound.

`data/registry.toml` holds one entry a data set. An entry is looked for in the user's data folder
(`$GINDEX_LAB_DATA`), then in the user's cache (`$GINDEX_LAB_CACHE`, or the system's usual place);
what is in neither may be downloadable. A folder of the cache has a list of SHA-256 beside its files, checked
at every load. This module only looks: it never downloads and never reads the data.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from gindex_lab.foundation import places
from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.fingerprints import file_hash, mark_of
from gindex_lab.foundation.folders import ASIDE
from gindex_lab.foundation.inputs import files_below, read_text

__all__ = ["LIST", "Place", "RegisterEntry", "damage", "data_folder", "entries", "entry", "find"]
__all__ += ["write_checksums"]

LIST = "SHA256SUMS"
CONVERTER_VERSION = 1  # raise it when a converter gives another tidy form: old caches are then ignored


@dataclass(frozen=True)
class RegisterEntry:
    """One data set of the register; the fields are the keys of `data/registry.toml`."""

    name: str
    title: str
    kind: str
    licence: str
    permission: str
    citation: str
    agents: int = 0
    items: int = 0
    documents: int = 0
    key: str = "agent"
    difficulty: str | None = None
    family: str | None = None
    trial: str | None = None  # the column of runs.csv that numbers the runs of a cell
    derived: tuple[str, ...] = ()
    derived_from: str | None = None
    own_table: bool = False
    beside: str | None = None
    folder: str = ""
    source: str | None = None
    source_title: str = ""
    url: str = ""
    converter: str | None = None
    files: dict[str, str] = field(default_factory=dict)
    corrections: tuple[dict[str, Any], ...] = ()

    @property
    def is_table(self) -> bool:
        return self.kind in ("Responses", "Scores")

    @property
    def size(self) -> str:
        """How large it is, in words."""
        if self.own_table:
            return "as in your table"
        return f"{self.agents} x {self.items}" if self.is_table else f"{self.documents} files"

    @property
    def cache_key(self) -> str:
        """Changes when the pinned originals or the converters do, so that a cache is never stale."""
        text = repr((CONVERTER_VERSION, sorted(self.files.items())))
        return mark_of(text)[:12]


@dataclass(frozen=True)
class Place:
    """Where a data set was found: `kind` is "data folder" or "cache"."""

    kind: str
    path: Path


@cache
def _register(path: Path) -> dict[str, RegisterEntry]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        problem = f"[not-toml] is not TOML ({error})"
        raise BadInput("registry", str(path), problem, "restore the file") from None
    return {name: _entry(name, facts, raw) for name, facts in raw["datasets"].items()}


def _entry(name: str, facts: dict[str, Any], raw: dict[str, Any]) -> RegisterEntry:
    source = raw["sources"].get(facts.get("source"), {})
    more = {name: tuple(facts.get(name, ())) for name in ("derived", "corrections")}
    more |= {"citation": facts["citation"].format(**raw["papers"])}
    more |= {"url": source.get("url", ""), "source_title": source.get("title", "")}
    return RegisterEntry(name=name, **(facts | more))


def entries() -> dict[str, RegisterEntry]:
    """All data sets, by name."""
    return _register(places.project_file("registry", "registry.toml"))


def entry(name: str) -> RegisterEntry:
    """One data set by name."""
    known = entries()
    if isinstance(name, str) and name in known:
        return known[name]
    lower = {known_name.lower(): known_name for known_name in known}
    asked = str(name).lower()
    near = [match for match in lower if asked and match.startswith(asked)][:3]
    near = near or difflib.get_close_matches(asked, lower, n=3, cutoff=0.6)
    likely = [repr(lower[match]) for match in near]
    hint = f"did you mean {' or '.join(likely)}? " if likely else ""
    raise BadInput("name", name, "[not-a-data-set] is not a data set", f"{hint}gl.datasets() lists them all")


def data_folder() -> Path | None:
    """The user's data folder, `$GINDEX_LAB_DATA`, or None where it is not set."""
    value = os.environ.get("GINDEX_LAB_DATA", "").strip()
    if not value:
        return None
    path, remedy = Path(value).expanduser(), "create it, or unset the variable"
    ensure(path.is_dir(), "GINDEX_LAB_DATA", value, "[not-a-folder] is not a folder", remedy)
    return path


def cached_path(what: RegisterEntry) -> Path:
    """Where the cache holds (or would hold) this data set."""
    return places.cache_folder() / what.name / what.cache_key


def find(what: RegisterEntry) -> Place | None:
    """Where the data set is on this machine, or None."""
    data = data_folder()
    if data is not None:
        beside = [data.resolve().parent / what.beside] if what.beside else []
        for path in (data / what.name, *beside):
            # a README alone says where downloadable data come from, and is not the data
            explained = what.files and path.is_dir() and {p.name for p in path.iterdir()} == {"README.md"}
            if path.is_dir() and not explained:
                return Place("data folder", path)
    path = cached_path(what)
    return Place("cache", path) if path.is_dir() else None


def _sums(folder: Path) -> dict[str, str]:
    """SHA-256 by name of the files below a folder; markers and the list itself are left out."""
    files = [path for path in files_below(folder) if path != folder / LIST and not path.name.startswith(".")]
    return {path.relative_to(folder).as_posix(): str(file_hash(path)) for path in files}


def write_checksums(folder: Path) -> None:
    """List the files of a folder with their SHA-256, in the form that `sha256sum -c` reads."""
    lines = [f"{digest}  {name}\n" for name, digest in sorted(_sums(folder).items())]
    (folder / LIST).write_text("".join(lines), encoding="utf-8")


def damage(folder: Path) -> str:
    """What is not as it was written: the first such file, in words; empty where all is well."""
    try:
        lines = read_text(folder / LIST).splitlines()
    except BadInput:
        return f"it has no readable list of checksums ({LIST})"
    known = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    found = {name: digest for name, digest in _sums(folder).items() if not ASIDE.search(name)}
    for name in sorted({*known, *found}):
        if name not in found:
            return f"{name!r} is gone"
        if name not in known:
            return f"{name!r} was added"
        if known[name] != found[name]:
            return f"{name!r} was changed"
    return ""
