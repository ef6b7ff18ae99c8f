"""How a sentence autoencoder is trained, as plain values."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Self

from publius.autoencoder.architecture import Architecture
from publius.core.arrays import at_least, not_negative, positive
from publius.core.errors import DataError, ParameterError

DEVICES = ("auto", "cpu", "cuda")

NOISE = {"dp-aae": (0.01, 100.0)}
"""Deviations for a kind that needs others than the usual ones in training: half of the
author vectors must be clear, for the encoder to use them, and half of them hidden, for
the decoder to do without.
"""


@dataclass(frozen=True, slots=True)
class Weights:
    """Factors of the losses of eq. 6.18.

    Args:
        kl: Of the Kullback-Leibler term after its annealing.
        content_motivator: λ of M_c.
        author_motivator: λ of M_a.
        label_motivator: Of predicting a known label, such as a rating, from content.
        content_discriminator: λ of D_c.
        author_discriminator: λ of D_a.
        text_discriminator: λ of a D_a that sees several sentences of one author.
        author_matching: Of the distance between the content vectors of authors.
        label_words: How much more a sub-word that tells the label counts in the
            reconstruction.
        author_words: How fast a sub-word counts less with what it tells of authors.
    """

    kl: float = 0.02
    content_motivator: float = 0.0
    author_motivator: float = 0.0
    label_motivator: float = 500.0
    content_discriminator: float = 0.0
    author_discriminator: float = 0.0
    text_discriminator: float = 0.0
    author_matching: float = 0.0
    label_words: float = 40.0
    author_words: float = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            not_negative(name, value)

    @classmethod
    def hiding(cls, strength: float = 15.0) -> Self:
        """Return the weights of an AAE whose discriminators of authors have this λ.

        The divergence weighs enough to make the content vector noisy: one that passes
        almost as it is tells its author whatever an adversary says.
        """
        return cls(
            kl=0.1,
            content_motivator=10.0,
            author_motivator=1.0,
            label_motivator=100.0,
            content_discriminator=0.03,
            author_discriminator=strength,
            text_discriminator=strength,
            author_matching=700.0 * strength,
            label_words=20.0,
            author_words=1.0,
        )


@dataclass(frozen=True, slots=True)
class Training:
    """How weights are found.

    Args:
        epochs: Passes over the sentences.
        minutes: Stop earlier after so long; 0 for no limit.
        batch: Sentences of one step.
        rate: Largest learning rate.
        noise: Least and largest σ while training, drawn per sentence on a log scale;
            equal values are the fixed σ of the thesis.
        calm: Of a DP-AAE: largest σ at which the content vector learns from the
            decoder. One that misses the author vector would ask it for the author.
        word_dropout: Share of words that the decoder does not see.
        dropout: Share of other entries that are set to zero.
        anneal: Share of all steps in which the KL term grows to its weight.
        patience: Epochs without a better held-out loss before stopping; 0 for never.
        held_out: Share of the sentences that are only measured.
        weights: Of the losses.
        discriminator_steps: Steps of the discriminators for each step of the rest.
        seed: Of everything random; training is not a release.
        device: ``cpu``, ``cuda`` or ``auto``.
    """

    epochs: int = 10
    minutes: float = 0.0
    batch: int = 256
    rate: float = 1e-3
    noise: tuple[float, float] = (0.1, 1.0)
    calm: float = 1.0
    word_dropout: float = 0.3
    dropout: float = 0.1
    anneal: float = 0.25
    patience: int = 3
    held_out: float = 0.02
    weights: Weights = Weights()
    discriminator_steps: int = 3
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        at_least("epochs", self.epochs, 1)
        not_negative("minutes", self.minutes)
        at_least("batch", self.batch, 1)
        positive("rate", self.rate)
        low, high = self.noise
        if not positive("noise", low) <= positive("noise", high):
            raise ParameterError("noise must be its least and its largest deviation")
        positive("calm", self.calm)
        for name in ("word_dropout", "dropout", "anneal", "held_out"):
            if not 0 <= getattr(self, name) < 1:
                raise ParameterError(f"{name} must lie in [0, 1)")
        at_least("patience", self.patience, 0)
        at_least("discriminator_steps", self.discriminator_steps, 1)
        at_least("seed", self.seed, 0)
        if self.device not in DEVICES:
            raise ParameterError(f"device must be {' or '.join(DEVICES)}")

    @classmethod
    def usual(cls, shape: Architecture) -> Self:
        """Return what suits the kind of a network: an AAE is asked to hide authors."""
        weights = Weights.hiding() if shape.is_adversarial else Weights()
        return cls(noise=NOISE.get(shape.kind, cls().noise), weights=weights)

    def to_json(self) -> str:
        """Return the values as JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, written: str) -> Self:
        """Read what ``to_json`` wrote."""
        build: Callable[..., Self] = cls
        try:
            values = json.loads(written)
            values["noise"] = tuple(values["noise"])
            values["weights"] = Weights(**values["weights"])
            return build(**values)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError("not training settings written by Publius") from error
