"""Adapters: one folder per kind of deployment, one file per port. Only the wiring imports them."""
