"""Plain text, and what is the same of all text: its encoding, and the characters that carry none."""
