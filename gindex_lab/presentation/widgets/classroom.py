"""The demos for a class: `make demo HOST=192.168.1.20 STUDENTS=40`. On purpose only, with a password.

Unlike `make demo` alone, this opens the demos to other machines. It says so first, in plain words, asks for a
password, and prepares all places before it gives the address, so that a class cannot take the machine down.
"""

from __future__ import annotations

import getpass
import ipaddress
import os
import re
import socket
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

import psutil  # type: ignore[import-untyped]
from jupyter_server.auth.identity import PasswordIdentityProvider, User
from jupyter_server.auth.security import passwd
from tornado.routing import HostMatches
from tornado.web import HTTPError
from voila.tornado.handler import TornadoVoilaHandler  # type: ignore[import-untyped]

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import integer
from gindex_lab.presentation.widgets.guards import Demos
from gindex_lab.presentation.widgets.pool import ASKING, WarmKernels

__all__ = ["PASSWORD", "ClassPassword", "Classroom", "explained", "password", "room_for", "run"]

PASSWORD = "GINDEX_LAB_PASSWORD"
SESSION = 300  # MB that a session needs; measured: 110 to 230
GROWTH = 512  # MB by which one may grow after its start
RESERVE = 1024  # MB that stay free for everything else
IDLE_MINUTES = 45  # after which an open but unused page ends: about a lesson (a judgement)
_ATTEMPTS, _MINUTE = 20, 60.0  # wrong passwords from one address, before it has to wait
_LENGTH, _VARIETY = 8, 4  # of a password, at least: NIST SP 800-63B asks for 8 letters; no aaaaaaaa


# -- before it opens ----------------------------------------------------------------------------------------


def room_for(students: object, megabytes: float) -> int:
    """The number of students, if `megabytes` of free memory are enough for them.

    >>> room_for(40, 16_000)
    40
    >>> room_for(40, 8_000)
    Traceback (most recent call last):
        ...
    gindex_lab.foundation.errors.BadInput: STUDENTS=40: needs 13.0 GB of free memory, and 8.0 GB are free; ...
    """
    text = students.strip() if isinstance(students, str) else students
    wanted = int(text) if isinstance(text, str) and text.isdigit() else text
    number = integer("STUDENTS", wanted, maximum=500)
    need = number * SESSION + RESERVE
    if need > megabytes:
        most = max(0, int((megabytes - RESERVE) // SESSION))
        problem = (
            f"[too-large] needs {need / 1000:.1f} GB of free memory, and {megabytes / 1000:.1f} GB are free"
        )
        remedy = f"close other programs, or use STUDENTS={most}"
        raise BadInput("STUDENTS", number, problem, remedy)
    return number


def addresses(host: str) -> list[str]:
    """The addresses of this machine that HOST stands for: itself, or all of them for 0.0.0.0."""
    try:
        found = {one[4][0] for one in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        found = set()
    mine = {one.address for group in psutil.net_if_addrs().values() for one in group}
    named = [ipaddress.ip_address(str(one).split("%")[0]) for one in found]
    ours = [one.is_unspecified or one.is_loopback or str(one) in mine for one in named]
    if not host or not ours or not all(ours):
        remedy = "use an address of this machine, for example 192.168.1.20, or 0.0.0.0 for all"
        raise BadInput("HOST", host, "is not an address of this machine", remedy)
    if not any(one.is_unspecified for one in named):
        return [host]
    return sorted(one for one in mine if re.fullmatch(r"[\d.]+", one) and one != "127.0.0.1")


def explained(host: str, port: int, students: int, together: int, where: Sequence[str]) -> str:
    """What classroom mode opens, to whom, and within which limits."""
    listed = "\n".join(f"      http://{one}:{port}/" for one in where)
    return f"""\
Classroom mode opens the teaching demos of this machine to others.
  Address
{listed}
  Who can reach it: any machine that can reach {"this one" if host not in where else host},
      until you press Ctrl-C here.
      They need the password. The connection is not encrypted (http): use a password of its own.
  What they can run: the demos of notebooks/teaching as pages (Voilà): sliders, fields, exercises;
      never a notebook editor or a terminal, no code of their own, no files of yours.
  Limits: {students} sessions at a time; student {students + 1} reads that the class is full.
      A session may grow by {GROWTH} MB, all together take at most {together / 1000:.1f} GB.
      A closed page frees its place; one that is left alone for {IDLE_MINUTES} minutes is ended.
"""


def password(environment: MutableMapping[str, str], ask: Callable[[str], str] = getpass.getpass) -> str:
    """The hash of the class's password: asked for, or taken out of GINDEX_LAB_PASSWORD."""
    given = environment.pop(PASSWORD, None)
    if given is None:
        if not sys.stdin.isatty() and ask is getpass.getpass:
            remedy = f"set {PASSWORD}, or start this in a terminal, where it is asked for"
            raise BadInput("password", None, "[missing] is missing", remedy)
        given = ask("Password for the class: ")
    if len(given) < _LENGTH or len(set(given)) < _VARIETY:
        problem = f"[weak] needs at least {_LENGTH} characters, {_VARIETY} of them different"
        raise BadInput("password", "...", problem, "choose a longer one")
    return str(passwd(given))  # type: ignore[no-untyped-call]


# -- the server ---------------------------------------------------------------------------------------------


class ClassPassword(PasswordIdentityProvider):
    """Nobody without the password, whatever the configuration says; no token; not many wrong attempts."""

    hashed = ""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        if not self.hashed:
            raise BadInput("hashed_password", "", "[missing] is missing", "give the class a password")
        self.hashed_password, self.token = self.hashed, ""
        self._wrong: defaultdict[str, deque[float]] = defaultdict(deque)

    def process_login_form(self, handler: Any) -> User | None:
        """The student, or None; status 429 after many wrong passwords from one address."""
        wrong, now = self._wrong[handler.request.remote_ip], time.monotonic()
        while wrong and now - wrong[0] > _MINUTE:
            wrong.popleft()
        if len(wrong) >= _ATTEMPTS:
            reason = "Too many wrong passwords: wait a minute"
            raise HTTPError(429, reason, reason=reason)
        # from the form only: an address with a password in it would be written into logs
        typed = handler.get_body_argument("password", default="")
        if self.passwd_check(typed):  # type: ignore[no-untyped-call]
            return self.generate_anonymous_user(handler)
        wrong.append(now)
        return None


class ClassKernels(WarmKernels):
    """The places of a class."""

    full = "The class is full: all {} places are taken"


class _Page(TornadoVoilaHandler):  # type: ignore[misc]
    """A page that says whose it is when it asks for a kernel."""

    async def get(self, path: str | None = None) -> None:
        """The page."""
        ASKING.set(getattr(self.current_user, "username", ""))
        await super().get(path)


class Classroom(Demos):
    """The demos under the names of this machine that were opened, and no other."""

    hosts: Sequence[str] = ()

    def init_settings(self) -> dict[str, Any]:
        """Remote access is wanted here; `listen` refuses other names."""
        return super().init_settings() | {"allow_remote_access": True}

    def init_handlers(self) -> list[Any]:
        """Pages that know their student."""
        found = super().init_handlers()
        return [tuple(_Page if part is TornadoVoilaHandler else part for part in one) for one in found]

    def listen(self) -> None:
        """Listen for requests to these names only: a page elsewhere cannot reach us by a name of its own."""
        names = "|".join(re.escape(name) for name in self.hosts)
        for rule in self.app.default_router.rules:
            if isinstance(rule.matcher, HostMatches):
                rule.matcher = HostMatches(f"(?:{names})$")
        super().listen()


def run(command: Sequence[str], host: str, students: str) -> None:
    """Explain, ask for the password, and serve until Ctrl-C; `command` is that of `make demo`."""
    where = addresses(host)
    free = psutil.virtual_memory().available / 2**20
    number = room_for(students, free)
    together = int(free - RESERVE)
    ports = [one.split("=")[1] for one in command if re.fullmatch(r"--(Voila\.)?port=\d+", one)]
    port = int(ports[-1]) if ports else 8866
    print(explained(host, port, number, together, where), flush=True)
    ClassPassword.hashed = password(os.environ)
    Classroom.hosts = [*where, host, "127.0.0.1", "localhost", socket.gethostname()]
    ours = f"{__name__.rpartition('.')[0]}.classroom"
    Classroom.launch_instance(
        [
            *(one for one in command if one != "--token"),
            f"--Voila.ip={host}",
            "--Voila.open_browser=False",
            f"--Voila.identity_provider_class={ours}.ClassPassword",
            f"--VoilaConfiguration.multi_kernel_manager_class={ours}.ClassKernels",
            f"--WarmKernels.places={number}",
            f"--WarmKernels.ahead={number}",
            f"--WarmKernels.growth={GROWTH}",
            f"--WarmKernels.together={together}",
            f"--WarmKernels.idle_minutes={IDLE_MINUTES}",
            "--WarmKernels.share=True",
            "--KernelManager.autorestart=False",  # a new one would have neither widgets nor limits
        ]
    )
