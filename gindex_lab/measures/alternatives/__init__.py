"""Other answers to the questions of the floor below, to compare with its own.

Other curves (`methods` chooses: `monotone`, `smooth` and `pooled`, the last two by `posterior`; the authors'
`sigmoid`), other limits (`drawn`: percentile and BCa bootstraps), and another test (`ranges`: one for a
whole group of agents).
"""
