"""Pinned downloads and careful archives: a file is what the register says, or it is refused.

Each remote file is fetched into a temporary folder with a short timeout and checked against its
SHA-256. A server that fails or breaks off is asked three times, for the rest of the file where part of it
has arrived; redirects are followed, and proxies are those of the environment. A failed connection is
remembered for a few minutes, so that a session without a network waits once and not for every data set;
`GINDEX_LAB_OFFLINE=1` forbids the attempt altogether. Archives are read in memory, member by member, and
never unpacked to disk.
"""

from __future__ import annotations

import io
import logging
import os
import time
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any, Self

import numpy as np
import pandas as pd

from gindex_lab.foundation.bounds import check_time, current, too_large
from gindex_lab.foundation.errors import BadInput, DataUnavailable, ensure
from gindex_lab.foundation.fingerprints import file_hash
from gindex_lab.foundation.inputs import as_path, check_archive, member_bytes, open_regular
from gindex_lab.foundation.output import writing
from gindex_lab.foundation.places import cache_folder
from gindex_lab.studies.data.registry import data_folder, entry

__all__ = ["OriginalArchive", "offline", "original", "retrieve"]

# judgements, but for PIECE, which is for speed
TIMEOUT = (5.0, 30.0)  # seconds to connect, seconds between bytes
RETRY_AFTER = 300.0  # seconds for which a failed connection is remembered
TRIES = 3
PIECE = 1 << 16  # bytes
PAUSE = 0.5  # seconds before the second try; twice as long before the third
LARGEST_MEMBER = 200_000_000  # bytes
OWN_COPY = "or put the tidy form into $GINDEX_LAB_DATA"
_AGAIN, _NEVER = "delete it and fetch again", "do not use this archive"
UNEXPECTED = "check that it is the pinned archive; its layout is not the expected one"

_failed: dict[str, float] = {}


def offline() -> str:
    """Why nothing can be downloaded (`GINDEX_LAB_OFFLINE`, or a recent failure); empty if it can."""
    if os.environ.get("GINDEX_LAB_OFFLINE", "").strip() not in ("", "0"):
        return "GINDEX_LAB_OFFLINE is set"
    failed_just_now = time.monotonic() - _failed.get("at", -np.inf) < RETRY_AFTER
    return "the network could not be reached a moment ago" if failed_just_now else ""


def forget_failures() -> None:
    """Try the network again, however recently it failed."""
    _failed.clear()


def _download(url: str, output: str | Path, _: object = None) -> None:
    """Fetch `url` into the file `output`; after an interruption ask for what is missing, not for all."""
    import requests

    path = Path(output)
    path.unlink(missing_ok=True)
    for attempt in range(TRIES):
        try:
            return _rest(url, path)
        except requests.exceptions.RequestException as error:
            broken = (requests.exceptions.ReadTimeout, requests.exceptions.ChunkedEncodingError)
            failed = getattr(error.response, "status_code", 0) >= 500
            lost = isinstance(error, requests.exceptions.ConnectionError) and path.exists()
            if attempt == TRIES - 1 or not (failed or lost or isinstance(error, broken)):
                raise  # without a network one try is enough
        time.sleep(PAUSE * 2**attempt)
    return None


def _rest(url: str, path: Path) -> None:
    """Append to `path` what it lacks of `url`, or write it again if the server sends the whole."""
    import requests

    since, have = time.monotonic(), path.stat().st_size if path.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
        if have and answer.status_code == requests.codes.requested_range_not_satisfiable:
            path.unlink()
            return _rest(url, path)
        answer.raise_for_status()
        resumed = answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        with path.open("ab" if have and resumed else "wb") as file:
            for piece in answer.iter_content(PIECE):
                check_time(url, since)
                if file.tell() > current().document:
                    problem = f"sends more than {file.tell():,} bytes"
                    raise too_large("url", url, problem, "document", 10 * file.tell())
                file.write(piece)
    return None


def retrieve(name: str, url: str, sha256: str, folder: Path) -> Path:
    """Download one file of the data set `name` into `folder`, checked against its SHA-256."""
    import pooch
    import requests

    file_name = PurePosixPath(url).name
    what = f"{file_name} of {name}"
    if offline():
        raise DataUnavailable(what, url, offline(), f"go online and retry, {OWN_COPY}")
    pooch.get_logger().setLevel(logging.WARNING)
    try:
        found = pooch.retrieve(
            url, known_hash=f"sha256:{sha256}", fname=file_name, path=folder, downloader=_download
        )
    except requests.exceptions.HTTPError as error:
        status = error.response.status_code if error.response is not None else "an error"
        problem = f"[server-error] the server answered {status}"
        raise DataUnavailable(what, url, problem, f"retry later, {OWN_COPY}") from None
    except requests.exceptions.RequestException as error:
        _failed["at"] = time.monotonic()
        problem = f"[unreachable] cannot be reached ({type(error).__name__})"
        raise DataUnavailable(what, url, problem, f"go online and retry, {OWN_COPY}") from None
    except BadInput:
        raise
    except ValueError:  # how pooch reports a wrong hash
        problem = f"[wrong-checksum] is not the pinned file (SHA-256 {sha256[:12]}…), and was discarded"
        raise DataUnavailable(what, url, problem, f"retry the download, {OWN_COPY}") from None
    return Path(found)


class OriginalArchive:
    """A zip file of an author, read with suspicion: every oddity is an error that names it."""

    def __init__(self, path: Path) -> None:
        self.path = as_path("archive", path)
        try:
            open_regular(self.path, "archive").close()
            self._zip = zipfile.ZipFile(self.path)
        except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
            raise self._error(f"[damaged] is not a complete zip file ({error})", _AGAIN) from None
        try:
            self._check()
        except BadInput:
            self._zip.close()
            raise

    def _error(self, problem: str, remedy: str) -> BadInput:
        return BadInput("archive", self.path.name, problem, remedy)

    def _check(self) -> None:
        check_archive(self._zip, self.path)
        for info in self._zip.infolist():
            name, size = info.filename, info.file_size
            parts = PurePosixPath(name.replace("\\", "/"))
            if parts.is_absolute() or ".." in parts.parts or ":" in parts.parts[0]:
                raise self._error(f"[outside-archive] names a file outside itself ({name!r})", _NEVER)
            if size > LARGEST_MEMBER:
                problem = f"[too-large] holds {name!r} of {size:,} bytes, more than {LARGEST_MEMBER:,}"
                raise self._error(problem, _NEVER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def read(self, member: str) -> bytes:
        """The bytes of one member."""
        try:
            return member_bytes(self._zip, member)
        except KeyError:
            names = sorted(n for n in self._zip.namelist() if not n.endswith("/"))
            raise self._error(f"[no-file] has no {member!r} but {names[:5]}", UNEXPECTED) from None
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
            raise self._error(f"[damaged] has a damaged {member!r} ({error})", _AGAIN) from None

    def table(self, member: str, columns: list[str] | None = None, **how: Any) -> pd.DataFrame:
        """A CSV member as a table, which must have these columns."""
        content = self.read(member)
        try:
            table = pd.read_csv(io.BytesIO(content), **how)
        except ValueError as error:
            raise self._error(f"[not-csv] has a {member!r} that is not a CSV ({error})", _AGAIN) from None
        for column in columns or []:
            if column not in table:
                found = f"its columns are {list(table.columns[:6])} …"
                problem = f"[no-column] has a {member!r} without the column {column!r}; {found}"
                raise self._error(problem, UNEXPECTED)
        return table


def original(name: str, *, download: bool = True) -> Path:
    """The path of the one original file of a data set, where the tidy form is not enough.

    It is looked for in the data set's folder of `$GINDEX_LAB_DATA`, in a folder `originals` beside that data
    folder, and in the cache; then it is downloaded. It counts only if its SHA-256 is the pinned one.
    """
    what = entry(name)
    problem = f"[several-originals] has {len(what.files) or 'no'} original files in the register"
    ensure(len(what.files) == 1, "name", name, problem, 'use a data set of one file, such as "lambda"')
    ((file, sha256),) = what.files.items()
    own, cache = data_folder(), cache_folder() / "originals"
    places = [cache / Path(file).name]
    if own is not None:
        beside = sorted(own.parent.glob(f"originals/**/{Path(file).name}"))
        places = [own / name / file, *beside, *places]
    for place in places:
        if file_hash(place) == sha256:
            return place
    if not download:
        remedy = f"put {file} into $GINDEX_LAB_DATA/{name}/, or allow the download"
        raise DataUnavailable("name", name, f"[no-original] has no original {file} on this machine", remedy)
    with writing(cache, "GINDEX_LAB_CACHE"):
        cache.mkdir(parents=True, exist_ok=True)
        return retrieve(name, what.url + file, sha256, cache)
