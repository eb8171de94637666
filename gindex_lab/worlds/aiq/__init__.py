"""The AIQ test: agents measured on random programs (Legg and Veness 2013; Vadinský 2018).

This file is the table of contents of `gl.aiq`. A name is imported from its module when it is first used.
"""

from gindex_lab.foundation.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__,
    {
        "program": "MachineSettings Settings check",
        # the machine
        "kernel": "compile_program",
        "machine": "Episode Machine episode run trace",
        # the programs
        "rewriting": "passes_sdp rewrite",
        "sampler": "generate read_sample sample save_sample",
        "strata": "stratum",
        # what they do
        "patterns": "by_pattern shares",
        "exact": "Caps Process close same_law",
        "symbolic": "straight_line",
        "semantics": "classify coupled is_discriminative survey survey_shares",
        "pointless": "optimise pointless_code",
        "explain": "explain",
        # agents, and how they are measured
        "agents": "HLQ Constant Freq Own QLearning Random agent",
        "estimate": "Estimate by_program_length estimate",
        "normalised": "ceiling normalised_aiq",
        "author_logs": "estimate_from_log",
        "experiments": "compare null_experiment rewriting_effect",
        # the paper's experiment, and agents as respondents
        "sweep": "Plan SweepPlan measured_sweep read_sweep sweep",
        "validation": "beside consistent_tests published_shares published_values settings_test",
        "respondents": "agent_grid item_programs respond subtests",
    },
)
