"""Connections: places outside whose files become documents, and go with them."""

from __future__ import annotations

import enum
import re

import msgspec

from trivium.domain.documents import DEFAULT_DATASET, Failure

CONNECTION_ID = r"^[a-z0-9][a-z0-9_-]{0,62}$"
CREDENTIAL_NAME = r"^([A-Za-z0-9][A-Za-z0-9_.-]{0,62})?$"
RESERVED_IDS = frozenset({"ftp", "file", "http", "https", "s3"})
"""Beginnings of addresses that name sources of another origin."""
_SSH = re.compile(r"ssh:|(\w[\w.-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?!//)")
MAX_LOCATION_CHARS = 1000
MAX_EVERY_S = 366 * 24 * 3600
MIN_EVERY_S = 10
MIN_PER_S, MAX_PER_S = 0.01, 1000.0
DEFAULT_PER_S = 10.0


class ConnectorKind(enum.StrEnum):
    """What a connection leads to."""

    FOLDER = "folder"
    """A folder of the machine that serves: /srv/papers."""
    S3 = "s3"
    """A bucket of any S3 and a prefix in it: https://s3.example.org/bucket/prefix, or s3://bucket/prefix on AWS."""
    FEED = "feed"
    """An RSS or Atom feed: https://example.org/feed.xml."""
    SITEMAP = "sitemap"
    """The pages that a site lists itself: https://example.org/sitemap.xml, or an index of such."""
    GIT = "git"
    """A branch of a git repository: https://example.org/repo.git#branch, git@example.org:repo.git, or /srv/repo."""
    WEBDAV = "webdav"
    """A folder of a WebDAV server: https://cloud.example.org/dav/papers."""
    IMAP = "imap"
    """Folders of a mailbox: imaps://imap.example.org/INBOX, or .../INBOX,Projects/*."""


class Activity(enum.StrEnum):
    """What a connection is doing."""

    NEW = "new"
    WAITING = "waiting"
    RUNNING = "running"
    FAILED = "failed"
    """The last run had an error; the next one comes as planned."""
    REMOVING = "removing"


class Connection(msgspec.Struct, frozen=True, kw_only=True):
    """A place whose files are documents of one tenant, in one dataset.

    Its documents are called `ID://path`. It is looked at every `every_s` seconds (0: when asked), with at most
    `max_per_s` requests a second. `credential` names a file among the tenant's secrets; "" for none.
    """

    id: str
    kind: ConnectorKind
    location: str
    dataset: str = DEFAULT_DATASET
    every_s: int = 0
    max_per_s: float = DEFAULT_PER_S
    credential: str = ""
    created_at: float
    created_by: str = ""


class ConnectionState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of a connection's newest run; times are Unix seconds, None: never.

    `running_since` stays of a run that broke off. `stored`, `deleted` and `failed` count its files; `run` is the run
    of the documents that it brought. `error` is that of the run, else of its first file that failed. Since
    `failing_since` no run has come to its end.
    """

    run: str = ""
    running_since: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    stored: int = 0
    deleted: int = 0
    failed: int = 0
    error: Failure | None = None
    failing_since: float | None = None


class Connected(msgspec.Struct, frozen=True):
    """A connection with its state; `removing` once it was taken back and is being cleared away."""

    connection: Connection
    state: ConnectionState = ConnectionState()
    removing: bool = False

    @property
    def activity(self) -> Activity:
        """What it is doing."""
        if self.removing:
            return Activity.REMOVING
        if self.state.running_since is not None:
            return Activity.RUNNING
        if self.state.started_at is None:
            return Activity.NEW
        return Activity.FAILED if self.state.error else Activity.WAITING

    @property
    def next_at(self) -> float | None:
        """When it is due; None: when asked. A run that broke off is due at once."""
        if self.removing or self.state.running_since is not None:
            return 0.0
        if not self.connection.every_s:
            return None
        return 0.0 if self.state.started_at is None else self.state.started_at + self.connection.every_s


def leads_over_ssh(kind: ConnectorKind, location: str) -> bool:
    """Whether a repository is to be had over SSH: `ssh://git@host/path`, or `git@host:path` as git has it."""
    return kind is ConnectorKind.GIT and bool(_SSH.match(location))


def source_of(connection_id: str, path: str) -> str:
    """How the file at `path` is called as a source. No upload can be called so: its name has no `//`."""
    return f"{connection_id}://{path}"
