"""parallel.map: the same answers on one core, on two, and on a cluster, whoever dies on the way."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput, WorkerLost

posix = pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")


@pytest.fixture(scope="module")
def two_workers():
    """A Dask cluster of two processes, entered anew by each test that uses it."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


@pytest.fixture(params=["processes", "Dask"])
def two(request):
    """Somewhere to run two tasks at a time: the call's own processes, or the cluster around it."""
    if request.param == "processes":
        with contextlib.nullcontext() as nothing:
            yield nothing
    else:
        with parallel.cluster(request.getfixturevalue("two_workers")) as client:
            yield client


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
        with refused("x: bad-input"):
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
        (lambda: parallel.map(draw, [1], jobs=0), "jobs: out-of-range"),
        (lambda: parallel.map(draw, [1], jobs="two"), "jobs: not-a-whole-number"),
        (lambda: parallel.map("draw", [1]), "function: not-callable"),
        (lambda: parallel.seeds(-1, 2), "seed: not-a-seed"),
        (lambda: parallel.seeds(None, 2), "seed: not-a-seed"),
        (lambda: parallel.seeds(1, -2), "n: out-of-range"),
    ],
)
def test_nonsense_is_refused(call, message):
    with refused(message):
        call()


def test_a_cluster_without_dask_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        refused("cluster: not-installed"),
        parallel.cluster(),
    ):
        pass


def test_an_address_that_is_none_is_refused():
    pytest.importorskip("distributed")
    with (
        refused("address: not-an-address"),
        parallel.cluster("here"),
    ):
        pass


@pytest.mark.slow
def test_on_a_local_cluster_the_answers_are_the_same():
    pytest.importorskip("distributed")
    tasks = parallel.seeds(7, 8)
    with parallel.cluster("local", workers=2):
        answers = parallel.map(draw, tasks)
    assert answers == [draw(s) for s in tasks]
    assert not parallel.on_cluster()


def test_a_cluster_that_does_not_answer_is_an_error(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "_ANSWER", 0.5)
    with (
        refused("address: no-answer"),
        parallel.cluster("tcp://127.0.0.1:1"),
    ):
        pass


def pairwise(jobs):
    return gl.pairwise([gl.Flow(task.program) for task in gl.corpus(2, seed=1)], jobs=jobs)


def aiq(jobs):
    sample = gl.aiq.sample(1_500, seed=1)
    found = gl.aiq.estimate("freq", sample, episode=50, runs=1_500, seed=1, jobs=jobs)
    return found.programs[["plus", "minus", "weight"]]


@pytest.mark.slow  # processes of two kinds start and compile
@pytest.mark.parametrize("call", [pairwise, aiq])
def test_real_calls_give_the_same_bytes_on_one_core_and_on_two(call, two, monkeypatch):
    alone = call(1) if two is None else None
    if two is not None:
        with monkeypatch.context() as off:
            off.setattr(parallel, "_clients", [])
            alone = call(1)
    assert np.asarray(call(2), float).tobytes() == np.asarray(alone, float).tobytes()


# -- a worker dies -------------------------------------------------------------------------------------


def slowly(i):
    time.sleep(0.03)
    return i, os.getpid()


def kill_one(i):
    """The first to come to task 5 is killed; the file says that it has been."""
    if i[0] == 5 and not os.path.exists(i[1]):
        open(i[1], "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return slowly(i[0])


def kill_always(i):
    if i == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return i


@posix
@pytest.mark.slow
def test_a_worker_killed_by_its_task_loses_nothing(two, tmp_path):
    mark = str(tmp_path / "killed")
    answers = parallel.map(kill_one, [(i, mark) for i in range(40)], jobs=2)
    assert os.path.exists(mark)
    assert [i for i, _ in answers] == list(range(40))


@posix
@pytest.mark.slow
def test_a_worker_killed_from_outside_loses_nothing(two):
    answers, killed = {}, None
    for k, (i, worker) in parallel.as_done(slowly, range(60), jobs=2, batch=2):
        if killed is None and worker != os.getpid():
            killed = worker
            os.kill(worker, signal.SIGKILL)
        answers[k] = i
    assert killed is not None
    assert answers == {k: k for k in range(60)}


@posix
@pytest.mark.parametrize(
    "place", [contextlib.nullcontext, pytest.param(parallel.cluster, marks=pytest.mark.slow)]
)
def test_a_task_that_no_worker_survives_is_an_error(place):
    with place(), pytest.raises(WorkerLost):
        parallel.map(kill_always, range(6), jobs=2, batch=1)


# -- what travels --------------------------------------------------------------------------------------


class Heavy:
    """Counts how often it is pickled in this process."""

    pickled = 0

    def __init__(self, values):
        self.values = values

    def __reduce__(self):
        type(self).pickled += 1
        return Heavy, (self.values,)


def weigh(heavy, i):
    return float(heavy.values.sum()) + i


def test_what_all_tasks_share_is_sent_once(two):
    heavy = Heavy(np.ones(50_000))
    before = Heavy.pickled
    answers = parallel.map(weigh, range(200), shared=(heavy,), jobs=2, batch=5)
    assert answers == [50_000.0 + i for i in range(200)]
    assert Heavy.pickled == before + 1


def test_shared_things_come_before_the_item_on_one_core_too():
    assert parallel.map(divmod, [3, 4], shared=(11,), jobs=1) == [(3, 2), (2, 3)]


def test_a_map_inside_a_task_stays_in_its_process(two):
    def nested(i):
        return {os.getpid()} == set(parallel.map(lambda j: os.getpid(), range(3), jobs=2))

    assert parallel.map(nested, range(2), jobs=2) == [True, True]


def test_small_tasks_travel_in_batches_and_long_ones_alone(monkeypatch):
    import joblib

    pools = []

    class Seen(joblib.Parallel):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            pools.append(self)

    monkeypatch.setattr(joblib, "Parallel", Seen)
    parallel.map(abs, range(4_000), jobs=2)
    parallel.map(time.sleep, [0.3] * 6, jobs=2)
    assert pools[0].n_dispatched_batches < 400
    assert pools[1].n_dispatched_batches == 6


def test_on_dask_chunks_grow_with_the_measured_cost_and_shrink_at_the_end():
    assert [parallel.next_size(4, cost, 10**6, 2) for cost in (10, 0.2, 1e-6)] == [1, 2, 16]
    assert parallel.next_size(1_000, 1e-3, 100, 2) == 50  # a tenth of half a second is not worth cutting


# -- progress and Ctrl-C -------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_counts_tasks_on_a_terminal_only(two, monkeypatch):
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        parallel.map(slowly, range(7), jobs=2, progress="counting", batch=1)
        assert ("counting" in stream.getvalue() and "/7 [" in stream.getvalue()) == shown


def test_leaving_early_cancels_what_was_not_begun(two, tmp_path):
    def note(i):
        time.sleep(0.05)
        (tmp_path / str(i)).touch()
        return i

    with contextlib.closing(parallel.as_done(note, range(200), jobs=2, batch=1)) as answers:
        next(answers)
    time.sleep(0.5)
    assert len(list(tmp_path.iterdir())) < 100


@posix
@pytest.mark.slow
def test_a_cluster_whose_workers_are_all_gone_is_an_error(monkeypatch):
    """Before, the call waited for ever for somebody to come back."""
    monkeypatch.setattr(parallel, "_PATIENCE", 4)
    with parallel.cluster("local", workers=2) as client:
        done = parallel.as_done(slowly, range(40), batch=1)
        next(done)
        for worker in list(client.cluster.workers.values()):
            client.sync(worker.close)
        with pytest.raises(WorkerLost) as caught:
            list(done)
    assert caught.value.argument == "cluster"


def test_ctrl_c_on_a_cluster_cancels_the_tasks_and_leaves_the_workers(two_workers):
    # a background shell ignores Ctrl-C, and its children inherit that
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(1.0, signal.raise_signal, [signal.SIGINT]).start()
    began = time.monotonic()
    try:
        with parallel.cluster(two_workers), pytest.raises(KeyboardInterrupt):
            parallel.map(time.sleep, [0.2] * 300)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 30
    with parallel.cluster(two_workers):
        assert parallel.map(abs, [-1, -2]) == [1, 2]


@posix
def test_ctrl_c_ends_the_workers(tmp_path):
    script = tmp_path / "naps.py"
    script.write_text(
        "import time\nfrom gindex_lab.foundation import parallel\n"
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


def test_a_process_that_is_killed_while_it_draws_holds_up_nobody():
    """It would take tqdm's own lock along, and the next bar would wait for ever."""
    code = (
        "import multiprocessing, os, signal\n"
        "from gindex_lab.foundation.parallel import progress_bar\n"
        "def die():\n"
        "    progress_bar(total=1, disable=True).get_lock().acquire()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "progress_bar(total=1, disable=True)\n"
        "child = multiprocessing.get_context('fork').Process(target=die)\n"
        "child.start(), child.join()\n"
        "progress_bar(total=1).close()\n"
        "print('drawn')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "drawn"
