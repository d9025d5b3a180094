"""How fast the parsers read, on one core, and what memory their process takes. Run with `make bench-parse`.

Usage: python bench/parse_speed.py [--documents FOLDER] [--rounds 5]

What is read is made here; office files and memory are measured with the files in FOLDER/good too. Rates are per second
of processor time (the least of some runs), so that a busy machine counts little. Memory is that of a sandbox's child,
round after round.
"""

from __future__ import annotations

import argparse
import os
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import office_files
import pypdfium2
from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.table import Table
from speed import Writer
from watch import Watch

from trivium.domain.errors import TriviumError
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.build import parse_blob
from trivium_ingest.parse.sandbox import Sandbox

CONSOLE = Console()
RUNS = 3
ENOUGH_S = 0.2
PDF_PAGES = 40
A4_AT_150_DPI = (1240, 1754)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--documents", type=Path, help="also read its good/ for office files and for memory")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--only", default="pdf,office,csv,ocr,memory")
    options = arguments.parse_args()
    parts = options.only.split(",")
    table = Table("what", "measured", "reach", title=f"Parsers; load average {os.getloadavg()[0]:.1f} at the start")
    if "pdf" in parts:
        _add(table, pdf())
    if "office" in parts:
        _add(table, office(options.documents))
    if "csv" in parts:
        _add(table, delimited())
    if "ocr" in parts:
        _add(table, pixels())
    if "memory" in parts:
        _add(table, memory(options.documents, options.rounds))
    CONSOLE.print(table)


def _add(table: Table, rows: list[tuple[str, str, str]]) -> None:
    for row in rows:
        table.add_row(*row)


def core_seconds(work: Callable[[], object]) -> float:
    """Processor time of this process, the least of three runs, and of more where they are too short to be exact."""
    spent: list[float] = []
    while len(spent) < RUNS or sum(spent) < ENOUGH_S:
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return min(spent)


def read(name: str, content: bytes, models: ParserModels = ParserModels()) -> Callable[[], object]:  # noqa: B008 - frozen
    return lambda: parse_blob(Blob(name, content), ParseLimits(), models)


def pdf() -> list[tuple[str, str, str]]:
    """Pages a second: with columns, headings and tables, and bare text as pypdfium2 gives it."""
    content = office_files.report(PDF_PAGES)
    pages = len(pypdfium2.PdfDocument(content))
    layout = pages / core_seconds(read("report.pdf", content))
    bare = pages / core_seconds(lambda: [p.get_textpage().get_text_bounded() for p in pypdfium2.PdfDocument(content)])
    return [
        (f"PDF with layout, {pages} pages of two columns and tables", f"{layout:.0f} pages/s", ">= 40"),
        ("the same, bare text", f"{bare:.0f} pages/s", ">= 150"),
    ]


def office(documents: Path | None) -> list[tuple[str, str, str]]:
    """Megabytes a second of each kind and together: of the files as they are, and of what they hold unpacked."""
    rows, total = [], Spent()
    for name, content in office_files.made().items():
        spent = _read_office(name, content)
        total += spent
        what = f"{_kind(name)} of {spent.size / 1e6:.2f} MB ({spent.unpacked / 1e6:.1f} unpacked)"
        rows.append((what, spent.rates(), ""))
    rows.append(("docx, pptx, xlsx, html together", total.rates(), ">= 20 MB/s"))
    return rows + (_found_office(documents / "good") if documents is not None else [])


def _found_office(folder: Path) -> list[tuple[str, str, str]]:
    """The same of people's files, as they lie in a folder; text in their pictures is not read here."""
    kinds = ("docx", "pptx", "xlsx", "html")
    by_kind: dict[str, list[Spent]] = {}
    for path in sorted(folder.iterdir()):
        if _kind(path.name) in kinds:
            by_kind.setdefault(_kind(path.name), []).append(_read_office(path.name, path.read_bytes()))
    rows = []
    for kind, spent in by_kind.items():
        total = sum(spent, Spent())
        what = f"{len(spent)} {kind} of FOLDER, {total.size / 1e6:.2f} MB ({total.unpacked / 1e6:.1f} unpacked)"
        rows.append((what, total.rates(), ""))
    together = sum((spent for found in by_kind.values() for spent in found), Spent())
    return [*rows, ("these of FOLDER together", together.rates(), "")] if rows else []


@dataclass(frozen=True)
class Spent:
    """Bytes read, as they lie and as they are unpacked, and the seconds that it took."""

    size: int = 0
    unpacked: int = 0
    seconds: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.size + other.size, self.unpacked + other.unpacked, self.seconds + other.seconds)

    def rates(self) -> str:
        return f"{self.size / 1e6 / self.seconds:.1f} MB/s, unpacked {self.unpacked / 1e6 / self.seconds:.1f}"


def _read_office(name: str, content: bytes) -> Spent:
    return Spent(len(content), _unpacked(content), core_seconds(read(name, content)))


def _kind(name: str) -> str:
    return name.rpartition(".")[2].lower()


def _unpacked(content: bytes) -> int:
    if not content.startswith(b"PK"):
        return len(content)
    return sum(info.file_size for info in zipfile.ZipFile(BytesIO(content)).infolist())


def delimited() -> list[tuple[str, str, str]]:
    seconds = core_seconds(read("orders.csv", office_files.rows_of_text(1_000)))
    return [("CSV of 1,000 rows", f"{seconds:.3f} s", "<= 1 s")]


def pixels() -> list[tuple[str, str, str]]:
    """Pages of text a second at 150 dpi. The engine is loaded before."""
    from trivium_inference.ocr import rapid_ocr

    models = ParserModels(rapid_ocr())
    content = _scan()
    parse_blob(Blob("scan.png", content), ParseLimits(), models)
    return [
        ("OCR, an A4 page at 150 dpi", f"{1 / core_seconds(read('scan.png', content, models)):.2f} pages/s", ">= 1")
    ]


def _scan() -> bytes:
    image = Image.new("RGB", A4_AT_150_DPI, "white")
    draw, font, writer = ImageDraw.Draw(image), ImageFont.load_default(22), Writer(6)
    for line in range(45):
        draw.text((110, 120 + 34 * line), writer.text(88), fill="black", font=font)
    stream = BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def memory(documents: Path | None, rounds: int) -> list[tuple[str, str, str]]:
    """The child's peak, and what it holds at the end of each round."""
    from trivium_inference.ocr import rapid_ocr

    files = office_files.made() | {"scan.png": _scan(), "report.pdf": office_files.report(PDF_PAGES)}
    if documents is not None:
        files |= {path.name: path.read_bytes() for path in sorted((documents / "good").iterdir())}
    sandbox, after = Sandbox(rapid_ocr), []
    with Watch() as watch:
        for _ in range(rounds):
            for name, content in files.items():
                try:
                    sandbox.parse(Blob(name, content))
                except TriviumError:
                    continue
            after.append(watch.resident_mb())
    sandbox.close()
    held = ", ".join(f"{mb:.0f}" for mb in after)
    return [
        (f"largest parsing child, {rounds} rounds of {len(files)} files", f"{watch.peak_mb:.0f} MB", "<= 1 GB"),
        (f"  children used: {len(watch.seen)}; held after each round", f"{held} MB", "flat"),
    ]


if __name__ == "__main__":
    main()
