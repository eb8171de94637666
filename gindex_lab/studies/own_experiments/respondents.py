"""People who solve mazes and letter series: their groups, their items, and simulated stand-ins.

The case studies A.1 and A.2 of the generality paper measure people, so nothing here names one: a group
of fewer than five is refused. The stand-ins have the shape of the published tables and the printed
difficulties, and every simulated person has a capability and a steadiness of his or her own; nothing
in them is fitted to the published responses. The mazes themselves are in `gindex_lab.worlds.tasks.mazes`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import Label, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, generator
from gindex_lab.measures.summary import population_intervals
from gindex_lab.studies.data.printed import published

__all__ = [
    "EDUCATION",
    "SMALLEST_GROUP",
    "group_intervals",
    "group_summary",
    "letter_series_respondents",
    "maze_groups",
    "maze_respondents",
]

SMALLEST_GROUP = 5
EDUCATION = {
    1: "Primary",
    2: "Secondary",
    3: "High school",
    4: "Vocational",
    5: "Undergraduate",
    6: "Masters",
    7: "PhD",
}
_BLANK = 0.2  # no answer: (0 + 0.25) / 1.25, where a wrong answer costs 0.25
_OPTIONS = 5


# -- simulated people ---------------------------------------------------------------------------------


def maze_respondents(seed: SeedLike = 1, agents: int = 496) -> Responses:
    """Simulated people on the 23 mazes of Table S1, right (1) or wrong (0) (A.1).

    A person solves a maze of difficulty h with chance 1 / (1 + exp(s(h + e - c))): capability c and
    steadiness s are the person's, e is what the formula of difficulty misses in this maze. Gender,
    education and age group are drawn apart from everything else: groups differ by chance alone.

    >>> maze_respondents(seed=1)
    Responses(mazes, simulated: 496 agents x 23 items, with difficulties, simulated)
    """
    rng = generator(seed)
    printed = published("generality_table_s1").set_index("item")["difficulty"]
    felt = printed.to_numpy(dtype=float) + rng.normal(0, 2.5, len(printed))
    chance = _curves(felt, rng.normal(17, 2.5, agents), rng.lognormal(-0.7, 0.4, agents))
    people = pd.DataFrame(
        {
            "gender_code": rng.choice([1, 2], agents, p=[0.6, 0.4]),
            "education_code": rng.choice(
                list(EDUCATION), agents, p=[0.02, 0.03, 0.27, 0.06, 0.41, 0.18, 0.03]
            ),
            "age_group": rng.choice(["young", "old"], agents),
        },
        index=[f"simulated {k + 1:03d}" for k in range(agents)],
    )
    drawn = (rng.random(chance.shape) < chance).astype(float)
    frame = pd.DataFrame(drawn, people.index, printed.index)
    return Responses(frame, printed, agents=people, name="mazes, simulated", source="simulated")


def letter_series_respondents(seed: SeedLike = 1) -> Responses:
    """Simulated answers of 48 people and of programs like those of Table S3 to 35 items (A.2).

    Difficulties run from 7 to 14. Who does not see the rule leaves the item blank (0.2) or picks one of
    five options. Constant programs are right once in a while, whatever the difficulty; those that look
    for a rule find the simple ones.

    >>> table = letter_series_respondents(seed=1)
    >>> table.shape, table.agents["kind"].value_counts().to_dict()
    ((60, 35), {'human': 48, 'machine': 12})
    """
    rng = generator(seed)
    h = np.r_[np.tile(np.arange(7, 15), 5)[:35]].astype(float)
    items = pd.DataFrame(
        {"kind": ["prediction"] * 20 + ["imputation"] * 15, "difficulty": h},
        index=[f"IT{k + 1}" for k in range(20)] + [f"AIT{k + 1}" for k in range(15)],
    )
    felt = h + rng.normal(0, 0.8, len(h))
    sees = _curves(felt, rng.normal(10, 1.5, 48), rng.lognormal(-0.2, 0.3, 48))
    humans = _answers(rng.random(sees.shape) < sees, rng)
    systems = published("generality_table_s3")
    programs = np.array([_program(method, felt, rng) for method in systems["method"]])
    names = [f"simulated {k + 1:02d}" for k in range(48)] + list(systems["system"])
    agents = pd.DataFrame({"kind": ["human"] * 48 + ["machine"] * len(systems)}, index=names)
    frame = pd.DataFrame(np.vstack([humans, programs]), names, items.index)
    name = "letter series, simulated"
    return Responses(frame, items=items, agents=agents, name=name, source="simulated")


def _curves(difficulty: FloatArray, capability: FloatArray, steadiness: FloatArray) -> FloatArray:
    """People x items: the chance to solve, falling with difficulty around each one's capability."""
    return np.asarray(1 / (1 + np.exp(steadiness[:, None] * (difficulty - capability[:, None]))))


def _answers(seen: np.ndarray, rng: np.random.Generator) -> FloatArray:
    """1 where the rule is seen; otherwise a third are left blank and the rest guessed."""
    blank = rng.random(seen.shape) < 1 / 3
    lucky = rng.random(seen.shape) < 1 / _OPTIONS
    return np.where(seen | (lucky & ~blank), 1.0, np.where(blank, _BLANK, 0.0))


def _program(method: str, difficulty: FloatArray, rng: np.random.Generator) -> FloatArray:
    """A guess that ignores difficulty, or a search that succeeds up to some difficulty and else stays
    silent."""
    guessing = {"constant": 0.06, "frequency": 0.15, "copy": 0.15, "random baseline": 0.5}
    drawn = rng.random(len(difficulty))
    if method in guessing:
        return (drawn < guessing[method]).astype(float)
    reach = {"differences": 10.5, "alternating differences": 8.5}.get(method, 10.0)
    return np.where(drawn < _curves(difficulty, np.array([reach]), np.array([1.5]))[0], 1.0, _BLANK)


# -- people in groups ---------------------------------------------------------------------------------


def maze_groups(study: Responses, capability: pd.Series) -> dict[str, pd.Series]:
    """Eight groups of people (Fig. S3): by gender, education, age, and half of the capabilities.

    Higher education is a degree or more; those at the median age are in neither age group.

    >>> study = maze_respondents(seed=1)
    >>> list(maze_groups(study, study.frame.mean(axis=1)))[:4]
    ['male', 'female', 'less education', 'more education']
    """
    people = study.agents
    degree, high = people["education_code"] >= 5, capability >= capability.median()
    return {
        "male": people["gender_code"] == 1,
        "female": people["gender_code"] == 2,
        "less education": ~degree,
        "more education": degree,
        "younger": people["age_group"] == "young",
        "older": people["age_group"] == "old",
        "more capable half": high,
        "less capable half": ~high,
    }


def group_summary(table: pd.DataFrame, groups: Mapping[str, pd.Series]) -> pd.DataFrame:
    """The size of each group and its six printed numbers; a group of fewer than five is refused.

    >>> from gindex_lab.measures.generality import generality
    >>> study = maze_respondents(seed=1)
    >>> table = generality(study)
    >>> group_summary(table, maze_groups(study, table["capability"])).columns.tolist()[:3]
    ['people', 'r(Ψ, S)', 'mean Ψ']
    """
    from gindex_lab.studies.data.printed import printed_numbers

    rows = {}
    for name, member in groups.items():
        part = table.loc[_people_of(name, member, table.index)]
        rows[name] = {"people": len(part), **printed_numbers(part)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("group")


def _people_of(name: str, member: pd.Series, known: pd.Index) -> list[Label]:
    """Who is in the group, if they are enough not to be told apart."""
    found = list(known[member.loc[known].fillna(False).astype(bool)])
    if len(found) < SMALLEST_GROUP:
        problem = "[too-small] is a group so small that a person could be identified"
        remedy = f"join it with another group: at least {SMALLEST_GROUP} people"
        raise BadInput(f"groups[{name!r}]", len(found), problem, remedy)
    return found


def group_intervals(
    study: Responses, groups: Mapping[str, pd.Series], *, seed: SeedLike, resamples: int = 1000
) -> pd.DataFrame:
    """Mean capability and mean γ of each group with 95% intervals over its people, as columns
    `capability`, `capability_low`, `capability_high` and so on: what `plot_intervals` draws.

    All groups are measured on the interval of the whole study.

    >>> study = maze_respondents(seed=1)
    >>> half = study.frame.mean(axis=1) > 0.7
    >>> group_intervals(study, {"high": half, "low": ~half}, seed=1)["capability"].round(1).tolist()
    [17.7, 14.6]
    """
    assert study.difficulty is not None
    span = (float(study.difficulty.min()), float(study.difficulty.max()))
    rows: dict[str, dict[str, float]] = {}
    for name, member in groups.items():
        part = study.select(agents=_people_of(name, member, study.frame.index))
        found = population_intervals(part, interval=span, resamples=resamples, seed=seed)
        rows[name] = {}
        for measure in ("capability", "normalised_generality"):
            value, low, high = found.loc[f"mean_{measure}", ["estimate", "low", "high"]]
            rows[name] |= {measure: value, f"{measure}_low": low, f"{measure}_high": high}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("group")
