"""Experiments: what goes in comes out scored, recorded, and the same when run again."""

import json

import numpy as np
import pandas as pd
import pytest
from oracles.learning import Empty, Recorded, broken_json
from refusals import refused

from gindex_lab import (
    NearestNeighbour,
    SlotFilling,
    TemplateInduction,
    composites,
    corpus,
    corpus_documents,
    experiment,
    learning_curve,
    mutate,
    score_answers,
    score_programs,
)
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.equations import association_graph
from gindex_lab.measures.programs.gindex import Settings, g_index
from gindex_lab.measures.programs.records import Experiment
from gindex_lab.measures.programs.sensitivity import sensitivity
from gindex_lab.presentation.plots.gindex import plot_program_size
from gindex_lab.presentation.plots.programs import plot_association, plot_divergence_matrix
from gindex_lab.worlds.learning.corpus import PromptSample, sample
from gindex_lab.worlds.learning.scoring import read_answer

DOMAINS = ["http", "twitter", "youtube-play"]


@pytest.fixture(scope="module")
def curriculum():
    return corpus(6, DOMAINS, seed=1)


@pytest.fixture(scope="module")
def tests():
    return corpus(3, DOMAINS, seed=2)


class Oracle:
    """A system of a user: it has seen the answers, and does not count operations."""

    def __init__(self, tests):
        self.answers = {task.prompt: task.program for task in tests}

    def fit(self, pairs):
        self.seen = len(pairs)

    def generate(self, prompt):
        return self.answers[prompt]


def test_an_oracle_is_perfect_and_an_empty_system_is_not(curriculum, tests):
    best = experiment(Oracle(tests), curriculum, tests, compute=1e6)
    worst = experiment(Empty(), curriculum, tests)
    assert (best.performance, best.skill) == (1, 1)
    assert (worst.performance, worst.skill) == (0, 0)
    assert best.index.value > worst.index.value


def test_performance_is_one_minus_mean_divergence(curriculum, tests):
    outcome = experiment(NearestNeighbour(), curriculum, tests, seed=3)
    system = NearestNeighbour()
    order = np.random.default_rng(3).permutation(len(curriculum))
    system.fit([curriculum[i].pair for i in order])
    deltas = [float(divergence(t.program, system.generate(t.prompt))) for t in tests]
    assert outcome.performance == pytest.approx(1 - np.mean(deltas), abs=1e-15)
    assert outcome.skill == np.mean([delta == 0 for delta in deltas])


def test_domain_distance_is_zero_for_a_member_of_the_curriculum(curriculum):
    outcome = experiment(NearestNeighbour(), curriculum, curriculum[:4])
    assert outcome.domain_distance == 0
    assert outcome.tests["domain_distance"].eq(0).all()


def test_composites_are_farther_from_the_curriculum_than_its_own_domains():
    known = corpus(5, seed=1)
    near = experiment(SlotFilling(), known, corpus(1, seed=2)).domain_distance
    middle = experiment(SlotFilling(), known, composites(6, seed=2)).domain_distance
    far = experiment(SlotFilling(), corpus(5, ["facebook"], seed=1), corpus(2, ["gmail-send"]))
    assert near < 0.15 < 0.4 < middle < 0.7 < 0.85 < far.domain_distance


def test_the_same_experiment_gives_the_same_record_but_for_times(curriculum, tests):
    rows = [experiment(TemplateInduction(), curriculum, tests, seed=5).row() for _ in range(2)]
    assert rows[0] == rows[1]


def test_more_compute_for_the_same_programs_lowers_the_index(curriculum, tests):
    cheap, dear = (experiment(Oracle(tests), curriculum, tests, compute=c) for c in (1e4, 1e9))
    assert cheap.index.value > dear.index.value
    assert cheap.experience == pytest.approx(np.log2(1e4))


@pytest.mark.parametrize("mode", ["exact", "reference"])
def test_a_record_can_be_measured_again(tmp_path, mode):
    curriculum, tests = corpus(3, seed=1), corpus(2, seed=2)
    path = tmp_path / "run.json"
    outcome = experiment(NearestNeighbour(), curriculum, tests, mode=mode, path=path)
    assert g_index(path).value == outcome.index.value
    assert g_index(path, mode).value == outcome.index.value
    assert g_index(outcome.experiment).value == outcome.index.value
    other = g_index(path, "reference" if mode == "exact" else "exact")
    assert other.settings.unit == "FLOP"
    assert other.value != outcome.index.value


def test_experiments_of_our_own_can_be_compared_under_other_constants(curriculum, tests):
    runs = {
        make.__name__: experiment(make(), curriculum, tests).experiment
        for make in (NearestNeighbour, SlotFilling)
    }
    table = sensitivity(runs)
    assert "unit" not in table.index.get_level_values("constant")
    expected = g_index(runs["SlotFilling"], "reference").value
    assert table.loc[("none", ""), "SlotFilling"] == pytest.approx(expected, abs=1e-3)


def test_an_answer_that_names_a_file_is_no_program(tmp_path):
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(sample("http", seed=1).program))
    flow, whole = read_answer(str(path))
    assert (len(flow), whole) == (0, False)


def test_index_is_that_of_the_formula(curriculum, tests):
    outcome = experiment(Oracle(tests), curriculum, tests, compute=3e5)
    omega = outcome.experiment.distances
    total = 0.0
    for task in tests:
        bracket = sum(
            1 / (1 + np.log2(6)) * np.exp(10 * omega.loc[task.domain, domain])
            / (1e-4 + np.log2(3e5 * 6 / 18))
            for domain in DOMAINS
        )  # fmt: skip
        total += np.sqrt(np.exp(12) * bracket) / len(tests)
    assert outcome.index.value == pytest.approx(total, rel=1e-12)


def test_a_saved_record_reads_back_in_the_authors_layout(curriculum, tests, tmp_path):
    outcome = experiment(SlotFilling(), curriculum, tests, path=tmp_path / "run.json", name="slots")
    written = json.loads((tmp_path / "run.json").read_text())
    keys = "model train_set test_set train_cost test_cost performance domain_distance input output"
    assert set(keys.split()) <= set(written)
    assert written["train_set"]["total"] == 18
    assert {"time", "compute"} <= set(written["train_cost"])
    assert written["performance"]["domains"][0].keys() >= {"name", "divergence", "perfects"}
    back = Experiment.read(tmp_path / "run.json")
    again = g_index(back, settings=Settings.of("exact", unit="FLOP"))
    assert again.value == pytest.approx(outcome.index.value, rel=1e-12)


LAYOUT = {  # the keys of the authors' experiments/GPT2-345M_1.json
    "": "complete domain_distance environment input model output performance test_cost test_set "
    "train_cost train_set",
    "train_set": "data total",
    "test_set": "data total",
    "train_cost": "compute time",
    "test_cost": "compute time",
    "performance": "divergence domains perfects",
}


def test_the_layout_has_every_key_of_the_authors(curriculum, tests):
    ours = experiment(SlotFilling(), curriculum, tests).to_dict()
    for part, keys in LAYOUT.items():
        assert set(keys.split()) <= set(ours[part] if part else ours), part


@pytest.mark.shared
def test_the_layout_is_that_of_a_public_run(shared):
    path = shared / "originals/g-index-benchmark/experiments/GPT2-345M_1.json"
    theirs = json.loads(path.read_text())
    for part, keys in LAYOUT.items():
        assert set(keys.split()) == set(theirs[part] if part else theirs), part


def test_learning_curves_add_samples_and_cost(tests):
    sizes = [corpus(n, DOMAINS, seed=1) for n in (1, 4, 16)]
    curve = learning_curve(SlotFilling, sizes, tests)
    assert curve["training_samples"].tolist() == [3, 12, 48]
    assert curve["operations"].is_monotonic_increasing
    assert curve["performance"].iloc[-1] >= curve["performance"].iloc[0]


def test_answers_are_read_whatever_a_model_puts_around_them():
    program = sample("http", seed=1).program
    text = json.dumps(program)
    for answer in (program, text, {"flow": program}):
        assert read_answer(answer)[1]
        assert len(read_answer(answer)[0]) == 4
    fenced = f"Sure! Here is the flow:\n```json\n{text}\n```\nEnjoy."
    flow, whole = read_answer(fenced)
    assert not whole
    assert float(divergence(flow, program)) == 0
    assert len(read_answer("I cannot do that.")[0]) == 0
    assert len(read_answer([{"id": "a", "type": "tab"}, {"id": 3}])[0]) == 1


def test_a_broken_program_scores_what_is_left_of_it():
    task = sample("gmail-send", seed=1)
    answers = [
        task.program,
        broken_json(task.program, seed=1),
        "",
        mutate(task.program, "attribute", seed=1),
    ]
    table = score_answers(answers, [task] * 4)
    assert table["whole"].tolist() == [True, False, False, True]
    assert table["perfect"].tolist() == [True, False, False, False]
    assert 0 < table["performance"][1] < 1
    assert table["performance"][2] == 0


@pytest.mark.parametrize("lines", [True, False])
def test_scoring_a_file_of_any_model(tmp_path, lines, tests):
    entries = [{"prompt": t.prompt, "generated": json.dumps(t.program)} for t in tests[:3]]
    entries[1] |= {"expected": tests[1].program, "domain": "mine"}
    text = "\n".join(map(json.dumps, entries)) if lines else json.dumps(entries)
    path = tmp_path / "answers.txt"
    path.write_text(text)
    table = score_programs(path, tests)
    assert table["perfect"].all()
    assert table["domain"].tolist() == ["http", "mine", "http"]


def test_recorded_answers_take_part_in_an_experiment(tmp_path, curriculum, tests):
    path = tmp_path / "answers.json"
    entries = [{"prompt": t.prompt, "generated": t.program} for t in tests]
    path.write_text(json.dumps(entries))
    outcome = experiment(Recorded(path), curriculum, tests, compute=1e9, name="a language model")
    assert outcome.skill == 1
    assert outcome.name == "a language model"


def test_corpus_documents_have_the_layout_of_the_published_programs():
    documents = corpus_documents(2, seed=1)
    assert len(documents) == 16
    assert all(len(files) == 2 for files in documents.values())
    assert documents["twitter"]["twitter-1.json"]["text"].endswith(
        corpus(2, ["twitter"], seed=1)[1].slots["topic"]
    )


def test_association_graph_holds_the_clique_that_the_divergence_found():
    a, b = (task.program for task in corpus(2, ["google-search"], seed=1))
    graph = association_graph(a, mutate(b, "missing wire", seed=1))
    result = divergence(a, mutate(b, "missing wire", seed=1))
    chosen = list(result.mapping.items())
    assert all(graph.has_edge(p, q) for k, p in enumerate(chosen) for q in chosen[k + 1 :])
    weight = sum(graph.nodes[pair]["weight"] for pair in chosen)
    assert 1 - weight**2 / 81 == pytest.approx(result.value, abs=1e-12)


def test_figures_of_programs_show_what_they_are_given():
    import matplotlib.pyplot as plt

    ax = plot_divergence_matrix(np.eye(4), ["a", "a", "b", "b"])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b"]
    table = pd.DataFrame({"model": ["m"] * 5, "characters": range(5), "skill": [1, 1, 0, 0, 0]})
    ax = plot_program_size(table, "skill")
    assert len(ax.collections[0].get_offsets()) == 5
    plt.close("all")


TASK = sample("http", seed=1)


def written(folder, text):
    path = folder / "answers.json"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: experiment(object(), [TASK], [TASK]), "system: no-method"),
        (lambda: experiment(Empty(), [], [TASK]), "curriculum: empty"),
        (lambda: experiment(Empty(), [TASK], "http"), "tests: empty"),
        (lambda: experiment(Empty(), [TASK.pair], [TASK]), "curriculum[0]: not-a-sample"),
        (lambda: experiment(Oracle([TASK]), [TASK], [TASK]), "system: no-operations"),
        (lambda: experiment(Oracle([TASK]), [TASK], [TASK], compute=0), "compute: out-of-range"),
        (lambda: experiment(Oracle([TASK]), [TASK], [TASK], compute=1), "compute: too-few-operations"),
        (lambda: experiment(Empty, [TASK], [TASK]), "system: is-a-class"),
        (lambda: experiment(Empty(), [TASK], [TASK], seed="x"), "seed: not-a-seed"),
        (lambda: experiment(Empty(), [TASK], [TASK], mode="fast"), "mode: not-an-option"),
        (lambda: learning_curve(SlotFilling(), [[TASK]], [TASK]), "system: not-a-class"),
        (lambda: score_answers([], [TASK]), "answers: wrong-length"),
        (lambda: plot_divergence_matrix(np.eye(2), ["a"]), "values: not-square"),
        (lambda: plot_program_size(pd.DataFrame({"model": [1]})), "table: no-column"),
        (lambda: plot_association([], []), "first, second: too-large"),
        (lambda: PromptSample("a", [{"id": "a"}], "d") and association_graph(3, 4), "nodes: not-a-list"),
    ],
)  # fmt: skip
def test_bad_input_is_told_with_a_remedy(call, message):
    with refused(message):
        call()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "file: empty"),
        ("", "file: empty"),
        ("[1]", "answers.json[0]: not-an-object"),
        ('[{"prompt": "a"}]', "answers.json[0]: missing-field"),
        ('[{"generated": "[]"}]', "answers.json[0]: missing-field"),
        ('[{"prompt": "a", "generated": "[]"}', "file: not-json"),
        ('{"prompt": "a", "generated": "[]"}\n{', "answers.json line 2: not-json"),
        ('[{"prompt": "a", "generated": "[]"}]', "entry 0: nothing-to-compare"),
    ],
)
def test_bad_files_of_answers_are_told_apart(tmp_path, text, message):
    with refused(message):
        score_programs(written(tmp_path, text))


def test_files_that_cannot_be_read_and_prompts_without_answer(tmp_path):
    with refused("file: not-found"):
        score_programs(tmp_path / "nothing.json")
    (tmp_path / "latin.json").write_bytes(b'["\xe9"]')
    with refused("file: wrong-encoding"):
        score_programs(tmp_path / "latin.json")
    path = written(tmp_path, '[{"prompt": "a", "generated": "[]"}]')
    with refused("prompt: no-answer"):
        Recorded(path).generate("b")
