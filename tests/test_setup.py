"""The set-up files agree with each other, and importing the package stays cheap."""

import importlib
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import gindex_lab as gl

ROOT = Path(__file__).resolve().parent.parent
LOCK = (ROOT / "requirements.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CARD = [
    "jupyterlab",
    "pandas",
    "matplotlib",
    "seaborn",
    "networkx",
    "statsmodels",
    "factor-analyzer",
    "papermill",
]


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def locked():
    """Package -> the versions that the lock pins (one per marker)."""
    pins = {}
    for line in re.findall(r"^[A-Za-z0-9][^\n]*?==[^\n]*", LOCK, re.M):
        requirement = Requirement(line.rstrip(" \\"))
        pins.setdefault(canonical(requirement.name), []).append(requirement)
    return pins


def direct():
    extras = PROJECT["optional-dependencies"]
    wanted = PROJECT["dependencies"] + extras["dev"] + extras["cluster"] + extras["lab"]
    return [r for r in map(Requirement, wanted) if r.name != PROJECT["name"]]


def test_the_lock_pins_every_direct_dependency_within_its_range():
    pins = locked()
    for requirement in direct():
        found = pins[canonical(requirement.name)]
        versions = [next(iter(pin.specifier)).version for pin in found]
        assert all(requirement.specifier.contains(v) for v in versions), (requirement, versions)


def test_every_package_of_the_lock_has_a_hash_and_none_an_address():
    for block in re.split(r"\n(?=[A-Za-z0-9])", LOCK.strip()):
        assert "--hash=sha256:" in block, block.splitlines()[0]
    assert "://" not in LOCK
    assert "index-url" not in LOCK


def test_the_lock_serves_linux_macos_and_windows():
    assert "sys_platform == 'win32'" in LOCK
    assert "sys_platform == 'darwin'" in LOCK


def test_the_cards_packages_are_dependencies():
    assert set(CARD) <= {canonical(r.name) for r in direct()}


def test_conda_users_get_the_same_lock():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    pip = next(d["pip"] for d in environment["dependencies"] if isinstance(d, dict))
    assert pip == ["--requirement requirements.lock"]
    python = next(d for d in environment["dependencies"] if str(d).startswith("python="))
    assert Requirement("python" + PROJECT["requires-python"]).specifier.contains(python[len("python=") :])


def test_this_environment_is_the_locked_one():
    for requirement in direct():
        pins = [
            pin
            for pin in locked()[canonical(requirement.name)]
            if pin.marker is None or pin.marker.evaluate()
        ]
        assert version(requirement.name) == next(iter(pins[0].specifier)).version


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert gl.__version__ == PROJECT["version"] == str(citation["version"])
    assert len(citation["references"]) == 5


def test_no_file_names_a_registry_host():
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    hosts = re.compile("|".join(["py" + r"pi\.org", "python" + r"hosted\.org", "registry" + r"\.npmjs"]))
    for name in files.stdout.split("\n"):
        path = ROOT / name
        if name and path.is_file():
            assert not hosts.search(path.read_text(errors="replace")), name


def modules_after_import():
    code = "import sys, gindex_lab; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    heavy = {
        "numpy",
        "pandas",
        "matplotlib",
        "scipy",
        "numba",
        "networkx",
        "statsmodels",
        "sklearn",
    }
    assert not heavy & modules_after_import()


def test_every_name_of_the_table_of_contents_exists_and_is_documented():
    for name in gl.__all__:
        value = getattr(gl, name)
        assert name == "__version__" or value.__doc__, name


def test_no_public_name_is_also_a_module():
    """A function that shares its module's name would be replaced by it on import."""
    modules = {path.stem for path in (ROOT / "gindex_lab").iterdir()}
    assert not modules & (set(gl.__all__) - set(gl._PACKAGES))


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(AttributeError) as caught:
        _ = gl.generalty
    assert caught.value.name == "generalty"
    assert all(name in str(caught.value) for name in gl.__all__)


def test_a_package_offered_whole_is_one_module_under_both_names():
    code = (
        "import gindex_lab.aiq.sweep as a, gindex_lab.worlds.aiq.sweep as b, gindex_lab.mazes\n"
        "from gindex_lab.anytime import Space; from gindex_lab.worlds.anytime.spaces import Space as S\n"
        "import gindex_lab as gl, gindex_lab.worlds.aiq as home\n"
        "print(a is b, Space is S, gl.aiq is home, gl.aiq.__spec__.name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True", "gindex_lab.worlds.aiq"]


def test_an_unknown_module_of_an_offered_package_is_not_found():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("gindex_lab.aiq.sweeep")
