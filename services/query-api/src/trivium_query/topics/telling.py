"""What is most telling of each community: its passages, and of those the central ones, and its names."""

from __future__ import annotations

import msgspec
import numpy as np

from trivium_query.topics.communities import NOWHERE
from trivium_query.topics.ties import Floats, Ints, Places

CENTRAL = 12  # candidates; a topic keeps fewer
MEMBERS = 50
PER_DOCUMENT = 3  # central passages of one document, while others have some


class Described(msgspec.Struct, frozen=True):
    """One community: its name numbers and passage numbers, most telling first, at most `MEMBERS` and `CENTRAL`."""

    names: Ints
    name_passages: Ints
    name_weights: Floats
    central: Ints
    name_count: int
    passage_count: int
    document_count: int


def describe(level: Ints, places: Places, documents: Ints, spread: Ints) -> list[Described]:
    """Each community of a level. `documents` numbers the document of each passage, `spread` as in `Ties`.

    A passage belongs to the community that has most of it. A name is telling by how many documents of its community
    hold it, how many of its passages are the community's, how much those are about it, and how rare it is anywhere, as
    in class-based TF-IDF (Grootendorst 2022). A passage is central by the names it holds, damped by how many they are.
    """
    rarity: Floats = np.log1p(len(documents) / np.maximum(spread, 1))
    passage_of = _assigned(level, places, rarity, len(documents))
    count = int(level.max(initial=NOWHERE)) + 1
    own = (level[places.name] != NOWHERE) & (passage_of[places.passage] == level[places.name])
    passage, name = places.passage[own], places.name[own]
    names = len(level)
    inside = np.bincount(name, minlength=names)
    pairs = np.unique(name * len(documents) + documents[passage])  # a name and a document that holds it
    held_by = np.bincount(pairs // max(len(documents), 1), minlength=names)
    share = inside / np.maximum(spread, 1)
    about = np.bincount(name, places.weight[own], minlength=names) / np.maximum(inside, 1)
    weights = np.asarray(held_by * np.sqrt(share * about) * rarity, np.float64)
    held = np.bincount(passage, weights=weights[name] * np.sqrt(places.weight[own]), minlength=len(documents))
    numbers = np.bincount(passage, minlength=len(documents))
    centrality = held / np.sqrt(np.maximum(numbers, 1))
    by_community = _grouped(level, weights, count)
    passages_by_community = _grouped(np.where(numbers > 0, passage_of, NOWHERE), centrality, count)
    return [
        _described(by_community[one], passages_by_community[one], inside, weights, documents) for one in range(count)
    ]


def _described(names: Ints, passages: Ints, inside: Ints, weights: Floats, documents: Ints) -> Described:
    known = names[inside[names] > 0][:MEMBERS]
    return Described(
        known,
        inside[known],
        weights[known],
        _spread_out(passages, documents),
        len(names),
        len(passages),
        len(np.unique(documents[passages])),
    )


def _assigned(level: Ints, places: Places, rarity: Floats, passages: int) -> Ints:
    """(passages,) the community with the greatest weight in each, `NOWHERE` without any; ties: the smaller number."""
    of = level[places.name]
    known = of != NOWHERE
    passage, of, weight = places.passage[known], of[known], (places.weight * rarity[places.name])[known]
    assigned = np.full(passages, NOWHERE, np.int64)
    if not len(passage):
        return assigned
    width = int(of.max()) + 1
    keys, numbers = np.unique(passage * width + of, return_inverse=True)
    totals = np.round(np.bincount(numbers, weights=weight), 9)
    order = np.lexsort((-keys, totals))  # of a passage's communities the best comes last, and stays
    assigned[keys[order] // width] = keys[order] % width
    return assigned


def _grouped(of: Ints, weight: Floats, count: int) -> list[Ints]:
    """The numbers in each group, heaviest first."""
    order = np.lexsort((np.arange(len(of)), -np.round(weight, 9), of))
    bounds = np.searchsorted(of[order], np.arange(count + 1))
    return [order[bounds[one] : bounds[one + 1]] for one in range(count)]


def _spread_out(passages: Ints, documents: Ints) -> Ints:
    """The most central, at most `PER_DOCUMENT` of a document before the others had their turn."""
    seen: dict[int, int] = {}
    first: list[int] = []
    later: list[int] = []
    for passage in passages.tolist():
        document = int(documents[passage])
        seen[document] = seen.get(document, 0) + 1
        (first if seen[document] <= PER_DOCUMENT else later).append(passage)
        if len(first) >= CENTRAL:
            break
    return np.array((first + later)[:CENTRAL], np.int64)
