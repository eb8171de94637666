"""`gindex-lab reproduce`: run the notebooks that are out of date, then write the gallery and the ledger.

Every notebook publishes its folder by one rename, with a record of its inputs inside. So there is no
state to corrupt: killed at any moment, the next run finds what was finished and computes the rest. A
failing notebook does not stop the others. The run fails when a notebook failed, when a claim that was
reproduced no longer is, or when a claim differs and nobody has said why.
"""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import CannotWrite
from gindex_lab.foundation.interrupts import ends_once, quiet_start
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.parallel import progress_bar
from gindex_lab.foundation.validate import choice, integer
from gindex_lab.press.reproduction import claims as ledger
from gindex_lab.press.reproduction import inputs as reproduce_inputs
from gindex_lab.press.reproduction import reports_folder as place
from gindex_lab.press.reproduction.claim_rows import ROOT
from gindex_lab.press.reproduction.inputs import PROFILES, CatalogueEntry, inputs, parameters
from gindex_lab.press.reproduction.runs import Failure, Task, died, git_commit, run, start_worker, versions

__all__ = ["judged", "reproduce", "stale_reason"]

_ROOM = 2**16  # bytes: less than any notebook needs
Report = Callable[[str], None]


def reproduce(
    only: str | None = None,
    profile: str = "quick",
    jobs: int = 2,
    force: bool = False,
    reports: Path = Path("reports"),
    root: Path = ROOT,
) -> int:
    """Bring `reports` up to date and return the exit status (0 when everything is well).

    `only` names one notebook ("gindex/table1") or a folder of them ("gindex").
    """
    choice("profile", profile, PROFILES)
    integer("jobs", jobs)
    reproduce_inputs.forget()
    entries = reproduce_inputs.read_catalogue(root)
    chosen = reproduce_inputs.select(entries, only)
    with ends_once(), place.opened(Path(reports)) as folder:
        place.clear_leftovers(folder, {entry.path for entry in entries})
        tasks, reasons = _out_of_date(chosen, profile, folder, force)
        failures = _run_all(tasks, reasons, jobs, folder) if tasks else []
        return _conclude(entries, profile, folder, root, len(tasks), failures)


def stale_reason(folder: Path, wanted: dict[str, str]) -> str | None:
    """Why a notebook has to run: what changed since its last run, or None when it is up to date."""
    record = place.read_record(folder)
    if record is None:
        return place.why_unread(folder)
    changed = [name for name, value in wanted.items() if record.get("inputs", {}).get(name) != value]
    if changed:
        return f"{', '.join(changed)} changed"
    for name in record["outputs"]:
        if not place.intact(folder, record, name):
            return f"{name} was changed or removed"
    return None if record.get("ledger") == ledger.print_hash(folder) else "ledger changed"


def _out_of_date(
    chosen: list[CatalogueEntry], profile: str, reports: Path, force: bool
) -> tuple[list[Task], dict[str, str]]:
    """What has to run and why; the slowest first, so that no worker waits at the end."""
    tasks: list[tuple[float, Task]] = []
    reasons = {}
    for entry in chosen:
        wanted = inputs(entry, profile)
        task = Task(entry, profile, parameters(entry, profile), wanted, reports)
        reason = "forced" if force else stale_reason(task.folder, wanted)
        if reason:
            last = place.read_record(task.folder) or {}
            tasks.append((-last.get("seconds", entry.seconds), task))
            reasons[entry.path] = reason
    return [task for _, task in sorted(tasks, key=lambda pair: pair[0])], reasons


def _run_all(tasks: list[Task], reasons: dict[str, str], jobs: int, reports: Path) -> list[Failure]:
    failures: list[Failure] = []
    print(f"{len(tasks)} notebook{'s' * (len(tasks) > 1)} to run", flush=True)
    finished = _finished(tasks, min(jobs, len(tasks)), reports / ".cache")
    with closing(finished), _progress(len(tasks)) as say, _same_hashes():
        for task, failure in finished:
            record = place.read_record(task.folder)
            took = f"{record.get('seconds', 0):.1f} s" if record and not failure else ""
            say(str(failure) if failure else f"{task.entry.path}: {took} ({reasons[task.entry.path]})")
            _check_disk(reports, failure)
            _note(task, failure)
            failures += [failure] if failure else []
    return failures


def _check_disk(reports: Path, failure: Failure | None) -> None:
    """A full disk fails every notebook that follows: the run ends with one line."""
    if failure is None:
        return
    said = any(os.strerror(n) in failure.error for n in (errno.ENOSPC, errno.EDQUOT))
    if said or _free(reports) < _ROOM:  # a kernel that cannot start does not say why
        problem = f"[disk-full] is on a disk that is full ({failure.notebook}: {failure.error[:80]})"
        remedy = "free some space; the same command goes on where it stopped"
        raise CannotWrite("reports", str(reports), problem, remedy)


def _free(place: Path) -> int:
    return shutil.disk_usage(place).free


@contextmanager
def _same_hashes() -> Iterator[None]:
    """The order of sets is the same in every run; Python reads this when a worker starts."""
    before = os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = "0"
    try:
        yield
    finally:
        del os.environ["PYTHONHASHSEED"]
        os.environ |= {} if before is None else {"PYTHONHASHSEED": before}


def _note(task: Task, failure: Failure | None) -> None:
    """A failure is remembered until the notebook succeeds: the gallery shows it."""
    if failure:
        write_text(task.failed / "error.txt", f"{failure}\n")
    else:
        for name in ("error.txt", "notebook.ipynb"):
            (task.failed / name).unlink(missing_ok=True)
        with suppress(OSError):  # somebody keeps something there
            task.failed.rmdir()


@contextmanager
def _progress(total: int) -> Iterator[Report]:
    """A bar on a terminal; elsewhere (a log, CI) one line per finished notebook."""
    if not sys.stderr.isatty():
        count = iter(range(1, total + 1))
        yield lambda text: print(f"[{next(count)}/{total}] {text}", flush=True)
        return

    with progress_bar(total=total, unit="notebook", leave=False) as bar:

        def say(text: str) -> None:
            bar.write(text)
            bar.update()

        yield say


def _finished(tasks: list[Task], jobs: int, cache: Path) -> Generator[tuple[Task, Failure | None]]:
    """Run the tasks `jobs` at a time and yield each as it ends; a worker that dies costs only its own."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    waiting = list(reversed(tasks))
    while waiting:
        pool = ProcessPoolExecutor(jobs, context, initializer=start_worker, initargs=(stop, cache))
        running: dict[Future[Failure | None], Task] = {}
        broken = False
        try:
            while running or (waiting and not broken):
                while waiting and len(running) < jobs and not broken:
                    task = waiting.pop()
                    with quiet_start():
                        running[pool.submit(run, task)] = task
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    task = running.pop(future)
                    failure = _outcome(future, task)
                    broken = broken or isinstance(future.exception(), BrokenProcessPool)
                    yield task, failure
        except BaseException:
            stop.set()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _outcome(future: Future[Failure | None], task: Task) -> Failure | None:
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, BrokenProcessPool):
        return died(task)
    return Failure(task.entry.path, f"{type(error).__name__}: {error}")


def _conclude(
    entries: list[CatalogueEntry], profile: str, reports: Path, root: Path, ran: int, failures: list[Failure]
) -> int:
    """Write the pages and the manifest, say what came out, and judge it."""
    from gindex_lab.press.reproduction import reports as pages

    found = ledger.results(reports)
    runs = _states(entries, reports)
    _write_if_new(reports / "claims.html", pages.claims_page(found))
    _write_if_new(reports / "places.html", pages.places_page())
    _write_if_new(reports / "index.html", pages.index_page(entries, runs, found))
    _write_if_new(reports / "glossary.html", pages.glossary_page(entries, runs))
    _write_if_new(reports / "ten_minutes.html", pages.ten_minutes_page(entries, runs))
    _write_if_new(reports / "manifest.json", _manifest(runs, profile, root))
    lost, silent = _judge(found, runs, root)
    for problem in [*map(str, failures), *ledger.complaints(lost, silent)]:
        print(problem, file=sys.stderr)
    if not ran:
        print("Nothing to do: every notebook is up to date.")
    said = f"{ledger.tally(found)}{ledger.what_fetch_would_add(found)}"
    print(f"{said}\nreport: {reports / 'index.html'}", flush=True)
    return 1 if failures or lost or silent else 0


def judged(root: Path, reports: Path) -> tuple[list[str], list[str]]:
    """The claims that were lost, and those that differ unexplained, by the runs that are up to date."""
    runs = _states(reproduce_inputs.read_catalogue(root), reports)
    return _judge(ledger.results(reports), runs, root)


def _judge(
    found: list[ledger.Result], runs: dict[str, dict[str, Any]], root: Path
) -> tuple[list[str], list[str]]:
    current = {path: state["profile"] for path, state in runs.items() if state["status"] == "done"}
    baseline = ledger.load_baseline(root / "data" / ledger.BASELINE.name)
    fresh = [result for result in found if set(result.notebooks) <= set(current)]
    return ledger.regressions(found, current, baseline), ledger.unexplained(fresh)


def _states(entries: list[CatalogueEntry], reports: Path) -> dict[str, dict[str, Any]]:
    """Every notebook of the catalogue: done, out of date, failed or not run, with its record."""
    return {entry.path: _state(entry, reports) for entry in entries}


def _state(entry: CatalogueEntry, reports: Path) -> dict[str, Any]:
    record = place.read_record(reports / entry.path)
    error = ledger.failed_folder(reports, entry.path) / "error.txt"
    if error.is_file():
        return {"status": "failed", "error": _text(error)}
    if record is None:
        return {"status": "not run"}
    old = stale_reason(reports / entry.path, inputs(entry, record["profile"]))
    return {"status": "out of date" if old else "done", **record}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError as error:
        return f"{path.name} cannot be read ({error.strerror})"


def _manifest(runs: dict[str, dict[str, Any]], profile: str, root: Path) -> str:
    content = {"profile": profile, "versions": versions(), "commit": git_commit(root), "notebooks": runs}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _write_if_new(path: Path, text: str) -> None:
    if not path.is_file() or path.is_symlink() or path.read_bytes() != text.encode():
        write_text(path, text)
