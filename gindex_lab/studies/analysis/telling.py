"""The sentences of an analysis, in the order of a report: scores, capability and generality, cautions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.studies.analysis import score_words, summary
from gindex_lab.studies.analysis.accuracy import is_binary
from gindex_lab.studies.analysis.audit import can_tell_wrong_keys, expected_duplicates
from gindex_lab.studies.analysis.options import WHY
from gindex_lab.studies.analysis.summary import Said, caution
from gindex_lab.studies.analysis.weights import about_seeing, about_weights, level_weights
from gindex_lab.studies.readers.cells import shares_beside

if TYPE_CHECKING:
    from gindex_lab.studies.analysis.comparing import Order
    from gindex_lab.studies.analysis.whole import Analysis

__all__ = ["how_tested", "said_of"]

_MANY_HORIZONS = 8  # agents from which horizons are told in a table: a judgement


def said_of(study: Analysis) -> list[Said]:
    """Every sentence of an analysis, scores first; `firm` marks what the data can tell."""
    agents, items = study.data.shape if study.raw is None else study.raw.shape
    who = "1 agent" if agents == 1 else f"{agents:,} agents"
    found = [Said(f"{who} on {items:,} items. {WHY[study.transform]}")]
    found += summary.about_integrity(study.integrity)
    found += _of_scores(study)
    found += about_seeing(study.raw, study.ci)
    found += _of_horizons(study)
    found += _of_order(study) if study.measures else []
    if study.survival is not None and study.apart:
        found += summary.about_survival(study.verdict, study.survival, study.definitions[1])
    if study.control is not None:
        found += summary.about_control(study.control)
    found += score_words.about_validity(study.validity)
    if study.audit is not None and study.raw is not None:
        by_chance, can = expected_duplicates(study.raw), can_tell_wrong_keys(study.audit)
        found += summary.about_items(study.audit_counts, by_chance, agents, can)
    if study.raw is not None:
        found += summary.about_data(study.raw, None if study.ci is None else study.resample)
    return found


def how_tested(study: Analysis) -> str:
    """How pairs of scores were tested, in words."""
    unit = "family by family" if study.resample == "families" else "item by item"
    how = f"a permutation test that exchanges the two agents {unit}"
    if study.resample != "families" and isinstance(study.raw, Responses) and is_binary(study.raw):
        how = "McNemar's exact test"
    pairs, order = study.differences, study.score_order
    alone = order is not None and order.separated is None
    if pairs is not None and len(pairs) == 1 and not alone:
        return how
    return f"{how}, corrected for all pairs by the method of {'Bonferroni' if alone else 'Holm'}"


def _of_scores(study: Analysis) -> list[Said]:
    if study.raw is None:
        return []
    if study.scores is None:
        text = "Raw scores are in the units of their items: they are ranked, not averaged over items"
        found = [caution(f"{text}{_likely_scale(study.raw)}.")]
    else:
        some, agents = study.scores.loc[study.ranked], len(study.scores)
        found = score_words.about_scores(some, study.score_order, how_tested(study), agents)
        found += score_words.about_gap(study.differences)
        found += score_words.about_linked(study.linked)
    found += score_words.about_coverage(study.met, study.data.shape[1], study.ranked)
    found += score_words.about_chance(study.chance)
    return found + (score_words.about_floor(study.floors, study.measured_floor) if study.measures else [])


def _likely_scale(raw: Responses | Scores) -> str:
    """How scores would come with intervals, where they look like ratings or percentages."""
    values = raw.values
    if shares := shares_beside(raw.frame):
        return f". {shares[0]!r} may be a share, and other items per cent"
    low, high = np.nanmin(values), np.nanmax(values)
    if low < 0 or not 1 < high <= 100:
        return ""
    if high <= 10 and (values[~np.isnan(values)] % 1 == 0).all():
        return f". If they are ratings, --scale {int(low == 1)} {high:g} adds scores with intervals"
    return ". If they are per cent, --scale 0 100 adds scores with intervals"


def _of_horizons(study: Analysis) -> list[Said]:
    if study.horizons is None:
        return []
    from gindex_lab.measures.horizons.growth import doubling_time
    from gindex_lab.measures.horizons.words import about_horizons

    said = [Said(*each) for each in about_horizons(study.horizons)]
    agents = len(study.horizons)
    if agents > _MANY_HORIZONS:  # a sentence an agent, the longest horizon first, and then cautions
        between = f"The horizons of all {agents} agents stand in the table of time horizons."
        said = [said[0], said[agents - 1], Said(between), *said[agents:]]
    if study.dates is None:
        return said
    try:
        grown = doubling_time(study.horizons, study.dates)
    except BadInput as error:
        if error.argument != "frontier":
            raise
        return [*said, caution("Too few dated horizons for a doubling time.")]
    return [*said, Said(grown.sentence(), np.isfinite(grown.high))]


def _of_order(study: Analysis) -> list[Said]:
    if study.orders:
        why = study.gamma_is_unsure
        unsure = {"normalised_generality": why} if why else {}
        found = summary.about_order(study.table, study.orders, unsure)
        found += _other_tests(study.score_order, study.orders.get("capability"))
        found += about_weights(level_weights(study.measured))
        return found + _of_limits(study)
    best = study.table["capability"].idxmax()
    text = f"The capability of {best} is {study.table.loc[best, 'capability']:.3g}"
    if len(study.table) == 1:
        return [caution(f"{text}; there is nobody to compare it with."), *_of_limits(study)]
    why = "No intervals were asked for: do not read small differences as real."
    return [caution(f"{text}, the highest."), caution(why)]


def _of_limits(study: Analysis) -> list[Said]:
    found = score_words.about_undetermined(study.table)
    return found if study.ci is None else found + score_words.about_bounds(study.table, study.ci)


def _other_tests(score: Order | None, order: Order | None) -> list[Said]:
    """Why scores and capability may separate different pairs; nothing where they agree."""
    if score is None or order is None:
        return []
    if score.separated is None or order.separated is None:  # many agents: only those in front were compared
        a, b = (int(one.apart.loc[one.front].sum()) for one in (score, order))
        differ = a != b
        others, front = len(order.apart) - 1, f"separated from {score.front} in score"
        apart = f"of {others:,} other agents {a:,} are {front}, {b:,} from {order.front} in capability"
        why = "capability weighs them by difficulty"
        why += ", so that a few items at the ends of the scale can decide it"
    else:
        by_score, by_capability = (np.triu(one.apart.to_numpy(), 1) for one in (score, order))
        a, b = int((by_score & ~by_capability).sum()), int((by_capability & ~by_score).sum())
        apart = f"{a} {'pair is' if a == 1 else 'pairs are'} separated in score only, {b} in capability only"
        why = "in capability an item weighs more the fewer others are near its difficulty"
        differ = a + b > 0
    text = f"Scores and capability are tested differently: {apart}. A score counts all items alike; {why}."
    return [caution(text)] if differ else []
