"""Source code in twelve languages, by function and class; nothing is run.

A citation points to the definition by its names (`Class`, `method`) and to its range in the text.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence

import tree_sitter

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, Senses
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.clean import one_line
from trivium_ingest.parse.text.encoding import decode

# By file name's ending: the language, and the grammar's module and function.
_PYTHON = ("Python", "tree_sitter_python", "language")
_JAVASCRIPT = ("JavaScript", "tree_sitter_javascript", "language")
_TYPESCRIPT = ("TypeScript", "tree_sitter_typescript", "language_typescript")
_C = ("C", "tree_sitter_c", "language")
_CPP = ("C++", "tree_sitter_cpp", "language")
_BASH = ("shell", "tree_sitter_bash", "language")
_PHP = ("PHP", "tree_sitter_php", "language_php")
_RUBY = ("Ruby", "tree_sitter_ruby", "language")
_LANGUAGES = {
    "py": _PYTHON,
    "pyi": _PYTHON,
    "js": _JAVASCRIPT,
    "mjs": _JAVASCRIPT,
    "cjs": _JAVASCRIPT,
    "jsx": _JAVASCRIPT,
    "ts": _TYPESCRIPT,
    "tsx": ("TypeScript", "tree_sitter_typescript", "language_tsx"),
    "java": ("Java", "tree_sitter_java", "language"),
    "c": _C,
    "h": _CPP,
    "cc": _CPP,
    "cpp": _CPP,
    "cxx": _CPP,
    "hpp": _CPP,
    "cs": ("C#", "tree_sitter_c_sharp", "language"),
    "go": ("Go", "tree_sitter_go", "language"),
    "rs": ("Rust", "tree_sitter_rust", "language"),
    "rb": _RUBY,
    "php": _PHP,
    "sh": _BASH,
    "bash": _BASH,
}
_STARTS = (
    (re.compile(r"#!.*\bpython"), "py"),
    (re.compile(r"#!.*\b(?:ba|da|k|z)?sh\b"), "sh"),
    (re.compile(r"#!.*\bnode\b"), "js"),
    (re.compile(r"#!.*\bruby\b"), "rb"),
    (re.compile(r"(?:#!.*\n)?<\?php\b"), "php"),
)
_DEFINITION = re.compile(
    r"(?:function|class|method|interface|struct|enum|union|trait|impl|mod|module|namespace|record|constructor|"
    r"singleton_method|generator_function|type|type_alias|abstract_class|internal_module)"
    r"(?:_(?:definition|declaration|specifier|item|alias))?|file_scoped_namespace_declaration|macro_definition"
)
_WRAPPERS = frozenset(["decorated_definition", "export_statement", "template_declaration"])
_VARIABLES = frozenset(["lexical_declaration", "variable_declaration"])
_FUNCTIONS = frozenset(["arrow_function", "function_expression", "class"])
MAX_WHOLE_CHARS = 1_500  # a class up to here is one unit; a longer one gives its members
MAX_DEPTH = 8
MAX_NAME_CHARS = 100


def recognise(sample: Sample) -> Evidence:
    """Text under a language's ending, or with a line at its start that names the interpreter."""
    if not sample.text.strip():
        return Evidence.NONE
    if sample.extension in _LANGUAGES:
        return Evidence.NAMED_SOURCE
    return Evidence.FIRST_LINE if _by_start(sample.text) else Evidence.NONE


def _by_start(text: str) -> str:
    return next((extension for start, extension in _STARTS if start.match(text)), "")


def read(blob: Blob, limits: ParseLimits, _senses: Senses) -> ParsedDocument:
    """Definitions in order, and what stands between them; every word of the code is in one unit."""
    text, encoding = decode(blob.content)
    extension = blob.name.rpartition(".")[2].lower()
    language, module, function = _LANGUAGES.get(extension) or _LANGUAGES[_by_start(text)]
    grammar = tree_sitter.Language(getattr(importlib.import_module(module), function)())
    source = _Source(text)
    out = Collector(limits)
    for path, start, end in source.parts(tree_sitter.Parser(grammar).parse(source.content).root_node, (), 0):
        first, last = source.trimmed(start, end)
        if any(map(str.isalnum, text[first:last])):  # not a bracket that closes a class
            out.add(UnitKind.CODE, text[first:last], Position(section=path, offset=(first, last)), verbatim=True)
    return out.document("text/x-source", metadata={"encoding": encoding, "programming language": language})


class _Source:
    """The text, and the bytes that the grammars count in."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.content = text.encode("utf-8", "replace")
        self._ascii = len(self.content) == len(text)
        self._known = (0, 0)  # the last place asked for, in bytes and in characters

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """A range of bytes as one of characters, from the start of its first line to its last visible one."""
        first, last = self._character(start), self._character(end)
        piece = self._text[first:last]
        blank = len(piece) - len(piece.lstrip())
        first += blank
        line = self._text.rfind("\n", 0, first) + 1
        first = first if self._text[line:first].strip() else line
        return first, max(first, last - (len(piece) - len(piece.rstrip())))

    def _character(self, place: int) -> int:
        if self._ascii:
            return place
        known, characters = self._known
        if place < known:
            known, characters = 0, 0
        characters += len(self.content[known:place].decode("utf-8", "ignore"))
        self._known = (place, characters)
        return characters

    def parts(
        self, node: tree_sitter.Node, path: tuple[str, ...], depth: int, start: int | None = None
    ) -> Iterator[tuple[tuple[str, ...], int, int]]:
        """(names, start, end) of the definitions below `node` and of the runs between them, without gaps."""
        begin = node.start_byte if start is None else start
        if node.parent is None:
            begin = 0
        for child, led in _with_leads(node.children):
            name = self._name(child)
            if not name:
                continue
            if led > begin:
                yield path, begin, led
            inner = (*path, name)
            body = _body(child)
            if body is not None and child.end_byte - led > MAX_WHOLE_CHARS and depth < MAX_DEPTH and _holds(body):
                yield from self.parts(body, inner, depth + 1, led)
                begin = body.end_byte
            else:
                yield inner, led, child.end_byte
                begin = child.end_byte
        end = len(self.content) if node.parent is None else node.end_byte
        if end > begin:
            yield path, begin, end

    def _name(self, node: tree_sitter.Node) -> str:
        """What a definition is called, or "" for what is none."""
        inner = _unwrapped(node)
        if inner.type in _VARIABLES:
            declared = next((child for child in inner.named_children if child.type == "variable_declarator"), None)
            value = declared.child_by_field_name("value") if declared is not None else None
            if declared is None or value is None or value.type not in _FUNCTIONS:
                return ""
            inner = declared
        elif not _DEFINITION.fullmatch(inner.type):
            return ""
        found = inner
        for field in ("name", "type", "declarator"):
            if (named := inner.child_by_field_name(field)) is not None and not (
                field == "type" and inner.type != "impl_item"
            ):
                found = named
                break
        while (deeper := found.child_by_field_name("declarator")) is not None:
            found = deeper
        if found is inner:
            found = next(iter(inner.named_children), inner)
            found = found.child_by_field_name("name") or found
        return one_line(self.content[found.start_byte : found.end_byte].decode("utf-8", "replace"))[:MAX_NAME_CHARS]


def _with_leads(nodes: Sequence[tree_sitter.Node]) -> Iterator[tuple[tree_sitter.Node, int]]:
    """Each node, and where the comments begin that stand directly above it."""
    led: int | None = None
    last_row = -2
    for node in nodes:
        if node.start_point[0] > last_row + 1:
            led = None
        if "comment" in node.type or node.type == "attribute_item":
            led = node.start_byte if led is None else led
        else:
            yield node, node.start_byte if led is None else led
            led = None
        last_row = node.end_point[0]


def _unwrapped(node: tree_sitter.Node) -> tree_sitter.Node:
    if node.type not in _WRAPPERS:
        return node
    inner = node.child_by_field_name("definition") or node.child_by_field_name("declaration")
    return inner or (node.named_children[-1] if node.named_children else node)


def _body(node: tree_sitter.Node) -> tree_sitter.Node | None:
    inner = _unwrapped(node)
    if "function" in inner.type or "method" in inner.type:
        return None  # local functions stay with theirs
    return inner.child_by_field_name("body")


def _holds(body: tree_sitter.Node) -> bool:
    return any(_DEFINITION.fullmatch(_unwrapped(child).type) for child in body.named_children)


FORMAT = Format(
    name="source code (C, C++, C#, Go, Java, JavaScript, PHP, Python, Ruby, Rust, shell, TypeScript)",
    media_types=("text/x-source", "text/x-python", "text/javascript", "text/x-c", "text/x-java-source"),
    extensions=tuple(_LANGUAGES),
    version=1,
    recognise=recognise,
    read=read,
    cites="class and function; characters in the text",
)
