"""gindex_lab."""
