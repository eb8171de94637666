"""`gindex-lab` on the command line: reproduce, data, claims, analyse, plan, lint, docs, exercises.

Each command is a thin layer over one function of the package. Our own errors are printed as one line
and end with status 2; 130 is Ctrl-C, 141 a reader (`| head`) that left before the end; anything else is a
bug and shows its traceback.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gindex_lab import __version__
from gindex_lab.foundation import interrupts
from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.interrupts import INTERRUPTED, ends_once
from gindex_lab.foundation.output import appendable
from gindex_lab.studies.analysis.options import TRANSFORMS

__all__ = ["main"]

PLANNED = ["capability", "spread", "normalised_generality", "mean"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0 where everything went well.

    >>> main(["data", "where", "no-such-data"])
    2
    """
    interrupts.speak_any_encoding()
    try:
        with ends_once(), warnings.catch_warnings():
            warnings.showwarning = _one_line  # type: ignore[assignment]
            options = _parser().parse_args(arguments)
            _check_here()
            status = int(options.run(options) or 0)
            sys.stdout.flush()
            return status
    except GIndexLabError as error:
        print(f"gindex-lab: {interrupts.visible(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("gindex-lab: stopped; the same command resumes", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        if not interrupts.reader_gone():
            raise
        interrupts.silence()
        return interrupts.READER_GONE


def _check_here() -> None:
    try:
        Path.cwd()
    except OSError:
        problem, remedy = "has been deleted", "go to another folder (cd) and run it there"
        raise BadInput("folder", ".", problem, remedy, code="not-found") from None


def _one_line(message: Warning | str, *_: object) -> None:
    print(f"gindex-lab: {interrupts.visible(str(message))}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gindex-lab", description="Measure how capable and how general agents are."
    )
    parser.add_argument("--version", action="version", version=f"gindex-lab {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = commands.add_parser("reproduce", help="run the notebooks and write reports/")
    command.add_argument("only", nargs="?", help="one notebook, e.g. gindex/table1")
    command.add_argument("--profile", default="quick", choices=["quick", "full"])
    command.add_argument("--jobs", type=int, default=2, help="notebooks at a time (2)")
    command.add_argument("--force", action="store_true", help="run what is up to date, too")
    command.add_argument("--reports", type=Path, default=Path("reports"))
    command.set_defaults(run=_reproduce)

    command = commands.add_parser("data", help="the published data sets")
    actions = command.add_subparsers(required=True, metavar="list|fetch|where")
    action = actions.add_parser("list", help="every data set, its licence, and whether it is here")
    action.set_defaults(run=_data_list)
    action = actions.add_parser("fetch", help="download what may be downloaded")
    action.add_argument("names", nargs="*", help="all where none is named")
    action.set_defaults(run=_data_fetch)
    action = actions.add_parser("where", help="where a data set is read from")
    action.add_argument("name")
    action.set_defaults(run=_data_where)

    command = commands.add_parser("claims", help="what the papers state, and what we get")
    command.add_argument("--paper", help="one paper only")
    command.add_argument("--all", action="store_true", help="one line per claim")
    command.add_argument("--accept", action="store_true", help="take today's statuses as baseline")
    command.set_defaults(run=_claims)

    command = commands.add_parser("lint", help="what is hard to read in the pages of a run")
    command.add_argument("only", nargs="?", help="one notebook, e.g. gindex/table1, or a folder")
    command.add_argument("--reports", type=Path, default=Path("reports"))
    command.add_argument(
        "--counts", action="store_true", help="only how many, by notebook and rule"
    )
    command.set_defaults(run=_lint)

    command = commands.add_parser("docs", help="the guide and the reference -> reports/docs/")
    command.add_argument("--out", type=Path, default=Path("reports") / "docs")
    command.set_defaults(run=_docs)

    command = commands.add_parser("exercises", help="the exercises of the course as files")
    command.add_argument("--page", type=Path, help="write one page that needs nothing else here")
    command.add_argument("--sheets", type=Path, help="write the teacher's sheets into this folder")
    command.add_argument("--nbgrader", type=Path, help="write assignments into this course folder")
    command.set_defaults(run=_exercises)

    _add_analyse(commands)
    _add_plan(commands)
    return parser


def _add_analyse(commands: Any) -> None:
    command = commands.add_parser(
        "analyse", help="evaluation logs or a table of scores -> a report"
    )
    _add_reading(command)
    command.add_argument("--out", type=Path, help="write an HTML report here")
    command.add_argument("--transform", default="auto", choices=TRANSFORMS)
    command.add_argument("--reference", help="the reference agent of --transform reference")
    command.add_argument("--minutes", help="a column of human minutes: state time horizons")
    command.add_argument("--dates", help="a column of release dates: state a doubling time")
    command.add_argument(
        "--ci", type=float, default=0.95, help="level of the intervals (0.95; 0 for none)"
    )
    command.add_argument("--seed", type=int, default=1)
    command.add_argument(
        "--missing",
        default="auto",
        choices=["auto", "error", "drop"],
        help="drop: measure what is there (auto: up to 5%% of the cells)",
    )
    command.add_argument(
        "--resample",
        default="items",
        choices=["items", "families", "trials"],
        help="for the intervals",
    )
    command.add_argument(
        "--floor",
        nargs="+",
        metavar="CHANCE",
        help="what guessing gives: one number, or TASK=CHANCE of some tasks",
    )
    command.set_defaults(run=_analyse)


def _add_plan(commands: Any) -> None:
    command = commands.add_parser(
        "plan", help="a pilot study -> how many items tell two agents apart"
    )
    _add_reading(command)
    command.add_argument(
        "--difference",
        type=float,
        required=True,
        help="that matters: in points of 100 for the mean, else in the unit of the measure",
    )
    command.add_argument(
        "--measure", choices=PLANNED, help="capability where items have difficulties, else mean"
    )
    command.add_argument("--power", type=float, default=0.8, help="wanted (0.8)")
    command.add_argument("--ci", type=float, default=0.95, help="level of the test (0.95)")
    command.add_argument("--pairs", type=int, default=1, help="of agents that are compared (1)")
    command.add_argument("--agent", help="whose curve the plan starts from (the median agent)")
    command.add_argument("--resample", default="items", choices=["items", "families"])
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--out", type=Path, help="write power by the number of items here (CSV)")
    command.set_defaults(run=_plan)


def _add_reading(command: argparse.ArgumentParser) -> None:
    """The path, and how what is there is to be read."""
    command.add_argument(
        "path",
        type=Path,
        help="a table (CSV, TSV, Parquet), a log, or a folder of logs of one format",
    )
    command.add_argument("--difficulty", help="a column of items.csv, or a CSV of item,difficulty")
    for name, says in _READING.items():
        command.add_argument(f"--{name}", help=says)
    command.add_argument(
        "--columns",
        nargs="+",
        type=_pair,
        metavar="KIND=NAME",
        help="of a table: agent=model item=q",
    )
    command.add_argument(
        "--metric",
        nargs="+",
        metavar="METRIC",
        help="which score of the logs is the response: a name, or TASK=METRIC for some tasks",
    )
    command.add_argument(
        "--strict", action="store_true", help="a file that cannot be read is an error, not skipped"
    )
    command.add_argument(
        "--scale", type=float, nargs=2, metavar=("LOW", "HIGH"), help="scores on it become [0, 1]"
    )
    for name, says in _LISTS.items():
        command.add_argument(f"--{name}", nargs="+", metavar="NAME", help=says)
    command.add_argument(
        "--transpose",
        action=argparse.BooleanOptionalAction,
        help="of a wide table: rows are items, columns agents",
    )


_READING = {  # options of gl.read
    "format": "of the logs, where it is not to be recognised (lm-eval, inspect, helm, long, wide ...)",
    "filter": "of lm-evaluation-harness tasks that have several",
    "repeats": "a second response of an agent to an item: error, trials, first or last",
    "encoding": "of text that is not UTF-8",
    "agent-from": "what an agent of a log is: model, model+args, solver, revision, file or folder",
}


_LISTS = {  # options of gl.read that take several names
    "higher-is-better": "metrics, or columns of a wide table, of which more is better",
    "lower-is-better": "those of which less is better: they are turned round",
    "items": "of a wide table, the columns to read as items",
    "agents": "those to keep",
    "include": "globs over tasks, models and files: what to keep (mmlu*, model:gpt*, file:*.eval)",
    "exclude": "globs over tasks, models and files: what to leave out",
}


def _floors(given: list[str] | None) -> float | dict[str, float] | None:
    """One number for all items, or one for each task that is named."""
    if given is None:
        return None
    pairs = [text.rpartition("=") for text in given]
    try:
        if len(pairs) == 1 and not pairs[0][1]:
            return float(pairs[0][2])
        if all(equals for _, equals, _ in pairs):
            return {task: float(chance) for task, _, chance in pairs}
    except ValueError:
        pass
    remedy = "write --floor 0.25, or --floor arc=0.25 boolq=0.5"
    raise BadInput("floor", " ".join(given), "is neither a number nor TASK=CHANCE", remedy)


def _metrics(given: list[str] | None) -> dict[str, list[str]] | None:
    """Metrics by task: those of a task by its name or glob, those of every task under `*`."""
    found: dict[str, list[str]] = {}
    for text in sorted(given or (), key=lambda one: "=" not in one):  # a task's own come first
        task, equals, metric = text.rpartition("=")
        if not metric or (equals and not task):
            raise BadInput("metric", text, "is not METRIC or TASK=METRIC", "write --metric arc=acc")
        found.setdefault(task if equals else "*", []).append(metric)
    return found or None


def _pair(text: str) -> tuple[str, str]:
    kind, equals, name = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KIND=NAME, for instance agent=model")
    return kind, name


def _reproduce(options: argparse.Namespace) -> int:
    from gindex_lab.press.reproduction.reproduce import reproduce

    return reproduce(
        options.only,
        profile=options.profile,
        jobs=options.jobs,
        force=options.force,
        reports=options.reports,
    )


def _data_list(_: argparse.Namespace) -> None:
    from gindex_lab.studies.data.loading import datasets

    shown = datasets()[["name", "size", "kind", "available", "licence", "where"]]
    print(shown.to_string(index=False, max_colwidth=48))


def _data_fetch(options: argparse.Namespace) -> None:
    from gindex_lab.studies.data.loading import fetch

    for name, where in fetch(options.names or None).items():
        print(f"{name}: {where}")


def _data_where(options: argparse.Namespace) -> None:
    from gindex_lab.studies.data.loading import where

    print(where(options.name))


def _claims(options: argparse.Namespace) -> None:
    from gindex_lab.press.reproduction import claims

    if options.accept:
        print(claims.accept())
    elif options.all:
        print(claims.table(paper=options.paper).to_string(index=False, max_colwidth=60))
    else:
        print(claims.summary(paper=options.paper).to_string())
        print("\nby the strength of the check:")
        print(claims.summary(paper=options.paper, by="grade").to_string())
        print(_claims_hint())


def _claims_hint() -> str:
    """What to do next: nothing is reproduced before the notebooks have run."""
    from gindex_lab.press.reproduction import claims

    if not any(result.records for result in claims.results()):
        return "\nNo notebook has run here yet: run make reproduce, or gindex-lab reproduce gindex/table1."
    return (
        "\nreports/claims.html shows every claim; gindex-lab claims --all prints a line for each."
    )


def _lint(options: argparse.Namespace) -> int:
    from gindex_lab.press.lint import findings, report

    found = findings(options.reports, options.only)
    print(report(found, counts=options.counts))
    return 1 if found else 0


def _docs(options: argparse.Namespace) -> None:
    from gindex_lab.press.reproduction.docs import build

    print(f"documentation: {build(options.out)}")


def _exercises(options: argparse.Namespace) -> None:
    from gindex_lab.press.exercises import write_exercises

    for path in write_exercises(options.page, options.sheets, options.nbgrader):
        print(path)


def _check_out(path: Path, out: Path) -> None:
    """A place that cannot be written is reported before the work; data are not replaced by their report."""
    appendable(out, "out")
    above = next((one for one in out.absolute().parents if one.exists()), None)
    if above is not None and not above.is_dir():
        problem = f"cannot be written ({above} is a file, not a folder)"
        raise BadInput("out", str(out), problem, "name another place", code="not-a-folder")
    if not (out.exists() and path.exists()):
        return
    inside = path.resolve() in out.resolve().parents and out.suffix.lower() not in (".html", ".htm")
    if path.samefile(out) or inside:
        raise BadInput("out", str(out), "is to be analysed itself", "name another file")


def _reading(options: argparse.Namespace) -> dict[str, Any]:
    """The options of gl.read that were given."""
    names = (name.replace("-", "_") for name in (*_READING, *_LISTS, "scale", "transpose"))
    reading: dict[str, Any] = {name: getattr(options, name) for name in names}
    reading |= {"metric": _metrics(options.metric), "strict": options.strict}
    reading["columns"] = {kind: name or None for kind, name in options.columns or ()} or None
    return {name: value for name, value in reading.items() if value is not None}


def _plan(options: argparse.Namespace) -> None:
    from gindex_lab.press.plan import plan

    if options.out:
        _check_out(options.path, options.out)
    found = plan(
        options.path,
        difference=options.difference,
        measure=options.measure,
        wanted=options.power,
        ci=options.ci,
        pairs=options.pairs,
        agent=options.agent,
        resample=options.resample,
        difficulty=options.difficulty,
        seed=options.seed,
        reading=_reading(options),
    )
    print(found.text())
    if options.out:
        print(f"table: {found.write(options.out)}")


def _analyse(options: argparse.Namespace) -> None:
    from gindex_lab.press.analyse import analyse

    if options.out:
        _check_out(options.path, options.out)
    report = analyse(
        options.path,
        transform=options.transform,
        reference=options.reference,
        difficulty=options.difficulty,
        minutes=options.minutes,
        dates=options.dates,
        ci=options.ci or None,
        seed=options.seed,
        missing=options.missing,
        resample=options.resample,
        floor=_floors(options.floor),
        reading=_reading(options),
    )
    print(report.text())
    if options.out:
        print(f"report: {report.write(options.out)}")


if __name__ == "__main__":
    sys.exit(main())
