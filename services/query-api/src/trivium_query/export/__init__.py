"""The graph as a file: READ FIRST `parts.py`, what is exported and in which order; a format is a file beside it."""
