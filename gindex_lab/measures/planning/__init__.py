"""How many items does a study need? Designs, pilots and the power of the tests in `measures.pairs`."""
