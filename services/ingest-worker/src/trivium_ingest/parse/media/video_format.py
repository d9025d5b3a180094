"""Video (MP4, MOV, MKV, WebM, AVI): speech and subtitles with their times, the text in key frames, chapters."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import Asset, ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.media.container import installed
from trivium_ingest.parse.media.keyframes import Film
from trivium_ingest.parse.media.recording import Recording, Speech, check_length, examine, listen
from trivium_ingest.parse.media.story import View, tell
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

_WHAT = "video"
_MP4, _MOV, _MKV, _WEBM, _AVI = "video/mp4", "video/quicktime", "video/x-matroska", "video/webm", "video/x-msvideo"
_EXTENSIONS = ("mp4", "m4v", "mov", "mkv", "webm", "avi")
_PICTURE_BRANDS = (b"hei", b"hev", b"mif", b"msf", b"avif", b"avis", b"crx")  # ISO files that are images
_OLD_QUICKTIME = (b"moov", b"mdat", b"wide")


def media_type_of(head: bytes) -> str:
    """The film's media type by its signature, or ""."""
    if head[4:8] == b"ftyp" and not head[8:12].startswith(_PICTURE_BRANDS):
        return _MOV if head[8:12] == b"qt  " else _MP4
    if head[4:8] in _OLD_QUICKTIME:
        return _MOV
    if head.startswith(b"\x1aE\xdf\xa3"):
        return _WEBM if b"webm" in head[:64] else _MKV
    return _AVI if head[:4] == b"RIFF" and head[8:12] == b"AVI " else ""


def recognise(sample: Sample) -> Evidence:
    """A known signature; a film's name on anything else, so that it fails as one."""
    if media_type_of(sample.head):
        return Evidence.SHORT_SIGNATURE  # audio in an MP4 file is surer by its brand
    return Evidence.IF_NAMED if sample.extension in _EXTENSIONS else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Headers first, then the speech, which may take several turns, then the pictures: they are read in one."""
    media_type = media_type_of(blob.content[:64])
    if not media_type:
        raise corrupt(_WHAT, "it does not begin as one")
    out = Collector(limits)
    recording = examine(blob.content, _WHAT, limits)
    film = Film(blob.content, limits)
    if not film.pictures and not recording.pictures and not recording.sound and not recording.duration_s:
        raise corrupt(_WHAT, "it holds neither pictures nor sound")
    check_length(_WHAT, film.duration_s, len(blob.content), limits)
    if not installed():
        out.warn("Chapters and subtitles inside it were not looked for (they need trivium-ingest-worker[media]).")
    speech = _speech(recording, blob, models, out, lambda share: models.progress(share / 2))
    reader = Reader(models.ocr, limits, out)
    views = list(_views(film, recording, reader, out, lambda share: models.progress((1 + share) / 2)))
    return tell(recording, speech, views, out, media_type)


def _views(
    film: Film, recording: Recording, reader: Reader, out: Collector, progress: Callable[[float], None]
) -> Iterator[View]:
    """The key frames, kept as assets, with the text in them."""
    if not reader.available:
        reader.refuse("Its pictures")
    names: dict[int, str] = {}
    before = ""
    for frame in film.key_frames(progress):
        text = ""
        if not frame.again:
            names[frame.number] = out.asset(Asset(f"frame-{frame.number:04}.jpg", "image/jpeg", frame.jpeg()))
            if reader.available:
                read = reader.paragraphs(frame.pixels, f"The picture at {frame.start_s:.0f} s")
                text = "\n".join(paragraph.text for paragraph in read)
        told = frame.again or (bool(text) and text == before)
        yield View(frame.start_s, names[frame.number], text, again=told)
        before = text
    if (film.pictures or recording.pictures) and not names:
        out.warn(f"Its pictures were not read: nothing here decodes them ({film.codec.strip() or 'unknown codec'}).")
    if not film.complete:
        out.warn("Only the beginning of its pictures was looked at.")


def _speech(
    recording: Recording, blob: Blob, models: ParserModels, out: Collector, progress: Callable[[float], None]
) -> Speech:
    """Sound that cannot be read costs itself."""
    try:
        return listen(recording, blob, models, out, progress)
    except NeverWill as failure:
        out.warn(f"The speech in it was not read: {failure.message}")
        return Speech()


FORMAT = Format(
    name="video (MP4, MOV, MKV, WebM, AVI)",
    media_types=(_MP4, _MOV, _MKV, _WEBM, _AVI),
    extensions=_EXTENSIONS,
    version=2,
    recognise=recognise,
    read=read,
    cites="time range, with the frame",
    needs="OCR, a speech model; the extra `media` of trivium-ingest-worker for subtitles and chapters inside",
)
