"""Live demos for teaching: plain functions of a few numbers, with sliders in front of them.

This file is the table of contents of `gl.widgets`. A name is imported from its module when it is first used.
"""

from gindex_lab.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__,
    {
        "view": "View",
        "live": "Demo",
        # how capable, how general
        "curve": "curve_demo curve_view",
    },
)
