"""parallel.map: the same answers on one core, on two, and on a cluster."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from gindex_lab import parallel
from gindex_lab.errors import BadInput


def draw(seed):
    return float(np.random.default_rng(seed).random())


def fail_on_three(x):
    if x == 3:
        raise BadInput("x", x, "is three", "pass another")
    return x


def test_results_do_not_depend_on_the_number_of_workers():
    tasks = parallel.seeds(7, 20)
    assert parallel.map(draw, tasks, jobs=2) == parallel.map(draw, tasks, jobs=1)


def test_order_is_kept_though_tasks_end_in_another():
    def nap(i):
        time.sleep(0.05 * (4 - i))
        return i

    assert parallel.map(nap, range(4), jobs=2, batch=1) == [0, 1, 2, 3]


def test_an_error_of_a_task_arrives_as_it_was():
    for jobs in (1, 2):
        with pytest.raises(BadInput, match="x=3: is three; pass another"):
            parallel.map(fail_on_three, range(6), jobs=jobs)


def test_nothing_to_map_is_an_empty_list():
    assert parallel.map(draw, []) == []


def test_seeds_are_distinct_and_stable():
    first = parallel.seeds(1, 50)
    assert len({draw(s) for s in first}) == 50
    assert [draw(s) for s in parallel.seeds(1, 3)] == [draw(s) for s in first[:3]]
    root = np.random.SeedSequence(5)
    assert [draw(s) for s in parallel.seeds(root, 2)] == [draw(s) for s in parallel.seeds(root, 2)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: parallel.map(draw, [1], jobs=0), "jobs=0: is not a whole number from 1 up"),
        (lambda: parallel.map(draw, [1], jobs="two"), "jobs='two': is not a whole number"),
        (lambda: parallel.map("draw", [1]), "function='draw': cannot be called"),
        (lambda: parallel.seeds(-1, 2), "seed=-1: is not a seed; pass a whole number"),
        (lambda: parallel.seeds(None, 2), "seed=None: is not a seed"),
        (lambda: parallel.seeds(1, -2), "n=-2: is not a whole number from 0 up"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(BadInput, match=message):
        call()


def test_a_cluster_without_dask_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(BadInput, match="is not installed; pip install dask distributed"),
        parallel.cluster(),
    ):
        pass


def test_an_address_that_is_none_is_refused():
    pytest.importorskip("distributed")
    with (
        pytest.raises(BadInput, match="address='here': is not a scheduler's address"),
        parallel.cluster("here"),
    ):
        pass


def test_on_a_local_cluster_the_answers_are_the_same():
    pytest.importorskip("distributed")
    tasks = parallel.seeds(7, 8)
    with parallel.cluster("local", workers=2):
        answers = parallel.map(draw, tasks)
    assert answers == [draw(s) for s in tasks]


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
def test_ctrl_c_ends_the_workers(tmp_path):
    script = tmp_path / "naps.py"
    script.write_text(
        "import time\nfrom gindex_lab import parallel\n"
        "print('ready', flush=True)\nparallel.map(time.sleep, [60] * 4, jobs=2)\n"
    )
    running = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        # a shell makes its background jobs deaf to Ctrl-C, and their children with them
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert running.stdout.readline() == "ready\n"
    time.sleep(2)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(15) != 0
    running.stdout.close()
    for _ in range(50):
        try:
            os.killpg(running.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("a worker outlived Ctrl-C")
