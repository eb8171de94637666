"""A test that stops when it knows: the items it picks, the intervals at every stop, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from benchmarks.measured.stopping import BANKS, measure_row
from gindex_lab.measures.adaptive.bank import Foresight
from gindex_lab.measures.adaptive.rules import capped
from gindex_lab.studies.simulations.coverage import PROFILES, Profile
from gindex_lab.studies.simulations.coverage_study import measured_coverage
from gindex_lab.studies.simulations.stopping_study import STOPS, measure_stopping, ordinary, saved

HERE = Path(__file__).parent
ITEMS = pd.DataFrame({"difficulty": np.linspace(0, 1, 60), "family": np.arange(60) % 3})
BANK = gl.Bank(ITEMS)
STEP = (ITEMS["difficulty"] < 0.55).astype(float)


def agent(profile, seed, items=ITEMS):
    rng = np.random.default_rng(seed)
    chance = profile(items["difficulty"].to_numpy())
    return pd.Series((rng.random(len(items)) < chance).astype(float), items.index)


def on_the_whole_bank(answers, measure="capability", items=ITEMS):
    frame = answers.to_frame("a").T
    return float(gl.generality(frame, items["difficulty"])[measure].iloc[0])


# -- intervals that hold whenever one stops ---------------------------------------------------------------


def test_the_kept_coverage_is_at_least_ninety_four_percent_at_every_stop():
    table = measured_coverage("stopping")
    valid = table[table["rule"] != "information"]
    assert set(BANKS) <= set(table["bank"])
    wanted = {(m, 1) for m in ("capability", "mean", "spread", "normalised_generality")}
    assert wanted | {("capability", 2), ("mean", 2)} <= set(table.groupby(["measure", "agents"]).groups)
    for kind, part in valid.groupby(["rule", "measure", "agents"]):
        assert part["replays"].sum() >= 1000, kind
        for name in (*STOPS, "always"):
            assert np.average(part[name], weights=part["replays"]) >= 0.94, (kind, name)


def test_the_ordinary_interval_fails_where_one_stops_when_it_looks_significant():
    table = measured_coverage("stopping")
    usual = table[(table["rule"] == "random") & table["measure"].isin(["capability", "mean"])]
    assert np.average(usual["ordinary, looks significant"], weights=usual["replays"]) < 0.85
    assert np.average(usual["ordinary, budget"], weights=usual["replays"]) > 0.9


def test_a_few_replays_hold_the_truth_at_every_stop():
    row = {"bank": "simulated", "rule": "bayes", "measure": "capability"}
    found = measure_stopping(row, 5, 3)
    assert found["always"] >= 4 / 5
    assert measure_row(row, 5, 3) == found  # as the kept table is made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "agents"),
    [("capability", 1), ("mean", 2), ("spread", 1), ("normalised_generality", 1)],
)
def test_fresh_replays_hold_the_truth_at_every_stop(measure, agents):
    row = {"bank": "simulated", "rule": "bayes", "measure": measure, "agents": agents}
    assert measure_stopping(row, 60, 11)["always"] >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.parametrize("rule", ["bayes", "random", "stratified"])
@pytest.mark.parametrize("measure", ["capability", "mean"])
def test_at_the_end_of_the_bank_the_measure_is_known(rule, measure):
    answers = agent(PROFILES["typical"], 1)
    found = gl.adaptive(answers, BANK, rule=rule, measure=measure, seed=2)
    assert found.reason == "all items asked"
    truth = on_the_whole_bank(answers, measure)
    assert found.low == pytest.approx(truth) == found.high
    assert found.table["item"].is_unique


def test_intervals_only_shrink_and_hold_the_estimate():
    table = gl.adaptive(agent(PROFILES["shallow"], 3), BANK, seed=3).table
    assert (table["low"].diff().dropna() >= -1e-9).all()
    assert (table["high"].diff().dropna() <= 1e-9).all()
    assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()


def test_guessing_is_taken_off():
    items = ITEMS.assign(floor=0.25)
    answers = agent(Profile(0.5, 0.1, floor=0.25), 1)
    found = gl.adaptive(answers, gl.Bank(items), seed=1)
    whole = gl.generality(answers.to_frame("a").T, ITEMS["difficulty"], floor=0.25)
    assert found.low == pytest.approx(float(whole["capability"].iloc[0]))


# -- stopping, two agents, replay -------------------------------------------------------------------------


def test_it_stops_at_a_width_a_threshold_and_a_budget():
    assert gl.adaptive(STEP, BANK, width=0.4, seed=1).reason == "width reached"
    assert gl.adaptive(STEP, BANK, budget=7, seed=1).reason == "budget used up"
    decided = gl.adaptive(STEP, BANK, threshold=0.95, seed=1)
    assert decided.reason == "decided"
    assert decided.high < 0.95


def test_two_agents_are_told_apart_with_fewer_items_than_the_bank_has():
    able, weak = (agent(Profile(c, 0.1), 5) for c in (0.8, 0.3))
    found = gl.adaptive((able, weak), BANK, seed=1)
    assert found.reason == "decided"
    assert found.low > 0
    assert len(found.table) < 50
    same = gl.adaptive((able, able), BANK, seed=1)
    assert same.reason == "all items asked"
    assert same.low <= 0 <= same.high


def test_a_person_a_program_and_a_replay_take_the_same_test():
    replay = gl.adaptive(STEP, BANK, budget=20, seed=9).table
    program = gl.adaptive(lambda item: STEP[item], BANK, budget=20, seed=9).table
    session = gl.adaptive(None, BANK, budget=20, seed=9)
    while not session.finished:
        asked = session.next_item()
        assert session.next_item() == asked  # asking again changes nothing
        session.record(bool(STEP[asked]))
    pd.testing.assert_frame_equal(replay, program)
    pd.testing.assert_frame_equal(replay, session.table)


def test_items_are_asked_where_the_agent_is_unsure():
    asked = np.concatenate([gl.adaptive(STEP, BANK, budget=20, seed=k).table["item"][10:] for k in range(10)])
    near = np.abs(ITEMS["difficulty"] - 0.55) < 0.2
    assert near[asked].mean() > near.mean() + 0.08


# -- content and exposure ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_families_are_asked_by_their_share():
    items = ITEMS.assign(family=np.where(np.arange(60) < 40, "a", "b"))
    bank = gl.Bank(items)
    counts = [
        (items["family"][gl.adaptive(STEP, bank, budget=24, balance=on, seed=k).table["item"]] == "a").mean()
        for k in range(12)
        for on in (True, False)
    ]
    on, off = np.array(counts).reshape(-1, 2).T
    assert np.abs(on - 2 / 3).max() <= 0.13
    assert np.abs(on - 2 / 3).mean() < np.abs(off - 2 / 3).mean()


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["bayes", "information"])
def test_no_item_is_asked_more_often_than_its_limit(rule):
    items = ITEMS.assign(discrimination=2.0, location=np.linspace(-2, 2, 60))
    bank, tests = gl.Bank(items), 120
    asked = np.zeros(60)
    for k in range(tests):
        asked[gl.adaptive(STEP, bank, rule=rule, budget=6, exposure=0.25, seed=k).table["item"]] += 1
    assert asked.max() / tests <= 0.25 + 3 * np.sqrt(0.25 * 0.75 / tests)
    free = gl.adaptive(STEP, bank, rule="information", budget=6, seed=1).table["item"]
    again = gl.adaptive(STEP, bank, rule="information", budget=6, seed=2).table["item"]
    assert free.tolist() == again.tolist()  # without a limit the same items every time


def test_capped_chances_add_up_and_stay_below_their_caps():
    rng = np.random.default_rng(1)
    for _ in range(50):
        chances = rng.dirichlet(np.ones(8) * 0.3)
        most = np.full(8, 0.2)
        found = capped(chances, most, np.zeros(8))
        assert found is None or (found.sum() == pytest.approx(1) and (found <= 0.2 + 1e-9).all())
    assert capped(np.full(4, 0.25), np.full(4, 0.1), np.zeros(4)) is None


# -- maximum information against catsim --------------------------------------------------------------------

CATSIM = json.loads((HERE / "oracles" / "catsim_selection.json").read_text("utf-8"))


def catsim_bank():
    a, b, c = np.array(CATSIM["items"]).T
    return gl.Bank(pd.DataFrame({"difficulty": b, "discrimination": a, "location": b, "floor": c}))


def test_information_is_that_of_catsim():
    for theta, printed in zip(CATSIM["abilities"], CATSIM["information"], strict=True):
        assert catsim_bank().information(theta) == pytest.approx(printed, abs=1e-9)


def test_items_are_picked_in_the_order_of_catsim(monkeypatch):
    path = iter(CATSIM["path"])
    monkeypatch.setattr(Foresight, "ability", lambda self: next(path))
    found = gl.adaptive(lambda item: 1.0, catsim_bank(), rule="information", budget=9, seed=1)
    assert found.table["item"].tolist() == CATSIM["asked"][:9]


# -- the ordinary interval, and what is saved ---------------------------------------------------------------


def test_the_ordinary_interval_is_students_with_the_finite_bank():
    answers = agent(PROFILES["flat half"], 2)
    course = gl.adaptive(answers, BANK, rule="random", measure="mean", seed=1).table
    low, high = ordinary(BANK, course, "mean")
    first = course["response"][:40]
    half = 2.0227 * first.std(ddof=1) / np.sqrt(40) * np.sqrt(1 - 40 / 60)
    assert (high[39] - low[39]) / 2 == pytest.approx(half, rel=1e-3)


def test_choosing_items_saves_some_against_random_order():
    table = saved(measured_coverage("saving"))
    rows = table.xs("bayes", level="rule")
    for bank in ("swebench_134", "mazes", "letter series"):
        assert rows.loc[(bank, "0.15"), "low"] > 0, bank


# -- bad input ---------------------------------------------------------------------------------------------

CALIBRATED = gl.Bank(ITEMS.assign(discrimination=1.0, location=0.0))
BAD = {
    "no bank": (lambda: gl.adaptive(STEP, 3, seed=1), "bank", "wrong-type"),
    "raw scores": (lambda: gl.adaptive(STEP, gl.Scores([[1, 2]]), seed=1), "bank", "wrong-type"),
    "no difficulty": (lambda: gl.Bank(pd.DataFrame({"x": range(9)})), "items", "no-column"),
    "a list of items": (lambda: gl.Bank([1, 2, 3]), "items", "wrong-type"),
    "four items": (lambda: gl.Bank(ITEMS.head(4)), "items", None),
    "one difficulty": (lambda: gl.Bank(ITEMS.assign(difficulty=1.0)), "items.difficulty", None),
    "an item twice": (lambda: gl.Bank(ITEMS.set_axis([0] * 60)), "items.index", None),
    "half a calibration": (lambda: gl.Bank(ITEMS.assign(discrimination=1.0)), "items", None),
    "a floor of 1": (lambda: gl.Bank(ITEMS.assign(floor=1.0)), "items.floor", None),
    "an interval elsewhere": (lambda: gl.Bank(ITEMS, (5.0, 9.0)), "interval", None),
    "calibrated on nothing": (lambda: gl.Bank.calibrated([[1, 0]]), "responses", "wrong-type"),
    "an agent that cannot be asked": (
        lambda: gl.adaptive("gpt", BANK, seed=1),
        "agent",
        "wrong-type",
    ),
    "three agents": (lambda: gl.adaptive((STEP,) * 3, BANK, seed=1), "agent", None),
    "a log with gaps": (lambda: gl.adaptive(STEP.drop(3), BANK, seed=1), "bank", "no-response"),
    "an unknown rule": (
        lambda: gl.adaptive(STEP, BANK, rule="best", seed=1),
        "rule",
        "not-an-option",
    ),
    "an unknown measure": (
        lambda: gl.adaptive(STEP, BANK, measure="iq", seed=1),
        "measure",
        "not-an-option",
    ),
    "information without calibration": (
        lambda: gl.adaptive(STEP, BANK, rule="information", seed=1),
        "items",
        "not-calibrated",
    ),
    "a width of 0": (lambda: gl.adaptive(STEP, BANK, width=0, seed=1), "width", None),
    "a budget of 0": (lambda: gl.adaptive(STEP, BANK, budget=0, seed=1), "budget", None),
    "no exposure": (lambda: gl.adaptive(STEP, BANK, exposure=0, seed=1), "exposure", None),
    "too little exposure": (
        lambda: gl.adaptive(STEP, BANK, exposure=0.2, budget=50, seed=1),
        "exposure",
        "impossible",
    ),
    "balance without families": (
        lambda: gl.adaptive(STEP, ITEMS[["difficulty"]], balance=True, seed=1),
        "balance",
        "no-column",
    ),
    "balance in strata": (
        lambda: gl.adaptive(STEP, BANK, rule="stratified", balance=True, seed=1),
        "rule",
        None,
    ),
    "spread of two": (
        lambda: gl.adaptive((STEP, STEP), BANK, measure="spread", seed=1),
        "measure",
        None,
    ),
    "information of two": (
        lambda: gl.adaptive((STEP, STEP), CALIBRATED, rule="information", seed=1),
        "rule",
        None,
    ),
    "a response of 2": (lambda: gl.adaptive(lambda item: 2, BANK, seed=1), "response", None),
    "a response in words": (
        lambda: gl.adaptive(lambda item: "yes", BANK, seed=1),
        "response",
        None,
    ),
    "an answer to nothing": (
        lambda: gl.adaptive(None, BANK, seed=1).record(1),
        "response",
        "nothing-asked",
    ),
    "a session that is over": (
        lambda: gl.adaptive(STEP, BANK, budget=1, seed=1).next_item(),
        "session",
        None,
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_by_argument_and_code(case):
    call, argument, code = BAD[case]
    with pytest.raises(gl.BadInput) as caught:
        call()
    assert caught.value.argument == argument
    assert code is None or caught.value.code == code
