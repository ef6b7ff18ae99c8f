"""Reviews with authors (and ratings), rewritten by each kind of autoencoder."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from publius.autoencoder import Architecture, SentenceVAE, Training
from publius.core.arrays import Rng, at_least
from publius.core.errors import DataError

SIGMAS = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
"""The range of Figure 6.4."""


@dataclass(frozen=True, slots=True)
class Review:
    """One text, who wrote it and what it says.

    Args:
        author: Who wrote it.
        text: What the attacker sees, before or after rewriting.
        split: ``train`` or ``test``.
        label: Rating class; None where the corpus has none.
    """

    author: str
    text: str
    split: str
    label: int | None = None


@dataclass(frozen=True, slots=True)
class Rewrites:
    """The same reviews, rewritten.

    Args:
        kind: Of the autoencoder.
        sigma: Of its noise.
        reviews: In the order of the originals.
    """

    kind: str
    sigma: float
    reviews: tuple[Review, ...]


def read_reviews(path: Path, *, authors: int, most: int) -> list[Review]:
    """Read reviews of the first `authors` authors, at most `most` of each and split."""
    at_least("authors", authors, 2)
    kept: dict[tuple[str, str], list[Review]] = {}
    names: dict[str, None] = {}
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                found = json.loads(line)
                name = str(found["author"])
                if name not in names and len(names) == authors:
                    continue
                names[name] = None
                split = "train" if found["split"] == "train" else "test"
                rows = kept.setdefault((name, split), [])
                if len(rows) < most:
                    label = found.get("label3")
                    rows.append(Review(name, str(found["text"]), split, label))
    except (OSError, KeyError, ValueError) as error:
        raise DataError(f"{path.name} holds no reviews with authors") from error
    return [review for rows in kept.values() for review in rows]


def rewrite_reviews(
    learnt: Sequence[Review],
    reviews: Sequence[Review],
    *,
    shape: Architecture,
    training: Training,
    sigmas: Sequence[float],
    rng: Rng,
) -> list[Rewrites]:
    """Train on the training split of `learnt`; rewrite `reviews` at every σ."""
    learnt = [review for review in learnt if review.split == "train"]
    model = SentenceVAE.fit(
        [review.text for review in learnt],
        authors=[review.author for review in learnt],
        shape=shape,
        training=training,
    )
    model = replace(model, batch=1024)
    found = []
    for sigma in sigmas if shape.is_contracted else sigmas[:1]:
        texts = model.rewrite([r.text for r in reviews], rng, sigma=sigma).texts
        changed = (replace(r, text=t) for r, t in zip(reviews, texts, strict=True))
        found.append(Rewrites(shape.kind, sigma, tuple(changed)))
    return found


def write_rewrites(path: Path, rewrites: Sequence[Rewrites]) -> None:
    """Keep rewritten texts, so that they can be scored elsewhere."""
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for each in rewrites:
            texts = [review.text for review in each.reviews]
            line = {"kind": each.kind, "sigma": each.sigma, "texts": texts}
            out.write(json.dumps(line) + "\n")


def read_rewrites(path: Path, reviews: Sequence[Review]) -> list[Rewrites]:
    """Read what ``write_rewrites`` wrote about the same reviews."""
    found = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            kept = json.loads(line)
            pairs = zip(reviews, kept["texts"], strict=True)
            changed = tuple(replace(review, text=text) for review, text in pairs)
            found.append(Rewrites(kept["kind"], kept["sigma"], changed))
    return found
