"""What stands in an original at a citation's position, found without Trivium's parsers."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import Any

import openpyxl
import pptx
import pypdfium2

Place = dict[str, Any]


def _in_text(original: bytes, position: Place) -> str:
    start, end = position["offset"]
    return _decoded(original)[start:end]


def _decoded(original: bytes) -> str:
    try:
        return original.decode()
    except UnicodeDecodeError:
        return original.decode("cp1252")


def _in_table(original: bytes, position: Place) -> str:
    first, last = position["rows"]
    return "\n".join(_decoded(original).splitlines()[first - 1 : last])


def _on_page(original: bytes, position: Place) -> str:
    page = pypdfium2.PdfDocument(original)[position["page"] - 1]
    box, height = position["box"], page.get_height()
    edges = (box["left"] - 1, height - box["bottom"] - 1, box["right"] + 1, height - box["top"] + 1)
    return str(page.get_textpage().get_text_bounded(*edges))


def _on_slide(original: bytes, position: Place) -> str:
    slide = pptx.Presentation(io.BytesIO(original)).slides[position["slide"] - 1]
    return slide.notes_slide.notes_text_frame.text


def _in_sheet(original: bytes, position: Place) -> str:
    sheet = openpyxl.load_workbook(io.BytesIO(original))[position["sheet"]]
    rows = sheet.iter_rows(*position["rows"], values_only=True)
    return "\n".join(str(value) for row in rows for value in row)


def _spoken(original: bytes, position: Place) -> str:
    cues = re.findall(r"(\d+):(\d+):(\d+),(\d+) --> .*\n((?:.+\n)+)", original.decode())
    first, last = position["seconds"]
    starts = ((int(h) * 3600 + int(m) * 60 + int(s) + int(ms) / 1000, words) for h, m, s, ms, words in cues)
    return "\n".join(words for start, words in starts if first <= start < last)


LOOK_UP: Mapping[str, Callable[[bytes, Place], str]] = {
    **dict.fromkeys((".adoc", ".jsonl", ".tex", ".md", ".org", ".txt", ".rst", ".py", ".yaml"), _in_text),
    ".csv": _in_table,
    ".pdf": _on_page,
    ".pptx": _on_slide,
    ".xlsx": _in_sheet,
    ".srt": _spoken,
}
