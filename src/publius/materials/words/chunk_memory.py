"""What distinct chunks of texts consist of: parts that pass, and protected words.

Most chunks are one plain word with sentence punctuation behind it; those are taken
apart here, and every other one by `publius.materials.words.words.find_words`, which
decides the same for both.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice, repeat

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from publius.core.arrays import UNKNOWN, BoolArray, IdArray
from publius.embeddings.vocabulary import Vocabulary
from publius.language.casing import Casing, casing_of
from publius.language.passing import begins_free, is_before_stop
from publius.language.tokenizer import Tokenizer
from publius.materials.words.words import Words, find_words
from publius.tables.arrow import (
    integers,
    lengths,
    numbers,
    present,
    strings,
    text_array,
    truths,
)

NEW = -1
BREAKS = " \n"
"""A chunk ends behind one of these: no token goes over it, none looks beyond it."""

COMMON = 1 << 16
"""The first chunks that are learned are most of a text: Arrow looks them up."""

_TAIL = ".,;:!?)]\"'" + BREAKS
"""What may stand behind a plain word without becoming part of a token with it."""

_NOT_PLAIN = ("www",)
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
    is_space: bool


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
    _tails: dict[str, _Tail] = field(default_factory=dict)

    def look_up(self, chunks: pa.Array) -> IdArray:
        """Return the number of each chunk, after learning those that are new."""
        place = pc.index_in(chunks, value_set=self._common)
        number = numbers(place).astype(np.int64)
        if place.null_count:
            others = np.flatnonzero(~present(place))
            coded = chunks.take(integers(others)).dictionary_encode()
            number[others] = self._numbers_of(coded.dictionary)[numbers(coded.indices)]
        known = len(self._common)
        if known < COMMON and len(self.numbers) >= 2 * known:
            self._common = strings(list(islice(self.numbers, COMMON)))
        return number

    def _numbers_of(self, chunks: pa.Array) -> IdArray:
        """Return the number of each distinct chunk."""
        known = map(self.numbers.get, chunks.to_pylist(), repeat(NEW))
        number = np.fromiter(known, np.int64, len(chunks))
        unseen = np.flatnonzero(number == NEW)
        if len(unseen):
            with _no_collection():
                number[unseen] = self._learn(chunks.take(integers(unseen)))
        return number

    def _learn(self, chunks: pa.Array) -> IdArray:
        first, texts = len(self.numbers), chunks.to_pylist()
        self.numbers.update(zip(texts, range(first, first + len(texts)), strict=True))
        cores = pc.ascii_rtrim(chunks, characters=_TAIL)
        is_plain = truths(pc.ascii_is_alpha(cores))
        is_plain &= ~present(pc.index_in(cores, value_set=strings(_NOT_PLAIN)))
        plain, others = np.flatnonzero(is_plain), np.flatnonzero(~is_plain)
        made, size = self._plain(chunks.take(integers(plain)), texts, plain)
        more, sizes = self._other([texts[place] for place in others.tolist()])
        items = np.concatenate((made, more))
        counts = np.empty(len(texts), dtype=np.int64)
        stops = np.empty(len(texts), dtype=np.int64)
        counts[plain], counts[others] = size, sizes
        order = np.concatenate((plain, others))
        stops[order] = np.cumsum(counts[order])
        word = np.concatenate(([0], np.cumsum(items < 0)))
        self.starts = np.append(self.starts, len(self.items) + stops - counts)
        self.sizes = np.append(self.sizes, counts)
        self.words = np.append(self.words, word[stops] - word[stops - counts])
        self.items = np.append(self.items, items)
        return np.arange(first, first + len(texts))

    def _literal(self, text: str) -> int:
        return self.literals.setdefault(text, len(self.literals))

    def _plain(
        self, chunks: pa.Array, texts: list[str], places: IdArray
    ) -> tuple[IdArray, IdArray]:
        """Return the items of plain chunks one after another, and how many each has.

        Args:
            chunks: One plain word and what stands behind it.
            texts: All new chunks.
            places: Which of them are plain.
        """
        cores = pc.ascii_rtrim(chunks, characters=_TAIL)
        coded = cores.dictionary_encode()
        form, is_stop = numbers(coded.indices), self._stops_among(coded.dictionary)
        base = self._learn_forms(coded.dictionary)
        length = lengths(cores)
        tail, tails = self._tails_of(chunks, length)
        is_free = np.array([t.is_free for t in tails], dtype=bool)[tail]
        is_stopped = np.array([t.is_stop for t in tails], dtype=bool)[tail]
        rest = np.array([t.rest for t in tails], dtype=np.int64)[tail]
        is_spaced = np.array([t.is_space for t in tails], dtype=bool)[tail]
        passes = is_stop[form] & is_free & ~(is_stopped & (length == 1))
        item = -1 - 2 * (base + form.astype(np.int64)) - is_spaced
        passing = [texts[place] for place in places[passes].tolist()]
        item[passes] = [self._literal(text) for text in passing]
        has_rest = ~passes & (rest != NEW)
        size = 1 + has_rest
        begin = np.cumsum(size) - size
        items = np.empty(int(size.sum()), dtype=np.int64)
        items[begin] = item
        items[begin[has_rest] + 1] = rest[has_rest]
        return items, size

    def _stops_among(self, words: pa.Array) -> BoolArray:
        """Return which words of plain letters are stop words."""
        listed, passes = self.tokenizer.stop_words, self.tokenizer.is_stop_word
        return np.array(
            [
                lower in listed and passes(word)
                for lower, word in zip(
                    pc.ascii_lower(words).to_pylist(), words.to_pylist(), strict=True
                )
            ],
            dtype=bool,
        )

    def _tails_of(
        self, chunks: pa.Array, lengths_of_cores: IdArray
    ) -> tuple[IdArray, list[_Tail]]:
        """Return what stands behind each plain word, as one of a few tails."""
        _, offsets, content = chunks.buffers()
        ends = np.frombuffer(offsets, np.int64)[chunks.offset + 1 :][: len(chunks)]
        size = lengths(chunks) - lengths_of_cores
        upto = np.cumsum(size)
        place = np.arange(upto[-1] if len(upto) else 0) + np.repeat(ends - upto, size)
        letters = np.frombuffer(content or b"", np.uint8)[place]
        bounds = np.concatenate(([0], upto))
        coded = text_array(bounds, pa.py_buffer(letters)).dictionary_encode()
        tails = [
            self._tails.get(text) or self._learn_tail(text)
            for text in coded.dictionary.to_pylist()
        ]
        return numbers(coded.indices).astype(np.int64), tails

    def _learn_tail(self, text: str) -> _Tail:
        rest = self._literal(text) if text not in ("", " ") else NEW
        tail = _Tail(begins_free(text), is_before_stop(text), rest, text == " ")
        self._tails[text] = tail
        return tail

    def _learn_forms(self, words: pa.Array) -> int:
        """Append ids and casings of words of plain letters; return the first number."""
        lower = pc.ascii_lower(words)
        ids = self.vocabulary.encode(lower.to_pylist())
        # A vocabulary with capital letters may know the word as it is written.
        missing = np.flatnonzero((ids == UNKNOWN) & ~truths(pc.equal(words, lower)))
        ids[missing] = self.vocabulary.encode(words.take(integers(missing)).to_pylist())
        return self._add(ids, _casings_of(words))

    def _add(self, ids: IdArray, casings: IdArray) -> int:
        first = len(self.ids)
        self.ids = np.append(self.ids, ids)
        self.casings = np.append(self.casings, casings)
        return first

    def _other(self, chunks: list[str]) -> tuple[IdArray, IdArray]:
        """Return the items of any chunks, and how many each has."""
        words = find_words(chunks, self.tokenizer, self.vocabulary)
        casings = np.fromiter(map(casing_of, words.forms), np.int64, len(words.forms))
        items = self._items_of(words, self._add(words.ids, casings))
        sizes = np.fromiter(map(len, items), np.int64, len(items))
        return np.array(list(chain.from_iterable(items)), dtype=np.int64), sizes

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


def _casings_of(words: pa.Array) -> IdArray:
    """Return the casing of words of plain letters, as `casing_of` does."""
    _, offsets, content = words.buffers()
    bounds = np.frombuffer(offsets, np.int64)[words.offset :][: len(words) + 1]
    if not len(words):
        return _no_ids()
    is_upper = np.frombuffer(content, np.uint8) < ord("a")
    upto = np.concatenate(([0], np.cumsum(is_upper)))[bounds]
    size = np.diff(bounds)
    is_all = (np.diff(upto) == size) & (size > 1)
    starts_upper = is_upper[bounds[:-1]]
    casing = np.where(starts_upper, Casing.TITLE, Casing.LOWER)
    return np.where(is_all, Casing.UPPER, casing).astype(np.int64)
