"""The pipeline on small projects of its own: what runs, what is skipped, what a failure says."""

import atexit
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from refusals import refused
from small_projects import RICH, TABLE, catalogue, cell, run_log, tables, text, write_notebook

from gindex_lab.foundation.errors import CannotWrite, GIndexLabError
from gindex_lab.foundation.fingerprints import sealed
from gindex_lab.foundation.folders import listed, mark
from gindex_lab.presentation.pages import formula
from gindex_lab.press.reproduction import claim_rows, warm_kernels
from gindex_lab.press.reproduction import inputs as reproduce_inputs
from gindex_lab.press.reproduction.claims import print_hash
from gindex_lab.press.reproduction.inputs import (
    file_hash,
    inputs,
    parameters,
    read_catalogue,
    select,
)
from gindex_lab.press.reproduction.reproduce import _out_of_date, reproduce, stale_reason
from gindex_lab.press.reproduction.runs import Failure

RECORD = {"notebook": "demo/one", "profile": "quick", "data": [], "outputs": {}}
RECORD |= {"provenance": None, "seconds": 0.1}


@pytest.fixture(autouse=True, scope="module")
def still():
    """A package that does not change while the tests run, though somebody may be editing it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproduce_inputs, "_PACKAGE", Path("/no-such-package"))
        yield


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one notebook that is written but not yet run."""
    monkeypatch.setenv("RUN_LOG", str(tmp_path / "runs.log"))
    write_notebook(tmp_path, "demo/one", cell("work", TABLE))
    catalogue(tmp_path, "demo/one")
    return tmp_path


@pytest.fixture(scope="module")
def finished(tmp_path_factory, still):
    """A project after one run: a notebook with everything, a failing one, a quiet one."""
    root = tmp_path_factory.mktemp("project")
    os.environ["RUN_LOG"] = str(root / "runs.log")
    write_notebook(
        root,
        "demo/one",
        text("formula", r"The spread $S$ and $$\Gamma = \frac{1}{S}$$"),
        cell("work", RICH),
        cell("claim", "nb.claim('N295', -0.8660254)\nnb.found('All **well** <here>.')"),
        cell("twice", "nb.claim('N301', 0.625)\nnb.claim('N302', 0.234375)"),
        cell("answer", "nb.answer(f'There are **{n}**, <all> told.')"),
    )
    write_notebook(root, "demo/bad", cell("work", "x = 1\ny = [][x]  # <b>\nz = 3"))
    write_notebook(root, "demo/quiet", cell("work", "1 + 1"))
    extra = "quick = { n = 4 }\n"
    catalogue(root, "demo/bad", "demo/quiet", "demo/one", extra=extra)
    status = reproduce(root=root, reports=root / "reports")
    return root, root / "reports", status


def test_a_run_publishes_every_output_of_a_notebook(finished):
    _, reports, _ = finished
    outputs = {
        p.relative_to(reports / "demo" / "one").as_posix() for p in (reports / "demo" / "one").rglob("*.*")
    }
    assert outputs >= {
        "figures/dot.svg", "figures/dot.png", "tables/numbers.csv", "claims.json", "notebook.ipynb",
        "record.json", "report.html",
    }  # fmt: skip
    assert (reports / "demo/one/tables/numbers.csv").read_text().splitlines()[:2] == [
        "x,y",
        "0,0.333333333333",
    ]
    assert len((reports / "demo/one/tables/numbers.csv").read_text().splitlines()) == 5  # n = 4


def test_a_failing_notebook_is_reported_with_cell_line_and_error_and_the_others_go_on(finished):
    _, reports, status = finished
    assert status == 1
    error = (reports / ".failed/demo-bad/error.txt").read_text()
    assert error == ("demo/bad failed in cell 3: IndexError: list index out of range\n    y = [][x]  # <b>\n")
    assert (reports / ".failed/demo-bad/notebook.ipynb").exists()
    assert not (reports / "demo/bad").exists()
    assert (reports / "demo/quiet/report.html").exists()


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({}, ["A **fact**."]),
        ({"holds": False}, []),
        ({"holds": False, "otherwise": "Another.\n\nTwo."}, ["Another.", "Two."]),
        ({"only": "published"}, []),
        ({"only": "simulated"}, ["A **fact**."]),
    ],
)
def test_a_sentence_is_said_only_where_it_holds(monkeypatch, options, shown):
    from gindex_lab.press import notebook as nb

    seen = []
    monkeypatch.setattr(nb, "_display", lambda markup, plain: seen.append(plain))
    nb.start("A title", data="simulated")
    nb.say("A **fact**.", **options)
    assert seen[1:] == shown


def test_a_caution_that_differs_in_its_numbers_only_stands_once_in_a_cell(monkeypatch):
    import warnings

    from gindex_lab.foundation.errors import Caution
    from gindex_lab.press import notebook as nb

    seen = []
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # put back afterwards
    monkeypatch.setattr(nb, "in_notebook", lambda: True)
    monkeypatch.setattr(nb, "_display", lambda markup, plain: seen.append(plain))
    monkeypatch.setattr(nb, "_cautioned", set())
    nb._cautions_for_people()
    for said in ("largest: 'X250' at -6.5", "largest: 'X250' at -6.3", "few agents"):
        warnings.showwarning(Caution(said), Caution, "a.py", 1)
    assert seen == ["Caution: largest: 'X250' at -6.5", "Caution: few agents"]


def test_the_manifest_says_what_was_run_with_what(finished):
    _, reports, _ = finished
    manifest = json.loads((reports / "manifest.json").read_text())
    assert manifest["profile"] == "quick"
    assert manifest["versions"]["python"].startswith("3.")
    one = manifest["notebooks"]["demo/one"]
    assert one["status"] == "done"
    assert one["parameters"] == {"profile": "quick", "seed": 1, "n": 4}
    assert one["provenance"]["source"] == "simulated"
    assert set(one["outputs"]) >= {"tables/numbers.csv", "figures/dot.svg"}
    assert one["seconds"] > 0
    assert manifest["notebooks"]["demo/bad"]["status"] == "failed"


def test_the_pages_are_escaped_and_need_no_network(finished):
    _, reports, _ = finished
    index = (reports / "index.html").read_text()
    assert "Why &lt;demo/one&gt;?" in index
    assert "y = [][x]  # &lt;b&gt;" in index
    assert 'src="demo/one/figures/dot.png"' in index
    page = (reports / "demo/one/report.html").read_text()
    assert "<mfrac>" in page
    assert "<strong>well</strong> &lt;here&gt;" in page
    for name in ("index.html", "claims.html", "demo/one/report.html"):
        page = (reports / name).read_text().replace("http://www.w3.org/1998/Math/MathML", "")
        assert "://" not in page


def test_a_page_opens_with_its_answer_and_tells_the_claims_of_a_cell_in_one_line(finished):
    _, reports, _ = finished
    page = (reports / "demo/one/report.html").read_text()
    opening, _, story = page.partition('class="gl-banner"')
    assert "There are <strong>4</strong>, &lt;all&gt; told." in opening
    assert 'src="figures/dot.png"' in opening
    assert '<p class="answer"><span class="badge simulated">' in opening  # it is not about published data
    assert "There are <strong>" not in story
    assert "data:image/png" not in story  # nor does the figure: a fold stands in its place
    assert story.count('<details class="again">') == story.count('src="figures/dot.png"') == 1
    assert story.count('<details class="gl-claims">') == 2  # one a cell
    assert page.count("set-up of this run") == 1  # what comes before anything is shown


def test_the_ledger_page_has_a_row_for_every_claim(finished):
    _, reports, _ = finished
    page = (reports / "claims.html").read_text()
    assert page.count("<tr data-paper=") == 643 + 336 + 4  # the papers, the horizon studies, four of ours
    assert '<td id="N295">N295</td>' in page
    assert '<a href="demo/one/report.html">demo/one</a>' in page


def test_a_second_run_does_nothing_and_says_so_quickly(finished, capsys):
    root, reports, _ = finished
    before = {p: p.stat().st_mtime_ns for p in reports.rglob("*.*") if p.name != ".lock"}
    began = time.monotonic()
    assert reproduce("demo/one", root=root, reports=reports) == 0
    assert time.monotonic() - began < 5
    assert "Nothing to do" in capsys.readouterr().out
    assert before == {p: p.stat().st_mtime_ns for p in before}


def test_a_claim_that_is_lost_fails_the_run(finished, capsys, request):
    root, reports, _ = finished
    (root / "data").mkdir()
    request.addfinalizer(lambda: shutil.rmtree(root / "data"))
    baseline = {"quick": {"N295": "demo/one", "N296": "demo/one", "N297": "demo/quiet"}}
    (root / "data" / "claims_baseline.json").write_text(json.dumps(baseline))
    assert reproduce("demo/one", root=root, reports=reports) == 1
    said = capsys.readouterr()
    assert "Nothing to do" in said.out
    assert "no longer reproduced: N296, N297 (" in said.err


def test_a_difference_without_an_explanation_fails_the_run(finished, tmp_path, monkeypatch, capsys):
    root, reports, _ = finished
    other = tmp_path / "claims.csv"
    other.write_text(claim_rows.LEDGER.read_text().replace("-0.866", "-0.912"))
    monkeypatch.setattr(claim_rows, "LEDGER", other)
    shutil.copytree(reports, tmp_path / "reports")
    record = json.loads((reports / "demo/one/record.json").read_text())
    assert stale_reason(reports / "demo/one", record["inputs"]) == "ledger changed"
    record["ledger"] = print_hash(reports / "demo/one")
    (tmp_path / "reports/demo/one/record.json").write_text(json.dumps(sealed(record)))
    assert reproduce("demo/one", root=root, reports=tmp_path / "reports") == 1
    assert "differ without an explanation in data/claims.csv: N295" in capsys.readouterr().err


def test_figures_are_the_same_bytes_when_made_again(finished, tmp_path):
    root, reports, _ = finished
    assert reproduce("demo/one", root=root, reports=tmp_path) == 0
    for name in (
        "figures/dot.svg",
        "figures/dot.png",
        "tables/numbers.csv",
        "claims.json",
        "report.html",
    ):
        assert (tmp_path / "demo/one" / name).read_bytes() == (reports / "demo/one" / name).read_bytes()


def ours(folder, record):
    mark(folder, "notebook")
    (folder / "record.json").write_text(record)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda root: write_notebook(root, "demo/one", cell("work", "2")), "notebook changed"),
        (lambda root: catalogue(root, "demo/one", extra="seed = 2"), "parameters changed"),
        (lambda root: catalogue(root, "demo/one", extra="quick = { n = 9 }"), "parameters changed"),
        (lambda root: (root / "requirements.lock").write_text("x==1"), "locked versions changed"),
        (lambda root: (root / "data" / "t.csv").write_text("b"), "package changed"),
        (lambda root: (root / "out/tables/t.csv").unlink(), "tables/t.csv was changed or removed"),
        (lambda root: (root / "out/tables/t.csv").write_text("2"), "tables/t.csv was changed"),
        (lambda root: ours(root / "out", "{"), "its record is damaged"),
        (lambda root: (root / "out/record.json").write_text("{}"), "its record.json is not ours"),
    ],
)
def test_a_notebook_is_stale_when_an_input_or_output_changed(project, change, reason):
    (project / "data").mkdir()
    (project / "data" / "t.csv").write_text("a")
    table = project / "out" / "tables" / "t.csv"
    table.parent.mkdir(parents=True)
    table.write_text("1")
    (entry,) = read_catalogue(project)
    (project / "out" / "claims.json").write_text("[]")
    record = {
        **RECORD,
        "inputs": inputs(entry, "quick"),
        "outputs": {"tables/t.csv": file_hash(table)},
        "ledger": print_hash(project / "out"),
    }
    (project / "out" / "record.json").write_text(json.dumps(sealed(record)))
    assert stale_reason(project / "out", inputs(entry, "quick")) is None

    change(project)
    reproduce_inputs.forget()
    (entry,) = read_catalogue(project)
    assert reason in stale_reason(project / "out", inputs(entry, "quick"))


def test_a_notebook_that_left_the_catalogue_leaves_the_reports(finished, tmp_path):
    root, reports, _ = finished
    shutil.copytree(reports, tmp_path / "reports")
    gone = (tmp_path / "reports/demo/quiet").rename(tmp_path / "reports/demo/gone")
    mark(gone, "notebook", listed(gone))
    (tmp_path / "reports/demo/.one.killed").mkdir()
    mark(tmp_path / "reports/demo/.one.killed", "unfinished")
    assert reproduce("demo/one", root=root, reports=tmp_path / "reports") == 0
    assert not (tmp_path / "reports/demo/gone").exists()
    assert not (tmp_path / "reports/demo/.one.killed").exists()
    assert (tmp_path / "reports/demo/one").exists()


def test_outputs_stored_in_a_notebook_do_not_make_it_stale(project):
    (entry,) = read_catalogue(project)
    before = inputs(entry, "quick")
    notebook = json.loads(entry.file.read_text())
    notebook["cells"][2]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "hi"}]
    entry.file.write_text(json.dumps(notebook))
    assert inputs(entry, "quick") == before


def test_the_slowest_run_first_by_the_last_run_or_by_the_catalogue(project, tmp_path):
    names = ["demo/one", "demo/slow", "demo/known"]
    for name in names:
        write_notebook(project, name)
    rows = [f'[[notebook]]\npath = "{n}"\ntitle = "T"\npaper = "p"\n' for n in names]
    (project / "notebooks/catalogue.toml").write_text(rows[0] + rows[1] + "seconds = 30\n" + rows[2])
    (tmp_path / "r/demo/known").mkdir(parents=True)
    (tmp_path / "r/demo/known/record.json").write_text(json.dumps(sealed(RECORD | {"seconds": 40.5})))
    tasks, _ = _out_of_date(read_catalogue(project), "quick", tmp_path / "r", force=True)
    assert [task.entry.path for task in tasks] == ["demo/known", "demo/slow", "demo/one"]


def test_another_profile_is_another_run(project):
    (entry,) = read_catalogue(project)
    assert inputs(entry, "full") != inputs(entry, "quick")
    assert parameters(entry, "full") == {"profile": "full", "seed": 1}


def test_only_may_name_a_folder_or_a_path(project):
    write_notebook(project, "other/two")
    catalogue(project, "demo/one", "other/two")
    entries = read_catalogue(project)
    assert [e.path for e in select(entries, "other")] == ["other/two"]
    assert [e.path for e in select(entries, "notebooks/demo/one.ipynb")] == ["demo/one"]


ENTRY = '[[notebook]]\npath = "demo/one"\ntitle = "T"\npaper = "p"\n'


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ("", "catalogue: empty"),
        ("[[notebook\n", "catalogue: not-toml"),
        (ENTRY + ENTRY, "path: duplicate"),
        (
            ENTRY + "titel = 'x'\n",
            "titel: not-an-option",
        ),
        (ENTRY + "seed = 'x'\n", "seed: wrong-type"),
        (ENTRY + "data = 'mazes'\n", "data: wrong-type"),
        (ENTRY.replace('title = "T"\n', ""), "title: missing-field"),
        (ENTRY.replace("demo/one", "one"), "path: not-a-name"),
        (ENTRY.replace("demo/one", "../../etc/x"), "path: not-a-name"),
        (ENTRY.replace("demo/one", "demo/none"), "notebook: not-found"),
        (ENTRY + "quick = { m = 1 }\n", "m: no-parameter"),
        (ENTRY + "data = ['no-such-set']\n", "name: not-a-data-set"),
    ],
)
def test_a_bad_catalogue_is_refused(project, listed, message):
    (project / "notebooks" / "catalogue.toml").write_text(listed)
    with refused(message, GIndexLabError):
        reproduce(root=project, reports=project / "reports")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{not json", "notebook: not-a-notebook"),
        ("[]", "notebook: no-cells"),
        ('{"cells": 3}', "notebook: no-cells"),
    ],
)
def test_a_broken_notebook_is_refused(project, content, message):
    (project / "notebooks/demo/one.ipynb").write_text(content)
    with refused(message):
        reproduce(root=project, reports=project / "reports")


def test_a_notebook_needs_exactly_one_parameters_cell_that_parses(project):
    write_notebook(project, "demo/one", parameters=None)
    with refused("notebook: not-one-parameters-cell"):
        reproduce(root=project, reports=project / "reports")
    write_notebook(project, "demo/one", cell("again", "n = 1", "parameters"))
    with refused("notebook: not-one-parameters-cell"):
        reproduce(root=project, reports=project / "reports")
    write_notebook(project, "demo/one", parameters="n = = 1")
    with refused("notebook: not-python"):
        reproduce(root=project, reports=project / "reports")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"only": "demo/on"}, "only: no-match"),
        ({"only": "zzz"}, "only: no-match"),
        ({"profile": "fast"}, "profile: not-an-option"),
        ({"jobs": 0}, "jobs: out-of-range"),
    ],
)
def test_bad_arguments_are_refused(project, arguments, message):
    with refused(message):
        reproduce(root=project, reports=project / "reports", **arguments)


def test_no_catalogue_is_a_clear_error(tmp_path):
    with refused("catalogue: not-found"):
        reproduce(root=tmp_path, reports=tmp_path / "reports")


def test_a_reports_folder_that_cannot_be_written_is_refused(project):
    (project / "file").write_text("")
    with refused("folder: is-a-file", CannotWrite):
        reproduce(root=project, reports=project / "file" / "reports")


def test_two_runs_do_not_share_a_reports_folder(project):
    fcntl = pytest.importorskip("fcntl")
    (project / "reports").mkdir()
    with (project / "reports" / ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with refused("reports: in-use"):
            reproduce(root=project, reports=project / "reports")


def test_a_failure_reads_as_a_line():
    assert str(Failure("a/b", "the kernel died")) == "a/b failed: the kernel died"


def test_a_formula_that_cannot_be_read_stays_as_its_source():
    assert formula("a < b^") == '<code class="formula">a &lt; b^</code>'


# -- interruptions -------------------------------------------------------------------------------------

DRIVER = """import sys
from pathlib import Path
from gindex_lab.press.reproduction import inputs as reproduce_inputs
from gindex_lab.press.reproduction.reproduce import reproduce

reproduce_inputs._PACKAGE = Path("/no-such-package")  # may be edited while the test runs
if __name__ == "__main__":
    root = Path(sys.argv[1])
    try:
        sys.exit(reproduce(root=root, reports=root / "reports"))
    except KeyboardInterrupt:
        sys.exit(130)
"""


def start(root):
    driver = root / "driver.py"
    driver.write_text(DRIVER)
    return subprocess.Popen(
        [sys.executable, str(driver), str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "RUN_LOG": str(root / "runs.log")},
        start_new_session=True,
        # a shell makes its background jobs deaf to Ctrl-C, and their children with them
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def published(root):
    """The notebooks that are there whole; a half-written folder fails here."""
    names = set()
    for folder in (root / "reports" / "demo").glob("[!.]*"):
        record = json.loads((folder / "record.json").read_text())
        assert stale_reason(folder, record["inputs"]) is None
        names.add(folder.name)
    return names


def processes_of(root):
    """The driver and all that it started: each has the name of the log in its environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"RUN_LOG={root}/".encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:  # it ended while we looked
            continue
    return found


def assert_all_end(root, seconds=10):
    began = time.monotonic()
    while processes_of(root) and time.monotonic() - began < seconds:
        time.sleep(0.1)
    assert not processes_of(root)


def many(root, n=3):
    names = [f"demo/n{i}" for i in range(n)]
    for i, name in enumerate(names):
        write_notebook(root, name, cell("work", TABLE), parameters=f"seed = {i + 1}\nn = 50")
    catalogue(root, *names)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_killed_at_thirty_moments_a_run_resumes_to_the_same_bytes(tmp_path, seed):
    """Three times ten."""
    many(tmp_path)
    began = time.monotonic()
    whole = start(tmp_path)
    assert whole.wait(120) == 0, whole.stdout.read()
    longest = time.monotonic() - began
    expected = tables(tmp_path / "reports")
    assert len(expected) == 3

    moments = random.Random(seed)
    shutil.rmtree(tmp_path / "reports")
    for _ in range(10):
        if (tmp_path / "reports").exists() and len(published(tmp_path)) == 3:
            shutil.rmtree(tmp_path / "reports")
        safe = published(tmp_path)
        (tmp_path / "runs.log").unlink(missing_ok=True)
        running = start(tmp_path)
        time.sleep(moments.uniform(0.2, longest))
        if moments.random() < 0.5:
            running.kill()
        else:
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        running.stdout.close()
        time.sleep(0.4)  # orphaned workers notice within 0.1 s
        now, began_in_this_run = published(tmp_path), run_log(tmp_path)
        assert safe <= now
        assert not safe & set(began_in_this_run), "a finished notebook was computed again"
        assert len(began_in_this_run) - len(now - safe) <= 2, "more than the interrupted were lost"
    last = start(tmp_path)
    assert last.wait(120) == 0, last.stdout.read()
    assert tables(tmp_path / "reports") == expected
    assert_all_end(tmp_path)
    assert not list((tmp_path / "reports" / "demo").glob(".*")), "leftovers of killed runs"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
def test_ctrl_c_stops_at_once_leaves_no_process_and_resumes(tmp_path):
    many(tmp_path)
    running = start(tmp_path)
    while True:  # until the first notebook is published
        line = running.stdout.readline()
        assert line, "the run ended before it could be interrupted"
        if line.startswith("[1/3]"):
            break
    began = time.monotonic()
    os.killpg(running.pid, signal.SIGINT)
    output = running.communicate(timeout=30)[0]
    assert running.returncode == 130
    assert time.monotonic() - began < 5
    assert "Traceback" not in output
    done = published(tmp_path)
    assert done
    assert_all_end(tmp_path)
    (tmp_path / "runs.log").unlink()
    again = start(tmp_path)
    output = again.communicate(timeout=60)[0]
    assert again.returncode == 0, output
    assert not done & set(run_log(tmp_path))
    assert len(published(tmp_path)) == 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
def test_twenty_double_ctrl_c_end_within_five_seconds_and_leave_no_process(tmp_path):
    many(tmp_path)
    moments = random.Random(2)
    for _ in range(20):
        running = start(tmp_path)
        assert running.stdout.readline()  # "3 notebooks to run", or one line that says nothing is to do
        time.sleep(moments.uniform(0, 6))
        began = time.monotonic()
        for pause in (moments.uniform(0, 0.6), 0):
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGINT)
            time.sleep(pause)
        # a signal that comes while Python itself shuts down ends it as a signal does: 130 to a shell
        assert running.wait(20) in (0, 130, -signal.SIGINT)
        assert time.monotonic() - began < 5
        running.stdout.close()
        assert_all_end(tmp_path, began + 5 - time.monotonic())
    last = start(tmp_path)
    assert last.wait(180) == 0, last.stdout.read()
    assert len(published(tmp_path)) == 3


@pytest.mark.slow
def test_a_worker_that_dies_costs_only_its_own_notebook(project):
    write_notebook(project, "demo/dies", cell("work", "import os, signal\nos.kill(os.getppid(), 9)"))
    catalogue(project, "demo/dies", "demo/one")
    assert reproduce(root=project, reports=project / "reports", jobs=1) == 1
    error = (project / "reports/.failed/demo-dies/error.txt").read_text()
    assert error == "demo/dies failed: its worker process died; perhaps out of memory\n"
    assert published(project) == {"one"}


@pytest.mark.slow
def test_a_kernel_that_dies_is_reported(project):
    write_notebook(project, "demo/one", cell("work", "import os\nos._exit(1)"))
    assert reproduce(root=project, reports=project / "reports", jobs=1) == 1
    error = (project / "reports/.failed/demo-one/error.txt").read_text()
    assert "demo/one failed: the kernel died" in error


@pytest.mark.slow
def test_a_bad_claim_or_name_fails_its_notebook_with_our_message(project):
    write_notebook(
        project,
        "demo/one",
        cell("work", "from gindex_lab import notebook\nnotebook.claim('X9', 1)"),
    )
    assert reproduce(root=project, reports=project / "reports") == 1
    error = (project / "reports/.failed/demo-one/error.txt").read_text()
    assert "demo/one failed in cell 3: BadInput: id='X9': is not in the ledger" in error
    assert "notebook.claim('X9', 1)" in error


# -- forked kernels ------------------------------------------------------------------------------------

forked = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")

LOOK = """import json, multiprocessing, os, pathlib, sys
import matplotlib
look = {
    "warm": "pandas" in sys.modules,
    "folder": os.getcwd(),
    "given": os.environ.get("GIVEN"),
    "left": os.environ.get("LEFT"),
    "backend": matplotlib.get_backend(auto_select=False),
    "hashes": sys.flags.hash_randomization,
    "start": multiprocessing.get_start_method(allow_none=True),
    "known": hasattr(json, "left_behind"),
}
out = pathlib.Path(os.environ["GINDEX_LAB_OUTPUT"])
(out / "look.json").write_text(json.dumps(look))"""
LEAVE = "import json, os\njson.left_behind = True\nos.environ['LEFT'] = 'behind'"


def looked(root, name):
    return json.loads((root / "reports" / name / "look.json").read_text())


def leave_a_file_at_exit(path):
    atexit.register(Path(path).write_text, "left")


@forked
def test_multiprocessing_still_leaves_without_what_is_to_be_done_at_exit(tmp_path):
    """The reason why `warm_kernels` calls the private `atexit._run_exitfuncs`: if this fails, it need not."""
    made = multiprocessing.get_context("fork").Process(target=leave_a_file_at_exit, args=(tmp_path / "a",))
    made.start()
    made.join()
    assert made.exitcode == 0
    assert not (tmp_path / "a").exists()


@pytest.mark.slow
@forked
def test_a_forked_kernel_is_as_a_fresh_one_whatever_ran_before(project, monkeypatch):
    monkeypatch.setenv("GIVEN", "by the caller")
    write_notebook(project, "demo/one", cell("leave", LEAVE))
    write_notebook(project, "demo/two", cell("look", LOOK))
    catalogue(project, "demo/one", "demo/two")
    assert reproduce(root=project, reports=project / "reports", jobs=1) == 0
    assert looked(project, "demo/two") == {
        "warm": True,
        "folder": str(project / "notebooks/demo"),
        "given": "by the caller",
        "left": None,
        "backend": "module://matplotlib_inline.backend_inline",
        "hashes": 0,
        "start": None,
        "known": False,
    }


@pytest.mark.slow
@forked
def test_a_killed_kernel_is_reported_and_the_next_notebook_runs(project):
    write_notebook(project, "demo/one", cell("die", "import os\nos.kill(os.getpid(), 9)"))
    write_notebook(project, "demo/two", cell("look", LOOK))
    catalogue(project, "demo/one", "demo/two")
    assert reproduce(root=project, reports=project / "reports", jobs=1) == 1
    error = (project / "reports/.failed/demo-one/error.txt").read_text()
    assert error.startswith("demo/one failed: the kernel died")
    assert looked(project, "demo/two")["warm"]


def test_nothing_is_forked_where_hashes_differ_from_run_to_run(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    for randomised in (False, True):
        monkeypatch.setattr(sys, "flags", SimpleNamespace(hash_randomization=randomised))
        assert warm_kernels.available() is not randomised
    monkeypatch.setattr(sys, "flags", SimpleNamespace(hash_randomization=False))
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not warm_kernels.available()


@forked
@pytest.mark.slow
def test_an_ordinary_kernel_gives_the_same_bytes(project, monkeypatch):
    source = "from gindex_lab import notebook as nb\nimport matplotlib.pyplot as plt\n"
    source += "fig, ax = plt.subplots()\nax.plot([1, 3, 2])\nnb.show(fig, 'line')\nprint({'b', 'a', 'c'})"
    write_notebook(project, "demo/one", cell("work", source))
    assert reproduce(root=project, reports=project / "warm") == 0
    monkeypatch.setenv(warm_kernels.FRESH, "1")
    assert reproduce(root=project, reports=project / "fresh") == 0
    for name in ("figures/line.svg", "figures/line.png", "report.html", "claims.json"):
        one, other = (project / kind / "demo/one" / name for kind in ("warm", "fresh"))
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.slow
@forked
def test_what_is_loaded_before_the_fork_starts_no_thread():
    code = "import threading; from gindex_lab.press.reproduction import warm_kernels as w; w.load()\n"
    code += "import os; print(threading.active_count(), flush=True); os._exit(0)"
    command = [sys.executable, "-Xfrozen_modules=off", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "1\n", done.stderr


@pytest.mark.slow
def test_a_relative_data_folder_is_meant_from_where_the_command_was_given(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    where = "import os, pathlib\nfrom gindex_lab.studies.data.registry import data_folder\n"
    told = where + 'pathlib.Path(os.environ["SEEN"]).write_text(str(data_folder()))'
    write_notebook(tmp_path, "demo/where", cell("told", told))
    catalogue(tmp_path, "demo/where")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GINDEX_LAB_DATA", "own")
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    assert reproduce(root=tmp_path, reports=tmp_path / "reports", jobs=1) == 0
    assert (tmp_path / "seen").read_text() == str(tmp_path / "own")
