"""Intelligence systems for flatland: a picture in, a drawing out.

As in `gindex_lab.worlds.learning`, a system has `fit(pairs)`, which sees the curriculum as (picture, drawing)
pairs, and `generate(image)`, which answers with a drawing. Each counts its elementary operations in
`operations` (a comparison of two pixels is one), so that experience E is measured the same way on every
machine. None is told what domain a picture is from (g-index paper, section 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import generator, integer
from gindex_lab.worlds.flatland.drawings import Drawing
from gindex_lab.worlds.flatland.rendering import Picture, as_picture

__all__ = ["NearestPicture", "PictureLearner", "PictureSystem", "RandomDrawing", "check_pairs"]

Pair = tuple[Picture, Drawing]


@runtime_checkable
class PictureSystem(Protocol):
    """What an experiment needs of a system."""

    operations: int

    def fit(self, pairs: Sequence[Pair]) -> object:
        """Learn from the curriculum."""

    def generate(self, image: npt.ArrayLike) -> Drawing:
        """Answer one picture with a drawing, in one attempt."""


def check_pairs(pairs: object) -> list[Pair]:
    """The curriculum as a list of (picture, drawing), or an error that names the faulty pair."""
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Sequence) or not pairs:
        remedy = "pass [(picture, drawing), ...]; of a Sample take .pair"
        raise BadInput("pairs", pairs, "holds nothing to learn from", remedy)
    checked = []
    for at, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            remedy = "pass (picture, drawing); of a Sample take .pair"
            raise BadInput(f"pairs[{at}]", pair, "is not a (picture, drawing) pair", remedy)
        checked.append((as_picture(pair[0], f"pairs[{at}]"), Drawing.of(pair[1])))
    return checked


class PictureLearner:
    """What our systems share: the pairs they saw and the operations they spent."""

    def __init__(self) -> None:
        self.operations = 0
        self.pairs: list[Pair] = []

    def fit(self, pairs: Sequence[Pair]) -> None:
        """Learn from the curriculum, forgetting any earlier one; reading costs pixels and shapes."""
        self.pairs = check_pairs(pairs)
        self.operations = sum(image.size + 4 * len(drawing) for image, drawing in self.pairs)
        self._learn()

    def generate(self, image: npt.ArrayLike) -> Drawing:
        """Answer one picture with a drawing."""
        picture = as_picture(image)
        if not self.pairs:
            raise BadInput(
                "image", "a picture", "comes before any training", "call fit(pairs) first"
            )
        return self._answer(picture)

    def _learn(self) -> None:
        """What a system does beyond reading the pairs: by default nothing."""

    def _answer(self, image: Picture) -> Drawing:
        raise NotImplementedError


class RandomDrawing(PictureLearner):
    """A training drawing at random, whatever is shown: the floor."""

    def __init__(self, *, seed: SeedLike = 1) -> None:
        super().__init__()
        self._rng = generator(seed)

    def _answer(self, image: Picture) -> Drawing:
        self.operations += 1
        return self.pairs[int(self._rng.integers(len(self.pairs)))][1]


class NearestPicture(PictureLearner):
    """The drawing of the training picture that looks most alike, unchanged.

    Pictures are compared as the ink in blocks of `block` x `block` pixels, by cosine: lines one pixel wide
    hardly ever lie on top of each other.

    >>> from gindex_lab.worlds.flatland import curriculum
    >>> known = curriculum(3, seed=1)
    >>> system = NearestPicture()
    >>> system.fit([task.pair for task in known])
    >>> system.generate(known[7].image) == known[7].drawing
    True
    """

    def __init__(self, block: int = 8) -> None:
        super().__init__()
        self.block = integer("block", block)
        if 128 % self.block:
            raise BadInput("block", block, "does not divide 128", "use 1, 2, 4, 8, 16 or 32")

    def _learn(self) -> None:
        self._known = np.stack([self._coarse(image) for image, _ in self.pairs])
        self.operations += sum(image.size for image, _ in self.pairs)

    def _coarse(self, image: Picture) -> Any:
        side = 128 // self.block
        ink = (
            image.reshape(side, self.block, side, self.block).sum(axis=(1, 3)).ravel().astype(float)
        )
        length = np.linalg.norm(ink)
        return ink / length if length else ink

    def _answer(self, image: Picture) -> Drawing:
        likeness = self._known @ self._coarse(image)
        self.operations += image.size + 2 * self._known.size
        return self.pairs[int(np.argmax(likeness))][1]
