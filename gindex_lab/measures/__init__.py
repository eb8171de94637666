"""From responses to a curve, from the curve to capability, spread and generality, and how sure they are.

The files in the order of the argument: `curves` (ψ, Eqs. 5-9), `generality` (the table),
`samples`, `fit` and `limits` (its intervals), `pairs` (who differs from whom), `transforms` (difficulty
from scores). Other curves, limits and tests are in `alternatives`.
"""
