"""Random numbers by counting: the k-th draw of a stream is a function of (key, k), nothing else.

A key is made from the seed, the program, the replicate, the sign and the purpose of the stream. So
chance in the machine and chance in the agent never share a stream, and a result does not depend on the
order in which programs are run, nor on how many workers run them. Keys are signed 64-bit numbers. The
function is the finaliser of SplitMix64 (Steele, Lea and Flood 2014) applied to key + k * golden ratio.

Kept apart so that `import gindex_lab` never loads numba.
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.kernels import compiled

__all__ = ["ACTIONS", "AGENT", "CHANCE", "PROGRAM", "below", "bits", "stream_key", "uniform"]

CHANCE, AGENT, ACTIONS, PROGRAM = range(4)  # what a stream is for

# the numbers of SplitMix64
_GOLDEN, _FIRST, _SECOND = map(np.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_30, _27, _31, _32, _11 = map(np.uint64, (30, 27, 31, 32, 11))  # its shifts, and ours
_UNIT = 1.0 / 9007199254740992.0  # 2^-53


@compiled(inline="always")
def bits(key: int | np.uint64, counter: int) -> np.uint64:
    """The 64 bits of draw `counter` (0, 1, 2, ...) of the stream `key`."""
    z = np.uint64(key) + (np.uint64(counter) + np.uint64(1)) * _GOLDEN
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@compiled
def stream_key(seed: int, program: int, replicate: int, sign: int, purpose: int) -> int:
    """The key of one stream: any change of any number gives unrelated draws."""
    key = bits(seed, 0)
    key = bits(key ^ np.uint64(program), 1)
    key = bits(key ^ np.uint64(replicate), 2)
    key = bits(key ^ np.uint64(sign + 1), 3)
    return np.int64(bits(key ^ np.uint64(purpose), 4))  # type: ignore[return-value]


@compiled(inline="always")
def uniform(key: int, counter: int) -> float:
    """A number in [0, 1) with 53 random bits."""
    whole = np.int64(bits(key, counter) >> _11)  # from signed to float is one instruction
    return np.float64(whole) * _UNIT


@compiled(inline="always")
def below(key: int, counter: int, n: int) -> int:
    """A whole number from 0 to n - 1, uniform up to 2^-32."""
    return np.int64(((bits(key, counter) >> _32) * np.uint64(n)) >> _32)  # type: ignore[return-value]
