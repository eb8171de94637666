"""What may stand in a slot of a prompt of our corpus.

Each kind of slot is one function of a random generator that gives the values by name. Some slots
say one thing in the prompt and another in the program: a schedule is English on one side and a cron
expression on the other, so a system that only copies words cannot fill it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gindex_lab.worlds.learning.corpus_domains import FIELDS, WORDS

__all__ = ["KINDS", "draw"]

_VERBS = ("GET", "POST", "PUT", "DELETE", "PATCH")
_MONTHS = "January February March April May June July August September October November December"
_DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday"


def _words(rng: np.random.Generator, least: int, most: int) -> list[str]:
    chosen = rng.integers(len(WORDS), size=rng.integers(least, most + 1))
    return [WORDS[i] for i in chosen]


def _pick(rng: np.random.Generator, values: Sequence[Any]) -> Any:
    return values[int(rng.integers(len(values)))]


def _pair(rng: np.random.Generator, low: int, high: int) -> tuple[int, int]:
    """Two different whole numbers of [low, high], the smaller first."""
    first, second = sorted(rng.choice(np.arange(low, high + 1), size=2, replace=False).tolist())
    return first, second


def _phrase(name: str, rng: np.random.Generator) -> dict[str, Any]:
    return {name: " ".join(_words(rng, 1, 5))}


def _range(name: str, rng: np.random.Generator) -> dict[str, Any]:
    low, high = _pair(rng, -20, 20)
    return {"low": 5 * low, "high": 5 * high, "step": int(rng.integers(1, 11))}


def _field_list(name: str, rng: np.random.Generator) -> dict[str, Any]:
    labels = [FIELDS[i] for i in rng.permutation(len(FIELDS))[: rng.integers(2, 6)]]
    form = [{"label": label, "key": label.lower().replace(" ", "_")} for label in labels]
    return {name: ", ".join(labels[:-1]) + " and " + labels[-1], "form": form}


def _email(name: str, rng: np.random.Generator) -> dict[str, Any]:
    return {name: "{}@{}.example".format(*_words(rng, 2, 2))}


def _csv(name: str, rng: np.random.Generator) -> dict[str, Any]:
    return {name: "-".join(_words(rng, 1, 3)) + ".csv"}


def _verb(name: str, rng: np.random.Generator) -> dict[str, Any]:
    verb = _pick(rng, _VERBS)
    return {name: verb, "method": verb.lower()}


def _path(name: str, rng: np.random.Generator) -> dict[str, Any]:
    return {name: "/" + "/".join(_words(rng, 1, 3))}


def _hashtag(name: str, rng: np.random.Generator) -> dict[str, Any]:
    return {name: "#" + "".join(word.title() for word in _words(rng, 1, 3))}


def _url(name: str, rng: np.random.Generator) -> dict[str, Any]:
    return {name: "https://www." + "-".join(_words(rng, 1, 3)) + ".example/"}


def _minute(rng: np.random.Generator) -> tuple[str, str]:
    a, b = _pair(rng, 2, 59)
    return _pick(
        rng,
        (
            ("every minute", "*"),
            (f"every {a} minutes", f"*/{a}"),
            (f"at {a} minutes past the hour", f"{a}"),
            (f"minutes {a} through {b} past the hour", f"{a}-{b}"),
        ),
    )


def _clock(hour: int, minute: int) -> str:
    return f"{(hour - 1) % 12 + 1:02d}:{minute:02d} {'AM' if hour < 12 else 'PM'}"


def _hour(rng: np.random.Generator) -> tuple[str, str]:
    a, b = _pair(rng, 0, 23)
    between = (f"between {_clock(a, 0)} and {_clock(b, 59)}", f"{a}-{b}")
    return _pick(rng, (("", "*"), between, between))


def _day(rng: np.random.Generator) -> tuple[str, str]:
    a, b = _pair(rng, 1, 28)
    return _pick(
        rng,
        (
            ("", "*"),
            (f"on day {a} of the month", f"{a}"),
            (f"between day {a} and {b} of the month", f"{a}-{b}"),
        ),
    )


def _named(rng: np.random.Generator, names: list[str], first: int, only: str) -> tuple[str, str]:
    a, b = _pair(rng, 0, len(names) - 1)
    one = int(rng.integers(len(names)))
    several = (f"{names[a]} through {names[b]}", f"{a + first}-{b + first}")
    return _pick(rng, (("", "*"), (f"{only} {names[one]}", f"{one + first}"), several))


def _schedule(name: str, rng: np.random.Generator) -> dict[str, Any]:
    """A schedule in English and as the five fields of cron: minute, hour, day, month, weekday."""
    minute, hour, day = _minute(rng), _hour(rng), _day(rng)
    weekday = _named(rng, _DAYS.split(), 0, "only on")
    month = _named(rng, _MONTHS.split(), 1, "only in")
    said = ", ".join(part[0] for part in (minute, hour, day, weekday, month) if part[0])
    cron = " ".join(part[1] for part in (minute, hour, day, month, weekday))
    return {name: said, "expression": cron}


KINDS: dict[str, Callable[[str, np.random.Generator], dict[str, Any]]] = {
    "phrase": _phrase,
    "range": _range,
    "fields": _field_list,
    "schedule": _schedule,
    "email": _email,
    "csv": _csv,
    "verb": _verb,
    "path": _path,
    "hashtag": _hashtag,
    "url": _url,
}


def draw(kinds: dict[str, str], rng: np.random.Generator) -> dict[str, Any]:
    """Values for the slots `{name: kind}`; a kind may give more than one value.

    >>> draw({"topic": "hashtag"}, np.random.default_rng(4))
    {'topic': '#...'}
    """
    values: dict[str, Any] = {}
    for name, kind in kinds.items():
        values |= KINDS[kind](name, rng)
    return values
