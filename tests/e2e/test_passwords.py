"""An encrypted file is read with the password that its uploader gives, and the password shows nowhere."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from trivium.v1 import ingest_pb2 as pb
from trivium.v1.ingest_pb2_grpc import IngestServiceStub

from .conftest import Server

SECRET = "Quillon-7fe2-Märzveilchen"
WRONG = "Hollin-93ab-Winterling"
PRICE = "The bridge at Quern Moss costs 48,200 crowns."


def offer(said: str = PRICE, password: str = SECRET) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, invariant=1, encrypt=StandardEncryption(password, strength=128))
    canvas.drawString(72, 700, said)
    canvas.save()
    return stream.getvalue()


def mail(attached: bytes) -> bytes:
    message = EmailMessage()
    message["Subject"] = "Our offer for the culvert"
    message.set_content("The password follows by telephone.")
    message.add_attachment(attached, maintype="application", subtype="pdf", filename="culvert.pdf")
    return bytes(message)


def inside(server: Server, source: dict[str, Any]) -> dict[str, Any]:
    """The one source that was found in another, once it is done."""
    with server.http() as client:
        (child,) = client.get("/v1/sources", params={"parent": source["id"]}).json()["sources"]
    return server.settled(child["id"])


def unlock(server: Server, source: dict[str, Any], password: str) -> httpx2.Response:
    with server.http() as client:
        return client.post(f"/v1/sources/{source['id']}/password", json={"password": password})


def holders(server: Server, *secrets: str) -> set[Path]:
    """The files of a server's that hold one of these words."""
    words = [secret.encode() for secret in secrets]
    found = {path for path in server.data_dir.rglob("*") if path.is_file()} | {server.log}
    return {path for path in found if any(word in path.read_bytes() for word in words)}


@pytest.fixture
def password_file() -> Iterator[Path]:
    """Outside of the folders that a test looks into."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "password")
        path.write_text(f"{SECRET}\n")
        yield path


def test_an_offer_with_its_password_is_answered_from_and_its_page_drawn(server: Server) -> None:
    source = server.take("offers/bridge.pdf", offer(), password=SECRET)
    assert (source["state"], source.get("reason")) == ("ready", None)
    answer = server.ask("What does the bridge at Quern Moss cost?")
    assert "48,200 crowns" in answer["text"]
    cited = answer["citations"][0]
    with server.http() as client:
        place = f"/v1/sources/{source['id']}/content"
        page = client.get(place, params={"highlight": cited["chunk_number"], "quote": PRICE})
        assert (page.status_code, page.headers["content-type"]) == (200, "image/png")
        assert is_marked(page.content)
        assert client.get(place).content == offer()


def is_marked(png: bytes) -> bool:
    """Whether there is yellow on the page."""
    red, green, blue = np.moveaxis(np.asarray(Image.open(io.BytesIO(png)).convert("RGB")), 2, 0)
    return bool(((red > 240) & (green > 220) & (blue < 185)).any())


def test_without_a_password_the_message_says_how_to_give_it_and_a_wrong_one_is_told_apart(server: Server) -> None:
    source = server.take("offers/later.pdf", offer("The kiln at Sorrow Hill costs 911 crowns."))
    assert (source["state"], source["reason"]["code"]) == ("failed", "password_needed")
    assert "trivium unlock" in source["reason"]["action"]

    assert unlock(server, source, WRONG).status_code == 202
    wrong = server.settled(source["id"])
    assert (wrong["state"], wrong["reason"]["code"]) == ("failed", "password_wrong")

    right = unlock(server, source, SECRET)
    assert (right.status_code, right.json()["id"]) == (202, source["id"])
    assert server.settled(source["id"])["state"] == "ready"
    assert "911" in server.ask("What does the kiln at Sorrow Hill cost?")["text"]

    again = unlock(server, source, SECRET)
    assert (again.status_code, again.json()["code"]) == (409, "no_password_needed")


def test_the_same_file_handed_over_again_with_its_password_is_read(server: Server) -> None:
    content = offer("The mast at Ebb Point costs 300 crowns.")
    assert server.take("offers/mast.pdf", content, password=WRONG)["reason"]["code"] == "password_wrong"
    assert server.take("offers/mast.pdf", content)["reason"]["code"] == "password_needed"
    assert server.take("offers/mast.pdf", content, password=SECRET)["state"] == "ready"


def test_a_mails_password_opens_what_is_attached_to_it(server: Server) -> None:
    letter = server.take("culvert.eml", mail(offer("The culvert costs 12,400 crowns.")), password=SECRET)
    attached = inside(server, letter)
    assert (letter["state"], attached["state"]) == ("ready", "ready")
    with server.http() as client:
        page = client.get(f"/v1/sources/{attached['id']}/content", params={"page": 1})
        assert page.headers["content-type"] == "image/png"


def test_a_mail_sent_again_with_the_password_opens_what_had_failed_inside_it(server: Server) -> None:
    content = mail(offer("The culvert of Low Fold costs 7,001 crowns."))
    letter = server.take("low-fold.eml", content)
    assert inside(server, letter)["reason"]["code"] == "password_needed"
    server.take("low-fold.eml", content, password=SECRET)
    assert inside(server, letter)["state"] == "ready"


def test_the_command_line_takes_the_password_from_a_file_and_afterwards(
    server: Server, tmp_path: Path, password_file: Path
) -> None:
    file = tmp_path / "quay.pdf"
    file.write_bytes(offer("The quay at Marl costs 52 crowns."))
    failed = server.cli("ingest", str(file), check=False)
    assert (failed.returncode, "trivium unlock" in failed.stderr) == (1, True)
    done = server.cli("unlock", "quay.pdf", "--password-file", str(password_file))
    assert "ready, 1 passage" in done.stdout
    assert "52 crowns" in server.cli("parse", str(file), "--password-file", str(password_file)).stdout


def test_grpc_takes_the_password_with_the_header_and_afterwards(server: Server) -> None:
    content = offer("The weir at Dun costs 4 crowns.")
    with server.channel() as channel:
        ingest = IngestServiceStub(channel)

        def submitted(name: str, password: str) -> dict[str, Any]:
            header = pb.SourceHeader(name=name, password=password)
            parts = [pb.SubmitSourceRequest(header=header), pb.SubmitSourceRequest(content=content)]
            return server.settled(ingest.SubmitSource(iter(parts), timeout=30).source.id)

        assert submitted("weir.pdf", SECRET)["state"] == "ready"
        failed = submitted("weir-2.pdf", "")
        ingest.UnlockSource(pb.UnlockSourceRequest(id=failed["id"], password=SECRET), timeout=30)
        assert server.settled(failed["id"])["state"] == "ready"


def test_another_tenant_can_neither_see_nor_give_a_password(start_server: Any) -> None:
    server = start_server(TRIVIUM_API_KEYS="red:red-key,blue:blue-key")
    source = server.take("a.pdf", offer(), "red-key")
    with server.http("blue-key") as client:
        answer = client.post(f"/v1/sources/{source['id']}/password", json={"password": SECRET})
    assert answer.status_code == 404
    assert server.take("a.pdf", offer(), "red-key", password=SECRET)["state"] == "ready"
    assert server.take("a.pdf", offer(), "blue-key")["reason"]["code"] == "password_needed"


def test_the_password_stands_in_one_object_for_as_long_as_it_is_needed(start_server: Any) -> None:
    server = start_server(TRIVIUM_LOG_LEVEL="debug")
    locked = server.take("locked.pdf", offer(), password=SECRET)
    wrong = server.take("wrong.pdf", offer("Not to be read."), password=WRONG)
    plain = server.take("plain.txt", "Nothing is locked here.", password=WRONG)
    assert (locked["state"], wrong["reason"]["code"], plain["state"]) == ("ready", "password_wrong", "ready")
    with server.http() as client:
        shown = [client.get(f"/v1/sources/{each['id']}").text for each in (locked, wrong)]
        too_long = client.post(f"/v1/sources/{wrong['id']}/password", json={"password": WRONG * 100})
        assert (too_long.status_code, WRONG in too_long.text) == (422, False)
        shown.append(client.get("/metrics").text)
    assert not any(secret in text for secret in (SECRET, WRONG) for text in shown)

    (kept,) = holders(server, SECRET, WRONG)
    assert (kept.parent.name.rstrip("+"), kept.name) == (locked["id"], f"{locked['version']}.password")
    assert server.take("locked.pdf", "Now without a lock.")["state"] == "ready"
    assert not holders(server, SECRET, WRONG)

    gone = server.take("gone.pdf", offer(), password=SECRET)
    with server.http() as client:
        client.delete(f"/v1/sources/{gone['id']}")
    assert not holders(server, SECRET)


def test_a_kill_costs_no_password(start_server: Any) -> None:
    server = start_server()
    with server.http() as client:
        files = {"file": ("offer.pdf", offer())}
        taken = client.post("/v1/sources", files=files, data={"password": SECRET}).json()
    server.kill()
    server.start()
    assert server.settled(taken["id"])["state"] == "ready"
