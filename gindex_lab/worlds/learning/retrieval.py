"""Finding the training prompt nearest to a new one, telling what differs, and putting that in place.

Small tools that the learning systems share: an inverted TF-IDF index with cosine similarity, an
alignment of two prompts that gives the words that changed, and their substitution. All count their
elementary operations (a token read, a posting visited, a token compared), which is how the systems
measure their compute.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import numpy.typing as npt

from gindex_lab.worlds.learning.corpus import Program

__all__ = ["TextIndex", "changes", "frame", "substitute", "tokens"]

_TOKEN = re.compile(r"'[^']*'|[^\s',;]+|[',;]")
_PLACE = frozenset({"id", "type", "x", "y", "z", "wires"})
_NUMBER = re.compile(r"[-+]?\d[\d:.]*")


def tokens(text: str) -> list[str]:
    """Words, punctuation, and quoted phrases whole.

    >>> tokens("Mail 'green tea' to a@b.example, please")
    ['Mail', "'green tea'", 'to', 'a@b.example', ',', 'please']
    """
    return _TOKEN.findall(text)


def frame(text: str) -> list[str]:
    """The tokens in lower case with phrases, numbers and addresses masked: how a task is put.

    >>> frame("Search Google for 'tea', 3 times, into tea.csv")
    ['search', 'google', 'for', '<text>', ',', '<number>', 'times', ',', 'into', '<name>']
    """
    return [_mask(token) for token in tokens(text)]


def _mask(token: str) -> str:
    if token.startswith("'") and len(token) > 1:
        return "<text>"
    if _NUMBER.fullmatch(token):
        return "<number>"
    return "<name>" if re.search(r"[@/#]|\.\w", token) else token.lower()


class TextIndex:
    """TF-IDF vectors of many texts, searched by cosine through an inverted index.

    The weight of token t in text d is tf(t, d) (1 + ln((1 + N) / (1 + df(t)))), each vector scaled to
    length 1, as in G. Salton and C. Buckley, "Term-weighting approaches in automatic text retrieval",
    Information Processing & Management 24(5), 1988. scikit-learn's `TfidfVectorizer` has the same weights,
    but cannot count the operations that are the compute of a learning system here.

    >>> index = TextIndex([["open", "tab"], ["send", "mail"]])
    >>> index.best(["send", "a", "mail"])
    (1, 1.0)
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self.size, self.operations = len(texts), 0
        frequency = Counter(token for text in texts for token in set(text))
        self._idf = {t: 1 + float(np.log((1 + self.size) / (1 + n))) for t, n in frequency.items()}
        postings: dict[str, list[tuple[int, float]]] = {token: [] for token in frequency}
        for at, text in enumerate(texts):
            self.operations += len(text)
            for token, weight in self._vector(text).items():
                postings[token].append((at, weight))
        self._postings = {
            token: (np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs]))
            for token, pairs in postings.items()
        }

    def _vector(self, text: Sequence[str]) -> dict[str, float]:
        counts = Counter(token for token in text if token in self._idf)
        weights = {token: n * self._idf[token] for token, n in counts.items()}
        length = float(np.sqrt(sum(w * w for w in weights.values()))) or 1.0
        return {token: w / length for token, w in weights.items()}

    def scores(self, text: Sequence[str]) -> npt.NDArray[np.float64]:
        """The cosine of the text with every text of the index, shape (size,)."""
        total = np.zeros(self.size)
        for token, weight in self._vector(text).items():
            at, weights = self._postings[token]
            total[at] += weight * weights
            self.operations += len(at)
        return total

    def best(self, text: Sequence[str]) -> tuple[int, float]:
        """The nearest text and its cosine; of equals the first."""
        scores = self.scores(text)
        at = int(np.argmax(np.round(scores, 12)))
        return at, float(round(scores[at], 12))


def changes(old: str, new: str) -> tuple[list[tuple[str, str]], int]:
    """What stands in `new` where `old` had something else, without quotes, and the tokens compared.

    >>> changes("Google 'tea' for me", "Google 'green tea' for me")
    ([('tea', 'green tea')], 8)
    """
    before, after = tokens(old), tokens(new)
    old_words, new_words = ([token.lower() for token in text] for text in (before, after))
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    pairs = []
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "replace" and j - i == m - k:
            pairs += list(zip(before[i:j], after[k:m], strict=True))
        elif tag == "replace":
            pairs.append((" ".join(before[i:j]), " ".join(after[k:m])))
    return [(a.strip("'"), b.strip("'")) for a, b in pairs], len(before) + len(after)


def substitute(program: Program, pairs: Sequence[tuple[str, str]]) -> tuple[Program, int]:
    """The program with each old text replaced by the new one in its attributes, and the values tried.

    A number is replaced by a number, and text in lower case (a method, a key) by text in lower case.

    >>> substitute([{"id": "a", "type": "x", "min": 3, "say": "hi you"}], [("3", "7"), ("you", "me")])
    ([{'id': 'a', 'type': 'x', 'min': 7, 'say': 'hi me'}], 2)
    """
    rules: dict[str, str] = {}
    for old, new in [rule for pair in pairs for rule in _variants(*pair)]:
        rules.setdefault(old, new)
    either = "|".join(re.escape(old) for old in sorted(rules, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)") if rules else re.compile(r"(?!)")
    counter = [0]
    filled = [
        {k: v if k in _PLACE else _replaced(v, rules, pattern, counter) for k, v in node.items()}
        for node in program
    ]
    return filled, counter[0]


def _variants(old: str, new: str) -> list[tuple[str, str]]:
    low = (old.lower(), new.lower())
    key = (low[0].replace(" ", "_"), low[1].replace(" ", "_"))
    return [(old, new), low, key] if old else []


def _replaced(
    value: Any, rules: dict[str, str], pattern: re.Pattern[str], counter: list[int]
) -> Any:
    if isinstance(value, dict):
        return {k: _replaced(inner, rules, pattern, counter) for k, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, rules, pattern, counter) for inner in value]
    counter[0] += 1
    if isinstance(value, str):
        return pattern.sub(lambda found: rules[found[0]], value)
    new = rules.get(str(value)) if isinstance(value, int) else None
    return int(new) if new is not None and re.fullmatch(r"-?\d+", new) else value
