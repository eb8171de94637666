"""The saved state of an anytime test: a small JSON file, written whole or not at all.

It holds the rows of the trajectory, ξ, the time, and what the test is (agent, pool, clock, τ0, seed). All
chance is a function of the seed and of the number of the environment, so that a test which goes on from here
gives what it would have given without the pause.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.fingerprints import is_sealed, mark_of, sealed
from gindex_lab.foundation.inputs import read_text
from gindex_lab.foundation.output import write_text
from gindex_lab.worlds.anytime.clocks import VirtualClock

if TYPE_CHECKING:
    from gindex_lab.worlds.anytime.running import Examination

__all__ = ["identity", "read_state", "write_state"]

_FORMAT = "gindex_lab anytime state 1"


def identity(exam: Examination) -> dict[str, Any]:
    """What must be the same for a test to go on.

    >>> import gindex_lab as gl
    >>> pool = gl.anytime.Pool.of([gl.anytime.Environment("1+|1-", "0")])
    >>> identity(gl.anytime.Examination("random", pool=pool, seed=1))["agent"]
    'Random()'
    """
    worlds = exam.pool.environments
    text = "\n".join(f"{e!r} {e.delta} {e.r0} {e.observation} {e.identify}" for e in worlds)
    return {
        "agent": repr(exam.agent),
        "pool": mark_of(f"{exam.pool.measure}\n{text}"),
        "clock": repr(exam.clock) if isinstance(exam.clock, VirtualClock) else "real",
        "tau0": str(exam.tau0),
        "antithetic": exam.antithetic,
        "seed": exam.seed,
    }


def write_state(exam: Examination, path: Path) -> None:
    """Save what `read_state` needs."""
    progress = {"xi": exam.xi, "increments": exam.increments, "elapsed": str(exam.elapsed), "rows": exam.rows}
    state = sealed({"format": _FORMAT, "test": identity(exam), **progress})
    write_text(path, json.dumps(state, indent=1) + "\n")


def read_state(exam: Examination, path: Path) -> None:
    """Put a saved state into an examination of the same test."""
    try:
        state = _unsealed(path)
        saved, xi, increments = dict(state["test"]), float(state["xi"]), int(state["increments"])
        elapsed, rows = Fraction(state["elapsed"]), list(state["rows"])
        if not (0 < xi < inf and elapsed >= 0 and increments >= 0):
            raise ValueError("ξ, the time or the increments are out of range")
        if len({int(row["place"]) for row in rows}) < len(rows):
            raise ValueError("an environment was used twice")
        if not all(-1 <= row["reward"] <= 1 and row["counted"] >= 0 for row in rows):
            raise ValueError("a reward is not in [-1, 1]")
    except BadInput:
        raise
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        problem = f"[not-a-state] is not a saved state of an anytime test ({type(error).__name__}: {error})"
        raise BadInput("path", str(path), problem, "name another file") from None
    for name, value in identity(exam).items():
        problem = f"[other-test] holds a test with {name} {saved.get(name)!r}, not {value!r}"
        remedy = "go on with the same test, or name another file"
        ensure(saved.get(name) == value, "path", str(path), problem, remedy)
    exam.xi, exam.increments, exam.elapsed, exam.rows = xi, increments, elapsed, rows


def _unsealed(path: Path) -> dict[str, Any]:
    """What a file holds; "damaged" where it is ours, but not as we wrote it."""
    text = read_text(path)
    try:
        state = json.loads(text)
        if is_sealed(state):
            return dict(state)
    except (ValueError, RecursionError):
        pass
    if _FORMAT not in text:
        raise ValueError("it has no seal")
    problem = "[damaged] is a damaged state of an anytime test"
    remedy = "delete it, and the test starts from the beginning"
    raise BadInput("path", str(path), problem, remedy)
