"""Our own corpus of prompts and programs: the sixteen task domains of the g-index paper.

Table 2 of the paper names sixteen domains, gives a prompt for each and the size of its program; the data
behind them are public only in part. This module generates as many (prompt, program) pairs as an experiment
asks for, from templates of our own in `corpus.toml`: the slots of a prompt, how people may put the task, and
the nodes that solve it. The node counts, the editor's tab included, are those of Table 2. All nodes of a type
have the same attribute keys, as section 2.3.1 asks, so that node similarity is symmetric; a node sets only
what differs from its type's entry in `LIBRARY`. Two domains joined give tasks at a middling domain distance,
level 2 of section 3.3.

Each kind of slot is a function of a random generator that gives the values by name. Some slots say one thing
in the prompt and another in the program: a schedule is English on one side and a cron expression on the
other, so that a system which only copies words cannot fill it.
"""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gindex_lab.foundation.documents import Documents
from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import choice, generator
from gindex_lab.worlds.learning.programs import Program, fresh_ids, join_programs, renamed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DOMAINS", "LIBRARY", "PromptSample", "compose", "composites", "corpus", "corpus_documents"]
__all__ += ["domain_names", "printed_task", "sample"]

_CORPUS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("corpus.toml").read_text(encoding="utf-8"))
DOMAINS: dict[str, dict[str, Any]] = _CORPUS["domains"]  # `prompts`, `slots` and `nodes` of each
LIBRARY: dict[str, dict[str, Any]] = _CORPUS["types"]  # the attributes of each type of node
_WORDS: list[str] = _CORPUS["words"].split()
_FIELDS: list[str] = _CORPUS["fields"]
# not from `calendar`, whose names follow the user's locale
_MONTHS = "January February March April May June July August September October November December"
_DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday"
Random = np.random.Generator
_JOINTS = ("{0}, then {1}", "{0}; after that, {1}")


@dataclass(frozen=True)
class PromptSample:
    """A task: what is asked (`prompt`), what solves it (`program`), its `domain` and its variables."""

    prompt: str
    program: Program
    domain: str
    slots: Mapping[str, Any] = field(default_factory=dict)

    @property
    def pair(self) -> tuple[str, Program]:
        """What a system learns from: the prompt and the program, without the domain."""
        return self.prompt, self.program


def domain_names() -> list[str]:
    """The sixteen domains, in the order of Table 2 of the paper.

    >>> domain_names()[:3]
    ['template-slider', 'template-form', 'cron-reminder']
    """
    return list(DOMAINS)


def corpus(
    n_per_domain: int = 10, domains: Iterable[str] | None = None, *, seed: SeedLike = 1
) -> list[PromptSample]:
    """Tasks of our corpus: prompts and the programs that solve them.

    Parameters
    ----------
    n_per_domain : tasks of each domain
    domains : names of domains; all sixteen by default
    seed : whole number or Generator

    Returns
    -------
    list of PromptSample : domain by domain. The i-th task of a domain depends on the seed, the domain and i
        alone: a larger corpus begins with the smaller one, so that a learning curve adds tasks and never
        swaps them.

    References
    ----------
    g-index paper, section 4, Appendix A (Table 2) and Appendix B (Table 3).

    Examples
    --------
    >>> tasks = corpus(2, ["http", "twitter"], seed=1)
    >>> [(task.domain, len(task.program)) for task in tasks]
    [('http', 4), ('http', 4), ('twitter', 4), ('twitter', 4)]
    """
    names, root = _domains(domains), _root(seed)
    return [_sample(name, _stream(root, name, i)) for name in names for i in range(n_per_domain)]


def corpus_documents(n_per_domain: int = 2, *, seed: SeedLike = 1) -> Documents:
    """Our corpus in the layout of the published programs.

    The stand-in for `gl.load("g-index-programs")` where those are not available.

    Parameters
    ----------
    n_per_domain, seed : as for `corpus`

    Returns
    -------
    Documents : domain -> file name -> `text` and `flow`

    References
    ----------
    g-index paper, section 4, whose corpus has this layout.

    Examples
    --------
    >>> programs = corpus_documents(2, seed=1)
    >>> len(programs), sorted(programs["http"]), programs.source
    (16, ['http-0.json', 'http-1.json'], 'own experiment')
    """
    content: dict[str, dict[str, Any]] = {name: {} for name in DOMAINS}
    for task in corpus(n_per_domain, seed=seed):
        files = content[task.domain]
        files[f"{task.domain}-{len(files)}.json"] = {"text": task.prompt, "flow": task.program}
    return Documents(content, name="our own corpus", source="own experiment")


def sample(domain: str, *, seed: SeedLike, **slots: Any) -> PromptSample:
    """One task of a domain; slots given by name take the place of drawn ones.

    >>> task = sample("http", seed=1, verb="POST", method="post", path="/agents")
    >>> task.program[0]["url"], task.program[0]["method"]
    ('/agents', 'post')
    """
    return _sample(_domains([domain])[0], generator(seed), slots)


def printed_task(domain: str, variables: pd.DataFrame, *, seed: SeedLike = 1) -> PromptSample:
    """The task of a domain with the variables of a printed prompt (g-index paper, Appendix A, Table 2).

    The table has rows `domain`, `variable` and `value`; a domain without rows has no variables. Whole numbers
    are taken as such, and what follows from a variable (the fields of a form, the method of a verb) is
    filled in.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"domain": ["http"] * 2, "variable": ["verb", "path"], "value": ["PUT", "/a"]})
    >>> printed_task("http", rows).slots
    {'verb': 'PUT', 'method': 'put', 'path': '/a'}
    """
    own = variables[variables["domain"] == domain]
    slots: dict[str, Any] = {}
    for name, text in zip(own["variable"], own["value"].astype(str), strict=True):
        slots[name] = int(text) if text.lstrip("-").isdigit() else text
        if name == "verb":
            slots["method"] = text.lower()
        elif name == "fields":
            labels = text.replace(" and ", ", ").split(", ")
            slots["form"] = [{"label": x, "key": x.lower().replace(" ", "_")} for x in labels]
    return sample(domain, seed=seed, **slots)


def _root(seed: SeedLike) -> int:
    """The seed as a number (a Generator gives one draw), so that every sample has a stream of its own."""
    rng = generator(seed)
    return int(seed) if isinstance(seed, (int, np.integer)) else int(rng.integers(2**63))


def _stream(root: int, name: str, number: int) -> Random:
    return np.random.default_rng([root, zlib.crc32(name.encode()), number])


def _domains(domains: Iterable[str] | None) -> list[str]:
    names = list(DOMAINS if domains is None else [domains] if isinstance(domains, str) else domains)
    ensure(names, "domains", names, "[empty] is empty", "name at least one domain, or leave it out")
    return [choice("domains", name, domain_names()) for name in names]


def _sample(name: str, rng: Random, given: Mapping[str, Any] | None = None) -> PromptSample:
    domain = DOMAINS[name]
    drawn = (_KINDS[kind](slot, rng) for slot, kind in domain["slots"].items())
    slots = {key: value for values in drawn for key, value in values.items()}
    for slot, value in (given or {}).items():
        remedy = "use one of " + ", ".join(map(repr, slots)) if slots else "give none"
        ensure(slot in slots, slot, value, f"[not-a-slot] is not a slot of the domain {name!r}", remedy)
        slots[slot] = value
    prompt = domain["prompts"][int(rng.integers(len(domain["prompts"])))].format_map(slots)
    return PromptSample(prompt, _build(domain["nodes"], slots, rng), name, slots)


def _build(nodes: list[Any], slots: Mapping[str, Any], rng: Random) -> Program:
    """The template's nodes with fresh ids, each type's attributes and the slots filled in."""
    ids = dict(zip((node[0] for node in nodes), fresh_ids(len(nodes), rng), strict=True))
    program = []
    for at, (key, kind, to, settings) in enumerate(nodes):
        place = {} if kind == "tab" else {"z": ids["tab"], "x": 160 + 180 * at, "y": 120}
        head = {"id": ids[key], "type": kind, **place, "name": ""}
        wires = [[ids[target] for target in port.split()] for port in to.split("|")] if to else []
        program.append({**head, **deepcopy(LIBRARY[kind]), **_fill(settings, slots), "wires": wires})
    return program


def _fill(value: Any, slots: Mapping[str, Any]) -> Any:
    """A template's value with the slots in place; a lone `{slot}` keeps the slot's own type."""
    if isinstance(value, dict):
        return {key: _fill(inner, slots) for key, inner in value.items()}
    if isinstance(value, list):
        return [_fill(inner, slots) for inner in value]
    if not isinstance(value, str) or "{" not in value:
        return value
    lone = value[1:-1]
    return deepcopy(slots[lone]) if value == f"{{{lone}}}" and lone in slots else value.format_map(slots)


def compose(first: PromptSample, second: PromptSample, *, seed: SeedLike = 1) -> PromptSample:
    """The task "first, then second": both programs on one tab, the first's end wired to the second's start.

    Against a curriculum that holds both parts Ω is about 1 - n/(n + m - 1) for programs of n >= m
    nodes: the middle of the scale, level 2 of section 3.3.
    """
    rng = generator(seed)
    program = join_programs(*[renamed(task.program, seed=rng) for task in (first, second)])
    halves = first.prompt, second.prompt[:1].lower() + second.prompt[1:]
    prompt = _JOINTS[int(rng.integers(len(_JOINTS)))].format(*halves)
    return PromptSample(prompt, program, f"{first.domain} + {second.domain}", {"parts": halves})


def composites(n: int = 10, *, seed: SeedLike = 1) -> list[PromptSample]:
    """Tasks that join two different domains of similar size, for tests at a middling domain distance.

    Parameters
    ----------
    n : how many
    seed : whole number or Generator

    Returns
    -------
    list of PromptSample

    References
    ----------
    g-index paper, section 2.5 (the distance of a task from a curriculum) and section 3.3 (level 2).

    Examples
    --------
    >>> [task.domain.count("+") for task in composites(3, seed=1)]
    [1, 1, 1]
    """
    sizes = {name: len(domain["nodes"]) for name, domain in DOMAINS.items()}
    # the larger part is 30 to 60% of the joined program, which puts Ω at 0.4 to 0.7 (level 2, section 3.3)
    pairs = [
        (a, b)
        for a in sizes
        for b in sizes
        if a != b and 0.3 <= max(sizes[a], sizes[b]) / (sizes[a] + sizes[b] - 1) <= 0.6
    ]
    root, made = _root(seed), []
    for i in range(n):
        rng = _stream(root, "composites", i)
        a, b = pairs[int(rng.integers(len(pairs)))]
        made.append(compose(_sample(a, rng), _sample(b, rng), seed=rng))
    return made


def _words(rng: Random, least: int, most: int) -> list[str]:
    return [_WORDS[i] for i in rng.integers(len(_WORDS), size=rng.integers(least, most + 1))]


def _pick(rng: Random, values: Sequence[Any]) -> Any:
    return values[int(rng.integers(len(values)))]


def _pair(rng: Random, low: int, high: int) -> list[int]:
    """Two different whole numbers of [low, high], the smaller first."""
    return sorted(rng.choice(np.arange(low, high + 1), size=2, replace=False).tolist())


def _range(name: str, rng: Random) -> dict[str, Any]:
    low, high = _pair(rng, -20, 20)
    return {"low": 5 * low, "high": 5 * high, "step": int(rng.integers(1, 11))}


def _field_list(name: str, rng: Random) -> dict[str, Any]:
    labels = [_FIELDS[i] for i in rng.permutation(len(_FIELDS))[: rng.integers(2, 6)]]
    form = [{"label": label, "key": label.lower().replace(" ", "_")} for label in labels]
    return {name: ", ".join(labels[:-1]) + " and " + labels[-1], "form": form}


def _verb(name: str, rng: Random) -> dict[str, Any]:
    verb = _pick(rng, ("GET", "POST", "PUT", "DELETE", "PATCH"))
    return {name: verb, "method": verb.lower()}


def _clock(hour: int, minute: int) -> str:
    return f"{(hour - 1) % 12 + 1:02d}:{minute:02d} {'AM' if hour < 12 else 'PM'}"


def _minute(rng: Random) -> tuple[str, str]:
    a, b = _pair(rng, 2, 59)
    every = ("every minute", "*"), (f"every {a} minutes", f"*/{a}")
    at = (f"at {a} minutes past the hour", f"{a}")
    return _pick(rng, (*every, at, (f"minutes {a} through {b} past the hour", f"{a}-{b}")))


def _hour(rng: Random) -> tuple[str, str]:
    a, b = _pair(rng, 0, 23)
    between = (f"between {_clock(a, 0)} and {_clock(b, 59)}", f"{a}-{b}")
    return _pick(rng, (("", "*"), between, between))


def _day(rng: Random) -> tuple[str, str]:
    a, b = _pair(rng, 1, 28)
    on = (f"on day {a} of the month", f"{a}")
    return _pick(rng, (("", "*"), on, (f"between day {a} and {b} of the month", f"{a}-{b}")))


def _named(rng: Random, names: Sequence[str], first: int, only: str) -> tuple[str, str]:
    a, b = _pair(rng, 0, len(names) - 1)
    one = int(rng.integers(len(names)))
    several = (f"{names[a]} through {names[b]}", f"{a + first}-{b + first}")
    return _pick(rng, (("", "*"), (f"{only} {names[one]}", f"{one + first}"), several))


def _schedule(name: str, rng: Random) -> dict[str, Any]:
    """A schedule in English and as the five fields of cron: minute, hour, day, month, weekday."""
    minute, hour, day = _minute(rng), _hour(rng), _day(rng)
    weekday = _named(rng, _DAYS.split(), 0, "only on")
    month = _named(rng, _MONTHS.split(), 1, "only in")
    said = ", ".join(part[0] for part in (minute, hour, day, weekday, month) if part[0])
    cron = " ".join(part[1] for part in (minute, hour, day, month, weekday))
    return {name: said, "expression": cron}


_KINDS: dict[str, Callable[[str, Random], dict[str, Any]]] = {
    "phrase": lambda name, rng: {name: " ".join(_words(rng, 1, 5))},
    "range": _range,
    "fields": _field_list,
    "schedule": _schedule,
    "email": lambda name, rng: {name: "{}@{}.example".format(*_words(rng, 2, 2))},
    "csv": lambda name, rng: {name: "-".join(_words(rng, 1, 3)) + ".csv"},
    "verb": _verb,
    "path": lambda name, rng: {name: "/" + "/".join(_words(rng, 1, 3))},
    "hashtag": lambda name, rng: {name: "#" + "".join(word.title() for word in _words(rng, 1, 3))},
    "url": lambda name, rng: {name: "https://www." + "-".join(_words(rng, 1, 3)) + ".example/"},
}
