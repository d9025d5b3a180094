"""Two tenants on the same real servers, who come by HTTP and through one bucket."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cluster import Cluster
from embedded_server import PATIENCE
from tenancy import API_KEYS, BLUE, RED, TwoTenants, tells_nothing

from trivium.domain.retrieval import Mode

DROPPED = "The orchid-ledger of the quay is kept by Ysolde Marabou."
OWN = "The ledger of the quarry is kept by Fenna Aldous."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("tenants")
    running = Cluster(folder, TRIVIUM_API_KEYS=API_KEYS, TRIVIUM_UPLOADS_TENANT="*", **PATIENCE)
    running.make_buckets()
    running.key = BLUE
    try:
        yield running.start()
    finally:
        running.remove()


class TestTwoTenants(TwoTenants):
    pass


def test_the_first_part_of_a_key_says_whose_an_upload_is(server: Cluster) -> None:
    """What names no tenant is nobody's, and hinders nobody."""
    for key in (
        "Zephyrine.txt",
        "RED/orchid-ledger.txt",
        "blue red/orchid-ledger.txt",
        "%2e%2e/blue/orchid-ledger.txt",
    ):
        server.upload(key, DROPPED.encode())
    server.upload("red/blue/orchid-ledger.txt", DROPPED.encode())
    server.upload("blue/quarry.txt", OWN.encode())
    assert server.document("blue/quarry.txt")["state"] == "ready"
    red = server.document("red/blue/orchid-ledger.txt", key=RED)
    assert red["state"] == "ready"
    with server.http() as client:
        listed = client.get("/v1/sources").text
        tells_nothing(listed, {"red": red["id"]})
        assert "quarry.txt" in listed
        assert client.get(f"/v1/sources/{red['id']}/content").status_code == 404
    for mode in Mode:
        hits = server.search("Who keeps the ledger of the quay?", mode, top_k=100)
        tells_nothing(str(hits), {"red": red["id"]})
    assert "Ysolde Marabou" in server.search("ledger of the quay", key=RED)[0]["chunk"]["text"]
    for mine, names in ((BLUE, ["blue/quarry.txt"]), (RED, ["red/blue/orchid-ledger.txt"])):
        found = [entry["name"].partition(f"{server.uploads}/")[2] for entry in server.documents(mine)]
        assert [name for name in found if name] == names


def test_a_name_that_looks_like_anothers_upload_reaches_nothing(server: Cluster) -> None:
    """Tenants name what they send over HTTP as they like, and the bucket's documents have names too."""
    claimed = server.take(f"s3://{server.uploads}/red/blue/orchid-ledger.txt", OWN)
    assert claimed["state"] == "ready"
    server.s3.remove_object(server.uploads, "blue/quarry.txt")
    server.until_unlisted("blue/quarry.txt")
    red = server.document("red/blue/orchid-ledger.txt", key=RED)
    with server.http(RED) as client:
        assert client.get(f"/v1/sources/{red['id']}/content").text == DROPPED
    with server.http() as client:
        assert client.get(f"/v1/sources/{claimed['id']}/content").text == OWN
