"""The figures, in one style: tables in, axes out."""
