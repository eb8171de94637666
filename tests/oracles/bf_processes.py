"""The decision process of a BF program the plain way: whole memories in a dictionary, shares as fractions.

Written from the description of the machine alone (specs/aiq.md, sections 1 and 8), for small programs: no
memory is merged with another, no draw is saved, and what grows too large is given up.
"""

from fractions import Fraction

KEPT = 3  # actions before the present one that a memory holds


class TooLarge(Exception):
    """More memories, draws or reads than are worth following."""


class Overtime(Exception):
    """A cycle of a thousand steps."""


def random_program(random, longest):
    """Instructions at random until a bracket closes nothing; with a read and a write."""
    while True:
        text, depth = "", 0
        while not text.endswith("#"):
            letter = random.choice("<>+-,.[%]]")
            text += "#" if letter == "]" and not depth else letter
            depth += (letter == "[") - (letter == "]")
        if {".", ","} <= set(text) and len(text) <= longest:
            return text


def _cycle(program, n, cells, history, output, draws, seen):
    """One cycle: cells from the new place of the head, the output, and how many draws were used."""
    opened, partner = [], {}
    for at, letter in enumerate(program):
        if letter == "[":
            opened.append(at)
        elif letter == "]":
            partner[at] = opened.pop()
            partner[partner[at]] = at
    blank, cells, output = (n - 1) // 2, dict(cells), list(output)
    head = reads = writes = steps = used = at = 0
    while writes < len(output):
        if steps >= 1000:
            raise Overtime
        steps, letter, value = steps + 1, program[at], cells.get(head, blank)
        seen.add(at)
        if letter in "+-":
            cells[head] = (value + (1 if letter == "+" else -1)) % n
        elif letter in "<>":
            head += 1 if letter == ">" else -1
        elif letter == ",":
            if reads >= len(history):
                raise TooLarge
            cells[head], reads = history[reads], reads + 1
        elif letter == ".":
            output[writes], writes = value, writes + 1
        elif letter == "%":
            draws += [0] * (used == len(draws))
            cells[head], used = draws[used], used + 1
        elif (letter == "[" and value == blank) or (letter == "]" and value != blank):
            at = partner[at]
        elif letter == "#":
            break
        at += 1
        if used > 6 or abs(head) > 12:
            raise TooLarge
    if steps >= 1000:
        raise Overtime
    left = sorted((place - head, value) for place, value in cells.items() if value != blank)
    return tuple(left), tuple(output), used


def explored(program, n, observations=1, most=400):
    """Memories, of each the outcomes {(next, output): share} of each action, and the places executed."""
    blank, seen = (n - 1) // 2, set()
    start = ((), (blank,) * KEPT, (blank,) * (1 + observations), 0)
    number, memories, rows = {start: 0}, [start], []
    for cells, history, output, played in memories:
        rows.append([])
        for action in range(n):
            outcomes, draws = {}, []
            while True:
                acted = (action, *history)
                after, shown, used = _cycle(program, n, cells, acted, output, draws, seen)
                memory = (after, acted[:KEPT], shown, min(KEPT, played + 1))
                if memory not in number:
                    number[memory] = len(memories)
                    memories.append(memory)
                if len(memories) > most:
                    raise TooLarge
                key = (number[memory], shown)
                outcomes[key] = outcomes.get(key, 0) + Fraction(1, n**used)
                del draws[used:]
                while draws and draws[-1] == n - 1:
                    draws.pop()
                if not draws:
                    break
                draws[-1] += 1
            assert sum(outcomes.values()) == 1
            rows[-1].append(outcomes)
    return memories, rows, seen


def mean_rewards(rows, n, cycles=300):
    """The best and the worst mean reward, by value iteration."""
    half = (n - 1) / 2
    priced = [
        [[(t, float(p), 100 * (o[0] - half) / half) for (t, o), p in a.items()] for a in row] for row in rows
    ]
    ends = []
    for choose in (max, min):
        value = [0.0] * len(rows)
        for _ in range(cycles):
            value = [choose(sum(p * (r + value[t]) for t, p, r in a) for a in row) for row in priced]
        ends.append(value[0] / cycles)
    return ends


def independent(rows, part):
    """Whether what `part` takes of the output has one law whatever is done: blocks split until they stay."""
    blocks = [0] * len(rows)
    while True:
        laws = []
        for row in rows:
            law = []
            for outcomes in row:
                shares = {}
                for (target, output), share in outcomes.items():
                    key = (part(output), blocks[target])
                    shares[key] = shares.get(key, 0) + share
                law.append(tuple(sorted(shares.items())))
            laws.append(tuple(law))
        names = {}
        new = [names.setdefault(key, len(names)) for key in zip(blocks, laws, strict=True)]
        if len(names) == len(set(blocks)):
            return all(len(set(law)) == 1 for law in laws)
        blocks = new


def trivial(memories, rows, n):
    """The delay and the table of a reward that is a one-to-one function of an action, or None."""
    for delay in range(KEPT + 1):
        paid = {}
        for (_, history, _, played), row in zip(memories, rows, strict=True):
            for action, outcomes in enumerate(row if played >= delay else []):
                paid.setdefault((action, *history)[delay], set()).update(o[0] for _, o in outcomes)
        values = [next(iter(paid[a])) for a in range(n) if len(paid.get(a, ())) == 1]
        if len(set(values)) == n:
            return {"delay": delay, "symbols": values}
    return None
