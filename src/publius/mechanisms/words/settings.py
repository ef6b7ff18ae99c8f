"""The parameters that belong to one word mechanism each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExponentialSettings:
    """Args: balanced: Choose weights that flatten the normaliser."""

    balanced: bool = True


@dataclass(frozen=True, slots=True)
class CusTextSettings:
    """Args: group: Words of a group."""

    group: int = 20


@dataclass(frozen=True, slots=True)
class MahalanobisSettings:
    """Args: mix: Share of the covariance in the noise."""

    mix: float = 0.5


@dataclass(frozen=True, slots=True)
class ProjectionSettings:
    """Args: projected: Dimensions that a random projection leaves."""

    projected: int = 50


@dataclass(frozen=True, slots=True)
class SanTextPlusSettings:
    """Which words are sensitive, and how often others are replaced.

    Args:
        sensitive: Share of the vocabulary, its rarest words, that is sensitive.
        sensitive_words: File with one sensitive word per line instead of that share.
        replaced: Probability that another word is replaced.
    """

    sensitive: float = 0.9
    sensitive_words: str = ""
    replaced: float = 0.3


@dataclass(frozen=True, slots=True)
class GradedSettings:
    """Which words are sensitive, and their ε.

    Args:
        sensitive: Share of the vocabulary, its rarest words, that is sensitive.
        sensitive_words: File with lines ``word`` or ``word,epsilon`` instead.
        sensitive_epsilon: ε of the sensitive words; 0 for half of `epsilon`.
        balanced: Choose weights that flatten the normaliser.
    """

    sensitive: float = 0.9
    sensitive_words: str = ""
    sensitive_epsilon: float = 0.0
    balanced: bool = True


@dataclass(frozen=True, slots=True)
class SynTFSettings:
    """How terms are rated, formed and weighted.

    Args:
        overlap: Factor of the bigram overlap in the rating.
        morphology: ``lower``, ``lemma`` or ``orth``.
        synonyms: Extend the vocabulary by WordNet synonyms.
        weighting: Compose terms by ``tf`` or ``tf-idf``.
        wordnet: Folder of WordNet's files; empty looks in the usual places.
    """

    overlap: float = 0.3
    morphology: str = "lower"
    synonyms: bool = False
    weighting: str = "tf"
    wordnet: str = ""
