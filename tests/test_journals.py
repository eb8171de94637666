"""Long computations go on where they were interrupted: journals, and AIQ logs by blocks."""

import errno
import os
from importlib import import_module
from pathlib import Path

import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.foundation.fingerprints import mark_of_arrays
from gindex_lab.foundation.journals import Journal, continued

HEADER = {"format": "test 1", "seed": 1, "sizes": (2, 3)}


def stop_at(call, module, name, monkeypatch):
    """The `call`-th call of a function is interrupted; gives how often it was called."""
    real, calls = getattr(module, name), []

    def counted(*given, **options):
        calls.append(given)
        if len(calls) == call:
            raise KeyboardInterrupt
        return real(*given, **options)

    monkeypatch.setattr(module, name, counted)
    return calls


def test_floats_come_back_as_they_went(tmp_path):
    values = [0.1, 1 / 3, float("inf"), 5e-324, 1e308]
    Journal(tmp_path / "j", HEADER).add({"values": values})
    assert Journal(tmp_path / "j", HEADER).entries == [{"values": values}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense\n", "checkpoint: not-a-journal"),
        ("[]\n", "checkpoint: not-a-journal"),
        ('{"format": "test 1", "seed": 2, "sizes": [2, 3]}\n', "checkpoint: other-computation"),
    ],
)  # fmt: skip
def test_foreign_and_corrupted_journals_are_refused(text, message, tmp_path):
    path = tmp_path / "j"
    path.write_text(text)
    with refused(message):
        Journal(path, HEADER)
    assert path.read_text() == text


@pytest.mark.parametrize("entry", [[1], {"sum": 1}, {"item": "a"}])
def test_a_piece_without_its_number_is_corrupted(entry, tmp_path):
    Journal(tmp_path / "j", HEADER).add(entry)
    journal = Journal(tmp_path / "j", HEADER)
    with refused("checkpoint: damaged"):
        continued(journal, lambda item: {"sum": item}, [0])


def test_what_a_journal_knows_is_not_computed_again(tmp_path):
    asked = []

    def compute(item):
        asked.append(item)
        return {"square": item**2}

    first = continued(Journal(tmp_path / "j", HEADER), compute, [0, 2])
    again = continued(Journal(tmp_path / "j", HEADER), compute, [2, 1, 0])
    assert first == [{"square": 0}, {"square": 4}]
    assert again == [{"square": 4}, {"square": 1}, {"square": 0}]
    assert asked == [0, 2, 1]


def test_fingerprints_tell_numbers_types_and_shapes_apart():
    given = [[[1, 2]], [[1.0, 2.0]], [[1, 3]], [[1], [2]], [[[1, 2]]]]
    assert len({mark_of_arrays(arrays) for arrays in given}) == len(given)


def test_an_interrupted_aiq_test_keeps_its_finished_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("gindex_lab.worlds.aiq.logs.BLOCK", 20)
    sample = gl.aiq.sample(300, seed=1)
    options = {"episode": 20, "runs": 120, "method": "plain", "seed": 1}
    whole = gl.aiq.estimate("freq", sample, **options)
    with monkeypatch.context() as patched:
        stop_at(3, import_module("gindex_lab.worlds.aiq.estimate"), "run", patched)
        with pytest.raises(KeyboardInterrupt):
            gl.aiq.estimate("freq", sample, **options, log=tmp_path / "log")
    assert len((tmp_path / "log").read_text().splitlines()) == 1 + 2 * 20
    again = gl.aiq.estimate("freq", sample, **options, log=tmp_path / "log")
    assert again.programs.equals(whole.programs)


def test_a_link_put_in_place_of_a_journal_is_not_followed(tmp_path):
    journal = Journal(tmp_path / "j", HEADER)
    (tmp_path / "thesis").write_text("ten years")
    (tmp_path / "j").unlink()
    (tmp_path / "j").symlink_to(tmp_path / "thesis")
    with pytest.raises(gl.CannotWrite):
        journal.add({"item": 0})
    assert (tmp_path / "thesis").read_text() == "ten years"


def test_a_disk_that_cannot_be_told_to_write_through_is_no_error(tmp_path, monkeypatch):
    def cannot(_):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fsync", cannot)
    Journal(tmp_path / "j", HEADER).add({"item": 0})
    assert Journal(tmp_path / "j", HEADER).entries == [{"item": 0}]


def test_one_module_hashes():
    """A second way to hash is a second fingerprint; a browser prescribes that of the pages' policy."""
    package = Path(gl.__file__).parent
    users = [p.name for p in package.rglob("*.py") if "import hashlib" in p.read_text("utf-8")]
    assert sorted(users) == ["fingerprints.py", "pages.py"]
