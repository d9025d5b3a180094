"""The first passages that the product finds for each question of a set, as its reader would be given them.

Usage: python bench/reader_passages.py FOLDER OUT.json

FOLDER is in the evaluation format. A server of the benchmark's own ingests it; every question is searched over HTTP.
`bench/train_reader.py` measures on these files, so that its figures are of the passages that a person's question gets.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import msgspec
from answers import ingest, read
from serving import running_server

from trivium import api
from trivium.client import TriviumClient
from trivium.ports.inference import Passage

TOP = 5


class Found(msgspec.Struct, frozen=True):
    """The passages of one question, best first."""

    query: str
    passages: tuple[Passage, ...]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("out", type=Path)
    options = arguments.parse_args()
    options.out.write_bytes(msgspec.json.encode(find(options.folder)))


def find(folder: Path) -> list[Found]:
    with (
        tempfile.TemporaryDirectory() as scratch,
        running_server(Path(scratch, "data")) as server,
        TriviumClient(server.url) as client,
    ):
        ingest(client, folder, Path(scratch))
        questions = read(folder / "queries.jsonl.gz")
        return [Found(row["id"], searched(client, row["question"])) for row in questions]


def searched(client: TriviumClient, question: str) -> tuple[Passage, ...]:
    return tuple(as_read(hit) for hit in client.search(question, top_k=TOP).hits)


def as_read(hit: api.Hit) -> Passage:
    """With its title, and with the sentence of the step that led to it."""
    bridge = [hit.bridge.sentence] if hit.bridge else []
    return Passage(hit.chunk.text, "\n".join([hit.chunk.title, *bridge]))


if __name__ == "__main__":
    main()
