"""A test that stops when it knows: items chosen one by one, intervals that hold whenever one stops."""
