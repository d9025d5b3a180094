"""What a soak uploads: small documents of several formats, each with a word that nothing else holds."""

from __future__ import annotations

import io
import random
import zipfile
from dataclasses import dataclass, field

from PIL import Image, ImageDraw, ImageFont
from speed import Writer

from trivium.domain.ids import child_id, content_version, document_id
from trivium.domain.scope import DEFAULT_TENANT

TABLE_EVERY = 40  # uploads; a table is the largest of the documents
TABLE_ROWS = 1_500
_EPOCH = (2026, 1, 1, 0, 0, 0)  # of what lies in an archive: the same seed makes the same bytes


@dataclass(frozen=True)
class Made:
    """A version of a document, and the files inside it by name."""

    name: str
    content: bytes
    word: str
    inside: dict[str, bytes] = field(default_factory=dict)

    def versions(self) -> dict[str, str]:
        """What the product should have of it: the version of every document, by id."""
        own = document_id(DEFAULT_TENANT, self.name)
        children = {child_id(own, name): content_version(content) for name, content in self.inside.items()}
        return {own: content_version(self.content), **children}


class Maker:
    """Makes version after version; the same seed makes the same."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._writer = Writer(seed)
        self._made = 0

    def make(self, name: str) -> Made:
        """A new version of the document `name`, whose extension says what it is."""
        self._made += 1
        word = f"kestrel{self._made:06}"
        text = f"{self._writer.text(self._rng.randint(300, 3_000))} The mark of this page is {word}."
        kind = name.rpartition(".")[2]
        if kind == "zip":
            return self._archive(name, word, text)
        content = {"txt": text.encode(), "html": _page(text), "csv": self._table(word), "png": _picture(word)}[kind]
        return Made(name, content, word)

    def new_name(self) -> str:
        """Of a document that is not there yet."""
        kind = "csv" if self._made % TABLE_EVERY == TABLE_EVERY - 1 else self._rng.choice(_KINDS)
        return f"soak/{self._made + 1:06}.{kind}"

    def question(self) -> str:
        """About names in the texts."""
        return self._writer.question()

    def _archive(self, name: str, word: str, text: str) -> Made:
        inside = {f"part-{number}.txt": f"{text} Part {number}.".encode() for number in range(self._rng.randint(1, 3))}
        return Made(name, _zipped(inside), word, inside)

    def _table(self, word: str) -> bytes:
        rows = (f"{number},{self._writer.sentence()}" for number in range(TABLE_ROWS))
        return "\n".join(("number,remark", f"0,{word}", *rows)).encode()


_KINDS = ("txt", "txt", "txt", "txt", "html", "html", "zip", "png")


def _page(text: str) -> bytes:
    return f"<html><body><h1>A page</h1><p>{text}</p></body></html>".encode()


def _picture(word: str) -> bytes:
    image = Image.new("RGB", (640, 120), "white")
    ImageDraw.Draw(image).text((30, 30), word, fill="black", font=ImageFont.load_default(36))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _zipped(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content)
    return file.getvalue()
