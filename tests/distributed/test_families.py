"""Files inside files on the real servers: they come, change and go with the upload that they were found in."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Any

from cluster import LISTING_S, Cluster
from waiting import wait_until
from zip_files import zipped


def mail(attached: bytes) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ada@example.org", "bo@example.org", "Lock 7"
    message.set_content("The papers of the Marrick lock are attached.")
    message.add_attachment(attached, maintype="application", subtype="zip", filename="papers.zip")
    return message.as_bytes()


def under(cluster: Cluster, key: str, count: int) -> dict[str, dict[str, Any]]:
    """So many settled documents of an upload and what is inside it, by what stands behind its name."""
    root = f"s3://{cluster.uploads}/{key}"
    found: dict[str, dict[str, Any]] = {}

    def settled() -> bool:
        found.clear()
        found.update((d["name"].removeprefix(root), d) for d in cluster.documents() if d["name"].startswith(root))
        return len(found) == count and all(d["state"] in ("ready", "empty", "failed") for d in found.values())

    wait_until(settled, f"{count} documents of {key} have settled", limit_s=120, told=lambda: found, pause_s=LISTING_S)
    return found


def test_what_is_inside_an_upload_comes_changes_and_goes_with_it(cluster: Cluster) -> None:
    texts = {"gate.txt": b"The gate of the Marrick lock weighs 830 kilograms.", "old.txt": b"The Marrick mule is grey."}
    cluster.upload("lock.eml", mail(zipped(texts)))
    found = under(cluster, "lock.eml", 4)
    assert {d["state"] for d in found.values()} == {"ready"}
    inner = found[" > papers.zip > gate.txt"]
    assert inner["parent"] == found[" > papers.zip"]["id"]
    answer = cluster.ask("How much does the gate of the Marrick lock weigh?")
    assert "830" in answer["text"], answer
    assert "lock.eml > papers.zip > gate.txt" in answer["citations"][0]["marker"]

    cluster.upload("lock.eml", mail(zipped({"gate.txt": texts["gate.txt"]})))
    under(cluster, "lock.eml", 3)
    assert all("Marrick mule" not in hit["chunk"]["text"] for hit in cluster.search("grey Marrick mule"))

    cluster.s3.remove_object(cluster.uploads, "lock.eml")
    under(cluster, "lock.eml", 0)
    assert all("Marrick" not in hit["chunk"]["text"] for hit in cluster.search("Marrick lock gate"))
    cluster.cli("audit")
