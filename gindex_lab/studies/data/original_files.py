"""The authors' own files, where the tidy form is not enough: every step of a log, for instance.

A file is looked for in the data set's folder of `$GINDEX_LAB_DATA`, in a folder `originals` beside that
data folder, and in the cache; then it is downloaded. It counts only if its SHA-256 is the pinned one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gindex_lab.foundation.errors import BadInput, DataUnavailable
from gindex_lab.foundation.fingerprints import file_hash
from gindex_lab.foundation.output import writing
from gindex_lab.foundation.places import cache_folder
from gindex_lab.studies.data import download as network
from gindex_lab.studies.data.registry import RegisterEntry, data_folder, entry

__all__ = ["original"]


def original(name: str, *, download: bool = True) -> Path:
    """The path of the one original file of a data set.

    >>> original("demo")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    gindex_lab.foundation.errors.BadInput: name: 'demo' has no original file in the register; ...
    """
    what = entry(name)
    if len(what.files) != 1:
        problem = (
            f"[several-originals] has {len(what.files) or 'no'} original files in the register"
        )
        raise BadInput("name", name, problem, 'use a data set of one file, such as "lambda"')
    ((file, sha256),) = what.files.items()
    for place in _places(what, file):
        if file_hash(place) == sha256:
            return place
    if not download:
        remedy = f"put {file} into $GINDEX_LAB_DATA/{name}/, or allow the download"
        raise DataUnavailable(
            "name", name, f"[no-original] has no original {file} on this machine", remedy
        )
    folder = cache_folder() / "originals"
    with writing(folder, "GINDEX_LAB_CACHE"):
        folder.mkdir(parents=True, exist_ok=True)
        return network.retrieve(name, what.url + file, sha256, folder)


def _places(what: RegisterEntry, file: str) -> Iterator[Path]:
    own = data_folder()
    if own is not None:
        yield own / what.name / file
        yield from sorted(own.parent.glob(f"originals/**/{Path(file).name}"))
    yield cache_folder() / "originals" / Path(file).name
