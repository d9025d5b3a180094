"""What of a web page a reader would not see, or would see on every page of the site."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from lxml import etree

_NEVER_SHOWN = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "iframe",
        "object",
        "embed",
        "svg",
        "canvas",
        "audio",
        "video",
        "source",
        "track",
        "map",
        "head",
        "link",
        "meta",
        "select",
        "option",
        "datalist",
        "button",
        "input",
        "textarea",
        "progress",
        "dialog",
        "applet",
        "frameset",
        "frame",
        "base",
        "annotation",  # of a formula: the same in another form
        "annotation-xml",
    ]
)
_NO_CODE = frozenset(["script", "style", "noscript", "svg"])
_BUTTON = re.compile(r"\s*+(?:[^\s;=(){}\[\]]++\s*+){0,3}")  # beside code: "Copy to clipboard"
# As Pygments, Rouge and Hexo call where lines are numbered.
_GUTTER = re.compile(r"(?:^|[\s-])(?:linenos?|gutter)(?:$|\s)")
_BUTTON_PIECES = 32  # of its text, blanks between pictures included
_TITLES = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "dt"])
_CHROME = frozenset(["nav", "footer", "aside", "menu"])
_CHROME_ROLES = frozenset(
    ["navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar", "toolbar"]
)
_CHROME_NAMES = re.compile(
    r"(?:^|[\s_-])(?:(?P<leads>nav|navbar|navbox|navigation|breadcrumbs?|menu|social|share|toc|related|recommended|"
    r"most-read|trending)|sidebar|cookie[\w-]*|site-footer|footer|noprint|mw-editsection|mw-jump-link|printfooter|catlinks|"
    r"skip-link|advert|ads|site-header|masthead|topbar|newsletter|subscribe|signup|promo|popup|gdpr|consent|copyright)"
    r"(?=$|[\s_-])",
    re.IGNORECASE,
)
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?\s*(?:;|!|$)"
    r"|font-size\s*:\s*0(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)|(?<![\w-])(?:left|top|text-indent)\s*:\s*-\d{3,}"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?",
    re.IGNORECASE,
)
_COLOUR = re.compile(r"(?:^|;)\s*color\s*:\s*([^;!]+)", re.IGNORECASE)
_BACKGROUND = re.compile(r"background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_WHITE = frozenset(["white", "#fff", "#ffffff", "rgb(255,255,255)", "rgb(255, 255, 255)"])
_SEEN_THROUGH = frozenset(["", "transparent", "none", "inherit", "initial", "unset"])
MAX_GROUNDS = 64  # elements around one that are asked for what it stands on
_COMMENT = re.compile(r"/\*(?s:.*?)(?:\*/|\Z)")
_MEDIA = re.compile(r"@media\b([^{};@]*+)\{(?:[^{}]++\{[^{}]*+\})*+[^{}]*+\}?", re.IGNORECASE)
# Up to 300 px (an em has 16), which the smallest screens have.
_SMALL = r"\( ?min-(?:width|height) ?: ?0*(?:(?:300|[12]?\d{0,2})(?:\.\d+)?(?:px)?|1?\d(?:\.\d+)?r?em) ?\)"
_EVERY_SCREEN = re.compile(rf"(?:(?:(?:only )?(?:all|screen)|{_SMALL})(?: and {_SMALL})*)?", re.IGNORECASE)
_RULE = re.compile(r"(?<![^{}])([^{}]++)\{([^{}]*+)\}")
_SIMPLE_SELECTOR = re.compile(r"[\w-]*[.#][\w-]+")
_PARAGRAPHS_OF_CONTENT = 5  # whatever its class is called
_LINK_LIST_SHARE = 0.8
_LEADS_SHARE = 0.1  # of text in links: a menu of dishes, social care and the price of a share lead nowhere
_MAIN_SHARE = 0.3  # below it, <main> or <article> is only a teaser


def hidden_selectors(root: etree._Element) -> frozenset[str]:
    """Simple selectors (`.note`, `#trap`) that the page's own style sheets hide on every screen."""
    found: set[str] = set()
    for style in root.iter("style"):
        if not _on_every_screen(style.get("media", "")):
            continue
        sheet = _MEDIA.sub(_held, _COMMENT.sub("", (style.text or "")[:200_000]))
        for selectors, rules in _RULE.findall(sheet):
            if _HIDING_STYLE.search(rules):
                names = (name.strip() for name in selectors.split(","))
                found.update(name for name in names if _SIMPLE_SELECTOR.fullmatch(name))
    return frozenset(found)


def _held(media: re.Match[str]) -> str:
    """The rules of a block where they hold on every screen."""
    return media[0].partition("{")[2] if _on_every_screen(media[1]) else ""


def _on_every_screen(queries: str) -> bool:
    return any(_EVERY_SCREEN.fullmatch(" ".join(query.split())) for query in queries.split(","))


def is_hidden(node: etree._Element, selectors: frozenset[str], *, in_code: bool = False) -> bool:
    """True when a reader would not see the element; `in_code` when it is no part of the code that it stands in."""
    if not isinstance(node.tag, str) or (_is_no_code(node) if in_code else _is_never_shown(node)):
        return True
    if not node.keys():
        return False
    attributes = node.attrib
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    style = attributes.get("style", "")
    if style and (_HIDING_STYLE.search(style) or _same_colours(node, style)):
        return True
    return bool(selectors) and _selected(node, selectors)


def _is_never_shown(node: etree._Element) -> bool:
    """A button is shown where it is all that a title is made of: it unfolds an answer to what stands on it."""
    if node.tag != "button" or node.getprevious() is not None:
        return node.tag in _NEVER_SHOWN
    around = node.getparent()
    if around is None or around.tag not in _TITLES:
        return True
    return _beginning(node).split() != _beginning(around).split()


def _is_no_code(node: etree._Element) -> bool:
    """Few elements are; others that no reader sees are mostly code that was not escaped (`#include <map>`)."""
    if is_gutter(node):
        return True
    if node.tag != "button":
        return node.tag in _NO_CODE
    pieces = [str(text) for text in islice(node.itertext(), _BUTTON_PIECES + 1)]
    return len(pieces) <= _BUTTON_PIECES and _BUTTON.fullmatch("".join(pieces)) is not None


def is_gutter(node: etree._Element) -> bool:
    """Whether it holds the numbers of the lines of the code beside it."""
    if not _GUTTER.search(node.get("class", "")):
        return False
    return not any(map(str.isalpha, _beginning(node)))


def _beginning(node: etree._Element) -> str:
    """Of its text."""
    return "".join(map(str, islice(node.itertext(), _BUTTON_PIECES)))


def _same_colours(node: etree._Element, style: str) -> bool:
    text, ground = _COLOUR.search(style), _BACKGROUND.search(style)
    if not text:
        return False
    colour = text.group(1).strip().lower()
    if ground:
        return ground.group(1).strip().lower() == colour
    return colour == "transparent" or (colour in _WHITE and _ground(node) in _WHITE)


def _ground(node: etree._Element) -> str:
    """The colour that an element stands on, as far as attributes say it; a page is white."""
    for around in (node, *islice(node.iterancestors(), MAX_GROUNDS)):
        said = _BACKGROUND.search(around.get("style", ""))
        colour = (said.group(1) if said else around.get("bgcolor", "")).strip().lower()
        if colour not in _SEEN_THROUGH:
            return colour
    return "white"


def _selected(node: etree._Element, selectors: frozenset[str]) -> bool:
    names = [f".{name}" for name in node.get("class", "").split()]
    if identity := node.get("id"):
        names.append(f"#{identity}")
    return any(name in selectors or f"{node.tag}{name}" in selectors for name in names)


def is_chrome(node: etree._Element) -> bool:
    """True for navigation, footers, side bars: what a site repeats on every page."""
    if node.tag in _CHROME:
        return True
    if node.keys():
        if node.get("role", "") in _CHROME_ROLES:
            return True
        names = f"{node.get('class', '')} {node.get('id', '')}"
        if names != " " and node.tag not in ("body", "html", "main", "article") and (kinds := _kinds_of_chrome(names)):
            few = node.find(".//h1") is None and len(node.findall(".//p")) < _PARAGRAPHS_OF_CONTENT
            return few and ("" in kinds or node.tag in _TITLES or _share_of_links(node) >= _LEADS_SHARE)
    return node.tag in ("ul", "ol", "div") and _mostly_links(node)


@lru_cache(maxsize=1024)  # a page has few classes
def _kinds_of_chrome(names: str) -> frozenset[str]:
    """Of what leads elsewhere, the names; "" for other chrome."""
    return frozenset(found["leads"] or "" for found in _CHROME_NAMES.finditer(names))


def _share_of_links(node: etree._Element) -> float:
    return sum(map(_shown_chars, node.iter("a"))) / (_shown_chars(node) or 1)


def _shown_chars(node: etree._Element) -> int:
    """Those of its pictures' words included."""
    return sum(len(text.strip()) for text in (*node.itertext(), *(img.get("alt", "") for img in node.iter("img"))))


def _mostly_links(node: etree._Element) -> bool:
    anchors = list(node.iter("a"))
    if len(anchors) < 6 or next(node.iter("p"), None) is not None:
        return False
    total = sum(len(text.strip()) for text in node.itertext())
    linked = sum(len(text.strip()) for anchor in anchors for text in anchor.itertext())
    return bool(total) and linked >= _LINK_LIST_SHARE * total and linked / len(anchors) < 40


def body_of(root: etree._Element) -> etree._Element:
    """<body>, or all there is."""
    body = root.find(".//body")
    return root if body is None else body


def main_content(root: etree._Element) -> etree._Element:
    """The element with the page's own content: <main>, a sole <article>, else <body>."""
    body = body_of(root)
    candidates = [*body.iter("main"), *body.iterfind(".//*[@role='main']")]
    articles = list(body.iter("article"))
    candidates += articles if len(articles) == 1 else []
    total = _length(body) if candidates else 0.0
    return next((node for node in candidates if _length(node) >= _MAIN_SHARE * total), body)


def _length(node: etree._Element) -> float:
    return float(str(node.xpath("string-length(.)")))
