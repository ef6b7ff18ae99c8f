"""Words of an owner that no retold text may hold, in any casing or Unicode form.

Letters are compared without marks, in one casing and in one form (full width, ligatures
and the like are the same letters), and characters that show nothing are not seen. A
word is a run of letters and digits, or of letters alone; the words of an entry stand
one after the other.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Self

GAP = "…"
"""Stands for a word that has no stand-in."""
HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
"""Categories of characters that show nothing: a word could be cut by them unseen."""
_MARKS = frozenset({"Mn", "Me"})
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_KNOWN, _LISTS = 1 << 16, 8

Span = tuple[int, int]


@lru_cache(maxsize=_KNOWN)
def _plain(char: str) -> str:
    if char.isspace():
        return " "
    form = unicodedata.normalize("NFKD", char).upper().casefold()
    parts = unicodedata.normalize("NFKD", form)
    return "".join(p for p in parts if unicodedata.category(p) not in HIDDEN | _MARKS)


def plain(text: str) -> str:
    """Return a text as it is compared: one casing, one form, no marks."""
    return "".join(map(_plain, text))


@dataclass(frozen=True, slots=True)
class BlockList:
    """What may not be written.

    Args:
        entries: Each as its plain words.
        signs: Plain entries without letters and digits, found wherever they stand.
    """

    entries: frozenset[tuple[str, ...]]
    signs: frozenset[str] = frozenset()

    @classmethod
    def of(cls, words: Iterable[str]) -> Self:
        """Return the list of words and collocations."""
        forms = {plain(word).strip() for word in words}
        entries = {form: tuple(_WORD.findall(form)) for form in forms}
        return cls(
            frozenset(filter(None, entries.values())),
            frozenset(form for form, own in entries.items() if form and not own),
        )

    def spans(self, form: str) -> Iterator[Span]:
        """Yield where entries stand in a plain text."""
        for kind in (_WORD, _LETTERS):
            found = [(m.group(), m.span()) for m in kind.finditer(form)]
            for first in range(len(found)):
                for length in _lengths(self.entries):
                    own = found[first : first + length]
                    if tuple(word for word, _ in own) in self.entries:
                        yield own[0][1][0], own[-1][1][1]
        for sign in self.signs:
            yield from (m.span() for m in re.finditer(re.escape(sign), form))

    def last_words(self, form: str) -> str:
        """Return the end of a plain text in which an entry may begin."""
        starts = [match.start() for match in _WORD.finditer(form)]
        longest = max(_lengths(self.entries), default=1)
        return form[starts[-longest] :] if len(starts) > longest else form

    def holds(self, text: str) -> bool:
        """Say whether an entry stands in a text."""
        return any(True for _ in self.spans(plain(text)))

    def taken_out(self, text: str, stand_in: Callable[[str], str]) -> str:
        """Return a text without any entry.

        Args:
            text: What was written.
            stand_in: Gives an allowed word for a plain entry, as the text wrote it.
        """
        gap = "" if any(sign in plain(GAP) for sign in self.signs) else GAP
        made = self._replaced(text, lambda word: self._checked(stand_in(word), gap))
        # Side by side, what was put in could be an entry: nothing is put in again.
        while self.holds(made):
            made = self._replaced(made, lambda _: gap)
        return made

    def _checked(self, word: str, gap: str) -> str:
        return gap if self.holds(word) else word

    def _replaced(self, text: str, other: Callable[[str], str]) -> str:
        forms = [_plain(char) for char in text]
        ends = list(accumulate(map(len, forms)))
        made, done = list[str](), 0
        for start, stop in _apart(self.spans("".join(forms))):
            # A character may be several plain ones: all of it is replaced.
            first = next(i for i, end in enumerate(ends) if end > start)
            last = next(i for i, end in enumerate(ends) if end >= stop)
            if first >= done:
                made += [text[done:first], other(text[first : last + 1])]
                done = last + 1
        return "".join([*made, text[done:]])


@lru_cache(maxsize=_LISTS)
def _lengths(entries: frozenset[tuple[str, ...]]) -> frozenset[int]:
    """Return how many words entries have."""
    return frozenset(map(len, entries))


def _apart(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield spans that do not overlap, the earliest first, of these the longest."""
    reached = 0
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= reached:
            yield start, stop
            reached = stop
