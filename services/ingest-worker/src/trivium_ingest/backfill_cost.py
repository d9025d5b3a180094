"""What the reading agent would cost a backfill: of some of its documents by reading them, of the rest by their size."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec

from trivium.config import Settings
from trivium.domain.bucket_datasets import dataset_of
from trivium.domain.errors import TriviumError
from trivium.domain.extractors import Extractor
from trivium.domain.reading_cost import lengths_of_passages, reading_cost
from trivium.ports.parser import Blob
from trivium.ports.uploads import Upload
from trivium_ingest.parse.alone import parse_alone
from trivium_ingest.uploads.compare import Compared
from trivium_ingest.uploads.follow import Bucket

SAMPLE = 50  # documents that are read for an estimate; each takes about a second


class ForTheAgent:
    """What an agent would read of a backfill into `dataset` ("": as the rules say), and a fair sample of it.

    The same listing has the same sample, whatever its length.
    """

    def __init__(self, settings: Settings, bucket: Bucket, dataset: str) -> None:
        self._settings = settings
        self._bucket = bucket
        self._dataset = dataset
        self._chance = random.Random(0)  # noqa: S311 - no secret
        self.sample: list[Upload] = []
        self.documents = 0
        self.size_bytes = 0

    def add(self, each: Compared) -> None:
        """One that is new or changed; it counts where an agent is to read it, and is not too large to be read."""
        upload = each.upload
        if not self._is_read_by_agent(each) or upload.size_bytes > self._settings.max_upload_bytes:
            return
        self.documents += 1
        self.size_bytes += upload.size_bytes
        if len(self.sample) < SAMPLE:
            self.sample.append(upload)
        elif (place := self._chance.randrange(self.documents)) < SAMPLE:
            self.sample[place] = upload

    def _is_read_by_agent(self, each: Compared) -> bool:
        extractors = self._settings.extractors
        if each.known is not None and each.known.extractor:
            return each.known.extractor == Extractor.AGENT
        dataset = self._dataset or dataset_of(self._settings.dataset_rules, self._bucket.name, each.upload.key)
        return extractors.by_dataset.get(dataset, extractors.default) is Extractor.AGENT


class Estimate(msgspec.Struct, frozen=True):
    """Tokens for all documents; `read` of them were looked into, `unread` could not be. None: nothing could."""

    documents: int
    read: int
    unread: int
    tokens: int | None


def estimated(
    settings: Settings, bucket: Bucket, wanted: ForTheAgent, stopped: Callable[[], bool] = lambda: False
) -> Estimate:
    """A document costs no more than its budget, beyond which the rules read it.

    Of those that were not looked into each byte costs what one of the others did. `stopped` is asked before each that
    is looked into; from then on none is.
    """
    tokens = size_bytes = read = 0
    for upload in wanted.sample:
        if stopped():
            break
        try:
            blob = Blob(upload.key.rpartition("/")[2], bucket.uploads.get(upload.key, upload.etag))
            costs = _costs(settings, blob)
        except (TriviumError, OSError):
            continue
        read += 1
        size_bytes += upload.size_bytes
        tokens += sum(min(cost, settings.agent_budget_tokens) for cost in costs)
    unread = len(wanted.sample) - read
    if not read:
        return Estimate(wanted.documents, read, unread, None if wanted.documents else 0)
    if wanted.documents > len(wanted.sample):
        tokens = round(tokens * wanted.size_bytes / max(1, size_bytes))
    return Estimate(wanted.documents, read, unread, tokens)


def _costs(settings: Settings, blob: Blob) -> Sequence[int]:
    """Of the document and of each file inside it."""
    found = []
    for one in parse_alone(settings, blob):
        chars = sum(len(unit.text) for unit in (one.document.units if one.document else ()))
        found.append(reading_cost(lengths_of_passages(chars, settings.chunk_size, settings.chunk_overlap)))
    return found
