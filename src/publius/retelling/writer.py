"""Who writes: a language model that sees released words and public settings only."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from publius.core.arrays import Rng
from publius.language.models.causal.byte_pairs import BytePairs
from publius.retelling.decoder import Sampling
from publius.retelling.prompt import plain_prompt, prompt_of
from publius.retelling.word_bias import AHEAD, Wanted

_WORD = re.compile(r"[a-z0-9']+")
END_OF_TEXT, TURN, END_OF_TURN = 0, 1, 2
"""Pieces of SmolLM2 between documents and between the turns of a talk."""


class Decoder(Protocol):
    """Continues prompts, in NumPy or torch."""

    @property
    def tokenizer(self) -> BytePairs:
        """Of its model."""
        ...

    def write(
        self,
        prompts: Sequence[Sequence[int]],
        sampling: Sampling,
        rng: Rng,
        wanted: Wanted | None = None,
    ) -> list[str]:
        """Return one continuation per prompt, which is given in pieces.

        Words that are wanted make their own pieces likelier.
        """
        ...


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
        candidates: Texts that are written of each passage, all from the same words;
            the one that uses most of them is taken.
        use_words: How much likelier the pieces of words are that were not used yet.
    """

    decoder: Decoder
    sampling: Sampling
    epsilon: float
    order: str
    name: str
    candidates: int = 1
    use_words: float = 0.0

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        """Continue the prompt of the teaching."""
        encode = self.decoder.tokenizer.encode
        prompts = [
            [END_OF_TEXT, *encode(prompt_of(words, self.epsilon, self.order))]
            for words in passages
        ]
        return best_of(
            passages,
            [
                self.decoder.write(prompts, self.sampling, rng, self._wanted(passages))
                for _ in range(self.candidates)
            ],
        )

    def _wanted(self, passages: Sequence[Sequence[str]]) -> Wanted | None:
        if not self.use_words:
            return None
        return Wanted(passages, self.use_words, AHEAD if self.order == "keep" else None)


def best_of(
    passages: Sequence[Sequence[str]], written: Sequence[Sequence[str]]
) -> list[str]:
    """Return of each passage the text that uses most of its released words.

    Args:
        passages: Released words.
        written: Texts of all passages, once for every candidate.
    """
    return [
        max(texts, key=lambda text: share_used(words, text))
        for words, *texts in zip(passages, *written, strict=True)
    ]


def share_used(words: Sequence[str], text: str) -> float:
    """Return the share of released words that a text uses."""
    asked = {word.lower() for word in words}
    used = asked.intersection(_WORD.findall(text.lower()))
    return len(used) / max(len(asked), 1)


@dataclass(frozen=True, slots=True, eq=False)
class PlainWriter:
    """SmolLM2 as it was published, asked in plain English.

    Args:
        decoder: The model.
        sampling: How pieces are drawn.
        order: Of the words.
        name: Of the model.
        candidates: Texts that are written of each passage.
    """

    decoder: Decoder
    sampling: Sampling
    order: str
    name: str
    candidates: int = 1

    def write(self, passages: Sequence[Sequence[str]], rng: Rng) -> list[str]:
        """Answer a request in the format of its talks."""
        tokenizer = self.decoder.tokenizer
        prompts = [asked(tokenizer, plain_prompt(own, self.order)) for own in passages]
        return best_of(
            passages,
            [
                self.decoder.write(prompts, self.sampling, rng)
                for _ in range(self.candidates)
            ],
        )


def asked(tokenizer: BytePairs, request: str) -> list[int]:
    """Return the pieces of a request in the format of the model's talks."""
    encode = tokenizer.encode
    question = [TURN, *encode(f"user\n{request}"), END_OF_TURN, *encode("\n")]
    return [*question, TURN, *encode("assistant\n")]
