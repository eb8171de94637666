"""Simulated evaluation logs to try things on.

Twelve made-up models of rising ability meet four families of items of known difficulty; one of them is a
specialist, as good as the best at two families and as bad as the worst at the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.output import write_text, writing
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import choice, generator, integer

__all__ = ["EXAMPLES", "simulated_runs", "write_example"]

FAMILIES = ("arithmetic", "logic", "reading", "spelling")
_TIME = "2026-01-02T03-04-05.000006"


def simulated_runs(agents: int = 12, items: int = 30, trials: int = 1, *, seed: SeedLike = 1) -> Responses:
    """Responses of made-up models to `items` items of each of four families.

    Logistic models with discrimination 1.6, abilities from -1.5 to 1.5; `specialist` has the lowest
    ability, but +4 in arithmetic and logic. With several trials, each is a draw of its own.

    >>> runs = simulated_runs(agents=3, items=5, seed=1)
    >>> runs, runs.family.unique().tolist()
    (Responses(example: 3 agents x 20 items, simulated), ['arithmetic', 'logic', 'reading', 'spelling'])
    """
    rng = generator(seed)
    n, k = integer("agents", agents, 2), integer("items", items, 1)
    ability = np.linspace(-1.5, 1.5, n)
    names = [f"model-{chr(97 + i % 26)}{i // 26 or ''}" for i in range(n - 1)]
    difficulty = rng.normal(0, 1.2, (len(FAMILIES), k))
    gap = np.sort(ability)[[*range(1, n), 0], None, None] - difficulty
    gap[-1, :2] += 4.0  # the specialist's families
    chance = 1 / (1 + np.exp(-1.6 * gap.reshape(n, -1)))
    drawn = rng.random((integer("trials", trials), *chance.shape)) < chance
    labels = [f"{family}/{i + 1}" for family in FAMILIES for i in range(k)]
    frame = pd.DataFrame(drawn.mean(axis=0), [*names, "specialist"], labels)
    facts = pd.DataFrame({"family": np.repeat(FAMILIES, k)}, index=labels)
    repeated = _trials(drawn, frame) if trials > 1 else None
    return Responses(frame, items=facts, trials=repeated, name="example", source="simulated")


def _trials(drawn: np.ndarray, frame: pd.DataFrame) -> pd.DataFrame:
    t, a, i = (x.ravel() for x in np.indices(drawn.shape))
    columns = {"agent": frame.index[a], "item": frame.columns[i]}
    return pd.DataFrame(columns | {"response": drawn.ravel().astype(float), "trial": (t + 1).astype(str)})


def write_example(
    folder: str | PathLike[str], format: str = "lm-eval", runs: Responses | None = None, *, seed: SeedLike = 1
) -> Path:
    """Write `runs` (or `simulated_runs(seed=seed)`) as logs of a format; the path that `gl.read` takes.

    >>> import tempfile
    >>> from gindex_lab.studies.readers.reading import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read(write_example(folder, runs=simulated_runs(agents=3, items=2)))
    Responses(logs: 3 agents x 8 items)
    """
    choice("format", format, list(EXAMPLES))
    target = Path(folder) / "logs"
    with writing(target, "folder"):
        target.mkdir(parents=True, exist_ok=True)
    study = simulated_runs(seed=seed) if runs is None else runs
    long = study.to_long()
    long["family"] = long["item"].map(study.items["family"])
    long["id"] = [item.split("/", 1)[1] for item in long["item"]]
    if "trial" not in long:
        long["trial"] = "1"
    return EXAMPLES[format](target, long) or target


def _harness(folder: Path, long: pd.DataFrame) -> None:
    for (agent, family), rows in long.groupby(["agent", "family"], sort=False):
        where = folder / str(agent).replace("/", "__")
        where.mkdir(exist_ok=True)
        lines = [
            {"doc_id": row.id, "doc": {"question": row.item}, "target": "A", "resps": [["A"]],
             "filtered_resps": ["A"], "filter": "none", "metrics": ["acc"], "doc_hash": row.item,
             "acc": row.response}
            for row in rows.itertuples()
        ]  # fmt: skip
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        write_text(where / f"samples_{family}_{_TIME}.jsonl", text)
        about = {"results": {}, "model_name": agent, "config": {}}
        write_text(where / f"results_{_TIME}.json", json.dumps(about, ensure_ascii=False))


EXAMPLES: dict[str, Callable[[Path, pd.DataFrame], Path | None]] = {"lm-eval": _harness}
# the tests add writers of every other format (tests/examples_of_formats.py, tests/examples_of_tools.py)
