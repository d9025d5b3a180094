"""Ingest worker: events become chains of parse, chunk, enrich, embed, index and publish."""
