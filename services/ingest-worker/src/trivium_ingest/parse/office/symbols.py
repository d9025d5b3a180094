"""Characters that Word writes by their place in a font of symbols, as characters of Unicode."""

from __future__ import annotations

from itertools import chain

_RUNS = (
    (0x41, "\u0391\u0392\u03a7\u0394\u0395\u03a6\u0393\u0397\u0399\u03d1\u039a\u039b\u039c"),
    (0x4E, "\u039d\u039f\u03a0\u0398\u03a1\u03a3\u03a4\u03a5\u03c2\u03a9\u039e\u03a8\u0396"),
    (0x61, "\u03b1\u03b2\u03c7\u03b4\u03b5\u03c6\u03b3\u03b7\u03b9\u03d5\u03ba\u03bb\u03bc"),
    (0x6E, "\u03bd\u03bf\u03c0\u03b8\u03c1\u03c3\u03c4\u03c5\u03d6\u03c9\u03be\u03c8\u03b6"),
    (0xA2, "\u2032\u2264\u2044\u221e\u0192\u2663\u2666\u2665\u2660\u2194\u2190\u2191\u2192\u2193"),
    (0xB0, "\u00b0\u00b1\u2033\u2265\u00d7\u221d\u2202\u2022\u00f7\u2260\u2261\u2248\u2026"),
    (0xC0, "\u2135\u2111\u211c\u2118\u2297\u2295\u2205\u2229\u222a\u2283\u2287\u2284\u2282\u2286\u2208\u2209"),
    (0xD0, "\u2220\u2207\u00ae\u00a9\u2122\u220f\u221a\u22c5\u00ac\u2227\u2228\u21d4\u21d0\u21d1\u21d2\u21d3"),
    (0xE5, "\u2211"),
    (0xF2, "\u222b"),
)
_SYMBOL = dict(chain.from_iterable(enumerate(run, start) for start, run in _RUNS)) | {
    0x2D: "\u2212",
    **{
        place: chr(place) for place in chain(range(0x20, 0x22), range(0x28, 0x2A), range(0x2B, 0x2D), range(0x2E, 0x40))
    },
}
_WINGDINGS = {
    0x6F: "\u25a1",
    0xA8: "\u25a1",
    0xDF: "\u2190",
    0xE0: "\u2192",
    0xFB: "\u2717",
    0xFC: "\u2713",
    0xFD: "\u2612",
    0xFE: "\u2611",
}
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}
_PRIVATE = range(0xF000, 0xF100)


def symbol(font: str, place: str) -> str:
    """The character at a place, in hexadecimal digits; a blank where nobody here knows it."""
    try:
        number = int(place, 16)
    except ValueError:
        return " "
    known = _FONTS.get(font.lower())
    if known is not None:
        return known.get(number - _PRIVATE.start if number in _PRIVATE else number, " ")
    return " " if 0xE000 <= number <= 0xF8FF or not 0 <= number <= 0x10FFFF else chr(number)
