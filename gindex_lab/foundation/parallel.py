"""One way to map a function over independent pieces: on one core, on all, or on a Dask cluster.

`parallel.map` keeps the order of its items and hands out no randomness of its own: give each task a seed
from `seeds`, and the result does not depend on how many workers there were. Inside `with cluster(...)`
the same calls run on Dask. Small tasks travel in batches that take a fraction of a second, by the time
that the first ones took. What all tasks need (`shared`) is sent once. A worker that dies loses nothing:
its tasks are done again.

>>> map(abs, [-1, 2, -3], jobs=1)
[1, 2, 3]
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gindex_lab.foundation.bars import progress_bar
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.output import scratch, writing
from gindex_lab.foundation.validate import integer
from gindex_lab.foundation.workers import inside, is_inside, lost, parcel

__all__ = ["as_done", "cluster", "map", "on_cluster", "seeds"]

Answer = TypeVar("Answer")

_MOST_DEATHS = 3  # as many as Dask allows: a task that kills its worker each time must end, too
_PATIENCE = 10  # seconds until a scheduler answers
_clients: list[Any] = []  # of the clusters entered, the innermost last


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

    `shared` is what every task needs, such as a large table: it is sent to each worker once.
    `progress` names a progress bar, shown on a terminal. `batch` is the number of tasks that travel
    together, by default as many as take a fraction of a second. The first error stops the rest and is
    raised as it was; Ctrl-C ends the workers.

    >>> map(str.upper, ["a", "b"], jobs=1)
    ['A', 'B']
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
    """(place of the item, answer), each as it comes: for results that are written down at once.

    >>> list(as_done(abs, [-1, 2], jobs=1))
    [(0, 1), (1, 2)]
    """
    tasks = list(items)
    workers = _workers(jobs, len(tasks))
    if not callable(function):
        raise BadInput(
            "function", function, "[not-callable] cannot be called", "pass a function of one item"
        )
    size = None if batch == "auto" else integer("batch", batch)
    if on_cluster() and tasks:
        from gindex_lab.foundation.parallel_dask import run

        answers = run(_clients[-1], function, shared, tasks, size)
    elif workers == 1 or is_inside():
        answers = ((k, function(*shared, task)) for k, task in enumerate(tasks))
    else:
        answers = _on_cores(function, shared, tasks, workers, size or "auto")
    return _bar(answers, len(tasks), progress)


def _workers(jobs: int | None, tasks: int) -> int:
    wanted = (os.cpu_count() or 1) if jobs is None else integer("jobs", jobs)
    return max(1, min(wanted, tasks))


def _on_cores(
    function: Callable[..., Answer],
    shared: tuple[Any, ...],
    tasks: list[Any],
    workers: int,
    batch: int | str,
) -> Generator[tuple[int, Answer]]:
    """By joblib's processes; when one dies its batch, and what was under way, is done again."""
    missing, deaths = dict(enumerate(tasks)), 0
    with _on_disk(parcel(function, shared)) as place:
        while missing:
            try:
                for k, answer in _joblib(place, missing.copy(), workers, batch):
                    del missing[k]
                    yield k, answer
            except BrokenProcessPool:
                deaths += 1
                if deaths > _MOST_DEATHS:
                    raise lost("jobs", workers) from None


@contextmanager
def _on_disk(content: bytes) -> Iterator[Path]:
    with scratch() as folder:
        place = folder / "parcel"
        with writing(place, "TMPDIR"):
            place.write_bytes(content)
        yield place


def _joblib(
    place: Path, missing: dict[int, Any], workers: int, batch: int | str
) -> Generator[tuple[int, Any]]:
    import joblib

    pool = joblib.Parallel(workers, batch_size=batch, return_as="generator_unordered")
    answers = pool(joblib.delayed(_one)(place, k, task) for k, task in missing.items())
    try:
        yield from answers
    finally:
        answers.close()


def _one(place: Path, k: int, task: Any) -> tuple[int, Any]:
    function, shared = _unpacked(place)
    with inside():
        return k, function(*shared, task)


@lru_cache(maxsize=1)
def _unpacked(place: Path) -> Any:
    return pickle.loads(place.read_bytes())


def _bar(
    answers: Generator[tuple[int, Answer]], total: int, label: str | None
) -> Generator[tuple[int, Answer]]:
    """The answers, with a bar on a terminal; leaving early stops the work behind them."""
    with ExitStack() as stack:
        stack.enter_context(closing(answers))
        if label is not None and sys.stderr.isatty():
            bar = stack.enter_context(progress_bar(total=total, desc=label, leave=False))
            for answer in answers:
                bar.update()
                yield answer
        yield from answers


def seeds(seed: SeedLike, n: int) -> list[np.random.SeedSequence]:
    """One independent seed per task, the same whoever computes it.

    `seed` is a whole number or a `SeedSequence`. A seed of a longer list begins with the same ones.

    >>> first, second = (np.random.default_rng(s).random() for s in seeds(1, 2))
    >>> first != second and first == np.random.default_rng(seeds(1, 5)[0]).random()
    True
    """
    integer("n", n, 0)
    if isinstance(seed, np.random.SeedSequence):
        # A copy: spawning from the caller's own would give other seeds the second time.
        root = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
        return root.spawn(n)
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return np.random.SeedSequence(int(seed)).spawn(n)
    raise BadInput("seed", seed, "[not-a-seed] is not a seed", "pass a whole number such as seed=1")


def on_cluster() -> bool:
    """Whether this is inside `with cluster(...)`, so that maps run on Dask.

    >>> on_cluster()
    False
    """
    return bool(_clients)


@contextmanager
def cluster(address: str = "local", workers: int | None = None) -> Iterator[Any]:
    """Run every `parallel.map` inside the block on Dask: a scheduler's address, or "local".

    "local" starts `workers` processes (one per core) and ends them with the block; a script that does so
    needs `if __name__ == "__main__":`. Gives the Dask client. What uses joblib itself inside the block,
    such as scikit-learn with `n_jobs`, runs on the cluster, too.

    >>> with cluster("local", workers=2):
    ...     map(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    client_type, local_type = _dask()
    if address != "local" and "://" not in str(address):
        problem = "[not-an-address] is not a scheduler's address"
        raise BadInput("address", address, problem, 'use "local" or "tcp://host:8786"')
    count = None if workers is None else integer("workers", workers)
    import joblib

    with ExitStack() as stack:
        where: Any = address
        if address == "local":
            where = local_type(
                n_workers=count,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
            )
            stack.callback(where.close)
        client = _connected(client_type, where, address)
        stack.callback(client.close)
        _clients.append(client)
        stack.callback(_clients.pop)
        with joblib.parallel_config(backend="dask"):
            yield client


def _connected(client_type: Any, where: Any, address: str) -> Any:
    try:
        return client_type(where, timeout=_PATIENCE)
    except OSError as error:
        problem = f"[no-answer] does not answer ({error})"
        raise BadInput("address", address, problem, "start dask scheduler there") from None


def _dask() -> tuple[Any, Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        remedy = "pip install dask distributed, or leave it off"
        raise BadInput("cluster", "dask", "[not-installed] is not installed", remedy) from None
    return Client, LocalCluster
