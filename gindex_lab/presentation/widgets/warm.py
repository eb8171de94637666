"""Doing once, before a page is opened, what is slow the first time.

`compile_demos` runs the code of every teaching notebook, so that the machine code which they need lies on
disk (about a minute in a fresh clone, nothing afterwards: a stamp beside the machine code says so). `ready`
is what a kernel does while it waits for a student: it imports what every demo imports, and limits itself.
"""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import GIndexLabError
from gindex_lab.foundation.fingerprints import digest_of
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.upstairs import upstairs

__all__ = ["compile_demos", "is_compiled", "ready"]

_PACKAGE = Path(__file__).resolve().parents[2]
_USUAL = (  # what every demo imports, sooner or later
    *("pandas", "matplotlib.pyplot", "matplotlib.backends.backend_svg", "scipy.stats", "anywidget"),
    *("gindex_lab.measures.generality", "ipywidgets"),
    *("gindex_lab.presentation.widgets.live", "gindex_lab.presentation.widgets.front"),
    *("gindex_lab.presentation.widgets.exercises_lab", "gindex_lab.presentation.plots.common"),
)


def ready(growth: int = 0) -> None:
    """Import what the demos import; then refuse to grow by more than `growth` megabytes (0: no limit).

    The limit is the system's own (RLIMIT_DATA, Linux): what is asked for beyond it is a MemoryError in this
    kernel, and nothing elsewhere.
    """
    for name in _USUAL:
        import_module(name)
    upstairs("show")  # the notebooks' helpers
    import numba

    numba.njit(lambda x: x)(1)  # the compiler takes its room here, not out of the growth
    if growth and sys.platform == "linux":
        import resource

        facts = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        now = next(int(line.split()[1]) for line in facts if line.startswith("VmData:"))
        most = 1024 * now + 2**20 * growth
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def is_compiled(notebooks: Path) -> bool:
    """Whether `compile_demos` has run since kernels, notebooks or compiler last changed."""
    try:
        return _stamp_file().read_text(encoding="ascii") == _stamp(notebooks)
    except (OSError, ValueError):
        return False


def compile_demos(notebooks: Path) -> None:
    """Run the code cells of all notebooks of a folder, and note that it was done."""
    for path in sorted(notebooks.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        names: dict[str, Any] = {"__name__": "__main__", "display": lambda *shown: None}
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            for cell in cells:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), names)
    with suppress(OSError, GIndexLabError):  # where nothing can be kept, it is done again next time
        write_text(_stamp_file(), _stamp(notebooks))


def _stamp_file() -> Path:
    """Beside the machine code: where that is thrown away, so is this."""
    from gindex_lab.measures.programs import matching

    kernel: Any = matching.solve
    return Path(kernel.stats.cache_path) / "demos.warm"


def _stamp(notebooks: Path) -> str:
    import numba

    package = [file for file in _PACKAGE.rglob("*.py") if b"@compiled" in file.read_bytes()]
    files = sorted([*package, *notebooks.glob("*.ipynb")])
    facts = [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files]
    return digest_of(repr([numba.__version__, sys.version, facts]))


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "agg"
    try:
        compile_demos(Path(sys.argv[1]))
    except GIndexLabError as error:
        sys.exit(f"gindex_lab: {error}")
