"""axe-core, the checker of accessibility, for the browser tests: from the environment or from .tools/axe.

Get it by `python -m pip install --no-deps --target .tools/axe axe-playwright-python`; without it the tests skip.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

_TOOLS = Path(__file__).resolve().parent.parent / ".tools" / "axe" / "axe_playwright_python"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def axe_source():
    """The text of axe.min.js; the test is skipped where it is absent."""
    installed = find_spec("axe_playwright_python")
    places = [Path(installed.origin).parent] if installed else []
    for place in (*places, _TOOLS):
        if (place / "axe.min.js").exists():
            return (place / "axe.min.js").read_text(encoding="utf-8")
    return pytest.skip("needs axe-core: see tests/axe.py")


def violations(page):
    """What axe finds against levels A and AA on a page: rule and elements."""
    page.evaluate(axe_source())
    found = page.evaluate(
        "rules => axe.run(document, {runOnly: {type: 'tag', values: rules}})", RULES
    )
    assert found["passes"], "axe looked at nothing"
    return [(one["id"], [node["target"] for node in one["nodes"]]) for one in found["violations"]]
