"""What the tests share: where ../shared is, and that CI does not skip the tests that read it."""

import os
import sys
from pathlib import Path

import pytest
from examples_of_formats import BASIC
from examples_of_prompts import MORE_TOOLS
from examples_of_tools import TOOLS
from hypothesis import settings

from gindex_lab.studies.readers.examples import EXAMPLES

EXAMPLES |= BASIC | TOOLS | MORE_TOOLS  # logs of other tools, for the tests only

# Machines are noisy: an example may take its time. The examples are the same in every run.
settings.register_profile("gindex_lab", deadline=None, derandomize=True)
settings.load_profile("gindex_lab")

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))  # for what tests share: `from oracles.aiq_learners import Twin`
SHARED = Path(os.environ.get("GINDEX_LAB_SHARED", ROOT.parent / "shared"))

KEPT = ROOT / "tests" / "goldens"

collect_ignore = ["log_writers"]  # they run in an environment of their own


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what reads ../shared, and skip it where that is absent, with the reason."""
    for item in items:
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.shared)
    if SHARED.is_dir() or os.environ.get("GINDEX_LAB_REQUIRE_SHARED"):
        return
    for item in items:
        if "shared" in item.keywords:
            item.add_marker(pytest.mark.skip(reason=f"needs {SHARED} (goldens and published data)"))


@pytest.fixture(scope="session")
def shared():
    """The folder of goldens and published data."""
    assert SHARED.is_dir(), f"{SHARED} is absent"
    return SHARED


@pytest.fixture(scope="session")
def beside():
    """The same folder for a test that can do without it: None where it is absent."""
    return SHARED if SHARED.is_dir() else None


@pytest.fixture(scope="session")
def goldens():
    """Numbers made by the authors' code: all of them, or without ../shared the part in tests/goldens."""
    return SHARED / "golden" if SHARED.is_dir() else KEPT


@pytest.fixture
def sketched(monkeypatch):
    """The figures of an analysis' page are drawn but not rendered, which is most of the page's time: for
    tests of its words. `test_cli.py` and `test_analysis.py` render them."""
    from matplotlib import pyplot

    from gindex_lab.presentation import analysis_page

    def png(draw):
        pyplot.close(draw())
        return "iVBORw0KGgo="

    monkeypatch.setattr(analysis_page, "png", png)
