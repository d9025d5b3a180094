"""What keeps a likely answer from being told as sure, though its words fit.

It is of another day, unit or bound than asked for, what somebody said, what was once, was planned or never came about,
a mistake, a surcharge or a grant, what holds under a condition, once where it is asked how much a day, what others pay,
what one of many gives where it is asked what came in, or what is paid where the rest is asked for; or the next sentence
calls it off, corrects it, makes it less or excepts what is asked.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable

from trivium.domain.chunks import Span
from trivium_query.answer.direct.life import BIRTH, DEATH, YEAR
from trivium_query.answer.direct.opposites import is_of_another_day, weekdays_in
from trivium_query.answer.direct.polarity import denies
from trivium_query.answer.direct.units import NUMBER_WORDS, is_of_another_dimension, is_of_another_unit
from trivium_query.answer.tables.asked_words import alike
from trivium_query.words import content_words, fold

_HOW_MANY = re.compile(r"\bhow (?:many|much)\b", re.I)
# What somebody says, of which the text often says later that it is otherwise.
_REPORT = re.compile(r"\b(?:said|says?|claim(?:s|ed)?|report(?:s|ed)|announced?|wrote|writes) that\b", re.I)
_ASKS_FOR_TRUTH = re.compile(r"\b(?:really|actually|in fact|truly)\b", re.I)
_ONLY_TOLD = re.compile(
    r"\bit (?:is|was) (?:often |sometimes |widely |still )?(?:told|said|believed|rumoured|claimed|thought) that\b"
    r"|\b(?:legend|rumour) (?:has|says)\b|\bthere is no (?:proof|evidence)\b",
    re.I,
)
_NEVER_WAS = re.compile(
    r"\b(?:planned|intended|proposed|supposed|meant|was to|were to|should have)\b"
    r".*\b(?:never (?:built|made|done|finished|came|happened|opened|held|carried)|abandoned|came to nothing)\b",
    re.I,
)
_NEVER_DID = re.compile(
    r"\s(?:should|would|could|might|was|were) (?:supposed )?(?:to )?have (?:had|been|\w+(?:ed|en|wn|ung))\b"
)
_ASKS_FOR_PLANS = re.compile(
    r"\b(?:plan|schedul|announc|intend|propos|suggest|suppos|meant|should|was to\b|were to\b|originally)"
    r"|\b(?:was|were)\b.* to be\b",
    re.I,
)
_ASKS_FOR_BIRTH = re.compile(r"\b(?:born|birth|birthday|old|age)\b", re.I)
_WAS_BUT = re.compile(r"\b(?:was|were|used to be)\b.*\bbut\b", re.I)
_OF_THEN = re.compile(r"\b(?:was|were|did|had|used|been|before|once|former(?:ly)?|originally)\b|\b\w+ed\b", re.I)
_MORE = re.compile(r"\s+(?:\w+\s+)?(?:more|extra|less|fewer|higher|lower|dearer|cheaper)\b", re.I)
_LONGER = re.compile(rf"^(?:\d[\d.,]*|an?|half an?|{NUMBER_WORDS}) \w+ (?:longer|shorter|later|earlier)$", re.I)
_ASKS_FOR_MORE = re.compile(
    r"\b(?:more|extra|additional(?:ly)?|less|fewer|higher|lower|dearer|cheaper|longer|shorter|later|earlier|surcharge"
    r"|on top|difference)\b",
    re.I,
)
_IF = re.compile(r"\bif\b(?P<clause>[^,.;]*)", re.I)
_EXCEPTION = re.compile(
    r"\W*(?:the |an |one |only )?exceptions?\b\W*(?:are|is|for)?\s*(?P<whom>\w+(?:\s\w+){0,2})", re.I
)
_PURPOSE = re.compile(
    r"\W*(?:In order to|To) (?!(?:the|an?|my|our|its|his|her|their|date)\b)(?P<what>[a-z][^,.;:]+),\s"
)
_EACH = re.compile(r"\b(?:an?|per|each|every|one) (minute|hour|day|night|week|month|term|year)\b", re.I)
_A_MINUTE = re.compile(r"\bmin\b|\b[bwr]pm\b|\bseconds\b", re.I)
_PERIOD = re.compile(
    r"\b(?:(?:last|previous|next|coming) (?:year|season|week|month|spring|summer|autumn|winter)|the year before)\b",
    re.I,
)
_GIVEN = re.compile(
    r"\b(?:grant|donation|subsidy|loan|legacy|gift|bequest|fine|budget)s? (?:of|was|is) (?:about |only |nearly )?", re.I
)
_HOW_LONG = re.compile(r"\bhow long\b", re.I)
_LASTS = re.compile(
    r"\bhow long (?:do(?:es)?|did|will|would|can|may|must)\s(?:(?:the|an?|our|my|each|this)\s)?(?P<what>[^\W\d_]+)\b"
    r"(?!\s(?:have|need)\b)(?P<of>.*)\b(?:last|go on|continue)\b",
    re.I,
)
_OF_LASTING = frozenset(content_words("last take run go continue long duration length it they this that"))
_BY_PRONOUN = re.compile(r"\W*(?:it|they|this|that|these|he|she)\b", re.I)
_FREE_FOR = re.compile(r"\bfree (?:for|to) (?:all |the |our )?([\w-]+)", re.I)
_GO_FREE = re.compile(
    r"\b([\w-]+)(?: (?:under|below|over|up to) \w+)? (?:goe?s?|is|are|enters?|travels?|gets? in) free\b",
    re.I,
)
_CHILD = re.compile(r"\bchildren\b", re.I)
_PRICED = re.compile(r"\b(?:costs?|pays?|prices?|fees?|charged?|rent)\b", re.I)
_REDUCED = re.compile(r"\b(?:half|double|twice|free|nothing|discount|reduced|a (?:third|quarter))\b", re.I)
_DIGITS = re.compile(r"\d+")
_NOT_ONE = re.compile(r"\bnon[- ]\w+", re.I)  # "non-members"
_CALLED_OFF = re.compile(r"\W*(?:cancell?ed|called off|postponed|dropped|withdrawn|sold out)\b", re.I)
# "Our leaflet said that the wheel was of oak. It is elm." "In March we gave the day as 18 April. It is on the 25th."
_TOLD_BEFORE = re.compile(
    r"\b(?:erratum|correction|leaflets?|letters?|notices?|posters?|programmes?|editions?|versions?|printings?|issues?"
    r"|reports?|websites?|drafts?|magazines?|newsletters?|guidebooks?|brochures?|articles?|minutes|I|we|had)\b.*"
    r"\b(?:said|gave|given|wrote|written|printed|stated|announced|called)\b.* (?:that|as)\b",
    re.I,
)
_BUT_IS = re.compile(
    r"\W*(?:in fact|(?:it|they|he|she|this|that) (?:is|are|was|were|has|had)\b|the (?:right|correct|true|actual)\b)",
    re.I,
)
_BUT = re.compile(r"\W*(?:however|but|except|unless)\b(?P<whom>[^.!?]*)", re.I)
_END = re.compile(r"[.!?\n]")
_OTHERWISE = re.compile(r"\d|\b(?:later|earlier|longer|shorter|instead|only|closed|not?)\b", re.I)
_OF_ALL = re.compile(r"\b(?:all|both|every|each|everybody|everyone|everything)\b", re.I)
_OF_SOME = re.compile(r"\b(?:one|some|several)\b", re.I)
_OF_FEWER = re.compile(r"\b(?:half|most|few|only|partly|all but)\b", re.I)
_KEPT_ON = re.compile(r"(?:n['\u2019]t|\b(?:not|never))\s(stop|ceas|giv\w+ up|fail|forg|miss|hesitat|object)", re.I)
_AT_MOST, _AT_LEAST = (
    re.compile(r"\b(?:max(?:imum|imal)?|at most|no more than|up to|longest|largest|highest)\b", re.I),
    re.compile(r"\b(?:min(?:imum|imal)?|at least|no less than|smallest|shortest|lowest)\b", re.I),
)
_ASKS_OF_NOW = re.compile(r"\b(?:still|nowadays|today|now|any ?more|these days|currently|at present|after all)\b", re.I)
_ASKS_OF_PAST = re.compile(r"\W*(?:was|were|did|had)\b", re.I)
_PAST = re.compile(r"\b(?:was|were|had|used to)\b", re.I)
_PRESENT = re.compile(r"\b(?:is|are|has|have|can|may|will|does?|now|still|today|since)\b", re.I)
_HAD_BUT_HAS = re.compile(r"\bhad\b.*\bbut\b.*\b(?:has|have|is|are|will|now)\b", re.I)
_FORMER = re.compile(
    r"\b(?:first|original|former|previous|earlier)\b|\b(?:the|an|his|her|its|our|their) old(?:er)?\b", re.I
)
_PRESENT_ONE = re.compile(r"\b(?:present|current)\b|\b(?:the|a|his|her|its|our|their) newe?r?\b", re.I)
_WHICH_IS_MOST = re.compile(
    r"\b(?:which|what)\s([^\W\d_]+)\s(?:is|was|are|were|has|had)\s(?:the\s)?(?:[^\W\d_]+est|most|least)\b", re.I
)
_MISTAKEN = re.compile(
    r"\b(?:wrongly|mistakenly|erroneously|incorrectly|(?:in|by) (?:error|mistake)|misprint"
    r"|(?:there|where|earlier|before) (?:it|we|I) said)\b",
    re.I,
)
_SAID_EARLIER = re.compile(
    r"\b(?:earlier|previous|first|printed|old) (?:versions?|editions?|printings?|drafts?|notices?|letters?|leaflets?)\b"
    r".*\b(?:said|says|put|gave|gives|stated|called|had)\b[^;]*",
    re.I,
)
_ASKS_FOR_EDITION = re.compile(r"\b(?:versions?|editions?|printings?|drafts?|notices?|letters?|leaflets?)\b", re.I)
_ASKS_FOR_MISTAKES = re.compile(r"\b(?:wrong|mistake|err(?:or|one)|incorrect|misprint|false)", re.I)
# "It should read 3,240 euros", whatever the sentence before says; "it should be cleaned" corrects nothing.
_SHOULD_READ = re.compile(
    r"\W*(?:it|this|that|the \w+) should (?:(?:read|say|have (?:read|said|been))\b"
    r"|be (?:the |an? )?(?-i:[A-Z\d£$€\"\u201c\u2018]))",
    re.I,
)
_ORDINAL = re.compile(
    r"\b(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\d+(?:nd|rd|th))\b", re.I
)
_MODEL = re.compile(r"\b[A-Z][\w-]*\d[\w-]*\b")  # "K20"
_WITH = re.compile(r"\b(with|without)\s(?:(?:the|an?|any)\s)?(\w{4,})", re.I)
_TIME_SPENT = re.compile(
    r"(?:about |only |half )?(?:[\d.,]+|[a-z-]+)\s(?:minutes?|hours?|days?|weeks?|months?|years?)", re.I
)
_WAS_MEANT = re.compile(r"\b(?:meant|wanted|hoped|planned|intended|aimed|were going|was going) to\b", re.I)
_WAS_PLANNED = re.compile(
    r"\b(?:was|were|been) (?:\w+ )?(?:planned|scheduled|meant|intended|announced) for\b|\b(?:proposed|suggested)\b",
    re.I,
)
_ASKS_OF_INTENT = re.compile(r"\b(?:want|hope|aim|mean|going to|goal|target)", re.I)
_ASKS_OF_DONE = re.compile(r"\b(?:did|was|were|had|actually|really|in the end)\b", re.I)
_CONDITION = re.compile(r"\bwithout\b", re.I)  # "this is not possible" is no yes to "without a key"
_ASKS_WHO = re.compile(r"\W*who\b", re.I)
_SPELLS_OUT = re.compile(r"\b(?:(?:abbreviation|acronym|initials|short(?: form)?) (?:of|for)|stands for)\W*$", re.I)
_ASKS_FOR_VALUE = re.compile(r"\W*(?:who|when|where|how (?:many|much|old|long))\b", re.I)
_ASKS_FOR_NAMES = re.compile(
    r"\b(?:(?:names?|titles?) of|what (?:is|was|were|are)\b.*\b(?:called|named|titled))\b", re.I
)
_HOW_MUCH_IS = re.compile(
    r"\bhow much (?:is|are|was|were|does|do|did|will|would)\b|\bwhat (?:is|are|was|were) the (?:price|cost)\b", re.I
)
_ASKS_FOR_REST = re.compile(
    r"\b(?:still|yet|left|remain\w*|outstanding|rest)\b.*\b(?:pay|paid|owes?|owed|owing|due)\b|\bowes?\b", re.I
)
_PAID = re.compile(r"\bpaid\W+(?:\w+\W+){0,2}$", re.I)
_WAS_PAID = re.compile(r"\W+(?:has|have|had|was|were)\s(?:already\s)?(?:been\s)?paid\b", re.I)
_AT_WHAT_TIME = re.compile(r"\bat what time\b(?!.*\b(?:open|hours)\b)", re.I)
_WHAT_TIME = re.compile(r"\b(?:at )?what time\b(?! of (?:the )?year)", re.I)
_DATE = re.compile(rf"\b(?:{'|'.join(filter(None, calendar.month_name))})\b")
_CLOCK = re.compile(r"\d[:.]\d\d|\d\s?(?:[ap]\.?m\b|o.clock)|\b(?:noon|midnight|half past|quarter (?:past|to))\b", re.I)
_FROM_TO = re.compile(r"\d.*(?:\b(?:to|until|till)\b|[-\u2013]).*\d")
_ASKS_FOR_REPORT = re.compile(r"\b(?:say|said|told|claim|report|rumour|legend|belie|announce|wr[io]te)", re.I)
_ASKS_FOR_SUM = re.compile(r"\bhow much\b.*\b(?:rais|collect|earn|(?:br(?:ing|ought)|t(?:ake|ook)|c[ao]me) in\b)", re.I)
_ASKS_FOR_EACH = re.compile(r"\b(?:each|every|per|apiece|one|a head)\b", re.I)
_FOR_EACH = re.compile(r"\W*(?:\w+ )?(?:each|apiece|per (?:head|person)|a head)\b", re.I)
_WHICH_VERSION = re.compile(r"^\W*(?:\w+\s)?(?:which|what)\s(?:version|release)\b", re.I)
_VERSION = re.compile(r"(?<!#)\b(?:[A-Z]|v?\d)")  # also one that has a name
_CASE = re.compile(r"\b(?:when|if|where) .*?\b(?:is|are|was|were) (.+?)(?=[,?]|$)", re.I)
_CASE_LABEL = re.compile(r"[;,.] (\w+): ")


def is_doubtful(question: str, short: str, said: str) -> bool:
    """Whether `short`, found in the sentence `said`, may be no answer although the words fit."""
    return (
        is_of_another_day(question, said)
        or _is_reported(question, said)
        or _is_no_longer_so(question, short, said)
        or _is_surcharge(question, short, said)
        or _is_unless(question, said)
        or _is_exception(question, said)
        or _is_of_another_period(question, said)
        or _is_given(question, short, said)
        or _is_other_bound(question, short, said)
        or _is_of_no_rate(question, said)
        or _is_no_duration(question, short)
        or _lasts_for_another(question, said)
        or _is_no_one_time(question, short)
        or _is_of_who_pays(question, short, said)
        or is_of_another_unit(question, short)
        or is_of_another_dimension(question, short, said)
        or _is_of_what_never_was(question, short, said)
        or _is_mistaken(question, said)
        or _is_said_earlier(question, short, said)
        or _is_of_the_later_one(question, said)
        or _is_of_other_things(question, said)
        or _is_paid(question, short, said)
        or _is_of_the_other_end(question, said)
        or _is_birthday(question, short, said)
        or _is_what_was_meant(question, short, said)
        or _is_before_its_label(question, short, said)
        or _is_no_name(question, short)
        or _is_spelt_out(question, short, said)
        or _is_label(question, short, said)
        or _is_no_amount(question, short)
        or _is_without(question, said)
        or _is_for_one(question, short, said)
        or _is_no_version(question, short)
        or _is_to_do_another_thing(question, short, said)
    )


def _is_before_its_label(question: str, short: str, said: str) -> bool:
    """Whether a case is asked for that is named behind it: "friends; empty: everybody", where it is empty."""
    asked = set(content_words(" ".join(_CASE.findall(question))))
    named = [label for label in _CASE_LABEL.finditer(said) if asked & set(content_words(label[1]))]
    return bool(short and named) and said.find(short) < named[0].start(1)


def _is_to_do_another_thing(question: str, short: str, said: str) -> bool:
    """Whether it is what one does for something that the question has no word of: "To delete a rule, write delete"."""
    purpose = _PURPOSE.match(said)
    if purpose is None or short in purpose[0]:
        return False
    return not _has_any(content_words(purpose["what"]), content_words(question))


def is_called_off(text: str, end: int) -> bool:
    """Whether what follows the sentence that ends there says that it does not take place."""
    return _CALLED_OFF.match(text, end) is not None


def is_corrected(text: str, said: Span) -> bool:
    """Whether the sentence tells what was said before, and the next one how it is, or should be."""
    if _SHOULD_READ.match(text, said.end):
        return True
    return _TOLD_BEFORE.search(said.of(text)) is not None and _BUT_IS.match(text, said.end) is not None


def is_reduced(question: str, short: str, said: str, others: Iterable[str]) -> bool:
    """Whether an amount is less for whom is asked, by another sentence of the passage: "pensioners pay half"."""
    if not (_PRICED.search(question) and any(map(str.isdigit, short))):
        return False
    missing = set(content_words(_PRICED.sub("", question))) - set(content_words(said))
    return any(_REDUCED.search(one) and missing & set(content_words(one)) for one in others)


def is_excepted(question: str, text: str, said: Span) -> bool:
    """Whether the next sentence goes on "However, …" with what is asked, or tells it otherwise of the day of the week.

    The sentence itself does not name that.
    """
    asked, following_says = weekdays_in(question), _END.split(text[said.end :].lstrip(), maxsplit=1)[0]
    of_the_day = asked & weekdays_in(following_says) and _OTHERWISE.search(following_says)
    if of_the_day and not any(day in fold(said.of(text)) for day in asked):
        return True
    following = _BUT.match(text, said.end)
    if following is None:
        return False
    missing = set(content_words(question)) - set(content_words(said.of(text)))
    return bool(missing & set(content_words(following["whom"])))


def is_half_denied(question: str, said: str) -> bool:
    """Whether the sentence of a "yes" denies something, and has not all that is asked: it may be just that.

    Or it tells of one, where it is asked of both; not "everyone gets one". Or it has another number than the question:
    no reader compares them.
    """
    missing = set(content_words(question)) - set(content_words(said))
    denied = denies(said) and not denies(_CONDITION.sub("with", question)) and bool(missing)
    some = _OF_FEWER.search(said) or (_OF_SOME.search(said) and not _OF_ALL.search(said))
    asked, told = set(_DIGITS.findall(question)), set(_DIGITS.findall(said))
    return denied or bool(_OF_ALL.search(question) and some) or bool(told and asked - told)


def is_no_clear_word(question: str, said: str) -> bool:
    """Whether a yes or no is of another time, of a mistake, or of another one than the "sixth" that is asked of.

    Or it denies that something came to an end: "we did not stop brewing" is a no to none.
    """
    asked, told = (
        {found.lower() for pattern in (_ORDINAL, _MODEL) for found in pattern.findall(text)}
        for text in (question, said)
    )
    numbers = set(_DIGITS.findall(said))  # "the 3rd of May" is "3 May"
    others = {one for one in asked - told if not (one[0].isdigit() and one.rstrip("ndrth") in numbers)}
    kept_on = any(ended.lower() not in question.lower() for ended in _KEPT_ON.findall(said))
    return bool(others) or kept_on or is_of_then(question, said) or _is_mistaken(question, said)


def is_of_then(question: str, said: str) -> bool:
    """Whether a yes or no is of now and its sentence of before: "had turned us down, but has changed its mind"."""
    if _HAD_BUT_HAS.search(said) and not _ASKS_OF_PAST.match(question):
        return True
    return bool(_ASKS_OF_NOW.search(question) and _PAST.search(said) and not _PRESENT.search(said))


def _is_reported(question: str, said: str) -> bool:
    """What is only told; a number that somebody is said to have told, or what they told where the truth is asked."""
    if _ASKS_FOR_REPORT.search(question):
        return False
    wary = _HOW_MANY.search(question) or _ASKS_FOR_TRUTH.search(question)
    return bool((wary and _REPORT.search(said)) or _ONLY_TOLD.search(said))


def _is_of_what_never_was(question: str, short: str, said: str) -> bool:
    """As "a fish ladder was planned for 2015 but never built", or "Rosa should have had the solo"."""
    at = said.find(short) if short else -1
    never = _NEVER_WAS.search(said) or (at >= 0 and _NEVER_DID.match(said, at + len(short)))
    return bool(never) and _ASKS_FOR_PLANS.search(question) is None and not denies(question)


def _is_said_earlier(question: str, short: str, said: str) -> bool:
    """As "an earlier version of this article put the number at 837", unless it is asked of that version."""
    told = _SAID_EARLIER.search(said)
    corrected = told is not None and bool(short) and short in told[0]
    asks = (_ASKS_FOR_REPORT, _ASKS_FOR_MISTAKES, _ASKS_FOR_EDITION)
    return corrected and not any(each.search(question) for each in asks)


def _is_of_the_later_one(question: str, said: str) -> bool:
    """What is said of the present tower, where it is asked of the first one; or the other way."""
    return _are_of_two(question, said, (_FORMER, _PRESENT_ONE))


def _is_of_other_things(question: str, said: str) -> bool:
    """Which boat is the longest is not told by a sentence without boats: "the largest of them was the bridge"."""
    asked = _WHICH_IS_MOST.search(question)
    return asked is not None and not set(content_words(asked[1])) & set(content_words(said))


def _are_of_two(question: str, said: str, two: tuple[re.Pattern[str], re.Pattern[str]]) -> bool:
    """Whether it is asked of the one and told of the other."""
    asked, told = ({one for one in two if one.search(text)} for text in (question, said))
    return len(asked) == len(told) == 1 and asked != told


def _is_mistaken(question: str, said: str) -> bool:
    """As "that number wrongly included 14 customers"."""
    return _MISTAKEN.search(said) is not None and _ASKS_FOR_MISTAKES.search(question) is None


def _is_what_was_meant(question: str, short: str, said: str) -> bool:
    """What was planned, proposed or meant, where it is asked what was done: "we meant to replace 90 laptops"."""
    meant = _WAS_PLANNED.search(said) or (_WAS_MEANT.search(said) if _ASKS_OF_DONE.search(question) else None)
    if meant is None or _ASKS_OF_INTENT.search(question) or _ASKS_FOR_PLANS.search(question):
        return False
    at = said.find(short) if short else -1
    return at < 0 or (at >= meant.end() and not re.search(r"[,;:]\s", said[meant.end() : at]))


def _is_no_name(question: str, short: str) -> bool:
    """How many there are or what they cost, where it is asked what they are called."""
    return bool(short and _ASKS_FOR_NAMES.search(question)) and not any(map(str.isupper, short))


def _is_spelt_out(question: str, short: str, said: str) -> bool:
    """What letters stand for, where it is asked who: "an abbreviation of Bee Keepers' Log"."""
    at = said.find(short) if short else -1
    return at > 0 and _ASKS_WHO.match(question) is not None and _SPELLS_OUT.search(said, 0, at) is not None


def _is_label(question: str, short: str, said: str) -> bool:
    """Whether it ends what leads to the answer: "Original software:", asked who wrote it."""
    return bool(short) and _ASKS_FOR_VALUE.match(question) is not None and said.rstrip().endswith(f"{short}:")


def _is_no_amount(question: str, short: str) -> bool:
    """A number of something or a time, where it is asked how much it is."""
    if not short or _HOW_MUCH_IS.search(question) is None:
        return False
    return re.fullmatch(r"[\d.,]+", short) is not None or _TIME_SPENT.fullmatch(short) is not None


def _is_without(question: str, said: str) -> bool:
    """What it is without a scaffold, where it is asked what it is with one."""
    asked, told = ({(way.lower(), what.lower()) for way, what in _WITH.findall(text)} for text in (question, said))
    turned = {("without" if way == "with" else "with", what) for way, what in asked}
    return bool(turned & told) and not asked & told


def _is_for_one(question: str, short: str, said: str) -> bool:
    """What one of many gives, where it is asked how much came in: "they bought shares of 50 euros each"."""
    if _ASKS_FOR_SUM.search(question) is None or _ASKS_FOR_EACH.search(question):
        return False
    at = said.find(short) if short else -1
    return at >= 0 and _FOR_EACH.match(said, at + len(short)) is not None


def _is_no_version(question: str, short: str) -> bool:
    """The number of an issue, "#1140", or a word of what changed, where it is asked which version."""
    return bool(short) and _WHICH_VERSION.search(question) is not None and _VERSION.search(short) is None


def _is_paid(question: str, short: str, said: str) -> bool:
    """What is paid, where it is asked what has still to be: "paid 300 now, the rest is due in May"."""
    at = said.find(short) if short else -1
    paid = at >= 0 and (_PAID.search(said, 0, at) or _WAS_PAID.match(said, at + len(short)))
    return bool(paid) and _ASKS_FOR_REST.search(question) is not None


def _is_of_the_other_end(question: str, said: str) -> bool:
    """Whether it tells where or when somebody was born, and it is asked where or when they died; or the other way."""
    return _are_of_two(question, said, (BIRTH, DEATH))


def _is_birthday(question: str, short: str, said: str) -> bool:
    """Whether the day is when somebody was born, and something else is asked: "Patient: G. Lowndes, born 2 July"."""
    born = re.search(rf"\bborn(?: on)? {re.escape(short)}", said) if short[:1].isdigit() else None
    return born is not None and _ASKS_FOR_BIRTH.search(question) is None


def _is_no_longer_so(question: str, short: str, said: str) -> bool:
    """As "the salt was 25 g in my mother's recipe, but that is too much"."""
    told = _WAS_BUT.search(said)
    return told is not None and told.start() <= said.find(short) < told.end() and _OF_THEN.search(question) is None


def _is_surcharge(question: str, short: str, said: str) -> bool:
    """As "a single room costs 35 euros more", "bake it ten minutes longer"."""
    if _LONGER.search(short) and not _ASKS_FOR_MORE.search(question):
        return True
    if not short or not any(map(str.isdigit, short)) or _ASKS_FOR_MORE.search(question):
        return False
    at = said.find(short)
    return at >= 0 and _MORE.match(said, at + len(short)) is not None


def _is_unless(question: str, said: str) -> bool:
    """What is said for the case that it does not rain, where it is asked for the case that it does."""
    asked, told = _IF.search(question), _IF.search(said)
    if asked is None or told is None:
        return False
    return denies(asked["clause"]) != denies(told["clause"])


def _is_exception(question: str, said: str) -> bool:
    """What holds for some alone: "Exception: families with a child under two may use it on Sundays"."""
    told = _EXCEPTION.match(said)
    return told is not None and not set(content_words(told["whom"])) & set(content_words(question))


def _is_of_another_period(question: str, said: str) -> bool:
    """What does not say that it was last year, where it is asked of last year: other years are told of beside it."""
    asked = _PERIOD.search(question)
    return asked is not None and asked[0].lower() not in said.lower()


def _is_given(question: str, short: str, said: str) -> bool:
    """A grant towards it, where it is asked what it costs."""
    at = said.find(short) if short else -1
    given = next((one for one in _GIVEN.finditer(said) if one.end() == at), None)
    return given is not None and _PRICED.search(question) is not None and given[0].split()[0] not in question.lower()


def _is_other_bound(question: str, short: str, said: str) -> bool:
    """At least so much, where it is asked how much at most; or the other way."""
    at = said.find(short) if short else -1
    before = " ".join(said[:at].split()[-2:]) if at >= 0 else ""
    return _are_of_two(question, f"{before} {short}", (_AT_MOST, _AT_LEAST))


def _is_of_no_rate(question: str, said: str) -> bool:
    """A single dose, where it is asked how much a day."""
    asked = _EACH.search(question) if _HOW_MANY.search(question) else None
    each = asked[1].lower() if asked else ""
    return each not in said.lower() and not (each == "minute" and _A_MINUTE.search(said))


def _is_no_duration(question: str, short: str) -> bool:
    """A year, where it is asked how long."""
    return _HOW_LONG.search(question) is not None and YEAR.fullmatch(short) is not None


def _lasts_for_another(question: str, said: str) -> bool:
    """How long the chair serves, where it is asked how long a vote for it lasts: the sentence has neither word."""
    asked = _LASTS.search(question)
    words = set(content_words(said))
    if asked is None or _BY_PRONOUN.match(said) or words & _OF_LASTING:
        return False
    of_it, of_another = content_words(asked["what"]), content_words(asked["of"])
    return bool(of_it) and not _has_any(of_it, words) and _has_any(of_another, words)


def _has_any(asked: Iterable[str], words: Iterable[str]) -> bool:
    return any(alike(word, one) for word in asked for one in words)


def _is_no_one_time(question: str, short: str) -> bool:
    """Hours from one time to another, or a date alone, where it is asked at what time something is."""
    if _WHAT_TIME.search(question) and _DATE.search(short) and not _CLOCK.search(short):
        return True
    return _AT_WHAT_TIME.search(question) is not None and _FROM_TO.search(short) is not None


def _is_of_who_pays(question: str, short: str, said: str) -> bool:
    """What others pay, where it is free for whom is asked."""
    free = set(content_words(_one_child(" ".join((*_FREE_FOR.findall(said), *_GO_FREE.findall(said))))))
    return any(map(str.isdigit, short)) and bool(free & set(content_words(_one_child(_NOT_ONE.sub("", question)))))


def _one_child(text: str) -> str:
    return _CHILD.sub("child", text)
