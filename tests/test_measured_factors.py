"""What the kept tables of factors, reliability and rank correlations say is what the package offers limits by."""

import pandas as pd
import pytest

from benchmarks.measured import factor_limits, ranks, reliability
from gindex_lab.foundation.places import project_file

STUDIES = {"factor_limits": factor_limits, "ranks": ranks, "reliability": reliability}


def kept(name):
    return pd.read_csv(project_file("measured", "measured", f"{name}.csv"), keep_default_na=True)


@pytest.mark.parametrize("name", STUDIES)
def test_a_kept_table_has_the_designs_of_its_module(name):
    designs, table = STUDIES[name].designs(), kept(name)
    assert list(designs) == list(table)[: designs.shape[1]]
    for column in designs:
        seen = table[column].fillna("") if designs[column].dtype.kind not in "if" else table[column]
        assert seen.tolist() == designs[column].tolist()


def test_limits_of_a_rank_correlation_hold_and_are_not_offered_to_ten_agents():
    table = kept("ranks").query("part == 'report'")
    assert (table.loc[table["agents"] < 20, "offered"] == 0).all()
    given = table[table["offered"] > 0.5]
    clouds, tests = (given[given["of"] == of]["covered"] for of in ("cloud", "test"))
    assert clouds.min() >= 0.90
    assert clouds.mean() >= 0.94
    assert tests.mean() >= 0.90


def test_limits_of_rmsea_hold_where_several_factors_are_explored():
    table = kept("factor_limits").query("part == 'report'")
    given = table[table["offered"] >= 0.5]
    assert given["covered"].min() >= 0.86
    assert given["covered"].mean() >= 0.88
    alike = table[table["structure"].isin(["three at .6 as two", "four at .5 as three"])]
    assert alike["offered"].max() < 0.1  # they would hold in 67 to 93%
    assert alike["all"].min() < 0.8


def test_limits_of_alpha_and_of_loadings_hold():
    table = kept("reliability").query("part == 'report'")
    given = table[table["offered"] >= 0.5]
    alpha, loadings = (given[given["of"] == of] for of in ("alpha", "loadings"))
    assert alpha["covered"].min() >= 0.91
    assert alpha["covered"].min() > alpha["feldt"].min()
    assert loadings["covered"].between(0.90, 0.99).all()
    assert (table.loc[table["kind"] == "bifactor", "offered"] == 0).all()


def test_rules_chosen_with_the_report_half_in_sight_hold_on_fresh_designs():
    """Ties (more than half share one value), 150 agents, and no limits after a bifactor rotation."""
    ranked = kept("ranks").query("part == 'fresh'")
    given = ranked[ranked["offered"] > 0.5]
    assert given["covered"].min() >= 0.92
    assert given["covered"].mean() >= 0.95
    assert ranked.loc[ranked["kind"].str.startswith("55%"), "offered"].max() < 0.2
    explored = kept("factor_limits").query("part == 'fresh'")
    assert (explored.loc[explored["agents"] < 150, "offered"] == 0).all()
    given = explored[explored["offered"] >= 0.3]
    assert given["covered"].min() >= 0.88
    assert explored.loc[explored["structure"] == "three at .45 as two", "offered"].max() < 0.1
    loadings = kept("reliability").query("of == 'loadings'")
    fresh = loadings[loadings["part"] == "fresh"]
    assert fresh.loc[fresh["offered"] == 1, "covered"].between(0.92, 0.97).all()
    rotated = loadings[loadings["kind"] == "bifactor"].set_index("part")["would"]
    assert rotated["report"] < 0.8  # groups that correlate: which of them is the general factor is open
    assert rotated["fresh"].min() > 0.93  # a general factor and its groups
