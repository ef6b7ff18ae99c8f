"""Am I still recognised? An attacker who knows my other texts, and public writers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from publius.assessment.attacks import Known
from publius.assessment.attacks.ngram_svm import NgramSvm
from publius.core.arrays import IdArray
from publius.core.config import WordSettings
from publius.core.errors import DataError
from publius.core.estimate import Estimate
from publius.core.rng import secure
from publius.core.watch import Watch
from publius.materials.words.assemble import resolved
from publius.services.prepared import PREPARED
from publius.services.verb import verb
from publius.studio.background import public_texts

PIECE = 120
"""Words of a piece: every text is cut into pieces, each of which is attributed."""

LEAST_PIECE = 40


@dataclass(frozen=True, slots=True)
class RecogniseRequest:
    """Which texts of one writer.

    Args:
        texts: Two or more, all by the same writer.
        settings: How words are replaced; single settings may be given by name.
    """

    texts: Sequence[str] = field(repr=False)
    settings: WordSettings = field(default_factory=WordSettings)

    def __post_init__(self) -> None:
        if len(self.texts) < 2:
            raise DataError("two or more texts of one writer are needed")
        if any(len(pieces_of(text)) == 0 for text in self.texts):
            raise DataError(f"every text needs at least {LEAST_PIECE} words")


@dataclass(frozen=True, slots=True)
class Recognition:
    """How often pieces of a text are attributed to their writer.

    Args:
        original: Of untouched pieces, by an attacker who knows untouched texts.
        released: Of released pieces, by one who knows released copies of the others.
        candidates: Writers among whom the attacker chooses.
        attack: Its name.
    """

    original: Estimate
    released: Estimate
    candidates: int
    attack: str = "ngram_svm"

    @property
    def chance(self) -> float:
        """Return what guessing finds."""
        return 1 / self.candidates

    def to_json(self) -> dict[str, object]:
        """Return plain values; no text."""
        return {
            "attack": self.attack,
            "candidates": self.candidates,
            "chance": self.chance,
            "pieces": self.original.n,
            **{
                name: _shared(estimate)
                for name, estimate in (
                    ("original", self.original),
                    ("released", self.released),
                )
            },
        }


def _shared(estimate: Estimate) -> dict[str, float]:
    return {"share": estimate.value, "low": estimate.low, "high": estimate.high}


def pieces_of(text: str) -> list[str]:
    """Cut a text into pieces of about 120 words, none below 40."""
    words = text.split(" ")
    count = max(1, round(len(text.split()) / PIECE))
    cuts = np.array_split(np.arange(len(words)), count)
    made = [" ".join(words[i] for i in cut) for cut in cuts]
    return [piece for piece in made if len(piece.split()) >= LEAST_PIECE]


@verb(RecogniseRequest)
def recognise(request: RecogniseRequest, watch: Watch) -> Recognition:
    """Attack texts of one writer among public writers, before and after a release.

    Each text is attacked by somebody who knows the others.
    """
    own = [pieces_of(text) for text in request.texts]
    public = [[p for text in texts for p in pieces_of(text)]
              for texts in public_texts().values()]  # fmt: skip
    watch.stage("attacking the originals")
    before = _hits(own, public, watch)
    watch.stage("releasing")
    cleaner = PREPARED(resolved(request.settings), watch.stage)

    def released(groups: list[list[str]]) -> list[list[str]]:
        return [cleaner.release(texts, secure()).texts for texts in groups]

    watch.stage("attacking the release")
    after = _hits(released(own), released(public), watch)
    return Recognition(before, after, len(public) + 1)


def _hits(own: list[list[str]], public: list[list[str]], watch: Watch) -> Estimate:
    """Attribute the pieces of each text, the others being known."""
    rng, hits, total = secure(), 0, 0
    me = len(public)
    for held, pieces in enumerate(own):
        watch.check()
        mine = [p for i, text in enumerate(own) if i != held for p in text]
        # As many pieces of everybody, lest those with most are guessed most.
        known = [*(group[: max(2, len(mine))] for group in public), mine]
        texts = [piece for group in known for piece in group]
        authors: IdArray = np.repeat(np.arange(me + 1), [len(g) for g in known])
        made = NgramSvm().train(Known(texts, authors, me + 1), rng)
        guesses = made.guess(pieces, rng).ranking.argmax(axis=1)
        hits, total = hits + int((guesses == me).sum()), total + len(pieces)
    return Estimate.share(hits, total)
