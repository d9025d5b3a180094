"""The fetcher against real local servers."""

from __future__ import annotations

import gzip
import ipaddress
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_peer import OTHER, QUICK, SITE, Internet, by_path, page, redirect, serving, site

from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium.ports.web import Validators
from trivium_query.egress.addresses import why_forbidden
from trivium_query.egress.fetch import Fetcher, FetchLimits
from trivium_query.egress.rules import host_rules

CERTIFICATE = Path(__file__).parent / "tls" / "self_signed_site_test.pem"


@pytest.fixture
def internet() -> Internet:
    found = Internet()
    found.names = {"site.test": [SITE], "other.test": [OTHER]}
    return found


def test_a_page_arrives_with_its_type_charset_and_final_address(internet: Internet) -> None:
    pages = {
        "/old": redirect("/new?a=1#part", "301 Moved Permanently"),
        "/new?a=1": page(b"<p>hello</p>", "Content-Type: Text/HTML; charset=ISO-8859-1"),
    }
    with site(internet, by_path(pages)):
        got = internet.fetch("http://site.test/old#top")
    assert (got.url, got.content) == ("http://site.test/new?a=1", b"<p>hello</p>")
    assert (got.media_type, got.charset) == ("text/html", "iso-8859-1")


def test_the_request_names_the_host_and_carries_no_cookie_or_credential(
    internet: Internet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    heads: list[bytes] = []
    first = page(b"", "Location: http://other.test/b", "Set-Cookie: secret=1; Domain=test", status="302 Found")

    def handle(stream: socket.socket, head: bytes) -> None:
        heads.append(head.lower())
        (first if head.startswith(b"GET /a") else page(b"ok"))(stream, head)

    with site(internet, handle):
        assert internet.fetch("http://site.test:8000/a").content == b"ok"
    assert b"host: site.test:8000\r\n" in heads[0]
    assert b"host: other.test\r\n" in heads[1]
    assert not any(word in head for head in heads for word in (b"cookie", b"authorization", b"referer"))


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://site.test/a",
        "gopher://site.test/",
        "javascript:alert(1)",
        "http://",
        "//site.test/a",
        "site.test/a",
        "http://user:secret@site.test/",
        "http://user@site.test/",
        "http://site.test:99999/",
        "http://[::1",
        "http://site.test/\x00",
        "http://site.test/" + "a" * 9000,
        "",
    ],
)
def test_what_is_not_a_plain_web_address_is_refused_before_any_lookup(internet: Internet, url: str) -> None:
    with pytest.raises(Refused) as refusal:
        internet.fetch(url)
    assert refusal.value.code == "bad_url"
    assert refusal.value.action
    assert "secret" not in str(refusal.value)
    assert internet.lookups == []


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.1",
        "127.1",
        "0",
        "10.0.0.1",
        "169.254.169.254",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:a9fe:a9fe]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[ff02::1]",
    ],
)
def test_every_spelling_of_an_inner_address_is_refused_without_a_connection(internet: Internet, host: str) -> None:
    with pytest.raises(Refused) as refusal:
        internet.fetch(f"http://{host}/latest/meta-data")
    assert refusal.value.code == "forbidden_address"
    assert internet.dialled == []


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.9.9.9", "169.254.0.1"),
        *("172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1"),
        *("198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16"),
        *("::", "::1", "::7f00:1", "::ffff:10.0.0.1", "::ffff:0:10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1"),
        *("100::1", "2001::1", "2001:db8::1", "2002:a00:1::", "fc00::1", "fd00::1", "fe80::1%eth0", "fec0::1"),
        *("ff00::1", "ff0e::1"),
    ],
)
def test_an_address_that_is_not_public_has_a_reason_against_it(address: str) -> None:
    assert why_forbidden(address)


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.215.14", "172.32.0.1", "2606:4700::1111", "64:ff9b::101:101", "::ffff:1.1.1.1"]
)
def test_an_ordinary_public_address_is_allowed(address: str) -> None:
    assert why_forbidden(address) == ""


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_judged_the_same_inside_ipv6(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    plain = bool(why_forbidden(str(address)))
    mapped = ipaddress.IPv6Address((0xFFFF << 32) | number)
    nat64 = ipaddress.IPv6Address((0x64FF9B << 96) | number)
    six_to_four = ipaddress.IPv6Address((0x2002 << 112) | (number << 80))
    assert {bool(why_forbidden(str(form))) for form in (mapped, nat64, six_to_four)} == {plain}


@pytest.mark.parametrize(
    "to", ["http://127.0.0.1/", "http://[::ffff:169.254.169.254]/latest", "//localhost/", "http://0x7f.1:6379/"]
)
def test_a_redirect_to_an_inner_address_is_refused(internet: Internet, to: str) -> None:
    with site(internet, redirect(to)), pytest.raises(Refused) as refusal:
        internet.fetch("http://site.test/")
    assert refusal.value.code == "forbidden_address"
    assert internet.dialled == [SITE]


def test_a_redirect_to_another_scheme_is_refused(internet: Internet) -> None:
    with site(internet, redirect("file:///etc/passwd")), pytest.raises(Refused) as refusal:
        internet.fetch("http://site.test/")
    assert refusal.value.code == "bad_url"


def test_a_rebinding_name_is_resolved_once_and_that_address_is_used(internet: Internet) -> None:
    internet.names["rebind.test"] = [SITE, "127.0.0.1"]
    with site(internet, page(b"public")):
        assert internet.fetch("http://rebind.test/").content == b"public"
    assert internet.lookups == ["rebind.test"]
    assert internet.dialled == [SITE]


def test_a_name_that_rebinds_between_two_redirects_is_refused(internet: Internet) -> None:
    internet.names["rebind.test"] = [SITE, "127.0.0.1"]
    with site(internet, redirect("http://rebind.test/again")), pytest.raises(Refused) as refusal:
        internet.fetch("http://rebind.test/")
    assert refusal.value.code == "forbidden_address"
    assert internet.dialled == [SITE]


def test_one_inner_address_among_public_ones_refuses_the_name(internet: Internet) -> None:
    with pytest.raises(Refused) as refusal:
        Fetcher(QUICK, resolver=lambda host, port: [SITE, "10.0.0.1"], network=internet).get("http://mixed.test/")
    assert refusal.value.code == "forbidden_address"
    assert internet.dialled == []


def test_the_next_address_is_tried_when_one_does_not_answer(internet: Internet) -> None:
    with serving(page(b"ok")) as port:
        internet.ports[OTHER] = port
        got = Fetcher(QUICK, resolver=lambda host, at: [SITE, OTHER], network=internet).get("http://two.test/")
    assert got is not None
    assert got.content == b"ok"
    assert internet.dialled == [SITE, OTHER]


def test_an_allowed_host_may_be_inside_and_no_other(internet: Internet) -> None:
    internet.names["wiki.local"] = ["10.0.0.7"]
    fetcher = internet.fetcher(rules=host_rules(" Wiki.Local. , "))
    with serving(by_path({"/": page(b"inside"), "/away": redirect("http://10.0.0.7/")})) as port:
        internet.ports["10.0.0.7"] = port
        fetched = fetcher.get("http://wiki.local/")
        assert fetched is not None
        assert fetched.content == b"inside"
        with pytest.raises(Refused):
            fetcher.get("http://wiki.local/away")


@pytest.mark.parametrize(
    ("allow", "deny", "only", "host", "reached"),
    [
        ("10.0.0.0/8", "", "", "wiki.local", True),
        ("10.1.0.0/16", "", "", "wiki.local", False),
        ("*.local", "", "", "wiki.local", True),
        ("local", "", "", "wiki.local", False),
        ("wiki.local", "wiki.local", "", "wiki.local", False),
        ("wiki.local", "10.0.0.7", "", "wiki.local", False),
        ("", "site.test", "", "site.test", False),
        ("", "SITE.test.", "", "site.test.", False),
        ("", "*.test", "", "site.test", False),
        ("", "93.184.0.0/16", "", "site.test", False),
        ("", "93.184.215.14", "", "0x5db8d70e", False),
        ("", "93.184.215.14", "", "[::ffff:93.184.215.14]", False),
        ("", "e.test", "", "site.test", True),
        ("", "", "site.test", "site.test", True),
        ("", "", "93.184.215.14", "site.test", True),
        ("", "", "other.test", "site.test", False),
        ("", "", "wiki.local", "wiki.local", False),
        ("", "site.test", "site.test", "site.test", False),
    ],
)
def test_the_lists_of_hosts_decide_and_denial_wins(
    internet: Internet, allow: str, deny: str, only: str, host: str, reached: bool
) -> None:
    internet.names |= {"wiki.local": ["10.0.0.7"], "site.test.": [SITE]}
    fetcher = internet.fetcher(rules=host_rules(allow, deny, only))
    with site(internet, page(b"here")):
        internet.ports["10.0.0.7"] = internet.ports[SITE]
        if reached:
            fetched = fetcher.get(f"http://{host}/")
            assert fetched is not None
            assert fetched.content == b"here"
        else:
            with pytest.raises(Refused) as refusal:
                fetcher.get(f"http://{host}/")
            assert refusal.value.code == "forbidden_address"
            assert internet.dialled == []


def test_a_redirect_to_a_denied_host_is_refused(internet: Internet) -> None:
    with site(internet, redirect("http://other.test/")), pytest.raises(Refused) as refusal:
        internet.fetcher(rules=host_rules(deny="other.test")).get("http://site.test/")
    assert refusal.value.code == "forbidden_address"
    assert internet.dialled == [SITE]


@pytest.mark.parametrize("entry", ["http://site.test", "site.test:80", "a b", "10.0.0.0/99", "user@host"])
def test_a_list_of_hosts_with_something_else_is_a_bad_setting(entry: str) -> None:
    with pytest.raises(Refused, match="TRIVIUM_URL_DENY") as refusal:
        host_rules(deny=entry)
    assert refusal.value.code == "bad_setting"


def test_five_redirects_are_followed_and_a_sixth_is_not(internet: Internet) -> None:
    pages = {f"/{n}": redirect(f"/{n + 1}") for n in range(6)} | {"/6": page(b"end")}
    with site(internet, by_path(pages)):
        assert internet.fetch("http://site.test/1").content == b"end"
        with pytest.raises(NeverWill) as failure:
            internet.fetch("http://site.test/0")
    assert failure.value.code == "fetch_failed"
    assert "5 times" in failure.value.message


def test_a_redirect_may_hold_letters_as_they_are(internet: Internet) -> None:
    pages = {"/": redirect("/caf\u00e9"), "/caf%C3%A9": page(b"coffee")}
    with site(internet, by_path(pages)):
        assert internet.fetch("http://site.test/").content == b"coffee"


def test_an_endless_body_is_cut_at_the_limit(internet: Internet) -> None:
    def endless(stream: socket.socket, head: bytes) -> None:
        stream.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            stream.sendall(b"x" * 65536)

    with site(internet, endless), pytest.raises(NeverWill) as failure:
        internet.fetch("http://site.test/")
    assert failure.value.code == "too_large"


def test_a_body_announced_as_too_large_is_not_read(internet: Internet) -> None:
    def huge(stream: socket.socket, head: bytes) -> None:
        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")
        time.sleep(3)

    with site(internet, huge), pytest.raises(NeverWill) as failure:
        internet.fetch("http://site.test/")
    assert failure.value.code == "too_large"


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"HTTP/1.1 200 OK\r\n"])
def test_a_slow_drip_ends_with_the_deadline_in_the_body_and_in_the_headers(internet: Internet, start: bytes) -> None:
    def drip(stream: socket.socket, head: bytes) -> None:
        stream.sendall(start)
        while True:
            stream.sendall(b"x")
            time.sleep(0.05)

    with site(internet, drip), pytest.raises(TryLater) as failure:
        internet.fetch("http://site.test/", FetchLimits(timeout_s=0.5))
    assert failure.value.code == "fetch_timeout"


def test_a_name_lookup_that_hangs_ends_with_the_deadline(internet: Internet) -> None:
    released = threading.Event()

    def hanging(host: str, port: int) -> list[str]:
        released.wait(10)
        return [SITE]

    try:
        with pytest.raises(TryLater) as failure:
            Fetcher(FetchLimits(timeout_s=0.3), resolver=hanging, network=internet).get("http://slow.test/")
    finally:
        released.set()
    assert failure.value.code == "fetch_timeout"


def _raw_deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("gzip", lambda content: gzip.compress(content[:100]) + gzip.compress(content[100:])),
        ("deflate", zlib.compress),
        ("deflate", _raw_deflate),
        ("identity", bytes),
    ],
)
def test_a_packed_page_is_unpacked(internet: Internet, encoding: str, pack: Callable[[bytes], bytes]) -> None:
    body = b"words and more words. " * 500
    with site(internet, page(pack(body), f"Content-Encoding: {encoding}")):
        assert internet.fetch("http://site.test/").content == body


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_a_compression_bomb_is_stopped_at_the_limit(internet: Internet, pack: Callable[[bytes], bytes]) -> None:
    encoding = "gzip" if pack is gzip.compress else "deflate"
    with (
        site(internet, page(pack(b"\0" * 50_000_000), f"Content-Encoding: {encoding}")),
        pytest.raises(NeverWill) as failure,
    ):
        internet.fetch("http://site.test/")
    assert failure.value.code == "too_large"


def test_a_bomb_under_the_byte_limit_is_stopped_by_its_ratio(internet: Internet) -> None:
    with (
        site(internet, page(gzip.compress(b"\0" * 20_000_000), "Content-Encoding: gzip")),
        pytest.raises(NeverWill) as failure,
    ):
        internet.fetch("http://site.test/", FetchLimits(timeout_s=5.0, max_ratio=50))
    assert failure.value.code == "too_large"
    assert failure.value.message.endswith("unpacks to far more than was sent; the limit is 50 times its size.")


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd"])
def test_an_encoding_that_was_not_asked_for_is_a_clear_failure(internet: Internet, encoding: str) -> None:
    with site(internet, page(b"?", f"Content-Encoding: {encoding}")), pytest.raises(NeverWill) as failure:
        internet.fetch("http://site.test/")
    assert failure.value.code == "fetch_failed"


def test_a_damaged_gzip_never_will_and_a_cut_one_may_later(internet: Internet) -> None:
    packed = gzip.compress(b"words " * 1000)
    with site(internet, page(b"\x1f\x8bnonsense" * 9, "Content-Encoding: gzip")), pytest.raises(NeverWill):
        internet.fetch("http://site.test/")
    with site(internet, page(packed[:-12], "Content-Encoding: gzip")), pytest.raises(TryLater):
        internet.fetch("http://site.test/")


def test_a_connection_cut_in_mid_body_may_work_later(internet: Internet) -> None:
    def cut(stream: socket.socket, head: bytes) -> None:
        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nonly this")

    with site(internet, cut), pytest.raises(TryLater) as failure:
        internet.fetch("http://site.test/")
    assert failure.value.code == "fetch_interrupted"


@pytest.mark.parametrize(
    ("status", "family"),
    [
        ("404 Not Found", NeverWill),
        ("401 Unauthorized", NeverWill),
        ("410 Gone", NeverWill),
        ("304 Not Modified", NeverWill),
        ("429 Too Many Requests", TryLater),
        ("503 Service Unavailable", TryLater),
    ],
)
def test_a_status_says_whether_trying_again_can_help(
    internet: Internet, status: str, family: type[NeverWill] | type[TryLater]
) -> None:
    with site(internet, page(b"", status=status)), pytest.raises(family) as failure:
        internet.fetch("http://site.test/")
    assert status[:3] in failure.value.message


def test_a_busy_site_that_says_when_to_come_back_is_told_with_that(internet: Internet) -> None:
    busy = page(b"", "Retry-After: 7", status="503 Service Unavailable")
    with site(internet, busy), pytest.raises(TryLater) as failure:
        internet.fetch("http://site.test/")
    assert (failure.value.retry_after_s, failure.value.action) == (7.0, "Try again in 7 s.")


def test_a_page_behind_a_login_says_so(internet: Internet) -> None:
    with site(internet, page(b"", status="403 Forbidden")), pytest.raises(NeverWill) as failure:
        internet.fetch("http://site.test/")
    assert failure.value.code == "login_needed"
    assert "upload the file" in failure.value.action


def test_what_did_not_change_is_not_sent_again(internet: Internet) -> None:
    heads: list[bytes] = []
    whole = page(b"words", 'ETag: W/"7"', "Last-Modified: Mon, 01 Jun 2026 10:00:00 GMT")

    def handle(stream: socket.socket, head: bytes) -> None:
        heads.append(head)
        (page(b"", status="304 Not Modified") if b'If-None-Match: W/"7"' in head else whole)(stream, head)

    with site(internet, handle):
        first = internet.fetch("http://site.test/a")
        assert internet.fetcher().get("http://site.test/a", first.validators) is None
        assert internet.fetcher().get("http://site.test/b", first.validators) is not None
    assert b"If-Modified-Since: Mon, 01 Jun 2026 10:00:00 GMT\r\n" in heads[1]
    assert b"If-" not in heads[2], "a tag says nothing of another address"


def test_a_server_may_not_say_unchanged_of_what_was_never_fetched(internet: Internet) -> None:
    with site(internet, page(b"", status="304 Not Modified")), pytest.raises(NeverWill):
        internet.fetcher().get("http://site.test/", Validators())


@pytest.mark.parametrize(
    "headers",
    [b"X: " + b"a" * 300_000, b"\r\n".join(b"X-%d: a" % n for n in range(1000))],
    ids=["one very long", "very many"],
)
def test_huge_headers_are_a_clear_failure(internet: Internet, headers: bytes) -> None:
    def speak(stream: socket.socket, head: bytes) -> None:
        stream.sendall(b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n\r\n")

    with site(internet, speak), pytest.raises(NeverWill) as failure:
        internet.fetch("http://site.test/")
    assert failure.value.code in ("fetch_failed", "too_large")
    assert "headers" in failure.value.message


@pytest.mark.parametrize(
    "location", ["/a%0d%0aSet-Cookie:%20x=1", "/a\rX-Injected: 1", "/a\r\nX-Injected: 1", "http://other.test\r/"]
)
def test_a_line_break_in_a_redirect_adds_no_header(internet: Internet, location: str) -> None:
    heads: list[bytes] = []

    def handle(stream: socket.socket, head: bytes) -> None:
        heads.append(head)
        (page(b"ok") if b"/a" in head.split(b"\r\n")[0] else redirect(location))(stream, head)

    with site(internet, handle), suppress(TriviumError):
        internet.fetch("http://site.test/")
    assert not any(line.lower().startswith((b"set-cookie", b"x-injected")) for h in heads for line in h.splitlines())


def test_one_exchange_follows_nothing_and_sends_what_it_is_given(internet: Internet) -> None:
    heads: list[bytes] = []

    def handle(stream: socket.socket, head: bytes) -> None:
        heads.append(head)
        redirect("http://other.test/")(stream, head)

    with site(internet, handle):
        reply = internet.fetcher().send("POST", "http://site.test/x", [("Cookie", "a=1"), ("Host", "evil")], b"{}")
    assert (reply.status, reply.header("location")) == (302, "http://other.test/")
    assert heads[0].startswith(b"POST /x HTTP/1.1\r\nHost: site.test\r\n")
    assert b"Content-Length: 2\r\n" in heads[0]
    assert b"evil" not in heads[0]


def test_a_host_that_is_down_may_answer_later_and_one_that_does_not_exist_never_will(internet: Internet) -> None:
    with pytest.raises(TryLater):
        internet.fetch("http://site.test/")
    with pytest.raises(NeverWill) as failure:
        internet.fetch("http://nowhere.test/")
    assert failure.value.code == "fetch_failed"


def test_a_redirect_to_nowhere_is_a_clear_failure(internet: Internet) -> None:
    with site(internet, page(b"", status="302 Found")), pytest.raises(NeverWill) as failure:
        internet.fetch("http://site.test/")
    assert failure.value.code == "fetch_failed"


def test_tls_is_made_with_the_name_although_the_connection_goes_to_the_address(internet: Internet) -> None:
    names: list[str] = []
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(CERTIFICATE)
    server.sni_callback = lambda stream, name, context: names.append(name)
    trusting = ssl.create_default_context(cafile=CERTIFICATE)
    with site(internet, page(b"secret"), server):
        assert internet.fetch("https://site.test/", tls=trusting).content == b"secret"
    assert names == ["site.test"]
    assert internet.dialled == [SITE]


def test_an_authority_of_the_settings_is_believed_beside_the_usual_ones(internet: Internet) -> None:
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(CERTIFICATE)
    fetcher = msgspec.structs.replace(internet.fetcher(), ca_file=str(CERTIFICATE))
    with site(internet, page(b"secret"), server):
        fetched = fetcher.get("https://site.test/")
    assert fetched is not None
    assert fetched.content == b"secret"
    assert len(fetcher.context().get_ca_certs()) > len(internet.fetcher().context().get_ca_certs()) > 0


@pytest.mark.parametrize("host", ["site.test", "other.test"])
def test_a_certificate_nobody_vouches_for_or_for_another_name_is_refused(internet: Internet, host: str) -> None:
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(CERTIFICATE)
    trusting = ssl.create_default_context(cafile=CERTIFICATE)
    with site(internet, page(b"secret"), server), pytest.raises(NeverWill) as failure:
        internet.fetch(f"https://{host}/", tls=trusting if host == "other.test" else None)
    assert failure.value.code == "fetch_failed"
    assert "cannot be trusted" in failure.value.message


def test_plain_text_where_tls_was_expected_is_a_clear_failure(internet: Internet) -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def speak() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"220 mail.test ESMTP ready, not TLS at all\r\n")
            connection.recv(4096)

    threading.Thread(target=speak, daemon=True).start()
    internet.ports[SITE] = listener.getsockname()[1]
    with listener, pytest.raises(NeverWill) as failure:
        internet.fetch("https://site.test/")
    assert failure.value.code == "fetch_failed"
