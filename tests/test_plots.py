"""The figures: what they draw, that names do not overlap, and that the same table is the same file."""

import io
import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from refusals import refused

from gindex_lab.measures.psychometrics.correlations import correlation, rank_correlation
from gindex_lab.measures.summary import population_summary
from gindex_lab.presentation.plots import common, curves, population
from gindex_lab.presentation.plots import generality as plots
from gindex_lab.presentation.plots.labels import (
    _stranger_costs,
    boxes_of,
    label_points,
    line_points,
    overlaps,
    tied_labels,
)

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def agents(n=12, seed=1, bars=False):
    """Agents in the middle of the interval [0, 10], named as long as real ones are."""
    rng = np.random.default_rng(seed)
    capability = rng.uniform(1, 9, n)
    gamma = rng.uniform(0.3, 1, n)
    spread = np.sqrt((1 - gamma) * capability * (10 - capability))
    table = pd.DataFrame(
        {"capability": capability, "spread": spread, "normalised_generality": gamma},
        index=[f"player {i:02d}" for i in range(n)],
    )
    table["abstruse"] = False
    if bars:
        for name in ("capability", "spread"):
            table[f"{name}_low"], table[f"{name}_high"] = table[name] - 0.4, table[name] + 0.4
    table.attrs["interval"] = (0.0, 10.0)
    return table


def names_on(ax, table):
    return [t for t in ax.texts if any(str(name) in t.get_text() for name in table.index)]


# -- labels -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "seed"), [(12, 1), (24, 2), (24, 3), (36, 4)])
def test_names_do_not_overlap_and_stay_in_the_frame(n, seed):
    table = agents(n, seed)
    ax = plots.plot_capability_spread(table)
    ax.figure.canvas.draw()
    texts = names_on(ax, table)
    assert len(texts) == n
    # an annotation's extent includes its leader: the text's own box is what must be clear
    boxes = np.array([matplotlib.text.Text.get_window_extent(t).extents for t in texts])
    shared = overlaps(boxes, boxes)
    np.fill_diagonal(shared, 0)
    assert shared.max() < 2.0  # square pixels
    left, bottom, right, top = ax.get_window_extent().extents
    assert (boxes[:, :2] > [left - 1, bottom - 1]).all()
    assert (boxes[:, 2:] < [right + 1, top + 1]).all()


def test_names_keep_clear_of_the_labels_of_the_isometrics():
    table = agents(24, 5)
    ax = plots.plot_capability_spread(table)
    ax.figure.canvas.draw()
    names = names_on(ax, table)
    curves = [t for t in ax.texts if "γ =" in t.get_text()]
    assert len(curves) == 6
    boxes = np.array([matplotlib.text.Text.get_window_extent(t).extents for t in names])
    assert overlaps(boxes, boxes_of(curves)).max() < 2.0


def test_agents_at_one_point_share_one_label():
    table = agents(6)
    table.iloc[3:, :] = table.iloc[3].to_numpy()
    ax = plots.plot_capability_spread(table)
    texts = [t.get_text() for t in names_on(ax, table)]
    assert "player 03, player 04, player 05" in texts
    assert len(texts) == 4


def test_tied_labels_count_what_they_do_not_name():
    labels = tied_labels(np.ones(6), np.ones(6), list("abcdef"), most=2)
    assert labels == [(1.0, 1.0, "a, b + 4 more")]
    assert tied_labels(np.empty(0), np.empty(0), []) == []


def test_no_names_for_a_crowd_unless_asked():
    table = agents(60)
    assert not names_on(plots.plot_capability_spread(table), table)
    some = plots.plot_capability_spread(table, labels=["player 07", "player 31"])
    assert len(names_on(some, table)) == 2
    assert not names_on(plots.plot_capability_spread(agents(5), labels=False), table)


def test_label_points_of_nothing_is_nothing():
    assert label_points(plt.gca(), []) == []


# -- capability against spread -------------------------------------------------------------------------


def test_isometrics_are_drawn_where_the_paper_has_them():
    ax = plots.plot_capability_spread(agents(), levels=(), frame="interval")
    for line, factor in zip(ax.lines, [0, 1, 2], strict=True):  # minimum, constant, maximum
        x, y = line.get_data()
        assert y**2 == pytest.approx(factor * x * (10 - x), abs=1e-9)


def test_the_interval_is_the_argument_or_what_the_table_carries():
    table = agents()
    assert plots.plot_capability_spread(table, frame="interval").get_xlim()[1] == pytest.approx(10.1)
    assert plots.plot_capability_spread(table, (0, 20), frame="interval").get_xlim()[1] == (
        pytest.approx(20.2)
    )


def test_bars_are_drawn_only_where_the_table_has_them():
    def bars(ax):
        return [c for c in ax.collections if hasattr(c, "get_segments")]

    assert not bars(plots.plot_capability_spread(agents()))
    both = bars(plots.plot_capability_spread(agents(bars=True)))
    assert [len(c.get_segments()) for c in both] == [12, 12]


def test_the_frame_leaves_out_what_is_empty():
    table = agents()
    whole = plots.plot_capability_spread(table, frame="interval").get_ylim()[1]
    auto = plots.plot_capability_spread(table).get_ylim()[1]
    assert whole == pytest.approx(1.06 * 10 / np.sqrt(2))
    assert auto == pytest.approx(5.5)
    table.loc["player 00", ["capability", "spread"]] = [5.0, 6.9]
    assert plots.plot_capability_spread(table).get_ylim()[1] == whole


def test_groups_get_a_legend_outside_with_their_sizes():
    table = agents()
    table["kind"] = ["human"] * 5 + ["machine"] * 7
    legend = plots.plot_capability_spread(table, groups="kind").get_legend()
    assert [t.get_text() for t in legend.get_texts()] == ["human (5)", "machine (7)"]
    ax = legend.axes
    ax.figure.canvas.draw()
    assert legend.get_window_extent().x0 >= ax.get_window_extent().x1 - 1


def test_subgroups_share_one_frame_and_come_in_order():
    table = agents()
    axes = plots.plot_subgroups(table, [10, 9, 2] * 4, columns=2)
    assert [ax.get_title(loc="left") for ax in axes] == ["2 (4)", "9 (4)", "10 (4)"]
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in axes}) == 1


def test_plots_leave_the_settings_of_the_user_alone():
    before = dict(plt.rcParams)
    plots.plot_capability_spread(agents())
    assert dict(plt.rcParams) == before


def test_the_palette_is_the_cycle_of_the_style():
    with plt.style.context(common.STYLE):
        assert tuple(plt.rcParams["axes.prop_cycle"].by_key()["color"]) == common.PALETTE


def test_agents_keep_their_colours_and_share_none_in_a_figure():
    common.use_style()
    first = common.colours_of([f"agent {k}" for k in range(8)])
    later = common.colours_of(["agent 3", "new", "agent 0", "newer"])
    assert {name: later[name] for name in ("agent 0", "agent 3")} == {
        name: first[name] for name in ("agent 0", "agent 3")
    }
    assert len(set(later.values())) == 4


# -- curves, items, histograms ------------------------------------------------------------------------


def test_a_curve_is_dotted_where_it_is_extrapolated():
    curve = pd.DataFrame({"difficulty": [4.0, 2, 3], "response": [0.1, 0.9, 0.5], "n": [1, 5, 9]})
    ax = curves.plot_curve(curve, {"capability": 3.0}, interval=(0, 6))
    solid, left, right = ax.lines
    assert solid.get_xdata().tolist() == [2, 3, 4]
    assert left.get_xydata().tolist() == [[0, 1], [2, 1], [2, 0.9]]
    assert right.get_xydata().tolist() == [[4, 0.1], [4, 0], [6, 0]]
    assert "Ψ 3.00" in [t.get_text() for t in ax.texts]


def test_difficulty_against_mean_shows_both_correlations():
    items = pd.DataFrame({"difficulty": [1.0, 2, 3, 4], "mean": [0.9, 0.7, 0.6, 0.1]})
    ax = population.plot_difficulty_mean(items)
    assert "Pearson r −0.95 · Spearman ρ −1.00" in ax.texts[0].get_text()


def test_histograms_count_infinite_generality_apart():
    table = pd.DataFrame({"generality": [1.0, 2.0, np.inf]})
    (ax,) = population.plot_histograms(table, ["generality"])
    assert "1 infinite" in ax.texts[0].get_text()
    assert sum(p.get_height() for p in ax.patches) == 2


# -- the same table is the same file ------------------------------------------------------------------


def picture(kind):
    stream = io.BytesIO()
    figure = plots.plot_capability_spread(agents(24, 7, bars=True)).figure
    with plt.style.context(common.STYLE):
        figure.savefig(stream, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_figure_is_the_same_bytes_each_time(kind):
    assert picture(kind) == picture(kind)


def test_an_animation_is_the_same_bytes_each_time_and_asks_no_network(tmp_path):
    table = agents(8)
    frames = {"2013": table.head(3), "2016": table.head(5), "2018": table}
    files = []
    for k in range(2):
        movie = plots.animate_capability_spread(frames, seconds=0.5)
        files.append(common.save_animation(movie, tmp_path / f"{k}.gif", 0.5).read_bytes())
    assert files[0] == files[1]
    from PIL import Image

    with Image.open(tmp_path / "0.gif") as image:
        assert image.n_frames == 3
    movie = plots.animate_capability_spread({"2013": table.head(3)})
    page = common.save_animation(movie, tmp_path / "movie.html").read_text()
    (slider,) = re.findall(r"<input[^>]*anim-slider[^>]*>", page)
    assert 'aria-label="frame"' in slider
    assert "data:image/png;base64" in page
    # the only address of matplotlib's player is its icon font, which it can do without
    assert 'src="http' not in page


# -- bad input ----------------------------------------------------------------------------------------


def gap(table):
    table = table.copy()
    table.loc["player 01", "spread"] = np.nan
    return table


BAD = {
    "not a table": (lambda t: plots.plot_capability_spread([1, 2]), "table: not-a-table"),
    "no spread": (lambda t: plots.plot_capability_spread(t[["capability"]]), "table: no-column"),
    "no agents": (lambda t: plots.plot_capability_spread(t.head(0)), "table: no-rows"),
    "gap": (lambda t: plots.plot_capability_spread(gap(t)), "table: missing"),
    "interval": (lambda t: plots.plot_capability_spread(t, (3, 3)), "interval: out-of-range"),
    "frame": (lambda t: plots.plot_capability_spread(t, frame="all"), "frame: not-an-option"),
    "labels": (
        lambda t: plots.plot_capability_spread(t, labels=["x"]),
        "labels: not-an-agent",
    ),
    "label word": (
        lambda t: plots.plot_capability_spread(t, labels="all"),
        "labels: not-an-option",
    ),
    "groups short": (
        lambda t: plots.plot_capability_spread(t, groups=[1]),
        "groups: wrong-length",
    ),
    "groups column": (lambda t: plots.plot_subgroups(t, "kind"), "table: no-column"),
    "group absent": (
        lambda t: plots.plot_subgroups(t, pd.Series({"player 00": "a"})),
        "groups: no-group",
    ),
    "curve": (lambda t: curves.plot_curve(t), "table: no-column"),
    "items": (lambda t: population.plot_difficulty_mean(t), "table: no-column"),
    "histogram": (lambda t: population.plot_histograms(t, ["iq"]), "table: no-column"),
    "frames": (lambda t: plots.animate_capability_spread({}), "frames: empty"),
    "seconds": (
        lambda t: plots.animate_capability_spread({"a": t}, seconds=0),
        "seconds: out-of-range",
    ),
    "summary": (lambda t: population_summary(t[["capability"]]), "table: not-an-option"),
    "correlation": (lambda t: correlation([1, 2], [1, 2, 3]), "y: wrong-length"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case):
    call, message = BAD[case]
    with refused(message):
        call(agents())


def test_a_table_without_an_interval_asks_for_it():
    table = agents()
    table.attrs.clear()
    with refused("interval: no-interval"):
        plots.plot_capability_spread(table)


def test_an_animation_has_a_known_ending(tmp_path):
    with refused("path: unknown-ending"):
        common.save_animation(None, tmp_path / "movie.avi")


# -- the summary --------------------------------------------------------------------------------------


@pytest.mark.shared
def test_summary_of_the_mazes_is_that_of_the_authors(shared):
    golden = pd.read_csv(shared / "golden/generality/mazes.csv").query("study == 'all496'")
    values = pd.read_csv(shared / "golden/generality/mazes_scenario.csv")
    wanted = values[values.study == "all496"].set_index("key")["value"]
    table = golden.rename(columns={"gamma_exact": "normalised_generality"})
    table = table.assign(abstruse=golden.above_constant_exact.astype(bool))
    ours = population_summary(table)
    for name, key in {
        "mean_capability": "mean_capability",
        "mean_spread": "mean_spread",
        "capability_spread": "corr_cap_spread",
        "abstruse": "n_above_constant_exact",
        "mean_normalised_generality": "mean_gamma_exact_finite",
        "capability_generality": "corr_cap_gamma_exact_finite",
    }.items():
        assert ours[name] == pytest.approx(float(wanted[key]), abs=1e-9), name


def test_a_correlation_that_means_nothing_is_not_a_number():
    assert np.isnan(correlation([1, 2, 3], [1e-17, 0.0, 0.0]) * 0 + correlation([1.0], [2.0]))
    assert np.isnan(correlation([0.1 + 0.2, 0.3, 0.3], [1, 2, 3]))
    assert rank_correlation([1, 2, 2, 3], [1, 5, 5, 9]) == 1


def _written(texts):
    """Where the words are; the box of an annotation would hold its leader as well."""
    return [matplotlib.text.Text.get_window_extent(text).extents for text in texts]


def test_a_place_beside_another_point_costs_more_than_one_beside_its_own():
    own, stranger = np.array([[100.0, 100]]), np.array([100.0, 130])
    places = np.array([[[80.0, 105, 120, 115], [80.0, 85, 120, 95]]])  # between the two, or below
    between, below = _stranger_costs(own, places, np.vstack([own, stranger]), pixel=1.5)[0]
    assert between > below == 0
    assert _stranger_costs(own, places, own, pixel=1.5).max() == 0


def test_a_name_keeps_off_a_curve():
    ax = plt.subplots()[1]
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.plot([0, 1], [0.5, 0.5])
    spot = np.array([[0.5, 0.5]])
    beside = label_points(ax, [(0.5, 0.5, "agent")], marks=spot)[0]
    clear = label_points(ax, [(0.5, 0.5, "agent")], marks=spot, lines=line_points(ax))[0]
    level = ax.transData.transform(spot)[0, 1]
    on_line = [box[1] < level < box[3] for box in _written([beside, clear])]
    assert on_line == [True, False]


def test_no_bar_of_a_coverage_goes_beyond_one():
    rows = [("20 items", "capability"), ("20 items", "spread")]
    table = pd.DataFrame({"coverage": [1.0, 0.99], "simulations": 20}, pd.MultiIndex.from_tuples(rows))
    ends = [
        segment[:, 0].max()
        for ax in population.plot_coverage(table)
        for bars in ax.collections
        if hasattr(bars, "get_segments")
        for segment in bars.get_segments()
    ]
    assert max(ends) <= 1 + 1e-9
    assert len(ends) == 2
