"""gindex_lab: how capable, and how general? A workbench for measuring intelligence.

This file is the table of contents. A name is imported from its module when it is first used, so that
`import gindex_lab as gl` costs next to nothing.
"""

from gindex_lab.contents import contents as _contents

__version__ = "0.1.0"

_CONTENTS = {
    "errors": "BadInput BadProgram CannotWrite Caution DataUnavailable GIndexLabError "
    "NotebookFailed WorkerLost",
    "bounds": "Limits limits",
    # tables and data
    "responses": "Responses Scores",
    "readers.reading": "read read_scores",
    "data.loading": "corrections datasets load load_or",
    "data.printed": "published",
    # capability, spread, generality
    "measures.generality": "characteristic_curve generality",
    "measures.isometrics": "bin_difficulties filter_by_frequency isometrics",
    "measures.properties": "aggregate dominance effort saturation",
    "measures.alternatives.sigmoid": "sigmoid_curve",
    "measures.transforms": "absolute_reference distributional_reference irt_difficulty opponent rank "
    "standardise threshold",
    "measures.summary": "population_summary",
    "measures.intervals": "bootstrap_table paired_differences",
    "measures.pairs": "comparisons separations tie_groups",
    "measures.population": "population_intervals",
    "measures.alternatives.ranges": "range_test",
    "simulations.coverage": "coverage coverage_table simulate_profile",
    "simulations.method_study": "method_coverage",
    # time horizons
    "horizons.horizons": "horizon",
    "horizons.growth": "doubling_time",
    "horizons.trends": "trend",
    "horizons.simulate": "simulate_runs",
    "horizons.surprises": "surprises",
    "analysis.multiverse": "multiverse",
    # is the ruler straight, are the data in order
    "analysis.validity": "difficulty_validity",
    "analysis.integrity": "audit",
    "horizons.logistic": "logistic_indicators spread_from_horizons",
    # the psychometric comparisons
    "psychometrics.irt": "irt simulate_irt",
    "psychometrics.factors": "factors",
    "psychometrics.person_fit": "person_fit",
    # programs and the g-index
    "programs.flows": "Flow",
    "programs.encode": "Rules",
    "programs.divergence": "divergence",
    "programs.comparison": "compare divergences nearest nearest_many pairwise",
    "programs.explain": "explain",
    "programs.domains": "domain_distance domain_distances omega read_programs task_domains",
    "programs.records": "Experiment",
    "programs.gindex": "g_index",
    "programs.sensitivity": "generalisation_level priors_by_ablation sensitivity simulate",
    "programs.association": "association_graph plot_association",
    "programs.program_tables": "domain_results program_sizes results_by_size",
    # systems that learn programs
    "learning.corpus": "composites corpus corpus_documents",
    "learning.mutations": "mutate",
    "learning.systems": "Composing Lazy NearestNeighbour RandomNodes RandomProgram SlotFilling",
    "learning.systems_ngram": "NGram",
    "learning.systems_template": "TemplateInduction",
    "learning.experiments": "experiment learning_curve",
    "learning.scoring": "score_answers score_programs",
    # experiments of our own
    "own_experiments.games": "round_robin",
    # figures
    "plots.generality": "animate_capability_spread animation_html plot_capability_spread plot_curve "
    "plot_difficulty_mean plot_histograms plot_subgroups save_animation use_style",
    "plots.gindex": "plot_performance_cost",
    "plots.programs": "plot_divergence_matrix plot_learning_curves plot_program_size",
    "plots.simulation": "plot_response plot_response_scatter",
    "plots.coverage": "plot_coverage plot_studies",
    "plots.intervals": "plot_intervals",
    "plots.multiverse": "plot_specification_curve",
    "plots.analysis": "plot_item_audit plot_shuffle plot_survival",
    # many cores
    "parallel": "cluster",
}
# packages offered whole: gl.aiq.estimate(...)
_PACKAGES = {
    "analysis": "analysis",
    "aiq": "aiq",
    "anytime": "anytime",
    "flatland": "flatland",
    "widgets": "widgets",
    "letter_series": "tasks.letter_series",
    "mazes": "tasks.mazes",
}
__getattr__, __dir__, __all__ = _contents(__name__, _CONTENTS, _PACKAGES)
