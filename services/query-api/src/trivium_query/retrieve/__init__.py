"""Retrieval: pure rankings (`fuse`, `anchors`, `path`, `pagerank`, `bfs`) and one fetcher (`pipeline`)."""
