"""`make mutants`: small faults are put into the measures one at a time; the tests must notice each.

A mutant changes one operator, comparison or number in the body of a function (never of a docstring or an
error's text). It lives in memory: the tests named for a module are collected once and timed; then, for each
mutant, a fork gives the changed code to the living functions and runs the tests that call them, quickest
first, then the others, until one fails or the time is up. Nothing on disk changes. The run stops after
`--minutes`; with `--journal FILE` it goes on where it stopped and tries only survivors again. What no test
can notice stands in `EQUIVALENT` with its reason, and is named but not counted.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import inspect
import multiprocessing
import os
import random
import sys
import tempfile
import threading
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from gindex_lab.foundation.journals import Journal

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "gindex_lab"

# sixteen of each module, seed 1; survivors of the first run again, against the tests written for them alone
MEASURED = (
    "Last measured on 17 November 2026: 160 mutants of ten modules, 149 of 151 killed, 9 left out as equivalent; "
    "of the two that survived one has a test since, the other is listed."
)

# module -> what tests it, the quickest first
TARGETS: dict[str, list[str]] = {
    "measures/transforms.py": ["tests/test_transforms.py"],
    "measures/curves.py": ["tests/test_acc.py", "tests/test_transforms.py"],
    "measures/programs/sensitivity.py": ["tests/test_gindex.py"],
    "measures/programs/gindex.py": ["tests/test_gindex.py"],
    "worlds/aiq/stratified.py": ["tests/test_aiq_estimate.py"],
    "measures/psychometrics/person_fit.py": ["tests/test_person_fit.py"],
    "measures/psychometrics/extraction.py": ["tests/test_factors.py"],
    "worlds/tasks/letter_series/kt.py": ["tests/test_letter_series.py"],
    "worlds/flatland/checks.py": ["tests/test_flatland_programs.py"],
    "worlds/flatland/execution.py": ["tests/test_flatland_programs.py"],
}
# "module:function: change" -> why no test can notice
EQUIVALENT: dict[str, str] = {
    "measures/curves.py:_pieces: np.where(met, psi, 0.0) -> np.where(met, psi, 1.0)": (
        "a level that an agent never met has no width"
    ),
    "measures/curves.py:_product: rows.size < _LARGE or workers == 1 -> rows.size < _LARGE and workers == 1": (
        "with threads or without, the numbers are the same"
    ),
    "measures/curves.py:_product: os.cpu_count() or 1 -> os.cpu_count() and 1": (
        "with threads or without, the numbers are the same"
    ),
    "measures/curves.py:_product: os.cpu_count() or 1 -> os.cpu_count() or 2": (
        "with threads or without, the numbers are the same"
    ),
    "measures/psychometrics/person_fit.py:_ahead: values == 1 -> values == 2": (
        "rows of 0 and 1 then go the plain way, which gives the same numbers"
    ),
    "measures/psychometrics/extraction.py:_least_misfit: unseen > 0 -> unseen >= 0": (
        "one minimum asks for four descents more: the second condition decides"
    ),
    "measures/psychometrics/extraction.py:_least_misfit: unseen > 0 -> unseen > 1": (
        "one minimum asks for four descents more: the second condition decides"
    ),
    "worlds/tasks/letter_series/kt.py:_found: best + margin > bound -> best + margin >= bound": (
        "the same search is made again"
    ),
    "worlds/tasks/letter_series/kt.py:best_program: "
    "_cheapest(codes, -1, scale or KtScale(), longest, 0.0) -> "
    "_cheapest(codes, -1, scale or KtScale(), longest, 1.0)": (
        "the first row is the cheapest, however many follow"
    ),
    "worlds/flatland/execution.py:_move: (0.0, _number(node, 'theta', counts), False) -> "
    "(1.0, _number(node, 'theta', counts), False)": "how far a turn goes is not read",
    "worlds/flatland/execution.py:_constant_move: abs(node.params['dist']) > limits.distance -> "
    "abs(node.params['dist']) >= limits.distance": "such a move is computed when it is executed",
    "worlds/flatland/execution.py:_machine: 0 <= x < SIZE -> 0 < x < SIZE": "0 wrapped is 0",
    "worlds/tasks/letter_series/kt.py:_found: range(4, min(16, int(HIGHEST))) -> "
    "range(5, min(16, int(HIGHEST)))": "the search only begins with a wider bound",
    "worlds/tasks/letter_series/kt.py:best_program: "
    "_cheapest(codes, -1, scale or KtScale(), longest, 0.0) -> "
    "_cheapest(codes, -2, scale or KtScale(), longest, 0.0)": (
        "any negative place means that there is no gap"
    ),
    "worlds/tasks/letter_series/kt.py:_found: cost <= cost.min() + margin + 1e-09 -> "
    "cost < cost.min() + margin + 1e-09": "no cost lies on the slack",
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
    function, around = {}, {}
    for outer in ast.walk(tree):
        around |= dict.fromkeys(ast.iter_child_nodes(outer), outer)
        if isinstance(outer, ast.FunctionDef):
            for part in outer.body:  # its defaults are no part of its code
                function |= dict.fromkeys(ast.walk(part), outer.name)
    for node in ast.walk(tree):
        if node in skipped or node not in function:
            continue
        for attribute, new in _changes(node):
            # a number is named with what it stands in, a comparison or a call
            shown = around[node] if isinstance(node, ast.Constant) else node
            shown = around[shown] if isinstance(shown, (ast.UnaryOp, ast.keyword)) else shown
            old, before = getattr(node, attribute), ast.unparse(shown)
            setattr(node, attribute, new)
            name = f"{function[node]}: {before} -> {ast.unparse(shown)}"
            found.append(Mutant(module, node.lineno, name, copy.deepcopy(tree)))
            setattr(node, attribute, old)
    return sorted(found, key=lambda mutant: (mutant.line, mutant.name))


def _functions(code: types.CodeType) -> dict[tuple[str, int], types.CodeType]:
    """The functions and methods in a compiled module, by name and first line (not those inside functions)."""
    found: dict[tuple[str, int], types.CodeType] = {}
    for inner in (part for part in code.co_consts if isinstance(part, types.CodeType)):
        if inner.co_flags & inspect.CO_NEWLOCALS:
            found[inner.co_qualname, inner.co_firstlineno] = inner
        else:  # the body of a class
            found |= _functions(inner)
    return found


def _put_in(mutant: Mutant) -> None:
    """The living functions of this process take the code of the changed ones."""
    changed = _functions(compile(mutant.tree, str(mutant.module), "exec"))
    for function in [one for one in gc.get_objects() if isinstance(one, types.FunctionType)]:
        code = function.__code__
        if Path(code.co_filename) == mutant.module:
            function.__code__ = changed.get((code.co_qualname, code.co_firstlineno), code)


def _forked(work: Callable[[], object], seconds: float) -> object:
    """What `work` returns in a process of its own; "timeout" where it does not end, None where it dies."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=lambda: there.send(work()))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(seconds) else "timeout"
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


class _Trial:
    """A pytest plugin: instead of running the tests once, runs them in a fork for each mutant."""

    def __init__(self, module: Path, mutants: list[Mutant], told: Callable[[Mutant, str], None]):
        self.module, self.mutants, self.told = module, mutants, told

    def _noted(self, items: list) -> list[tuple[float, set[str]]] | None:
        """For each test its seconds and the module's functions it calls; None where one fails."""
        notes = []
        for item, following in zip(items, [*items[1:], None], strict=True):
            called: set[str] = set()

            def note(frame, event, _, called=called):
                if event == "call" and frame.f_code.co_filename == str(self.module):
                    called.add(frame.f_code.co_name)

            start = time.monotonic()
            sys.setprofile(note)
            threading.setprofile(note)
            reports = runtestprotocol(item, log=False, nextitem=following)
            sys.setprofile(None)
            if any(report.failed for report in reports):
                return None
            notes.append((time.monotonic() - start, called))
        return notes

    @staticmethod
    def _passed(items: list) -> bool:
        return all(
            report.passed or report.skipped
            for item, following in zip(items, [*items[1:], None], strict=True)
            for report in runtestprotocol(item, log=False, nextitem=following)
        )

    def pytest_runtestloop(self, session) -> bool:
        items = session.items
        notes = _forked(lambda: self._noted(items), 900)
        if not isinstance(notes, list):
            raise pytest.UsageError(f"{self.module.name}: its tests fail without any change")
        quickest = sorted(range(len(items)), key=lambda place: notes[place][0])
        for mutant in self.mutants:
            name = mutant.name.split(":")[0]
            near = [place for place in quickest if name in notes[place][1]]
            # what does not call the function may still see its result, through a fixture
            order = [items[place] for place in (*near, *(p for p in quickest if p not in near))]

            def tried(mutant=mutant, order=order) -> bool:
                _put_in(mutant)
                return self._passed(order)

            patience = 3 * sum(seconds for seconds, _ in notes) + 20
            passed = _forked(tried, patience)
            self.told(mutant, "survived" if passed is True else "killed")
        return True


def _tried(module: Path, tests: list[str], mutants: list[Mutant], journal: Journal) -> None:
    """In a process of its own: writes what became of each mutant into the journal."""

    def told(mutant: Mutant, result: str) -> None:
        journal.add([_label(mutant), mutant.line, result])

    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    options = [
        "-q",
        "-m",
        "not slow and not shared",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-s",
    ]
    trial = _Trial(module, mutants, told)
    os._exit(int(pytest.main([*options, *tests, str(module)], plugins=[trial])))


def _label(mutant: Mutant) -> str:
    return f"{mutant.module.relative_to(PACKAGE).as_posix()}:{mutant.name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--most", type=int, default=16, help="mutants of one module")
    parser.add_argument("--minutes", type=float, default=30, help="when to stop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="modules whose path holds this text")
    parser.add_argument("--journal", type=Path, help="go on from this file; survivors are tried again")
    asked = parser.parse_args()
    os.chdir(ROOT)
    place = asked.journal or Path(tempfile.mkdtemp()) / "journal"
    journal = Journal(place, {"format": "gindex_lab mutants 1"}, "journal")
    end = time.monotonic() + 60 * asked.minutes
    old = {(name, line): result for name, line, result in journal.entries}
    asked_of: list[tuple[str, int]] = []
    for target, tests in TARGETS.items():
        module = PACKAGE / target
        if asked.only not in str(module) or time.monotonic() > end:
            continue
        every = mutants_of(module)
        chosen = random.Random(asked.seed).sample(every, min(asked.most, len(every)))
        for mutant in [one for one in chosen if _label(one) in EQUIVALENT]:
            print(
                f"left out {_label(mutant)} (line {mutant.line}); {EQUIVALENT[_label(mutant)]}",
                flush=True,
            )
        chosen = [one for one in chosen if _label(one) not in EQUIVALENT]
        asked_of += [(_label(one), one.line) for one in chosen]
        left = [one for one in chosen if old.get((_label(one), one.line)) != "killed"]
        process = multiprocessing.get_context("fork").Process(
            target=_tried, args=(module, tests, left, journal)
        )
        if left:
            process.start()
            process.join(max(1.0, end - time.monotonic()))
            if process.exitcode is None:
                process.kill()
            elif process.exitcode:
                return 1
        print(f"{target}: {len(chosen)} of {len(every)}", flush=True)
    found = Journal(journal.path, journal.header, "journal").entries  # a fork has written it
    results = {(name, line): result for name, line, result in found}
    results = {key: results[key] for key in asked_of if key in results}
    for (name, line), result in results.items():
        if result == "survived":
            print(f"survived {name} (line {line}): write a test")
    killed = sum(result != "survived" for result in results.values())
    print(f"{killed} of {len(results)} mutants killed ({100 * killed / max(1, len(results)):.1f}%)")
    print(MEASURED)
    return 0 if killed >= 0.95 * len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
