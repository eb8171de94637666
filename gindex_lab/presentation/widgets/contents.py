"""Notebooks as JupyterLab gets them from `make lab`: looking at one changes nothing.

When a kernel is attached, JupyterLab writes what the kernel says of its language into the notebook, marks it
as changed and saves it two minutes later. Our manager hands notebooks out with just that inside, and takes it
away again when one is saved, so that only a reader's own changes are changes. Cells that end in a box
(`nb.found`, `nb.answer`, `nb.say`) come with their source folded: the box says it already.
"""

from __future__ import annotations

import ast
import platform
from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

__all__ = ["CleanNotebooks", "for_reading", "for_storing", "shows_a_box"]

_BOXES = {"answer", "found", "say"}
_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_STORED = {"name": "python"}
_WRITTEN = ("kernelspec", "language_info")  # what JupyterLab writes into a notebook that it shows


def _language() -> dict[str, Any]:
    """What ipykernel says of its language."""
    return {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": platform.python_version(),
    }


def shows_a_box(source: str) -> bool:
    """Whether a cell ends in a box.

    >>> shows_a_box("gap = 2\\nnb.found(f'The gap is {gap}.')")
    True
    >>> shows_a_box("nb.show(fig, 'a')"), shows_a_box("1 +")
    (False, False)
    """
    try:
        last = ast.parse(source).body[-1:]
    except SyntaxError:
        return False
    if last and isinstance(last[0], ast.With):  # a result that waits for an exercise
        last = last[0].body[-1:]
    call = last[0].value if last and isinstance(last[0], ast.Expr) else None
    return isinstance(call, ast.Call) and getattr(call.func, "attr", "") in _BOXES


def for_reading(notebook: Any) -> None:
    """Put into a notebook what JupyterLab would put there, and fold the source of boxes."""
    metadata = notebook["metadata"]
    if metadata.get("kernelspec", {}).get("name") == _KERNEL["name"]:
        metadata["kernelspec"], metadata["language_info"] = dict(_KERNEL), _language()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and shows_a_box(cell["source"]):
            cell["metadata"].setdefault("jupyter", {}).setdefault("source_hidden", True)


def for_storing(notebook: Any, before: Any = None) -> None:
    """Take it away again; `before` is the metadata of the notebook as it is stored."""
    metadata = notebook["metadata"]
    if metadata.get("kernelspec", {}).get("name") == _KERNEL["name"]:
        metadata["language_info"] = dict(_STORED)
        metadata |= {name: before[name] for name in _WRITTEN if name in (before or ())}
    for cell in notebook["cells"]:
        folded = cell["metadata"].get("jupyter", {})
        if cell["cell_type"] == "code" and shows_a_box(cell["source"]):
            folded.pop("source_hidden", None)
            if not folded:
                cell["metadata"].pop("jupyter", None)


class CleanNotebooks(AsyncLargeFileManager):
    """Files as ever; notebooks by `for_reading` and `for_storing`."""

    async def get(self, path: str, *given: Any, **named: Any) -> Any:
        """A file or folder."""
        model = await super().get(path, *given, **named)  # type: ignore[no-untyped-call]
        if model["type"] == "notebook" and model.get("content"):
            for_reading(model["content"])
        return model

    async def save(self, model: Any, path: str = "") -> Any:
        """Write a file; what was put in for reading is not stored."""
        if model.get("type") == "notebook" and model.get("content"):
            there = await self.file_exists(path)
            get = super().get
            stored = await get(path, type="notebook") if there else {"content": {}}  # type: ignore[no-untyped-call]
            for_storing(model["content"], stored["content"].get("metadata"))
        return await super().save(model, path)  # type: ignore[no-untyped-call]
