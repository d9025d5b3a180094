"""Enrichment: every chunk is told where in its document it stands."""
