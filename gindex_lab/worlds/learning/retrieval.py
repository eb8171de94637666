"""Finding the training prompt nearest to a new one, telling what differs, and putting that in place.

Small tools that the learning systems share: a TF-IDF index with cosine similarity, an alignment of two
prompts that gives the words that changed, and their substitution. All count their elementary operations (a
token read, a text visited, a token compared), which is how the systems measure their compute.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.worlds.learning.programs import Program

__all__ = ["TextIndex", "changes", "frame", "substitute", "tokens"]

_TOKEN = re.compile(r"'[^']*'|[^\s',;]+|[',;]")
_PLACE = frozenset({"id", "type", "x", "y", "z", "wires"})
_NUMBER = re.compile(r"[-+]?\d[\d:.]*")


def tokens(text: str) -> list[str]:
    """Words, punctuation, and quoted phrases whole."""
    return _TOKEN.findall(text)


def frame(text: str) -> list[str]:
    """The tokens in lower case with phrases, numbers and addresses masked: how a task is put."""
    return [_mask(token) for token in tokens(text)]


def _mask(token: str) -> str:
    if token.startswith("'") and len(token) > 1:
        return "<text>"
    if _NUMBER.fullmatch(token):
        return "<number>"
    return "<name>" if re.search(r"[@/#]|\.\w", token) else token.lower()


class TextIndex:
    """TF-IDF vectors of many texts (scikit-learn's), searched by cosine.

    The weight of token t in text d is tf(t, d) (1 + ln((1 + N) / (1 + df(t)))), each vector scaled to
    length 1, as in G. Salton and C. Buckley, "Term-weighting approaches in automatic text retrieval",
    Information Processing & Management 24(5), 1988.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectoriser = TfidfVectorizer(analyzer=list)
        self._vectors = self._vectoriser.fit_transform(texts)
        self._holders = np.bincount(self._vectors.indices)  # how many texts hold each token

    def scores(self, texts: Sequence[Sequence[str]]) -> tuple[FloatArray, int]:
        """The cosine of these texts with every text of the index, one row each, to 12 digits; and how many
        texts an inverted index would visit: for each token asked, those that hold it."""
        asked = self._vectoriser.transform(texts)
        found = np.round((asked @ self._vectors.T).toarray(), 12)
        return np.asarray(found), int(self._holders[asked.indices].sum())


def changes(old: str, new: str) -> tuple[list[tuple[str, str]], int]:
    """What `new` has in place of parts of `old`, without quotes, and how many tokens were compared."""
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
    """
    rules: dict[str, str] = {}
    for old, new in (pair for pair in pairs if pair[0]):
        low = old.lower(), new.lower()
        for one, other in ((old, new), low, [text.replace(" ", "_") for text in low]):
            rules.setdefault(one, other)
    either = "|".join(re.escape(old) for old in sorted(rules, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)") if rules else re.compile(r"(?!)")
    tried = 0

    def replaced(value: Any) -> Any:
        nonlocal tried
        if isinstance(value, dict):
            return {k: replaced(inner) for k, inner in value.items()}
        if isinstance(value, list):
            return [replaced(inner) for inner in value]
        tried += 1
        if isinstance(value, str):
            return pattern.sub(lambda found: rules[found[0]], value)
        new = rules.get(str(value)) if isinstance(value, int) else None
        return int(new) if new is not None and re.fullmatch(r"-?\d+", new) else value

    filled = [{k: v if k in _PLACE else replaced(v) for k, v in node.items()} for node in program]
    return filled, tried
