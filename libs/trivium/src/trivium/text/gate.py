# ruff: noqa: RUF001  (typographic marks are in the texts)
"""The entity quality gate: RAGA's eight rules (R4), from cheap to dear.

Each rule is a predicate that is true when the name must not become an entity.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from trivium.text.spaceless import MARKS

MAX_NAME_CHARS = 60  # RAGA, "Entity quality gatekeeping rules"
MIN_PRINTABLE_SHARE = 0.7  # the same
MAX_PUNCTUATION_SHARE = 0.3
MAX_FRAGMENT_WORDS = 9  # longer than any name the length rule lets through, but for real names
PERMALINK_MARKS = "¶§"  # what documentation tools put behind a heading that has a link of its own
MIN_VOWELLESS_CHARS = 7  # "rhythms" aside, a lower-case word this long without a vowel is debris
REPEATED_CHARS = 5

_FRAGMENT_VERB = re.compile(
    r" (?:is|are|was|were|has|have|had|which|that|who|because|can|could|should|must|does|did|been|being) "
)
_FRAGMENT_EDGE = re.compile(
    r"^(?:and|or|but|which|that|because|if|when|while|with|he|she|it|they|we|you|this|these|those) "
    r"| (?:and|or|but|of|the|a|an|in|on|to|for|with|by|from|is|are|was|were)$"
)
_CODE_WORDS = frozenset(
    [
        "def",
        "elif",
        "return",
        "import",
        "lambda",
        "async",
        "await",
        "struct",
        "typedef",
        "const",
        "static",
        "void",
        "printf",
        "println",
        "null",
        "none",
        "true",
        "false",
        "nullptr",
        "undefined",
        "todo",
        "fixme",
        "xxx",
        "endif",
        "ifdef",
        "foreach",
        "println",
    ]
)
_CODE_SHAPE = re.compile(
    r"\w\(\)|::|->|=>|==|!=|&&|\|\||[{};]|^\s*[#@]\w|\b[a-z]+_[a-z_]+\b|[a-z]\.[a-z]+\("
    r"|^(?:def|class|import|from|return|public|private|static|const|var|let) "
)
_FORMULA = re.compile(r"[=≤≥≠≈∑∏∫√±×÷∂∇∈∀∃]|\\[a-z]+|\$.+\$|\w\s*[\^<>]\s*\w|[\w)]\s+[+*/]\s+[\w(]|\d[+*]\d")
_INITIALS = re.compile(r"(?<![^\W\d_])([^\W\d_])\.")
_MARKS_OF_LETTERS = re.compile(f"[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u200c\u200d{MARKS}]+")
_PDF_MARK = re.compile(r"\(cid:\d+\)|[\ufffd\ufffe\uf000-\uf8ff\x00-\x08]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}")
_REPEATED = re.compile(rf"(.)\1{{{REPEATED_CHARS - 1}}}")
_VOWELLESS = re.compile(rf"\b[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]*[b-df-hj-np-tv-xz]{{{MIN_VOWELLESS_CHARS},}}\b")
_HEADING_NUMBER = re.compile(
    r"^(?:(?:chapter|section|part|appendix|annex|figure|fig|table|page|step|slide|sheet|exhibit|note|item|"
    r"equation|eq|algorithm|listing|example|question|exercise|volume|vol|column|row)\.?\s*)?"
    r"(?:\d+(?:\.\d+)*|[ivxlc]+|[a-z])?[.):]?\s*$"
)
_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*|[ivxlc]+)[.):]?\s+")
_GENERIC_HEADINGS = frozenset(
    word.replace("_", " ")
    for word in [
        "abstract",
        "acknowledgement",
        "acknowledgements",
        "acknowledgment",
        "acknowledgments",
        "agenda",
        "annex",
        "appendix",
        "appendices",
        "background",
        "bibliography",
        "chapter",
        "conclusion",
        "conclusions",
        "content",
        "contents",
        "discussion",
        "evaluation",
        "example",
        "examples",
        "experiments",
        "figure",
        "figures",
        "foreword",
        "glossary",
        "index",
        "introduction",
        "keywords",
        "limitations",
        "literature",
        "method",
        "methodology",
        "methods",
        "motivation",
        "notes",
        "outline",
        "overview",
        "preface",
        "preliminaries",
        "question",
        "questions",
        "references",
        "related_work",
        "results",
        "summary",
        "setup",
        "table",
        "tables",
        "table_of_contents",
        "list_of_figures",
        "list_of_tables",
        "further_reading",
        "see_also",
        "external_links",
        "future_work",
        "executive_summary",
        "revision_history",
        "document_history",
        "author",
        "authors",
        "date",
        "page",
        "title",
        "untitled",
        "next",
        "previous",
        "back",
        "home",
        "copyright",
        "disclaimer",
        "all_rights_reserved",
    ]
)


def too_long(name: str) -> bool:
    """More than 60 characters."""
    return len(name) > MAX_NAME_CHARS


def unprintable(name: str) -> bool:
    """Less than 70 % printable characters, or nothing to read at all."""
    if not any(char.isalnum() for char in name):
        return True
    return not name.isprintable() and sum(map(str.isprintable, name)) < MIN_PRINTABLE_SHARE * len(name)


def sentence_fragment(name: str) -> bool:
    """A piece of a sentence: a finite verb inside, a conjunction at an edge, too many words, an inner full stop."""
    return bool(
        name.count(" ") >= MAX_FRAGMENT_WORDS
        or _FRAGMENT_VERB.search(name)
        or _FRAGMENT_EDGE.search(name)
        or re.search(r"[a-z]{3}[.!?] +\w", name)
    )


def code_keyword(name: str) -> bool:
    """A word or a shape of a programming language."""
    return name.lower() in _CODE_WORDS or bool(_CODE_SHAPE.search(name))


def formula(name: str) -> bool:
    """A mathematical expression."""
    return bool(_FORMULA.search(name))


def punctuation_flood(name: str) -> bool:
    """More than 30 % punctuation; the marks of "U.S." and "C++" do not count, nor a script's vowel signs."""
    bare = _MARKS_OF_LETTERS.sub("", _INITIALS.sub(r"\1", name)).rstrip("+#")
    marks = sum(not char.isalnum() and not char.isspace() for char in bare)
    return marks > MAX_PUNCTUATION_SHARE * len(bare)


def pdf_garbage(name: str) -> bool:
    """What a broken text layer or a bad scan leaves: glyph codes, private characters, repeats, no vowels."""
    return bool(_PDF_MARK.search(name) or _REPEATED.search(name) or _VOWELLESS.search(name))


def generic_heading(name: str) -> bool:
    """A heading that every document has ("Introduction", "3.1 Results", "Table 4")."""
    lowered = name.casefold().strip()
    if _HEADING_NUMBER.match(lowered) and (len(lowered) > 1 or not lowered.isalpha()):
        return True
    return _NUMBERING.sub("", lowered).rstrip(".: " + PERMALINK_MARKS) in _GENERIC_HEADINGS


RULES: tuple[tuple[str, Callable[[str], bool]], ...] = tuple(
    (rule.__name__, rule)
    for rule in (
        too_long,
        unprintable,
        sentence_fragment,
        code_keyword,
        formula,
        punctuation_flood,
        pdf_garbage,
        generic_heading,
    )
)


_LETTERS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_OF_MARKS = frozenset({"unprintable", "formula", "punctuation_flood"})  # what letters and spaces alone never are
_OF_LETTERS = tuple(rule for rule in RULES if rule[0] not in _OF_MARKS)


@lru_cache(maxsize=8192)  # the same names come again and again; a verdict depends on the name alone
def rejected(name: str) -> str:
    """The name of the first rule that rejects `name`, or "" when it may become an entity."""
    for reason, rejects in _OF_LETTERS if _LETTERS.fullmatch(name) else RULES:
        if rejects(name):
            return reason
    return ""
