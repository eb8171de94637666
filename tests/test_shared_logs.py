"""Real logs of other tools, read without an option: the numbers that the files themselves state.

What they state is computed here with json, csv and pandas alone.
"""

import csv
import json
import math

import pandas as pd
import pytest
import yaml
from loops import looped
from refusals import refused

import gindex_lab as gl

pytestmark = pytest.mark.shared


@pytest.fixture
def logs(shared):
    return shared / "logs"


def means(found):
    return found.frame.T.groupby(found.family).mean().T


def inspect_gives_the_accuracies_in_its_results(logs):
    table = means(gl.read(logs / "inspect"))
    assert table.loc["openai/gpt-4o-mini"].to_dict() == {"popularity": 0.8, "security_guide": 1.0}
    folder = logs / "every_eval_ever" / "inspect"
    table = means(gl.read(folder))
    for file in folder.glob("data_*.json"):
        log = json.loads(file.read_text())
        accuracy = log["results"]["scores"][0]["metrics"]["accuracy"]["value"]
        if log.get("samples"):
            found = table.loc[log["eval"]["model"], log["eval"]["task"]]
            assert found == pytest.approx(_mean_of_samples(log))
            if len(log["samples"]) == log["results"]["completed_samples"]:
                assert found == pytest.approx(accuracy)


def _mean_of_samples(log):
    values = [next(iter(one["scores"].values()))["value"] for one in log["samples"]]
    return sum({"C": 1.0, "I": 0.0}[value] for value in values) / len(values)


def an_inspect_log_without_samples_is_its_results(logs):
    file = logs / "every_eval_ever" / "inspect" / "data_with_llm_scoring.json"
    log = json.loads(file.read_text())
    score = log["results"]["scores"][0]
    first = next(name for name in score["metrics"] if name != "stderr")
    assert gl.read_scores(file).frame.to_numpy().item() == pytest.approx(score["metrics"][first]["value"])


def scores_in_words_are_refused_with_every_reason(logs):
    """Two runs failed before anything was scored, and the third sorts answers into left, right and both."""
    with refused("path: unscored") as caught:
        gl.read(logs / "inspect_zstd")
    assert all(word in str(caught.value) for word in ("404", "llm_judge", "both", "upgrade openai"))


def helm_gives_the_main_metric_of_its_stats(logs):
    mains = {"commonsense": ("exact_match", "valid"), "mmlu": ("exact_match", "test"),
             "narrative_qa": ("f1_score", "test")}  # fmt: skip
    table = means(gl.read(logs / "every_eval_ever" / "helm"))
    for folder in (logs / "every_eval_ever" / "helm").iterdir():
        spec = json.loads((folder / "run_spec.json").read_text())
        metric, split = mains[spec["name"].split(":")[0]]
        stats = [
            one["mean"]
            for one in json.loads((folder / "stats.json").read_text())
            if one["name"]["name"] == metric
            and one["name"]["split"] == split
            and "perturbation" not in one["name"]
        ]
        scenario = next(s for s in table if s.startswith(spec["name"].split(":")[0]))
        assert table.loc[spec["adapter_spec"]["model"], scenario] == pytest.approx(stats[0])


def samples_of_the_harness_give_its_results(logs):
    folder = logs / "every_eval_ever" / "lm_eval"
    found = gl.read(folder)
    file = next(folder.glob("samples_*.jsonl"))
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert found.frame.mean(axis=1).item() == pytest.approx(
        sum(row["exact_match"] for row in rows) / len(rows)
    )


def results_of_the_older_harness_keep_metric_and_direction(logs):
    found = gl.read_scores(logs / "lm_eval_results")
    for file in (logs / "lm_eval_results").glob("*.json"):
        log = json.loads(file.read_text())
        name = dict(part.split("=") for part in log["config"]["model_args"].split(","))["pretrained"]
        row = found.frame.loc[name]
        for task, scores in log["results"].items():
            value = scores["acc"] if "acc" in scores else -scores["likelihood_difference"]
            assert row[task] == pytest.approx(value)


def rates_of_aider_and_scores_of_two_arenas_stay_apart(logs):
    found = gl.read_scores(logs / "aider")
    for board in ("edit", "refactor"):
        rows = yaml.safe_load((logs / "aider" / f"{board}_leaderboard.yml").read_text())
        column = found.frame[f"{board}_leaderboard/pass_rate_1"].dropna()
        assert column.to_dict() == {row["model"]: row["pass_rate_1"] for row in rows}
    found = gl.read_scores(logs / "arena")
    for arena in ("image", "vision"):
        with (logs / "arena" / f"lmarena_{arena}.csv").open() as file:
            rows = list(csv.DictReader(file))
        column = found.frame[f"lmarena_{arena}/arena_score"].dropna()
        assert column.to_dict() == {row["model"]: float(row["arena_score"]) for row in rows}


def benchmarks_of_a_leaderboard_and_answers_of_people_are_the_cells(logs):
    found = gl.read(logs / "leaderboard")
    for file in (logs / "leaderboard").glob("*.csv"):
        table = pd.read_csv(file).set_index("Model")
        for item in set(found.frame) & set(table):
            for model, value in table[item].items():
                ours = found.frame.loc[model, item]
                assert ours == pytest.approx(value) or (math.isnan(ours) and math.isnan(value))
    found = gl.read_scores(logs / "psychometric")
    for name, items in (("lsat6", ["Q1", "Q5"]), ("sat.act", ["ACT", "SATV", "SATQ"])):
        table = pd.read_csv(logs / "psychometric" / f"{name}.csv")
        numbered = "lsat6 " if name == "lsat6" else ""  # the rows of the other have names
        rows = found.frame.loc[[f"{numbered}{row}" for row in table["rownames"]]]
        for item in items:
            assert rows[item].sum() == table[item].sum()


def a_folder_of_all_of_them_says_what_it_read(logs):
    found = gl.read_scores(logs)
    assert all(tool in found.notes[0] for tool in ("Inspect", "HELM", "MTEB", "promptfoo"))
    assert any("tables beside the logs" in note for note in found.notes)


@looped(
    "check",
    [
        inspect_gives_the_accuracies_in_its_results,
        an_inspect_log_without_samples_is_its_results,
        scores_in_words_are_refused_with_every_reason,
        helm_gives_the_main_metric_of_its_stats,
        samples_of_the_harness_give_its_results,
        results_of_the_older_harness_keep_metric_and_direction,
        rates_of_aider_and_scores_of_two_arenas_stay_apart,
        benchmarks_of_a_leaderboard_and_answers_of_people_are_the_cells,
        a_folder_of_all_of_them_says_what_it_read,
    ],
)
def test_real_logs_give_the_numbers_they_state(logs, check):
    check(logs)
