"""What a setting is set to: of the one that the question names, or that the comment right above it describes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.identifiers import identifiers_in
from trivium_query.words import content_words, is_function_word

MAX_SENTENCES = 4  # of a comment that are shown
TITLE_WORDS = 2  # at most, with a meaning, has a comment above several settings: "Limits of uploads"
# As code is read: without the marks of comments. What is indented is of a program.
_SETTING = re.compile(
    r"^(?P<mark>[ ;#]{0,3})(?P<key>[A-Za-z_][\w.-]*)[ \t]*=[ \t]*"
    r"(?P<value>\"[^\"\n]+\"|'[^'\n]+'|[^\s\"'#;(\[{](?:[^\n#;(\[{]|(?<!\s)[#;]){0,60})"
    r"[ \t]*(?:(?<=\s)[#;][^\n]*)?$",
    re.M,
)
# As "tcp-backlog 511", in a file of settings that has no "=".
_SPACED = re.compile(
    r"^(?P<mark>[ #]{0,3})(?P<key>[a-z][\w-]*)[ \t]+(?P<value>\"[^\"\n]+\"|[^\s\"#]{0,60}[^\s\"#.,:;!?])[ \t]*$", re.M
)
_ENDS = (".", ":", "!", "?")
_FILE = re.compile(r"(?:\.conf|\.cnf|\.cfg|_config)\Z")
# What a program counts, it sets to nothing.
_COUNTS = r"\b{0}(?:\+\+|--(?!-)|[ \t]*[-+]=|[ \t]*=[^\n]*\b{0}(?:[ \t]*\+|[ \t]+-)[ \t]*\d)"
_SECTION = re.compile(r"^\s*\[{1,2}([^\]\n]+)\]{1,2}\s*$", re.M)
_ASKS = re.compile(
    r"^\W*(?:(?:for|after|on|at|to|in)\s)?(?:how (?P<much>many|much|long|often|large|big|far|high)|what|which)\b", re.I
)
# Who asks for the name, what it does or was, or for two, wants no value.
_NO_VALUE = re.compile(
    r"^\W*(?:what|which)\s(?:setting|option|parameter|variable|key)s?\b|\band\b|\b(?:do|mean|for|before)\W*$", re.I
)
_BY_DEFAULT = re.compile(r"\bdefaults?\b", re.I)
_LIGHT = frozenset(content_words("default set setting value option configured configuration allowed use long"))
_NUMBER = frozenset(content_words("number count amount maximum minimum limit"))
_SWITCH = frozenset("true false yes no on off none null".split())  # noqa: SIM905


class _Setting(msgspec.Struct, frozen=True):
    """Its line, its name, its value, the sentences of the comment above it and the name of its section.

    `holds`: it is not commented out.
    """

    hit: Hit
    holds: bool
    line: str
    key: str
    value: str
    comment: tuple[str, ...]
    section: str

    @property
    def described(self) -> list[str]:
        """The words of the first sentence, that says what it is; none where it may be the title of several."""
        words = content_words(self.comment[0]) if self.comment else []
        return words if len(words) > TITLE_WORDS else []


def answer_by_setting(question: str, hits: Sequence[Hit]) -> Answered | None:
    """The value of the only setting that is called or described by all that is asked; None where there is no such one.

    Nor where prose has all these words: it may tell of another thing. Where the default is asked for, what is set may
    be another value.
    """
    asks, asked = _ASKS.match(question), [word for word in content_words(question) if word not in _LIGHT]
    if asks is None or not asked or _NO_VALUE.search(question):
        return None
    named = identifiers_in(question)
    found = [one for hit in hits if hit.chunk.kind is UnitKind.CODE for one in _settings(hit)]
    found = [one for one in found if not named or one.key in named]
    found = [one for one in found if _is_of(asked, one) and _fits(one, asks["much"], asked[0])]
    held = {one.key for one in found if one.holds}
    found = [one for one in found if one.holds or one.key not in held]
    prose = (hit.chunk for hit in hits if hit.chunk.kind is not UnitKind.CODE)
    if len({(one.key, one.value) for one in found}) != 1 or any(
        set(asked) <= {*content_words(chunk.text)} for chunk in prose
    ):
        return None
    best = found[0]
    said = [(best.hit, part) for part in (*best.comment[:MAX_SENTENCES], best.line)]
    lines, citations = cited(said, hits)
    verdict = Verdict.PARTIALLY_SUPPORTED if _BY_DEFAULT.search(question) else Verdict.SUPPORTED
    return Answered(Draft("\n".join(lines), True, citations, short=best.value), verdict)


def _settings(hit: Hit) -> Iterator[_Setting]:
    """One that stands below itself commented out has the comment above that."""
    text = hit.chunk.text
    last: _Setting | None = None
    end, section = 0, ""
    spaced = _FILE.search(hit.chunk.source) is not None and not _SETTING.search(text)
    for match in (_SPACED if spaced else _SETTING).finditer(text):
        if spaced and (is_function_word(match["key"]) or _is_prose(match)):
            continue
        above = text[end : match.start()]
        lines = [*takewhile(_is_told, reversed(above.split("\n")[:-1]))]
        near = "\n".join(reversed(lines))
        comment = tuple(span.of(near) for span in split_sentences(near))
        if last and last.key == match["key"] and not above.strip():
            comment = last.comment
        section = [section, *_SECTION.findall(above)][-1]
        value, end = match["value"].strip(" \t,\"'"), match.end()
        if re.search(_COUNTS.format(re.escape(match["key"])), text):
            continue
        last = _Setting(hit, not match["mark"], match[0].strip(), match["key"], value, comment, section)
        yield last


def _is_prose(match: re.Match[str]) -> bool:
    """Whether two words of a comment are of the sentence that the lines beside them are of."""
    text = match.string
    above = text[text.rfind("\n", 0, max(0, match.start() - 1)) + 1 : match.start()]
    below = text[match.end() + 1 :].partition("\n")[0]
    other = _SPACED.match(above)
    begins = not above.strip() or above.rstrip().endswith(_ENDS) or (other and not other["mark"])
    return bool(match["mark"]) and not (begins and (not below.strip() or _SPACED.match(below)))


def _is_told(line: str) -> bool:
    """Whether the line may be of the comment below which a setting stands; not one without words, or of a section."""
    return any(map(str.isalnum, line)) and not _SECTION.match(line)


def _words(text: str) -> list[str]:
    return content_words(re.sub(r"[_.-]", " ", text))


def _is_of(asked: Sequence[str], one: _Setting) -> bool:
    """Whether it is told by its name, the first sentence above it, and of which section or file it is."""
    own = {*_words(one.key), *content_words(one.key), *one.described}
    around = {*_words(f"{one.section} {one.hit.chunk.title} {one.hit.chunk.source}")}
    return own | around >= set(asked) and bool(own & set(asked))


def _fits(one: _Setting, much: str | None, first: str) -> bool:
    """Whether a number is asked for and told, or what is asked for is what it is called or its comment begins with.

    Things are counted by what is called so, or is told to be their number.
    """
    called = first in (*_words(one.key), one.key.lower(), *one.described[:1])
    if much is None:
        return called and one.value.lower() not in _SWITCH
    counts = called or much.lower() != "many" or not _NUMBER.isdisjoint(one.described)
    return counts and any(map(str.isdigit, one.value))
