"""What each kind of autoencoder promises about a sentence, and what it does not."""

from dataclasses import replace

from publius.autoencoder.architecture import Architecture
from publius.core.guarantee import Flat, Guarantee, Scope, Unit
from publius.mechanisms.gaussian import Gaussian

SENTENCE = Scope(
    covered=(
        "Every word of a sentence, their order and the sentence's length: all that "
        "leaves is decoded from one noisy vector.",
    ),
    uncovered=(
        "How many sentences a text has; one longer than the model's limit counts as "
        "several.",
        "The texts on which the model was trained: it may repeat them. Train on "
        "public text.",
    ),
    assumptions=(
        "The vector of a sentence depends on no other sentence of its batch, up to "
        "rounding.",
    ),
)

_NOTHING = {
    "vae": "Everything: the encoder chooses mean and variance, so nothing bounds what "
    "a rewritten sentence tells.",
    "avg-aae": "Everything: the content vector passes as it is, and the average author "
    "vector depends on the texts.",
    "dp-aae": "The content vector, which passes without noise and may tell the author "
    "too. Only the author vector is noised, so there is no promise end to end.",
}


def promise(shape: Architecture, sigma: float, fingerprint: str) -> Guarantee:
    """Return the guarantee of one sentence rewritten with noise of `sigma`."""
    plain = Gaussian(sigma, shape.noised, shape.bound).guarantee()
    metric = f"latent-{plain.metric}@{fingerprint or 'unstored'}"
    guarantee = replace(plain, metric=metric, unit=Unit.SENTENCE)
    if shape.kind == "dp-vae":
        scope = replace(SENTENCE, assumptions=plain.scope.assumptions)
        return replace(guarantee, scope=scope.joined(SENTENCE))
    return replace(
        guarantee,
        terms=(Flat(float("inf")),),
        scope=Scope(uncovered=(_NOTHING[shape.kind], *SENTENCE.uncovered)),
    )
