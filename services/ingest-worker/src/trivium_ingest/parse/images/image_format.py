"""Images (PNG, JPEG, TIFF, BMP, GIF, WebP, HEIC): the text in them, with boxes in pixels. Sizes are checked first."""

from __future__ import annotations

from trivium.domain.parsed import Box, ParsedDocument, Position, UnitKind
from trivium.images.exif import dates
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import too_large
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.images.pictures import count_pages, frames, open_image, shown
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

_MAGICS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"II+\0", "image/tiff"),
    (0, b"MM\0+", "image/tiff"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypheix", "image/heic"),
    (4, b"ftypmif1", "image/heif"),
)


def media_type_of(head: bytes) -> str:
    """The image's media type by its signature, or ""."""
    for offset, magic, media_type in _MAGICS:
        if head[offset : offset + len(magic)] == magic:
            return media_type
    return ""


def recognise(sample: Sample) -> Evidence:
    """A known signature; BMP's two letters count only with its header's reserved zeros."""
    media_type = media_type_of(sample.head)
    if media_type == "image/bmp":
        return Evidence.SHORT_SIGNATURE if sample.head[6:10] == b"\0\0\0\0" else Evidence.NONE
    return Evidence.SIGNATURE if media_type else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Read every page of a TIFF and the first frame of anything else."""
    out = Collector(limits)
    reader = Reader(models.ocr, limits, out)
    image = open_image(blob.content, limits)
    count = count_pages(image, out.warn)
    if count > limits.max_pages:
        raise too_large("max_pages", f"{count:,} pages")
    metadata = {"width": str(image.width), "height": str(image.height)}
    found = False
    for frame in frames(image, limits, count, out.warn):
        where = f"Page {frame.number}" if count > 1 else "The image"
        page = frame.number if count > 1 else None
        if frame.number == 1:
            metadata |= dates(image)
        original = blob.content if count == 1 else b""
        asset = out.asset(shown(image, original, frame.pixels))
        out.add(UnitKind.IMAGE, "", Position(page=page), asset=asset)
        for paragraph in reader.paragraphs(frame.pixels, where):
            found = True
            place = Position(page=page, box=_enlarged(paragraph.box, frame.scale))
            out.add(UnitKind.TEXT, paragraph.text, place, ocr=True)
        if not reader.available:
            break
    if not found:
        out.warn("No text was found in the image.")
    return out.document(media_type_of(blob.content[:16]), pages=count, metadata=metadata)


def _enlarged(box: Box, scale: float) -> Box:
    return Box(box.left * scale, box.top * scale, box.right * scale, box.bottom * scale)


FORMAT = Format(
    name="images (PNG, JPEG, TIFF, BMP, GIF, WebP, HEIC)",
    media_types=(
        "image/png",
        "image/jpeg",
        "image/tiff",
        "image/bmp",
        "image/gif",
        "image/webp",
        "image/heic",
        "image/heif",
    ),
    extensions=("png", "jpg", "jpeg", "tif", "tiff", "bmp", "gif", "webp", "heic", "heif"),
    version=5,
    recognise=recognise,
    read=read,
    cites="page of a TIFF; box in pixels",
    needs="OCR",
)
