"""The parts of our corpus: what a node type starts with, and what may stand in a slot of a prompt.

The node types are those of Table 3 of the g-index paper, plus the editor's `tab`. All nodes of a type have
the same attribute keys, as section 2.3.1 asks, so that node similarity is symmetric; the attributes are our
own choice. Each kind of slot is one function of a random generator that gives the values by name. Some slots
say one thing in the prompt and another in the program: a schedule is English on one side and a cron
expression on the other, so a system that only copies words cannot fill it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["KINDS", "LIBRARY", "draw"]

LIBRARY: dict[str, dict[str, Any]] = {
    "tab": {"disabled": False, "info": "", "env": []},
    "inject": {
        "topic": "",
        "payload": "",
        "payloadType": "date",
        "repeat": "",
        "crontab": "",
        "once": False,
        "onceDelay": 0.1,
    },
    "debug": {
        "active": True,
        "tosidebar": True,
        "console": False,
        "tostatus": False,
        "complete": "payload",
        "targetType": "msg",
    },
    "catch": {"scope": "flow", "uncaught": False},
    "link in": {
        "links": [],
        "skill": "",
        "spoken": True,
        "confirm": False,
        "language": "en",
        "hotkey": "",
        "shared": False,
        "log": True,
    },
    "function": {"func": "", "outputs": 1, "timeout": 0, "initialize": "", "libs": []},
    "switch": {
        "property": "payload",
        "propertyType": "msg",
        "rules": [],
        "checkall": False,
        "repair": False,
    },
    "change": {
        "action": "set",
        "property": "payload",
        "propertyType": "msg",
        "to": "",
        "toType": "str",
        "from": "",
        "deep": False,
    },
    "template": {
        "field": "payload",
        "fieldType": "msg",
        "format": "text",
        "syntax": "mustache",
        "template": "",
        "output": "str",
    },
    "filter": {"func": "deadband", "gap": "", "inout": "out", "property": "payload"},
    "split": {"arraySplit": 1, "separator": "\n", "stream": False, "addname": ""},
    "join": {"mode": "custom", "build": "array", "property": "payload", "count": "", "timeout": 2},
    "json": {"property": "payload", "action": "str", "pretty": False},
    "csv": {"separator": ",", "columns": "title,link,summary", "header": "once", "quoted": True},
    "file": {"filename": "", "newline": True, "createDir": False, "mode": "append", "encoding": ""},
    "http in": {
        "url": "",
        "method": "get",
        "upload": False,
        "swaggerDoc": "",
        "authentication": "none",
        "rateLimit": 0,
        "cors": False,
        "timeout": 120,
    },
    "http response": {"statusCode": 200, "headers": {}, "compress": False},
    "http request": {
        "method": "GET",
        "url": "",
        "ret": "obj",
        "authType": "bearer",
        "persist": False,
        "proxy": "",
        "senderr": False,
        "headers": [],
        "query": "",
    },
    "mqtt in": {"topic": "", "qos": 1, "datatype": "utf8", "broker": "home", "retained": False},
    "mqtt out": {"topic": "", "qos": 1, "retain": False, "broker": "home", "expiry": ""},
    "slider": {
        "topic": "",
        "min": 0,
        "max": 10,
        "step": 1,
        "order": 1,
        "width": 6,
        "height": 1,
        "passthru": True,
        "outs": "end",
        "tooltip": "",
        "colour": "default",
        "ticks": False,
        "invert": False,
        "className": "",
    },
    "text": {"order": 1, "width": 6, "height": 1, "format": "{{msg.payload}}", "layout": "spread"},
    "form": {
        "fields": [],
        "submit": "Submit",
        "cancel": "Clear",
        "topic": "form",
        "columns": 1,
        "width": 6,
        "height": 8,
    },
    "notification": {"position": "top right", "seconds": 4, "text": "Saved", "sound": False},
    "schedule-trigger": {
        "expression": "",
        "timeZone": "UTC",
        "payloadType": "date",
        "limit": 0,
        "catchUp": False,
        "jitter": 0,
        "paused": False,
        "holidays": "run",
        "topic": "",
        "onStart": False,
    },
    "desktop-notify": {
        "title": "Reminder",
        "message": "",
        "sound": True,
        "icon": "bell",
        "seconds": 10,
        "actions": [],
        "urgency": "normal",
        "history": True,
    },
    "open-target": {"target": "payload", "targetType": "msg", "app": "", "wait": False},
    "find tab": {"url": "", "title": "", "activate": True, "timeout": 5000, "window": "any"},
    "execute function": {
        "code": "",
        "argument": "",
        "world": "page",
        "timeout": 5000,
        "returns": "",
    },
    "open": {"url": "", "urlType": "str", "newTab": True, "waitFor": "load", "timeout": 20000},
    "click": {"selector": "", "button": "left", "clicks": 1, "timeout": 5000, "frame": ""},
    "type": {
        "selector": "",
        "text": "",
        "clear": True,
        "delay": 20,
        "timeout": 5000,
        "frame": "",
    },
    "press": {"key": "Enter", "modifiers": [], "times": 1, "delay": 0, "frame": ""},
    "query": {
        "selector": "",
        "extract": ["title", "link", "summary"],
        "limit": 10,
        "scroll": False,
        "timeout": 8000,
        "frame": "",
    },
}


_TEXT = """
acorn amber anchor apple arrow autumn basket beacon bell birch bottle branch bread bridge bright
brook brush button candle canvas carpet castle cedar chalk cherry circle clever cloud clover coast
copper coral corner cotton crane crystal daisy dawn desert drift drum eagle early echo elder ember
engine evening falcon feather fern fiddle field finch flame forest fountain garden ginger glass glide
golden granite green harbour hazel heron hidden hollow honey island ivory jacket jasmine journey
juniper kettle kind ladder lantern lark lemon linen lively lunar maple marble market meadow merry
mint mirror morning moss mountain needle nimble north oak ocean olive orchard otter paper pearl
pebble pepper petal pigeon pillow plain planet plum polite pond poppy quartz quick quiet rain raven
ribbon river robin rocket rose rustic saddle saffron sage sail salt sand scarlet shell shore silver
simple slate smooth snow solar sparrow spice spring spruce star stone storm straw stream summer
sunny swift table tender thistle thunder tidy timber tulip tunnel valley velvet violet walnut warm
water wheat whisper willow window winter wooden woven yarrow yellow zephyr
"""
_WORDS = tuple(_TEXT.split())
_FIELDS = (
    """
Name|Address|Postcode|Date of Birth|Telephone|Company|Department|Benchmark Score|Date of Submission
Country|Order Number|Quantity|Price|Comment|Colour|Weight|Height|Occupation|Language|Arrival Time
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
_VERBS = ("GET", "POST", "PUT", "DELETE", "PATCH")
_MONTHS = "January February March April May June July August September October November December"
_DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday"


def _words(rng: np.random.Generator, least: int, most: int) -> list[str]:
    chosen = rng.integers(len(_WORDS), size=rng.integers(least, most + 1))
    return [_WORDS[i] for i in chosen]


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
    labels = [_FIELDS[i] for i in rng.permutation(len(_FIELDS))[: rng.integers(2, 6)]]
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
