"""Speed as ratios against peers, measured in one run: `make bench`, or `python -m benchmarks [names]`.

A benchmark is a module `bench_<name>.py` with a function `run()` that returns the rows of `benchmarks.rows`:
`race` against a peer, `within` a stated limit, a growth `curve`, or a number `alone`. With an argument
`quick`, `run` is told whether minutes or hours are wanted.
"""
