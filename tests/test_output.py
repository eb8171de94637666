"""Nothing is lost: what we did not write is neither deleted nor replaced, and errors of the disk are ours."""

import errno
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import cloudpickle
import pytest

import gindex_lab as gl
from gindex_lab.foundation import output
from gindex_lab.foundation.errors import BadInput, CannotWrite
from gindex_lab.foundation.output import (
    MARKER,
    atomic_folder,
    atomic_path,
    is_ours,
    remove,
    write_text,
)
from gindex_lab.press.cli import main

ROOT = Path(__file__).parents[1]


def everything(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


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


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[1]", b"\xff\xfe", b'{"files": [1, "../../x", "/y"]}']
)
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
    aside = output._hidden(tmp_path / "one", "replaced")
    (tmp_path / "one").replace(aside / "old")
    output._hidden(tmp_path / "one", "unfinished")
    (tmp_path / ".git").mkdir()
    output.clear_unfinished(tmp_path)
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
    with pytest.raises(BadInput, match="leads nowhere"), atomic_folder(tmp_path / "dangling"):
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


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_full_disk_is_one_error_with_a_remedy_and_leaves_the_old_file(tmp_path, number):
    write_text(tmp_path / "a", "old")
    with (
        pytest.raises(CannotWrite, match="cannot be written") as caught,
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
    with pytest.raises(CannotWrite, match="cannot be written"):
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
    command = [sys.executable, "-m", "gindex_lab.foundation.output", str(tmp_path / "reports")]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert "kept 4 files" in told
    assert everything(tmp_path / "reports" / "gindex") == {"one/mine.txt": b"mine"}
    assert everything(mine) == before
    assert remove(tmp_path / "nothing") == []
    assert "rm -rf reports" not in (ROOT / "Makefile").read_text()


def test_saving_twice_replaces_and_a_folder_written_by_hand_is_refused(tmp_path):
    table = gl.Responses([[1, 0], [1, 1]], difficulty=[1, 2])
    table.save(tmp_path / "t")
    table.save(tmp_path / "t")
    assert is_ours(tmp_path / "t")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "responses.csv").write_text("agent,i\nann,1\n")
    with pytest.raises(BadInput, match="was not written by gindex_lab"):
        table.save(tmp_path / "own")


def test_the_package_can_be_pickled_so_that_functions_may_mention_it():
    assert pickle.loads(cloudpickle.dumps(gl)) is gl

    def double(x):
        return gl.__version__, 2 * x

    assert pickle.loads(cloudpickle.dumps(double))(3) == (gl.__version__, 6)
