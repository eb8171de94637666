"""Bad inputs of `gindex-lab analyse`: each is refused in one line, by its argument and its code."""

import pytest

from gindex_lab.foundation.errors import GIndexLabError
from gindex_lab.press import cli

LONG = "model,item,score\n" + "\n".join(
    f"{m},q{i},{(i * k) % 2}" for k, m in enumerate("abcd", 1) for i in range(12)
)
TIMED = "\n".join(f"{row},{'minutes' if k == 0 else (k - 1) % 12}" for k, row in enumerate(LONG.split("\n")))
WIDE = "model,x,y,z,w\na,1,2,3,4\nb,2,3,4,1\nc,4,1,2,2\n"
TURNED = "question,a,b,c\nx,1,0,1\ny,0,1,1\nz,0,0,1\nw,1,1,0\n"
ONE = "model,item,score\n" + "\n".join(f"a,q{i},{i % 2}" for i in range(9))

OPTIONS = {  # text of the file, options, argument, code
    "ci above 1": (LONG, "--ci 1.5", "ci", "out-of-range"),
    "ci below 0": (LONG, "--ci -0.5", "ci", "out-of-range"),
    "ci of 1": (LONG, "--ci 1", "ci", "out-of-range"),
    "ci not a number": (LONG, "--ci nan", "ci", "out-of-range"),
    "negative seed": (LONG, "--seed -1", "seed", "not-a-seed"),
    "no reference": (LONG, "--transform reference", "reference", "no-reference"),
    "unknown reference": (
        LONG,
        "--transform reference --reference zork",
        "reference",
        "not-an-agent",
    ),
    "curves without difficulty": (LONG, "--transform none", "difficulty", "no-difficulty"),
    "curves of raw scores": (WIDE, "--transform none", "transform", "raw-scores"),
    "a model of raw scores": (WIDE, "--transform irt", "transform", "raw-scores"),
    "no tournament": (LONG, "--transform opponent", "results", "not-square"),
    "unknown difficulty": (LONG, "--difficulty zork", "difficulty", "no-column"),
    "absent file of difficulties": (LONG, "--difficulty zork.csv", "difficulty", "not-found"),
    "difficulties without items": (LONG, "--difficulty {file}", "difficulty", "no-column"),
    "unknown minutes": (LONG, "--minutes zork", "minutes", "not-found"),
    "minutes in words": (
        TIMED.replace(",11", ",long"),
        "--minutes minutes",
        "minutes",
        "not-a-number",
    ),
    "minutes of 0": (TIMED, "--minutes minutes", "minutes['q0']", "bad-input"),
    "minutes of a row that is not there": (WIDE, "--minutes x", "minutes", "not-found"),
    "unknown dates": (LONG, "--dates zork", "dates", "not-found"),
    "families that are not there": (LONG, "--resample families", "resample", "no-families"),
    "trials that are not there": (LONG, "--resample trials", "resample", "no-trials"),
    "unknown format": (LONG, "--format zork", "format", "not-an-option"),
    "another format": (LONG, "--format inspect", "path", "not-json"),
    "a filter of a table": (LONG, "--filter strict", "filter", "not-applicable"),
    "a metric that is no column": (LONG, "--metric zork", "metric", "not-found"),
    "a metric of a wide table": (WIDE, "--metric zork", "metric", "not-applicable"),
    "a metric without a name": (LONG, "--metric =acc", "metric", "bad-input"),
    "items of a long table": (LONG, "--items q0", "items", "not-applicable"),
    "a long table turned": (LONG, "--transpose", "transpose", "not-applicable"),
    "solvers of a table": (LONG, "--agent-from solver", "agent_from", "not-applicable"),
    "unknown agents' source": (LONG, "--agent-from zork", "agent_from", "not-an-option"),
    "unknown repeats": (LONG, "--repeats mean", "repeats", "not-an-option"),
    "unknown encoding": (LONG, "--encoding zork", "encoding", "unknown-word"),
    "unknown role": (LONG, "--columns zork=score", "columns", "not-an-option"),
    "unknown column": (LONG, "--columns item=zork", "columns['item']", "not-found"),
    "an agent without a column": (LONG, "--columns agent=", "columns['agent']", "bad-input"),
    "a scale turned round": (LONG, "--scale 1 0", "scale", "out-of-range"),
    "a scale too small": (WIDE, "--scale 0 1", "scale", "off-scale"),
    "both directions": (
        LONG,
        "--higher-is-better score --lower-is-better score",
        "lower_is_better",
        "bad-input",
    ),
    "the direction of nothing": (LONG, "--lower-is-better zork", "lower_is_better", "not-found"),
    "unknown items": (WIDE, "--items zork", "items", "not-found"),
    "unknown items in rows": (TURNED, "--items zork", "items", "not-found"),
    "unknown agents": (LONG, "--agents zork", "agents", "not-found"),
    "a glob for nothing": (LONG, "--include zork*", "include", "no-match"),
    "nothing left": (LONG, "--exclude *", "exclude", "no-match"),
    "a floor in words": (LONG, "--floor much", "floor", "bad-input"),
    "a floor above 1": (LONG, "--floor 1.5", "floor", "out-of-range"),
    "a floor of 1": (LONG, "--floor 1", "floor", "bad-input"),
    "a floor of raw scores": (WIDE, "--floor 0.25", "floor", "raw-scores"),
    "a floor of no task": (LONG, "--floor zork=0.2", "floor", "bad-input"),
    "a report that is a folder": (LONG, "--out {folder}", "out", "not-regular"),
    "a report below a file": (LONG, "--out {file}/x.html", "out", "not-a-folder"),
    "a report over its data": (LONG, "--out {file}", "out", "bad-input"),
    "one agent by rank": (ONE, "--transform rank", "agents", "bad-input"),
    "many gaps": ("\n".join(LONG.split("\n")[:30]), "", "scores['c', 'q5']", "missing"),
    "two items": ("model,x,y\na,1,0\nb,0,1\n", "", "items", "bad-input"),
    "unknown direction": (LONG.replace("score", "zeta"), "", "metric", "unknown-direction"),
    "a second response": (f"{LONG}\na,q0,1", "", "path", "repeats"),
    "two responses": ("model,item,score,correct\na,q,1,1\nb,q,0,0\n", "", "path", "several"),
    "no response": ("model,item,u,v\na,q,1,1\na,r,0,0\n", "", "path", "no-column"),
    "a word for a number": (
        LONG.replace("a,q0,0", "a,q0,perhaps"),
        "",
        "scores['row 1', 'score']",
        "not-a-number",
    ),
    "an infinite score": (
        LONG.replace("a,q0,0", "a,q0,inf"),
        "",
        "scores['row 1', 'score']",
        "not-finite",
    ),
    "no number at all": ("model,item,score\na,q,\nb,q,\n", "", "path", "empty"),
    "no rows": ("model,item,score\n", "", "path", "no-rows"),
    "nothing": ("", "", "path", "empty"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_a_bad_analysis_is_refused_by_argument_and_code(name, tmp_path, capsys):
    text, given, argument, code = OPTIONS[name]
    file = tmp_path / "table.csv"
    file.write_text(text)
    words = given.format(file=file, folder=tmp_path).split()
    arguments = cli._parser().parse_args(["analyse", str(file), *words])
    with pytest.raises(GIndexLabError) as error:
        arguments.run(arguments)
    assert (error.value.argument, error.value.code) == (argument, code)
    assert error.value.remedy
    assert capsys.readouterr().out == ""
    assert file.read_text() == text


def test_a_refusal_is_one_line_and_status_2(tmp_path, capsys):
    (tmp_path / "table.csv").write_text(LONG)
    assert cli.main(["analyse", str(tmp_path / "table.csv"), "--lower-is-better", "zork"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
