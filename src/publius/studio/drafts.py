"""A draft and what is drawn for it: word by word, rewritten, or retold."""

import math
from dataclasses import dataclass
from enum import StrEnum

from starlette.datastructures import FormData

from publius import autoencoder
from publius.core.config import WordSettings
from publius.core.errors import DataError, FetchError, ParameterError
from publius.core.guarantee import Guarantee
from publius.core.rng import secure
from publius.core.stating import state_bound
from publius.materials.words.sanitizer import Unit
from publius.reporting.statements import word_statements
from publius.retelling.settings import RetellSettings
from publius.services.prepared import PREPARED
from publius.services.retell import retell
from publius.studio.habits import Chosen, plain_layout
from publius.studio.laws import settings_at
from publius.studio.problems import PUBLIC
from publius.studio.slider import DEFAULT, STEPS

LONGEST = 200_000
"""Characters of a text; longer ones are released as a file."""

SIGMA = 1.0
"""Noise of rewritten sentences, as measured for the README."""

RETELLING = RetellSettings()
"""How texts are retold: the slider does not act on it."""


class Manner(StrEnum):
    """How a text leaves."""

    WORDS = "words"
    REWRITE = "rewrite"
    RETELL = "retell"


PUBLIC |= {one.value for one in Manner}


@dataclass(frozen=True, slots=True)
class Draft:
    """What the form holds.

    Args:
        text: The secret.
        step: Of the slider.
        chosen: What is changed beside content words.
        manner: Words are replaced, sentences written anew, or the text is retold.
    """

    text: str
    step: int
    chosen: Chosen
    manner: Manner = Manner.WORDS

    @classmethod
    def of(cls, form: FormData) -> "Draft":
        """Read the form of the page."""
        text, step = str(form.get("text", "")), str(form.get("step", DEFAULT))
        if len(text) > LONGEST:
            raise DataError("the text is too long for this page; release it as a file")
        if not (step.isascii() and step.isdigit() and int(step) < len(STEPS)):
            raise ParameterError("the slider has no such step")
        flags = Chosen(form.get("protect") == "all", form.get("plain") == "yes")
        manner = str(form.get("manner", Manner.WORDS))
        if manner not in {one.value for one in Manner}:
            raise ParameterError("a text leaves word by word, rewritten or retold")
        return cls(text, int(step), flags, Manner(manner))

    @property
    def settings(self) -> WordSettings:
        """Return how words are replaced."""
        protect = "all" if self.chosen.protects_all else "content"
        return settings_at(self.step, protect=protect)

    @property
    def prepared(self) -> str:
        """Return the text as it is released: without its layout where that is asked."""
        return plain_layout(self.text) if self.chosen.is_plain else self.text


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw for a draft; holds the secret.

    Args:
        units: Word by word; empty if sentences were rewritten.
        released: What came out.
        guarantee: Of one word or sentence.
        statements: What is guaranteed, in sentences.
        protected: Draws that were made.
    """

    units: tuple[Unit, ...]
    released: str
    guarantee: Guarantee
    statements: list[str]
    protected: int


def draw(draft: Draft) -> Draw:
    """Draw once, with noise of its own."""
    return DRAWS[draft.manner](draft)


def _replaced(draft: Draft) -> Draw:
    settings = draft.settings
    cleaner = PREPARED(settings)
    units = cleaner.release_units(draft.prepared, secure())
    return Draw(
        units,
        "".join(unit.gap + unit.released for unit in units),
        cleaner.guarantee(),
        word_statements(cleaner.guarantee(), settings),
        sum(unit.is_protected for unit in units),
    )


def _rewritten(draft: Draft) -> Draw:
    written = autoencoder.SentenceVAE.load(device="cpu").rewrite(
        [draft.prepared], secure(), sigma=SIGMA
    )
    loss = written.guarantee.worst_loss
    bound = "" if math.isinf(loss) else f" by at most e^{state_bound(loss)}"
    return Draw(
        (),
        written.texts[0],
        written.guarantee,
        [
            f"Every sentence was written anew from one noisy vector (σ = {SIGMA:g})"
            f"{bound}; the report of `publius release --mechanism dp-vae` states the "
            "(ε, δ) of a sentence and of the text. The number of sentences shows."
        ],
        int(written.sentences[0]),
    )


def _retold(draft: Draft) -> Draw:
    try:
        made = retell(draft.prepared, RETELLING)
    except FetchError as missing:
        raise FetchError(f"nothing was drawn: {missing}") from None
    return Draw(
        (), made.released, made.guarantee, made.statements, made.protected_words
    )


DRAWS = {
    Manner.WORDS: _replaced,
    Manner.REWRITE: _rewritten,
    Manner.RETELL: _retold,
}
