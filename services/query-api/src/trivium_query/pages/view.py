"""A document's passages as a page of HTML, with a quote marked: for whoever follows a citation, whatever the format.

The page needs nothing but itself and a picture of the cited page, and no character of the document is markup in it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import urlencode

import msgspec

from trivium.domain.chunks import Chunk, SourceSpan, Span
from trivium.domain.documents import About, Document
from trivium.domain.ids import chunk_id
from trivium.domain.parsed import Position, clock
from trivium.domain.places import signed
from trivium.domain.times import written

AROUND = 3  # passages before the cited one and behind it
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color:#222;
background:#fff}section{border-left:3px solid #ddd;padding:0 1rem;margin:1rem 0}section.cited{border-color:#d67800}
p{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0 .8rem}small{color:#666}mark{background:#ffd600}
img{max-width:100%;border:1px solid #ddd}nav a{margin-right:1.5rem}"""
_END = "</body></html>"
# And what turns the direction of text.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class View(msgspec.Struct, frozen=True):
    """What is shown: `passages` are neighbours in order, `number` is that of the cited one.

    `following` is the number of the passage behind the last one, 0 at the end of the document.
    """

    document: Document
    passages: Sequence[Chunk]
    number: int
    quote: str = ""
    following: int = 0


Leads = Callable[[str, str], str]
"""From an address and the id of the passage there to what the page links to."""


def render(view: View, leads: Leads | None) -> str:
    """The whole page. The quote is marked in the cited passage; where it does not stand there, the page says so.

    `leads` makes the links to the original and to the rest of the document; None: there are none.
    """
    cited = next(passage for passage in view.passages if passage.number == view.number)
    marked = place_of(view.quote, cited.text)
    title = _text(view.document.title or view.document.source)
    ways = _ways(view, leads) if leads else ""
    original = f" · {_link(view, leads, 'content', 1, 'the original')}" if leads else ""
    parts = [
        *_head(title),
        f"<p><small>{_text(view.document.source)}{original}</small></p>",
        _told(view.document),
        _remark(view.quote, marked),
        _picture(view, cited),
        ways,
        *_sections(view, marked),
        ways,
        _END,
    ]
    return "\n".join(part for part in parts if part)


def render_note(title: str, why: str, action: str, small: str) -> str:
    """A page that has nothing to show, and says what to do."""
    told = [f"<p>{_text(why)}</p>", f"<p><strong>{_text(action)}</strong></p>" if action else ""]
    return "\n".join((*_head(_text(title)), *told, f"<p><small>{_text(small)}</small></p>", _END))


def _head(title: str) -> tuple[str, str]:
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head><body>',
        f"<h1>{title}</h1>",
    )


def place_of(quote: str, text: str) -> Span | None:
    """Where the quote stands in `text`, however its white space is written; None where it does not."""
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return Span(*found.span()) if found else None


def _told(document: Document) -> str:
    """Who says it, where and when, by the document's own words."""
    dated = "" if document.dated_at is None else written(document.dated_at)[:10]
    about = document.about or About()
    lines = [" · ".join(filter(None, (about.by, dated))), about.description]
    return "".join(f"<p><small>{_text(line)}</small></p>" for line in lines if line)


def _remark(quote: str, marked: Span | None) -> str:
    if not quote or marked:
        return ""
    return "<p><strong>The quote does not stand in this passage: the document may have changed since.</strong></p>"


def _picture(view: View, cited: Chunk) -> str:
    """The page as it looks, of what is drawn; with the place marked."""
    page = next((at.page for at in cited.positions_of(view.quote) if at.page), None)
    kind = view.document.media_type
    if not (kind == "application/pdf" and page) and (not kind.startswith("image/") or kind == "image/svg+xml"):
        return ""
    query = urlencode({"page": page or 1, "highlight": view.number, "quote": view.quote})
    link = _within(view, signed, f"content?{query}", cited.id)
    return f'<p><img alt="The page as it looks" src="{html.escape(link)}"></p>'


def _within(view: View, leads: Leads, address: str, passage: str) -> str:
    """An address beside the page's own, so that it holds behind a proxy's path too."""
    folder = f"/v1/sources/{view.document.id}/"
    return leads(f"{folder}{address}", passage).removeprefix(folder)


def _link(view: View, leads: Leads, address: str, number: int, name: str) -> str:
    """To something of the document where passage `number` is meant."""
    passage = chunk_id(view.document.id, view.document.active_version, number - 1)
    return f'<a href="{html.escape(_within(view, leads, address, passage))}">{name}</a>'


def _ways(view: View, leads: Leads) -> str:
    """To what stands before and behind."""
    before = view.passages[0].number - 1
    links = [(max(1, before - AROUND), "previous")] if before else []
    links += [(view.following + AROUND, "next")] if view.following else []
    return "<nav>" + "".join(_link(view, leads, f"view?unit={unit}", unit, name) for unit, name in links) + "</nav>"


def _sections(view: View, marked: Span | None) -> Iterator[str]:
    for passage, shown in _without_repeats(view.passages, view.number):
        cited = passage.number == view.number
        yield f'<section id="{passage.number}"{" class=cited" if cited else ""}>'
        yield from _units(passage, shown, marked if cited else None)
        yield "</section>"


def _without_repeats(passages: Sequence[Chunk], number: int) -> Iterator[tuple[Chunk, Span]]:
    """What is shown of each passage: the cited one whole, of its neighbours what no nearer one has."""
    cited = next(place for place, passage in enumerate(passages) if passage.number == number)
    for place, passage in enumerate(passages):
        start, end = passage.span.start, passage.span.end
        if place < cited:
            end = min(end, passages[place + 1].span.start)
        elif place > cited:
            start = max(start, passages[place - 1].span.end)
        if start < end:
            yield passage, Span(start - passage.span.start, end - passage.span.start)


def _units(passage: Chunk, shown: Span, marked: Span | None) -> Iterator[str]:
    whole = Span(0, len(passage.text))
    places = passage.places or [SourceSpan(whole, passage.positions[0] if passage.positions else Position())]
    starts = [0, *(place.span.start for place in places[1:]), len(passage.text)]
    for place, start, end in zip(places, starts, starts[1:], strict=False):
        part = Span(max(start, shown.start), min(end, shown.end))
        if part.start < part.end:
            yield f"<small>{_text(where(place.position))}</small>"
            yield f'<p dir="auto">{_marked(passage.text, part, marked)}</p>'


def _marked(text: str, part: Span, marked: Span | None) -> str:
    if marked is None or marked.end <= part.start or part.end <= marked.start:
        return _text(part.of(text).strip("\n"))
    start, end = max(part.start, marked.start), min(part.end, marked.end)
    before, quote, after = text[part.start : start], text[start:end], text[end : part.end]
    anchor = ' id="quote"' if start == marked.start else ""
    return f"{_text(before.lstrip(chr(10)))}<mark{anchor}>{_text(quote)}</mark>{_text(after.rstrip(chr(10)))}"


def where(position: Position) -> str:
    """A position as people say it: "page 3", "sheet Depths, rows 4 to 6", "1:05"."""
    return ", ".join(_places(position))


def _places(at: Position) -> Iterable[str]:
    if at.page:
        yield f"page {at.page}"
    if at.slide:
        yield f"slide {at.slide}"
    if at.sheet:
        yield f"sheet {at.sheet}"
    if at.rows:
        yield f"row {at.rows[0]}" if at.rows[0] == at.rows[1] else f"rows {at.rows[0]} to {at.rows[1]}"
    if at.seconds:
        yield clock(at.seconds[0])
    if at.section:
        yield " > ".join(at.section)


def _text(text: str) -> str:
    return html.escape(_CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text))
