"""The golden numbers kept in the clone: none is made up, and none is about a person."""

import json
from pathlib import Path

import pytest

KEPT = Path(__file__).parent / "goldens"

FILES = sorted(path.relative_to(KEPT).as_posix() for path in KEPT.glob("*/*"))


def holds(whole, part):
    """Whether an entry is one of the whole file, perhaps with fewer fields."""
    if not isinstance(part, dict):
        return part in whole
    return any(all(other.get(key) == value for key, value in part.items()) for other in whole)


def entries(path):
    if path.suffix != ".json":
        return path.read_text(encoding="utf-8").splitlines()
    content = json.loads(path.read_text(encoding="utf-8"))
    return content if isinstance(content, list) else [content]


def test_the_readme_names_every_file():
    text = (KEPT / "README.md").read_text(encoding="utf-8")
    patterns = [part for part in text.split("`")[1::2] if "/" in part]
    unnamed = [f for f in FILES if not any((KEPT / f).match(pattern) for pattern in patterns)]
    assert unnamed == []


@pytest.mark.shared
def test_every_kept_row_is_one_of_the_whole_file(shared):
    for name in FILES:
        if name == "gindex/domain_distances.csv":  # test_gindex.py makes it from the public programs
            continue
        whole = entries(shared / "golden" / name)
        strange = [row for row in entries(KEPT / name) if not holds(whole, row)]
        assert strange == [], name
