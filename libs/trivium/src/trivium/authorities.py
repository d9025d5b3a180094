"""Whose certificates Trivium's clients believe: those of the system's authorities, and of the setting `ca_file`."""

from __future__ import annotations

import ssl

import httpx2

from trivium.domain.errors import Refused

ACTION = "Name its authority's file (PEM) in TRIVIUM_CA_FILE, and the server as its certificate does."


def trusted(ca_file: str) -> ssl.SSLContext:
    """For one client. `SSL_CERT_FILE`, where it is set, names the system's. Raises `Refused` (`bad_setting`)."""
    try:
        context = httpx2.create_ssl_context()
        if ca_file:
            context.load_verify_locations(ca_file)
    except OSError as error:
        told = f"{ca_file[:200]!r} or SSL_CERT_FILE" if ca_file else "SSL_CERT_FILE"
        raise Refused("bad_setting", f"{told} cannot be used: {error}.", "Have it name certificates in PEM.") from error
    return context


def distrust(error: BaseException | None) -> str:
    """Why a certificate was not believed; "" where something else is the matter."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message or "it cannot be verified"
        error = error.__cause__ or error.__context__
    return ""
