"""How much of a folder of documents the parsers find, how hostile files end, and how fast PDF text is read.

Usage: python bench/parse_facts.py FOLDER [--pdfs FOLDER] [--formats pdf,docx,...]

FOLDER holds manifest.jsonl: one object a line with `file`, `format`, and `facts` (strings that a reader of the
document sees) or `hostile`. Everything goes through the sandbox, as in production, with OCR when it is installed.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import time
from collections import Counter, defaultdict
from pathlib import Path

from trivium.domain.errors import TriviumError
from trivium.ports.parser import Blob
from trivium_ingest.parse.registry import known_formats
from trivium_ingest.parse.sandbox import Sandbox


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--pdfs", type=Path)
    arguments.add_argument("--formats", default="")
    arguments.add_argument("--no-ocr", action="store_true")
    options = arguments.parse_args()
    sandbox = Sandbox(None)
    if not options.no_ocr:
        from trivium_inference.ocr import rapid_ocr

        sandbox = Sandbox(rapid_ocr)
    entries = [json.loads(line) for line in (options.folder / "manifest.jsonl").read_text().splitlines()]
    wanted = set(filter(None, options.formats.split(",")))
    entries = [entry for entry in entries if not wanted or entry["format"] in wanted]
    good(sandbox, options.folder, [entry for entry in entries if not entry.get("hostile")])
    hostile(sandbox, options.folder, [entry for entry in entries if entry.get("hostile")])
    if options.pdfs:
        speed(options.pdfs)
    sandbox.close()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"largest child: {children.ru_maxrss / 1024:.0f} MB")


def good(sandbox: Sandbox, folder: Path, entries: list[dict]) -> None:
    supported = {extension for entry in known_formats() for extension in entry.extensions}
    found: dict[str, Counter[bool]] = defaultdict(Counter)
    for entry in entries:
        in_scope = entry["format"] in supported
        outcome, text, seconds = parse(sandbox, folder / entry["file"])
        missing = [fact for fact in entry["facts"] if squeezed(fact) not in squeezed(text)]
        if in_scope:
            found[entry["format"]].update(fact not in missing for fact in entry["facts"])
        if missing or seconds > 5:
            scope = "" if in_scope else " [out of scope]"
            print(f"  {entry['file']}{scope}: {outcome}, {seconds:.1f} s, missing {missing}")
    total = sum(found.values(), Counter())
    for name, counts in sorted(found.items()):
        print(f"{name:6} {counts[True]:4} of {counts.total():4} facts")
    if total.total():
        share = 100 * total[True] / total.total()
        print(f"{'all':6} {total[True]:4} of {total.total():4} facts: {share:.1f} %")


def hostile(sandbox: Sandbox, folder: Path, entries: list[dict]) -> None:
    for entry in entries:
        outcome, text, seconds = parse(sandbox, folder / entry["file"], entry.get("upload_as", ""))
        bad = [word for word in entry.get("must_not_contain", []) if word in text]
        mark = "!!" if "crash" in outcome or seconds > 20 or bad else "  "
        name = Path(entry["file"]).name
        print(f"{mark} {name:50.50} {entry['expect']:10.10} {seconds:6.2f} s  {outcome} {bad or ''}")


def speed(folder: Path) -> None:
    pages = 0
    began = time.perf_counter()
    text_only = Sandbox(None)
    for path in sorted(folder.glob("*.pdf")):
        try:
            pages += text_only.parse(Blob(path.name, path.read_bytes())).pages
        except TriviumError as failure:
            print(f"  {path.name}: {failure}")
    seconds = time.perf_counter() - began
    text_only.close()
    print(f"PDF text: {pages} pages in {seconds:.1f} s, {pages / seconds:.0f} pages/s")


def parse(sandbox: Sandbox, path: Path, name: str = "") -> tuple[str, str, float]:
    began = time.perf_counter()
    try:
        document = sandbox.parse(Blob(name or path.name, path.read_bytes()))
    except TriviumError as failure:
        return failure.code, "", time.perf_counter() - began
    seconds = time.perf_counter() - began
    outcome = f"{document.media_type}, {len(document.units)} units, {len(document.text)} chars"
    if document.warnings:
        outcome += f", {document.warnings[0][:60]}"
    return outcome, f"{document.title}\n{document.text}", seconds


def squeezed(text: str) -> str:
    return re.sub(r"[\s|]+", "", text).lower()


if __name__ == "__main__":
    main()
