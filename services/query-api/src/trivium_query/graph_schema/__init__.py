"""How a schema comes from a dataset's graph. READ FIRST: `discover.py`."""
