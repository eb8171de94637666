"""Rules of the house that a reader would otherwise have to know: what errors and names look like."""

import ast
import importlib
import inspect
import re
from collections import Counter
from pathlib import Path

from gindex_lab.foundation.contents import TABLES

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


def hinted_as_object(path):
    """Parameters of the functions of a module whose hint is or contains `object`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for hint in (
                argument.annotation
                for argument in ast.walk(node.args)
                if isinstance(argument, ast.arg) and argument.annotation is not None
            ):
                if any(isinstance(x, ast.Name) and x.id == "object" for x in ast.walk(hint)):
                    yield f"{path.name}: {node.name}"


def test_hints_say_what_a_parameter_is():
    """`object` stays for what any value may be: what is checked, shown in a message, or never looked at."""
    assert len([found for path in PACKAGE for found in hinted_as_object(path)]) <= 220


PLACE = re.compile(  # of an equation, a section, a figure or pages
    r"(Eqs?\.?|[Ss]ections?|Tables?|Figs?\.?|Figures?|Def(?:inition)?s?|[Cc]hapters?|Propositions?) \(?S?\d"
    r"|supplement,? [A-H]|\b[A-H]\.\d|\d, \d+-\d+"
)


def public_values():
    """Every function and class that a table of contents offers, of `gl` and of its packages."""
    for init in PACKAGE:
        if init.name == "__init__.py":
            importlib.import_module(".".join(init.parent.relative_to(ROOT).parts))
    for package, (names, _) in sorted(TABLES.items()):
        for name in names:
            value = getattr(importlib.import_module(package), name)
            if callable(value):
                yield value if inspect.isclass(value) else inspect.unwrap(value)


def test_public_names_cite_their_source_and_show_an_example():
    documented = {id(value): inspect.getdoc(value) or "" for value in public_values()}.values()
    cited = sum(PLACE.search(text) is not None for text in documented) / len(documented)
    shown = sum(">>>" in text for text in documented) / len(documented)
    assert (cited >= 0.6, shown >= 0.85) == (True, True), (cited, shown)


def test_the_public_surface_is_typed():
    found = set()
    for value in public_values():
        methods = vars(value).values() if inspect.isclass(value) else [value]
        for one in map(inspect.unwrap, filter(callable, methods)):
            hints = getattr(one, "__annotations__", {})
            found |= {
                f"{one.__qualname__}: {parameter}"
                for parameter, hint in hints.items()
                if parameter != "return"
                and re.search(r"\bobject\b", str(hint))
                and not one.__name__.startswith("_")
            }
    assert len(found) <= 10, sorted(found)


def test_the_table_of_where_things_are_leads_to_them():
    """Every file in CONTRIBUTING's table exists, and a name in brackets after it is defined in it."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text.split("## Where things are")[1].split("\n## ")[0]
    for row in [line for line in table.splitlines() if ".py" in line]:
        folder = ROOT
        for path, name in re.findall(r"`([\w/]+\.py)`(?: \(`(\w+)`)?", row):
            file = ROOT / "gindex_lab" / path if "/" in path else folder / path
            folder = file.parent
            defined = re.search(rf"^ *(def|class) {name}\b", file.read_text(), re.M) if name else True
            assert defined, f"{path}: {name}"
