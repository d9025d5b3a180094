"""A citation is shown on its page: the passage marked where it stands."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from .conftest import Server


def report() -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4)
    for page, said in enumerate(("The cistern of Hallow Tor is empty.", "The sluice of Hallow Tor opens at dawn."), 1):
        canvas.setFont("Helvetica", 14)
        canvas.drawString(72, 700, f"Page {page} of the keeper's book.")
        canvas.drawString(72, 400, said)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


@pytest.fixture(scope="module")
def book(server: Server) -> dict[str, object]:
    return server.take("book.pdf", report())


def drawn(server: Server, source: dict[str, object], **parameters: object) -> Image.Image:
    with server.http() as client:
        answer = client.get(f"/v1/sources/{source['id']}/content", params=parameters)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    return Image.open(io.BytesIO(answer.content)).convert("RGB")


def marked(picture: Image.Image) -> tuple[int, int, int, int] | None:
    """The box around the pixels that are yellow, in per mille of the page."""
    red, green, blue = np.moveaxis(np.asarray(picture), 2, 0)
    rows, columns = np.nonzero((red > 240) & (green > 220) & (blue < 185))
    if not rows.size:
        return None
    width, height = picture.size
    edges = (columns.min() / width, rows.min() / height, columns.max() / width, rows.max() / height)
    left, top, right, bottom = (round(1000 * float(edge)) for edge in edges)
    return left, top, right, bottom


def test_the_cited_words_are_marked_on_their_page(server: Server, book: dict[str, object]) -> None:
    (hit, *_) = server.search("When does the sluice of Hallow Tor open?", top_k=1)
    number = hit["chunk"]["number"]
    picture = drawn(server, book, page=2, highlight=number, quote="The sluice of Hallow Tor opens at dawn.")
    left, top, right, bottom = marked(picture) or (0, 0, 0, 0)
    assert (left, right) == (pytest.approx(121, abs=15), pytest.approx(545, abs=60))
    assert 500 < top < bottom < 550  # 400 of 842 points from below


def test_a_passage_leads_to_its_own_page(server: Server, book: dict[str, object]) -> None:
    with server.http() as client:
        chunks = client.get(f"/v1/sources/{book['id']}/chunks").json()["chunks"]
    assert marked(drawn(server, book, highlight=chunks[0]["number"]))
    assert marked(drawn(server, book, page=1)) is None


def test_a_quote_leads_to_its_own_page_although_its_passage_begins_before(
    server: Server, book: dict[str, object]
) -> None:
    with server.http() as client:
        chunks = client.get(f"/v1/sources/{book['id']}/chunks").json()["chunks"]
    (only,) = chunks
    assert [place["page"] for place in only["positions"]] == [1, 2]
    quote = "The sluice of Hallow Tor opens at dawn."
    with_page = drawn(server, book, page=2, highlight=only["number"], quote=quote)
    assert drawn(server, book, highlight=only["number"], quote=quote).tobytes() == with_page.tobytes()


def test_an_image_is_drawn_too(server: Server) -> None:
    stream = io.BytesIO()
    Image.new("RGB", (3000, 100), "white").save(stream, "PNG")
    source = server.take("wide.png", stream.getvalue())
    assert drawn(server, source, page=1).width == 2400


def test_what_has_no_such_page_says_so(server: Server, book: dict[str, object]) -> None:
    note = server.take("note.md", "# A note\n\nNo pages here.\n")
    with server.http() as client:
        for source, parameters, status, code in (
            (book, {"page": 9}, 404, "no_such_page"),
            (book, {"highlight": 99}, 404, "no_such_chunk"),
            (note, {"page": 1}, 404, "page_not_drawn"),
        ):
            answer = client.get(f"/v1/sources/{source['id']}/content", params=parameters)
            assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert client.get(f"/v1/sources/{book['id']}/content", params={"page": 0}).status_code == 422
