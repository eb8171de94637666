"""Sentences of the notebooks that state something and that no run computes, each with the reason why it may stand.

A sentence of a markdown cell counts where it reads a result (it follows code, or is a lesson) and compares,
counts or judges; elsewhere only where it has decimals, percentages or a verdict. A box counts whose words judge
while nothing in the call decides them. `fixed_sentences.csv` lists those that were read, one a row.
`python tests/fixed_sentences.py` prints the rows that are missing, for somebody to give each its kind.
"""

import ast
import csv
import hashlib
import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LIST = Path(__file__).with_suffix(".csv")
#: Why a sentence may be fixed.
KINDS = {
    "definition": "says what a word, a set-up or a picture is",
    "printed": "says what a paper or its authors' files state, and which",
    "proved": "follows from a formula or from how the data were made, whatever the run",
    "measured": "says what an earlier study of ours counted, kept in data/measured or in a test",
    "advice": "says what to do, or what a method can and cannot do",
    "computed": "a box whose words hold whatever its numbers are: counts, or a superlative whose name the table gave",
}
_STEMS = [
    "larg",
    "small",
    "high",
    "low",
    "strong",
    "weak",
    "wid",
    "narrow",
    "fast",
    "slow",
    "long",
    "short",
    "steep",
    "flatt",
    "near",
    "clos",
    "great",
]
_COMPARED = "|".join(f"{stem}(?:er|est)" for stem in _STEMS)
_JUDGED = (
    r"\b(?:more|less|fewer|most|least|best|worst|better|worse|half|third|quarter|twice|times|every|all|none|no|only"
    r"|hardly|nearly|almost|barely|far|much|clearly|identical|same|alike|equal|reversed"
    r"|(?:fall|rise|grow|shrink|increase|decrease|move|drop|gain|lose|win|lead|beat|exceed|cost|stay|climb|widen"
    r"|narrow|turn|agree|disagree|differ|hold|show|fail|vanish|appear|explain|separate|decide|make)e?s?"
    rf"|found|separated|{_COMPARED})\b"
)
_READING = re.compile(rf"\d|{_JUDGED}", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"\d\.\d|\d ?%|\bwe (?:find|found|see|saw)\b|\b(?:turns? out|comes? out|significant|confirm)",
    re.IGNORECASE,
)
_VERDICT = re.compile(_JUDGED, re.IGNORECASE)
_EXERCISES = re.compile(r"Try it|Exercise|Solution|to discuss")
_BOXES = {"say", "found", "answer"}


class Sentence(NamedTuple):
    """A sentence that nobody computes, and where it stands."""

    notebook: str
    text: str

    @property
    def row(self) -> tuple[str, str, str]:
        """Notebook, checksum, and its first words for whoever looks for it."""
        mark = hashlib.sha256(self.text.encode()).hexdigest()[:8]
        return self.notebook, mark, " ".join(self.text.split()[:9])


def fixed(cells: list[dict], notebook: str = "") -> list[Sentence]:
    """The fixed sentences of a notebook that state something, in their order."""
    texts: list[str] = []
    begun = False
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            texts += _of_markdown(source, begun)
        elif cell["cell_type"] == "code":
            begun = begun or "nb.start(" in source
            texts += _of_code(source)
    return [Sentence(notebook, text) for text in dict.fromkeys(texts)]


def _of_markdown(source: str, begun: bool) -> list[str]:
    texts = []
    for part in re.split(r"(?m)^(?=#+ )", source):
        head, _, body = part.partition("\n") if part.startswith("#") else ("", "", part)
        if _EXERCISES.search(head):
            continue
        reads = (begun and not head) or "take away" in head
        pattern = _READING if reads else _ELSEWHERE
        texts += [s for s in _sentences(body) if pattern.search(s) and not s.endswith("?")]
    return texts


def _sentences(body: str) -> list[str]:
    body = re.sub(r"```.*?```|\$\$.*?\$\$", "", body, flags=re.DOTALL)
    blocks = [" ".join(b.split()) for b in re.split(r"\n\s*\n|\n(?=\s*[-*] )", body)]
    told = [re.sub(r"^[-*] ", "", block) for block in blocks if block and block[0] not in "#|<"]
    return [s for block in told for s in re.split(r'(?<=[.!?])\s+(?=[A-Z*`$("−+])', block)]


def _of_code(source: str) -> list[str]:
    """Boxes whose words judge, while no condition stands in their call."""
    texts = []
    nodes = list(ast.walk(ast.parse(source)))
    picked = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and any(isinstance(p, ast.IfExp) for p in ast.walk(node))
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if node.func.attr in _BOXES and not {k.arg for k in node.keywords} & {"holds", "only"}:
            parts = list(ast.walk(node.args[0]))
            words = [p.value for p in parts if isinstance(p, ast.Constant)]
            text = " ".join(" … ".join(w for w in words if isinstance(w, str)).split())
            chosen = any(
                isinstance(p, ast.IfExp) or (isinstance(p, ast.Name) and p.id in picked) for p in parts
            )
            texts += [text] if _VERDICT.search(text) and not chosen else []
    return texts


@cache
def all_fixed() -> list[Sentence]:
    """Those of every notebook of the catalogue's folders."""
    found = []
    for path in sorted((ROOT / "notebooks").glob("[!.]*/*.ipynb")):
        name = path.relative_to(ROOT / "notebooks").with_suffix("").as_posix()
        found += fixed(json.loads(path.read_text(encoding="utf-8"))["cells"], name)
    return found


def listed() -> dict[tuple[str, str, str], str]:
    """The kind of each sentence that was read."""
    with LIST.open(encoding="utf-8", newline="") as file:
        return {(r["notebook"], r["mark"], r["words"]): r["kind"] for r in csv.DictReader(file)}


if __name__ == "__main__":
    known = listed()
    for sentence in all_fixed():
        if sentence.row not in known:
            csv.writer(sys.stdout).writerow([sentence.notebook, "?", *sentence.row[1:]])
            print("    ", sentence.text, file=sys.stderr)
