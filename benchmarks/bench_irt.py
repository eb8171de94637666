"""How fast, and how likely, is our 2PL against girth and the PyPI package mirt?

All three fit the same simulated responses in one run; their log-likelihoods are computed by one
function on one grid (61 nodes on [-6, 6]) from the parameters each returns. The peers are not
dependencies of gindex_lab: install them into an environment of their own and name its Python,

    python -m venv peers && peers/bin/pip install girth mirt
    GINDEX_LAB_PEERS=peers/bin/python python -m benchmarks.bench_irt

or install them beside gindex_lab. Without them the table says so and holds our own times only.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from gindex_lab.psychometrics.irt import irt, simulate_irt
from gindex_lab.psychometrics.irt_em import e_step
from gindex_lab.psychometrics.irt_settings import Patterns, Settings

__all__ = ["run"]

SIZES = [(496, 23), (5_000, 100)]
MISSING = "peer not installed: pip install girth mirt (and set GINDEX_LAB_PEERS to that Python)"

# What runs in the peers' Python: load the responses, fit once to warm up, then time.
PEER = """
import sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
peer, source, target, repeats = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
responses = np.load(source).astype(int)
if peer == "girth":
    from girth import twopl_mml
    def fit(data):
        found = twopl_mml(data.T)
        return found["Discrimination"], found["Difficulty"]
else:
    from mirt import fit_mirt
    def fit(data):
        found = fit_mirt(data, model="2PL", n_quadpts=61, compute_standard_errors=False)
        return found.model.parameters["discrimination"], found.model.parameters["difficulty"]
fit(responses[:200, :10])
seconds = []
for _ in range(repeats):
    start = time.perf_counter()
    slope, difficulty = fit(responses)
    seconds.append(time.perf_counter() - start)
np.savez(target, seconds=min(seconds), slope=np.ravel(slope), difficulty=np.ravel(difficulty))
"""


def run(sizes: list[tuple[int, int]] | None = None, seed: int = 1) -> pd.DataFrame:
    """One row per size and program: seconds, log-likelihood, and how many times ours it takes."""
    rows = []
    for agents, items in sizes or SIZES:
        values = _responses(agents, items, seed)
        rows += _with_ratios(values, f"{agents:,} x {items}")
    return pd.DataFrame(rows)


def _responses(agents: int, items: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = pd.DataFrame(
        {"discrimination": rng.lognormal(0.0, 0.3, items), "difficulty": rng.standard_normal(items)}
    )
    return simulate_irt(truth, agents, seed=rng).values


def _with_ratios(values: np.ndarray, size: str) -> list[dict[str, object]]:
    seconds, slope, difficulty = _ours(values)
    base = {"size": size, "program": "gindex_lab", "seconds": seconds, "times ours": 1.0}
    rows: list[dict[str, object]] = [
        base | {"log-likelihood": _log_likelihood(values, slope, difficulty), "note": ""}
    ]
    for peer in ("mirt", "girth"):
        row: dict[str, object] = {"size": size, "program": peer}
        found = _peer(peer, values)
        if isinstance(found, str):
            rows.append(row | {"note": found})
            continue
        took, slope, difficulty = found
        fit = _log_likelihood(values, slope, difficulty)
        rows.append(
            row | {"seconds": took, "times ours": took / seconds, "log-likelihood": fit, "note": ""}
        )
    return rows


def _ours(values: np.ndarray, repeats: int = 3) -> tuple[float, np.ndarray, np.ndarray]:
    irt(values[:200, :10])
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        found = irt(values).parameters
        seconds.append(time.perf_counter() - start)
    return min(seconds), found["discrimination"].to_numpy(), found["difficulty"].to_numpy()


def _peer(peer: str, values: np.ndarray) -> tuple[float, np.ndarray, np.ndarray] | str:
    """Seconds, discriminations and difficulties of a peer, or why there are none."""
    python = os.environ.get("GINDEX_LAB_PEERS")
    if python is None and importlib.util.find_spec(peer) is None:
        return MISSING
    python = python or sys.executable
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "responses.npy"), Path(folder, "found.npz")
        np.save(source, values)
        command = [
            python,
            "-c",
            PEER,
            peer,
            str(source),
            str(target),
            "1" if peer == "girth" else "3",
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as problem:
            return f"GINDEX_LAB_PEERS={python}: {problem.strerror}"
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return MISSING if "ModuleNotFoundError" in last else f"failed: {last}"
        with np.load(target) as found:
            return float(found["seconds"]), found["slope"], found["difficulty"]


def _log_likelihood(values: np.ndarray, slope: np.ndarray, difficulty: np.ndarray) -> float:
    data = Patterns.of(values)
    by_pattern, _ = e_step(data, np.stack([slope, -slope * difficulty], 1), *Settings().grid())
    return float(data.agents @ by_pattern)


if __name__ == "__main__":
    with pd.option_context("display.width", 140, "display.max_colwidth", 80):
        print(
            run().round({"seconds": 4, "times ours": 1, "log-likelihood": 3}).to_string(index=False)
        )
