"""The properties that `make test` tries on a quarter of their random examples, on all of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from loops import EVERY

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "tests").glob("test_*.py")
    if path.name != Path(__file__).name and "max_examples=some_of(" in path.read_text("utf-8")
)


def test_there_are_such_properties():
    assert "tests/test_acc_properties.py" in FILES


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_the_properties_hold_on_every_example(file):
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", file]
    environment = os.environ | {EVERY: "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
