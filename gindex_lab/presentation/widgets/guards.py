"""What the two servers insist on, whatever a user's Jupyter configuration says.

A token is always asked for; the demos answer only requests that name this machine (no page elsewhere can
reach them by a name of its own), and no more than eight kernels run at a time: each takes 110 to 200 MB
of its own (measured on our nine demos, tests/test_full_server.py), all of them less than 2 GB.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
import tornado.web
from jupyter_server.auth.identity import PasswordIdentityProvider
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.ioloop import IOLoop, PeriodicCallback
from tornado.web import HTTPError
from traitlets import Int
from voila.app import Voila  # type: ignore[import-untyped]
from voila.shutdown_kernel_handler import (  # type: ignore[import-untyped]
    VoilaShutdownKernelHandler,
)
from voila.tornado.kernel_websocket_handler import (  # type: ignore[import-untyped]
    VoilaKernelWebsocketHandler,
)

from gindex_lab.presentation.widgets.warm import is_compiled

__all__ = ["MOST_KERNELS", "AlwaysToken", "Demos", "FewKernels"]

MOST_KERNELS = 8  # see above: less than 2 GB
_PROTOCOL = "v1.kernel.websocket.jupyter.org"
_OURS = Path(__file__).resolve().parent / "share" / "voila" / "templates" / "gindex_lab"


class AlwaysToken(PasswordIdentityProvider):
    """A token of our own where the configuration has none, or an empty one."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        if not self.token:
            self.token = secrets.token_hex(24)
            self.token_generated = True

    @property
    def auth_enabled(self) -> bool:
        """Always."""
        return True


class FewKernels(AsyncMappingKernelManager):
    """At most `places` kernels at a time; later ones are asked to wait."""

    places = Int(MOST_KERNELS).tag(config=True)
    full = "All {} places are taken: close a demo and try again in two minutes"

    def room(self) -> int:
        """How many kernels may be started now."""
        return self.places - len(self.list_kernel_ids()) - getattr(self, "_starting", 0)

    async def start_kernel(self, **given: Any) -> str:  # type: ignore[override]
        """A new kernel, or status 503 with the reason."""
        if self.room() <= 0:
            reason = self.full.format(self.places)
            raise HTTPError(503, reason, reason=reason)
        self._starting = getattr(self, "_starting", 0) + 1
        try:
            return str(await super().start_kernel(**given))
        finally:
            self._starting -= 1


class _Leaving(VoilaShutdownKernelHandler):  # type: ignore[misc]
    """A page that is closed or reloaded ends its kernel, so that its place is free at once.

    The request is made by the browser as it leaves, without the form's secret that other requests carry: the
    kernel's own id, which only its page knows, serves as one.
    """

    def check_xsrf_cookie(self) -> None:
        """See above."""

    @tornado.web.authenticated
    async def post(self, kernel_id: str) -> None:
        """End the kernel, if it is there."""
        if kernel_id not in self.kernel_manager:
            raise HTTPError(404)
        await super().post(kernel_id)


class _Channels(VoilaKernelWebsocketHandler):  # type: ignore[misc]
    """Connections to a kernel in the protocol that browsers speak, and in no other.

    In the older one Voilà takes the first bytes of a picture for a number of parts and counts up to it: a
    single such connection would hold up everybody (seen with Voilà 0.5.13).
    """

    async def prepare(self, *given: Any, **named: Any) -> None:
        """Refuse other protocols."""
        if _PROTOCOL not in self.request.headers.get("Sec-WebSocket-Protocol", ""):
            raise HTTPError(400, f"the protocol of this connection is {_PROTOCOL}")
        await super().prepare(*given, **named)


class Demos(Voila):  # type: ignore[misc]
    """Voilà that warms up before it says its address, and checks the Host of a request as JupyterLab does."""

    _told = False  # to end, by a signal

    def init_settings(self) -> dict[str, Any]:
        """Voilà's settings, for this machine only, with our page to log in."""
        settings = dict(super().init_settings())
        pages = settings["jinja2_env"]
        pages.loader = jinja2.ChoiceLoader([jinja2.FileSystemLoader(_OURS), pages.loader])
        return settings | {"allow_remote_access": False, "local_hostnames": ["localhost"]}

    def init_handlers(self) -> list[Any]:
        """Voilà's handlers, behind ours."""
        leaving = (rf"{self.server_url}voila/api/shutdown/(.*)", _Leaving)
        found = [leaving, *super().init_handlers()]
        ours = {VoilaKernelWebsocketHandler: _Channels}
        return [(one[0], ours.get(one[1], one[1]), *one[2:]) for one in found]

    def listen(self) -> None:
        """Listen, and say the address, when everything is warm."""
        self.ioloop = IOLoop.current()
        try:
            self.ioloop.run_sync(self._warm)
        except BaseException as problem:
            self.stop()
            if self._told or isinstance(problem, KeyboardInterrupt):
                sys.exit(130)
            raise
        watch: Callable[[], Any] | None = getattr(self.kernel_manager, "watch", None)
        if watch:
            PeriodicCallback(watch, 2000).start()
        super().listen()

    def _handle_signal_stop(self, sig: int, frame: Any) -> None:
        self._told = True
        super()._handle_signal_stop(sig, frame)

    def stop(self) -> None:
        """End all kernels, in the loop in which they were started (Voilà takes another one), then tidy up."""
        self.ioloop.run_sync(self.kernel_manager.shutdown_all)
        shutil.rmtree(self.connection_dir, ignore_errors=True)

    async def _warm(self) -> None:
        notebooks = Path(self.root_dir)
        if not is_compiled(notebooks):
            print("Compiling what the demos need (once, about a minute) ...", flush=True)
            command = (sys.executable, "-m", "gindex_lab.presentation.widgets.warm", str(notebooks))
            process = await asyncio.create_subprocess_exec(*command)
            try:
                if await process.wait():
                    print("A notebook failed: its page will say how", flush=True)
            finally:
                if process.returncode is None:  # told to stop meanwhile
                    process.kill()
        fill = getattr(self.kernel_manager, "fill", None)
        if fill:
            await fill(print)


if __name__ == "__main__":
    Demos.launch_instance()
