"""Certify: the exact certificate of a mechanism on an embedding, computed anew."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from publius.assemble import embedding_for, resolved
from publius.config import WordSettings
from publius.core.arrays import UNKNOWN, shortest
from publius.core.errors import ParameterError, RefutedError
from publius.core.html import html_table
from publius.core.space import Space, blocks
from publius.core.stating import state_bound
from publius.core.watch import Watch
from publius.embeddings.embedding import Embedding
from publius.mechanisms.balance import Workshop
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.law import Decay
from publius.mechanisms.santext import SanText
from publius.public_tables import calibrated
from publius.services.verb import verb
from publius.storage.atomic import replacing

DUMP_LIMIT = 12_000
"""Beyond this many words a dumped channel would exceed two gigabytes."""


@dataclass(frozen=True, slots=True)
class CertifyRequest:
    """Which mechanism.

    Args:
        settings: The mechanism; single settings may be given by name.
        dump: File for words, log probabilities and distances; None writes none.
    """

    settings: WordSettings = field(default_factory=WordSettings)
    dump: Path | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Certified:
    """A certificate with the words that its pairs stand for.

    Args:
        mechanism: Registered name.
        metric: With the fingerprint of its space.
        words: Size of the vocabulary.
        certificate: Over all pairs of words.
        worst_pair: Two words that attain ε.
        farthest_pair: Two words between which the loss is largest.
    """

    mechanism: str
    metric: str
    words: int
    certificate: Certificate
    worst_pair: tuple[str, str]
    farthest_pair: tuple[str, str]

    @property
    def epsilon(self) -> float:
        """The exact ε per unit of the metric."""
        return self.certificate.epsilon

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        found = self.certificate
        return {
            "mechanism": self.mechanism,
            "metric": self.metric,
            "words": self.words,
            "epsilon": found.epsilon,
            "beta": found.beta,
            "worst_pair": list(self.worst_pair),
            "worst_loss": found.worst_loss,
            "farthest_pair": list(self.farthest_pair),
            "level_at_10th_neighbour": found.level_at_10th_neighbour,
            "unknown_loss": found.unknown_loss,
            "diameter": found.diameter,
            "slack": found.slack,
        }

    def __repr__(self) -> str:
        return f"<Certified {self.mechanism} on {self.words} words, ε = {self.epsilon}>"

    def _repr_html_(self) -> str:
        rows = [
            (key, " – ".join(value) if isinstance(value, list) else value)
            for key, value in self.to_json().items()
        ]
        return html_table("Certificate", ("", ""), rows)


@verb(CertifyRequest)
def certify(request: CertifyRequest, watch: Watch) -> Certified:
    """Compute the exact ε of the mechanism that runs, with the pair that attains it.

    Raises:
        RefutedError: The certificate does not hold.

    Example:
        >>> import publius as pb
        >>> pb.certify(epsilon=4, vocabulary=500).epsilon <= 4
        True
    """
    settings = resolved(request.settings)
    name = settings.mechanism.removesuffix(".v1")
    if name not in ("exponential", "santext"):
        raise ParameterError(
            f"only exponential and santext have a certificate over all pairs; the "
            f"guarantee of {settings.mechanism} is a proof, or says itself whom it "
            "covers, see its card in the documentation"
        )
    embedding = embedding_for(settings.embedding, settings.vocabulary)
    space = embedding.space(settings.metric)
    decay = Decay.plain(settings.epsilon / 2, space.size)
    if name == "exponential":
        decay, _ = calibrated(space, settings, watch.stage)
    watch.stage("certifying all pairs")
    certificate = Workshop.of(space).certify(decay)
    if request.dump is not None:
        watch.stage("writing the channel")
        _dump(Exponential(space, decay, certificate), embedding, request.dump)
    if certificate.epsilon > settings.epsilon:
        raise RefutedError(
            f"the exact ε is {state_bound(certificate.epsilon, 6)}, above "
            f"{shortest(settings.epsilon)}"
        )
    known = (Exponential if name == "exponential" else SanText).named(space)
    return _named(known, certificate, embedding, space)


def _named(
    mechanism: str, certificate: Certificate, embedding: Embedding, space: Space
) -> Certified:
    words = embedding.vocabulary.words

    def pair(ids: tuple[int, int]) -> tuple[str, str]:
        return words[ids[0]], words[ids[1]]

    return Certified(
        mechanism,
        space.id,
        space.size,
        certificate,
        pair(certificate.worst_pair),
        pair(certificate.farthest_pair),
    )


def _dump(mechanism: Exponential, embedding: Embedding, path: Path) -> None:
    """Write the channel as it is sampled; rows are inputs, ⊥ has a row of its own."""
    size = mechanism.size
    if size > DUMP_LIMIT:
        raise ParameterError(
            f"a channel of {size} words is too large; use --vocabulary"
        )
    log_prob = np.empty((size, size))
    distance = np.empty((size, size))
    for ids in blocks(size, size):
        log_prob[ids] = mechanism.channel(ids)
        distance[ids] = mechanism.space.rows(ids)
    with replacing(path) as file:
        np.savez(
            file,
            words=np.array(embedding.vocabulary.words, dtype=np.str_),
            log_prob=log_prob,
            log_prob_unknown=mechanism.channel(np.array([UNKNOWN]))[0],
            distance=distance,
        )
