"""Connections as they are kept."""
