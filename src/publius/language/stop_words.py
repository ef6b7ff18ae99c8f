"""The public list of English function words that pass a release by default.

Single letters are not on it, except "a" and "i": they may be the initials of a person.
"""

_ARTICLES = "a an the"
_PRONOUNS = (
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves "
    "he him his himself she her hers herself it its itself they them their theirs "
    "themselves this that these those who whom whose which what whoever whatever one "
    "oneself someone somebody something anyone anybody anything everyone everybody "
    "everything none nobody nothing each either neither both all any some such other "
    "another same own"
)
_PREPOSITIONS = (
    "of in to for on at by with from as into about against between through during "
    "before after above below under over up down out off near beside beyond across "
    "along around behind among amid toward towards upon onto within without until till "
    "since per via despite except throughout underneath inside outside"
)
_CONJUNCTIONS = (
    "and or but nor so yet if because although though while whereas unless than when "
    "where why how whether once also too"
)
_VERBS = (
    "be am is are was were been being have has had having do does did doing done will "
    "would shall should can could may might must ought need cannot"
)
_ADVERBS = (
    "not no yes there here then now again ever never just only very quite rather even "
    "still already almost always often sometimes more most less least much many few "
    "little enough further thus hence therefore however else"
)
_CLITICS = (
    "'s don't doesn't didn't isn't aren't wasn't weren't haven't "
    "hasn't hadn't won't wouldn't shan't shouldn't can't couldn't mayn't mightn't "
    "mustn't needn't i'm i've i'll i'd you're you've you'll you'd he's he'll he'd "
    "she's she'll she'd it's it'll it'd we're we've we'll we'd they're they've "
    "they'll they'd that's that'll there's here's what's who's who'd who'll "
    "where's how's let's ain't"
)

STOP_WORDS = frozenset(
    word
    for group in (
        _ARTICLES,
        _PRONOUNS,
        _PREPOSITIONS,
        _CONJUNCTIONS,
        _VERBS,
        _ADVERBS,
        _CLITICS,
    )
    for word in group.split()
)

NAMES = frozenset({"may", "will"})
"""Stop words that may be somebody's name when they begin with a capital letter."""

ACRONYMS = frozenset({"it", "us", "who"})
"""Stop words that mean something else when they are written in capital letters."""
