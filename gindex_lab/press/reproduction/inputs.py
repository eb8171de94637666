"""What a notebook's results depend on: the catalogue, its parameters, and the hashes of its inputs.

`notebooks/catalogue.toml` lists the notebooks with the parameters of each profile and the data sets
they load. A notebook is up to date while its source cells, parameters, the package, the data, the locked
versions and Python are those of its last run: `inputs` gathers these as hashes, so that a difference can
also be named.
"""

from __future__ import annotations

import ast
import difflib
import json
import platform
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.fingerprints import digest_of, file_hash

__all__ = ["PROFILES", "CatalogueEntry", "data_fingerprint", "declared_parameters", "forget", "inputs"]
__all__ += ["parameters", "read_catalogue", "read_notebook", "select"]

PROFILES = ("quick", "full")
_FORMAT = 1  # raise it when the layout of a notebook's folder changes
_SOURCES = (".py", ".mplstyle", ".j2", ".css", ".js", ".fbp", ".toml", ".json", ".csv")
_PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class CatalogueEntry:
    """One notebook of the catalogue."""

    path: str
    title: str
    paper: str
    data: tuple[str, ...] = ()
    seed: int = 1
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    root: Path = Path()
    seconds: int = 5  # about, in the quick profile: the slowest run first

    @property
    def file(self) -> Path:
        return self.root / "notebooks" / f"{self.path}.ipynb"


def read_catalogue(root: Path) -> list[CatalogueEntry]:
    """The notebooks of `root/notebooks/catalogue.toml`, in its order."""
    path = root / "notebooks" / "catalogue.toml"
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _bad("catalogue", path, "[not-found] does not exist", "run this in the project") from None
    except tomllib.TOMLDecodeError as error:
        raise _bad("catalogue", path, f"[not-toml] is not TOML ({error})", "fix that line") from None
    entries = [_entry(row, root) for row in listed.get("notebook", [])]
    if not entries:
        raise _bad("catalogue", path, "[empty] lists no notebook", "add a [[notebook]]")
    paths = [entry.path for entry in entries]
    for name in paths:
        if paths.count(name) > 1:
            raise BadInput("path", name, "[duplicate] appears in the catalogue twice", "keep one of them")
    return entries


def _entry(row: Mapping[str, Any], root: Path) -> CatalogueEntry:
    allowed = {"path": str, "title": str, "paper": str, "data": list, "seed": int, "seconds": int}
    allowed |= dict.fromkeys(PROFILES, dict)
    name = row.get("path", "?")
    for key, value in row.items():
        if key not in allowed:
            problem = f"[not-an-option] of notebook {name!r} is unknown"
            raise BadInput(key, value, problem, _suggest(key, allowed))
        if not isinstance(value, allowed[key]) or isinstance(value, bool):
            wanted = allowed[key].__name__
            problem = f"[wrong-type] of notebook {name!r} is not a {wanted}"
            raise BadInput(key, value, problem, f"use a {wanted}")
    for key in ("path", "title", "paper"):
        if not row.get(key):
            problem = f"[missing-field] of notebook {name!r} is missing"
            raise BadInput(key, row.get(key), problem, f"add {key} = ...")
    if len(Path(name).parts) != 2 or not all(p.isidentifier() for p in Path(name).parts):
        raise BadInput("path", name, "[not-a-name] is not folder/notebook", 'write it as "gindex/table1"')
    profiles = {profile: row.get(profile, {}) for profile in PROFILES}
    data = tuple(row.get("data", ()))
    numbers = {key: row[key] for key in ("seed", "seconds") if key in row}
    return CatalogueEntry(name, row["title"], row["paper"], data, profiles=profiles, root=root, **numbers)


def _bad(argument: str, path: Path, problem: str, remedy: str) -> BadInput:
    """The error for a file, named by the end of its path, which is what tells it from others."""
    return BadInput(argument, "/".join(path.parts[-3:]), problem, remedy)


def _suggest(word: object, known: Iterable[str]) -> str:
    known = list(known)
    near = difflib.get_close_matches(str(word), known, n=3, cutoff=0.5)
    return f"did you mean {', '.join(near)}?" if near else f"use one of {', '.join(known)}"


def select(entries: list[CatalogueEntry], only: str | None) -> list[CatalogueEntry]:
    """The notebooks that `only` names: one of them, a whole folder, or all where it is None."""
    if not only:
        return entries
    wanted = only.removeprefix("notebooks/").removesuffix(".ipynb").rstrip("/")
    chosen = [e for e in entries if wanted in (e.path, e.path.partition("/")[0])]
    if not chosen:
        remedy = _suggest(wanted, [entry.path for entry in entries])
        raise BadInput("only", only, "[no-match] does not match any notebook", remedy)
    return chosen


def read_notebook(path: Path) -> dict[str, Any]:
    """A notebook's JSON; an unreadable one is an error that names the file."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _bad("notebook", path, "[not-found] does not exist", "fix catalogue.toml") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        problem = f"[not-a-notebook] is not a notebook ({error})"
        raise _bad("notebook", path, problem, "restore it from git") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise _bad("notebook", path, "[no-cells] has no cells", "save it from JupyterLab")
    return notebook


def declared_parameters(notebook: Mapping[str, Any], path: Path) -> set[str]:
    """The names that the cell tagged `parameters` gives a default to."""
    tagged = [c for c in notebook["cells"] if "parameters" in c.get("metadata", {}).get("tags", [])]
    if len(tagged) != 1:
        problem = f"[not-one-parameters-cell] has {len(tagged) or 'no'} parameters cell{'s' * bool(tagged)}"
        raise _bad("notebook", path, problem, "tag the one cell that sets the defaults")
    try:
        tree = ast.parse(_source(tagged[0]))
    except SyntaxError as error:
        problem = f"[not-python] has a broken parameters cell ({error.msg})"
        raise _bad("notebook", path, problem, "fix it") from None
    names = [
        node.targets if isinstance(node, ast.Assign) else [node.target]
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
    ]
    return {target.id for targets in names for target in targets if isinstance(target, ast.Name)}


def parameters(entry: CatalogueEntry, profile: str) -> dict[str, Any]:
    """What papermill passes: the profile's parameters, and profile and seed where declared."""
    declared = declared_parameters(read_notebook(entry.file), entry.file)
    given = dict(entry.profiles.get(profile, {}))
    for name in given:
        if name not in declared:
            problem = f"[no-parameter] is not set in the parameters cell of {entry.path}"
            raise BadInput(name, given[name], problem, _suggest(name, sorted(declared)))
    standard = {"profile": profile, "seed": entry.seed}
    return {k: v for k, v in standard.items() if k in declared} | given


def inputs(entry: CatalogueEntry, profile: str) -> dict[str, str]:
    """Everything the results depend on, as hashes: equal inputs, equal outputs."""
    cells = [
        [c["cell_type"], _source(c), c.get("metadata", {}).get("tags", [])]
        for c in read_notebook(entry.file)["cells"]
    ]
    return {
        "format": str(_FORMAT),
        "notebook": _hash(cells),
        "parameters": _hash([profile, parameters(entry, profile), entry.seed]),
        "package": _package_hash(entry.root),
        "data": _hash({name: data_fingerprint(name) for name in entry.data}),
        "locked versions": _lock_hash(entry.root),
        "Python": platform.python_version(),
    }


def _source(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def data_fingerprint(name: str) -> str | None:
    """The fingerprint of a data set, or None where it is not on this machine."""
    from gindex_lab.studies.data import loading as data

    found = data.fingerprint(name)
    return None if found == "absent" else found


@cache
def _package_hash(root: Path) -> str:
    """The package and what it ships in data/; the ledger is compared after the run, not in it."""
    files = [p for p in _PACKAGE.rglob("*") if p.suffix in _SOURCES]
    kept = ("claims.csv", "claims_baseline.json")
    files += [p for p in (root / "data").rglob("*") if p.is_file() and p.name not in kept]
    return _hash([[p.name, file_hash(p)] for p in sorted(files)])


@cache
def _lock_hash(root: Path) -> str:
    return file_hash(root / "requirements.lock") or ""


def forget() -> None:
    """Look at the files again: a long session may have changed them."""
    _package_hash.cache_clear()
    _lock_hash.cache_clear()


def _hash(content: object) -> str:
    return digest_of(json.dumps(content, sort_keys=True))
