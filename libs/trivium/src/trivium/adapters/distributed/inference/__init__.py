"""The inference service's models as ports."""
