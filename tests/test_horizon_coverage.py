"""Coverage of the intervals of a horizon: the kept table, and that it can be made again."""

from pathlib import Path

import pandas as pd
import pytest

from gindex_lab.horizons.coverage import DESIGNS, METHODS, horizon_coverage

KEPT = Path(__file__).parents[1] / "data" / "measured" / "horizon_coverage.csv"


def test_the_kept_table_has_every_design_and_method():
    table = pd.read_csv(KEPT)
    assert len(table) == len(DESIGNS) * len(METHODS)


def test_families_then_tasks_cover_within_the_published_table_or_better():
    table = pd.read_csv(KEPT).set_index("method").loc["families then tasks, percentile"]
    assert (table[["horizon", "spread"]] >= 0.90).all(axis=None)
    even = table[table["family_sd"] == 0]
    assert (even[["horizon", "spread"]] >= 0.96).all(axis=None)


def test_tasks_alone_understate_as_soon_as_families_differ():
    table = pd.read_csv(KEPT).set_index("method").loc["tasks only, percentile"]
    assert (table.loc[table["family_sd"] > 0, "horizon"] < 0.85).all()


@pytest.mark.slow
def test_a_row_of_the_kept_table_can_be_made_again():
    kept = pd.read_csv(KEPT).iloc[:4]
    found = horizon_coverage(DESIGNS[:1], simulations=240, draws=500)
    assert (found["horizon"].round(4) - kept["horizon"]).abs().max() < 1e-6
