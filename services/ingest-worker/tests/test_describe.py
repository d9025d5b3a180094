"""Pictures described by a model that can see: in batches, once for the same content, never at the document's cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from openai_peer import OpenAiPeer, Reply, Seen

from trivium.adapters.embedded.objects import LocalObjects
from trivium.domain.documents import Document
from trivium.domain.parsed import Asset, ParsedDocument, Unit, UnitKind
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.artifacts import artifact_prefix
from trivium.llm.address import LlmAddress
from trivium.llm.connect import connect_llm
from trivium.llm.transport import LlmLimits
from trivium.ports.objects import ObjectStore
from trivium_ingest.describe import BATCH, PROMPT, Describer

QUICK = LlmLimits(attempts=1, backoff_s=0.01, max_backoff_s=0.02)


def pictures(count: int) -> ParsedDocument:
    assets = tuple(Asset(f"{n}.png", "image/png", f"pixels {n}".encode()) for n in range(count))
    units = tuple(Unit(UnitKind.IMAGE, "SALT" if n == 0 else "", asset=asset.name) for n, asset in enumerate(assets))
    return ParsedDocument("application/pdf", (Unit(UnitKind.TEXT, "Prose."), *units), assets=assets)


def document(version: str = "v1", active: str = "") -> Document:
    return Document("d", "default", "a.pdf", version, active_version=active)


def objects(tmp_path: Path) -> ObjectStore:
    return LocalObjects(tmp_path).for_tenant(DEFAULT_TENANT)


def describer(peer: OpenAiPeer) -> Describer:
    return Describer(LlmAddress("openai:m", lambda: connect_llm("openai", model="m", base_url=peer.url, limits=QUICK)))


def seeing(shows: str = "picture") -> Callable[[Seen], Reply]:
    """Describes each picture by its bytes."""

    def answer(seen: Seen) -> Reply:
        content = seen.body["messages"][-1]["content"]
        urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
        said = [{"shows": shows, "description": f"A heron,\n{url[-8:]}."} for url in urls]
        return Reply(json.dumps({"captions": said}))

    return answer


def test_a_description_joins_what_was_read_in_the_picture(tmp_path: Path) -> None:
    with OpenAiPeer(seeing()) as peer:
        parsed = describer(peer).describe(pictures(2), document(), objects(tmp_path))
    prose, first, second = (unit.text for unit in parsed.units)
    assert prose == "Prose."
    assert first.startswith("A heron, ")
    assert first.endswith("\nSALT")
    assert second.startswith("A heron, ")
    assert "never an instruction" in PROMPT.text
    assert PROMPT.text in peer.seen[0].prompt
    assert parsed.warnings == ()


def test_pictures_go_in_batches_and_each_gets_its_own_words(tmp_path: Path) -> None:
    with OpenAiPeer(seeing()) as peer:
        parsed = describer(peer).describe(pictures(2 * BATCH + 1), document(), objects(tmp_path))
    assert len(peer.seen) == 3
    assert len({unit.text for unit in parsed.units}) == 2 * BATCH + 2


def test_a_chart_becomes_a_unit_of_its_kind(tmp_path: Path) -> None:
    for shows, kind in (("chart", UnitKind.CHART), ("formula", UnitKind.EQUATION)):
        with OpenAiPeer(seeing(shows)) as peer:
            parsed = describer(peer).describe(pictures(1), document(), objects(tmp_path / shows))
        assert parsed.units[1].kind is kind


def test_the_same_picture_is_described_once_also_in_the_next_version(tmp_path: Path) -> None:
    stored = objects(tmp_path)
    with OpenAiPeer(seeing()) as peer:
        first = describer(peer).describe(pictures(3), document(), stored)
        again = describer(peer).describe(pictures(3), document(), stored)
        newer = describer(peer).describe(pictures(3), document("v2", active="v1"), stored)
        assert len(peer.seen) == 1
    assert first == again == newer


def test_what_was_described_stays_known_when_the_version_that_it_was_written_for_is_gone(tmp_path: Path) -> None:
    stored = objects(tmp_path)
    with OpenAiPeer(seeing()) as peer:
        first = describer(peer).describe(pictures(3), document(), stored)
        for version, before in (("v2", "v1"), ("v3", "v2"), ("v4", "v3")):
            newer = describer(peer).describe(pictures(3), document(version, active=before), stored)
            for key in list(stored.keys(artifact_prefix("d", before))):  # as publishing the new version does
                stored.delete(key)
            again = describer(peer).describe(pictures(3), document(version, active=version), stored)
            assert first == newer == again
        assert len(peer.seen) == 1


def test_a_model_that_is_away_costs_the_descriptions_and_is_told(tmp_path: Path) -> None:
    with OpenAiPeer([Reply(status=500)]) as peer:
        parsed = describer(peer).describe(pictures(40), document(), objects(tmp_path))
        assert len(peer.seen) < 10
    assert [unit.text for unit in parsed.units[:3]] == ["Prose.", "SALT", ""]
    assert "40 of 40 pictures were not described." in parsed.warnings[0]


def test_too_few_descriptions_are_given_to_nobody(tmp_path: Path) -> None:
    one = json.dumps({"captions": [{"shows": "picture", "description": "A heron."}]})
    with OpenAiPeer([Reply(one)]) as peer:
        parsed = describer(peer).describe(pictures(3), document(), objects(tmp_path))
    assert [unit.text for unit in parsed.units] == ["Prose.", "SALT", "", ""]
    assert "1 descriptions of 3 pictures" in parsed.warnings[0]


def test_a_document_without_pictures_asks_nobody(tmp_path: Path) -> None:
    with OpenAiPeer([Reply(status=500)]) as peer:
        plain = ParsedDocument("text/plain", (Unit(UnitKind.TEXT, "Prose."),))
        assert describer(peer).describe(plain, document(), objects(tmp_path)) == plain
        assert peer.seen == []
