"""Stand-ins: the shape of the published tables, a source that says what they are, no hidden chance."""

import numpy as np
import pytest
from loops import looped
from refusals import refused

import gindex_lab as gl
from gindex_lab.studies.own_experiments import stand_ins

SEEDED = {
    "lambda": stand_ins.lambda_one,
    "ale": stand_ins.atari,
    "gvgai": stand_ins.video_games,
    "gvgai_grouped5": stand_ins.video_games_grouped,
    "herrmann": stand_ins.primates,
    "mazes": stand_ins.maze_respondents,
    "ctest": stand_ins.letter_series_respondents,
}
ALL = {"demo": lambda seed: stand_ins.toy_matrix()} | SEEDED


@pytest.mark.parametrize("name", ALL)
def test_a_stand_in_has_the_size_and_kind_of_the_published_table(name):
    table, row = ALL[name](1), gl.datasets().loc[name]
    assert f"{table.shape[0]} x {table.shape[1]}" == row["size"]
    assert type(table).__name__ == row["kind"]
    assert table.source == "simulated"
    assert not np.isnan(table.values).any()


@pytest.mark.shared
@looped("name", ALL)
def test_what_a_notebook_reads_is_there_as_in_the_published_table(name, shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    published, table = gl.load(name), ALL[name](1)
    needed = {"family", "game", "human_mean", "human_sd", "cells", "actions", "pattern_length"}
    assert needed & set(published.items) <= set(table.items) | {"family"}
    if name in ("mazes", "ctest"):
        assert set(published.agents) == set(table.agents)
        assert {"difficulty", "kind"} & set(published.items) <= set(table.items)
        assert table.difficulty.min() == pytest.approx(published.difficulty.min(), abs=0.005)
        assert table.difficulty.max() == pytest.approx(published.difficulty.max(), abs=0.005)
        assert set(np.unique(table.values)) == set(np.unique(published.values))
        for column in table.agents:
            assert set(table.agents[column]) <= set(published.agents[column])
    if name == "ale":
        assert {"start_date_used", "role"} <= set(published.agents) & set(table.agents)
        assert {"human.noop", "random noop"} <= set(published.frame.index) & set(table.frame.index)


@pytest.mark.parametrize("name", SEEDED)
def test_the_seed_decides(name):
    make = SEEDED[name]
    assert make(1).frame.equals(make(1).frame)
    assert not make(1).frame.equals(make(2).frame)
    with refused("seed: not-a-seed"):
        make(None)


def test_the_toy_matrix_has_the_numbers_of_figure_1():
    table = gl.generality(stand_ins.toy_matrix())
    assert table["capability"].tolist() == [1.25, 1.375]
    assert table["generality"].tolist() == pytest.approx([1.13899, 2.27798], abs=1e-5)


def test_every_stand_in_goes_through_its_transform():
    atari = stand_ins.atari(1)
    for study in (
        gl.rank(atari),
        gl.absolute_reference(atari, "human.noop"),
        gl.rank(stand_ins.video_games_grouped(1)),
        gl.distributional_reference(stand_ins.primates(1), "human_mean", "human_sd"),
    ):
        table = gl.generality(study)
        assert table["normalised_generality"].between(0, 1).all()


def test_later_systems_are_more_capable_and_the_random_player_least():
    table = gl.generality(gl.rank(stand_ins.atari(1)))
    systems = table.filter(like="system", axis=0)["capability"]
    assert systems.rank().corr(systems.reset_index(drop=True).index.to_series(systems.index)) > 0.8
    assert table["capability"].idxmin() == "random noop"
