"""Write docs/formats.md from the registry of formats. With --check: fail when the committed one is stale."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from trivium_ingest.parse.registry import Format, known_formats

TARGET = Path(__file__).parent / "formats.md"
HEAD = """# Formats

A file's format is found by its content; its name only decides between kinds of text. Whatever a row says is read is
searchable with a citation that leads to the place named. Files never run anything, and nothing that they refer to is
fetched. Each is read in a process of its own with bounds on time, memory and size
([architecture](architecture.md)); a bound that is passed is named in the document's failure.

| format | file names | what is read | a citation points to | needs |
|---|---|---|---|---|
"""
FOOT = """
## Dates

`--time dated` asks about the date that a document gives itself. It is the first of these that it tells and that can be
read; without a time zone it is UTC:

| of | the date |
|---|---|
| mails, Outlook messages | sent |
| pictures (JPEG, PNG, TIFF, WebP, HEIC) | Exif: taken, digitised, changed, each in its time zone where it is told |
| PDF | made, changed |
| DOCX, PPTX, XLSX, XLSB, ODT, ODP, ODS | made, changed |
| DOC, PPT, XLS | made, saved last, by the file's summary |
| RTF | made, revised |
| EPUB | published, changed |
| HTML | what its head calls its date |
| Markdown | `date`, `created`, `modified` of its front matter |
| Org, LaTeX | the date at its beginning |
| recordings, films | `date`, then `creation_time` of the container; needs the extra `media` |

Unset fields, 1 January 1601 at midnight, and what lies before the year 1000 or from 2100 on are no dates, and never a
reason to refuse a file. Nothing is guessed from the text, from file names or from the disk.

## The library `unstructured`

`pip install --find-links dist "trivium-ingest-worker[unstructured]"` (0.9 GB with what it asks for; `make wheels` makes
`dist/`) makes it a reader beside ours, in the same sandbox. `TRIVIUM_UNSTRUCTURED_MODEL` names the folder of its spaCy
pipeline (`en_core_web_sm`); nothing is downloaded. With that alone it is asked for what no row above is.
`TRIVIUM_READER=unstructured` has it read every file, `TRIVIUM_DATASET_READERS=papers=unstructured` those of a dataset,
from then on. Citations then point to a section, a page or a sheet. Mails, archives, pictures, recordings and subtitles
stay with our parsers, and so does what it does not know: PDF, without its own extra, which brings torch. Of a PDF that
it reads, attached files are left out. `make test-unstructured` tries it, and measures both.

Written by `docs/write_formats.py` from `services/ingest-worker/src/trivium_ingest/parse/`: a new format is one file
there, `<family>/<name>_format.py`, with an example of it in `examples/` and a question to that in
`tests/e2e/test_every_format.py`.
"""


def document() -> str:
    """The table, one row for each format, by name."""
    entries = sorted(known_formats(), key=lambda entry: entry.name.lower())
    return HEAD + "".join(map(row, entries)) + FOOT


def row(entry: Format) -> str:
    """What its module's first line says is what is read."""
    module = inspect.getmodule(entry.read)
    summary = (inspect.getdoc(module) or "").partition("\n")[0]
    read = summary.partition(": ")[2] or summary
    names = " ".join(f"`.{extension}`" for extension in entry.extensions)
    return f"| {entry.name} | {names} | {read} | {entry.cites} | {entry.needs} |\n"


def main() -> None:
    """Write or check."""
    fresh = document()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(fresh, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != fresh:
        sys.exit("docs/formats.md is stale: run docs/write_formats.py and commit.")


if __name__ == "__main__":
    main()
