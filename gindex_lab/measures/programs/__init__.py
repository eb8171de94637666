"""Programs as graphs: divergence, domain distance, the g-index."""
