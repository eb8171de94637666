"""Kernels that wait for students: started, warmed and limited before anybody opens a page.

A page takes a kernel that waits (`ahead` of them, refilled in the background): opening a demo runs its
notebook and nothing else. Kernels are plain processes: forked ones hold no widgets. In a class `ahead` equals
`places`: the memory of all sessions is taken before the first student comes, or the class does not start.

Who shares: N students always fit into N places. While there is room, a student may have several pages; when
there is none, the oldest page of somebody with more than one gives way, the student's own first.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any

import psutil  # type: ignore[import-untyped]
from traitlets import Bool, Int

from gindex_lab.presentation.widgets.guards import FewKernels

__all__ = ["ASKING", "WarmKernels"]

ASKING: ContextVar[str] = ContextVar("ASKING", default="")  # the student whose page asks for a kernel
_READY = "__import__('gindex_lab.presentation.widgets.warm', fromlist=['ready']).ready({})"
_SECONDS = 300  # for a kernel to get ready, on a machine however busy
_PAUSE = 5  # seconds that a page has for itself before the next kernel is started


class WarmKernels(FewKernels):
    """Kernels handed out warm; `growth` of one and `together` of all limit memory, in MB (0: no limit)."""

    ahead = Int(2).tag(config=True)
    growth = Int(0).tag(config=True)
    together = Int(0).tag(config=True)
    idle_minutes = Int(0).tag(config=True)  # for a page that is open but not used (0: for ever)
    share = Bool(False).tag(config=True)

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)  # type: ignore[no-untyped-call]
        self._waiting: list[str] = []
        self._owners: dict[str, str] = {}  # of the kernels in use, oldest first
        self._refill: asyncio.Task[None] | None = None
        self._closing = False

    # -- kernels that wait ------------------------------------------------------------------------------

    async def fill(self, say: Callable[..., object] | None = None) -> None:
        """Start kernels, one per core at a time, until as many wait as should."""
        if say:
            say(f"Starting {self._missing()} kernels ...", flush=True)
        while (missing := self._missing()) > 0:
            some = min(missing, os.cpu_count() or 1)
            await asyncio.gather(*(self._one_more() for _ in range(some)))

    def _missing(self) -> int:
        return 0 if self._closing else min(self.ahead - len(self._waiting), self.room())

    async def _one_more(self) -> None:
        kernel = await self._started(path="")
        if kernel in self and not self._closing:
            self._waiting.append(kernel)

    async def _started(self, **given: Any) -> str:
        """A kernel that has imported what the demos import, and has its limit."""
        kernel = await super().start_kernel(**given)
        client: Any = self.get_kernel(kernel).client()
        client.start_channels()
        try:
            await client.wait_for_ready(timeout=_SECONDS)
            code = _READY.format(self.growth)
            reply = await client.execute(code, silent=True, reply=True, timeout=_SECONDS)
            if reply["content"]["status"] != "ok":
                raise RuntimeError(reply["content"].get("evalue", "a kernel did not get ready"))
        except BaseException:
            await self.shutdown_kernel(kernel, now=True)
            raise
        finally:
            client.stop_channels()
        return kernel

    def _refill_later(self, pause: float) -> None:
        async def refill() -> None:
            await asyncio.sleep(pause)
            await self.fill()

        if self._missing() > 0 and (self._refill is None or self._refill.done()):
            self._refill = asyncio.get_running_loop().create_task(refill())

    # -- pages --------------------------------------------------------------------------------------------

    async def start_kernel(self, **given: Any) -> str:  # type: ignore[override]
        """A kernel for a page: one that waits, a new one, or status 503 with the reason."""
        student = ASKING.get()
        if self.share:
            await self._give_way(student)
        kernel = await self._taken() or await self._started(**given)
        self._owners[kernel] = student
        self._refill_later(_PAUSE)
        return kernel

    async def _taken(self) -> str | None:
        """A kernel that waits, or that is being started and soon will."""
        if not self._waiting and self.room() <= 0 and self._refill and not self._refill.done():
            await asyncio.shield(self._refill)
        while self._waiting:
            kernel = self._waiting.pop(0)
            manager: Any = self.get_kernel(kernel)
            if await manager.is_alive():
                manager.last_activity = datetime.now(UTC)  # it waited long: not idle, but about to be used
                return kernel
            await self.shutdown_kernel(kernel, now=True)
        return None

    async def _give_way(self, student: str) -> None:
        """Where no place is free, end the student's own oldest page, or one of somebody who has several."""
        refilling = self._refill is not None and not self._refill.done()
        if self._waiting or self.room() > 0 or refilling:
            return
        pages = Counter(self._owners.values())
        own = [kernel for kernel, who in self._owners.items() if who == student]
        others = [kernel for kernel, who in self._owners.items() if pages[who] > 1]
        for kernel in [*own, *others][:1]:
            await self.shutdown_kernel(kernel, now=True)

    async def shutdown_kernel(self, kernel_id: str, *args: Any, **given: Any) -> Any:  # type: ignore[override]
        """End a kernel, and start another one for the next page."""
        self._owners.pop(kernel_id, None)
        if kernel_id in self._waiting:
            self._waiting.remove(kernel_id)
        try:
            return await super().shutdown_kernel(kernel_id, *args, **given)  # type: ignore[no-untyped-call]
        finally:
            self._refill_later(0)

    async def shutdown_all(self, now: bool = True) -> None:  # type: ignore[override]
        """End all kernels at once: there is nothing to save."""
        self._closing = True
        if self._refill:
            self._refill.cancel()
            with suppress(asyncio.CancelledError):
                await self._refill
        await super().shutdown_all(now=now)

    # -- limits -------------------------------------------------------------------------------------------

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """End a kernel whose page was closed, or is open and unused for long; never one that waits."""
        if kernel_id in self._waiting or kernel_id not in self._owners:
            return
        if self.idle_minutes and self._kernel_connections.get(kernel_id, 0):
            unused = datetime.now(UTC) - self.get_kernel(kernel_id).last_activity  # type: ignore[attr-defined]
            if unused > timedelta(minutes=self.idle_minutes):
                self.log.warning("A page was unused for %d minutes: ended", self.idle_minutes)
                await self.shutdown_kernel(kernel_id, now=True)
            return
        await super().cull_kernel_if_idle(kernel_id)  # type: ignore[no-untyped-call]

    async def watch(self) -> None:
        """End the largest session where all together take more than they may."""
        if not self.together:
            return
        own = {kernel: self._memory(kernel) for kernel in self.list_kernel_ids()}
        if own and sum(own.values()) > self.together * 2**20:
            largest = max(own, key=lambda kernel: own[kernel])
            self.log.warning("All sessions take more than %d MB: the largest ends", self.together)
            await self.shutdown_kernel(largest, now=True)

    def _memory(self, kernel: str) -> int:
        """Bytes of its own."""
        try:
            manager: Any = self.get_kernel(kernel)
            facts = psutil.Process(manager.provisioner.pid).memory_info()
        except (psutil.Error, AttributeError, KeyError, TypeError):  # it is starting, or ending
            return 0
        return int(facts.rss - getattr(facts, "shared", 0))
