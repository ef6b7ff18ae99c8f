"""The parameters that belong to one word mechanism each."""

import re
from dataclasses import dataclass

from publius.core.arrays import at_least, not_negative
from publius.core.config import check_one_of, check_share
from publius.core.declared import settle
from publius.core.errors import ParameterError


@dataclass(frozen=True, slots=True)
class ExponentialSettings:
    """How weights are chosen.

    Args:
        balanced: Choose weights that flatten the normaliser.
    """

    balanced: bool = True

    def __post_init__(self) -> None:
        settle(self)


@dataclass(frozen=True, slots=True)
class CusTextSettings:
    """How words are grouped.

    Args:
        group: Words of a group.
    """

    group: int = 20

    def __post_init__(self) -> None:
        settle(self)
        at_least("group", self.group, 2)


@dataclass(frozen=True, slots=True)
class LaplaceSettings:
    """Where noise is drawn.

    Args:
        device: A device of torch, such as ``cuda``, on which points are formed and the
            nearest word is found; empty for the host's processor. The law is the same,
            the order of draws another.
    """

    device: str = ""

    def __post_init__(self) -> None:
        settle(self)
        if not re.fullmatch(r"(cpu|cuda(:\d+)?)?", self.device):
            raise ParameterError(
                f"device must be cuda, cuda:N or cpu, got {self.device!r}"
            )


@dataclass(frozen=True, slots=True)
class MahalanobisSettings:
    """The shape of the noise.

    Args:
        mix: Share of the covariance in the noise.
    """

    mix: float = 0.5

    def __post_init__(self) -> None:
        settle(self)
        check_share("mix", self.mix)


@dataclass(frozen=True, slots=True)
class ProjectionSettings:
    """How far vectors are projected down.

    Args:
        projected: Dimensions that a random projection leaves.
    """

    projected: int = 50

    def __post_init__(self) -> None:
        settle(self)
        at_least("projected", self.projected, 1)


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

    def __post_init__(self) -> None:
        settle(self)
        check_share("sensitive", self.sensitive)
        check_share("replaced", self.replaced)


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

    def __post_init__(self) -> None:
        settle(self)
        check_share("sensitive", self.sensitive)
        not_negative("sensitive-epsilon", self.sensitive_epsilon)


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

    def __post_init__(self) -> None:
        settle(self)
        not_negative("overlap", self.overlap)
        check_one_of("morphology", self.morphology, ("lower", "lemma", "orth"))
        check_one_of("weighting", self.weighting, ("tf", "tf-idf"))
