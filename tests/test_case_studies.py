"""What the case studies share: the growing tables of Fig. S20/S21 equal the authors' frames."""

import pandas as pd
import pytest
from loops import looped
from refusals import refused

import gindex_lab as gl
from gindex_lab.presentation.plots.population import plot_intervals
from gindex_lab.press.reproduction import case_studies as cases

TABLE = pd.DataFrame(
    {"capability": [1.0, 3], "spread": [0.5, 0.4], "normalised_generality": [0.1, 0.3]},
    index=["a", "b"],
).assign(abstruse=[True, False])
DATES = pd.Series({"a": "2015-02-26", "b": "2012-07-19"})


@pytest.mark.shared
@looped("transform", ["ARef", "Rnk"])
@looped("by", ["year", "month", "day"])
@looped("column", ["start", "end"])
def test_frames_equal_those_of_the_authors_animations(transform, by, column, shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    golden = pd.read_csv(shared / "golden/generality/ale_evolution_frames.csv")
    ale = gl.load("ale", mode="reference")
    study = gl.absolute_reference(ale, "human.noop") if transform == "ARef" else gl.rank(ale)
    dates = ale.agents[f"{column}_date"].copy()
    dates["human.noop"], dates["random noop"] = "2000-01-01", "2010-01-01"
    frames = cases.cumulative_frames(gl.generality(study, mode="reference"), dates, by)
    ours = cases.frame_summary(frames)
    is_ours = (golden["transformation"] == transform) & (golden["precision"] == by)
    golden = golden[is_ours & (golden["date_column"] == column)]
    assert ours["agents"].tolist() == golden["n_agents"].tolist()
    assert [set(new.split("; ")) for new in ours["new"]] == [
        set(new.split("; ")) for new in golden["new_agents"]
    ]
    for name, theirs in {"mean Ψ": "mean_cap", "mean S": "mean_spread", "r(Ψ, S)": "corr_cap_spread",
                         "mean γ": "mean_norm_generality", "% abstruse": "pct_abstruse"}.items():  # fmt: skip
        expected = golden[theirs].tolist()
        assert ours[name].tolist() == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_frames_grow_and_the_last_holds_everyone():
    frames = cases.cumulative_frames(TABLE, DATES, "month")
    assert list(frames) == ["2012-07", "2015-02"]
    assert frames["2015-02"].equals(TABLE)


def test_the_exact_value_stands_beside_and_the_most_capable_first():
    both = cases.side_by_side(TABLE.assign(generality=2.0), TABLE.assign(normalised_generality=0.9))
    assert both.index.tolist() == ["b", "a"]
    assert both["γ exact"].tolist() == [0.9, 0.9]


def test_intervals_are_kept_where_there_are_some():
    table = gl.generality([[1, 1, 0], [1, 0, 0]], difficulty=[1, 2, 3], ci=0.95)
    assert {"Ψ low", "Ψ high", "γ low"} <= set(cases.side_by_side(table, table))


def test_one_panel_for_each_agent():
    study = gl.Responses([[1, 1, 0], [1, 0, 0], [1, 1, 1]], difficulty=[1, 2, 3])
    figure = cases.plot_curves(study, gl.generality(study), columns=2, title="three")
    drawn = [ax.get_title(loc="left") for ax in figure.axes if ax.axison]
    assert drawn == ["agent 1", "agent 2", "agent 3"]


def test_a_movie_is_played_and_in_a_pipeline_run_saved(tmp_path, monkeypatch):
    from PIL import Image

    frames = cases.cumulative_frames(TABLE, DATES, "year")
    monkeypatch.setenv("GINDEX_LAB_OUTPUT", str(tmp_path))
    cases.show_movie(
        gl.animate_capability_spread(frames, (0, 10)),
        "two_years",
        seconds=0.5,
        alt="Two years of two agents",
    )
    with Image.open(tmp_path / "figures" / "two_years.gif") as picture:
        assert picture.n_frames == 2
        assert picture.info["duration"] == 500


def test_intervals_stand_in_the_order_of_the_first_measure_with_the_exact_value_where_it_differs():
    table = gl.generality([[1, 0, 0, 0], [1, 1, 1, 0]], difficulty=[1, 2, 3, 4], ci=0.95)
    exact = table.copy()
    exact.loc["agent 1", "spread"] += 0.1
    figure = plot_intervals(table, ["capability", "spread"], exact=exact, title="two")
    left, right = figure.axes
    assert [text.get_text() for text in left.get_yticklabels()] == ["agent 1", "agent 2"]
    exact = [line for ax in (left, right) for line in ax.lines if line.get_label() == "exact"]
    assert [len(line.get_xdata()) for line in exact] == [0, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cases.claim_population("first", TABLE), "first: not-a-claim"),
        (lambda: cases.cumulative_frames(TABLE, DATES, "decade"), "by: not-an-option"),
        (lambda: cases.cumulative_frames(TABLE, DATES[:1]), "dates: no-date"),
        (
            lambda: cases.cumulative_frames(TABLE, DATES.replace("2012-07-19", "2012")),
            "dates['b']: not-a-date",
        ),
        (lambda: plot_intervals(TABLE), "table: no-column"),
        (lambda: plot_intervals(TABLE, []), "measures: empty"),
        (lambda: plot_intervals(TABLE, ["luck"]), "measures: not-an-option"),
    ],
)
def test_bad_input_is_named(call, message):
    with refused(message):
        call()


def _sure():
    rows = [[k < n for k in range(40)] for n in (30, 29, 8)]
    return gl.generality(rows, range(40), ci=0.95, seed=1)


def test_the_tie_table_holds_the_tie_groups():
    table = _sure()
    shown = cases.tie_table(table)
    for measure, symbol in {"capability": "Ψ", "normalised_generality": "γ"}.items():
        groups = gl.tie_groups(table, measure)
        assert [row.split(", ") for row in shown.loc[symbol, "members"]] == groups
        assert shown.loc[symbol, "agents"].tolist() == [len(group) for group in groups]


def test_pairs_told_apart_are_counted_once():
    told = cases.told_apart(_sure())
    assert told.loc["Ψ"].tolist() == [2, 3, 2, 2]
    assert told.loc["γ"].tolist() == [0, 3, 1, 3]
