"""What a recording says of itself: title, artist, length; without decoding it."""

from __future__ import annotations

import io

import msgspec
from tinytag import TinyTag, TinyTagException

_NAMES = ("title", "artist", "album", "composer", "year", "genre", "comment", "description", "synopsis", "lyrics")


class Tags(msgspec.Struct, frozen=True):
    """`duration_s` is 0 where it is not told; `named` holds what is, under lower-case names."""

    duration_s: float = 0.0
    named: dict[str, str] = {}


def read_tags(content: bytes) -> Tags:
    """Of MP3, MP4, Ogg, FLAC and WAV; nothing of anything else, or where the tags cannot be read."""
    try:
        found = TinyTag.get(file_obj=io.BytesIO(content))
    except TinyTagException:
        return Tags()
    told = found.as_dict()
    return Tags(max(0.0, found.duration or 0.0), {name: _text(told[name]) for name in _NAMES if name in told})


def shown(tags: dict[str, str]) -> str:
    """The tags that people read, one a line."""
    return "\n".join(f"{name.capitalize()}: {tags[name]}" for name in _NAMES if tags.get(name, "").strip())


def _text(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
