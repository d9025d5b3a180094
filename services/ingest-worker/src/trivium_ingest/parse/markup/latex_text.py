"""LaTeX source as a reader sees it: commands away, accents and quotes as characters, formulas as they are written."""

from __future__ import annotations

import re
import unicodedata

_BRACES_AWAY = str.maketrans("{}", "\ue000\ue001")
_BRACES_BACK = str.maketrans("\ue000\ue001", "{}")
MAX_ARGUMENT_CHARS = 2_000
_VERBATIM = r"\\(?:verb\*?|lstinline)(?P<sign>[^\w\s*{\[])(?P<said>[^\n]{0,2000}?)(?P=sign)"
# Behind an even number of backslashes, or behind an address or code, in which its sign begins none.
_COMMENT = re.compile(rf"(?<!\\)((?:\\\\)*(?:\\(?:url|href)\{{[^{{}}\n]{{1,2000}}\}}|{_VERBATIM}|(?=%)))(?:%[^\n]*)?")
_COMMENTED = re.compile(r"\\begin\{comment\}(?:(?!\\begin\{comment\}).)*?\\end\{comment\}", re.DOTALL)
_MATH = re.compile(rf"(?<!\\)\$[^$\n]{{1,2000}}(?:\n[^$\n]{{1,2000}}){{0,5}}\$|\\\([^\n]{{1,2000}}?\\\)|{_VERBATIM}")
# Of siunitx: a number or a range, and its unit.
_QUANTITY = re.compile(
    r"\\(?:SI|qty|si|unit|(?P<range>SIrange|qtyrange))(?![a-zA-Z])(?:\[[^\]\n]{0,300}\])?"
    r"(?:\{(?P<from>[^{}\n]{0,50})\})??(?(range)\{(?P<to>[^{}\n]{0,50})\})\{(?P<unit>[^{}\n]{0,100})\}(?!\{)"
)
_UNIT = re.compile(r"\\([a-zA-Z]+)")
_PREFIXES = ("pico", "nano", "micro", "milli", "centi", "deci", "hecto", "kilo", "mega", "giga", "tera", "peta")
_THEOREM = re.compile(
    r"\\begin\{(theorem|lemma|proposition|corollary|definition|example|remark|proof|conjecture|exercise)\*?\}"
    r"\[([^\]\n]{1,300})\]"
)
_ONE = r"\*?(?:\([^()\n]{0,50}\))?(?:\[[^\]\n]{0,300}\])*(?:\{[^{}\n]{0,300}\})?(?:\[[^\]\n]{0,300}\])*"
_ALL = r"\*?(?:\[[^\]\n]{0,300}\])*(?:\{[^{}\n]{0,300}\}(?:\[[^\]\n]{0,300}\])*){0,3}"
_WITHOUT_WORDS = re.compile(
    r"\\(?:begin\{(?:minipage|thebibliography|multicols|subfigure|wrapfigure)\*?\}" + _ALL + r"|"
    r"(?:label|(?:eq|auto|name|page|c|C)?ref|\w*cite\w*|vspace|hspace|includegraphics|input|include|bibliography|"
    r"bibliographystyle|usepackage|documentclass|pagestyle|thispagestyle|index|begin|end|cmidrule|cline|column|"
    r"rule|color|captionof|pagenumbering|inputencoding|selectlanguage|hypersetup|rowcolor|cellcolor|def|"
    r"textcolor(?=\{\w+\}\{))(?![a-zA-Z@])" + _ONE + r"|"
    r"(?:setlength|addtolength|setcounter|addtocounter|newcommand|renewcommand|providecommand|newenvironment|"
    r"definecolor|colorlet|fontsize|addcontentsline|markboth)(?![a-zA-Z@])" + _ALL + r")"
)
_HREF = re.compile(r"\\href\{([^{}\n]{1,2000})\}|\\url\{([^{}\n]{1,2000})\}")
_ACCENT = re.compile(r"\\([`'^\"~=.uvHckrdb])\s*(?:\{\\?([a-zA-Z])\}|(?<=[`'^\"~=.])\\?([a-zA-Z]))")
_COMMAND = re.compile(r"\\[a-zA-Z@]+\*?[ \t]*(?:\[[^\]\n]{0,300}\])?")
_MARKS = {"`": 0x300, "'": 0x301, "^": 0x302, "~": 0x303, "=": 0x304, "u": 0x306, ".": 0x307, '"': 0x308, "r": 0x30A}
_MARKS |= {"H": 0x30B, "v": 0x30C, "d": 0x323, "c": 0x327, "k": 0x328, "b": 0x331}
_LETTERS = {
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "o": "ø",
    "O": "Ø",
    "aa": "å",
    "AA": "Å",
    "l": "ł",
    "L": "Ł",
    "i": "i",
    "j": "j",
    "ldots": "…",
    "dots": "…",
    "textendash": "\u2013",
    "textemdash": "—",
    "S": "§",
    "pounds": "£",
    "euro": "€",
    "texteuro": "€",
    "copyright": "©",
    "degree": "°",
    "textdegree": "°",
    "textmu": "µ",
    "textpm": "±",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "item": "\n-",
    "newline": "\n",
    "par": "\n",
    "quad": " ",
    "qquad": " ",
    "footnote": " ",
    "thanks": " ",
}
_LETTER = re.compile(r"\\(" + "|".join(sorted(_LETTERS, key=len, reverse=True)) + r")(?![a-zA-Z])[ \t]*(?:\{\})?")
_SIGNS = (("---", "—"), ("--", "\u2013"), ("``", "“"), ("''", "”"), ("~", " "))
_ESCAPED = re.compile(r"\\([%&#_${}])|\\[ ,;:!/-]|\\\\(?:\[[^\]\n]{0,30}\])?")


def without_comments(source: str) -> str:
    """The source with comments blanked, so that every other character stays in its place."""
    source = _COMMENT.sub(lambda match: match.group(1) + " " * (len(match.group()) - len(match.group(1))), source)
    return _COMMENTED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def argument(source: str, place: int, most: int = MAX_ARGUMENT_CHARS) -> tuple[str, int]:
    """The braced argument at `place` and where it ends; ("", place) when there is none that ends within `most`."""
    if source[place : place + 1] != "{":
        return "", place
    depth = 0
    for end in range(place, min(len(source), place + most)):
        character = source[end]
        if character in "{}" and source[end - 1] != "\\":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return source[place + 1 : end], end + 1
    return "", place


def links(source: str) -> list[str]:
    """Targets of links, as they are written."""
    return [first or second for first, second in _HREF.findall(source)]


def readable(source: str) -> str:
    """Running text without its commands; formulas between dollar signs, and code between other signs, stay."""
    parts: list[str] = []
    end = 0
    for formula in _MATH.finditer(source):
        parts += [_prose(source[end : formula.start()]), formula["said"] if formula["sign"] else formula.group()]
        end = formula.end()
    return "".join([*parts, _prose(source[end:])])


def _prose(text: str) -> str:
    text = _HREF.sub(lambda match: match.group(2) or "", text)
    text = _QUANTITY.sub(_measured, text)
    text = _THEOREM.sub(lambda match: f"{match.group(1).capitalize()} ({match.group(2)}). ", text)
    text = _ACCENT.sub(_accented, text)
    text = _WITHOUT_WORDS.sub("", text)
    text = _LETTER.sub(lambda match: _LETTERS[match.group(1)], text)
    text = _COMMAND.sub("", text)
    for mark, character in _SIGNS:
        text = text.replace(mark, character)
    text = _ESCAPED.sub(_unescaped, text)
    return text.replace("{", "").replace("}", "").translate(_BRACES_BACK)


def _unescaped(match: re.Match[str]) -> str:
    """An escaped sign, a blank, or a line break; braces wait until the bare ones are gone."""
    if sign := match.group(1):
        return sign.translate(_BRACES_AWAY)
    if match.group() == "\\-":  # where a word may be divided
        return ""
    return "\n" if match.group().startswith("\\\\") else " "


def _measured(match: re.Match[str]) -> str:
    """`5 kilometer`, `1 to 2 km`: the names of units are commands."""
    unit = _UNIT.sub(lambda name: name[1] if name[1] in _PREFIXES else f"{name[1]} ", match["unit"]).strip()
    return " ".join(filter(None, (match["from"], "to" if match["to"] else "", match["to"], unit)))


def _accented(match: re.Match[str]) -> str:
    letter = match.group(2) or match.group(3)
    return unicodedata.normalize("NFC", letter + chr(_MARKS[match.group(1)]))
