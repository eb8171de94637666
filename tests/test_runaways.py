"""Inputs that used to run out of time or memory, or to give a wrong number without a word."""

import time

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.measures.programs.records import Experiment
from gindex_lab.studies.data import registry
from gindex_lab.studies.readers.storage import as_number


def refused(call, seconds=5.0):
    start = time.process_time()
    with pytest.raises(gl.GIndexLabError) as caught:
        call()
    assert time.process_time() - start < seconds
    return caught.value


def test_deeply_nested_programs_are_checked_in_linear_time():
    start = time.process_time()
    deep = "[" * 100_000 + "]" * 100_000 + "#"
    assert gl.aiq.check(deep) == deep
    many = "[.]" * 20_000 + "#" * 20_000 + ","
    assert gl.aiq.check(many) == many
    assert time.process_time() - start < 5
    assert refused(lambda: gl.aiq.check("[#]" * 20_000)).argument == "program"
    assert refused(lambda: gl.aiq.check("]" * 100 + "[" * 100 + "#")).argument == "program"
    assert refused(lambda: gl.aiq.check("," * 2_000_000 + "#")).code == "too-large"


def test_a_trace_of_a_growing_tape_stops_with_the_reason():
    program = "".join("+>" for _ in range(400)) + "#"
    assert refused(lambda: gl.aiq.trace(program, [1] * 2000), 30).code == "too-large"


def test_an_episode_of_a_thousand_million_observations_is_refused():
    assert refused(lambda: gl.aiq.run(",.#", [0, 1], observations=10**9)).argument == "observations"
    assert refused(lambda: gl.aiq.run(",.#", [0] * 1000, observations=10**6)).code == "too-many-cells"


def flow_of(n):
    return gl.Flow([{"id": f"n{k}", "type": "t", "wires": [[]]} for k in range(n)])


def test_the_association_graph_of_large_flows_is_refused():
    assert refused(lambda: gl.association_graph(flow_of(300), flow_of(300)), 20).code == "too-large"


def test_a_flow_that_is_too_large_to_draw_is_refused():
    assert refused(lambda: flow_of(5000).plot(), 20).code == "too-large"


@pytest.mark.parametrize("wrong", [np.nan, 7.0, -3.0, np.inf, "far"])
def test_distances_between_domains_must_be_distances(wrong):
    tasks = pd.DataFrame({"domain": ["b"], "performance": [0.9]})
    experiment = Experiment({"a": 8}, 4, tasks)
    good = pd.DataFrame({"a": [0.5]}, index=["b"])
    assert np.isfinite(gl.g_index(experiment, distances=good).value)
    error = refused(lambda: gl.g_index(experiment, distances=pd.DataFrame({"a": [wrong]}, index=["b"])))
    assert error.code in ("out-of-range", "not-a-number")


@pytest.mark.parametrize("unit", [1e200, 1e-200, 1e307, 1.0])
def test_standard_scores_do_not_depend_on_the_unit(unit):
    plain = np.array([[1.0, 3.0], [2.0, 1.0], [4.0, 2.0]])
    wanted = gl.standardise(gl.Scores(plain)).positions.to_numpy()
    found = gl.standardise(gl.Scores(plain * unit)).positions.to_numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert np.abs(found).max() > 0.5


def test_a_changed_cache_is_noticed(tmp_path):
    (tmp_path / "responses.csv").write_text("agent,i\na,1\n")
    registry.write_checksums(tmp_path)
    assert registry.damage(tmp_path) == ""
    (tmp_path / "responses.csv").write_text("agent,i\na,0\n")
    assert "changed" in registry.damage(tmp_path)
    (tmp_path / "responses.csv").unlink()
    assert "gone" in registry.damage(tmp_path)
    (tmp_path / registry.LIST).unlink()
    assert "list of checksums" in registry.damage(tmp_path)


LONG = 100_000
BACKTRACKING = {
    "escapes.json": '["' + '\\"' * LONG + "\n",
    "deep.json": "[" * 900 + "1" + ",1" * 5 * LONG,
    "name.csv": f"agent,{'(' * LONG},j\na,1,1\nb,0,1\n",
    "cell.csv": f'agent,i,j\na,1,{"1" * LONG}x\nb,0,"0.5"\n',
    "tool.csv": f'q,[openai:gpt-4] p\none,"[PASS] ({"1" * LONG}"\ntwo,"[FAIL] (0.2) no"\n',
}


@pytest.mark.parametrize("name", BACKTRACKING)
def test_a_text_is_read_in_time_linear_in_its_length(name, tmp_path):
    """An expression that tries every split of a long text takes hours for a file of two megabytes."""
    (tmp_path / name).write_text(BACKTRACKING[name])
    start = time.process_time()
    try:
        assert gl.read(tmp_path / name).frame.size in (2, 4)
    except gl.BadInput:
        assert name.endswith("json") or name == "cell.csv"
    assert time.process_time() - start < 2


def test_a_long_number_in_a_drawing_is_refused_in_linear_time():
    assert refused(lambda: gl.flatland.parse(f"({'1' * LONG}x)", "lisp"), 2).code


def test_a_score_that_is_a_long_word_is_refused_in_linear_time():
    start = time.process_time()
    assert as_number("1" * LONG + "x") is None
    assert time.process_time() - start < 2
