"""OpenTelemetry's collector, as `deploy/local/services.sh install collector` makes it, in a folder of a test's own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cluster import free_ports
from local_services import SERVICES_DIR, services
from otlp_receiver import Received, otlp_receiver

INSTALLED = (SERVICES_DIR / "collector/installed").exists()
ABSENT = "No collector is made (`deploy/local/services.sh install collector`, as `make test-servers` does)"


@contextmanager
def real_collector(folder: Path) -> Iterator[Received]:
    """Between who sends to `url` and the protocol's own receiver, which has what the collector took and sent on."""
    own = folder / "collector"
    own.mkdir(parents=True)
    made = SERVICES_DIR.resolve() / "collector"
    (own / "bin").symlink_to(made / "bin")
    shutil.copy(made / "installed", own)
    [port] = free_ports(1)
    with otlp_receiver() as received:
        named = {"TRIVIUM_SERVICES_DIR": str(folder), "COLLECTOR_PORT": str(port), "COLLECTOR_FORWARDS": received.url}
        received.url = f"http://127.0.0.1:{port}"
        services("start", "collector", **named)
        try:
            yield received
        finally:
            services("stop", "collector", **named)
