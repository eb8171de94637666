"""Whatever the package writes goes through foundation/output.py and folders.py: a walk over the code finds what does not."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
METHODS = {"write_text", "write_bytes", "touch", "tofile", "rmtree", "copytree", "copy2", "move"}
TABLES = {"to_csv", "to_json", "to_parquet", "to_html", "to_excel", "to_pickle", "savefig", "save"}
SAVERS = {"save", "savez", "savez_compressed", "savetxt", "dump", "copyfile", "copy"}
REMOVERS = {"unlink", "rmdir", "symlink_to", "hardlink_to"}
OF_OS = {"remove", "unlink", "rename", "replace", "rmdir", "truncate", "link", "symlink", "renames"}
# names of what is given by atomic_path or atomic_folder, or lies in memory or in a temporary folder
SAFE = {"new", "buffer", "self"}
# (file, call): why it may
ALLOWED = {
    ("gindex_lab/foundation/journals.py", "open"): "appends a line to a file that `appendable` has looked at",
    ("gindex_lab/worlds/anytime/running.py", "save"): "our own save, which writes through the layer",
    ("gindex_lab/worlds/learning/experiments.py", "save"): "our own save, which writes through the layer",
    ("benchmarks/page.py", "savefig"): "in memory",
    ("gindex_lab/foundation/inputs.py", "write_bytes"): "a temporary folder of its own",
    ("gindex_lab/foundation/parallel.py", "write_bytes"): "a temporary folder of its own",
    ("gindex_lab/foundation/kernels.py", "save"): "numba's cache of compiled code",
    ("gindex_lab/presentation/widgets/contents.py", "save"): "what the user saves in JupyterLab, by its own contents manager",
    ("gindex_lab/studies/data/registry.py", "write_text"): "in a folder that atomic_folder is making",
    ("gindex_lab/studies/data/tidy.py", "to_csv"): "in a folder that atomic_folder is making",
    ("gindex_lab/studies/data/loading.py", "write_bytes"): "in a folder that atomic_folder is making",
    ("gindex_lab/press/reproduction/reports_folder.py", "open"): "the lock, which `appendable` has looked at",
    ("gindex_lab/press/reproduction/reports_folder.py", "touch"): "a probe with a name of its own",
    ("gindex_lab/press/reproduction/runs.py", "open"): "the kernels' log, which `appendable` has looked at",
    ("gindex_lab/foundation/journals.py", "unlink"): "a journal that it has just made, and could not begin",
    ("gindex_lab/foundation/journals.py", "truncate"): "a line of its own that was cut off",
    ("gindex_lab/measures/programs/tiles.py", "unlink"): "what it has just made, where the disk is too small",
    ("gindex_lab/measures/programs/tiles.py", "replace"): "between `out` and `out`.part, whose journal is ours",
    ("gindex_lab/press/reproduction/reproduce.py", "unlink"): "the record of a failure in a folder of ours",
    ("gindex_lab/press/reproduction/reports_folder.py", "unlink"): "its own probe",
    ("gindex_lab/press/reproduction/reproduce.py", "rmdir"): "an empty folder of ours",
    ("gindex_lab/studies/data/download.py", "unlink"): "a download in a temporary folder of its own",
    ("gindex_lab/studies/readers/tables.py", "replace"): "words in a column",
    ("benchmarks/bench_irt.py", "save"): "a temporary folder of its own",
    ("benchmarks/bench_logs.py", "open"): "a temporary folder of its own",
    ("benchmarks/bench_logs.py", "to_csv"): "a temporary folder of its own",
    ("benchmarks/bench_factors.py", "write_text"): "a temporary folder of its own",
    ("gindex_lab/press/site.py", "copytree"): "into a folder that atomic_folder is making",
    ("gindex_lab/press/site.py", "write_bytes"): "in a folder that atomic_folder is making",
}  # fmt: skip


def root_of(node):
    """The name at the left end of `new / "a" / "b"`, `new.open`, `f"{new}.svg"`."""
    while isinstance(node, (ast.BinOp, ast.Attribute, ast.Subscript, ast.Call)):
        parts = {
            ast.BinOp: "left",
            ast.Attribute: "value",
            ast.Subscript: "value",
            ast.Call: "func",
        }
        node = getattr(node, parts[type(node)])
    return node.id if isinstance(node, ast.Name) else ""


def opens_for_writing(call):
    modes = [a.value for a in [*call.args, *(k.value for k in call.keywords)] if isinstance(a, ast.Constant)]
    return any(isinstance(m, str) and len(m) < 4 and set(m) & set("wax+") and set(m) <= set("rwaxbt+") for m in modes)  # fmt: skip


def writes(call):
    """(what is called, the name it writes to) of a call that may write a file; None of any other."""
    function = call.func
    if isinstance(function, ast.Name):
        if function.id == "open" and opens_for_writing(call):
            return "open", root_of(call.args[0])
        return None
    if not isinstance(function, ast.Attribute):
        return None
    owner, name = root_of(function.value), function.attr
    if name == "open" and opens_for_writing(call):
        return "open", owner
    if name == "ZipFile" and opens_for_writing(call):
        return "ZipFile", root_of(call.args[0])
    if name == "open" and owner == "os" and "O_CREAT" in ast.unparse(call):
        return "open", root_of(call.args[0])
    if name in METHODS and owner != "output":
        return name, owner if name.startswith(("write", "touch")) else root_of(call.args[0])
    targets = [
        *call.args[:1],
        *(k.value for k in call.keywords if k.arg in ("path", "path_or_buf")),
    ]
    if name in SAVERS and owner in ("np", "numpy", "json", "pickle", "shutil", "joblib") and targets:
        return name, root_of(call.args[-1] if owner in ("json", "pickle", "shutil") else targets[0])
    if name in TABLES and targets and isinstance(targets[0], (ast.Name, ast.BinOp, ast.JoinedStr)):
        return name, root_of(targets[0])
    return None


def removes(call):
    """What is called, where a call may delete, move or link a file; a text's or a table's own `replace` is none."""
    if not isinstance(call.func, ast.Attribute):
        return None
    owner, name = root_of(call.func.value), call.func.attr
    to_a_path = len(call.args) == 1 and not call.keywords and isinstance(call.args[0], (ast.Name, ast.Attribute, ast.BinOp))  # fmt: skip
    moved = name in ("rename", "replace") and to_a_path
    return name if name in REMOVERS or moved or (owner == "os" and name in OF_OS) else None


def bypasses(text, file):
    return [
        f"{file}:{call.lineno} {what}"
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call) and (found := writes(call)) is not None
        for what, target in [found]
        if target not in SAFE and (file, what) not in ALLOWED
    ] + [
        f"{file}:{call.lineno} {what}"
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call) and (what := removes(call)) is not None
        if (file, what) not in ALLOWED
    ]


@pytest.mark.parametrize(
    "line",
    [
        'Path(p).write_text("a")',
        'open(p, "w").write("a")',
        'path.open("ab")',
        "table.to_csv(path)",
        'fig.savefig(f"{path}.svg")',
        "np.save(path, x)",
        "json.dump(x, path)",
        "shutil.rmtree(folder)",
        'zipfile.ZipFile(path, "w")',
        "image.save(target)",
        "path.unlink()",
        "self.path.unlink()",
        "path.replace(other)",
        "path.rename(place / name)",
        "os.replace(one, other)",
        "os.remove(path)",
        "path.symlink_to(other)",
    ],
)
def test_a_bypass_is_found(line):
    assert bypasses(line, "gindex_lab/some.py")


@pytest.mark.parametrize(
    "line",
    [
        "write_text(path, table.to_csv())",
        "table.to_csv(new)",
        'path.open("rb")',
        "np.save(buffer, x)",
        'text.replace("a", "b")',
        "table.rename(columns=names)",
    ],
)
def test_what_goes_through_the_output_layer_is_not(line):
    assert bypasses(line, "gindex_lab/some.py") == []


def test_nothing_is_written_past_the_output_layer():
    files = [p for part in ("gindex_lab", "benchmarks") for p in sorted((ROOT / part).rglob("*.py"))]
    names = {p.relative_to(ROOT).as_posix(): p for p in files}
    del names["gindex_lab/foundation/output.py"], names["gindex_lab/foundation/folders.py"]
    found = [one for name, p in names.items() for one in bypasses(p.read_text(encoding="utf-8"), name)]
    assert found == []
