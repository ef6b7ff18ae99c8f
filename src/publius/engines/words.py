"""The step of a word release: secret texts in, released texts out."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from publius.core.arrays import IdArray, Rng
from publius.core.errors import ParameterError
from publius.core.mechanism import Mechanism
from publius.core.rng import RunKey
from publius.corpus.shards import Shard
from publius.embeddings.vocabulary import Vocabulary
from publius.engines.chunks import ChunkedTexts
from publius.sanitize.bags import release_bags
from publius.sanitize.consistent import Consistency
from publius.sanitize.oov import OovPolicy
from publius.sanitize.sanitizer import Sanitizer
from publius.sanitize.words import count_terms
from publius.text.morphology import LOWER, Morphology
from publius.text.tokenizer import Tokenizer

Counts: TypeAlias = "sp.csr_array[np.int64]"


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """One finished shard.

    Args:
        table: The released columns.
        costs: How many promises each row spends: its protected words, or 1 where the
            promise is about a whole text.
    """

    table: pa.Table
    costs: IdArray


class Form(Protocol):
    """The shape in which texts leave."""

    def fields(self, text: str) -> list[pa.Field]:
        """Return the columns that replace the text column."""
        ...

    def columns(self, texts: list[str], rng: Rng) -> tuple[list[pa.Array], IdArray]:
        """Return these columns and the promises that each row spends."""
        ...

    def costs(self, texts: list[str]) -> IdArray:
        """Return the promises that each row spends, without drawing."""
        ...


@runtime_checkable
class Keyed(Form, Protocol):
    """A form whose draws in one shard must agree with those in another."""

    @property
    def spans_shards(self) -> bool:
        """Whether all shards must be drawn with one key."""
        ...

    def keyed(self, key: RunKey) -> Form:
        """Return the form with the secret of a run."""
        ...


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

    def fields(self, text: str) -> list[pa.Field]:
        """Return the text column."""
        return [pa.field(text, pa.large_string())]

    def columns(self, texts: list[str], rng: Rng) -> tuple[list[pa.Array], IdArray]:
        """Release texts."""
        for chunked in self._chunked:
            column, costs = chunked.release(texts, rng)
            return [column], costs
        release = self.sanitizer.release(texts, rng)
        return [pa.array(release.texts, pa.large_string())], release.perturbed

    def costs(self, texts: list[str]) -> IdArray:
        """Count protected words."""
        return self.sanitizer.count_protected(texts)


@dataclass(frozen=True, slots=True, eq=False)
class BagForm:
    """Bags of words: one string of words in vocabulary order, separated by spaces."""

    sanitizer: Sanitizer
    length: int | None

    def fields(self, text: str) -> list[pa.Field]:
        """Return the column of bags."""
        return [pa.field(text, pa.large_string())]

    def columns(self, texts: list[str], rng: Rng) -> tuple[list[pa.Array], IdArray]:
        """Release bags."""
        bags = release_bags(self.sanitizer, texts, self.length, rng)
        column = pa.array([" ".join(bag) for bag in bags], pa.large_string())
        return [column], self.costs(texts)

    def costs(self, texts: list[str]) -> IdArray:
        """Count protected words, or one for a bag of fixed length."""
        if self.length is None:
            return self.sanitizer.count_protected(texts)
        return np.ones(len(texts), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class VectorForm:
    """SynTF term-frequency vectors: term ids and their counts."""

    tokenizer: Tokenizer
    vocabulary: Vocabulary
    oov: OovPolicy
    mechanism: Mechanism[Counts, Counts]
    morphology: Morphology = LOWER

    def fields(self, text: str) -> list[pa.Field]:
        """Return term ids and counts."""
        kind = pa.large_list(pa.int32())
        return [pa.field(f"{text}_terms", kind), pa.field(f"{text}_counts", kind)]

    def columns(self, texts: list[str], rng: Rng) -> tuple[list[pa.Array], IdArray]:
        """Release vectors."""
        counts = count_terms(
            texts, self.tokenizer, self.vocabulary, self.oov, self.morphology
        )
        vectors = self.mechanism.perturb(counts, rng)
        ends = vectors.indptr.astype(np.int64)
        lists = [
            pa.LargeListArray.from_arrays(ends, values.astype(np.int32))
            for values in (vectors.indices, vectors.data)
        ]
        return lists, self.costs(texts)

    def costs(self, texts: list[str]) -> IdArray:
        """Return one for each text, whatever its length."""
        return np.ones(len(texts), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class WordStep:
    """Release one shard with the noise of its number.

    Args:
        form: The shape in which texts leave.
        text: Name of the text column, the first one of a shard.
        keep: Names of unprotected columns that leave as they are.
        key: From which the shard's stream is derived.
    """

    form: Form
    text: str
    keep: Sequence[str]
    key: RunKey

    def __post_init__(self) -> None:
        if isinstance(self.form, Keyed):
            object.__setattr__(self, "form", self.form.keyed(self.key))

    def __call__(self, shard: Shard) -> Released:
        """Release the shard; empty cells stay empty."""
        cells = shard.table.column(0)
        texts = ["" if text is None else text for text in cells.to_pylist()]
        arrays, costs = self.form.columns(texts, self.key.stream(shard.number))
        if cells.null_count:
            arrays = [pc.if_else(cells.is_valid(), a, None) for a in arrays]
            costs = charged(costs, cells)
        names = [field.name for field in self.form.fields(self.text)]
        arrays += [shard.table.column(name) for name in self.keep]
        return Released(pa.table(arrays, names=[*names, *self.keep]), costs)


def charged(costs: IdArray, cells: pa.Array) -> IdArray:
    """Return the costs of rows, none for a missing cell: nothing of it is drawn."""
    return np.where(np.asarray(cells.is_valid()), costs, 0).astype(np.int64)


def release_schema(
    form: Form, text: str, source: pa.Schema, keep: Sequence[str]
) -> pa.Schema:
    """Return the columns of a released table; none may have the name of another."""
    fields = [*form.fields(text), *(source.field(name) for name in keep)]
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(
                f"the release has a column {name!r} of its own; it cannot keep another"
            )
    return pa.schema(fields)
