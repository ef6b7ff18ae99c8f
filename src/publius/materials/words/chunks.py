"""Whole texts with replaced words, each distinct chunk between spaces cut only once.

No token goes over a space or a line break and none looks beyond one, so a text is the
sequence of its chunks. What a chunk consists of is remembered: literals that pass, and
protected words. A block of texts is then a sequence of numbers; draws put numbers in
the place of words, and one gather writes all texts. The draws, and the bytes, are those
of `Sanitizer.release` on the same texts.
"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from publius.core.arrays import UNKNOWN, IdArray, Rng
from publius.language.casing import Casing, every_casing
from publius.language.collocations import spelled
from publius.language.length import MOST_CHARACTERS, refuse_long
from publius.materials.words.chunk_memory import BREAKS, ChunkMemory
from publius.materials.words.consistent import Consistency
from publius.materials.words.oov import MASK_TEXT, FunctionWords
from publius.materials.words.sanitizer import Sanitizer
from publius.materials.words.words import has_collocations
from publius.tables.arrow import integers, strings, text_array, without_nulls

MOST_CHUNKS = 1 << 18
"""Distinct chunks that are remembered; then the memory begins anew."""


@dataclass(frozen=True, slots=True, eq=False)
class ChunkedTexts:
    """Release texts by their chunks.

    Args:
        sanitizer: One that `fits`.
    """

    sanitizer: Sanitizer
    _memory: list[ChunkMemory] = field(default_factory=list, init=False, repr=False)
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

    def release(self, texts: pa.Array, rng: Rng) -> tuple[pa.Array, IdArray]:
        """Return released texts, and the number of protected words of each."""
        memory = self._remembering()
        code, ends = _coded(texts, memory)
        sizes = memory.sizes[code]
        upto = np.cumsum(sizes)
        total = int(upto[-1]) if len(upto) else 0
        item = np.arange(total)
        item += np.repeat(memory.starts[code] - (upto - sizes), sizes)
        item = memory.items[item]
        where = np.flatnonzero(item < 0)
        word = -1 - item[where]
        form = word >> 1
        drawn = self.sanitizer.perturb_ids(memory.ids[form], rng)
        spelling = drawn * len(Casing) + memory.casings[form]
        pieces, plain = self._pieces(memory)
        np.copyto(spelling, plain - 1, where=drawn == UNKNOWN)  # the mask is the last
        item += 2 * plain
        item[where] = spelling + (word & 1) * plain
        rows = np.concatenate(([0], upto))[ends]
        written = _joined(pieces.take(integers(item)), rows)
        return written, np.diff(np.searchsorted(where, rows))

    def count(self, texts: pa.Array) -> IdArray:
        """Return the number of protected words of each text."""
        memory = self._remembering()
        code, ends = _coded(texts, memory)
        return np.diff(np.concatenate(([0], np.cumsum(memory.words[code])))[ends])

    def _remembering(self) -> ChunkMemory:
        """Return what is known, or nothing if it grew too large."""
        if not self._memory or len(self._memory[0].numbers) > MOST_CHUNKS:
            cleaner = self.sanitizer
            memory = ChunkMemory(cleaner.tokenizer, cleaner.embedding.vocabulary)
            self._memory[:] = [memory]
        return self._memory[0]

    def _pieces(self, memory: ChunkMemory) -> tuple[pa.Array, int]:
        """Return all spellings and the mask, the same with a space, and literals.

        The second result is the number of those without a space.
        """
        if not self._spellings:
            words = list(map(spelled, self.sanitizer.embedding.vocabulary.words))
            plain = [*every_casing(words), MASK_TEXT]
            spaced = [word + " " for word in plain]
            self._spellings.append(strings([*plain, *spaced]))
        spellings = self._spellings[0]
        literals = strings(list(memory.literals))
        return pa.concat_arrays([spellings, literals]), len(spellings) // 2


def _coded(texts: pa.Array, memory: ChunkMemory) -> tuple[IdArray, IdArray]:
    """Return the number of each chunk, and where the chunks of each text end.

    The second result begins with 0 and has one entry more than there are texts.
    """
    texts = without_nulls(texts)
    texts = texts.cast(pa.large_string())
    _, offsets, content = texts.buffers()
    bounds = np.frombuffer(offsets, np.int64)[texts.offset :][: len(texts) + 1]
    if np.diff(bounds).max(initial=0) > MOST_CHARACTERS:
        refuse_long(texts.to_pylist())
    data = np.frombuffer(content or b"", np.uint8)[bounds[0] : bounds[-1]]
    is_end = np.zeros(len(data), dtype=bool)
    for mark in BREAKS.encode():
        is_end |= data == mark
    is_end[bounds[1:][bounds[1:] > bounds[0]] - bounds[0] - 1] = True
    ends = np.flatnonzero(is_end) + 1
    edges = np.concatenate(([0], ends)) + bounds[0]
    code = memory.look_up(text_array(edges, content))
    return code, np.searchsorted(edges, bounds)


def _joined(pieces: pa.Array, rows: IdArray) -> pa.Array:
    """Return pieces as texts: their bytes lie one behind the other already."""
    _, offsets, content = pieces.buffers()
    bounds = np.frombuffer(offsets, np.int64)[: len(pieces) + 1][rows]
    return text_array(bounds, content)
