"""Write docs/formats.md from the registry of formats. With --check: fail when the committed one is stale."""

from __future__ import annotations

import inspect
from pathlib import Path

from written import write_or_check

from trivium.config import Settings
from trivium_ingest.assembly import parse_limits
from trivium_ingest.parse.registry import Format, known_formats

TARGET = Path(__file__).parent / "formats.md"
HEAD = """# Formats

A file's format is found by its content; its name only decides between kinds of text. Whatever a row says is read is
searchable with a citation that leads to the place named. Files never run anything, and nothing that they refer to is
fetched. Each is read in a process of its own ([how](architecture.md#locked-in)) with [bounds](#bounds) on time, memory
and size.

| format | file names | what is read | a citation points to | needs |
|---|---|---|---|---|
"""
FOOT = """
`make speech` in a checkout, or `pip install --find-links dist "trivium-gpu-inference[speech]"
"trivium-ingest-worker[media]"`, adds what runs a speech model, and the extra `media`: PyAV, whose wheels bring FFmpeg
with encoders under the GPL. LibreOffice is found where the machine has it (`soffice`). What Trivium's images have of
these says [kubernetes](kubernetes.md).

## Bounds

| bound | value | |
|---|---|---|
| a file | {mib[file]:,} MiB | `TRIVIUM_MAX_UPLOAD_BYTES` |
| a step of reading it | {step_s:.0f} s | `TRIVIUM_PARSE_TIMEOUT_S` |
| memory of the process that reads it | {mib[memory]:,} MiB | `TRIVIUM_PARSE_MEMORY_BYTES` |
| what it unpacks to | {mib[unpacked]:,} MiB, and {limits.max_ratio} times its size | |
| members of an archive, attachments and parts of a mail | {limits.max_members:,} | |
| pages, slides or chapters | {limits.max_pages:,} | |
| a picture | {megapixels} megapixels | |
| cells of tables, values of JSON and YAML | {limits.max_cells:,} | |
| characters of text | {limits.max_text_chars:,} | |
| a recording or film | {hours:.0f} hours | |

A file that passes one fails, and its failure names the bound. Members of an archive and pictures in a document that
pass one are left out, and a warning says so. OCR reads the first {limits.max_ocr_pages} pictures and scanned pages of
a document, and {limits.max_assets} pictures, {mib[shown]} MiB together, are kept to be shown: a document that has more
is ready all the same, with a warning. How deep files may lie inside files, and how many:
[the command line](cli.md#files-inside-files).

## Quoted mails

A mail or Outlook message by itself keeps what it quotes or forwards: each quoted mail is a section, headed by the words
that say who wrote it and when, and answers between quotations stay where they are. A mail that lies beside others, in a
mailbox or an archive, keeps what it quotes up to the first mail that lies there too (by `Message-ID`, `In-Reply-To` and
`References`; without them by subject and date). An answer that comes by IMAP keeps nothing of what it quotes. What is
left out is told by a warning. Signatures below `-- ` are left out, but for that of a forwarded mail.

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
| recordings, films | `date`, then `creation_time` of the container; needs the extra `media` of trivium-ingest-worker |

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
    return HEAD + "".join(map(row, entries)) + foot()


def foot() -> str:
    """With the bounds as they are unless settings say otherwise."""
    settings = Settings()
    limits = parse_limits(settings)
    sizes = {"file": limits.max_bytes, "memory": settings.parse_memory_bytes}
    sizes |= {"unpacked": limits.max_unpacked_bytes, "shown": limits.max_asset_bytes}
    in_mib = {name: size // 1024**2 for name, size in sizes.items()}
    hours, megapixels = limits.max_media_s / 3600, limits.max_pixels // 1_000_000
    return FOOT.format(mib=in_mib, limits=limits, step_s=settings.parse_timeout_s, hours=hours, megapixels=megapixels)


def row(entry: Format) -> str:
    """What its module's first line says is what is read."""
    module = inspect.getmodule(entry.read)
    summary = (inspect.getdoc(module) or "").partition("\n")[0]
    read = summary.partition(": ")[2] or summary
    names = " ".join(f"`.{extension}`" for extension in entry.extensions)
    return f"| {entry.name} | {names} | {read} | {entry.cites} | {entry.needs} |\n"


if __name__ == "__main__":
    write_or_check(TARGET, document())
