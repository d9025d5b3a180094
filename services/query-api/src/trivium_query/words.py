# ruff: noqa: SIM905  (word lists read best as words)
"""The words of a text, folded; those that carry its content, stemmed as their language wants, in any script."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from stopwordsiso import has_lang, stopwords

from trivium.text import stemming
from trivium.text.languages import ENGLISH
from trivium.text.spaceless import MARKED, RUN, SPACELESS, pairs, spelt

# Function words and words that only ask. Frequent ones of the languages most asked in; where the language is known to
# be another than English, `stopwordsiso` has more.
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
# Words that only ask, and that `stopwordsiso` lacks; none that is a word of content without its accents.
_QUESTION_WORDS = {
    "ar": "لماذا لمن",
    "de": """worum wofür wozu womit wovon woran worin woraus wodurch wogegen worauf worüber wonach wobei weswegen
    wieviel wieviele inwiefern inwieweit""",
    "el": "γιατί",
    "hi": """क्या किसने किसके किसकी किसका किससे किसको किसमें किन किनके कब कहाँ कहां क्यों कैसे कैसा कैसी कितने कितनी
    कौनसी कौनसे""",
    "nl": "hoeveel waarvoor waarmee waarvan waaraan waarin waardoor waarover",
    "pt": "quanta quantos quantas",
    "ru": """какое какие какого какую какому каким какими каком каких каков какова каково каковы чей чья чьё чьи
    чьего""",
    "tr": "kimler kimin hangileri hangisidir kaç nedir neler nelerdir neyin neyle",
}
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
    thought:think went:go gone:go won:win wore:wear worn:wear wrote:write written:write ate:eat eaten:eat bred:breed
    broke:break broken:break caught:catch dealt:deal fed:feed flew:fly flown:fly forbade:forbid forbidden:forbid
    hid:hide hidden:hide lent:lend sank:sink sunk:sink shook:shake shaken:shake slept:sleep sought:seek
    stole:steal stolen:steal struck:strike swam:swim swept:sweep threw:throw thrown:throw""".split()
)
_PREFIXED = re.compile(r"(under|over|out|fore|for|with|mis|re)(.+)")  # "underwritten" is of "underwrite"
_WORD = re.compile(rf"[^\W_{SPACELESS}{MARKED}]+(?:[.,]\d+)*|[{SPACELESS}]+|[{MARKED}]+")
_TOKEN = re.compile(rf"(?:[^\W_]|[{MARKED}])+")
_PARTING = {code: " " for code in range(128) if not chr(code).isalnum()}  # of ASCII, what no token holds
_POSSESSIVE = re.compile(r"['\u2019]s$")
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]+"
)  # and Hebrew's and Arabic's points
_MIN_STEM = 4


def fold(text: str) -> str:
    """Lower case without accents."""
    if text.isascii():
        return text.lower()
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", spelt(text.casefold())))


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """Plural and the commonest verb endings off: "studies" and "study", "played" and "plays" meet."""
    if not word.isascii() or word.isdigit():
        return word
    word = _present(word)
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and not word.endswith(("ss", "us")) and len(word) - len(ending) >= _MIN_STEM - 1:
            bare = word[: -len(ending)] + instead
            return bare[:-1] if bare[-1:] == "e" and len(bare) > _MIN_STEM else bare
    return word


def _present(word: str) -> str:
    """The verb that a past form is of, behind a prefix too; any other word as it is."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    prefixed = _PREFIXED.fullmatch(word)
    return prefixed[1] + _IRREGULAR[prefixed[2]] if prefixed and prefixed[2] in _IRREGULAR else word


def tokens(text: str) -> tuple[str, ...]:
    """Every run of letters and digits, folded, in order."""
    folded = fold(text) if text.isascii() else " ".join(map(fold, text.split()))  # most words are ASCII, and quick
    return tuple(folded.translate(_PARTING).split() if folded.isascii() else _TOKEN.findall(folded))


def terms(text: str) -> list[tuple[str, ...]]:
    """What stands between spaces, in order, as its tokens: a word, but also an address or a part number, is one."""
    written = (tokens(_POSSESSIVE.sub("", word)) for word in text.split())
    return [term for term in written if term]


def is_function_word(word: str) -> bool:
    """Whether a folded word only joins others, or only asks."""
    return word in _STOP or word in _ASKING


def is_stop_word(word: str, language: str = ENGLISH) -> bool:
    """Whether a word, written anyhow, is too common in its language to be a name."""
    return fold(word) in _function_words(language)


def content_words(text: str, language: str = ENGLISH) -> list[str]:
    """Stems of the words that are not function words, in order, repeated as they stand.

    `language` is the text's ISO 639-1 code. Text without spaces between words gives pairs of characters.
    """
    if language in ("", ENGLISH):
        return [word for found in _WORD.findall(fold(text)) for word in _english(found)]
    return [word for found in _WORD.findall(spelt(text.casefold())) for word in _of_language(found, language)]


def _english(word: str) -> list[str]:
    if not word.isascii() and RUN.fullmatch(word):
        return pairs(word)
    return [] if word in _STOP or _is_letter(word) else [stem(word)]


@lru_cache(maxsize=1 << 14)
def _of_language(word: str, language: str) -> tuple[str, ...]:
    """What a case-folded word counts as: itself, pairs of its characters, or nothing."""
    if not word.isascii() and RUN.fullmatch(word):
        return tuple(pair for piece in _between(language).split(word) if piece for pair in pairs(fold(piece)))
    folded = fold(word)
    if folded in _STOP or folded in _function_words(language) or _is_letter(folded):
        return ()
    return (fold(stemming.stem(word, language)),)


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isascii() and not word.isdigit()


@lru_cache(maxsize=64)
def _function_words(language: str) -> frozenset[str]:
    known = stopwords(language) if has_lang(language) else ()
    return frozenset(map(fold, (*known, *_QUESTION_WORDS.get(language, "").split())))


@lru_cache(maxsize=64)
def _between(language: str) -> re.Pattern[str]:
    """The function words of a language without spaces, the longer before those within them; none match nothing."""
    known = (word for word in (stopwords(language) if has_lang(language) else ()) if RUN.fullmatch(word))
    return re.compile("|".join(sorted(known, key=lambda word: (-len(word), word))) or r"(?!)")
