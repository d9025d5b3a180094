"""From the bytes of one file to typed units with their places. `build.py` shows the order."""
