"""The demos in a browser: numbers, sentence and code line are those of the Python views, at any setting.

So the front end and the package cannot drift apart: what a page shows is computed here again, now.
"""

import io
import itertools

import numpy as np
import pandas as pd
import pytest
from web_pages import browser, module_url, needs_chromium, watched

import gindex_lab as gl
from gindex_lab.presentation.plots.curves import length_text
from gindex_lab.presentation.web import bundle, source
from gindex_lab.presentation.widgets.front import MODULES
from gindex_lab.presentation.widgets.live import text_of
from gindex_lab.press.site import DEMOS

pytestmark = needs_chromium
ALL = bundle(*MODULES, "data.js", "steps.js")
NAMES = "demoView, general, textOf, lengthText, dataView, mountDemo, mountData, mountSteps"


@pytest.fixture(scope="module")
def page():
    """A page that knows our modules as `gl`."""
    url = module_url(f"{ALL}\nexport {{ {NAMES} }};")
    with browser() as chromium, watched(chromium) as found:
        found.set_content(f"<style>{source('demos.css')}</style><div id='place'></div>")
        found.evaluate("async (url) => { window.gl = await import(url); }", url)
        yield found


def settings(demo):
    """The start, both ends of every control, and some values in between, by a fixed recipe."""
    start = demo.values()
    yield start
    rng = np.random.default_rng(7)
    for name, control in demo.controls.items():
        steps = round((control.max - control.min) / control.step)
        grid = control.options or [round(control.min + control.step * k, 10) for k in range(steps + 1)]
        for value in {grid[0], grid[-1], grid[int(rng.integers(len(grid)))]}:
            yield start | {name: type(control.value)(value)}
    yield from ({**start, **preset} for preset in demo.presets.values())


every_demo = pytest.mark.parametrize("make", DEMOS, ids=lambda make: make.__name__)


@every_demo
def test_a_demo_shows_what_its_python_view_says(page, make):
    demo = make()
    same_as_python(page, demo, list(settings(demo))[:3])


@pytest.mark.slow
@every_demo
def test_at_every_setting_a_demo_shows_what_its_python_view_says(page, make):
    demo = make()
    same_as_python(page, demo, list(settings(demo))[3:])


def same_as_python(page, demo, given):
    found = page.evaluate(
        """([name, given]) => given.map((values) => {
            const { numbers, note, code } = gl.demoView(name, values);
            return { numbers, note, code, texts: numbers.map(([, value]) => gl.textOf(value)) };
        })""",
        [demo.name, given],
    )
    for values, one in zip(given, found, strict=True):
        view = demo.function(**values)
        assert [name for name, _ in one["numbers"]] == list(view.numbers)
        for (name, value), wanted in zip(one["numbers"], view.numbers.values(), strict=True):
            plain = value["whole"] if isinstance(value, dict) else value
            same = plain == wanted or plain == pytest.approx(wanted, rel=1e-9, abs=1e-9)
            assert same, (values, name, plain, wanted)
        assert one["texts"] == [text_of(value) for value in view.numbers.values()], values
        assert (one["note"], one["code"]) == (view.note, view.code), values


def test_numbers_and_lengths_are_written_as_python_writes_them(page):
    numbers = [
        0,
        1e-12,
        -1e-16,
        0.0029,
        0.09,
        0.1,
        0.51234,
        1,
        2.005,
        12.345,
        999.99,
        2345.678,
        -3.5,
    ]
    numbers += [1e6, float("inf"), 1e-5, -3e-8, 0.00083, 0.0003, 0.9996]
    assert page.evaluate("(all) => all.map((x) => gl.textOf(x))", numbers) == [
        text_of(float(x)) for x in numbers
    ]
    general = [0, 0.1, 1e-5, 123456.7, 1234567.0, 0.30000000000000004, 1e21, -2.5e-7, 100000, 1e6]
    assert page.evaluate("(all) => all.map((x) => gl.general(x))", general) == [f"{x:g}" for x in general]
    lengths = [2.0**k for k in np.arange(-4, 15, 0.37)] + [0.9996, 59.98, 2879, 2880]
    found = page.evaluate("(all) => all.map(gl.lengthText)", lengths)
    assert found == [length_text(minutes) for minutes in lengths]


MOVE = """([name, key, grid]) => {
    const spec = window.specs[name];
    const demo = gl.mountDemo(document.getElementById("place"), spec);
    return grid.map((value) => { demo.set({ [key]: value }); return demo.milliseconds; });
}"""


@pytest.mark.slow
def test_a_redraw_takes_less_than_a_twentieth_of_a_second(page):
    """Many moves of each demo's first control. Others share the cores, so that the quick tenth of them counts."""
    specs = {demo.name: demo.spec() for demo in (make() for make in DEMOS)}
    page.evaluate("(specs) => { window.specs = specs; }", specs)
    for name, spec in specs.items():
        first = spec["controls"][0]
        grid = [first["min"] + first["step"] * (k % 20) for k in range(120)]
        taken = sorted(page.evaluate(MOVE, [name, first["name"], grid])[20:])
        print(f"{name}: {taken[0]:.1f} to {taken[-1]:.1f} ms, median {taken[50]:.1f} ms")
        assert taken[10] < 50


# -- bring your own data ------------------------------------------------------------------------------------

GOOD = {
    "difficulties": "agent,a,b,c\ndifficulty,3,1,2\nann,1,0.5,0\nbob,0,1,1\n",
    "ranks with ties": "x,a,b,c,d\nann,1,0,1,1\nbob,1,1,0,0\ncy,0.25,0.5,0.5,1\n",
    "semicolons, quotes, a mark and Windows line ends": '\ufeffagent;"i;1";i2\r\nDifficulty;1;2\r\n"bo""b";1;0\r\n',
    "tabs": "agent\ta\tb\nann\t1\t0\nbob\t0.5\t0.5\n",
    "missing cells": "agent,a,b,c,d\ndifficulty,1,2,3,4\nann,1,,0,NA\nbob,,1,nan,0\n",
    "negative difficulties": "agent,a,b,c\ndifficulty,-2.5,1e-3,2\nann,1,0.5,0\n",
}
BAD = {
    "": "empty",
    "agent\nann\n": "Fewer than two items",
    "agent,a,b\n": "no agent below",
    "agent,a,b\nann,1\n": "Line 2 has 2 cells",
    "agent,a,b\nann,1,yes\n": '"yes" (ann, b) is not a number',
    "agent;a;b\nann;0,5;1\n": "decimals with a point",
    "agent,a,b\nann,1,7\n": "gl.rank(scores)",
    "agent,a,b\nann,1,0\nann,0,1\n": '"ann" stands there twice',
    "agent,a,a\nann,1,0\n": '"a" stands there twice',
    "agent,a,b\nann,,\nbob,1,0\n": "ann has no response",
    "agent,a,b\ndifficulty,1,\nann,1,0\n": '"b" has no difficulty',
    "agent,a,b\ndifficulty,2,2\nann,1,0\n": "equally difficult",
    "agent,a,b\nann,1,1\n": "equally difficult",
    "agent,a,b\ndifficulty,1,2\n": "no agent",
    'agent,a,b\n"ann,1,0\n': "never closed",
    "PK\x03\x04\x00\x00": "not a text file",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_table_gives_what_its_python_line_gives(page, name):
    text = GOOD[name]
    found = page.evaluate("(text) => gl.dataView('mine.csv', text)", text)
    *before, last = found["code"].split("\n")
    read = pd.read_csv
    scope = {"gl": gl, "pd": type("pd", (), {"read_csv": lambda _, **k: read(io.StringIO(text.lstrip("\ufeff")), **k)})}  # fmt: skip
    exec("\n".join(before), scope)
    table = eval(last, scope)
    assert found["table"]["agents"] == [str(agent) for agent in table.index]
    names = ["capability", "spread", "generality", "normalised_generality", "expected_difficulty", "mean"]  # fmt: skip
    for one, (_, row) in zip(found["found"], table.iterrows(), strict=True):
        for column in names:
            same = one[column] == row[column]
            assert same or one[column] == pytest.approx(row[column], rel=1e-9, abs=1e-9), column


def test_a_file_that_cannot_be_used_gets_a_reason(page):
    texts = [*BAD, "agent," + ",".join(f"i{k}" for k in range(1000)) + "\n" + "x,1\n" * 300]
    found = page.evaluate("(all) => all.map((text) => gl.dataView('x.csv', text).problem)", texts)
    for text, problem, wanted in zip(texts, found, [*BAD.values(), "too many"], strict=True):
        assert wanted in (problem or ""), (text[:60], problem)


def test_our_modules_share_no_name():
    import re

    defined = re.findall(r"^(?:async )?(?:function|const|let|class) ([A-Za-z0-9_]+)", ALL, re.M)
    assert len(defined) > 60
    assert not [name for name, many in itertools.groupby(sorted(defined)) if len(list(many)) > 1]
