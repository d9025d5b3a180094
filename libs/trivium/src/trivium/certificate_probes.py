"""Whether servers of the settings show certificates that are believed: their clients say only that nobody answered."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2

from trivium.authorities import ACTION, distrust, trusted
from trivium.checkup import Finding, Probe
from trivium.config import Settings
from trivium.domain.errors import TryLater
from trivium.watching.certificates import CONNECT_S, Address, tls_servers


def over_tls(server: str, probe: Probe) -> Probe:
    """`probe`, asked only where what `tls_servers` calls so shows a certificate that is believed.

    Raises `TryLater` (`certificate_not_trusted`).
    """

    def asked(settings: Settings) -> Iterator[Finding]:
        address = tls_servers(settings).get(server)
        if address and not _decides_itself(server, settings):
            _look(address, settings.ca_file)
        yield from probe(settings)

    return asked


def identity_provider(settings: Settings) -> Iterator[Finding]:
    """Nothing where there is none, or it is not asked over TLS. Raises `TryLater`.

    It is asked as whoever checks tokens asks it, by a proxy of the environment too.
    """
    if address := tls_servers(settings).get("oidc"):
        try:
            httpx2.head(settings.oidc_issuer, timeout=CONNECT_S, verify=trusted(settings.ca_file))
        except httpx2.HTTPError as error:
            place = f"{address[0]}:{address[1]}"
            if why := distrust(error):
                raise _not_trusted(place, why) from error
            told = f"The identity provider at {place} did not answer ({type(error).__name__})."
            action = "Start it, or set TRIVIUM_OIDC_ISSUER to where it is."
            raise TryLater("issuer_away", told, action) from error
        yield Finding("identity provider", "certificate", True, "trusted")


def _look(address: Address, ca_file: str) -> None:
    """Raises `TryLater` where its certificate is not believed; one that nothing is known of passes."""
    try:
        with (
            socket.create_connection(address, CONNECT_S) as plain,
            trusted(ca_file).wrap_socket(plain, server_hostname=address[0]),
        ):
            pass
    except OSError as error:
        if why := distrust(error):
            raise _not_trusted(f"{address[0]}:{address[1]}", why) from error


def _not_trusted(place: str, why: str) -> TryLater:
    return TryLater("certificate_not_trusted", f"The certificate of {place} is not trusted: {why}.", ACTION)


def _decides_itself(server: str, settings: Settings) -> bool:
    """Whether the address says whom to believe: Neo4j's `+ssc` anybody, Redis' `?ssl_...` somebody else.

    So does a variable of gRPC's own, by which Milvus' client goes without `ca_file`.
    """
    if server == "milvus":
        return not settings.ca_file and "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH" in os.environ  # noqa: TID251 - gRPC's own
    if server == "neo4j":
        return urlsplit(settings.neo4j_url).scheme.endswith("+ssc")
    return server == "redis" and "ssl_" in urlsplit(settings.redis_url).query
