"""A program in words: what the environment pays for, what it hides, and what in it does nothing."""

from __future__ import annotations

from typing import Any

from gindex_lab.worlds.aiq.exact import Caps, close
from gindex_lab.worlds.aiq.pointless import pointless_code
from gindex_lab.worlds.aiq.semantics import classify, delay_of
from gindex_lab.worlds.aiq.symbolic import straight_line

__all__ = ["explain"]


def explain(program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None) -> str:
    """What an environment does, in a few sentences.

    Parameters
    ----------
    program, symbols, observations, caps : as for `close`

    Returns
    -------
    One line per sentence.

    References
    ----------
    Vadinský (2018), section 2.

    Examples
    --------
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
    exact, differ = answer["exact"], answer.get("runs_that_differ")
    if not answer["decided"]:
        seen = f"Other actions changed the rewards in {differ} of 100 runs."
        bound = f"Actions change the rewards in at most {answer['bound']:.1%} of runs (95% confidence)."
        return f"Undecided: {answer['reason']}. {seen if differ else bound}"
    lines = [_reward(exact)]
    if observations:
        lines.append(_observation(program, exact, symbols, observations, caps))
    lines.append(_earnings(exact))
    if exact["dead"]:
        lines.append(f"Never executed: {_places(program, exact['dead'])}.")
    unfelt = pointless_code(program, symbols, observations, caps) or []
    if idle := [place for place in unfelt if place not in exact["dead"]]:
        lines.append(f"Never felt by any agent: {_places(program, idle)}.")
    return "\n".join(lines)


def _when(delay: int) -> str:
    return {0: "the action", 1: "the action of the previous cycle"}.get(
        delay, f"the action of {delay} cycles ago"
    )


def _reward(exact: dict[str, Any]) -> str:
    if exact["reward_action"]:
        return f"The reward is {_when(exact['reward_of_action']['delay'])}, one to one."
    if exact["reward_random"]:
        return "The reward is chance: whatever the agent does, its law is the same."
    if not exact["discriminative"]:
        return "The mean reward is the same whatever the agent does."
    if exact["reward_sometimes_action"]:
        return "The reward is the action, one to one, in some states but not in all."
    return "The reward depends on the actions through the memory or the loops of the program."


def _observation(
    program: str, exact: dict[str, Any], symbols: int, observations: int, caps: Caps | None
) -> str:
    if exact["observation_action"]:
        process = close(program, symbols, observations, caps)
        line = None if process.closed else straight_line(program, symbols, observations)
        if line is None:
            delays = [delay_of(process, process.symbols(k)) for k in range(1, observations + 1)]
        else:
            delays = [source.delay if source.kind == "action" else None for source in line.observations]
        return f"The observation is {_when(next(d for d in delays if d is not None))}, one to one."
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
    limits = f"{exact['worst']:.1f} and {exact['best']:.1f}"
    return f"An agent can earn between {limits} on average over 300 cycles: the program tells agents apart."


def _places(program: str, places: list[int]) -> str:
    """Runs of neighbouring places as code: `++` at position 3."""
    firsts = [place for place in places if place - 1 not in places]
    lasts = [place for place in places if place + 1 not in places]
    runs = zip(firsts, lasts, strict=True)
    return ", ".join(f"`{program[a : b + 1]}` at position {a + 1}" for a, b in runs)
