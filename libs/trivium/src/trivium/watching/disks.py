"""How much room is left where this process writes, read when somebody scrapes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from trivium.config import Settings


def volumes_of(settings: Settings) -> dict[str, Path]:
    """The folders that a process of these settings writes into, by what they are for."""
    found = {"cache": settings.cache_dir, "temporary": _temporary()}
    return found | ({"data": settings.data_dir} if settings.backend == "embedded" else {})


def _temporary() -> Path:
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:  # none can be written, as on a full disk, which is then to be told
        return Path("/tmp")  # noqa: S108 - looked at, never written


class Disks(Collector):
    """Of `volumes`; a folder that does not exist yet is told by the one that it will be made in."""

    def __init__(self, volumes: Mapping[str, Path]) -> None:
        self._volumes = volumes

    def describe(self) -> Iterable[Metric]:
        """Names and help, without a look."""
        return self._families()

    def collect(self) -> Iterable[Metric]:
        """A volume that cannot be looked at is absent."""
        free, size = self._families()
        for name, path in self._volumes.items():
            try:
                seen = os.statvfs(_existing(path))
            except OSError:
                continue
            free.add_metric([name], seen.f_bavail * seen.f_frsize)
            size.add_metric([name], seen.f_blocks * seen.f_frsize)
        return free, size

    @staticmethod
    def _families() -> tuple[GaugeMetricFamily, GaugeMetricFamily]:
        return (
            GaugeMetricFamily("trivium_disk_free_bytes", "Room left for this process on a volume", labels=["volume"]),
            GaugeMetricFamily("trivium_disk_size_bytes", "Size of that volume", labels=["volume"]),
        )


def _existing(path: Path) -> Path:
    return next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())
