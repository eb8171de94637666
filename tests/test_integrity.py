"""`gl.audit`: every planted defect is found, with count, example and remedy, and clean logs raise no alarm."""

import json

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.studies.analysis.integrity import CHECKS
from gindex_lab.studies.readers.examples import EXAMPLES, simulated_runs, write_example


def clean(seed=1, agents=6, items=24):
    """A long table in which every item is solved by some agents and failed by others."""
    rng = np.random.default_rng(seed)
    values = (rng.random((agents, items)) < np.linspace(0.3, 0.8, agents)[:, None]).astype(float)
    values[0], values[1] = np.arange(items) % 2, 1 - np.arange(items) % 2
    rows = [
        {"agent": f"m{a}", "item": f"q{i}", "response": values[a, i], "text": f"text {i}"}
        | {"error": "", "temperature": 0.0, "choices": 4}
        for a in range(agents)
        for i in range(items)
    ]
    return pd.DataFrame(rows)


def planted(name):
    """A clean table with one defect, and how many times it was planted."""
    table = clean()
    if name == "duplicated rows":
        return pd.concat([table, table.iloc[:3]]), 3
    if name == "contradictory rows":
        return pd.concat([table, table.iloc[:2].assign(response=1 - table["response"][:2])]), 2
    if name == "ids restart per subject":
        other = clean(2).assign(text=lambda t: "other " + t["text"])
        return pd.concat([table.assign(subject="law"), other.assign(subject="art")]), 24
    if name == "same id, different text":
        return table.assign(text=table["text"].mask(table.index == 30, "new")), 1
    if name == "unscored samples":
        return table.assign(response=table["response"].mask(table.index < 4)), 4
    if name == "errored samples":
        error = table["error"].mask(table.index < 5, "TimeoutError")
        return table.assign(error=error, response=table["response"].mask(table.index < 5)), 5
    if name == "below-chance items":
        many = clean(agents=40)
        wrong = many["item"] == "q3"
        return many.assign(response=many["response"].mask(wrong, 0.0)), 1
    if name in ("items everyone solves", "items no one solves"):
        value = float(name == "items everyone solves")
        return table.assign(response=table["response"].mask(table["item"] == "q5", value)), 1
    if name == "repeated runs flip":
        second = table.assign(
            trial=2, response=table["response"].mask(table.index < 7, 1 - table["response"])
        )
        return pd.concat([table.assign(trial=1), second]), 7
    assert name == "mixed configurations"
    return table.assign(temperature=table["temperature"].mask(table["agent"] == "m2", 1.0)), 1


@pytest.mark.parametrize("name", CHECKS)
def test_a_planted_defect_is_found_and_counted(name):
    table, count = planted(name)
    found = gl.audit(table)
    assert found.loc[name, "count"] == count
    assert found.loc[name, "example"]
    assert found.loc[name, "remedy"]
    also = {"below-chance items": ["items no one solves"]}.get(name, [])
    assert set(found.index) - set(also) == {name}


def test_all_defects_at_once_are_all_found():
    parts = [planted(name)[0].assign(family=name) for name in CHECKS if "restart" not in name]
    found = gl.audit(pd.concat(parts))
    assert set(found.index) >= set(CHECKS) - {"ids restart per subject"}


@pytest.mark.parametrize("seed", range(10))
def test_ten_clean_tables_raise_no_alarm(seed):
    assert gl.audit(clean(seed, agents=4 + seed, items=20 + 7 * seed)).empty


@pytest.mark.parametrize("form", sorted(set(EXAMPLES) - {"opencompass summary"}))  # in percent
def test_clean_logs_of_every_format_have_no_defect(form, tmp_path):
    runs = simulated_runs(agents=8, items=10)
    found = gl.audit(write_example(tmp_path, form, runs))
    assert not (found["kind"] == "defect").any()


def test_inspect_logs_tell_errors_texts_and_settings(tmp_path):
    for k, model in enumerate("ab"):
        samples = [
            {"id": i, "epoch": 1, "input": f"text {i} {model if i == 3 else ''}"}
            | ({"error": {"message": "boom"}} if i == 4 else {"scores": {"m": {"value": (i + k) % 2}}})
            for i in range(6)
        ]
        spec = {"model": model, "task": "t", "model_generate_config": {"temperature": k + 0.5}}
        log = {"status": "success", "eval": spec, "samples": samples}
        (tmp_path / f"{model}.json").write_text(json.dumps(log))
    found = gl.audit(tmp_path)
    counts = found["count"].to_dict()
    assert counts == {"same id, different text": 1, "errored samples": 2, "mixed configurations": 1}


def test_what_the_data_cannot_show_is_said():
    found = gl.audit(gl.Responses([[1, 0, 1], [0, 1, 1]]))
    assert found.index.tolist() == ["items everyone solves"]
    assert "pass the log itself" in found.attrs["not_checked"]["contradictory rows"]
    assert "floor" in found.attrs["not_checked"]["below-chance items"]


def test_responses_with_trials_tell_how_often_they_flip():
    found = gl.audit(simulated_runs(agents=4, items=5, trials=3))
    assert found.loc["repeated runs flip", "of"] == 4 * 20


@pytest.mark.parametrize(
    ("data", "argument"),
    [
        (gl.Scores([[5, 9]]), "data"),
        ([[1, 0]], "data"),
        (pd.DataFrame({"agent": ["a"], "item": ["b"]}), "data"),
        (pd.DataFrame({"agent": [], "item": [], "response": []}), "data"),
        (pd.DataFrame({"agent": ["a"], "item": ["b"], "response": [7]}), "data"),
        ("/no/such/file.csv", "path"),
    ],
)
def test_what_cannot_be_audited_is_refused(data, argument):
    with pytest.raises(gl.BadInput) as error:
        gl.audit(data)
    assert error.value.argument == argument


@pytest.mark.parametrize("floor", [1.5, -0.1, "much", {"nowhere": 0.2}, {"item 1": 2}])
def test_a_floor_that_is_no_chance_is_refused(floor):
    with pytest.raises(gl.BadInput) as error:
        gl.audit(gl.Responses([[1, 0], [0, 1]]), floor=floor)
    assert error.value.argument.startswith("floor")
