"""Vectors in Milvus, and the connection to it."""
