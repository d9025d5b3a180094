"""Ports: small protocols in our own words, each with an embedded and a distributed adapter.

Writing ports are synchronous (workers); reading ports are asynchronous (query service). A handle is
obtained for a tenant, so there is no call without one. Every docstring answers five questions
(missing? duplicate? empty? order? half-done?), and `tests/contract` asks each of every adapter.
Adapters raise `TryLater` when their backend is down, slow or busy, and never a driver's own exception.
"""
