"""Figures, and the widgets of the teaching demos: tables in, pictures out."""
