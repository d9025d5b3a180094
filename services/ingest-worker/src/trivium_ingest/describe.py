"""Pictures in words: a model that can see describes the pictures of a document, a few in each call.

Annotation by a vision model at ingest is the fifth system's (multimodal agentic RAG). A description joins what was read
in the picture, so that both are searched and cited; a picture of a chart or of a formula becomes a unit of that kind.
Descriptions are kept by content beside the version's artifacts: reading the same version again asks nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Final

import msgspec

from trivium.domain.documents import Document
from trivium.domain.errors import NotFound, TriviumError
from trivium.domain.ids import digest
from trivium.domain.parsed import Asset, ParsedDocument, Unit, UnitKind
from trivium.flow.artifacts import artifact_prefix
from trivium.llm.address import LlmAddress
from trivium.llm.prompt_files import prompt_named
from trivium.ports.llm import Llm, Message, Picture
from trivium.ports.objects import ObjectStore

BATCH: Final = 4  # pictures of one call
CONCURRENCY: Final = 4
MAX_PICTURES: Final = 200  # of one document
MAX_TOKENS: Final = 300  # of one description
TIMEOUT_S: Final = 120.0
GIVE_UP_AFTER: Final = 3  # calls that failed: the model is away, and every further one would wait too
DESCRIBED: Final = frozenset({UnitKind.IMAGE, UnitKind.CHART})

PROMPT: Final = prompt_named("describe")


class Shows(StrEnum):
    """What kind of picture it is."""

    PICTURE = "picture"
    CHART = "chart"
    FORMULA = "formula"


class Caption(msgspec.Struct, frozen=True):
    """One picture in words."""

    shows: Annotated[
        Shows, msgspec.Meta(description="chart: values drawn to a scale; formula: mathematics; else picture")
    ]
    description: Annotated[str, msgspec.Meta(description="two to four sentences", max_length=4_000)]


class Captions(msgspec.Struct, frozen=True):
    """One caption for each picture, in the order of the pictures."""

    captions: list[Caption]


class Describer(msgspec.Struct, frozen=True):
    """Describes pictures by the model at `address`. Called from a thread without an event loop."""

    address: LlmAddress

    def fingerprint(self) -> str:
        """Prompt and model."""
        return f"{self.address.name}:{PROMPT.version}"

    def describe(self, parsed: ParsedDocument, document: Document, objects: ObjectStore) -> ParsedDocument:
        """The document with its pictures described, as far as the model could; a warning tells what it could not."""
        wanted = {unit.asset for unit in parsed.units if unit.kind in DESCRIBED and unit.asset}
        pictures = {asset.name: asset for asset in parsed.assets if asset.name in wanted}
        known = self._remembered(pictures, document, objects)
        todo = [asset for name, asset in pictures.items() if name not in known][:MAX_PICTURES]
        written, failures = self.address.run(lambda llm: _described(todo, llm)) if todo else ({}, [])
        for name, caption in written.items():
            key = self._key(document, document.version, pictures[name])
            objects.put(key, msgspec.json.encode(caption), durable=False)
        known |= written
        warnings = parsed.warnings
        if len(known) < len(pictures):
            reason = failures[0] if failures else f"At most {MAX_PICTURES} are described."
            missing = len(pictures) - len(known)
            warnings = (*warnings, f"{missing} of {len(pictures)} pictures were not described. {reason}")
        units = tuple(_with_caption(unit, known) for unit in parsed.units)
        return msgspec.structs.replace(parsed, units=units, warnings=warnings)

    def _remembered(
        self, pictures: Mapping[str, Asset], document: Document, objects: ObjectStore
    ) -> dict[str, Caption]:
        found = {}
        versions = dict.fromkeys(filter(None, (document.version, document.active_version)))
        for name, asset in pictures.items():
            for version in versions:
                try:
                    raw = objects.get(self._key(document, version, asset))
                    found[name] = msgspec.json.decode(raw, type=Caption)
                except (NotFound, msgspec.DecodeError):
                    continue
                if version != document.version:  # whose files go when this one is published
                    objects.put(self._key(document, document.version, asset), raw, durable=False)
                break
        return found

    def _key(self, document: Document, version: str, asset: Asset) -> str:
        return f"{artifact_prefix(document.id, version)}captions/{digest(self.fingerprint(), asset.content)}"


async def _described(assets: Sequence[Asset], llm: Llm) -> tuple[dict[str, Caption], list[str]]:
    """Captions by asset, and the reasons of those that failed."""
    turns = asyncio.Semaphore(CONCURRENCY)
    failures: list[str] = []

    async def some(batch: Sequence[Asset]) -> dict[str, Caption]:
        async with turns:
            if len(failures) >= GIVE_UP_AFTER:
                return {}
            try:
                answer, _ = await llm.complete_json(
                    _messages(batch), Captions, max_tokens=MAX_TOKENS * len(batch), timeout_s=TIMEOUT_S
                )
            except TriviumError as error:
                failures.append(error.message)
                return {}
        if len(answer.captions) != len(batch):
            failures.append(f"It gave {len(answer.captions)} descriptions of {len(batch)} pictures.")
            return {}
        return {asset.name: caption for asset, caption in zip(batch, answer.captions, strict=True)}

    parts = await asyncio.gather(*(some(assets[start : start + BATCH]) for start in range(0, len(assets), BATCH)))
    return {name: caption for part in parts for name, caption in part.items()}, failures


def _messages(batch: Sequence[Asset]) -> list[Message]:
    pictures = tuple(Picture(asset.media_type, asset.content) for asset in batch)
    return [Message("system", PROMPT.text), Message("user", f"Describe these {len(batch)} pictures.", pictures)]


def _with_caption(unit: Unit, captions: Mapping[str, Caption]) -> Unit:
    caption = captions.get(unit.asset) if unit.kind in DESCRIBED else None
    if caption is None:
        return unit
    kinds = {Shows.CHART: UnitKind.CHART, Shows.FORMULA: UnitKind.EQUATION}
    said = " ".join(caption.description.split())
    return msgspec.structs.replace(
        unit, kind=kinds.get(caption.shows, unit.kind), text="\n".join(filter(None, (said, unit.text)))
    )
