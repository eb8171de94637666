"""The sixteen task domains of Table 2 of the g-index paper, and the node types of their programs.

`corpus.toml` says for each domain which slots a prompt has, how people may put the task, and which nodes
solve it. The node counts, the editor's tab included, are those that Table 2 prints; attributes and
wording are ours. All nodes of a type have the same attribute keys, as section 2.3.1 asks, so that node
similarity is symmetric; a node sets only what differs from its type's entry in `LIBRARY`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["DOMAINS", "FIELDS", "LIBRARY", "WORDS", "Domain", "TemplateNode"]


@dataclass(frozen=True)
class TemplateNode:
    """One node of a template: its key, its type, the keys it wires to (by port), what it sets."""

    key: str
    type: str
    ports: tuple[tuple[str, ...], ...]
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Domain:
    """A task domain: phrasings with `{slot}`s, the kind of each slot, the nodes of the program."""

    prompts: tuple[str, ...]
    slots: Mapping[str, str]
    nodes: tuple[TemplateNode, ...]


def _node(key: str, kind: str, to: str, settings: dict[str, Any]) -> TemplateNode:
    ports = tuple(tuple(port.split()) for port in to.split("|")) if to else ()
    return TemplateNode(key, kind, ports, settings)


_CORPUS = tomllib.loads(Path(__file__).with_name("corpus.toml").read_text(encoding="utf-8"))
WORDS: tuple[str, ...] = tuple(_CORPUS["words"].split())
FIELDS: tuple[str, ...] = tuple(_CORPUS["fields"])
LIBRARY: dict[str, dict[str, Any]] = _CORPUS["types"]
DOMAINS = {
    name: Domain(tuple(one["prompts"]), one["slots"], tuple(_node(*node) for node in one["nodes"]))
    for name, one in _CORPUS["domains"].items()
}
