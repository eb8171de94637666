"""Experiments of our own, so that every case study has something to show without published data.

Real studies: `iris` cross-validates scikit-learn classifiers on Fisher's flowers, `digits` shows distorted
digits to ten families of models, `games` is a tournament, `lambda_worlds` plays learners in Λ environments;
`memory` is a model of rats that remember scents. Where nothing real is available, `stand_ins` simulates the
published table. Each goes through the same notebook as the published study and says what it is. Long
experiments are declared as units, computed once and kept (`units`).
"""
