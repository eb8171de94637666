"""Domains: Ω and its matrix against the authors' numbers, and clustering."""

import json

import numpy as np
import pytest
from loops import looped
from refusals import refused

from gindex_lab.measures.programs.domains import (
    NOTEBOOK_ORDER,
    domain_distance,
    domain_distances,
    omega,
    read_programs,
    task_domains,
)
from gindex_lab.measures.programs.encode import Rules
from gindex_lab.measures.programs.flows import Flow

CSV, TAB = [{"id": "a", "type": "csv", "sep": ","}], [{"id": "a", "type": "tab"}]
REFERENCE_UNROUNDED = Rules.of("reference")


@pytest.fixture(scope="module")
def golden(shared):
    return json.loads((shared / "golden/gindex/domain_distance_8_domains.json").read_text())


@pytest.fixture(scope="module")
def programs(shared):
    return read_programs(shared / "originals/g-index-benchmark/domains")


@pytest.mark.shared
def test_rounded_distances_are_the_authors(golden, programs):
    names = golden["domains"]
    assert golden["reference_order_of_all_16_domains"] == list(NOTEBOOK_ORDER)
    found = domain_distances(programs, "reference", cached=False)
    assert np.array_equal(found.loc[names, names].to_numpy(), golden["rounded"])
    single = [[domain_distance(programs[a], programs[b], "reference") for b in names] for a in names]
    assert np.array_equal(single, golden["rounded"])


@pytest.mark.shared
@looped(("key", "exclude"), [("unrounded", False), ("leave_one_out", True)])
def test_unrounded_distances_are_the_authors(golden, programs, key, exclude):
    names = golden["domains"]
    found = domain_distances(programs, REFERENCE_UNROUNDED, exclude_self=exclude)
    assert np.abs(found.loc[names, names].to_numpy() - golden[key]).max() < 1e-12
    one = domain_distance(programs[names[0]], programs[names[0]], REFERENCE_UNROUNDED, exclude_self=exclude)
    assert one == pytest.approx(golden[key][0][0], abs=1e-12)


@pytest.mark.shared
def test_eleven_pairs_of_domains_are_asymmetric_and_all_involve_the_slider(programs):
    found = domain_distances(programs, "reference", cached=False)
    uneven = [
        (a, b)
        for k, a in enumerate(found.index)
        for b in found.columns[:k]
        if found.loc[a, b] != found.loc[b, a]
    ]
    assert len(uneven) == 11
    assert all("template-slider" in pair for pair in uneven)
    kept = domain_distances(programs, "reference")
    assert np.array_equal(kept, kept.T)
    other = domain_distances(programs, "reference", order=sorted(programs))
    assert not np.array_equal(kept.loc[other.index, other.index], other)


@pytest.mark.shared
def test_sample_programs_form_twenty_domains_not_sixteen(programs):
    flows = [flow for group in programs.values() for flow in group]
    labels = {
        link: task_domains(flows, linkage=link, mode="reference")
        for link in ("average", "single", "complete")
    }
    assert all(len(set(found)) == 20 for found in labels.values())
    names = [name for name, group in programs.items() for _ in group]
    merged = {
        label: {n for n, k in zip(names, labels["average"], strict=True) if k == label}
        for label in set(labels["average"])
    }
    assert [group for group in merged.values() if len(group) > 1] == [{"youtube-pause", "youtube-resume"}]


def test_distance_has_a_direction_and_leaves_a_task_out_of_its_own_domain():
    assert domain_distance([CSV], [CSV, TAB]) == 0
    assert domain_distance([CSV, TAB], [CSV]) == 0.5
    assert domain_distance([CSV, TAB], [CSV, TAB]) == 1
    assert domain_distance([CSV, TAB], [CSV, TAB], exclude_self=False) == 0
    assert domain_distance([CSV, TAB], [CSV, TAB], "reference") == 0
    assert omega(CSV, [TAB, CSV]) == 0


def test_matrix_agrees_with_one_pair_at_a_time():
    rng = np.random.default_rng(1)
    groups = {
        name: [
            Flow(
                [
                    {"id": str(k), "type": f"t{rng.integers(3)}", "p": int(rng.integers(3))}
                    for k in range(rng.integers(1, 6))
                ],
                name=f"{name}{m}",
            )
            for m in range(3)
        ]
        for name in "abc"
    }
    table = domain_distances(groups)
    for a in "abc":
        for b in "abc":
            assert table.loc[a, b] == pytest.approx(domain_distance(groups[a], groups[b]), abs=1e-15)


def test_domains_are_numbered_in_order_of_appearance_and_follow_the_threshold():
    close = np.array([[0, 0.9, 0.1], [0.9, 0, 0.9], [0.1, 0.9, 0]])
    assert task_domains(distances=close).tolist() == [0, 1, 0]
    assert task_domains(distances=close, threshold=0.05).tolist() == [0, 1, 2]
    assert task_domains(distances=close, threshold=1).tolist() == [0, 0, 0]
    assert task_domains([CSV]).tolist() == [0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: domain_distance([], [CSV]), "tasks: empty"),
        (lambda: domain_distance([CSV], []), "curriculum: empty"),
        (lambda: domain_distances({}), "programs: empty"),
        (lambda: domain_distances({"a": []}), "programs: empty"),
        (lambda: domain_distances({"a": 3}), "programs: not-a-list"),
        (lambda: domain_distances(3), "programs: not-a-mapping"),
        (lambda: read_programs("/no/such/folder"), "programs: empty"),
        (lambda: task_domains([]), "distances: not-square"),
        (lambda: task_domains(distances=np.zeros((2, 3))), "distances: not-square"),
        (lambda: task_domains([CSV], 1.5), "threshold: out-of-range"),
        (lambda: task_domains([CSV], linkage="ward"), "linkage: not-an-option"),
    ],
)
def test_bad_domains_say_what_to_do(call, message):
    with refused(message):
        call()


def test_a_domain_may_be_a_folder_and_one_program_is_told(tmp_path):
    for k, separator in enumerate(",;"):
        Flow([{"id": "a", "type": "csv", "sep": separator}]).to_json(tmp_path / f"{k}.json")
    assert domain_distance(tmp_path, str(tmp_path)) == 1.0
    with refused("tasks: not-programs"):
        domain_distance(tmp_path / "0.json", tmp_path)
    with refused("curriculum: not-programs"):
        domain_distance(tmp_path, None)
