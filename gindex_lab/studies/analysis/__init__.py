"""From a table of responses to what one may say of it: audit, survival, control, models, summary.

This file is the table of contents of `gl.analysis`; `gindex-lab analyse` and the notebook
`generality/analyse_your_own` are made of these functions.
"""

from gindex_lab.foundation.contents import contents as _contents

__getattr__, __dir__, __all__ = _contents(
    __name__,
    {
        "accuracy": "against_chance floors_of score_differences score_table task_table",
        "linking": "linked_differences",
        "comparing": "Order order_of",
        "audit": "audit_counts expected_duplicates item_audit",
        "surviving": "definitions survival verdict",
        "shuffle": "shuffle_control",
        "models": "factor_view fitted irt_view person_fit_view",
        "summary": "Said about_control about_data about_items about_order about_survival",
        "tables": "drawable_names",
        "options": "TRANSFORMS",
        "whole": "Analysis",
        "starting": "analyse_table",
    },
)
