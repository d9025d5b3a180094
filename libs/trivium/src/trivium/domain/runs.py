"""A run: one call, crawl or backfill that hands sources over. Rows carry its name, so that it can be asked about."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime


def new_run() -> str:
    """A name that nobody else has, by time: `20261124T183000-5f0c6e2a`, in UTC."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
