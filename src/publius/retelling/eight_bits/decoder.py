"""Write text with tables of 8-bit integers: some passages at a time in every thread.

A passage that ends makes room for the next one. What is written is a function of its
own prompt and its own row of random numbers alone, to the last bit: threads and rows
beside it change nothing. So the order of work may be whatever is fastest.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from publius.core.arrays import FloatArray, Rng
from publius.core.errors import ParameterError
from publius.language.models.causal.gguf import Array
from publius.language.models.causal.llama import CausalModel
from publius.numerics.parallel import threads_allowed
from publius.retelling.block_guard import guard_of
from publius.retelling.decoder import (
    Sampling,
    Steering,
    drawn_among,
    noted,
    steered,
)
from publius.retelling.eight_bits.graph import PLACES, ZERO, llama_graph
from publius.retelling.eight_bits.tables import Tables, lay_aside
from publius.retelling.word_bias import Wanted, bias_of

ROWS = 32
"""Passages that all threads together write side by side."""
MEMORY = 256 << 20
"""Bytes that their keys and values may have."""
_OUTPUTS = ("scores", "pieces")


@dataclass(slots=True)
class _Passage:
    """One that is being written: its number, pieces so far, places that were read."""

    number: int
    drawn: list[int]
    places: int


class EightBitDecoder:
    """Continue prompts by a model.

    Args:
        model: The published language model; its weights are not looked at.
        tables: Of the same model, with what it was taught.
        ends: Pieces that end a passage.
    """

    def __init__(
        self, model: CausalModel, tables: Tables, ends: tuple[int, ...]
    ) -> None:
        self.shape, self.tokenizer, self.ends = model.shape, model.tokenizer, ends
        self._embedded = tables["embedded"]
        self._scale = tables["embedded.scale"]
        graph, arrays = llama_graph(model.shape, tables)
        # The runtime reads them where they are.
        self._arrays = arrays
        self._session = _session(graph, arrays)
        lay_aside(tables)

    def write(
        self,
        prompts: Sequence[Sequence[int]],
        sampling: Sampling,
        rng: Rng,
        wanted: Wanted | None = None,
    ) -> list[str]:
        """Return one continuation per prompt, which is given in pieces."""
        chance = rng.random((len(prompts), sampling.longest))
        rows = range(len(prompts))
        bias = bias_of(wanted, rows, self.tokenizer, self.ends)
        guard = guard_of(sampling.blocked, self.tokenizer, self.ends, len(prompts))
        drawn = self.continued(prompts, chance, sampling, (bias, guard))
        return [self.tokenizer.decode(own).strip() for own in drawn]

    def continued(
        self,
        prompts: Sequence[Sequence[int]],
        chance: FloatArray,
        sampling: Sampling,
        steering: Steering = (None, None),
    ) -> list[list[int]]:
        """Return the pieces after each prompt, by the random numbers of its row."""
        if not prompts:
            return []
        room = max(map(len, prompts)) + sampling.longest
        if room > PLACES:
            raise ParameterError(
                f"a passage takes {room:,} pieces with its words, and the language "
                f"model reads at most {PLACES:,}; choose shorter passages"
            )
        rows = max(1, min(ROWS, MEMORY // (room * self._bytes_of_place())))
        threads = min(threads_allowed(), rows, len(prompts))
        waiting = deque(range(len(prompts)))
        written: list[list[int]] = [[] for _ in prompts]

        def work(own_rows: int) -> None:
            desk = _Desk(self, own_rows, room)
            for number, drawn in desk.all(prompts, waiting, chance, sampling, steering):
                written[number] = drawn

        with ThreadPoolExecutor(threads) as pool:
            for done in [
                pool.submit(work, min(rows // threads, len(prompts)))
                for _ in range(threads)
            ]:
                done.result()
        return written

    def embedded(self, pieces: Sequence[int]) -> Array:
        """Return the hidden rows that pieces begin with."""
        chosen = np.asarray(pieces, dtype=np.int64)
        rows: Array = self._embedded[chosen] * self._scale[chosen][:, None]
        return rows

    def run(
        self,
        pieces: Sequence[int],
        length: int,
        before: Sequence[int],
        memory: tuple[Array, Array],
    ) -> tuple[Array, NDArray[np.int64]]:
        """Read pieces of some texts; return likely next ones with their scores.

        Args:
            pieces: Text after text.
            length: Pieces of each text.
            before: Places that each text has already.
            memory: Keys and values, ``(layers, texts, shared, room, size)``; changed.
        """
        texts, (keys, values) = len(before), memory
        binding = self._session.io_binding()
        places = np.array(before, dtype=np.int32) + (length - 1)
        wide = keys.shape[-1] * (self.shape.heads + 2 * self.shape.shared)
        for name, array in {
            "hidden": self.embedded(pieces),
            "ends": np.arange(1, texts + 1) * length - 1,
            "zeros": np.full(len(pieces), ZERO, np.uint8),
            "heads": np.array([texts, length, wide]),
            "before": places,
            "places": np.array(int(places.max()) + 1, np.int32),
        }.items():
            binding.bind_cpu_input(name, array)
        for kind, cells in (("key", keys), ("value", values)):
            for layer, own in enumerate(cells):
                place = ("cpu", 0, np.float32, own.shape, own.ctypes.data)
                binding.bind_input(f"{kind}.{layer}", *place)
                binding.bind_output(f"new.{kind}.{layer}", *place)
        for name in _OUTPUTS:
            binding.bind_output(name, "cpu")
        self._session.run_with_iobinding(binding)
        scores, best = binding.get_outputs()[-2:]
        return scores.numpy(), best.numpy()

    def _bytes_of_place(self) -> int:
        shape = self.shape
        return 8 * shape.layers * shape.shared * (shape.width // shape.heads)


class _Desk:
    """Where one thread writes: room for the keys and values of some passages."""

    def __init__(self, decoder: EightBitDecoder, rows: int, room: int) -> None:
        shape = decoder.shape
        cells = (shape.layers, rows, shape.shared, room, shape.width // shape.heads)
        self._decoder = decoder
        self._keys, self._values = (np.zeros(cells, np.float32) for _ in range(2))

    def all(
        self,
        prompts: Sequence[Sequence[int]],
        waiting: deque[int],
        chance: FloatArray,
        sampling: Sampling,
        steering: Steering,
    ) -> Iterator[tuple[int, list[int]]]:
        """Yield number and pieces of each passage, in the order of their ends."""
        open_rows: list[_Passage] = []
        while True:
            while len(open_rows) < self._keys.shape[1] and waiting:
                try:
                    number = waiting.popleft()
                except IndexError:  # another thread was faster
                    break
                prompt = prompts[number]
                place = len(open_rows)
                likely = self._decoder.run(
                    prompt, len(prompt), [0], self._part(place, place + 1)
                )
                open_rows.append(_Passage(number, [], len(prompt)))
                self._draw(open_rows[-1:], likely, chance, sampling, steering)
                yield from self._ended(open_rows, sampling)
            if not open_rows:
                return
            likely = self._decoder.run(
                [own.drawn[-1] for own in open_rows],
                1,
                [own.places for own in open_rows],
                self._part(0, len(open_rows)),
            )
            for own in open_rows:
                own.places += 1
            self._draw(open_rows, likely, chance, sampling, steering)
            yield from self._ended(open_rows, sampling)

    def _part(self, start: int, stop: int) -> tuple[Array, Array]:
        return self._keys[:, start:stop], self._values[:, start:stop]

    def _draw(
        self,
        rows: Sequence[_Passage],
        likely: tuple[Array, NDArray[np.int64]],
        chance: FloatArray,
        sampling: Sampling,
        steering: Steering,
    ) -> None:
        """Add a piece to each row."""
        scores, pieces = likely
        numbers = np.array([[own.number, len(own.drawn)] for own in rows])
        own_chance = chance[numbers[:, 0], numbers[:, 1]]
        pieces, scores = steered(steering, numbers[:, 0], pieces, scores)
        drawn = drawn_among(pieces, scores, own_chance, sampling)
        noted(steering, numbers[:, 0], drawn)
        for own, piece in zip(rows, drawn.tolist(), strict=True):
            own.drawn.append(piece)

    def _ended(
        self, rows: list[_Passage], sampling: Sampling
    ) -> Iterator[tuple[int, list[int]]]:
        """Yield the passages that have ended; the last one moves into their row."""
        for row in reversed(range(len(rows))):
            drawn, last = rows[row].drawn, len(rows) - 1
            if drawn[-1] in self._decoder.ends:
                drawn.pop()
            elif len(drawn) < sampling.longest:
                continue
            yield rows[row].number, drawn
            if row != last:
                self._keys[:, row] = self._keys[:, last]
                self._values[:, row] = self._values[:, last]
                rows[row] = rows[last]
            rows.pop()


def _session(graph: bytes, arrays: Tables) -> onnxruntime.InferenceSession:
    """Load a graph; its own threads are one, because every caller has its own."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(a) for a in arrays.values()]
    options.add_external_initializers(list(arrays), values)
    return onnxruntime.InferenceSession(
        graph, options, providers=["CPUExecutionProvider"]
    )
