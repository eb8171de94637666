"""What is an agent? The model, the model with its arguments, solver or revision, a file, or a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import plain

__all__ = ["agent_name", "agent_of_file"]


def agent_of_file(file: Path, options: Options) -> str:
    """The agent by the name of its file, or of the folder of the file.

    >>> agent_of_file(Path("runs/gpt-4/a.jsonl.gz"), Options(agent_from="folder"))
    'gpt-4'
    """
    return file.resolve().parent.name if options.agent_from == "folder" else plain(file).stem


def agent_name(
    model: str, file: Path, found: Storage, options: Options, settings: Mapping[str, Any]
) -> str:
    """The agent of one log, by `agent_from`; `settings` has what the log says ("solver", "revision" ...).

    >>> found, given = Storage("logs"), {"solver": "basic_agent"}
    >>> agent_name("gpt-4", Path("a.eval"), found, Options(agent_from="solver"), given)
    'gpt-4 (basic_agent)'
    """
    known = {name: text for name, value in settings.items() if (text := _text(value))}
    found.settings[file] = {name: known.get(name, "") for name in settings}
    way = options.agent_from
    if way is None or way == "model":
        return model
    said = f"an agent is the {way.replace('+', ' and its ')} of a log"
    found.note("agents", said, "agent_from=... (--agent-from)")
    if way in ("file", "folder"):
        return agent_of_file(file, options)
    if way not in settings:
        problem = f"[not-found] is not what {file.name} says of its run"
        remedy = f"use one of {', '.join(map(repr, ('model', *settings, 'file', 'folder')))}"
        raise BadInput("agent_from", way, problem, remedy)
    return f"{model} ({known[way]})" if way in known else model


def _text(value: object) -> str:
    """Settings as text, the same for the same settings."""
    if isinstance(value, Mapping):
        parts = {k: _text(v) for k, v in value.items()}
        return ", ".join(f"{k}={v}" for k, v in sorted(parts.items()) if v)
    if isinstance(value, (list, tuple)):
        return "+".join(filter(None, map(_text, value)))
    return "" if value is None else str(value)
