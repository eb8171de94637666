"""Kernels that need not import what every notebook imports: forked from a process that has done so.

A worker of the pipeline loads the usual modules once and stays without threads. For each notebook it
forks a process that runs papermill, which first of all forks the kernel to be: this waits until
Jupyter's manager says where it listens, and only then becomes a kernel. No notebook's code ever runs
in the process that is forked, so a notebook finds what it would find in a fresh kernel, sooner. Where
processes cannot be forked (Windows) or not safely (macOS), kernels start in the usual way.
"""

from __future__ import annotations

import atexit
import gc
import io
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from importlib import import_module
from importlib.metadata import EntryPoint
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

__all__ = ["FRESH", "WarmProvisioner", "available", "load", "run_apart"]

Answer = TypeVar("Answer")

FRESH = "GINDEX_LAB_FRESH_KERNELS"
_NAME = "gindex-lab-warm"
_INLINE = "module://matplotlib_inline.backend_inline"
_USUAL = (  # of the pipeline, of the kernel, of the notebooks
    "papermill.execute", "nbclient.exceptions", "nbconvert.exporters.html",
    "gindex_lab.press.reproduction.reports", "ipykernel.kernelapp", "ipykernel.ipkernel",
    "ipykernel.debugger", "IPython.core.completer", "IPython.extensions.storemagic", "psutil",
    "pandas", "pandas.io.formats.html", "scipy.stats", "scipy.cluster.hierarchy", "numba",
    "matplotlib.pyplot", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg",
    "gindex_lab.press.notebook", "gindex_lab.presentation.plots.generality", "gindex_lab.measures.pairs",
    "gindex_lab.measures.programs.gindex", "gindex_lab.worlds.aiq.sweep",
)  # fmt: skip


class _Waiting:
    """A forked process that becomes a kernel when it is told its command, environment and folder.

    Jupyter handles it as it handles a `subprocess.Popen`.
    """

    stdin = stdout = stderr = None

    def __init__(self) -> None:
        context = multiprocessing.get_context("fork")
        reader, self._writer = context.Pipe(duplex=False)
        self._process = context.Process(target=_become_kernel, args=(reader, self._writer))
        self._process.start()
        self.pid = self._process.pid
        reader.close()

    def launch(self, command: list[str], env: dict[str, str], cwd: str) -> None:
        self._writer.send((command, env | {"JPY_PARENT_PID": str(os.getpid())}, cwd))
        self.dismiss()

    def dismiss(self) -> None:
        """Without this, a kernel that nobody wanted would wait for ever."""
        self._writer.close()

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None and self.pid:
            os.kill(self.pid, number)


_waiting: _Waiting | None = None


def available() -> bool:
    """Whether this process may be forked: on Linux, when hashes do not differ between runs.

    With `GINDEX_LAB_FRESH_KERNELS` in the environment every notebook has a kernel of its own.
    """
    wanted = not os.environ.get(FRESH)
    return wanted and sys.platform == "linux" and not sys.flags.hash_randomization


def load() -> None:
    """Import the usual modules and see to it that this process ends with its parent.

    A thread that watches the parent would make forking unsafe; a timer is not inherited by a fork.
    """
    _end_with_parent()
    os.environ["MPLBACKEND"] = _INLINE  # read when matplotlib is imported; a kernel sets the same
    for name in _USUAL:
        import_module(name)
    del os.environ["MPLBACKEND"]
    _rehearse()
    gc.collect()
    gc.freeze()  # what is never collected is never copied


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()  # its number was sent along: it may be gone by now
    number = parent.pid if parent else os.getppid()
    signal.signal(signal.SIGALRM, lambda *_: None if os.getppid() == number else os._exit(1))
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)


def _rehearse() -> None:
    """Do once what is slow the first time: fonts are read, templates and patterns compiled."""
    import numba
    from matplotlib.figure import Figure

    from gindex_lab.press.reproduction.claims import ledger
    from gindex_lab.press.reproduction.reports import rehearse

    numba.njit(lambda x: x)(1)
    ledger()
    rehearse()
    figure = Figure()
    figure.subplots().set_title("$x$ x")
    for kind in ("png", "svg"):
        figure.savefig(io.BytesIO(), format=kind, bbox_inches="tight")


def run_apart(function: Callable[..., Answer], *arguments: Any, start: Callable[[], None]) -> Answer:
    """`function(*arguments)` in a fork with a kernel at hand; `start` is called there first.

    Raises `BrokenProcessPool` where the fork died.
    """
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, context, initializer=_prepare, initargs=(start,)) as pool:
        return pool.submit(_run, function, arguments).result()


def _prepare(start: Callable[[], None]) -> None:
    global _waiting
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    _waiting = _Waiting()  # first of all: nothing here has started a thread yet
    factory = KernelProvisionerFactory.instance()
    where = f"{__name__}:{WarmProvisioner.__name__}"
    factory.provisioners[_NAME] = EntryPoint(_NAME, where, factory.GROUP_NAME)
    factory.default_provisioner_name = _NAME
    start()


def _run(function: Callable[..., Answer], arguments: tuple[Any, ...]) -> Answer:
    try:
        return function(*arguments)
    finally:
        if _waiting:
            _waiting.dismiss()


def _become_kernel(reader: Connection, writer: Connection) -> None:
    """Wait for the command, then be what `python -m ipykernel_launcher ...` would be."""
    writer.close()
    multiprocessing.set_start_method(None, force=True)  # the default, though this was forked
    os.setsid()  # as Jupyter does: Ctrl-C is the manager's business, and a kill takes children along
    with suppress(EOFError):
        command, env, cwd = reader.recv()
        reader.close()
        os.environ.clear()
        os.environ.update(env)
        os.chdir(cwd)
        try:
            _kernel(command[command.index("ipykernel_launcher") + 1 :])
        finally:
            atexit._run_exitfuncs()  # multiprocessing leaves without: `test_reproduce.py`


def _kernel(arguments: list[str]) -> None:
    from ipykernel.kernelapp import IPKernelApp

    sys.argv = ["ipykernel_launcher", *arguments]
    IPKernelApp.launch_instance(argv=arguments, parent_handle=int(os.environ["JPY_PARENT_PID"]))


class WarmProvisioner(LocalProvisioner):
    """Jupyter's local kernels, the first of which is the process that waits."""

    process: Any = None

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        global _waiting
        if _waiting is None:
            return await super().launch_kernel(cmd, **kwargs)
        self.process, _waiting = _waiting, None
        self.pid = self.pgid = self.process.pid
        self.cwd = kwargs.get("cwd") or os.getcwd()
        self.process.launch(cmd, kwargs["env"], self.cwd)
        return self.connection_info
