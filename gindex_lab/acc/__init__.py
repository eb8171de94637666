"""Agent characteristic curves: capability, spread, generality, and the transforms that lead to them."""
