"""Retell texts: draw their content words, cut passages, let a model write them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from publius.core.arrays import IdArray, Rng
from publius.core.guarantee import Flat, Guarantee, Scope, Unit
from publius.core.rng import secure
from publius.core.stating import multiply_up
from publius.embeddings.blocked import told_of_blocked
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import LikeTable
from publius.mechanisms.folded_exponential import FoldedExponential
from publius.retelling.block_list import BlockList
from publius.retelling.choosing import at_most, exactly, mixed
from publius.retelling.content import content_ids, without_common
from publius.retelling.grouping import grouped
from publius.retelling.settings import TIDIED, UNFAVOURED
from publius.retelling.tidy import tidied
from publius.retelling.wording import Wording
from publius.retelling.writer import Writer

INVENTED = (
    "This text was written by a program from noisy words; facts in it may be wrong."
)
_COVERED = (
    "Stop words, punctuation, capital letters and layout: nothing of them is released.",
)
_SKIPPED = (
    "The {common} commonest words of the vocabulary, but for negations: nothing of "
    "them is released."
)
_UNCOVERED = {
    "keep": "How many content words a text has, and in which order they stand.",
    "passage": (
        "How many content words a text has, and in which passage each of them stands."
    ),
    "shuffle": "How many content words a text has.",
}
_UNCOVERED_OF_SOME = {
    "keep": (
        "How many content words a text has, up to {most}, and in which order they "
        "stand."
    ),
    "passage": (
        "How many content words a text has, up to {most}, and in which passage each of "
        "them stands."
    ),
    "shuffle": "How many content words a text has, up to {most}.",
}
_ASSUMED = (
    "A public language model wrote the text from the released words and public "
    "settings alone: the guarantee about the words is the guarantee about the text.",
    INVENTED,
)

_OBEYED = (
    "No word of the block list stands in a text, in any casing or Unicode form: where "
    "the language model would have written one, another word or a gap stands."
)


@dataclass(frozen=True, slots=True)
class Cut:
    """How the words of a text become passages; public.

    Args:
        order: ``keep``, ``passage`` or ``shuffle``.
        passage: Words of a passage; the last one of a text may have fewer.
        words: Words of every text; None for as many as it has.
        most: Words of a text that has more; None for all of them.
        common: How many of the commonest words are no content.
    """

    order: str = "shuffle"
    passage: int = 16
    words: int | None = None
    most: int | None = None
    common: int = 0


@dataclass(frozen=True, slots=True)
class Retold:
    """What leaves, and what may be said about it.

    Args:
        texts: One per input.
        guarantee: Per content word; per text where all have the same number of words.
        perturbed: Words that were drawn for each text.
        passages: Released words that each text was written from.
    """

    texts: list[str]
    guarantee: Guarantee
    perturbed: IdArray
    passages: list[list[list[str]]] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Retelling:
    """Write texts anew from the noisy content words of secret ones.

    Guarantee:
        That of the mechanism on words: writing sees released words only, so that it is
        post-processing. Nothing but content words is read of a text.

    Args:
        embedding: Words and numbers of the like space.
        table: Of the like space.
        mechanism: Draws words.
        writer: Writes passages.
        cut: Order, length and passages.
        name: Of the law.
        blocked: Words that no text may hold.
    """

    embedding: Embedding
    table: LikeTable
    mechanism: FoldedExponential
    writer: Writer
    cut: Cut = field(default_factory=Cut)
    name: str = UNFAVOURED
    blocked: BlockList | None = None

    def guarantee(self) -> Guarantee:
        """Return the guarantee of the words, with what is left uncovered."""
        words = self.mechanism.guarantee()
        if self.cut.words is None:
            told = Scope(self._covered, (self._uncovered,), self._assumed)
            return words.covering(told)
        loss = max(words.worst_loss, words.landmarks.unknown_loss)
        worst = multiply_up(loss, self.cut.words)
        covered = "The content words of a text, their order and how many there are."
        return replace(
            words,
            metric=f"discrete@documents:{words.metric}",
            unit=Unit.DOCUMENT,
            terms=(Flat(worst),),
            scope=Scope(
                (covered, *self._covered),
                ("Nothing else of the text is released.",),
                (*words.scope.assumptions, *self._assumed),
            ),
            landmarks=replace(
                words.landmarks,
                near=1.0,
                diameter=1.0,
                unknown_loss=worst,
                near_most=1.0,
            ),
        )

    def count(self, texts: Sequence[str]) -> IdArray:
        """Return the guarantees that each text spends, without drawing."""
        if self.cut.words is not None:
            return np.ones(len(texts), dtype=np.int64)
        _, counts = self._content(texts)
        return counts if self.cut.most is None else np.minimum(counts, self.cut.most)

    def release(self, texts: Sequence[str], rng: Rng | None = None) -> Retold:
        """Retell texts.

        Args:
            texts: The secrets.
            rng: Source of noise and of the writer's choices; a fresh secure one when
                it is left out.
        """
        source = secure() if rng is None else rng
        passages = self.draw(texts, source)
        # From here on nothing knows the secrets.
        flat = [words for own in passages for words in own]
        wording = Wording(self.embedding.vocabulary, self.table)
        written = self.writer.write(flat, source)
        retold, start = [], 0
        for own in passages:
            parts = written[start : start + len(own)]
            whole = " ".join(map(wording.allowed, parts))
            # What is taken out of a word could leave an offensive one.
            tidy = self.name == TIDIED
            text = wording.allowed(tidied(whole)) if tidy else whole
            if self.blocked is not None:
                text = self.blocked.taken_out(text, wording.stand_in)
            retold.append(text)
            start += len(own)
        drawn = np.array([sum(map(len, own)) for own in passages], dtype=np.int64)
        return Retold(retold, self.guarantee(), drawn, passages)

    def draw(self, texts: Sequence[str], rng: Rng) -> list[list[list[str]]]:
        """Return released words of each text, passage by passage."""
        ids, counts = self._content(texts)
        if self.cut.words is not None:
            ids, counts = exactly(ids, counts, self.cut.words, rng)
        elif self.cut.most is not None:
            ids, counts = at_most(ids, counts, self.cut.most, rng)
        if self.cut.words is None and self.cut.order != "keep":
            ids = mixed(ids, counts, self._reach, rng)
        drawn = self.mechanism.perturb(ids, rng)
        # From here on only released words are seen.
        if self.cut.order == "shuffle":
            drawn = grouped(drawn, counts, self.embedding.vectors)
        wording = Wording(self.embedding.vocabulary, self.table)
        words = wording.spelled(drawn)
        step, passages, start = self.cut.passage, [], 0
        for count in counts.tolist():
            own = words[start : start + count]
            passages.append([own[i : i + step] for i in range(0, count, step)])
            start += count
        return passages

    def _content(self, texts: Sequence[str]) -> tuple[IdArray, IdArray]:
        vocabulary = self.embedding.vocabulary
        ids, counts = content_ids(texts, vocabulary)
        return without_common(ids, counts, vocabulary, self.cut.common)

    @property
    def _covered(self) -> tuple[str, ...]:
        common = self.cut.common
        if not common:
            return _COVERED
        return (*_COVERED, _SKIPPED.format(common=f"{common:,}"))

    @property
    def _uncovered(self) -> str:
        if self.cut.most is None:
            return _UNCOVERED[self.cut.order]
        return _UNCOVERED_OF_SOME[self.cut.order].format(most=f"{self.cut.most:,}")

    @property
    def _assumed(self) -> tuple[str, ...]:
        if self.blocked is None:
            return _ASSUMED
        known = told_of_blocked(self.embedding.vocabulary)
        return (*_ASSUMED, *filter(None, (known,)), _OBEYED)

    @property
    def _reach(self) -> int | None:
        return self.cut.passage if self.cut.order == "passage" else None
