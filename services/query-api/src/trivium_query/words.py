# ruff: noqa: SIM905  (word lists read best as words)
"""The words of a text, folded; those that carry its content, lightly stemmed, in any script."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Function words and words that only ask. Frequent ones of the languages most asked in; a language that
# is not here loses nothing but a little weight on its rarer words.
_STOP = frozenset(
    """a about after all also am an and any are as at be been before being between both but by can could
    did do does doing during each either for from further had has have having he her here hers him his how i if in
    into is it its itself just many may me might more most much my no nor not of off on once only or other our out
    over own same she should so some such than that the their them then there these they this those through to too
    under until up upon very was we were what when where whether which while who whom whose why will with within
    would you your s t please tell give name list find describe explain show say says according
    der die das ein eine einer eines einem einen und oder ist sind war waren wird werden hat haben wie was wer wo
    wann warum welche welcher welches mit von zu zum zur im in am auf aus bei fur nach uber unter den dem des
    le la les un une des du de et ou est sont etait qui que quoi quand comment pourquoi quel quelle quels quelles
    dans sur pour par avec au aux el los las unos unas y o es son era fue quien cuando donde como por para con del al
    il lo gli uno una e sono chi che cosa dove quando come perche per di da o os um uma quem onde no na""".split()
)
# Verbs that ask about whatever stands beside them. As content they say a little, as the subject of a question nothing.
_ASKING = frozenset("happen happened happens hear heard know known knows mean means mention mentioned".split())
# Past forms that no ending betrays, to their verb.
_IRREGULAR = dict(
    pair.split(":")
    for pair in """became:become began:begin begun:begin born:bear bought:buy brought:bring built:build came:come
    chose:choose chosen:choose died:die drew:draw drawn:draw drove:drive driven:drive fell:fall fallen:fall fought:fight
    found:find gave:give given:give grew:grow grown:grow held:hold kept:keep knew:know known:know led:lead left:leave
    lost:lose made:make met:meet paid:pay ran:run rose:rise risen:rise said:say saw:see seen:see sold:sell sent:send
    sang:sing sung:sing spent:spend spoke:speak spoken:speak stood:stand taught:teach took:take taken:take told:tell
    thought:think went:go gone:go won:win wore:wear worn:wear wrote:write written:write""".split()
)
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
_TOKEN = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s$")
# Scripts that put no space between words: Thai, Lao, Khmer, kana, Han.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_MIN_STEM = 4


def fold(text: str) -> str:
    """Lower case without accents."""
    if text.isascii():
        return text.lower()
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Plural and the commonest verb endings off: "studies" and "study", "played" and "plays" meet."""
    if not word.isascii() or word.isdigit():
        return word
    word = _IRREGULAR.get(word, word)
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and not word.endswith(("ss", "us")) and len(word) - len(ending) >= _MIN_STEM - 1:
            bare = word[: -len(ending)] + instead
            return bare[:-1] if bare[-1:] == "e" and len(bare) > _MIN_STEM else bare
    return word


def tokens(text: str) -> tuple[str, ...]:
    """Every run of letters and digits, folded, in order."""
    return tuple(_TOKEN.findall(fold(text)))


def terms(text: str) -> list[tuple[str, ...]]:
    """What stands between spaces, in order, as its tokens: a word, but also an address or a part number, is one."""
    written = (tokens(_POSSESSIVE.sub("", word)) for word in text.split())
    return [term for term in written if term]


def is_function_word(word: str) -> bool:
    """Whether a folded word only joins others, or only asks."""
    return word in _STOP or word in _ASKING


def content_words(text: str) -> list[str]:
    """Stems of the words that are not function words, in order, repeated as they stand.

    Text without spaces between words gives pairs of characters.
    """
    found: list[str] = []
    for word in _WORD.findall(fold(text)):
        if not word.isascii() and len(word) > 1 and _UNSPACED.fullmatch(word):
            found.extend(word[i : i + 2] for i in range(len(word) - 1))
        elif word not in _STOP and (len(word) > 1 or word.isdigit() or not word.isascii()):
            found.append(stem(word))
    return found
