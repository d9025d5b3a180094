"""Pages and books of HTML."""
