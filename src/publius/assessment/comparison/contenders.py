"""Who takes part in a comparison: word mechanisms, their variants, baselines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from publius.assessment.comparison.baselines import BASELINES, Obfuscated
from publius.assessment.comparison.equal_privacy import EQUAL_PRIVACY, for_documents
from publius.core.arrays import Rng
from publius.core.config import WordSettings
from publius.core.errors import ParameterError, UnknownNameError
from publius.language.passing import are_protected
from publius.language.tokenizer import Tokenizer
from publius.materials.words.assemble import Plan, resolved, word_entry
from publius.materials.words.forms import text_rows
from publius.mechanisms.words.given import with_settings

VARIANTS: dict[str, Mapping[str, str | float]] = {
    "all": {"protect": "all"},
    "any-spelling": {"overlap": 0.0},
    "bag": {"form": "bag"},
    "bayes": {"remap": "bayes"},
    "drop": {"function_words": "drop"},
    "lemma": {"morphology": "lemma"},
    "rank": {"remap": "rank"},
    "tf": {"form": "tf"},
}
"""What may follow a mechanism's name after a plus sign."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A mechanism with its variants, or one of the baselines.

    Args:
        spec: ``name[@metric][+variant …]``, ``original``, ``words``, ``random``
            or ``scrub``.
    """

    spec: str

    def __post_init__(self) -> None:
        if self.spec in BASELINES:
            return
        name, _, variants = self.parts
        try:
            word_entry(name)
        except UnknownNameError as unknown:
            raise ParameterError(
                f"{unknown}; also the baselines {', '.join(sorted(BASELINES))}"
            ) from None
        for variant in variants:
            if variant not in VARIANTS:
                raise UnknownNameError("variant", variant, VARIANTS)
        if "tf" in variants and not name.startswith("syntf"):
            raise ParameterError(f"only syntf makes vectors of terms, not {name!r}")

    @property
    def parts(self) -> tuple[str, str, tuple[str, ...]]:
        """Return name, metric and variants."""
        head, *variants = self.spec.split("+")
        name, _, metric = head.partition("@")
        return name, metric, tuple(variants)

    @property
    def has_levels(self) -> bool:
        """Say whether privacy can be chosen."""
        return self.spec not in BASELINES

    @property
    def has_order(self) -> bool:
        """Say whether words keep their places."""
        is_loose = bool({"bag", "tf"} & set(self.parts[2]))
        return self.spec not in ("scrub", "words") and not is_loose

    def settings(self, common: WordSettings) -> WordSettings:
        """Return the settings of this contender, privacy left open."""
        name, metric, variants = self.parts
        chosen: dict[str, str | float] = {}
        for variant in variants:
            chosen |= VARIANTS[variant]
        return resolved(
            with_settings(
                common, {"mechanism": name, "metric": metric, "level": None, **chosen}
            )
        )


def obfuscate(
    contender: Contender,
    texts: Sequence[str],
    common: WordSettings,
    level: float,
    rng: Rng,
    *,
    equal_privacy: str = "word",
) -> Obfuscated:
    """Apply a contender to texts.

    Args:
        contender: Who.
        texts: The secrets.
        common: What all contenders share.
        level: Certified privacy, in the unit of --equal-privacy.
        rng: Source of noise.
        equal_privacy: What is made equal: the loss of a ``word`` or of a ``document``.
    """
    if contender.spec in BASELINES:
        shared = for_documents(common) if equal_privacy == "document" else common
        return BASELINES[contender.spec](texts, shared, rng)
    settings, made = EQUAL_PRIVACY[equal_privacy](contender.settings(common), level)
    return Obfuscated(
        written(made, texts, rng), made.guarantee, settings.rate, settings.metric
    )


def written(made: Plan, texts: Sequence[str], rng: Rng) -> list[str]:
    """Release texts; vectors of terms are written out as words."""
    columns = made.form.release(text_rows(texts), rng).columns
    if len(columns) == 1:
        return [str(text) for text in columns[0].to_pylist()]
    words = np.array(made.embedding.vocabulary.words, dtype=object)
    pairs = zip(*(column.to_pylist() for column in columns), strict=True)
    return [" ".join(np.repeat(words[ids], counts)) for ids, counts in pairs]


def kept_share(originals: Sequence[str], released: Sequence[str]) -> float:
    """Return the share of protected words that stand where and as they stood."""
    tokenizer = Tokenizer()
    kept = total = 0
    for old, new in zip(originals, released, strict=True):
        before, after = tokenizer.split(old)[1::2], tokenizer.split(new)[1::2]
        if len(before) != len(after):
            continue
        pairs = zip(before, after, are_protected(old, tokenizer), strict=True)
        same = [a == b for a, b, is_protected in pairs if is_protected]
        kept, total = kept + sum(same), total + len(same)
    return kept / total if total else float(np.nan)
