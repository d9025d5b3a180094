"""Plain text in any encoding: paragraphs, headings, lists and settings, each with its range in the decoded text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.encoding import decode

MEDIA_TYPE = "text/plain"
MAX_HEADING_CHARS = 100
_NEWLINE = r"(?:\r\n|[\n\r\x85\u2028])"
# Begins at a line end, so that long runs of blanks are looked at once.
_BLANK = re.compile(rf"{_NEWLINE}(?:[ \t\0\ufeff]*{_NEWLINE})+|[\x0c\u2029]")
_LINES = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# "al-" at a line's end, "ways" below; no part of an address, of an option or of what has more hyphens.
_BROKEN = re.compile(rf"(?<![\w/.@-])([^\W\d_]{{2,}})-{_NEWLINE}[ \t]*([^\W\d_]{{2,}})\b(?![-/@]|\.\w)")
# By the typographic hyphen, as manuals are set: "op\u2010" at a line's end, "tion" below; also behind "/" and dashes.
_SET_APART = re.compile(rf"([^\W\d_]+)\u2010{_NEWLINE}[ \t]*([^\W\d_]+)")
_COMPOUND = re.compile(r"\w\u2010\w")  # a text with such may break at the hyphen of a word
_SUSPENDED = frozenset(("and", "or", "to", "und", "oder", "bis", "et", "ou"))  # "pre- and postwar"
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,3}){0,4}\.?|[IVX]{1,5}\.|[A-Z]\.)\s+[^\W\d_]")
_CHAPTER = re.compile(r"(?:chapter|part|section|appendix|book|annex|article)\s+[\dIVXLA-Z]+\b", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[-*•‣·\u2013]|\(?\d{1,3}[.)])\s+\S")
_RULE = re.compile(r"[ \t]*([=\-~*_#])\1{2,}[ \t]*")
_ORG_HEADING = re.compile(r"(\*{1,6}|={1,6})\s+(\S.*?)(?:\s+=*)?$")
_STARRED = re.compile(r"\n[ \t]*\*[ \t]")  # one more of a list
_SETTINGS = ("toml", "ini", "cfg", "conf", "cnf", "properties", "env")  # how the names of their files end
_SETTING = re.compile(r"[ \t]*[#;]?[ \t]*[\w.\"'$-]+(?:\[[^\]\n]*\])?[ \t]*=")
_REMARK = re.compile(r"[ \t]*[#;]")
_SECTION = re.compile(r"\[{1,2}[^\[\],\n]+\]{1,2}[ \t]*(?:[#;].*)?")
MIN_SETTINGS = 3  # lines, where the name does not tell
SETTINGS_SHARE = 0.8  # of lines that are a setting, a remark or a section's name
SETTINGS_LINES = 200  # that are looked at
_ORG_KEYWORD = re.compile(r"#\+(?:title|TITLE):\s*(.+)")


def recognise(sample: Sample) -> Evidence:
    """Everything that decodes to text is text, when nothing more particular claims it; settings tell by their name."""
    if sample.extension in _SETTINGS and sample.text.strip("\0\r\n\t "):
        named = _holds_settings(sample.text, sample.extension)
        return Evidence.NAMED_MARKUP if named else Evidence.LEAST  # such a name is also given to YAML
    return Evidence.TEXT if sample.text.strip("\0\r\n\t ") or _blank(sample) else Evidence.NONE


def _blank(sample: Sample) -> bool:
    return not sample.head.strip(b"\0\r\n\t \x0c\xef\xbb\xbf\xff\xfe")


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Split into paragraphs at blank lines; nothing of the text is lost."""
    text, encoding = decode(blob.content)
    out = Collector(limits)
    if "�" in text:
        out.warn(f"Some bytes are not valid {encoding} and are shown as U+FFFD.")
    if _holds_settings(text, blob.name.rpartition(".")[2].lower()):
        _read_settings(out, text)
        return out.document(MEDIA_TYPE, metadata={"encoding": encoding})
    title = ""
    rejoined = _rejoining(text)
    for start, end in paragraphs(text):
        heading = _heading(text[start:end])
        position = Position(offset=(start, end))
        if heading is not None:
            words, level = heading
            if not out.units:
                title = words
            out.heading(words, level, position)
        elif (body := _after_heading(text, start, end)) is not None:
            line_end, level = body
            out.heading(text[start:line_end], level, Position(offset=(start, line_end)))
            _body(out, text, line_end, end, rejoined)
        else:
            _body(out, text, start, end, rejoined)
    return out.document(MEDIA_TYPE, title=title, metadata={"encoding": encoding})


def _holds_settings(text: str, extension: str) -> bool:
    lines = list(islice((line.group() for line in _LINES.finditer(text) if line.group().strip()), SETTINGS_LINES))
    settings = sum(bool(_SETTING.match(line)) for line in lines)
    if extension in _SETTINGS:
        return settings > 0
    alike = sum(bool(_SETTING.match(line) or _REMARK.match(line) or _SECTION.fullmatch(line)) for line in lines)
    return settings >= MIN_SETTINGS and alike >= SETTINGS_SHARE * len(lines)


def _read_settings(out: Collector, text: str) -> None:
    for start, end in paragraphs(text):
        begin = start
        for line in _LINES.finditer(text, start, end):
            if _SECTION.fullmatch(said := line.group().strip()):
                _verbatim(out, text, begin, line.start())
                begin = line.end()
                place = line.start() + line.group().index(said)
                out.heading(said, 1, Position(offset=(place, place + len(said))))
        _verbatim(out, text, begin, end)


def _verbatim(out: Collector, text: str, start: int, end: int) -> None:
    for begin, stop in _stripped(text, start, end):
        out.add(UnitKind.CODE, text[begin:stop], Position(offset=(begin, stop)), verbatim=True)


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Ranges between blank lines, edges without blanks."""
    start = 0
    for gap in _BLANK.finditer(text):
        yield from _stripped(text, start, gap.start())
        start = gap.end()
    yield from _stripped(text, start, len(text))


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    trimmed = piece.strip("\0\ufeff \t\r\n\x0c")
    if trimmed:
        begin = start + piece.index(trimmed)
        yield begin, begin + len(trimmed)


def _known_words(text: str) -> frozenset[str]:
    """The words of a text that is seen to break words at the ends of lines, but those; of any other none."""
    broken = {f"{one}{other}".lower() for one, other in _BROKEN.findall(text)}
    known = frozenset(_WORD.findall(_BROKEN.sub(" ", text).lower())) if broken else frozenset()
    return known if broken & known else frozenset()  # else it may only break at hyphens


def _whole(broken: re.Match[str], known: frozenset[str]) -> str:
    """The word, with its hyphen where the text has it so elsewhere, or both halves as words; else as it is."""
    one, other = broken.groups()
    halves = len({one.lower(), other} & known)
    if not other[0].islower() or other in _SUSPENDED:
        return broken[0]
    if f"{one}-{other}".lower() in known:
        return f"{one}-{other}"
    if not halves or f"{one}{other}".lower() in known:
        return f"{one}{other}"
    return f"{one}-{other}" if halves == len({one.lower(), other}) else broken[0]


def _set_together(broken: re.Match[str]) -> str:
    """The word without the hyphen; as it is before a word like a name or "and"."""
    one, other = broken.groups()
    return f"{one}{other}" if other[0].islower() and other not in _SUSPENDED else broken[0]


def _rejoining(text: str) -> Callable[[str], str]:
    """What joins the words that the text is seen to break at the ends of lines."""
    known = _known_words(text)
    is_set = "\u2010" in text and _COMPOUND.search(text) is None

    def rejoined(piece: str) -> str:
        if known:
            piece = _BROKEN.sub(lambda broken: _whole(broken, known), piece)
        return _SET_APART.sub(_set_together, piece) if is_set else piece

    return rejoined


def _body(out: Collector, text: str, start: int, end: int, rejoined: Callable[[str], str]) -> None:
    for begin, stop in _stripped(text, start, end):
        piece = text[begin:stop]
        if _RULE.fullmatch(piece):
            continue
        lines = piece.splitlines()
        items = sum(bool(_ITEM.match(line)) for line in lines[:50])
        kind = UnitKind.LIST if items >= 2 and items * 2 >= len(lines[:50]) else UnitKind.TEXT
        out.add(kind, rejoined(piece), Position(offset=(begin, stop)))


def _heading(paragraph: str) -> tuple[str, int] | None:
    """The heading that a whole paragraph is, with its level, or None."""
    if len(paragraph) > 3 * MAX_HEADING_CHARS:
        return None
    lines = paragraph.splitlines()
    if len(lines) == 3 and _RULE.fullmatch(lines[0]) and _RULE.fullmatch(lines[2]):
        lines = lines[1:]
    if len(lines) == 2 and len(lines[0]) <= MAX_HEADING_CHARS and (rule := _RULE.fullmatch(lines[1])):
        return lines[0].strip(), 1 if rule.group(1) in "=#*" else 2
    return _single_line(lines[0].strip()) if len(lines) == 1 else None


def _single_line(line: str) -> tuple[str, int] | None:
    if keyword := _ORG_KEYWORD.match(line):
        return keyword.group(1), 1
    if org := _ORG_HEADING.match(line):
        return org.group(2), len(org.group(1))
    if not 0 < len(line) <= MAX_HEADING_CHARS or line[-1] in ".,;:!?…" or not any(c.isalpha() for c in line):
        return None
    level = _level(line)
    return (line, level) if level else None


def _level(line: str) -> int:
    """The level that a line's own look gives it, 0 for prose."""
    words = [word for word in line.split() if word[0].isalpha()]
    if _CHAPTER.match(line) or (line.isupper() and len(line) > 3 and len(words) <= 12):
        return 1
    if _NUMBERED.match(line):
        return min(6, 1 + line.split(maxsplit=1)[0].rstrip(".").count("."))
    titled = sum(word[0].isupper() for word in words)
    return 2 if 2 <= len(words) <= 12 and titled >= 0.75 * len(words) else 0


def _after_heading(text: str, start: int, end: int) -> tuple[int, int] | None:
    """An underlined or org heading on a paragraph's first line: where it ends, and its level."""
    first_end = text.find("\n", start, min(end, start + 2 * MAX_HEADING_CHARS))
    if first_end < 0:
        return None
    first = text[start:first_end].strip()
    org = _ORG_HEADING.match(first)
    if org and not (org.group(1) == "*" and _STARRED.search(text, first_end, end)):
        return first_end, len(org.group(1))
    second_end = text.find("\n", first_end + 1, first_end + 2 * MAX_HEADING_CHARS)
    second = text[first_end + 1 : second_end].strip() if second_end > 0 else ""
    rule = _RULE.fullmatch(second)
    if rule and rule.group(1) in "=-~" and 0 < len(first) <= MAX_HEADING_CHARS and abs(len(second) - len(first)) <= 3:
        return first_end, 1 if rule.group(1) == "=" else 2
    return None


FORMAT = Format(
    name="plain text",
    media_types=(MEDIA_TYPE,),
    extensions=("txt", "text", "log", "asc", *_SETTINGS),
    version=6,
    recognise=recognise,
    read=read,
    cites="section; characters in the text",
)
