"""Small programs of our own in the manner of the g-index paper's Figs 3, 4 and 6: written as lines of text.

The paper shows a drone steered over MQTT (Fig 3), flow-based programs of four other tools (Fig 4), and a
domain `form-options` (Fig 6) whose programs were never published. These are ours, made of the node types of
Table 3 where those suffice; they are for looking at, and fill a gap that is labelled as such.
"""

from __future__ import annotations

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import choice, generator
from gindex_lab.worlds.learning.corpus import LIBRARY
from gindex_lab.worlds.learning.programs import Program

__all__ = ["EXAMPLES", "OTHER_TOOLS", "example", "form_options", "wired"]

_DRONE = """
stick: button > steer; steer: change > send; send: mqtt out
hear: mqtt in > read; read: json > low height; low: switch > land warn | go
land: template > send; warn: notification; go: debug; height: gauge; tab: tab
"""
OTHER_TOOLS = {
    "a user interface": """
tap: touch > spring; drag: touch > limit; limit: clamp > spring; spring: spring > move fade
move: transform > card; fade: opacity > card; card: layer
""",
    "trains on a network": """
clock: tick > depart; depart: dispatch > free; free: block free? > go | wait; wait: queue > signal
go: move train > arrive; arrive: at station? > doors | signal; doors: open doors > board; signal: signal
board: passengers
""",
    "a texture": """
where: coordinates > stretch; stretch: mapping > grain cells; grain: noise > mix; cells: voronoi > mix
mix: mix > ramp bump; ramp: colour ramp > skin; bump: bump > skin; skin: shader > out; out: surface
""",
    "a factory": """
iron: mine iron > oven1; copper: mine copper > oven2; oven1: smelt > gear sheet; oven2: smelt > wire
gear: gears > motor; wire: wires > motor; sheet: sheets > box; motor: motors > box; box: assemble > chest
chest: store
""",
}
EXAMPLES = {"drone": _DRONE, **OTHER_TOOLS}
_OPTIONS = ["Red", "Green", "Blue", "Small", "Medium", "Large", "Morning", "Noon", "Evening", "Tea", "Coffee"]


def wired(text: str) -> Program:
    """A program from lines "key: type > targets | targets of the second port", separated by ";" or new lines.

    Known types take their attributes from the library of our corpus.

    >>> [(node["id"], node["type"], node["wires"]) for node in wired("a: inject > b; b: debug")]
    [('a', 'inject', [['b']]), ('b', 'debug', [])]
    """
    program: Program = []
    for line in filter(str.strip, text.replace(";", "\n").splitlines()):
        head, _, targets = line.partition(">")
        key, _, kind = (part.strip() for part in head.partition(":"))
        ensure(kind, "text", line.strip(), "[no-type] has no type", 'write "key: type > targets"')
        ports = [port.split() for port in targets.split("|")] if targets.strip() else []
        program.append({"id": key, "type": kind, **LIBRARY.get(kind, {}), "wires": ports})
    return program


def example(name: str) -> Program:
    """One of the programs drawn in `gindex/programs`, by name.

    >>> len(example("drone"))
    11
    """
    return wired(EXAMPLES[choice("name", name, list(EXAMPLES))])


def form_options(count: int = 2, seed: SeedLike = 1) -> list[Program]:
    """Our stand-in for the domain `form-options`: a choice of options that a form passes on.

    The programs share types and wires and differ in the options, as a domain's programs do.

    >>> [len(program) for program in form_options(seed=1)]
    [6, 6]
    """
    rng = generator(seed)
    made = []
    for _ in range(count):
        chosen = [_OPTIONS[i] for i in rng.permutation(len(_OPTIONS))[: rng.integers(2, 5)]]
        program = wired(
            "ask: dropdown > form; form: form > pack thanks; pack: json > log; thanks: notification\n"
            "log: debug; tab: tab"
        )
        program[0] |= {"options": chosen, "place": "choose", "multiple": False, "order": 1}
        made.append(program)
    return made
