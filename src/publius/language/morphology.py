"""Which form of a word a term stands for: as written, in lower case, or its lemma."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from publius.core.arrays import UNKNOWN, IdArray
from publius.language.tokenizer import fold

Encode = Callable[[Sequence[str]], IdArray]


@dataclass(frozen=True, slots=True, eq=False)
class Morphology:
    """Say in which forms a word is looked up; the first that is known counts.

    Args:
        kind: ``lower``, ``orth`` or ``lemma``.
        lemma: Returns the base form of a lower-case word; used by ``lemma`` only.
    """

    kind: str = "lower"
    lemma: Callable[[str], str] = str

    def forms(self, word: str) -> tuple[str, ...]:
        """Return the forms of a word in the order in which they are looked up."""
        lower = fold(word)
        if self.kind == "orth":
            return (word, lower)
        if self.kind == "lemma":
            return (self.lemma(lower), lower, word)
        # A vocabulary with capital letters may know the word as it is written.
        return (lower, word)

    def encode(self, words: Sequence[str], look_up: Encode) -> IdArray:
        """Return the id of each word's first known form, or UNKNOWN."""
        forms = [self.forms(word) for word in words]
        ids = look_up([form[0] for form in forms])
        for place in range(1, len(self.forms(""))):
            missing = (ids == UNKNOWN).nonzero()[0]
            ids[missing] = look_up([forms[i][place] for i in missing])
        return ids


LOWER = Morphology()
"""The default: words without their capital letters."""
