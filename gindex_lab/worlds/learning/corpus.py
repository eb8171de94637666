"""Our own corpus of prompts and programs: the sixteen task domains of the g-index paper.

Table 2 of the paper names sixteen domains, gives a prompt for each and the size of its program; the
data behind them are public only in part. This module generates as many (prompt, program) pairs as an
experiment asks for, from templates of our own (`corpus_domains`). Two domains joined give tasks of
middling domain distance, level 2 of section 3.3.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gindex_lab.foundation.documents import Documents
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import choice, generator, integer
from gindex_lab.worlds.learning.corpus_domains import DOMAINS, LIBRARY, Domain
from gindex_lab.worlds.learning.corpus_slots import draw

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Program",
    "PromptSample",
    "compose",
    "composites",
    "corpus",
    "corpus_documents",
    "domain_names",
    "join_programs",
    "plain_copy",
    "ports_of",
    "printed_task",
    "renamed",
    "sample",
]

Program = list[dict[str, Any]]
_JOINTS = ("{0}, then {1}", "{0}; after that, {1}")


@dataclass(frozen=True)
class PromptSample:
    """A task: what is asked (`prompt`), what solves it (`program`), where it belongs, its variables."""

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
    """`n_per_domain` samples of each domain (all sixteen unless told otherwise).

    The i-th sample of a domain depends on the seed, the domain and i alone: a larger corpus begins
    with the smaller one, so that a learning curve adds samples and never swaps them.

    >>> tasks = corpus(2, ["http", "twitter"], seed=1)
    >>> [(task.domain, len(task.program)) for task in tasks]
    [('http', 4), ('http', 4), ('twitter', 4), ('twitter', 4)]

    References: g-index paper, section 4, Appendix A (Table 2) and Appendix B (Table 3).
    """
    count = integer("n_per_domain", n_per_domain, 1, 10**6)
    names = _domains(domains)
    root = _root(seed)
    return [_sample(name, _stream(root, name, i)) for name in names for i in range(count)]


def corpus_documents(n_per_domain: int = 2, *, seed: SeedLike = 1) -> Documents:
    """Our corpus in the layout of the published programs: domain -> file name -> `text` and `flow`.

    The stand-in for `gl.load("g-index-programs")` where those are not available.

    Reference: g-index paper, section 4, whose corpus has this layout.

    >>> programs = corpus_documents(2, seed=1)
    >>> len(programs), sorted(programs["http"]), programs.source
    (16, ['http-0.json', 'http-1.json'], 'own experiment')
    """
    content: dict[str, dict[str, Any]] = {}
    for task in corpus(n_per_domain, seed=seed):
        files = content.setdefault(task.domain, {})
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
    """The task of a domain with the variables of a printed prompt: rows `domain`, `variable`, `value`.

    Whole numbers are taken as such; what follows from a variable (the fields of a form, the method of
    a verb) is filled in. A domain without rows has no variables.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"domain": ["http"] * 2, "variable": ["verb", "path"], "value": ["PUT", "/a"]})
    >>> printed_task("http", rows).slots
    {'verb': 'PUT', 'method': 'put', 'path': '/a'}

    References: g-index paper, Appendix A, Table 2.
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
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return int(seed)
    return int(generator(seed).integers(2**63))


def _stream(root: int, name: str, number: int) -> np.random.Generator:
    return np.random.default_rng([root, zlib.crc32(name.encode()), number])


def _domains(domains: Iterable[str] | None) -> list[str]:
    if isinstance(domains, str):
        domains = [domains]
    names = domain_names() if domains is None else list(domains)
    if not names:
        raise BadInput(
            "domains", names, "[empty] is empty", "name at least one domain, or leave it out"
        )
    return [choice("domains", name, domain_names()) for name in names]


def _sample(
    name: str, rng: np.random.Generator, given: Mapping[str, Any] | None = None
) -> PromptSample:
    domain = DOMAINS[name]
    slots = draw(dict(domain.slots), rng)
    for slot, value in (given or {}).items():
        if slot not in slots:
            remedy = "use one of " + ", ".join(map(repr, slots)) if slots else "give none"
            raise BadInput(
                slot, value, f"[not-a-slot] is not a slot of the domain {name!r}", remedy
            )
        slots[slot] = value
    prompt = domain.prompts[int(rng.integers(len(domain.prompts)))].format_map(slots)
    return PromptSample(prompt, _build(domain, slots, rng), name, slots)


def _build(domain: Domain, slots: Mapping[str, Any], rng: np.random.Generator) -> Program:
    """The template's nodes with fresh ids, each type's attributes and the slots filled in."""
    fresh = _ids(len(domain.nodes), rng)
    ids = {node.key: new for node, new in zip(domain.nodes, fresh, strict=True)}
    program = []
    for at, node in enumerate(domain.nodes):
        place = {} if node.type == "tab" else {"z": ids["tab"], "x": 160 + 180 * at, "y": 120}
        settings = {key: _fill(value, slots) for key, value in node.settings.items()}
        wires = [[ids[key] for key in port] for port in node.ports]
        head = {"id": ids[node.key], "type": node.type, **place, "name": ""}
        program.append({**head, **plain_copy(LIBRARY[node.type]), **settings, "wires": wires})
    return program


def _ids(count: int, rng: np.random.Generator) -> list[str]:
    """Ids of 16 hexadecimal digits, as the editor makes them."""
    return [f"{n:016x}" for n in rng.integers(2**63, size=count).tolist()]


def _fill(value: Any, slots: Mapping[str, Any]) -> Any:
    """A template's value with the slots in place; a lone `{slot}` keeps the slot's own type."""
    if isinstance(value, dict):
        return {key: _fill(inner, slots) for key, inner in value.items()}
    if isinstance(value, list):
        return [_fill(inner, slots) for inner in value]
    if not isinstance(value, str) or "{" not in value:
        return value
    lone = value[1:-1]
    return (
        plain_copy(slots[lone])
        if value == f"{{{lone}}}" and lone in slots
        else value.format_map(slots)
    )


def plain_copy(value: Any) -> Any:
    """A copy of plain JSON, so that no two programs share a list.

    >>> plain_copy({"wires": [["a"]]})
    {'wires': [['a']]}
    """
    if isinstance(value, dict):
        return {key: plain_copy(inner) for key, inner in value.items()}
    return [plain_copy(inner) for inner in value] if isinstance(value, list) else value


def compose(first: PromptSample, second: PromptSample, *, seed: SeedLike = 1) -> PromptSample:
    """The task "first, then second": both programs on one tab, the first's end wired to the second's start.

    Against a curriculum that holds both parts Ω is about 1 - n/(n + m - 1) for programs of n >= m
    nodes: the middle of the scale, level 2 of section 3.3.

    >>> a, b = corpus(1, ["http", "twitter"], seed=1)
    >>> joined = compose(a, b, seed=1)
    >>> joined.domain, len(joined.program)
    ('http + twitter', 7)
    """
    rng = generator(seed)
    one, two = (renamed(task.program, seed=rng) for task in (first, second))
    program = join_programs(one, two)
    halves = first.prompt, second.prompt[:1].lower() + second.prompt[1:]
    prompt = _JOINTS[int(rng.integers(len(_JOINTS)))].format(*halves)
    return PromptSample(prompt, program, f"{first.domain} + {second.domain}", {"parts": halves})


def join_programs(first: Program, second: Program) -> Program:
    """Two programs with different ids on one tab: the first's last end is wired to the second's starts.

    >>> a, b = (task.program for task in corpus(1, ["http", "twitter"], seed=1))
    >>> joined = join_programs(a, b)
    >>> [node["type"] for node in joined].count("tab"), joined[2]["wires"] == [[b[0]["id"]]]
    (1, True)
    """
    one, two = plain_copy(first), plain_copy(second)
    tab = next((node for node in one if node["type"] == "tab"), None)
    if tab is not None:
        two = [node | {"z": tab["id"]} for node in two if node["type"] != "tab"]
    targets = {to for node in two for to in _targets(node)}
    starts = [node["id"] for node in two if node["id"] not in targets and _targets(node)]
    ends = [node for node in one if node["type"] not in ("tab", "catch") and not _targets(node)]
    if ends and starts:
        ends[-1]["wires"] = [starts]
    return one + two


def ports_of(node: Mapping[str, Any]) -> list[list[str]]:
    """The targets of each output port; a flat list of ids is one port, null or nothing is none.

    >>> ports_of({"wires": ["a", "b"]}), ports_of({"wires": [["a"], []]}), ports_of({"wires": None})
    ([['a', 'b']], [['a'], []], [])
    """
    wires = node.get("wires") or []
    flat = bool(wires) and all(isinstance(to, str) for to in wires)
    return [list(wires)] if flat else [list(port) for port in wires]


def _targets(node: Mapping[str, Any]) -> list[str]:
    return [to for port in ports_of(node) for to in port]


def renamed(program: Program, *, seed: SeedLike) -> Program:
    """The same program under fresh ids (wires and tab follow): Δ to the original is 0.

    >>> old = corpus(1, ["twitter"], seed=1)[0].program
    >>> new = renamed(old, seed=2)
    >>> new[0]["wires"] == [[new[1]["id"]]], new[0]["id"] == old[0]["id"]
    (True, False)
    """
    fresh = _ids(len(program), generator(seed))
    ids = {node["id"]: new for node, new in zip(program, fresh, strict=True)}
    result = []
    for node in plain_copy(program):
        wires = [[ids.get(to, to) for to in port] for port in ports_of(node)]
        home = {"z": ids.get(node["z"], node["z"])} if "z" in node else {}
        result.append(node | home | {"id": ids[node["id"]], "wires": wires})
    return result


def composites(n: int = 10, *, seed: SeedLike = 1) -> list[PromptSample]:
    """`n` tasks that join two different domains of like size, for tests of middling domain distance.

    Reference: g-index paper, section 2.5, on the distance of a task from a curriculum.

    >>> [task.domain.count("+") for task in composites(3, seed=1)]
    [1, 1, 1]
    """
    sizes = {name: len(domain.nodes) for name, domain in DOMAINS.items()}
    pairs = [
        (a, b)
        for a in sizes
        for b in sizes
        if a != b and 0.3 <= max(sizes[a], sizes[b]) / (sizes[a] + sizes[b] - 1) <= 0.6
    ]
    root, made = _root(seed), []
    for i in range(integer("n", n)):
        rng = _stream(root, "composites", i)
        a, b = pairs[int(rng.integers(len(pairs)))]
        made.append(compose(_sample(a, rng), _sample(b, rng), seed=rng))
    return made
