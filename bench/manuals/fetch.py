"""Fetches the documents of a set, which are other people's: manuals, guides and histories of Debian packages.

Usage: python bench/manuals/fetch.py FOLDER [--set second], then trivium eval FOLDER --answers

FOLDER then holds documents/, corpus.jsonl and the questions. It needs Debian or a system made from it (apt-get,
dpkg-deb, man and col) and 34 MB for the packages (23 MB for the second set), which are thrown away. Nothing is
installed. The questions were checked against Debian 12; another release may tell other things.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
SETS = ("first", "second")
PROGRAMS = ("apt-get", "dpkg-deb", "man", "col")
COLUMNS = 80
"""How wide `man` writes, as on the terminal that its pages are made for."""


class Document(NamedTuple):
    """A line of documents.txt; `path` is below usr/share of the package."""

    package: str
    sort: str
    name: str
    path: str


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path, help="a folder outside the repository")
    arguments.add_argument("--set", choices=SETS, default=SETS[0], help="which documents and questions")
    given = arguments.parse_args()
    folder: Path = given.folder.resolve()
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    if absent:
        sys.exit(f"{', '.join(absent)}: not found. The documents come from Debian packages; run this on Debian.")
    documents = [Document(*line.split()) for line in _lines(HERE / given.set / "documents.txt")]
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        unpacked = _unpacked(sorted({document.package for document in documents}), Path(work))
        for document in documents:
            (folder / "documents" / document.name).write_bytes(_read(document, unpacked[document.package]))
    _write_corpus(documents, folder)
    for name in ("queries.jsonl", "meta.json"):
        shutil.copy(HERE / given.set / name, folder)
    print(f"{len(documents)} documents and their questions: {folder}")


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def _unpacked(packages: list[str], work: Path) -> dict[str, Path]:
    """The folder of each package, unpacked; ends the program where one cannot be had."""
    got = subprocess.run(
        ["apt-get", "-q", "download", *packages], cwd=work, capture_output=True, text=True, check=False
    )
    if got.returncode:
        sys.exit(f"apt-get download failed; try apt-get update first.\n{got.stderr.strip()}")
    for package in packages:
        (archive,) = work.glob(f"{package}_*.deb")
        subprocess.run(["dpkg-deb", "-x", archive, work / package], check=True)
    return {package: work / package for package in packages}


def _read(document: Document, unpacked: Path) -> bytes:
    """The document as a person meets it: a manual page rendered, .gz unpacked, anything else as it is."""
    path = unpacked / "usr" / "share" / document.path
    if not path.is_file():
        sys.exit(f"{document.package}: {document.path} is not in this version of the package.")
    if document.path.startswith("man/"):
        return _rendered(path)
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def _rendered(page: Path) -> bytes:
    """The page as `man` prints it, with neither bold nor underlining."""
    terminal = {**os.environ, "MANWIDTH": str(COLUMNS), "LC_ALL": "C.UTF-8"}
    page_text = subprocess.run(["man", "-P", "cat", "-l", page], env=terminal, capture_output=True, check=True).stdout
    return subprocess.run(["col", "-bx"], input=page_text, env=terminal, capture_output=True, check=True).stdout


def _write_corpus(documents: list[Document], folder: Path) -> None:
    records = ({"id": Path(each.name).stem, "file": f"documents/{each.name}"} for each in documents)
    (folder / "corpus.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


if __name__ == "__main__":
    main()
