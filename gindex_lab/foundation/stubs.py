"""What a type checker and an editor read instead of the lazy tables of contents: a stub beside each.

`python -m gindex_lab.foundation.stubs` rewrites every `__init__.pyi`; a test fails when one is out of date.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from gindex_lab.foundation.contents import TABLES
from gindex_lab.foundation.output import write_text

__all__ = ["stub", "stubs"]


def stub(package: str) -> str:
    """The table of contents as a type checker reads it: every name imported from its home."""
    import_module(package)
    where, whole = TABLES[package]
    lines = [f"from {package}.{home} import {name} as {name}" for name, home in where.items()]
    for name, home in whole.items():
        parent, _, last = f"{package}.{home}".rpartition(".")
        lines.append(f"from {parent} import {last} as {name}")
    more = ["__version__: str", "_PACKAGES: dict[str, str]"] if package == "gindex_lab" else []
    note = "# Made from the table of contents: python -m gindex_lab.foundation.stubs"
    return "\n".join([note, "", *sorted(lines, key=str.lower), "", *more, "__all__: list[str]", ""])


def stubs() -> dict[Path, str]:
    """The stub of every table of contents below the package, by the file it belongs into."""
    root = Path(__file__).resolve().parents[1]
    tables = [path for path in root.rglob("__init__.py") if "_contents(" in path.read_text("utf-8")]
    packages = [path.parent.relative_to(root.parent).parts for path in sorted(tables)]
    return {root.parent.joinpath(*parts, "__init__.pyi"): stub(".".join(parts)) for parts in packages}


if __name__ == "__main__":
    for file, text in stubs().items():
        write_text(file, text)
