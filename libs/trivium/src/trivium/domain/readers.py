"""Who reads a document's file: Trivium's own parsers, or the library `unstructured`."""

from __future__ import annotations

import enum
from collections.abc import Mapping

import msgspec

from trivium.domain.by_dataset import read_by_dataset
from trivium.domain.documents import Document

SETTING = "TRIVIUM_DATASET_READERS"


class Reader(enum.StrEnum):
    """OWN are Trivium's parsers. UNSTRUCTURED is the library, for what it knows and `parse_blob` does not keep."""

    OWN = "own"
    UNSTRUCTURED = "unstructured"


class Readers(msgspec.Struct, frozen=True):
    """Which one reads a document: its dataset's, else `default`."""

    default: Reader = Reader.OWN
    by_dataset: Mapping[str, Reader] = {}

    def of(self, document: Document) -> Reader:
        """That of the document."""
        return self.by_dataset.get(document.dataset, self.default)

    @property
    def all(self) -> frozenset[Reader]:
        """Those that the settings name."""
        return frozenset((self.default, *self.by_dataset.values()))


def read_readers(text: str) -> dict[str, Reader]:
    """`DATASET=READER`, separated by commas, as a mapping. Raises `Refused` (`bad_setting`)."""
    return read_by_dataset(SETTING, text, Reader, "reader")
