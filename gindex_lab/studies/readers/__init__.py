"""Evaluation logs and tables -> `Responses`: `gl.read(path)` says what it found, and never guesses.

One module per tool (`harness` is lm-evaluation-harness, `tables` the long and wide ones, `foreign` those of
Excel, SPSS and R). `signatures` tells them apart, `formats` lists them, `collect` gathers the numbers.
"""

from gindex_lab.foundation.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__, {"reading": "read read_scores", "formats": "FORMATS sniff", "collect": "Collector"}
)
