"""The log of edits: `fold.py` says what it adds up to, `log.py` keeps it, `curation.py` brings it into the graph."""
