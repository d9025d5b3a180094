"""Small files are made here, by the libraries that people make them with."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from trivium.domain.parsed import Box, ParsedDocument, Unit, UnitKind
from trivium.domain.password import given_password
from trivium.ports.inference import OcrLine
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.build import parse_blob

Parse = Callable[..., ParsedDocument]


class InkOcr:
    """Reads one line, "ink", with the box of everything dark: enough to see that pixels arrive the right way up."""

    fingerprint = "ink"

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        self.shapes.append((image.shape[0] - 2 * 16, image.shape[1] - 2 * 16, 3))  # without the margin
        dark = (image[:, :, 0] < 128) | (image[:, :, 1] < 128) | (image[:, :, 2] < 128)
        rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
        if not len(rows):
            return []
        box = Box(float(columns.min()), float(rows.min()), float(columns.max() + 1), float(rows.max() + 1))
        return [OcrLine("ink", box, 0.99)]


@pytest.fixture
def ocr() -> InkOcr:
    return InkOcr()


@pytest.fixture
def no_libre_office(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def parse() -> Parse:
    def run(content: bytes | str, name: str = "upload", **options: Any) -> ParsedDocument:
        raw = content.encode() if isinstance(content, str) else content
        limits = ParseLimits(**options.pop("limits", {}))
        password = given_password(options.pop("password", ""))
        blob = Blob(name, raw, options.pop("declared_type", ""), password=password)
        return parse_blob(blob, limits, ParserModels(options.pop("ocr", None), options.pop("transcriber", None)))

    return run


def units(document: ParsedDocument, kind: UnitKind) -> list[Unit]:
    return [unit for unit in document.units if unit.kind == kind]


def texts(document: ParsedDocument, kind: UnitKind) -> list[str]:
    return [unit.text for unit in units(document, kind)]


def pdf(draw: Callable[[Canvas], None], **options: Any) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, invariant=1, **options)
    draw(canvas)
    canvas.save()
    return stream.getvalue()


def picture(kind: str = "PNG", size: tuple[int, int] = (200, 100), **options: Any) -> bytes:
    """White, with a black bar at the top left."""
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).rectangle((10, 10, 60, 20), fill="black")
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def draw_lines(canvas: Canvas, lines: list[str], x: float, y: float, size: float = 10) -> None:
    canvas.setFont("Helvetica", size)
    for number, line in enumerate(lines):
        canvas.drawString(x, y - 1.2 * size * number, line)


def saved(document: Any) -> bytes:
    """Of python-docx, python-pptx or openpyxl."""
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()
