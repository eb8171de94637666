"""The golden numbers kept in the clone: none is made up, and none is about a person."""

import json
from pathlib import Path

import pytest

KEPT = Path(__file__).parent / "goldens"

FILES = sorted(path.relative_to(KEPT).as_posix() for path in KEPT.glob("*/*"))


def entries(path):
    if path.suffix != ".json":
        return path.read_text(encoding="utf-8").splitlines()
    content = json.loads(path.read_text(encoding="utf-8"))
    return (
        [json.dumps(part, sort_keys=True) for part in content]
        if isinstance(content, list)
        else [content]
    )


def test_the_readme_names_every_file():
    text = (KEPT / "README.md").read_text(encoding="utf-8")
    patterns = [part for part in text.split("`")[1::2] if "/" in part]
    unnamed = [f for f in FILES if not any((KEPT / f).match(pattern) for pattern in patterns)]
    assert unnamed == []


@pytest.mark.shared
def test_every_kept_row_is_one_of_the_whole_file(shared):
    for name in FILES:
        whole = entries(shared / "golden" / name)
        strange = [row for row in entries(KEPT / name) if row not in whole]
        assert strange == [], name
