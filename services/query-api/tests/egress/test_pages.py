"""From an address to what stands there."""

from __future__ import annotations

import pytest
from web_peer import SITE, Internet, by_path, page, redirect, site

from trivium.domain.errors import NeverWill
from trivium_query.egress.pages import WebPages

FORM = b"<html><form><input name=user><input type=password name=secret></form></html>"


@pytest.fixture
def internet() -> Internet:
    found = Internet()
    found.names = {"site.test": [SITE]}
    return found


def test_a_page_keeps_its_declared_type_and_character_set_and_its_last_address(internet: Internet) -> None:
    pages = {"/old": redirect("/new"), "/new": page(b"words", "Content-Type: text/html; charset=Big5", 'ETag: "1"')}
    with site(internet, by_path(pages)):
        got = WebPages(internet.fetcher())("http://site.test/old")
    assert got is not None
    assert got.declared_type == "text/html; charset=big5"
    assert (got.validators.url, got.validators.etag) == ("http://site.test/new", '"1"')


def test_a_page_that_leads_to_a_login_form_is_no_document(internet: Internet) -> None:
    pages = {"/report": redirect("/login?next=/report"), "/login?next=/report": page(FORM)}
    with site(internet, by_path(pages)), pytest.raises(NeverWill) as failure:
        WebPages(internet.fetcher())("http://site.test/report")
    assert failure.value.code == "login_needed"


def test_a_login_page_that_was_asked_for_is_what_was_asked_for(internet: Internet) -> None:
    with site(internet, by_path({"/login": page(FORM)})):
        got = WebPages(internet.fetcher())("http://site.test/login")
    assert got is not None
    assert got.content == FORM
