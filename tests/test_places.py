"""Where is Figure X? The list is complete for every source, and all that it names exists."""

import importlib
import json
import re
from pathlib import Path

import pytest
from loops import looped

from gindex_lab.press.reproduction.inputs import read_catalogue
from gindex_lab.press.reproduction.reports import places

_SUPPLEMENT = [f"S{k}" for k in range(1, 31)]
#: What the sources number, by source and kind: the lists that `data/places.csv` must be complete for.
NUMBERED = {
    ("generality", "figure"): [*"12345", *_SUPPLEMENT],
    ("generality", "table"): ["1", *(f"S{k}" for k in range(1, 8))],
    ("generality", "equation"): [str(k) for k in range(1, 10)],
    ("generality", "proposition, lemma or corollary"): [str(k) for k in range(1, 20)],
    ("g-index", "figure"): [str(k) for k in range(1, 16)],
    ("g-index", "table"): ["1", "2", "3"],
    ("g-index", "equation"): [str(k) for k in range(1, 17)],
    ("g-index, earlier version", "figure"): [str(k) for k in range(1, 13)],
    ("g-index, earlier version", "table"): ["1", "2", "3"],
    ("g-index, earlier version", "equation"): [str(k) for k in range(1, 17)],
    ("aiq", "equation"): ["1", "2"],
    ("anytime", "figure"): ["2"],
    ("anytime", "table"): ["2"],
    ("anytime", "definition"): ["2", "3", "9", "16", "17", "18"],
}


def function_of(name):
    """The function or class that a row names: `gl.generality`, or its full path in the package."""
    head, _, rest = name.partition(".")
    found = importlib.import_module("gindex_lab")
    if head == "gl":
        for part in rest.split("."):
            found = getattr(found, part)
        return found
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


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


_WORDS = {
    "figure": "Fig(?:ure)?s?",
    "table": "Tables?",
    "equation": "Eq(?:uation)?s?",
    "proposition": "[Pp]ropositions?",
    "lemma": "[Ll]emmas?",
    "corollary": "[Cc]orollary",
    "definition": "Definitions?",
}


def _numbers(text, word):
    """What a text numbers: `Figs S25 and S26`, `Eqs 13-15`, `propositions 4 to 6`."""
    found = set()
    for said in re.findall(rf"{word}\.?\s(S?\d+(?:(?:, | and | to |-|–)S?\d+)*)", text):
        found |= set(re.findall(r"S?\d+", said))
        for letter, first, last in re.findall(r"(S?)(\d+)(?: to |-|–)S?(\d+)", said):
            found |= {f"{letter}{k}" for k in range(int(first), int(last) + 1)}
    return found


def test_a_notebook_names_what_the_list_says_that_it_shows():
    text = {
        path: "".join(
            "".join(cell["source"]).replace("\n", " ") + " "
            for cell in json.loads((ROOT / "notebooks" / f"{path}.ipynb").read_text("utf-8"))["cells"]
        )
        for path in NOTEBOOKS
    }
    numbered = TABLE[TABLE["kind"].isin(_WORDS) & (TABLE["source"] != "g-index, earlier version")]
    unnamed = [
        (row.source, row.kind, row.number)
        for row in numbered.itertuples()
        if not any(row.number in _numbers(text[path], _WORDS[row.kind]) for path in row.notebooks)
    ]
    assert unnamed == [("generality", "figure", "3")]  # which no source of ours describes


@pytest.mark.shared
@looped(
    ("text", "source", "pattern", "kind"),
    [
        ("generality_supplement", "generality", r"^(?:Figure) (S\d+)[:.]", "figure"),
        ("generality_supplement", "generality", r"^Table (S\d+):", "table"),
        ("gindex", "g-index", r"^Figure (\d+):", "figure"),
        ("gindex", "g-index", r"^Table (\d+):", "table"),
        ("gindex_earlier_version", "g-index, earlier version", r"Figure (\d+):", "figure"),
        ("gindex_earlier_version", "g-index, earlier version", r"\((\d+)\)$", "equation"),
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
