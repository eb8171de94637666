"""Small projects of their own for the tests of the pipeline: a catalogue and notebooks of a few cells."""

import json

PARAMETERS = 'profile = "quick"\nseed = 1\nn = 3'
TABLE = """import os, pathlib
out = pathlib.Path(os.environ["GINDEX_LAB_OUTPUT"])
with open(os.environ["RUN_LOG"], "a") as log:
    print(out.name.split(".")[1], file=log)
(out / "tables").mkdir()
(out / "tables/numbers.csv").write_text("".join(f"{i},{seed / (i + 3)}\\n" for i in range(n)))"""
RICH = """import matplotlib.pyplot as plt
import pandas as pd
from gindex_lab import notebook as nb
nb.start(data="simulated", seed=seed)
nb.save_table(pd.DataFrame({"x": range(n), "y": [seed / (i + 3) for i in range(n)]}), "numbers")
fig, ax = plt.subplots()
nb.show(fig, "dot")"""


def cell(name, source, *tags):
    return {
        "cell_type": "code",
        "id": name,
        "metadata": {"tags": list(tags)} if tags else {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def text(name, source):
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


def write_notebook(root, name, *cells, parameters=PARAMETERS):
    path = root / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    tagged = [cell("parameters", parameters, "parameters")] if parameters is not None else []
    notebook = {
        "cells": [text("title", "# Why?"), *tagged, *cells],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(notebook))
    return path


def catalogue(root, *entries, extra=""):
    rows = [f'[[notebook]]\npath = "{e}"\ntitle = "Why <{e}>?"\npaper = "g-index"\n' for e in entries]
    (root / "notebooks").mkdir(exist_ok=True)
    (root / "notebooks" / "catalogue.toml").write_text("\n".join(rows) + extra)


def run_log(root):
    log = root / "runs.log"
    return log.read_text().split() if log.exists() else []


def tables(reports):
    return {str(p.relative_to(reports)): p.read_bytes() for p in reports.glob("*/*/tables/*.csv")}
