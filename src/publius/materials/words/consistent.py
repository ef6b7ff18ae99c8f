"""One draw for each distinct word, of a text or of a corpus.

Without consistency every place draws for itself, and a word that stands k times loses k
times as much. With it, equal words stay equal: the released text is a function of its
pattern of repetitions and of one independent draw for each distinct word. Between two
texts with the same pattern, in which one word is replaced everywhere by another that is
in neither text, only that word's draw has another law, so the loss is that of one word,
however often it stands. The pattern itself passes: between other texts no bound holds.

Words are equal if they are one entry of the vocabulary. Unknown words are equal if they
are written alike but for capital letters; each distinct one has a draw of its own, all
from the law of ⊥, as if the vocabulary had that word too. So have words that are looked
up as an entry they are not, such as numbers and blocked words: the law is that of the
entry, the draw their own. With one draw for several of them, none could be exchanged
for another word without changing which places are equal.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from publius.core.arrays import UNKNOWN, IdArray, Rng
from publius.core.guarantee import Guarantee, Scope, Unit
from publius.core.rng import RunKey
from publius.embeddings.vocabulary import Vocabulary
from publius.language.collocations import spelled
from publius.language.tokenizer import fold
from publius.materials.words.words import Words

Perturb = Callable[[IdArray, Rng], IdArray]

MOST_REMEMBERED = 1 << 20
"""Draws of words that are no entries, in memory; any can be derived again."""


class Consistency(StrEnum):
    """Where equal words are replaced alike."""

    NO = "no"
    TEXT = "text"
    CORPUS = "corpus"


_COVERED = (
    "All that is listed here, only between two {all} with the same pattern of "
    "repetitions, where one word is replaced everywhere by another that stands nowhere "
    "in the {one}."
)
_PATTERN = (
    "The pattern of repetitions: which protected words of the {one} are equal. Equal "
    "words leave as equal words: no bound holds for a single place, and whoever knows "
    "one place of a word knows its other places."
)
_ADDED_TEXTS = (
    "Anything, if readers can add texts to the corpus or know some of its originals: a "
    "word that they know is released in the same way everywhere else."
)


def consistent_guarantee(guarantee: Guarantee, scope: Consistency) -> Guarantee:
    """Turn the guarantee of one draw per place into that of one per distinct word."""
    if scope is Consistency.NO:
        return guarantee
    is_text = scope is Consistency.TEXT
    names = {"one": "text", "all": "texts"}
    if not is_text:
        names = {"one": "corpus", "all": "corpora"}
    added = () if is_text else (_ADDED_TEXTS,)
    said = Scope(
        (_COVERED.format(**names), *guarantee.scope.covered),
        (_PATTERN.format(**names), *added, *guarantee.scope.uncovered),
        guarantee.scope.assumptions,
    )
    unit = Unit.WORD if is_text else Unit.CORPUS_WORD
    return replace(guarantee, unit=unit, scope=said)


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """The distinct protected words of a batch of texts.

    Args:
        ids: Vocabulary id of each.
        contents: How each one that is no entry of the vocabulary is written, without
            capital letters; empty for an entry.
        owners: The text of each; of a corpus the first text that has it.
        codes: For every protected word the index of its distinct word.
    """

    ids: IdArray
    contents: list[str]
    owners: IdArray
    codes: IdArray


def distinct_words(
    words: Words, scope: Consistency, vocabulary: Vocabulary
) -> Distinct:
    """Return the distinct protected words in the order of their first places."""
    others, kinds = _kinds(words, vocabulary)
    protected = words.protected
    kind = kinds[words.codes[protected]]
    owner = words.owner[protected]
    key = (
        kind
        if scope is Consistency.CORPUS
        else owner * (kinds.max(initial=0) + 1) + kind
    )
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    first = first[order]
    codes = words.codes[protected][first]
    contents = [others[c] for c in codes.tolist()]
    return Distinct(words.ids[codes], contents, owner[first], rank[inverse])


def _kinds(words: Words, vocabulary: Vocabulary) -> tuple[list[str], IdArray]:
    """Return how forms that are no entries are written, and equal numbers of equals."""
    names = [fold(form) for form in words.forms]
    start = int(words.ids.max(initial=UNKNOWN)) + 1
    numbers: dict[str, int] = {}
    kinds = words.ids.copy()
    for place, number in enumerate(words.ids.tolist()):
        if number != UNKNOWN and _is_entry(names[place], vocabulary.words[number]):
            names[place] = ""
        else:
            kinds[place] = start + numbers.setdefault(names[place], len(numbers))
    return names, kinds


def _is_entry(name: str, entry: str) -> bool:
    """Say whether a form is an entry, not only looked up as it."""
    return name == entry or " ".join(name.split()) == spelled(entry)


@dataclass(frozen=True, slots=True, eq=False)
class CorpusDraws:
    """The draws of every word of a corpus, derived from a key and never stored.

    The entries are drawn at once, in the order of the vocabulary; a word that is none
    draws from a stream of its own, derived from how it is written. Every process that
    has the key derives the same draws.

    Args:
        perturb: Draws for ids.
        size: Words of the vocabulary.
        key: Secret of the corpus.
    """

    perturb: Perturb
    size: int
    key: RunKey
    _table: list[IdArray] = field(default_factory=list, init=False, repr=False)
    _others: dict[bytes, int] = field(default_factory=dict, init=False, repr=False)

    def draw(self, words: Distinct) -> IdArray:
        """Return the draw of each distinct word."""
        if not self._table:
            every = np.arange(self.size, dtype=np.int64)
            self._table.append(self.perturb(every, self.key.named("vocabulary", b"")))
        is_entry = np.array([not content for content in words.contents], dtype=bool)
        drawn = np.full(len(words.ids), UNKNOWN, dtype=np.int64)
        drawn[is_entry] = self._table[0][words.ids[is_entry]]
        for place in np.flatnonzero(~is_entry).tolist():
            drawn[place] = self._of_other(words.contents[place], words.ids[place])
        return drawn

    def _of_other(self, content: str, number: int) -> int:
        name = content.encode("utf-8", "surrogatepass")
        if name not in self._others:
            if len(self._others) >= MOST_REMEMBERED:
                self._others.clear()
            stream = self.key.named("unknown", name)
            ids = np.array([number], dtype=np.int64)
            self._others[name] = int(self.perturb(ids, stream)[0])
        return self._others[name]
