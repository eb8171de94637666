"""How fast are our factors and correlations against R's psych and Python's factor_analyzer?

Every pair works on the same simulated table in one run, one thread each. psych runs in a process of its own,
which times its calls itself; where R or psych is absent the rows say so. factor_analyzer is an oracle of the
tests. Both make one descent and one turn, where ours makes seven or more and three (sixteen for bifactor).
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.rows import Row, best_time, race
from gindex_lab.measures.psychometrics.correlations import correlations
from gindex_lab.measures.psychometrics.extraction import extract
from gindex_lab.measures.psychometrics.reliability import reliability
from gindex_lab.measures.psychometrics.rotation import rotate

__all__ = ["run"]

# What runs in R: the table, then each call's seconds and its numbers.
PSYCH = """
suppressMessages({library(psych); library(GPArotation)})
options(mc.cores = 1)
folder <- commandArgs(trailingOnly = TRUE)[1]
read <- function(name) read.csv(file.path(folder, paste0(name, ".csv")))
normal <- read("normal"); binary <- read("binary"); graded <- read("graded"); R <- cor(normal)
L <- unclass(fa(R, 5, n.obs = nrow(normal), rotate = "none")$loadings)
time <- function(name, call) {
  times <- if (name %in% c("oblimin", "bifactor")) 20 else 1  # the clock of R counts milliseconds
  quiet <- function(i) sum(system.time(for (j in 1:times) suppressMessages(suppressWarnings(call())))[1:2])
  took <- min(sapply(1:3, quiet)) / times
  cat(name, took, "\\n")
}
time("minres", function() fa(R, 5, n.obs = nrow(normal), rotate = "none"))
time("oblimin", function() oblimin(L))
time("bifactor", function() bifactorT(L))
time("tetrachoric", function() tetrachoric(binary))
time("polychoric", function() polychoric(graded))
time("omega", function() omega(normal, 3, plot = FALSE))
cat("version", as.character(packageVersion("psych")), "\\n")
"""


def run(quick: bool = True, seed: int = 1) -> list[Row]:
    """One row for each call and peer."""
    items = 40 if quick else 100
    tables = _tables(items, seed)
    ours, loadings = _ours(tables)
    names = {
        "minres": "minres, 5 factors of 25 items",
        "oblimin": "oblimin rotation, 25 x 5",
        "bifactor": "bifactor rotation, 25 x 5",
        "tetrachoric": f"tetrachoric, 1,000 x {items}",
        "polychoric": f"polychoric (5 categories), 1,000 x {items}",
        "omega": "alpha and omega, 25 items",
    }
    theirs, note = _psych(tables)
    release = f"psych {theirs.get('version', '')}".strip()
    rows = [race(name, ours[key], _seconds(theirs, key), release, note=note) for key, name in names.items()]
    return rows + _factor_analyzer(tables["normal"], ours, loadings)


def _seconds(found: dict[str, str], key: str) -> float | None:
    return float(found[key]) if key in found else None


def _tables(items: int, seed: int) -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    pattern = rng.normal(0, 0.1, (25, 5))
    pattern[np.arange(25), np.arange(25) % 5] += 0.6
    normal = rng.standard_normal((1000, 5)) @ pattern.T + 0.7 * rng.standard_normal((1000, 25))
    behind = 0.6 * rng.standard_normal((1000, 1)) + 0.8 * rng.standard_normal((1000, items))
    return {
        "normal": pd.DataFrame(normal),
        "binary": pd.DataFrame(1.0 * (behind > rng.normal(0, 0.5, items))),
        "graded": pd.DataFrame(np.digitize(behind, [-1, -0.3, 0.3, 1]).astype(float)),
    }


def _ours(tables: dict[str, pd.DataFrame]) -> tuple[dict[str, float], np.ndarray]:
    matrix = tables["normal"].corr().to_numpy()
    loadings = extract(matrix, 5, "minres")
    calls = {
        "minres": lambda: extract(matrix, 5, "minres"),
        "oblimin": lambda: rotate(loadings, "oblimin"),
        "bifactor": lambda: rotate(loadings, "bifactor"),
        "tetrachoric": lambda: correlations(tables["binary"], "tetrachoric"),
        "polychoric": lambda: correlations(tables["graded"], "polychoric"),
        "omega": lambda: reliability(tables["normal"]),
    }
    return {name: best_time(call) for name, call in calls.items()}, loadings


def _psych(tables: dict[str, pd.DataFrame]) -> tuple[dict[str, str], str]:
    """Seconds by call, and a note on why there are none."""
    program = shutil.which("Rscript")
    if program is None:
        return {}, "R is not on this machine"
    with tempfile.TemporaryDirectory() as folder:
        for name, table in tables.items():
            table.add_prefix("v").to_csv(Path(folder, f"{name}.csv"), index=False)
        script = Path(folder, "psych.R")
        script.write_text(PSYCH)
        place = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [program, str(script), folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=place)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {}, f"R's psych failed: {last}"
    lines = [line.split() for line in done.stdout.splitlines()]
    return {line[0]: line[1] for line in lines if len(line) == 2}, ""


def _factor_analyzer(normal: pd.DataFrame, ours: dict[str, float], loadings: np.ndarray) -> list[Row]:
    peer = importlib.import_module("factor_analyzer.factor_analyzer")
    rotator = importlib.import_module("factor_analyzer.rotator").Rotator
    matrix = normal.corr().to_numpy()
    kept, peer.check_array = peer.check_array, lambda array, **_: array  # its keyword is gone
    try:
        fit = peer.FactorAnalyzer(5, rotation=None, method="minres", is_corr_matrix=True)
        seconds = best_time(lambda: fit.fit(matrix.copy()), 1)
    finally:
        peer.check_array = kept
    apart = np.abs((fit.loadings_**2).sum(1) - (loadings**2).sum(1)).max()
    turn = rotator(method="quartimin", normalize=False, max_iter=5000, tol=1e-8)
    turning = best_time(lambda: turn.fit_transform(loadings), 1)
    release = f"factor_analyzer {version('factor_analyzer')}"
    first, second = "minres, 5 factors of 25 items", "oblimin rotation, 25 x 5"
    note = f"communalities {apart:.0e} apart"
    return [
        race(f"{first}, in Python", ours["minres"], seconds, release, note=note),
        race(f"{second}, in Python", ours["oblimin"], turning, release),
    ]
