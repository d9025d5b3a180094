"""Connectors: places outside whose files become documents. Read `look.py` first."""
