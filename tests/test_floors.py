"""Imports only go down: a module imports from its own floor or from below, also inside functions."""

import ast
import re
from functools import cache
from pathlib import Path

import networkx
import pytest

import gindex_lab as gl
from gindex_lab.foundation.stubs import stubs

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ["foundation", "measures", "worlds", "studies", "presentation", "press"]


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted((ROOT / "gindex_lab").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def homes() -> dict[str, str]:
    """Where each name stands that the package itself offers: `from gindex_lab import aiq, generality`."""
    listed = {name: home for home, names in gl._CONTENTS.items() for name in names.split()}
    return listed | gl._PACKAGES | gl._UNLISTED


def module_of(name: str) -> str:
    """The module of ours behind a dotted name, which may end in a function or begin with an alias."""
    first, *rest = name.removeprefix("gindex_lab.").split(".")
    if first in homes():
        name = ".".join(["gindex_lab", homes()[first], *rest])
    while name not in modules() and "." in name:
        name = name.rpartition(".")[0]
    return name


def named(node: ast.AST) -> list[str]:
    """The dotted names that a node imports, or that stand in it as a string for `import_module`."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"line {node.lineno}: write the import in full"
        return [f"{node.module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in modules():
        return [node.value]
    return []


@cache
def nodes(code: str) -> list[ast.AST]:
    """What may import or ask, of the whole code: parsing sixty thousand lines once is enough."""
    kinds = (ast.Import, ast.ImportFrom, ast.Constant, ast.Call)
    return [node for node in ast.walk(ast.parse(code)) if isinstance(node, kinds)]


def imported(code: str) -> list[tuple[int, str]]:
    """(line, module of ours) of each import, wherever it stands; the package as such does not count."""
    found = [(node.lineno, n) for node in nodes(code) for n in named(node) if "gindex_lab." in n]
    return [(line, module_of(n)) for line, n in found if module_of(n) != "gindex_lab"]


def floor(module: str) -> int:
    """The number of its floor; the package itself and its `__main__` stand on the roof."""
    part = [*module.split("."), ""][1]
    return FLOORS.index(part) if part in FLOORS else len(FLOORS)


def upward(code: str, module: str) -> list[str]:
    return [
        f"{module}:{line} imports {other}" for line, other in imported(code) if floor(other) > floor(module)
    ]


def test_every_module_stands_on_a_floor():
    roof = {name for name in modules() if floor(name) == len(FLOORS)}
    assert roof == {"gindex_lab", "gindex_lab.__main__"}


def test_imports_only_go_down():
    found = [up for name, path in modules().items() for up in upward(path.read_text("utf-8"), name)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "from gindex_lab.presentation.plots.common import new_axes",
        "import gindex_lab.press.cli as cli",
        "from gindex_lab.studies import data",
        "from gindex_lab import aiq",
        "from gindex_lab import plot_curve",
        "from gindex_lab.aiq.sweep import Plan",
        "def f():\n    from gindex_lab.studies.data.loading import load\n    return load",
        "import_module('gindex_lab.press.notebook')",
    ],
)
def test_a_step_up_is_seen_wherever_it_stands(line):
    assert len(upward(line, "gindex_lab.measures.curves")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "from gindex_lab.foundation.errors import BadInput",
        "from gindex_lab.measures.fit import fit_of",
        "from gindex_lab import generality, __version__",
        "import numpy as np",
        "'gindex_lab wrote this'",
    ],
)
def test_a_step_down_is_free(line):
    assert upward(line, "gindex_lab.measures.curves") == []


def test_what_is_asked_of_a_higher_floor_is_declared_and_nothing_else():
    """`upstairs("plot_flow")` is the one way up, and the table of contents lists what may be asked."""
    asked = {}
    for name, path in modules().items():
        for node in nodes(path.read_text("utf-8")):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "upstairs":
                asked.setdefault(ast.literal_eval(node.args[0]), []).append(name)
    declared = {name: home for home, names in gl._UPSTAIRS.items() for name in names.split()}
    assert set(asked) == set(declared)
    for what, askers in asked.items():
        home = f"gindex_lab.{declared[what]}"
        own = home in {*networkx.ancestors(graph(), askers[0])} or floor(home) > floor(askers[0])
        assert len(askers) == 1 or all(floor(home) > floor(asker) for asker in askers), what
        assert own, f"{what} can be imported by {askers[0]}"


@cache
def graph() -> networkx.DiGraph:
    """Which module of code imports which at run time: not for types, and no table of contents."""
    found = networkx.DiGraph()
    for name, path in modules().items():
        if path.name != "__init__.py":
            tree = ast.parse(path.read_text("utf-8"))
            typed = [
                n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.dump(n.test)
            ]
            skipped = {id(inner) for n in typed for one in n.body for inner in ast.walk(one)}
            asked = [
                n
                for n in ast.walk(tree)
                if isinstance(n, ast.Import | ast.ImportFrom) and id(n) not in skipped
            ]
            ours = {module_of(n) for node in asked for n in named(node) if "gindex_lab." in n}
            found.add_edges_from(
                (name, one) for one in ours - {name, "gindex_lab"} if modules()[one].name != "__init__.py"
            )
    return found


# Where modules still import one another inside functions: a model and what makes it, an exercise and its course.
KNOTTED = (
    "measures.psychometrics.",
    "measures.alternatives.methods",
    "measures.generality",
    "presentation.widgets.",
)


def test_no_modules_import_one_another():
    """Nor inside functions: what one file says can be read without the other."""
    parts = networkx.strongly_connected_components(graph())
    found = [{name.removeprefix("gindex_lab.") for name in some} for some in parts if len(some) > 1]
    assert [some for some in found if not all(name.startswith(KNOTTED) for name in some)] == []


def test_the_drawing_for_contributors_is_the_real_graph():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    part = text.split("<!-- floors -->")[1].split("<!-- /floors -->")[0]
    drawn = {tuple(line.split(" --> ")) for line in map(str.strip, part.split("\n")) if "-->" in line}
    steps = {
        (FLOORS[floor(name)], FLOORS[floor(other)])
        for name, path in modules().items()
        for _, other in imported(path.read_text("utf-8"))
        if floor(name) < len(FLOORS) and floor(name) != floor(other)
    }
    assert drawn == steps


def test_every_package_has_its_reason_in_the_map():
    text = (ROOT / "README.md").read_text("utf-8")
    folders = {path.parent for path in modules().values() if path.name == "__init__.py"}
    deep = {f.relative_to(ROOT / "gindex_lab").as_posix() for f in folders if f.parent.parent != ROOT}
    deep -= {"."}
    assert len(deep) >= 15
    assert not [name for name in sorted(deep) if f"| `{name}/` | " not in text]


def test_every_file_that_the_page_for_contributors_names_exists():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named_files = set(re.findall(r"`((?:gindex_lab/)?[a-z_]+/[a-z_/0-9]+\.(?:py|md|toml|csv|ipynb))`", text))
    roots = (ROOT, ROOT / "gindex_lab")
    assert len(named_files) > 20
    assert not [name for name in named_files if not any((root / name).exists() for root in roots)]


def test_every_table_of_contents_has_the_stub_that_it_makes():
    made = stubs()
    assert len(made) >= 7
    for path, text in made.items():
        kept = path.read_text("utf-8") if path.exists() else ""
        assert kept == text, "run: .venv/bin/python -m gindex_lab.foundation.stubs"
