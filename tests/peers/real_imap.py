"""A mailbox of Dovecot, as `deploy/local/services.sh install dovecot` installs it, in a folder of the test's own."""

from __future__ import annotations

import imaplib
import shutil
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cluster import free_ports
from local_services import SERVICES_DIR, services

INSTALLED = (SERVICES_DIR / "dovecot/installed").exists()
ABSENT = "Dovecot is not installed (`deploy/local/services.sh install dovecot`, as `make test-servers` does)"
PASSWORD = "hunter2"


class RealImap:
    """The server: `certificate` is whom to trust."""

    def __init__(self, folder: Path) -> None:
        self._own = folder / "dovecot"
        self._own.mkdir()
        installed = SERVICES_DIR.resolve() / "dovecot"
        (self._own / "root").symlink_to(installed / "root")
        shutil.copy(installed / "installed", self._own)
        self.port, self.tls_port = free_ports(2)
        self.certificate = self._own / "tls.pem"
        self._named = {
            "TRIVIUM_SERVICES_DIR": str(folder),
            "DOVECOT_PORT": str(self.port),
            "DOVECOT_TLS_PORT": str(self.tls_port),
        }

    @contextmanager
    def running(self) -> Iterator[None]:
        """From its start to its stop."""
        services("start", "dovecot", **self._named)
        try:
            yield
        finally:
            services("stop", "dovecot", **self._named)

    @contextmanager
    def logged_in(self, user: str) -> Iterator[imaplib.IMAP4]:
        """As a person's own mail program."""
        trusted = ssl.create_default_context(cafile=self.certificate)
        with imaplib.IMAP4_SSL("127.0.0.1", self.tls_port, ssl_context=trusted) as client:
            client.login(user, PASSWORD)
            yield client
