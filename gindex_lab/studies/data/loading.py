"""Data sets by name: look in the data folder, then in the cache, then at the authors' repository.

`load` gives `Responses`, `Scores` or `Documents` that carry their citation and licence. A download is
checked, converted to the tidy form without its personal columns, and cached whole or not at all.
Known errors of the sources are corrected (`mode="exact"`) or kept as published (`mode="reference"`);
`corrections` lists them. Nothing is downloaded by `datasets`, `where` or `fingerprint`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

import pandas as pd

from gindex_lab.foundation.documents import Documents
from gindex_lab.foundation.errors import BadInput, DataUnavailable, ensure
from gindex_lab.foundation.files import read_table
from gindex_lab.foundation.fingerprints import file_hash, mark_of
from gindex_lab.foundation.folders import atomic_folder
from gindex_lab.foundation.output import scratch, writing
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import Mode, choice, mode_of
from gindex_lab.studies.data import download as network
from gindex_lab.studies.data.registry import (
    Place,
    RegisterEntry,
    cached_path,
    damage,
    entries,
    entry,
    find,
    write_checksums,
)
from gindex_lab.studies.data.tidy import correct, document_files, read_documents, read_tidy

__all__ = ["corrections", "counts", "datasets", "fetch", "fingerprint", "load", "load_or", "where"]

DataSet = Responses | Scores | Documents
Source = Literal["auto", "published", "stand-in"]
_DAMAGED = "[damaged-cache] has a cache that is not what was downloaded"


def datasets() -> pd.DataFrame:
    """The data sets that `gl.load` knows.

    Returns
    -------
    DataFrame
        By name: `title`, `size`, `kind`, whether it is `available` on this machine, `where` it is,
        `permission`, `licence` and `citation`.

    Examples
    --------
    >>> datasets().loc["ale", ["size", "kind"]].tolist()
    ['24 x 45', 'Scores']
    """
    facts = ["name", "title", "size", "kind", "permission", "licence", "citation"]
    rows = [[getattr(what, fact) for fact in facts] for what in entries().values()]
    table = pd.DataFrame(rows, index=list(entries()), columns=facts)
    table.insert(4, "available", [_place(what) is not None for what in entries().values()])
    table.insert(5, "where", [where(name) for name in entries()])
    return table


def corrections(name: str) -> pd.DataFrame:
    """The cells of a source that are known to be wrong, with the right values.

    Parameters
    ----------
    name : of a data set

    Returns
    -------
    DataFrame
        `agent`, `item`, `source` (the wrong value), `corrected`, and `why`; empty where none is known.

    Examples
    --------
    >>> corrections("ale")[["agent", "item", "source", "corrected"]].head(2)
             agent     item   source  corrected
    0  random noop  Bowling    123.7       23.1
    1        APE-X  Bowling  57196.7       17.6
    """
    cells = [cell | fix for fix in entry(name).corrections for cell in fix["cells"]]
    return pd.DataFrame(cells, columns=["agent", "item", "source", "corrected", "why"])


def load(name: str, *, mode: Mode = "exact", fixes: bool | None = None, download: bool = True) -> Any:
    """A published data set, with its citation and licence.

    It is looked for in `$GINDEX_LAB_DATA/<name>/`, in the cache, and then in the authors' repository at a
    pinned commit.

    Parameters
    ----------
    name : of a data set (`gl.datasets()` lists them)
    mode : "exact" corrects known errors of the source; "reference" keeps what the authors analysed
    fixes : whether to correct them, whatever the mode
    download : whether to download what is not on this machine

    Returns
    -------
    Responses, Scores or Documents

    References
    ----------
    The `citation` of the result; `gl.corrections(name)` lists the errors.

    Examples
    --------
    >>> load("odour_span")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.DataUnavailable: name='odour_span': is not on this machine ...
    """
    what = entry(name)
    fixed = mode_of(mode) == "exact" if fixes is None else bool(fixes)
    if what.derived_from:
        return _grouped(what, load(what.derived_from, download=download), fixed)
    place = _sound(what, find(what), download) or _obtain(what, download)
    facts = {"name": name, "source": "published", "citation": what.citation, "licence": what.licence}
    if not what.is_table:
        return read_documents(what.kind, place.path, **facts)
    return read_tidy(what, place.path, lambda frame: correct(what, frame, fixed), facts)


def _grouped(what: RegisterEntry, scores: Scores, fixed: bool) -> Scores:
    """Means over the levels of each game; the rounding decides which of them tie."""
    from gindex_lab.studies.data.originals import group_levels

    games = scores.items["game"]
    frame = group_levels(scores.frame, games, extended=not fixed)
    items = pd.DataFrame({"n_levels": games.value_counts()[frame.columns]}, index=frame.columns)
    facts: dict[str, Any] = {"name": what.name, "citation": what.citation, "licence": what.licence}
    return Scores(frame, items=items, agents=scores.agents, source=scores.source, **facts)


def load_or(
    name: str, stand_in: Callable[[], DataSet], *, data: Source = "auto", mode: Mode = "exact"
) -> Any:
    """The published data where they are available, otherwise a stand-in.

    Parameters
    ----------
    name : of a data set
    stand_in : a function that makes our own `Responses`, `Scores` or `Documents`
    data : a notebook's parameter
        "auto", as above; "published" insists on the published data; "stand-in" does not look for them.
    mode : of `gl.load`

    Returns
    -------
    Responses, Scores or Documents
        `source` says which it is: "published", "own experiment" or "simulated".

    Examples
    --------
    >>> ours = Responses([[1, 0]], source="simulated")
    >>> load_or("mazes", lambda: ours, data="stand-in").source
    'simulated'
    """
    choice("data", data, ["auto", "published", "stand-in"])
    if data != "stand-in":
        try:
            return load(name, mode=mode)
        except DataUnavailable:
            if data == "published":
                raise
    found = stand_in()
    source, remedy = getattr(found, "source", None), 'set its source to "own experiment" or "simulated"'
    problem = "[no-source] does not say what its result is"
    ensure(source in ("own experiment", "simulated"), "stand_in", source, problem, remedy)
    return found


def counts(name: str) -> pd.Series:
    """Sums over the columns about people that a converter leaves behind; empty where none were kept.

    They are written when a data set is downloaded and converted (`gindex-lab data fetch`); a folder of
    your own may hold them as `counts.csv` (`quantity`, `count`).
    """
    place = _place(entry(name))
    if place is None or not (place.path / "counts.csv").is_file():
        return pd.Series(dtype=float)
    path = place.path / "counts.csv"
    table = read_table(path, [0])
    for column in ("quantity", "count"):
        problem, remedy = f"[no-column] has no column {column!r}", "it needs quantity and count"
        ensure(column in table, f"{name}/counts.csv", str(path), problem, remedy)
    return table.set_index("quantity")["count"].astype(float)


def where(name: str) -> str:
    """Where a data set is, or how to get it: one line, for people.

    >>> where("no_such_set")
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: name='no_such_set': is not a data set; gl.datasets() lists them all
    """
    what = entry(name)
    place = _place(what)
    if place is not None:
        return f"{place.kind}: {place.path}"
    if what.derived_from:
        return f"computed from {what.derived_from}: {where(what.derived_from)}"
    if what.files:
        return f"to download from {what.source_title}"
    if what.own_table:
        return f"{what.permission}: then put your table into $GINDEX_LAB_DATA/{what.name}/"
    return f"not to be downloaded: put it into $GINDEX_LAB_DATA/{what.name}/"


def fingerprint(name: str) -> str:
    """A short hash of the data that `load` would read, and where they are; "absent" without them.

    >>> fingerprint("odour_span")
    'absent'
    """
    what = entry(name)
    place = _place(what)
    if place is None:
        return "absent"
    if what.derived_from:
        return fingerprint(what.derived_from)
    names = ["agents.csv", "items.csv", "responses.csv", "counts.csv", *["runs.csv"] * bool(what.trial)]
    tables = [place.path / file for file in names if (place.path / file).exists()]
    files = tables if what.is_table else document_files(what.kind, place.path)
    parts = [
        f"{path.relative_to(place.path).as_posix()}\0".encode() + bytes.fromhex(file_hash(path) or "")
        for path in files
    ]
    return f"{mark_of(b''.join(parts))} ({place.kind})"


def fetch(names: str | Iterable[str] | None = None) -> dict[str, str]:
    """Download the named data sets, or all that can be downloaded; says what happened to each.

    A named set that is not available is an error; among all, it is a line that begins "unavailable".
    """
    network.forget_failures()
    if names is not None:
        wanted = [entry(name) for name in ([names] if isinstance(names, str) else names)]
        return {what.name: _fetched(what) for what in wanted}
    outcome = {}
    for what in entries().values():
        try:
            outcome[what.name] = _fetched(what)
        except (DataUnavailable, BadInput) as error:
            outcome[what.name] = f"unavailable: {error}"
    return outcome


def _fetched(what: RegisterEntry) -> str:
    if what.derived_from:
        return f"computed from {what.derived_from}: {_fetched(entry(what.derived_from))}"
    place = find(what)
    if place is not None:
        return f"already here, {place.kind}: {place.path}"
    return f"downloaded to {_obtain(what, download=True).path}"


def _place(what: RegisterEntry) -> Place | None:
    return _place(entry(what.derived_from)) if what.derived_from else find(what)


def _sound(what: RegisterEntry, place: Place | None, download: bool) -> Place | None:
    """The place, unless it is a cache that is not what was downloaded: that is fetched again, or refused."""
    problem = damage(place.path) if place is not None and place.kind == "cache" else ""
    if place is None or not problem:
        return place
    why_not = network.offline() if download else "download=False"
    if why_not:
        problem = f"{_DAMAGED} ({problem}), and is not fetched ({why_not})"
        remedy = f"delete {place.path} and run `gindex-lab data fetch {what.name}` with a network"
        raise DataUnavailable("name", what.name, problem, remedy)
    return None


def _obtain(what: RegisterEntry, download: bool) -> Place:
    """Download, convert and cache: the folder appears whole or not at all."""
    _check_obtainable(what, download)
    path = cached_path(what)
    with scratch() as folder:
        with writing(folder / "file", "TMPDIR"):
            # a file from another repository is listed with its full address; two may have the same name
            originals = {
                name: network.retrieve(what.name, urljoin(what.url, name), sha256, folder / str(k))
                for k, (name, sha256) in enumerate(what.files.items())
            }
        try:
            with atomic_folder(path, f"data set {what.name}") as new:
                _fill(what, originals, new)
                write_checksums(new)
        except BadInput as error:
            if error.code != "not-ours":  # else another process was faster, see below
                raise
        except OSError as error:
            if not path.is_dir():  # else another process was faster, with the same content
                problem = f"[cache-not-writable] cannot be written ({error.strerror or error})"
                remedy = "set GINDEX_LAB_CACHE to a folder that can"
                raise DataUnavailable("GINDEX_LAB_CACHE", str(path.parent.parent), problem, remedy) from error
    if problem := damage(path):
        problem = f"{_DAMAGED} ({problem}), and cannot be replaced"
        raise DataUnavailable("name", what.name, problem, f"delete {path}")
    return Place("cache", path)


def _check_obtainable(what: RegisterEntry, download: bool) -> None:
    if not what.files:
        form = "responses.csv, items.csv, agents.csv" if what.is_table else f"the {what.kind}"
        problem = f"[not-downloadable] is not on this machine and not to be downloaded ({what.permission})"
        remedy = f"put {form} into the folder {what.name} of $GINDEX_LAB_DATA"
        raise DataUnavailable("name", what.name, problem, remedy)
    why_not = network.offline() if download else "download=False"
    if why_not:
        problem = f"[not-downloaded] is not on this machine, and it is not downloaded ({why_not})"
        remedy = f"run `gindex-lab data fetch {what.name}` with a network, {network.OWN_COPY}"
        raise DataUnavailable("name", what.name, problem, remedy)


def _fill(what: RegisterEntry, originals: dict[str, Path], folder: Path) -> None:
    """Convert the original files into the tidy form; copy those that need no converter."""
    from gindex_lab.studies.data import originals_horizon
    from gindex_lab.studies.data.originals import convert

    if what.converter is None:
        for name, path in originals.items():
            target = folder / Path(name).relative_to(what.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    elif what.converter in originals_horizon.CONVERTERS:
        files = originals_horizon.by_name(originals)
        originals_horizon.CONVERTERS[what.converter](files).write(folder)
    else:
        (archive_path,) = originals.values()
        with network.OriginalArchive(archive_path) as archive:
            convert(what.converter, archive).write(folder)
