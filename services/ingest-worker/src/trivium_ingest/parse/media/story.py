"""Chapters, pictures and speech on one time line, as a document's units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.media.recording import Recording, Speech
from trivium_ingest.parse.media.tags import shown
from trivium_ingest.parse.media.timeline import passages

_ORDER = (UnitKind.HEADING, UnitKind.IMAGE, UnitKind.TEXT)  # of what begins together


class View(msgspec.Struct, frozen=True):
    """A picture, shown from `start_s` on, and the text in it; `again` where it was told before."""

    start_s: float
    asset: str
    text: str = ""
    again: bool = False


class _Moment(msgspec.Struct, frozen=True):
    kind: UnitKind
    text: str
    seconds: tuple[float, float]
    asset: str = ""


def tell(
    recording: Recording, speech: Speech, views: Sequence[View], out: Collector, media_type: str
) -> ParsedDocument:
    """Names first, then everything in order of time; speech in a film knows the picture that is shown meanwhile."""
    out.add(UnitKind.TEXT, shown(recording.tags), Position(seconds=(0.0, 0.0)))
    moments = [
        *(_Moment(UnitKind.HEADING, each.title, (each.start_s, each.start_s)) for each in recording.chapters),
        *_pictures(views, recording.duration_s),
        *_words(speech, views),
    ]
    for moment in sorted(moments, key=lambda each: (each.seconds[0], _ORDER.index(each.kind))):
        if moment.kind is UnitKind.HEADING:
            out.heading(moment.text, 1, Position(seconds=moment.seconds))
        else:
            ocr = moment.kind is UnitKind.IMAGE and bool(moment.text)
            out.add(moment.kind, moment.text, Position(seconds=moment.seconds), ocr=ocr, asset=moment.asset)
    metadata = recording.tags | ({"duration_s": f"{recording.duration_s:.1f}"} if recording.duration_s else {})
    document = out.document(media_type, title=recording.tags.get("title", ""), metadata=metadata)
    return msgspec.structs.replace(document, language=speech.language)


def _pictures(views: Sequence[View], duration_s: float) -> Iterable[_Moment]:
    ends = [view.start_s for view in views[1:]] + [duration_s]
    for view, end_s in zip(views, ends, strict=bool(views)):
        if not view.again:
            yield _Moment(UnitKind.IMAGE, view.text, (view.start_s, max(view.start_s, end_s)), view.asset)


def _words(speech: Speech, views: Sequence[View]) -> Iterable[_Moment]:
    at = 0
    for passage in passages(speech.cues):
        while at < len(views) and views[at].start_s <= passage.start_s:
            at += 1
        asset = views[at - 1].asset if at else ""
        yield _Moment(UnitKind.TEXT, passage.text, (passage.start_s, passage.end_s), asset)
