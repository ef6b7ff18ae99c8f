"""Who takes part in a comparison: word mechanisms, their variants, and the two ends."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from publius.assemble import embedding_for, plan, resolved, word_entry
from publius.config import WordSettings
from publius.core.arrays import Rng
from publius.core.errors import ParameterError, UnknownNameError
from publius.core.guarantee import Flat, Guarantee, Landmarks, Unit
from publius.sanitize.words import find_words
from publius.text.casing import apply_casing, casing_of
from publius.text.tokenizer import Tokenizer, fold

VARIANTS: dict[str, dict[str, str]] = {
    "all": {"protect": "all"},
    "bag": {"form": "bag"},
    "bayes": {"remap": "bayes"},
    "drop": {"function_words": "drop"},
    "rank": {"remap": "rank"},
}
"""What may follow a mechanism's name after a plus sign."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A mechanism with its variants, or one of the ends.

    Args:
        spec: ``name[@metric][+variant …]``, ``original``, ``words``, ``random``
            or ``scrub``.
    """

    spec: str

    def __post_init__(self) -> None:
        if self.spec in ENDS:
            return
        name, variants = self.parts[0], self.parts[2]
        try:
            word_entry(name)
        except UnknownNameError as unknown:
            raise ParameterError(
                f"{unknown}; also the ends {', '.join(sorted(ENDS))}"
            ) from None
        for variant in variants:
            if variant not in VARIANTS:
                raise UnknownNameError("variant", variant, VARIANTS)

    @property
    def parts(self) -> tuple[str, str, tuple[str, ...]]:
        """Return name, metric and variants."""
        head, *variants = self.spec.split("+")
        name, _, metric = head.partition("@")
        return name, metric, tuple(variants)

    @property
    def has_levels(self) -> bool:
        """Say whether privacy can be chosen."""
        return self.spec not in ENDS

    @property
    def has_order(self) -> bool:
        """Say whether words keep their places."""
        return self.spec != "words" and "bag" not in self.parts[2]

    def settings(self, common: WordSettings, level: float) -> WordSettings:
        """Return the settings of this contender at a level."""
        name, metric, variants = self.parts
        chosen: dict[str, str] = {}
        for variant in variants:
            chosen |= VARIANTS[variant]
        made = replace(common, mechanism=name, metric=metric, level=level, **chosen)  # type: ignore[arg-type]
        return resolved(made)


@dataclass(frozen=True, slots=True, eq=False)
class Obfuscated:
    """What a contender made of texts.

    Args:
        texts: One per input.
        guarantee: None where nothing is promised.
        epsilon: Per unit of the metric; NaN where there is none.
        metric: Its name, or empty.
    """

    texts: Sequence[str]
    guarantee: Guarantee | None
    epsilon: float = float("nan")
    metric: str = ""


def obfuscate(
    contender: Contender,
    texts: Sequence[str],
    common: WordSettings,
    level: float,
    rng: Rng,
) -> Obfuscated:
    """Apply a contender to texts."""
    if contender.spec in ENDS:
        return ENDS[contender.spec](texts, common, rng)
    settings = contender.settings(common, level)
    made = plan(settings)
    columns, _ = made.form.columns(list(texts), rng)
    return Obfuscated(
        columns[0].to_pylist(), made.promise, settings.epsilon, settings.metric
    )


def _original(texts: Sequence[str], _: WordSettings, __: Rng) -> Obfuscated:
    return Obfuscated(list(texts), None)


def _random(texts: Sequence[str], common: WordSettings, rng: Rng) -> Obfuscated:
    """Replace every protected word by any word of the vocabulary alike."""
    embedding = embedding_for(common.embedding, common.vocabulary)
    vocabulary = embedding.vocabulary
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
    promise = Guarantee(
        f"discrete@{embedding.fingerprint}",
        Unit.TOKEN,
        (Flat(0.0),),
        landmarks=Landmarks(1.0, 1.0, 0.0),
    )
    return Obfuscated(released, promise, 0.0, "discrete")


def _words(texts: Sequence[str], common: WordSettings, _: Rng) -> Obfuscated:
    """Keep the protected words without their order; nothing is promised."""
    tokenizer = Tokenizer(protect_all=common.protect == "all")
    found = [
        sorted(fold(w) for w in tokenizer.split(text)[1::2] if not tokenizer.passes(w))
        for text in texts
    ]
    return Obfuscated([" ".join(words) for words in found], None)


def _scrub(texts: Sequence[str], _: WordSettings, __: Rng) -> Obfuscated:
    """Remove names, addresses and the like with scrubadub; nothing is promised."""
    try:
        clean = importlib.import_module("scrubadub").clean
    except ImportError:
        raise ParameterError(
            "the contender scrub needs the package scrubadub: pip install scrubadub"
        ) from None
    return Obfuscated([str(clean(text)) for text in texts], None)


ENDS: dict[str, Callable[[Sequence[str], WordSettings, Rng], Obfuscated]] = {
    "original": _original,
    "random": _random,
    "scrub": _scrub,
    "words": _words,
}
"""Contenders without a level."""


def kept_share(originals: Sequence[str], released: Sequence[str]) -> float:
    """Return the share of protected words that stand where and as they stood."""
    tokenizer = Tokenizer()
    kept = total = 0
    for old, new in zip(originals, released, strict=True):
        before, after = tokenizer.split(old)[1::2], tokenizer.split(new)[1::2]
        if len(before) != len(after):
            continue
        same = [
            a == b
            for a, b in zip(before, after, strict=True)
            if not tokenizer.passes(a)
        ]
        kept, total = kept + sum(same), total + len(same)
    return kept / total if total else float(np.nan)
