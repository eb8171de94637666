"""From responses to a curve, from the curve to capability, spread and generality, and how sure they are.

The files in the order of the argument: `generality` (the formulas in words, the table), `curves` (ψ and the
same formulas as code, Eqs. 5-9), `samples`, `fit` and `limits` (the intervals), `pairs` (who differs from
whom), `summary` (a whole population), `properties` (what else a curve says). `transforms` make
difficulties from scores, `reference` is the authors' code. Other curves, limits and tests: `alternatives`.
"""
