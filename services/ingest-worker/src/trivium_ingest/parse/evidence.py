"""What a recogniser saw of a file, and how much that counts: the format with the most reads it.

First come magic bytes and what a container says that it is, then structure, then marks in text. The name comes last: it
adds its bonus, or a declared type half as much, to what the content gave. So it decides between kinds of text; marks
under their own name still count less than any signature.
"""

from __future__ import annotations

from enum import Enum

NAME_BONUS = 0.25
TYPE_BONUS = NAME_BONUS / 2


class Evidence(float, Enum):
    """From the surest to none. What stands below `TEXT` is read as plain text unless the name says otherwise."""

    SIGNATURE = 1.0  # magic bytes or a root element that nothing else has
    CONTAINER_TYPE = 1.0  # as sure: what a container says that it is, or its main part
    SHORT_SIGNATURE = 0.95  # few magic bytes, or those of a container that more particular formats use too
    STRUCTURE = 0.9  # what the format is made of: a stream, three headers of a mail, a document class
    DECLARATION = 0.8  # a beginning that it shares: `<?xml`, `%YAML`, a frame of MPEG audio
    OWN_MARKS = 0.67  # marks in text that no other markup has
    FIRST_LINE = 0.66  # a line that names the interpreter; the comments below may look like `MARKS`
    MARKS = 0.65  # marks in text that other markups and comments have too
    SHAPE = 0.6  # an object, rows of three fields, a mail's header under a mail's name
    SIGNS = 0.5  # a list, a title, two tags, an archive of anything
    NAMED_MARKUP = 0.5  # text under the name: with the bonus more than `OWN_MARKS`
    FEW_SIGNS = 0.45  # an element, two columns
    NAMED_SOURCE = 0.45  # text under the name: with the bonus more than `OWN_MARKS`, less than `NAMED_MARKUP`
    NESTING = 0.42  # entries that nest
    NAMED_OUTLINE = 0.42  # text under the name: with the bonus more than `FIRST_LINE`
    IF_NAMED = 0.4  # nothing against the name: with the bonus as much as `MARKS`
    TEXT = 0.35  # it can be decoded
    POSSIBLE = 0.3  # tags or entries, which notes and listings hold too; less than this opens nothing
    DOUBTFUL = 0.25  # one mark, or few rows
    UNLIKELY = 0.2  # no mark at all, or the beginning of another format
    LEAST = 0.15  # nothing that the format always has
    NONE = 0.0
