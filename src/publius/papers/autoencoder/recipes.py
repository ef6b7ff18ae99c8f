"""How each kind of autoencoder is trained for the experiments; models are cached."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from publius.autoencoder import Architecture, SentenceVAE, Training
from publius.autoencoder.settings import NOISE, Weights
from publius.papers.autoencoder.reviews import Review, read_texts, write_texts
from publius.storage.cache import cache_folder

SHIPPED = "shipped"
"""The model that comes with Publius, as it is: no text of the experiment was learnt."""

CONTENT_ONLY = "dp-vae content-only"
RANGE = (0.05, 5.0)
"""Deviations of the noise in training where the kind needs no others."""

MOTIVATED = Weights(kl=0.02, content_motivator=20.0)
PLAIN = Weights(kl=0.1)


TRAINING = 2
"""Of the way of training: a new one must not find models of the old one."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One model of an experiment.

    Args:
        name: In the table.
        kind: Of the autoencoder.
        weights: Of its losses.
        calm: Largest deviation at which an AAE's encoder learns from its decoder.
        labels: Motivate the content to keep the rating.
        content_only: The encoder sees no function words.
    """

    name: str
    kind: str
    weights: Weights
    calm: float = 1.0
    labels: bool = False
    content_only: bool = False


HIDING = Weights.hiding()

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(SHIPPED, "dp-vae", PLAIN),
        Recipe("vae", "vae", PLAIN),
        Recipe("dp-vae", "dp-vae", MOTIVATED, labels=True),
        Recipe(CONTENT_ONLY, "dp-vae", MOTIVATED, labels=True, content_only=True),
        Recipe("avg-aae", "avg-aae", HIDING, labels=True),
        Recipe("dp-aae", "dp-aae", HIDING, labels=True),
        Recipe("dp-aae strong", "dp-aae", Weights.hiding(40.0), labels=True),
        # What each part of the hiding does: the same without it.
        Recipe(
            "dp-aae, no discriminators",
            "dp-aae",
            replace(HIDING, author_discriminator=0.0, text_discriminator=0.0),
            labels=True,
        ),
        Recipe(
            "dp-aae, no matching",
            "dp-aae",
            replace(HIDING, author_matching=0.0),
            labels=True,
        ),
        Recipe(
            "dp-aae, words alike",
            "dp-aae",
            replace(HIDING, label_words=0.0, author_words=0.0),
            labels=True,
        ),
        Recipe("dp-aae, encoder not spared", "dp-aae", HIDING, calm=1e9, labels=True),
        Recipe(
            "dp-vae, words alike",
            "dp-vae",
            replace(MOTIVATED, label_words=0.0),
            labels=True,
        ),
        Recipe("dp-vae, no labels", "dp-vae", MOTIVATED),
    )
}


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a model is trained.

    Args:
        shape: Of a network that starts from nothing; None goes on from the shipped one.
        training: How; noise and weights are the recipe's.
    """

    shape: Architecture | None
    training: Training


@dataclass(frozen=True, slots=True)
class Bench:
    """Models trained on the same reviews, cached with what they wrote.

    Args:
        learnt: Training reviews.
        effort: How much they are trained.
        seed: Of training and noise.
    """

    learnt: Sequence[Review]
    effort: Effort
    seed: int = 0

    def rewritten(
        self, recipe: Recipe, reviews: Sequence[Review], sigma: float
    ) -> list[str]:
        """Return the texts of `reviews` rewritten, from the cache if they are there."""
        texts = [review.text for review in reviews]
        cached = self.place(recipe) / f"{_digest([sigma, texts])}.json.gz"
        if cached.is_file():
            return read_texts(cached)
        model = self.model(recipe)
        rng = np.random.default_rng(self.seed)
        written = model.rewrite(texts, rng, sigma=sigma).texts
        write_texts(cached, written)
        return written

    def model(self, recipe: Recipe) -> SentenceVAE:
        """Return the trained model, from the cache if it is there."""
        if recipe.name == SHIPPED:
            return _ready(SentenceVAE.load())
        cached = self.place(recipe) / "model.safetensors"
        if not cached.is_file():
            self._trained(recipe).save(cached, precision="float16")
        return _ready(SentenceVAE.load(cached))

    def _trained(self, recipe: Recipe) -> SentenceVAE:
        start = SentenceVAE.load() if self.effort.shape is None else None
        shape = self.effort.shape if start is None else start.shape
        changed = {"kind": recipe.kind, "content_only": recipe.content_only}
        labels = [str(review.label) for review in self.learnt]
        return SentenceVAE.fit(
            [review.text for review in self.learnt],
            authors=[review.author for review in self.learnt],
            labels=labels if recipe.labels else None,
            shape=replace(shape or Architecture(), **changed),  # type: ignore[arg-type]
            training=replace(
                self.effort.training,
                noise=NOISE.get(recipe.kind, RANGE),
                calm=recipe.calm,
                weights=recipe.weights,
                seed=self.seed,
            ),
            start=start,
        )

    def place(self, recipe: Recipe) -> Path:
        """Return the folder of a model and its texts, the same for every device."""
        shape = self.effort.shape
        is_given = shape is None or recipe.name == SHIPPED
        what = [
            TRAINING,
            asdict(recipe),
            None if shape is None else shape.to_json(),
            SentenceVAE.load().fingerprint if is_given else None,
            replace(self.effort.training, device="auto").to_json(),
            self.seed,
            # Ratings follow from the texts; found by an SVM, they may differ in a few
            # reviews on a machine with another release of it.
            [(review.author, review.text) for review in self.learnt],
        ]
        name = f"{recipe.name.replace(' ', '-')}-{_digest(what)}"
        return cache_folder() / "lab" / "autoencoder" / name


def _ready(model: SentenceVAE) -> SentenceVAE:
    return replace(model, batch=1024)


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]
