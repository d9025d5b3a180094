"""What is installed only where it is needed, and what to do where it is missing."""

from __future__ import annotations

from trivium.domain.errors import NeverWill

CLIENTS = frozenset({"elasticsearch", "minio", "neo4j", "pymilvus", "redis"})
"""The real servers' clients, extra `distributed` of package trivium."""


def explained(error: ModuleNotFoundError) -> Exception:
    """The error in words, when one of the servers' clients is missing; else the error itself."""
    missing = (error.name or "").partition(".")[0]
    if missing not in CLIENTS:
        return error
    return NeverWill(
        "not_installed",
        f"The real servers' clients are not installed ({missing} is missing).",
        "Install trivium[distributed]; in a checkout: requirements/install.sh distributed.",
    )
