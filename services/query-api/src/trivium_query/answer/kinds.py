# ruff: noqa: SIM905  (word lists read best as words)
"""What a question asks for, by its words and their order; English, German, French and Spanish.

Cues are tried in turn, the first that fits decides: what opens a question counts before what stands inside it. Words
are compared folded (lower case, no accents) and without marks but commas and hyphens: a missing mark changes nothing.
What no cue fits asks for a fact, or is a bare query where no word of it only joins others.
"""

from __future__ import annotations

import re

from trivium.domain.answers import Kind
from trivium.text.languages import language_of
from trivium_query.words import fold, is_function_word

_MARKS = re.compile(r"[^\w,.-]+|\.(?!\w)|,(?!\s)")
_POLITE = re.compile(
    r"^(?:(?:please|so|well|and|hey|hi|hello|bitte|por favor|s il (?:te|vous) plait)\b,? |(?:can|could|would|will) you"
    r"(?: please)? (?:tell|say|explain)(?: to)?(?: me| us)? |(?:please )?(?:tell|explain to) (?:me|us) |explain "
    r"(?=what|why|how|who)|do you know |i (?:would|d) like to know |i want to know |i wonder |(?:kannst du|konnen sie) "
    r"(?:mir )?sagen |sag mir |(?:peux-tu|pouvez-vous) me dire |dis-moi |dime |(?:puedes|podrias) decirme )+"
)
_REMARK_WORDS = frozenset(
    """thanks thank you very so much a lot ok okay yes no good great fine nice hello hi hey there bye goodbye cheers
    please morning evening afternoon night day cool perfect got it that s is was all helpful wonderful work job well
    done sure see tomorrow later soon how are welcome sorry right i understand understood everyone danke schon
    vielen dank bitte hallo guten morgen tag abend auf wiedersehen tschuss zusammen alles klar super gut merci
    beaucoup bonjour bonsoir salut au revoir bonne journee parfait d accord gracias muchas hola buenos dias buenas
    tardes noches adios hasta luego manana vale perfecto de nada ciao grazie obrigado""".split()
)
_FILES = r"(?:documents?|files?|pdfs?|dokument(?:e|en)?|dateien|datei|fichiers?|archivos?|documentos?)"
_ARTICLES = r"articles?(?! on (?:the|our|my|this) (?:\w+ )?(?:list|menu|shelf|bill)\b)"  # these are goods
_PAPERS = rf"(?:{_FILES}|papers?|sources?|{_ARTICLES}|reports?|notes|texts?|quellen|articulos?|informes?)"
_TELL = (
    r"(?:mention\w*|discuss\w*|talk\w*|deal\w*|cover\w*|contain\w*|speak\w*|refer\w*|say|about|on|erwahn\w*"
    r"|handel\w*|uber|zu|parl\w+|trait\w+|sur|hablan?|mencionan?|tratan?|sobre)"
)
_WHICH_TELL = rf" (?:that |which |qui |que |are there |gibt es |y a-t-il |hay )?{_TELL}\b"
_OWN = r"(?:the|an?|this|that|these|those|my|our|your|their|his|her|its)"  # "which tool opens the report"
_NAMED = (
    r"(?!(?:the|a|an|this|that|your|my|our|his|her|their|in|on|at|responsible|der|die|das|le|la|les|el|los|las|en|l)\b)"
)

_ALL = (
    r"(?:(?:this|these|the|my|our|your|all|all of|die|der|den|diese[rnms]?|meine[rn]?|unsere[rn]?|alle[rn]?|ces|cette"
    r"|le|la|les|mes|nos|tous les|toute la|estos|esta|los|mis|nuestros|todos los|of|whole|entire|ganzen?) )+"
)
_COLLECTION = (
    r"(?:collection|archive|library|corpus|data ?set|knowledge base|documents|files|papers|sources|texts|articles"
    r"|reports|notes|sammlung|archivs?|bibliothek|dokumenten?|dateien|texten?|unterlagen|quellen|fonds|fichiers|textes|rapports"
    r"|coleccion|archivos|documentos|textos|informes)"
)
_THEMES = r"(?:themes|topics|subjects|themen|hauptthemen|schwerpunkte|sujets|temas)"
_MAIN = (
    r"(?:(?:main|key|major|central|principal|common|overall|most important|wichtigsten|grossen|principaux|grands) )*"
)

# Alternatives of one pattern for each kind, joined where a line ends.
_CUES = (
    (
        Kind.THEMES,
        rf"""
        ^(?:what|which)(?: (?:are|s|were))?(?: the| some)? {_MAIN}{_THEMES}(?: (?:here|overall|there|principales|(?:are
        do|does|were|is) .*|(?:of|in|across|within|among|covered|discussed|treated)\b.*))?(?: {_ALL}{_COLLECTION})$
        ^(?:what|which)(?: (?:are|s|were))?(?: the| some)? {_MAIN}{_THEMES}(?: (?:are|were))?(?: (?:here|overall|there
        covered|discussed|treated|addressed|dealt with))*$
        ^what(?: is| are| s| do| does) {_ALL}{_COLLECTION}(?: (?:all|mainly|mostly|generally))? (?:about|deal with|cover
        talk about|discuss|describe)$
        ^(?:what|which) {_MAIN}{_THEMES} (?:do|does) {_ALL}{_COLLECTION} (?:deal with|cover|discuss|treat|address|have
        talk about|contain|touch on)$
        ^(?:(?:can|could|would|will) you )?(?:please )?(?:summar\w+|sum up|outline
        give (?:me |us )?(?:an?|the) (?:short |brief |quick )?(?:summary|overview) of
        (?:an? |the )?(?:short |brief )?(?:summary|overview) of) {_ALL}{_COLLECTION}$
        ^(?:list|name|show me|tell me|give me) (?:the )?{_MAIN}{_THEMES}(?: .*{_COLLECTION})?$
        ^(?:was sind|welche sind|welches sind|welche|nenne|um welche) (?:die )?{_MAIN}{_THEMES}(?: (?:hier|gibt es
        .*{_ALL}{_COLLECTION}))?$
        ^(?:worum geht es|um was geht es|wovon handeln|wovon handelt) (?:in |bei )?{_ALL}{_COLLECTION}$
        ^(?:fass(?:en|e)?(?: sie)?|gib mir einen uberblick uber) {_ALL}{_COLLECTION}(?: zusammen)?$
        ^(?:quels sont|quels) (?:les )?{_MAIN}{_THEMES}(?: .*{_COLLECTION})?$
        ^de quoi (?:parlent|traitent|parle|traite|s agit-il dans) {_ALL}{_COLLECTION}$
        ^resum\w+(?:-moi)? {_ALL}{_COLLECTION}$
        ^cuales son (?:los )?{_MAIN}{_THEMES}(?: principales)?(?: .*{_COLLECTION})?$
        ^de que (?:tratan|hablan|trata|habla) {_ALL}{_COLLECTION}$|^que {_THEMES} .*{_ALL}{_COLLECTION}$
        """,
    ),
    (
        Kind.COLLECTION,
        rf"""
        ^(?:in )?(?:how many|which|what|wie ?viele\w?|welche\w?|combien de|quels|quelles|cuant[ao]s
        que)(?: of \w+| (?!{_OWN}\b)\w+){{0,3}}? {_PAPERS}{_WHICH_TELL}
        ^(?:list|show|find|give me|are there|any|do|does(?! {_OWN}\b)|is there|gibt es|y a-t-il|hay)(?: (?!this\b
        these\b)\w+){{0,3}}? {_PAPERS}{_WHICH_TELL}
        ^(?:how many|which|what|list|show|wie viele|welche|combien de|quels|cuantos
        que)(?: \w+){{0,3}}? {_FILES}(?: (?:are there|exist|are here|do you have|have you|can you see|gibt es
        hast du|haben sie|sind da|y a-t-il|as-tu|avez-vous|hay|tienes|existen))?\b ?$
        ^(?:how many|in wie vielen|welche|wie viele|combien de|cuantos) {_FILES} (?:kommt|do you have|gibt es
        are there|hay)\b|^what(?: do)? (?:these|the|your|all) {_FILES}\b
        \bin (?:this|the|your) (?:collection|archive|library)$|^what can i ask
        """,
    ),
    (
        Kind.SUMMARY,
        r"""
        \bsummar(?:y|i[sz]e)\b|\bsum up\b|^tl ?dr\b|\boverview of\b|\b(?:key|main) points\b|\bin a nutshell\b
        \bzusammenfass\w*|\bfass\w* .*zusammen\b|\buberblick uber\b|^resum(?:e|ez|er|en|ir)\b
        \bresume(?:r|z)?-?(?: ?moi| le| la)?\b(?=.*\b(?:le|la|du|ce|rapport)\b)|\bun resume\b|\bme resumer\b
        \bresumen\b|\bresumir\b
        """,
    ),
    (
        Kind.ABOUT,
        r"""
        ^what .*\babout$|^what (?:does|do|did) .*\b(?:describe|say|cover|deal with|contain)$|^what topics\b
        ^(?:what is|what s) the (?:subject|topic) of\b
        ^(?:what is|what s) the theme of \w+ (?:document|text|book|novel|story|article|report|paper)
        ^(?:worum|wovon|um was) \w*(?:geht|handel|ging)
        ^de quoi (?:parle|traite|s agit|est-il|il)|^quel est le (?:sujet|theme)\b|^de que (?:trata|va|habla)\b
        ^cual es el tema\b|^(?:was ist das|welches) thema\b
        """,
    ),
    (
        Kind.REASON,
        r"""
        ^(?:and |but )?why\b|^how come\b|^for (?:what|which) reasons?\b|^what (?:caused|led to|made|explains)\b
        ^what (?:is|was|are|were|s) the (?:main )?(?:cause|reason|purpose)s?\b
        ^what .* for$(?<!stand for)(?<!call for)|^(?:warum|wieso|weshalb|weswegen|wozu)\b
        ^aus welche[mn] gr[u]nde?n?\b|^was (?:ist|war) d(?:ie|er) (?:ursache|grund)|^pourquoi\b
        ^pour quelles? raisons?\b|^quelles? (?:est|sont|etait) las? (?:cause|raison)|^a cause de quoi\b
        ^por ?que\b|^para que\b|^cual(?:es)? (?:fue|es|era|son|fueron) las? (?:causa|razon)
        """,
    ),
    (
        Kind.PROCEDURE,
        r"""
        ^how (?:do|does|can|could|should|would|must|shall) (?:i|you|we|one|a|an|the \w+ be)\b|^how to\b
        ^how should\b|^how (?:is|are|was|were) .*(?:ed|up|made|built|done|set|cut|fed)$
        ^(?:the )?(?:steps|instructions) (?:to|for)\b
        ^what (?:are|is|s) the (?:steps|procedure|process|best way|correct way|right way)\b|^walk me through\b
        ^(?:describe )?the (?:process|procedure) (?:of|for)\b|^describe the (?:process|procedure)\b
        ^what (?:should|must|do|can) (?:i|we|you|one) (?:do|have to do)\b
        ^wie (?:kann|muss|soll|sollte|konnen|mussen|geht|mache|macht|funktioniert|\w+e ich|\w+t man|\w+n wir)\b
        ^anleitung\b|^was (?:muss|soll) (?:ich|man) tun\b|^welche schritte\b
        ^comment (?:faire|puis|peut|peux|dois|doit|on |\w+(?:er|ir|re) |\w+-t-on|\w+-on)
        ^quelles sont les etapes\b|^como (?:puedo|puede|se (?!llama)|hago|hacer|debo|hay que|\w+(?:ar|er|ir)\b)
        ^pasos (?:para|de)\b|^que (?:debo|hay que|tengo que) hacer\b
        """,
    ),
    (
        Kind.ORDER,
        r"""
        \bbefore or after\b|\b(?:in )?(?:what|which) order\b|\bchronolog\w+|\bby date$|\bmore recently\b
        \btimeline\b
        ^(?:which|who|what|whose)\b.*\b(?:first|earlier|later|last|sooner|older than|younger)\b,? .*\bor\b
        ^(?:which|who|what)\b.*\b(?:earlier|later|sooner)\b
        ^which (?:\w+ )*?(?:came|opened|happened|was \w+) first\b
        ^what happened (?:before|after|first)\b.*\bor\b|^(?:was|were|did) .* (?:before|after) (?!christ)
        \bwas geschah zuerst\b|^(?:wer|was|welche\w?)\b.*\b(?:zuerst|fruher|spater)\b|\breihenfolge\b
        \bvor oder nach\b|\b(?:en|le|la) premi(?:er|ere)\b(?=.*\bou\b)
        ^(?:lequel|laquelle|qui|quel\w*)\b.*\ben premier\b|\bquel ordre\b|\bavant ou apres\b
        ^qui est ne le premier\b|\bordre chronologique\b|^(?:que|quien|cual)\b.*\b(?:antes|primero|despues)\b
        \bque orden\b|\bantes o despues\b
        """,
    ),
    (
        Kind.CHOICE,
        r"""
        ^(?!.+ whether ).*(?<!more)(?<!one) or (?!not\b|more\b|less\b|so\b)| oder |[a-z)] ou (?!se |est |sont )
        \bbetween .+ and .+, (?:who|which|what)\b|\bwhich (?:one )?of the two\b|\bwelche\w? (?:der|von) beiden\b
        \blequel des deux\b|\bcual de los dos\b|^(?:quien|que|cual|es|son|esta|fue)\b.* [ou](?= )
        """,
    ),
    (
        Kind.YES_NO,
        r"""
        ^(?:if|whether|ob|si)\b(?!.*\b(?:who|whom|whose|what|which|how|why|where|when)\b)
        ^(?:is|are|am i|was(?! (?:ist|sind|war|heisst|bedeutet|versteht|kostet|passiert\w*|macht|hat)\b)|were|do
        does|did|has|have|had|can|could|will|would|should|may|might|must|shall|isn|aren|wasn|weren|don|doesn
        didn|hasn|haven|can t|couldn|won|wouldn|shouldn)\b
        ^(?!.*\b(?:who|whom|whose|what|which|how|why)\b).+, (?:then |so )?(?:is|are|am|was|were|do|does|did|has|have|had
        can|could|may|might|must|should|will|would) (?:i|we|you|he|she|it|they|there|the|this|that|my|our|your|his|her
        its|their|an?|any|\w+ s)\b
        ^(?:i|we|my|our|there) (?!.*\b(?:who|whom|whose|what|which|how|why)\b).+\b(?:can|could|may|must|do|does|did|is
        are|am|will|would|should) (?:i|we|it|they)\b
        ^(?:ist|sind|war|waren|hat|haben|hatte|hatten|wird|werden|wurde|wurden|darf|durfen|kann|konnen|konnte
        muss|mussen|soll|sollen|sollte|gibt|gab|braucht|stimmt|bist|hast)\b|^est-ce qu
        ^(?:est|sont|a|ont|peut|doit|faut|etait|existe|y a)-(?:t-)?(?:il|elle|on|ils|elles|ce)\b
        ^(?!qu|comm|combien|ou |pour|dans|en |de |a |par|lequel|laquelle|d )(?:\S+ ){0,5}\w+-(?:t-)?(?:il
        elle|on|ils|elles|vous|tu)\b
        ^(?:es|son|esta|estan|hay|se puede|se pueden|tiene|tienen|ha|han|puede|pueden|puedo|fue|era|existe
        existen|debe|hubo|habia)\b
        """,
    ),
    (
        Kind.COUNT,
        r"""
        \bhow many\b|\bhow much (?:people|persons)\b
        ^(?:what (?:is|was|s) )?(?:the )?(?:total )?number of\b(?! (?:the|an?|his|her|its|our) (?:\w+ )*\w*[^\Ws]$)
        ^how often\b|^count (?:the|how|all)\b|^wie ?viele?n?\b (?!geld)|\bwie viele\b|^wie oft\b
        \banzahl (?:der|von|an)\b|\bcombien (?:de|d|y)\b|^(?:quel est )?le nombre (?:de|d|total)\b|^nombre d\b
        \bcuant[ao]s\b|^(?:cual es el )?numero (?:total )?de (?!serie|telefono|cuenta|version|referencia)
        """,
    ),
    (
        Kind.ARITHMETIC,
        r"""
        \b(?:average|median|sum of|total|add up|difference between|percentage of|share of|range of)\b
        \bthe mean\b
        \b(?:highest|lowest|smallest|largest|biggest|greatest|fewest|maximum|minimum|cheapest|dearest|heaviest)\b
        \b(?:the most|the least|how much (?:more|less|higher|lower)|by how much)\b(?! recent| of )|^mean \w+
        \b(?:durchschnitt\w*|summe|gesamt\w+|mittelwert|hochste[nrs]?|niedrigste[nrs]?|geringste[nrs]?
        grosste[nrs]?|kleinste[nrs]?|meisten|wenigsten|differenz|unterschied zwischen)\b|^um wie ?viel\b
        \b(?:moyen(?:ne)?|somme|total|totale|montant total|difference entre|le plus de|le moins de
        le plus (?:haut|bas|grand|petit|eleve))\b
        \b(?:promedio|media de|suma|diferencia entre|vendio mas|el mayor|el menor|la mayor|mas alto|mas bajo)\b
        """,
    ),
    (
        Kind.DEFINITION,
        rf"""
        ^define\b|\bstands? for$|^what (?:do|does|did) .+ mean$|\bmeant by\b
        ^(?:the )?(?:meaning|definition) of\b|^what (?:is|s|was) the (?:meaning|definition) of\b
        ^what (?:a|an|the)? ?(?:[\w-]+ ){{1,4}}(?:is|are)$
        ^what (?:is|are|s|was|were) (?:an? (?:[\w.-]+ ?){{1,4}}|{_NAMED}(?:[\w.-]+ ?){{1,3}})$
        ^who (?:is|was|s) {_NAMED}(?:[\w.-]+ ?){{1,4}}$|^was (?:bedeutet|heisst|versteht man unter)\b
        ^(?:wofur|fur was) steht\b|^definiere?\b|^definition (?:von|de|du|d)\b
        ^was (?:ist|sind) (?:eine? (?:[\w-]+ ?){{1,3}}|{_NAMED}(?:[\w-]+ ?){{1,2}})$
        ^wer (?:ist|war) {_NAMED}(?:[\w-]+ ?){{1,4}}$
        ^qu est-ce qu(?:e|) ?(?:un|une|la|le|l|les|des)? ?(?:[\w-]+ ?){{1,2}}$|^que signifi\w+|^c est quoi\b
        ^que veut dire\b|^qui (?:est|etait|fut) {_NAMED}(?:[\w-]+ ?){{1,4}}$|^definis\b
        ^que (?:es|son) (?:un |una |el |la |los |las )?(?:[\w-]+ ?){{1,3}}$|^que significa\w*
        ^quien (?:es|fue|era) {_NAMED}(?:[\w-]+ ?){{1,4}}$|^defin(?:e|icion)\b
        """,
    ),
    (
        Kind.LIST,
        r"""
        ^(?:list|enumerate|name|show) (?!of\b)|^(?:give|show|tell) me (?:the names|all|every|the list|a list)\b
        ^(?:what|who) (?:are|were) the\b|^what (?:kinds?|types?|sorts?) of\b
        ^(?:at |in |on )?(?:which|what) of the \w+s\b
        ^(?:in |at |on |to |from )?(?:which|what) (?:[\w-]+ )?(?!(?:is|was|does|has|this|its|his|happens|makes
        gives|causes|ms|class|process|bus|gas|glass|address|status|basis|news|year)\b)(?:\w+[^su\W]s
        people|species|children|men|women)\b(?! (?:the|an?|his|her|its|their)\b)
        ^(?:nenne\w?|liste|zahle?)\b|^(?:was|wer) (?:sind|waren) die\b
        ^welche [\w-]+ (?:\w+en|sind|gibt|braucht)\b|^(?:quels|quelles)\b|^(?:enumere|liste|cite|nomme)\w?\b
        ^qui sont les\b|^cuales (?:son|fueron|eran)\b|^que \w+s \w+|^(?:enumera|lista|nombra|dime todos)\b
        ^quienes (?:son|fueron)\b
        """,
    ),
)
_PATTERNS = tuple(
    (kind, re.compile("|".join(line.removeprefix(" " * 8) for line in cues.split("\n")[1:-1]))) for kind, cues in _CUES
)


def kind_of(question: str) -> Kind:
    """The kind of a question that stands on its own. Pure; any text has one."""
    words = plain(question)
    if set(re.findall(r"[^\W_]+", words)) <= _REMARK_WORDS and (words == "how are you" or "?" not in question):
        return Kind.NOT_A_QUESTION
    asked = _POLITE.sub("", words)
    german = asked.startswith("was ") and language_of(question) == "de"  # "what", where English says "was it built"
    decided = next(
        (kind for kind, cues in _PATTERNS if cues.search(asked) and not (german and kind is Kind.YES_NO)), None
    )
    if decided:
        return decided
    return Kind.KEYWORDS if _is_bare(asked) and not question.rstrip().endswith("?") else Kind.FACT


def plain(question: str) -> str:
    """Folded words with one space between them; of the marks only commas, hyphens and points within words stay."""
    return " ".join(_MARKS.sub(" ", fold(question)).split())


def _is_bare(words: str) -> bool:
    """Whether every word carries content: nothing is asked, something is looked for."""
    return not any(is_function_word(word) for word in re.findall(r"[^\W_]+", words) if len(word) > 1)
