"""A small part-of-speech tagger: closed classes by list, open ones by ending.

Writeprints needs the rhythm of word classes, not their exact analysis; this tagger
looks at a word alone and needs no model.
"""

from collections.abc import Sequence
from functools import lru_cache

TAGS = (
    "noun", "verb", "adjective", "adverb", "pronoun", "determiner", "preposition",
    "conjunction", "auxiliary", "particle", "number", "other",
)  # fmt: skip

_CLOSED = {
    "determiner": "a an the this that these those each every either neither some any "
    "no all both half such what which whose another",
    "pronoun": "i me my mine myself we us our ours ourselves you your yours yourself "
    "he him his himself she her hers herself it its itself they them their theirs "
    "themselves who whom someone somebody something anyone anybody anything everyone "
    "everybody everything none nobody nothing one i'm i've i'll i'd you're he's she's "
    "it's we're they're that's",
    "preposition": "of in to for on at by with from as into about against between "
    "through during before after above below under over up down out off near beside "
    "beyond across along around behind among toward towards upon onto within without "
    "until till since per via despite except throughout inside outside like",
    "conjunction": "and or but nor so yet if because although though while whereas "
    "unless than when where why how whether once",
    "auxiliary": "be am is are was were been being have has had having do does did "
    "doing done will would shall should can could may might must ought cannot don't "
    "doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't "
    "can't couldn't shouldn't",
    "particle": "not yes please oh well there here",
    "adverb": "very quite rather even still already almost always often sometimes "
    "never ever just only also too more most less least much now then again "
    "perhaps maybe soon however therefore thus hence else",
    "verb": "say said go went gone get got make made know knew think thought take took "
    "see saw come came want use find found give gave tell told work call try ask need "
    "feel felt become leave left put mean keep let begin seem help show hear play run "
    "move live believe bring happen write sit stand lose pay meet set learn",
    "adjective": "good new first last long great little own other old right big high "
    "different small large next early young important few public bad same able best "
    "better sure free true",
    "number": "two three four five six seven eight nine ten hundred thousand million",
}
_BY_WORD = {
    word: tag for tag, words in reversed(_CLOSED.items()) for word in words.split()
}
_BY_ENDING = (
    ("adverb", ("ly",)),
    ("adjective", ("ous", "ful", "ive", "able", "ible", "less", "ical", "ish", "est")),
    ("noun", ("tion", "sion", "ness", "ment", "ity", "ance", "ence", "ship", "ism")),
    ("verb", ("ing", "ed", "ise", "ize", "ify")),
    ("adjective", ("al", "ic", "ary")),
    ("noun", ("er", "or", "ist", "s")),
)


@lru_cache(maxsize=1 << 16)
def tag(word: str) -> int:
    """Return the number of the tag of a lower-case word."""
    name = _BY_WORD.get(word)
    if name is None:
        name = "number" if word[:1].isdigit() else _by_ending(word)
    return TAGS.index(name)


def tags(words: Sequence[str]) -> list[int]:
    """Return the tag of each word."""
    return [tag(word) for word in words]


def _by_ending(word: str) -> str:
    if not word[:1].isalpha():
        return "other"
    for name, endings in _BY_ENDING:
        if len(word) > 4 and word.endswith(endings):
            return name
    return "noun"
