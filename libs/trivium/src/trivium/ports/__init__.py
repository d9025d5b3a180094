"""Ports: small protocols in our own words, each with an embedded and a distributed adapter.

An index has a synchronous writer (workers) and an asynchronous reader (query service); language models and rerankers
are asynchronous, all else is synchronous. What belongs to a tenant is reached through a handle that was obtained for
it. `tests/contract` asks every adapter of a port the same: what of a missing, repeated, empty, unordered or half-done
call?
Adapters raise `TryLater` when their backend is down, slow or busy, and never a driver's own exception.
"""
