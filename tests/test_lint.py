"""The lint of rendered pages and figures: every planted fault is found, and sound pages give none."""

import io
import json
import re
from dataclasses import asdict, replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.markers import MarkerStyle

from gindex_lab.foundation.errors import BadInput
from gindex_lab.presentation.plots.common import STYLE
from gindex_lab.press.claim_lines import claims_fold, claims_line
from gindex_lab.press.cli import main
from gindex_lab.press.drawn import description
from gindex_lab.press.figures import WIDE, figure_findings, page_of_figures
from gindex_lab.press.lint import COLUMN, REMEDIES, RULES, findings, page_findings
from gindex_lab.press.reproduction.claims import Record, Result, ledger
from gindex_lab.press.statements import NO_ANSWER, Statement, page_of_statements
from gindex_lab.press.tables import people_table

PLANTED = {
    r"<p>$\\Delta = 1 - S^2$ is printed</p>": "tex",
    r"<p>as \Gamma grows</p>": "tex",
    '<p><code class="formula">\\frac{</code></p>': "tex",
    "<p>This is **bold** to nobody.</p>": "markup",
    "<p>See `gl` for more.</p>": "markup",
    "<p>as *nobody* sees it</p>": "markup",
    "<p>it is *over*fitting</p>": "markup",
    "<p>from −0.00 to 0.12</p>": "digits",
    "<p>The mean is nan here.</p>": "missing",
    "<table><tr><th>a</th></tr><tr><td>NaN</td></tr></table>": "missing",
    "<table><tr><th>a</th></tr><tr><td>None</td></tr></table>": "missing",
    "<p>up to -inf</p>": "missing",
    "<p>it was {'a': 1}</p>": "repr",
    '<div class="output"><pre>array([1., 2.])</pre></div>': "repr",
    "<p>since Timestamp('2024-01-01')</p>": "repr",
    "<p>np.float64(0.3)</p>": "repr",
    '<div class="output"><pre>&lt;Axes: xlabel="x"&gt;</pre></div>': "repr",
    '<div class="output"><pre>None</pre></div>': "missing",
    '<div class="output"><pre>ParallelAnalysis(2 factors, 2 components)</pre></div>': "repr",
    "<div class=\"output\"><pre>Program('blossom(7)', 2 flows)</pre></div>": "repr",
    '<div class="output"><pre>&lt;AIQ of Freq: 42.7 [41.3, 44.2]&gt;</pre></div>': "repr",
    "<p>N300 holds: True</p>": "truth",
    "<table><tr><th>a</th></tr><tr><td>True</td></tr></table>": "truth",
    "<table><tr><th>PR(&gt;F)</th></tr><tr><td>0.1</td></tr></table>": "statistics",
    "<p>with mode='reference' it is</p>": "python",
    "<p>call gl.generality and see</p>": "python",
    "<p>read from /home/ann/scores.csv</p>": "path",
    "<p>a share of 0.123456789</p>": "digits",
    "<p>the sum is 6.9e-17</p>": "digits",
    "<p>out of 1234567890 of them</p>": "digits",
    "<p>14.0 bins</p>": "count",
    "<p>so that a &lt;= b^2</p>": "ascii",
    "<p>a -&gt; b</p>": "ascii",
    "<p>rewards of -1 and no less</p>": "minus",
    "<p>it repeats what it has seen: at most 1 - Ω</p>": "minus",
    "<p>systems differ by 10. 6 of 16 systems were run twice</p>": "stops",
    "<p>Ranks 2 and 3 change places.. computed from data</p>": "stops",
    "<p>Programs form <b>1</b> tie group(s) here.</p>": "plural",
    "<p>Above noise stand <b>1</b> factors.</p>": "plural",
    "<p>The curves of <b>0</b> of 23 mazes are not the model's.</p>": "nothing",
    "<p>The chance is at most <b>0.00</b>.</p>": "nothing",
    "<p>Here 0 items are turned.</p>": "nothing",
    "<p>agents of capability .4 and .6</p>": "decimal",
    "<table><tr><th>a</th></tr><tr><td>flat .95</td></tr></table>": "decimal",
    "<p>a score of <b>85.8</b> %</p>": "percent",
    "<p>9999 shuffles of them</p>": "thousands",
    "<p>It earns <b>42.7</b> [41.3, 44.2] on them.</p>": "bracket",
    "<p>after 3.375 ms ms of it</p>": "twice",
    "<p>the column normalised_generality says so</p>": "identifier",
    "<table><tr><th></th><th>a</th></tr><tr><td>variance, principal_axis</td><td>1</td></tr></table>": "identifier",
    "<p>more than chance (0.4, p 0.01)</p>": "statistics",
    "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>–</td></tr><tr><td>2</td><td></td></tr></table>": "empty column",
    '<img src="a.png">': "alt",
    '<img src="a.png" alt="fig05_top_left">': "alt",
    '<img src="a.png" alt="">': "alt",
    '<div class="output_stderr"><pre>FutureWarning: soon</pre></div>': "stderr",
    f"<table><tr>{'<th>a</th>' * 8}</tr></table>": "columns",
    f"<table><tr>{'<th>a_name_that_nobody_can_break</th>' * 5}</tr></table>": "cut",
    "<table><tr><th>a</th></tr><tr><td>...</td></tr></table>": "cut",
    "<table><tr><th></th><th>normalised_generality</th></tr></table>": "name",
    "<table><tr><th></th><th>a</th></tr><tr><th>0</th></tr><tr><th>1</th></tr></table>": "row numbers",
}
SOUND = """<h1>Which of two agents is the more general?</h1>
<p>None of the agents is: see <code>gl.generality(x)</code>, S² ≤ 4, p = 6.2 × 10⁻¹¹, and <em>this</em>.
The data of 2019/2020 (24 items) are true: γ = 0.25 ± 0.01, on 1,500 of 3,000,000 steps; it is infinite, in fact; the pattern is 010101010101.</p>
<details class="code"><summary>code</summary><div class="highlight"><pre>x = {'a': None}  # **</pre></div></details>
<div class="output"><pre class="gl-code">gl.generality(x, mode='exact')</pre></div>
<p class="quoted">p = 1.2e-12, sqrt(x)</p>
<p>≠ 0 of 2 reproduced, 2 differ: 1 item in 0.05%, 10 of 12 agents, from 0.0 to 0.2 on [0, 1], p &lt; 0.001, of gindex_lab, aiq/intervals.</p>
<p>From −1 to 1, see section 3.1. The twenty-four pages 3-5 say more ... or less.</p>
<p><math display="inline"><mi>x</mi></math> <img src="a.png" alt="Capability of every agent"></p>
<table><tr><th>agent</th><th>capability Ψ</th></tr><tr><td>a</td><td>0.12</td></tr><tr><td>b</td><td>–</td></tr>
<tr><td>[,++]%..-&gt;#</td><td>0.5</td></tr><tr><td>sliders from -30 to 35</td><td>–</td></tr></table>
"""


@pytest.mark.parametrize(("fault", "rule"), PLANTED.items())
def test_a_planted_fault_is_found(fault, rule):
    assert rule in {finding.rule for finding in page_findings(fault)}


def test_a_sound_page_gives_no_finding():
    assert page_findings(SOUND) == []


def test_every_rule_has_a_planted_fault_and_says_what_to_do():
    assert set(PLANTED.values()) | {"tex"} >= set(RULES)
    assert set(PLANTED.values()) <= set(REMEDIES)


# -- figures ----------------------------------------------------------------------------------------


def svg(draw, size=(6, 4)):
    with plt.style.context(STYLE):
        fig, ax = plt.subplots(figsize=size)
        ax.plot([0, 1], [0, 1])
        ax.set(xlabel="difficulty", ylabel="response $\\psi(h)$")
        draw(ax)
        buffer = io.StringIO()
        fig.savefig(buffer, format="svg")
        plt.close(fig)
    return buffer.getvalue()


def crowded(ax):
    ax.text(0.5, 0.5, "agent a")
    ax.text(0.52, 0.51, "agent b")


def turned_and_crowded(ax):
    ax.text(0.5, 0.5, "agent a and others", rotation=30)
    ax.text(0.52, 0.52, "agent b and others", rotation=30)


def outside(ax):
    ax.text(0.95, 0.5, "a name that goes on and on beyond the frame", in_layout=False)


def red_and_green(ax):
    ax.plot([0, 1], [1, 0], color="#d62728")
    ax.plot([0, 1], [0.5, 0.5], color="#2ca02c")


def red_and_green_points(ax):
    ax.scatter([0.2, 0.4], [0.8, 0.9], color="#d62728")
    ax.scatter([0.6, 0.8], [0.1, 0.2], color="#2ca02c", s=60)


def red_and_green_shapes(ax):
    """As seaborn draws them: one collection, a path for each point."""
    points = ax.scatter([0.2, 0.4, 0.6], [0.8, 0.9, 0.1], color=["#d62728", "#d62728", "#2ca02c"], s=60)
    shapes = [MarkerStyle(name) for name in "^^o"]
    points.set_paths([x.get_path().transformed(x.get_transform()) for x in shapes])


def small(ax):
    ax.text(0.5, 0.5, "tiny", fontsize=5)


FAULTY = [
    (crowded, "overlap"),
    (turned_and_crowded, "overlap"),
    (outside, "cut off"),
    (red_and_green, "colour-blind"),
    (red_and_green_points, "colour-blind"),
    (small, "small"),
]


def rules(found):
    return {finding.rule for finding in found}


@pytest.mark.parametrize(("draw", "rule"), FAULTY)
def test_a_planted_fault_of_a_figure_is_found(draw, rule):
    assert rules(figure_findings(svg(draw))) == {rule}


def test_points_of_different_shape_are_told_apart_without_colour():
    assert figure_findings(svg(red_and_green_shapes)) == []


def test_the_texts_of_a_figure_are_read_like_those_of_a_page(tmp_path):
    folder = tmp_path / "horizon" / "penalty"
    (folder / "figures").mkdir(parents=True)
    (folder / "report.html").write_text("<p>sound</p>")
    drawn = svg(lambda ax: ax.set_title("penalty 1e-05, slope -0.58"))
    (folder / "figures" / "fig4.svg").write_text(drawn, encoding="utf-8")
    found = findings(tmp_path, "horizon/penalty")
    assert {(f.place, f.rule) for f in found} == {
        ("horizon/penalty/fig4", "digits"),
        ("horizon/penalty/fig4", "minus"),
    }


def test_an_agent_keeps_its_colour_whatever_its_label_adds_in_brackets(tmp_path):
    (tmp_path / "figures").mkdir()
    labels = {"one": ("follower", "#0072B2"), "two": ("follower (slope −0.6)", "#D55E00")}
    for name, (label, colour) in labels.items():

        def line(ax, label=label, colour=colour):
            ax.plot([0, 1], [1, 0], color=colour, label=label)
            ax.legend()

        (tmp_path / "figures" / f"{name}.svg").write_text(svg(line), encoding="utf-8")
    assert "colour of a label" in rules(page_of_figures(tmp_path, "anytime/the_test"))


def test_a_figure_too_wide_for_the_page_is_found():
    assert "shrunk" in rules(figure_findings(svg(lambda ax: None, size=(16, 4))))


def test_red_and_green_may_stand_beside_each_other_in_different_shapes_or_as_a_scale():
    def shapes(ax):
        ax.scatter([0.2, 0.4], [0.8, 0.9], color="#d62728", marker="^")
        ax.scatter([0.6, 0.8], [0.1, 0.2], color="#2ca02c", marker="o")

    def scale(ax):
        ax.pcolormesh([[0.0, 1.0], [0.4, 0.7]], cmap="RdYlGn")

    assert figure_findings(svg(shapes)) == []
    assert figure_findings(svg(scale)) == []


def test_a_sound_figure_gives_no_finding():
    def sound(ax):
        ax.text(0.2, 0.8, "above")
        ax.text(0.2, 0.2, "turned", rotation=45)
        ax.set_title("A title in $\\gamma$ and words")

    assert figure_findings(svg(sound)) == []


def test_the_colours_of_our_style_differ_for_every_reader():
    def all_of_them(ax):
        for k, prop in enumerate(mpl.rcParams["axes.prop_cycle"]):
            ax.plot([0, 1], [k, k + 1], **prop)

    assert figure_findings(svg(all_of_them)) == []


@pytest.mark.parametrize("how", ["legend", "label"])
@pytest.mark.parametrize("second", ["#0072B2", "#D55E00"])
def test_an_agent_that_changes_its_colour_on_a_page_is_found(tmp_path, how, second):
    def in_colour(colour):
        def draw(ax):
            ax.plot([0, 1], [1, 0], color=colour, label="agent a")
            ax.legend() if how == "legend" else ax.text(0.5, 0.9, "agent a", color=colour)

        return draw

    (tmp_path / "figures").mkdir()
    for name, colour in {"one": "#0072B2", "two": second}.items():
        (tmp_path / "figures" / f"{name}.svg").write_text(svg(in_colour(colour)))
    changed = "colour of a label" in rules(page_of_figures(tmp_path, ""))
    assert changed == (second != "#0072B2")


def test_the_widths_are_those_of_the_style_sheet():
    from gindex_lab.presentation.pages import TEMPLATES

    style = (TEMPLATES / "style.css").read_text()
    assert f"{COLUMN}px" in style
    assert f"{WIDE}px" in style


def run_folder(reports, page):
    folder = reports / "demo" / "one"
    (folder / "figures").mkdir(parents=True)
    (folder / "report.html").write_text(page)
    (folder / "figures" / "line.svg").write_text(svg(crowded))


def test_the_command_finds_the_faults_of_a_run_and_fails(tmp_path, capsys):
    run_folder(tmp_path, "<p>nan</p>")
    assert main(["lint", "--reports", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "demo/one: missing: nan" in said
    assert "demo/one/line: overlap" in said
    assert main(["lint", "--reports", str(tmp_path), "--counts", "demo"]) == 1
    assert "demo/one: 1 missing, 1 overlap" in capsys.readouterr().out


def test_a_sound_run_passes_and_an_unknown_notebook_is_an_error(tmp_path, capsys):
    run_folder(tmp_path, SOUND)
    (tmp_path / "demo" / "one" / "figures" / "line.svg").unlink()
    assert main(["lint", "--reports", str(tmp_path)]) == 0
    assert main(["lint", "--reports", str(tmp_path), "demo/two"]) == 2
    assert "only='demo/two'" in capsys.readouterr().err


def test_a_figure_says_what_it_shows():
    fig, axes = plt.subplots(1, 2)
    for ax, agent in zip(axes, "ab", strict=True):
        ax.bar([0, 1], [1, 2])
        ax.set(xlabel="difficulty", ylabel="response $\\psi$", title=f"agent {agent}")
    told = description(fig)
    plt.close(fig)
    assert told.startswith("2 panels. agent a: bars of response ψ against difficulty; agent b")
    assert page_findings(f'<img src="x" alt="{told}">') == []


# -- tables, claims and answers of a page ------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("digits", "Mean capability moves by +0.000."),
        ("digits", "γ stays about the same (0.79 to 0.79)."),
        ("ascii", "Rewards lie in [-1, 1]."),
    ],
)
def test_numbers_that_say_nothing_are_found(rule, text):
    assert [f.rule for f in page_findings(f"<p>{text}</p>")] == [rule]
    fine = "It moves by +0.001, from −0.79 to 0.79, in [−1, 1]; 0.79 to 0.795."
    assert page_findings(f"<p>{fine}</p>") == []


def _cells(frame):
    return re.findall("<td.*?>(.*?)</td>", people_table(frame))


def test_a_small_number_among_large_ones_keeps_its_digits():
    mixed = pd.DataFrame({"b": [0.019, -0.597, -128.844]}, ["r", "rho", "lowest"])
    assert _cells(mixed)[1::2] == ["0.019", "−0.60", "−129"]  # not −1
    flat = pd.DataFrame({"gamma": [0.894, -4.9e-5, 0.0014]}, ["steep", "flat", "flatter"])
    assert _cells(flat)[1::2] == ["0.894", "0.000", "0.001"]  # not −4.9 × 10⁻⁵
    nothing = pd.DataFrame({"sd": [5e-17, 0.0]}, ["19", "20"])
    assert _cells(nothing)[1::2] == ["0.0", "0.0"]  # not 0.000000000000000000
    errors = pd.DataFrame({"error": [0.011, 0.00011]}, ["10", "1000"])
    assert _cells(errors)[1::2] == ["0.011", "0.00011"]  # here the small one is the point


def test_an_estimate_and_its_limits_have_the_same_decimals():
    table = pd.DataFrame({"γ": [0.332], "γ low": [-0.909], "γ high": [1.0]}, ["Zappa"])
    assert "0.332 (−0.909 to 1.000)" in people_table(table)


def test_words_that_begin_with_a_digit_are_words_and_short_ones_are_not_broken():
    html = people_table(pd.DataFrame({"layout": ["40 items, ends not met", "8 items"], "n": [1, 2]}))
    assert '<td class="words">40 items, ends not met</td>' in html
    assert '<td class="words short">8 items</td>' in html
    assert "<th>TD_U</th>" in people_table(pd.DataFrame({"TD_U": [1.5]}))


def test_a_table_for_people_passes_the_lint():
    raw = pd.DataFrame(
        {
            "normalised_generality": [0.123456789, float("nan")],
            "normalised_generality_low": [0.1, float("nan")],
            "normalised_generality_high": [0.2, float("nan")],
            "PR(>F)": [6.9e-17, 0.5],
            "separated": [True, False],
            "dates": [pd.Timestamp("2024-01-01"), pd.NaT],
            "parts": [{"a": 1}, [1.5, 2]],
            "games": [14.0, 12345.0],
            "nothing": [None, "x"],
            "one more": [1, 2],
        }
    )
    html = people_table(raw, link="tables/raw.csv")
    assert "0.123 (0.100 to 0.200)" in html
    assert 'href="tables/raw.csv"' in html
    assert {f.rule for f in page_findings(html)} == {"columns"}  # nobody chose among them
    chosen = {
        "normalised_generality": "γ",
        "PR(>F)": "p",
        "dates": "since",
        "parts": "of",
        "games": "n",
    }
    html = people_table(raw, chosen)
    assert page_findings(html) == []
    assert "12,345" in html


def test_a_table_for_people_refuses_what_it_cannot_show():
    raw = pd.DataFrame([range(9)], columns=list("abcdefghi"))
    for columns, code in ((list("abcdefgh"), "too-many"), (["z"], "columns")):
        with pytest.raises(BadInput) as caught:
            people_table(raw, columns)
        assert (caught.value.argument, caught.value.code) == ("columns", code)


def test_rows_that_are_left_out_are_counted():
    html = people_table(pd.DataFrame({"x": range(30)}), rows=10)
    assert "20 rows not shown here" in html
    assert html.count("<td>") == 10


def held(*words):
    claim = ledger()["N047"]  # needs the data set mazes
    return [Result(claim, (Record(claim.id, 0.5),), word, "") for word in words]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["reproduced"] * 3, "✓ 3 of 3 reproduced"),
        (["reproduced", "differs"], "≠ 1 of 2 reproduced, 1 differs"),
        (["reproduced", "differs", "differs"], "≠ 1 of 3 reproduced, 2 differ"),
        (["needs data"] * 2, "○ 2 claims need the published data"),
        (["reproduced", "needs data"], "✓ 1 of 1 reproduced, 1 more needs the published data"),
    ],
)
def test_claims_are_told_in_one_line(words, line):
    assert claims_line(held(*words)) == line
    fold = claims_fold(held(*words))
    assert fold.startswith('<details class="gl-claims"><summary')
    assert fold.count("<tr>") == 1 + len(words)
    assert ("gindex-lab data fetch mazes" in fold) == ("needs data" in words)
    assert page_findings(fold) == []


@pytest.mark.parametrize("name", ["p_value", "p (Holm)", "capability p"])
def test_a_p_value_is_never_nothing_but_a_probability_may_be(name):
    chances = pd.DataFrame({name: [0.0, 3e-32, 0.0004, 0.0123, float("nan")]})
    told = re.findall("<td>(.*?)</td>", people_table(chances))
    assert told == ["&lt; 0.001"] * 3 + ["0.012", "–"]
    assert "&lt;" not in people_table(pd.DataFrame({"p": [0.0, 0.5]}))
    assert "&lt;" in people_table(pd.DataFrame({"p": [0.0, 0.5], "t": [9.1, 0.1]}))


def test_rows_are_named_for_people_and_mere_numbers_are_left_out():
    named = pd.DataFrame({"x": [1, 20_000]}, pd.Index(["normalised_generality", "b"], name="measure"))
    html = people_table(named)
    assert re.findall("<th.*?>(.*?)</th>", html.split("<thead>")[1]) == ["measure", "x"]
    told = ["normalised generality γ", "1", "b", "20,000"]
    assert re.findall("<td.*?>(.*?)</td>", html) == told
    assert re.findall('<td class="words.*?">(.*?)</td>', html) == told[::2]  # numbers to the right
    assert "<th>" not in people_table(pd.DataFrame({"x": [1, 2]}, [2, 0])).split("x</th>")[1]
    assert re.findall("<td>(.*?)</td>", people_table(pd.DataFrame({"x": [1999, 2024]}))) == [
        "1999",
        "2024",
    ]


# -- statements -------------------------------------------------------------------------------------


def stated(folder, *made, page):
    folder.mkdir(exist_ok=True)
    (folder / "statements.json").write_text(json.dumps([asdict(one) for one in made]))
    (folder / "report.html").write_text(page)
    return [rule for rule, _ in page_of_statements(folder)]


SAID = '<p class="gl-said">{}</p>'
APES = Statement("said", "The apes **lead**.", holds=False, otherwise="The apes are behind.")
PUBLISHED = Statement("said", "As printed.", only="published", source="simulated")


def test_a_statement_that_fails_may_not_be_shown(tmp_path):
    false, true = (
        SAID.format("The apes <strong>lead</strong>."),
        SAID.format("The apes are behind."),
    )
    assert stated(tmp_path, APES, page=false) == ["untrue"]
    assert stated(tmp_path, APES, page=true) == []
    assert stated(tmp_path, replace(APES, holds=True), page=true) == ["untrue"]
    assert stated(tmp_path, PUBLISHED, page=SAID.format("As printed.")) == ["untrue"]


def test_a_page_that_opens_without_an_answer_is_found(tmp_path):
    opening = Statement("answer", "The apes lead.", holds=False, otherwise=NO_ANSWER)
    page = f'<p class="answer">{NO_ANSWER}</p>'
    assert stated(tmp_path, opening, page=page) == ["no answer"]


def test_a_box_that_nobody_recorded_is_found(tmp_path):
    box = '<div class="gl-found"><strong>What we found</strong><p>All is well.</p></div>'
    assert stated(tmp_path, page=box) == ["unrecorded"]
    assert stated(tmp_path, Statement("found", "All is well."), page=box) == []


def test_the_answer_of_the_page_is_the_recorded_one(tmp_path):
    page = '<p class="answer"><span class="badge">simulated data</span> No: γ is −1.</p>'
    assert stated(tmp_path, Statement("answer", "No: γ is -1."), page=page) == []
    assert stated(tmp_path, Statement("answer", "Yes: γ is 1."), page=page) == ["unrecorded"]


@pytest.mark.parametrize("kept", ["{", "[1]", '[{"x": 1}]', '{"a": 2}', "\xff", "[" * 9999])
def test_damaged_statements_are_one_clear_line(kept, tmp_path, capsys):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (folder / "report.html").write_text(SOUND)
    (folder / "statements.json").write_text(kept, encoding="latin-1")
    assert main(["lint", "--reports", str(tmp_path)]) == 2
    assert "statements.json': is damaged" in capsys.readouterr().err


def test_a_page_that_is_no_text_is_one_clear_line(tmp_path, capsys):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "report.html").write_bytes(b"<p>\xff\xfe\x80</p>")
    assert main(["lint", "--reports", str(tmp_path)]) == 2
    assert "report.html': is not UTF-8 text" in capsys.readouterr().err


@pytest.mark.parametrize(
    "drawn", [b"<svg", b"", b"\xff\xfe", b"<svg></svg>", b"<svg viewBox='0 0 a b'></svg>"]
)
def test_a_damaged_figure_is_one_clear_line(drawn, tmp_path, capsys):
    figures = tmp_path / "a" / "b" / "figures"
    figures.mkdir(parents=True)
    (figures.parent / "report.html").write_text(SOUND)
    (figures / "x.svg").write_bytes(drawn)
    assert main(["lint", "--reports", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_fold_of_the_claims_has_one_full_stop_and_says_of_what_waits_only_what_it_needs():
    known = ledger()
    differs = Result(known["G008"], (Record("G008", 6462.9, source="published"),), "differs", "Off.")
    waits = Result(known["G008"], (Record("G008", 1.0, note="by us"),), "needs data", "needs a file")
    html = claims_fold([differs, waits])
    assert ".." not in html
    assert "by us" not in html
    assert "<td>needs a file</td>" in html


def test_counts_are_grouped_and_years_are_not():
    table = pd.DataFrame({"year": [1998, 2018], "samples": [640, 2560]}, [1000, 10000])
    html = people_table(table, index="episode")
    assert all(f">{text}<" in html for text in ("1998", "2018", "640", "2,560", "1,000", "10,000"))
