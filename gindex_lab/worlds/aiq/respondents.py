"""AIQ agents as respondents: programs are items, and everything else in gindex_lab applies.

A program is run with its rewards and with their negatives; the mean of the two is what an agent earned by
adapting. Exact analysis knows the most that can be earned so: half of best minus worst mean reward. The
response of an agent to a program is the fraction it earned of that, cut to [0, 1]: 0 is what an agent
earns that never learns, 1 what one earns in the long run that knows the program. Programs that pay everyone
alike, and those that exact analysis does not decide, are not used as items.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import AgentLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import integer
from gindex_lab.worlds.aiq.agents import HLQ, BuiltIn, Constant, Freq, QLearning, Random
from gindex_lab.worlds.aiq.experiments import values_on
from gindex_lab.worlds.aiq.sampler import sample
from gindex_lab.worlds.aiq.semantics import survey

__all__ = ["SUBTESTS", "agent_grid", "item_programs", "respond", "subtests"]

#: Kinds of programs, by strata: what is paid, or how long a program is that pays nothing simple.
SUBTESTS = {
    "this action": (1,),
    "this action, shifted": (5, 6),
    "last action": (2,),
    "last action, shifted": (7, 8),
    "either, unless blank": (9, 10),
    "older action": (3, 4),
    "other, short": (11, 12, 13),
    "other, medium": (14, 15, 16),
    "other, long": (17, 18, 19, 20),
}
# A judgement: a ceiling of the size of the rounding errors of value iteration does not count.
_LEAST_CEILING = 1e-3


def agent_grid() -> dict[str, BuiltIn]:
    """Thirty-six agents: three that do not learn, and a grid of settings of those that do.

    Returns
    -------
    Agents by name; a name gives the settings that vary: Freq(ε), Q(λ, α, ε), HLQ(λ, ε).

    Examples
    --------
    >>> agents = agent_grid()
    >>> len(agents), agents["Q(0.5, 0.1, 0.05)"].rate
    (36, 0.1)
    """
    exploration = (0.01, 0.05, 0.2)
    agents: dict[str, BuiltIn] = {"Random": Random()}
    agents |= {f"Constant({action})": Constant(action) for action in (0, 4)}
    agents |= {f"Freq({e})": Freq(e) for e in (0.01, 0.03, 0.05, 0.1, 0.2, 0.4)}
    for trace, rate, e in product((0.0, 0.5, 0.9), (0.1, 0.5), exploration):
        agents[f"Q({trace}, {rate}, {e})"] = QLearning(0.0, trace, rate, e, 0, 0.8)
    for trace, e in product((0.95, 0.99, 0.995), exploration):
        agents[f"HLQ({trace}, {e})"] = HLQ(False, 0.0, trace, e, 0, 0.7)
    return agents


def item_programs(programs: int = 600, *, seed: int = 1) -> pd.DataFrame:
    """The first distinct programs of a SEP-ext sample whose ceiling is known and above 0.

    Parameters
    ----------
    programs : how many are looked at; about half of them are items
    seed : of the sample

    Returns
    -------
    DataFrame indexed by `program`: `length` (instructions), `memory` (log2 of the states of its decision
    process), `chance` (whether chance plays a part), `ceiling` (best minus worst mean reward, halved) and
    `stratum`.

    Examples
    --------
    >>> items = item_programs(40, seed=1)
    >>> bool((items["ceiling"] > 0).all()), list(items.columns)
    (True, ['length', 'memory', 'chance', 'ceiling', 'stratum'])
    """
    size = 4 * integer("programs", programs, 2, 10**6)
    while len(distinct := sample(size, seed=seed).drop_duplicates("program")) < programs:
        size *= 2
    drawn = distinct.head(programs).set_index("program")
    exact = survey(drawn.index).set_index("program")
    columns = {"length": drawn.index.str.len(), "memory": np.log2(exact["states"].astype(float))}
    columns |= {"chance": exact["chance"], "ceiling": (exact["best"] - exact["worst"]) / 2}
    table = pd.DataFrame(columns | {"stratum": drawn["stratum"]})
    found = table[(exact["discriminative"] == True) & (table["ceiling"] > _LEAST_CEILING)]  # noqa: E712
    return found.assign(chance=found["chance"].astype(bool))


def respond(
    agents: Mapping[str, AgentLike],
    items: pd.DataFrame,
    *,
    episode: int = 1_000,
    jobs: int | None = 1,
    seed: int = 1,
) -> Responses:
    """The fraction of the ceiling that each agent earned on each program.

    Parameters
    ----------
    agents : by name
    items : from `item_programs`
    episode, jobs, seed : as for `estimate`

    Returns
    -------
    Responses, agents x programs; the items' table also has `cut`, by how much the fractions of the agents
    were cut on average. A program that met the step limit with any agent is left out for all.

    Examples
    --------
    >>> answers = respond({"Freq": Freq(0.05), "Random": Random()}, item_programs(20), episode=200)
    >>> means = answers.frame.mean(axis=1)
    >>> bool(means["Freq"] > 0.3 > 0.1 > means["Random"])
    True
    """
    if not isinstance(items, pd.DataFrame) or "ceiling" not in items:
        problem = "[no-column] has no column 'ceiling'"
        raise BadInput("items", type(items).__name__, problem, "use item_programs(600)")
    drawn = pd.DataFrame({"program": items.index})
    values = values_on(agents, drawn, episode=episode, runs=2 * len(items), seed=seed, jobs=jobs)
    share = values.set_axis(items.index).div(items["ceiling"], axis=0).dropna()
    kept = share.clip(0, 1)
    table = items.loc[share.index].assign(cut=(share - kept).abs().mean(axis=1))
    return Responses(kept.T, items=table, name="AIQ programs", source="own experiment")


def subtests(answers: Responses) -> pd.DataFrame:
    """The mean response to the programs of each kind.

    Parameters
    ----------
    answers : from `respond`

    Returns
    -------
    DataFrame, agents x those of `SUBTESTS` that have programs.

    Examples
    --------
    >>> strata = pd.DataFrame({"stratum": [1, 1, 20]}, index=[",.#", ",>.#", "long"])
    >>> answers = Responses(pd.DataFrame([[1.0, 0.5, 0.0]], ["Freq"], strata.index), items=strata)
    >>> subtests(answers)
          this action  other, long
    Freq         0.75          0.0
    """
    kind = {stratum: name for name, members in SUBTESTS.items() for stratum in members}
    of_item = answers.items["stratum"].map(kind)
    means = answers.frame.T.groupby(of_item.to_numpy()).mean().T
    return means[[name for name in SUBTESTS if name in means]]
