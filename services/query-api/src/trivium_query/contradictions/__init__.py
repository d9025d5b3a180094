"""Passages that cannot both be right (CORTEX C11). Read first: `find.py`."""
