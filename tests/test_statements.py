"""A sentence that states a result is computed, or stands in `fixed_sentences.csv` with the reason why it may be fixed."""

import ast
import json
from pathlib import Path

import pytest
from fixed_sentences import KINDS, ROOT, all_fixed, fixed, listed
from stand_ins import run

from gindex_lab.press.lint import findings

REMEDY = (
    "compute it (nb.say with holds=), or give each row that `python tests/fixed_sentences.py` prints its kind "
    f"({', '.join(KINDS)}) and add it to tests/fixed_sentences.csv"
)


def markdown(text):
    return {"cell_type": "markdown", "source": text}


def code(text):
    return {"cell_type": "code", "source": text}


BANNER = code('nb.start("A title?", data="simulated")')


@pytest.mark.parametrize(
    "cells",
    [
        [BANNER, markdown("Agent b is twice as general as agent a.")],
        [BANNER, markdown("All points lie on the curve.\n\n## Next\n\nAnother section.")],
        [BANNER, markdown("## What to take away\n\n- The vote wins.\n- Say which.")],
        [BANNER, markdown("## Next\n\nThe share was 0.47 in our runs.")],
        [BANNER, code('nb.found("The apes lead in every category.")')],
        [BANNER, code('nb.say(f"Agent b leads by {gap:.2f}.")')],
        [BANNER, code('nb.answer(f"No: it falls, from {a} to {b}.")')],
        [BANNER, code('way = 1 if a > b else 2\nnb.say(f"It falls to {b} in all.")')],
    ],
)
def test_a_planted_sentence_that_nobody_computes_is_found(cells):
    assert len(fixed(cells)) == 1


@pytest.mark.parametrize(
    "cells",
    [
        [markdown("# A title?\n\nIt holds for all."), BANNER],  # before there is anything to read
        [BANNER, markdown("Is agent b the more general?")],
        [BANNER, markdown("## Try it\n\n- Set `seed = 2`: does the best agent win?")],
        [BANNER, code('nb.say("The apes lead.", holds=a > b, otherwise="They do not.")')],
        [BANNER, code('nb.say("As printed, it falls.", only="published")')],
        [BANNER, code("nb.found(f\"{'The apes lead' if a > b else 'No lead'}: {a - b:.2f}.\")")],
        [BANNER, code('nb.say(f"The mean is {mean:.2f}.")')],
        [BANNER, code('way = "rises" if a > b else "falls"\nnb.say(f"It {way} in all.")')],
    ],
)
def test_a_sentence_that_is_computed_or_states_nothing_is_none(cells):
    assert fixed(cells) == []


def test_every_fixed_sentence_was_read():
    known = listed()
    assert [sentence for sentence in all_fixed() if sentence.row not in known] == [], REMEDY


def test_the_list_holds_no_sentence_that_is_gone():
    assert set(listed()) - {sentence.row for sentence in all_fixed()} == set()
    assert set(listed().values()) <= set(KINDS)


def test_every_answer_with_a_condition_says_what_else_it_may_be():
    lacking = []
    for path in sorted((ROOT / "notebooks").glob("[!.]*/*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"]) if cell["cell_type"] == "code" else ""
            for call in (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call)):
                given = {k.arg for k in call.keywords}
                if getattr(call.func, "attr", "") == "answer" and "holds" in given:
                    lacking += [path.stem] if "otherwise" not in given else []
    assert lacking == []


BOTH = ("generality/fig01_toy_matrix", "generality/fig02_lambda_one", "generality/a10_primates")


@pytest.mark.slow
@pytest.mark.parametrize("state", ["published", "stand-ins"])
def test_notebooks_say_only_what_holds(state, shared, tmp_path, monkeypatch):
    """On published data and on stand-ins: the boxes of a page are those whose condition held."""
    where = Path(shared) / "datasets" if state == "published" else ""
    monkeypatch.setenv("GINDEX_LAB_DATA", str(where))
    monkeypatch.setenv("GINDEX_LAB_CACHE", str(tmp_path / "cache"))
    assert run(BOTH, tmp_path / "reports", jobs=1) == 0
    assert findings(tmp_path / "reports") == []
    for name in BOTH:
        folder = tmp_path / "reports" / name
        source = json.loads((folder / "provenance.json").read_text())["source"]
        assert (source == "published") == (state == "published")
        made = json.loads((folder / "statements.json").read_text())
        assert {"answer"} <= {one["kind"] for one in made}
