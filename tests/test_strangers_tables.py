"""Tables and folders of a second stranger: what is an item, who is an agent, and what a cell says."""

import json

import pytest

import gindex_lab as gl
from gindex_lab.studies.readers.facts import is_fact

AGENTS = ("ada", "bea", "cyd")


def csv(path, header, rows, separator=","):
    lines = [header, *rows]
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in lines))
    return path


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def right(agent, k):
    return int((k * 7 + 3) % 10 < 8 - 2 * AGENTS.index(agent))


def shares(n=20):
    return {a: sum(right(a, k) for k in range(n)) / n for a in AGENTS}


def scores_of(found):
    return found.frame.mean(axis=1).round(9).to_dict()


# -- what is an item -------------------------------------------------------------------------------------

FACTS = {
    "an unnamed index": ("Unnamed: 0", "level_0", "index"),
    "settings of a training run": ("lr", "learning_rate", "batch_size", "seed", "_step", "Runtime"),
    "what trackers prefix": ("params.depth", "tags.team", "config.layers", "experiment_id"),
    "ids and counts in one word": ("TeamId", "SubmissionCount"),
    "persons": ("age_years", "z_score", "zscore", "percentile"),
    "models": ("ctx_len", "context_length", "max_tokens", "release_year"),
    "averages": ("Overall Acc", "Mean score", "total_score", "Average accuracy"),
    "the spread of something": ("Latency Standard Deviation (s)", "score variance"),
}


@pytest.mark.parametrize("name", [name for some in FACTS.values() for name in some])
def test_a_column_about_an_agent_is_a_fact(name):
    assert is_fact(name)


@pytest.mark.parametrize(
    "name",
    [*("MATH", "GSM8K", "HellaSwag", "digit span", "batch effects quiz", "Total recall", "seed sorting"),
     *("mean girls trivia", "step test", "reversal1_errors", "TruthfulQA", "Tau2-telecom", "percentile rank test")],
)  # fmt: skip
def test_a_task_whose_name_has_such_a_word_stays_an_item(name):
    assert not is_fact(name)


def test_errors_of_scores_are_facts_where_the_score_stands_beside_them(tmp_path):
    header = ["species", "space_mean", "space_sd", "arc", "arc_se", "arc_n", "oslo_se", "dash_low"]
    rows = [("a", 0.7, 0.1, 0.6, 0.02, 50, 0.4, 0.3), ("b", 0.5, 0.2, 0.4, 0.02, 50, 0.2, 0.1)]
    found = gl.read(csv(tmp_path / "t.csv", header, rows))
    assert list(found.frame) == ["space_mean", "arc", "oslo_se", "dash_low"]


@pytest.mark.parametrize("time", ["rt{}", "item{}_rt", "time_{}", "item{}.latency"])
def test_response_times_beside_the_items_are_facts(tmp_path, time):
    names = [name for k in (1, 2, 3) for name in (f"item{k}", time.format(k))]
    rows = [(f"p{n}", *(n % 2, 2.5 + n, 1, 1.25, 0, 9.5)) for n in range(4)]
    found = gl.read(csv(tmp_path / "t.csv", ["id", *names], rows))
    assert list(found.frame) == ["item1", "item2", "item3"]


def test_times_alone_are_items(tmp_path):
    rows = [(f"p{n}", 2.5 + n, 1.25) for n in range(4)]
    found = gl.read_scores(csv(tmp_path / "t.csv", ["id", "rt1", "rt2"], rows))
    assert list(found.frame) == ["rt1", "rt2"]


# -- who is an agent -------------------------------------------------------------------------------------


def test_teams_go_by_their_name_and_not_by_their_rank(tmp_path):
    header = ["Rank", "TeamId", "TeamName", "LastSubmissionDate", "Score", "SubmissionCount"]
    rows = [(k + 1, 100 + k, f"team {k}", "2026-10-01", 0.9 - k / 10, 7 + k) for k in range(4)]
    found = gl.read(csv(tmp_path / "t.csv", header, rows))
    assert list(found.frame.index) == [f"team {k}" for k in range(4)]
    assert list(found.frame) == ["Score"]


def test_runs_of_a_tracker_go_by_their_name(tmp_path):
    header = ["run_id", "status", "metrics.f1", "params.depth", "tags.mlflow.runName"]
    rows = [(f"{k}ab{k}", "FINISHED", 0.5 + k / 10, k, f"run {k}") for k in range(3)]
    found = gl.read(csv(tmp_path / "runs.csv", header, rows))
    assert list(found.frame.index) == ["run 0", "run 1", "run 2"]
    assert list(found.frame) == ["metrics.f1"]


@pytest.mark.parametrize("names", [("s0", "s1", "s2"), (1, 2, 3), ("P-01", "P-02", "P-03")])
def test_subjects_with_codes_are_persons(tmp_path, names):
    header = ["subject", "reversal1_errors", "reversal2_errors"]
    rows = [(name, 30 - 9 * k, 20 - 5 * k) for k, name in enumerate(names)]
    found = gl.read_scores(csv(tmp_path / "t.csv", header, rows))
    assert list(found.frame.index) == list(map(str, names))
    assert found.frame.sum(axis=1).is_monotonic_increasing  # fewer errors are better


def test_subjects_that_may_be_persons_or_topics_are_asked_for(tmp_path):
    rows = [("Bobo", 0.5, 0.7), ("Kim", 0.4, 0.6)]
    file = csv(tmp_path / "t.csv", ["subject", "detour", "cylinder"], rows)
    with pytest.raises(gl.BadInput) as caught:
        gl.read(file)
    assert caught.value.code == "ambiguous"
    assert list(gl.read(file, transpose=False).frame.index) == ["Bobo", "Kim"]
    assert list(gl.read(file, transpose=True).frame.index) == ["detour", "cylinder"]


def test_subjects_beside_models_are_topics(tmp_path):
    rows = [("anatomy", 0.5, 0.7), ("law", 0.4, 0.6)]
    found = gl.read(csv(tmp_path / "t.csv", ["subject", "gpt-5", "llama-4"], rows))
    assert list(found.frame.index) == ["gpt-5", "llama-4"]


def test_an_object_of_questions_has_items_outside(tmp_path):
    file = tmp_path / "r.json"
    file.write_text(json.dumps({f"q{k}": {a: right(a, k) for a in AGENTS} for k in range(20)}))
    assert scores_of(gl.read(file)) == shares()
