"""Builders of the mechanisms that move a word's vector and take the nearest word."""

from collections.abc import Callable
from importlib import import_module

from publius.core.config import WordSettings, own_settings
from publius.core.errors import ParameterError
from publius.core.metric import Hyperbolic
from publius.core.space import PointSpace, Space
from publius.embeddings.embedding import Embedding
from publius.embeddings.poincare import HyperbolicNearest
from publius.mechanisms.balance import Progress
from publius.mechanisms.laplace import Laplace
from publius.mechanisms.mahalanobis import Ellipse, Mahalanobis, MahalanobisMetric
from publius.mechanisms.nearest_word import NearestWord
from publius.mechanisms.projection import (
    ProjectedLaplace,
    ProjectedMetric,
    Projection,
)
from publius.mechanisms.riemannian_laplace import RiemannianLaplace
from publius.mechanisms.tangent_laplace import TangentLaplace
from publius.mechanisms.words.entry import Build, WordMechanism, named_space
from publius.mechanisms.words.settings import (
    LaplaceSettings,
    MahalanobisSettings,
    ProjectionSettings,
)

HyperbolicNoise = TangentLaplace | RiemannianLaplace


def laplace(embedding: Embedding, settings: WordSettings, _: Progress) -> WordMechanism:
    """Build Euclidean Laplace noise."""
    if settings.metric != "euclidean":
        raise ParameterError(
            f"laplace is euclidean; it has no metric {settings.metric!r}"
        )
    noise = Laplace(settings.rate, embedding.dim)
    made = NearestWord(noise, embedding.vectors, embedding, embedding.fingerprint)
    device = own_settings(settings, LaplaceSettings).device
    return _on_device(made, device) if device else made


def _on_device(host: NearestWord, device: str) -> WordMechanism:
    try:
        late = import_module("publius.mechanisms.laplace_torch")
    except ImportError as missing:
        raise ParameterError(
            f"a device needs {missing.name!r}; install publius[torch]"
        ) from None
    made: WordMechanism = late.device_words(host, device)
    return made


def mahalanobis(
    embedding: Embedding, settings: WordSettings, _: Progress
) -> WordMechanism:
    """Build Mahalanobis noise for either of its norms."""
    ellipse = _ellipse(embedding, settings)
    if settings.metric == "euclidean":
        noise = Mahalanobis.for_euclidean(settings.rate, ellipse)
        return NearestWord(noise, embedding.vectors, embedding, embedding.fingerprint)
    return NearestWord(
        Mahalanobis(settings.rate, ellipse),
        embedding.vectors,
        embedding,
        embedding.fingerprint,
        MahalanobisMetric(ellipse),
    )


def _ellipse(embedding: Embedding, settings: WordSettings) -> Ellipse:
    mix = own_settings(settings, MahalanobisSettings).mix
    return Ellipse.of(embedding.vectors, mix)


def hyperbolic(noise: Callable[[float, int], HyperbolicNoise]) -> Build:
    """Build a mechanism on points of the Poincaré ball, read back as a word."""

    def build(
        embedding: Embedding, settings: WordSettings, _: Progress
    ) -> WordMechanism:
        if settings.metric != Hyperbolic.id:
            raise ParameterError(
                f"{settings.mechanism} is hyperbolic; it has no metric "
                f"{settings.metric!r}"
            )
        named_space(embedding, settings)
        return on_ball(noise(settings.rate, embedding.dim), embedding)

    return build


def on_ball(noise: HyperbolicNoise, embedding: Embedding) -> NearestWord:
    """Return hyperbolic noise that is read back as the nearest word."""
    nearest = HyperbolicNearest(embedding.vectors)
    return NearestWord(
        noise, embedding.vectors, nearest, embedding.fingerprint, Hyperbolic()
    )


def mahalanobis_space(embedding: Embedding, settings: WordSettings) -> Space:
    """Return the words under one of the norms of Mahalanobis noise."""
    if settings.metric not in ("mahalanobis", "euclidean"):
        raise ParameterError(
            "the metric of mahalanobis is mahalanobis or euclidean, not "
            f"{settings.metric!r}"
        )
    if settings.metric == "euclidean":
        return embedding.space("euclidean")
    metric = MahalanobisMetric(_ellipse(embedding, settings))
    return PointSpace(embedding.vectors, metric, embedding.fingerprint)


def projection(
    embedding: Embedding, settings: WordSettings, _: Progress
) -> WordMechanism:
    """Build noise on a public random projection."""
    public = _projection(embedding, settings)
    index = Embedding(embedding.vocabulary, public(embedding.vectors))
    if settings.metric == "euclidean":
        noise = ProjectedLaplace.for_euclidean(settings.rate, public)
        return NearestWord(noise, embedding.vectors, index, embedding.fingerprint)
    return NearestWord(
        ProjectedLaplace(settings.rate, public),
        embedding.vectors,
        index,
        embedding.fingerprint,
        ProjectedMetric(public),
    )


def _projection(embedding: Embedding, settings: WordSettings) -> Projection:
    kept = own_settings(settings, ProjectionSettings).projected
    return Projection.random(embedding.dim, min(kept, embedding.dim))


def projection_space(embedding: Embedding, settings: WordSettings) -> Space:
    """Return the words under the projected or the Euclidean distance."""
    if settings.metric not in ("projected", "euclidean"):
        raise ParameterError(
            "the metric of projection is projected or euclidean, not "
            f"{settings.metric!r}"
        )
    if settings.metric == "euclidean":
        return embedding.space("euclidean")
    public = _projection(embedding, settings)
    return PointSpace(embedding.vectors, ProjectedMetric(public), embedding.fingerprint)
