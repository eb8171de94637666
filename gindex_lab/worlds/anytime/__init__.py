"""The anytime intelligence test and its environment class Λ (Hernández-Orallo and Dowe 2010).

This file is the table of contents of `gl.anytime`. A name is imported from its module when it is first used.
"""

from gindex_lab.foundation.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__,
    {
        # environments
        "spaces": "Space parse primitive_root random_pattern random_space space_of strongly_connected",
        "environment": "Environment Observation Placement Session",
        "markov": "MarkovPattern elias",
        "complexity": "complexity description_bits published_complexity",
        "logs": "Rules VARIANTS WorldRules as_environments explained explains logged_environments "
        "logged_rewards",
        # what is exactly so
        "planning": "achievable bias_of_placements fewest_sensitive_steps is_reward_sensitive "
        "plan random_agent_mean",
        # agents, and how they are measured
        "agents": "Constant Follower LuckyStopper Optimal Oracle Own QLearning Random Reactive "
        "Scripted Slow agent",
        "episodes": "mean_rewards play",
        "averages": "Average RealClock VirtualClock average_reward stopping_bias",
        "pool": "Pool make_pool",
        "running": "AnytimeResult Examination Result test",
        "scoring": "Score as_items by_budget by_complexity compare describe_items score",
    },
)
