"""The inference service's models as ports, and the connection to it."""
