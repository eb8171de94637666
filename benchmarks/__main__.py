"""Run every bench_*.py (or those named), print a table, write reports/benchmarks.json."""

import json
import sys
from importlib import import_module
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent


def main(names: list[str]) -> None:
    rows: list[dict[str, object]] = []
    for path in sorted(HERE.glob("bench_*.py")):
        if not names or path.stem.removeprefix("bench_") in names:
            rows += import_module(f"benchmarks.{path.stem}").run()
    print(pd.DataFrame(rows).to_string(index=False))
    out = HERE.parent / "reports" / "benchmarks.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(rows, indent=1, default=lambda x: x.item()))


if __name__ == "__main__":
    main(sys.argv[1:])
