"""Which names of a graph are one thing: read `settle.py` first, then `resolve`, `blocking`, `score` and `likeness`.

Functions of what a graph holds of its names. Both graph stores ask them over shelves of their own (`shelf.py`).
"""
