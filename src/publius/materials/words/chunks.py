"""Whole texts with replaced words, each distinct chunk between spaces cut only once.

No token goes over a space and none looks beyond one, so a text is the sequence of its
chunks. What a chunk consists of is remembered: literals that pass, and protected words.
A block of texts is then a sequence of numbers; draws put numbers in the place of words,
and one gather writes all texts. The draws, and the bytes, are those of
`Sanitizer.release` on the same texts.
"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from publius.core.arrays import UNKNOWN, IdArray, Rng
from publius.language.casing import Casing, apply_casing, casing_of
from publius.language.collocations import spelled
from publius.language.length import refuse_long
from publius.materials.words.consistent import Consistency
from publius.materials.words.oov import MASK_TEXT, FunctionWords
from publius.materials.words.sanitizer import Sanitizer
from publius.materials.words.words import Words, find_words, has_collocations

MOST_CHUNKS = 1 << 20
"""Distinct chunks that are remembered; then the memory begins anew."""

SPACE = " "


@dataclass(slots=True)
class _Memory:
    """What is known of the chunks that were seen.

    Args:
        numbers: Place of each chunk.
        starts: Where the items of a chunk begin, twice for each chunk: with the space
            that follows it, and without.
        sizes: How many items there are.
        items: Literals from 0, words below 0: -1 is the first word.
        literals: Parts that pass.
        ids: Vocabulary id of each word.
        casings: Its casing.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    starts: IdArray = field(default_factory=lambda: np.zeros(0, np.int64))
    sizes: IdArray = field(default_factory=lambda: np.zeros(0, np.int64))
    items: IdArray = field(default_factory=lambda: np.zeros(0, np.int64))
    literals: dict[str, int] = field(default_factory=dict)
    ids: IdArray = field(default_factory=lambda: np.zeros(0, np.int64))
    casings: IdArray = field(default_factory=lambda: np.zeros(0, np.int64))
    table: list[pa.Array] = field(default_factory=list)

    def literal(self, text: str) -> int:
        return self.literals.setdefault(text, len(self.literals))

    def learn(self, chunks: list[str], words: Words) -> None:
        """Remember the items of new chunks."""
        base = len(self.ids)
        protected = words.protected.tolist()
        codes = (-1 - base - words.codes).tolist()
        sizes, items, place = [], [], 0
        for number, parts in enumerate(words.parts, len(self.numbers)):
            self.numbers[chunks[number - len(self.sizes) // 2]] = number
            run = parts[0]
            own: list[int] = []
            for word, gap in zip(parts[1::2], parts[2::2], strict=True):
                if protected[place]:
                    if run:
                        own.append(self.literal(run))
                    own.append(codes[place])
                    run = gap
                else:
                    run += word + gap
                place += 1
            spaced = [*own, self.literal(run + SPACE)]
            if run:
                own.append(self.literal(run))
            items += spaced
            items += own
            sizes += [len(spaced), len(own)]
        self.items = np.append(self.items, np.array(items, dtype=np.int64))
        self.sizes = np.append(self.sizes, np.array(sizes, dtype=np.int64))
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.ids = np.append(self.ids, words.ids)
        casings = [int(casing_of(form)) for form in words.forms]
        self.casings = np.append(self.casings, np.array(casings, dtype=np.int64))
        self.table.clear()


@dataclass(frozen=True, slots=True, eq=False)
class ChunkedTexts:
    """Release texts by their chunks.

    Args:
        sanitizer: One that `fits`.
    """

    sanitizer: Sanitizer
    _memory: list[_Memory] = field(default_factory=list, init=False, repr=False)
    _spellings: list[pa.Array] = field(default_factory=list, init=False, repr=False)

    @staticmethod
    def fits(sanitizer: Sanitizer) -> bool:
        """Say whether what happens to a word depends on its chunk and a draw alone."""
        return (
            sanitizer.consistent is Consistency.NO
            and sanitizer.function_words is FunctionWords.KEEP
            and not has_collocations(
                sanitizer.embedding.vocabulary, sanitizer.tokenizer
            )
        )

    def release(self, texts: list[str], rng: Rng) -> tuple[pa.Array, IdArray]:
        """Return released texts, and the number of protected words of each."""
        refuse_long(texts)
        memory = self._remembering()
        lists = pc.split_pattern(pa.array(texts, pa.large_string()), SPACE)
        code, ends = self._coded(lists, memory)
        sizes = memory.sizes[code]
        upto = np.cumsum(sizes)
        total = int(upto[-1]) if len(upto) else 0
        shift = np.repeat(memory.starts[code] - (upto - sizes), sizes)
        item = memory.items[np.arange(total) + shift]
        where = np.flatnonzero(item < 0)
        word = -1 - item[where]
        drawn = self.sanitizer.perturb_ids(memory.ids[word], rng)
        pieces = self._pieces(memory)
        mask = len(self._spellings[0]) - 1
        spelling = drawn * len(Casing) + memory.casings[word]
        item += mask + 1
        item[where] = np.where(drawn == UNKNOWN, mask, spelling)
        rows = np.append(0, upto[ends - 1])
        written = _joined(pieces.take(pa.array(item)), rows)
        return written, np.diff(np.searchsorted(where, rows))

    def _remembering(self) -> _Memory:
        """Return what is known, or nothing if it grew too large."""
        if not self._memory or len(self._memory[0].numbers) > MOST_CHUNKS:
            self._memory[:] = [_Memory()]
        return self._memory[0]

    def _coded(self, lists: pa.ListArray, memory: _Memory) -> tuple[IdArray, IdArray]:
        """Return the code of each chunk, and where the chunks of each text end."""
        ends = np.asarray(lists.offsets).astype(np.int64)
        coded = lists.values.dictionary_encode()
        distinct = coded.dictionary.to_pylist()
        new = [chunk for chunk in distinct if chunk not in memory.numbers]
        if new:
            cleaner = self.sanitizer
            vocabulary = cleaner.embedding.vocabulary
            memory.learn(new, find_words(new, cleaner.tokenizer, vocabulary))
        number = np.fromiter(
            map(memory.numbers.__getitem__, distinct), np.int64, len(distinct)
        )
        code = 2 * number[np.asarray(coded.indices)]
        code[ends[1:] - 1] += 1  # no space follows the last chunk of a text
        return code, ends[1:]

    def _pieces(self, memory: _Memory) -> pa.Array:
        """Return every spelling of every word, the mask, and the literals."""
        if not self._spellings:
            words = map(spelled, self.sanitizer.embedding.vocabulary.words)
            written = [
                apply_casing(word, casing) for word in words for casing in Casing
            ]
            self._spellings.append(pa.array([*written, MASK_TEXT], pa.large_string()))
        if not memory.table:
            literals = pa.array(list(memory.literals), pa.large_string())
            memory.table.append(pa.concat_arrays([self._spellings[0], literals]))
        return memory.table[0]


def _joined(pieces: pa.Array, rows: IdArray) -> pa.Array:
    """Return pieces as texts: their bytes lie one behind the other already."""
    _, offsets, content = pieces.buffers()
    bounds = np.frombuffer(offsets, np.int64)[: len(pieces) + 1][rows]
    return pa.Array.from_buffers(
        pa.large_string(), len(rows) - 1, [None, pa.py_buffer(bounds), content]
    )
