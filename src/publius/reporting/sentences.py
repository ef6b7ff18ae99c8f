"""The facts and the page of a release of rewritten sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from publius.accounting.gaussian import (
    cks20_epsilon,
    guarantee_epsilon,
    mironov_epsilon,
    rounded_epsilon,
)
from publius.core.guarantee import Gaussian, Guarantee, JsonValue
from publius.core.loss import ORDERS
from publius.core.stating import state_bound
from publius.reporting.rendering import Example, Private, render
from publius.reporting.statements import (
    say,
    sentence_statements,
    writer_of_sentences,
)
from publius.reporting.summary import Exposure, Summary

HIGH_EPSILON = 10.0
"""Beyond e^10 ≈ 22,000 the odds between two sentences are hardly bounded."""


@dataclass(frozen=True, slots=True)
class SentenceFacts:
    """What a release of rewritten sentences tells.

    Args:
        mechanism: Registered name.
        model: Name of the model.
        fingerprint: Of its file.
        settings: Noise, decoding and sentences of a text; public.
        delta: At which every ε is stated.
        guarantee: Of one sentence; of a whole text where all texts have
            the same number of sentences.
        exposure: Disclosed figures; its words are sentences here.
    """

    mechanism: str
    model: str
    fingerprint: str
    settings: Mapping[str, JsonValue]
    delta: float
    guarantee: Guarantee
    exposure: Exposure

    @property
    def sentences(self) -> int | None:
        """Of every text; None where a text has as many as its original."""
        count = self.settings["sentences"]
        return None if count is None else int(str(count))

    @property
    def statements(self) -> list[str]:
        """What is guaranteed and what was measured, in sentences."""
        losses = {
            "sentence": self.sentence_epsilon,
            "text": self.text_epsilon,
            "author": self.author_epsilon,
        }
        said = sentence_statements(losses, self.delta, sentences=self.sentences)
        return [*said, writer_of_sentences(self.sentences)]

    @property
    def sentence_epsilon(self) -> float:
        """Exact ε between any two sentences."""
        sensitivity, sigma = self._noise
        return rounded_epsilon(sensitivity / sigma, self.delta, self._offset)

    @property
    def text_epsilon(self) -> float:
        """Exact ε of the text with most sentences, if all of them may differ."""
        longest = self.exposure.longest or 0
        return self._epsilon(longest if self.sentences is None else 1)

    @property
    def author_epsilon(self) -> float | None:
        """Exact ε of everything that one author wrote here."""
        busiest = self.exposure.busiest
        return None if busiest is None else self._epsilon(busiest)

    def _epsilon(self, count: int) -> float:
        """Return the exact ε of `count` sentences or texts at the stated δ."""
        return guarantee_epsilon(self.guarantee, self.delta, changed=count)

    @property
    def _noise(self) -> tuple[float, float]:
        """Largest distance of two sentences, and the deviation of the noise."""
        bound, sigma = (float(str(self.settings[n])) for n in ("bound", "sigma"))
        return 2 * bound, sigma

    @property
    def _offset(self) -> float:
        """What rounding adds to ε; of a whole text where the guarantee is of one."""
        terms = self.guarantee.terms
        return sum(term.offset for term in terms if isinstance(term, Gaussian))

    @property
    def packages(self) -> tuple[str, ...]:
        """Packages whose versions the manifest names."""
        return ("publius", "numpy", "torch", "tokenizers", "randomgen", "pyarrow")

    def before(self) -> dict[str, object]:
        """Return settings and model."""
        model = {"name": self.model, "fingerprint": self.fingerprint}
        return {"settings": {**self.settings}, "model": model}

    def after(self) -> dict[str, object]:
        """Return losses and counts."""
        sensitivity, sigma = self._noise
        noise = {"sensitivity": sensitivity, "sigma": sigma}
        curve = Gaussian(sigma, self._offset).at(sensitivity).renyi
        return {
            "losses": {
                "delta": self.delta,
                "sentence": self.sentence_epsilon,
                "longest_document": self.text_epsilon,
                "busiest_author": self.author_epsilon,
                "sentence_by_cks20": cks20_epsilon(self.delta, **noise),
                "sentence_by_mironov": mironov_epsilon(self.delta, **noise),
                "renyi_orders": list(ORDERS),
                "renyi_sentence": list(curve),
            },
            "counts": asdict(self.exposure),
        }


def render_sentences(
    summary: Summary[SentenceFacts],
    public: Sequence[Example],
    private: Private | None = None,
) -> str:
    """Return the report as HTML without any outside reference.

    Args:
        summary: The facts.
        public: Public sentences and what the model makes of them at this noise.
        private: Shown on request only.
    """
    return render(
        "sentences.html.j2",
        summary,
        sentence_warnings(summary.facts),
        private or Private(),
        public=public,
    )


def sentence_warnings(facts: SentenceFacts) -> list[str]:
    """Return what the reader must not overlook about this noise."""
    is_text = facts.sentences is not None
    unit = "text" if is_text else "sentence"
    epsilon = facts.text_epsilon if is_text else facts.sentence_epsilon
    told = [say("warning.invented")]
    if facts.model == "default":
        told.append(say("warning.model"))
    if epsilon <= HIGH_EPSILON:
        return told
    return [*told, say("warning.sentence", unit=unit, epsilon=state_bound(epsilon))]
