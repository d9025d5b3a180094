"""A company's own authority: the setting that names it, and who believes it of what has a certificate of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from behind_tls import behind_tls
from certificates import Authority
from openai_peer import OpenAiPeer, Reply
from opentelemetry.sdk.trace.export import SpanExportResult
from otlp_receiver import otlp_receiver

from trivium.adapters.distributed.milvus.server import MilvusServer
from trivium.authorities import trusted
from trivium.certificate_probes import identity_provider, over_tls
from trivium.checkup import Finding, examine
from trivium.config import Settings, load_settings
from trivium.domain.errors import Refused
from trivium.llm.load import VllmLoad
from trivium.llm.probe import probe_llm
from trivium.tracing.exporter import OtlpExporter


@pytest.fixture(autouse=True)
def _no_other_authorities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (lambda path: None, "No such file or directory"),
        (lambda path: path.mkdir(), ""),
        (lambda path: path.write_text(""), "it is no list of certificates in PEM"),
        (lambda path: path.write_text("-----BEGIN CERTIFICATE-----\nMIIB"), "it is no list of certificates in PEM"),
    ],
)
def test_a_file_that_names_no_authority_is_refused_at_the_start(
    tmp_path: Path, write: Callable[[Path], object], reason: str
) -> None:
    write(tmp_path / "ca.pem")
    with pytest.raises(Refused, match=r"TRIVIUM_CA_FILE=.* cannot be used") as refused:
        load_settings({"TRIVIUM_CA_FILE": str(tmp_path / "ca.pem")})
    assert reason in refused.value.message


def test_a_key_is_no_authority_and_a_certificate_is(authority: Authority) -> None:
    with pytest.raises(Refused, match="no list of certificates"):
        load_settings({"TRIVIUM_CA_FILE": str(authority.key)})
    assert load_settings({"TRIVIUM_CA_FILE": str(authority.file)}).ca_file == str(authority.file)


@pytest.fixture
def peer() -> Iterator[OpenAiPeer]:
    with OpenAiPeer(lambda seen: Reply("Yes.")) as running:
        yield running


def test_the_language_model_is_believed_where_its_authority_is_named_and_the_doctor_says_so_where_not(
    authority: Authority, peer: OpenAiPeer
) -> None:
    with behind_tls(authority, peer.url) as place:
        settings = Settings(llm="openai", llm_model="m", llm_url=f"https://{place}/v1")
        (problem,) = examine({"language model": probe_llm}, settings)
        assert problem.check == "certificate_not_trusted"
        assert f"openai:m at {place} shows a certificate that is not trusted: unable to get local" in problem.found
        assert "TRIVIUM_CA_FILE" in problem.action
        told = msgspec.structs.replace(settings, ca_file=str(authority.file))
        assert [found.ok for found in examine({"language model": probe_llm}, told)] == [True]


def test_the_load_of_a_vllm_and_a_collector_of_traces_are_reached(authority: Authority) -> None:
    page = Reply(raw=b'vllm:num_requests_waiting{engine="0"} 3.0\n')
    with OpenAiPeer(lambda seen: page) as vllm, behind_tls(authority, vllm.url) as place:
        assert VllmLoad(f"https://{place}/v1")() is None
        assert VllmLoad(f"https://{place}/v1", str(authority.file))() is not None
    with otlp_receiver() as received, behind_tls(authority, received.url) as place:
        assert OtlpExporter(f"https://{place}").export(()) is SpanExportResult.FAILURE
        assert OtlpExporter(f"https://{place}", str(authority.file)).export(()) is SpanExportResult.SUCCESS


def test_an_identity_provider_is_named_by_the_doctor_and_one_that_is_away_too(
    authority: Authority, peer: OpenAiPeer
) -> None:
    probes = {"identity provider": identity_provider}
    with behind_tls(authority, peer.url) as place:
        settings = Settings(oidc_issuer=f"https://{place}", oidc_audience="us")
        (problem,) = examine(probes, settings)
        assert (problem.check, problem.ok) == ("certificate_not_trusted", False)
        told = msgspec.structs.replace(settings, ca_file=str(authority.file))
        assert [found.ok for found in examine(probes, told)] == [True]
    (problem,) = examine(probes, told)
    assert problem.check == "issuer_away"
    assert examine(probes, Settings()) == []


def test_a_server_whose_address_says_whom_to_believe_is_asked_for_no_certificate(
    authority: Authority, peer: OpenAiPeer
) -> None:
    def probe(_settings: Settings) -> Iterator[Finding]:
        yield Finding("it", "answers", True, "yes")

    with behind_tls(authority, peer.url) as place:
        own = Settings(backend="distributed", neo4j_url=f"bolt+ssc://{place}", redis_url=f"rediss://{place}")
        assert [found.ok for found in examine({"neo4j": over_tls("neo4j", probe)}, own)] == [True]
        (problem,) = examine({"redis": over_tls("redis", probe)}, own)
        assert problem.found == f"The certificate of {place} is not trusted: unable to get local issuer certificate."
        other = msgspec.structs.replace(own, redis_url=f"rediss://{place}?ssl_cert_reqs=none")
        assert [found.ok for found in examine({"redis": over_tls("redis", probe)}, other)] == [True]


@pytest.mark.parametrize("named", ["ca_file", "SSL_CERT_FILE"])
def test_authorities_that_are_gone_are_told_as_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    gone = str(tmp_path / "gone.pem")
    if named == "SSL_CERT_FILE":
        monkeypatch.setenv(named, gone)
    with pytest.raises(Refused, match="SSL_CERT_FILE cannot be used"):
        trusted(gone if named == "ca_file" else "")


def test_an_identity_provider_is_asked_by_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    with OpenAiPeer(lambda seen: Reply(status=403)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        told = Settings(oidc_issuer="https://issuer.invalid", oidc_audience="us")
        (problem,) = examine({"it": identity_provider}, told)
    assert "did not answer (ProxyError)" in problem.found


def test_the_file_for_milvus_holds_certificates_alone_and_is_written_past_what_lies_there(
    authority: Authority, tmp_path: Path
) -> None:
    both = tmp_path / "both.pem"
    both.write_bytes(authority.key.read_bytes() + authority.file.read_bytes())
    settings = Settings(milvus_url="https://milvus.test", ca_file=str(both), cache_dir=tmp_path / "cache")
    MilvusServer(settings).close()
    (file,) = settings.cache_dir.iterdir()
    held = file.read_bytes()
    assert authority.file.read_bytes().strip() in held
    assert b"PRIVATE" not in held

    other = tmp_path / "other"
    other.write_text("mine")
    file.unlink()
    file.symlink_to(other)
    MilvusServer(settings).close()
    assert other.read_text() == "mine"
    assert file.read_bytes() == held

    settings.cache_dir.chmod(0o500)
    file.chmod(0o400)
    MilvusServer(settings).close()  # what is there already wants no writing
    with pytest.raises(Refused, match="Authorities for Milvus cannot be written"):
        MilvusServer(msgspec.structs.replace(settings, cache_dir=both))
