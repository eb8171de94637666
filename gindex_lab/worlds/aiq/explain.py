"""A program in words: what the environment pays for, what it hides, and what in it does nothing."""

from __future__ import annotations

from typing import Any

from gindex_lab.worlds.aiq.exact import Caps, close
from gindex_lab.worlds.aiq.semantics import classify, delay_of, pointless_code
from gindex_lab.worlds.aiq.symbolic import straight_line

__all__ = ["explain"]


def explain(program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None) -> str:
    """What an environment does, in a few sentences. (Vadinský 2018, section 2.)

    >>> print(explain(".,#"))
    The reward is the action of the previous cycle, one to one.
    The observation never changes.
    An agent can earn between -99.7 and 99.7 on average over 300 cycles: the program tells agents apart.
    >>> print(explain("%.,#"))
    The reward is chance: whatever the agent does, its law is the same.
    The observation never changes.
    No agent earns more than another: the program tells nothing about agents.
    Never felt by any agent: `,` at position 3.
    """
    answer = classify(program, symbols, observations, caps)
    if not answer["decided"]:
        return _undecided(answer)
    exact = answer["exact"]
    lines = [_reward(program, exact, symbols, observations)]
    if observations:
        lines.append(_observation(program, exact, symbols, observations))
    lines.append(_earnings(exact))
    if exact["dead"]:
        lines.append(f"Never executed: {_places(program, exact['dead'])}.")
    felt = pointless_code(program, symbols, observations, caps) or []
    idle = [place for place in felt if place not in exact["dead"]]
    if idle:
        lines.append(f"Never felt by any agent: {_places(program, idle)}.")
    return "\n".join(lines)


def _undecided(answer: dict[str, Any]) -> str:
    start = f"Undecided: {answer['reason']}."
    if answer["runs_that_differ"]:
        return f"{start} Other actions changed the rewards in {answer['runs_that_differ']} of 100 runs."
    return f"{start} Actions change the rewards in at most {answer['bound']:.1%} of runs (95% confidence)."


def _when(delay: int) -> str:
    return {0: "the action", 1: "the action of the previous cycle"}.get(
        delay, f"the action of {delay} cycles ago"
    )


def _delay(program: str, cell: int, symbols: int, observations: int) -> int | None:
    process = close(program, symbols, observations)
    if process.closed:
        return delay_of(process, process.symbols(cell))
    line = straight_line(program, symbols, observations)
    return None if line is None else (line.reward, *line.observations)[cell].delay


def _reward(program: str, exact: dict[str, Any], symbols: int, observations: int) -> str:
    if exact["reward_action"]:
        delay = _delay(program, 0, symbols, observations)
        return f"The reward is {_when(delay or 0)}, one to one."
    if exact["reward_random"]:
        return "The reward is chance: whatever the agent does, its law is the same."
    if not exact["discriminative"]:
        return "The mean reward is the same whatever the agent does."
    if exact["reward_sometimes_action"]:
        return "The reward is the action, one to one, in some states but not in all."
    return "The reward depends on the actions through the memory or the loops of the program."


def _observation(program: str, exact: dict[str, Any], symbols: int, observations: int) -> str:
    if exact["observation_action"]:
        delay = _delay(program, 1, symbols, observations)
        return f"The observation is {_when(delay or 0)}, one to one."
    if exact["observation_random"]:
        return "The observation is chance, to be ignored."
    if exact["observation_fixed"]:
        return "The observation never changes."
    return "The observation depends on what the program did."


def _earnings(exact: dict[str, Any]) -> str:
    if not exact["discriminative"]:
        return "No agent earns more than another: the program tells nothing about agents."
    if "best" not in exact:
        return "Some agents earn more than others: the program tells agents apart."
    return (
        f"An agent can earn between {exact['worst']:.1f} and {exact['best']:.1f} on average over 300 "
        "cycles: the program tells agents apart."
    )


def _places(program: str, places: list[int]) -> str:
    """Runs of neighbouring places as code: `++` at position 3."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ", ".join(f"`{program[run[0] : run[-1] + 1]}` at position {run[0] + 1}" for run in runs)
