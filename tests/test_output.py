"""Nothing is lost: what we did not write is neither deleted nor replaced, and errors of the disk are ours."""

import errno
import os
import pickle
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import cloudpickle
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.foundation import folders
from gindex_lab.foundation.errors import BadInput, CannotWrite
from gindex_lab.foundation.folders import MARKER, atomic_folder, is_ours, remove
from gindex_lab.foundation.output import atomic_path, write_text
from gindex_lab.press.cli import main
from gindex_lab.press.reproduction import reports_folder

ROOT = Path(__file__).parents[1]


def everything(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def thesis(folder):
    (folder / "chapters" / ".git").mkdir(parents=True)
    (folder / "thesis.tex").write_text("ten years")
    (folder / "chapters" / ".git" / "config").write_text("[core]")
    (folder / "chapters" / "record.json").write_text("{}")
    return folder


def test_docs_refuse_a_folder_that_is_not_theirs(tmp_path, capsys):
    mine = thesis(tmp_path / "thesis")
    before = everything(mine)
    assert main(["docs", "--out", str(mine)]) == 2
    assert "was not written by gindex_lab" in capsys.readouterr().err
    assert everything(tmp_path / "thesis") == before


@pytest.mark.parametrize("page", ["index.html", "manifest.json", "claims.html"])
def test_reproduce_refuses_a_folder_with_pages_of_others(tmp_path, page, capsys):
    (tmp_path / page).write_text("my site")
    assert main(["reproduce", "--reports", str(tmp_path)]) == 2
    assert (tmp_path / page).read_text() == "my site"
    assert "did not write" in capsys.readouterr().err


def test_a_new_folder_replaces_ours_and_keeps_what_others_added(tmp_path):
    place = tmp_path / "docs"
    for text in ("one", "two"):
        with atomic_folder(place, "docs") as new:
            (new / "page.html").write_text(text)
            (new / f"{text}.html").write_text(text)
        (place / "notes").mkdir(exist_ok=True)
        (place / "notes" / "mine.txt").write_text("mine")
        (place / "link").unlink(missing_ok=True)
        (place / "link").symlink_to("page.html")
    with atomic_folder(place, "docs") as new:
        (new / "page.html").write_text("three")
    assert everything(place).keys() == {MARKER, "page.html", "link", "notes/mine.txt"}
    assert (place / "page.html").read_text() == "three"
    assert (place / "link").is_symlink()
    assert [p.name for p in tmp_path.iterdir()] == ["docs"]


def test_a_name_that_we_need_now_is_kept_beside_ours(tmp_path):
    with atomic_folder(tmp_path / "docs") as new:
        (new / "a").write_text("a")
    (tmp_path / "docs" / "b").write_text("mine")
    with atomic_folder(tmp_path / "docs") as new:
        (new / "b").write_text("ours")
    assert (tmp_path / "docs" / "b").read_text() == "ours"
    assert (tmp_path / "docs" / "b.kept").read_text() == "mine"


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b"\xff\xfe", b'{"files": [1, "../../x", "/y"]}'])
def test_with_a_damaged_marker_nothing_counts_as_ours(tmp_path, damage):
    (tmp_path / "x").write_text("outside")
    with atomic_folder(tmp_path / "a" / "docs") as new:
        (new / "a").write_text("old")
    (tmp_path / "a" / "docs" / MARKER).write_bytes(damage)
    with atomic_folder(tmp_path / "a" / "docs") as new:
        (new / "a").write_text("new")
    found = everything(tmp_path / "a" / "docs")
    assert (found["a"], found["a.kept"]) == (b"new", b"old")
    assert (tmp_path / "x").read_text() == "outside"


def test_a_folder_moved_aside_by_a_killed_run_comes_back(tmp_path, monkeypatch):
    with atomic_folder(tmp_path / "one", "notebook") as new:
        (new / "a").write_text("old")
    (tmp_path / "one" / "mine").write_text("mine")
    aside = folders._hidden(tmp_path / "one", "replaced")
    (tmp_path / "one").replace(aside / "old")
    folders._hidden(tmp_path / "one", "unfinished")
    (tmp_path / ".git").mkdir()
    folders.clear_unfinished(tmp_path)
    assert everything(tmp_path / "one")["mine"] == b"mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".git", "one"]


def test_links_pipes_and_folders_are_not_replaced(tmp_path):
    (tmp_path / "real").write_text("real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "dangling", "folder", "pipe"):
        with pytest.raises(BadInput) as caught:
            write_text(tmp_path / name, "new")
        assert caught.value.code == "not-regular"
    assert (tmp_path / "real").read_text() == "real"
    assert (tmp_path / "link").is_symlink()
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    with refused("folder: broken-link"), atomic_folder(tmp_path / "dangling"):
        pass


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)])
def test_the_umask_decides_who_may_read(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write_text(tmp_path / "file", "x")
        with atomic_folder(tmp_path / "folder") as new:
            (new / "a").write_text("a")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == mode | (mode >> 2 & 0o111)
    (tmp_path / "file").chmod(0o640)
    write_text(tmp_path / "file", "y")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("number", "code"),
    [(errno.ENOSPC, "disk-full"), (errno.EDQUOT, "disk-full"), (errno.EROFS, "cannot-write")],
)
def test_a_full_disk_is_one_error_with_a_remedy_and_leaves_the_old_file(tmp_path, number, code):
    write_text(tmp_path / "a", "old")
    with (
        refused(f"path: {code}", CannotWrite) as caught,
        atomic_path(tmp_path / "a"),
    ):
        raise OSError(number, os.strerror(number))
    assert caught.value.errno == number
    assert everything(tmp_path) == {"a": b"old"}
    with pytest.raises(CannotWrite), atomic_folder(tmp_path / "f"):
        raise OSError(number, os.strerror(number))
    assert everything(tmp_path) == {"a": b"old"}


def test_a_full_disk_ends_analyse_with_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "scores.csv").write_text("agent,i,j\nann,1,2\nbob,2,3\n")

    def full(self, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    call = ["analyse", str(tmp_path / "scores.csv"), "--ci", "0", "--out", str(tmp_path / "r.html")]
    assert main(call) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "r.html").exists()


def test_a_file_in_the_way_of_a_folder_is_an_error_of_ours(tmp_path):
    (tmp_path / "a").write_text("file")
    with refused("path: cannot-write", CannotWrite):
        write_text(tmp_path / "a" / "b", "x")


def test_the_report_never_replaces_what_it_was_made_from(tmp_path, capsys):
    table = tmp_path / "scores.csv"
    table.write_text("agent,i,j\nann,1,2\nbob,2,3\n")
    before = table.read_text()
    assert main(["analyse", str(table), "--ci", "0", "--out", str(table)]) == 2
    assert table.read_text() == before


def test_another_error_in_the_block_stays_what_it_is(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "a"):
        Path("/no/such/input").read_text()
    assert not any(tmp_path.iterdir())


def test_clean_removes_what_is_ours_and_nothing_else(tmp_path):
    with atomic_folder(tmp_path / "reports" / "gindex" / "one", "notebook") as new:
        (new / "tables").mkdir()
        (new / "tables" / "t.csv").write_text("1")
    (tmp_path / "reports" / "gindex" / "one" / "mine.txt").write_text("mine")
    mine = thesis(tmp_path / "reports" / "thesis")
    before = everything(mine)
    command = [sys.executable, "-m", "gindex_lab.foundation.folders", str(tmp_path / "reports")]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert "kept 4 files" in told
    assert everything(tmp_path / "reports" / "gindex") == {"one/mine.txt": b"mine"}
    assert everything(mine) == before
    assert remove(tmp_path / "nothing") == []
    assert "rm -rf reports" not in (ROOT / "Makefile").read_text()


def test_clean_needs_nothing_but_python(tmp_path):
    """`make clean` runs on the system's Python, which need not have numpy."""
    code = (
        "import sys, runpy\n"
        "for name in ('numpy', 'pandas'):\n    sys.modules[name] = None\n"
        f"sys.argv = ['folders', {str(tmp_path)!r}]\n"
        "runpy.run_module('gindex_lab.foundation.folders', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-300:]


def test_saving_twice_replaces_and_a_folder_written_by_hand_is_refused(tmp_path):
    table = gl.Responses([[1, 0], [1, 1]], difficulty=[1, 2])
    table.save(tmp_path / "t")
    table.save(tmp_path / "t")
    assert is_ours(tmp_path / "t")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "responses.csv").write_text("agent,i\nann,1\n")
    with refused("folder: not-ours"):
        table.save(tmp_path / "own")


def test_the_package_can_be_pickled_so_that_functions_may_mention_it():
    assert pickle.loads(cloudpickle.dumps(gl)) is gl

    def double(x):
        return gl.__version__, 2 * x

    assert pickle.loads(cloudpickle.dumps(double))(3) == (gl.__version__, 6)


# -- what a stranger tried: nothing of somebody else's goes away with what is ours ----------------------


def made(place, text="ours", names=("page.html",)):
    with atomic_folder(place, "docs") as new:
        for name in names:
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_text(text)
    return place


def test_a_repository_in_a_folder_of_ours_stays_one(tmp_path):
    place = made(tmp_path / "docs")
    (place / "repo" / ".git" / "refs" / "heads").mkdir(parents=True)  # empty, and git needs them
    (place / "repo" / ".git").chmod(0o700)
    place.chmod(0o750)
    made(place, "new")
    assert (place / "repo" / ".git" / "refs" / "heads").is_dir()
    assert stat.S_IMODE((place / "repo" / ".git").stat().st_mode) == 0o700
    assert stat.S_IMODE(place.stat().st_mode) == 0o750


def test_nothing_is_kept_over_something_that_was_kept(tmp_path):
    place = made(tmp_path / "docs")
    (place / "n").write_text("one")
    (place / "n.kept").write_text("two")
    for _ in range(2):
        made(place, "ours", ("n",))
    found = everything(place)
    del found[MARKER]
    assert found == {"n": b"ours", "n.kept": b"two", "n.kept2": b"one"}


def test_a_file_of_ours_that_somebody_changed_is_kept_beside_the_new_one(tmp_path):
    place = made(tmp_path / "docs", "ours", ("notebook.ipynb", "page.html"))
    (place / "notebook.ipynb").write_text("ours, with my notes")
    made(place, "ours again", ("notebook.ipynb", "page.html"))
    found = everything(place)
    del found[MARKER]
    assert found == {
        "notebook.ipynb": b"ours again",
        "notebook.ipynb.kept": b"ours, with my notes",
        "page.html": b"ours again",
    }
    (place / "page.html").write_text("mine now")
    remove(place)
    assert everything(place) == {
        "notebook.ipynb.kept": b"ours, with my notes",
        "page.html": b"mine now",
    }


def test_clean_leaves_copies_empty_folders_and_what_lies_behind_links(tmp_path):
    reports, outside = tmp_path / "reports", tmp_path / "figures"
    made(reports / "gindex" / "one", "ours", ("report.html", "figures/a.png", "record.json"))
    shutil.copytree(reports / "gindex" / "one", reports / "gindex" / "one before")
    shutil.copytree(reports / "gindex" / "one", reports / "backup" / "one")
    (reports / "thesis" / ".git" / "refs").mkdir(parents=True)
    outside.mkdir()
    (outside / "a.png").write_text("mine")
    shutil.rmtree(reports / "gindex" / "one" / "figures")
    (reports / "gindex" / "one" / "figures").symlink_to(outside)
    remove(reports)
    assert (outside / "a.png").read_text() == "mine"
    assert (reports / "gindex" / "one before" / "report.html").exists()
    assert (reports / "backup" / "one" / "report.html").exists()
    assert (reports / "thesis" / ".git" / "refs").is_dir()
    assert not (reports / "gindex" / "one" / "report.html").exists()


def test_a_reports_folder_that_was_renamed_is_still_cleaned(tmp_path):
    folders.mark(made(tmp_path / "reports" / "docs").parent, "reports")
    (tmp_path / "reports").rename(tmp_path / "old")
    assert remove(tmp_path / "old") == []


def test_reproduce_does_not_clear_away_a_copy_of_a_report(tmp_path):
    made(tmp_path / "gindex" / "one", "ours", ("report.html", "record.json"))
    shutil.copytree(tmp_path / "gindex" / "one", tmp_path / "gindex" / "one before")
    reports_folder.clear_leftovers(tmp_path, {"gindex/one"})
    assert (tmp_path / "gindex" / "one before" / "report.html").exists()
    reports_folder.clear_leftovers(tmp_path, set())
    assert not (tmp_path / "gindex" / "one").exists()


@pytest.mark.parametrize("name", [".lock", ".cache/kernels.log", ".failed/gindex/one/error.txt"])
def test_reproduce_refuses_a_folder_where_others_keep_their_state(tmp_path, name, capsys):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine")
    assert main(["reproduce", "--reports", str(tmp_path)]) == 2
    assert "did not write" in capsys.readouterr().err
    assert (tmp_path / name).read_text() == "mine"
    assert not is_ours(tmp_path)


def test_a_link_of_somebody_else_gives_way_to_our_folder_and_is_kept(tmp_path):
    place = made(tmp_path / "docs", "ours", ("figures/a.png",))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.png").write_text("mine")
    shutil.rmtree(place / "figures")
    (place / "figures").symlink_to(tmp_path / "mine")
    made(place, "new", ("figures/a.png", "tables/t.csv"))
    assert (place / "figures" / "a.png").read_text() == "new"
    assert (place / "figures.kept" / "a.png").read_text() == "mine"
    shutil.rmtree(place / "tables")
    (place / "tables").symlink_to("tables")  # a link to itself
    made(place, "new", ("tables/t.csv",))
    assert (place / "tables" / "t.csv").read_text() == "new"


def test_what_is_saved_while_the_folder_is_made_anew_is_not_lost(tmp_path, monkeypatch):
    place, swap = made(tmp_path / "docs"), folders._swap

    def late(path, new):
        (path / "late.txt").write_text("late")
        swap(path, new)

    monkeypatch.setattr(folders, "_swap", late)
    made(place, "new")
    assert (place / "late.txt").read_text() == "late"
    assert [p.name for p in tmp_path.iterdir()] == ["docs"]


def test_what_a_killed_run_moved_aside_comes_back_with_the_next(tmp_path):
    place = made(tmp_path / "table")
    (place / "mine").write_text("mine")
    aside = folders._hidden(place, "replaced")
    place.replace(aside / "old")
    made(place, "new")
    assert (place / "mine").read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["table"]


def test_a_folder_that_another_run_made_meanwhile_is_not_half_replaced(tmp_path, monkeypatch):
    place, replace = made(tmp_path / "table"), Path.replace
    (place / "mine").write_text("mine")

    def slower(self, target):
        if target == place and self.name.startswith(".table") and not place.exists():
            monkeypatch.setattr(Path, "replace", replace)
            made(place, "theirs")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", slower)
    with pytest.raises(CannotWrite):
        made(place, "ours")
    assert everything(place)["page.html"] == b"theirs"
    assert (place / "mine").read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["table"]


def test_a_file_that_is_called_like_our_journal_is_not_deleted(tmp_path):
    flow = gl.Flow([{"id": "a", "type": "http", "wires": [[]]}])
    (tmp_path / "m.npy.journal").write_text("my diary")
    with pytest.raises(BadInput) as caught:
        gl.pairwise([flow, flow], out=tmp_path / "m.npy")
    assert caught.value.argument == "out"
    assert everything(tmp_path) == {"m.npy.journal": b"my diary"}


@pytest.mark.parametrize("name", ["a" * 300, "\ud800", "a\0b", "", "b" * 200 + "/" + "c" * 300, b"bytes"])
def test_a_name_that_no_file_can_have_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = gl.Responses([[1, 0], [1, 1]], difficulty=[1, 2])
    flow = gl.Flow([{"id": "a", "type": "x", "wires": [[]]}])
    for write in (table.save, flow.to_json, lambda p: gl.pairwise([flow, flow], out=p)):
        with pytest.raises(gl.GIndexLabError):
            write(name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["two\nlines.json", "γ Ψ.json", "../above.json", "sub/../here.json", "%s{}.json", "-rf"]
)
def test_an_odd_name_is_written_where_it_says(name, tmp_path, monkeypatch):
    (tmp_path / "work" / "sub").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    gl.Flow([{"id": "a", "type": "x", "wires": [[]]}]).to_json(name)
    written = [p.resolve() for p in tmp_path.rglob("*") if p.is_file()]
    assert written == [(tmp_path / "work" / name).resolve()]


def test_a_kill_while_the_old_folder_is_deleted_brings_nothing_of_it_back(tmp_path, monkeypatch):
    place, real = made(tmp_path / "docs", "old"), shutil.rmtree
    (place / "mine").write_text("mine")

    def killed(folder, *given, **options):
        for old in Path(folder).rglob(MARKER):
            if old.parent.name == "old":
                old.unlink()
                monkeypatch.setattr(shutil, "rmtree", real)
                raise KeyboardInterrupt
        real(folder, *given, **options)

    monkeypatch.setattr(shutil, "rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        made(place, "new")
    made(place, "newer")
    found = everything(place)
    del found[MARKER]
    assert found == {"page.html": b"newer", "mine": b"mine"}


RENAMES = [errno.EXDEV, errno.EBUSY, errno.ESTALE, errno.EACCES, errno.ENOTEMPTY]


@pytest.mark.parametrize("failing", [1, 2])
@pytest.mark.parametrize("number", RENAMES)
def test_a_rename_that_fails_loses_nothing(tmp_path, monkeypatch, number, failing):
    """As a network disk may do: at the first rename, or at the second, with the folder already aside."""
    place, real, calls = made(tmp_path / "docs", "old"), Path.replace, []
    (place / "mine").write_text("mine")

    def fails(self, target):
        if "docs" in (self.name, Path(target).name):  # not the marker's own
            calls.append(target)
            if len(calls) == failing:
                raise OSError(number, os.strerror(number), str(self), None, str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(CannotWrite):
        made(place, "new")
    assert len(calls) >= failing
    monkeypatch.undo()
    assert everything(place).keys() == {MARKER, "page.html", "mine"}
    assert (place / "page.html").read_text() == "old"
    made(place, "new")
    assert (place / "page.html").read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["docs"]


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ETIMEDOUT])
def test_a_network_disk_that_goes_away_is_one_error_with_a_remedy(tmp_path, number):
    with pytest.raises(CannotWrite), atomic_path(tmp_path / "a"):
        raise OSError(number, os.strerror(number))
    assert everything(tmp_path) == {}
