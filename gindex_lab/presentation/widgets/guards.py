"""What the two servers insist on, whatever a user's Jupyter configuration says.

A token is always asked for; the demos answer only requests that name this machine (no page elsewhere can
reach them by a name of its own), and no more than eight kernels run at a time: each takes 110 to 200 MB
of its own (measured on our nine demos, tests/test_full_server.py), all of them less than 2 GB.
"""

from __future__ import annotations

import secrets
from typing import Any

from jupyter_server.auth.identity import PasswordIdentityProvider
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.web import HTTPError
from voila.app import Voila  # type: ignore[import-untyped]

__all__ = ["MOST_KERNELS", "AlwaysToken", "Demos", "FewKernels"]

MOST_KERNELS = 8


class AlwaysToken(PasswordIdentityProvider):
    """A token of our own where the configuration has none, or an empty one.

    >>> len(AlwaysToken(token="").token), AlwaysToken(token="mine").token
    (48, 'mine')
    """

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
    """At most eight kernels at a time; later ones are asked to wait."""

    async def start_kernel(self, **given: Any) -> str:  # type: ignore[override]
        """A new kernel, or status 503 with the reason."""
        self._starting = getattr(self, "_starting", 0) + 1
        try:
            if len(self.list_kernel_ids()) + self._starting > MOST_KERNELS:
                reason = f"All {MOST_KERNELS} places are taken: close a demo and try again in two minutes"
                raise HTTPError(503, reason, reason=reason)
            return str(await super().start_kernel(**given))
        finally:
            self._starting -= 1


class Demos(Voila):  # type: ignore[misc]
    """Voilà that checks the Host of a request, as JupyterLab does."""

    def init_settings(self) -> dict[str, Any]:
        """Voilà's settings, for this machine only."""
        settings = dict(super().init_settings())
        return settings | {"allow_remote_access": False, "local_hostnames": ["localhost"]}


if __name__ == "__main__":
    Demos.launch_instance()
