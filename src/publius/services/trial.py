"""Try: one text, at once; nothing is stored or sent."""

from dataclasses import dataclass, field

from publius.core.config import WordSettings
from publius.core.errors import ParameterError
from publius.core.guarantee import Guarantee, Unit
from publius.core.html import html_table
from publius.core.rng import secure, seeded
from publius.core.stating import multiply_up
from publius.core.watch import Watch
from publius.materials.words.assemble import resolved
from publius.reporting.statements import say, word_statements
from publius.services.prepared import PREPARED
from publius.services.verb import verb


@dataclass(frozen=True, slots=True)
class TryRequest:
    """Which text.

    Args:
        text: The secret.
        settings: How words are replaced; single settings may be given by name.
        seed: For tests only; marks the result as insecure.
    """

    text: str = field(repr=False)
    settings: WordSettings = field(default_factory=WordSettings)
    seed: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise ParameterError("text must be one string; release takes many")


@dataclass(frozen=True, slots=True, repr=False)
class Trial:
    """A text before and after; holds the secret.

    Args:
        original: The secret.
        released: What may be shown.
        protected_words: Number of words that were drawn.
        is_secure: Drawn without a seed.
        mechanism: Registered name.
        guarantee: Per protected word.
        statements: What is guaranteed, in sentences.
    """

    original: str
    released: str
    protected_words: int
    is_secure: bool
    mechanism: str
    guarantee: Guarantee
    statements: list[str]

    @property
    def loss_of_the_text(self) -> float:
        """What the whole text may lose at worst."""
        guarantee, draws = self.guarantee, self.protected_words
        largest = max(guarantee.worst_loss, guarantee.landmarks.unknown_loss)
        if guarantee.unit is Unit.DOCUMENT:
            return largest
        return multiply_up(largest, draws) if draws else 0.0

    def to_json(self) -> dict[str, object]:
        """Return plain values, the secret among them."""
        return {
            "original": self.original,
            "released": self.released,
            "protected_words": self.protected_words,
            "secure": self.is_secure,
            "mechanism": self.mechanism,
            "guarantee": self.guarantee.to_json(),
            "statements": list(self.statements),
            "loss_of_the_text": self.loss_of_the_text,
        }

    def __repr__(self) -> str:
        return f"<Trial of {self.mechanism}: {self.protected_words} protected words>"

    def _repr_html_(self) -> str:
        return html_table(
            self.mechanism, ("original", "released"), [(self.original, self.released)]
        )


@verb(TryRequest)
def try_text(request: TryRequest, watch: Watch) -> Trial:
    """Release one text and return it beside the original.

    Example:
        >>> import publius as pb
        >>> pb.try_text("The doctor came to London.", vocabulary=2000)
        <Trial of exponential.v1: 3 protected words>
    """
    settings = resolved(request.settings)
    cleaner = PREPARED(settings, watch.stage)
    rng = secure() if request.seed is None else seeded(request.seed)
    released = cleaner.release([request.text], rng)
    warned = [] if request.seed is None else [say("insecure")]
    return Trial(
        original=request.text,
        released=released.texts[0],
        protected_words=int(released.perturbed[0]),
        is_secure=request.seed is None,
        mechanism=cleaner.mechanism.name,
        guarantee=released.guarantee,
        statements=[*warned, *word_statements(released.guarantee, settings)],
    )
