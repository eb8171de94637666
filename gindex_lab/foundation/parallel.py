"""One way to map a function over independent pieces: on one core, on all, or on a Dask cluster.

`parallel.map` keeps the order of its items and draws no random numbers of its own: give each task a seed
from `seeds`, and the result does not depend on the number of workers. Inside `with cluster(...)` the same
calls run on Dask. Small tasks travel in batches that take a fraction of a second, by the time that the first
ones took. What all tasks need (`shared`) is sent once. A worker that dies loses nothing: its tasks are done
again.

joblib has a Dask back end of its own, but it waits for ever for a task whose worker died once too often, and
what it scatters is lost with the worker that held it. Here the function and what all tasks share are the
result of a task themselves, which the scheduler computes again wherever it was lost.

>>> map(abs, [-1, 2, -3], jobs=1)
[1, 2, 3]
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gindex_lab.foundation.errors import BadInput, WorkerLost
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.output import scratch, writing
from gindex_lab.foundation.validate import integer, not_a_seed

__all__ = ["as_done", "cluster", "map", "next_size", "on_cluster", "progress_bar", "seeds"]

Answer = TypeVar("Answer")
Task = tuple[int, Any]  # its place, and the item

_MOST_DEATHS = 3  # as many as Dask allows: a task that kills its worker each time must end, too
_ANSWER = 10  # seconds until a scheduler answers
# Dask, each a judgement: a chunk is long compared with a message and short compared with a wait at the end
_SECONDS = 0.5  # of work in a chunk
_AHEAD = 2  # chunks per core in flight, so that a worker never waits for the next one
_PATIENCE = 30  # seconds to wait for a first worker, or for one to come back when all are gone
_LOOK = 2  # seconds between two looks at which workers are there
_clients: list[Any] = []  # of the clusters entered, the innermost last
_here = threading.local()  # .inside: this thread runs a task, and its own maps stay on its core
_bars = threading.RLock()


def map(
    function: Callable[..., Answer],
    items: Iterable[Any],
    *,
    shared: tuple[Any, ...] = (),
    jobs: int | None = None,
    progress: str | None = None,
    batch: int | str = "auto",
) -> list[Answer]:
    """`[function(*shared, item) for item in items]`, by `jobs` processes (all cores by default).

    `shared` is what every task needs, such as a large table; `progress` labels a bar on a terminal; `batch`
    tasks travel together. The first error stops the rest and is raised as it was; Ctrl-C ends the workers.

    >>> map(pow, [2, 3], shared=(10,), jobs=1)
    [100, 1000]
    """
    found = dict(as_done(function, items, shared=shared, jobs=jobs, progress=progress, batch=batch))
    return [found[k] for k in range(len(found))]


def as_done(
    function: Callable[..., Answer],
    items: Iterable[Any],
    *,
    shared: tuple[Any, ...] = (),
    jobs: int | None = None,
    progress: str | None = None,
    batch: int | str = "auto",
) -> Generator[tuple[int, Answer]]:
    """(place of the item, answer), each as it comes: for results that are written down at once."""
    tasks = list(enumerate(items))
    wanted = (os.cpu_count() or 1) if jobs is None else integer("jobs", jobs)
    if not callable(function):
        raise BadInput("function", function, "[not-callable] cannot be called", "pass a function of one item")
    size = None if batch == "auto" else integer("batch", batch)
    if on_cluster() and tasks:
        answers = _on_dask(_clients[-1], function, shared, tasks, size)
    elif min(wanted, len(tasks)) <= 1 or getattr(_here, "inside", False):
        answers = ((k, function(*shared, item)) for k, item in tasks)
    else:
        answers = _on_cores(function, shared, tasks, min(wanted, len(tasks)), size or "auto")
    return _with_bar(answers, len(tasks), progress)


def _with_bar(answers: Generator[Any], total: int, label: str | None) -> Generator[Any]:
    """The answers, with a bar on a terminal; leaving early stops the work behind them."""
    with ExitStack() as stack:
        stack.enter_context(closing(answers))
        if label is not None and sys.stderr.isatty():
            bar = stack.enter_context(progress_bar(total=total, desc=label, leave=False))
            for answer in answers:
                bar.update()
                yield answer
        yield from answers


def progress_bar(**settings: Any) -> Any:
    """A bar of tqdm, with its own settings.

    tqdm's own lock is shared with every forked process: one that is killed while it draws takes the lock
    along, and the next bar waits for ever (`tests/test_parallel.py`). A lock of this process is enough.
    """
    from tqdm import tqdm

    tqdm.set_lock(_bars)
    return tqdm(**settings)


# -- workers, on a core of this machine or of a cluster --------------------------------------------------


def _parcel(function: Callable[..., Any], shared: tuple[Any, ...]) -> bytes:
    """The function and what its calls share, pickled once; what a notebook defines may be in it."""
    import cloudpickle  # type: ignore[import-untyped]  # joblib's own pickler

    return bytes(cloudpickle.dumps((function, shared)))


@lru_cache(maxsize=1)
def _unpacked(parcel: bytes | Path) -> Any:
    return pickle.loads(parcel.read_bytes() if isinstance(parcel, Path) else parcel)


def _work(parcel: bytes | Path, tasks: list[Task]) -> tuple[float, list[tuple[int, Any]]]:
    """Seconds and answers of some tasks, in a worker: its own maps stay on its core."""
    function, shared = _unpacked(parcel)
    begin, before = time.perf_counter(), getattr(_here, "inside", False)
    _here.inside = True
    try:
        answers = [(k, function(*shared, item)) for k, item in tasks]
    finally:
        _here.inside = before
    return time.perf_counter() - begin, answers


def _lost(argument: str, value: object) -> WorkerLost:
    problem = "a worker died again and again (killed, or out of memory)"
    remedy = "use fewer workers or smaller pieces, or look at what the task does"
    return WorkerLost(argument, value, problem, remedy)


def _on_cores(
    function: Callable[..., Any], shared: tuple[Any, ...], tasks: list[Task], workers: int, batch: int | str
) -> Generator[tuple[int, Any]]:
    """By joblib's processes; when one dies its batch, and what was under way, is done again."""
    import joblib

    missing, deaths = dict(tasks), 0
    with scratch() as folder:
        place = folder / "parcel"
        with writing(place, "TMPDIR"):
            place.write_bytes(_parcel(function, shared))
        while missing:
            pool = joblib.Parallel(workers, batch_size=batch, return_as="generator_unordered")
            left = list(missing.items())
            try:
                with closing(pool(joblib.delayed(_work)(place, [task]) for task in left)) as answers:
                    for _, [(k, answer)] in answers:
                        del missing[k]
                        yield k, answer
            except BrokenProcessPool:
                deaths += 1
                if deaths > _MOST_DEATHS:
                    raise _lost("jobs", workers) from None


def _on_dask(
    client: Any, function: Callable[..., Any], shared: tuple[Any, ...], tasks: list[Task], batch: int | None
) -> Generator[tuple[int, Any]]:
    """In chunks sized by measured cost, a few in flight; leaving early cancels what was not begun."""
    from distributed import KilledWorker

    with warnings.catch_warnings():
        # Dask advises to scatter what is large; scattered data would be lost with their worker
        warnings.filterwarnings("ignore", "Sending large graph")
        parcel = client.submit(bytes, _parcel(function, shared), pure=False)
    cores, waiting, size = _cores(client), deque(tasks), batch or 1
    running: set[Any] = set()

    def launch() -> None:
        while waiting and len(running) < _AHEAD * cores:
            chunk = [waiting.popleft() for _ in range(min(size, len(waiting)))]
            running.add(client.submit(_work, parcel, chunk, pure=False))

    try:
        launch()
        while running:
            future = _first_done(client, running)
            running.discard(future)
            seconds, answers = future.result()
            if batch is None:
                size = next_size(size, seconds / len(answers), len(waiting), cores)
            launch()
            yield from answers
    except (KilledWorker, CancelledError):
        raise _lost("cluster", client.scheduler.address) from None
    finally:
        client.cancel(list(running))


def _cores(client: Any) -> int:
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        address = client.scheduler.address
        raise BadInput("cluster", address, "has no workers", "start dask worker there") from None
    return int(sum(client.nthreads().values()))


def _first_done(client: Any, running: set[Any]) -> Any:
    """A future that is done; an error where no worker is left to do any, and none comes back."""
    from distributed import wait

    seen = time.monotonic()
    while True:
        try:
            done: Any = wait(running, timeout=_LOOK, return_when="FIRST_COMPLETED")  # type: ignore[no-untyped-call]
            return next(iter(done.done))
        except TimeoutError:
            now = time.monotonic()
            seen = now if client.nthreads() else seen
            if now - seen > _PATIENCE:
                raise _lost("cluster", client.scheduler.address) from None


def next_size(size: int, seconds: float, left: int, cores: int) -> int:
    """Tasks in the next chunk, from the seconds that one task took: at most four times as many as before, and
    at the end few enough for every core to have some, unless that were hardly any work.
    """
    wanted = _SECONDS / max(seconds, 1e-9)
    fair = max(ceil(left / (_AHEAD * cores)), wanted / 10)
    return max(1, int(min(wanted, 4 * size, fair)))


def seeds(seed: SeedLike, n: int) -> list[np.random.SeedSequence]:
    """One independent seed per task, the same whoever computes it.

    `seed` is a whole number or a `SeedSequence`. A longer list begins with the same seeds.
    """
    integer("n", n, 0)
    if isinstance(seed, np.random.SeedSequence):
        # A copy: spawning from the caller's own would give other seeds the second time.
        return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key).spawn(n)
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return np.random.SeedSequence(int(seed)).spawn(n)
    raise not_a_seed("seed", seed)


def on_cluster() -> bool:
    """Whether this is inside `with cluster(...)`, so that maps run on Dask."""
    return bool(_clients)


@contextmanager
def cluster(address: str = "local", workers: int | None = None) -> Iterator[Any]:
    """Run every `parallel.map` inside the block on Dask.

    What uses joblib itself inside the block, such as scikit-learn with `n_jobs`, runs on the cluster, too.
    A script that starts a "local" cluster needs `if __name__ == "__main__":`.

    Parameters
    ----------
    address : that of a scheduler, or "local"
        "local" starts processes on this machine and ends them with the block.
    workers : number of processes of a local cluster; one per core by default

    Returns
    -------
    context manager
        Gives the Dask client.

    Examples
    --------
    >>> with cluster("local", workers=2):
    ...     map(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    try:
        import joblib
        from distributed import Client, LocalCluster
    except ImportError:
        remedy = "pip install dask distributed, or leave it off"
        raise BadInput("cluster", "dask", "[not-installed] is not installed", remedy) from None
    if address != "local" and "://" not in str(address):
        problem = "[not-an-address] is not a scheduler's address"
        raise BadInput("address", address, problem, 'use "local" or "tcp://host:8786"')
    count = None if workers is None else integer("workers", workers)
    with ExitStack() as stack:
        where: Any = address
        if address == "local":  # nobody else on the network may use it
            hosts = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
            where = LocalCluster(n_workers=count, threads_per_worker=1, **hosts)  # type: ignore[no-untyped-call]
            stack.callback(where.close)
        try:
            client: Any = Client(where, timeout=_ANSWER)  # type: ignore[no-untyped-call]
        except OSError as error:
            problem = f"[no-answer] does not answer ({error})"
            raise BadInput("address", address, problem, "start dask scheduler there") from None
        stack.callback(client.close)
        _clients.append(client)
        stack.callback(_clients.pop)
        with joblib.parallel_config(backend="dask"):
            yield client
