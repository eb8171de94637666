"""How fast, and how likely, are our 2PL and graded model against girth and the PyPI package mirt?

All three fit the same simulated responses in one run, one thread each; their log-likelihoods are computed by
one function on one grid (61 nodes on [-6, 6]) from the parameters each returns. The peers are oracles, not
dependencies of gindex_lab: `make bench` puts the versions pinned in `benchmarks/requirements.lock` into a
folder of their own, which only the peers' processes see. Without them the rows say so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.rows import Row, best_time, race
from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
from gindex_lab.measures.psychometrics.irt_engine import e_step, log_chances
from gindex_lab.measures.psychometrics.irt_models import model_of
from gindex_lab.measures.psychometrics.irt_plan import Latent, PatternTable, grid
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings

__all__ = ["run"]

SIZES = [(496, 23), (5_000, 100)]
GRADED = [(1_000, 20), (5_000, 100)]  # with four categories
FOLDER = Path(__file__).parents[1] / ".tools" / "peers"
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
Fit = tuple[float, np.ndarray, np.ndarray]

# What runs in the peer's process: load the responses, fit once to warm up, then time.
PEER = """
import sys, time, warnings
from importlib.metadata import version
import numpy as np
warnings.simplefilter("ignore")
peer, source, target, repeats = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
responses = np.load(source).astype(int)
categories = responses.max() + 1
if peer == "girth":
    from girth import grm_mml, twopl_mml
    def fit(data):
        found = (twopl_mml if categories == 2 else grm_mml)(data.T)
        return found["Discrimination"], found["Difficulty"]
else:
    from mirt import fit_mirt
    def fit(data):
        kind = {"model": "2PL"} if categories == 2 else {"model": "GRM", "n_categories": int(categories)}
        found = fit_mirt(data, **kind, n_quadpts=61, compute_standard_errors=False)
        given = found.model.parameters
        return given["discrimination"], given["difficulty" if categories == 2 else "thresholds"]
fit(responses[:200, :10])
seconds = []
for _ in range(repeats):
    start = time.process_time()
    slope, difficulty = fit(responses)
    seconds.append(time.process_time() - start)
np.savez(target, seconds=min(seconds), slope=np.ravel(slope), difficulty=difficulty)
print(version(peer))
"""


def run(sizes: list[tuple[int, int]] | None = None, seed: int = 1) -> list[Row]:
    """One row per size and peer: both times, both log-likelihoods."""
    rows = [
        row
        for agents, items in sizes or SIZES
        for row in _rows(_responses(agents, items, seed), f"2PL, {agents:,} x {items}")
    ]
    for agents, items in [] if sizes else GRADED:
        answers = _responses(agents, items, seed, cuts=3)
        rows += _rows(answers, f"graded, {agents:,} x {items}")
    return rows


def _responses(agents: int, items: int, seed: int, cuts: int = 1) -> np.ndarray:
    """Whole numbers from 0 to `cuts`."""
    rng = np.random.default_rng(seed)
    truth = pd.DataFrame({"discrimination": rng.lognormal(0.0, 0.3, items)})
    if cuts == 1:
        return simulate_irt(truth.assign(difficulty=rng.standard_normal(items)), agents, seed=rng).values
    middle = rng.standard_normal((items, 1)) + np.linspace(-1, 1, cuts)
    places = pd.DataFrame(middle, columns=[f"b{c + 1}" for c in range(cuts)])
    return np.rint(cuts * simulate_irt(truth.join(places), agents, model="graded", seed=rng).values)


def _rows(values: np.ndarray, what: str) -> list[Row]:
    seconds, slope, difficulty = _ours(values)
    likelihood = _log_likelihood(values, slope, difficulty)
    rows = []
    for peer in ("mirt", "girth"):
        name = f"{what}, against {peer}"
        try:
            release, (took, slope, difficulty) = _peer(peer, values)
        except RuntimeError as problem:
            rows.append(race(name, seconds, None, peer, note=str(problem)))
            continue
        theirs = _log_likelihood(values, slope, difficulty)
        note = f"log-likelihood ours {likelihood:,.2f}, theirs {theirs:,.2f}"
        rows.append(race(name, seconds, took, f"{peer} {release}", note=note))
    return rows


def _ours(values: np.ndarray) -> Fit:
    model = "2pl" if values.max() == 1 else "graded"
    irt(values[:200, :10], model)  # compile, or load what was compiled
    found = irt(values, model).parameters
    seconds = best_time(lambda: irt(values, model).parameters)
    cuts = found.filter(regex=r"^(b\d|difficulty$)").to_numpy()
    return seconds, found["discrimination"].to_numpy(), cuts[:, 1:] if model == "graded" else cuts


def _peer(peer: str, values: np.ndarray) -> tuple[str, Fit]:
    """The peer's version, seconds, discriminations and difficulties."""
    if not (FOLDER / peer).exists():
        raise RuntimeError(f"{peer} is not installed here: `make bench` fetches it (network needed)")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "responses.npy"), Path(folder, "found.npz")
        np.save(source, values)
        repeats = "1" if peer == "girth" else "3"
        command = [sys.executable, "-c", PEER, peer, str(source), str(target), repeats]
        place = os.environ | ONE_THREAD | {"PYTHONPATH": str(FOLDER)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=place)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise RuntimeError(f"{peer} failed: {last}")
        with np.load(target) as found:
            fit = float(found["seconds"]), found["slope"], found["difficulty"]
            return done.stdout.strip(), fit


def _log_likelihood(values: np.ndarray, slope: np.ndarray, difficulty: np.ndarray) -> float:
    model = model_of("graded", values.max(0).astype(int) + 1)
    parameters = np.column_stack([slope, -slope[:, None] * difficulty.reshape(len(slope), -1)])
    data, nodes = PatternTable.of_categories(values, model.columns), grid(IrtSettings(), 1)
    log = log_chances(model, parameters, nodes).log
    return float(data.agents @ e_step(data, log, Latent.standard().log_weights(nodes)[0])[0])
