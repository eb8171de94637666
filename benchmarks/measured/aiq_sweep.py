"""The AIQ of the paper's settings at the paper's scale, which `gl.aiq.measured_sweep` reads.

`gl.aiq.sweep(folder)` measures it (more than an hour of a core); then
`python -m benchmarks.measured.aiq_sweep FOLDER COMMIT CPU_MINUTES` puts it into `data/measured/`.
"""

from __future__ import annotations

import datetime
import json
import platform
import sys
from dataclasses import asdict
from pathlib import Path

import numba

from gindex_lab.foundation import places
from gindex_lab.foundation.output import appendable, write_text
from gindex_lab.worlds.aiq.sweep import SweepPlan, check_plan, read_sweep, results


def keep_sweep(folder: str | Path, plan: SweepPlan | None = None, *, commit: str, cpu_minutes: float) -> None:
    """Put a sweep into `data/measured/`: the values to four digits, and the facts.

    All its rows must come from the plan, by default the paper's. `commit` is the version that made them.
    """
    table, size, files = read_sweep(folder), plan or SweepPlan(), results(Path(folder))
    for file in files:
        check_plan(file, size)
    newest = max(file.stat().st_mtime for file in files)
    facts = {
        "made_by": f"gl.aiq.sweep(folder, {list(dict.fromkeys(table['condition']))})",
        "plan": asdict(size),
        "commit": commit,
        "date": datetime.datetime.fromtimestamp(newest, datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "cpu_minutes": round(cpu_minutes, 1),
    }
    path = places.PROJECT_DATA / "measured" / "aiq_sweep.csv"
    for one in (path, path.with_suffix(".json")):  # both or neither
        appendable(one, "measured")
    write_text(path, table.round(4).to_csv(index=False))
    write_text(path.with_suffix(".json"), json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    keep_sweep(sys.argv[1], commit=sys.argv[2], cpu_minutes=float(sys.argv[3]))
