"""Generators of items with intrinsic difficulty: letter series (`gl.letter_series`) and Elithorn mazes
(`gl.mazes`), with agents that solve them and sessions in which people do."""
