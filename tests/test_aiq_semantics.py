"""What programs do: patterns against the published shares, exact decisions against the goldens and each other."""

import json
from random import Random

import numpy as np
import pandas as pd
import pytest
from loops import looped
from oracles import bf_processes as bf
from refusals import refused

from gindex_lab import aiq
from gindex_lab.foundation.errors import BadProgram
from gindex_lab.worlds.aiq.exact import QUICK, Caps, close, same_law
from gindex_lab.worlds.aiq.machine import run
from gindex_lab.worlds.aiq.patterns import by_pattern, hits, shares
from gindex_lab.worlds.aiq.pointless import POINTLESS, candidates, pointless_code
from gindex_lab.worlds.aiq.rewriting import passes_sdp, rewrite
from gindex_lab.worlds.aiq.sampler import sample
from gindex_lab.worlds.aiq.semantics import (
    classify,
    coupled,
    decide,
    delay_of,
    function_of,
    is_discriminative,
)
from gindex_lab.worlds.aiq.symbolic import SymbolSource, straight_line


def golden(goldens, name):
    return [json.loads(line) for line in (goldens / "aiq" / name).read_text().splitlines()]


@pytest.mark.slow
def test_exact_analysis_equals_the_prototype(goldens):
    for case in golden(goldens, "exact_orig_part.jsonl"):
        if not case["closed"]:
            continue
        process = close(case["p"])
        assert process.closed, case["p"]
        best, worst, mean = process.mean_rewards()
        assert best == pytest.approx(case["vmax"], abs=1e-9)
        assert worst == pytest.approx(case["vmin"], abs=1e-9)
        assert mean == pytest.approx(case["vavg"], abs=1e-9)
        assert process.independent(process.reward_symbols) == case["indep"], case["p"]
        assert len(process.dead) == case["dead"], case["p"]
        assert (process.finished == 0) == case["deadtail"], case["p"]
        delay, paid = function_of(process, process.reward_symbols) or (None, None)
        assert (paid if delay == 0 else None) == case["triv"], case["p"]


@pytest.mark.parametrize(
    ("program", "paid", "trivial"),
    [
        (",-.#", {"delay": 0, "symbols": [4, 0, 1, 2, 3]}, True),
        (".+,#", {"delay": 1, "symbols": [0, 1, 2, 3, 4]}, True),
        (
            "<+,[+.,].%<%#",
            {"delay": 0, "symbols": [1, 2, 2, 4, 0]},
            False,
        ),  # two actions paid alike
        (">[-]<,[[-]>+<]>.#", {"delay": 0, "symbols": [3, 3, 2, 3, 3]}, False),
        (".>[-]<,[[-]>+<]>#", {"delay": 1, "symbols": [3, 3, 2, 3, 3]}, False),
        ("%.,#", None, False),
        (",[-]+.#", None, False),
        (",[.]>+.<#", None, False),  # what is paid for one action depends on the cycles before
    ],
)
def test_trivial_is_one_to_one_and_the_function_is_told_either_way(program, paid, trivial):
    exact = classify(program)["exact"]
    assert (exact["reward_of_action"], exact["reward_action"]) == (paid, trivial)


def test_a_line_too_long_for_its_states_still_tells_what_it_pays():
    exact = classify(",,,,,,,+.,<#")["exact"]
    assert "states" not in exact
    assert exact["reward_of_action"] == {"delay": 6, "symbols": [1, 2, 3, 4, 0]}


def test_programs_that_need_many_outcomes_or_draws_close():
    """These met the caps once: transitions (328,125 and 273,546 of them), and the twelfth draw of a cycle."""
    wide = close(",[[[,%>-,-<%>-%.%<+..,.]<]-<,>]-,+.[>][>[<]]--#")
    assert (wide.closed, wide.states) == (True, 546)
    many = close("%[.,.]" * 14 + ",.#")
    assert many.closed
    assert many.weights[: many.pointers[1]].sum() == many.unit
    assert many.finished > 0


@pytest.mark.parametrize("symbols", [38, 39, 45])
def test_large_alphabets_keep_their_probabilities(symbols):
    """39 to the 12th power no longer fits into 63 bits: the weights of the outcomes overflowed."""
    assert close(",.#", symbols).mean_rewards() == pytest.approx((100, -100, 0), abs=1e-9)
    assert close("%.,#", symbols).mean_rewards() == pytest.approx((0, 0, 0), abs=1e-9)


PUBLISHED = {  # of 200,000 programs: original, SEP-ext, SDP (the authors' table of class counts)
    "chance": (152917, 140096, 129004),
    "reward_random": (33316, 33956, 8670),
    "observation_random": (9831, 10313, 6218),
    "reward_action": (67883, 69006, 81213),
    "observation_action": (16711, 16845, 17334),
    "reward_sometimes_action": (21118, 21436, 25040),
    "action_pointless": (17226, 16910, 8813),
    "never_ending": (3319, 2091, 2241),
    "write_limit": (18892, 18950, 17454),
    "write_limit_possible": (44105, 44120, 46767),
    "never_executed": (25910, 25427, 26686),
    "modified_chance": (72228, 3383, 3717),
    "overwritten": (147043, 45389, 39271),
    "zeroing_overwritten": (10559, 0, 0),
    "zeroed": (12304, 9873, 10115),
}
# Our pattern finds 0.95 points more in the SDP sample; the paper prints the original's share only.
UNMET = {(2, "action_pointless"): 1.2}


@pytest.mark.parametrize(
    ("column", "rewriting", "discriminative"),
    [(0, "original", "none"), (1, "sep-ext-v1.2", "none"), (2, "sep-ext-v1.2", "sdp")],
)
def test_shares_of_the_classes_match_the_paper(column, rewriting, discriminative):
    """Here with 4,000 programs: half a point, and three standard errors of the smaller sample."""
    n = 4000
    ours = shares(sample(n, rewriting, discriminative, seed=3)["program"])["hits"]
    for name, counts in PUBLISHED.items():
        theirs = counts[column] / 2000
        error = 100 * np.sqrt(theirs / 100 * (1 - theirs / 100) / n)
        within = UNMET.get((column, name), 0.5) + 3 * error
        assert ours[name] == pytest.approx(theirs, abs=within), name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "rewriting", "discriminative"),
    [(0, "original", "none"), (1, "sep-ext-v1.2", "none"), (2, "sep-ext-v1.2", "sdp")],
)
def test_shares_match_the_paper_within_half_a_point_at_its_sample_size(column, rewriting, discriminative):
    """200,000 programs of a seed on which nothing was chosen, rewritten as the paper's version 1.2 does.

    The patterns saw seeds 3, 101, 202 and 303, and at last 11 to 14.
    """
    ours = shares(sample(200_000, rewriting, discriminative, seed=404)["program"])["hits"]
    for name, counts in PUBLISHED.items():
        within = UNMET.get((column, name), 0.5)
        assert ours[name] == pytest.approx(counts[column] / 2000, abs=within), name


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("%.,#", "reward_random"),
        (".,%#", "reward_random"),
        ("%[.],+.#", "reward_almost_random"),
        (",+[%.].#", "actions_to_random"),
        (".,#", "reward_action"),
        (",+.#", "reward_action"),
        (",+.,.#", "observation_action"),
        ("+[,.>]%.<#", "reward_sometimes_action"),
        (",[>++<[+]]>.#", "action_process"),
        (",.[]#", "never_ending"),
        (",.>+[[+]-]#", "never_ending"),
        ("...,#", "write_limit"),
        (",[.]#", "write_limit_possible"),
        (",[.][+]#", "never_executed"),
        ("%+.,#", "modified_chance"),
        (",.,+>%#", "overwritten"),
        (".[+],#", "zeroing_overwritten"),
        (",+.,[,+]>>%#", "zeroed"),
    ],
)
def test_examples_of_the_paper_are_in_their_class(program, name):
    assert by_pattern(program)[name]
    assert not by_pattern(">,<.#")[name] or name in {"action_process"}


@pytest.mark.parametrize(
    ("program", "name", "member"),
    [
        (",.[,%]#", "overwritten", True),
        ("[,.,%]#", "overwritten", False),  # the next round reads once more
        ("[[,]..,%]#", "overwritten", True),  # a loop in between may be skipped
        (",%.,#", "overwritten", False),
        ("<,>.,%>+<#", "reward_random", False),
        (".,%>+<#", "reward_random", True),
        ("...,[.]#", "write_limit_possible", False),  # exceeded for sure
        (",[.>]#", "write_limit_possible", False),
    ],
)
def test_patterns_keep_to_the_conditions_of_the_definitions(program, name, member):
    assert by_pattern(program)[name] is member


@pytest.mark.slow
@pytest.mark.shared
@looped(("symbols", "observations"), [(20, 1), (5, 4)])
def test_shares_on_other_machines_match_the_published_counts(shared, symbols, observations):
    """A seed on which nothing was chosen; never-ending loops of two symbols are half a point off."""
    place = shared / "datasets/aiq_published/00-SemAnEP_original_test-results.csv"
    counts = pd.read_csv(place)[f"BF({symbols}-{observations})"].dropna()
    programs = sample(200_000, "original", seed=606, symbols=symbols, observations=observations)["program"]
    ours = shares(programs, symbols, observations)["hits"]
    rows = pd.read_csv(place, usecols=["Characteristics", "BF(5-1)"]).dropna()["BF(5-1)"]
    for name, (original, _, _) in PUBLISHED.items():
        (theirs,) = set(counts[rows == original])
        assert ours[name] == pytest.approx(theirs / 2000, abs=0.5), name


def test_shares_of_no_programs_are_refused():
    with refused("programs: empty"):
        shares([])


def test_program_can_match_two_patterns_of_a_class():
    assert hits("+%-.%#")["modified_chance"] == 2
    assert by_pattern("+%-.%#")["modified_chance"] is True


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (",.#", {"reward_action": True, "discriminative": True, "best": 100.0, "worst": -100.0}),
        ("%.,#", {"reward_random": True, "action_pointless": True, "discriminative": False}),
        (".,%#", {"reward_random": True, "discriminative": False}),  # SDP keeps it
        (".,.%#", {"reward_action": True, "discriminative": True}),  # SDP drops it
        ("+.,#", {"reward_random": False, "reward_action": True}),
        (",>.<#", {"reward_action": False, "discriminative": False, "action_pointless": True}),
        (",..+#", {"write_limit": True, "never_executed": True, "dead": [3]}),
        (",[.]#", {"write_limit_possible": True, "never_executed": False}),
        (",.%.#", {"observation_random": True, "reward_action": True}),
        (",.,.#", {"observation_action": True, "reward_action": True}),
        ("[,.>]+#", {"reward_sometimes_action": True, "reward_action": False}),
    ],
)
def test_exact_classes_of_small_programs(program, expected):
    answer = classify(program)
    assert answer["decided"]
    got = {name: answer["exact"][name] for name in expected}
    assert got == expected


def test_sdp_takes_a_loop_that_begins_by_writing_chance_for_chance():
    assert not passes_sdp("%[.,.]#")  # the reward is chance, or that of the cycle before
    assert passes_sdp("%[.,.],.#")  # a later write may be the reward
    assert not is_discriminative("%[.,.]#")
    assert is_discriminative("%[.,.],.#")


def test_sdp_rule_is_the_wrong_way_round():
    assert (passes_sdp(".,%#"), is_discriminative(".,%#")) == (True, False)
    assert (passes_sdp(".,.%#"), is_discriminative(".,.%#")) == (False, True)


def test_symbolic_and_explicit_analysis_agree():
    programs = [p for p in sample(400, "original", seed=8)["program"] if "[" not in p]
    assert len(programs) > 120
    compared = 0
    for program in programs:
        line, process = straight_line(program), close(program, caps=QUICK)
        if not process.closed:
            continue
        compared += 1
        reward = process.reward_symbols
        assert line.discriminative == process.discriminative, program
        assert (line.reward.kind == "chance") == (process.independent(reward) and process.random(reward)), (
            program
        )
        expected = line.reward.delay if line.reward.kind == "action" else None
        assert delay_of(process, reward) == expected, program
        assert process.covered[: line.executed].all(), program
        assert not process.covered[line.executed : -1].any(), program
    assert compared > 0.9 * len(programs)


def test_best_and_worst_bound_what_agents_earn():
    """Constant actions are policies: on 300 cycles none may beat the best or fall below the worst."""
    for program in sample(60, "original", seed=2)["program"]:
        process = close(program, caps=QUICK)
        if not process.closed or process.random(process.reward_symbols):
            continue
        best, worst, _ = process.mean_rewards()
        means = [run(program, [action] * 300)[0].mean() for action in range(5)]
        assert worst - 1e-9 <= min(means) <= max(means) <= best + 1e-9, program


def test_most_sampled_programs_are_decided():
    programs = sample(100, "original", seed=6)["program"]
    decided = sum(is_discriminative(program, caps=QUICK) is not None for program in programs)
    assert decided >= 0.75 * len(programs)


def test_sdp_exact_drops_exactly_the_programs_that_tell_nothing():
    plain, kept = sample(50, seed=5), sample(35, discriminative="exact", seed=5)
    verdicts = {program: is_discriminative(program, caps=QUICK) for program in plain["program"]}
    assert False in verdicts.values()
    expected = [program for program in plain["program"] if verdicts[program] is not False]
    assert list(kept["program"][: len(expected)]) == expected[: len(kept)]


@pytest.mark.parametrize(
    ("program", "places"),
    [
        ("+,.#", [0]),
        (",%-.#", [0, 2]),
        (",.<>#", [2, 3]),  # either alone moves the head, but no later cycle can tell
        (",.[[-]]#", [2, 3, 5, 6]),  # one pair of brackets or the other; without - it never ends
        (",..--#", [3, 4]),
        (",.#", []),
    ],
)
def test_pointless_code_is_found_by_deleting_it(program, places):
    assert pointless_code(program) == places


def test_rewriting_keeps_the_law():
    """SEP-ext for five symbols: the same rewards and observations, in law, for every agent."""
    compared = 0
    for program in sample(50, "original", seed=9)["program"]:
        if "[]" in program or any("+" * 5 in part or "-" * 5 in part for part in program.split("[")):
            continue
        before, after = close(program, caps=QUICK), close(rewrite(program), caps=QUICK)
        if before.closed and after.closed:
            compared += 1
            assert same_law(before, after), program
    assert compared >= 25


def test_undecided_programs_say_so_with_a_bound():
    answer = classify("%[>%],.<#", caps=Caps(states=20))
    assert not answer["decided"]
    assert answer["reason"]
    assert 0 < answer["bound"] <= 1
    assert "Undecided" in aiq.explain("%[>%],.<#", caps=Caps(states=20))


def test_coupled_runs_share_their_chance():
    assert coupled("%.,#", runs=30) == (0, pytest.approx(1 - 0.05 ** (1 / 30)))
    assert coupled(",.#", runs=30) == (30, 1.0)


def test_sources_of_straight_line_programs():
    assert straight_line(">.,<#").reward == SymbolSource("action", 1, 0)
    assert straight_line("<.%<#").reward.kind == "fixed"
    assert straight_line(".,+>#").reward.kind == "fixed"  # the head has moved on
    assert straight_line(".>,++#").reward == SymbolSource("action", 1, 2)  # and took the read cell with it
    assert straight_line(",[.]#") is None
    assert straight_line("," * 25 + ".#").reward.kind == "fixed"


def test_an_explanation_names_the_observation_that_is_an_action():
    """The first observation is chance; the delay is that of the second."""
    assert "The observation is the action of the previous cycle" in aiq.explain(",.%.,.#", observations=2)


def test_explanations_are_sentences():
    text = aiq.explain(",+.,.#")
    assert "The reward is the action, one to one." in text
    assert "The observation is the action of the previous cycle" in text
    assert "between -100.0 and 100.0" in text


@pytest.mark.parametrize("call", [classify, aiq.explain, is_discriminative, pointless_code, close])
@pytest.mark.parametrize(
    ("program", "message"),
    [
        (",.", "program: no-end"),
        (",[.#", "program: never-closed"),
        ("a#", "program: foreign-character"),
        (None, "program: not-text"),
    ],
)
def test_bad_programs_are_refused_everywhere(call, program, message):
    with refused(message, BadProgram):
        call(program)


@pytest.mark.parametrize(
    ("symbols", "observations", "what"),
    [
        (1, 1, "symbols: out-of-range"),
        (5, -1, "observations: out-of-range"),
        (2.5, 1, "symbols: not-a-whole-number"),
    ],
)
def test_bad_machines_are_refused(symbols, observations, what):
    with refused(what):
        close(",.#", symbols, observations)


@pytest.mark.parametrize("symbols", [2, 3, 10])
def test_other_alphabets_are_analysed_too(symbols):
    process = close(",.#", symbols=symbols)
    assert process.mean_rewards() == pytest.approx((100.0, -100.0, 0.0))
    assert delay_of(process, process.reward_symbols) == 0


def test_survey_counts_undecided_programs_as_no():
    table = aiq.survey([",.#", "%.,#", "%[>%],.<#"], caps=Caps(states=20))
    share = aiq.survey_shares(table)
    assert table["decided"].tolist() == [True, True, False]
    assert share["decided"] == pytest.approx(200 / 3)
    assert share["discriminative"] == pytest.approx(100 / 3)
    with refused("programs: empty"):
        aiq.survey([])


def test_exact_optimiser_keeps_the_law_and_leaves_nothing_to_delete():
    shorter = 0
    for program in sample(25, seed=12)["program"]:
        before = close(program, caps=QUICK)
        if not before.closed or len(program) > 14:
            continue
        best = aiq.optimise(program)
        shorter += len(best) < len(program)
        assert same_law(before, close(best)), program
        assert pointless_code(best) == [], program
    assert shorter >= 3  # SEP-ext has already deleted what it can


def test_program_that_does_not_close_is_not_optimised():
    assert aiq.optimise("%[>%],.<#", caps=Caps(states=20)) == "%[>%],.<#"


# -- pointless code by class, and what can be earned ---------------------------------------------------


@pytest.mark.parametrize(
    ("program", "name", "member"),
    [
        ("%+.,#", "modified_chance", True),
        (
            "+.,%#",
            "modified_chance",
            False,
        ),  # chance of the last cycle, but the first cycle feels it
        ("+[-].,%#", "modified_chance", True),  # here it does not
        (",.%.+%,#", "modified_chance", False),  # no run behind a chance
        ("+,.#", "overwritten", True),
        ("%,.#", "overwritten", True),
        (",%.#", "overwritten", True),
        (".,.-%#", "overwritten", True),  # never reached: not felt either
        (",[>-,.]#", "overwritten", True),
        (",.#", "overwritten", False),
        ("[+],.#", "zeroing_overwritten", True),
        (",[.]+.#", "zeroing_overwritten", False),
        ("%[-]+.,.#", "zeroed", True),
        (",+.,[+]>%#", "zeroed", True),
        (",[.-].#", "zeroed", False),
    ],
)
def test_pointless_classes_are_decided_by_deletion(program, name, member):
    answer = classify(program)
    assert answer["decided"]
    assert answer["exact"][name] is member


def test_exact_pointless_classes_are_parts_of_what_the_text_suggests():
    """A class asks about code that its pattern names, so that it can only be smaller."""
    table = aiq.survey(sample(60, "original", seed=14)["program"])
    decided = table[table["decided"]]
    for name in POINTLESS:
        guessed = [any(True for _ in candidates(p, name)) for p in decided["program"]]
        sure = decided[name].astype("boolean").fillna(False).to_numpy(dtype=bool)
        assert (np.array(guessed) >= sure).all()
    assert 0 < aiq.survey_shares(table)["overwritten"] < 100


def test_pointless_classes_agree_with_single_deletions():
    """A run of one instruction that is pointless by class is among the pointless places."""
    for program in ["%+.,#", "+,.#", "%,.#"]:
        places = pointless_code(program)
        spans = [s for name in POINTLESS for s in candidates(program, name)]
        assert any(end - start == 1 and start in places for start, end in spans)


def test_ceilings_bound_what_agents_score():
    programs = sample(40, seed=21)
    result = aiq.estimate("q-learning", programs, episode=300, runs=60, method="plain")
    table = aiq.normalised_aiq(result).programs
    sure = table[~table["program"].str.contains("%", regex=False)]
    assert len(sure) > 3
    assert (sure["value"] <= sure["ceiling"] + 1e-9).all()


def test_a_perfect_agent_has_a_normalised_aiq_of_one():
    class Greedy:
        """Tries both ends once, then stays with the better."""

        def __init__(self):
            self.t, self.best = 0, 4

        def perceive(self, observation, reward):
            self.best = 0 if self.t == 1 and reward < 0 else self.best
            self.t += 1
            return self.best

    mixed = pd.DataFrame({"program": [",.#", "%.,#", ",>%[-]<.#"] * 20, "stratum": [1, 11, 1] * 20})
    result = aiq.estimate(Greedy, mixed, episode=1000, runs=60, method="plain")
    found = aiq.normalised_aiq(result)
    assert found.value == pytest.approx(1, abs=0.02)
    assert found.low <= found.value <= found.high
    assert result.value < 75
    assert found.undecided == 0
    assert found.programs["fraction"].isna().sum() == 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: aiq.ceiling(",."), "program: no-end"),
        (lambda: aiq.ceiling(",.#", episode=0), "episode: out-of-range"),
        (lambda: aiq.ceiling(",.#", symbols=1), "symbols: out-of-range"),
        (
            lambda: aiq.normalised_aiq(nothing_to_earn(), most=1),
            "most: out-of-range",
        ),
        (
            lambda: aiq.normalised_aiq(nothing_to_earn()),
            "result: no-reward",
        ),
        (lambda: aiq.normalised_aiq("freq"), "result: not-an-estimate"),
        (
            lambda: aiq.normalised_aiq(one_decided()),
            "result: too-few",
        ),
        (
            lambda: aiq.normalised_aiq(one_decided(), symbols=3),
            "symbols: other-episode",
        ),
        (
            lambda: aiq.normalised_aiq(one_decided(), observations=2),
            "observations: other-episode",
        ),
        (
            lambda: aiq.normalised_aiq(one_decided(discount=0.9)),
            "result: no-ceilings",
        ),
        (
            lambda: aiq.normalised_aiq(one_decided(reverse=True)),
            "result: no-ceilings",
        ),
    ],
)
def test_bad_normalisations_say_what_is_wrong(call, message):
    with refused(message):
        call()


def one_decided(**options):
    """Of the two strata, one holds a program whose states are more than the cap."""
    programs = ["+[,.>]%.<#"] * 6 + [",.#"]
    table = pd.DataFrame({"program": programs, "stratum": [11] * 6 + [1]})
    return aiq.estimate("freq", table, episode=50, runs=14, **options)


def test_a_test_is_normalised_on_its_own_machine():
    table = pd.DataFrame({"program": [",.#", ".,#"] * 10, "stratum": [1, 2] * 10})
    table.attrs = {"symbols": 3, "observations": 1}
    result = aiq.estimate("freq", table, episode=50, runs=20)
    told = aiq.normalised_aiq(result, symbols=3, observations=1)
    assert aiq.normalised_aiq(result).value == told.value


def test_a_part_of_the_programs_is_weighed_as_all_of_them():
    """The stages of a test begin with rare strata; a mean over its beginning must not."""
    table = pd.DataFrame({"program": [",.#"] * 190 + [".,#"] * 10, "stratum": [1] * 190 + [2] * 10})
    result = aiq.estimate("freq", table, episode=20, runs=120, seed=1)
    part = aiq.normalised_aiq(result, most=8).programs
    of = part["weight"].groupby(part["program"]).sum()
    assert of[",.#"] == pytest.approx(0.95)
    assert of[".,#"] == pytest.approx(0.05)


def test_a_process_that_did_not_close_answers_nothing():
    """Its arrays are empty, which must not be taken for an environment without states."""
    undecided, known = close("+[,.>]%.<#"), close(",.#")
    for ask in (
        lambda: same_law(undecided, known),
        lambda: same_law(known, undecided),
        lambda: undecided.discriminative,
        lambda: undecided.independent(undecided.reward_symbols),
        lambda: undecided.dead,
    ):
        with refused("program: not-decided"):
            ask()


def test_laws_of_different_machines_are_not_compared():
    with refused("second: other-machine"):
        same_law(close(",.#"), close(",.#", 7))


def nothing_to_earn():
    table = pd.DataFrame({"program": ["%.,#"] * 20, "stratum": [11] * 20})
    return aiq.estimate("random", table, episode=10, runs=20)


@pytest.mark.slow
@pytest.mark.parametrize(("symbols", "observations", "seed"), [(3, 1, 1), (2, 2, 2)])
def test_verdicts_equal_those_of_the_plain_search(symbols, observations, seed):
    random, compared = Random(seed), 0
    while compared < 15:
        program = bf.random_program(random, 16)
        try:
            memories, rows, seen = bf.explored(program, symbols, observations, most=60)
        except bf.TooLarge:
            continue
        except bf.Overtime:
            assert not close(program, symbols, observations).closed, program
            continue
        compared += 1
        exact, reason = decide(program, symbols, observations)
        assert not reason, program
        best, worst = bf.mean_rewards(rows, symbols)
        assert (exact["best"], exact["worst"]) == pytest.approx((best, worst), abs=1e-6), program
        assert exact["dead"] == sorted(set(range(len(program) - 1)) - seen), program
        assert exact["action_pointless"] == bf.independent(rows, lambda output: output), program
        process = close(program, symbols, observations)
        by_reward = bf.independent(rows, lambda output: output[0])
        assert process.independent(process.reward_symbols) == by_reward, program
        told = exact["reward_of_action"] if exact["reward_action"] else None
        if told is None or told["delay"] <= bf.KEPT:
            assert told == bf.trivial(memories, rows, symbols), program
