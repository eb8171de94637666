"""AIQ agents as respondents: programs are items, and everything else in gindex_lab applies.

A program is run with its rewards and with their negatives; the mean of the two is what an agent earned by
adapting. Exact analysis knows the most that can be earned so: half of best minus worst mean reward. The
response of an agent to a program is the fraction it earned of that, cut to [0, 1]: 0 is what an agent
earns that never learns, 1 what one earns in the long run that knows the program. Programs that pay everyone
alike, and those that exact analysis does not decide, are not used as items.
"""

from __future__ import annotations

from collections.abc import Mapping

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


def agent_grid() -> dict[str, BuiltIn]:
    """Thirty-six agents: three that do not learn, and a grid of settings of those that do.

    Names give the settings that vary: Freq(ε), Q(λ, α, ε), HLQ(λ, ε).

    >>> agents = agent_grid()
    >>> len(agents), agents["Q(0.5, 0.1, 0.05)"].rate
    (36, 0.1)
    """
    exploration = (0.01, 0.05, 0.2)
    agents: dict[str, BuiltIn] = {
        "Random": Random(),
        "Constant(0)": Constant(0),
        "Constant(4)": Constant(4),
    }
    agents |= {f"Freq({e})": Freq(e) for e in (0.01, 0.03, 0.05, 0.1, 0.2, 0.4)}
    agents |= {
        f"Q({trace}, {rate}, {e})": QLearning(0.0, trace, rate, e, 0, 0.8)
        for trace in (0.0, 0.5, 0.9)
        for rate in (0.1, 0.5)
        for e in exploration
    }
    return agents | {
        f"HLQ({trace}, {e})": HLQ(False, 0.0, trace, e, 0, 0.7)
        for trace in (0.95, 0.99, 0.995)
        for e in exploration
    }


def item_programs(programs: int = 600, *, seed: int = 1) -> pd.DataFrame:
    """The first distinct programs of a SEP-ext sample whose ceiling is known and above 0.

    Index `program`; columns `length` (instructions), `memory` (log2 of the states of its decision process),
    `chance` (whether chance plays a part), `ceiling` (best minus worst mean reward, halved), `stratum`.
    `programs` counts those looked at; about half of them are items.

    >>> items = item_programs(40, seed=1)
    >>> bool((items["ceiling"] > 0).all()), list(items.columns)
    (True, ['length', 'memory', 'chance', 'ceiling', 'stratum'])
    """
    wanted = integer("programs", programs, 2, 10**6)
    size = 4 * wanted
    while True:
        distinct = sample(size, seed=seed).drop_duplicates("program")
        if len(distinct) >= wanted:
            break
        size *= 2
    drawn = distinct.head(wanted).reset_index(drop=True)
    exact = survey(drawn["program"])
    table = pd.DataFrame(
        {
            "length": drawn["program"].str.len(),
            "memory": np.log2(exact["states"].astype(float)),
            "chance": exact["chance"],
            "ceiling": (exact["best"] - exact["worst"]) / 2,
            "stratum": drawn["stratum"],
        }
    ).set_index(pd.Index(drawn["program"], name="program"))
    # Value iteration stops within a tolerance: a range of the size of rounding errors does not count.
    found = table[(exact["discriminative"] == True).to_numpy() & (table["ceiling"] > 1e-3)]  # noqa: E712
    return found.assign(chance=found["chance"].astype(bool))


def respond(
    agents: Mapping[str, AgentLike],
    items: pd.DataFrame,
    *,
    episode: int = 1_000,
    seed: int = 1,
    jobs: int | None = 1,
) -> Responses:
    """Agents x programs: the fraction of the ceiling that each agent earned on each program.

    `items` comes from `item_programs`, and goes along as the items' table, with `cut`: by how much the
    fractions of the agents were cut on average. A program that met the step limit with any agent is left
    out for all.

    >>> answers = respond({"Freq": Freq(0.05), "Random": Random()}, item_programs(20), episode=200)
    >>> means = answers.frame.mean(axis=1)
    >>> bool(means["Freq"] > 0.3 > 0.1 > means["Random"])
    True
    """
    if not isinstance(items, pd.DataFrame) or "ceiling" not in items:
        problem = "[no-column] has no column 'ceiling'"
        raise BadInput("items", type(items).__name__, problem, "use item_programs(600)")
    drawn = pd.DataFrame({"program": items.index, "stratum": items["stratum"].to_numpy()})
    values = values_on(agents, drawn, episode=episode, runs=2 * len(items), seed=seed, jobs=jobs)
    values.index = items.index
    share = values.div(items["ceiling"], axis=0).dropna()
    kept = share.clip(0, 1)
    return Responses(
        kept.T,
        items=items.loc[share.index].assign(cut=(share - kept).abs().mean(axis=1)),
        name="AIQ programs",
        source="own experiment",
    )


def subtests(answers: Responses) -> pd.DataFrame:
    """Agents x `SUBTESTS`: the mean response to the programs of each kind, where there are any.

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
