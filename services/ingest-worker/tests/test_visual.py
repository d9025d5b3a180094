"""Pictures as vectors beside the words': under the same ids, and never at the words' cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from trivium.adapters.embedded.objects import LocalObjects
from trivium.domain.chunks import Chunk, Span
from trivium.domain.documents import Document
from trivium.domain.errors import NeverWill
from trivium.domain.parsed import Asset, ParsedDocument, Unit, UnitKind
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.assets import store_assets
from trivium.ports.objects import ObjectStore
from trivium_ingest.visual import MAX_PICTURES, visual_vectors, with_names


class Shades:
    """Encodes a picture of one letter; "x" is no picture."""

    fingerprint = "shades:1"
    dimension = 2

    def __init__(self) -> None:
        self.calls: list[int] = []

    def embed_images(self, images: Sequence[bytes]) -> np.ndarray:
        self.calls.append(len(images))
        if b"x" in images:
            raise NeverWill("corrupt_image", "That is no picture.")
        return np.array([[1.0, 0.0] if image == b"a" else [0.0, 1.0] for image in images], np.float32)

    def embed_texts(self, texts: Sequence[str]) -> np.ndarray:
        raise AssertionError


@pytest.fixture
def objects(tmp_path: Path) -> ObjectStore:
    stored = LocalObjects(tmp_path).for_tenant(DEFAULT_TENANT)
    assets = tuple(Asset(f"{name}.png", "image/png", name.encode()) for name in "abx")
    left = store_assets(stored, "d", "v1", ParsedDocument("image/png", (), assets=assets))
    assert [(asset.name, asset.content) for asset in left.assets] == [(f"{name}.png", b"") for name in "abx"]
    return stored


def chunk(name: str, *assets: str) -> Chunk:
    return Chunk(name, "d", "v1", 0, "t", Span(0, 1), "s", assets=assets)


DOCUMENT = Document("d", "default", "s", "v1")


def test_a_chunk_has_the_mean_of_its_pictures(objects: ObjectStore) -> None:
    encoder = Shades()
    chunks = [chunk("c1", "a.png"), chunk("c2", "a.png", "b.png"), chunk("c3")]
    found = visual_vectors(encoder, objects, DOCUMENT, chunks)
    assert found.keys() == {"c1", "c2"}
    assert np.frombuffer(found["c1"], np.float32).tolist() == [1.0, 0.0]
    assert np.frombuffer(found["c2"], np.float32) == pytest.approx([0.7071, 0.7071], abs=1e-4)
    assert encoder.calls == [2]  # each picture once


def test_a_picture_that_is_none_or_gone_costs_itself(objects: ObjectStore) -> None:
    chunks = [chunk("c1", "a.png"), chunk("c2", "x.png"), chunk("c3", "gone.png")]
    assert visual_vectors(Shades(), objects, DOCUMENT, chunks).keys() == {"c1"}


def test_only_the_first_pictures_of_a_chunk_count(objects: ObjectStore) -> None:
    many = chunk("c1", *["a.png"] * MAX_PICTURES, "b.png")
    assert np.frombuffer(visual_vectors(Shades(), objects, DOCUMENT, [many])["c1"], np.float32).tolist() == [1.0, 0.0]


def test_nothing_to_see_asks_nobody(objects: ObjectStore) -> None:
    encoder = Shades()
    assert visual_vectors(encoder, objects, DOCUMENT, [chunk("c1")]) == {}
    assert encoder.calls == []


def test_a_picture_without_words_gets_something_to_be_found_by() -> None:
    silent, read = Unit(UnitKind.IMAGE, "", asset="a.png"), Unit(UnitKind.IMAGE, "SALT", asset="b.png")
    named = with_names(ParsedDocument("image/png", (silent, read)))
    assert [bool(unit.text) for unit in named.units] == [True, True]
    assert named.units[1] == read
