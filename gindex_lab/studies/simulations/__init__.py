"""Simulated populations: the theory of the generality paper, to be watched at work."""
