"""`gl.audit` of files: what is planted in a log of any kind is found there, and clean logs raise no alarm."""

import json

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl


def outcomes(agents=6, items=24, seed=1):
    """Right and wrong, so that every item is solved by some agent and failed by another."""
    rng = np.random.default_rng(seed)
    found = (rng.random((agents, items)) < np.linspace(0.35, 0.8, agents)[:, None]).astype(int)
    found[0], found[1] = np.arange(items) % 2, 1 - np.arange(items) % 2
    return found


def runs(agents=6, items=24, seed=1, names=("model", "item", "score"), **columns):
    values = outcomes(agents, items, seed)
    return pd.DataFrame(
        [
            dict(zip(names, (f"m{i}", f"q{j}", int(x)), strict=True))
            | {k: v(i, j) if callable(v) else v for k, v in columns.items()}
            for (i, j), x in np.ndenumerate(values)
        ]
    )


def csv(table):
    return lambda folder: table.to_csv(folder / "runs.csv", index=False)


def lines(table):
    text = "\n".join(json.dumps(row) for row in table.to_dict("records"))
    return lambda folder: (folder / "runs.jsonl").write_text(text)


def wide(values):
    frame = pd.DataFrame(values, columns=[f"q{j}" for j in range(values.shape[1])])
    frame.insert(0, "model", [f"m{i % 6}" for i in range(len(values))])
    return csv(frame)


def other(i, j):
    """A text that one agent saw differently."""
    return f"text {j}{' new' if (i, j) == (3, 5) else ''}"


def inspect(values=None, text=other, errors=(), unscored=(), warm=(), choices=None):
    values = outcomes() if values is None else values

    def sample(i, j):
        found = {"id": j, "epoch": 1, "input": text(i, j)} | ({"choices": choices} if choices else {})
        if (i, j) in errors:
            return found | {"error": {"message": "boom"}}
        score = {"match": {"value": "IC"[values[i, j]]}}
        return found if (i, j) in unscored else found | {"scores": score}

    def write(folder):
        for i, row in enumerate(values):
            settings = {"temperature": 1.0 if i in warm else 0.0}
            spec = {"model": f"m{i}", "task": "sums", "model_generate_config": settings}
            samples = [sample(i, j) for j in range(len(row))]
            log = {"status": "success", "eval": spec, "samples": samples}
            (folder / f"{i}.json").write_text(json.dumps(log))

    return write


def harness(text=other, shots=(), options=2):
    def write(folder):
        for i, row in enumerate(outcomes()):
            here = folder / f"m{i}"
            here.mkdir()
            about = {"model_name": f"m{i}", "results": {"arc": {"acc,none": float(row.mean())}}}
            about |= {"n-shot": {"arc": 5 if i in shots else 0}, "configs": {"arc": {}}}
            about |= {"higher_is_better": {"arc": {"acc": True}}, "config": {}}
            (here / "results_2025-01-01T00-00-00.json").write_text(json.dumps(about))
            rows = [
                {"doc_id": j, "doc": {"q": text(i, j)}, "doc_hash": text(i, j), "filter": "none"}
                | {
                    "resps": [[0]] * options,
                    "filtered_resps": [0],
                    "metrics": ["acc"],
                    "acc": int(x),
                }
                for j, x in enumerate(row)
            ]
            file = here / "samples_arc_2025-01-01T00-00-00.jsonl"
            file.write_text("\n".join(map(json.dumps, rows)))

    return write


def same(i, j):
    return f"text {j}"


def two_files(folder):
    table = runs()
    table.iloc[:100].to_csv(folder / "a.csv", index=False)
    table.iloc[90:].to_csv(folder / "b.csv", index=False)


def flipped():
    table = runs(seed=5)
    second = table.assign(seed=2, score=table["score"].mask(table.index < 7, 1 - table["score"]))
    return pd.concat([table.assign(seed=1), second])


def blank(table, column, rows, value=None):
    return table.assign(**{column: table[column].astype(object).mask(table.index.isin(rows), value)})


SUBSETS = pd.concat([runs(subset="law"), runs(seed=2, subset="art")])
TURNED = pd.concat([runs(), runs().iloc[:2].assign(score=1 - runs()["score"][:2])])
LATE = blank(runs(status="ok"), "status", [3, 30], "timeout")
HARD = outcomes(agents=40)
HARD[:, 5] = 0
KNOWN = outcomes()
KNOWN[:, 4], KNOWN[:, 7] = 1, 0

PLANTED = {
    "copies in a long table": (csv(pd.concat([runs(), runs()[:4]])), {"duplicated rows": 4}),
    "copies in a Warehouse table": (
        csv(pd.concat([runs(names=("id", "item", "resp")), runs(names=("id", "item", "resp"))[:3]])),
        {"duplicated rows": 3},
    ),
    "copies over two files": (two_files, {"duplicated rows": 10}),
    "a model twice in a wide table": (wide(outcomes()[[*range(6), 0]]), {"duplicated rows": 24}),
    "contradiction in a table": (csv(TURNED), {"contradictory rows": 2}),
    "contradiction in lines": (lines(TURNED), {"contradictory rows": 2}),
    "ids restart": (csv(SUBSETS), {"ids restart per subject": 24}),
    "two texts in a table": (csv(runs(prompt=other)), {"same id, different text": 1}),
    "two texts in lines": (lines(runs(prompt=other)), {"same id, different text": 1}),
    "two texts in Inspect": (inspect(), {"same id, different text": 1}),
    "two texts in lm-eval": (harness(), {"same id, different text": 1}),
    "no score in a table": (csv(blank(runs(), "score", [3, 30, 50])), {"unscored samples": 3}),
    "no score in Inspect": (inspect(text=same, unscored={(0, 1)}), {"unscored samples": 1}),
    "errors in a table": (csv(blank(LATE, "score", [3, 30])), {"errored samples": 2}),
    "errors counted as wrong": (csv(LATE.assign(score=0)), {"errored samples": 2}),
    "errors in Inspect": (inspect(text=same, errors={(0, 1), (2, 3)}), {"errored samples": 2}),
    "a wrong key in Inspect": (
        inspect(HARD, same, choices=list("abcd")),
        {"below-chance items": 1},
    ),
    "a wrong key in a table": (
        csv(runs(agents=40, choices=4).assign(score=HARD.ravel())),
        {"below-chance items": 1},
    ),
    "two settings in a table": (
        csv(runs(num_fewshot=lambda i, j: 5 * (i == 2))),
        {"mixed configurations": 1},
    ),
    "two settings in Inspect": (inspect(text=same, warm=[2]), {"mixed configurations": 1}),
    "two settings in lm-eval": (harness(same, shots=[2]), {"mixed configurations": 1}),
    "known items": (wide(KNOWN), {"items everyone solves": 1, "items no one solves": 1}),
    "flips": (csv(flipped()), {"repeated runs flip": 7}),
}
CLEAN = {
    "texts and settings": csv(runs(text=same, temperature=0.7)),
    "ids that restart by task": csv(pd.concat([runs(task="law"), runs(seed=2, task="art")])),
    "graded lines": lines(runs(seed=4).assign(score=lambda t: t["score"] / 2 + 0.2)),
    "wide": wide(outcomes(seed=6)),
    "Inspect": inspect(text=same),
    "lm-eval": harness(same),
    "Warehouse": csv(runs(names=("id", "item", "resp"))),
    "trials that agree": csv(pd.concat([runs(seed=1).assign(seed=1), runs(seed=1).assign(seed=2)])),
    "four options": csv(runs(agents=30, items=40, seed=6, choices=4)),
    "words for success": csv(runs(status=lambda i, j: ["ok", "success", "completed"][j % 3])),
    "errors left blank": csv(runs(error=None, temperature=None)),
    "items named by a question": csv(runs(names=("model", "question", "score"))),
    "a few gaps": csv(runs(seed=8).drop(index=[30, 31])),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_in_a_file_is_found_and_counted(name, tmp_path):
    write, wanted = PLANTED[name]
    write(tmp_path)
    found = gl.audit(tmp_path)
    assert {k: found["count"].get(k) for k in wanted} == wanted
    also = {"items no one solves"} if "below-chance items" in wanted else set()
    if name == "errors counted as wrong":
        also |= {"items no one solves"}
    assert set(found.index) - set(wanted) <= also


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_file_raises_no_alarm(name, tmp_path):
    CLEAN[name](tmp_path)
    assert gl.audit(tmp_path).empty


def test_what_was_left_out_is_not_audited(tmp_path):
    csv(TURNED)(tmp_path)
    assert "contradictory rows" in gl.audit(tmp_path).index
    assert "contradictory rows" not in gl.audit(tmp_path, exclude=["model:m0"]).index
