"""The exercises as data for `web/exercises.js`, and as one page that needs nothing else.

`exercise_data()` is what `mountExercises` takes; `exercises_page()` is a whole page with script and style
inside: it can be mailed, put on a course site or opened from a folder.
"""

from __future__ import annotations

import base64
import html
import json
import tomllib
from functools import cache
from typing import Any

from gindex_lab.presentation.pages import TEMPLATES, policy
from gindex_lab.presentation.web import bundle, source
from gindex_lab.presentation.widgets.exercises_course import EXERCISES

__all__ = ["exercise_data", "exercise_task", "exercises_page", "sessions"]


@cache
def sessions() -> tuple[dict[str, Any], ...]:
    """The eight sessions, as `templates/sessions.toml` describes them.

    >>> [len(sessions()), sessions()[6]["title"]]
    [8, 'Time horizons']
    """
    found = tomllib.loads((TEMPLATES / "sessions.toml").read_text(encoding="utf-8"))["session"]
    return tuple({"number": k, **one} for k, one in enumerate(found, 1))


def exercise_data(session: int | None = None) -> list[dict[str, Any]]:
    """Every exercise (of a session), its answer and solution in base64.

    A tolerance needs the number itself, so a hash would not do: base64 hides answers from the eye, no more.

    >>> [task["name"] for task in exercise_data(3)]
    ['delta-extra', 'delta-half']
    """
    chosen = [one for one in sessions() if session in (None, one["number"])]
    return [exercise_task(name) for one in chosen for name in one["exercises"]]


def exercise_task(name: str) -> dict[str, Any]:
    """One exercise and its place in the course; no other is computed.

    >>> [exercise_task("delta-half")[key] for key in ("session", "number")]
    [3, 2]
    """
    one = next(one for one in sessions() if name in one["exercises"])
    place = {"session": one["number"], "title": one["title"]}
    return _task(name) | place | {"number": one["exercises"].index(name) + 1}


@cache
def _task(name: str) -> dict[str, Any]:
    task = EXERCISES[name]
    secret = {"answer": task.answer(), "mistakes": task.wrong(), "solution": task.explained()}
    text = json.dumps(secret, ensure_ascii=False, allow_nan=False)
    return {
        "name": name,
        "question": task.question,
        "words": task.words,
        "unit": task.unit,
        "predict": task.predict,
        "hints": task.hints,
        "secret": base64.b64encode(text.encode()).decode(),
    }


_MOUNT = """
const listed = JSON.parse(document.getElementById("exercises").textContent);
for (const part of document.querySelectorAll("[data-session]"))
  mountExercises(part, listed.filter((task) => task.session === Number(part.dataset.session)));
"""


def exercises_page() -> str:
    """All exercises in one page, session by session.

    >>> "mountExercises" in exercises_page()
    True
    """
    script = bundle("exercises.js") + _MOUNT
    style = source("exercises.css")
    rules = html.escape(policy([script]))
    data = json.dumps(exercise_data(), ensure_ascii=False).replace("<", "\\u003c")
    parts = "\n".join(
        f"<h2>Session {one['number']}: {html.escape(one['title'])}</h2>"
        f'<div data-session="{one["number"]}"></div>'
        for one in sessions()
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{rules}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:;base64,=">
<title>Exercises: how capable, and how general?</title>
<style>body {{ font-family: sans-serif; color: #222; max-width: 46rem; margin: 1em auto; padding: 0 1em; }}
{style}</style>
</head>
<body>
<main>
<h1>How capable, and how general?</h1>
<p>Exercises for a course of eight sessions. Guess first: an exercise shows its result when you have
answered. Enter checks an answer; what you did is kept in this browser only.</p>
<noscript>These exercises check answers with a script, and scripts are switched off here.</noscript>
{parts}
</main>
<script type="application/json" id="exercises">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""
