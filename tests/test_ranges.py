"""Numbers have a range by the name of their parameter, and every public function and class keeps to it."""

import inspect
import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from fuzzing import names, plausible

import gindex_lab as gl
from gindex_lab.foundation.declared import RANGES, declared


def ranged():
    """(label, callable, parameter) of every public callable with a parameter that has a range."""
    found = []
    for label, value in names():
        try:
            parameters = inspect.signature(value).parameters
        except (TypeError, ValueError):
            continue
        found += [(label, value, parameters[name]) for name in RANGES if name in parameters]
    return found


def outside(name):
    low, high = RANGES[name]
    return [low - 1, *([high + 1] if math.isfinite(high) else []), math.nan]


def test_numbers_out_of_range_are_refused_by_every_public_name():
    good, wrong, calls = plausible(), [], 0
    for label, value, parameter in ranged():
        every = inspect.signature(value).parameters.values()
        needed = [
            p.name for p in every if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
        ]
        for bad in outside(parameter.name):
            given = {name: good.get(name, 1) for name in needed} | {parameter.name: bad}
            calls += 1
            try:
                value(**given)
                wrong.append(f"{label}({parameter.name}={bad}) gave a result")
            except gl.BadInput as error:
                if error.argument != parameter.name:
                    wrong.append(f"{label}({parameter.name}={bad}) named {error.argument}")
    assert wrong == []
    assert calls > 300


def test_a_range_holds_by_position_and_by_name():
    @declared
    def half(runs, ci=0.5):
        return runs / 2

    assert half(1, 1) == 0.5
    for call in (lambda: half(0), lambda: half(runs=0), lambda: half(1, 2), lambda: half(1, ci=-1)):
        with pytest.raises(gl.BadInput) as caught:
            call()
        assert caught.value.code == "out-of-range"
