"""Experiments of our own, so that every case study has something real to show without published data.

`iris` cross-validates scikit-learn classifiers on Fisher's flowers, `digits` shows distorted digits to
ten families of models, `memory` and `apes` simulate rats and orangutans whose data are not public. Each
gives the table that the published study has, goes through the same notebook, and says what it is.
Long experiments are declared as units, computed once and kept (`units`).
"""
