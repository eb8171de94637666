"""One notebook, run in a worker process: executed by papermill, published as a whole folder or not at all.

A run works in a hidden folder beside its destination and takes its place by a rename when everything is
there: figures, tables, claims, the executed notebook, the HTML page and `record.json`, which says from
which inputs. A worker whose parent is gone (killed, or stopped by Ctrl-C) leaves at once and publishes
nothing.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from gindex_lab.foundation.fingerprints import file_hash, sealed
from gindex_lab.foundation.folders import atomic_folder
from gindex_lab.foundation.output import appendable, write_text
from gindex_lab.press.notebook import OUTPUT
from gindex_lab.press.reproduction.claims import failed_folder, print_hash
from gindex_lab.press.reproduction.inputs import CatalogueEntry, data_fingerprint

__all__ = ["Failure", "Task", "died", "git_commit", "run", "start_worker", "versions"]

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_stop: Any = None  # the event that ends the workers; a fork inherits it
_PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "seaborn", "networkx", "statsmodels",
             "factor_analyzer", "scikit-learn", "numba", "papermill", "ipykernel")  # fmt: skip


@dataclass(frozen=True)
class Task:
    """What a worker needs to know to run one notebook."""

    entry: CatalogueEntry
    profile: str
    parameters: Mapping[str, Any]
    inputs: Mapping[str, str]
    reports: Path

    @property
    def folder(self) -> Path:
        return self.reports / self.entry.path

    @property
    def failed(self) -> Path:
        return failed_folder(self.reports, self.entry.path)


@dataclass(frozen=True)
class Failure:
    """Why a notebook stopped: its cell (counted from 1), the line, and the error."""

    notebook: str
    error: str
    cell: int | None = None
    line: str = ""

    def __str__(self) -> str:
        where = f" in cell {self.cell}" if self.cell else ""
        code = f"\n    {self.line}" if self.line else ""
        return f"{self.notebook} failed{where}: {self.error}{code}"


def start_worker(stop: Any, cache: Path) -> None:
    """Prepare a worker process: a quiet, private Jupyter, one BLAS thread, and an eye on the parent."""
    from gindex_lab.press.reproduction import warm_kernels

    global _stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # see quiet_start
    for folder in ("ipython", "runtime"):
        (cache / folder).mkdir(parents=True, exist_ok=True)
    appendable(cache / "kernels.log")
    log = os.open(cache / "kernels.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.dup2(log, 2)  # kernels chat on stderr; what matters comes back as a Failure
    os.environ.pop("MPLBACKEND", None)  # a headless back end would drop every figure
    os.environ |= {
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "IPYTHONDIR": str(cache / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(cache / "runtime"),
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    for name in ("GINDEX_LAB_DATA", "GINDEX_LAB_CACHE"):  # a kernel starts in its notebook's folder
        if os.environ.get(name, "").strip():
            os.environ[name] = str(Path(os.environ[name].strip()).expanduser().absolute())
    # jsonschema would spend 1.7 s compiling a grammar of addresses that notebooks do not contain.
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
    _stop = stop
    if warm_kernels.available():
        warm_kernels.load()
    else:
        _watch(os.getppid())


def _watch(parent: int) -> None:
    threading.Thread(target=_leave_with, args=(_stop, parent), daemon=True).start()


def _leave_with(stop: Any, parent: int) -> None:
    while os.getppid() == parent and not stop.is_set():
        time.sleep(0.1)
    os._exit(1)  # the kernel watches this process and ends, too


def run(task: Task) -> Failure | None:
    """Execute the notebook and publish its folder; a failing cell is returned, not raised."""
    from gindex_lab.press.reproduction import warm_kernels

    if not warm_kernels.available():
        return _run(task)
    try:
        return warm_kernels.run_apart(_run, task, start=partial(_watch, os.getpid()))
    except BrokenProcessPool:
        return died(task)


def died(task: Task) -> Failure:
    """What is said of a notebook whose worker process is gone."""
    return Failure(task.entry.path, "its worker process died; perhaps out of memory")


def _run(task: Task) -> Failure | None:
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    began = time.monotonic()
    parent = os.getppid()
    try:
        with atomic_folder(task.folder, "notebook") as folder:
            _execute(task, folder)
            _publishable(task, folder, time.monotonic() - began)
            if os.getppid() != parent:
                os._exit(1)
    except PapermillExecutionError as error:
        return _failure(task, error)
    except DeadKernelError as error:
        return Failure(task.entry.path, f"the kernel died ({error}); perhaps out of memory")
    except RuntimeError as error:
        if "Kernel died" not in str(error):
            raise
        problem = "the kernel could not start; perhaps out of memory, or the disk is full"
        return Failure(task.entry.path, problem)
    return None


def _execute(task: Task, folder: Path) -> None:
    import papermill
    from papermill.exceptions import PapermillExecutionError

    os.environ[OUTPUT] = str(folder)
    executed = folder / "notebook.ipynb"
    try:
        papermill.execute_notebook(
            str(task.entry.file),
            str(executed),
            parameters=dict(task.parameters),
            kernel_name="python3",
            language="python",
            cwd=str(task.entry.file.parent),
            progress_bar=False,
            request_save_on_cell_execute=False,  # it would be rewritten with each cell
            log_output=False,
        )
    except PapermillExecutionError:
        write_text(task.failed / "notebook.ipynb", executed.read_text(encoding="utf-8"))
        raise


def _failure(task: Task, error: Any) -> Failure:
    """The cell as the author counts it: papermill's own cells are left out."""
    cells = json.loads(task.entry.file.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    number = sources.index(error.source) + 1 if error.source in sources else None
    trace = _ANSI.sub("", "\n".join(error.traceback))
    at = re.findall(r"Cell In\[\d+\], line (\d+)", trace)
    lines = error.source.splitlines() or [""]
    line = lines[int(at[0]) - 1] if at and int(at[0]) <= len(lines) else lines[0]
    message = _ANSI.sub("", f"{error.ename}: {error.evalue}").strip()
    return Failure(task.entry.path, message, number, line.strip())


def _publishable(task: Task, folder: Path, seconds: float) -> None:
    """Complete the folder: claims (none is a list, too), the page, and the record of the run."""
    from gindex_lab.press.reproduction.reports import notebook_page

    claims = folder / "claims.json"
    if not claims.exists():
        write_text(claims, "[]\n")
    notebook = folder / "notebook.ipynb"
    write_text(folder / "report.html", notebook_page(notebook, task.entry, task.profile))
    record = sealed(_record(task, folder, seconds))
    write_text(folder / "record.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def _record(task: Task, folder: Path, seconds: float) -> dict[str, Any]:
    entry = task.entry
    provenance = folder / "provenance.json"
    outputs = sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    data = [{"name": name, "fingerprint": data_fingerprint(name)} for name in entry.data]
    return {
        "notebook": entry.path,
        "profile": task.profile,
        "parameters": dict(task.parameters),
        "seed": entry.seed,
        "data": [d | {"source": "published" if d["fingerprint"] else "absent"} for d in data],
        "provenance": json.loads(provenance.read_text()) if provenance.exists() else None,
        "answer": _kept(folder / "answer.json"),
        "pictures": _kept(folder / "pictures.json"),
        "inputs": dict(task.inputs),
        "ledger": print_hash(folder),
        "outputs": {p.relative_to(folder).as_posix(): file_hash(p) for p in outputs},
        "versions": versions(),
        "commit": git_commit(entry.root),
        "seconds": round(seconds, 1),
    }


def _kept(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_bytes())) if path.is_file() else {}


def versions() -> dict[str, str]:
    """Python, gindex_lab and the packages that numbers pass through."""
    import platform

    from gindex_lab import __version__

    found = {"python": platform.python_version(), "gindex_lab": __version__}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def git_commit(root: Path) -> str | None:
    """The commit of the checkout, None outside of one."""
    command = ["git", "-C", str(root), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None
