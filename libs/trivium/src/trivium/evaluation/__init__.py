"""Measuring retrieval and answers on a folder of documents and judged questions."""
