"""What a LaTeX document says of itself before its text: title, authors with their institutions, date, thanks.

The standard classes, authblk, amsart, REVTeX, acmart, elsarticle, llncs and IEEEtran; wherever the commands stand.
"""

from __future__ import annotations

import re

import msgspec

from trivium_ingest.parse.markup.latex_text import argument, readable
from trivium_ingest.parse.text.clean import one_line

MAX_COMMANDS = 500
MAX_CHARS = 20_000  # of one of them: some name hundreds of authors
_AUTHORS = ("author", "affil", "affiliation", "address", "institute", "institution", "email", "ead", "collaboration")
_OF_THE_TEXT = ("keywords", "abstract")
_SAID = ("title", "subtitle", *_AUTHORS, "date", *_OF_THE_TEXT)
_SILENT = ("orcid", "titlerunning", "authorrunning", "shorttitle", "shortauthors", "authornote", "authornotemark")
_COMMAND = re.compile(rf"\\(?P<name>{'|'.join((*_SAID, *_SILENT))})\*?\s*(?:\[[^\]\n]{{0,300}}\]\s*)*(?=\{{|\[)")
_THANKS = re.compile(r"\\(?:thanks|thanksref|footnote|titlenote|authornote)\s*(?:\[[^\]\n]{0,30}\])?(?=\{)")
_NEXT_AUTHOR = re.compile(r"\\(?:and|And|AND)(?![a-zA-Z])")
_NEXT_PART = re.compile(r"\\\\(?:\[[^\]\n]{0,30}\])?|(?<=\})\s*(?=\\[a-zA-Z]+\{)")
_MARK = re.compile(
    r"\\(?:inst|textsuperscript|authornotemark|corref|fnref|orcidID|IEEEauthorrefmark)\{[^{}\n]{0,100}\}"
    r"|\$\s*\^\{?[^${}\n]{0,30}\}?\s*\$"
)
_ENDS = re.compile(r"\\(?:maketitle|end\{frontmatter\}|section|chapter)(?![a-zA-Z])")


class Part(msgspec.Struct, frozen=True):
    """One command: its name, what it says, and its range in the source."""

    name: str
    words: str
    start: int
    end: int
    notes: tuple[str, ...] = ()


class Front(msgspec.Struct, frozen=True):
    """The commands in order."""

    parts: tuple[Part, ...]

    def stated(self, name: str) -> str:
        """What the commands of this name say, in order."""
        return "; ".join(part.words for part in self.parts if part.name == name and part.words)

    @property
    def authors(self) -> tuple[Part, ...]:
        """Authors, and where they work and can be written to."""
        return tuple(part for part in self.parts if part.name in _AUTHORS and part.words)

    def blanked(self, source: str) -> str:
        """The source without the commands; every other character stays in its place."""
        pieces, end = [], 0
        for part in self.parts:
            pieces += [source[end : part.start], re.sub(r"[^\n]", " ", source[part.start : part.end])]
            end = part.end
        return "".join([*pieces, source[end:]])


def front_matter(source: str, begin: int) -> Front:
    """The commands up to where the title is made, else to the first section; `begin` is where the document begins.

    A document without a title has none behind `begin`. Keywords and abstracts behind it are left to the text.
    """
    ends = _ENDS.search(source, begin)
    parts: list[Part] = []
    place, limit = 0, ends.start() if ends else len(source)
    while len(parts) < MAX_COMMANDS and (found := _COMMAND.search(source, place, limit)):
        words, end = argument(source, found.end(), MAX_CHARS)
        place = max(end, found.end())
        if end > found.end() and (found["name"] not in _OF_THE_TEXT or found.start() < begin):
            parts.append(_part(found["name"], words, found.start(), end))
    titled = any(part.name == "title" for part in parts)
    return Front(tuple(part for part in parts if titled or part.end <= begin))


def _part(name: str, words: str, start: int, end: int) -> Part:
    words, notes = _without_thanks(words)
    if name in _SILENT:
        return Part(name, "", start, end)
    divided = _NEXT_PART.sub(", " if name in _AUTHORS else " ", _NEXT_AUTHOR.sub("; ", _MARK.sub("", words)))
    said = re.sub(r"\s*,(?:\s*,)+|\s+(?=[,;])", lambda match: "," if "," in match.group() else "", readable(divided))
    return Part(name, one_line(said).strip(" ,;"), start, end, notes)


def _without_thanks(words: str) -> tuple[str, tuple[str, ...]]:
    kept, notes, place = [], [], 0
    for found in _THANKS.finditer(words):
        if found.start() >= place:
            note, end = argument(words, found.end(), MAX_CHARS)
            notes.append(one_line(readable(note)))
            kept.append(words[place : found.start()])
            place = max(end, found.end())
    return "".join([*kept, words[place:]]), tuple(filter(None, notes))
