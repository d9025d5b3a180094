"""Names that are like a name: candidates by their words in the full-text index, then compared in full.

The index is all tenants', and a word stands in it behind its tenant's mark. Lucene compares a misspelt word with the 50
nearest words of the index: with no mark, those could all be another tenant's, and one's own would not be found.
"""

from __future__ import annotations

from itertools import pairwise
from typing import LiteralString

from trivium.domain.ids import digest
from trivium.text.similarity import most_similar

MAX_CANDIDATES = 200
MAX_WORDS = 12  # of a name that is looked up; a longer one is no name
MARK_DIGITS = 8  # two tenants' differ in more than the edits of a word, but for one pair in a million
MARKED_AT_ONCE = 1000  # names in one transaction

# Edits allowed in a word of so many letters, as Elasticsearch's `AUTO` has it.
_EXACT_BELOW, _ONE_EDIT_BELOW = 3, 6

CANDIDATES: LiteralString = """
    UNWIND $asked AS asked
    CALL (asked) {
        CALL db.index.fulltext.queryNodes('trivium_marked_words', asked.words) YIELD node AS n, score
        WHERE n.tenant = $tenant
        WITH n, score ORDER BY score DESC LIMIT $candidates
        OPTIONAL MATCH (n)-[:ALIAS_OF]->(entity)
        WITH n, coalesce(entity, n) AS root WHERE NOT root:Removed
        RETURN n.key AS name, root.key AS root
    }
    RETURN asked.key, collect([name, root])
"""

# Of names that a version before 6 wrote, as `marked` has them.
UNMARKED: LiteralString = "MATCH (s:Schema {name: 'trivium'}) WHERE s.words IS NULL RETURN s.name"
MARKED: LiteralString = "MATCH (s:Schema {name: 'trivium'}) SET s.words = true"
MARK_BEHIND: LiteralString = """
    MATCH (n:Name) WHERE n.tenant = $tenant AND n.id > $after
    WITH n ORDER BY n.tenant, n.id LIMIT $limit
    SET n:Name, n.words = trim(reduce(words = '', word IN split(n.key, ' ') | words + ' ' + $mark + word))
    RETURN n.id
"""


def mark_of(space: str) -> str:
    """The mark of a tenant as its nodes carry it."""
    return digest("words", space)[:MARK_DIGITS]


def marked(key: str, space: str) -> str:
    """The words of a name as the index has them."""
    mark = mark_of(space)
    return " ".join(mark + word for word in key.split(" "))


def words_query(key: str, space: str) -> str:
    """A Lucene query for the tenant's names with a word like one of `key`'s, or two neighbours written as one.

    A folded key has no character that means something to Lucene.
    """
    words = key.split()[:MAX_WORDS]
    joined = [left + right for left, right in pairwise(words)]
    mark = mark_of(space)
    return " ".join(mark + _like(word) for word in dict.fromkeys([*words, *joined]))


def similar(key: str, candidates: list[list[str]], limit: int) -> list[tuple[str, float]]:
    """Roots of the entities with a name like `key` and the similarity (0 to 1), best first.

    A name that is known exactly is that entity (1.0) and no other.
    """
    known = {name: root for name, root in candidates}
    if key in known:
        return [(known[key], 1.0)]
    return most_similar(key, known, limit)


def _like(word: str) -> str:
    if len(word) < _EXACT_BELOW:
        return word
    return f"{word}~1" if len(word) < _ONE_EDIT_BELOW else f"{word}~2"
