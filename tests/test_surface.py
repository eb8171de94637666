"""The surface one can read: what a type checker and an editor know of `gl`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gindex_lab as gl

ROOT = Path(__file__).resolve().parent.parent


def test_the_stub_of_the_package_holds_every_public_name():
    text = (ROOT / "gindex_lab" / "__init__.pyi").read_text("utf-8")
    assert all(f" as {name}\n" in text for name in gl.__all__)


@pytest.mark.slow
def test_a_misspelt_name_and_a_wrong_argument_fail_the_type_checker(tmp_path):
    """What a newcomer mistypes is found before it runs; what is right passes."""
    script = tmp_path / "study.py"
    script.write_text(
        "import gindex_lab as gl\n"
        "table = gl.Responses([[1, 0]], difficulty=[1, 2])\n"
        "gl.generality(table, ci=0.95, seed=1)['capability']\n"
        "gl.aiq.sample(10, seed=1)\n"
        "gl.mazes.analyse(3, [(0, 1)])\n"
        "gl.generalty(table)\n"
        "gl.generality(table, cii=0.95)\n"
        "gl.aiq.smaple(10)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(script)],
        capture_output=True,
        text=True,
        cwd=ROOT,  # with the cache that `make test` has filled
        env=os.environ | {"MYPYPATH": str(ROOT)},
    )
    found = [line for line in done.stdout.splitlines() if "study.py" in line and "error:" in line]
    lines = {int(line.split("study.py:")[1].split(":")[0]) for line in found}
    assert lines == {6, 7, 8}, done.stdout + done.stderr
