"""Chunking: a parsed document becomes passages with an address."""
