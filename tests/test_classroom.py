"""Classroom mode: on purpose, with a password, within limits; tested on loopback with real clients."""

import asyncio
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from tornado.httpclient import HTTPError as Refused
from tornado.web import HTTPError

sys.path.insert(0, str(Path(__file__).parent))
from refusals import refused
from students import PASSWORD, ROOT, Student, classroom, come, kernels

from gindex_lab.foundation.errors import BadInput
from gindex_lab.presentation.widgets import classroom as room
from gindex_lab.presentation.widgets import serve, warm
from gindex_lab.presentation.widgets.pool import ASKING, WarmKernels


@pytest.mark.parametrize(("given", "missing"), [("--host=0.0.0.0", "STUDENTS"), ("--students=4", "HOST")])  # fmt: skip
def test_a_class_is_opened_on_purpose_only(given, missing):
    with pytest.raises(BadInput) as caught:
        serve.main(["demo", given])
    assert (caught.value.argument, caught.value.code) == (missing, "missing")


def test_make_passes_host_and_students_on():
    line = next(one for one in (ROOT / "Makefile").read_text().splitlines() if "serve demo" in one)
    assert '"--host=$(HOST)" "--students=$(STUDENTS)"' in line


@pytest.mark.parametrize("weak", ["", "short", "aaaaaaaaaaaa", "abababababab"])
def test_a_weak_password_is_refused_and_not_repeated(weak):
    with pytest.raises(BadInput) as caught:
        room.password({room.PASSWORD: weak})
    assert caught.value.code == "weak"
    assert not weak or weak not in str(caught.value)


def test_a_password_is_asked_for_where_the_environment_has_none():
    asked = []
    hashed = room.password({}, lambda text: asked.append(text) or PASSWORD)
    assert len(asked) == 1
    assert PASSWORD not in hashed
    with pytest.raises(BadInput) as caught:  # no terminal here
        room.password({})
    assert caught.value.code == "missing"


@pytest.mark.parametrize("students", ["0", "-1", "many", "", "501", "2.5"])
def test_an_odd_number_of_students_is_refused(students):
    with pytest.raises(BadInput) as caught:
        room.room_for(students, 1e9)
    assert caught.value.argument == "STUDENTS"


@pytest.mark.parametrize("host", ["", "192.0.2.1", "no such host", "http://127.0.0.1"])
def test_a_host_that_is_not_this_machine_is_refused(host):
    with pytest.raises(BadInput) as caught:
        room.addresses(host)
    assert caught.value.argument == "HOST"


def test_no_configuration_makes_a_class_without_a_password(monkeypatch):
    monkeypatch.setattr(room.ClassPassword, "hashed", "")
    with refused("hashed_password: missing"):
        room.ClassPassword(token="t", hashed_password="argon2:x")
    monkeypatch.setattr(room.ClassPassword, "hashed", "argon2:ours")
    made = room.ClassPassword(token="t", hashed_password="argon2:theirs")
    assert (made.token, made.hashed_password) == ("", "argon2:ours")


class Places(WarmKernels):
    """Places without processes."""

    def list_kernel_ids(self):
        return [*self._waiting, *self._owners]

    async def _started(self, **given):
        if self.room() <= 0:
            return await super()._started(**given)
        self.count = getattr(self, "count", 0) + 1
        return f"k{self.count}"

    async def _taken(self):
        return None

    async def shutdown_kernel(self, kernel_id, **given):
        self._owners.pop(kernel_id)


def seated(places, *students):
    async def ask(student):
        ASKING.set(student)
        return await places.start_kernel()

    return [asyncio.run(ask(student)) for student in students]


def test_as_many_students_fit_as_there_are_places():
    places = Places(places=3, ahead=0, share=True)
    seated(places, "Ada", "Ada", "Ada")
    seated(places, "Ben", "Cem")  # Ada's older pages give way
    assert places._owners == {"k3": "Ada", "k4": "Ben", "k5": "Cem"}
    seated(places, "Ada")  # her own page gives way
    assert sorted(places._owners.values()) == ["Ada", "Ben", "Cem"]
    with pytest.raises(HTTPError) as caught:
        seated(places, "Dan")
    assert caught.value.status_code == 503


def test_a_kernel_that_waited_long_is_not_taken_for_an_idle_one(monkeypatch):
    async def alive():
        return True

    places = WarmKernels(places=1, ahead=0)
    places._waiting = ["k"]
    manager = SimpleNamespace(is_alive=alive, last_activity=datetime.now(UTC) - timedelta(hours=1))
    monkeypatch.setattr(places, "get_kernel", lambda kernel: manager)
    assert asyncio.run(places._taken()) == "k"
    assert datetime.now(UTC) - manager.last_activity < timedelta(minutes=1)


class TestAPageThatIsLeftAlone:
    """The 45 minutes of a class are one setting; here it is one minute, and the clock is turned back."""

    def places(self, monkeypatch, unused, connections=1, minutes=1):
        places = Places(places=3, ahead=0, idle_minutes=minutes, cull_idle_timeout=120)
        seated(places, "Ada")
        last = datetime.now(UTC) - timedelta(seconds=unused)
        spec = SimpleNamespace(metadata={})
        about = {"kernel_name": "python3", "kernel_spec": spec, "execution_state": "idle"}
        manager = SimpleNamespace(last_activity=last, **about)
        monkeypatch.setattr(places, "get_kernel", lambda kernel: manager)
        places._kernels, places._kernel_connections = {"k1": manager}, {"k1": connections}
        asyncio.run(places.cull_kernel_if_idle("k1"))
        return places

    def test_is_ended_after_its_minutes_though_it_is_open(self, monkeypatch):
        assert not self.places(monkeypatch, unused=61)._owners

    def test_stays_while_somebody_uses_it(self, monkeypatch):
        assert self.places(monkeypatch, unused=59)._owners == {"k1": "Ada"}

    def test_stays_for_ever_where_there_is_no_limit(self, monkeypatch):
        assert self.places(monkeypatch, unused=10**6, minutes=0)._owners == {"k1": "Ada"}

    def test_is_ended_soon_when_it_is_closed(self, monkeypatch):
        assert self.places(monkeypatch, unused=119, connections=0)._owners
        assert not self.places(monkeypatch, unused=121, connections=0)._owners

    def test_is_never_one_that_waits_for_a_student(self, monkeypatch):
        places = self.places(monkeypatch, unused=0)
        places._waiting.append("k2")
        asyncio.run(places.cull_kernel_if_idle("k2"))
        assert places._waiting == ["k2"]


def log_in(provider, typed, address="192.0.2.7"):
    """What the provider makes of a form from this address."""
    request = SimpleNamespace(remote_ip=address)
    handler = SimpleNamespace(request=request, get_body_argument=lambda name, default: typed)
    return provider.process_login_form(handler)


def test_after_twenty_wrong_passwords_an_address_waits_a_minute(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(room.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(room.ClassPassword, "hashed", "argon2:ours")
    provider = room.ClassPassword()
    monkeypatch.setattr(provider, "passwd_check", lambda typed: typed == PASSWORD)
    monkeypatch.setattr(provider, "generate_anonymous_user", lambda handler: "Ada")
    for _ in range(20):
        assert log_in(provider, "a guess") is None
        now[0] += 0.5
    for typed in (
        "a guess",
        PASSWORD,
    ):  # the right one helps no more: nobody learns that it is right
        with pytest.raises(HTTPError) as caught:
            log_in(provider, typed)
        assert caught.value.status_code == 429
    assert log_in(provider, PASSWORD, "192.0.2.8") == "Ada"  # another address is not held up
    now[0] = 1060.1  # the first guess is a minute old: one more may be made
    assert log_in(provider, "a guess") is None
    with pytest.raises(HTTPError):
        log_in(provider, PASSWORD)
    now[0] += 61
    assert log_in(provider, PASSWORD) == "Ada"


def test_all_sessions_together_stay_within_their_memory(monkeypatch):
    places = Places(places=3, ahead=0, together=500)
    seated(places, "Ada", "Ben", "Cem")
    sizes = {"k1": 100, "k2": 350, "k3": 120}
    monkeypatch.setattr(places, "_memory", lambda kernel: sizes[kernel] * 2**20)
    asyncio.run(places.watch())
    assert list(places._owners) == ["k1", "k3"]
    asyncio.run(places.watch())
    assert list(places._owners) == ["k1", "k3"]


def test_the_stamp_of_the_compiled_demos_follows_the_notebooks(tmp_path, monkeypatch):
    monkeypatch.setattr(warm, "_stamp_file", lambda: tmp_path / "stamp")
    (tmp_path / "one.ipynb").write_text('{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}')
    assert not warm.is_compiled(tmp_path)
    warm.compile_demos(tmp_path)
    assert warm.is_compiled(tmp_path)
    (tmp_path / "two.ipynb").write_text('{"cells": []}')
    assert not warm.is_compiled(tmp_path)


async def lesson(address, log, process):
    """Three places: three students, one too many, a page that is closed, and what nobody may do."""
    stranger = Student(address)
    assert await stranger.log_in("a wrong password") == 401
    assert (await stranger.ask("/voila/render/session1_shape_a_curve.ipynb")).code == 302  # to log in
    query = await stranger.ask(f"/login?password={PASSWORD.replace(' ', '+')}", method="POST", body="")
    assert query.code in (401, 403)
    other = await stranger.ask("/login", headers={"Host": "evil.example"})
    assert other.code == 404
    demos = ["session1_shape_a_curve", "session3_two_programs", "session8_stopping_a_test"]
    students = await come(address, demos)
    assert [one.status for one in students] == [200] * 3
    assert min(one.widgets for one in students) > 3
    assert len({one.kernel for one in students}) == len(kernels(process)) == 3
    (late,) = await come(address, demos[:1])
    assert late.status == 503
    assert "The class is full: all 3 places are taken" in late.text
    await code_is_refused(students[0])
    for path in (
        "/lab",
        "/tree",
        "/terminals/1",
        "/api/contents",
        "/api/terminals",
        "/api/kernels",
    ):
        assert (await late.ask(path)).code == 404, path
    assert (await late.ask("/voila/render/../start.ipynb")).code == 404
    with pytest.raises(Refused):  # an old protocol, in which Voilà would hold up everybody
        await students[1].connect(subprotocols=())
    assert await students[0].leave() == 204
    await late.open(demos[0])
    assert (late.status, late.widgets > 3) == (200, True)
    assert PASSWORD not in log.read_text()
    codes = [await Student(address).log_in("a wrong password") for _ in range(20)]
    assert (set(codes[:-1]), codes[-1]) == ({401}, 429)  # with the one at the start: twenty
    assert await Student(address).log_in() == 429  # also with the right one, from this address


async def code_is_refused(student):
    """A request to run code is dropped: the kernel answers what was asked after it, and not this."""
    await student.send("execute_request", {"code": "1 + 1", "silent": False})
    await student.send("kernel_info_request", {})
    seen = await student.until('"kernel_info_reply"')
    assert "execute_reply" not in seen
    with pytest.raises(TimeoutError):
        await student.until('"execute_reply"', seconds=2)


@pytest.mark.slow
def test_a_class_of_three_on_loopback(tmp_path):
    with classroom(3, tmp_path, host="127.0.0.2") as (address, process, log):
        said = log.read_text()
        assert said.index("What they can run") < said.index("running at")
        assert len(kernels(process)) == 3  # before anybody came
        asyncio.run(lesson(address, log, process))
        limits = Path(f"/proc/{kernels(process)[0].pid}/limits").read_text()
        assert "unlimited" not in next(one for one in limits.splitlines() if "data size" in one)
        left = kernels(process)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(120)
        assert time.monotonic() - start < 10
        assert not any(one.is_running() for one in left)
