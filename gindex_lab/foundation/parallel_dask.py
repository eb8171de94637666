"""`parallel.map` on a Dask cluster: tasks in chunks sized by measured cost, a few in flight per worker.

joblib has a Dask back end of its own, but it waits for ever for a task whose worker died once too often,
and what it scatters is gone with the worker that held it. Here the function and what all tasks share are
the result of a task themselves, which the scheduler computes again wherever it was lost.
"""

from __future__ import annotations

import pickle
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator
from functools import lru_cache
from math import ceil
from typing import Any, TypeVar

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.workers import inside, lost, parcel

__all__ = ["next_size", "run"]

Answer = TypeVar("Answer")

_SECONDS = 0.5  # of a chunk: long against the cost of a message, short against a wait at the end
_AHEAD = 2  # chunks per core in flight, so that a worker never waits for the next one
_PATIENCE = 30  # seconds to wait for a first worker, or for one to come back when all are gone
_LOOK = 2  # seconds between two looks at who is there


def run(
    client: Any,
    function: Callable[..., Answer],
    shared: tuple[Any, ...],
    tasks: list[Any],
    batch: int | None = None,
) -> Generator[tuple[int, Answer]]:
    """(place of the task, answer), as they come; leaving early cancels what was not begun."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    work, cores = _sent(client, function, shared), _cores(client)
    waiting, size = deque(enumerate(tasks)), batch or 1
    running: set[Any] = set()

    def launch() -> None:
        while waiting and len(running) < _AHEAD * cores:
            chunk = [waiting.popleft() for _ in range(min(size, len(waiting)))]
            running.add(client.submit(_chunk, work, chunk, pure=False))

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
        raise lost("cluster", client.scheduler.address) from None
    finally:
        client.cancel(list(running))


def _first_done(client: Any, running: set[Any]) -> Any:
    """A future that is done; where no worker is left to do any, and none comes back, an error."""
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
                raise lost("cluster", client.scheduler.address) from None


def next_size(size: int, seconds: float, left: int, cores: int) -> int:
    """Tasks in the next chunk, from the seconds that one task took: at most four times as many as
    before, and at the end few enough for every core to have some, unless that were hardly any work.

    >>> next_size(1, 0.001, 10_000, 2), next_size(256, 0.001, 10_000, 2), next_size(500, 0.001, 400, 2)
    (4, 500, 100)
    """
    wanted = _SECONDS / max(seconds, 1e-9)
    fair = max(ceil(left / (_AHEAD * cores)), wanted / 10)
    return max(1, int(min(wanted, 4 * size, fair)))


def _sent(client: Any, function: Callable[..., Any], shared: tuple[Any, ...]) -> Any:
    """The parcel of function and shared things, as the result of a task on the cluster."""
    with warnings.catch_warnings():
        # Dask advises to scatter what is large; scattered data would be lost with their worker.
        warnings.filterwarnings("ignore", "Sending large graph")
        return client.submit(bytes, parcel(function, shared), pure=False)


def _cores(client: Any) -> int:
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        raise BadInput(
            "cluster", client.scheduler.address, "has no workers", "start dask worker there"
        ) from None
    return int(sum(client.nthreads().values()))


def _chunk(content: bytes, chunk: list[tuple[int, Any]]) -> tuple[float, list[tuple[int, Any]]]:
    function, shared = _opened(content)
    begin = time.perf_counter()
    with inside():
        answers = [(k, function(*shared, task)) for k, task in chunk]
    return time.perf_counter() - begin, answers


@lru_cache(maxsize=1)
def _opened(content: bytes) -> Any:
    return pickle.loads(content)
