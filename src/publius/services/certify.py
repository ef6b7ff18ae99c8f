"""Certify: the exact certificate of a mechanism on an embedding, computed anew."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np

from publius.assessment.auditing.exact import LOG_SUM_TOLERANCE, audit_log_channel
from publius.core.arrays import UNKNOWN, shortest
from publius.core.config import WordSettings, own_settings
from publius.core.errors import ParameterError, RefutedError
from publius.core.folded_space import FoldedSpace, space_of_law
from publius.core.html import html_table
from publius.core.mechanism import Finite
from publius.core.space import Space, blocks, neighbour_distance
from publius.core.stating import state_bound
from publius.core.watch import Watch
from publius.embeddings.embedding import Embedding
from publius.embeddings.like import like_table
from publius.materials.words.assemble import (
    resolved,
    word_embedding,
    word_mechanism,
    word_space,
)
from publius.mechanisms.balance import Calibrator
from publius.mechanisms.certificate import Certificate
from publius.mechanisms.exponential import Exponential
from publius.mechanisms.folded_exponential import NAME
from publius.mechanisms.law import Decay
from publius.mechanisms.santext import SanText
from publius.mechanisms.words.settings import ExponentialSettings
from publius.mechanisms.words.table import word_entry
from publius.mechanisms.words.tables import calibrated
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


@dataclass(frozen=True, slots=True)
class Folding:
    """What a like space tells about near words.

    Args:
        symbols: Points of the law; every word is folded onto one.
        vector_near: Mean and largest distance of a word to its ten nearest by vector.
    """

    symbols: int
    vector_near: tuple[float, int]

    def to_json(self, certificate: Certificate) -> dict[str, object]:
        """Return plain values: losses against like words, and against near vectors."""
        mean, worst = self.vector_near
        largest = certificate.worst_loss
        return {
            "symbols": self.symbols,
            "level_at_like_words": min(certificate.epsilon, largest),
            "level_at_ten_nearest_by_vector_mean": mean * certificate.epsilon,
            "level_at_ten_nearest_by_vector_worst": min(
                worst * certificate.epsilon, largest
            ),
        }


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
        folded: What is told in addition where words are folded onto symbols.
    """

    mechanism: str
    metric: str
    words: int
    certificate: Certificate
    worst_pair: tuple[str, str]
    farthest_pair: tuple[str, str]
    folded: "Folding | None" = None

    @property
    def epsilon(self) -> float:
        """The exact ε per unit of the metric."""
        return self.certificate.epsilon

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        certificate = self.certificate
        return {
            "mechanism": self.mechanism,
            "metric": self.metric,
            "words": self.words,
            "epsilon": certificate.epsilon,
            "beta": certificate.beta,
            "worst_pair": list(self.worst_pair),
            "worst_loss": certificate.worst_loss,
            "farthest_pair": list(self.farthest_pair),
            "level_at_10th_neighbour": certificate.level_at_10th_neighbour,
            "unknown_loss": certificate.unknown_loss,
            "diameter": certificate.diameter,
            "slack": certificate.slack,
            **({} if self.folded is None else self.folded.to_json(certificate)),
        }

    def __repr__(self) -> str:
        words, epsilon = f"{self.words:,}", state_bound(self.epsilon)
        return f"<Certified {self.mechanism} on {words} words, ε = {epsilon}>"

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
    if word_entry(settings.mechanism).about.package != "publius":
        return _stated(settings, request.dump, watch)
    name = settings.mechanism.removesuffix(".v1")
    if name not in ("exponential", "santext"):
        raise ParameterError(
            f"only exponential and santext have a certificate over all pairs; the "
            f"guarantee of {settings.mechanism} is a proof, or says itself whom it "
            "covers, see its card in the documentation"
        )
    embedding, whole = word_embedding(settings), word_space(settings)
    space = space_of_law(whole)
    decay = Decay.plain(settings.rate / 2, space.size)
    is_searched = name == "exponential"
    total = is_searched + 1 + (request.dump is not None)
    watch.steps(0, total)
    if is_searched:
        decay, _ = calibrated(
            space,
            settings.rate,
            balanced=own_settings(settings, ExponentialSettings).balanced,
            progress=watch.stage,
        )
    watch.steps(int(is_searched), total)
    watch.stage("certifying all pairs")
    certificate = Calibrator.of(space).certify(decay)
    if request.dump is not None:
        watch.steps(is_searched + 1, total)
        watch.stage("writing the channel")
        if space is not whole:
            raise ParameterError(
                f"a channel of {whole.size} words is too large, and the metric 'like' "
                "has no smaller one; leave out --dump-channel"
            )
        _dump(Exponential(space, decay, certificate), embedding, request.dump)
    if certificate.epsilon > settings.rate:
        raise RefutedError(
            f"the exact ε is {state_bound(certificate.epsilon, 6)}, above "
            f"{shortest(settings.rate)}"
        )
    if isinstance(whole, FoldedSpace):
        return _folded(certificate, embedding, whole)
    known = (Exponential if name == "exponential" else SanText).named(space)
    return _named(known, certificate, embedding, space)


def _stated(settings: WordSettings, dump: Path | None, watch: Watch) -> Certified:
    """Compute the certificate of the channel that another package states.

    It says what that channel loses, not that draws follow it.
    """
    if dump is not None:
        raise ParameterError("only channels of Publius are written: --dump-channel")
    watch.stage("asking the package for its channel")
    embedding, space = word_embedding(settings), word_space(settings)
    built = word_mechanism(settings, watch.stage)
    guarantee = built.guarantee()
    if not isinstance(built, Finite) or guarantee.metric != space.id:
        raise ParameterError(
            f"{built.name} states no channel on {space.id} that could be recomputed"
        )
    _refuse_large(space.size)
    ids = np.arange(space.size)
    logs, distance = built.channel(ids), space.rows(ids)
    watch.stage("certifying all pairs")
    steepest = audit_log_channel(logs, distance, 0.0)
    largest = audit_log_channel(logs, 1.0 - np.eye(space.size), 0.0)
    pairs = [cast("tuple[int, int]", (v.x, v.other)) for v in (steepest, largest)]
    for verdict, pair in zip((steepest, largest), pairs, strict=True):
        apart = float(distance[pair])
        loss, told = verdict.epsilon.value * verdict.distance, guarantee.at(apart).pure
        if loss > told + LOG_SUM_TOLERANCE:
            raise RefutedError(
                f"two words at distance {shortest(apart)} lose {state_bound(loss, 6)}, "
                f"above {shortest(told)}"
            )
    unknown = np.abs(logs - built.channel(np.array([UNKNOWN]))).max()
    certificate = Certificate(
        epsilon=steepest.epsilon.value,
        beta=0.0,
        worst_pair=pairs[0],
        worst_loss=largest.epsilon.value,
        farthest_pair=pairs[1],
        slack=0.0,
        unknown_loss=float(unknown),
        near=neighbour_distance(space, 10),
        diameter=float(distance.max()),
        largest_total=1.0,
    )
    return _named(built.name, certificate, embedding, space)


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


def _folded(
    certificate: Certificate, embedding: Embedding, space: FoldedSpace
) -> Certified:
    """Name each symbol by its class, or by the word that it is written as."""
    table, words = like_table(embedding), embedding.vocabulary.words
    first = table.spoken[np.cumsum(table.counts) - table.counts]

    def pair(symbols: tuple[int, int]) -> tuple[str, str]:
        one, other = (table.class_of(s) or words[first[s]] for s in symbols)
        return one, other

    return Certified(
        NAME,
        space.id,
        space.size,
        certificate,
        pair(certificate.worst_pair),
        pair(certificate.farthest_pair),
        Folding(space.symbols.size, table.vector_near),
    )


def _refuse_large(size: int) -> None:
    if size > DUMP_LIMIT:
        raise ParameterError(
            f"a channel of {size} words is too large; use --vocabulary"
        )


def _dump(mechanism: Exponential, embedding: Embedding, path: Path) -> None:
    """Write the channel as it is sampled; rows are inputs, ⊥ has a row of its own."""
    size = mechanism.size
    _refuse_large(size)
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
