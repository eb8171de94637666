"""Time horizons: the logistic curve of success against log2(human minutes), read as capability and spread."""
