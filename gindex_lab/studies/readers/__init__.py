"""Evaluation logs and tables -> `Responses`: `gl.read(path)` says what it found, and never guesses.

One module per format: `harness` (lm-evaluation-harness), `inspect_logs`, `helm`, `tables` (long, wide,
IRW, Parquet), `leaderboard`. `formats` tells them apart, `collect` gathers the numbers.
"""

from gindex_lab.foundation.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__,
    {"reading": "read read_scores", "formats": "FORMATS sniff", "collect": "Collector"},
)
