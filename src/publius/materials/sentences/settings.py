"""How sentences are rewritten, before any model is loaded."""

from dataclasses import dataclass

from publius import autoencoder
from publius.accounting.gaussian import USUAL_DELTA, asked_sigma, checked_delta
from publius.autoencoder.settings import DEVICES
from publius.core.arrays import at_least
from publius.core.declared import settle
from publius.core.errors import ParameterError, UnknownNameError

PER = ("sentence", "text")
"""Whose ε may be asked for."""


@dataclass(frozen=True, slots=True)
class SentenceSettings:
    """How sentences are rewritten.

    Args:
        sigma: Deviation of the noise; None if `epsilon` decides it.
        epsilon: ε at `delta`, instead of `sigma`; whose, `per` says.
        delta: At which every ε is stated; in (0, 1).
        sentences: Of every released text, whatever it was: at least 1. None releases
            as many as a text has, which is not covered then.
        per: ``sentence`` or ``text``; the latter only if `sentences` are given.
        model: ``default`` or the path of a trained model.
        decoding: greedy, beam, top-k or nucleus.
        device: auto, cpu or cuda.
    """

    sigma: float | None = None
    epsilon: float | None = None
    delta: float = USUAL_DELTA
    sentences: int | None = None
    per: str = "sentence"
    model: str = "default"
    decoding: str = "greedy"
    device: str = "auto"

    def __post_init__(self) -> None:
        settle(self)
        asked_sigma(self.sigma, self.epsilon, self.delta, sensitivity=1.0)
        checked_delta(self.delta)
        if self.sentences is not None:
            at_least("sentences", self.sentences, 1)
        if self.per not in PER:
            raise UnknownNameError("unit of epsilon", self.per, PER)
        if self.device not in DEVICES:
            raise UnknownNameError("device", self.device, DEVICES)
        if self.per == "text" and (self.sentences is None or self.epsilon is None):
            raise ParameterError(
                "--per text says whose --epsilon it is, of a text with as many "
                "sentences as any other: give --epsilon and --sentences"
            )
        autoencoder.Decoding(self.decoding)
