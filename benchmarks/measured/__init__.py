"""The studies behind `data/measured`: simulations that a reader runs again, and the package never does.

`python -m benchmarks.measured.power OUT.csv` (or `separations`, `kinds`, `horizon`) makes a table again and
goes on where it was stopped. Studies that notebooks run live on a small scale too (`coverage_study`,
`method_study`, `stopping_study`) are in `gindex_lab/studies/simulations`.
"""
