"""Who reads passages for the graph: rules, a language model once a passage, or an agent with tools."""

from __future__ import annotations

import enum
from collections.abc import Mapping

import msgspec

from trivium.domain.by_dataset import read_by_dataset
from trivium.domain.documents import Document
from trivium.domain.errors import Refused

SETTING = "TRIVIUM_DATASET_EXTRACTORS"


class Extractor(enum.StrEnum):
    """RULES need no model; LLM asks one for each passage; AGENT has it read with tools, paragraph by paragraph."""

    RULES = "rules"
    LLM = "llm"
    AGENT = "agent"


class Extractors(msgspec.Struct, frozen=True):
    """Which one reads a document: its upload's, else its dataset's, else `default`."""

    default: Extractor = Extractor.RULES
    by_dataset: Mapping[str, Extractor] = {}

    def of(self, document: Document) -> Extractor:
        """That of the document."""
        if document.extractor:
            return Extractor(document.extractor)
        return self.by_dataset.get(document.dataset, self.default)

    @property
    def all(self) -> frozenset[Extractor]:
        """Those that the settings name."""
        return frozenset((self.default, *self.by_dataset.values()))


def read_extractors(text: str) -> dict[str, Extractor]:
    """`DATASET=EXTRACTOR`, separated by commas, as a mapping. Raises `Refused` (`bad_setting`)."""
    return read_by_dataset(SETTING, text, Extractor, "extractor")


def require_model(extractor: str, has_model: bool) -> None:
    """Raises `Refused` (`no_language_model`) for an extractor that needs one where none is configured."""
    if extractor in (Extractor.LLM, Extractor.AGENT) and not has_model:
        calling = " that can call tools" if extractor == Extractor.AGENT else ""
        raise Refused(
            "no_language_model",
            f"The extractor {extractor!r} needs a language model{calling}, and this server has none.",
            "Set TRIVIUM_LLM and TRIVIUM_LLM_MODEL there, or leave the extractor to the rules.",
        )
