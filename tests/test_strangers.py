"""Folders and tables as strangers have them: what a careful engineer expects of each, written before it was run."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.press.analyse import analyse
from gindex_lab.studies.analysis.comparing import Order
from gindex_lab.studies.analysis.summary import said_of_front
from gindex_lab.studies.analysis.telling import how_tested
from gindex_lab.studies.analysis.weights import about_weights, level_weights
from gindex_lab.studies.readers.cells import is_fact

AGENTS = {"gpt-5.1": 0.8, "claude-opus-4.5": 0.7, "qwen3-32b": 0.5}


def answers(n=20, seed=1):
    """(agent, number of the item, 0 or 1)"""
    rng = np.random.default_rng(seed)
    return [(a, i, int(rng.random() < p)) for a, p in AGENTS.items() for i in range(n)]


def csv(path, rows, **how):
    pd.DataFrame(rows).to_csv(path, **({"index": False} | how))
    return path


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


# -- METR, arena -----------------------------------------------------------------------------------------


def metr_runs():
    """Eight runs of one task, one of the others; weights are those of a run, and add up to 1 per agent."""
    tasks = {"long": ["long/a"], "short": ["short/a", "short/b", "short/c", "short/d"]}
    for alias in ("m1", "m2"):
        runs = [(family, task, k) for family, some in tasks.items() for task in some
                for k in range(8 if task in ("long/a", "short/b") else 1)]  # fmt: skip
        count = pd.Series([task for _, task, _ in runs]).value_counts()
        diverse = {task: 1 / np.sqrt(len(some)) for some in tasks.values() for task in some}
        whole = sum(diverse.values())
        for family, task, k in runs:
            yield {
                "task_id": task, "task_family": family, "alias": alias, "model": alias,
                "run_id": f"{alias}{task}{k}", "score_binarized": k % 2, "human_minutes": 4.0,
                "equal_task_weight": 1 / count[task] / 5,
                "invsqrt_task_weight": diverse[task] / count[task] / whole,
            }  # fmt: skip


def test_the_weight_of_a_task_of_metr_is_that_of_all_its_runs(tmp_path):
    items = gl.read(lines(tmp_path / "runs.jsonl", metr_runs())).items
    assert list(items)[:4] == ["family", "minutes", "weight", "invsqrt_task_weight"]  # in every process
    assert items["weight"].tolist() == pytest.approx([0.2] * 5)
    diverse = items["invsqrt_task_weight"]
    assert diverse["long/a"] == pytest.approx(2 * diverse["short/a"])
    assert diverse["short/b"] == pytest.approx(diverse["short/a"])


def test_the_winner_of_a_battle_may_be_called_by_its_name(tmp_path):
    rows = [("x", "y", "x"), ("y", "x", "x"), ("x", "y", "tie"), ("x", "y", "Y ")]
    battles = [dict(zip(("model_a", "model_b", "winner"), row, strict=True)) for row in rows]
    found = gl.read(csv(tmp_path / "battles.csv", battles))
    assert found.frame.loc["x", "against y"] == pytest.approx(2.5 / 4)


# -- wide tables -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("#", "$/M in", "Price ($/1M tokens)", "lc_standard_error", "MMLU_stderr", "acc_std_err"),
        *("GPQA std", "CI low", "95% CI upper", "score_ci_high", "Speed (tokens/s)", "TTFT", "€"),
        *("Throughput", "Output price", "Input cost", "No.", "win_rate_ci"),
    ],
)
def test_numbers_about_a_model_or_a_score_are_not_items(name):
    assert is_fact(name)


@pytest.mark.parametrize(
    "name", ["ci", "C# exercises", "input", "speech", "stdlib", "win_rate", "HighSchool"]
)
def test_a_benchmark_is_not_a_fact_because_of_part_of_its_name(name):
    assert not is_fact(name)


def test_benchmarks_outside_and_models_inside_are_turned_round(tmp_path):
    scores = {"MMLU": {"gpt-5": 0.9, "claude-4": 0.8}, "GPQA": {"gpt-5": 0.7, "claude-4": 0.6}}
    (tmp_path / "a.json").write_text(json.dumps(scores))
    assert gl.read(tmp_path).frame.loc["gpt-5"].to_dict() == {"MMLU": 0.9, "GPQA": 0.7}
    scores = {"q1": {"correct": 1, "tokens": 5}, "q2": {"correct": 0, "tokens": 7}}
    (tmp_path / "a.json").write_text(json.dumps(scores))  # of one model, with its tokens
    with refused("path: unknown-format"):
        gl.read(tmp_path)


def test_people_without_names_are_called_after_their_rows(tmp_path):
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.integers(0, 2, (30, 5)), columns=[f"Q{k}" for k in range(5)])
    found = gl.read(csv(tmp_path / "plain.csv", table))
    assert found.shape == (30, 5)
    assert found.frame.index[0] == "row 1"
    table.insert(0, "gender", rng.choice(["m", "f"], 30))
    table.insert(1, "age", rng.integers(18, 60, 30))
    found = gl.read(csv(tmp_path / "people.csv", table))
    assert found.shape == (30, 5)
    assert {"gender", "age"} <= set(found.agents)
    assert any("called after their rows" in note for note in found.notes)


@pytest.mark.parametrize(("label", "names"), [("name", ["ann", "bob", "ann"]), ("id", [1, 2, 1])])
def test_a_model_that_stands_twice_is_not_a_person_without_a_name(tmp_path, label, names):
    rows = [{label: name, "q1": 1, "q2": 0} for name in names]
    with pytest.raises(gl.BadInput) as error:
        gl.read(csv(tmp_path / "a.csv", rows))
    assert error.value.code == "repeats"


def test_decimal_commas_and_errors_behind_a_number_are_read(tmp_path):
    (tmp_path / "a.csv").write_text("model;MMLU;GPQA\nx;0,85;0,4\ny;0,7;0,125\n")
    found = gl.read(tmp_path / "a.csv")
    assert found.frame.loc["x"].tolist() == [0.85, 0.4]
    assert any("decimal commas" in note for note in found.notes)
    rows = {"model": ["x", "y"], "MMLU": ["90.1 ± 0.3", "88 ±1"], "GPQA": ["80.5±2", None]}
    found = gl.read(csv(tmp_path / "b.csv", rows), scale=(0, 100))
    assert found.frame.loc["x"].tolist() == pytest.approx([0.901, 0.805])
    assert np.isnan(found.frame.loc["y", "GPQA"])
    assert any("±" in note for note in found.notes)
    long = [{"model": m, "item": i, "score": "0,5"} for m in "xy" for i in range(3)]
    assert gl.read(csv(tmp_path / "c.csv", long, sep=";")).frame.to_numpy().mean() == 0.5


def test_thousands_are_not_taken_for_decimals(tmp_path):
    (tmp_path / "a.csv").write_text("model;games\nx;1,234\ny;2,500\n")
    with refused("scores['x', 'games']: not-a-number"):
        gl.read_scores(tmp_path / "a.csv")


def test_an_object_of_models_and_their_scores_is_a_table(tmp_path):
    scores = {}
    for agent, item, right in answers():
        scores.setdefault(agent, {})[f"q{item}"] = right
    (tmp_path / "results.json").write_text(json.dumps(scores))
    found = gl.read(tmp_path)
    assert found.shape == (3, 20)
    assert set(found.frame.index) == set(AGENTS)
    (tmp_path / "results.json").write_text(json.dumps({"train": {"seed": 1}, "test": {"seed": 2}}))
    with refused("path: unknown-format"):
        gl.read(tmp_path)


# -- long tables -------------------------------------------------------------------------------------------


def test_nested_names_are_recognised_with_what_they_are_the_name_of(tmp_path):
    rows = [
        {"model": {"name": a, "provider": "x"}, "sample": {"id": f"s{i}", "meta": {"human_minutes": i + 1}},
         "evaluation": {"score": right}}
        for a, i, right in answers()
    ]  # fmt: skip
    found = gl.read(lines(tmp_path / "a.jsonl", rows))
    assert found.shape == (3, 20)
    assert found.items["minutes"].tolist() == list(range(1, 21))


@pytest.mark.parametrize(("unit", "factor"), [("seconds", 60), ("minutes", 1), ("hours", 1 / 60)])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "wide"])
def test_human_time_comes_in_seconds_minutes_or_hours(tmp_path, unit, factor, kind):
    name, minutes = f"human_{unit}", [2.0**k for k in range(20)]
    rows = [
        {"model": a, "task": f"t{i}", name: minutes[i] * factor, "success": right}
        for a, i, right in answers()
    ]
    if kind == "wide":
        rows = pd.DataFrame(rows).pivot(index=["task", name], columns="model", values="success")
        rows = rows.reset_index()
    file = tmp_path / f"a.{kind}"
    found = gl.read(lines(file, rows) if kind == "jsonl" else csv(tmp_path / "a.csv", rows))
    assert found.shape == (3, 20)
    assert sorted(found.items["minutes"]) == pytest.approx(minutes)
    assert sorted(found.difficulty) == pytest.approx(minutes)


def test_a_column_of_metrics_is_chosen_from_and_never_mixed(tmp_path):
    rows = [
        {"model": a, "task": f"t{i}", "metric": metric, "value": value}
        for a, i, right in answers(6)
        for metric, value in (("acc", right), ("f1", 0.5), ("latency_s", 3.0))
    ]
    for file in (csv(tmp_path / "a.csv", rows), lines(tmp_path / "a.jsonl", rows)):
        found = gl.read(file)
        assert found.shape == (3, 6)
        assert set(np.unique(found.frame)) <= {0, 1}
        assert any("metric 'acc' was read" in note and "'f1'" in note for note in found.notes)
        assert (gl.read(file, metric="f1").frame == 0.5).all(axis=None)
        slow = gl.read_scores(file, metric="latency_s")
        assert (slow.frame == -3).all(axis=None)
        with pytest.raises(gl.BadInput) as error:
            gl.read(file, metric="bleu")
        assert (error.value.argument, error.value.code) == ("metric", "not-found")


def test_every_task_may_have_a_metric_of_its_own(tmp_path):
    rows = [
        {"model": m, "task": task, "metric": metric, "value": value}
        for m, shift in (("x", 0), ("y", 0.1))
        for task, metric, value in (("mmlu", "acc", 0.5 + shift), ("asr", "wer", 0.3 + shift))
    ]
    found = gl.read(csv(tmp_path / "a.csv", rows))
    assert found.frame.loc["y", "mmlu"] > found.frame.loc["x", "mmlu"]
    assert found.frame.loc["y", "asr"] < found.frame.loc["x", "asr"]


def test_difficulty_in_words_is_a_ladder_of_levels(tmp_path):
    words = ("easy", "Medium", "hard")
    rows = [
        {"model": a, "item": i, "difficulty": words[i % 3], "score": right} for a, i, right in answers(30)
    ]
    for file in (csv(tmp_path / "a.csv", rows), lines(tmp_path / "a.jsonl", rows)):
        found = gl.read(file)
        assert found.difficulty.iloc[:3].tolist() == [1, 2, 3]
        assert any("easy 1, medium 2, hard 3" in note for note in found.notes)


def test_words_that_are_no_ladder_are_not_said_to_be_the_difficulty(tmp_path):
    rows = [{"model": a, "item": i, "difficulty": "AB"[i % 2], "score": right} for a, i, right in answers()]
    for file in (csv(tmp_path / "a.csv", rows), lines(tmp_path / "a.jsonl", rows)):
        found = gl.read(file)
        assert found.difficulty is None
        assert not any("difficulty" in note for note in found.notes[:2])


def test_settings_that_tell_repeated_rows_apart_only_together_are_named(tmp_path):
    rows = [
        {"model": a, "temperature": t, "style": s, "item": i, "score": right}
        for a, i, right in answers(5)
        for t in (0.0, 1.0)
        for s in ("p1", "p2")
    ]
    with pytest.raises(gl.BadInput) as error:
        gl.read(csv(tmp_path / "a.csv", rows))
    assert "'temperature' and 'style'" in error.value.remedy


# -- messages ----------------------------------------------------------------------------------------------


def test_the_items_that_do_not_fit_the_scale_are_named(tmp_path):
    rows = {"model": ["x", "y"], "MMLU": [0.8, 0.7], "GPQA": [0.5, 0.4], "Elo": [1200, 1100]}
    with pytest.raises(gl.BadInput) as error:
        gl.read(csv(tmp_path / "a.csv", rows))
    assert "'Elo'" in error.value.problem
    assert "exclude" in error.value.remedy
    with refused("path: raw-scores"):
        gl.read(csv(tmp_path / "b.csv", {"model": ["x", "y"], "a": [1, 5], "b": [4, 3]}))


def test_a_folder_of_archives_says_to_unpack_them(tmp_path):
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        archive.writestr("runs.csv", "model,item,score\na,1,1\n")
    with refused("path: no-log") as error:
        gl.read(tmp_path)
    assert "unpack" in error.value.remedy


def test_the_sheet_with_the_table_is_read_and_named(tmp_path):
    rows = pd.DataFrame(answers(), columns=["model", "item", "score"])
    with pd.ExcelWriter(tmp_path / "a.xlsx") as book:
        pd.DataFrame({"note": ["made by hand"]}).to_excel(book, sheet_name="about", index=False)
        rows.to_excel(book, sheet_name="scores", index=False)
    found = gl.read(tmp_path / "a.xlsx")
    assert found.shape == (3, 20)
    assert any("sheet 'scores'" in note and "'about'" in note for note in found.notes)


def test_three_files_are_not_followed_by_an_ellipsis(tmp_path):
    for agent in AGENTS:
        lines(tmp_path / f"{agent}.jsonl", [{"id": i, "correct": True} for i in range(3)])
    assert any("'qwen3-32b')" in note for note in gl.read(tmp_path).notes)


# -- what the page says ------------------------------------------------------------------------------------


def said(path, **options):
    return " ".join(analyse(path, **options).sentences())


def test_ratings_are_not_said_to_be_per_cent(tmp_path):
    rng = np.random.default_rng(1)
    rows = [{"model": m, "item": i, "rating": int(rng.integers(1, 6))} for m in "abc" for i in range(9)]
    text = said(csv(tmp_path / "a.csv", rows))
    assert "--scale 1 5" in text
    assert "per cent" not in text


def test_agents_that_share_all_of_few_items_are_not_said_to_share_too_few(tmp_path):
    rows = {
        "model": ["a", "b"],
        "q1": [0.5, 0.6],
        "q2": [0.2, 0.1],
        "q3": [0.9, 0.8],
        "q4": [0.3, 0.7],
    }
    text = said(csv(tmp_path / "a.csv", rows))
    assert "4 items are too few to compare scores" in text
    assert "share enough items" not in text


def test_no_horizon_is_told_in_billionths_of_a_second(tmp_path):
    from gindex_lab.measures.horizons.words import minutes_text

    assert minutes_text(1e-9) == minutes_text(0.9 / 60) == "under a second"
    assert minutes_text(1.2 / 60) == "1.2 seconds"


def test_dates_that_are_recognised_give_a_doubling_time_unasked(tmp_path):
    rows = [
        {"model": f"m{k}", "release_date": f"2025-0{k + 1}-01", "task": f"t{t}", "human_minutes": 2.0**t,
         "success": int(t < 3 + k)}
        for k in range(6)
        for t in range(12)
    ]  # fmt: skip
    found = analyse(csv(tmp_path / "a.csv", rows), ci=None)
    assert any("The horizon doubles every" in line for line in found.sentences())
    soon = [row | {"release_date": "soon"} for row in rows]
    assert analyse(csv(tmp_path / "b.csv", soon), ci=None).dates is None


def test_a_partial_run_is_refused_with_how_much_of_it_is_there(tmp_path):
    rows = [
        {"model": a, "item": i, "score": right} for a, i, right in answers(60) if a != "qwen3-32b" or i < 12
    ]
    file = csv(tmp_path / "a.csv", rows)
    with pytest.raises(gl.BadInput) as error:
        analyse(file)
    assert "48 of 180 cells" in error.value.problem
    assert "'qwen3-32b' met 12 of 60" in error.value.problem
    assert "--missing drop" in error.value.remedy
    assert "qwen3-32b (12 of 60)" in said(file, missing="drop")


def test_nobody_meets_itself_in_an_arena_and_that_is_not_a_gap(tmp_path):
    rng = np.random.default_rng(1)
    names = [f"m{k}" for k in range(16)]
    rows = []
    for _ in range(4000):
        a, b = rng.choice(16, 2, replace=False)
        wins = "model_a" if rng.random() < 1 / (1 + np.exp((b - a) / 2)) else "model_b"
        rows.append({"model_a": names[a], "model_b": names[b], "winner": wins})
    found = analyse(csv(tmp_path / "battles.csv", rows))
    assert found.score_order.front == "m15"
    assert found.score_order.separated > 10


def test_those_nearest_to_the_best_are_named_first(tmp_path):
    rng = np.random.default_rng(2)
    rows = [
        {"model": f"m{9 - k}", "item": i, "score": int(rng.random() < 0.2 + 0.07 * k)}
        for k in range(10)
        for i in range(40)
    ]
    found = analyse(csv(tmp_path / "a.csv", rows))
    for order, values in (
        (found.score_order, found.scores["score"]),
        (found.orders["capability"], found.table["capability"]),
    ):
        tied = values[order.tied]
        assert len(tied) > 1
        assert tied.is_monotonic_decreasing


def levels(sizes):
    minutes = np.repeat([7.5, 30.0, 120.0, 480.0], sizes)
    items = pd.DataFrame({"minutes": minutes, "difficulty": np.log2(minutes)})
    return gl.Responses(np.ones((2, len(items))), items=items.rename(index=lambda k: f"item {k + 1}"))


def test_a_few_items_that_decide_capability_are_named():
    [line] = about_weights(level_weights(levels([194, 261, 42, 3])))
    assert "the 3 items that take people 8 hours make up 17% of it" in line.text
    assert "as much as the 194 that take them 7.5 minutes" in line.text
    assert "all 500 items are worth about 80 items that count alike" in line.text
    assert about_weights(level_weights(levels([20, 40, 40, 20]))) == []


def test_the_price_of_many_pairs_is_said(tmp_path):
    order = Order(
        pd.DataFrame(False, list("abcd"), list("abcd")), "a", ["b", "c", "d"], [], [], 900, None, 0, 0, 2
    )  # fmt: skip
    text = " ".join(line.text for line in said_of_front(order, "", "score"))
    assert "correction for all 900 pairs" in text
    assert "2 of 3 would be separated from a" in text
    rng = np.random.default_rng(1)
    table = pd.DataFrame((rng.random((80, 12)) < np.linspace(0, 1, 80)[:, None]) * 1)
    found = analyse(csv(tmp_path / "a.csv", table.rename_axis("person").reset_index()))
    alone = found.orders["capability"].alone
    assert 40 < alone < 80
    assert f"{alone} of 79 would be separated" in " ".join(found.sentences())


def test_of_two_agents_nobody_is_the_less_general_and_no_pair_is_corrected(tmp_path):
    rng = np.random.default_rng(1)
    rows = {"model": ["x", "y"]} | {f"q{i}": rng.integers(0, 2, 2) for i in range(30)}
    found = analyse(csv(tmp_path / "a.csv", rows))
    assert found.survival is not None
    assert found.survival.loc["rank", "least_general"] == "–"
    assert "Holm" not in how_tested(found)


def test_ratings_from_1_to_10_are_not_hundredths_in_opencompass(tmp_path):
    rows = [
        "dataset,version,metric,mode,m1,m2",
        "gsm8k,abc,accuracy,gen,60.0,40.0",
        "mtbench,def,score,gen,8.2,6.1",
        "triviaqa,123,score,gen,4.5,61.0",
    ]
    (tmp_path / "summary.csv").write_text("\n".join(rows) + "\n")
    frame = gl.read(tmp_path).frame
    assert frame["mtbench"].tolist() == pytest.approx([0.82, 0.61])
    assert frame["triviaqa"].tolist() == pytest.approx([0.045, 0.61])
    (tmp_path / "summary.csv").write_text("\n".join([*rows[:2], rows[3].replace("61.0", "6.1")]) + "\n")
    with refused("path: raw-scores"):  # of 10 or of 100? nobody says
        gl.read(tmp_path)


def test_published_trajectories_of_tau_bench_name_model_and_domain(tmp_path):
    for model in ("gpt-4o", "sonnet-35"):
        for domain in ("airline", "retail"):
            rows = [
                {"task_id": i, "reward": 1.0, "traj": [], "trial": 0,
                 "info": {"task": {"instruction": f"{domain} {i}"}}}
                for i in range(5)
            ]  # fmt: skip
            (tmp_path / f"{model}-{domain}.json").write_text(json.dumps(rows))
    found = gl.read(tmp_path)
    assert found.shape == (2, 10)
    assert list(found.frame.index) == ["gpt-4o", "sonnet-35"]
    assert set(found.items["family"]) == {"airline", "retail"}
    assert not found.frame.isna().any(axis=None)


def test_an_id_names_the_items_where_agents_have_many_rows(tmp_path):
    rows = [{"model": a, "id": i, "correct": right} for a, i, right in answers()]
    for file in (csv(tmp_path / "a.csv", rows), lines(tmp_path / "a.jsonl", rows)):
        assert gl.read(file).shape == (3, 20)
    board = {"id": [7, 8, 9], "model": list(AGENTS), "accuracy": [0.9, 0.8, 0.7]}
    assert list(gl.read(csv(tmp_path / "b.csv", board)).frame) == ["accuracy"]


def test_a_table_wrapped_in_an_object_is_read(tmp_path):
    rows = [{"model": a, "item": i, "score": right} for a, i, right in answers()]
    (tmp_path / "a.json").write_text(json.dumps({"date": "2026", "results": rows}))
    assert gl.read(tmp_path / "a.json").shape == (3, 20)
    board = [{"name": a, "mmlu": p, "gpqa": p / 2} for a, p in AGENTS.items()]
    (tmp_path / "b.json").write_text(json.dumps({"updated": "2026", "models": board}))
    assert gl.read(tmp_path / "b.json").shape == (3, 2)


def test_a_dash_is_no_score(tmp_path):
    (tmp_path / "a.tsv").write_text("model\tmmlu\tgpqa\nx\t0.9\t-\ny\t—\t0.7\nz\t0.8\t–\n")
    found = gl.read(tmp_path / "a.tsv")
    assert found.frame.isna().sum().tolist() == [1, 2]
