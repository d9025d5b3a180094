"""A report with a table and a picture: found from its text, shown, and asked for by modality."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from PIL import Image
from tiny_clip import write_tiny_clip

from .conftest import Server

PLAN = (
    "The mill at Orrin Water is rebuilt in three steps. The first step drains the race, the second one sets the new"
    " wheel, and the third one opens the sluice. "
) * 6


def report() -> bytes:
    """A Word file: prose, a long table of figures, a picture with a description."""
    document = docx.Document()
    document.add_heading("The mill at Orrin Water", 1)
    document.add_paragraph(PLAN)
    table = document.add_table(rows=1, cols=3)
    for cell, text in zip(table.rows[0].cells, ("Beam", "Length in cm", "Weight in kg"), strict=True):
        cell.text = text
    for number in range(40):
        for cell, text in zip(table.add_row().cells, (f"B{number}", str(310 + number), str(55 + number)), strict=True):
            cell.text = text
    document.add_heading("The wheel", 1)
    document.add_paragraph("The wheel is shown below.")
    pixels = io.BytesIO()
    Image.new("RGB", (120, 80), (120, 60, 20)).save(pixels, "PNG")
    document.add_picture(io.BytesIO(pixels.getvalue()))
    properties = document.inline_shapes[0]._inline.docPr
    properties.set("descr", "An overshot wheel of oak with forty buckets, drawn from the north bank. " * 20)
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


@pytest.fixture(scope="module")
def mill(server: Server) -> dict[str, object]:
    return server.take("mill.docx", report())


def test_units_of_every_modality_are_passages_of_their_own_kind(server: Server, mill: dict[str, object]) -> None:
    with server.http() as client:
        chunks = client.get(f"/v1/sources/{mill['id']}/chunks").json()["chunks"]
    assert {"text", "table", "image"} <= {chunk["kind"] for chunk in chunks}


def test_the_picture_of_a_passage_can_be_fetched(server: Server, mill: dict[str, object]) -> None:
    with server.http() as client:
        chunks = client.get(f"/v1/sources/{mill['id']}/chunks").json()["chunks"]
        (name,) = {name for chunk in chunks for name in chunk["assets"]}
        answer = client.get(f"/v1/sources/{mill['id']}/assets/{name}")
        assert answer.headers["content-type"] == "image/png"
        assert Image.open(io.BytesIO(answer.content)).size == (120, 80)
        assert client.get(f"/v1/sources/{mill['id']}/assets/none.png").status_code == 404


def test_a_modality_that_is_asked_for_is_among_the_results(server: Server, mill: dict[str, object]) -> None:
    with server.http() as client:
        body = {"query": "Which steps rebuild the mill at Orrin Water?", "top_k": 2}
        body["filters"] = {"document_ids": [mill["id"]], "modalities": ["table"]}
        found = client.post("/v1/search", json=body).json()
        assert "table" in {hit["chunk"]["kind"] for hit in found["hits"]}
        assert found["uncovered"] == []
        body["filters"] = {"document_ids": [mill["id"]], "modalities": ["equation"]}
        assert client.post("/v1/search", json=body).json()["uncovered"] == ["equation"]


def test_the_table_of_a_text_says_what_it_stands_beside(server: Server, mill: dict[str, object]) -> None:
    with server.http() as client:
        body = {"query": "the third step opens the sluice", "top_k": 10, "filters": {"document_ids": [mill["id"]]}}
        hits = client.post("/v1/search", json=body).json()["hits"]
    nearby = {hit["chunk"]["kind"]: hit["nearby"]["type"] for hit in hits if "nearby" in hit}
    assert nearby.get("table") == "HAS_TABLE"


@pytest.mark.models
def test_with_a_visual_encoder_a_picture_without_words_is_found_by_its_pixels(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    write_tiny_clip(tmp_path / "clip")
    sighted = start_server(TRIVIUM_VISUAL_MODEL=str(tmp_path / "clip"))
    pixels = io.BytesIO()
    Image.new("RGB", (90, 60), (200, 30, 30)).save(pixels, "PNG")
    picture = sighted.take("red.png", pixels.getvalue())
    assert (picture["state"], picture["chunks"]) == ("ready", 1)
    (hit,) = sighted.search("a photo of the red bridge", top_k=1)
    assert hit["chunk"]["source"] == "red.png"
    assert [source["rank"] for source in hit["sources"] if source["source"] == "visual"] == [1]
    with sighted.http() as client:
        client.delete(f"/v1/sources/{picture['id']}")
    assert sighted.search("a photo of the red bridge", top_k=1) == []
