"""Tables and folders of a second stranger: what is an item, who is an agent, and what a cell says."""

import json

import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.studies.readers.cells import is_fact

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
    "prices and times": ("cost_usd", "avg_latency_s"),
    "averages": ("Mean win rate", "Overall Acc", "Mean score", "total_score", "Average accuracy"),
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


# -- what a cell says ------------------------------------------------------------------------------------


def long_rows(say=int, n=20):
    return [(a, f"q{k}", say(right(a, k))) for a in AGENTS for k in range(n)]


def test_fractions_are_shares(tmp_path):
    rows = [("ada", "40/50", "9 / 20"), ("bea", "10/50", "5/20")]
    found = gl.read(csv(tmp_path / "t.csv", ["model", "algebra", "logic"], rows))
    assert found.frame.to_numpy().tolist() == [[0.8, 0.45], [0.2, 0.25]]
    rows = [("ada", "a", "40/50"), ("ada", "b", "1/2"), ("bea", "a", "5/50"), ("bea", "b", "")]
    found = gl.read(csv(tmp_path / "l.csv", ["model", "task", "score"], rows))
    assert found.frame.loc["ada"].tolist() == [0.8, 0.5]


@pytest.mark.parametrize("cell", ["3/0", "51/50", "2026/10/01"])
def test_what_is_no_fraction_of_a_whole_is_refused(tmp_path, cell):
    rows = [("ada", cell, "9/20"), ("bea", "1/5", "5/20")]
    with pytest.raises(gl.BadInput):
        gl.read(csv(tmp_path / "t.csv", ["model", "algebra", "logic"], rows))


def test_thousands_are_apart_where_decimals_have_points(tmp_path):
    rows = [("dqn", 401.2, '"5,286"'), ("random", 1.7, '"68"')]
    found = gl.read_scores(csv(tmp_path / "t.csv", ["agent", "breakout", "seaquest"], rows))
    assert found.frame["seaquest"].tolist() == [5286, 68]
    rows = [("dqn", '"5,286"'), ("random", '"1,068,400.5"')]
    found = gl.read_scores(csv(tmp_path / "u.csv", ["agent", "seaquest"], rows))
    assert found.frame["seaquest"].tolist() == [5286, 1068400.5]


def test_one_comma_and_three_digits_alone_are_not_guessed(tmp_path):
    rows = [("dqn", '"5,286"'), ("random", '"1,068"')]
    with pytest.raises(gl.BadInput):
        gl.read_scores(csv(tmp_path / "t.csv", ["agent", "seaquest"], rows))


@pytest.mark.parametrize("mark", [".", "..", "?", "n.a.", "–"])
def test_marks_of_no_answer_are_gaps(tmp_path, mark):
    rows = [("ada", 1, mark, 0), ("bea", 0, 1, 1), ("cyd", 0, 0, 1)]
    found = gl.read(csv(tmp_path / "t.csv", ["id", "i1", "i2", "i3"], rows))
    assert found.frame.isna().sum().sum() == 1


def test_ticks_and_crosses_are_right_and_wrong(tmp_path):
    rows = long_rows(lambda right: "✅" if right else "❌")
    assert scores_of(gl.read(csv(tmp_path / "t.csv", ["model", "question", "result"], rows))) == shares()


def test_header_lines_of_joined_tables_are_left_out(tmp_path):
    header, rows = ["model", "item", "score"], long_rows()
    found = gl.read(csv(tmp_path / "t.csv", header, [*rows[:20], header, *rows[20:]]))
    assert scores_of(found) == shares()
    assert any("header" in note for note in found.notes)


@pytest.mark.parametrize("code", [9, -9, 99])
def test_a_code_among_right_and_wrong_is_a_gap(tmp_path, code):
    rows = [
        (f"p{n}", *(code if (n, k) in ((1, 2), (5, 0)) else (n + k) % 2 for k in range(5))) for n in range(8)
    ]
    found = gl.read(csv(tmp_path / "t.csv", ["id", "i1", "i2", "i3", "i4", "i5"], rows))
    assert found.frame.isna().sum().sum() == 2
    assert any(f"{code} among" in note for note in found.notes)


def test_a_rating_of_nine_is_no_code(tmp_path):
    rows = [(f"p{n}", *((n * k) % 10 for k in range(5))) for n in range(8)]
    found = gl.read_scores(csv(tmp_path / "t.csv", ["id", "i1", "i2", "i3", "i4", "i5"], rows))
    assert not found.frame.isna().any().any()


@pytest.mark.parametrize("names", [("n", "c"), ("total", "correct"), ("n_trials", "successes")])
def test_counts_beside_their_totals_are_shares(tmp_path, names):
    rows = [(a, f"t{k}", 10 + k, 2 * right(a, k)) for a in AGENTS for k in range(5)]
    found = gl.read(csv(tmp_path / "t.csv", ["model", "task_id", *names], rows))
    assert found.frame.loc["ada", "t3"] == pytest.approx(2 * right("ada", 3) / 13)


# -- units -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", [gl.read, gl.read_scores])
def test_agents_on_two_scales_are_refused(tmp_path, raw):
    rows = [(a, f"q{k}", (100 if a == "cyd" else 1) * (0.25 + right(a, k) / 2))
            for a in AGENTS for k in range(9)]  # fmt: skip
    with pytest.raises(gl.BadInput) as caught:
        raw(csv(tmp_path / "t.csv", ["model", "item", "score"], rows))
    assert caught.value.code == "two-scales"


def test_a_weak_player_is_on_the_scale_of_the_others(tmp_path):
    rows = [("random", 1, 0, 1), ("dqn", 30, 12, 99), ("human", 20, 11, 50)]
    found = gl.read_scores(csv(tmp_path / "t.csv", ["agent", "a", "b", "c"], rows))
    assert found.frame.shape == (3, 3)


def test_columns_on_two_scales_are_not_told_to_share_one(tmp_path):
    rows = [("ada", 80.1, 0.75, 70.2), ("bea", 70.1, 0.65, 60.2), ("cyd", 60.1, 0.55, 50.2)]
    with pytest.raises(gl.BadInput) as caught:
        gl.read(csv(tmp_path / "t.csv", ["model", "mmlu", "gsm8k", "arc"], rows))
    assert "scale=(0, 100)" not in str(caught.value)
    assert "'gsm8k'" in str(caught.value)


# -- files -----------------------------------------------------------------------------------------------


def test_lines_of_json_under_another_name(tmp_path):
    rows = [{"model": a, "item": i, "score": s} for a, i, s in long_rows()]
    assert scores_of(gl.read(lines(tmp_path / "t.json", rows))) == shares()


def test_a_sheet_for_each_model(tmp_path):
    pd = pytest.importorskip("pandas")
    with pd.ExcelWriter(tmp_path / "r.xlsx") as book:
        for agent in AGENTS:
            rows = [{"question": f"What is {k}?", "correct": right(agent, k)} for k in range(20)]
            pd.DataFrame(rows).to_excel(book, sheet_name=agent, index=False)
    assert scores_of(gl.read(tmp_path / "r.xlsx")) == shares()


def test_comments_above_the_header(tmp_path):
    file = csv(
        tmp_path / "t.csv",
        ["# exported, by the lab"],
        [["#"], ["model", "item", "score"], *long_rows()],
    )
    assert scores_of(gl.read(file)) == shares()


def test_a_task_with_numbered_questions(tmp_path):
    rows = [(a, task, k, right(a, k)) for a in AGENTS for task in "xyz" for k in range(20)]
    found = gl.read(csv(tmp_path / "t.csv", ["model", "task", "idx", "score"], rows))
    assert found.frame.shape == (3, 60)


def test_the_task_is_the_family_where_there_is_a_category_too(tmp_path):
    rows = [(f"h{k}", "web", a, right(a, k), "reasoning") for a in AGENTS for k in range(20)]
    header = ["question_id", "task", "model", "score", "category"]
    assert scores_of(gl.read(csv(tmp_path / "t.csv", header, rows))) == shares()


@pytest.mark.parametrize(
    ("header", "row"),
    [(["id", "input", "scores.Factuality", "metadata.model", "metrics.duration"],
      lambda a, k: (f"{a}{k}", f"question {k}", right(a, k), a, 1.5)),
     (["agent.agent_name", "env.benchmark", "env.task_name", "env.task_seed", "cum_reward", "n_steps"],
      lambda a, k: (a, "web", f"web.{k}", 7, right(a, k), 5)),
     (["Modell", "Frage", "Punkte"], lambda a, k: (a, f"F{k}", right(a, k)))],
)  # fmt: skip
def test_tables_of_trackers_and_in_german(tmp_path, header, row):
    rows = [row(a, k) for a in AGENTS for k in range(20)]
    assert scores_of(gl.read(csv(tmp_path / "t.csv", header, rows))) == shares()


@pytest.mark.parametrize(
    ("header", "row"),
    [(["example_id", "inputs.question", "feedback.correctness", "execution_time", "id"],
      lambda a, k: (f"ex-{k}", f"question {k}", right(a, k), 1.5, f"{a}{k}")),
     (["index", "question", "A", "B", "answer", "prediction", "hit"],
      lambda a, k: (k, f"question {k}", "x", "y", "A", "B", right(a, k))),
     (["id", "subset", "results"], lambda a, k: (k, "easy", right(a, k)))],
)  # fmt: skip
def test_a_table_for_each_model(tmp_path, header, row):
    for agent in AGENTS:
        csv(tmp_path / f"{agent}.csv", header, [row(agent, k) for k in range(20)])
    assert scores_of(gl.read(tmp_path)) == shares()


# -- names -----------------------------------------------------------------------------------------------


def test_spaces_around_a_name_are_no_part_of_it(tmp_path):
    rows = [(a + " " * (k % 2), f"q{k}" + " " * (a == "bea"), right(a, k)) for a in AGENTS for k in range(20)]
    assert scores_of(gl.read(csv(tmp_path / "t.csv", ["model", "item", "score"], rows))) == shares()


def test_agents_that_differ_in_spelling_are_named(tmp_path):
    rows = [("GPT 5" if k < 9 else "gpt-5", f"q{k}", k % 2) for k in range(20)]
    found = gl.read(csv(tmp_path / "t.csv", ["model", "item", "score"], rows))
    assert any("'GPT 5' and 'gpt-5' differ only in spelling" in note for note in found.notes)
    rows = [(a, f"q{k}", k % 2) for a in ("llama-3.1", "llama-31b", "3", "03") for k in range(4)]
    found = gl.read(csv(tmp_path / "u.csv", ["model", "item", "score"], rows))
    assert not any("spelling" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("mmlu_rank", "lower"),
        ("reversal_trials_to_criterion", "lower"),
        ("mean_reciprocal_rank", "higher"),
    ],
)
def test_ranks_and_trials_to_criterion_are_better_when_small(name, way):
    from gindex_lab.studies.readers.metrics import direction_of

    assert direction_of(name) == way


def test_answers_not_attempted_are_not_right(tmp_path):
    rows = [
        ("ada", "q1", "CORRECT"),
        ("ada", "q2", "NOT_ATTEMPTED"),
        ("bea", "q1", "INCORRECT"),
        ("bea", "q2", "CORRECT"),
    ]
    found = gl.read(csv(tmp_path / "t.csv", ["model", "question_id", "grade"], rows))
    assert found.frame.mean(axis=1).tolist() == [0.5, 0.5]


# -- gaps ------------------------------------------------------------------------------------------------


def test_more_gaps_are_refused_with_the_option_and_their_code(tmp_path):
    rows = [(f"p{n}", *(9 if n == k else (n + k) % 2 for k in range(5))) for n in range(6)]
    data = gl.read(csv(tmp_path / "t.csv", ["id", "i1", "i2", "i3", "i4", "i5"], rows))
    with refused("scores['p0', 'i1']: missing") as caught:
        gl.analysis.analyse_table(data)
    assert "9 among the scores" in str(caught.value)


def test_empty_columns_are_no_items(tmp_path):
    rows = [("ada", "", 0.8, 0.7), ("bea", "", 0.6, 0.5)]
    found = gl.read(csv(tmp_path / "t.csv", ["Name", "Tags", "arc", "mmlu"], rows))
    assert list(found.frame) == ["arc", "mmlu"]
    assert not any("missing" in note for note in found.notes)


# -- what is no item, and no agent -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["overall", "Average", "macro_avg"])
def test_a_mean_among_the_items_or_agents_is_left_out(tmp_path, name):
    rows = [*long_rows(), *((a, name, round(share, 2)) for a, share in shares().items())]
    found = gl.read(csv(tmp_path / "t.csv", ["model", "item", "score"], rows))
    assert name not in found.frame
    assert scores_of(found) == shares()
    assert any("mean of the others" in note for note in found.notes)
    rows = [(a, *(right(a, k) for k in range(20))) for a in AGENTS]
    rows.append((name, *(round(sum(column) / 3, 3) for column in list(zip(*rows, strict=True))[1:])))
    found = gl.read(csv(tmp_path / "w.csv", ["model", *(f"q{k}" for k in range(20))], rows))
    assert list(found.frame.index) == list(AGENTS)


def test_a_task_called_overall_that_is_no_mean_stays(tmp_path):
    rows = [*long_rows(), ("ada", "overall", 0), ("bea", "overall", 1), ("cyd", "overall", 1)]
    assert "overall" in gl.read(csv(tmp_path / "t.csv", ["model", "item", "score"], rows)).frame


def test_of_a_column_of_metrics_the_one_that_rises_is_read(tmp_path):
    rows = [row for a, i, s in long_rows() for row in ((a, i, "latency", 3.5), (a, i, "accuracy", s))]
    assert scores_of(gl.read(csv(tmp_path / "t.csv", ["model", "item", "metric", "value"], rows))) == shares()


def test_agents_without_the_metric_that_is_read_are_named(tmp_path):
    rows = [(a, i, "f1" if a == "ada" else "em", s) for a, i, s in long_rows()]
    found = gl.read(csv(tmp_path / "t.csv", ["model", "item", "metric", "value"], rows))
    assert list(found.frame.index) == ["bea", "cyd"]  # the metric of most agents
    assert any("'ada'" in note and "no 'em'" in note for note in found.notes)


def test_models_and_tasks_in_the_names_of_files_are_asked_for(tmp_path):
    for agent in AGENTS:
        for task in ("arc", "gsm"):
            csv(
                tmp_path / f"{agent}_{task}.csv",
                ["id", "correct"],
                [(k, right(agent, k)) for k in range(9)],
            )
    with pytest.raises(gl.BadInput) as caught:
        gl.read(tmp_path)
    assert caught.value.code == "ambiguous-agent"
    assert len(gl.read(tmp_path, agent_from="file").frame) == 6


@pytest.mark.parametrize("sizes", [("7b", "70b"), ("8B", "1.5B")])
def test_sizes_in_the_names_of_files_are_models(tmp_path, sizes):
    for model in ("llama", "qwen"):
        for size in sizes:
            csv(tmp_path / f"{model}_{size}.csv", ["id", "correct"], [(k, k % 2) for k in range(9)])
    assert len(gl.read(tmp_path).frame) == 4


def test_misses_and_what_is_incorrect_are_better_when_few(tmp_path):
    rows = [("ada", 3, 4, 5), ("bea", 9, 8, 7)]
    found = gl.read_scores(
        csv(tmp_path / "t.csv", ["model", "arc_incorrect", "gsm_misses", "pct_wrong"], rows)
    )
    assert found.frame.loc["ada"].sum() > found.frame.loc["bea"].sum()


def test_animals_in_sessions_are_agents_and_subjects_of_a_school_are_not(tmp_path):
    header = ["subject", "species", "task", "trial", "correct", "latency_s"]
    rows = [(s, "corvid", task, k, (k + n) % 2, 1.5) for n, s in enumerate(("Bo", "Kim"))
            for task in ("detour", "string") for k in range(4)]  # fmt: skip
    found = gl.read(csv(tmp_path / "t.csv", header, rows))
    assert (list(found.frame.index), list(found.frame)) == (["Bo", "Kim"], ["detour", "string"])
    header = ["subject", "question", "condition", "correct"]
    rows = [(s, f"What is {s} {k}?", "plain", k % 2) for s in ("law", "anatomy") for k in range(4)]
    found = gl.read(csv(tmp_path / "gpt-5.csv", header, rows))
    assert list(found.frame.index) == ["gpt-5"]
