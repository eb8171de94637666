"""Flatland: programs that draw, and how far apart they are (g-index paper, section 5).

This file is the table of contents of `gl.flatland`. A name is imported from its module when it is first
used.
"""

from gindex_lab.foundation.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__,
    {
        # programs, and their three syntaxes
        "definitions": "Call Definition DrawingLimits Limits Link Node",
        "programs": "Program library parse read shape uses write",
        "expansion": "Graph expand",
        # what they draw
        "execution": "Step Trace steps trace",
        "rendering": "image_similarity picture save_png to_svg",
        "curricula": "DOMAINS DrawingSample Sample augment curriculum sample variations",
        "drawings": "Circle Drawing Line",
        # how far apart they are
        "distances": "Distance binary_distance distance distances generalisation_difficulty nearest omega",
        # curricula, and systems that learn from them
        "systems": "NearestPicture RandomDrawing ShapeFitter",
        "enumeration": "PieceSearch",
        "experiments": "experiment",
    },
)
