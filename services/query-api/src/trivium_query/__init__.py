"""Query service: understand, retrieve, fuse, rerank, generate, verify."""
