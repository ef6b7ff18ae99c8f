"""What distinct chunks of texts consist of: parts that pass, and protected words.

Most chunks are one plain word with sentence punctuation behind it; those are taken
apart here, and every other one by `publius.materials.words.words.find_words`, which
decides the same for both.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice, repeat

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from publius.core.arrays import IdArray
from publius.embeddings.vocabulary import Vocabulary
from publius.language.casing import casing_of
from publius.language.morphology import LOWER
from publius.language.passing import begins_free, is_before_stop
from publius.language.tokenizer import Tokenizer
from publius.materials.words.words import Words, find_words
from publius.tables.arrow import integers, numbers, present, strings

NEW = -1
BREAKS = " \n"
"""A chunk ends behind one of these: no token goes over it, none looks beyond it."""

COMMON = 1 << 16
"""The first chunks that are learned are most of a text: Arrow looks them up."""

_TAIL = ".,;:!?)]\"'" + BREAKS
"""What may stand behind a plain word without becoming part of a token with it."""

_NOT_PLAIN = frozenset({"www"})
"""Letters that begin an address together with a full stop."""


@contextmanager
def _no_collection() -> Iterator[None]:
    """Do not search for cycles: a hundred thousand lists are made, and none has one."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _no_ids() -> IdArray:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class _Tail:
    """What stands behind a plain word, and what it means for a stop word."""

    is_free: bool
    is_stop: bool
    rest: int
    """Literal of what follows the word; NEW if a space or nothing does."""


@dataclass(slots=True)
class ChunkMemory:
    """What is known of the chunks that were seen.

    Args:
        tokenizer: Finds words and says which are protected.
        vocabulary: Says which are known.
        numbers: Place of each chunk.
        starts: Where the items of a chunk begin.
        sizes: How many items there are.
        words: How many of them are words.
        items: Literals from 0; words below 0: -1 - 2 * form, one less with a space
            behind it.
        literals: Parts that pass.
        ids: Vocabulary id of each form of a word.
        casings: Its casing.
    """

    tokenizer: Tokenizer
    vocabulary: Vocabulary
    numbers: dict[str, int] = field(default_factory=dict)
    starts: IdArray = field(default_factory=_no_ids)
    sizes: IdArray = field(default_factory=_no_ids)
    words: IdArray = field(default_factory=_no_ids)
    items: IdArray = field(default_factory=_no_ids)
    literals: dict[str, int] = field(default_factory=dict)
    ids: IdArray = field(default_factory=_no_ids)
    casings: IdArray = field(default_factory=_no_ids)
    _common: pa.Array = field(default_factory=lambda: strings([]))
    _forms: dict[str, int] = field(default_factory=dict)
    _stops: set[int] = field(default_factory=set)
    _tails: dict[str, _Tail] = field(default_factory=dict)

    def look_up(self, chunks: pa.Array) -> IdArray:
        """Return the number of each chunk, after learning those that are new."""
        place = pc.index_in(chunks, value_set=self._common)
        number = numbers(place).astype(np.int64)
        if place.null_count:
            others = np.flatnonzero(~present(place))
            coded = chunks.take(integers(others)).dictionary_encode()
            number[others] = self._found(coded.dictionary.to_pylist())[
                numbers(coded.indices)
            ]
        known = len(self._common)
        if known < COMMON and len(self.numbers) >= 2 * known:
            self._common = strings(list(islice(self.numbers, COMMON)))
        return number

    def _found(self, chunks: list[str]) -> IdArray:
        """Return the number of each distinct chunk."""
        found = map(self.numbers.get, chunks, repeat(NEW))
        number = np.fromiter(found, np.int64, len(chunks))
        unseen = np.flatnonzero(number == NEW).tolist()
        if unseen:
            with _no_collection():
                number[unseen] = self._learn([chunks[place] for place in unseen])
        return number

    def _learn(self, chunks: list[str]) -> IdArray:
        first = len(self.numbers)
        self.numbers.update(zip(chunks, range(first, first + len(chunks)), strict=True))
        items: list[int] = []
        ends = self._plain(chunks, items)
        others = [place for place, end in enumerate(ends) if end == NEW]
        if others:
            self._other([chunks[place] for place in others], others, ends, items)
        # Items of plain chunks come first, so neither list is in the order of chunks.
        stop = np.array(ends, dtype=np.int64)
        order = np.argsort(stop, kind="stable")
        size = np.empty(len(stop), dtype=np.int64)
        size[order] = np.diff(stop[order], prepend=0)
        made = np.array(items, dtype=np.int64)
        word = np.concatenate(([0], np.cumsum(made < 0)))
        self.starts = np.append(self.starts, len(self.items) + stop - size)
        self.sizes = np.append(self.sizes, size)
        self.words = np.append(self.words, word[stop] - word[stop - size])
        self.items = np.append(self.items, made)
        return np.arange(first, first + len(chunks))

    def _literal(self, text: str) -> int:
        return self.literals.setdefault(text, len(self.literals))

    def _plain(self, chunks: list[str], items: list[int]) -> list[int]:
        """Append the items of plain chunks; return where those of each chunk end."""
        cores = [chunk.rstrip(_TAIL) for chunk in chunks]
        plain = [
            core
            for core in cores
            if core.isascii() and core.isalpha() and core not in _NOT_PLAIN
        ]
        self._learn_forms(plain)
        is_plain = set(plain)
        forms, stops, tails = self._forms, self._stops, self._tails
        ends: list[int] = []
        for chunk, core in zip(chunks, cores, strict=True):
            if core not in is_plain:
                ends.append(NEW)
                continue
            text = chunk[len(core) :]
            tail = tails.get(text) or self._learn_tail(text)
            form = forms[core]
            if form in stops and tail.is_free and not (tail.is_stop and len(core) == 1):
                items.append(self._literal(chunk))
            elif text == " ":
                items.append(-2 - 2 * form)
            else:
                items.append(-1 - 2 * form)
                if tail.rest != NEW:
                    items.append(tail.rest)
            ends.append(len(items))
        return ends

    def _learn_tail(self, text: str) -> _Tail:
        rest = self._literal(text) if text not in ("", " ") else NEW
        tail = _Tail(begins_free(text), is_before_stop(text), rest)
        self._tails[text] = tail
        return tail

    def _learn_forms(self, words: list[str]) -> None:
        forms = self._forms
        new = [word for word in dict.fromkeys(words) if word not in forms]
        if new:
            first = self._add(new, LOWER.encode(new, self.vocabulary.encode))
            forms.update(zip(new, range(first, first + len(new)), strict=True))
            passes = self.tokenizer.is_stop_word
            self._stops.update(forms[word] for word in new if passes(word))

    def _add(self, forms: list[str], ids: IdArray) -> int:
        """Append ids and casings of forms; return the number of the first."""
        first = len(self.ids)
        casings = np.fromiter(map(casing_of, forms), np.int64, len(forms))
        self.ids = np.append(self.ids, ids)
        self.casings = np.append(self.casings, casings)
        return first

    def _other(
        self, chunks: list[str], places: list[int], ends: list[int], items: list[int]
    ) -> None:
        """Append the items of any chunks; note where those of each chunk end."""
        words = find_words(chunks, self.tokenizer, self.vocabulary)
        items_of = self._items_of(words, self._add(words.forms, words.ids))
        for place, own in zip(places, items_of, strict=True):
            items += own
            ends[place] = len(items)

    def _items_of(self, words: Words, base: int) -> list[list[int]]:
        protected = words.protected.tolist()
        codes = (-1 - 2 * (base + words.codes)).tolist()
        texts, place = [], 0
        for parts in words.parts:
            run = parts[0]
            own: list[int] = []
            for word, gap in zip(parts[1::2], parts[2::2], strict=True):
                if protected[place]:
                    if run:
                        own.append(self._literal(run))
                    own.append(codes[place])
                    run = gap
                else:
                    run += word + gap
                place += 1
            if run == " " and own:
                own[-1] -= 1
            elif run:
                own.append(self._literal(run))
            texts.append(own)
        return texts
