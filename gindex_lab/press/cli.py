"""`gindex-lab` on the command line: reproduce, data, claims, analyse, plan, lint, docs, exercises, site.

Each command is a thin layer over one function of the package. Our own errors are printed as one line
and end with status 2; 130 is Ctrl-C, 141 a reader (`| head`) that left before the end; anything else is a
bug and shows its traceback.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.foundation import interrupts
from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.interrupts import INTERRUPTED, ends_once
from gindex_lab.foundation.output import appendable
from gindex_lab.press.options import LISTS, READING, parser

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0 where everything went well.

    >>> main(["data", "where", "no-such-data"])
    2
    """
    interrupts.speak_any_encoding()
    try:
        with ends_once(), warnings.catch_warnings():
            warnings.showwarning = _one_line_each()
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
        remedy = "go to another folder (cd) and run it there"
        raise BadInput("folder", ".", "[not-found] has been deleted", remedy) from None


def _one_line_each() -> Callable[..., None]:
    """Prints a warning as one line, and no text twice."""
    said: set[str] = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        text = str(message)
        if text not in said:
            said.add(text)
            print(f"gindex-lab: {interrupts.visible(text)}", file=sys.stderr)

    return show


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


def _reproduce(options: argparse.Namespace) -> int:
    from gindex_lab.press.reproduction.reproduce import reproduce

    return reproduce(**_given(options, "only profile jobs force reports"))


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
        hint = "reports/claims.html shows every claim; gindex-lab claims --all prints a line for each."
        if not any(result.records for result in claims.results()):
            hint = "No notebook has run here yet: run make reproduce, or gindex-lab reproduce gindex/table1."
        print(f"\n{hint}")


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


def _site(options: argparse.Namespace) -> None:
    from gindex_lab.press.site import build

    print(f"site: {build(options.out, options.reports)}")


def _check_out(path: Path, out: Path) -> None:
    """A place that cannot be written is reported before the work; data are not replaced by their report."""
    appendable(out, "out")
    above = next((one for one in out.absolute().parents if one.exists()), None)
    if above is not None and not above.is_dir():
        problem = f"[not-a-folder] cannot be written ({above} is a file, not a folder)"
        raise BadInput("out", str(out), problem, "name another place")
    if not (out.exists() and path.exists()):
        return
    inside = path.resolve() in out.resolve().parents and out.suffix.lower() not in (".html", ".htm")
    if path.samefile(out) or inside:
        raise BadInput("out", str(out), "is to be analysed itself", "name another file")


def _given(options: argparse.Namespace, names: str) -> dict[str, Any]:
    return {name: getattr(options, name) for name in names.split()}


def _reading(options: argparse.Namespace) -> dict[str, Any]:
    """The options of gl.read that were given."""
    names = (name.replace("-", "_") for name in (*READING, *LISTS, "scale", "transpose"))
    reading: dict[str, Any] = {name: getattr(options, name) for name in names}
    reading |= {"metric": _metrics(options.metric), "strict": options.strict}
    reading["columns"] = {kind: name or None for kind, name in options.columns or ()} or None
    return {name: value for name, value in reading.items() if value is not None}


def _plan(options: argparse.Namespace) -> None:
    from gindex_lab.press.analyse import plan

    if options.out:
        _check_out(options.path, options.out)
    same = _given(options, "path difference measure ci pairs agent resample difficulty seed")
    found = plan(**same, wanted=options.power, reading=_reading(options))
    print(found.text())
    if options.out:
        print(f"table: {found.write(options.out)}")


def _analyse(options: argparse.Namespace) -> None:
    from gindex_lab.press.analyse import analyse

    if options.out:
        _check_out(options.path, options.out)
    same = "path transform reference difficulty minutes dates seed missing resample"
    report = analyse(
        **_given(options, same),
        ci=options.ci or None,
        floor=_floors(options.floor),
        reading=_reading(options),
    )
    print(report.text())
    if options.out:
        print(f"report: {report.write(options.out)}")


_RUNS = {
    "reproduce": _reproduce,
    "data list": _data_list,
    "data fetch": _data_fetch,
    "data where": _data_where,
    "claims": _claims,
    "lint": _lint,
    "docs": _docs,
    "exercises": _exercises,
    "site": _site,
    "analyse": _analyse,
    "plan": _plan,
}


def _parser() -> argparse.ArgumentParser:
    return parser(_RUNS)


if __name__ == "__main__":
    sys.exit(main())
