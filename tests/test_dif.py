"""Differential item functioning: R's own numbers, what each test must see, and how often it errs."""

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl


def two_groups(seed, n=300, items=10, shift=0.8, steep=1.0, gap=0.5):
    """A reference and a focal group; the third item is harder for the focal group, the seventh steeper."""
    slopes, places = np.linspace(0.8, 1.6, items), np.linspace(-1.5, 1.5, items)
    base = pd.DataFrame({"discrimination": slopes, "difficulty": places})
    other = base.copy()
    other.loc[2, "difficulty"] += shift
    if steep != 1:
        other.loc[6, "discrimination"] *= steep
    rng = np.random.default_rng(seed)
    drawn = [
        gl.simulate_irt(table, ability=rng.normal(mean, 1, n), seed=rng).frame
        for table, mean in ((base, 0), (other, -gap))
    ]
    return pd.concat(drawn, ignore_index=True), ["R"] * n + ["F"] * n


# R 4.5: mantelhaen.test(table(group, item, rowSums(x))), the error of log α from its interval; every item of
# two_groups(1): statistic, p, odds ratio, Δ = -2.35 log α and 2.35 se
MANTELHAEN = [
    (0.0367633169484, 0.847947732038, 1.06594183214, -0.150068080794, 0.502419761563),
    (2.07812528389, 0.14942359734, 0.711853851915, 0.79872423409, 0.518879046023),
    (6.51335763394, 0.0107067157737, 1.6907497161, -1.23415431647, 0.464533595928),
    (0.454581778001, 0.500167133566, 1.17072156298, -0.370407656149, 0.475755939141),
    (3.06802925738, 0.0798462131894, 0.688867521882, 0.875859810614, 0.474667127817),
    (0.242624956608, 0.622316627972, 0.876618760732, 0.309455260382, 0.516056844818),
    (0.00372233321264, 0.951350506786, 0.98656140189, 0.0317948262483, 0.521608447449),
    (0.145459209646, 0.702913026612, 0.881477544192, 0.296466017222, 0.586278913247),
    (0.0563143133969, 0.812419120435, 1.11771039652, -0.261513414572, 0.684535345824),
    (0.132361107589, 0.715996413904, 1.23117129718, -0.48872007742, 0.878082330533),
]
# R 4.5: glm(item ~ s), + group, + s:group (binomial): χ² of both, its p, the p of each, change of Nagelkerke's R²
GLM = [
    (0.204948648178, 0.902601324567, 0.718135445795, 0.784665476016, 0.000342711724703),
    (3.00851330857, 0.22218239079, 0.122217938644, 0.431103764127, 0.00467887953403),
    (10.0418994172, 0.00659825731096, 0.00689644765261, 0.0977327965013, 0.0159308229965),
    (2.20528007678, 0.331993450261, 0.350608738965, 0.248090006851, 0.00334657834057),
    (4.95052331596, 0.0841409712201, 0.0850581360059, 0.15886225356, 0.00784071365066),
    (0.687034292822, 0.709271319583, 0.454911811354, 0.719836299034, 0.00096893634808),
    (0.549606225008, 0.759721688202, 0.968560180666, 0.459114433554, 0.000933790270474),
    (0.278317142539, 0.870090046235, 0.720249910523, 0.698474433844, 0.000543056821764),
    (0.154225918419, 0.925785271727, 0.806513319303, 0.758858356178, 0.000346636836669),
    (0.490304497112, 0.782585381677, 0.617274517618, 0.623782012056, 0.00131994414272),
]


def test_mantel_haenszel_is_that_of_r():
    found = gl.dif(*two_groups(1), focal="F", purify=False, classical=True).table
    assert np.allclose(found.drop(columns="class"), MANTELHAEN, atol=1e-9)


def test_the_logistic_test_is_that_of_r():
    found = gl.dif(*two_groups(1), focal="F", method="logistic", purify=False, classical=True).table
    assert np.allclose(found.drop(columns=["jodoin_gierl", "zumbo_thomas"]), GLM, atol=1e-9)


def test_the_logistic_test_is_that_of_statsmodels_on_a_purified_score():
    import statsmodels.api as sm

    frame, group = two_groups(2, shift=1.5)
    found = gl.dif(frame, group, focal="F", method="logistic", classical=True)
    assert found.flagged == [2]
    score, focal = frame[found.anchors].sum(axis=1) + frame[2], np.array([g == "F" for g in group])
    design = sm.add_constant(np.column_stack([score, focal, score * focal]))
    both, none = (sm.Logit(frame[2], design[:, :k]).fit(disp=0).llf for k in (4, 2))
    assert found.table.loc[2, "chi2"] == pytest.approx(2 * (both - none), abs=1e-7)


@pytest.mark.parametrize("method", ["mantel-haenszel", "logistic"])
def test_the_item_made_harder_is_found_and_named(method):
    found = gl.dif(*two_groups(3, n=600, shift=1.2), method=method, focal="F")
    assert 2 in found.flagged
    assert 2 not in found.anchors
    assert "1 of 10 items" in found.sentence or len(found.flagged) > 1
    assert str(found).startswith(found.sentence)
    assert "<table" in found._repr_html_()


def test_crossing_curves_are_seen_by_the_logistic_test_alone():
    frame, group = two_groups(4, n=1000, items=13, shift=0, steep=0.3, gap=0)
    crossing = gl.dif(frame, group, method="logistic").table.loc[6]
    assert crossing["non_uniform_p"] < 1e-4 < crossing["uniform_p"]
    assert gl.dif(frame, group).table.loc[6, "p"] > 0.05


def test_abilities_far_apart_cost_the_matching_and_not_the_level():
    """One deviation apart, 20 items of uneven slopes, 1,500 agents each: the classical tests flag clean items."""
    rng, wrong = np.random.default_rng(3), {}
    for _ in range(12):
        items = pd.DataFrame(
            {"discrimination": rng.lognormal(0, 0.3, 20), "difficulty": rng.normal(0, 1, 20)}
        )
        parts = [
            gl.simulate_irt(items, ability=rng.normal(mean, 1, 1500), seed=rng).frame for mean in (0, -1)
        ]
        table, group = pd.concat(parts, ignore_index=True), ["R"] * 1500 + ["F"] * 1500
        for method in ("mantel-haenszel", "logistic"):
            for classical in (True, False):
                found = gl.dif(table, group, method=method, purify=False, classical=classical)
                flags = wrong.setdefault((method, classical), [])
                flags += (found.table["p"] < 0.05).tolist()
                assert (found.mismatch > 3) is not classical
                assert ("far apart" in str(found)) is not classical
    for method in ("mantel-haenszel", "logistic"):
        assert np.mean(wrong[method, True]) > 0.09
        assert np.mean(wrong[method, False]) < 0.085


def test_swapping_the_groups_turns_the_effect_round():
    frame, group = two_groups(5)
    one, other = (gl.dif(frame, group, focal=label, purify=False).table for label in "FR")
    assert np.allclose(one["delta"], -other["delta"])
    assert np.allclose(one["chi2"], other["chi2"])


def test_purification_frees_the_clean_items_of_the_blame():
    frame, group = two_groups(6, n=1500, items=12, shift=1.2)
    raw, clean = (gl.dif(frame, group, purify=flag) for flag in (False, True))
    assert set(clean.flagged) < set(raw.flagged)
    assert clean.rounds > 1
    assert clean.settled


def test_given_anchors_are_what_agents_are_matched_on():
    frame, group = two_groups(7)
    found = gl.dif(frame, group, anchors=[0, 1, 3, 4])
    assert (found.anchors, found.rounds) == ([0, 1, 3, 4], 1)


@pytest.mark.parametrize("adjust", ["holm", "benjamini-hochberg"])
def test_adjusted_p_values_are_those_of_statsmodels(adjust):
    from statsmodels.stats.multitest import multipletests

    found = gl.dif(*two_groups(1), focal="F", purify=False, adjust=adjust)
    name = {"holm": "holm", "benjamini-hochberg": "fdr_bh"}[adjust]
    assert np.allclose(found.table["adjusted_p"], multipletests(found.table["p"], method=name)[1])
    assert found.flagged == list(found.table.index[found.table["adjusted_p"] < 0.05])


def test_labels_may_come_from_the_table_of_agents_a_series_or_a_dict():
    frame, group = two_groups(8)
    agents = pd.DataFrame({"kind": group}, index=frame.index)
    expected = gl.dif(frame, group).table
    by_agent = pd.Series(group, index=frame.index).sample(frac=1, random_state=1)
    for labels in (by_agent, by_agent.to_dict()):
        pd.testing.assert_frame_equal(gl.dif(frame, labels).table, expected)
    table = gl.Responses(frame, agents=agents)
    assert np.allclose(gl.dif(table, "kind").table["chi2"], expected["chi2"])


def test_constant_and_separating_items_get_no_test_or_an_infinite_effect():
    frame, group = two_groups(9)
    focal = np.array(group) == "F"
    frame = frame.assign(constant=1.0, separates=np.where(focal, 0.0, 1.0))
    for method in ("mantel-haenszel", "logistic"):
        found = gl.dif(frame, group, method=method, focal="F", purify=False)
        assert np.isnan(found.table.loc["constant", "p"])
        assert found.table.loc["separates", "p"] < 1e-10
        assert "separates" in found.sentence


def test_agents_with_gaps_are_left_out_and_counted():
    frame, group = two_groups(10)
    frame.iloc[3, 2] = frame.iloc[400, 0] = np.nan
    found = gl.dif(frame, group)
    assert (found.left_out, found.agents) == (2, (299, 299))
    assert "2 agents with missing" in found.sentence


@pytest.mark.parametrize(
    ("change", "argument", "code"),
    [
        ({"method": "lord"}, "method", "not-an-option"),
        ({"adjust": "fdr"}, "adjust", "not-an-option"),
        ({"purify": 1}, "purify", "not-a-flag"),
        ({"level": 0}, "level", "out-of-range"),
        ({"focal": "X"}, "focal", "unknown-label"),
        ({"focal": ["R"]}, "focal", "unknown-label"),
        ({"anchors": [99]}, "anchors", "unknown-label"),
        ({"group": "kind"}, "group", "unknown-label"),
        ({"group": 3}, "group", "wrong-type"),
        ({"group": ["R"] * 600}, "group", "too-few"),
        ({"group": ["R", "F"]}, "group", "wrong-length"),
        ({"group": ["R", "F", "G"] * 200}, "group", "wrong-length"),
        ({"group": ["R"] * 595 + ["F"] * 5}, "group", "too-few"),
        ({"group": [None] + ["R", "F"] * 299 + ["R"]}, "group", "missing"),
        ({"group": {0: "R"}}, "group", "unknown-label"),
        ({"responses": np.full((600, 4), 0.5)}, "responses['agent 1', 'item 1']", "not-binary"),
        ({"responses": np.ones((600, 4))}, "responses", "too-few"),
    ],
)
def test_bad_input_names_the_argument(change, argument, code):
    frame, group = two_groups(1)
    given = {"responses": frame, "group": group} | change
    with pytest.raises(gl.BadInput) as refused:
        gl.dif(**given)
    assert (refused.value.argument, refused.value.code) == (argument, code)


@pytest.mark.slow
def test_clean_items_are_flagged_in_about_one_of_twenty_tests():
    """Type-I error over 20 items x 100 tables of 500 + 500 agents with equal and with unequal ability."""
    for gap in (0.0, 0.5):
        tables = [two_groups(k, n=500, items=20, shift=0, gap=gap) for k in range(100)]
        for name, options in {
            "mantel-haenszel": {"correct": False},
            "logistic": {},
        }.items():
            p = [gl.dif(*t, method=name, purify=False, **options).table["p"] for t in tables]
            assert 0.03 <= (np.array(p) < 0.05).mean() <= 0.07
