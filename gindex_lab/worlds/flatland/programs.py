"""Programs that draw: flows of move, turn and loop, composed from other flows; from text and back.

A program is a set of flows and the one to run, with arguments, position and heading (g-index paper,
section 5). `parse(text, syntax)` reads flow text ("fbp"), LISP ("lisp") or JSON ("json");
`Program.to_text(syntax)` writes them, and each reads back as the same program. An include is looked up in the
folder given, else among the shapes that come with the package, and can lead nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.errors import BadInput, BadProgram, ensure
from gindex_lab.foundation.inputs import as_path, read_text
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import choice
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.worlds.flatland import syntax_fbp, syntax_json, syntax_lisp
from gindex_lab.worlds.flatland.checks import canonical, check_program
from gindex_lab.worlds.flatland.definitions import Call, Definition, DrawingLimits, Include, Source
from gindex_lab.worlds.flatland.execution import Trace, trace
from gindex_lab.worlds.flatland.expansion import Graph, expand
from gindex_lab.worlds.flatland.expressions import Expression, require, to_lisp
from gindex_lab.worlds.flatland.rendering import Picture, picture, to_svg

if TYPE_CHECKING:
    from gindex_lab.worlds.flatland.drawings import Drawing

__all__ = ["SHAPES", "Program", "library", "parse", "read", "shape", "uses", "write"]

SHAPES = Path(__file__).with_name("shapes")  # flow texts of our own
_SYNTAXES = {"fbp": syntax_fbp, "lisp": syntax_lisp, "json": syntax_json}
# judgements
LONGEST = 1_000_000  # characters of a text
MOST_INCLUDES = 50  # files of a program


@dataclass(frozen=True)
class Program:
    """A program: flows by name, and the call that runs one of them. `parse` makes one from text.
    (g-index paper, section 5.)

    >>> from gindex_lab.worlds.flatland import parse
    >>> program = parse('''
    ... side(start d) -> step(move d)
    ... step -> side(end)
    ... {"position": [10, 20]} -> side(30)
    ... ''')
    >>> program, program.trace().segments.tolist()
    (Program('side(30)', 1 flow), [[10.0, 20.0, 40.0, 20.0]])
    """

    flows: Mapping[str, Definition]
    run: Call
    limits: DrawingLimits = field(default=DrawingLimits(), compare=False, repr=False)

    def __post_init__(self) -> None:
        check_program(self.flows, self.run)
        object.__setattr__(self, "flows", {k: canonical(flow) for k, flow in self.flows.items()})

    @cached_property
    def graph(self) -> Graph:
        """The program with every flow written out down to the primitives, START first."""
        return expand(self)

    def trace(self, limits: DrawingLimits | None = None) -> Trace:
        """Run the program: every move with its pen, and the pose at the end."""
        known = limits is None or isinstance(limits, DrawingLimits)
        problem = "[wrong-type] is not a set of limits"
        ensure(known, "limits", limits, problem, "pass gl.flatland.Limits()")
        return trace(self, limits)

    def image(self, wrap: str = "teleport") -> Picture:
        """The picture: 128 x 128, 1 for ink, row 0 at the top."""
        return picture(self.trace().segments, wrap)

    def svg(self, wrap: str = "teleport") -> str:
        """The picture as an SVG document."""
        return to_svg(self.trace().segments, wrap)

    def to_text(self, syntax: str = "fbp") -> str:
        """The program in one of the syntaxes "fbp", "lisp", "json"; `parse` reads it back."""
        return write(self, syntax)

    def drawing(self) -> Drawing:
        """What the program draws as a list of lines and circles (the list metric's programs)."""
        drawing: Drawing = upstairs("Drawing").of_program(self)
        return drawing

    def to_flow(self) -> Flow:
        """The graph as a `gl.Flow`, the g-index's own kind of program: to draw it, or for its Δ."""
        return Flow(self.graph.flow_nodes(), name=self.run.flow)

    def with_run(self, **changes: Any) -> Program:
        """The same program run otherwise: `flow=`, `args=`, `position=`, `theta=`."""
        unknown = sorted(set(changes) - {"flow", "args", "position", "theta"})
        require(not unknown, "run", unknown[:1], "is not part of a call", "use flow, args, position, theta")
        return replace(self, run=replace(self.run, **changes))

    def __hash__(self) -> int:
        return hash((tuple(sorted(self.flows)), self.run))

    def __repr__(self) -> str:
        call = f"{self.run.flow}({' '.join(map(to_lisp, self.run.args))})"
        return f"Program({call!r}, {len(self.flows)} flow" + "s" * (len(self.flows) != 1) + ")"


def write(program: Program, syntax: str = "fbp") -> str:
    """The text of a program; flows come before those that use them (g-index paper, section 5).

    Parameters
    ----------
    program : the program
    syntax : "fbp" (flow text), "lisp" or "json"

    Returns
    -------
    str : which `parse` reads back as the same program
    """
    return _SYNTAXES[choice("syntax", syntax, list(_SYNTAXES))].write(program)


def parse(
    text: str,
    syntax: str = "fbp",
    *,
    folder: str | PathLike[str] | None = None,
    limits: DrawingLimits | None = None,
) -> Program:
    """A program from text (g-index paper, section 5).

    Parameters
    ----------
    text : flows, and the call that runs one
    syntax : "fbp" (flow text), "lisp" or "json"
    folder : where includes are looked up first, before the shapes of the package
    limits : what the program may use

    Returns
    -------
    Program

    Examples
    --------
    >>> program = parse('#include "circle.fbp"\\n{"position": [64, 44]} -> circle(20)')
    >>> round(program.trace().ink, 9), len(program.graph)
    (125.657326348, 4)
    """
    _check_text(text)
    source = _SYNTAXES[choice("syntax", syntax, list(_SYNTAXES))].read(text)
    flows: dict[str, Definition] = {}
    _add(source, None if folder is None else as_path("folder", folder), flows, [], set())
    if source.run is None:
        remedy = 'end with {"position": [64, 64], "theta": 0} -> flow(arguments)'
        raise BadProgram("program", text.strip()[-40:], "[runs-nothing] runs nothing", remedy)
    program = Program(flows, source.run, limits or DrawingLimits())
    _ = program.graph  # a program too large or too deep is refused here, not at its first use
    return program


def read(path: str | PathLike[str], **options: DrawingLimits) -> Program:
    """A program from a file, whose folder is that of its includes (g-index paper, section 5).

    Parameters
    ----------
    path : a .fbp, .lisp or .json file
    options : `limits`, as for `parse`

    Returns
    -------
    Program

    Examples
    --------
    >>> read(SHAPES / "square.fbp")
    Program('square(30)', 2 flows)
    """
    file = as_path("path", path)
    syntax = _syntax_of(file.suffix, "path", str(path))
    return parse(_text_of(file), syntax, folder=file.parent, **options)


def _syntax_of(ending: str, where: str, name: str) -> str:
    problem, remedy = "[unknown-ending] has no known ending", "use .fbp, .lisp or .json"
    require(ending[:1] == "." and ending[1:] in _SYNTAXES, where, name, problem, remedy)
    return ending[1:]


def _check_text(text: Any) -> None:
    remedy = "pass a str; read() takes a path"
    require(isinstance(text, str), "text", type(text).__name__, "[not-text] is not text", remedy)
    require(text.strip(), "text", text, "[empty] is empty", "write at least one flow and run it")
    problem = f"[too-large] characters are more than {LONGEST:,}"
    require(len(text) <= LONGEST, "text", len(text), problem, "split it")


def _text_of(file: Path) -> str:
    try:
        text = read_text(file, "utf-8", "file")
    except BadInput as error:
        raise error.told_of("file", file.name, BadProgram) from None
    _check_text(text)
    return text


def _add(
    source: Source, folder: Path | None, flows: dict[str, Definition], above: list[Path], done: set[Path]
) -> None:
    """Add the flows of a text, those of its includes first; a call in an included file is left out."""
    for include in source.includes:
        file, where = _find(include, folder), f"line {include.line}"
        circle = " -> ".join(path.name for path in [*above, file])
        require(file not in above, where, circle, "[circle] includes itself", "break it")
        if file in done:
            continue
        done.add(file)
        problem = f"is more than the {MOST_INCLUDES} includes of a program"
        require(len(done) <= MOST_INCLUDES, where, include.name, problem, "join some files")
        found = _SYNTAXES[file.suffix[1:]].read(_text_of(file))
        _add(found, file.parent, flows, [*above, file], done)
    for flow in source.flows:
        same = flows.setdefault(flow.name, flow) == flow
        require(same, "flow", flow.name, "[duplicate] is defined twice", "rename one of them")


def _find(include: Include, folder: Path | None) -> Path:
    """The file of an include: below the folder of the text or among our shapes, and nowhere else."""
    where, name = f"line {include.line}", PurePosixPath(include.name)
    _syntax_of(name.suffix, where, include.name)
    inside = not (name.is_absolute() or ".." in name.parts or set("\\\0") & set(include.name))
    problem, remedy = "[outside-folder] leads out of the folder of the program", "include files below it only"
    require(inside, where, include.name, problem, remedy)
    for base in [SHAPES] if folder is None else [folder, SHAPES]:
        file = (base / name).resolve()
        if file.is_file():  # and not a link to elsewhere
            require(file.is_relative_to(base.resolve()), where, include.name, problem, remedy)
            return file
    shapes = ", ".join(sorted(path.name for path in SHAPES.glob("*.fbp")))
    problem = "[not-found] is neither beside the program nor one of our shapes"
    raise BadProgram(where, include.name, problem, f"pass folder=, or include one of {shapes}")


def library() -> list[str]:
    """The names of the shapes that come with the package (g-index paper, section 5).

    Returns
    -------
    list of str

    Examples
    --------
    >>> library()[:4]
    ['arc', 'car', 'circle', 'face']
    """
    return sorted(path.stem for path in SHAPES.glob("*.fbp"))


def shape(
    name: str, *args: Expression, position: tuple[float, float] | None = None, theta: float | None = None
) -> Program:
    """A shape of the library (g-index paper, section 5).

    Parameters
    ----------
    name : one of `library()`
    *args : the arguments of its flow; by default those of its file
    position, theta : where it starts and in which direction (degrees); by default as in its file

    Returns
    -------
    Program

    Examples
    --------
    >>> shape("circle", 20, position=(64, 64)).run
    Call(flow='circle', args=(20,), position=(64, 64), theta=0)
    """
    program = read(SHAPES / f"{choice('name', name, library())}.fbp")
    changes = {"args": args or None, "position": position, "theta": theta}
    return program.with_run(**{key: value for key, value in changes.items() if value is not None})


def uses(name: str) -> set[str]:
    """The flows that a shape calls directly: the edges of the library's composition (section 5).

    Parameters
    ----------
    name : one of `library()`

    Returns
    -------
    set of str

    Examples
    --------
    >>> sorted(uses("car"))
    ['rectangle', 'wheel']
    """
    flows = shape(name).flows
    return {node.type for node in flows[name].nodes} & set(flows)
