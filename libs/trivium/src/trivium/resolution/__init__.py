"""Which names of a graph are one thing: read `resolve.py` first, then `blocking`, `score`, `likeness` and `forms`.

Pure functions of what a graph holds of its names. Both graph stores can ask them.
"""
