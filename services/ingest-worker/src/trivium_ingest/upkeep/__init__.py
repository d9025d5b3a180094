"""Stores kept in step with the artifacts: audit, repair, rebuild and a change of the embedding model."""
