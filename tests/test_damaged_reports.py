"""Whatever lies in `reports/`, `reproduce` ends well or with one clear line, and the next run is whole."""

import json
import random
import re
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from damages import damaged, drop_a_key, in_its_place, put_other_json
from small_projects import catalogue, cell, tables, write_notebook

from gindex_lab.foundation.errors import GIndexLabError
from gindex_lab.foundation.fingerprints import sealed
from gindex_lab.foundation.folders import atomic_folder
from gindex_lab.press.reproduction import claims, reproduce, runs
from gindex_lab.press.reproduction import inputs as reproduce_inputs

WORK = """import pandas as pd
from gindex_lab import notebook as nb
nb.start(data="simulated", seed=seed)
nb.save_table(pd.DataFrame({"x": range(n), "y": [seed / (i + 3) for i in range(n)]}), "numbers")
nb.claim("N295", -0.8660254)"""
NAMES = ("demo/one", "demo/two")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A project of two notebooks after a run of the command, and what the run gave."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproduce_inputs, "_PACKAGE", Path("/no-such-package"))
        root = tmp_path_factory.mktemp("whole")
        for name in NAMES:
            write_notebook(root, name, cell("work", WORK))
        catalogue(root, *NAMES)
        assert reproduce.reproduce(root=root, reports=root / "reports") == 0
        yield root


def state(reports):
    """What a reader of the reports gets: tables, the claims, and which notebooks are done."""
    manifest = json.loads((reports / "manifest.json").read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {r.claim.id: (r.status, r.ours) for r in claims.results(reports)}
    pages = [(reports / name).read_text() for name in ("index.html", "claims.html")]
    done = {name: run["status"] for name, run in manifest["notebooks"].items()}
    return tables(reports), found, done, [re.sub(r"\d+\.\d s", "", page) for page in pages]


@pytest.fixture
def short_path():
    """Messages shorten a path of more than 80 characters in its middle."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def published_again(reports):
    """In place of the worker processes: a notebook's folder as its last sound run left it."""

    def finished(tasks, _jobs, _cache):
        for task in tasks:
            try:
                with atomic_folder(task.folder, "notebook") as folder:
                    source = reports / task.entry.path
                    ours = json.loads((source / "record.json").read_bytes())["outputs"]
                    for name in ours:
                        (folder / name).parent.mkdir(exist_ok=True)
                        shutil.copy(source / name, folder / name)
                    runs._publishable(task, folder, 1.0)
                yield task, None
            except GIndexLabError as error:
                yield task, runs.Failure(task.entry.path, f"{type(error).__name__}: {error}")

    return finished


def hurt(place, draw):
    """Damage one thing, sometimes two; gives what was hurt."""
    hurt = []
    for _ in range(1 + (draw.random() < 0.3)):
        things = sorted(p for p in place.rglob("*") if "ipython" not in p.parts)
        path = draw.choice(things)
        kind = draw.choice(["bytes", "bytes", "bytes", "json", "key", "place"])
        hurt.append(f"{kind} {path.relative_to(place)}")
        if kind == "place" or not path.is_file():
            if path.is_dir() or path.is_file():
                in_its_place(path, draw)
        elif kind == "bytes":
            path.write_bytes(damaged(path.read_bytes(), draw))
        elif kind == "json":
            put_other_json(path, draw)
        else:
            drop_a_key(path, draw, sealed)
    return ", ".join(hurt)


def clear_what_the_line_names(place, line):
    """What a person does who reads the line: takes what stands in the way out of it."""
    names = re.findall(rf"'({re.escape(str(place))}[^']*)'", line)
    assert names, line
    for name in {Path(name) for name in names} - {place}:
        if name.is_dir() and not name.is_symlink():
            shutil.rmtree(name)
        else:
            name.unlink(missing_ok=True)
    return names


class Hangs(BaseException):
    """Not an `Exception`, so that nothing takes it for a fault of its own."""


@contextmanager
def within(seconds):
    """What takes more CPU time, or waits ten times as long (a busy machine is no fault), is taken to hang."""

    def stop(*_):
        raise Hangs(f"more than {seconds} s")

    before = [signal.signal(number, stop) for number in (signal.SIGALRM, signal.SIGPROF)]
    signal.alarm(10 * seconds)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        for number, handler in zip((signal.SIGALRM, signal.SIGPROF), before, strict=True):
            signal.signal(number, handler)


def ran(root, place):
    """(status, line) of a run; the line is that of an error of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return reproduce.reproduce(root=root, reports=place), ""
        except GIndexLabError as error:
            return 2, str(error)


def made_whole(root, place, capsys):
    """Run until it is well, doing what each line says; the number of such lines."""
    for lines in range(4):
        capsys.readouterr()
        status, line = ran(root, place)
        said = line or capsys.readouterr().err
        assert "Traceback" not in said
        assert set(re.findall(r"\b(\w+Error): ", said)) == set(), said
        if status == 0:
            return lines
        clear_what_the_line_names(place, said)
    raise AssertionError(f"does not heal: {said}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_fifty_damages_of_the_reports_end_well_or_in_one_line_and_then_whole(
    whole, short_path, monkeypatch, capsys, seed
):
    """Everything but the worker processes is that of the command."""
    expected, draw = state(whole / "reports"), random.Random(seed)
    monkeypatch.setattr(reproduce, "_finished", published_again(whole / "reports"))
    lines, wrong = 0, []
    for number in range(50):
        place = short_path / f"{number}"
        shutil.copytree(whole / "reports", place)
        what = hurt(place, draw)
        try:
            with within(30):
                lines += made_whole(whole, place, capsys)
                assert state(place) == expected
                capsys.readouterr()
                assert ran(whole, place) == (0, "")
                assert "Nothing to do" in capsys.readouterr().out
                assert state(place) == expected
        except (Exception, Hangs) as error:  # noqa: BLE001 - all fifty are tried
            at = traceback.extract_tb(error.__traceback__)[-3].name
            wrong.append(f"{what}: {type(error).__name__} {str(error)[:300]} in {at}")
        shutil.rmtree(place)
    assert not wrong, "\n".join(wrong)
    assert lines < 25


@pytest.mark.slow
def test_damaged_reports_are_made_whole_by_worker_processes_too(whole, short_path, capfd):
    """The same, with notebooks that really run."""
    expected, draw = state(whole / "reports"), random.Random(9)
    for number in range(12):
        place = short_path / f"{number}"
        shutil.copytree(whole / "reports", place)
        what = hurt(place, draw)
        with within(120):
            made_whole(whole, place, capfd)
            assert state(place) == expected, what
            assert ran(whole, place) == (0, ""), what
        assert "Nothing to do" in capfd.readouterr().out, what
        assert state(place) == expected, what
