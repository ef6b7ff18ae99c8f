"""Which language words are of, by public lists of its commonest function words.

A hint for whoever owns a text, from counts of a few words; no more than that. Languages
that have no list here are not recognised.
"""

from collections.abc import Iterable

LEAST = 50
"""Fewer words tell nothing."""

SHARE = 0.12
"""So many of all words are function words of the list, in running text."""

AHEAD = 1.5
"""So many times the share of the next list: related languages share words."""

ENGLISH = "English"

_LISTS = {
    ENGLISH: "the of and to in a is that it was for on with as he be at by his i this "
    "had not are but from they which you were have she her",
    "French": "le la les de des du un une et est que qui dans pour pas sur avec il "
    "elle je vous nous ne se ce au aux par mais plus son sa ses ont été",
    "German": "der die das und ist nicht ein eine zu den dem des mit auf für sich auch "
    "es ich er sie wir ihr im von als wie aber war hat noch bei nach",
    "Spanish": "el los las de que y en un una por con no se su para es lo como más "
    "pero sus le ya al del fue había muy también mi yo",
    "Italian": "il lo gli di che è un una per non con si da sono come ma più del della "
    "nel alla dei le anche questo aveva mi suo sua era io",
    "Portuguese": "o os as de que e do da em um uma para com não por mais dos das se "
    "na no ao seu sua ele ela mas como foi você eu também",
    "Dutch": "de het een en van ik te dat die in niet zijn is was op aan met als voor "
    "er maar om hem dan zou of wat mijn men dit zo door over ze",
}
_WORDS = {name: frozenset(listed.split()) for name, listed in _LISTS.items()}


def language_of(words: Iterable[str]) -> str:
    """Return the language of running words in lower case; empty if none stands out."""
    counts = dict.fromkeys(_WORDS, 0)
    total = 0
    for word in words:
        total += 1
        for name, listed in _WORDS.items():
            counts[name] += word in listed
    first, second = sorted(counts, key=lambda name: -counts[name])[:2]
    stands_out = counts[first] >= AHEAD * counts[second]
    is_running = total >= LEAST and counts[first] >= SHARE * total
    return first if is_running and stands_out else ""


def language_of_list(words: Iterable[str]) -> str:
    """Return the language of a vocabulary; empty if none stands out."""
    held = frozenset(words)
    shares = {name: len(listed & held) / len(listed) for name, listed in _WORDS.items()}
    first, second = sorted(shares, key=lambda name: -shares[name])[:2]
    return first if shares[first] > shares[second] else ""
