"""Systems that learn: what each must be able to do, and what it must not."""

import json

import numpy as np
import pytest
from oracles.learning import Empty
from refusals import refused

from gindex_lab import (
    Composing,
    Lazy,
    NearestNeighbour,
    NGram,
    RandomNodes,
    RandomProgram,
    SlotFilling,
    TemplateInduction,
    composites,
    corpus,
)
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.worlds.learning.corpus import PromptSample, sample
from gindex_lab.worlds.learning.retrieval import TextIndex, changes, frame, substitute, tokens
from gindex_lab.worlds.learning.scoring import read_answer
from gindex_lab.worlds.learning.systems import System, check_pairs, program_tokens

SYSTEMS = [
    Empty,
    RandomProgram,
    RandomNodes,
    NearestNeighbour,
    SlotFilling,
    Composing,
    NGram,
    TemplateInduction,
]


@pytest.fixture(scope="module")
def pairs():
    return [task.pair for task in corpus(8, seed=1)]


def fitted(system, pairs):
    system.fit(pairs)
    return system


def performance(system, tasks):
    """Mean θ = 1 - Δ over tasks."""
    deltas = []
    for task in tasks:
        answer = system.generate(task.prompt)
        flow = Flow.salvage(answer) if isinstance(answer, str) else Flow(answer)
        deltas.append(float(divergence(flow, task.program)))
    return 1 - float(np.mean(deltas))


@pytest.mark.parametrize("make", SYSTEMS)
def test_every_system_answers_any_prompt_and_counts_what_it_spends(make, pairs):
    system = fitted(make(), pairs)
    assert isinstance(system, System)
    trained = system.operations
    assert trained >= len(pairs)
    for prompt in (pairs[0][0], "Something quite unheard of", "?"):
        answer = system.generate(prompt)
        assert isinstance(answer, (list, str))
    assert system.operations >= trained


@pytest.mark.parametrize("make", SYSTEMS)
def test_training_again_forgets_and_repeats_exactly(make, pairs):
    prompt = corpus(1, ["http"], seed=5)[0].prompt
    once = fitted(make(), pairs)
    first, spent = once.generate(prompt), once.operations
    again = fitted(make(), pairs[:3])
    again.fit(pairs)
    if not isinstance(again, (RandomProgram, NGram)):
        assert again.generate(prompt) == first
        assert again.operations == spent
    fresh = fitted(make(), pairs)
    assert fresh.generate(prompt) == first


@pytest.mark.parametrize("make", SYSTEMS)
def test_generating_leaves_the_curriculum_alone(make, pairs):
    before = json.dumps(pairs)
    system = fitted(make(), pairs)
    for prompt, _ in pairs[::16]:
        answer = system.generate(prompt)
        if isinstance(answer, list) and answer:
            answer[0]["type"] = "spoilt"
    assert json.dumps(pairs) == before


@pytest.mark.parametrize("make", [NearestNeighbour, SlotFilling, Composing, TemplateInduction])
@pytest.mark.slow
def test_a_task_of_the_curriculum_is_answered_perfectly_where_its_prompt_is_unique(make):
    tasks = corpus(1, seed=3)
    system = fitted(make(), [task.pair for task in tasks])
    assert performance(system, tasks) == 1


@pytest.mark.slow
def test_systems_rank_as_their_means_do(pairs):
    tests = corpus(2, seed=2)
    scores = {make.__name__: performance(fitted(make(), pairs), tests) for make in SYSTEMS}
    assert scores["Empty"] == 0
    assert scores["RandomNodes"] < scores["RandomProgram"] < scores["NearestNeighbour"]
    assert scores["NearestNeighbour"] < scores["SlotFilling"]
    assert scores["TemplateInduction"] > 0.9


def test_slot_filling_copies_what_the_prompt_says():
    system = fitted(SlotFilling(), [task.pair for task in corpus(12, ["gmail-send"], seed=1)])
    task = sample("gmail-send", seed=8, body="see you", subject="tea", email="a@b.example")
    assert "a@b.example" in json.dumps(system.generate(task.prompt))


def test_composing_joins_two_known_tasks_where_slot_filling_knows_one():
    pairs = [task.pair for task in corpus(10, seed=1)]
    tests = composites(10, seed=4)
    single, joined = fitted(SlotFilling(), pairs), fitted(Composing(), pairs)
    assert performance(joined, tests) > performance(single, tests) + 0.1


def test_templates_learn_what_only_examples_can_tell():
    tests = corpus(10, ["cron-schedule"], seed=2)
    few = fitted(TemplateInduction(), [t.pair for t in corpus(5, ["cron-schedule"], seed=1)])
    many = fitted(TemplateInduction(), [t.pair for t in corpus(400, ["cron-schedule"], seed=1)])
    assert performance(many, tests) > performance(few, tests)
    assert sum(many.generate(t.prompt)[0] == t.program[0] | {"id": "x"} for t in tests) == 0
    exact = sum(many.generate(t.prompt)[0]["expression"] == t.slots["expression"] for t in tests)
    assert exact >= 4


def test_a_longer_context_writes_better_programs(pairs):
    tests = corpus(1, seed=2)
    short, long = (fitted(NGram(order, seed=1), pairs) for order in (3, 24))
    assert performance(long, tests) > performance(short, tests) + 0.1


def test_a_small_window_cuts_large_programs_short(pairs):
    model = fitted(NGram(24, neighbours=4, window=200, seed=1), pairs)
    large = sample("gmail-send", seed=5)
    text = model.generate(large.prompt)
    assert len(program_tokens(large.program)) > 200
    with refused("nodes: not-json"):
        Flow(text)
    assert 0 < len(Flow.salvage(text)) < len(large.program)


def test_ngram_samples_by_seed_alone(pairs):
    prompt = pairs[0][0]
    texts = [fitted(NGram(8, seed=seed), pairs).generate(prompt) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_a_lazy_system_writes_the_same_programs_and_pays_when_asked(pairs):
    prompt = corpus(1, ["http"], seed=5)[0].prompt
    eager, lazy = fitted(SlotFilling(), pairs), fitted(Lazy(SlotFilling), pairs)
    assert lazy.operations == len(pairs) < eager.operations
    assert lazy.generate(prompt) == eager.generate(prompt)
    assert lazy.operations == len(pairs) + eager.operations


def test_program_tokens_keep_the_program():
    task = sample("http", seed=1)
    assert float(divergence(Flow("".join(program_tokens(task.program))), task.program)) == 0


def test_cosine_of_the_index_is_that_of_the_definition():
    texts = [["a", "b", "b"], ["b", "c"], ["c", "d", "e"]]
    index = TextIndex(texts)
    words = sorted({w for text in texts for w in text})
    count = np.array([[text.count(w) for w in words] for text in texts], float)
    weight = count * (1 + np.log((1 + 3) / (1 + (count > 0).sum(0))))
    weight /= np.linalg.norm(weight, axis=1, keepdims=True)
    for row, text in enumerate(texts):
        scores, visited = index.scores([text])
        np.testing.assert_allclose(scores[0], weight @ weight[row], atol=1e-12)
        assert visited == sum((count[:, words.index(word)] > 0).sum() for word in set(text))
    assert index.scores([["zzz"]])[0].tolist() == [[0, 0, 0]]


def test_changes_tell_old_from_new():
    old, new = "Play Tea for two on Youtube", "play Misty on Youtube, please"
    assert changes(old, new)[0] == [("Tea for two", "Misty")]
    assert changes(old, old)[0] == []


def test_frames_of_one_phrasing_are_equal():
    a, b = (sample("url-skill", seed=seed) for seed in (1, 2))
    frames = {tuple(frame(task.prompt)) for task in corpus(30, ["url-skill"], seed=1)}
    assert len(frames) == 3
    assert tokens(a.prompt) != tokens(b.prompt)


def test_substitution_leaves_numbers_numbers_and_parts_of_words_alone():
    node = {"id": "3", "type": "t", "n": 3, "flag": True, "text": "3 bananas and ban", "none": None}
    filled, _ = substitute([node], [("3", "12"), ("ban", "lift"), ("1", "9"), ("", "x")])
    assert filled == [node | {"n": 12, "text": "12 bananas and lift"}]


@pytest.mark.parametrize("make", SYSTEMS)
def test_wires_may_be_flat_null_or_absent(make):
    flat = [
        {"id": "a", "type": "in", "wires": ["bee"]},
        {"id": "bee", "type": "out", "wires": None},
    ]
    absent = [{"id": "x", "type": "in"}, {"id": "y", "type": "out"}]
    system = fitted(make(), [("Say 'one'", flat), ("Mail 'two'", absent)])
    both, one, two = (
        read_answer(system.generate(prompt))
        for prompt in ("Say 'one', then mail 'two'", "Say 'one'", "Mail 'two'")
    )
    assert all(whole for _, whole in (both, one, two))
    if make not in {Empty, RandomProgram, RandomNodes}:  # the others answer what they were taught
        assert [len(flow.wires) for flow, _ in (one, two)] == [1, 0]
        assert [len(flow) for flow, _ in (one, two)] == [2, 2]


@pytest.mark.shared
def test_systems_learn_from_the_published_programs_too(shared):
    files = sorted((shared / "originals" / "g-index-benchmark" / "domains").glob("*/*.json"))
    entries = [json.loads(path.read_text()) for path in files]
    pairs = [(entry["text"], entry["flow"]) for entry in entries[::2]]
    tests = [PromptSample(entry["text"], entry["flow"], "any") for entry in entries[1::2]]
    random, slots, templates = (
        performance(fitted(make(), pairs), tests) for make in (RandomProgram, SlotFilling, TemplateInduction)
    )
    assert random < 0.3 < 0.7 < slots
    assert templates > 0.7


PROGRAM = [{"id": "a", "type": "tab"}]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: check_pairs([]), "pairs: empty"),
        (lambda: check_pairs("abc"), "pairs: not-a-list"),
        (lambda: check_pairs({("a", "b")}), "pairs: not-a-list"),
        (lambda: check_pairs([corpus(1, ["http"])[0]]), "pairs[0]: not-a-pair"),
        (lambda: check_pairs([("a",)]), "pairs[0]: not-a-pair"),
        (lambda: check_pairs([("a", PROGRAM), ("", PROGRAM)]), "pairs[1]: no-prompt"),
        (lambda: check_pairs([(None, PROGRAM)]), "pairs[0]: no-prompt"),
        (lambda: check_pairs([("a", "[]")]), "pairs[0]: no-program"),
        (lambda: check_pairs([("a", [1])]), "pairs[0]: no-program"),
        (lambda: check_pairs([("a", [{"id": "x"}])]), "pairs[0]: missing-field"),
        (lambda: SlotFilling().generate("Play"), "prompt: not-trained"),
        (lambda: fitted(SlotFilling(), [("a", PROGRAM)]).generate(" "), "prompt: empty"),
        (lambda: fitted(Empty(), [("a", PROGRAM)]).generate(3), "prompt: empty"),
        (lambda: NGram(1), "order: out-of-range"),
        (lambda: NGram(4, neighbours=0), "neighbours: out-of-range"),
        (lambda: NGram(4, temperature=0), "temperature: out-of-range"),
        (lambda: NGram(4, window=0), "window: out-of-range"),
        (lambda: NGram(4, seed="one"), "seed: not-a-seed"),
        (lambda: RandomProgram(seed=None), "seed: not-a-seed"),
        (lambda: Composing(margin=2), "margin: out-of-range"),
    ],
)
def test_bad_input_is_told_with_a_remedy(call, message):
    with refused(message):
        call()
