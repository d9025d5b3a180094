"""From pairs of statements to cards: one for each two sentences of a dataset, however many documents repeat them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import msgspec

from trivium.domain.chunks import Chunk, Span
from trivium.domain.contradictions import Contradiction, ContradictionKind, Dismissal, Side, contradiction_id
from trivium.domain.edits import Evidence
from trivium.domain.errors import Refused
from trivium.domain.retrieval import Hit
from trivium_query.answer.citations import Shelf as Citing
from trivium_query.contradictions.kept import Kept
from trivium_query.contradictions.match import Shelf, disagreement

MAX_TOLD = 10  # cards that an answer shows


class Place(msgspec.Struct, frozen=True):
    """Where one of a card's sentences stands; it is on one line."""

    document_id: str
    chunk_id: str
    sentence: str


class CardSide(Place, frozen=True):
    """A statement's place, and its value in it."""

    value: str


class Card(msgspec.Struct, frozen=True):
    """A card without its passages."""

    id: str
    kind: ContradictionKind
    dataset: str
    subject: str
    attribute: str
    sides: tuple[CardSide, CardSide]
    confidence: float
    operation: str
    since: float
    quoted: tuple[tuple[str, str], ...] = ()
    """The documents of each pair that says so in these words: of the sentence that sorts first, and of the other."""
    places: tuple[Place, ...] = ()
    """Those of all these pairs, of its own sides too."""

    def known_by(self, former: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
        """All ids that somebody may have it by: of each of its pairs, also by the documents' `former` ids."""
        texts = sorted(side.sentence for side in self.sides)
        for one, other in self.quoted:
            for pair in ((one, other), *zip(former.get(one, ()), former.get(other, ()), strict=False)):
                first, second = zip(pair, texts, strict=True)
                yield contradiction_id(self.kind.value, first, second)

    def touches(self, quotes: Collection[tuple[str, str]]) -> bool:
        """Whether one of the quotes, (chunk id, text on one line) each, has one of its sentences, or is within it."""
        return any(
            place.chunk_id == chunk_id and (place.sentence in quote or quote in place.sentence)
            for chunk_id, quote in quotes
            for place in self.places
        )

    def is_of(self, document_id: str) -> bool:
        """Whether the document has one of its sentences."""
        return any(place.document_id == document_id for place in self.places)


def cards_of(known: Kept, shelf: Shelf) -> list[Card]:
    """Surest first. Where several of a dataset say the same in the same words, the first found stands for all."""
    sources = {source.document_id: source for source in known.sources}
    quoted: dict[tuple[str, str, str], dict[tuple[Place, Place], None]] = {}  # by dataset and sentences, the pairs
    told: dict[tuple[str, str, str], Card] = {}
    for pair in sorted(known.found, key=lambda each: (-each.confidence, each.one, each.other)):
        here, there = sources[pair.one[0]], sources[pair.other[0]]
        one, other = shelf.statement(here, pair.one[1]), shelf.statement(there, pair.other[1])
        if one is None or other is None:
            continue
        places = (Place(pair.one[0], one.chunk_id, one.text), Place(pair.other[0], other.chunk_id, other.text))
        first, second = sorted(places, key=lambda place: (place.sentence, place.document_id))
        said = (here.dataset, first.sentence, second.sentence)
        is_told = said in quoted
        quoted.setdefault(said, {})[first, second] = None
        if is_told:
            continue
        found = disagreement(shelf, here, pair.one[1], there, pair.other[1])
        meaning = not pair.operation.startswith("rule:")
        if found is None and not meaning:
            continue
        kind = ContradictionKind.MEANING if meaning or found is None else found.kind
        values = ("", "") if found is None else found.values
        told[said] = Card(
            contradiction_id(kind.value, (here.document_id, one.text), (there.document_id, other.text)),
            kind,
            here.dataset,
            "" if found is None else found.subject,
            "" if found is None else found.attribute,
            (
                CardSide(here.document_id, one.chunk_id, one.text, values[0]),
                CardSide(there.document_id, other.chunk_id, other.text, values[1]),
            ),
            pair.confidence,
            pair.operation,
            max(here.since, there.since),
        )
    return [_with_pairs(card, quoted[said]) for said, card in told.items()]


def _with_pairs(card: Card, pairs: Collection[tuple[Place, Place]]) -> Card:
    documents = dict.fromkeys((first.document_id, second.document_id) for first, second in pairs)
    places = dict.fromkeys(place for pair in pairs for place in pair)
    return msgspec.structs.replace(card, quoted=tuple(documents), places=tuple(places))


def shown(card: Card, chunks: Mapping[str, Chunk], dismissed: Dismissal | None) -> Contradiction | None:
    """With both passages cited; None where one of them is not there."""
    found = [chunks.get(side.chunk_id) for side in card.sides]
    hits = [Hit(chunk, rank, 0.0) for rank, chunk in enumerate(found, start=1) if chunk is not None]
    if len(hits) < len(card.sides):
        return None
    citing = Citing(hits)
    one, other = (
        Side(citing.cite(hit, _as_written(hit.chunk, side.sentence)), side.value)
        for hit, side in zip(hits, card.sides, strict=True)
    )
    return Contradiction(
        card.id,
        card.kind,
        card.dataset,
        card.subject,
        card.attribute,
        (one, other),
        card.confidence,
        card.operation,
        card.since,
        dismissed,
    )


def evidence(card: Card, chunks: Mapping[str, Chunk]) -> tuple[Evidence, ...]:
    """What a decision about the card rests on, without words: a deleted document leaves none."""
    return tuple(_place(side, chunks[side.chunk_id]) for side in card.sides)


def documents_of(card: Card) -> tuple[Evidence, ...]:
    """The same where the passages were not read."""
    return tuple(Evidence(side.document_id, side.chunk_id) for side in card.sides)


def _place(side: CardSide, chunk: Chunk) -> Evidence:
    written = _as_written(chunk, side.sentence)
    start = chunk.text.find(written)
    return Evidence(side.document_id, side.chunk_id, Span(start, start + len(written)) if start >= 0 else Span(0, 0))


def _as_written(chunk: Chunk, sentence: str) -> str:
    """The chunk's own sentence, with its line breaks, as its place is found by."""
    spans = (span.of(chunk.text) for span in chunk.sentences)
    return next((text for text in spans if sentence in " ".join(text.split())), sentence)


def read_cursor(cursor: str) -> int:
    """How many cards were shown before. Raises `Refused` (`bad_cursor`)."""
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 9):
        raise Refused("bad_cursor", "The cursor is not one of ours.", "Start the listing again.")
    return int(cursor)
