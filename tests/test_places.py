"""Where is Figure X? The list is complete for every source, and all that it names exists."""

import re
from pathlib import Path

import pytest
from loops import looped

from gindex_lab.press.reproduction.inputs import read_catalogue
from gindex_lab.press.reproduction.places import NUMBERED, function_of, places

TABLE = places()
ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = {entry.path for entry in read_catalogue(ROOT)}


@pytest.mark.parametrize(("source", "kind"), NUMBERED, ids=" ".join)
def test_every_number_of_a_source_is_listed_once(source, kind):
    kinds = re.split(", | or ", kind)
    rows = TABLE[(TABLE["source"] == source) & TABLE["kind"].isin(kinds)]
    assert list(rows["number"]) == NUMBERED[source, kind]


@pytest.mark.parametrize("name", sorted(set(TABLE["function"])))
def test_every_function_named_exists(name):
    assert callable(function_of(name))


def test_every_notebook_named_is_in_the_catalogue_and_every_one_of_the_catalogue_is_named():
    named = {path for row in TABLE["notebooks"] for path in row}
    assert named == NOTEBOOKS
    assert TABLE["notebooks"].str.len().min() >= 1


def test_rows_say_what_they_are_about():
    assert not TABLE[["source", "kind", "number", "what", "function"]].eq("").any(axis=None)
    assert not TABLE.duplicated(["source", "kind", "number"]).any()


@pytest.mark.shared
@looped(
    ("text", "source", "pattern", "kind"),
    [
        ("generality_supplement", "generality", r"^(?:Figure) (S\d+)[:.]", "figure"),
        ("generality_supplement", "generality", r"^Table (S\d+):", "table"),
        ("gindex", "g-index", r"^Figure (\d+):", "figure"),
        ("gindex", "g-index", r"^Table (\d+):", "table"),
        ("gindex_earlier_version", "g-index, earlier version", r"Figure (\d+):", "figure"),
        ("anytime_slides", "anytime", r"^Definition (\d+) ", "definition"),
    ],
)
def test_the_list_has_what_the_text_of_the_paper_numbers(shared, text, source, pattern, kind):
    written = (shared / "papers" / f"{text}.txt").read_text("utf-8")
    found = set(re.findall(pattern, written, re.MULTILINE))
    assert found
    assert found <= set(TABLE[(TABLE["source"] == source) & (TABLE["kind"] == kind)]["number"])


def test_the_page_lists_every_row_and_links_to_its_notebooks():
    from gindex_lab.press.reproduction.reports import places_page

    page = places_page()
    assert page.count("<tr data-paper") == len(TABLE)
    for path in NOTEBOOKS:
        assert f'href="{path}/report.html"' in page
