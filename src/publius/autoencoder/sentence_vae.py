"""The front of the sentence autoencoders: fit, rewrite, and what is promised."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import torch

from publius.autoencoder import files, sentences
from publius.autoencoder.architecture import Architecture
from publius.autoencoder.decoding import Decoding, decode
from publius.autoencoder.network import Posterior, SentenceNetwork
from publius.autoencoder.promise import promise
from publius.autoencoder.settings import Training
from publius.autoencoder.subwords import Subwords, Tokens, packed, pieces
from publius.autoencoder.train import Corpus, Desk, device_of, train
from publius.core.arrays import FloatArray, IdArray, Rng, at_least, positive
from publius.core.errors import DataError, ParameterError
from publius.core.guarantee import Guarantee
from publius.mechanisms.gaussian import Gaussian

SHIPPED = Path(__file__).parent / "shipped" / "dp-vae.safetensors"
DEFAULT = "default"
BATCH = 256


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """Rewritten texts.

    Args:
        texts: One for each text that was given.
        sentences: How many sentences each of them had: promises that it spent.
        guarantee: Of one sentence.
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
        desk: Desk | None = None,
        source: str = "texts of the user",
        start: "SentenceVAE | None" = None,
    ) -> Self:
        """Learn sub-words and weights from texts, which should be public.

        A trained network may repeat what it was trained on: the guarantee of a release
        covers the texts that are rewritten, never those that were learnt from.

        Args:
            texts: To learn from.
            authors: Who wrote each; an AAE hides them, the other kinds ignore them.
            labels: What a rewritten text should keep telling, such as its rating.
            shape: Kind and sizes.
            training: How weights are found.
            desk: Where checkpoints and logs go.
            source: Told by ``describe``.
            start: A model to go on from; its sub-words are kept.
        """
        training = training or Training()
        shape = shape or (Architecture() if start is None else start.shape)
        found, owners = _sentences(texts)
        if len(found) < 2:
            raise DataError("training needs texts with at least two sentences")
        subwords = (
            Subwords.learn(found, shape.vocabulary) if start is None else start.subwords
        )
        who, names = _numbered("author", authors, len(texts))
        what, _ = _numbered("label", labels, len(texts))
        shape = replace(
            shape,
            vocabulary=subwords.size,
            authors=len(names) if shape.is_adversarial else 0,
        )
        tokens, piece_owner = _tokens(found, subwords, shape.max_tokens)
        whose = owners[piece_owner]
        corpus = Corpus(
            tokens,
            who[whose] if who is not None and shape.is_adversarial else None,
            None if what is None else what[whose],
            subwords.content_words(),
        )
        first = None if start is None else start.network
        network = train(shape, corpus, training, desk, start=first)
        return cls(network, subwords, source, device=training.device)

    @classmethod
    def load(cls, path: str | Path = DEFAULT, *, device: str = "auto") -> Self:
        """Read a model; ``default`` is the one that comes with Publius."""
        file = SHIPPED if str(path) == DEFAULT else Path(path)
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

    def guarantee(self, sigma: float) -> Guarantee:
        """Return the promise for one sentence; for most kinds it is none at all."""
        return promise(self.shape, positive("sigma", sigma), self.fingerprint)

    def count(self, texts: Sequence[str]) -> IdArray:
        """Return how many sentences each text has, long ones counted by the piece."""
        found, owners = _sentences(texts)
        _, piece_owner = _tokens(found, self.subwords, self.shape.max_tokens)
        return np.bincount(owners[piece_owner], minlength=len(texts)).astype(np.int64)

    def rewrite(
        self,
        texts: Sequence[str],
        rng: Rng,
        *,
        sigma: float,
        decoding: Decoding | None = None,
    ) -> Rewritten:
        """Rewrite every sentence of every text from a noisy vector of its own.

        Args:
            texts: Secret texts.
            rng: All noise comes from here, drawn on the CPU in double precision.
            sigma: Deviation of the noise.
            decoding: How words are chosen; it costs no privacy.
        """
        guarantee = self.guarantee(sigma)
        found, owners = _sentences(texts)
        tokens, piece_owner = _tokens(found, self.subwords, self.shape.max_tokens)
        whose = owners[piece_owner]
        said = self._rewritten(tokens, sigma, decoding or Decoding(), rng)
        parts: list[list[str]] = [[] for _ in texts]
        for owner, sentence in zip(whose.tolist(), said, strict=True):
            parts[owner].append(sentence)
        counts = np.bincount(whose, minlength=len(texts)).astype(np.int64)
        return Rewritten([sentences.join(p) for p in parts], counts, guarantee)

    def _rewritten(
        self, tokens: Tokens, sigma: float, decoding: Decoding, rng: Rng
    ) -> list[str]:
        if len(tokens) == 0:
            return []
        device = device_of(self.device)
        self.network.to(device)
        order = np.argsort(tokens.lengths, kind="stable").astype(np.int64)
        drawn = self._drawn(tokens, order, sigma, rng)
        said: list[list[int]] = [[] for _ in range(len(tokens))]
        for rows in self._blocks(order):
            for row, ids in zip(
                rows.tolist(), self._said(drawn, rows, decoding, rng), strict=True
            ):
                said[row] = ids
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
        self, tokens: Tokens, order: IdArray, sigma: float, rng: Rng
    ) -> "_Drawn":
        size = len(tokens)
        mean = np.zeros((size, self.shape.noised))
        own = np.zeros((size, self.shape.noised))
        content, spread = np.zeros((2, size, self.shape.latent), np.float32)
        for rows, posterior in self._encoded(tokens, order):
            mean[rows] = posterior.mean.double().cpu().numpy()
            if posterior.log_variance is not None:
                own[rows] = np.exp(posterior.log_variance.double().cpu().numpy() / 2)
            if posterior.content is not None:
                content[rows] = posterior.content.cpu().numpy()
            if posterior.content_log_variance is not None:
                spread[rows] = np.exp(
                    posterior.content_log_variance.double().cpu().numpy() / 2
                )
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
                found = self.network.encode(
                    torch.from_numpy(ids).to(device), torch.from_numpy(lengths)
                )
            except torch.cuda.OutOfMemoryError:
                torch.cuda.empty_cache()
                waiting += _halves(rows)
            else:
                yield rows, found

    def _noisy(
        self, mean: FloatArray, own: FloatArray, sigma: float, rng: Rng
    ) -> FloatArray:
        """Draw in the order of the sentences, so that batches do not matter."""
        if self.shape.is_contracted:
            return self.mechanism(sigma).perturb(mean, rng)
        if self.shape.kind == "avg-aae":
            return np.broadcast_to(mean.mean(axis=0), mean.shape)
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


def _sentences(texts: Sequence[str]) -> tuple[list[str], IdArray]:
    """Return all sentences, and the number of the text of each."""
    found: list[str] = []
    owners: list[int] = []
    for number, text in enumerate(texts):
        parts = sentences.split(text)
        found += parts
        owners += [number] * len(parts)
    return found, np.array(owners, dtype=np.int64)


def _tokens(
    found: Sequence[str], subwords: Subwords, most: int
) -> tuple[Tokens, IdArray]:
    """Return pieces of at most `most` sub-words, and the sentence of each."""
    rows: list[Sequence[int]] = []
    owners: list[int] = []
    for number, ids in enumerate(subwords.encode(found)):
        parts = pieces(ids, most)
        rows += parts
        owners += [number] * len(parts)
    return packed(rows), np.array(owners, dtype=np.int64)
