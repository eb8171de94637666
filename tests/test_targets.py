"""Wherever a writer is pointed, nothing of the user's is changed and nothing is written but what was asked for.

Every public function and command that takes a file or a folder is pointed at a thesis, at links, loops and pipes, at
the home folder, the root, the repository and a study that was saved before. A second walk looks over Python's own
shoulder (`sys.addaudithook`) at every file that is opened for writing, renamed or removed.
"""

import argparse
import contextlib
import os
import shutil
import stat
import sys
import tempfile
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from benchmarks import __main__ as benchmarks
from benchmarks.measured.aiq_sweep import keep_sweep
from gindex_lab.foundation import folders, places
from gindex_lab.foundation.folders import remove
from gindex_lab.press.cli import main
from gindex_lab.press.reproduction.reproduce import reproduce
from gindex_lab.studies.analysis.shorter import Shorter
from gindex_lab.studies.simulations.coverage_study import kept_study

sys.path.insert(0, str(Path(__file__).parent))
from small_projects import catalogue, cell, write_notebook

TABLE = gl.Responses(np.tril(np.ones((6, 8))), difficulty=np.arange(8.0))
FLOWS = [gl.Flow([{"id": f"{k}", "type": f"t{k}", "wires": [[]]}]) for k in range(3)]
WORLD = gl.anytime.make_pool(3, seed=1)
SMALL = gl.aiq.Plan(programs=40, runs=40, episodes=(10, 20))
OUTCOME = pd.DataFrame({"domain": ["http"], "performance": [0.5]}, index=pd.Index(["t1"], name="task"))
REPORTS = argparse.Namespace(profile="quick", save=False)


def command(*arguments):
    if main([str(one) for one in arguments]) != 0:
        raise gl.GIndexLabError("command", arguments, "ended with 2", "as it should")


def run_in(reports):
    reproduce(root=Path("project").resolve(), reports=reports)


def bench(reports):
    benchmarks._write([], {"ratios": {}}, argparse.Namespace(**vars(REPORTS), reports=reports))


def estimated(log):
    sample = gl.aiq.sample(40, seed=1)
    gl.aiq.estimate("random", sample, episode=20, runs=40, seed=1, log=log)


def studied(out, designs):
    table = pd.DataFrame({"items": designs})
    return kept_study(str(out), table, lambda row, n, seed: {"held": float(row["items"])}, 1, 1)


SHORTER = Shorter(OUTCOME, OUTCOME, OUTCOME)
FOLDERS = {
    "save": TABLE.save,
    "docs": lambda target: command("docs", "--out", target),
    "reproduce": run_in,
    "benchmarks": bench,
    "sweep": lambda target: gl.aiq.sweep(target, ["SEP-ext"], {"Freq,0.05": "Freq"}, SMALL),
}
FILES = {
    "pairwise": lambda target: gl.pairwise(FLOWS, out=target),
    "estimate": estimated,
    "anytime": lambda target: gl.anytime.test("random", seconds=0.01, pool=WORLD, path=target),
    "to_json": lambda target: FLOWS[0].to_json(target),
    "save_sample": lambda target: gl.aiq.save_sample(gl.aiq.sample(20, seed=1), target),
    "analyse": lambda target: command("analyse", "study", "--out", target, "--seed", 1, "--ci", 0),
    "shorter": lambda target: SHORTER.write(target),
    "plan": lambda target: command("plan", "study", "--difference", 0.2, "--out", target),
    "study": lambda target: studied(target, [1, 2]),
}
CONTINUED = (
    "pairwise",
    "estimate",
    "anytime",
)  # what goes on where it was, and so never replaces a file


def state(folder):
    """Every name below a folder: what kind it is, and what it holds."""
    found = {}
    for base, below, names in os.walk(folder):
        for name in [*below, *names]:
            path = Path(base, name)
            mode = path.lstat().st_mode
            held = os.readlink(path) if stat.S_ISLNK(mode) else path.read_bytes() if stat.S_ISREG(mode) else b""  # fmt: skip
            found[str(path.relative_to(folder))] = stat.S_IFMT(mode), held
    return found


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with a thesis, a saved study, links and a pipe; the work goes on in a folder of it."""
    place = tmp_path / "home"
    (place / "thesis" / ".git").mkdir(parents=True)
    (place / "thesis" / ".git" / "config").write_text("[core]")
    (place / "thesis" / "thesis.tex").write_text("ten years")
    (place / "thesis" / "record.json").write_text("{}")
    (place / "work" / "project").mkdir(parents=True)
    (place / "to folder").symlink_to(place / "thesis")
    (place / "to file").symlink_to(place / "thesis" / "thesis.tex")
    (place / "loop").symlink_to(place / "loop")
    (place / "to nowhere").symlink_to(place / "nowhere")
    os.mkfifo(place / "pipe")
    TABLE.save(place / "work" / "study")
    TABLE.save(place / "saved")
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.chdir(place / "work")
    catalogue(Path("project"), "demo/one")
    write_notebook(Path("project"), "demo/one", cell("work", "1 + 1"))
    (place / "repository" / "gindex_lab").mkdir(parents=True)  # not the real one: a test may fail
    monkeypatch.setattr(folders, "SOURCE", place / "repository" / "gindex_lab")
    return place


def target(home, what):
    inside = {
        "above": home.parent,
        "home": home,
        "inside a file": home / "thesis" / "thesis.tex" / "new",
    }
    inside["package"] = home / "repository" / "gindex_lab"
    return inside.get(what, home / what)


def refused(call, place):
    try:
        call(place)
    except gl.GIndexLabError:
        return True
    return False


def stays_as_it_is(writer, place, home):
    """The writer refuses the place, and nothing there or at home has changed."""
    before, beside = state(home), set(os.listdir(place)) if place.is_dir() else None
    assert refused(writer, place)
    assert state(home) == before
    assert beside is None or set(os.listdir(place)) == beside


PLACES = ("thesis", "to folder", "to file", "loop", "to nowhere", "pipe", "inside a file", "above", "home", "work", "repository", "package", "saved")  # fmt: skip
# these add names of their own to a folder that is there; and saving again replaces what was saved
MAY = {(name, what) for name in ("sweep", "reproduce", "benchmarks") for what in PLACES[:2]} | {
    ("save", "saved")
}


@pytest.mark.parametrize(("name", "what"), [(n, w) for n in FOLDERS for w in PLACES if (n, w) not in MAY])
def test_a_folder_that_is_not_for_it_is_refused_and_stays_as_it_is(name, what, home):
    stays_as_it_is(FOLDERS[name], target(home, what), home)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sweep", "reproduce", "benchmarks"])
def test_what_adds_to_a_folder_of_somebody_else_changes_nothing_in_it(name, home):
    """Even twice, with hidden folders, a record.json and a folder of ours that was copied there."""
    shutil.copytree(home / "saved", home / "thesis" / "data" / "copied")
    (home / "thesis" / "data" / ".git").mkdir()
    (home / "thesis" / "data" / "record.json").write_text("{}")
    before = state(home)
    for _ in range(2):
        FOLDERS[name](home / "thesis")
        after = state(home)
        assert {one: after[one] for one in before} == before


@pytest.mark.parametrize("what", PLACES)
@pytest.mark.parametrize("name", FILES)
def test_a_file_goes_over_nothing_but_a_file(name, what, home):
    stays_as_it_is(FILES[name], target(home, what), home)


@pytest.mark.parametrize("name", CONTINUED)
def test_what_goes_on_where_it_was_does_not_replace_a_file_of_somebody_else(name, home):
    before = state(home)
    assert refused(FILES[name], home / "thesis" / "thesis.tex")
    assert state(home) == before


@pytest.mark.parametrize("kind", ["link", "link to nowhere", "pipe", "folder", "loop"])
@pytest.mark.parametrize("name", ["save_animation.gif", "save_animation.html", "save_png.png"])
def test_a_picture_goes_over_nothing_but_a_file(name, kind, home):
    place = home / f"picture{Path(name).suffix}"
    makers = {
        "link": lambda: place.symlink_to(home / "thesis" / "thesis.tex"),
        "link to nowhere": lambda: place.symlink_to(home / "nowhere"),
        "loop": lambda: place.symlink_to(place),
        "pipe": lambda: os.mkfifo(place),
        "folder": place.mkdir,
    }
    makers[kind]()
    movie = types.SimpleNamespace(save=lambda new, **_: new.write_text("film"), to_jshtml=lambda **_: "film")  # fmt: skip
    draw = gl.flatland.save_png if name == "save_png.png" else gl.save_animation
    stays_as_it_is(
        lambda path: draw(np.eye(128) if draw is not gl.save_animation else movie, path),
        place,
        home,
    )


def test_a_kept_sweep_goes_over_no_link_and_changes_both_files_or_none(home, monkeypatch):
    gl.aiq.sweep(home / "out", ["SEP-ext"], {"Freq,0.05": "Freq"}, SMALL)
    monkeypatch.setattr(places, "PROJECT_DATA", home / "data")
    (home / "data" / "measured").mkdir(parents=True)
    (home / "data" / "measured" / "aiq_sweep.csv").write_text("the last one")
    (home / "data" / "measured" / "aiq_sweep.json").symlink_to(home / "thesis" / "thesis.tex")
    keep = lambda _: keep_sweep(home / "out", SMALL, commit="c", cpu_minutes=1.0)
    stays_as_it_is(keep, home / "data", home)


def test_a_study_does_not_go_on_from_another_one(home):
    studied(home / "table.csv", [1, 2])
    before = state(home)
    assert refused(lambda out: studied(out, [3, 4]), home / "table.csv")
    assert state(home) == before
    assert studied(home / "table.csv", [1, 2, 5])["held"].tolist() == [1.0, 2.0, 5.0]


def test_clean_leaves_a_table_that_was_saved_among_the_reports(home):
    TABLE.save(home / "work" / "reports" / "mine")
    with folders.atomic_folder(home / "work" / "reports" / "gindex" / "one", "notebook") as new:
        (new / "page.html").write_text("ours")
    before = state(home / "work" / "reports" / "mine")
    remove(home / "work" / "reports")
    assert state(home / "work" / "reports") == {
        "mine": (stat.S_IFDIR, b""), **{f"mine/{name}": held for name, held in before.items()}
    }  # fmt: skip


def test_what_others_keep_in_a_claimed_folder_is_not_listed_and_hashes_stay(home):
    with folders.atomic_folder(home / "work" / "docs", "docs") as new:
        (new / "page.html").write_text("ours")
    before = folders.listed(home / "work" / "docs")
    folders.claim(home / "work" / "docs", "docs", ["index.html"])
    assert folders.listed(home / "work" / "docs") == {**before, "index.html": None}
    assert None not in before.values()


# -- over Python's shoulder -------------------------------------------------------------------------------

CHANGES = {"os.rename": 2, "os.remove": 1, "os.rmdir": 1, "os.mkdir": 1, "os.link": 2, "os.symlink": 2, "os.truncate": 1, "os.chmod": 1, "os.utime": 1, "shutil.rmtree": 1}  # fmt: skip
FOR_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGED: list[tuple[str, str]] | None = None  # where the hook writes to; it cannot be taken away again


def look(event, arguments):
    if CHANGED is None:
        return
    if event == "open" and arguments[2] & FOR_WRITING:
        paths = arguments[:1]
    else:
        paths = arguments[: CHANGES.get(event, 0)]
    relative_to_a_handle = any(isinstance(one, int) and one >= 0 for one in arguments[len(paths) :])
    for path in paths:
        if isinstance(path, (str, bytes, os.PathLike)) and not (event != "open" and relative_to_a_handle):
            CHANGED.append((event, os.path.realpath(os.path.abspath(os.fsdecode(path)), strict=False)))


sys.addaudithook(look)


@contextlib.contextmanager
def watched():
    global CHANGED
    CHANGED = []
    try:
        yield CHANGED
    finally:
        CHANGED = None


def strange(changed, asked):
    """What was written that is neither the target, nor beside it with its name, nor a temporary file or a cache."""
    scratch = str(Path(tempfile.gettempdir(), "tmp"))
    hidden = str(asked.with_name(f".{asked.name}."))
    return [
        (event, path)
        for event, path in changed
        if not path.startswith((str(asked), hidden, scratch, os.devnull))
        and path != str(asked.parent)
        and not {"__pycache__", "matplotlib", "fontconfig"} & set(Path(path).parts)
    ]


HEAVY = ("reproduce", "docs", "analyse", "plan", "write")
WRITERS = {
    **FILES, **FOLDERS,
    "save_png": lambda target: gl.flatland.save_png(np.eye(128), target.with_suffix(".png")),
    "experiment": lambda target: gl.Experiment({"http": 80}, 1.0, OUTCOME).save(target),
    "write": lambda target: gl.analysis.analyse_table(TABLE, ci=None).write(target),
    "state": lambda target: gl.anytime.Examination("random", seconds=0.01, pool=WORLD).save(target),
}  # fmt: skip


@pytest.mark.parametrize("name", [n for n in WRITERS if n not in HEAVY])
def test_a_writer_touches_nothing_but_what_it_was_asked_for(name, home):
    asked = home / "out" / "new"
    before = state(home)
    with watched() as changed:
        WRITERS[name](asked)
    assert strange(changed, asked.resolve()) == []
    assert any(path.startswith(str(asked.resolve())) for _, path in changed)
    after = state(home)
    assert {name: after[name] for name in before} == before


@pytest.mark.slow
@pytest.mark.parametrize("name", HEAVY)
def test_a_command_touches_nothing_but_what_it_was_asked_for(name, home):
    test_a_writer_touches_nothing_but_what_it_was_asked_for(name, home)


def test_a_step_outside_is_seen(home):
    with watched() as changed:
        (home / "thesis" / "new.txt").write_text("a")
        os.replace(home / "thesis" / "new.txt", home / "thesis" / "other.txt")
        (home / "thesis" / "other.txt").unlink()
    assert len(strange(changed, home / "out")) == 4
