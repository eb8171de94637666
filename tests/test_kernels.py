"""Machine code on disk is used again, and never after a kernel that it calls was changed."""

import os
import subprocess
import sys

import pytest

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
