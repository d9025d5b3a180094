"""A direct answer: words of a passage, or what follows from them, found by reading step by step."""
