"""What of a web page a reader would not see, or would see on every page of the site."""

from __future__ import annotations

import re
from functools import lru_cache

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
    ]
)
_CHROME = frozenset(["nav", "footer", "aside", "menu"])
_CHROME_ROLES = frozenset(
    ["navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar", "toolbar"]
)
_CHROME_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navbox|navigation|breadcrumbs?|sidebar|cookie[\w-]*|site-footer|footer|menu|noprint|"
    r"mw-editsection|mw-jump-link|printfooter|catlinks|skip-link|social|share|advert|ads|toc|site-header|masthead|topbar|"
    r"related|recommended|most-read|trending|newsletter|subscribe|signup|promo|popup|gdpr|consent|copyright)(?:$|[\s_-])",
    re.IGNORECASE,
)
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?\s*(?:;|!|$)"
    r"|font-size\s*:\s*0(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)|(?:left|top|text-indent)\s*:\s*-\d{3,}"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?",
    re.IGNORECASE,
)
_COLOUR = re.compile(r"(?:^|;)\s*color\s*:\s*([^;!]+)", re.IGNORECASE)
_BACKGROUND = re.compile(r"background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE_SELECTOR = re.compile(r"[\w-]*[.#][\w-]+")
_PARAGRAPHS_OF_CONTENT = 5  # whatever its class is called
_LINK_LIST_SHARE = 0.8
_MAIN_SHARE = 0.3  # below it, <main> or <article> is only a teaser


def hidden_selectors(root: etree._Element) -> frozenset[str]:
    """Simple selectors (`.note`, `#trap`) that the page's own style sheets hide."""
    found: set[str] = set()
    for style in root.iter("style"):
        for selectors, rules in _RULE.findall((style.text or "")[:200_000]):
            if _HIDING_STYLE.search(rules):
                names = (name.strip() for name in selectors.split(","))
                found.update(name for name in names if _SIMPLE_SELECTOR.fullmatch(name))
    return frozenset(found)


def is_hidden(node: etree._Element, selectors: frozenset[str]) -> bool:
    """True when a reader would not see the element."""
    if node.tag in _NEVER_SHOWN or not isinstance(node.tag, str):
        return True
    if not node.keys():
        return False
    attributes = node.attrib
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    style = attributes.get("style", "")
    if style and (_HIDING_STYLE.search(style) or _same_colours(style)):
        return True
    return bool(selectors) and _selected(node, selectors)


def _same_colours(style: str) -> bool:
    text, ground = _COLOUR.search(style), _BACKGROUND.search(style)
    if not text:
        return False
    colour = text.group(1).strip().lower()
    if ground:
        return ground.group(1).strip().lower() == colour
    return colour in ("transparent", "white", "#fff", "#ffffff", "rgb(255,255,255)", "rgb(255, 255, 255)")


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
        if names != " " and node.tag not in ("body", "html", "main", "article") and _names_chrome(names):
            return node.find(".//h1") is None and len(node.findall(".//p")) < _PARAGRAPHS_OF_CONTENT
    return node.tag in ("ul", "ol", "div") and _mostly_links(node)


@lru_cache(maxsize=1024)  # a page has few classes
def _names_chrome(names: str) -> bool:
    return bool(_CHROME_NAMES.search(names))


def _mostly_links(node: etree._Element) -> bool:
    anchors = list(node.iter("a"))
    if len(anchors) < 6 or next(node.iter("p"), None) is not None:
        return False
    total = sum(len(text.strip()) for text in node.itertext())
    linked = sum(len(text.strip()) for anchor in anchors for text in anchor.itertext())
    return bool(total) and linked >= _LINK_LIST_SHARE * total and linked / len(anchors) < 40


def main_content(root: etree._Element) -> etree._Element:
    """The element with the page's own content: <main>, a sole <article>, else <body>."""
    body = root.find(".//body")
    body = root if body is None else body
    candidates = [*body.iter("main"), *body.iterfind(".//*[@role='main']")]
    articles = list(body.iter("article"))
    candidates += articles if len(articles) == 1 else []
    total = _length(body) if candidates else 0.0
    return next((node for node in candidates if _length(node) >= _MAIN_SHARE * total), body)


def _length(node: etree._Element) -> float:
    return float(str(node.xpath("string-length(.)")))
