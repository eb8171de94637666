"""Recorded walk-throughs for the site: the states of demos that need a kernel, computed by the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gindex_lab.presentation.widgets.live import View
from gindex_lab.presentation.widgets.stepper import stepper_view
from gindex_lab.presentation.widgets.take_test import Sitting, sitting_view
from gindex_lab.presentation.widgets.two_programs import EXAMPLES, programs_view

__all__ = ["WALKS", "Step"]

Step = tuple[str, View]  # a caption, and what the live demo would show
_PROGRAM, _ACTIONS, _STEPS = ",[>++<[+]]>.#", "424", 14
_WORLDS, _PRESSES = "Λ worlds", ("0", "1", "2")


def _programs() -> Iterator[Step]:
    one, two = EXAMPLES
    faster = one.replace("repeat=60", "repeat=10")
    shorter = "\n".join(line for line in one.split("\n") if "keep" not in line)
    yield "The same program twice: nothing to tell them apart.", programs_view(one, one)
    yield "One attribute changes: the clock ticks six times as often.", programs_view(one, faster)
    yield "A node goes: what is left still corresponds.", programs_view(one, shorter)
    yield "Two programs for one task, by two authors.", programs_view(one, two)
    caption = "The same two, as the authors' code compares them."
    yield caption, programs_view(one, two, "reference")
    yield "No type in common: as far apart as can be.", programs_view("a: inject", "b: debug")


def _machine() -> Iterator[Step]:
    for step in range(1, _STEPS + 1):
        view = stepper_view(_PROGRAM, _ACTIONS, step=step)
        yield f"Step {step}: {view.numbers['instruction']}.", view


def _worlds() -> Iterator[Step]:
    """Every press of the first world, then the end of each, and the curve."""
    at, ends = Sitting(_WORLDS), [0]
    pressed: list[str] = []
    while at.options:
        done = at.session.number
        pressed.append(_PRESSES[len(pressed) % len(_PRESSES)])
        at.press(pressed[-1])
        ends += [len(pressed)] if at.session.number > done else []
    for n in sorted({*range(ends[1] + 1), *ends}):
        view = sitting_view(_WORLDS, pressed[:n])
        told = f"after pressing {pressed[n - 1]}" if n else "before the first press"
        yield f"{view.numbers['items done']} worlds done, {told}.", view


WALKS: dict[str, Callable[[], Iterator[Step]]] = {
    "programs": _programs,
    "machine": _machine,
    "worlds": _worlds,
}
