"""Students of a class: real HTTP and websocket clients of a server of demos, one connection each.

A student logs in, opens a demo, connects to its kernel as the page's script does, and asks for its widgets.
`python tests/students.py 20` starts `make demo HOST=127.0.0.1 STUDENTS=20` by the same command, sends twenty
students at once and then one more, opens the demos that need a kernel with and without what `make demo` does
beforehand, and writes data/measured/classroom.json and the sentences of the course's README that quote it.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode
from uuid import uuid4

import psutil
from jupyter_server.services.kernels.connection.base import serialize_msg_to_ws_v1
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

ROOT = Path(__file__).resolve().parents[1]
PASSWORD = "a class of turtles"
STORED = ROOT / "data" / "measured" / "classroom.json"
COURSE = ROOT / "notebooks" / "teaching" / "README.md"
MARKS = ("<!-- classroom -->", "<!-- /classroom -->")
KERNEL_DEMOS = (
    "session3_two_programs",
    "session5_bf_environment",
    "session6_anytime_test",
    "session6_take_a_test",
    "session8_stopping_a_test",
)
TEACHING = sorted(path.stem for path in (ROOT / "notebooks" / "teaching").glob("*.ipynb"))


@dataclass
class Student:
    """One browser: its cookies, what it saw, and when."""

    address: str
    cookies: dict = field(default_factory=dict)
    status: int = 0
    text: str = ""
    kernel: str = ""
    widgets: int = 0
    seconds: float = 0.0  # to the page
    first_widget: float = 0.0
    socket: object = None
    reading: object = None  # the message that is being waited for

    async def ask(self, path, **given):
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        headers |= given.pop("headers", {})
        request = HTTPRequest(
            self.address + path, headers=headers, request_timeout=280, connect_timeout=280,
            follow_redirects=False, **given,
        )  # fmt: skip
        answer = await AsyncHTTPClient(max_clients=200).fetch(request, raise_error=False)
        for line in answer.headers.get_list("Set-Cookie"):
            self.cookies |= {name: part.value for name, part in SimpleCookie(line).items()}
        return answer

    async def log_in(self, password=PASSWORD):
        await self.ask("/login")
        form = urlencode({"password": password, "_xsrf": self.cookies.get("_xsrf", "")})
        return (await self.ask("/login", method="POST", body=form)).code

    async def open(self, name):
        """Open a demo: the page, then the state of its widgets."""
        start = time.monotonic()
        answer = await self.ask(f"/voila/render/{name}.ipynb")
        self.status, self.text = answer.code, answer.body.decode() if answer.body else ""
        self.seconds = time.monotonic() - start
        if self.status == 200:
            self.kernel = re.search(r'"kernelId": "([0-9a-f-]{36})"', self.text)[1]
            self.widgets = len(await self.states())
            self.first_widget = time.monotonic() - start
        return self

    async def connect(self, subprotocols=("v1.kernel.websocket.jupyter.org",)):
        cookies = "; ".join(f"{k}={v}" for k, v in self.cookies.items())
        url = f"{self.address.replace('http', 'ws', 1)}/api/kernels/{self.kernel}/channels"
        request = HTTPRequest(url, headers={"Cookie": cookies}, connect_timeout=280)
        self.socket = await websocket_connect(request, subprotocols=subprotocols)

    async def send(self, kind, content, metadata=None):
        header = {"msg_id": uuid4().hex, "msg_type": kind, "username": "", "date": ""}
        header |= {"session": uuid4().hex, "version": "5.3"}
        parts = {
            "header": header,
            "parent_header": {},
            "metadata": metadata or {},
            "content": content,
        }
        packed = serialize_msg_to_ws_v1(parts, "shell", lambda part: json.dumps(part).encode())
        await self.socket.write_message(bytes(packed), binary=True)

    async def states(self):
        """The widgets of the page, as the widget manager asks for them."""
        await self.connect()
        await self.until('"kernel_info_reply"', "kernel_info_request")  # it listens only now
        comm = uuid4().hex
        target = {"comm_id": comm, "target_name": "jupyter.widget.control", "data": {}}
        await self.send("comm_open", target, {"version": "1.0.0"})
        await self.send("comm_msg", {"comm_id": comm, "data": {"method": "request_states"}})
        text = await self.until('"update_states"')
        return re.findall(r'"model_name": ?"([A-Z]\w+Model)"', text)

    async def until(self, wanted, asking=None, seconds=120):
        """The first message that holds `wanted`; meanwhile `asking` is sent again and again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if asking:
                await self.send(asking, {})
            self.reading = self.reading or asyncio.ensure_future(self.socket.read_message())
            if (await asyncio.wait({self.reading}, timeout=0.5))[0]:
                found, self.reading = self.reading.result(), None
                assert found is not None, "the connection was closed"
                text = found if isinstance(found, str) else found.decode("utf-8", "replace")
                if wanted in text:
                    return text
        raise TimeoutError(wanted)

    async def leave(self):
        """Close the page as a browser does: it asks that its kernel be ended."""
        if self.socket:
            self.socket.close()
        return (await self.ask(f"/voila/api/shutdown/{self.kernel}", method="POST", body="")).code


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def classroom(students, folder, host="127.0.0.1", seconds=280):
    """`make demo HOST=... STUDENTS=...` by its command: (address, process, log), once it says its address."""
    port = free_port()
    command = [sys.executable, "-m", "gindex_lab.presentation.widgets.serve", "demo"]
    command += [f"--host={host}", f"--students={students}", f"--port={port}"]
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    own = {name: str(folder / name) for name in names} | {"GINDEX_LAB_PASSWORD": PASSWORD}
    log = folder / "class.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | own, stdout=out, stderr=out, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # deaf to it in the background
        )  # fmt: skip
    try:
        end = time.monotonic() + seconds
        while "running at" not in log.read_text():
            assert process.poll() is None, log.read_text()[-2000:]
            assert time.monotonic() < end, log.read_text()[-2000:]
            time.sleep(0.1)
        yield f"http://{host}:{port}", process, log
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def kernels(process):
    """The kernels of a server."""
    found = []
    for one in psutil.Process(process.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found += [one] if "ipykernel_launcher" in one.cmdline() else []
    return found


async def come(address, demos):
    """Students who log in, and then open their demos at the same moment."""
    class_ = [Student(address) for _ in demos]
    for one in class_:
        assert await one.log_in() == 302
    return await asyncio.gather(*(one.open(name) for one, name in zip(class_, demos, strict=True)))


def quantiles(values, digits):
    found = {"least": min(values), "median": statistics.median(values), "most": max(values)}
    return {name: round(value, digits) for name, value in found.items()}


def measure(students, demo=None):
    """Twenty students at once (all in one demo, or in all demos in turn), and the one who is too many."""
    demos = [demo or TEACHING[k % len(TEACHING)] for k in range(students)]
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        with classroom(students, Path(folder)) as (address, process, _):
            ready = time.monotonic() - start
            waiting = [one.memory_full_info().uss / 2**20 for one in kernels(process)]
            seated = asyncio.run(come(address, demos))
            memory = [one.memory_full_info().uss / 2**20 for one in kernels(process)]
            (late,) = asyncio.run(come(address, demos[:1]))
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.wait(60)
            ended = time.monotonic() - start
    return {
        "students": students, "demo": demo or "all in turn", "seconds to the address": round(ready, 1),
        "MB of a waiting kernel": quantiles(waiting, 0), "MB of a session": quantiles(memory, 0),
        "MB of all sessions": round(sum(memory)),
        "answers": sorted({one.status for one in seated}), "with widgets": sum(one.widgets > 0 for one in seated),
        "seconds to the page": quantiles([one.seconds for one in seated], 1),
        "seconds to the first widget": quantiles([one.first_widget for one in seated], 1),
        "one more": {"status": late.status, "seconds": round(late.seconds, 2), "reads": re.findall(r"The class is full[^<.]*", late.text)[:1]},
        "seconds to end": round(ended, 1),
    }  # fmt: skip


def run_notebook(name, cache):
    """Processor seconds in which a new process runs a notebook's code, with machine code kept in `cache`."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "notebooks" / "teaching" / f"{name}.ipynb", folder)
        command = [sys.executable, "-m", "gindex_lab.presentation.widgets.warm", folder]
        env = os.environ | {"NUMBA_CACHE_DIR": str(cache), "MPLBACKEND": "agg"}
        before = psutil.Process().cpu_times()
        subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
        after = psutil.Process().cpu_times()
    return round(sum(after[2:4]) - sum(before[2:4]), 1)  # of children: user and system


def worked(process):
    """Processor seconds of a server and its kernels so far."""
    server = psutil.Process(process.pid)
    return sum(sum(one.cpu_times()[:2]) for one in (server, *kernels(process)))


def openings():
    """The first opening of each demo with a kernel, in seconds of a processor (so that other work on the machine
    does not count): where nothing is compiled; in a new kernel; in one that `make demo` has waiting."""
    found = {}
    for name in KERNEL_DEMOS:
        with tempfile.TemporaryDirectory() as cache:
            found[name] = {when: run_notebook(name, cache) for when in ("cold", "compiled")}
        print(name, found[name], flush=True)
    students = len(KERNEL_DEMOS)  # one after the other: each finds a kernel that waits
    with (
        tempfile.TemporaryDirectory() as folder,
        classroom(students, Path(folder)) as (where, process, _),
    ):
        for name in KERNEL_DEMOS:
            before = worked(process)
            (one,) = asyncio.run(come(where, [name]))
            assert one.widgets
            found[name]["waiting"] = round(worked(process) - before, 1)
    return found


def redraws():
    """Milliseconds of a redraw of each live demo in Chromium: a hundred moves of its first control."""
    from web_pages import browser, module_url, watched

    from gindex_lab.presentation.web import bundle
    from gindex_lab.presentation.widgets.front import MODULES
    from gindex_lab.press.site import DEMOS

    url = module_url(f"{bundle(*MODULES)}\nexport {{ mountDemo }};")
    move = """async ([url, spec, grid]) => {
        const { mountDemo } = await import(url);
        const demo = mountDemo(document.body, spec);
        return grid.map((value) => { demo.set({ [spec.controls[0].name]: value }); return demo.milliseconds; });
    }"""
    found = {}
    with browser() as chromium, watched(chromium) as page:
        for spec in (make().spec() for make in DEMOS):
            page.set_content("<body></body>")
            first = spec["controls"][0]
            grid = [first["min"] + first["step"] * (k % 20) for k in range(120)]
            found[spec["name"]] = quantiles(page.evaluate(move, [url, spec, grid])[20:], 1)
    return found


def sentences(measured):
    """What the README of the course says of the measurement."""
    mixed, same = measured["runs"]
    first, page = mixed["seconds to the first widget"], same["seconds to the first widget"]
    size = mixed["MB of a session"]
    opened = measured["openings"].values()
    cold, compiled, waiting = ([one[kind] for one in opened] for kind in ("cold", "compiled", "waiting"))
    load = max(one["load before"] for one in measured["runs"])
    busy = f"that were busy with other work (load {load:g})" if load > 1 else "that were idle"
    drawn = [one["median"] for one in measured["redraw (ms)"].values()]
    return f"""\
Measured on {mixed["cores"]} cores {busy}, with {mixed["students"]} students who
open a page at the same moment (`data/measured/classroom.json`): the address is printed after {mixed["seconds to the address"]:.0f} s; with all
demos in turn the first widget is there after {first["median"]:.0f} s (median; the last after {first["most"]:.0f} s), with one demo for all after {page["median"]:.0f} s
({page["most"]:.0f} s); a student takes {size["least"]:.0f} to {size["most"]:.0f} MB, all together {mixed["MB of all sessions"] / 1000:.1f} GB. Student {mixed["students"] + 1} reads within {max(0.1, mixed["one more"]["seconds"]):.1f} s that the class is
full, and Ctrl-C has ended all kernels after {mixed["seconds to end"]:.0f} s. A demo that needs a kernel takes {min(cold):.0f} to {max(cold):.0f} s of processor time to open where
nothing is compiled, {min(compiled):.0f} to {max(compiled):.0f} s in a new kernel, and {min(waiting):.1f} to {max(waiting):.1f} s in one that `make demo` has waiting. The five live demos
do not ask a kernel when a slider moves: they redraw in the browser, in {min(drawn):.1f} to {max(drawn):.1f} ms (medians).
"""


def quoted(measured):
    """The README of the course with these sentences between its marks."""
    head, _, rest = COURSE.read_text("utf-8").partition(MARKS[0])
    return f"{head}{MARKS[0]}\n{sentences(measured)}{MARKS[1]}{rest.partition(MARKS[1])[2]}"


def runs_of(count):
    """A class in all demos, and a class in one."""
    for demo in (None, "session1_shape_a_curve"):
        load = round(os.getloadavg()[0], 1)
        yield {"load before": load, "cores": os.cpu_count()} | measure(count, demo)


if __name__ == "__main__":  # a number of students, or "openings" for that part alone
    what = sys.argv[1] if len(sys.argv) > 1 else "20"
    how = "python tests/students.py; real HTTP and websocket clients of the server on loopback, all at once"
    kept = json.loads(STORED.read_text("utf-8")) if STORED.is_file() else {}
    runs = kept["runs"] if what == "openings" else list(runs_of(int(what)))
    measured = {"how": how, "runs": runs, "redraw (ms)": redraws(), "openings": openings()}
    STORED.write_text(json.dumps(measured, indent=1, ensure_ascii=False) + "\n", "utf-8")
    COURSE.write_text(quoted(measured), "utf-8")
    print(STORED.read_text("utf-8"))
