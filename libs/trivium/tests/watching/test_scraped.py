"""What every process tells beside its work."""

from __future__ import annotations

import datetime
import socket
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from prometheus_client import REGISTRY
from waiting import wait_until

from trivium.config import Settings
from trivium.watching.certificates import Certificates, ends_at, tls_servers
from trivium.watching.disks import Disks
from trivium.watching.labels import method_label
from trivium.watching.scraped import scraped, told_of_itself


def test_two_workers_of_one_machine_share_a_setting_and_both_are_scraped():
    with scraped("127.0.0.1", 29193) as first, scraped("127.0.0.1", 29193) as second:
        assert first != second
        for port in (first, second):
            text = httpx2.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
            assert "process_cpu_seconds_total" in text


def test_the_hundredth_worker_of_a_machine_is_scraped_too():
    with ExitStack() as others:
        for port in range(29300, 29399):
            others.enter_context(socket.create_server(("127.0.0.1", port)))
        with scraped("127.0.0.1", 29300) as port:
            assert port >= 29399


def test_a_hundred_who_scrape_at_once_are_all_answered():
    """None is refused while another is answered, nor waits for a second try of its connection's."""
    begin = threading.Barrier(100)

    def scrape(port: int) -> int:
        begin.wait()
        with socket.create_connection(("127.0.0.1", port), 30) as line:
            line.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            return int(line.makefile("rb").readline().split()[1])

    with scraped("127.0.0.1", 29500) as port, ThreadPoolExecutor(100) as scrapers:
        assert list(scrapers.map(scrape, [port] * 100)) == [200] * 100


def test_where_every_port_is_taken_it_is_said():
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(OSError, match="in use"),
        scraped("127.0.0.1", taken.getsockname()[1], tried=1),
    ):
        pass


def test_a_process_tells_its_version_and_its_disks_without_a_setting(tmp_path: Path):
    with told_of_itself(Settings(data_dir=tmp_path / "not" / "yet")):
        assert REGISTRY.get_sample_value("trivium_disk_free_bytes", {"volume": "data"})
        size = REGISTRY.get_sample_value("trivium_disk_size_bytes", {"volume": "data"})
        assert size is not None
        assert size >= (REGISTRY.get_sample_value("trivium_disk_free_bytes", {"volume": "data"}) or 0)
    assert REGISTRY.get_sample_value("trivium_disk_size_bytes", {"volume": "data"}) is None


def test_a_volume_that_cannot_be_looked_at_is_absent(tmp_path: Path):
    free, size = Disks({"data": tmp_path / ("x" * 5000)}).collect()
    assert not free.samples
    assert not size.samples


def test_a_caller_cannot_make_labels_by_inventing_methods():
    assert method_label("GET", "/v1/sources") == "GET /v1/sources"
    assert {method_label(word, "/v1/sources") for word in ("FOO", "salary.pdf", "")} == {"other"}


def _certificate(folder: Path, until: datetime.datetime) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(until - datetime.timedelta(days=90))
        .not_valid_after(until)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "server.pem"
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


def test_the_end_of_a_server_s_certificate_is_told_also_when_it_is_over(tmp_path: Path):
    until = datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(tmp_path, until))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection, context.wrap_socket(connection, server_side=True) as secured:
                secured.recv(1)

        thread = threading.Thread(target=serve)
        thread.start()
        servers = {"s3": ("127.0.0.1", int(listener.getsockname()[1]))}
        told = Certificates(servers)
        assert not next(iter(told.collect())).samples  # nobody waits for it
        samples = wait_until(lambda: next(iter(told.collect())).samples, "the certificate was looked at")
        thread.join()
    assert [(sample.labels, sample.value) for sample in samples] == [({"server": "s3"}, until.timestamp())]


def test_what_is_no_tls_server_is_an_error_of_the_network():
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(ssl.SSLError):
            ends_at(("127.0.0.1", int(listener.getsockname()[1])))
        thread.join()


def test_only_servers_that_are_talked_to_over_tls_have_one():
    settings = Settings(
        backend="distributed", s3_url="https://s3.example", redis_url="rediss://r:1", neo4j_url="bolt://n", llm_url=""
    )
    assert tls_servers(settings) == {"s3": ("s3.example", 443), "redis": ("r", 1)}
