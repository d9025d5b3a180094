"""Files inside files, from upload to an answer and to their deletion, in one process."""

from __future__ import annotations

import io
from email.message import EmailMessage

from reportlab.pdfgen.canvas import Canvas
from waiting import wait_until
from zip_files import zipped

from trivium.domain.documents import Document, DocumentState
from trivium.domain.retrieval import Mode, SearchFilter
from trivium.domain.scope import DEFAULT_TENANT

from .conftest import Product


def pdf(line: str) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, invariant=1)
    canvas.drawString(50, 700, line)
    canvas.save()
    return stream.getvalue()


def mail(line: str, subject: str = "The offer") -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ada <ada@example.org>", "bo@example.org", subject
    message.set_content("The offer for the sluice is attached.")
    message.add_attachment(pdf(line), maintype="application", subtype="pdf", filename="offer.pdf")
    return message.as_bytes()


def living(product: Product, root: str) -> dict[str, Document]:
    """Everything under an upload's name, once all of it has settled."""

    def alive() -> list[Document]:
        found = [d for d in product.registry.list(limit=1000).documents if d.source.startswith(root)]
        return [d for d in found if d.state is not DocumentState.DELETED]

    wait_until(lambda: all(document.state.terminal for document in alive()), "all have settled", told=alive)
    return {document.source: document for document in alive()}


async def sources(product: Product, query: str) -> set[str]:
    result = await product.services.searcher.search(DEFAULT_TENANT, query, Mode.HYBRID, 10, SearchFilter())
    return {hit.chunk.source for hit in result.hits if query.rsplit(maxsplit=1)[-1] in hit.chunk.text}


async def test_an_attachment_is_found_under_the_name_of_its_mail_and_goes_with_it(product: Product) -> None:
    parent = product.ingest("letters/offer.eml", mail("The Quillon sluice costs 420 crowns."))
    found = living(product, "letters/offer.eml")
    child = found["letters/offer.eml > offer.pdf"]
    assert (child.state, child.parent, child.media_type) == (DocumentState.READY, parent.id, "application/pdf")
    assert await sources(product, "What does it cost, the Quillon") == {"letters/offer.eml > offer.pdf"}
    product.intake.delete(parent.id)
    assert living(product, "letters/offer.eml") == {}
    assert await sources(product, "What does it cost, the Quillon") == set()


async def test_a_zip_in_a_zip_is_read_to_its_ground_and_a_new_version_takes_away_what_it_lacks(
    product: Product,
) -> None:
    inner = zipped({"deep.txt": b"The Ostrava kiln burns at 1210 degrees.", "b.txt": b"Another text."})
    product.ingest("drive.zip", zipped({"inner.zip": inner, "top.md": b"# Top\n\nThe top of the drive."}))
    found = living(product, "drive.zip")
    assert set(found) == {
        "drive.zip",
        "drive.zip > inner.zip",
        "drive.zip > inner.zip > deep.txt",
        "drive.zip > inner.zip > b.txt",
        "drive.zip > top.md",
    }
    assert {document.state for document in found.values()} == {DocumentState.READY}
    assert await sources(product, "How hot is the Ostrava") == {"drive.zip > inner.zip > deep.txt"}
    inner = zipped({"b.txt": b"Another text."})
    product.ingest("drive.zip", zipped({"inner.zip": inner, "top.md": b"# Top\n\nThe new top."}))
    assert set(living(product, "drive.zip")) == {
        "drive.zip",
        "drive.zip > inner.zip",
        "drive.zip > inner.zip > b.txt",
        "drive.zip > top.md",
    }
    assert await sources(product, "How hot is the Ostrava") == set()


def test_a_child_that_fails_is_its_own_failure(product: Product) -> None:
    parent = product.ingest(
        "bad.zip", zipped({"bad.pdf": b"%PDF-1.7\n" + b"\x00\xff" * 100, "good.txt": b"A good text."})
    )
    found = living(product, "bad.zip")
    assert parent.state is DocumentState.READY
    assert found["bad.zip > bad.pdf"].state is DocumentState.FAILED
    assert found["bad.zip > good.txt"].state is DocumentState.READY


def test_a_child_deleted_alone_comes_back_with_a_new_version(product: Product) -> None:
    product.ingest("alone.zip", zipped({"a.txt": b"One text.", "b.txt": b"Two texts."}))
    product.intake.delete(living(product, "alone.zip")["alone.zip > a.txt"].id)
    assert set(living(product, "alone.zip")) == {"alone.zip", "alone.zip > b.txt"}
    product.ingest("alone.zip", zipped({"a.txt": b"One text.", "b.txt": b"Two texts.", "c.txt": b"Three texts."}))
    assert len(living(product, "alone.zip")) == 4
