"""The clique kernel on its own: right, resumable, and honest when stopped."""

from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest

from gindex_lab.measures.programs.cliques import new_stack, peel, search, still_open


class Clique(NamedTuple):
    """The heaviest clique found, and the weight that none exceeds: equal where it is proven."""

    members: tuple[int, ...]
    weight: int
    upper: int


def max_weight_clique(weights, edges, effort=2_000_000_000):
    """The search as a function of a graph: positive whole weights and a square of booleans."""
    count, order = len(weights), np.empty(len(weights), np.int64)
    peel(weights, as_bits(edges), count, order)
    stack = new_stack(count, count)
    proven = search(weights[order], as_bits(edges[order][:, order]), count, stack, 2**62, effort)
    found = int(stack.state[1])
    members = tuple(sorted(order[stack.best[: stack.state[2]]].tolist()))
    return Clique(members, found, found if proven else int(still_open(stack)))


def as_bits(edges):
    padded = np.zeros((len(edges), -(-len(edges) // 64) * 64), dtype=bool)
    padded[:, : len(edges)] = edges
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


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
    bits = as_bits(edges)
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


def test_a_graph_written_out_by_hand():
    edges = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]], dtype=bool)
    assert max_weight_clique(np.array([1, 1, 1, 5]), edges) == ((2, 3), 6, 6)
