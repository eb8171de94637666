"""Machine code on disk is used again, and never after a kernel that it calls was changed."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

import gindex_lab

CALLER = """
from gindex_lab.foundation.kernels import compiled
from callee import inner

@compiled
def outer(x):
    return inner(x)
"""
CALLEE = """
from gindex_lab.foundation.kernels import compiled

@compiled
def inner(x):
    return x + {number}
"""


@pytest.fixture
def run(tmp_path):
    def run(number, later):
        (tmp_path / "caller.py").exists() or (tmp_path / "caller.py").write_text(CALLER)
        (tmp_path / "callee.py").write_text(CALLEE.format(number=number))
        os.utime(tmp_path / "callee.py", (later, later))
        code = "from caller import outer; print(outer(1), sum(outer.stats.cache_hits.values()))"
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert not done.returncode, done.stderr
        return done.stdout.split()

    return run


def test_a_changed_callee_is_compiled_into_its_caller(run):
    assert run(1, 1_000_000) == ["2", "0"]
    assert run(1, 1_000_000) == ["2", "1"]  # from the disk
    assert run(5, 2_000_000) == ["6", "0"]  # numba alone would still say 2


def test_numba_alone_still_keeps_stale_code(run, tmp_path):
    """The reason for `kernels.py`, which writes numba's private stamp: if this fails, numba watches callees
    itself, and the stamp can go."""
    plain = "from numba import njit\ncompiled = njit(cache=True)"
    caller = CALLER.replace("from gindex_lab.foundation.kernels import compiled", plain)
    (tmp_path / "caller.py").write_text(caller)
    assert run(1, 1_000_000)[0] == "2"
    assert run(5, 2_000_000)[0] == "2"


def test_a_kernel_watches_the_file_of_every_kernel_that_its_module_imports():
    """Else a change in another folder, which `uses=` should name, would leave stale machine code on disk."""
    package, watched = Path(gindex_lab.__file__).parent, 0
    for path in package.rglob("*.py"):
        if not re.search(r"^@(compiled|inlined)", path.read_text("utf-8"), re.M):
            continue
        module = import_module(".".join(["gindex_lab", *path.relative_to(package).with_suffix("").parts]))
        kernels = [value for value in vars(module).values() if isinstance(value, Dispatcher)]
        files = {Path(kernel.py_func.__code__.co_filename) for kernel in kernels}
        stamps = {file: (file.stat().st_mtime, file.stat().st_size) for file in files}
        for caller in (one for one in kernels if one.py_func.__module__ == module.__name__):
            for file, stamp in stamps.items():
                watched += 1
                assert stamp in caller._cache._cache_file._source_stamp, (caller, file)
    assert watched > 50
