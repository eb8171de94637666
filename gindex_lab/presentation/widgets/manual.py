"""Play an environment of the AIQ test yourself: the Manual agent, by buttons.

The authors' test has an agent at the keyboard: a digit is an action, `s` repeats the last action, and `r`
hands over to chance from now on. Here the keys pressed so far are all there is to know, so that a game is a
plain function of them, and the same keys give the same game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.validate import generator
from gindex_lab.presentation.plots import common
from gindex_lab.presentation.widgets.live import PressDemo, Value, View, blank_figure, input_field
from gindex_lab.presentation.widgets.stepper import PROGRAMS
from gindex_lab.worlds.aiq.machine import Machine
from gindex_lab.worlds.aiq.program import MachineSettings
from gindex_lab.worlds.aiq.semantics import classify

__all__ = ["Manual", "manual_demo", "manual_view", "play"]

_EQUATIONS = (r"\hat V = \frac{1}{k}\sum_{t=1}^{k} r_t",)
_MOST_KEYS = 10_000  # that a person presses
_KEYS = (*"01234", "s: as before", "r: random from now on")  # the buttons


@dataclass
class Manual:
    """An agent that plays recorded keys: digits, `s` (as before), `r` (random from now on).

    After `r` every further key only asks for one more interaction. With no key left it raises an error.

    >>> agent = Manual("4s0", symbols=5)
    >>> [agent.perceive([2], 0.0) for _ in range(3)]
    [4, 4, 0]
    """

    keys: Iterable[str]
    symbols: int = 5
    seed: int = 0
    last: int | None = field(default=None, init=False)
    handed_over: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._waiting = list(self.keys)
        self._chance = generator(self.seed)

    def perceive(self, observation: object, reward: float) -> int:
        """The action of the next key, whatever was seen."""
        if not self._waiting:
            raise BadInput("keys", "", "[no-keys] are used up", "press another key")
        key = self._waiting.pop(0)
        self.handed_over = self.handed_over or key == "r"
        self.last = self._action(key)
        return self.last

    def _action(self, key: str) -> int:
        if self.handed_over:
            return int(self._chance.integers(self.symbols))
        if key == "s":
            if self.last is None:
                problem = "[nothing-to-repeat] repeats an action, and there is none"
                raise BadInput("keys", "s", problem, "press a digit first")
            return self.last
        if key in map(str, range(self.symbols)):
            return int(key)
        remedy = f"press 0 to {self.symbols - 1}, s (as before) or r (random from now on)"
        raise BadInput("keys", key, "[not-a-key] is not a key of this agent", remedy)


def play(program: str, keys: Sequence[str], symbols: int = 5, seed: int = 0) -> pd.DataFrame:
    """The game that these keys make: action, reward and observation of each interaction.

    >>> play(".,#", "40s")["reward"].tolist()                 # pays the action before
    [0.0, 100.0, -100.0]
    """
    keys = list(keys)
    problem, remedy = f"[out-of-range] are {len(keys):,} keys", f"play at most {_MOST_KEYS:,}"
    ensure(len(keys) <= _MOST_KEYS, "keys", keys[:20], problem, remedy)
    agent = Manual(keys, symbols, seed)
    dice = generator(np.random.SeedSequence([seed, 1]))
    machine = Machine(program, MachineSettings(symbols), lambda: int(dice.integers(symbols)))
    rows, reward, seen = [], 0.0, [symbols // 2]
    for key in keys:
        action = agent.perceive(seen, reward)
        reward, seen = machine.act(action)
        rows.append({"key": key, "action": action, "reward": reward, "observation": seen[0]})
    return pd.DataFrame(rows, columns=["key", "action", "reward", "observation"])


@common.styled
def manual_view(program: str, keys: Sequence[str] = "", seed: int = 0) -> View:
    """What has been played, the mean reward, and the best that an agent could earn.

    >>> view = manual_view(",.#", "44")
    >>> view.numbers["mean reward V"], view.numbers["best possible, on average"]
    (100.0, 100.0)
    """
    game = play(program, keys, seed=seed)
    best, worst = _bounds(program)
    numbers: dict[str, Value] = {
        "interactions": len(game),
        "last action": str(game["action"].iloc[-1]) if len(game) else "none yet",
        "last reward": str(game["reward"].iloc[-1]) if len(game) else "none yet",
        "last observation": str(game["observation"].iloc[-1]) if len(game) else "none yet",
        "mean reward V": float(game["reward"].mean()) if len(game) else 0.0,
        "best possible, on average": "unknown" if best is None else best,
    }
    figure = blank_figure(8.4, 3.2, bottom=0.16)
    ax = figure.subplots()
    levels = {} if best is None or worst is None else {"best possible": best, "worst possible": worst}
    if len(game):
        plot_rewards(game, levels=levels, title="Your rewards, and their mean", ax=ax)
    else:
        text = "press an action: what does this environment pay for?"
        ax.text(0.5, 0.5, text, ha="center", fontsize=13, color="#555555")
        ax.set_axis_off()
    named = f"gl.widgets.PROGRAMS[{PROGRAMS.index(program)}]" if program in PROGRAMS else repr(program)
    code = f'gl.widgets.play({named}, "{"".join(keys)}", seed={seed})'
    listed = ", ".join(f"{reward:g}" for reward in game["reward"].tail(20)) or "none yet"
    shows = f"The rewards of the game, the last twenty: {listed}."
    return View(figure, numbers, code, "", {"game": game, "options": list(_KEYS)}, shows)


@common.styled
def plot_rewards(
    table: pd.DataFrame, *, levels: Mapping[str, float] | None = None, title: str = "", ax: Any = None
) -> Any:
    """Draw the reward of each interaction and the running mean; `levels` are horizontal lines with names.

    >>> plot_rewards(pd.DataFrame({"reward": [0.0, 100.0]})).get_xlabel()
    'interaction'
    """
    rewards = common.columns_of(table, ["reward"], "one row per interaction")["reward"].to_numpy(float)
    ax = common.new_axes(ax, figsize=(6, 3))
    steps = np.arange(1, len(rewards) + 1)
    ax.plot(steps, rewards, "o", ms=4, color="#8FA3B5", zorder=2)
    ax.plot(steps, np.cumsum(rewards) / steps, color=common.BLUE, zorder=3)
    ax.set(ylim=(-112, 112), xlabel="interaction", ylabel="reward, and its mean", title=title)
    ax.set_xlim(0.5, max(10.0, len(rewards) + 0.5))
    kept: list[tuple[str, float]] = []  # levels that nearly coincide share one line and one name
    for name, level in sorted((levels or {}).items(), key=lambda pair: pair[1]):
        if kept and level - kept[-1][1] < 18:
            kept[-1] = (f"{kept[-1][0]}, {name}", kept[-1][1])
        else:
            kept.append((name, level))
    look = {"xycoords": ax.get_yaxis_transform(), "ha": "right", "color": common.ORANGE}
    for name, level in kept:
        ax.axhline(level, color=common.ORANGE, lw=0.9, ls="--", zorder=1)
        common.note(ax, name, (1.0, level), (-2, 3), **look)
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax


def _bounds(program: str) -> tuple[float | None, float | None]:
    """The best and worst mean reward over 300 cycles, where exact analysis knows them."""
    answer = classify(program)
    found = answer["exact"] if answer["decided"] else {}
    if "best" not in found:
        return None, None
    return round(float(found["best"]), 1), round(float(found["worst"]), 1)


def manual_demo() -> PressDemo:
    """The demo: a hidden program to find out by playing; buttons for the keys.

    >>> demo = manual_demo()
    >>> demo.press("4"); demo.press("s")
    >>> demo.view.numbers["interactions"]
    2
    """
    names = [(f"environment {k + 1}", program) for k, program in enumerate(PROGRAMS)]
    controls = {
        "program": input_field("Dropdown", "play", options=names),
        "keys": input_field("Text", "keys"),
    }
    how: dict[str, Any] = {"presses": "keys", "most": len(_KEYS), "joint": ""}
    return PressDemo(manual_view, controls, name="manual", equations=_EQUATIONS, **how)
