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

from gindex_lab.studies.readers.parts import name_in, rows_of, score_of
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import bad_file

__all__ = ["read_alpaca_eval", "read_arena", "read_arena_hard", "read_mt_bench"]

_STRONG = 3  # games that a verdict of much better counts as, in arena-hard-auto
_VERDICTS = {"A>>B": (1.0, _STRONG), "A>B": (1.0, 1), "A=B": (0.5, 1)}
_VERDICTS |= {"B=A": (0.5, 1), "B>A": (0.0, 1), "B>>A": (0.0, _STRONG)}
_WON = {"model_a": 1.0, "model_b": 0.0, "a": 1.0, "b": 0.0, "model_1": 1.0, "model_2": 0.0}


def read_alpaca_eval(files: Sequence[Path], found: Storage) -> None:
    """Agents are generators, items are instructions, families are data sets (and references, if several)."""
    rows = []
    for file in files:
        with found.reading(file):
            some = []
            for number, row in rows_of(file, found, ["generator_1", "generator_2"]):
                reference, model = (_name(row, f"generator_{k}", file, number) for k in (1, 2))
                preference = score_of(row.get("preference"), file, f"row {number}")
                if not (preference != preference or preference == 0 or 1 <= preference <= 2):
                    given = f"preference={preference:g} in row {number}, which is not between 1 and 2"
                    raise bad_file(file, f"[out-of-range] has {given}", "annotate it again")
                won = 0.5 if preference == 0 else preference - 1
                found.count("gaps", "outputs have no preference, and count as missing", won != won)
                some.append((model, reference, str(row.get("dataset") or ""), row.get("instruction"), won))
            rows += some
    if not rows:
        raise bad_file(files[0], "[empty] has no annotation", "annotate it again")
    references = sorted({reference for _, reference, *_ in rows})
    numbers: dict[object, int] = {}
    for model, reference, data, instruction, won in rows:
        family = f"{data} against {reference}".strip() if len(references) > 1 else data
        label = f"instruction {numbers.setdefault((data, instruction), len(numbers) + 1)}"
        found.add(model, family, found.item_name(family, label, instruction), won)
    shown = ", ".join(references[:3])
    found.note("metric", f"a response is the preference over {shown}: its mean is the win rate")


def read_arena(files: Sequence[Path], found: Storage) -> None:
    """Agents are models, items are opponents, trials are battles; a model never meets itself."""
    draws = battles = 0
    for file in files:
        with found.reading(file):
            for number, row in rows_of(file, found, ["model_a", "model_b"]):
                sides = "12" if "model_1" in row else "ab"
                first, second = (_name(row, f"model_{side}", file, number) for side in sides)
                won = _outcome(row, first, second, file, number)
                if won != won:
                    found.count("gaps", "battles whose judge ended in an error were left out")
                    continue
                battles, draws = battles + 1, draws + (won == 0.5)
                if first == second:
                    found.count("gaps", "battles of a model with itself were left out")
                    continue
                for model, other, value in ((first, second, won), (second, first, 1 - won)):
                    item = f"against {other}"
                    found.add(model, "", item, value, trial=found.turn(model, "", item))
    said = (
        f"{battles} battles ({draws} draws, which count 0.5): an item is an opponent, and a score the win "
        "rate with every opponent counted alike. It is not the Elo or Bradley-Terry score of the arena"
    )
    found.note("metric", said)


def _name(row: Mapping[str, Any], name: str, file: Path, number: int) -> str:
    """A name, which is text in these logs: a number there is refused."""
    return name_in(row if isinstance(row.get(name), str) else {}, file, number, name)


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
        raise bad_file(file, problem, "write model_a, model_b or tie")
    return _WON[winner]


def read_mt_bench(files: Sequence[Path], found: Storage) -> None:
    """Agents are models, items are turns of questions; a tenth of the score, whose mean is MT-bench's own."""
    tenth = 1.0 if found.options.scale else 10.0
    for file in files:
        with found.reading(file):
            for number, row in rows_of(file, found, ["model"]):
                model = _name(row, "model", file, number)
                value = score_of(row.get("score"), file, f"row {number}")
                item = f"{row.get('question_id')}/turn {row.get('turn')}"
                found.count("gaps", "judgments failed (score -1), and count as missing", value == -1)
                found.add(model, "", item, float("nan") if value == -1 else value / tenth)
    if not found.options.scale:
        found.note("scale", "scores from 1 to 10 were divided by 10", "scale=(1, 10) (--scale)")


def read_arena_hard(files: Sequence[Path], found: Storage) -> None:
    """Agents are models, items are questions, families their categories, where there are some."""
    baselines: set[str] = set()
    for file in files:
        with found.reading(file):
            for number, row in rows_of(file, found):
                model = _name(row, "model", file, number)
                question = row.get("uid") or row.get("question_id")
                value = _share_won(row.get("games"), file, number)
                found.count("gaps", "questions have no verdict, and count as missing", value != value)
                baselines |= {str(row["baseline"])} if row.get("baseline") else set()
                found.add(model, str(row.get("category") or ""), str(question), value)
    shown = f" {', '.join(sorted(baselines)[:3])}" if baselines else ""
    said = f"a response is the share won against the baseline{shown}, much better counted {_STRONG} times"
    found.note("metric", said)


def _share_won(games: Any, file: Path, number: int) -> float:
    """The share of a question that the model won; NaN without a verdict."""
    if not isinstance(games, list) or len(games) != 2:
        raise bad_file(file, f"[wrong-type] does not have two games in line {number}", "judge it again")
    won = weights = 0.0
    for turn, game in enumerate(games):
        verdict = game.get("score") if isinstance(game, dict) else None
        if verdict is None:
            continue
        if verdict not in _VERDICTS:
            problem = f"[not-an-option] has the verdict {verdict!r} in line {number}"
            raise bad_file(file, problem, "judge it again")
        first, weight = _VERDICTS[verdict]
        won += weight * (first if turn else 1 - first)  # the model is B, and then A
        weights += weight
    return won / weights if weights else float("nan")
