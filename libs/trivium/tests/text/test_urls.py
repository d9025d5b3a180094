"""One spelling for each address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.errors import Refused
from trivium.text.urls import canonical_url, checked_url, same_page, video_of

VIDEO = "dQw4w9WgXcQ"


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://Site.Test", "http://site.test/"),
        ("http://site.test:80/a/../b?q=1 2#part", "http://site.test/b?q=1%202"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        (" https://site.test:444/%7Ea ", "https://site.test:444/%7Ea"),
        (f"https://m.youtube.com/watch?t=3&v={VIDEO}", f"https://youtu.be/{VIDEO}"),
    ],
)
def test_an_address_has_one_spelling(url: str, canonical: str) -> None:
    assert canonical_url(url) == canonical
    assert canonical_url(canonical) == canonical


@given(st.from_regex(r"https?://[a-z]{1,8}\.(com|test)(:[1-9][0-9]{0,3})?(/[!-~]{0,20}){0,3}", fullmatch=True))
def test_the_one_spelling_stays_as_it_is(url: str) -> None:
    try:
        once = canonical_url(url)
    except Refused:
        return
    assert canonical_url(once) == once


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://site.test/a?b=1&c=2", "https://site.test/a?c=2&utm_source=x&b=1", True),
        ("http://site.test/a#x", "http://site.test/a", True),
        ("http://site.test/a?b=1", "http://site.test/a?b=2", False),
        ("http://site.test/a", "http://site.test:8080/a", False),
        ("http://site.test/a", "http://www.site.test/a", False),
    ],
)
def test_spellings_of_one_page_meet(one: str, other: str, same: bool) -> None:
    assert (same_page(one) == same_page(other)) is same


@pytest.mark.parametrize(
    ("url", "video"),
    [
        (f"https://www.youtube.com/watch?v={VIDEO}", VIDEO),
        (f"http://youtube.com/watch?feature=share&v={VIDEO}#t=1", VIDEO),
        (f"https://youtu.be/{VIDEO}?t=5", VIDEO),
        (f"https://www.youtube.com/shorts/{VIDEO}", VIDEO),
        (f"https://www.youtube-nocookie.com/embed/{VIDEO}?rel=0", VIDEO),
        ("https://www.youtube.com/watch?v=short", ""),
        ("https://www.youtube.com/@channel", ""),
        (f"https://www.youtube.com.evil.test/watch?v={VIDEO}", ""),
        (f"https://site.test/watch?v={VIDEO}", ""),
    ],
)
def test_a_videos_address_is_known(url: str, video: str) -> None:
    assert video_of(url) == video


@pytest.mark.parametrize(
    "url", ["https://\\xn--a.example/", "https://xn--\x7f.example/", "https://[::1/", "https:///a"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(Refused) as refused:
        checked_url(url)
    assert refused.value.code == "bad_url"
