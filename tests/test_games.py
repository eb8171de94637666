"""Connect four: the compiled rules against plain Python ones, the search against a search without
cut-offs, and a tournament that is the same every time."""

import itertools

import numpy as np
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.studies.own_experiments.games import (
    PLAYERS,
    Player,
    _negamax_values,
    has_four,
    play_games,
    round_robin,
    threats,
)

LINES = [
    [(x + k * dx, y + k * dy) for k in range(4)]
    for x, y, (dx, dy) in itertools.product(range(7), range(6), [(1, 0), (0, 1), (1, 1), (1, -1)])
    if 0 <= x + 3 * dx < 7 and 0 <= y + 3 * dy < 6
]


def bits(cells):
    return sum(1 << (7 * x + y) for x, y in cells)


def plain_four(cells):
    return any(all(cell in cells for cell in line) for line in LINES)


def random_position(rng, stones):
    """Both sides' cells after some random moves, whoever may have won meanwhile."""
    heights, sides = [0] * 7, (set(), set())
    for k in range(stones):
        x = rng.choice([x for x in range(7) if heights[x] < 6])
        sides[k % 2].add((int(x), heights[x]))
        heights[x] += 1
    return sides[stones % 2], sides[1 - stones % 2]


def test_there_are_69_lines_of_four():
    assert len(LINES) == 69
    assert all(has_four(bits(line)) for line in LINES)
    assert not any(has_four(bits(line[:3])) for line in LINES)


def test_four_in_a_line_is_seen_as_in_plain_python():
    rng = np.random.default_rng(1)
    for stones in rng.integers(6, 43, 300):
        for cells in random_position(rng, int(stones)):
            assert has_four(bits(cells)) == plain_four(cells)


def test_threats_are_the_empty_cells_that_would_complete_a_line():
    rng = np.random.default_rng(2)
    board = set(itertools.product(range(7), range(6)))
    for stones in rng.integers(4, 36, 200):
        mine, theirs = random_position(rng, int(stones))
        empty = board - mine - theirs
        expected = sum(any(cell in line and set(line) - {cell} <= mine for line in LINES) for cell in empty)
        assert threats(bits(mine), bits(mine | theirs)) == expected


def plain_value(mine, theirs, depth):
    """Negamax without cut-offs, on sets of cells."""
    filled = mine | theirs
    moves = [(x, h) for x in range(7) if (h := sum(c[0] == x for c in filled)) < 6]
    if not moves:
        return 0
    if any(plain_four(mine | {move}) for move in moves):
        return 1000 + depth
    if depth <= 1:
        both = bits(filled)
        return threats(bits(mine), both) - threats(bits(theirs), both)
    return max(-plain_value(theirs, mine | {move}, depth - 1) for move in moves)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_the_search_with_cut_offs_finds_the_same_best_moves(depth):
    rng = np.random.default_rng(depth)
    for stones in rng.integers(4, 30, 12):
        mine, theirs = random_position(rng, int(stones))
        if plain_four(mine) or plain_four(theirs):
            continue
        values = np.full(7, -np.inf)
        _negamax_values(bits(mine), bits(mine | theirs), depth, values)
        heights = [sum(c[0] == x for c in mine | theirs) for x in range(7)]
        plain = [
            -np.inf
            if heights[x] == 6
            else 1000 + depth
            if plain_four(mine | {(x, heights[x])})
            else -plain_value(theirs, mine | {(x, heights[x])}, depth - 1)
            for x in range(7)
        ]
        assert np.flatnonzero(values == values.max()).tolist() == [
            x for x in range(7) if plain[x] == max(plain)
        ]
        assert values.max() == max(plain)


def test_who_looks_further_wins_more():
    strong, weak = Player("negamax", 5), Player("negamax", 2)
    assert np.mean(play_games(strong, weak, games=20, seed=1)) > 0.8
    assert np.mean(play_games(Player("greedy"), Player("random"), games=20, seed=1)) > 0.7
    many, few = Player("monte carlo", 100), Player("monte carlo", 3)
    assert np.mean(play_games(many, few, games=20, seed=1)) > 0.8


def test_a_tournament_is_the_same_every_time_and_another_with_another_seed():
    players = PLAYERS[:5]
    one, same, other = (round_robin(players, games=6, seed=s).frame for s in (1, 1, 2))
    assert one.equals(same)
    assert not one.equals(other)


def test_the_two_sides_of_a_pair_add_up_and_nobody_meets_itself():
    a, b = Player("greedy"), Player("centre")
    table = round_robin([a, b], games=10, seed=3).frame
    assert table.loc[a.name, b.name] + table.loc[b.name, a.name] == 1
    assert table.loc[a.name].isna().tolist() == [True, False]


def test_the_tournament_goes_straight_into_generality_analysis():
    results = round_robin(games=2, seed=1)
    assert len(results.frame) >= 10
    assert results.source == "own experiment"
    table = gl.generality(gl.opponent(results))
    assert table["capability"].idxmin() == "random"
    assert table["capability"].corr(results.agents["score"]) > 0.95
    assert table["capability"].sum() == pytest.approx(len(PLAYERS) ** 2 / 2, rel=0.05)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Player("lucky"), "kind: not-an-option"),
        (lambda: Player("negamax"), "strength: out-of-range"),
        (lambda: Player("random", 3), "strength: no-effect"),
        (lambda: Player("negamax", 40), "strength: too-slow"),
        (lambda: round_robin(PLAYERS[:1]), "players: too-few"),
        (lambda: round_robin(PLAYERS[:3], games=3), "games: odd-number"),
        (lambda: round_robin([PLAYERS[0]] * 2), "players: duplicate-label"),
        (lambda: round_robin(PLAYERS[:2], games=2, seed=-1), "seed: out-of-range"),
        (lambda: play_games(*PLAYERS[:2], games=0), "games: out-of-range"),
        (lambda: play_games(*PLAYERS[:2], seed=None), "seed: not-a-seed"),
    ],
)
def test_bad_input_is_named(make, message):
    with refused(message):
        make()
