"""The theory notebooks' simulations: all tasks of a small world, species, portfolios, and the table of transforms."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.foundation.errors import BadInput
from gindex_lab.measures.programs.equations import equations, heaviest_mapping
from gindex_lab.studies.data.transformations import transformations
from gindex_lab.studies.simulations import all_tasks, animals
from gindex_lab.studies.simulations.collective import best_of, growing_portfolio
from gindex_lab.worlds.learning.examples import EXAMPLES, example, form_options, wired


def test_parity_is_the_hardest_boolean_function_of_three_inputs():
    hardest = all_tasks.difficulty()
    parity = sum(1 << row for row in range(8) if bin(row).count("1") % 2)
    assert set(hardest.index[hardest == 10]) == {parity, 255 - parity}


@pytest.mark.parametrize("way", all_tasks.WAYS)
def test_a_distribution_over_tasks_sums_to_one(way):
    chance = all_tasks.distribution(way)
    assert chance.sum() == pytest.approx(1, abs=1e-12)
    assert (chance > 0).all()


@pytest.mark.parametrize("learner", all_tasks.LEARNERS)
@pytest.mark.parametrize("seen", [1, 4, 7])
def test_no_learner_beats_another_when_all_tasks_are_alike(learner, seen):
    assert all_tasks.responses(learner, seen).mean() == pytest.approx(0.5, abs=1e-12)


def test_drawing_a_difficulty_first_makes_difficulties_even():
    mass = all_tasks.distribution("by difficulty, then solution").groupby(all_tasks.difficulty()).sum()
    assert np.ptp(mass.to_numpy()) < 1e-12


def test_a_factor_needs_individuals_who_differ():
    shares = {p: animals.factor_share(animals.capabilities(p, 500, seed=3)) for p in animals.PATTERNS}
    assert shares["individuals differ"] > 0.9
    assert max(shares["domains differ"], shares["each its own domains"]) < 0.35


def test_extra_easy_items_move_means_and_not_capability():
    table = animals.capabilities("domains differ", seed=1).clip(lower=1.5)
    plain, more = (animals.on_items(table, extra) for extra in (None, {"D1": 20}))
    assert more.frame.mean(axis=1).gt(plain.frame.mean(axis=1)).all()
    one, two = (gl.generality(study, interval=(0, 10))["capability"] for study in (plain, more))
    assert np.allclose(one, two)


def test_a_portfolio_has_the_best_member_on_each_item_and_never_loses_capability():
    frame = pd.DataFrame([[1, 0, 0.2], [0, 1, 0.1], [0.5, 0.5, 0.5]], ["a", "b", "c"], dtype=float)
    study = gl.Responses(frame, difficulty=[1, 2, 3])
    assert best_of(study, ["a", "b"]).tolist() == [1, 1, 0.2]
    growth = growing_portfolio(study, ["a", "b", "c"], 3)
    assert growth["capability"].is_monotonic_increasing
    assert growth["added"].iloc[-1] in ("a", "b", "c")
    with pytest.raises(BadInput):
        best_of(study, ["nobody"])


def test_every_transformation_names_a_function_of_the_package():
    table = transformations()
    assert list(table.index) == ["none", "ARef", "DRef", "Rnk", "SCALE", "Opp", "IRT"]
    for name in table["function"]:
        assert callable(getattr(gl, name))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_a_graph_without_cycles_whose_wires_end_somewhere(name):
    flow = gl.Flow(example(name))
    ids = set(flow.ids)
    assert flow.is_dag
    assert all(to in ids for node in flow.nodes for port in node["wires"] for to in port)


def test_a_line_without_a_type_is_refused():
    with refused("text: no-type"):
        wired("a > b")


def test_our_form_options_are_a_domain():
    one, two = form_options(2, seed=1)
    assert 0 < float(gl.divergence(one, two)) < 0.15


def test_the_equations_hold_in_exact_mode_and_fail_where_the_code_is_blind_to_wires():
    chain = [{"id": f"n{i}", "type": f"t{i}", "wires": [[f"n{i + 1}"]]} for i in range(4)]
    loose = [node | {"wires": []} for node in chain]
    assert equations(chain, loose)["holds"].all()
    failing = equations(chain, loose, "reference")
    assert list(failing.index[~failing["holds"]]) == ["3", "4", "13", "16"]
    assert heaviest_mapping(gl.Flow(chain), gl.Flow(loose)) == 2
    with refused("first, second: too-large"):
        heaviest_mapping(gl.Flow([{"id": str(i), "type": "t"} for i in range(9)]), gl.Flow(chain))
