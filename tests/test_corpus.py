"""Our corpus: the sizes of Table 2, the types of Table 3, and samples that never depend on how many there are."""

import json
import re

import numpy as np
import pytest
from oracles.learning import broken_json
from refusals import refused

from gindex_lab import composites, corpus, mutate, nearest, pairwise
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.worlds.learning.corpus import DOMAINS, compose, domain_names, sample
from gindex_lab.worlds.learning.programs import MUTATIONS, join_programs, renamed

TABLE_2_NODES = {  # g-index paper, Appendix A, Table 2
    "template-slider": 6,
    "template-form": 5,
    "cron-reminder": 3,
    "cron-schedule": 3,
    "facebook": 8,
    "gmail-send": 12,
    "google-search": 9,
    "googlesearch-to-csv": 12,
    "http": 4,
    "telegram-2-reply": 8,
    "telegram-3-reply": 10,
    "twitter": 4,
    "url-skill": 4,
    "youtube-pause": 3,
    "youtube-play": 9,
    "youtube-resume": 3,
}
TABLE_3_TYPES = set(  # Appendix B, Table 3
    """inject|debug|complete|catch|status|link in|link out|comment|function|switch|change|range|template
    |delay|trigger|exec|filter|mqtt in|mqtt out|http in|http response|http request|websocket in
    |websocket out|tcp in|tcp out|tcp request|udp in|udp out|split|join|sort|batch|csv|html|json|xml|yaml
    |file|file in|watch|button|dropdown|slider|numeric|text input|date picker|colour picker|form|text
    |gauge|chart|audio out|notification|open|click|type|press|execute function|find tab|scrape|query
    |bookmark|play|search|schedule-trigger|open-target|file-search|desktop-notify""".replace(
        "\n    ", ""
    ).split("|")
)


@pytest.fixture(scope="module")
def tasks():
    return corpus(5, seed=1)


def test_domains_are_those_of_table_2_with_its_node_counts():
    assert domain_names() == list(TABLE_2_NODES)
    sizes = {task.domain: len(task.program) for task in corpus(1, seed=9)}
    assert sizes == TABLE_2_NODES


def test_node_types_are_those_of_table_3_and_the_tab(tasks):
    used = {node["type"] for task in tasks for node in task.program}
    assert used - {"tab"} <= TABLE_3_TYPES
    assert all([n["type"] for n in task.program].count("tab") == 1 for task in tasks)


def test_nodes_of_one_type_have_the_same_keys(tasks):
    keys = {}
    for task in tasks:
        for node in task.program:
            assert keys.setdefault(node["type"], set(node)) == set(node), node["type"]


def test_programs_are_dags_with_every_wire_ending_in_a_node(tasks):
    for task in tasks:
        flow = Flow(task.program)
        assert flow.is_dag, task.domain
        assert not flow.dangling, task.domain
        assert len(flow.wires) >= 1, task.domain


def test_ids_are_fresh_in_every_sample(tasks):
    ids = [node["id"] for task in tasks for node in task.program]
    assert len(set(ids)) == len(ids)
    homes = {(task.program[-1]["id"], node.get("z", "")) for task in tasks for node in task.program}
    assert all(home in ("", tab) for tab, home in homes)


def test_every_slot_of_the_prompt_shows_in_the_program():
    other = {task.domain: task for task in corpus(1, seed=2)}
    for task in corpus(1, seed=1):
        first, second = json.dumps(task.program), json.dumps(other[task.domain].program)
        hexless = [re.sub(r'"[0-9a-f]{16}"', "", text) for text in (first, second)]
        assert (hexless[0] == hexless[1]) == (not DOMAINS[task.domain]["slots"]), task.domain
        for slot, value in task.slots.items():
            if slot not in ("schedule", "fields", "verb"):
                assert json.dumps(value)[1:-1] in first, (task.domain, slot)


def test_a_larger_corpus_begins_with_the_smaller_one():
    small, large = corpus(2, ["http", "twitter"], seed=3), corpus(4, ["twitter", "http"], seed=3)
    assert [t for t in large if t.domain == "http"][:2] == [t for t in small if t.domain == "http"]


def test_same_seed_same_corpus_and_another_seed_another():
    assert corpus(2, seed=1) == corpus(2, seed=1)
    assert corpus(2, seed=1)[0] != corpus(2, seed=2)[0]
    assert corpus(1, seed=np.random.default_rng(5)) == corpus(1, seed=np.random.default_rng(5))


@pytest.mark.parametrize(
    ("said", "cron"),
    [
        ("every minute", "*"),
        (r"every (\d+) minutes", r"\*/\1"),
        (r"at (\d+) minutes past the hour", r"\1"),
        (r"minutes (\d+) through (\d+) past the hour", r"\1-\2"),
    ],
)
def test_schedules_say_in_english_what_cron_says_in_fields(said, cron):
    hits = 0
    for task in corpus(60, ["cron-schedule"], seed=4):
        first = task.slots["schedule"].split(", ")[0]
        match = re.fullmatch(said, first)
        if match:
            hits += 1
            assert task.slots["expression"].split()[0] == match.expand(cron).replace("\\", "")
            assert task.program[0]["expression"] == task.slots["expression"]
    assert hits >= 5


def test_hours_months_and_weekdays_of_a_schedule():
    months, days = {}, {}
    for task in corpus(200, ["cron-reminder"], seed=4):
        said, (_, hour, _, month, day) = task.slots["schedule"], task.slots["expression"].split()
        clock = re.search(r"between (\d+):00 (AM|PM) and (\d+):59 (AM|PM)", said)
        twelve = lambda h, half: int(h) % 12 + 12 * (half == "PM")
        expected = f"{twelve(*clock.group(1, 2))}-{twelve(*clock.group(3, 4))}" if clock else "*"
        assert hour == expected
        months |= dict.fromkeys(re.findall(r"only in (\w+)", said), month)
        days |= dict.fromkeys(re.findall(r"only on (\w+)", said), day)
    assert months["January"] == "1"
    assert months["December"] == "12"
    assert days["Sunday"] == "0"
    assert days["Saturday"] == "6"


@pytest.mark.slow
def test_programs_of_one_domain_are_close_and_of_two_domains_far(tasks):
    matrix = np.asarray(pairwise([task.program for task in tasks]))
    names = np.array([task.domain for task in tasks])
    for name in domain_names():
        own, rest = names == name, names != name
        inside = matrix[np.ix_(own, own)][~np.eye(own.sum(), dtype=bool)]
        assert inside.mean() <= 0.15, name  # section 2.5: closer than about 0.15
        assert matrix[np.ix_(own, rest)].min() > inside.max(), name


@pytest.mark.slow
def test_composites_lie_in_the_middle_of_the_scale():
    curriculum = [task.program for task in corpus(10, seed=1)]
    distances = [nearest(task.program, curriculum)[1] for task in composites(12, seed=2)]
    assert 0.4 <= np.mean(distances) <= 0.7  # level 2, section 3.3
    assert min(distances) > 0.15


def test_a_composite_joins_both_parts_on_one_tab():
    a, b = corpus(1, ["google-search", "http"], seed=1)
    joined = compose(a, b, seed=1)
    flow = Flow(joined.program)
    assert len(flow) == 9 + 4 - 1
    assert len(flow.wires) == len(Flow(a.program).wires) + len(Flow(b.program).wires) + 1
    assert flow.is_dag
    assert a.prompt in joined.prompt
    assert len({node["z"] for node in joined.program if "z" in node}) == 1


def test_joining_leaves_the_parts_as_they_were():
    a, b = (task.program for task in corpus(1, ["http", "twitter"], seed=1))
    before = json.dumps([a, b])
    join_programs(a, b)
    assert json.dumps([a, b]) == before


def test_renaming_changes_no_divergence():
    for task in corpus(1, seed=1):
        assert float(divergence(task.program, renamed(task.program, seed=7))) == 0


@pytest.mark.parametrize("kind", MUTATIONS)
@pytest.mark.parametrize("domain", ["http", "gmail-send", "template-slider"])
def test_exact_divergence_sees_every_mutation(kind, domain):
    program = sample(domain, seed=1).program
    before = json.dumps(program)
    changed = mutate(program, kind, seed=2)
    assert json.dumps(program) == before, "the original is left alone"
    assert float(divergence(program, changed)) > 0
    assert mutate(program, kind, seed=2) == changed


def test_reference_divergence_overlooks_a_missing_wire():
    program = sample("http", seed=1).program
    changed = mutate(program, "missing wire", seed=1)
    assert float(divergence(program, changed, mode="reference")) == 0
    assert float(divergence(program, mutate(program, "attribute", seed=1), mode="reference")) > 0


def test_broken_json_does_not_parse_but_can_be_salvaged():
    program = sample("gmail-send", seed=1).program
    text = broken_json(program, seed=1, keep=0.6)
    with refused("nodes: not-json"):
        Flow(text)
    saved = Flow.salvage(text)
    assert 4 <= len(saved) < len(program)
    assert 0 < float(divergence(saved, program)) < 1


@pytest.mark.slow
@pytest.mark.shared
def test_no_program_is_one_of_the_authors(shared):
    files = sorted((shared / "originals" / "g-index-benchmark" / "domains").glob("*/*.json"))
    theirs = [json.loads(path.read_text()) for path in files]
    assert len(theirs) == 32
    texts = {entry["text"].strip().lower() for entry in theirs}
    for task in corpus(2, seed=1):
        assert task.domain.startswith("youtube") or task.prompt.lower() not in texts
        assert nearest(task.program, [entry["flow"] for entry in theirs])[1] > 0.3, task.domain


PROGRAM = [{"id": "a", "type": "tab"}]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: corpus(0), "n_per_domain: out-of-range"),
        (lambda: corpus(2.5), "n_per_domain: not-a-whole-number"),
        (lambda: corpus("many"), "n_per_domain: not-a-whole-number"),
        (lambda: corpus(1, ["http", "gopher"]), "domains: not-an-option"),
        (lambda: corpus(1, []), "domains: empty"),
        (lambda: corpus(1, seed=-1), "seed: not-a-seed"),
        (lambda: corpus(1, seed=None), "seed: not-a-seed"),
        (lambda: sample("telegram", seed=1), "domains: not-an-option"),
        (
            lambda: sample("http", seed=1, port=80),
            "port: not-a-slot",
        ),
        (lambda: sample("youtube-pause", seed=1, title="x"), "title: not-a-slot"),
        (lambda: composites(0), "n: out-of-range"),
        (lambda: composites(2, seed="x"), "seed: not-a-seed"),
        (lambda: mutate(PROGRAM, "typo", seed=1), "kind: not-an-option"),
        (lambda: mutate([], "attribute", seed=1), "program: no-node"),
        (lambda: mutate(PROGRAM, "attribute", seed=1), "program: no-attribute"),
        (lambda: mutate(PROGRAM, "missing wire", seed=1), "program: no-wire"),
        (lambda: mutate(PROGRAM, "reversed wire", seed=1), "program: no-wire"),
        (lambda: broken_json(PROGRAM, seed=1, keep=1), "keep: out-of-range"),
        (lambda: broken_json(PROGRAM, seed=1.5), "seed: not-a-seed"),
    ],
)
def test_bad_input_is_told_with_a_remedy(call, message):
    with refused(message):
        call()
