"""What is installed only where it is needed, and what to do where it is missing."""

from __future__ import annotations

from trivium.domain.errors import NeverWill

CLIENTS = frozenset({"elasticsearch", "minio", "neo4j", "pymilvus", "redis"})
"""The real servers' clients, extra `distributed` of package trivium."""

SERVICES = frozenset(
    {
        "billiard",
        "cachetools",
        "celery",
        "cryptography",
        "google",
        "grpc",
        "kombu",
        "numpy",
        "opentelemetry",
        "prometheus_client",
        "structlog",
    }
)
"""What the library needs beside the client and the command line, its extra `services`."""

MCP = frozenset({"mcp", "pydantic"})
"""What speaks MCP, its extra `mcp`."""


def explained(error: ModuleNotFoundError) -> Exception:
    """The error in words, when what is missing is of an extra; else the error itself."""
    missing = (error.name or "").partition(".")[0]
    if missing in MCP:
        install = 'pip install --find-links dist "trivium[mcp]" (`make wheels` builds dist)'
        return NeverWill("not_installed", f"MCP is not installed ({missing} is missing).", install)
    if missing in SERVICES:
        why = f"Only Trivium's client is installed here ({missing} is missing)."
        return NeverWill("not_installed", why, "Install trivium-embedded, or trivium[services,distributed].")
    if missing not in CLIENTS:
        return error
    return NeverWill(
        "not_installed",
        f"The real servers' clients are not installed ({missing} is missing).",
        "Install trivium[distributed]; in a checkout: requirements/install.sh distributed.",
    )
