"""The sixteen task domains of Table 2 of the g-index paper, as data.

`DOMAINS` says for each domain which slots a prompt has, how people may put the task, and which nodes
solve it. The node counts, the editor's tab included, are those that Table 2 prints; attributes and
wording are ours. A node sets only what differs from its type's entry in `corpus_nodes.LIBRARY`; a
value `"{slot}"` takes the slot's value, and text with `{slot}`s is filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["DOMAINS", "Domain", "Node"]


@dataclass(frozen=True)
class Node:
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
    nodes: tuple[Node, ...]


def _node(key: str, type_: str, to: str = "", /, **settings: Any) -> Node:
    """`to` lists the targets: ports parted by "|", targets of one port by spaces."""
    ports = tuple(tuple(port.split()) for port in to.split("|")) if to else ()
    return Node(key, type_, ports, settings)


_ENCODE = "msg.url = base + encodeURIComponent(msg.payload); return msg;"
_TAB = _node("tab", "tab")


def _search(*tail: Node, last: str) -> tuple[Node, ...]:
    """The eight nodes that search Google and tidy the hits, then whatever follows them."""
    return (
        _node("start", "inject", "words"),
        _node("words", "change", "address", to="{query}"),
        _node(
            "address", "function", "page", func=f"const base = 'google.com/search?q='; {_ENCODE}"
        ),
        _node("page", "open", "hits", url="url", urlType="msg"),
        _node("hits", "query", "each", selector="#search .g"),
        _node("each", "split", "fresh"),
        _node("fresh", "filter", last),
        *tail,
        _TAB,
    )


def _media(action: str) -> tuple[Node, ...]:
    return (
        _node("find", "find tab", "run", url="*://*.youtube.com/watch*"),
        _node("run", "execute function", code=f"document.querySelector('video').{action}()"),
        _TAB,
    )


def _rules(replies: int) -> list[dict[str, Any]]:
    return [{"if": "equals", "value": f"{{heard_{i}}}"} for i in range(1, replies + 1)]


def _answers(replies: int, send: str, **settings: Any) -> tuple[Node, ...]:
    """A template with the answer and a node that sends it, for every thing the user may say."""
    nodes = []
    for i in range(1, replies + 1):
        nodes.append(_node(f"answer_{i}", "template", f"send_{i}", template=f"{{reply_{i}}}"))
        nodes.append(_node(f"send_{i}", send, **settings))
    return tuple(nodes)


def _telegram(replies: int) -> tuple[Node, ...]:
    ports = "|".join(f"answer_{i}" for i in range(1, replies + 1))
    return (
        _node("hear", "mqtt in", "sort", topic="telegram/received"),
        _node("sort", "switch", ports, rules=_rules(replies)),
        *_answers(replies, "mqtt out", topic="telegram/send"),
        _node("trouble", "catch"),
        _TAB,
    )


def _dialogue(replies: int) -> dict[str, str]:
    said = {f"heard_{i}": "phrase" for i in range(1, replies + 1)}
    return said | {f"reply_{i}": "phrase" for i in range(1, replies + 1)}


_SLIDER = {"min": "{low}", "max": "{high}", "step": "{step}"}
_MESSENGER = {"method": "POST", "url": "https://graph.facebook.com/me/messages"}

DOMAINS: dict[str, Domain] = {
    "template-slider": Domain(
        (
            "Two sliders with values from {low} to {high} changing in steps of {step}",
            "Show two sliders that go from {low} to {high} by {step}",
            "A dashboard with two sliders, step {step}, range {low} to {high}",
        ),
        {"range": "range"},
        (
            _node("slider_1", "slider", "text_1 log", topic="first", order=1, **_SLIDER),
            _node("slider_2", "slider", "text_2 log", topic="second", order=3, **_SLIDER),
            _node("text_1", "text", order=2),
            _node("text_2", "text", order=4),
            _node("log", "debug"),
            _TAB,
        ),
    ),
    "template-form": Domain(
        (
            "Create a form with fields for entering {fields}",
            "Make a form that asks for {fields}",
            "I need a form to collect {fields}",
        ),
        {"fields": "fields"},
        (
            _node("form", "form", "pack thanks", fields="{form}"),
            _node("pack", "json", "log"),
            _node("thanks", "notification"),
            _node("log", "debug"),
            _TAB,
        ),
    ),
    "cron-reminder": Domain(
        (
            "Set a reminder for '{message}' {schedule}",
            "Remind me of '{message}' {schedule}",
            "Notify me with '{message}' {schedule}",
        ),
        {"message": "phrase", "schedule": "schedule"},
        (
            _node("clock", "schedule-trigger", "notify", expression="{expression}"),
            _node("notify", "desktop-notify", message="{message}"),
            _TAB,
        ),
    ),
    "cron-schedule": Domain(
        ("Repeat {schedule}", "Run this {schedule}", "Trigger the flow {schedule}"),
        {"schedule": "schedule"},
        (
            _node("clock", "schedule-trigger", "log", expression="{expression}"),
            _node("log", "debug"),
            _TAB,
        ),
    ),
    "facebook": Domain(
        (
            "On Facebook, when user says '{heard_1}', reply with '{reply_1}', and when user says "
            "'{heard_2}', reply with '{reply_2}'",
            "Answer '{heard_1}' with '{reply_1}' and '{heard_2}' with '{reply_2}' on Facebook",
        ),
        _dialogue(2),
        (
            _node("hook", "http in", "sort receipt", url="/messenger", method="post"),
            _node("sort", "switch", "answer_1|answer_2", rules=_rules(2)),
            *_answers(2, "http request", **_MESSENGER),
            _node("receipt", "http response"),
            _TAB,
        ),
    ),
    "gmail-send": Domain(
        (
            "Send email with body '{body}' and subject '{subject}' to email {email}",
            "Mail '{body}' to {email} under the subject '{subject}'",
            "Write to {email}: subject '{subject}', body '{body}'",
        ),
        {"body": "phrase", "subject": "phrase", "email": "email"},
        (
            _node("start", "inject", "body"),
            _node("body", "change", "mail", property="body", to="{body}"),
            _node("mail", "open", "compose", url="https://mail.google.com"),
            _node("compose", "click", "to", selector="div[gh=cm]"),
            _node("to", "type", "next_1", selector="input[aria-label=To]", text="{email}"),
            _node("next_1", "press", "subject", key="Tab"),
            _node("subject", "type", "next_2", selector="input[name=subjectbox]", text="{subject}"),
            _node("next_2", "press", "text", key="Tab"),
            _node("text", "type", "send", selector="div[role=textbox]", text="{{{{body}}}}"),
            _node("send", "click", "log", selector="div[data-tooltip^=Send]"),
            _node("log", "debug", complete="true"),
            _TAB,
        ),
    ),
    "google-search": Domain(
        (
            "Search Google for '{query}' and scrape results",
            "Google '{query}' and show me the hits",
            "Look up '{query}' on Google and scrape what it finds",
        ),
        {"query": "phrase"},
        _search(_node("log", "debug"), last="log"),
    ),
    "googlesearch-to-csv": Domain(
        (
            "Search Google for '{query}', scrape results and put into {csv}",
            "Google '{query}' and save the hits to {csv}",
            "Fill {csv} with the Google results for '{query}'",
        ),
        {"query": "phrase", "csv": "csv"},
        _search(
            _node("all", "join", "table"),
            _node("table", "csv", "save"),
            _node("save", "file", "log", filename="{csv}"),
            _node("log", "debug"),
            last="all",
        ),
    ),
    "http": Domain(
        (
            "Create a HTTP {verb} endpoint called {path}",
            "Add an endpoint {path} that answers {verb}",
            "Serve {verb} requests at {path} over HTTP",
        ),
        {"verb": "verb", "path": "path"},
        (
            _node("in", "http in", "out log", url="{path}", method="{method}"),
            _node("out", "http response"),
            _node("log", "debug", complete="req"),
            _TAB,
        ),
    ),
    "telegram-2-reply": Domain(
        (
            "Reply '{reply_1}' to '{heard_1}', and '{reply_2}' to '{heard_2}' on Telegram",
            "On Telegram, when user says '{heard_1}', reply with '{reply_1}', and when user says "
            "'{heard_2}', reply with '{reply_2}'",
        ),
        _dialogue(2),
        _telegram(2),
    ),
    "telegram-3-reply": Domain(
        (
            "Reply '{reply_1}' to '{heard_1}', '{reply_2}' to '{heard_2}', and '{reply_3}' to "
            "'{heard_3}' on Telegram",
            "On Telegram, when user says '{heard_1}', reply with '{reply_1}', when user says "
            "'{heard_2}' reply with '{reply_2}', and when user says '{heard_3}', reply with "
            "'{reply_3}'",
        ),
        _dialogue(3),
        _telegram(3),
    ),
    "twitter": Domain(
        (
            "Obtain tweets about the topic {topic}",
            "Get what Twitter says about {topic}",
            "Watch Twitter for {topic}",
        ),
        {"topic": "hashtag"},
        (
            _node("minute", "inject", "ask", repeat="60", once=True),
            _node("ask", "http request", "log", url="https://api.twitter.com/2", query="{topic}"),
            _node("log", "debug"),
            _TAB,
        ),
    ),
    "url-skill": Domain(
        (
            "Create a skill called '{skill}' which opens url {url}",
            "Make a skill '{skill}' that opens {url}",
            "When I call the skill '{skill}', open {url}",
        ),
        {"skill": "phrase", "url": "url"},
        (
            _node("call", "link in", "where", skill="{skill}"),
            _node("where", "change", "go", to="{url}"),
            _node("go", "open-target"),
            _TAB,
        ),
    ),
    "youtube-pause": Domain(
        ("Pause Youtube video", "Pause the video on Youtube", "Youtube pause"), {}, _media("pause")
    ),
    "youtube-play": Domain(
        (
            "Find and play {title} on Youtube",
            "Play {title} on Youtube",
            "Search Youtube for {title} and play it",
        ),
        {"title": "phrase"},
        (
            _node("start", "inject", "words"),
            _node("words", "change", "site", to="{title}"),
            _node("site", "open", "box", url="https://www.youtube.com"),
            _node("box", "type", "go", selector="input#search", text="{{{{payload}}}}"),
            _node("go", "press", "hits"),
            _node("hits", "query", "first", selector="a#video-title", limit=1),
            _node("first", "click", "log", selector="a#video-title"),
            _node("log", "debug"),
            _TAB,
        ),
    ),
    "youtube-resume": Domain(
        ("Resume Youtube video", "Go on with the video on Youtube", "Youtube resume"),
        {},
        _media("play"),
    ),
}
