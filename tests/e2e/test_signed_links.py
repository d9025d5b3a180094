"""The link of a citation where keys are needed, as a browser follows it: no header, the page and its picture."""

from __future__ import annotations

import html
import re
import stat
from collections.abc import Callable

import httpx2

from .conftest import Server
from .test_pages import report

KEYS = {"TRIVIUM_API_KEYS": "default:alpha"}
QUESTION = "When does the sluice of Hallow Tor open?"


def test_a_link_shows_its_passage_and_page_without_a_key_also_after_a_restart(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(**KEYS)
    server.key = "alpha"
    server.take("book.pdf", report())
    with server.http() as client:
        (citation, *_) = client.post("/v1/queries", json={"query": QUESTION}).json()["citations"]
    shown = httpx2.get(server.url + citation["link"])
    assert (shown.status_code, "<mark" in shown.text) == (200, True)
    (address,) = re.findall(r'src="([^"]*)"', shown.text)
    picture = httpx2.get(str(shown.url.join(html.unescape(address))))
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
    assert "link.open" in server.cli("trail").stdout
    server.stop()
    again = start_server(**KEYS)
    assert httpx2.get(again.url + citation["link"]).status_code == 200
    assert stat.S_IMODE((again.data_dir / "link_secret").stat().st_mode) == 0o600
