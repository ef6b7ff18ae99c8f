"""What a language model is asked by each rival: pieces that are given and drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from publius.assessment.rivals.clipped import ClippedScores
from publius.assessment.rivals.lexicon import Lexicon
from publius.assessment.rivals.prior import PriorExponential
from publius.assessment.rivals.slots import (
    FREE,
    Draw,
    Script,
    Steps,
    filled,
    slots_of,
    until,
)
from publius.core.arrays import FloatArray, IdArray, Rng
from publius.embeddings.vocabulary import Vocabulary
from publius.language.models.causal.byte_pairs import BytePairs
from publius.retelling.writer import END_OF_TEXT, END_OF_TURN, TURN

PARAPHRASE = (
    "Paraphrase the text in about as many words. Answer with the paraphrase only.\n"
    "Text: "
)
REWRITE = "Rewrite the text with other words of the same meaning.\nText: "
ENDS = (END_OF_TEXT, END_OF_TURN)


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """Pieces and words that rivals write with.

    Args:
        tokenizer: Of the language model.
        lexicon: Words that one piece spells.
        vocabulary: Looks words up.
    """

    tokenizer: BytePairs
    lexicon: Lexicon
    vocabulary: Vocabulary

    def asked(self, request: str) -> tuple[int, ...]:
        """Return a request in the format of the model's talks."""
        encode = self.tokenizer.encode
        return (
            TURN, *encode(f"user\n{request}"), END_OF_TURN, *encode("\n"),
            TURN, *encode("assistant\n"),
        )  # fmt: skip

    def slots(self, text: str) -> tuple[int, ...]:
        """Return a text with a slot for each content word."""
        return slots_of(text, self.tokenizer, self.lexicon, self.vocabulary)


@dataclass(frozen=True, slots=True, eq=False)
class PromptedParaphrase:
    """DP-Prompt (Utpala et al. 2023): a paraphrase, every piece drawn.

    Args:
        language: Pieces.
        law: Of one draw.
        pieces: Drawn for every text, whatever it is.
    """

    language: Language
    law: ClippedScores
    pieces: int

    ends = ENDS

    def scripts(self, texts: Sequence[str]) -> list[Script]:
        """Return the request for each text."""
        asked = self.language.asked
        slots = (FREE,) * self.pieces
        return [Script(asked(f"{PARAPHRASE}{text}"), slots) for text in texts]

    def draw(self, scores: FloatArray, _: IdArray, rng: Rng) -> IdArray:
        """Draw a piece for each row."""
        return self.law.draw(scores, rng)


@dataclass(frozen=True, slots=True, eq=False)
class ContextReplacement:
    """DP-MLM by a causal model: each content word drawn with the original in view.

    The published system asks a masked language model, which reads the words after the
    place too; here the whole original stands in the request.

    Args:
        language: Pieces and words.
        law: Of one draw.
    """

    language: Language
    law: ClippedScores

    ends: tuple[int, ...] = field(default=(), init=False)

    def scripts(self, texts: Sequence[str]) -> list[Script]:
        """Return the request for each text, and the text with open places."""
        asked, slots = self.language.asked, self.language.slots
        return [Script(asked(f"{REWRITE}{text}"), slots(text)) for text in texts]

    def draw(self, scores: FloatArray, _: IdArray, rng: Rng) -> IdArray:
        """Draw a word for each row."""
        pieces = self.language.lexicon.pieces
        return pieces[self.law.draw(scores[:, pieces], rng)]


@dataclass(frozen=True, slots=True, eq=False)
class PriorReplacement:
    """The prior inside the mechanism: each content word drawn near its secret.

    Args:
        language: Pieces and words.
        law: Of one draw.
    """

    language: Language
    law: PriorExponential

    ends: tuple[int, ...] = field(default=(), init=False)

    def scripts(self, texts: Sequence[str]) -> list[Script]:
        """Return texts with open places; nothing stands before them."""
        return [Script((END_OF_TEXT,), self.language.slots(text)) for text in texts]

    def draw(self, scores: FloatArray, secret: IdArray, rng: Rng) -> IdArray:
        """Draw a word for each row."""
        pieces = self.language.lexicon.pieces
        return pieces[self.law.draw(scores[:, pieces], secret, rng)]


Asking = PromptedParaphrase | ContextReplacement | PriorReplacement


def write(steps: Steps, asking: Asking, texts: Sequence[str], rng: Rng) -> list[str]:
    """Return what a rival writes for each text."""
    draw: Draw = asking.draw
    rows = filled(steps, asking.scripts(texts), draw, rng)
    decode = asking.language.tokenizer.decode
    return [" ".join(decode(until(row, asking.ends)).split()) for row in rows]
