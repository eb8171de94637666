"""Logs of a second stranger: runs cut short, settings that differ, and tools that judge or count."""

import json

import pytest

import gindex_lab as gl

TIMES = ("2026-10-01T10-00-00.1", "2026-10-02T10-00-00.1")


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


# -- lm-evaluation-harness -------------------------------------------------------------------------------


def harness_run(folder, model, time, documents, shots=0, samples=True):
    about = {
        "results": {"sums": {"alias": "sums", "acc,none": 0.5}}, "configs": {"sums": {"task": "sums"}},
        "n-shot": {"sums": shots}, "higher_is_better": {"sums": {"acc": True}},
        "n-samples": {"sums": {"original": 8, "effective": documents}},
        "config": {"model_args": f"pretrained={model}", "limit": None if documents == 8 else documents},
        "model_name": model,
    }  # fmt: skip
    put(folder / model / f"results_{time}.json", about)
    rows = [{"doc_id": k, "filter": "none", "metrics": ["acc"], "acc": float(k % 2), "filtered_resps": []}
            for k in range(documents)]  # fmt: skip
    if samples:
        lines(folder / model / f"samples_sums_{time}.jsonl", rows)


def test_a_later_run_with_a_limit_does_not_replace_a_whole_one(tmp_path):
    for model in ("ann", "bob"):
        harness_run(tmp_path, model, TIMES[0], 8)
        harness_run(tmp_path, model, TIMES[1], 3)
    found = gl.read(tmp_path)
    assert found.frame.shape == (2, 8)
    assert any(TIMES[1] in note for note in found.notes)


def test_different_shots_are_told_where_there_are_only_results(tmp_path):
    harness_run(tmp_path, "ann", TIMES[0], 8, shots=5, samples=False)
    harness_run(tmp_path, "bob", TIMES[0], 8, shots=0, samples=False)
    found = gl.audit(tmp_path)
    assert "num_fewshot=5" in found.loc["mixed configurations", "example"]


# -- tables of one row -----------------------------------------------------------------------------------


def test_tables_of_one_row_of_the_same_name_are_of_the_agents_in_their_names(tmp_path):
    for k, model in enumerate(("ann", "bob")):
        table = f"split,Overall,AR,CP,FP\ndev,0.{8 - k},0.{7 - k},0.{9 - k},0.{8 - k}\n"
        (tmp_path / f"{model}_MMBench_acc.csv").write_text(table)
    found = gl.read(tmp_path)
    assert list(found.frame.index) == ["ann_MMBench_acc", "bob_MMBench_acc"]
    assert list(found.frame) == ["AR", "CP", "FP"]


# -- ARC Prize, BFCL, Arena-Hard -------------------------------------------------------------------------


def test_arc_prize_results_are_scores_by_task(tmp_path):
    for model, right in (("ann", 3), ("bob", 1)):
        tasks = {f"t{k}": {"score": float(k < right), "cost": 0.2, "attempts": 2} for k in range(4)}
        put(
            tmp_path / model / "results.json",
            {"score": 100 * right / 4, "total_tasks": 4, "task_results": tasks},
        )
    assert gl.read(tmp_path).frame.mean(axis=1).to_dict() == {"ann": 0.75, "bob": 0.25}


def test_bfcl_counts_what_it_does_not_list(tmp_path):
    for model, wrong in (("ann", 2), ("bob", 5)):
        head = {"accuracy": 1 - wrong / 10, "correct_count": 10 - wrong, "total_count": 10}
        bad = [{"id": f"simple_{k}", "model_name": model, "test_category": "simple", "valid": False}
               for k in range(wrong)]  # fmt: skip
        for kind in ("simple", "parallel"):
            lines(tmp_path / "score" / model / f"BFCL_v3_{kind}_score.json", [head, *bad])
    found = gl.read(tmp_path)
    assert sorted(found.frame) == ["parallel", "simple"]
    assert found.frame.mean(axis=1).to_dict() == {"ann": 0.8, "bob": 0.5}


def test_arena_hard_judgments_are_wins_over_the_baseline(tmp_path):
    def row(model, question, first, second):
        games = [{"judgment": f"[[{verdict}]]", "score": verdict} for verdict in (first, second)]
        return {"question_id": question, "model": model, "judge": "j", "games": games}

    # the baseline is A in the first game and B in the second; a strong verdict counts three times
    rows = [
        row("ann", "q1", "B>>A", "A>B"),
        row("ann", "q2", "A=B", "B>A"),
        row("ann", "q3", "A>B", None),
    ]
    lines(tmp_path / "model_judgment" / "j" / "ann.jsonl", rows)
    lines(
        tmp_path / "model_judgment" / "j" / "bob.jsonl",
        [row("bob", f"q{k}", "A>>B", "B>>A") for k in (1, 2, 3)],
    )
    found = gl.read(tmp_path)
    assert found.frame.loc["ann"].tolist() == pytest.approx([1.0, 0.25, 0.0])
    assert found.frame.loc["bob"].tolist() == [0, 0, 0]
    assert any("baseline" in note for note in found.notes)


# -- roles -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "columns", "level"),
    [("Level", {"difficulty": "Level"}, lambda k: k), ("difficulty", {}, lambda k: k),
     ("human_minutes", {}, lambda k: 2.0**k), ("meta.level", {"difficulty": "meta.level"}, lambda k: k)],
)  # fmt: skip
def test_a_file_for_each_model_has_roles(tmp_path, name, columns, level):
    for model in ("ann", "bob"):
        first, _, second = name.partition(".")
        rows = [
            {"id": k, "correct": k % 2, first: {second: level(k)} if second else level(k)} for k in range(4)
        ]
        lines(tmp_path / f"{model}.jsonl", rows)
    assert gl.read(tmp_path, columns=columns).difficulty.tolist() == [level(k) for k in range(4)]


def test_variables_of_promptfoo_have_roles(tmp_path):
    rows = [{"promptIdx": 0, "testIdx": k, "vars": {"q": str(k), "tier": k}, "testCase": {}, "namedScores": {},
             "provider": {"id": "p"}, "prompt": {"label": "{{q}}"}, "success": True, "score": 1, "latencyMs": 5}
            for k in range(4)]  # fmt: skip
    found = gl.read(lines(tmp_path / "o.jsonl", rows), columns={"difficulty": "tier"})
    assert sorted(found.difficulty) == [0, 1, 2, 3]


def test_scores_are_drawn_in_per_cent():
    pd = pytest.importorskip("pandas")
    from gindex_lab.presentation.plots.population import plot_intervals

    table = pd.DataFrame(
        {"score": [0.5, 0.75], "score_low": [0.4, 0.6], "score_high": [0.6, 0.9]}, index=["a", "b"]
    )
    figure = plot_intervals(table, ["score"])
    figure.canvas.draw()
    assert "60%" in [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
