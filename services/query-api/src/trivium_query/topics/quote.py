"""The sentence of a passage that says most of a topic."""

from __future__ import annotations

from trivium.domain.chunks import Chunk
from trivium.domain.topics import Topic
from trivium_query.words import content_words

NAMES = 20  # of the topic that count
MIN_WORDS = 4  # content words of a sentence that informs
MAX_WORDS = 60


def quote_of(topic: Topic, chunk: Chunk) -> str:
    """The sentence with the most of its names and terms; of equal ones the first. The whole text without sentences."""
    sentences = [span.of(chunk.text) for span in chunk.sentences] or [chunk.text]
    names = {word: member.weight for member in reversed(topic.members[:NAMES]) for word in content_words(member.name)}
    terms = {word for term in topic.terms for word in content_words(term)}
    most = max(names.values(), default=1.0) or 1.0

    def worth(sentence: str) -> tuple[bool, float]:
        words = content_words(sentence)
        told = set(words)
        said = sum(names[word] / most for word in told & names.keys()) + 0.5 * len(told & terms)
        return MIN_WORDS <= len(words) <= MAX_WORDS, said

    return max(sentences, key=worth)
