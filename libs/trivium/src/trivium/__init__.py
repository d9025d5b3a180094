"""Trivium: vectors, keywords and a graph meet in one ranked, cited answer."""
