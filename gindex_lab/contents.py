"""The lazy table of contents of a package: a name is imported from its module when it is first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["contents"]


def contents(
    package: str, names: Mapping[str, str], packages: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, for its `__init__.py`.

    `names` maps a module of the package to the public names it holds; `packages` maps a name to a
    module offered whole (`gl.aiq` is `gindex_lab.aiq`, `gl.mazes` is `gindex_lab.tasks.mazes`).

    >>> get, listing, everything = contents("gindex_lab", {"responses": "Responses Scores"})
    >>> everything
    ['Responses', 'Scores']
    >>> get("Scores")
    <class 'gindex_lab.responses.Scores'>
    """
    where = {name: module for module, line in names.items() for name in line.split()}
    whole = dict(packages or {})
    everything = sorted({*where, *whole})

    def lookup(name: str) -> Any:
        if name in whole:
            return import_module(f"{package}.{whole[name]}")
        if name not in where:
            raise AttributeError(f"{package} has no {name!r}; it offers {', '.join(everything)}")
        from gindex_lab.declared import hold

        value = hold(import_module(f"{package}.{where[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    class Contents(ModuleType):
        """Importing the module `explain` must not hide the function `explain`; and `gl` can be pickled."""

        def __setattr__(self, name: str, value: Any) -> None:
            if not (name in where and isinstance(value, ModuleType)):
                super().__setattr__(name, value)

        def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
            return import_module, (package,)

    sys.modules[package].__class__ = Contents
    return lookup, lambda: everything, everything
