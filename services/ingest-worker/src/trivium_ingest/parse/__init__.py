"""From the bytes of one file to typed units with their places. READ FIRST: `build.py`."""
