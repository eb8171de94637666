"""Measures at work: data sets, readers of logs, the analysis of a study, our experiments, simulations."""
