"""What a model says, without what it thinks aloud: some servers leave `<think>` and its relatives in the text."""

from __future__ import annotations

import re

import msgspec

from trivium.ports.llm import Completion

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|analysis"
_QUOTES = "`'\"\u201c\u201d\u2018\u2019\u201e\u00ab\u00bb"  # between two of them a tag is told of
_NOT_QUOTED = rf"(?:(?<![{_QUOTES}])|(?P<quoted>))"
_NOT_TOLD = rf"(?(quoted)(?=[^{_QUOTES}]))"
_TAG = re.compile(rf"{_NOT_QUOTED}<(?P<closing>/?)(?:{_NAMES})>{_NOT_TOLD}", re.I)
_CLOSING = re.compile(rf"{_NOT_QUOTED}</(?:{_NAMES})>{_NOT_TOLD}", re.I)
_JSON = re.compile(r"\s*(?:\{|```)")
_BEGUN = re.compile(rf"(?:[{_QUOTES}]?</?[a-z]{{0,10}}|[{_QUOTES}](?:</?[a-z]{{1,10}}>)?)$", re.I)  # a tag, so far


class Heard(msgspec.Struct, frozen=True):
    """The text that is ready; `withdrawn` when all text before it turned out to be thoughts."""

    text: str
    withdrawn: bool = False


class SpokenText:
    """Text that comes piece by piece. What stands between the tags is left out, and what follows one never closed.

    Chat templates may open the tag themselves: then all that came before a closing one was thought.
    """

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._after_thoughts = False

    def feed(self, piece: str) -> Heard:
        """What may become a tag is held back until it is one, or cannot be."""
        text, self._held = self._held + piece, ""
        ready, withdrawn = "", False
        at = 0
        while tag := (_CLOSING if self._thinking else _TAG).search(text, at):
            if not self._thinking and not tag["closing"]:
                ready += self._said(text[at : tag.start()])
            elif not self._thinking:
                ready, withdrawn = "", True
            self._thinking = not self._thinking and not tag["closing"]
            self._after_thoughts = True
            at = tag.end()
        text = text[at:]
        begun = _BEGUN.search(text)
        cut = begun.start() if begun else len(text)
        self._held = text[cut:]
        return Heard(ready if self._thinking else ready + self._said(text[:cut]), withdrawn)

    def finish(self) -> str:
        """What was still held back."""
        rest, self._held = self._held, ""
        return "" if self._thinking else rest

    def _said(self, text: str) -> str:
        if self._after_thoughts:
            text = text.lstrip()
            self._after_thoughts = not text
        return text


def spoken(completion: Completion) -> Completion:
    """The completion with what was said alone."""
    spoken_text = SpokenText()
    text = spoken_text.feed(completion.text).text + spoken_text.finish()
    return msgspec.structs.replace(completion, text=text)


def json_of(text: str) -> str:
    """What follows the thoughts before an answer in JSON; a tag within the JSON stays."""
    at = 0
    while not _JSON.match(text, at) and (tag := _CLOSING.search(text, at)):
        at = tag.end()
    return text[at:]
