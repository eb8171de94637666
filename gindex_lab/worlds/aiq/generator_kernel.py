"""The compiled generator of raw programs: a random walk of the bracket depth that ends below zero.

Kept apart so that `import gindex_lab` never loads numba.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.kernels import compiled
from gindex_lab.worlds.aiq.random_streams import PROGRAM, below, stream_key

__all__ = ["generate"]

_LETTERS = np.frombuffer(b"<>+-,.%[]]", dtype=np.uint8)  # a drawn # is read as ]
_OPEN, _CLOSE, _READ, _WRITE, _END = (ord(letter) for letter in "[],.#")


@compiled
def generate(
    count: int, first: int, seed: int, active: bool, text: npt.NDArray[np.uint8]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Programs `first` to `first + count - 1` into `text`: where each ends, and its number.

    With `active`, programs without `,` or `.` are left out. A last end of -1 says that `text` is too small.
    """
    ends = np.empty(count, dtype=np.int64)
    numbers = np.empty(count, dtype=np.int64)
    kept = 0
    position = 0
    for number in range(first, first + count):
        key = stream_key(seed, number, 0, 1, PROGRAM)
        begin, depth, draw = position, 0, 0
        reads = writes = False
        while depth >= 0:
            if position >= len(text):
                ends[kept] = -1
                return ends[: kept + 1], numbers[: kept + 1]
            letter = _LETTERS[below(key, draw, 10)]
            draw += 1
            depth += (letter == _OPEN) - (letter == _CLOSE)
            reads |= letter == _READ
            writes |= letter == _WRITE
            text[position] = letter if depth >= 0 else _END
            position += 1
        if active and not (reads and writes):
            position = begin
            continue
        ends[kept] = position
        numbers[kept] = number
        kept += 1
    return ends[:kept], numbers[:kept]
