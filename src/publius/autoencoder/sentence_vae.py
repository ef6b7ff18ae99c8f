"""The front of the sentence autoencoders: fit, rewrite, and what is guaranteed."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import torch

from publius.autoencoder import files
from publius.autoencoder.architecture import Architecture
from publius.autoencoder.batches import Corpus
from publius.autoencoder.decoding import Decoding, decode
from publius.autoencoder.guarantee import sentence_guarantee
from publius.autoencoder.network import Posterior, SentenceNetwork
from publius.autoencoder.sentences import join
from publius.autoencoder.settings import Training
from publius.autoencoder.slots import Slots, pieces_of, sentences_of, slots
from publius.autoencoder.subwords import Subwords, Tokens, packed
from publius.autoencoder.train import TrainingFiles, device_of, train
from publius.core.arrays import FloatArray, IdArray, Rng, at_least, positive
from publius.core.errors import DataError, FetchError, ParameterError
from publius.core.guarantee import Guarantee
from publius.mechanisms.gaussian import Gaussian
from publius.storage.shipped import shipped_bytes

SHIPPED = Path(__file__).parent / "shipped" / "dp-vae.safetensors"
DEFAULT = "default"
BATCH = 256
STRIDE = 32_768
"""Slots that are drawn at once. Bounds the memory; a part of the order of draws."""


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """Rewritten texts.

    Args:
        texts: One for each text that was given.
        sentences: How many noisy vectors each of them was written from: one for every
            sentence that it had, or the number that was asked for.
        guarantee: Of one sentence; of a whole text if their number was asked for.
    """

    texts: list[str]
    sentences: IdArray
    guarantee: Guarantee


@dataclass(frozen=True, slots=True, eq=False)
class SentenceVAE:
    """Rewrite sentences by way of one noisy vector each.

    Args:
        network: Trained weights.
        subwords: The code of its words.
        source: What it was trained on, in words.
        fingerprint: Of the file it came from; empty for a model that was not stored.
        device: ``cpu``, ``cuda`` or ``auto``.
        batch: Sentences that are decoded at once.
    """

    network: SentenceNetwork
    subwords: Subwords
    source: str = "unstated"
    fingerprint: str = ""
    device: str = "auto"
    batch: int = BATCH

    def __post_init__(self) -> None:
        at_least("batch", self.batch, 1)
        if self.network.shape.vocabulary < self.subwords.size:
            raise DataError("the network knows fewer sub-words than its code")

    @property
    def shape(self) -> Architecture:
        """Kind and sizes of the network."""
        return self.network.shape

    @classmethod
    def fit(  # noqa: PLR0913 - what is learnt, what is known of it, how, from where
        cls,
        texts: Sequence[str],
        *,
        authors: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
        shape: Architecture | None = None,
        training: Training | None = None,
        files: TrainingFiles | None = None,
        source: str = "texts of the user",
        start: "SentenceVAE | None" = None,
    ) -> Self:
        """Learn sub-words and weights from texts, which should be public.

        A trained network may repeat what it was trained on: the guarantee of a release
        covers the texts that are rewritten, never those that were learnt from.

        Args:
            texts: To learn from.
            authors: Who wrote each; an AAE hides them. The other kinds use them only to
                tell words of a label from words of an author.
            labels: What a rewritten text should keep telling, such as its rating.
            shape: Kind and sizes.
            training: How weights are found; None is ``Training.usual(shape)``. An AAE
                hides authors only with weights that ask for it, as those do.
            files: Where checkpoints and logs go.
            source: Told by ``describe``.
            start: A model to go on from; its sub-words are kept.
        """
        shape = shape or (Architecture() if start is None else start.shape)
        training = training or Training.usual(shape)
        sentences, owners = sentences_of(texts)
        if len(sentences) < 2:
            raise DataError("training needs texts with at least two sentences")
        subwords = (
            Subwords.learn(sentences, shape.vocabulary)
            if start is None
            else start.subwords
        )
        who, names = _numbered("author", authors, len(texts))
        what, _ = _numbered("label", labels, len(texts))
        shape = replace(
            shape,
            vocabulary=subwords.size,
            authors=len(names) if shape.is_adversarial else 0,
        )
        rows, piece_owner = pieces_of(sentences, subwords, shape.max_tokens)
        whose = owners[piece_owner]
        corpus = Corpus(
            packed(rows),
            None if who is None else who[whose],
            None if what is None else what[whose],
            subwords.content_words(),
        )
        first = None if start is None else start.network
        network = train(shape, corpus, training, files, start=first)
        return cls(network, subwords, source, device=training.device)

    @classmethod
    def load(cls, path: str | Path = DEFAULT, *, device: str = "auto") -> Self:
        """Read a model; ``default`` is the one that comes with Publius."""
        file = SHIPPED if str(path) == DEFAULT else Path(path)
        if file == SHIPPED:
            _need_weights()
            shipped_bytes(file)  # raises if it is not the model of this version
        stored = files.read(file)
        network = SentenceNetwork(
            Architecture.from_json(files.text_of(stored, "architecture"))
        )
        try:
            network.load_state_dict(stored.weights)
        except RuntimeError:
            raise DataError(f"{file.name} lacks weights of its network") from None
        subwords = Subwords.from_json(files.text_of(stored, "subwords"))
        source = files.text_of(stored, "source")
        return cls(network.eval(), subwords, source, stored.fingerprint, device)

    def save(self, path: Path, *, precision: str = "float32") -> None:
        """Write the model as one safetensors file."""
        texts = {
            "architecture": self.shape.to_json(),
            "subwords": self.subwords.written,
            "source": self.source,
        }
        files.write(path, self.network.state_dict(), texts, precision=precision)

    def mechanism(self, sigma: float) -> Gaussian:
        """Return the noise that is added to a sentence's vector."""
        return Gaussian(sigma, self.shape.noised, self.shape.bound)

    def guarantee(self, sigma: float, sentences: int | None = None) -> Guarantee:
        """Return the guarantee; for most kinds it is none at all.

        Args:
            sigma: Deviation of the noise.
            sentences: Of every text; the guarantee then is about a whole text. None for
                the guarantee about one sentence.
        """
        positive("sigma", sigma)
        return sentence_guarantee(self.shape, sigma, self.fingerprint, sentences)

    def count(self, texts: Sequence[str]) -> IdArray:
        """Return how many sentences each text has, long ones counted by the piece."""
        return self._slots(texts, None).counts(len(texts))

    def rewrite(
        self,
        texts: Sequence[str],
        rng: Rng,
        *,
        sigma: float,
        decoding: Decoding | None = None,
        sentences: int | None = None,
    ) -> Rewritten:
        """Rewrite every sentence of every text from a noisy vector of its own.

        Args:
            texts: Secret texts.
            rng: All noise comes from here, drawn on the CPU in double precision.
            sigma: Deviation of the noise.
            decoding: How words are chosen; it costs no privacy.
            sentences: Write exactly so many for every text, which hides how many it
                has: its first ones are rewritten, and one that is missing is decoded
                from noise around zero. None keeps the number, and tells it.
        """
        guarantee = self.guarantee(sigma, sentences)
        slotted = self._slots(texts, sentences)
        parts: list[list[str]] = [[] for _ in texts]
        said = self._rewritten(slotted, sigma, decoding or Decoding(), rng)
        for owner, sentence in zip(slotted.owners.tolist(), said, strict=True):
            parts[owner].append(sentence)
        joined = [join(part) for part in parts]
        return Rewritten(joined, slotted.counts(len(texts)), guarantee)

    def _slots(self, texts: Sequence[str], count: int | None) -> Slots:
        return slots(texts, self.subwords, self.shape.max_tokens, count)

    def _rewritten(
        self, slotted: Slots, sigma: float, decoding: Decoding, rng: Rng
    ) -> list[str]:
        self.network.to(device_of(self.device))
        # An average over all sentences needs all of them at once.
        stride = max(1, len(slotted)) if self.shape.kind == "avg-aae" else STRIDE
        said: list[list[int]] = []
        for start in range(0, len(slotted), stride):
            stop = min(start + stride, len(slotted))
            drawn = self._drawn(slotted, start, stop, sigma, rng)
            # Not sorted by secret lengths: what follows the noise, which rows are
            # decoded together included, may depend on nothing but noisy vectors.
            for rows in self._blocks(np.arange(stop - start)):
                said += self._said(drawn, rows, decoding, rng)
        return self.subwords.decode(said)

    def _said(
        self, drawn: "_Drawn", rows: IdArray, decoding: Decoding, rng: Rng
    ) -> list[list[int]]:
        """Decode some rows; a GPU that is too small gets them in smaller parts."""
        device = next(self.network.parameters()).device
        try:
            return decode(self.network, drawn.condition(rows, device), decoding, rng)
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
        return [
            ids
            for part in _halves(rows)
            for ids in self._said(drawn, part, decoding, rng)
        ]

    @torch.inference_mode()
    def _drawn(
        self, slotted: Slots, start: int, stop: int, sigma: float, rng: Rng
    ) -> "_Drawn":
        size = stop - start
        # Where no sentence is: zero for the ball, the prior for a free variance.
        mean = np.zeros((size, self.shape.noised))
        own = np.ones((size, self.shape.noised))
        content = np.zeros((size, self.shape.latent), np.float32)
        spread = np.ones((size, self.shape.latent), np.float32)
        present = slotted.between(start, stop)
        for pieces, posterior in self._encoded(slotted.tokens, present):
            rows = slotted.places[pieces] - start
            mean[rows] = posterior.mean.double().cpu().numpy()
            if posterior.log_variance is not None:
                own[rows] = np.exp(posterior.log_variance.double().cpu().numpy() / 2)
            if posterior.content is not None:
                content[rows] = posterior.content.cpu().numpy()
            if posterior.content_log_variance is not None:
                spread[rows] = np.exp(
                    posterior.content_log_variance.double().cpu().numpy() / 2
                )
        if self.shape.kind == "avg-aae":
            rows = slotted.places[present] - start
            mean[:] = mean[rows].sum(axis=0) / max(1, len(rows))
        noisy = self._noisy(mean, own, sigma, rng)
        if self.shape.is_adversarial:
            # A mean tells more of an author than the draws that an adversary has seen.
            content += spread * rng.standard_normal(content.shape)
        return _Drawn(
            self.network, noisy, sigma, content if self.shape.is_adversarial else None
        )

    def _encoded(
        self, tokens: Tokens, order: IdArray
    ) -> Iterator[tuple[IdArray, Posterior]]:
        """Encode block by block; a GPU that is too small gets smaller ones."""
        device = next(self.network.parameters()).device
        waiting = list(self._blocks(order))
        while waiting:
            rows = waiting.pop()
            ids, lengths = tokens.rows(rows)
            try:
                posterior = self.network.encode(
                    torch.from_numpy(ids).to(device), torch.from_numpy(lengths)
                )
            except torch.cuda.OutOfMemoryError:
                torch.cuda.empty_cache()
                waiting += _halves(rows)
            else:
                yield rows, posterior

    def _noisy(
        self, mean: FloatArray, own: FloatArray, sigma: float, rng: Rng
    ) -> FloatArray:
        """Draw in the order of the slots, so that batches do not matter."""
        if self.shape.is_contracted:
            return self.mechanism(sigma).perturb(mean, rng)
        if self.shape.kind == "avg-aae":
            return mean
        return mean + own * rng.standard_normal(mean.shape)

    def _blocks(self, order: IdArray) -> Iterator[IdArray]:
        for start in range(0, len(order), self.batch):
            yield order[start : start + self.batch]

    def describe(self) -> dict[str, object]:
        """Return public facts about the model."""
        return {
            **json.loads(self.shape.to_json()),
            "weights": sum(p.numel() for p in self.network.parameters()),
            "trained_on": self.source,
            "fingerprint": self.fingerprint,
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Noisy vectors of all sentences, from which any rows can be decoded."""

    network: SentenceNetwork
    noisy: FloatArray
    sigma: float
    content: FloatArray | None

    def condition(self, rows: IdArray, device: torch.device) -> torch.Tensor:
        """Return what the decoder sees of some rows."""
        noisy = torch.from_numpy(self.noisy[rows]).float().to(device)
        sigma = torch.full((len(rows),), self.sigma, device=device)
        content = None
        if self.content is not None:
            content = torch.from_numpy(self.content[rows]).to(device)
        return self.network.condition(noisy, sigma, content)


def _numbered(
    what: str, given: Sequence[str] | None, count: int
) -> tuple[IdArray | None, list[str]]:
    """Return a number for each name, and the names."""
    if given is None:
        return None, []
    if len(given) != count:
        raise DataError(f"there must be one {what} for each text")
    names = sorted(set(given))
    rank = {name: number for number, name in enumerate(names)}
    return np.fromiter((rank[name] for name in given), np.int64, count), names


def _halves(rows: IdArray) -> tuple[IdArray, IdArray]:
    if len(rows) == 1:
        raise ParameterError("this GPU has no room for one sentence; use --device cpu")
    half = len(rows) // 2
    return rows[:half], rows[half:]


def _need_weights() -> None:
    """Raise if the package that holds the shipped weights is not there."""
    if not SHIPPED.exists():
        raise FetchError(
            "the weights of dp-vae come in a package of their own; get them with: "
            "pip install publius-autoencoder"
        )
