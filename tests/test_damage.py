"""State that heals: whatever is damaged on the disk, the result is right or there is one clear line."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from damages import damaged
from refusals import cautioned, refused

import gindex_lab as gl
from gindex_lab.foundation.errors import GIndexLabError
from gindex_lab.foundation.journals import Journal, continued
from gindex_lab.studies.own_experiments import units

HEADER = {"format": "test 1", "seed": 1}


def survives(compute, expected):
    """Right, or an error of ours; and nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = compute()
        except GIndexLabError:
            return False
    assert found == expected
    return True


def heals(compute, expected, *files):
    """Right at once, or refused by one line and right without the file; and then whole, without a word."""
    right = survives(compute, expected)
    if not right:
        for file in files:
            file.unlink(missing_ok=True)
        assert compute() == expected
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compute() == expected
    return right


def squares(path):
    return continued(Journal(path, HEADER), lambda item: {"square": item**2 / 7}, range(12))


def test_a_journal_with_a_changed_digit_is_recomputed_and_says_so(tmp_path):
    expected = squares(tmp_path / "j")
    text = (tmp_path / "j").read_text()
    (tmp_path / "j").write_text(text.replace('"square": 5.', '"square": 6.'))
    with cautioned("damaged"):
        assert squares(tmp_path / "j") == expected
    assert (tmp_path / "j.damaged").exists()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert squares(tmp_path / "j") == expected


def test_two_hundred_damaged_journals_give_no_wrong_result(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)
    expected, draw, refused = squares(tmp_path / "j"), random.Random(1), 0
    whole = (tmp_path / "j").read_bytes()
    for _ in range(200):
        (tmp_path / "j").write_bytes(damaged(whole, draw))
        refused += not heals(lambda: squares(tmp_path / "j"), expected, tmp_path / "j")
    assert refused < 100


def test_a_line_of_another_computation_does_not_count(tmp_path):
    """It may be whole and still be of another seed: the hash of a line is that of its journal's header, too."""
    expected = squares(tmp_path / "j")
    other = {**HEADER, "seed": 2}
    continued(Journal(tmp_path / "other", other), lambda item: {"square": -1.0}, range(12))
    first, _, *rest = (tmp_path / "j").read_text().splitlines()
    foreign = (tmp_path / "other").read_text().splitlines()[1]
    (tmp_path / "j").write_text("\n".join([first, foreign, *rest]) + "\n")
    with cautioned("damaged"):
        assert squares(tmp_path / "j") == expected


def test_a_piece_is_on_the_disk_when_it_is_written_down(tmp_path, monkeypatch):
    safe = []
    monkeypatch.setattr(os, "fsync", lambda number: safe.append(os.fstat(number).st_size))
    journal = Journal(tmp_path / "j", HEADER)
    journal.add({"item": 0})
    assert safe == [(tmp_path / "j").stat().st_size]


HOLDS = """
import fcntl, sys
file = open(sys.argv[1], "ab")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_journal_that_another_process_is_writing_is_refused_until_it_ends(tmp_path):
    expected = squares(tmp_path / "j")
    before = (tmp_path / "j").read_bytes()
    command = [sys.executable, "-c", HOLDS, str(tmp_path / "j")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with refused("checkpoint: in-use", GIndexLabError):
            squares(tmp_path / "j")
        assert (tmp_path / "j").read_bytes() == before
    assert squares(tmp_path / "j") == expected


def test_one_process_may_open_its_journal_again(tmp_path):
    """A notebook keeps the error of a cell that was stopped, and with it the journal."""
    kept = Journal(tmp_path / "j", HEADER)
    kept.add({"item": 0, "square": 0.0})
    assert squares(tmp_path / "j")[0] == {"square": 0.0}


def test_a_journal_without_its_first_line_is_begun(tmp_path):
    (tmp_path / "j").touch()
    assert squares(tmp_path / "j") == squares(tmp_path / "other")


def test_a_journal_that_is_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "j")
    assert not survives(lambda: squares(tmp_path / "j"), None)


@pytest.fixture(scope="module")
def flows():
    return [gl.Flow(task.program) for task in gl.corpus(2, seed=1)]


def test_a_changed_number_in_a_finished_matrix_is_computed_again(flows, tmp_path):
    out = tmp_path / "delta.npy"
    gl.pairwise(flows, out=out)
    whole = out.read_bytes()
    for place in (200, len(whole) - 5):
        out.write_bytes(whole[:place] + b"\x07" + whole[place + 1 :])
        with cautioned("damaged"):
            assert np.array_equal(gl.pairwise(flows, out=out), gl.pairwise(flows))
        assert out.read_bytes() == whole


@pytest.mark.slow
def test_damaged_matrices_and_their_journals_give_no_wrong_result(flows, tmp_path):
    out, draw = tmp_path / "delta.npy", random.Random(2)
    expected = gl.pairwise(flows, out=out).tolist()
    journal = tmp_path / "delta.npy.journal"
    whole = out.read_bytes(), journal.read_bytes()
    for _ in range(60):
        for path, content in zip((out, journal), whole, strict=True):
            path.write_bytes(damaged(content, draw) if draw.random() < 0.6 else content)
        heals(lambda: gl.pairwise(flows, out=out).tolist(), expected, out, journal)
        (tmp_path / "delta.npy.part").unlink(missing_ok=True)


@pytest.mark.slow
def test_damaged_logs_of_an_aiq_test_give_no_wrong_result(tmp_path):
    sample, draw = gl.aiq.sample(60, seed=1), random.Random(3)
    options = {"episode": 10, "runs": 24, "method": "plain", "seed": 1, "log": tmp_path / "log"}
    expected = gl.aiq.estimate("freq", sample, **options).value
    whole = (tmp_path / "log").read_bytes()
    for _ in range(40):
        (tmp_path / "log").write_bytes(damaged(whole, draw))
        heals(lambda: gl.aiq.estimate("freq", sample, **options).value, expected, tmp_path / "log")


def test_damaged_units_of_an_experiment_are_computed_again(tmp_path, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_CACHE", str(tmp_path))
    draw = random.Random(4)

    def run():
        rows = units.run_units("d", ["a"], lambda unit: np.array([1.5, 2.25]), settings={"s": 1})
        return rows["a"].tolist()

    run()
    (path,) = tmp_path.rglob("*.kept")
    whole = path.read_bytes()
    for _ in range(60):
        path.write_bytes(damaged(whole, draw))
        assert run() == [1.5, 2.25]


def test_a_unit_is_not_taken_for_another(tmp_path, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_CACHE", str(tmp_path))

    def run():
        return units.run_units("d", ["a", "bb"], lambda unit: np.array([float(len(unit))]), settings={})

    expected = run()
    one, other = sorted(tmp_path.rglob("*.kept"))
    one.write_bytes(other.read_bytes())
    assert run() == expected


def test_a_pipe_in_place_of_a_unit_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_CACHE", str(tmp_path))
    found = []

    def run():
        rows = units.run_units("d", ["a"], lambda unit: np.array([1.5]), settings={})
        found.append(rows["a"].tolist())

    run()
    (path,) = tmp_path.rglob("*.kept")
    path.unlink()
    os.mkfifo(path)
    waits = threading.Thread(target=run, daemon=True)
    waits.start()
    with cautioned("not-kept"):
        waits.join(20)
    assert found == [[1.5]] * 2


KERNEL = """
from gindex_lab.foundation.kernels import compiled
@compiled
def twice(x):
    return 2 * x
print(twice(3), twice(1.5))
"""


@pytest.mark.slow
def test_damaged_machine_code_is_compiled_anew(tmp_path):
    script = tmp_path / "kernel.py"
    script.write_text(KERNEL)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run():
        command = [sys.executable, str(script)]
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, check=False, timeout=60
        )
        return done.stdout or done.stderr

    assert run() == "6 3.0\n"
    files = sorted((tmp_path / "cache").rglob("*.nb?"))
    assert len(files) == 3
    for cut in (0, 7, 60):
        for path in files:
            os.truncate(path, min(cut, path.stat().st_size))
        assert run() == "6 3.0\n"
    for path in files:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 4
        path.write_bytes(content)
    assert run() == "6 3.0\n"
    whole, fractions = (path for path in files if path.suffix == ".nbc")
    kept = whole.read_bytes()
    whole.write_bytes(fractions.read_bytes())
    fractions.write_bytes(kept)
    assert run() == "6 3.0\n"
    for path in files:
        path.unlink()
        os.mkfifo(path)
    assert run() == "6 3.0\n"


def test_machine_code_of_another_version_of_numba_is_compiled_anew(tmp_path):
    """What its pickles name may be gone."""
    from gindex_lab.foundation import kernels

    content = b"cno_such_module\nno_such_name\n."
    path = tmp_path / "index.nbi"
    path.write_bytes(kernels._digest(path.name, content) + content)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - unpickling alone raises an ImportError
        kernels._opened(path)
    assert str(path) in str(caught.value)


def test_without_a_place_for_machine_code_functions_still_run(monkeypatch):
    from gindex_lab.foundation import kernels

    real = kernels.njit

    def nowhere(**options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available for file")
        return real(**options)

    monkeypatch.setattr(kernels, "njit", nowhere)
    assert kernels.compiled(lambda x: x + 1)(1) == 2


def test_what_was_damaged_twice_is_kept_twice(tmp_path):
    """The second file was lost, and the warning named the first."""
    expected = squares(tmp_path / "j")
    for digit in "68":
        text = (tmp_path / "j").read_text()
        (tmp_path / "j").write_text(text.replace('"square": 5.', f'"square": {digit}.'))
        with cautioned("damaged"):
            assert squares(tmp_path / "j") == expected
    kept = sorted(tmp_path.glob("j.damaged*"))
    assert [('"square": 6.' in k.read_text(), '"square": 8.' in k.read_text()) for k in kept] == [
        (True, False), (False, True)
    ]  # fmt: skip


def test_a_line_that_another_process_is_writing_is_not_cut_off(tmp_path, monkeypatch):
    squares(tmp_path / "j")
    whole = (tmp_path / "j").read_bytes()
    begun = whole[:-20]
    (tmp_path / "j").write_bytes(begun)

    read = Path.read_bytes

    def then_it_is_finished(path):
        found = read(path)
        path.write_bytes(whole)
        return found

    monkeypatch.setattr(Path, "read_bytes", then_it_is_finished)
    Journal(tmp_path / "j", HEADER)
    monkeypatch.undo()
    assert (tmp_path / "j").read_bytes() == whole


def killed(work, seconds):
    """Begin some work in a fork, and end it without warning; whether it was still at it."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def slow_squares(path):
    def square(item):
        time.sleep(0.001)
        return {"square": item**2 / 7}

    return continued(Journal(path, HEADER), square, range(40))


def saved(folder):
    gl.Responses([[1, 0], [1, 1]], difficulty=[1, 2]).save(folder)
    return gl.Responses.read(folder).frame.to_numpy().tolist(), (folder / "mine.txt").read_text()


def swept(folder):
    small = gl.aiq.Plan(programs=60, runs=60, episodes=(10, 30))
    return gl.aiq.sweep(folder, ["SEP-ext"], {"Freq,0.05": "a", "Freq,0.03": "b"}, small).to_csv()


@pytest.mark.slow
@pytest.mark.parametrize("work", [slow_squares, saved, swept], ids=["journal", "table", "sweep"])
def test_killed_at_random_moments_the_next_run_is_whole_and_right(work, tmp_path):
    draw, ended = random.Random(6), 0
    for k in range(14):
        place = tmp_path / str(k)
        if work is saved:
            gl.Responses([[0, 0], [1, 0]], difficulty=[1, 2]).save(place)
            (place / "mine.txt").write_text("mine")
        if k < 2:  # in one go; the first may have to compile its kernels
            began = time.monotonic()
            expected, takes = work(place), time.monotonic() - began
            continue
        ended += killed(lambda place=place: work(place), draw.random() * takes)
        ended += killed(lambda place=place: work(place), draw.random() * takes)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert work(place) == expected
        if work is saved:
            assert not list(place.glob("*.kept*"))
    assert ended >= 5
