"""Hostile calls of every public name: wrong types, NaN, infinities, giants, empty, one element, wrong shapes.

`python tests/fuzzing.py START STOP SAMPLE` makes the calls of the names START to STOP (with START -1, of the methods of
objects of ours), one JSON line per call that
was not answered by an error of ours or by a result. Memory is limited to 4 GiB, each call to a few seconds.
"""

import inspect
import json
import os
import random
import resource
import signal
import sys
import tempfile
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import ModuleType

SECONDS = 20  # of work; a first call may have to compile its kernels
MOST = 4 * 2**30
# what starts servers or clusters, or waits for people
LEFT_OUT = {"cluster"}
# what does honest work for long unless it is told to do less
CHEAP = {"letter_series.table": {"longest": 4}, "round_robin": {"games": 2}}


class TooSlow(BaseException):
    """A call that took longer than allowed."""


def names():
    """(label, object) of every public function and class."""
    import gindex_lab as gl

    found = []
    for name in gl.__all__:
        value = getattr(gl, name)
        if isinstance(value, ModuleType):
            found += [(f"{name}.{one}", getattr(value, one)) for one in value.__all__]
        else:
            found.append((name, value))
    return [
        (label, value)
        for label, value in found
        if callable(value)
        and label not in LEFT_OUT
        and not (inspect.isclass(value) and issubclass(value, BaseException))
    ]


def methods():
    """(label, bound method) of the public methods of objects that users make or get."""
    import gindex_lab as gl

    good = plausible()
    corpus = gl.corpus(2, seed=1)
    drawing = gl.flatland.Drawing((gl.flatland.Line(10, 10, 50, 50),))
    world = gl.anytime.Environment("1+|1-", "0")
    exam = gl.anytime.Examination("random", seconds=0.01, pool=gl.anytime.Pool.of([world]))
    objects = {
        "Responses": good["responses"], "Scores": good["scores"], "Flow": good["flow"],
        "Rules": gl.Rules, "Experiment": gl.Experiment, "Lazy": gl.Lazy(gl.NGram), "NGram": gl.NGram(),
        "NearestNeighbour": gl.NearestNeighbour(), "RandomNodes": gl.RandomNodes(),
        "SlotFilling": gl.SlotFilling(), "TemplateInduction": gl.TemplateInduction(),
        "irt": gl.irt(good["responses"], "1pl"), "divergence": gl.divergence(good["a"], good["b"]),
        "aiq.Freq": gl.aiq.agent("freq"), "aiq.QLearning": gl.aiq.agent("q-learning"),
        "anytime.Environment": world, "anytime.Examination": exam, "anytime.Pool": exam.pool,
        "anytime.VirtualClock": gl.anytime.VirtualClock(0.1), "flatland.Drawing": drawing,
        "flatland.Program": drawing.program(), "letter_series.Scale": gl.letter_series.Scale(),
        "mazes.RandomWalk": gl.mazes.RandomWalk(), "corpus": corpus[0],
    }  # fmt: skip
    found = []
    for label, one in objects.items():
        for name in sorted(dir(one)):
            if name.startswith("_") or isinstance(getattr(type(one), name, None), property):
                continue
            value = getattr(one, name)
            ours = str(getattr(value, "__module__", "")).startswith("gindex_lab")
            if inspect.ismethod(value) and ours:
                found.append((f"{label}.{name}", value))
    return found


def hostile():
    """Values that no function should take for granted."""
    import numpy as np
    import pandas as pd

    looped: list = []
    looped.append(looped)
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    tangled: dict = {}
    tangled["a"] = tangled
    return {
        "None": None,
        "True": True,
        "text": "abc",
        "empty text": "",
        "bytes": b"abc",
        "nan": float("nan"),
        "inf": float("inf"),
        "minus inf": float("-inf"),
        "zero": 0,
        "minus one": -1,
        "one": 1,
        "half": 0.5,
        "large": 10**9,
        "giant": 10**400,
        "complex": 1j,
        "empty list": [],
        "one element": [1],
        "list of None": [None, None],
        "list of nan": [float("nan"), 1.0],
        "ragged": [[1, 2], [3]],
        "texts": ["a", "b"],
        "empty dict": {},
        "dict": {"a": 1},
        "set": {1, 2},
        "object": object(),
        "function": lambda: None,
        "class": int,
        "zero-dimensional": np.array(3.0),
        "empty array": np.zeros((0, 3)),
        "cube": np.ones((2, 2, 2)),
        "texts in an array": np.array([["a", "b"]]),
        "empty frame": pd.DataFrame(),
        "frame": pd.DataFrame({"a": [1.0, 2.0], "b": ["x", None]}),
        "series": pd.Series([1.0, np.nan]),
        "date": pd.Timestamp("2026-01-01"),
        "Decimal": Decimal("1.5"),
        "Fraction": Fraction(1, 3),
        "count as a float": 3.0,
        "numpy count": np.int8(3),
        "numpy half": np.float16(0.5),
        "missing": pd.NA,
        "list of itself": looped,
        "deep list": deep,
        "dict of itself": tangled,
        "long text": "ab" * 200_000,
        "half a character": "\ud800",
        "Decimals": [Decimal(1), Decimal(2)],
        "frame of Decimals": pd.DataFrame({"a": [Decimal(1), Decimal(2)], "b": ["x", "y"]}),
        "nullable frame": pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": pd.array(["x", None], "string")}),
        "columns twice": pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "a"]),
        "levels": pd.DataFrame([[1.0, 2.0]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])),
        "dates with a zone": pd.Series(pd.date_range("2026-01-01", periods=2, tz="Asia/Tokyo")),
    }  # fmt: skip


def plausible():
    """For a parameter of a given type or name, something that could be meant."""
    import numpy as np

    import gindex_lab as gl

    flow = gl.Flow(
        [{"id": "a", "type": "http", "wires": [["b"]]}, {"id": "b", "type": "debug", "wires": [[]]}]
    )
    table = gl.Responses(np.tril(np.ones((4, 5))), difficulty=[1, 2, 3, 4, 5])
    return {
        "flow": flow, "a": flow, "b": flow, "flows": [flow, flow], "corpus": [flow],
        "responses": table, "scores": gl.Scores(np.arange(20.0).reshape(4, 5)), "table": gl.generality(table),
        "program": ",.#", "actions": [0, 1, 2], "agent": "random", "seed": 1, "path": "nothing.csv",
        "study": table, "difference": 0.2, "bank": table, "k": 2,
        "n": 2, "rank": 4, "space": "1+|1-", "pattern": "1", "sequence": "ababab", "text": "abc",
    }  # fmt: skip


def cases(label, value, sample):
    """(what, args, kwargs) of the calls of one name."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return
    bad, good = hostile(), plausible()
    parameters = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    needed = [p for p in parameters if p.default is p.empty]
    made = []
    for what, hostile_value in bad.items():
        if needed:
            made.append((f"all\t{what}", {p.name: hostile_value for p in needed}))
        for p in parameters:
            if p in needed and len(needed) == 1:
                continue
            others = {q.name: good.get(q.name, 1) for q in needed if q is not p}
            others |= CHEAP.get(label, {})
            made.append((f"{p.name}\t{what}", {**others, p.name: hostile_value}))
    chosen = random.Random(label)
    if sample and len(made) > sample:
        chosen.shuffle(made)
        first = {what.rpartition("\t")[2]: k for k, (what, _) in enumerate(made)}  # one of each kind
        others = [k for k in range(len(made)) if k not in first.values()]
        made = [made[k] for k in [*first.values(), *others][:sample]]
    for what, arguments in made:
        args = [arguments.pop(p.name) for p in parameters if p.kind is p.POSITIONAL_ONLY]
        yield what, args, arguments


def compiling(frame):
    """Whether a kernel is being compiled."""
    while frame is not None:
        if {"numba", "llvmlite"} & set(Path(frame.f_code.co_filename).parts):
            return True
        frame = frame.f_back
    return False


def attempt(value, args, kwargs, seconds=SECONDS, seen=None):
    """None where the call gave a result or an error of ours (put into `seen`), else the raw error in words."""
    import gindex_lab as gl

    stopped = []

    def stop(_, frame):
        if compiling(frame):  # LLVM does not survive an exception
            signal.setitimer(signal.ITIMER_PROF, 0.2)
            return
        stopped.append(True)
        raise TooSlow

    # seconds of work: the machine may be busy with other things
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        value(*args, **kwargs)
    except gl.GIndexLabError as error:
        if seen is not None:
            seen.append(error)
        return None
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is reported
        if stopped:  # compiled code turns it into a SystemError
            return f"TooSlow: more than {SECONDS} s"
        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
            if frame.tb_frame.f_code.co_filename.startswith("<doctest"):
                return None  # a function of the caller's, which was asked for something else
        where = f"{Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno}" if frame else ""
        return f"{type(error).__name__}: {str(error)[:150]} ({where})"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def walk(chosen, calls):
    """Make the `calls` of each name in a small process; print what is wrong, and how many there were.

    `calls` gives, for a name and its value, what is tried in words, and a function that tries it.
    """
    resource.setrlimit(resource.RLIMIT_AS, (MOST, MOST))
    os.chdir(tempfile.mkdtemp())
    os.environ["GINDEX_LAB_OFFLINE"] = "1"
    warnings.simplefilter("ignore")
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    count = 0
    for label, value in chosen:
        for what, tried in calls(label, value):
            print(json.dumps({"trying": f"{label}({what})"}), file=sys.stderr, flush=True)
            count += 1
            problem = tried()
            if problem:
                print(json.dumps({"call": label, "what": what, "problem": problem}), flush=True)
        pyplot.close("all")
    print(json.dumps({"calls": count}), flush=True)


def main(start, stop, sample):
    def calls(label, value):
        for what, args, kwargs in cases(label, value, sample):
            yield what, partial(attempt, value, args, kwargs)

    walk(methods() if start < 0 else names()[start:stop], calls)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
