"""Run every bench_*.py (or those named), each in a process of its own, and write one page.

`reports/benchmarks.html` and `.json` hold every ratio beside the one stored in `baseline.json`, so that a
fall is seen; `--save` stores the ratios of this run instead. `--profile full` takes its time.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import platform
import resource
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.page import write_page
from benchmarks.rows import compared
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.folders import claim, claimable, is_ours
from gindex_lab.foundation.interrupts import INTERRUPTED, ends_once
from gindex_lab.foundation.output import write_text

HERE = Path(__file__).parent
BASELINE = HERE / "baseline.json"


def main() -> int:
    options = _options()
    if options.one:
        print(json.dumps(measured(options.one, options.profile == "quick")))
        return 0
    known = [path.stem.removeprefix("bench_") for path in sorted(HERE.glob("bench_*.py"))]
    for name in options.names:
        if name not in known:
            sys.exit(f"{name}: no such benchmark; there are {', '.join(known)}")
    try:
        claimable(options.reports, "reports")
    except BadInput as error:
        sys.exit(str(error))
    if not is_ours(options.reports):  # before the hours of work
        for name in ("benchmarks.html", "benchmarks.json"):
            if (options.reports / name).exists():
                sys.exit(f"{options.reports / name} is not ours: name another folder (--reports)")
    before = json.loads(BASELINE.read_text()) if BASELINE.exists() else {"ratios": {}}
    found = []
    for name in options.names or known:
        print(f"{name} ...", end=" ", flush=True)
        part = _in_process(name, options.profile)
        part["rows"] = compared(part["rows"], before["ratios"].get(name, {}))
        print(_told(part), flush=True)
        found.append(part)
    _write(found, before, options)
    return 1 if any(part["error"] for part in found) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="benchmarks, by default all")
    parser.add_argument("--profile", choices=["quick", "full"], default="quick")
    parser.add_argument("--save", action="store_true", help="store these ratios as the baseline")
    parser.add_argument("--reports", type=Path, default=HERE.parent / "reports")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    return parser.parse_args()


def measured(name: str, quick: bool) -> dict[str, Any]:
    """One benchmark, run here: its rows, seconds and the most memory that the process held."""
    run = import_module(f"benchmarks.bench_{name}").run
    takes_quick = "quick" in inspect.signature(run).parameters
    wall, cpu = time.perf_counter(), time.process_time()
    rows = run(quick=quick) if takes_quick else run()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "rows": rows,
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "peak_mb": peak / (1e6 if sys.platform == "darwin" else 1e3),
    }


def _in_process(name: str, profile: str) -> dict[str, Any]:
    """A benchmark that fails is told as such, and the others go on."""
    load = os.getloadavg()[0]
    command = [sys.executable, "-m", "benchmarks", "--one", name, "--profile", profile]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent, check=False)
    facts = {"benchmark": name, "load": [load, os.getloadavg()[0]], "error": "", "rows": []}
    if done.returncode:
        return facts | {"error": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    return facts | json.loads(done.stdout.splitlines()[-1])


def _told(part: dict[str, Any]) -> str:
    if part["error"]:
        return f"failed: {part['error']}"
    fallen = sum(row["fell"] for row in part["rows"])
    absent = {row["note"] for row in part["rows"] if row["kind"] == "race" and row["peer"] is None}
    told = [f"{len(part['rows'])} rows", f"{part['cpu']:.0f} s", *sorted(absent)]
    return ", ".join(told + [f"{fallen} FELL"] * bool(fallen))


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
        "load": round(os.getloadavg()[0], 1),
        "date": time.strftime("%Y-%m-%d"),
    }


def _write(found: list[dict[str, Any]], before: dict[str, Any], options: argparse.Namespace) -> None:
    claimable(options.reports, "reports")
    here = machine()
    content = {"machine": here, "profile": options.profile, "benchmarks": found}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    write_text(options.reports / "benchmarks.json", text + "\n")
    page = options.reports / "benchmarks.html"
    write_page(page, found, here, before.get("machine"), options.profile)
    pages = {page.name, "benchmarks.json"}
    claim(options.reports, "reports", pages)  # for `make clean`
    print(f"report: {page}")
    if options.save:
        ratios = {p["benchmark"]: _ratios(p["rows"]) for p in found if not p["error"]}
        kept = {"machine": here, "ratios": before["ratios"] | ratios}
        write_text(BASELINE, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def _ratios(rows: list[dict[str, Any]]) -> dict[str, float]:
    return {row["name"]: round(row["ratio"], 3) for row in rows if row.get("ratio") is not None}


if __name__ == "__main__":
    try:
        with ends_once():
            status = main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(status)
