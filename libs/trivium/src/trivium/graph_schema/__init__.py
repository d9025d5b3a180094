"""The schema of a dataset's graph. READ FIRST: `discover.py`."""
