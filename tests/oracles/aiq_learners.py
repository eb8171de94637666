"""The agents of the AIQ test as they learn: readable Python, equal to the authors' to the last bit.

A learner is called once per interaction: `perceive(observation, reward)` takes the symbols that the last
action earned and its reward, learns, and returns the next action. All draw the greedy action first (ties
broken uniformly), then the coin of exploration, then, if it fell, a uniform action: the order in which
the recorded random numbers of the goldens are used. `agents_kernel` is the compiled twin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp
from typing import Any, Protocol

from gindex_lab.foundation.errors import BadInput
from gindex_lab.worlds.aiq.agents import (
    HLQ,
    Agent,
    Constant,
    Freq,
    QLearning,
    Random,
    own_discount,
)
from gindex_lab.worlds.aiq.episodes import Trial
from gindex_lab.worlds.aiq.random_streams import AGENT, stream_key, uniform

__all__ = [
    "ConstantLearner",
    "Draw",
    "FreqLearner",
    "HLQLearner",
    "Learner",
    "QLearner",
    "RandomLearner",
    "Twin",
    "start",
    "state_code",
]

Draw = Callable[[], float]  # the next uniform number in [0, 1)
LARGEST_EXPONENT = 595.0  # the authors' guard of softmax against overflow
LEAST_TEMPERATURE = 1e-4
LEAST_VISITS = 1e-100


class Learner(Protocol):
    """What can be tested: anything that answers a percept with an action.

    >>> class Repeater:
    ...     def perceive(self, observation, reward):
    ...         return observation[0]
    """

    def perceive(self, observation: Sequence[int], reward: float) -> int:
        """Learn from what the last action brought, and choose the next one."""
        ...


def state_code(observation: Sequence[int], symbols: int) -> int:
    """Observation cells as one number, Σ obs_i n^i: the first cell is the lowest digit.

    >>> state_code([3, 1], symbols=5)
    8
    """
    return sum(int(symbol) * symbols**i for i, symbol in enumerate(observation))


def _greedy(values: Sequence[float], draw: Draw) -> int:
    best = max(values)
    ties = [action for action, value in enumerate(values) if value == best]
    return ties[int(draw() * len(ties))]


class _Explorer:
    """Exploration with probability ε, which may fall from 1 to its final value in `decay` interactions."""

    def __init__(self, draw: Draw, symbols: int, epsilon: float, decay: int) -> None:
        self.draw, self.symbols, self.decay = draw, symbols, decay
        self.final, self.epsilon = epsilon, 1.0 if decay else epsilon

    def explored(self, greedy: int) -> int:
        if self.draw() < self.epsilon:
            return int(self.draw() * self.symbols)
        return greedy

    def cool(self) -> None:
        if not self.decay:
            return
        if self.epsilon > self.final:
            self.epsilon -= (1.0 - self.final) / self.decay
        else:
            self.epsilon = self.final


class RandomLearner:
    """Uniform actions.

    >>> RandomLearner(lambda: 0.7, symbols=5).perceive([2], 0.0)
    3
    """

    def __init__(self, draw: Draw, symbols: int) -> None:
        self.draw, self.symbols = draw, symbols

    def perceive(self, observation: Sequence[int], reward: float) -> int:
        """Any action, whatever happened."""
        return int(self.draw() * self.symbols)


class ConstantLearner:
    """One action for ever.

    >>> ConstantLearner(Constant(3)).perceive([2], -100.0)
    3
    """

    def __init__(self, settings: Constant) -> None:
        self.action = settings.action

    def perceive(self, observation: Sequence[int], reward: float) -> int:
        """The one action, whatever happened."""
        return self.action


class FreqLearner(_Explorer):
    """The action with the best mean reward so far, blind to observations.

    Counts start at 1 and the first action is taken to have been 0, so that the empty first reward is
    credited to action 0.

    >>> learner = FreqLearner(Freq(0.05), lambda: 0.5, symbols=5)
    >>> learner.perceive([2], 0.0), learner.perceive([2], 100.0)
    (2, 2)
    """

    def __init__(self, settings: Freq, draw: Draw, symbols: int) -> None:
        super().__init__(draw, symbols, settings.epsilon, settings.decay)
        self.total, self.count, self.action = [0.0] * symbols, [1.0] * symbols, 0

    def perceive(self, observation: Sequence[int], reward: float) -> int:
        """Credit the last action, then take the best or explore."""
        self.total[self.action] += reward
        self.count[self.action] += 1.0
        means = [total / count for total, count in zip(self.total, self.count, strict=True)]
        self.action = self.explored(_greedy(means, self.draw))
        self.cool()
        return self.action


class QLearner(_Explorer):
    """Watkins' Q(λ): δ = r + γ Q(s', a*) − Q(s, a), Q ← Q + α δ E, E cut when the agent explores.

    a* is the greedy action of the new state before the update; E accumulates. State and action start as
    0, which makes the first update one of a step that never happened.
    """

    def __init__(
        self, settings: QLearning | HLQ, draw: Draw, symbols: int, states: int, discount: float
    ) -> None:
        super().__init__(draw, symbols, settings.epsilon, settings.decay)
        self.settings, self.discount = settings, discount
        self.state = self.action = 0
        self.value = [[settings.initial] * symbols for _ in range(states)]
        self.trace = [[0.0] * symbols for _ in range(states)]
        self.limit = 100.0 * (1.0 + settings.trace) / (1.0 - discount)
        self.diverged = False

    def perceive(self, observation: Sequence[int], reward: float) -> int:
        """Choose in the new state, then learn about the old one."""
        state = state_code(observation, self.symbols)
        greedy = _greedy(self.value[state], self.draw)
        action = self.choose(self.value[state], greedy)
        error = reward + self.discount * self.value[state][greedy] - self.value[self.state][self.action]
        self.trace[self.state][self.action] += 1.0
        self.learn(error, state, action, self.discount * self.settings.trace * (action == greedy))
        self.diverged |= any(abs(value) > self.limit for row in self.value for value in row)
        self.state, self.action = state, action
        self.cool()
        return action

    def choose(self, values: Sequence[float], greedy: int) -> int:
        """ε-greedy."""
        return self.explored(greedy)

    def learn(self, error: float, state: int, action: int, fade: float) -> None:
        """Q ← Q + α δ E for every pair, then let the traces fade."""
        assert isinstance(self.settings, QLearning)
        step = self.settings.rate * error
        for values, traces in zip(self.value, self.trace, strict=True):
            for b in range(self.symbols):
                values[b] += step * traces[b]
                traces[b] *= fade


class HLQLearner(QLearner):
    """Hutter and Legg's Q(λ), whose learning rate β follows from discounted visits V (they start at 1).

    β(x, b) = E(x, b) / (V' − γ E') · (λ V' + d) / (λ V(x, b) + d), where V', E' are those of the next pair
    (s', a') and d = 1 for that pair, else 0; Q ← Q + β δ. Greedy with exploration, or softmax.
    """

    def __init__(self, settings: HLQ, draw: Draw, symbols: int, states: int, discount: float) -> None:
        super().__init__(settings, draw, symbols, states, discount)
        self.softmax = settings.softmax
        self.visits = [[1.0] * symbols for _ in range(states)]

    def choose(self, values: Sequence[float], greedy: int) -> int:
        """ε-greedy, or softmax with ε as its temperature."""
        if not self.softmax:
            return self.explored(greedy)
        temperature = max(self.epsilon, LEAST_TEMPERATURE)
        scaled = [value / temperature for value in values]
        largest = max(abs(value) for value in scaled)
        if largest > LARGEST_EXPONENT:
            scaled = [value * LARGEST_EXPONENT / largest for value in scaled]
        return _roulette([exp(value) for value in scaled], self.draw())

    def learn(self, error: float, state: int, action: int, fade: float) -> None:
        """Q ← Q + β δ for every pair, then let visits and traces fade."""
        decay = self.settings.trace
        self.visits[self.state][self.action] += 1.0
        visits_next = self.visits[state][action]
        weight = visits_next - self.discount * self.trace[state][action]
        for x, (values, traces, visits) in enumerate(zip(self.value, self.trace, self.visits, strict=True)):
            for b in range(self.symbols):
                own = 1.0 if (x, b) == (state, action) else 0.0
                beta = traces[b] / weight * (decay * visits_next + own) / (decay * visits[b] + own)
                values[b] += beta * error
                visits[b] = max(decay * visits[b], LEAST_VISITS)
                traces[b] *= fade


def _roulette(weights: Sequence[float], point: float) -> int:
    total, reached = sum(weights), 0.0
    for action, weight in enumerate(weights):
        reached += weight / total
        if reached > point:
            return action
    return len(weights) - 1


def start(agent: Agent, draw: Callable[[], float], trial: Trial) -> Any:
    """The readable learner of an agent, drawing its chance from `draw`.

    >>> start(Freq(0.05), lambda: 0.5, Trial((10,))).perceive([2], 0.0)
    2
    """
    symbols, states = trial.machine.symbols, trial.machine.symbols**trial.machine.observations
    match agent:
        case Random():
            return RandomLearner(draw, symbols)
        case Constant():
            return ConstantLearner(agent)
        case Freq():
            return FreqLearner(agent, draw, symbols)
        case QLearning() | HLQ():
            kind = QLearner if isinstance(agent, QLearning) else HLQLearner
            discount = own_discount(agent.discount, trial.discount)
            return kind(agent, draw, symbols, states, discount)
    raise BadInput("agent", agent, "has no learner of ours", "call its perceive directly")


class Twin:
    """The readable learner of an agent with the very draws of the compiled one: three per interaction.

    >>> twin = Twin(Freq(0.05), Trial((10,)), row=0, sign=1)
    >>> all(0 <= twin.perceive([2], 0.0) < 5 for _ in range(10))
    True
    """

    def __init__(self, agent: Agent, trial: Trial, row: int, sign: int) -> None:
        self.key = stream_key(trial.seed, row, 0, sign, AGENT)
        self.next = -3
        self.drawn = 0
        self.learner = start(agent, self._draw, trial)

    def _draw(self) -> float:
        self.drawn += 1
        return float(uniform(self.key, self.next + self.drawn - 1))

    def perceive(self, observation: Sequence[int], reward: float) -> int:
        """Turn to the draws of the next interaction, then let the learner act."""
        self.next, self.drawn = self.next + 3, 0
        return int(self.learner.perceive(observation, reward))
