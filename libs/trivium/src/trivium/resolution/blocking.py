"""The blocks of a name: two names are compared only where they share one. A function of the folded name alone.

Blocks of the whole name (its telling words in any order, written together, as they sound), of a person's last name with
the initial of the first, of an acronym and what it may stand for, and of letters: MinHash over runs of three (Broder
1997), banded so that names with a letter or two between them most likely share one. That a name begins with another is
no reason to compare the two: "Hollywood" is not the cemetery.
"""

from __future__ import annotations

import hashlib
import zlib
from functools import lru_cache

from trivium.resolution.forms import KINDS, REMEMBERED, form_of, initials_of, skeleton
from trivium.resolution.likeness import full_names

MAX_BLOCK = 16  # names; what more names have in common tells none of them from the others
MAX_LETTER_BLOCK = 6  # of names that share runs of letters: more of them share them by chance
BANDS, ROWS = 4, 2  # of MinHash: half of the runs in common are found in 3 of 4 cases, 4 of 5 in 98 of 100
RUN = 3  # letters
MIN_RUN_CHARS = 6  # of a name that may be misspelt

_MASK = (1 << 32) - 1
_MULTIPLIERS = tuple((2654435761 * (2 * row + 1)) & _MASK | 1 for row in range(BANDS * ROWS))  # Knuth's, made odd
_ADDENDS = tuple((40503 * (row + 1) ** 3) & _MASK for row in range(BANDS * ROWS))


@lru_cache(maxsize=REMEMBERED)
def blocks_of(key: str) -> frozenset[str]:
    """The names of the blocks that a folded name belongs to."""
    core = form_of(key).core
    together = "".join(core)
    blocks = {f"w:{' '.join(sorted(core))}", own_block(key), f"x:{''.join(map(skeleton, core))}"}
    blocks.update(f"a:{initials}" for initials in initials_of(key))
    if len(together) <= 8:
        blocks.add(f"a:{key.replace(' ', '')}")
    bare = [word for word in core if word not in KINDS]
    if bare and len(bare) < len(core):
        blocks.add(f"w:{' '.join(sorted(bare))}")
    if len(core) > 1:
        firsts = {core[0][0], *(name[0] for name in full_names(core[0]))}
        blocks.update(f"i:{core[-1]} {first}" for first in firsts)
    blocks.add(f"l:{core[-1]}")
    if len(together) >= MIN_RUN_CHARS:
        blocks.update(_bands(together))
    return frozenset(blocks)


def own_block(key: str) -> str:
    """The one of a name's blocks that is cheapest to tell."""
    return f"c:{''.join(form_of(key).core)}"


def _bands(text: str) -> list[str]:
    runs = [zlib.crc32(text[at : at + RUN].encode()) for at in range(len(text) - RUN + 1)]
    least = [
        min([(run * multiplier + addend) & _MASK for run in runs])
        for multiplier, addend in zip(_MULTIPLIERS, _ADDENDS, strict=True)
    ]
    return [f"m{band}{text[0]}:{':'.join(map(str, least[band * ROWS : (band + 1) * ROWS]))}" for band in range(BANDS)]


def is_too_large(block: str, names: int) -> bool:
    """Whether so many names are too many for a block to tell anything."""
    return names > (min(MAX_BLOCK, MAX_LETTER_BLOCK) if block[0] == "m" else MAX_BLOCK)


def is_lopsided(block: str) -> bool:
    """Whether only a short name and the long ones of the block are compared, never the long ones with each other."""
    return block[:2] in {"l:", "a:"}


def is_short_in(block: str, key: str) -> bool:
    """Whether `key` is the short name of a lopsided block."""
    name = block[2:]
    return " ".join(form_of(key).core) == name or key.replace(" ", "") == name


@lru_cache(maxsize=REMEMBERED)
def block_id(block: str) -> int:
    """What a store keeps of a block's name: 64 bits with a sign. Two blocks of one id would only be compared more."""
    return int.from_bytes(hashlib.blake2b(block.encode(), digest_size=8).digest(), signed=True)
