"""Which network a sentence autoencoder is: sizes and kind, as plain values."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Self

from publius.core.arrays import at_least, positive
from publius.core.errors import DataError, UnknownNameError

KINDS = ("vae", "dp-vae", "avg-aae", "dp-aae")
NETWORKS = ("gru", "transformer")

PAD, BEGIN, END, BLANK = range(4)
"""Ids of the special tokens: filling, both ends of a sentence, a dropped word."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """Kind and sizes of a network (Weggenmann 2023, §6.4).

    Args:
        kind: ``vae`` (no guarantee), ``dp-vae``, ``avg-aae`` or ``dp-aae``.
        network: ``gru`` as in the thesis, or ``transformer``.
        vocabulary: Number of sub-words, special ones included.
        width: Length of a sub-word's vector.
        hidden: Hidden units of a GRU, or of a Transformer's inner layer.
        encoder_layers: Layers of the encoder.
        decoder_layers: Layers of the decoder.
        latent: Length of the sentence vector; of the content vector for an AAE.
        author_latent: Length of the author vector of an AAE.
        bound: Radius R of the ball into which means are contracted.
        max_tokens: Sub-words of a sentence; longer ones are cut into pieces.
        authors: Number of authors that an AAE tells apart.
        content_only: The encoder sees no function words or marks: most of an author's
            style is gone before the noise, without knowing any author.
    """

    kind: str = "dp-vae"
    network: str = "gru"
    vocabulary: int = 8000
    width: int = 256
    hidden: int = 512
    encoder_layers: int = 2
    decoder_layers: int = 1
    latent: int = 64
    author_latent: int = 16
    bound: float = 3.0
    max_tokens: int = 48
    authors: int = 0
    content_only: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError("kind of autoencoder", self.kind, KINDS)
        if self.network not in NETWORKS:
            raise UnknownNameError("network", self.network, NETWORKS)
        at_least("vocabulary", self.vocabulary, 5)
        for name in ("width", "hidden", "encoder_layers", "decoder_layers", "latent"):
            at_least(name, getattr(self, name), 1)
        positive("bound", self.bound)
        at_least("max_tokens", self.max_tokens, 2)
        at_least("authors", self.authors, 0)
        at_least("author_latent", self.author_latent, 1)

    @property
    def is_adversarial(self) -> bool:
        """Tell whether content and author have vectors of their own."""
        return self.kind in ("avg-aae", "dp-aae")

    @property
    def is_contracted(self) -> bool:
        """Tell whether the vector that is noised is contracted into the ball."""
        return self.kind in ("dp-vae", "dp-aae")

    @property
    def noised(self) -> int:
        """Length of the vector to which a release adds its noise."""
        return self.author_latent if self.is_adversarial else self.latent

    @property
    def condition(self) -> int:
        """Length of what the decoder sees: every vector, and the public noise level."""
        return self.latent + (self.author_latent if self.is_adversarial else 0) + 1

    def to_json(self) -> str:
        """Return the values as JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, written: str) -> Self:
        """Read what ``to_json`` wrote."""
        build: Callable[..., Self] = cls
        try:
            return build(**json.loads(written))
        except (TypeError, ValueError) as error:
            raise DataError("not an architecture written by Publius") from error
