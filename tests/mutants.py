"""`make mutants`: small faults are put into the measures one at a time; the tests must notice each.

A mutant changes one operator, comparison or number of a module (never of a docstring, a default's
annotation or an error's text). It lives in memory: a forked process imports the changed module and runs
the tests named for it, until one fails or the time is up. Nothing on disk changes. The run stops after
`--minutes`; survivors are listed. What no test can notice stands in `EQUIVALENT` with its
reason, and is named but not counted.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import importlib.abc
import importlib.util
import multiprocessing
import os
import random
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "gindex_lab"

# module (first that exists) -> what tests it, the quickest first
TARGETS: dict[tuple[str, ...], list[str]] = {
    ("measures/transforms.py",): ["tests/test_transforms.py"],
    ("measures/curves.py",): ["tests/test_acc.py", "tests/test_transforms.py"],
    ("measures/programs/sensitivity.py",): ["tests/test_gindex.py"],
    ("measures/programs/gindex.py",): ["tests/test_gindex.py"],
    ("worlds/aiq/stratified.py",): ["tests/test_aiq_estimate.py"],
    ("measures/psychometrics/person_fit.py",): ["tests/test_person_fit.py"],
    ("measures/psychometrics/extraction.py",): ["tests/test_factors.py"],
    ("worlds/tasks/series_kt.py",): ["tests/test_letter_series.py"],
    ("worlds/flatland/checks.py",): ["tests/test_flatland_programs.py"],
    ("worlds/flatland/execution.py",): ["tests/test_flatland_programs.py"],
}
# "module:function: change" -> why no test can notice
EQUIVALENT: dict[str, str] = {
    "measures/curves.py:_pieces: 0.0 -> 1.0": "a level that an agent never met has no width",
    "worlds/tasks/series_kt.py:_found: 4.0 -> 5.0": "the search only begins with a wider bound",
    "worlds/tasks/series_kt.py:best_program: 1 -> 2": "any negative place means that there is no gap",
    "worlds/tasks/series_kt.py:_table: cost <= cost.min() + margin + 1e-09 -> "
    "cost < cost.min() + margin + 1e-09": "no cost lies on the slack",
    "measures/curves.py:_product: rows.size < _LARGE or workers == 1 -> rows.size < _LARGE and workers == 1": (
        "with threads or without, the numbers are the same"
    ),
}

_COMPARE = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
            ast.NotEq: ast.Eq}  # fmt: skip
_ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
_LOGIC = {ast.And: ast.Or, ast.Or: ast.And}


class Mutant(NamedTuple):
    """One change: the module, where, what, and the whole changed tree."""

    module: Path
    line: int
    name: str
    tree: ast.Module


def _changes(node: ast.AST):
    """The (attribute or place, new value) of each small fault that this node can have."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARE:
        yield "ops", [_COMPARE[type(node.ops[0])](), *node.ops[1:]]
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _ARITHMETIC:
        yield "op", _ARITHMETIC[type(node.op)]()
    if isinstance(node, ast.BoolOp):
        yield "op", _LOGIC[type(node.op)]()
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield "value", node.value + 1
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "value", not node.value


def _skipped(tree: ast.Module) -> set[ast.AST]:
    """Annotations, and what only words an error: a raise, and the lines that name its problem."""
    out: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise):
            out |= set(ast.walk(node))
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            out |= set(ast.walk(part)) if part is not None else set()
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in (
            "problem",
            "remedy",
        ):
            out |= set(ast.walk(node))
    return out


def mutants_of(module: Path) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    skipped, found = _skipped(tree), []
    function = {}
    for outer in ast.walk(tree):
        if isinstance(outer, ast.FunctionDef):
            function |= dict.fromkeys(ast.walk(outer), outer.name)
    for node in ast.walk(tree):
        if node in skipped or node not in function:
            continue
        for attribute, new in _changes(node):
            old, before = getattr(node, attribute), ast.unparse(node)
            setattr(node, attribute, new)
            name = f"{function[node]}: {before} -> {ast.unparse(node)}"
            found.append(Mutant(module, node.lineno, name, copy.deepcopy(tree)))
            setattr(node, attribute, old)
    return sorted(found, key=lambda mutant: (mutant.line, mutant.name))


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the changed module in place of the one on disk."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.name = ".".join(mutant.module.relative_to(ROOT).with_suffix("").parts)

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.mutant.module, loader=self)

    def exec_module(self, module):
        code = compile(ast.fix_missing_locations(self.mutant.tree), self.mutant.module, "exec")
        exec(code, module.__dict__)


def _tried(mutant: Mutant | None, tests: list[str]) -> None:
    """In a process of its own: exits with 0 where every test passes."""
    import pytest

    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    if mutant is not None:
        changed = _Changed(mutant)
        sys.meta_path.insert(0, changed)
        importlib.import_module(
            changed.name
        )  # before pytest, which would take doctests from the file
        tests = [*tests, str(mutant.module)]
    options = [
        "-x",
        "-q",
        "-m",
        "not slow and not shared",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    os._exit(int(pytest.main([*options, *tests])))


def _run(mutant: Mutant | None, tests: list[str], seconds: float) -> str:
    process = multiprocessing.get_context("fork").Process(target=_tried, args=(mutant, tests))
    process.start()
    process.join(seconds)
    if process.is_alive():  # an endless loop is noticed too
        process.kill()
        process.join()
        return "timeout"
    return "survived" if process.exitcode == 0 else "killed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--most", type=int, default=16, help="mutants of one module")
    parser.add_argument("--minutes", type=float, default=30, help="when to stop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="modules whose path holds this text")
    asked = parser.parse_args()
    os.chdir(ROOT)
    end, results = time.monotonic() + 60 * asked.minutes, []
    for once in (
        "hypothesis", "matplotlib.pyplot", "networkx", "numba", "pandas", "pytest", "scipy.optimize", "scipy.stats",
    ):  # fmt: skip
        importlib.import_module(once)  # before the forks, so that no child pays for it

    for places, tests in TARGETS.items():
        module = next((PACKAGE / place for place in places if (PACKAGE / place).exists()), None)
        if module is None or asked.only not in str(module):
            continue
        start = time.monotonic()
        if _run(None, tests, 600) != "survived":
            print(f"{places[0]}: its tests fail without any change", file=sys.stderr)
            return 1
        patience = 3 * (time.monotonic() - start) + 20
        every = mutants_of(module)
        chosen = random.Random(asked.seed).sample(every, min(asked.most, len(every)))
        done: list[str] = []
        for mutant in chosen:
            if time.monotonic() > end:
                break
            label = f"{module.relative_to(PACKAGE).as_posix()}:{mutant.name}"
            if label in EQUIVALENT:
                print(f"left out {label} (line {mutant.line}); {EQUIVALENT[label]}", flush=True)
                continue
            results.append(_run(mutant, tests, patience))
            done.append(results[-1])
            if results[-1] == "survived":
                print(f"survived {label} (line {mutant.line}): write a test", flush=True)
        print(
            f"{module.relative_to(ROOT)}: {len(done) - done.count('survived')}/{len(done)} of {len(every)}",
            flush=True,
        )
    killed = len(results) - results.count("survived")
    print(f"{killed} of {len(results)} mutants killed ({100 * killed / max(1, len(results)):.1f}%)")
    return 0 if killed >= 0.95 * len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
