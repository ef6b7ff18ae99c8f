"""The baselines of a comparison: untouched, random and scrubbed texts."""

import importlib
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from publius.core.arrays import Rng
from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.guarantee import Flat, Guarantee, Landmarks, Unit
from publius.language.casing import apply_casing, casing_of
from publius.language.passing import protected_words
from publius.language.tokenizer import Tokenizer, fold
from publius.materials.words.assemble import embedding_for
from publius.materials.words.words import find_words

NAME = "{{NAME}}"
"""What scrubbing puts in place of a proper noun, in the manner of scrubadub."""


@dataclass(frozen=True, slots=True, eq=False)
class Obfuscated:
    """What a contender made of texts.

    Args:
        texts: One per input.
        guarantee: None where nothing is guaranteed.
        epsilon: Per unit of the metric; NaN where there is none.
        metric: Its name, or empty.
    """

    texts: Sequence[str]
    guarantee: Guarantee | None
    epsilon: float = float("nan")
    metric: str = ""


def _original(texts: Sequence[str], _: WordSettings, __: Rng) -> Obfuscated:
    return Obfuscated(list(texts), None)


def _random(texts: Sequence[str], common: WordSettings, rng: Rng) -> Obfuscated:
    """Replace every protected word by any word of the vocabulary alike."""
    embedding = embedding_for(common.embedding, common.vocabulary)
    vocabulary = embedding.vocabulary
    if common.form == "bag":
        drawn = rng.integers(0, vocabulary.size, size=(len(texts), common.length))
        drawn.sort(axis=1)
        bags = [" ".join(vocabulary.words[i] for i in row) for row in drawn.tolist()]
        return Obfuscated(bags, _nothing_lost(embedding.fingerprint, Unit.DOCUMENT))
    words = find_words(
        texts, Tokenizer(protect_all=common.protect == "all"), vocabulary
    )
    drawn = rng.integers(0, vocabulary.size, size=len(words.codes))
    protected, released, start = words.protected, [], 0
    for parts, count in zip(words.parts, words.counts.tolist(), strict=True):
        for place in range(count):
            if protected[start + place]:
                cell = 2 * place + 1
                new = vocabulary.words[drawn[start + place]]
                parts[cell] = apply_casing(new, casing_of(parts[cell]))
        released.append("".join(parts))
        start += count
    guarantee = _nothing_lost(embedding.fingerprint, Unit.TOKEN)
    return Obfuscated(released, guarantee, 0.0, "discrete")


def _nothing_lost(fingerprint: str, unit: Unit) -> Guarantee:
    return Guarantee(
        f"discrete@{fingerprint}",
        unit,
        (Flat(0.0),),
        landmarks=Landmarks(1.0, 1.0, 0.0),
    )


def _words(texts: Sequence[str], common: WordSettings, _: Rng) -> Obfuscated:
    """Keep the protected words without their order; nothing is guaranteed."""
    tokenizer = Tokenizer(protect_all=common.protect == "all")
    bags = [sorted(map(fold, protected_words(text, tokenizer))) for text in texts]
    return Obfuscated([" ".join(words) for words in bags], None)


def _scrub(texts: Sequence[str], _: WordSettings, __: Rng) -> Obfuscated:
    """Remove addresses, numbers and proper nouns; nothing is guaranteed."""
    try:
        scrubber = importlib.import_module("scrubadub").Scrubber()
        tagger = importlib.import_module("textblob.en.taggers").PatternTagger()
    except ImportError:
        raise ParameterError(
            "the contender scrub needs scrubadub: pip install 'publius[scrub]'"
        ) from None
    # scrubadub's own search for names runs the same tagger, but sentence by sentence
    # with corpora that must be fetched; whole texts need none.
    with warnings.catch_warnings():
        # Their own: a lexicon left open, and a function that will go.
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        scrubbed = [without_names(scrubber.clean(text), tagger.tag) for text in texts]
    return Obfuscated(scrubbed, None)


def without_names(text: str, tag: Callable[[str], Sequence[tuple[str, str]]]) -> str:
    """Replace proper nouns; what scrubadub already replaced stands in braces."""
    nouns = {word for word, kind in tag(text) if kind in ("NNP", "NNPS")}
    nouns = {word for word in nouns if word[:1].isalpha()}
    if not nouns:
        return text
    listed = "|".join(re.escape(word) for word in sorted(nouns, key=len, reverse=True))
    return re.sub(rf"(?<![\w{{])(?:{listed})(?![\w}}])", NAME, text)


BASELINES: dict[str, Callable[[Sequence[str], WordSettings, Rng], Obfuscated]] = {
    "original": _original,
    "random": _random,
    "scrub": _scrub,
    "words": _words,
}
"""Contenders without a level."""
