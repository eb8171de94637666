"""The clique kernel on its own: right, resumable, and honest when stopped."""

import networkx as nx
import numpy as np
import pytest
from refusals import refused

from gindex_lab.measures.programs.cliques import max_weight_clique, new_stack, search, still_open


def random_graph(rng, vertices, density, heaviest=50):
    edges = np.triu(rng.random((vertices, vertices)) < density, 1)
    return rng.integers(1, heaviest + 1, vertices), edges | edges.T


def networkx_weight(weights, edges):
    graph = nx.from_numpy_array(edges)
    nx.set_node_attributes(graph, {k: int(w) for k, w in enumerate(weights)}, "weight")
    return nx.max_weight_clique(graph)[1]


@pytest.mark.parametrize("density", [0.0, 0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("heaviest", [1, 50, 10**15])
def test_equals_networkx(density, heaviest):
    rng = np.random.default_rng(int(density * 10))
    for vertices in (1, 5, 20, 63, 64, 65, 70):
        if density >= 0.8 and vertices > 40:
            vertices //= 2
        weights, edges = random_graph(rng, vertices, density, heaviest)
        found = max_weight_clique(weights, edges)
        assert found.weight == found.upper == networkx_weight(weights, edges)
        assert found.weight == sum(int(weights[v]) for v in found.members)
        assert all(edges[u, v] for u in found.members for v in found.members if u != v)


def test_stopped_search_brackets_the_truth_and_goes_on():
    rng = np.random.default_rng(1)
    weights, edges = random_graph(rng, 150, 0.7)
    truth = max_weight_clique(weights, edges)
    assert truth.weight == truth.upper
    padded = np.zeros((150, 192), dtype=bool)
    padded[:, :150] = edges
    bits = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    stack = new_stack(150, 150)
    assert still_open(stack) > weights.sum()  # nothing is certain before the search begins
    uppers, lowers, complete = [], [], False
    while not complete:
        complete = search(weights, bits, 150, stack, 2**62, 200_000)
        uppers.append(int(still_open(stack)) if not complete else int(stack.state[1]))
        lowers.append(int(stack.state[1]))
    assert len(uppers) > 3
    assert all(low <= truth.weight <= high for low, high in zip(lowers, uppers, strict=True))
    assert lowers == sorted(lowers)
    assert uppers == sorted(uppers, reverse=True)
    assert lowers[-1] == truth.weight


def test_small_effort_gives_bounds():
    weights, edges = random_graph(np.random.default_rng(2), 200, 0.8)
    found = max_weight_clique(weights, edges, effort=50_000)
    assert 0 < found.weight < found.upper <= weights.sum()


@pytest.mark.parametrize(
    ("weights", "adjacency", "message"),
    [
        ([1, 1], [[0, 1], [0, 0]], "adjacency: not-symmetric"),
        ([1, 1], [[1, 1], [1, 0]], "adjacency: not-symmetric"),
        ([1], [[0, 1], [1, 0]], "adjacency: not-symmetric"),
        ([0, 1], [[0, 1], [1, 0]], "weights: not-positive"),
        ([], np.zeros((0, 0)), "weights: not-positive"),
    ],
)
def test_bad_graphs_are_refused(weights, adjacency, message):
    with refused(message):
        max_weight_clique(weights, adjacency)
