"""The lazy table of contents of a package: a name is imported from its module when it is first used.

Type checkers and editors cannot follow that, so each table has a stub beside it (`__init__.pyi`), which
`stubs` makes from it.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["TABLES", "contents"]

TABLES: dict[str, tuple[dict[str, str], dict[str, str]]] = {}  # of each package that has one


def contents(
    package: str,
    names: Mapping[str, str],
    packages: Mapping[str, str] | None = None,
    unlisted: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, for its `__init__.py`.

    `names` maps a module of the package to the public names it holds; `packages` maps a name to a
    module offered whole (`gl.aiq` is `gindex_lab.worlds.aiq`), also for `import gindex_lab.aiq`;
    `unlisted` ones are found in the same way and are not in `__all__`.

    >>> import gindex_lab as gl
    >>> "Scores" in gl.__all__, gl.Scores
    (True, <class 'gindex_lab.foundation.responses.Scores'>)
    """
    where = {name: module for module, line in names.items() for name in line.split()}
    whole = {**(packages or {}), **(unlisted or {})}
    everything = sorted({*where, *(packages or {})})
    TABLES[package] = (where, whole)

    def lookup(name: str) -> Any:
        if name in whole:
            return import_module(f"{package}.{whole[name]}")
        if name not in where:
            said = f"{package} has no {name!r}; it offers {', '.join(everything)}"
            raise AttributeError(said, name=name)
        from gindex_lab.foundation.declared import hold

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
    if whole:  # first, since an ordinary finder would load `gindex_lab.aiq.sweep` a second time
        homes = {f"{package}.{name}": f"{package}.{home}" for name, home in whole.items()}
        sys.meta_path.insert(0, _Offered(homes))
    return lookup, lambda: everything, everything


class _Offered(MetaPathFinder, Loader):
    """`import gindex_lab.aiq` is `gindex_lab.worlds.aiq`, and so for all that lies in it."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self.homes = homes

    def _home(self, name: str) -> str | None:
        first = ".".join(name.split(".")[:2])
        return self.homes[first] + name[len(first) :] if first in self.homes else None

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        home = self._home(name)
        return None if home is None else ModuleSpec(name, self, origin=home)

    def exec_module(self, module: ModuleType) -> None:
        """One module under two names, never two modules."""
        sys.modules[module.__name__] = import_module(str(self._home(module.__name__)))
