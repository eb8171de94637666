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
from gindex_lab.studies.analysis.summary import Said
from gindex_lab.studies.analysis.weights import about_seeing, about_weights, level_weights
from gindex_lab.studies.readers.choosing import shares_beside

if TYPE_CHECKING:
    from gindex_lab.studies.analysis.comparing import Order
    from gindex_lab.studies.analysis.whole import Analysis

__all__ = ["how_tested", "said_of"]

_MANY_HORIZONS = 8  # agents from which horizons are told in a table


def said_of(study: Analysis) -> list[Said]:
    """Every sentence of an analysis, scores first; `firm` marks what the data can tell."""
    agents, items = study.data.shape if study.raw is None else study.raw.shape
    who = "1 agent" if agents == 1 else f"{agents:,} agents"
    found = [Said(f"{who} on {items:,} items. {WHY[study.transform]}")]
    found += summary.about_integrity(study.integrity)
    found += _of_scores(study)
    found += about_seeing(study.raw, study.ci)
    found += _of_horizons(study)
    found += _of_order(study)
    if study.survival is not None and study.apart:
        found += summary.about_survival(study.verdict, study.survival, study.definitions[1])
    if study.control is not None:
        found += summary.about_control(study.control)
    found += score_words.about_validity(study.validity)
    if study.audit is not None and study.raw is not None:
        by_chance, can = expected_duplicates(study.raw), can_tell_wrong_keys(study.audit)
        found += summary.about_items(study.audit_counts, by_chance, agents, can)
    resample = None if study.ci is None else study.resample
    found += [] if study.raw is None else summary.about_data(study.raw, resample)
    return found


def how_tested(study: Analysis) -> str:
    """How pairs of scores were tested, in words."""
    how = "a permutation test that exchanges the two agents item by item"
    if study.resample == "families":
        how = "a permutation test that exchanges the two agents family by family"
    elif isinstance(study.raw, Responses) and is_binary(study.raw):
        how = "McNemar's exact test"
    pairs = study.differences
    alone = (
        pairs is not None and study.score_order is not None and study.score_order.separated is None
    )
    if pairs is not None and len(pairs) == 1 and not alone:
        return how
    return f"{how}, corrected for all pairs by the method of {'Bonferroni' if alone else 'Holm'}"


def _of_scores(study: Analysis) -> list[Said]:
    if study.scores is None:
        if study.raw is None:
            return []
        text = (
            "Raw scores are in the units of their items: they are ranked, not averaged over items"
        )
        found = [Said(f"{text}{_likely_scale(study.raw)}.", False)]
    else:
        some = study.scores.loc[study.ranked]
        test, agents = how_tested(study), len(study.scores)
        found = score_words.about_scores(some, study.score_order, test, agents)
        found += score_words.about_gap(study.differences)
        found += score_words.about_linked(study.linked)
    found += score_words.about_coverage(study.met, study.data.shape[1], study.ranked)
    found += score_words.about_chance(study.chance)
    if not study.measures:
        return found
    return found + score_words.about_floor(study.floors, study.measured_floor)


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
        return [*said, Said("Too few dated horizons for a doubling time.", False)]
    return [*said, Said(grown.sentence(), np.isfinite(grown.high))]


def _other_tests(study: Analysis) -> list[Said]:
    """Why scores and capability may separate different pairs; nothing where they agree."""
    score, order = study.score_order, study.orders.get("capability")
    if score is None or order is None:
        return []
    if score.separated is None or order.separated is None:
        return _other_fronts(score, order)
    a, b = (np.triu(x.apart.to_numpy(), 1) for x in (score, order))
    if not (a ^ b).any():
        return []
    only, other = int((a & ~b).sum()), int((b & ~a).sum())
    text = (
        f"Scores and capability are tested differently: {only} {'pair' if only == 1 else 'pairs'} "
        f"{'is' if only == 1 else 'are'} separated in score only, {other} in capability only. "
        "A score counts all items alike; capability weighs them by difficulty, and its test (Student's t, "
        "and an exchange of responses) allows for that."
    )
    return [Said(text, False)]


def _other_fronts(score: Order, order: Order) -> list[Said]:
    """The same of many agents, of whom only those in front were compared with the others."""
    a, b = (int(one.apart.loc[one.front].sum()) for one in (score, order))
    if a == b:
        return []
    others = len(order.apart) - 1
    text = (
        f"Scores and capability are tested differently: of {others:,} other agents {a:,} are separated from "
        f"{score.front} in score, {b:,} from {order.front} in capability. A score counts all items alike; "
        "capability weighs them by difficulty, so that a few items at the ends of the scale can decide it."
    )
    return [Said(text, False)]


def _of_limits(study: Analysis) -> list[Said]:
    found = score_words.about_undetermined(study.table)
    return found if study.ci is None else found + score_words.about_bounds(study.table, study.ci)


def _of_order(study: Analysis) -> list[Said]:
    if not study.measures:
        return []
    if study.orders:
        why = study.gamma_is_unsure
        unsure = {"normalised_generality": why} if why else {}
        found = summary.about_order(study.table, study.orders, unsure)
        found += _other_tests(study)
        found += about_weights(level_weights(study.measured))
        return found + _of_limits(study)
    best = study.table["capability"].idxmax()
    text = f"The capability of {best} is {study.table.loc[best, 'capability']:.3g}"
    if len(study.table) == 1:
        said = Said(f"{text}; there is nobody to compare it with.", False)
        return [said, *_of_limits(study)]
    why = "No intervals were asked for: do not read small differences as real."
    return [Said(f"{text}, the highest.", False), Said(why, False)]
