"""The glossary and the front pages: symbols are explained where they stand, and notebooks are found."""

import re
from pathlib import Path

import pytest

from gindex_lab.press.lint import page_findings
from gindex_lab.press.reproduction.claims import Record, Result, find
from gindex_lab.press.reproduction.glossary import explained, terms
from gindex_lab.press.reproduction.inputs import read_catalogue
from gindex_lab.press.reproduction.reports import glossary_page, index_page, ten_minutes_page

ENTRIES = read_catalogue(Path(__file__).parents[1])
RUNS = {entry.path: {"status": "not run"} for entry in ENTRIES}
RUN = {
    "status": "done",
    "outputs": {"figures/one.png": "", "figures/two.png": ""},
    "pictures": {"two": {"alt": "Two curves"}, "one": {"alt": "One curve"}},
    "answer": {"html": "Agent <strong>b</strong>."},
}


def test_every_symbol_of_the_issue_is_explained_and_shown_by_a_notebook_of_the_catalogue():
    symbols = {term.symbol for term in terms()}
    assert symbols >= {
        "Ψ",
        "S",
        "Γ",
        "γ",
        "ψ(h)",
        "Δ",
        "Ω",
        "θ",
        "E",
        "ρ",
        "AIQ",
        "ACC",
        "Λ",
        "Rnk",
        "ARef",
        "Opp",
    }
    assert {term.see for term in terms()} <= {entry.path for entry in ENTRIES}
    assert len({term.id for term in terms()}) == len(terms())


@pytest.mark.parametrize("term", terms(), ids=lambda term: term.id)
def test_a_symbol_in_a_text_is_a_link_with_its_meaning(term):
    for text in term.match:
        page = explained(f"<p>Here {text}, and there.</p>", "../../")
        assert f'href="../../glossary.html#{term.id}"' in page
        assert 'data-tip="' in page


@pytest.mark.parametrize(
    "page",
    [
        "<p>A Sign, ΔE and θ2 and γ_1</p>",
        "<p><code>Ψ</code> <a href='x'>Γ</a></p>",
        '<table class="quoted"><tr><th>Ψ</th></tr></table>',
        "<script>const Ω = 1 < 2;</script>",
    ],
)
def test_code_links_quotations_and_other_words_stay_as_they_are(page):
    assert "term" not in explained(page)


def test_a_formula_of_one_letter_is_explained_and_a_script_keeps_its_bytes():
    page = explained('<p><math display="inline"><mi>S</mi></math></p><script>if (1 < 2) a("Ψ")</script>')
    assert re.search(r'<a class="term"[^>]*#spread"><math|<a [^>]*#spread"[^>]*><math', page)
    assert '<script>if (1 < 2) a("Ψ")</script>' in page


def test_the_gallery_is_in_order_and_each_card_is_found_by_figure_claim_and_paper():
    runs = RUNS | {"generality/fig01_toy_matrix": RUN}
    claim = find("N301")
    record = Record("N301", 0.625, notebook="generality/fig01_toy_matrix")
    page = index_page(ENTRIES, runs, [Result(claim, (record,), "reproduced", "")])
    heads = re.findall(r"<h2>(.*?)</h2>", page)
    assert [head.split()[0] for head in heads] == [
        "Tutorials:",
        "General",
        "Towards",
        "Towards",
        "Measuring",
        "Time",
        "Planning",
        "Teaching:",
    ]
    paths = re.findall(r'data-find="(\S+)', page)
    assert [path for path in paths if path.startswith("generality/")][:2] == [
        "generality/fig01_toy_matrix",
        "generality/fig02_lambda_one",
    ]
    assert paths.index("gindex/fig05") < paths.index("gindex/fig10_11") < paths.index("gindex/table1")
    (found,) = re.findall(r'data-find="generality/fig01_toy_matrix ([^"]*)"', page)
    assert {"figure-1", "n301", "generality"} <= set(found.split())
    assert 'src="generality/fig01_toy_matrix/figures/two.png" alt="Two curves"' in page
    assert "Agent <strong>b</strong>." in page
    assert page_findings(page) == []


def test_the_front_pages_are_sound_with_and_without_runs():
    for runs in (RUNS, dict.fromkeys(RUNS, RUN)):
        for made in (glossary_page(ENTRIES, runs), ten_minutes_page(ENTRIES, runs)):
            found = [f for f in page_findings(made) if f.rule != "python"]  # the glossary names calls
            assert found == []
    assert "See it at work" not in glossary_page(ENTRIES, RUNS)
    assert "Two curves" in ten_minutes_page(ENTRIES, dict.fromkeys(RUNS, RUN))
