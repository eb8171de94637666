"""Other answers to the questions of the floor below, to compare with its own.

Other curves (`methods` chooses: `monotone`, `smooth` and `pooled`; the authors' `sigmoid`), other limits
(`bootstrap`: percentile and BCa), and another test (`ranges`: one for a whole group of agents).
"""
