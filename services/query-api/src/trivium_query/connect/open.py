"""The kinds of connectors there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from trivium.domain.connections import ConnectorKind
from trivium.ports.connector import Connector
from trivium_query.connect.place import Place

CONNECTORS: Mapping[ConnectorKind, tuple[str, str]] = {
    ConnectorKind.FOLDER: ("folder", "FolderConnector"),
    ConnectorKind.S3: ("s3", "S3Connector"),
    ConnectorKind.FEED: ("feed", "FeedConnector"),
    ConnectorKind.SITEMAP: ("sitemap", "SitemapConnector"),
    ConnectorKind.GIT: ("git", "GitConnector"),
    ConnectorKind.WEBDAV: ("webdav", "WebDavConnector"),
    ConnectorKind.IMAP: ("imap", "ImapConnector"),
}
"""Module beside this one, and class. Each takes the place and the cursor to go on from, raises `Refused` for a place
that cannot be, and asks nothing of anyone before its changes are asked for. It is loaded when it is needed: its library
costs time and memory."""


def open_connector(place: Place, cursor: str) -> Connector:
    """The connector of the connection's kind."""
    module, name = CONNECTORS[place.connection.kind]
    made: Callable[[Place, str], Connector] = getattr(import_module(f"trivium_query.connect.{module}"), name)
    return made(place, cursor)
