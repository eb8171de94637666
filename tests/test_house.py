"""Rules of the house that a reader would otherwise have to know: what errors and names look like."""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = sorted((ROOT / "tests").glob("*.py"))
PACKAGE = sorted((ROOT / "gindex_lab").rglob("*.py"))


def calls_in(path):
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]


def test_no_test_matches_the_wording_of_an_error():
    """An error is known by its argument and code (`refusals.refused`); two tests match what they raised."""
    matched = [
        f"{path.name}: {ast.unparse(word.value)}"
        for path in TESTS
        for call in calls_in(path)
        if getattr(call.func, "attr", "") in ("raises", "warns")
        for word in call.keywords
        if word.arg == "match"
    ]
    assert matched == ["test_constraints.py: 'a fault of ours'", "test_responses.py: 'disk full'"]


def test_one_class_name_has_one_meaning():
    """Agents of the same kind have the same name in `gl.aiq`, `gl.anytime` and `gl.mazes`."""
    agents = {"Constant", "Optimal", "Own", "QLearning", "Random"}
    classes = Counter(
        node.name
        for path in PACKAGE
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, times in classes.items() if times > 1} == agents
    assert max(classes.values()) == 2
