"""How fast is the divergence, against a plain networkx implementation of the same definition?

Everything runs on one core in one process, compiled code warmed up first, and times are of that process
alone, so that other work on the machine does not count. The peer builds the association graph with networkx
and calls `networkx.max_weight_clique`, exact like ours. The public sample of programs is taken from
$GINDEX_LAB_SHARED or the data sets if it is there, else 32 programs of our own corpus stand in.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from benchmarks.rows import Row, best_time, curve, race, within
from gindex_lab.foundation.errors import GIndexLabError
from gindex_lab.measures.programs.comparison import compare
from gindex_lab.measures.programs.divergence import divergence
from gindex_lab.measures.programs.encode import Rules
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.measures.programs.neighbours import nearest_many

__all__ = ["plain_divergence", "run"]

PROGRAMS, ROUNDS = 5_000, 7
SIZES = (10, 20, 40, 80, 160, 320)


def plain_divergence(a: nx.DiGraph, b: nx.DiGraph, mode: str) -> float:
    """Δ as the spec says it, with networkx and nothing else, from graphs with types and attributes."""
    graph = nx.Graph()
    for i, v in a.nodes(data=True):
        for j, w in b.nodes(data=True):
            weight = _plain_similarity(v, w, mode)
            if weight > 0:
                graph.add_node((i, j), weight=weight)
    for (i, j), (k, m) in combinations(list(graph), 2):
        if i != k and j != m:
            forth = a.has_edge(i, k) == b.has_edge(j, m)
            back = a.has_edge(k, i) == b.has_edge(m, j)
            if (forth and back) if mode == "exact" else (forth or back):
                graph.add_edge((i, j), (k, m))
    _, best = nx.max_weight_clique(graph) if len(graph) else ([], 0)
    return float(1 - (best / 360360) ** 2 / (len(a) * len(b)))


def _plain_similarity(v: Row, w: Row, mode: str) -> int:
    if v["type"] != w["type"]:
        return 0
    mine, theirs = v["attributes"], w["attributes"]
    keys = set(mine) if mode == "reference" else set(mine) | set(theirs)
    equal = sum(mine.get(key) == theirs.get(key) for key in keys)
    return round(360360 * equal / len(keys)) if keys else 360360


def sample_programs() -> tuple[str, list[list[Row]]]:
    """The public sample (32 programs), or as many of our own corpus."""
    shared = Path(os.environ.get("GINDEX_LAB_SHARED", Path(__file__).parents[2] / "shared"))
    files = sorted(shared.glob("originals/g-index-benchmark/domains/*/*.json"))
    if files:
        return "public sample", [[dict(n) for n in Flow.read(path)] for path in files]
    from gindex_lab.studies.data.loading import load

    try:
        found = load("g-index-programs", download=False)
    except GIndexLabError:
        from gindex_lab.worlds.learning.corpus import corpus

        return "32 of our corpus", [task.program for task in corpus(2, seed=1)]
    return "public sample", [flow["flow"] for group in found.values() for flow in group.values()]


def random_program(rng: np.random.Generator, nodes: int, types: int) -> list[Row]:
    """A sparse random DAG with six attributes of three values a node."""
    return [
        {
            "id": f"n{k}",
            "type": f"t{rng.integers(types)}",
            "wires": [[f"n{m}" for m in range(k + 1, nodes) if rng.random() < 2 / nodes]],
            **{key: int(rng.integers(3)) for key in "pqrstu"},
        }
        for k in range(nodes)
    ]


def _fresh_times(call: Callable[[list[Flow]], Any], programs: list[list[Row]]) -> list[float]:
    """Times of 50 calls, each on flows that it has never seen, made off the clock."""
    times = []
    for _ in range(50):
        flows = [Flow(program) for program in programs]
        start = time.process_time()
        call(flows)
        times.append(time.process_time() - start)
    return times


def _sample_rows() -> list[Row]:
    """All ordered pairs of the sample, in turns with the peer so that both meet the same machine.

    Timed is the way from flows to the matrix: ours encodes them anew in each run, while the peer's graphs
    are built off the clock. The ratio is that of the best times; that of the medians is told too, and is
    lower on a busy machine, where a run of a millisecond starts with cold caches.
    """
    name, programs = sample_programs()
    graphs = [Flow(program).to_networkx() for program in programs]
    rows = []
    for mode in ("reference", "exact"):
        rules = Rules.of(mode)
        values = compare([Flow(program) for program in programs], mode=rules).values
        ours: list[float] = []
        peers: list[float] = []
        for _ in range(ROUNDS):
            start = time.process_time()
            peer = [[plain_divergence(a, b, mode) for b in graphs] for a in graphs]
            peers.append(time.process_time() - start)
            ours += _fresh_times(lambda flows, r=rules: compare(flows, mode=r), programs)  # type: ignore[misc]
        usual = np.median(peers) / np.median(ours)
        rows.append(
            race(
                f"{len(programs) ** 2} ordered pairs, {name}, {mode}, encoding included",
                min(ours),
                min(peers),
                "networkx, graphs ready",
                goal=100 if mode == "reference" else None,
                note=f"best of {len(ours)} and {ROUNDS} runs; ratio of medians {usual:.0f}; "
                f"largest difference {np.abs(values - np.array(peer)).max():.0e}",
            )
        )
    return rows


def _clique_rows() -> list[Row]:
    """Random pairs in exact mode: all pairs of two lists in a batch, and one pair at a time."""
    rows = []
    for nodes, types, count in ((6, 2, 40), (10, 3, 16), (14, 3, 6), (20, 4, 4)):
        rng = np.random.default_rng(nodes)
        programs = [random_program(rng, nodes, types) for _ in range(2 * count)]
        graphs = [Flow(program).to_networkx() for program in programs]
        flows = [Flow(program) for program in programs]
        left, right = flows[:count], flows[count:]

        def peer(one: list[Any] = graphs[:count], two: list[Any] = graphs[count:]) -> Any:
            return [[plain_divergence(a, b, "exact") for b in two] for a in one]

        assert np.allclose(compare(left, right).values, peer(), atol=1e-12, rtol=0)
        slow = best_time(peer, 2) / count**2
        batch = best_time(lambda x=left, y=right: compare(x, y)) / count**2  # type: ignore[misc]
        alone = best_time(lambda x=left[0], y=right[0]: divergence(x, y), 20)  # type: ignore[misc]
        rows.append(
            race(
                f"{count**2} pairs of {nodes} nodes, {types} types, exact, in a batch",
                batch,
                slow,
                "networkx",
                goal=50,
                note=f"seconds a pair; one pair alone, mapping included: {alone * 1e6:.0f} µs",
            )
        )
    return rows


def _corpus_rows() -> list[Row]:
    """All pairs of a corpus of 5,000 programs, and nearest neighbours of 500 in the other 4,500."""
    from gindex_lab.worlds.learning.corpus import corpus

    programs = [task.program for task in corpus(-(-PROGRAMS // 16), seed=1)][:PROGRAMS]
    flows = [Flow(program) for program in programs]
    rows = []
    for mode, target in (("reference", 200_000), ("exact", 100_000)):
        start = time.process_time()
        result = compare(flows, mode=mode)  # type: ignore[arg-type]
        seconds = time.process_time() - start
        pairs = sum(n for how, n in result.decided.items() if how != "copy")
        decided = ", ".join(f"{how} {n / pairs:.2%}" for how, n in result.decided.items())
        rows.append(
            within(
                f"all pairs of {len(flows):,} programs, {mode}, encoding included",
                seconds,
                pairs / target,
                f"{target:,} distinct pairs/s",
                unit="s",
                note=f"{pairs / seconds:,.0f} distinct pairs/s of {pairs:,}; decided by {decided}",
            )
        )
    order = np.random.default_rng(1).permutation(len(flows))
    queries, known = ([flows[k] for k in part] for part in (order[:500], order[500:]))
    start = time.process_time()
    found = nearest_many(queries, known)
    seconds = time.process_time() - start
    rows.append(
        within(
            f"nearest of {len(known):,} for each of {len(queries)}, exact",
            found.evaluated / found.pairs,
            0.05,
            "a twentieth of the pairs evaluated",
            unit="of the pairs",
            note=f"{seconds:.2f} s; {found.weighed / found.pairs:.2%} had their nodes compared",
        )
    )
    return rows


def _growth_rows() -> list[Row]:
    """Time against size, and from where on only an interval is certain within two seconds."""
    return [
        _growth(0.2, "exact Δ, a type for every 5 nodes"),
        _growth(0.0, "exact Δ, all nodes of one type"),
    ]


def _growth(types_per_node: float, name: str, each: int = 3) -> Row:
    times, widths = [], []
    for nodes in SIZES:
        rng = np.random.default_rng(nodes)
        types = max(1, round(nodes * types_per_node))
        spent, open_by = [], []
        for _ in range(each):
            a, b = (Flow(random_program(rng, nodes, types)) for _ in range(2))
            start = time.process_time()
            result = divergence(a, b, seconds=2)
            spent.append(time.process_time() - start)
            open_by.append(result.upper - result.lower)
        times.append(float(np.median(spent)))
        widths.append(max(open_by))
    proven = [width == 0 for width in widths]
    told = ", ".join(f"{n}: {w:.2f}" for n, w in zip(SIZES, widths, strict=True) if w)
    note = f"widest interval at {told}" if told else ""
    return curve(name, SIZES, times, "nodes", note=note, proven=proven)


def run() -> list[Row]:
    """All rows; compiled code is loaded before the first clock starts."""
    small = [Flow(random_program(np.random.default_rng(k), 8, 2)) for k in range(4)]
    for mode in ("exact", "reference"):
        compare(small, mode=Rules.of(mode))
        divergence(small[0], small[1], mode=Rules.of(mode))
    nearest_many(small, small)
    return _sample_rows() + _clique_rows() + _corpus_rows() + _growth_rows()
