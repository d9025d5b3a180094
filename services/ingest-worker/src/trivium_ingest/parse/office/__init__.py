"""Word and PowerPoint, new and old, and what Office's files have in common."""
