"""Rich text, as a file and as Outlook compresses it."""
