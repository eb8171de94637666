"""How often is an item that works differently found? Designs of the studies behind difR's methods.

Swaminathan and Rogers (1990) and Rogers and Swaminathan (1993) compare Mantel-Haenszel with logistic
regression for 250 and 500 agents in each group on 40 items; Narayanan and Swaminathan (1996) add groups whose
abilities lie apart, and DIF measured by the area between the curves; DeMars (2009) long and short tests with
abilities apart. Here the area is 0.6 or 0.8: uniform DIF moves the difficulty by it, non-uniform DIF
lowers the discrimination at the same difficulty (area = 2 log 2 |1/a - 1/a'|; Raju 1988, Psychometrika 53,
495-502). A tenth of the items have it. Items are those of `irt.items_of`, those with DIF have slope 1.2.

One row per design and method in `data/measured/dif_power.csv`: `power`, and `error`, the share of the other
items that are flagged at .05, with standard errors. "difr" is what R's difR does by default: no
purification, p values as if equal scores were equal ability. `python -m benchmarks.measured.dif_power
OUT.csv` makes it again and goes on where it stopped.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measured.irt import Row, items_of, two_groups
from gindex_lab.foundation.output import write_text
from gindex_lab.measures.psychometrics.dif import dif
from gindex_lab.studies.simulations.coverage_study import kept_study

__all__ = ["METHODS", "check_power", "power", "power_designs", "shown"]

_DESIGN = ["agents", "items", "apart", "kind", "area"]
METHODS = {
    "mantel-haenszel": {"method": "mantel-haenszel"},
    "logistic": {"method": "logistic"},
    "likelihood-ratio": {"method": "likelihood-ratio"},
    "mantel-haenszel, difr": {"method": "mantel-haenszel", "purify": False, "classical": True},
    "logistic, difr": {"method": "logistic", "purify": False, "classical": True},
}


def power_designs() -> pd.DataFrame:
    """Agents in each group, items, distance of the abilities, kind and area of DIF.

    >>> power_designs().shape
    (12, 5)
    """
    rows = [
        (n, 40, gap, kind, area)
        for gap in (0.0, 1.0)
        for kind, area in (("uniform", 0.6), ("non-uniform", 0.8))
        for n in (250, 500)
    ]
    rows += [(1000, 20, 1.0, kind, area) for kind, area in (("uniform", 0.6), ("non-uniform", 0.8))]
    rows += [(500, 10, 0.0, kind, area) for kind, area in (("uniform", 0.6), ("non-uniform", 0.8))]
    return pd.DataFrame(rows, columns=_DESIGN)


def check_power(row: Row, tables: int, seed: int) -> dict[str, float]:
    """Of each method the share of items with DIF, and of the others, that it flags (and standard errors).

    >>> row = {"agents": 60, "items": 11, "apart": 0.0, "kind": "uniform", "area": 0.8}
    >>> sorted(x for x in check_power(row, 2, 1) if "logistic" in x and "difr" not in x)
    ['logistic:error', 'logistic:error_se', 'logistic:power', 'logistic:power_se']
    """
    rng = np.random.default_rng([seed, *" ".join(str(row[x]) for x in _DESIGN).encode()])
    short = row["items"] <= 10  # the likelihood ratio fits a model for every item
    flags: dict[str, list[np.ndarray]] = {}
    with_dif = np.arange(row["items"]) < max(row["items"] // 10, 1)
    tables = max(2, tables // 2 if short else tables)
    for _ in range(tables):
        both = two_groups(*_items(row, with_dif, rng), row["agents"], row["apart"], rng)
        for name, how in METHODS.items():
            if short or name != "likelihood-ratio":
                found = dif(*both, focal="focal", **how).table["p"]  # type: ignore[arg-type]
                flags.setdefault(name, []).append((found < 0.05).to_numpy())
    result: dict[str, float] = {"tables": tables}
    for name, rows in flags.items():
        for key, part in (("power", with_dif), ("error", ~with_dif)):
            each = np.array(rows)[:, part].mean(1)
            result[f"{name}:{key}"] = round(float(each.mean()), 4)
            result[f"{name}:{key}_se"] = round(float(each.std(ddof=1) / np.sqrt(tables)), 4)
    return result


def _items(row: Row, with_dif: np.ndarray, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The items for the reference and for the focal group."""
    items = items_of("2pl", row["items"], rng)
    items.loc[with_dif, "discrimination"] = 1.2
    items.loc[with_dif, "difficulty"] = rng.uniform(-0.5, 0.5, with_dif.sum())
    other = items.copy()
    if row["kind"] == "uniform":
        other.loc[with_dif, "difficulty"] += row["area"]
    else:
        other.loc[with_dif, "discrimination"] = 1 / (1 / 1.2 + row["area"] / (2 * np.log(2)))
    return items, other


def power(out: str, tables: int = 100, seed: int = 26) -> pd.DataFrame:
    """All designs, written to `out` with one row per design and method."""
    wide = kept_study(out, power_designs(), check_power, tables, seed)
    parts = []
    for name in METHODS:
        part = wide.loc[wide[f"{name}:power"].notna(), [*_DESIGN, "tables"]].assign(method=name)
        for key in ("power", "power_se", "error", "error_se"):
            part[key] = wide[f"{name}:{key}"]
        parts.append(part)
    table = pd.concat(parts).sort_index(kind="stable")
    write_text(Path(out), table.to_csv(index=False))
    return table


def shown(table: pd.DataFrame) -> str:
    """The table as the README of `data/measured` shows it: power, and in brackets errors among other items.

    >>> rows = [(250, 40, 0.0, "uniform", 0.6, 100, "logistic", 0.875, 0.018, 0.05, 0.004)]
    >>> names = [*_DESIGN, "tables", "method", "power", "power_se", "error", "error_se"]
    >>> print(shown(pd.DataFrame(rows, columns=names)))
    | agents a group, items | abilities apart | DIF | logistic |
    |---|---|---|---|
    | 250, 40 | 0 | uniform, 0.6 | .88 (.050) |
    """
    methods = [name for name in METHODS if name in set(table["method"])]
    lines = [f"| agents a group, items | abilities apart | DIF | {' | '.join(methods)} |"]
    lines += ["|" + "---|" * (3 + len(methods))]
    for design, rows in table.groupby(_DESIGN, sort=False):
        agents, items, apart, kind, area = design
        cells = {x.method: f"{x.power:.2f} ({x.error:.3f})".replace("0.", ".") for x in rows.itertuples()}
        found = " | ".join(cells.get(name, "") for name in methods)
        lines += [f"| {agents}, {items} | {apart:g} | {kind}, {area:g} | {found} |"]
    return "\n".join(lines)


if __name__ == "__main__":
    print(power(*sys.argv[1:2]).to_string())
