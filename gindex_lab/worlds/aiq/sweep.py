"""The paper's validation experiment: many settings of agents on several kinds of samples, at five lengths.

Vadinský (2018, sections 3.1 and 3.2) measures 25 settings on samples of 200,000 programs, 10,000 runs of
100,000 interactions each, and reads the shorter episodes off the same runs ("EffEL"). Here `sweep` does so
for the twenty settings that need no outside program, one small CSV per setting and sample. It can be
stopped and started again at any time: what is done is kept, down to the single program.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from gindex_lab.foundation import parallel, places
from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.files import read_table
from gindex_lab.foundation.folders import claim
from gindex_lab.foundation.kept import is_vouched, set_aside, vouch
from gindex_lab.foundation.output import appendable, as_path
from gindex_lab.foundation.validate import choice
from gindex_lab.worlds.aiq.agents import agent as agent_of
from gindex_lab.worlds.aiq.estimate import estimate
from gindex_lab.worlds.aiq.logs import mark_of_sample
from gindex_lab.worlds.aiq.sampler import sample

__all__ = [
    *("CONDITIONS", "EPISODES", "NOT_RUN", "SETTINGS", "SweepPlan", "check_plan", "measured_sweep"),
    *("read_sweep", "results", "setting_name", "sweep"),
]

EPISODES = (1_000, 3_000, 10_000, 30_000, 100_000)  # the paper's

# of the author's tables, a column for each kind; best known first, so that a sweep is useful early
_SETTINGS = """
Freq,0.05  Q_l,0.0,0.5,0.5,0.02,0.8    H_l,0.0,0.0,0.99,0.02,0.7    Q_l,0.0,0.0,0.5,0.02,0.8
Freq,0.03  Q_l,0.0,0.5,0.5,0.04,0.6    H_l,0.0,0.0,0.95,0.04,0.7    Q_l,0.0,0.0,0.5,0.04,0.6
Freq,0.07  Q_l,0.0,0.5,0.5,0.01,0.9    H_l,0.0,0.0,0.995,0.01,0.8   Q_l,0.0,0.0,0.5,0.01,0.9
Freq,0.09  Q_l,0.0,0.5,0.5,0.03,0.6    H_l,0.0,0.0,0.99,0.04,0.6    Q_l,0.0,0.0,0.5,0.03,0.7
Freq,0.11  Q_l,0.0,0.5,0.5,0.005,0.95  H_l,0.0,0.0,0.995,0.005,0.9  Q_l,0.0,0.0,0.5,0.005,0.95
"""
#: The settings, as the author writes them, and the kind of each.
SETTINGS: dict[str, str] = dict(zip(_SETTINGS.split(), 5 * ["Freq", "Q(0.5)", "HLQ", "Q(0)"], strict=True))

#: The author's five settings of MC-AIXI, which is a program of its own and not part of this package.
NOT_RUN = (
    "MC_AIXI,100,16,4,0.85,0.9",
    "MC_AIXI,100,32,3,0.05,1.0",
    "MC_AIXI,100,8,3,0.9,0.6",
    "MC_AIXI,50,16,2,0.95,0.9",
    "MC_AIXI,50,8,3,0.85,0.3",
)

#: Name of a sample in the paper -> rewriting and discriminative, as `sample` takes them.
CONDITIONS: dict[str, tuple[str, str]] = {
    "original": ("original", "none"),
    "SEP-orig": ("sep-orig", "none"),
    "SEP-ext": ("sep-ext", "none"),
    "SDP": ("sep-ext", "sdp"),
    "SDP-exact": ("sep-ext", "exact"),
}


def setting_name(line: str) -> str:
    """A line of the author's tables for people.

    >>> setting_name("Freq,0.05"), setting_name("Q_l,0.0,0.5,0.5,0.02,0.8")
    ('Freq(ε 0.05)', 'Q(λ 0.5, α 0.5, ε 0.02, γ 0.8)')
    >>> setting_name("H_l,0.0,0.0,0.99,0.02,0.7")
    'HLQ(λ 0.99, ε 0.02, γ 0.7)'
    """
    kind, *values = line.split(",")
    shown = {"Freq": ("Freq", "ε"), "Q_l": ("Q", "λαεγ"), "H_l": ("HLQ", "λεγ")}
    if kind not in shown:
        return line
    name, symbols = shown[kind]
    last = values[len(values) - len(symbols) :]
    return f"{name}({', '.join(f'{s} {v}' for s, v in zip(symbols, last, strict=True))})"


@dataclass(frozen=True)
class SweepPlan:
    """The size of a sweep; the default is the paper's. (Vadinský 2018, sections 3.1 and 3.2.)

    >>> SweepPlan(programs=400, episodes=(50, 100)).runs
    10000
    """

    programs: int = 200_000
    runs: int = 10_000
    episodes: tuple[int, ...] = EPISODES
    seed: int = 1


def sweep(
    folder: str | Path,
    conditions: Sequence[str] = ("SEP-ext", "SDP"),
    settings: Mapping[str, str] | None = None,
    plan: SweepPlan | None = None,
    *,
    jobs: int | None = 1,
) -> pd.DataFrame:
    """Measure every setting on every kind of sample.

    The first setting goes through all samples, then the second, and so on. A pair of setting and sample
    that stands in the folder is not measured again; one that was interrupted goes on where it was.

    Parameters
    ----------
    folder : where results are kept; give each plan its own, another plan's is refused
    conditions : names of `CONDITIONS`
    settings : lines of the author's tables -> kind, `SETTINGS` by default
    plan : the size, that of the paper by default
    jobs : processes

    Returns
    -------
    DataFrame as of `read_sweep`, of these conditions and settings.

    References
    ----------
    Vadinský (2018), sections 3.1 and 3.2.

    Examples
    --------
    >>> import tempfile
    >>> small = SweepPlan(programs=400, runs=100, episodes=(50, 100))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = sweep(folder, ["SEP-ext"], {"Freq,0.05": "Freq"}, small)
    >>> table[["condition", "kind", "episode"]].values.tolist()
    [['SEP-ext', 'Freq', 50], ['SEP-ext', 'Freq', 100]]
    """
    chosen = SETTINGS if settings is None else settings
    names = [choice("conditions", condition, list(CONDITIONS)) for condition in conditions]
    tasks = [(line, kind, condition) for line, kind in chosen.items() for condition in names]
    for line in chosen:
        agent_of(line)  # a wrong line is better found now than after an hour
    claim(Path(folder), "sweep", [])
    shared = (Path(folder), plan or SweepPlan())
    parallel.map(_measure, tasks, shared=shared, jobs=jobs, progress="sweep", batch=1)
    table = read_sweep(folder)
    return table[table["condition"].isin(names) & table["setting"].isin([*chosen])].reset_index(drop=True)


def read_sweep(folder: str | Path) -> pd.DataFrame:
    """All that a sweep has measured so far.

    Parameters
    ----------
    folder : of `sweep`; a damaged result is refused

    Returns
    -------
    DataFrame with a row per sample, setting and episode length: `condition`, `setting`, `kind`, the columns
    of `Estimate.by_episode`, the programs tested (`pairs`), `replaced` and `diverged`, and the plan.

    References
    ----------
    Vadinský (2018), sections 3.1 and 3.2.
    """
    files = results(as_path("folder", folder))
    ensure(files, "folder", str(folder), "[empty] has no results", "run a sweep into it first")
    for file in files:
        problem = f"[damaged] holds {file.name!r}, which is damaged or has lost its hash"
        remedy = "run the sweep again: it repeats what is damaged"
        ensure(is_vouched(file), "folder", str(folder), problem, remedy)
    table = pd.concat([read_table(file) for file in files], ignore_index=True)
    conditions, lines = list(CONDITIONS), [*SETTINGS, *sorted({*table["setting"]} - {*SETTINGS})]
    order = table.assign(
        condition=table["condition"].map(conditions.index), setting=table["setting"].map(lines.index)
    ).sort_values(["condition", "setting", "episode"], kind="stable")
    return table.loc[order.index].reset_index(drop=True)


def results(folder: Path) -> list[Path]:
    """The tables of a sweep; others may keep theirs beside them."""
    return sorted({file for name in CONDITIONS for file in folder.glob(f"{name}-*.csv")})


def measured_sweep() -> tuple[pd.DataFrame, dict[str, Any]]:
    """The sweep at the paper's scale that we measured ourselves.

    It is kept in `data/measured/` of the repository, because it takes more than an hour of a core;
    `sweep("folder")` measures it again.

    Returns
    -------
    The table, and the facts: when, how and by which version it was measured.

    References
    ----------
    Vadinský (2018), sections 3.1 and 3.2.

    Examples
    --------
    >>> table, facts = measured_sweep()
    >>> sorted(facts)
    ['commit', 'cpu_minutes', 'date', 'made_by', 'numba', 'plan', 'python']
    """
    path = places.project_file("measured", "measured", "aiq_sweep.csv")
    facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return read_table(path, ["setting"]), facts


def _measure(folder: Path, plan: SweepPlan, task: tuple[str, str, str]) -> None:
    """One setting on one kind of sample, unless the folder has it."""
    line, kind, condition = task
    done = folder / f"{condition}-{line.replace(',', '_')}.csv"
    if is_vouched(done):
        check_plan(done, plan)
        return
    appendable(done, "folder")
    if done.exists():
        set_aside(done, "is damaged, or has lost its hash; it is measured again")
    programs = _sample_of(condition, plan.programs, plan.seed)
    log = folder / "logs" / f"{done.stem}.log"
    result = estimate(line, programs, episode=plan.episodes, runs=plan.runs, seed=plan.seed, log=log)
    table = result.by_episode.reset_index()
    for place, (name, value) in enumerate({"condition": condition, "setting": line, "kind": kind}.items()):
        table.insert(place, name, value)
    counts = {"pairs": result.pairs, "replaced": len(result.failures), "diverged": result.diverged}
    size = {"programs": plan.programs, "runs": plan.runs, "seed": plan.seed}
    text = table.assign(**counts, sample=mark_of_sample(programs), **size).to_csv(index=False)
    vouch(done, text.encode())


@lru_cache(maxsize=2)
def _sample_of(condition: str, programs: int, seed: int) -> pd.DataFrame:
    return sample(programs, *CONDITIONS[condition], seed=seed)


def check_plan(done: Path, plan: SweepPlan) -> None:
    """Refuse a table that another plan made."""
    table = read_table(done)
    programs, runs, seed = (int(table[name][0]) for name in ("programs", "runs", "seed"))
    found = SweepPlan(programs, runs, tuple(table["episode"]), seed)
    if found != plan:
        problem = f"[other-plan] holds another plan, {found}"
        raise BadInput("folder", str(done.parent), problem, "use a separate folder")


Plan = SweepPlan  # its name until November 2026
