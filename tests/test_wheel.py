"""`pip install` works: a wheel has its data with it, and needs nothing of the workbench to analyse a log."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WORKBENCH = ["jupyterlab", "voila", "papermill", "nbconvert", "nbformat", "ipykernel", "ipywidgets"]
WORKBENCH += ["latex2mathml", "IPython"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the wheel's content, and the workbench made impossible to import."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip"]
    quiet = ["--quiet", "--no-deps", "--disable-pip-version-check"]
    build = [
        "wheel",
        *quiet,
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
        str(source(folder)),
    ]
    subprocess.run([*pip, *build], check=True, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    site = folder / "site"
    subprocess.run([*pip, "install", *quiet, "--target", str(site), str(wheel)], check=True)
    blocked = f"import sys; sys.modules.update(dict.fromkeys({WORKBENCH!r}))\n"
    (site / "sitecustomize.py").write_text(blocked)
    return site


def source(folder):
    """What git holds, so that nothing of this working folder leaks into the wheel or stays behind here."""
    copy = folder / "source"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\n")):
        if (ROOT / name).is_file() and not name.startswith(("notebooks/", "tests/")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    return copy


def run(installed, tmp_path, *arguments):
    env = {k: v for k, v in os.environ.items() if not k.startswith("GINDEX_LAB")}
    env |= {"PYTHONPATH": str(installed), "GINDEX_LAB_CACHE": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


TABLE = "agent,easy,middle,hard\nann,1,1,0\nbob,1,0,0\ncy,1,1,1\n"


@pytest.mark.slow
def test_data_measures_and_readers_work_from_a_wheel(installed, tmp_path):
    (tmp_path / "scores.csv").write_text(TABLE)
    code = (
        "import gindex_lab as gl\n"
        "from gindex_lab.press.reproduction.claims import ledger\n"
        f"assert gl.__file__.startswith({str(installed)!r}), gl.__file__\n"
        "assert len(gl.datasets()) > 20 and len(ledger()) > 900\n"
        "assert len(gl.published('gindex_table1')) > 1\n"
        "table = gl.read('scores.csv')\n"
        "found = gl.generality(table, difficulty=[1, 2, 3])\n"
        "print(found['capability'].round(2).to_dict())\n"
    )
    out = run(installed, tmp_path, "-c", code)
    assert "'cy': " in out


@pytest.mark.slow
def test_a_table_and_a_log_are_analysed_without_the_workbench(installed, tmp_path):
    rows = [f"m{a},i{k},{int((a * k) % 7 > 2)}" for a in range(1, 6) for k in range(1, 31)]
    (tmp_path / "runs.csv").write_text("\n".join(["agent,item,response", *rows]) + "\n")
    names = ("model", "item", "score")
    logged = [json.dumps(dict(zip(names, row.split(","), strict=True))) for row in rows]
    (tmp_path / "runs.jsonl").write_text("\n".join(logged) + "\n")
    for file in ("runs.csv", "runs.jsonl"):
        run(installed, tmp_path, "-m", "gindex_lab", "analyse", file, "--out", f"{file}.html")
        assert "<html" in (tmp_path / f"{file}.html").read_text("utf-8")
