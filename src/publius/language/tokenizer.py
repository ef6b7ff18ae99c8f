"""Split any string into words and gaps without losing a character.

What passes a release untouched is an allow-list: white space, punctuation and, by
default, stop words that stand free (see `publius.language.passing`). Every other
character belongs to a word, so that numbers, addresses, handles, emoji, controls and
foreign scripts are never passed by accident.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from publius.language.casing import Casing, apply_casing, casing_of
from publius.language.stop_words import ACRONYMS, NAMES, STOP_WORDS

SPACES = "\t\n\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""White space that passes; of control characters only those that lay out a text."""

# Punctuation that passes: ASCII, Latin-1, general, CJK, full-width, Arabic, Indic.
# The double marks U+203C and U+2049 are emoji as well, and are replaced.
_PUNCTUATION = (
    r"!-/:-@\[-^`{-~"
    r"\u00a1\u00a7\u00ab\u00b6\u00b7\u00bb\u00bf"
    r"\u060c\u061b\u061f\u06d4\u0964\u0965"
    r"\u2010-\u2027\u2030-\u203b\u203d-\u2048\u204a-\u205e\u3001-\u3003\u3008-\u3011\u3014-\u301b"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff65"
)
_BEHIND = r".,;:!?…)\]}'’”»。，、；：！？"
"""Punctuation that ends a sentence or a part of it, or closes what was opened."""

# Combining marks continue a word; they are not alphanumeric for the re module.
_MARK = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    r"\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    r"\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd"
    r"\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u200c\u200d"
)
_LETTER = r"[^\W\d_]"
# Repetitions are bounded where a failed attempt would be repeated at every position.
_WORD = re.compile(
    r"("
    # The common case first: most of a text is plain words, for speed only.
    r"[A-Za-z]+(?=[\s,;!?)]|$)"
    # Behind any word, also an emoji: what it was must not decide whether this passes.
    rf"|(?<=[^{SPACES}{_PUNCTUATION}])['’][sS](?!\w)"
    # Punctuation behind an address stays: its lack would tell that it was none else.
    rf"|(?:https?://|www\.)[^\s<>\"]+(?<![{_BEHIND}])"
    r"|\w[\w.+-]{0,63}@[\w-]{1,255}(?:\.[\w-]{1,63}){1,8}"
    r"|[@#]\w+"
    r"|\+?\w*[\d_]\w*(?:[-.,:/'’]\w*\d\w*)*"
    rf"|{_LETTER}[^\W\d_{_MARK}]*(?:[{_MARK}]+{_LETTER}*)*"
    rf"(?:['’](?![sS](?!\w)){_LETTER}+)*"
    rf"|[^\w{SPACES}{_PUNCTUATION}]+"
    r")"
)


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Find the words of a text and say which of them are protected.

    Args:
        stop_words: Public list of words that pass in lower, title or upper case, unless
            their capital letters may make a name of them.
        protect_all: Protect stop words too.
        collocations: Take word sequences that the vocabulary has as one entry for one
            unit; see `publius.language.collocations`.
    """

    stop_words: frozenset[str] = field(default=STOP_WORDS, repr=False)
    protect_all: bool = False
    collocations: bool = True

    def split(self, text: str) -> list[str]:
        """Return gaps and words in turn, a gap first and last."""
        return _WORD.split(text)

    def join(self, parts: Sequence[str]) -> str:
        """Put the parts of ``split`` together again."""
        return "".join(parts)

    def is_stop_word(self, word: str) -> bool:
        """Return whether a word is released as it is, wherever it stands free."""
        folded = fold(word)
        if self.protect_all or folded not in self.stop_words:
            return False
        casing = casing_of(word)
        # "tHe" may be a handle and "May" a person: only plain writing passes.
        is_plain = apply_casing(folded, casing) == word.replace("’", "'")
        is_name = casing is not Casing.LOWER and folded in NAMES
        is_acronym = casing is Casing.UPPER and folded in ACRONYMS
        return is_plain and not (is_name or is_acronym)


def fold(word: str) -> str:
    """Return the form of a word under which lists and vocabularies know it."""
    return word.replace("’", "'").lower()
