"""The shapes in which texts leave: whole texts, bags of words, term vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from publius.core.arrays import IdArray, Rng
from publius.core.mechanism import Mechanism
from publius.core.rng import RunKey
from publius.embeddings.vocabulary import Vocabulary
from publius.language.morphology import LOWER, Morphology
from publius.language.tokenizer import Tokenizer
from publius.materials.form import Released
from publius.materials.words.bags import release_bags
from publius.materials.words.chunks import ChunkedTexts
from publius.materials.words.consistent import Consistency
from publius.materials.words.oov import OovPolicy
from publius.materials.words.remarks import text_remarks
from publius.materials.words.sanitizer import Sanitizer
from publius.materials.words.words import count_terms
from publius.tables.arrow import present, strings

Counts: TypeAlias = "scipy.sparse.csr_array[np.int64]"


def text_rows(texts: Sequence[str]) -> pa.RecordBatch:
    """Return texts as the rows that a form releases."""
    return pa.record_batch([strings(texts)], names=["text"])


def texts_of(rows: pa.RecordBatch) -> list[str]:
    """Return the texts of rows, an empty one for a missing cell."""
    return ["" if text is None else text for text in rows.column(0).to_pylist()]


def released_texts(
    rows: pa.RecordBatch, columns: list[pa.Array], costs: IdArray
) -> Released:
    """Return released texts; a missing cell stays missing and costs nothing."""
    cells = rows.column(0)
    if not cells.null_count:
        return Released(columns, costs)
    columns = [
        pc.if_else(cells.is_valid(), column, pa.nulls(1, column.type)[0])
        for column in columns
    ]
    return Released(columns, charged(costs, cells))


def one_each(rows: pa.RecordBatch) -> IdArray:
    """Return one guarantee for each text that is there."""
    return charged(np.ones(rows.num_rows, dtype=np.int64), rows.column(0))


def charged(costs: IdArray, cells: pa.Array) -> IdArray:
    """Return the costs of rows, none for a missing cell: nothing of it is drawn."""
    return np.where(present(cells), costs, 0).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class TextForm:
    """Whole texts with replaced words."""

    sanitizer: Sanitizer
    _chunked: list[ChunkedTexts] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        fits = ChunkedTexts.fits(self.sanitizer)
        chunked = [ChunkedTexts(self.sanitizer)] if fits else []
        object.__setattr__(self, "_chunked", chunked)

    @property
    def spans_shards(self) -> bool:
        """Whether equal words of different texts are replaced alike."""
        return self.sanitizer.consistent is Consistency.CORPUS

    def keyed(self, key: RunKey) -> "TextForm":
        """Return the form with draws that depend on key and word, not on the shard."""
        if not self.spans_shards:
            return self
        return TextForm(replace(self.sanitizer, key=key))

    def fields(self, protected: Sequence[pa.Field]) -> list[pa.Field]:
        """Return the text column."""
        return [pa.field(protected[0].name, pa.large_string())]

    def release(
        self, rows: pa.RecordBatch, rng: Rng, *, first_row: int = 1
    ) -> Released:
        """Release texts."""
        del first_row
        for chunked in self._chunked:
            column, costs = chunked.release(rows.column(0), rng)
            return released_texts(rows, [column], costs)
        made = self.sanitizer.release(texts_of(rows), rng)
        column = strings(made.texts)
        return released_texts(rows, [column], made.perturbed)

    def remarks(self, rows: pa.RecordBatch) -> list[str]:
        """Say whether these are texts in the language of the vocabulary."""
        return text_remarks(texts_of(rows), self.sanitizer.embedding.vocabulary)

    def costs(self, rows: pa.RecordBatch) -> IdArray:
        """Count protected words."""
        for chunked in self._chunked:
            return charged(chunked.count(rows.column(0)), rows.column(0))
        counted = self.sanitizer.count_protected(texts_of(rows))
        return charged(counted, rows.column(0))


@dataclass(frozen=True, slots=True, eq=False)
class BagForm:
    """Bags of words: one string of words in vocabulary order, separated by spaces."""

    sanitizer: Sanitizer
    length: int | None

    def fields(self, protected: Sequence[pa.Field]) -> list[pa.Field]:
        """Return the column of bags."""
        return [pa.field(protected[0].name, pa.large_string())]

    def release(
        self, rows: pa.RecordBatch, rng: Rng, *, first_row: int = 1
    ) -> Released:
        """Release bags."""
        del first_row
        bags = release_bags(self.sanitizer, texts_of(rows), self.length, rng)
        column = strings([" ".join(bag) for bag in bags])
        return released_texts(rows, [column], self.costs(rows))

    def remarks(self, rows: pa.RecordBatch) -> list[str]:
        """Say whether these are texts in the language of the vocabulary."""
        return text_remarks(texts_of(rows), self.sanitizer.embedding.vocabulary)

    def costs(self, rows: pa.RecordBatch) -> IdArray:
        """Count protected words, or one for a bag of fixed length."""
        if self.length is None:
            counted = self.sanitizer.count_protected(texts_of(rows))
            return charged(counted, rows.column(0))
        return one_each(rows)


@dataclass(frozen=True, slots=True, eq=False)
class VectorForm:
    """SynTF term-frequency vectors: term ids and their counts."""

    tokenizer: Tokenizer
    vocabulary: Vocabulary
    oov: OovPolicy
    mechanism: Mechanism[Counts, Counts]
    morphology: Morphology = LOWER

    def fields(self, protected: Sequence[pa.Field]) -> list[pa.Field]:
        """Return term ids and counts."""
        kind, text = pa.large_list(pa.int32()), protected[0].name
        return [pa.field(f"{text}_terms", kind), pa.field(f"{text}_counts", kind)]

    def release(
        self, rows: pa.RecordBatch, rng: Rng, *, first_row: int = 1
    ) -> Released:
        """Release vectors."""
        del first_row
        counts = count_terms(
            texts_of(rows), self.tokenizer, self.vocabulary, self.oov, self.morphology
        )
        vectors = self.mechanism.perturb(counts, rng)
        ends = vectors.indptr.astype(np.int64)
        lists = [
            pa.LargeListArray.from_arrays(ends, values.astype(np.int32))
            for values in (vectors.indices, vectors.data)
        ]
        return released_texts(rows, lists, self.costs(rows))

    def remarks(self, rows: pa.RecordBatch) -> list[str]:
        """Say whether these are texts in the language of the vocabulary."""
        return text_remarks(texts_of(rows), self.vocabulary)

    def costs(self, rows: pa.RecordBatch) -> IdArray:
        """Return one for each text, whatever its length."""
        return one_each(rows)
