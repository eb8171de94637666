"""Evaluation logs and tables -> `Responses`: `gl.read(path)` says what it found, and never guesses.

One module per tool, or per group of tools that write alike (`harness` is lm-evaluation-harness, `trials` has
METR's runs, tau-bench, Terminal-Bench and Harbor); `tables` and `wide` are for tables, `foreign` for those of
Excel, SPSS and R. `signatures` tells the formats apart, `formats` lists them with their modules, `collect`
gathers the numbers.
"""

from gindex_lab.foundation.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__, {"reading": "read read_scores", "formats": "FORMATS sniff", "collect": "Collector"}
)
