"""What each kind of autoencoder guarantees about a sentence or text, and what not."""

import math
from dataclasses import replace

from publius.autoencoder.architecture import Architecture
from publius.core.arrays import at_least
from publius.core.guarantee import Flat, Guarantee, Scope, Unit
from publius.core.guarantee import Gaussian as GaussianTerm
from publius.mechanisms.gaussian import Gaussian

_WORDS = (
    "Every word of a sentence, their order and the sentence's length: all that leaves "
    "is decoded from one noisy vector."
)
_COUNT = (
    "How many sentences a text has; one longer than the model's limit counts as "
    "several."
)
_TRAINED = (
    "The texts on which the model was trained: it may repeat them. Train on public "
    "text."
)
_ALONE = (
    "The vector of a sentence depends on no other sentence of its batch, up to "
    "rounding."
)

_NOTHING = {
    "vae": "Everything: the encoder chooses mean and variance, so nothing bounds what "
    "a rewritten sentence tells.",
    "avg-aae": "Everything: the content vector passes as it is, and the average author "
    "vector depends on the texts.",
    "dp-aae": "The content vector, which passes without noise and may tell the author "
    "too. Only the author vector is noised, so there is no guarantee end to end.",
}


def sentence_guarantee(
    shape: Architecture, sigma: float, fingerprint: str, sentences: int | None = None
) -> Guarantee:
    """Return the guarantee of texts rewritten with noise of `sigma`.

    Of one sentence; or of a whole text if each is written from `sentences` vectors. All
    of them together are one vector: `sentences` balls of diameter d beside each other
    have the diameter ``d * sqrt(sentences)``, and the noise is the same everywhere.
    """
    noise = Gaussian(sigma, shape.noised, shape.bound)
    plain = noise.guarantee()
    space, unit, count = plain.metric, Unit.SENTENCE, 1
    if sentences is not None:
        count = at_least("sentences", sentences, 1)
        space, unit = f"{space}:sentences={count}", Unit.DOCUMENT
    guarantee = replace(
        plain,
        metric=f"latent-{space}@{fingerprint or 'unstored'}",
        unit=unit,
        terms=(GaussianTerm(sigma, noise.offset * count),),
        landmarks=replace(
            plain.landmarks, diameter=plain.landmarks.diameter * math.sqrt(count)
        ),
    )
    told = (_COUNT, _TRAINED) if sentences is None else (_TRAINED,)
    if shape.kind == "dp-vae":
        covered = (_WORDS,) if sentences is None else (_WORDS, *_whole(count))
        assumed = (*plain.scope.assumptions, _ALONE)
        return replace(guarantee, scope=Scope(covered, told, assumed))
    return replace(
        guarantee,
        terms=(Flat(math.inf),),
        scope=Scope(uncovered=(_NOTHING[shape.kind], *told)),
    )


def _whole(count: int) -> tuple[str, str]:
    """Say what a fixed number of sentences covers."""
    vectors = "one noisy vector" if count == 1 else f"{count} noisy vectors"
    kept = "sentence" if count == 1 else f"{count} sentences"
    return (
        f"How many sentences a text has, even none, and their order: every text is "
        f"written from {vectors}, drawn around zero where it has no sentence.",
        f"What comes after the first {kept} of a text: nothing of it leaves. A "
        "sentence longer than the model's limit counts as several.",
    )
