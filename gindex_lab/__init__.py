"""gindex_lab: how capable, and how general? A workbench for measuring intelligence.

This file is the table of contents. A name is imported from its module when it is first used, so that
`import gindex_lab as gl` costs next to nothing.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

__version__ = "0.1.0"

_CONTENTS = {
    "errors": "BadInput BadProgram DataUnavailable GIndexLabError NotebookFailed",
    # tables and data
    "responses": "Responses Scores",
    "data": "corrections datasets load load_or",
    "printed": "published",
    # capability, spread, generality
    "acc": "characteristic_curve generality",
    "isometrics": "bin_difficulties filter_by_frequency isometrics",
    "curve_properties": "aggregate dominance effort saturation",
    "sigmoid": "sigmoid_curve",
    "transforms": "absolute_reference distributional_reference irt_difficulty opponent rank "
    "standardise threshold",
    "intervals": "bootstrap_table paired_differences population_intervals tie_groups",
    "summary": "population_summary",
    # the psychometric comparisons
    "irt": "irt simulate_irt",
    "factors": "factors",
    # programs and the g-index
    "flows": "Flow",
    "divergence": "divergence",
    "comparison": "nearest nearest_many pairwise",
    "explain": "explain",
    "domains": "domain_distance domain_distances omega task_domains",
    "records": "Experiment",
    "gindex": "g_index",
    "sensitivity": "generalisation_level sensitivity simulate",
    # figures
    "plots": "animate_capability_spread plot_capability_spread plot_curve plot_difficulty_mean "
    "plot_histograms plot_subgroups save_animation use_style",
    "plots_gindex": "plot_performance_cost",
    # many cores
    "parallel": "cluster",
}
_WHERE = {name: module for module, names in _CONTENTS.items() for name in names.split()}
__all__ = ["__version__", *sorted(_WHERE)]


def __getattr__(name: str) -> _Any:
    if name not in _WHERE:
        raise AttributeError(f"gindex_lab has no {name!r}; it offers {', '.join(sorted(_WHERE))}")
    value = getattr(_import_module(f"gindex_lab.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
