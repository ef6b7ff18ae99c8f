"""Who writes: a language model that sees released words and public settings only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from publius.core.arrays import Rng
from publius.retelling.decoder import Decoder, Sampling
from publius.retelling.prompt import plain_prompt, prompt_of

END_OF_TEXT, TURN, END_OF_TURN = 0, 1, 2
"""Pieces of SmolLM2 between documents and between the turns of a talk."""


class Writer(Protocol):
    """Writes passages from released words."""

    @property
    def name(self) -> str:
        """What the manifest calls it."""
        ...

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        """Return one passage of text for the words of each.

        Args:
            passages: Released words; nothing of a secret is in them but what the
                mechanism let through.
            rng: Of the release.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TaughtWriter:
    """SmolLM2 that was taught to write from noisy words.

    Args:
        decoder: With the adapter merged in.
        sampling: How pieces are drawn.
        epsilon: Of the words; the model was taught several.
        order: Of the words.
        name: Of model and adapter.
    """

    decoder: Decoder
    sampling: Sampling
    epsilon: float
    order: str
    name: str

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        """Continue the prompt of the teaching."""
        encode = self.decoder.model.tokenizer.encode
        prompts = [
            [END_OF_TEXT, *encode(prompt_of(words, self.epsilon, self.order))]
            for words in passages
        ]
        return self.decoder.write(prompts, self.sampling, rng)


@dataclass(frozen=True, slots=True, eq=False)
class PlainWriter:
    """SmolLM2 as it was published, asked in plain English.

    Args:
        decoder: The model.
        sampling: How pieces are drawn.
        order: Of the words.
        name: Of the model.
    """

    decoder: Decoder
    sampling: Sampling
    order: str
    name: str

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        """Answer a request in the format of its talks."""
        encode = self.decoder.model.tokenizer.encode
        prompts = [
            [
                TURN,
                *encode(f"user\n{plain_prompt(words, self.order)}"),
                END_OF_TURN,
                *encode("\n"),
                TURN,
                *encode("assistant\n"),
            ]
            for words in passages
        ]
        return self.decoder.write(prompts, self.sampling, rng)
