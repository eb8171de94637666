"""The sampler of the AIQ test: generator, rewriting, strata, files."""

import json

import numpy as np
import pandas as pd
import pytest
from refusals import refused

from gindex_lab import aiq
from gindex_lab.worlds.aiq import strata
from gindex_lab.worlds.aiq.rewriting import passes_sdp, rewrite
from gindex_lab.worlds.aiq.sampler import generate, read_sample, sample, save_sample


def golden(goldens, name):
    return [json.loads(line) for line in (goldens / "aiq" / name).read_text().splitlines()]


@pytest.mark.parametrize(
    ("rewriting", "column"),
    [
        ("original", "original_onepass"),
        ("sep-orig", "sep_orig"),
        ("sep-ext", "sep_ext"),
        ("sep-ext-v1.2", "sep_ext_v12"),
    ],
)
def test_rewriting_equals_the_authors_optimiser(goldens, rewriting, column):
    for case in golden(goldens, "optimizer.jsonl"):
        assert rewrite(case["raw"], rewriting) == case[column], case["raw"]


def test_sdp_equals_the_authors_test(goldens):
    cases = golden(goldens, "optimizer.jsonl")
    assert [passes_sdp(c["sep_ext"]) for c in cases] == [c["sdp_discriminative"] for c in cases]


def test_strata_equal_the_authors_classification(goldens):
    cases = [case for case in golden(goldens, "strata.jsonl") if case["stable"]]
    assert [strata.stratum(c["program"]) for c in cases] == [c["classes"][0] for c in cases]


def test_zeroing_loops_tell_the_versions_apart():
    assert rewrite(".,[--]#", "sep-ext") == ".,[+]#"
    assert rewrite(".,[--]#", "sep-ext-v1.2") == ".,[--]#"


def test_raw_programs_follow_the_universal_distribution():
    programs = pd.Series(generate(200_000, seed=5)[0])
    assert programs.str.len().mean() == pytest.approx(10, abs=0.2)
    shares = programs.value_counts(normalize=True)
    assert shares["#"] == pytest.approx(0.2, abs=0.004)  # 10^-1 · 2
    assert shares[".#"] == pytest.approx(0.02, abs=0.0015)  # 10^-2 · 2
    assert shares["[]#"] == pytest.approx(0.004, abs=0.0006)  # 10^-3 · 2^2


def test_raw_programs_do_not_depend_on_the_pieces_they_are_made_in():
    whole, numbers = generate(300, seed=2, active=True)
    parts = [generate(100, seed=2, first=first, active=True) for first in (0, 100, 200)]
    assert whole == [program for part, _ in parts for program in part]
    assert numbers.tolist() == np.concatenate([n for _, n in parts]).tolist()


def test_small_sample_is_the_beginning_of_a_large_one():
    small, large = sample(20, seed=4), sample(400, seed=4)
    pd.testing.assert_frame_equal(small, large.head(20), check_like=True)
    assert (sample(20, seed=5)["program"] != small["program"]).any()


@pytest.mark.parametrize("rewriting", ["original", "sep-orig", "sep-ext", "sep-ext-v1.2"])
def test_sampled_programs_are_rewritten_and_active(rewriting):
    programs = sample(300, rewriting, seed=1)
    assert programs["stratum"].between(1, 20).all()
    assert programs["program"].str.contains(",", regex=False).all()
    assert programs["program"].str.contains(".", regex=False).all()
    if rewriting != "original":
        assert [rewrite(p, rewriting) for p in programs["program"]] == list(programs["program"])


def test_lengths_match_the_published_samples():
    """Means and medians of 200,000 programs (published: 21.07 / 14 and 18.65 / 12), here of 4,000."""
    original = sample(4000, "original", seed=11)["program"].str.len()
    extended = sample(4000, "sep-ext", seed=11)["program"].str.len()
    assert original.mean() == pytest.approx(21.07, abs=1.1)
    assert extended.mean() == pytest.approx(18.65, abs=1.0)
    assert abs(original.median() - 14) <= 1
    assert abs(extended.median() - 12) <= 1


def test_sdp_drops_what_looks_like_chance():
    kept = sample(500, discriminative="sdp", seed=1)
    assert all(passes_sdp(program) for program in kept["program"])
    plain = sample(500, seed=1)
    assert not all(passes_sdp(program) for program in plain["program"])


def test_theoretical_sampler_rewrites_and_drops_nothing():
    programs = sample(2000, theoretical=True, seed=1)
    assert set(programs["stratum"]) >= {-1, 0, 1}
    assert (programs["program"] == "#").mean() == pytest.approx(0.2, abs=0.03)
    passive = ~programs["program"].str.contains(r"\.") | ~programs["program"].str.contains(",")
    assert (programs.loc[passive, "stratum"] == 0).all()


def test_a_length_that_hardly_any_program_has_is_given_up(monkeypatch):
    monkeypatch.setattr("gindex_lab.worlds.aiq.sampler._PATIENCE", 30_000)
    with refused("minimum_length: too-rare") as caught:
        sample(5_000, minimum_length=900, seed=1)
    assert "extend_shorter=True" in caught.value.remedy


def test_minimum_length_drops_shorter_programs_and_moves_the_strata():
    programs = sample(200, minimum_length=30, seed=1)
    lengths = programs["program"].str.len()
    assert lengths.min() >= 30
    by_length = programs["stratum"] > 10
    expected = 11 + np.searchsorted(strata.LENGTHS, lengths[by_length] - 30, side="right")
    assert (programs.loc[by_length, "stratum"] == expected).all()


def test_shorter_programs_are_extended_so_that_the_added_code_runs():
    longer = sample(150, "none", minimum_length=25, extend_shorter=True, seed=3)["program"]
    assert longer.str.len().min() >= 25
    assert (longer.str.count("#") == 1).all()
    assert (longer.str[-1] == "#").all()
    dropped = sample(150, "none", minimum_length=25, seed=3)["program"]
    assert longer.str.len().mean() < dropped.str.len().mean()  # a short one grew just enough


def test_reference_mode_keeps_the_inner_end_as_the_authors_do():
    exact, authors = (
        sample(150, "none", minimum_length=25, extend_shorter=True, mode=mode, seed=3)["program"]
        for mode in ("exact", "reference")
    )
    assert (authors.str.count("#") > 1).any()
    for program in authors[authors.str.count("#") > 1][:20]:
        first = program[: program.index("#") + 1]
        got, alone = (aiq.run(text, [0, 1, 2, 3, 4] * 4, seed=1)[0] for text in (program, first))
        assert (got == alone).all()  # what was added is never run
    assert set(exact) != set(authors)


def test_extended_sample_is_the_same_in_parts_and_from_its_file(tmp_path):
    recipe = {"minimum_length": 12, "extend_shorter": True, "seed": 6}
    small, large = sample(10, **recipe), sample(200, **recipe)
    assert small["program"].tolist() == large["program"].tolist()[:10]
    save_sample(large, tmp_path / "a.txt")
    assert read_sample(tmp_path / "a.txt").attrs == large.attrs


def test_sample_comes_back_from_its_file(tmp_path):
    programs = sample(50, "original", seed=9, minimum_length=4)
    save_sample(programs, tmp_path / "programs.txt")
    back = read_sample(tmp_path / "programs.txt")
    pd.testing.assert_frame_equal(programs, back)
    assert back.attrs == programs.attrs
    assert back.attrs["seed"] == 9


def test_sample_file_of_the_authors_is_read(tmp_path):
    (tmp_path / "their.samples").write_text("1 ,.#\n0 .#\n20 >,.<#\n")
    assert read_sample(tmp_path / "their.samples")["stratum"].tolist() == [1, 0, 20]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "path: empty"),
        ("x ,.#\n", "bad.txt, line 1: no-stratum"),
        ("1 ,.#\n21 ,.#\n", "bad.txt, line 2: no-stratum"),
        ("1 ,.\n", "program: no-end"),
        ("1 ,[.#\n", "program: never-closed"),
        ("1\n", "program: empty"),
        ("1 pass\n", "program: foreign-character"),
    ],
)
def test_bad_sample_files_are_refused(tmp_path, text, message):
    (tmp_path / "bad.txt").write_text(text)
    with refused(message):
        read_sample(tmp_path / "bad.txt")


def test_sample_files_that_are_absent_or_not_text_are_refused(tmp_path):
    with refused("path: not-found"):
        read_sample(tmp_path / "none.txt")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe1 ,.#")
    with refused("path: wrong-encoding"):
        read_sample(tmp_path / "bytes.txt")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"n": 0}, "n: out-of-range"),
        ({"n": 1.5}, "n: not-a-whole-number"),
        ({"rewriting": "sep"}, "rewriting: not-an-option"),
        ({"discriminative": "yes"}, "discriminative: not-an-option"),
        ({"seed": -3}, "seed: out-of-range"),
        ({"seed": None}, "seed: not-a-whole-number"),
        ({"symbols": 1}, "symbols: out-of-range"),
        ({"observations": -1}, "observations: out-of-range"),
        ({"minimum_length": -1}, "minimum_length: out-of-range"),
        ({"extend_shorter": "yes"}, "extend_shorter: not-a-flag"),
        ({"mode": "fast"}, "mode: not-an-option"),
        (
            {"theoretical": True, "minimum_length": 9},
            "theoretical: not-together",
        ),
        ({"theoretical": True, "extend_shorter": True}, "theoretical: not-together"),
    ],
)
def test_bad_settings_of_a_sample_are_refused(keywords, message):
    with refused(message):
        sample(**{"n": 5, "seed": 1, **keywords})


def test_unknown_rewriting_is_refused():
    with refused("rewriting: not-an-option"):
        rewrite(",.#", "best")


def test_names_of_the_contract_are_there():
    assert aiq.sample(2, seed=1)["program"].map(aiq.rewrite).map(len).min() >= 3
