"""The printed tables: each number is what the ledger of claims has for the same place."""

import re

import pandas as pd
import pytest
from refusals import refused

from gindex_lab.foundation import places
from gindex_lab.foundation.errors import DataUnavailable
from gindex_lab.measures.programs.domains import NOTEBOOK_ORDER
from gindex_lab.studies.data.printed import published

NAMES = [
    "aiq_percentages",
    "aiq_tests",
    "anytime_kinds_of_test",
    "anytime_precedents",
    "anytime_table2",
    "generality_fig_s29",
    "generality_table_s1",
    "generality_table_s2",
    "generality_table_s3",
    "generality_table_s4",
    "generality_table_s5",
    "generality_table_s6",
    "generality_table_s7",
    "gindex_table1",
    "gindex_table2",
    "gindex_table2_variables",
    "gindex_table3",
    "metr_horizons",
]


@pytest.fixture(scope="module")
def claims():
    """Our ledger, which another test holds against the list of the source."""
    return pd.read_csv(places.PROJECT_DATA / "claims.csv", dtype=str, keep_default_na=False)


def of_table(claims, paper, table):
    """quantity -> published value, for the rows that claims.csv takes from a printed table."""
    chosen = claims[(claims.paper == paper) & (claims.figure == table) & (claims["where"] == "table")]
    return dict(zip(chosen.quantity, chosen.published, strict=True))


def test_contents_list_every_table_once():
    assert published().index.tolist() == NAMES
    assert (published()["rows"] > 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_every_row_has_its_place(name):
    table = published(name)
    assert list(table.columns[:3]) == ["paper", "table", "row"]
    assert table[["paper", "table", "row"]].notna().all(axis=None)
    assert table["row"].is_monotonic_increasing
    assert table.iloc[:, :5].duplicated().sum() == 0


def test_readme_names_every_table():
    text = (places.PROJECT_DATA / "published" / "README.md").read_text()
    for name in NAMES:
        short = re.sub(r"generality_table_s[4-7]", "generality_table_s4", name)
        assert f"`{short}`" in text


def test_s1_difficulties_are_the_claims(claims):
    expected = of_table(claims, "generality", "Table S1")
    table = published("generality_table_s1").set_index("item")["difficulty"]
    assert len(table) == len(expected) == 23
    for quantity, value in expected.items():
        assert table[quantity.removeprefix("difficulty ")] == float(value)


@pytest.mark.parametrize("number", [4, 5, 6, 7])
def test_best_classifiers_are_the_claims(claims, number):
    expected = of_table(claims, "generality", f"Table S{number}")
    table = published(f"generality_table_s{number}")
    assert len(expected) == 9
    for row in table.itertuples():
        assert expected.pop(f"rank {row.row} name") == row.classifier
        assert float(expected.pop(f"{row.classifier} capability")) == row.capability
        assert float(expected.pop(f"{row.classifier} spread")) == row.spread
    assert not expected


def test_gindex_table1_is_the_claims(claims):
    expected = of_table(claims, "g-index", "Table 1")
    assert len(expected) == 32
    columns = {
        "training samples": "training_samples",
        "compute (PFLOP)": "compute_pflop",
        "θ": "performance",
        "g-index": "g_index",
    }
    for row in published("gindex_table1").to_dict("records"):
        for quantity, column in columns.items():
            key = f"row {row['row']} {row['model']}: {quantity}"
            assert float(expected.pop(key)) == row[column]
    assert not expected


def test_gindex_table2_is_the_claims(claims):
    expected = of_table(claims, "g-index", "Table 2")
    assert len(expected) == 64
    columns = {
        "nodes": "nodes",
        "program size (characters)": "characters",
        "best average performance": "best_performance",
        "skill level": "skill_level",
    }
    for row in published("gindex_table2").to_dict("records"):
        for quantity, column in columns.items():
            assert float(expected.pop(f"{row['domain']}: {quantity}")) == row[column]
    assert not expected


def test_table2_domains_are_those_of_the_public_programs(beside):
    assert set(published("gindex_table2")["domain"]) == set(NOTEBOOK_ORDER)
    if beside:
        folders = {p.name for p in (beside / "originals/g-index-benchmark/domains").iterdir()}
        assert set(NOTEBOOK_ORDER) == folders


def test_aiq_percentages_are_the_claims(claims):
    printed = claims.set_index("id")["published"]
    table = published("aiq_percentages")
    assert len(table) == 24
    for row in table.itertuples():
        bound = "at most " if row.stated_as == "at most" else ""
        assert printed[row.claim].removesuffix("%") == f"{bound}{row.percent}"


@pytest.mark.shared
def test_aiq_percentages_round_the_published_counts(shared, monkeypatch):
    """The shares of the original sample follow from the author's counts of 200,000 programs."""
    from gindex_lab.studies.data.loading import load

    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    counts = load("aiq_published")["01-SemAnEP_improved_test-results"]
    table = published("aiq_percentages").set_index(["sample", "programs_that"])["percent"]
    characteristics = {
        "pointless 2(a) modified chance": "incrementation/decrementation of chance",
        "pointless 2(c) zeroing overwritten": "zeroing overwritten by chance or action",
        "pointless 2(d) zeroed chance or action": "zeroed chance or action",
    }
    for sample, column in {
        "original": "BF(5-1)#original",
        "SEP-ext": "BF(5-1)#SEP-ext",
    }.items():
        for programs, characteristic in characteristics.items():
            count = counts.set_index("Characteristics").loc[characteristic, column]
            assert round(100 * count / 200_000) == table[sample, programs]


def test_aiq_tests_are_the_claims(claims):
    printed = claims.set_index("id")["published"]
    for row in published("aiq_tests").to_dict("records"):
        text = printed[row["claim"]]
        assert text.startswith(f"{row['difference']}")
        assert f"t({row['degrees_of_freedom']}) = {row['t']:.2f}" in text
        assert f"p = {row['p']:.1e}" in text


@pytest.mark.parametrize("group", ["gender", "education", "ethnicity", "nationality"])
def test_every_part_of_table_s2_is_all_496_people(group):
    rows = published("generality_table_s2").query("group == @group")
    assert rows["people"].sum() == 496
    share = 100 * rows["people"] / 496
    assert ((share - rows["percent"]).abs() < 0.6).all()  # 61 and 39 are printed without a decimal


@pytest.mark.parametrize("domain", published("gindex_table2")["domain"])
def test_the_variables_of_a_printed_prompt_are_slots_of_our_domain(domain):
    from gindex_lab.worlds.learning.corpus import printed_task

    variables = published("gindex_table2_variables")
    task = printed_task(domain, variables)
    printed = published("gindex_table2").set_index("domain")
    assert len(task.program) == printed.loc[domain, "nodes"]
    for text in variables.query("domain == @domain")["value"]:
        assert str(text) in map(str, task.slots.values())


def test_node_types_are_counted_as_printed():
    counts = published("gindex_table3")["category"].value_counts()
    assert len(counts) == 15
    assert counts["dashboard"] == 14
    assert counts["network"] == 12


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gindex_table9", "name: not-published"),
        ("zzz", "name: not-published"),
        (3, "name: not-published"),
    ],
)
def test_unknown_table_is_named(name, message):
    with refused(message):
        published(name)


def test_without_the_repository_the_error_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "PROJECT_DATA", tmp_path)
    with refused("published: not-found", DataUnavailable):
        published("gindex_table1")


@pytest.mark.parametrize("fix", ["before", "after"])
def test_metr_horizons_are_the_claims(fix):
    ledger = pd.read_csv(places.PROJECT_DATA / "claims_horizon.csv", dtype=str)
    printed = published("metr_horizons").query("table == 'TH1.1' and fix == @fix").set_index("model")
    rows = ledger[ledger["figure"] == f"results {fix} the penalty fix"]
    assert len(rows) == {"before": 17, "after": 50}[fix]
    for quantity, value in zip(rows["quantity"], rows["published"], strict=True):
        model, what = quantity.split(": ")
        assert printed.loc[model, f"p{what[:2]}"] == pytest.approx(float(value), rel=1e-5)


@pytest.mark.shared
def test_letter_programs_and_shares_of_right_answers_are_those_of_the_data(shared):
    agents = pd.read_csv(shared / "datasets/ctest/agents.csv")
    machines = agents.loc[agents["kind"] == "machine", "agent"]
    assert set(published("generality_table_s3")["system"]) == set(machines)
    ours = published("generality_fig_s29").set_index("difficulty")["hit_ratio"]
    theirs = pd.read_csv(shared / "datasets" / "ctest" / "hitratio_by_difficulty.csv")
    assert ours.to_dict() == theirs.set_index("difficulty")["hit_ratio"].to_dict()
