"""Speed as ratios against peers, measured in one run: `make bench`, or `python -m benchmarks [names]`.

A benchmark is a module `bench_<name>.py` with a function `run()` that returns rows (dicts, or a table).
A row has a name (`benchmark` or `what`), a `ratio` against its peer, and whatever else it wants to tell;
`sizes` and `seconds` make it a growth curve, `share_of_limit` says how far from a stated limit it is.
With an argument `quick`, `run` is told whether minutes or hours are wanted.
"""
