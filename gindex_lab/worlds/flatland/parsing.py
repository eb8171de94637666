"""From text to program and back, in any of the three syntaxes, with includes.

`parse(text, syntax)` reads flow text ("fbp"), LISP ("lisp") or JSON ("json"); `Program.to_text(syntax)`
writes them, and each reads back as the same program (g-index paper, section 5). An include is looked up
in the folder given, else among the shapes that come with the package, and can lead nowhere else.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path, PurePosixPath

from gindex_lab.foundation.errors import BadInput, BadProgram
from gindex_lab.foundation.inputs import as_path, read_text
from gindex_lab.foundation.validate import choice
from gindex_lab.worlds.flatland import syntax_fbp, syntax_json, syntax_lisp
from gindex_lab.worlds.flatland.definitions import Definition, DrawingLimits, Include, Source
from gindex_lab.worlds.flatland.expressions import Expression
from gindex_lab.worlds.flatland.programs import Program

__all__ = ["SHAPES", "library", "parse", "read", "shape", "uses", "write"]

SHAPES = Path(__file__).with_name("shapes")
_SYNTAXES = {"fbp": syntax_fbp, "lisp": syntax_lisp, "json": syntax_json}
_OF_ENDING = {f".{syntax}": syntax for syntax in _SYNTAXES}
LONGEST = 1_000_000  # characters of a text
MOST_INCLUDES = 50


def parse(
    text: str,
    syntax: str = "fbp",
    *,
    folder: str | PathLike[str] | None = None,
    limits: DrawingLimits | None = None,
) -> Program:
    """A program from text in one of the syntaxes "fbp", "lisp", "json".

    Includes are looked up in `folder`, then among the shapes of the package. `limits` bounds what the
    program may use.

    Reference: g-index paper, section 5.

    >>> program = parse('#include "circle.fbp"\\n{"position": [64, 44]} -> circle(20)')
    >>> round(program.trace().ink, 9), len(program.graph)
    (125.657326348, 4)
    """
    _check_text(text)
    choice("syntax", syntax, list(_SYNTAXES))
    source = _SYNTAXES[syntax].read(text)
    flows: dict[str, Definition] = {}
    _include(source, None if folder is None else as_path("folder", folder), flows, (), set())
    _add(source.flows, flows)
    if source.run is None:
        remedy = 'end with {"position": [64, 64], "theta": 0} -> flow(arguments)'
        raise BadProgram("program", text.strip()[-40:], "[runs-nothing] runs nothing", remedy)
    program = Program(flows, source.run, limits or DrawingLimits())
    _ = program.graph  # a program too large or too deep is refused here, not at its first use
    return program


def read(path: str | PathLike[str], **options: DrawingLimits) -> Program:
    """A program from a file; its ending says the syntax, its folder is that of its includes.

    Reference: g-index paper, section 5.

    >>> read(SHAPES / "square.fbp")
    Program('square(30)', 2 flows)
    """
    file = as_path("path", path)
    if file.suffix not in _OF_ENDING:
        raise BadProgram(
            "path", str(path), "[unknown-ending] has no known ending", "use .fbp, .lisp or .json"
        )
    return parse(_text_of(file), _OF_ENDING[file.suffix], folder=file.parent, **options)


def write(program: Program, syntax: str = "fbp") -> str:
    """The text of a program; flows come before those that use them. (g-index paper, section 5.)"""
    return _SYNTAXES[choice("syntax", syntax, list(_SYNTAXES))].write(program)


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        problem = "[not-text] is not text"
        raise BadProgram("text", type(text).__name__, problem, "pass a str; read() takes a path")
    if not text.strip():
        raise BadProgram("text", text, "[empty] is empty", "write at least one flow and run it")
    if len(text) > LONGEST:
        raise BadProgram(
            "text", len(text), f"[too-large] characters are more than {LONGEST:,}", "split it"
        )


def _text_of(file: Path) -> str:
    try:
        text = read_text(file, "utf-8", "file")
    except BadInput as error:
        raise error.told_of("file", file.name, BadProgram) from None
    _check_text(text)
    return text


def _include(
    source: Source,
    folder: Path | None,
    flows: dict[str, Definition],
    above: tuple[str, ...],
    done: set[Path],
) -> None:
    """Add the flows of every include, its own includes first; a call in an included file is left out."""
    for include in source.includes:
        file = _find(include, folder)
        if str(file) in above:
            names = [Path(name).name for name in (*above[above.index(str(file)) :], str(file))]
            problem = "[circle] includes itself"
            raise BadProgram(f"line {include.line}", " -> ".join(names), problem, "break it")
        if file in done:
            continue
        done.add(file)
        if len(done) > MOST_INCLUDES:
            problem = f"is more than the {MOST_INCLUDES} includes of a program"
            raise BadProgram(f"line {include.line}", include.name, problem, "join some files")
        found = _SYNTAXES[_OF_ENDING[file.suffix]].read(_text_of(file))
        _include(found, file.parent, flows, (*above, str(file)), done)
        _add(found.flows, flows)


def _find(include: Include, folder: Path | None) -> Path:
    """The file of an include: below the folder of the text or among our shapes, and nowhere else."""
    where = f"line {include.line}"
    name = PurePosixPath(include.name)
    if name.suffix not in _OF_ENDING:
        raise BadProgram(
            where, include.name, "[unknown-ending] has no known ending", "use .fbp, .lisp or .json"
        )
    if name.is_absolute() or ".." in name.parts or "\\" in include.name or "\0" in include.name:
        problem = "[outside-folder] leads out of the folder of the program"
        raise BadProgram(where, include.name, problem, "include files below it only")
    for base in (folder, SHAPES):
        if base is None:
            continue
        file = (base / name).resolve()
        if file.is_file():
            if not file.is_relative_to(base.resolve()):  # a link to elsewhere
                problem = "[outside-folder] leads out of the folder of the program"
                raise BadProgram(where, include.name, problem, "include files below it only")
            return file
    shapes = ", ".join(sorted(path.name for path in SHAPES.glob("*.fbp")))
    problem = "[not-found] is neither beside the program nor one of our shapes"
    raise BadProgram(where, include.name, problem, f"pass folder=, or include one of {shapes}")


def _add(new: list[Definition], flows: dict[str, Definition]) -> None:
    for flow in new:
        if flow.name in flows and flows[flow.name] != flow:
            raise BadProgram(
                "flow", flow.name, "[duplicate] is defined twice", "rename one of them"
            )
        flows[flow.name] = flow


# -- the shapes that come with the package: flow texts of our own ------------------------------------


def library() -> list[str]:
    """The names of the shapes. (g-index paper, section 5.)

    >>> library()[:4]
    ['arc', 'car', 'circle', 'face']
    """
    return sorted(path.stem for path in SHAPES.glob("*.fbp"))


def shape(
    name: str,
    *args: Expression,
    position: tuple[float, float] | None = None,
    theta: float | None = None,
) -> Program:
    """A shape of the library, with the arguments and place of its file where none are given.

    Reference: g-index paper, section 5.

    >>> shape("circle", 20, position=(64, 64)).run
    Call(flow='circle', args=(20,), position=(64, 64), theta=0)
    """
    program = read(SHAPES / f"{choice('name', name, library())}.fbp")
    changes = {"args": args} if args else {}
    place = {"position": position, "theta": theta}
    return program.with_run(**changes, **{k: v for k, v in place.items() if v is not None})


def uses(name: str) -> set[str]:
    """The flows that a shape calls directly: the edges of the library's composition.

    Reference: g-index paper, section 5.

    >>> sorted(uses("car"))
    ['rectangle', 'wheel']
    """
    flows = shape(name).flows
    return {node.type for node in flows[name].nodes} & set(flows)
