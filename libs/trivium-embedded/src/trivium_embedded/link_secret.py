"""The secret that signs the links of citations, made once and kept in the data directory, where the keys are too."""

from __future__ import annotations

import secrets
from pathlib import Path

import msgspec

from trivium.config import Settings
from trivium_embedded.data_dir import keep_text, kept_text

KEPT_IN = "link_secret"
SECRET_BYTES = 32


def with_link_secret(settings: Settings) -> Settings:
    """With the kept one, where keys are needed and the settings name none. The caller owns the data directory."""
    needs_keys = bool(settings.tenants_by_key or settings.oidc_issuer)
    if settings.link_secret or settings.backend != "embedded" or not needs_keys:
        return settings
    return msgspec.structs.replace(settings, link_secret=_kept(settings.data_dir / KEPT_IN))


def _kept(path: Path) -> str:
    kept = kept_text(path)
    if not kept:
        kept = secrets.token_hex(SECRET_BYTES)
        keep_text(path, kept)
    return kept
