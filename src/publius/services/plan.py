"""Plan: what a release would take and cost, before anything is drawn for it."""

import math
from dataclasses import dataclass

from publius.core.arrays import at_least
from publius.core.errors import ParameterError
from publius.core.stating import multiply_up
from publius.core.watch import SILENT, Watch
from publius.engines.named import LOCAL
from publius.pipeline import ReleaseRequest
from publius.pipeline.distributed import is_in_parts
from publius.pipeline.release import AnySettings
from publius.pipeline.sample import Sample, sample


@dataclass(frozen=True, slots=True)
class Plan:
    """What a release of an input would take; no text and no name is in it.

    Args:
        engine: Name of the engine.
        workers: Processes.
        is_in_parts: Whether it would be written in parts.
        subject: Column that says whose a row is; None adds up per text.
        sample: What was counted and drawn.
    """

    engine: str
    workers: int
    is_in_parts: bool
    subject: str | None
    sample: Sample

    @property
    def rows(self) -> int:
        """Rows of the input."""
        return self.sample.total

    @property
    def words(self) -> int:
        """Protected words of the input."""
        return math.ceil((self.sample.exposure.words or 0) / self.sample.share)

    @property
    def parts(self) -> int:
        """Tasks into which the work can be divided."""
        return max(1, -(-self.rows // self.sample.part))

    @property
    def words_per_second(self) -> float | None:
        """Rate of drawing, of one processor; None where nothing was drawn."""
        drawn = self.sample.drawn
        return drawn.words / drawn.seconds if drawn.seconds and drawn.words else None

    @property
    def work(self) -> float:
        """Processor seconds of all workers together, without their start."""
        # Parts are read once more to count rows; shards of one table are written first.
        read = self._reading * (2 if self.is_in_parts else 1)
        return read + self._drawing + self._writing * (1 if self.is_in_parts else 2)

    @property
    def seconds(self) -> float:
        """Seconds from the first to the last row, if each worker has a processor.

        Parts are whole: the slowest worker has ⌈parts / workers⌉ of them. One table is
        read and written by one process while the others draw.
        """
        start, draw, write = self.sample.start, self._drawing, self._writing
        if self.is_in_parts:
            share = -(-self.parts // self.workers) / self.parts
            survey = self._reading / min(self.workers, self.sample.files)
            return start + survey + (self._reading + draw + write) * share
        if self.workers == 1:
            return start + self.work
        return start + max(self._reading + write, draw / self.workers) + write

    @property
    def promises(self) -> int:
        """Guarantees spent on the most exposed subject.

        Those of a subject are scaled by the share that was counted: right where
        rows lie in no order; the longest text is the longest that was seen.
        """
        seen = self.sample.exposure
        if self.subject is None:
            return seen.longest or 0
        return math.ceil((seen.busiest or 0) / self.sample.share)

    @property
    def loss(self) -> float:
        """What the most exposed subject would lose at worst, by these guarantees."""
        return (
            multiply_up(self.sample.cost.pure, self.promises) if self.promises else 0.0
        )

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        taken = self.sample
        return {
            "engine": self.engine,
            "workers": self.workers,
            "in_parts": self.is_in_parts,
            "rows": self.rows,
            "protected_words": self.words,
            "parts": self.parts,
            "is_counted": taken.is_whole,
            "seconds": self.seconds,
            "cpu_seconds": self.work,
            "start_seconds": taken.start,
            "memory_per_worker_bytes": taken.memory or None,
            "most_exposed": {
                "per": "text" if self.subject is None else "subject",
                "promises": self.promises,
                "promises_at_least": (taken.exposure.longest or 0)
                if self.subject is None
                else (taken.exposure.busiest or 0),
                "loss": self.loss,
            },
            "sample": {
                "rows_counted": taken.exposure.rows,
                "rows_drawn": taken.drawn.rows,
                "words_per_cpu_second": self.words_per_second,
            },
        }

    @property
    def _reading(self) -> float:
        return self.sample.reading / self.sample.share

    @property
    def _drawing(self) -> float:
        return self._scaled(self.sample.drawn.seconds)

    @property
    def _writing(self) -> float:
        return self._scaled(self.sample.drawn.writing)

    def _scaled(self, seconds: float) -> float:
        """Scale seconds of the drawn rows by their words, or by rows without words."""
        drawn = self.sample.drawn
        if drawn.words:
            return seconds * self.words / drawn.words
        return seconds * self.rows / drawn.rows if drawn.rows else 0.0


def plan(
    request: ReleaseRequest[AnySettings],
    watch: Watch = SILENT,
    *,
    engine: str = LOCAL,
    whole: bool = False,
) -> Plan:
    """Say what a release would take; write, charge and keep nothing.

    No cluster is asked: the sample is counted and drawn by this process.

    Args:
        request: What would be asked for, with the number of processes.
        watch: Told how it goes.
        engine: Name of the engine.
        whole: Count all rows, however many there are.
    """
    if request.path == "-":
        raise ParameterError("a plan is for files; standard input is gone once read")
    workers = at_least("workers", request.workers, 1)
    in_parts = engine != LOCAL or is_in_parts(request, None)
    taken = sample(request, watch, in_parts=in_parts, whole=whole)
    return Plan(engine, workers, in_parts, request.columns.subject, taken)
