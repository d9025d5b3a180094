"""Adapters that need no server: one folder on this machine holds everything."""
