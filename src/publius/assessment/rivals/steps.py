"""The small Llama in NumPy, read piece by piece in many rows at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from publius.core.arrays import FloatArray, IdArray
from publius.language.models.causal.gguf import Array
from publius.language.models.causal.llama import CausalModel
from publius.retelling.decoder import Decoder, _Memory


class _Reader(Decoder):
    """A decoder whose scores are handed out instead of drawn from."""

    __slots__ = ()

    def start(
        self, prompts: Sequence[Sequence[int]], longest: int
    ) -> tuple[_Memory, Array]:
        """Read prompts; return what is cached of them, and the scores after each."""
        rows = [list(own) for own in prompts]
        memory = self._memory(rows, longest)
        return memory, self._read(rows, memory) @ self._table().T

    def follow(self, pieces: IdArray, memory: _Memory) -> Array:
        """Read a piece in every row; return the scores after it."""
        hidden = self._step(pieces, np.arange(len(pieces)), memory)
        return hidden @ self._table().T


@dataclass(slots=True, eq=False)
class ModelSteps:
    """Read rows by a model; keys and values of earlier pieces are cached.

    Args:
        model: The language model.
    """

    model: CausalModel
    _memory: list[_Memory] = field(default_factory=list, init=False, repr=False)

    def begin(self, prompts: Sequence[Sequence[int]], longest: int) -> FloatArray:
        """Read prompts; return the scores of all pieces after each."""
        memory, scores = _Reader(self.model, ()).start(prompts, longest)
        self._memory = [memory]
        return scores.astype(np.float64)

    def advance(self, pieces: IdArray) -> FloatArray:
        """Read one more piece in every row; return the scores after it."""
        scores = _Reader(self.model, ()).follow(pieces, self._memory[0])
        return scores.astype(np.float64)
