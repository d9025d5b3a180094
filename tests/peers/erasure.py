"""A tenant that has left something everywhere, and the words by which any of it is known."""

from __future__ import annotations

from typing import Any

from doors import Doors
from zip_files import zipped

WORDS = ("Zephyrine", "Kvint", "Marabou", "orchid-ledger", "Periwinkle", "Skerrivore", "Ullapool", "Tamsin")
LEDGER = (
    "# The Zephyrine ledger\n\nThe ledger is kept by Orsolya Kvint. Orsolya Kvint lives at the Marabou Tower.\n\n"
    "| Place | Steps |\n|---|---|\n| Marabou Tower | 211 |\n"
)
BESIDE = "# The mill\n\nThe ledger of the mill is kept by Bertil Strand at the Heron Tower.\n"


def settle_everywhere(server: Doors, key: str) -> dict[str, Any]:
    """Documents whole, replaced, deleted, failed and inside; a conversation, an edit, a schema, topics, a key."""
    ledger = server.take("orchid-ledger.md", LEDGER, key, dataset="orchid-ledger-set")
    server.take("orchid-ledger.md", LEDGER.replace("211", "212 Ullapool"), key, dataset="orchid-ledger-set")
    gone = server.take("Periwinkle.txt", "The Periwinkle is moored at Skerrivore.", key)
    server.take("orchid-ledger-broken.pdf", b"", key)
    inside = {"Skerrivore.txt": "The light of Skerrivore was built by Tamsin Ullapool."}
    server.take("orchid-ledger.zip", zipped(inside), key)
    with server.http(key) as client:
        assert client.delete(f"/v1/sources/{gone['id']}").is_success
        talk = client.post("/v1/conversations", json={"title": "About Zephyrine"}).json()["id"]
        question = {"question": "Who keeps the Zephyrine ledger?"}
        assert "Kvint" in client.post(f"/v1/conversations/{talk}/queries", json=question).json()["text"]
        edit = {"entity": "Orsolya Kvint", "name": "Orsolya Kvint-Marabou", "why": "Tamsin says so"}
        edited = client.post("/v1/graph/tools/update_entity", json=edit)
        assert edited.is_success, edited.text
        for method, path in (("POST", "/v1/graph/schema/propose"), ("GET", "/v1/graph/topics")):
            assert client.request(method, path).status_code < 300
        made = client.post("/v1/keys", json={"name": "Tamsin's laptop", "role": "reader"})
        assert made.is_success, made.text
    return {"ledger": ledger["id"], "talk": talk, "secret": made.json()["secret"]}


def words_in(content: bytes) -> set[str]:
    """Those of `WORDS` that stand in it, in any case."""
    lower = content.lower()
    return {word for word in WORDS if word.lower().encode() in lower}
