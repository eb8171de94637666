"""Numbers of the authors' own code: cases typed in for a lone clone, data sets from ../shared."""

import numpy as np
import pandas as pd
import pytest
from loops import looped

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.measures.alternatives.sigmoid import sigmoid_curve
from gindex_lab.measures.curves import difficulty_limits, merge
from gindex_lab.measures.generality import characteristic_curve, generality
from gindex_lab.measures.properties import (
    aggregate,
    isometrics,
)
from gindex_lab.measures.reference import extrapolate, reference_indicators
from gindex_lab.measures.transforms import (
    absolute_reference,
    distributional_reference,
    opponent,
    rank,
    threshold,
)
from gindex_lab.studies.data.printed import published
from gindex_lab.studies.data.transformations import bin_difficulties, filter_by_frequency

EXACT_PADDING = 1e-4  # what the authors' points at a distance of 1e-5 can do to an indicator
HUMAN = "human.noop"


# -- typed in: rows of the authors' CalculateIndicators ------------------------------------------------

TYPED = [
    ([0, 1, 2], [1, 0.5, 0], None, (1, 0.6666666666666666, 0.5773502691896257)),
    ([3, 5, 8], [0.9, 0.4, 0.1], (0, 12), (5.05, 2.8085808580858087, 1.6923849049984667)),
    ([5, 3, 3, 8, 5, 5], [1, 1, 0, 0, 0, 1], (0, 10), (5.1666666666666661, 2.946236559139785, 1.9364916731037094)),
    ([0, 2, 4, 6], [1, 0.8, 0.4, 0], (1, 6), (2.6, 3.3333333333333335, 2.2150996967781533)),
    ([0, 2, 4, 6], [1, 0.8, 0.4, 0.2], (0, 5), (3, 1.7333333333333334, 1.1832159566199234)),
    ([0, 2, 4, 6], [1, 0.8, 0.4, 0.2], (0, 60), (3.6, 2.2592592592592591, 1.8184242262647803)),
    ([-3, -1, 0, 2], [0.9, 0.7, 0.5, 0.1], (-5, 4), (-0.2, -2.3159722222222219, 1.6512621435334458)),
    ([3, 4, 5], [0, 0, 0], (0, 5), (3, 1.5, 0)),
    ([0, 10], [0.5, 0.5], None, (5, 5, 5)),
]  # fmt: skip


@pytest.mark.parametrize(("h", "r", "limits", "expected"), TYPED)
def test_indicators_of_the_authors(h, r, limits, expected):
    levels, psi, _ = merge(np.array([r], dtype=float), np.array(h, dtype=float))
    found = reference_indicators(levels, psi, limits or (None, None))
    assert found.capability[0] == pytest.approx(expected[0], abs=1e-9)
    assert found.expected_difficulty[0] == pytest.approx(expected[1], abs=1e-9)
    assert found.spread[0] == pytest.approx(expected[2], abs=1e-7)


FIG1_DIFFICULTY = np.repeat([0, 1, 2], 8)
FIG1 = [  # as printed: agents a and b on eight tasks of each difficulty
    [1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
]


def test_fig1_agents_a_and_b():
    """Fig. 1: capability 1.25 and 1.375, Γ 1.139 and 2.278, though b's tasks vary more."""
    table = generality(FIG1, FIG1_DIFFICULTY, interval=(-0.2, 2), mode="reference")
    assert table["capability"].tolist() == pytest.approx([1.25, 1.375], abs=1e-9)
    assert table["generality"].tolist() == pytest.approx([1.1389895949, 2.2779791898], abs=1e-9)
    assert table["mean"].tolist() == [0.625, 0.625]


# -- the core cases --------------------------------------------------------------------------


def golden(goldens, name):
    return pd.read_csv(goldens / "generality" / f"{name}.csv")


def numbers(text):
    return np.array([float(x) for x in str(text).split()])


def limit(value):
    return None if pd.isna(value) else float(value)


def test_core_cases_of_indicators(goldens):
    cases = golden(goldens, "core_cases_indicators")
    for case in cases.itertuples():
        h, r = numbers(case.difficulties), numbers(case.responses)
        kmin, kmax = limit(case.kmin), limit(case.kmax)
        if isinstance(case.error, str):
            interval = None if kmin is None else (kmin, kmax)
            with pytest.raises(BadInput):
                generality(r, h, interval=interval or (h.min(), h.max()), mode="reference")
            continue
        order = np.argsort(h, kind="stable")  # unmerged, equal difficulties make a vertical piece
        levels, psi = merge(r[None], h)[:2] if case.merge else (h[order], r[None, order])
        found = reference_indicators(levels, psi, (kmin, kmax))
        assert found.capability[0] == pytest.approx(case.capability, abs=1e-9), case.case
        assert found.expected_difficulty[0] == pytest.approx(case.expdiff, abs=1e-9), case.case
        assert found.spread[0] == pytest.approx(case.spread, abs=1e-7), case.case


def test_core_cases_of_extrapolation(goldens):
    for case in golden(goldens, "core_cases_extrapolate").itertuples():
        limits = (case.KMIN, case.KMAX)
        h, r = extrapolate(numbers(case.difficulties), numbers(case.responses)[None], limits)
        assert np.allclose(h, numbers(case.out_difficulties), atol=1e-12), case.case
        assert np.array_equal(r[0], numbers(case.out_responses)), case.case
        levels, psi, _ = merge(r, h)
        found = reference_indicators(levels, psi, limits)
        assert found.capability[0] == pytest.approx(case.capability, abs=1e-9), case.case
        assert found.spread[0] == pytest.approx(case.spread, abs=1e-7), case.case


def test_core_cases_of_limits_and_bins(goldens):
    for case in golden(goldens, "core_cases_limits").itertuples():
        found = difficulty_limits(numbers(case.difficulties))
        assert found == pytest.approx((case.KMIN, case.KMAX), abs=1e-9), case.case
    for case in golden(goldens, "core_cases_bins").itertuples():
        binned = bin_difficulties(numbers(case.difficulties), case.NBins, mode="reference")
        assert np.allclose(binned, numbers(case.binned), atol=1e-12), case.case
        kept = filter_by_frequency(numbers(case.binned), 3)
        assert np.array_equal(kept, numbers(case.keep_min3) == 1), case.case


def test_isometrics_of_the_mazes(goldens):
    expected = golden(goldens, "core_isometrics_mazes")
    ends = (expected["capability"].min(), expected["capability"].max())
    assert np.allclose(isometrics(ends), expected, atol=1e-9)


# -- ../shared: full studies ----------------------------------------------------------------------------

MEASURES = {
    "capability": ("capability", 1e-9),
    "spread": ("spread", 1e-7),
    "expected_difficulty": ("expected_difficulty", 1e-9),
    "normalised_generality": ("gamma_refgrid", 1e-9),
    "mean": ("mean_response", 1e-12),
    "abstruse": ("above_constant_refgrid", 0),
}


def agrees(table, expected, measures):
    expected = expected.set_index("agent").loc[table.index]
    for ours, (theirs, tolerance) in measures.items():
        gap = np.abs(table[ours].astype(float) - expected[theirs])
        assert gap.max() <= tolerance, (ours, gap.idxmax(), gap.max())


def check_study(responses, difficulty, expected):
    """Reference mode to the last digits; exact mode up to the padding that it leaves out."""
    agrees(generality(responses, difficulty, mode="reference"), expected, MEASURES)
    study = responses if difficulty is None else responses.with_difficulty(difficulty)
    if study.difficulty.min() > 0:  # else their padding is averaged into the first bin
        exact = {
            "capability": ("capability", EXACT_PADDING),
            "normalised_generality": ("gamma_exact", EXACT_PADDING),
            "expected_difficulty": ("expected_difficulty", EXACT_PADDING),
        }
        agrees(generality(responses, difficulty), expected, exact)


@pytest.fixture(scope="module")
def mazes(shared):
    return Responses.read(shared / "datasets" / "mazes")


@pytest.fixture(scope="module")
def letters(shared):
    return Responses.read(shared / "datasets" / "ctest")


MAZE_GROUPS = [
    "all496",
    "gender.male",
    "gender.female",
    "age.old",
    "age.young",
    "education.low",
    "education.high",
    "ethnicity.majority",
    "ethnicity.minority",
    "capability.low",
    "capability.high",
    "quarter1of4",
    "quarter2of4",
    "quarter3of4",
    "quarter4of4",
]


@pytest.mark.shared
@looped("study", [*MAZE_GROUPS, "all496_binned10", "all496_IRTdiff_standin"])
def test_mazes_by_group_and_with_other_difficulties(goldens, mazes, study):
    expected, difficulty = golden(goldens, "mazes").query("study == @study"), None
    if study == "all496_binned10":
        difficulty = bin_difficulties(mazes.difficulty, 10, mode="reference")
    elif study == "all496_IRTdiff_standin":
        items = golden(goldens, "mazes_items").set_index("item")
        difficulty = items["irt_b_rescaled_standin"]
    check_study(mazes.select(agents=expected["agent"]), difficulty, expected)


@pytest.mark.shared
def test_mazes_aggregated_and_counted(goldens, mazes):
    facts = golden(goldens, "mazes_scenario").query("study == 'all496'").set_index("key")["value"]
    mean = generality(aggregate(mazes), mode="reference").iloc[0]
    assert mean["capability"] == pytest.approx(float(facts["aggregated_capability"]), abs=1e-9)
    assert mean["spread"] == pytest.approx(float(facts["aggregated_spread"]), abs=1e-7)
    assert generality(mazes)["abstruse"].sum() == 59  # 66 in the paper, nine of them perfect agents
    assert generality(mazes, mode="reference")["abstruse"].sum() == 66


@pytest.mark.shared
@looped("kind", ["nonbinary", "binary"])
@looped("who", ["all", "humans", "machines"])
@looped("what", ["", "inductive."])
def test_letter_series(goldens, letters, what, who, kind):
    expected = golden(goldens, "ctest")
    expected = expected[expected["study"] == f"{what}{who}.{kind}"]
    part = letters.select(agents=expected["agent"])
    if what:
        part = part.select(items=part.items.query("kind == 'prediction'").index)
    part = threshold(part) if kind == "binary" else part
    check_study(part, None, expected)


@pytest.mark.shared
def test_sigmoid_of_mazes_and_letter_series(goldens, mazes, letters):
    expected = golden(goldens, "core_sigmoid").set_index("study")
    humans = letters.select(agents=letters.agents.query("kind == 'human'").index)
    for study, table in {"mazes.all496": mazes, "ctest.humans.nonbinary": humans}.items():
        fit, wanted = sigmoid_curve(table), expected.loc[study]
        # their iteration stops at a relative change of 1e-5
        assert (fit.slope, fit.location) == pytest.approx((wanted["b"], wanted["c"]), rel=1e-5)
        assert fit.capability == pytest.approx(wanted["capability"], rel=1e-5)
        assert fit.generality == pytest.approx(wanted["generality"], rel=1e-5)


@pytest.mark.parametrize("study", ["random_seed0", "randomUnifCap_seed0"])
def test_random_populations(goldens, study):
    expected = golden(goldens, "demo_populations")
    expected = expected[expected["study"] == f"demo.{study}"]
    answers = golden(goldens, "demo_random_responses").query("study == @study").drop(columns="study")
    table = Responses(answers.set_axis(expected["agent"]), difficulty=np.linspace(10, 20, 30))
    check_study(table, None, expected)


@pytest.mark.parametrize("study", ["demo.steps", "demo.uniform"])
def test_populations_of_steps_and_of_constants(goldens, study):
    expected = golden(goldens, "demo_populations").query("study == @study")
    mean = expected["mean_response"].to_numpy()[:, None]
    steps = (np.arange(30) < np.round(30 * mean)).astype(float)
    answers = steps if study == "demo.steps" else np.repeat(mean, 30, axis=1)
    table = Responses(pd.DataFrame(answers, index=expected["agent"]), difficulty=np.linspace(10, 20, 30))
    check_study(table, None, expected)


SIMPLE = np.arange(10_000)


@pytest.mark.parametrize(
    ("responses", "spread", "coarse"),
    [
        (SIMPLE < 5000, 0.0002887039926119666, 0.0028896409858269242),
        (SIMPLE >= 5000, 7.0710678059717358, 7.0710672214295167),
        (SIMPLE % 2 == 0, 4.9999999833299986, 5.0),
        (SIMPLE * 0 + 0.5, 5.0, 5.0),
        (1 - SIMPLE / 9999, 2.8867513459481402, 2.8893485136762886),
    ],
    ids=["step", "increasing step", "alternating", "half", "linear"],
)
def test_simple_agents_on_fine_and_coarse_difficulties(responses, spread, coarse):
    for h, expected in (
        (np.linspace(0, 10, 10_000), spread),
        (np.repeat(np.linspace(0, 10, 1000), 10), coarse),
    ):
        for mode in ("exact", "reference"):
            row = generality(responses, h, interval=(0, 10), mode=mode).iloc[0]
            assert row["capability"] == pytest.approx(5, abs=1e-9)
            assert row["spread"] == pytest.approx(expected, abs=1e-7)


def test_average_human_on_the_letter_series_in_both_readings():
    """S29 prints 9.86 and 0.39, which needs unit-width ends; the script gives 9.89 and 0.41."""
    hits = published("generality_fig_s29")
    h, r = hits["difficulty"].to_numpy(), hits["hit_ratio"].to_numpy()
    script = generality(r, h, mode="reference").iloc[0]
    assert script[["capability", "generality"]].tolist() == pytest.approx([9.8915, 0.4078], abs=5e-5)
    ends = generality(np.r_[1, r, 0], np.r_[6, h, 15], interval=(0, 15)).iloc[0]
    assert ends[["capability", "generality"]].tolist() == pytest.approx([9.8628, 0.3894], abs=5e-5)


def test_fig1(goldens):
    demo = Responses(pd.DataFrame(FIG1, index=["agent a", "agent b"]), difficulty=FIG1_DIFFICULTY)
    expected = golden(goldens, "demo").query("study == 'fig1.plotACC(kmin=-0.2)'")
    expected = expected.assign(agent=["agent a", "agent b"])
    core = {k: MEASURES[k] for k in ("capability", "spread", "expected_difficulty", "mean")}
    agrees(generality(demo, interval=(-0.2, 2), mode="reference"), expected, core)
    padded = golden(goldens, "demo_populations").query("study.str.startswith('fig1')")
    agrees(generality(demo, mode="reference"), padded, MEASURES)


# -- ../shared: the transforms --------------------------------------------------------------------------

SCENARIO = {
    "capability": ("capability", 1e-9),
    "spread": ("spread", 1e-7),
    "expected_difficulty": ("expdiff", 1e-9),
}
REFERENCE = SCENARIO | {"normalised_generality": ("norm_generality_ref", 1e-9)}
EXACT = SCENARIO | {"normalised_generality": ("norm_generality_exact", 1e-9)}


@pytest.fixture(scope="module")
def ale(shared):
    return Scores.read(shared / "datasets" / "ale")


@pytest.mark.shared
def test_atari_ranked(goldens, ale):
    expected, curves = golden(goldens, "ale24_rnk100"), rank(ale)
    agrees(generality(curves, mode="reference"), expected, REFERENCE)
    agrees(generality(curves), expected, EXACT)
    limit_table = generality(rank(ale, columns=None))
    agrees(
        limit_table,
        expected,
        {"capability": ("position_mean", 1e-9), "spread": ("position_popsd", 1e-9)},
    )
    positions = golden(goldens, "ale24_rnk100_positions").set_index("agent").loc[ale.frame.index]
    assert np.allclose(curves.positions, positions, atol=1e-12)
    drawn = golden(goldens, "ale24_rnk100_acc").query("agent == @HUMAN")
    assert np.allclose(characteristic_curve(curves, HUMAN)["response"], drawn["response"])


@pytest.mark.shared
def test_atari_against_the_human(goldens, ale):
    name = "ale24_aref_human_greater_butequalhalf"
    expected, found = golden(goldens, name), absolute_reference(ale, HUMAN)
    agrees(generality(found, mode="reference"), expected, REFERENCE)
    agrees(generality(found), expected, EXACT)
    difficulties = golden(goldens, f"{name}_difficulties")["difficulty"]
    assert np.allclose(found.difficulty, difficulties, atol=1e-12)
    binary = golden(goldens, f"{name}_binary").set_index("agent").loc[found.frame.index]
    assert np.array_equal(found.frame, binary)


@pytest.mark.shared
@looped("transformation", ["ARef", "Rnk"])
def test_atari_through_time(goldens, ale, transformation):
    frames = golden(goldens, "ale_evolution_frames")
    frames = frames[frames["transformation"].str.contains(transformation)]
    found = absolute_reference(ale, HUMAN) if transformation == "ARef" else rank(ale)
    table = generality(found, mode="reference")
    assert len(frames)
    for _, film in frames.groupby(["transformation", "date_column", "precision"]):
        agents = []
        for frame in film.sort_values("frame").itertuples():
            agents += frame.new_agents.split("; ")
            now = table.loc[agents]
            assert len(now) == frame.n_agents
            assert now["capability"].mean() == pytest.approx(frame.mean_cap, abs=1e-9)
            assert now["normalised_generality"].mean() == pytest.approx(frame.mean_norm_generality, abs=1e-9)


@pytest.mark.shared
def test_chess_2015(goldens, shared):
    found = opponent(Responses.read(shared / "datasets" / "chess_Leiden2015"))
    expected = golden(goldens, "chess_Leiden2015")
    agrees(generality(found, mode="reference"), expected, REFERENCE)
    agrees(generality(found), expected, EXACT)
    for name, drawn in golden(goldens, "chess_Leiden2015_acc").groupby("agent"):
        curve = characteristic_curve(found, name)
        assert np.allclose(curve[["difficulty", "response"]], drawn[["difficulty", "response"]])


# -- ../shared: data sets whose goldens are kept back, against what the figures print ------------------


def legend(table):
    """The text block of the authors' capability-against-spread figures."""
    capability, spread, gamma = (table[k] for k in ("capability", "spread", "normalised_generality"))
    return {
        "corr_cap_spread": capability.corr(spread),
        "mean_cap": capability.mean(),
        "mean_spread": spread.mean(),
        "pct_abstruse": 100 * table["abstruse"].mean(),
        "mean_norm_generality": gamma.mean(),
        "corr_cap_norm_generality": capability.corr(gamma),
    }


def printed(shared, figure):
    claims = pd.read_csv(shared / "claims.csv")
    rows = claims[claims["figure"].fillna("").str.startswith(figure)]
    names = {"mean_capability": "mean_cap", "mean_gamma_refgrid": "mean_norm_generality",
             "pct_above_constant_refgrid": "pct_abstruse",
             "corr_cap_gamma_refgrid": "corr_cap_norm_generality"}  # fmt: skip
    keys = rows["quantity"].str.split(": ").str[-1].replace(names)
    values = pd.to_numeric(rows["published"].set_axis(keys), errors="coerce").dropna()
    return values.to_dict()


FIGURES = {
    "Fig5 top left (chess 2005)": lambda d: opponent(Responses.read(d / "chess_Reykjavik2005")),
    "Fig5 top right (chess 2015)": lambda d: opponent(Responses.read(d / "chess_Leiden2015")),
    "Fig5 row 2 left (ALE ARef": lambda d: absolute_reference(Scores.read(d / "ale"), HUMAN),
    "not in paper (ALE ARef, >=)": lambda d: absolute_reference(Scores.read(d / "ale"), HUMAN, "win"),
    "Fig5 row 2 right (ALE Rnk)": lambda d: rank(Scores.read(d / "ale")),
    "Fig5 row 3 left (GVGAI 245)": lambda d: rank(Scores.read(d / "gvgai")),
    "Fig5 row 3 right (GVGAI 49)": lambda d: rank(Scores.read(d / "gvgai_grouped5")),
    "Fig5 bottom right (PCTB)": lambda d: distributional_reference(
        Responses.read(d / "herrmann"), "human_mean", "human_sd"
    ),
    "Fig 4 BL": lambda d: iris(d).with_difficulty("KDN"),
    "Fig 4 TL": lambda d: Responses.read(d / "mazes"),
    "Fig 4 TR": lambda d: Responses.read(d / "ctest"),
}  # fmt: skip


def iris(datasets):
    """The 419 classifiers and people that the figures show; their names are not unique, rows are."""
    answers = pd.read_csv(datasets / "openml" / "responses.csv", index_col="row")
    agents = pd.read_csv(datasets / "openml" / "agents.csv", index_col="row")
    items = pd.read_csv(datasets / "openml" / "items.csv", index_col="item")
    kept = agents["kept"] == 1
    return Responses(answers[kept].drop(columns="agent"), items=items, agents=agents[kept])


@pytest.mark.shared
@looped("figure", FIGURES)
def test_legends_of_the_figures(shared, figure):
    ours = legend(generality(FIGURES[figure](shared / "datasets"), mode="reference"))
    theirs = {k: v for k, v in printed(shared, figure).items() if k in ours}
    assert len(theirs) >= 5
    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, abs=0.00501), name


@pytest.mark.shared
def test_iris_tables(shared):
    table = generality(iris(shared / "datasets"), "TD_U", mode="reference")
    names = iris(shared / "datasets").agents["agent"]
    lda = table[names == "classif.lda(9)"].iloc[0]
    assert (lda["capability"], lda["spread"]) == pytest.approx((4.80, 0.379), abs=0.006)


@pytest.mark.shared
def test_lambda_environments_raw_and_binned(shared):
    raw = Scores.read(shared / "datasets" / "lambda")
    clipped = Responses(raw.frame.clip(0, 1), items=raw.items)
    bins = bin_difficulties(raw.items["diff2"], 10, mode="reference")
    plain = generality(clipped, "diff2", mode="reference")
    binned = generality(clipped, bins, mode="reference")
    assert plain.loc["Human", ["capability", "spread"]].tolist() == pytest.approx([3.45, 1.82], abs=0.005)
    assert plain.loc["QLearning", ["capability", "spread"]].tolist() == pytest.approx([3.54, 1.47], abs=0.005)
    assert binned.loc["Human", ["capability", "spread"]].tolist() == pytest.approx([3.31, 1.49], abs=0.0055)
    assert binned.loc["QLearning", ["capability", "spread"]].tolist() == pytest.approx(
        [3.32, 1.30], abs=0.005
    )


@pytest.mark.shared
def test_chess_2005_player_by_player(shared):
    """S19 left prints Ψ and Γ of the twelve players."""
    table = generality(
        opponent(Responses.read(shared / "datasets" / "chess_Reykjavik2005")), mode="reference"
    )
    claims = pd.read_csv(shared / "claims.csv").set_index("id")
    for entry in claims.loc["N422", "published"].split("; "):
        name, pair = entry.rsplit(" ", 1)
        capability, gamma = map(float, pair.split("/"))
        assert table.loc[name, "capability"] == pytest.approx(capability, abs=0.00501)
        assert table.loc[name, "generality"] == pytest.approx(gamma, abs=0.00501)
