"""Archives: their members within bounds, each a document of its own."""
