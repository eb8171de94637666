"""Preferences: annotations of AlpacaEval, battles of an arena, judgments of MT-bench and Arena-Hard.

AlpacaEval (1 and 2) compares each output with that of one reference model: {instruction, generator_1 (the
reference), generator_2 (the model), dataset, preference} with a preference from 1 (the reference) to 2 (the
model), 1.5 or 0 for a draw. The response is preference - 1, whose mean is the win rate. An arena lets two
models meet: {model_a, model_b, winner}, the winner as a side or by its name. There an item is an opponent
and every battle against it a repeat: 1 won, 0 lost, 0.5 a draw. The mean over items is the win rate with
every opponent counted alike. MT-bench
has judges write {question_id, model, score (1-10, -1 where it failed), turn}, or for pairs {model_1, model_2,
g1_winner, g2_winner} in both orders: what two orders say differently is a draw. Arena-Hard compares each
answer with that of a baseline in two games, in which the baseline is A and then B, with verdicts from A>>B to
B>>A; a strong one counts three times. The response is the share that the model won. (main.py of
alpaca_eval 0.6.6, llm_judge/*.py of fschat 0.2.36, gen_judgment.py of arena-hard-auto 2.0; read in November
2026.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import Identities, Repeats, rows_of, score_of, wrong_field

__all__ = ["read_alpaca_eval", "read_arena", "read_arena_hard", "read_mt_bench"]

_STRONG = 3  # games that a verdict of much better counts as
_VERDICTS = {"A>>B": (1.0, _STRONG), "A>B": (1.0, 1), "A=B": (0.5, 1)}
_VERDICTS |= {"B=A": (0.5, 1), "B>A": (0.0, 1), "B>>A": (0.0, _STRONG)}
_WON = {"model_a": 1.0, "model_b": 0.0, "a": 1.0, "b": 0.0, "model_1": 1.0, "model_2": 0.0}


def _text(row: Mapping[str, Any], name: str, file: Path, number: int) -> str:
    if not isinstance(row.get(name), str) or not row[name]:
        problem = f"[missing-field] has no {name} in row {number}"
        raise wrong_field(file, problem, "fix or drop the row")
    return str(row[name])


def read_alpaca_eval(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are generators, items are instructions, families are data sets (and references, if several)."""
    rows = []
    for file in files:
        with found.reading(file, options):
            some = []
            for number, row in rows_of(file, found, options, ["generator_1", "generator_2"]):
                reference, model = (_text(row, f"generator_{k}", file, number) for k in (1, 2))
                preference = score_of(row.get("preference"), file, f"row {number}")
                if not (preference != preference or preference == 0 or 1 <= preference <= 2):
                    problem = (
                        f"[out-of-range] has preference={preference:g} in row "
                        f"{number}, which is not between 1 and 2"
                    )
                    raise wrong_field(file, problem, "annotate it again")
                won = 0.5 if preference == 0 else preference - 1
                data = str(row.get("dataset") or "")
                some.append((model, reference, data, row.get("instruction"), won))
            rows += some
    if not rows:
        raise wrong_field(files[0], "[empty] has no annotation", "annotate it again")
    references = sorted({reference for _, reference, *_ in rows})
    items, numbers = Identities(), dict[object, int]()
    for model, reference, data, instruction, won in rows:
        family = f"{data} against {reference}".strip() if len(references) > 1 else data
        label = f"instruction {numbers.setdefault((data, instruction), len(numbers) + 1)}"
        found.add(model, family, items.name(family, label, instruction), won)
    shown = ", ".join(references[:3])
    found.notes.append(f"a response is the preference over {shown}: its mean is the win rate")
    unscored = sum(won != won for *_, won in rows)
    found.note_count(unscored, "outputs have no preference, and count as missing")


def read_arena(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are models, items are opponents, trials are battles; a model never meets itself."""
    turn, draws, battles, same, broken = Repeats(), 0, 0, 0, 0
    for file in files:
        with found.reading(file, options):
            for number, row in rows_of(file, found, options, ["model_a", "model_b"]):
                sides = "12" if "model_1" in row else "ab"
                first, second = (_text(row, f"model_{side}", file, number) for side in sides)
                won = _outcome(row, first, second, file, number)
                if won != won:
                    broken += 1
                    continue
                battles, draws = battles + 1, draws + (won == 0.5)
                if first == second:
                    same += 1
                    continue
                for model, other, value in ((first, second, won), (second, first, 1 - won)):
                    item = f"against {other}"
                    found.add(model, "", item, value, trial=turn.next(model, "", item))
    found.notes.append(
        f"{battles} battles ({draws} draws, which count 0.5): an item is an opponent, and a score the win "
        "rate with every opponent counted alike. It is not the Elo or Bradley-Terry score of the arena"
    )
    found.note_count(same, "battles of a model with itself were left out")
    found.note_count(broken, "battles whose judge ended in an error were left out")


def _outcome(row: Mapping[str, Any], one: str, other: str, file: Path, number: int) -> float:
    """1 if the first model won, 0 if the second did, 0.5 for a draw; NaN where the judge failed."""
    if "g1_winner" in row:
        games = {str(row[f"g{k}_winner"]) for k in (1, 2)}
        if "error" in games:
            return float("nan")
        return _WON.get(games.pop(), 0.5) if len(games) == 1 else 0.5
    if "winner" not in row:
        sides = [bool(row.get(f"winner_model_{side}")) for side in "ab"]
        return 0.5 if sides[0] == sides[1] else float(sides[0])
    winner = str(row["winner"]).strip().lower()
    if one != other and winner in (one.strip().lower(), other.strip().lower()):
        return float(winner == one.strip().lower())
    if winner.startswith("tie") or winner in ("both_bad", "bothbad", "draw"):
        return 0.5
    if winner not in _WON:
        problem = f"[not-an-option] has winner={row['winner']!r} in row {number}"
        raise wrong_field(file, problem, "write model_a, model_b or tie")
    return _WON[winner]


def read_mt_bench(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are models, items are turns of questions; a tenth of the score, whose mean is MT-bench's own."""
    failed, tenth = 0, 1.0 if options.scale else 10.0
    for file in files:
        with found.reading(file, options):
            for number, row in rows_of(file, found, options, ["model"]):
                model = _text(row, "model", file, number)
                value = score_of(row.get("score"), file, f"row {number}")
                item = f"{row.get('question_id')}/turn {row.get('turn')}"
                failed += value == -1
                found.add(model, "", item, float("nan") if value == -1 else value / tenth)
    if not options.scale:
        found.note("scale", "scores from 1 to 10 were divided by 10", "scale=(1, 10) (--scale)")
    found.note_count(failed, "judgments failed (score -1), and count as missing")


def read_arena_hard(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are models, items are questions, families their categories, where there are some."""
    baselines, unscored = set[str](), 0
    for file in files:
        with found.reading(file, options):
            for number, row in rows_of(file, found, options):
                model = _text(row, "model", file, number)
                question = row.get("uid") or row.get("question_id")
                value = _share_won(row.get("games"), file, number)
                unscored += value != value
                baselines |= {str(row["baseline"])} if row.get("baseline") else set()
                found.add(model, str(row.get("category") or ""), str(question), value)
    shown = f" {', '.join(sorted(baselines)[:3])}" if baselines else ""
    found.notes.append(
        f"a response is the share won against the baseline{shown}, much better counted {_STRONG} times"
    )
    found.note_count(unscored, "questions have no verdict, and count as missing")


def _share_won(games: Any, file: Path, number: int) -> float:
    """The share of a question that the model won; NaN without a verdict.

    >>> _share_won([{"score": "B>>A"}, {"score": "B>A"}], Path("a.jsonl"), 1)
    0.75
    """
    if not isinstance(games, list) or len(games) != 2:
        raise wrong_field(file, f"does not have two games in line {number}", "judge it again")
    won = weights = 0.0
    for turn, game in enumerate(games):
        verdict = game.get("score") if isinstance(game, dict) else None
        if verdict is None:
            continue
        if verdict not in _VERDICTS:
            problem = f"[not-an-option] has the verdict {verdict!r} in line {number}"
            raise wrong_field(file, problem, "judge it again")
        first, weight = _VERDICTS[verdict]
        won += weight * (first if turn else 1 - first)  # the model is B, and then A
        weights += weight
    return won / weights if weights else float("nan")
