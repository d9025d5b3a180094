"""Graph worker: names, relations and their evidence, from chunks."""
