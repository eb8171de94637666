"""One way to map a function over independent pieces: on one core, on all, or on a Dask cluster.

`parallel.map` keeps the order of its items and hands out no randomness of its own: give each task a seed
from `seeds`, and the result does not depend on how many workers there were. Inside `with cluster(...)`
the same calls run on Dask.

>>> map(abs, [-1, 2, -3], jobs=1)
[1, 2, 3]
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from gindex_lab.errors import BadInput
from gindex_lab.validate import integer

__all__ = ["cluster", "map", "seeds"]

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_on_cluster: list[str] = []  # addresses of the clusters entered, the innermost last


def map(
    function: Callable[[Item], Answer],
    items: Iterable[Item],
    *,
    jobs: int | None = None,
    progress: str | None = None,
    batch: int | str = "auto",
) -> list[Answer]:
    """`[function(item) for item in items]`, computed by `jobs` processes (all cores by default).

    `progress` names a progress bar, shown on a terminal. The first error stops the rest and is raised
    as it was; Ctrl-C ends the workers.

    >>> map(str.upper, ["a", "b"], jobs=1)
    ['A', 'B']
    """
    items = list(items)
    workers = _workers(jobs, len(items))
    if not callable(function):
        raise BadInput("function", function, "cannot be called", "pass a function of one item")
    if workers == 1 and not _on_cluster:
        return [function(item) for item in _bar(items, len(items), progress)]
    return list(_bar(_joblib(function, items, workers, batch), len(items), progress))


def _workers(jobs: int | None, tasks: int) -> int:
    wanted = (os.cpu_count() or 1) if jobs is None else integer("jobs", jobs)
    return max(1, min(wanted, tasks))


def _joblib(
    function: Callable[[Item], Answer], items: list[Item], workers: int, batch: int | str
) -> Iterator[Answer]:
    import joblib

    # On a cluster the number of workers is the cluster's, and joblib asks it for it.
    pool = joblib.Parallel(
        n_jobs=-1 if _on_cluster else workers, batch_size=batch, return_as="generator"
    )
    run = joblib.delayed(function)
    answers = pool(run(item) for item in items)
    try:
        yield from answers
    finally:
        answers.close()


def _bar(items: Iterable[Answer], total: int, label: str | None) -> Iterable[Answer]:
    if label is None or not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return builtins.iter(tqdm(items, total=total, desc=label, leave=False))


def seeds(seed: object, n: int) -> list[np.random.SeedSequence]:
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
    raise BadInput("seed", seed, "is not a seed", "pass a whole number such as seed=1")


@contextmanager
def cluster(address: str = "local", workers: int | None = None) -> Iterator[Any]:
    """Run every `parallel.map` inside the block on Dask: a scheduler's address, or "local".

    Gives the Dask client, whose `dashboard_link` shows the work.
    """
    client_type, local_type = _dask()
    if address != "local" and "://" not in str(address):
        raise BadInput(
            "address", address, "is not a scheduler's address", 'use "local" or "tcp://host:8786"'
        )
    import joblib

    scheduler = local_type(n_workers=workers, threads_per_worker=1) if address == "local" else None
    try:
        client = client_type(scheduler or address, timeout="10s")
    except OSError as error:
        raise BadInput(
            "address", address, f"does not answer ({error})", "start dask scheduler there"
        ) from None
    _on_cluster.append(address)
    try:
        with joblib.parallel_config(backend="dask"):
            yield client
    finally:
        _on_cluster.pop()
        client.close()
        if scheduler is not None:
            scheduler.close()


def _dask() -> tuple[Any, Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise BadInput(
            "cluster", "dask", "is not installed", "pip install dask distributed, or leave it off"
        ) from None
    return Client, LocalCluster
