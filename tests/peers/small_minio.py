"""A MinIO of the test's own on a disk of a few megabytes, which the test may fill."""

from __future__ import annotations

import io
import os
import secrets
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from local_services import SERVICES_DIR
from minio import Minio
from minio.error import S3Error
from waiting import wait_until

DISK = "96m"
FULL = ("XMinioStorageFull", "IncompleteBody")  # the second when the disk ends while it writes
FILLER = "filler"
LARGEST = 4 * 1024 * 1024  # one PUT: of an upload in parts a full MinIO also says InternalError and NoSuchUpload


class SmallMinio:
    """The running server; its address and keys stand in `env` as Trivium's settings name them."""

    def __init__(self, port: int, secret: str) -> None:
        self.env = {
            "TRIVIUM_S3_URL": f"http://127.0.0.1:{port}",
            "TRIVIUM_S3_ACCESS_KEY": "trivium",
            "TRIVIUM_S3_SECRET_KEY": secret,
        }
        self.client = Minio(f"127.0.0.1:{port}", "trivium", secret, secure=False)
        self._fillers: list[str] = []

    def fill(self) -> None:
        """Write until the server refuses, ever smaller pieces."""
        if not self.client.bucket_exists(FILLER):
            self.client.make_bucket(FILLER)
        size = LARGEST
        while size >= 1024:
            name = f"{len(self._fillers)}"
            try:
                self.client.put_object(FILLER, name, io.BytesIO(secrets.token_bytes(size)), size)
            except S3Error as error:
                if error.code not in FULL:
                    raise
                size //= 2
            else:
                self._fillers.append(name)

    def free(self) -> None:
        """Remove what `fill` wrote."""
        while self._fillers:
            self.client.remove_object(FILLER, self._fillers.pop())


@contextmanager
def small_minio(folder: Path) -> Iterator[SmallMinio]:
    """Skips the test where no disk can be mounted; fails it where the server does not start."""
    disk = folder / "disk"
    disk.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small disk can only be mounted by root")
    secret = secrets.token_hex(16)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    try:
        with (folder / "minio.log").open("wb") as log:
            process = subprocess.Popen(
                [SERVICES_DIR / "minio/bin/minio", "server", disk, "--address", f"127.0.0.1:{port}"],
                env={**os.environ, "MINIO_ROOT_USER": "trivium", "MINIO_ROOT_PASSWORD": secret, "MINIO_CI_CD": "on"},
                stdout=log,
                stderr=log,
            )
        try:
            wait_until(lambda: _up(port), "MinIO is up", told=(folder / "minio.log").read_text)
            yield SmallMinio(port, secret)
        finally:
            process.kill()
            process.wait()
    finally:
        subprocess.run(["umount", disk], check=True)


def _up(port: int) -> bool:
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/minio/health/cluster", timeout=5, trust_env=False).is_success
    except httpx2.TransportError:
        return False
