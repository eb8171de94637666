"""The classical comparisons: item response theory, factor analysis, person fit."""
