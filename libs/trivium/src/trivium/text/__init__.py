"""Text: sentences and names, the two things every stage agrees on."""
