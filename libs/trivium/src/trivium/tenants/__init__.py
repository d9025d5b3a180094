"""Tenants as a whole: who is there, erasing one, and one as an archive."""
