"""Every server of a distributed Trivium behind TLS with certificates of one's own authority."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from behind_tls import SCHEMES, servers_behind_tls
from certificates import Authority
from kombu.exceptions import OperationalError

from trivium.adapters.distributed import probes
from trivium.adapters.distributed.elasticsearch.server import ElasticServer
from trivium.adapters.distributed.milvus.server import MilvusServer
from trivium.adapters.distributed.neo4j.server import Neo4jServer
from trivium.config import Settings, load_settings
from trivium.domain.errors import TryLater
from trivium.flow.tasks import make_app

SERVERS = {"object store", "redis", "milvus", "elasticsearch", "neo4j"}


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def settings(authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The real servers, each asked over TLS by a proxy beside it."""
    for own in ("SSL_CERT_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"):  # whom libraries believe by themselves
        monkeypatch.delenv(own, raising=False)
    plain = load_settings()
    with servers_behind_tls(authority, {name: getattr(plain, name) for name in SCHEMES}) as urls:
        prefix = f"d{uuid.uuid4().hex[:8]}"
        yield msgspec.structs.replace(plain, **urls, index_prefix=prefix, cache_dir=tmp_path / "cache")


def test_all_are_believed_where_the_authority_is_named(settings: Settings, authority: Authority) -> None:
    found = probes.checkup(msgspec.structs.replace(settings, ca_file=str(authority.file)))
    assert [finding for finding in found if not finding.ok] == []
    assert {finding.part for finding in found} >= SERVERS


def test_the_doctor_names_each_and_what_to_set_where_it_is_not(settings: Settings) -> None:
    problems = {finding.part: finding for finding in probes.checkup(settings) if not finding.ok}
    assert set(problems) == SERVERS
    for problem in problems.values():
        assert problem.check == "certificate_not_trusted"
        assert "localhost:" in problem.found
        assert "TRIVIUM_CA_FILE" in problem.action


async def test_those_who_answer_questions_believe_it_too(settings: Settings, authority: Authority) -> None:
    """The clients that read are others than those that write."""
    told = msgspec.structs.replace(settings, ca_file=str(authority.file))
    with closing(ElasticServer(told)) as elastic:
        assert (await elastic.read(lambda client: client.cluster.health()))["status"]
    with closing(MilvusServer(told)) as milvus:
        assert isinstance(await milvus.read(lambda client: client.list_collections()), list)
    with closing(Neo4jServer(told)) as neo4j:
        assert await neo4j.rows("RETURN 1") == [[1]]


@pytest.mark.parametrize("server", ["redis", "object_store", "milvus", "elasticsearch", "neo4j"])
def test_no_client_believes_what_nobody_vouches_for(settings: Settings, server: str) -> None:
    """The client itself, without the look that the doctor takes before."""
    with pytest.raises(TryLater, match="did not answer"):
        list(getattr(probes, server)(settings))


def test_the_broker_is_believed_by_its_authority_alone(settings: Settings, authority: Authority) -> None:
    with make_app(settings.broker, str(authority.file)).connection_for_write() as connection:
        connection.ensure_connection(max_retries=1)
        assert connection.connected
    with make_app(settings.broker).connection_for_write() as connection, pytest.raises(OperationalError):
        connection.default_channel.client.ping()
