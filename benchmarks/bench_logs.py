"""How fast, and in how much memory, are logs read and reported?

The peer of `gl.read` is what one would write in a notebook: `pandas.read_json(lines=True)` and a pivot. Each
reads the same JSONL in a process of its own, so that the peak of its memory is its own; their tables are
compared before any time is. The report of 50 models x 2,000 items has no peer, only a limit.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.rows import Row, best_time, race, within

__all__ = ["run"]

REPORTS = (
    (50, 2_000, 30.0),
    (200, 20_000, 60.0),
    (1_000, 5, 5.0),
)  # agents, items, seconds of a report

_OURS = """
import gindex_lab as gl, pandas
def table(path):
    return gl.read(path).frame
table(sys.argv[2])
"""
_PEER = """
import pandas
def table(path):
    rows = pandas.read_json(path, lines=True, dtype={"model": str, "item": str})
    return rows.pivot(index="model", columns="item", values="score")
table(sys.argv[2])
"""
_PEER_TABLE = """
import pandas
def table(path):
    return pandas.read_csv(path).pivot(index="model", columns="item", values="score")
table(sys.argv[2])
"""
_MEASURE = """
import resource, sys, time
{code}
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, start = peak(), time.process_time()
found = table(sys.argv[1])
print(time.process_time() - start, peak() - before, float(found.to_numpy().sum()), *found.shape)
"""


def run(
    models: int = 200,
    items: int = 5_000,
    rows: int = 20_000,
    reports: tuple[tuple[int, int, float], ...] = REPORTS,
) -> list[Row]:
    """Time and memory of reading, against the peer's; the time of a report as a share of its limit.

    >>> [row["name"] for row in run(3, 10, 8, ((4, 12, 30.0),))]
    ['read 30 lines of JSONL', 'memory to read 30 lines of JSONL', 'read a long CSV of 24 rows',
     'memory to read a long CSV of 24 rows', 'report of 4 models x 12 items']
    """
    with tempfile.TemporaryDirectory() as folder:
        big, small = Path(folder, "big.jsonl"), Path(folder, "small.jsonl")
        _write(big, models, items)
        _write(small, 2, 2)  # so that imports are done before the clock starts
        ours, peer = (_measured(code, big, small) for code in (_OURS, _PEER))
        assert ours[2:] == peer[2:], "the two tables differ"
        table, little = Path(folder, "big.csv"), Path(folder, "small.csv")
        _write_table(table, models, rows)
        _write_table(little, 2, 2)
        long, pandas = (_measured(code, table, little) for code in (_OURS, _PEER_TABLE))
        assert long[2:] == pandas[2:], "the two tables differ"
        seconds = [_report(Path(folder), *size) for *size, _ in reports]
    what, peer_name = f"read {models * items:,} lines of JSONL", "pandas.read_json and a pivot"
    csv, csv_peer = f"read a long CSV of {models * rows:,} rows", "pandas.read_csv and a pivot"
    return [
        race(what, ours[0], peer[0], peer_name),
        race(f"memory to {what}", max(ours[1], 1.0), peer[1], peer_name, unit="MiB"),
        race(csv, long[0], pandas[0], csv_peer),
        race(f"memory to {csv}", max(long[1], 1.0), pandas[1], csv_peer, unit="MiB"),
        *(
            within(
                f"report of {agents} models x {n:,} items",
                took,
                limit,
                f"{limit:g} seconds of the processor, from a CSV to the page",
                unit="s",
            )
            for (agents, n, limit), took in zip(reports, seconds, strict=True)
        ),
    ]


def _write(path: Path, models: int, items: int) -> None:
    filler = "x" * 300
    with path.open("w") as file:
        for m in range(models):
            file.writelines(
                f'{{"model": "m{m}", "item": "i{i}", "score": {(i * 7 + m) % 3 // 2}, "text": "{filler}"}}\n'
                for i in range(items)
            )


def _write_table(path: Path, models: int, items: int) -> None:
    with path.open("w") as file:
        file.write("model,item,score\n")
        for m in range(models):
            file.writelines(f"m{m},i{i},{(i * 7 + m) % 3 // 2}\n" for i in range(items))


def _measured(code: str, path: Path, warm: Path) -> tuple[float, ...]:
    call = [sys.executable, "-c", _MEASURE.format(code=code), str(path), str(warm)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    return tuple(map(float, done.stdout.split()))


def _report(folder: Path, agents: int, items: int) -> float:
    """Process seconds from a CSV to a written page."""
    from gindex_lab.measures.psychometrics.irt import simulate_irt
    from gindex_lab.press.analyse import analyse

    rng = np.random.default_rng(1)
    true = pd.DataFrame(
        {"discrimination": rng.lognormal(0, 0.3, items), "difficulty": rng.normal(0, 1, items)}
    )
    runs = simulate_irt(true, agents=agents, seed=1).frame
    runs.rename_axis("model").to_csv(folder / "runs.csv")
    return best_time(lambda: analyse(folder / "runs.csv").write(folder / "report.html"), 1)
