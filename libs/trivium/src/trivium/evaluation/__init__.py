"""Measuring retrieval on a folder of documents and judged questions."""
