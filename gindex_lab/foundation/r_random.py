"""R's random numbers in NumPy: the same Mersenne Twister, seeded and read as R does.

The authors' simulations start with `set.seed(0)`. To get their very agents, not only their distribution, we
fill NumPy's MT19937 with the state that R's `set.seed` makes, scale its words as `runif` does, and invert the
normal distribution as `rnorm` does.

>>> RRandom(0).uniform(3).round(7)      # R: set.seed(0); runif(3)
array([0.8966972, 0.2655087, 0.3721239])
>>> RRandom(0).normal(3).round(7)       # R: set.seed(0); rnorm(3)
array([ 1.2629543, -0.3262334,  1.3297993])
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray, integer

__all__ = ["RRandom"]

_WORD = 2.3283064365386963e-10  # 2^-32, with the digits of R's source
_EDGE = 0.5 * 2.328306437080797e-10  # R keeps runif strictly inside (0, 1)
_BIG = 134217728.0  # 2^27: rnorm glues two uniforms into one of 53 bits


class RRandom:
    """R's default generator after `set.seed(seed)`: `uniform` is runif, `normal` is rnorm."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.MT19937()
        self._bits.state = {
            "bit_generator": "MT19937",
            "state": {"key": _scrambled(integer("seed", seed, 0)), "pos": 624},
        }

    def uniform(self, *shape: int) -> FloatArray:
        """The next numbers of `runif`, in rows."""
        words = self._bits.random_raw(int(np.prod(shape))).astype(float)
        return np.asarray(np.clip(words * _WORD, _EDGE, 1 - _EDGE).reshape(shape))

    def normal(self, *shape: int) -> FloatArray:
        """The next numbers of `rnorm` (standard normal, by inversion), in rows."""
        from scipy.special import ndtri

        pairs = self.uniform(*shape, 2)
        return np.asarray(ndtri((np.floor(_BIG * pairs[..., 0]) + pairs[..., 1]) / _BIG))


def _scrambled(seed: int) -> np.ndarray:
    """The 624 words of R's state: a linear congruence, of which the first 51 values are skipped."""
    words = np.empty(675, dtype=np.uint32)
    x = seed
    for i in range(len(words)):
        x = (69069 * x + 1) & 0xFFFFFFFF
        words[i] = x
    return words[51:]
