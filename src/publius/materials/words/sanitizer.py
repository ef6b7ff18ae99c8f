"""Replace the protected words of texts, in batches."""

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np

from publius.core.arrays import UNKNOWN, IdArray, Rng
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Scope
from publius.core.mechanism import Mechanism
from publius.core.rng import RunKey, secure
from publius.embeddings.blocked import told_of_blocked
from publius.embeddings.embedding import Embedding
from publius.language.casing import Casing, apply_casing, casing_of
from publius.language.collocations import spelled
from publius.language.tokenizer import Tokenizer
from publius.materials.words.consistent import (
    Consistency,
    CorpusDraws,
    consistent_guarantee,
    distinct_words,
)
from publius.materials.words.oov import MASK_TEXT, FunctionWords, OovPolicy
from publius.materials.words.words import (
    Words,
    find_words,
    has_collocations,
    refuse_unknown,
)

_UNTOUCHED = (
    "The number of words, their order, spacing, punctuation and capital letters.",
)
UNITS = (
    "Where collocations stood: a word sequence that the vocabulary has as one entry, "
    "such as 'new york', is one unit. The guarantee compares texts that differ in "
    "which unit stands at a place, with as many units at the same places; a text with "
    "more or fewer units is another text, even if it has as many words."
)
MASKED = f"Where a word was unknown: {MASK_TEXT} stands there."
REFUSED = (
    "That every protected word is in the vocabulary: otherwise nothing would have been "
    "released."
)
_STOP_WORDS_KEPT = (
    "Stop words (a public list of function words) that stand free: they pass as they "
    "are, and habits in their use can identify a writer. Use --protect all to protect "
    "them too."
)
ABOUT_LAYOUT = (*_UNTOUCHED, _STOP_WORDS_KEPT, MASKED)
"""What holds of a text that keeps its layout, not of a bag."""

_ABOUT_UNKNOWN = ("at all", "was unknown rather")
"""Parts of sentences that hold only where unknown words draw like others."""


@runtime_checkable
class GradedTokens(Protocol):
    """A mechanism that can draw with a grade per token."""

    def grade_guarantee(self, grade: int) -> Guarantee:
        """Return the guarantee for a token of a grade."""
        ...

    def perturb_tokens(self, x: IdArray, grades: IdArray, rng: Rng) -> IdArray:
        """Draw for each id with the law of its token's grade."""
        ...


@dataclass(frozen=True, slots=True)
class Release:
    """What leaves, and what may be said about it.

    Args:
        texts: One released text per input.
        guarantee: Per protected word.
        perturbed: Number of protected units in each text, or of distinct ones where
            each is drawn once.
        masked: Number of units replaced by the mask.
    """

    texts: list[str]
    guarantee: Guarantee
    perturbed: IdArray
    masked: int


@dataclass(frozen=True, slots=True)
class Unit:
    """One word or collocation of a text, before and after; holds the secret.

    Args:
        gap: What stands before it; the last gap of a text has no word.
        original: The secret.
        released: What stands there now.
        is_protected: It was drawn; otherwise it passed.
        is_known: The vocabulary has it.
    """

    gap: str
    original: str
    released: str
    is_protected: bool
    is_known: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sanitizer:
    """Release texts whose protected words were replaced by a mechanism.

    Args:
        tokenizer: Finds words and says which are protected.
        embedding: The public vocabulary.
        mechanism: Replaces word ids; never sees a string.
        oov: What happens to unknown words.
        function_words: What happens to stop words that are not protected.
        consistent: Where equal words are replaced alike.
        key: Of a corpus that is released in several calls; None takes the texts of one
            call for the corpus. Used only where equal words of a corpus are.
    """

    tokenizer: Tokenizer
    embedding: Embedding
    mechanism: Mechanism[IdArray, IdArray]
    oov: OovPolicy = OovPolicy.UNIFORM
    function_words: FunctionWords = FunctionWords.KEEP
    consistent: Consistency = Consistency.NO
    key: RunKey | None = None
    _guarantee: list[Guarantee] = field(default_factory=list, init=False, repr=False)
    _corpus: list[CorpusDraws] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.key is not None:
            size = self.embedding.vocabulary.size
            self._corpus.append(CorpusDraws(self.perturb_ids, size, self.key))

    def __repr__(self) -> str:
        return f"<Sanitizer: {self.mechanism.name} on {self.embedding!r}>"

    def _repr_html_(self) -> str:
        return self.guarantee()._repr_html_()

    @classmethod
    def from_settings(
        cls, settings: WordSettings | None = None, **named: object
    ) -> "Sanitizer":
        """Return the sanitizer that settings, or single settings by name, describe.

        Example:
            >>> import publius as pb
            >>> pb.Sanitizer.from_settings(vocabulary=500).mechanism.name
            'exponential.v1'
        """
        if settings is not None and named:
            raise ParameterError("give settings, or single settings by name, not both")
        # The builder stands above this module: it knows every mechanism, this none.
        build = importlib.import_module("publius.materials.words.assemble")
        built: Sanitizer = build.sanitizer(settings or build.word_settings(named))
        return built

    def guarantee(self) -> Guarantee:
        """Return the mechanism's guarantee, with what is left uncovered here."""
        if not self._guarantee:
            own = self._covering(self.mechanism.guarantee())
            self._guarantee.append(consistent_guarantee(own, self.consistent))
        return self._guarantee[0]

    def release(self, texts: Sequence[str], rng: Rng | None = None) -> Release:
        """Release one text per input.

        Args:
            texts: The secrets.
            rng: Source of noise; a fresh secure one when it is left out.
        """
        words = find_words(texts, self.tokenizer, self.embedding.vocabulary)
        source = secure() if rng is None else rng
        if self.consistent is Consistency.NO:
            ids = words.ids[words.codes[words.protected]]
            drawn = self.perturb_ids(ids, source)
        else:
            drawn = self._drawn_alike(words, source)
        return self._released(words, drawn, self.guarantee())

    def _drawn_alike(self, words: Words, rng: Rng) -> IdArray:
        """Draw once for each distinct word of a text or of the corpus."""
        distinct = distinct_words(words, self.consistent, self.embedding.vocabulary)
        refuse_unknown(distinct.ids, self.oov)
        if self.consistent is Consistency.CORPUS and self._corpus:
            return self._corpus[0].draw(distinct)[distinct.codes]
        return self.perturb_ids(distinct.ids, rng)[distinct.codes]

    def release_graded(
        self, texts: Sequence[str], grades: Sequence[int], rng: Rng | None = None
    ) -> Release:
        """Release one text per input, every text with the ε of its public grade.

        The guarantee is that of the largest grade that occurs; a text of another grade
        has the guarantee of its own, ``mechanism.grade_guarantee(grade)``.

        Args:
            texts: The secrets.
            grades: One per text, 0 for the strictest; chosen without looking at the
                words, for instance by the kind of document.
            rng: Source of noise; a fresh secure one when it is left out.

        Raises:
            ParameterError: The mechanism has no grades, or a text has none.
        """
        if self.consistent is not Consistency.NO:
            raise ParameterError("graded texts draw for every place; leave consistent")
        if not isinstance(self.mechanism, GradedTokens) or len(grades) != len(texts):
            raise ParameterError(
                "one grade per text, and the mechanism graded, are needed for this"
            )
        words = find_words(texts, self.tokenizer, self.embedding.vocabulary)
        protected = words.protected
        ids = words.ids[words.codes[protected]]
        refuse_unknown(ids, self.oov)
        if self.oov is OovPolicy.MASK:
            raise ParameterError("graded texts have no mask; use uniform or refuse")
        grade = np.asarray(grades, dtype=np.int64)[words.owner[protected]]
        source = secure() if rng is None else rng
        drawn = self.mechanism.perturb_tokens(ids, grade, source)
        loosest = self.mechanism.grade_guarantee(max(grades, default=0))
        return self._released(words, drawn, self._covering(loosest))

    def _released(self, words: Words, drawn: IdArray, guarantee: Guarantee) -> Release:
        perturbed = self._spent(words)
        masked = int((drawn == UNKNOWN).sum())
        return Release(self._written(words, drawn), guarantee, perturbed, masked)

    def count_protected(self, texts: Sequence[str]) -> IdArray:
        """Count the guarantees each text spends: its protected words, or draws."""
        return self._spent(find_words(texts, self.tokenizer, self.embedding.vocabulary))

    def _spent(self, words: Words) -> IdArray:
        owner = words.owner[words.protected]
        if self.consistent is not Consistency.NO:
            # Also of a corpus: a text has at least the draws of its own words.
            vocabulary = self.embedding.vocabulary
            owner = distinct_words(words, Consistency.TEXT, vocabulary).owners
        return np.bincount(owner, minlength=len(words.counts))

    def perturb_ids(self, ids: IdArray, rng: Rng) -> IdArray:
        """Draw for protected ids; UNKNOWN stays where the mask goes."""
        refuse_unknown(ids, self.oov)
        if self.oov is not OovPolicy.MASK:
            return self.mechanism.perturb(ids, rng)
        drawn = np.full(len(ids), UNKNOWN, dtype=np.int64)
        known = ids != UNKNOWN
        drawn[known] = self.mechanism.perturb(ids[known], rng)
        return drawn

    def _covering(self, guarantee: Guarantee) -> Guarantee:
        """Return a guarantee of the mechanism with what is left uncovered here."""
        left: tuple[str, ...] = _UNTOUCHED
        if has_collocations(self.embedding.vocabulary, self.tokenizer):
            left += (UNITS,)
        if not self.tokenizer.protect_all and self.function_words is FunctionWords.KEEP:
            left += (_STOP_WORDS_KEPT,)
        if self.oov is OovPolicy.MASK:
            left += (MASKED,)
            marks = replace(guarantee.landmarks, unknown_loss=math.inf)
            guarantee = replace(guarantee, landmarks=marks)
        if self.oov is OovPolicy.REFUSE:
            left += (REFUSED,)
        if self.oov is not OovPolicy.UNIFORM:
            guarantee = replace(guarantee, scope=_of_known_words(guarantee.scope))
        return guarantee.covering(Scope(uncovered=left, assumptions=self._blocked()))

    def _blocked(self) -> tuple[str, ...]:
        """Say what happens to words of a block list."""
        told = told_of_blocked(self.embedding.vocabulary)
        return (told,) if told else ()

    def release_units(self, text: str, rng: Rng | None = None) -> tuple[Unit, ...]:
        """Release one text, unit by unit beside the original: a view for its writer.

        Args:
            text: The secret.
            rng: Source of noise; a fresh secure one when it is left out.
        """
        words = find_words([text], self.tokenizer, self.embedding.vocabulary)
        source = secure() if rng is None else rng
        if self.consistent is Consistency.NO:
            drawn = self.perturb_ids(words.ids[words.codes[words.protected]], source)
        else:
            drawn = self._drawn_alike(words, source)
        pieces, parts = self._pieces(words, drawn), words.parts[0]
        known = (words.ids[words.codes] != UNKNOWN).tolist()
        return tuple(
            Unit(gap, *unit)
            for gap, unit in zip(
                parts[0::2],
                zip(
                    [*parts[1::2], ""],
                    [*pieces, ""],
                    [*words.protected.tolist(), False],
                    [*known, False],
                    strict=True,
                ),
                strict=True,
            )
        )

    def _written(self, words: Words, drawn: IdArray) -> list[str]:
        """Put replacements into the places of the words, in their casing."""
        dropped = self.function_words is FunctionWords.DROP
        pieces = self._pieces(words, drawn)
        texts, start = [], 0
        for parts, count in zip(words.parts, words.counts.tolist(), strict=True):
            parts[1::2] = pieces[start : start + count]
            if dropped:
                _close_gaps(parts)
            texts.append(self.tokenizer.join(parts))
            start += count
        return texts

    def _pieces(self, words: Words, drawn: IdArray) -> list[str]:
        """Return what stands at the place of every unit."""
        casing = np.array([casing_of(form) for form in words.forms], dtype=np.int64)
        protected = words.protected
        key = drawn * len(Casing) + casing[words.codes[protected]]
        distinct, inverse = np.unique(key, return_inverse=True)
        vocabulary = self.embedding.vocabulary.words
        spelled = np.array(
            [_spell(vocabulary, int(k)) for k in distinct] or [""], dtype=object
        )
        dropped = self.function_words is FunctionWords.DROP
        forms = [""] * len(words.forms) if dropped else words.forms
        out = np.array(forms or [""], dtype=object)[words.codes]
        out[protected] = spelled[inverse]
        return list(out.tolist())


def _of_known_words(scope: Scope) -> Scope:
    """Return a scope without what it says about telling unknown words from others."""
    covered = tuple(
        line
        for line in scope.covered
        if not any(part in line for part in _ABOUT_UNKNOWN)
    )
    return replace(scope, covered=covered)


def _spell(vocabulary: Sequence[str], key: int) -> str:
    word, casing = divmod(key, len(Casing))
    if word < 0:
        return MASK_TEXT
    return apply_casing(spelled(vocabulary[word]), Casing(casing))


def _close_gaps(parts: list[str]) -> None:
    """Remove the white space after each dropped word."""
    for place in range(1, len(parts), 2):
        if not parts[place] and not parts[place + 1].strip():
            parts[place + 1] = ""
