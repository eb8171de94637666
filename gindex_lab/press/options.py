"""The options of `gindex-lab`: one table a command, of which `parser` makes the command line.

A row is `option: settings of argparse`; an option without dashes is a place, not a name.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gindex_lab import __version__
from gindex_lab.studies.analysis.options import TRANSFORMS

__all__ = ["LISTS", "READING", "parser"]

Options = dict[str, dict[str, Any]]
_REPORTS: Options = {"--reports": {"type": Path, "default": Path("reports")}}
_SEED: Options = {"--seed": {"type": int, "default": 1}}
_SWITCH = "store_true"

READING = {  # options of gl.read
    "format": "the format of the logs, if it is not recognised (lm-eval, inspect, helm, long, wide ...)",
    "filter": "which filter of lm-evaluation-harness tasks that have several",
    "repeats": "what a second response of an agent to an item is: error, trials, first or last",
    "encoding": "the encoding of text that is not UTF-8",
    "agent-from": "what an agent of a log is: model, model+args, solver, revision, file or folder",
}

LISTS = {  # options of gl.read that take several names
    "higher-is-better": "metrics, or columns of a wide table, where more is better",
    "lower-is-better": "metrics or columns where less is better: they are turned round",
    "items": "the columns of a wide table to read as items",
    "agents": "the agents to keep",
    "include": "globs over tasks, models and files: what to keep (mmlu*, model:gpt*, file:*.eval)",
    "exclude": "globs over tasks, models and files: what to leave out",
}


def _pair(text: str) -> tuple[str, str]:
    kind, equals, name = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KIND=NAME, for instance agent=model")
    return kind, name


# fmt: off
_READ: Options = {  # the path, and how what is there is to be read
    "path": {"type": Path, "help": "a table (CSV, TSV, Parquet), a log, or a folder of logs of one format"},
    "--difficulty": {"help": "a column of items.csv, or a CSV of item,difficulty"},
    **{f"--{name}": {"help": says} for name, says in READING.items()},
    "--columns": {"nargs": "+", "type": _pair, "metavar": "KIND=NAME",
                  "help": "which columns of a table are what: agent=model item=q"},
    "--metric": {"nargs": "+", "metavar": "METRIC",
                 "help": "which score of the logs is the response: a name, or TASK=METRIC for some tasks"},
    "--strict": {"action": _SWITCH, "help": "a file that cannot be read is an error, not skipped"},
    "--scale": {"type": float, "nargs": 2, "metavar": ("LOW", "HIGH"),
                "help": "the ends of the scale: scores become [0, 1]"},
    **{f"--{name}": {"nargs": "+", "metavar": "NAME", "help": says} for name, says in LISTS.items()},
    "--transpose": {"action": argparse.BooleanOptionalAction,
                    "help": "a wide table has items in rows and agents in columns"},
}

# a command: what it does, and its options
COMMANDS: dict[str, tuple[str, Options]] = {
    "reproduce": ("run the notebooks and write reports/", {
        "only": {"nargs": "?", "help": "one notebook, e.g. gindex/table1"},
        "--profile": {"default": "quick", "choices": ["quick", "full"]},
        "--jobs": {"type": int, "default": 2, "help": "notebooks at a time (2)"},
        "--force": {"action": _SWITCH, "help": "run what is up to date, too"},
        **_REPORTS,
    }),
    "data": ("the published data sets", {}),
    "data list": ("every data set, its licence, and whether it is here", {}),
    "data fetch": ("download what may be downloaded", {
        "names": {"nargs": "*", "help": "which; all of them if none is named"},
    }),
    "data where": ("where a data set is read from", {"name": {}}),
    "claims": ("what the papers state, and what we get", {
        "--paper": {"help": "one paper only"},
        "--all": {"action": _SWITCH, "help": "one line per claim"},
        "--accept": {"action": _SWITCH, "help": "take today's statuses as baseline"},
    }),
    "lint": ("what is hard to read in the pages of a run", {
        "only": {"nargs": "?", "help": "one notebook, e.g. gindex/table1, or a folder"},
        **_REPORTS,
        "--counts": {"action": _SWITCH, "help": "only how many, by notebook and rule"},
    }),
    "docs": ("the guide and the reference -> reports/docs/", {
        "--out": {"type": Path, "default": Path("reports") / "docs"},
    }),
    "site": ("pages with live demos, nothing to install -> reports/site/", {
        "--out": {"type": Path, "default": Path("reports") / "site"},
        "--reports": {"type": Path, "default": Path("reports")},
    }),
    "exercises": ("the exercises of the course as files", {
        "--page": {"type": Path, "help": "write one page that needs nothing else here"},
        "--sheets": {"type": Path, "help": "write the teacher's sheets into this folder"},
        "--nbgrader": {"type": Path, "help": "write assignments into this course folder"},
    }),
    "analyse": ("evaluation logs or a table of scores -> a report", {
        **_READ,
        "--out": {"type": Path, "help": "write an HTML report here"},
        "--transform": {"default": "auto", "choices": TRANSFORMS},
        "--reference": {"help": "the reference agent of --transform reference"},
        "--minutes": {"help": "a column of human minutes: state time horizons"},
        "--dates": {"help": "a column of release dates: state a doubling time"},
        "--ci": {"type": float, "default": 0.95, "help": "level of the intervals (0.95; 0 for none)"},
        **_SEED,
        "--missing": {"default": "auto", "choices": ["auto", "error", "drop"],
                      "help": "drop: measure what is there (auto: up to 5%% of the cells)"},
        "--resample": {"default": "items", "choices": ["items", "families", "trials"],
                       "help": "what the intervals resample"},
        "--floor": {"nargs": "+", "metavar": "CHANCE",
                    "help": "what guessing gives: one number, or TASK=CHANCE for some tasks"},
    }),
    "plan": ("a pilot study -> how many items tell two agents apart", {
        **_READ,
        "--difference": {"type": float, "required": True, "help":
                         "what matters: for the mean in points of 100, else in the unit of the measure"},
        "--measure": {"choices": ["capability", "spread", "normalised_generality", "mean"],
                      "help": "by default capability if the items have difficulties, else mean"},
        "--power": {"type": float, "default": 0.8, "help": "the power that is wanted (0.8)"},
        "--ci": {"type": float, "default": 0.95, "help": "level of the test (0.95)"},
        "--pairs": {"type": int, "default": 1, "help": "how many pairs of agents are compared (1)"},
        "--agent": {"help": "the agent whose curve the plan starts from (the median agent)"},
        "--resample": {"default": "items", "choices": ["items", "families"]},
        **_SEED,
        "--out": {"type": Path, "help": "write power by the number of items here (CSV)"},
    }),
}
# fmt: on


def parser(runs: Mapping[str, Callable[[argparse.Namespace], int | None]]) -> argparse.ArgumentParser:
    """The parser of the command line; `runs` is what each command calls."""
    whole = argparse.ArgumentParser(
        prog="gindex-lab", description="Measure how capable and how general agents are."
    )
    whole.add_argument("--version", action="version", version=f"gindex-lab {__version__}")
    above: dict[str, Any] = {"": whole.add_subparsers(title="commands", required=True, metavar="COMMAND")}
    for name, (says, options) in COMMANDS.items():
        group, _, own = name.rpartition(" ")
        command = above[group].add_parser(own, help=says)
        for option, settings in options.items():
            command.add_argument(option, **settings)
        if name in runs:
            command.set_defaults(run=runs[name])
        else:
            within = [one.split()[1] for one in COMMANDS if one.startswith(f"{name} ")]
            above[name] = command.add_subparsers(required=True, metavar="|".join(within))
    return whole
