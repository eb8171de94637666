"""Damage to files and folders: bytes cut, changed or swapped, and things in the place of other things."""

import json
import os
import shutil


def damaged(content, draw):
    """One of ten kinds of damage to some bytes."""
    data, at = bytearray(content), draw.randrange(max(1, len(content)))
    some = bytes(draw.randrange(256) for _ in range(draw.randrange(1, 9)))
    lines = content.split(b"\n")
    draw.shuffle(lines)
    kinds = [
        lambda: bytes(data[:at]),
        lambda: bytes(data[:at] + some + data[at:]),
        lambda: bytes(data[:at] + some + data[at + len(some) :]),
        lambda: bytes(data[:at] + bytes(b ^ 1 << draw.randrange(8) for b in data[at : at + 1]) + data[at + 1 :]),
        lambda: bytes(data[:at] + data[at + draw.randrange(1, 40) :]),
        lambda: b"\n".join(lines),
        lambda: b"\0" * len(data),
        lambda: content + content,
        lambda: content.replace(b"1", b"2", 1 + draw.randrange(3)),
        lambda: b"",
    ]  # fmt: skip
    return draw.choice(kinds)()


OTHER_JSON = [
    *("[]", "{}", "null", "1", '"a"', "[[]]", '{"a": 1}', "[1, null]", "1e999", "NaN"),
    "[" * 100_000,
    '[{"id": 1}]',
    '{"files": 3, "what": []}',
]


def put_other_json(path, draw):
    path.write_text(draw.choice(OTHER_JSON))


def drop_a_key(path, draw, sealed):
    """A record of another version, say: sound by its seal, but without something that we read."""
    try:
        found = json.loads(path.read_bytes())
        found.pop(draw.choice(sorted(found)))
    except (ValueError, AttributeError, IndexError, TypeError):
        found = {}
    path.write_text(json.dumps(sealed(found)))


def in_its_place(path, draw):
    """A folder, a pipe, a link or nothing where a file or a folder was."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    kind = draw.randrange(6)
    if kind == 0:
        path.mkdir()
    elif kind == 1:
        os.mkfifo(path)
    elif kind == 2:
        path.symlink_to("nowhere")
    elif kind == 3:
        path.symlink_to(path.name)
    elif kind == 4:
        path.write_bytes(b"mine")
