"""Live demos for teaching: plain functions of a few numbers, with sliders in front of them.

This file is the table of contents of `gl.widgets`. A name is imported from its module when it is first used.
"""

from gindex_lab.foundation.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__,
    {
        "live": "Demo View",
        # how capable, how general
        "curve": "curve_demo curve_view",
        "guttman": "guttman_demo guttman_responses guttman_view",
        "individuals": "general_factor_share individuals_demo individuals_view population_responses",
        "horizon": "horizon_demo horizon_view",
        # programs and the g-index
        "two_programs": "programs_demo programs_view written_flow",
        "calculator": "calculator_demo calculator_view sensitivities system",
        # environments of the AIQ test
        "stepper": "PROGRAMS stepper_demo stepper_view",
        "manual": "Manual manual_demo manual_view play",
        # the anytime test, and tests to take oneself
        "anytime_live": "anytime_demo anytime_view",
        "lambda_worlds": "WorldSession worlds",
        "adaptive_test": "adaptive_demo adaptive_sitting adaptive_view",
        "take_test": "Sitting sitting sitting_demo sitting_view",
        # exercises
        "exercises": "check",
        "exercises_lab": "after exercise",
        "exercises_course": "ever_excluded",
    },
)
