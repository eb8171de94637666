"""gindex_lab: how capable, and how general? A workbench for measuring intelligence.

This file is the table of contents. A name is imported from its module when it is first used, so that
`import gindex_lab as gl` costs next to nothing.
"""

from gindex_lab.foundation.contents import contents as _contents

__version__ = "0.1.0"

_CONTENTS = {
    "foundation.errors": "BadInput BadProgram CannotWrite Caution DataUnavailable GIndexLabError "
    "NotebookFailed WorkerLost",
    "foundation.bounds": "Limits limits",
    # tables and data
    "foundation.responses": "Responses Scores",
    "studies.readers.reading": "read read_scores",
    "studies.data.loading": "corrections datasets load load_or",
    "studies.data.printed": "published",
    # capability, spread, generality
    "measures.generality": "characteristic_curve generality",
    "measures.properties": "aggregate dominance effort isometrics saturation",
    "studies.data.transformations": "bin_difficulties filter_by_frequency",
    "measures.alternatives.sigmoid": "sigmoid_curve",
    "measures.transforms": "absolute_reference distributional_reference opponent rank standardise threshold",
    "measures.psychometrics.irt_scale": "irt_difficulty",
    "measures.summary": "population_intervals population_summary",
    "measures.pairs": "comparisons paired_differences separations tie_groups",
    "measures.alternatives.bootstrap": "bootstrap_table",
    "measures.alternatives.ranges": "range_test",
    "studies.simulations.coverage": "coverage coverage_table simulate_profile",
    "studies.simulations.method_study": "method_coverage",
    # planning a study
    "measures.planning.designs": "Design",
    "measures.planning.power": "detectable power",
    # a test that stops when it knows
    "measures.adaptive.bank": "Bank",
    "measures.adaptive.session": "adaptive",
    # time horizons
    "measures.horizons.horizons": "horizon",
    "measures.horizons.growth": "doubling_time trend",
    "measures.horizons.coverage": "simulate_runs",
    "measures.horizons.surprises": "surprises",
    "studies.analysis.multiverse": "multiverse",
    # is the ruler straight, are the data in order
    "studies.analysis.validity": "difficulty_validity",
    "studies.analysis.psychometrics": "psychometrics",
    "studies.analysis.integrity": "audit",
    "studies.analysis.shorter": "shorter",
    "measures.horizons.logistic": "logistic_indicators spread_from_horizons",
    # the psychometric comparisons
    "measures.psychometrics.irt": "irt simulate_irt",
    "measures.psychometrics.factors": "factors",
    "measures.psychometrics.confirmatory": "confirm",
    "measures.psychometrics.correlations": "correlations",
    "measures.psychometrics.dimensions": "dimensions",
    "measures.psychometrics.reliability": "reliability",
    "measures.psychometrics.person_fit": "person_fit",
    "measures.psychometrics.equating": "equate",
    "measures.psychometrics.dif": "dif",
    "measures.psychometrics.multigroup": "invariance multigroup",
    "measures.psychometrics.m2": "m2",
    "measures.psychometrics.mokken": "mokken",
    "measures.psychometrics.nonparametric": "item_curves",
    "worlds.tasks.forms": "two_forms",
    # programs and the g-index
    "measures.programs.flows": "Flow",
    "measures.programs.encode": "Rules",
    "measures.programs.divergence": "divergence",
    "measures.programs.comparison": "compare divergences",
    "measures.programs.tiles": "pairwise",
    "measures.programs.neighbours": "nearest nearest_many",
    "measures.programs.equations": "association_graph",
    "measures.programs.explain": "explain",
    "measures.programs.domains": "domain_distance domain_distances domain_results omega "
    "program_sizes read_programs results_by_size task_domains",
    "measures.programs.records": "Experiment",
    "measures.programs.gindex": "g_index",
    "measures.programs.sensitivity": "generalisation_level priors_by_ablation sensitivity simulate",
    # systems that learn programs
    "worlds.learning.corpus": "composites corpus corpus_documents",
    "worlds.learning.programs": "mutate",
    "worlds.learning.systems": "Composing Lazy NGram NearestNeighbour RandomNodes RandomProgram SlotFilling",
    "worlds.learning.systems_template": "TemplateInduction",
    "worlds.learning.experiments": "experiment learning_curve",
    "worlds.learning.scoring": "score_answers score_programs",
    # experiments of our own
    "studies.own_experiments.games": "round_robin",
    # figures
    "presentation.plots.common": "animation_html save_animation use_style",
    "presentation.plots.curves": "plot_curve",
    "presentation.plots.generality": "animate_capability_spread plot_capability_spread plot_subgroups",
    "presentation.plots.population": "plot_course plot_coverage plot_difficulty_mean plot_histograms "
    "plot_intervals plot_power plot_studies",
    "presentation.plots.analysis": "plot_item_audit plot_methods plot_shuffle "
    "plot_specification_curve plot_survival",
    "presentation.plots.programs": "plot_association plot_divergence_matrix",
    "presentation.plots.gindex": "plot_learning_curves plot_performance_cost plot_program_size plot_response "
    "plot_response_scatter",
    # many cores
    "foundation.parallel": "cluster",
}
# packages offered whole: gl.aiq.estimate(...), also for import statements
_PACKAGES = {
    "analysis": "studies.analysis",
    "aiq": "worlds.aiq",
    "anytime": "worlds.anytime",
    "flatland": "worlds.flatland",
    "widgets": "presentation.widgets",
    "letter_series": "worlds.tasks.letter_series",
    "mazes": "worlds.tasks.mazes",
}
# what a lower floor asks for by name: methods that draw, read a data set or write a page
_UPSTAIRS = {
    "presentation.analysis_page": "report_page text_report",
    "presentation.plots.analysis": "plot_scree",
    "presentation.plots.programs": "plot_divergence plot_flow",
    "press.notebook": "show",
    "studies.data.download": "OriginalArchive original",
    "studies.data.loading": "load",
    # of its own floor, where two classes make each other
    "foundation.step_curves": "StepCurves",
    "worlds.flatland.drawings": "Drawing",
}
_UNLISTED = {"notebook": "press.notebook"}  # gl.notebook, the helpers of notebooks
__getattr__, __dir__, __all__ = _contents(__name__, _CONTENTS, _PACKAGES, _UNLISTED)
