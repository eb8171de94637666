"""Data sets by name: the register, downloads, converters, and the tables printed in the papers."""
