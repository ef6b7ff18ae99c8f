"""Plan: what a release would take and cost, before anything is drawn for it."""

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from publius.accounting.accounts import Subject
from publius.core.arrays import at_least
from publius.core.errors import ParameterError
from publius.core.guarantee import Unit
from publius.core.stating import multiply_up
from publius.core.watch import SILENT, Watch
from publius.engines.named import LOCAL
from publius.pipeline import PlaceSettings, ReleaseRequest, TimeSettings
from publius.pipeline.distributed import is_in_parts
from publius.pipeline.release import AnySettings
from publius.pipeline.sample import Sample, sample
from publius.retelling.settings import RetellSettings

LEAST_SPAN = 0.03
"""Readers read ahead, so that the bytes of a row are not known better than this."""
TIME_SPAN = (0.2, 0.25)
"""Share by which times may be shorter and longer than planned: more than in any of the
comparisons with releases in docs/measurements/plan.json."""
REST = 0.2
"""Processor seconds of a release that no sample shows: its folder, its locks and
digests, and leaving; from the same comparisons."""
CLUSTERS = {LOCAL: (0.0, 0.0), "spark": (16.9, 16.4), "ray": (1.9, 1.8)}
"""Processor seconds, and seconds, that an engine takes beside its tasks and the starts
of processes: as measured on one machine, docs/measurements/plan.json."""
EXPOSED = 20
"""Subjects whose runs of rows are looked at."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a release of an input would take; no text and no name is in it.

    Args:
        engine: Name of the engine.
        workers: Processes.
        is_in_parts: Whether it would be written in parts.
        subject: Column that says whose a row is; None adds up per text.
        sample: What was counted and drawn.
        booting: Processor seconds that a process takes to start.
        is_of_words: Whether texts are released; else records, one guarantee each.
    """

    engine: str
    workers: int
    is_in_parts: bool
    subject: str | None
    sample: Sample
    booting: float = 0.0
    is_of_words: bool = True

    @property
    def rows(self) -> int:
        """Rows of the input."""
        return self.sample.total

    @property
    def words(self) -> int:
        """Protected words of the input."""
        return math.ceil((self.sample.exposure.words or 0) / self.sample.share)

    @property
    def unit(self) -> str:
        """What one guarantee is about: words, texts or records."""
        if not self.is_of_words:
            return "records"
        return "texts" if self.sample.unit is Unit.DOCUMENT else "words"

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
        return self._work_of(self._drawing)

    @property
    def cpu_seconds(self) -> float:
        """Processor seconds from start to end, of all processes together."""
        return self._all_of(self._drawing)

    @property
    def seconds(self) -> float:
        """Seconds from start to end, if each worker has a processor.

        Parts are whole: the slowest worker has ⌈parts / workers⌉ of them. One table is
        read and written by one process while the others draw.
        """
        return self._seconds_of(self._drawing)

    @property
    def spans(self) -> "dict[str, tuple[float, float]]":
        """Where the figures lie that are scaled from a sample, if rows lie in no order.

        Two standard errors of the runs of rows that were counted, and of rows at least
        ``LEAST_SPAN``. Time lies between all words at the rate of the second half that
        was drawn, and all at that of the whole, give or take ``TIME_SPAN``.
        """
        rows = _around(self.rows, self._spread(self.sample.rates, 1.0))
        words = _around(self.words, self._spread_of_words)
        whole = self._scaled(self.sample.drawn.seconds)
        each = [self._drawing, whole]
        times = {
            name: tuple(sorted(map(total, each)))
            for name, total in (
                ("cpu_seconds", self._all_of),
                ("seconds", self._seconds_of),
            )
        }
        return {
            "rows": rows,
            "protected_words": words,
            **{
                name: (
                    least * (1 - TIME_SPAN[0]) * _share(words[0], self.words),
                    most * (1 + TIME_SPAN[1]) * _share(words[1], self.words),
                )
                for name, (least, most) in times.items()
            },
            "guarantees": self._span_of_guarantees,
        }

    @property
    def cluster(self) -> tuple[float, float] | None:
        """Processor seconds and seconds of the cluster itself; None if unknown."""
        return CLUSTERS.get(self.engine)

    @property
    def guarantees(self) -> int:
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
        return self.loss_of(self.guarantees)

    @property
    def near_loss(self) -> float:
        """The same between secrets that are near, as the release understands them."""
        near = self.sample.cost.near
        return multiply_up(near, self.guarantees) if self.guarantees else 0.0

    def loss_of(self, count: float) -> float:
        """Return what so many guarantees lose at worst."""
        return multiply_up(self.sample.cost.pure, math.ceil(count)) if count else 0.0

    def to_json(self) -> dict[str, object]:
        """Return plain values."""
        taken = self.sample
        least, most = self.spans["guarantees"]
        return {
            "engine": self.engine,
            "workers": self.workers,
            "in_parts": self.is_in_parts,
            "rows": self.rows,
            "protected_words": self.words,
            "parts": self.parts,
            "is_counted": taken.is_whole,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "start_seconds": self.booting + taken.start,
            "cluster_seconds": None if self.cluster is None else self.cluster[1],
            "cluster_cpu_seconds": None if self.cluster is None else self.cluster[0],
            "report_seconds": taken.reporting,
            "intervals": {name: list(span) for name, span in self.spans.items()},
            "memory_per_worker_bytes": taken.memory or None,
            "most_exposed": {
                "per": "text" if self.subject is None else "subject",
                "guarantees": self.guarantees,
                "guarantees_at_least": (taken.exposure.longest or 0)
                if self.subject is None
                else (taken.exposure.busiest or 0),
                "loss": self.loss,
                "loss_interval": [self.loss_of(least), self.loss_of(most)],
                "near_loss": self.near_loss,
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
    def _writing(self) -> float:
        return self._scaled(self.sample.drawn.writing)

    @property
    def _keeping(self) -> float:
        return self._scaled(self.sample.drawn.keeping)

    @property
    def _starts(self) -> float:
        """Seconds of starting all processes: those that draw, and one that waits."""
        count = 1 if self.workers == 1 and self.engine == LOCAL else self.workers + 1
        return count * (self.booting + self.sample.start)

    def _all_of(self, drawing: float) -> float:
        other = self.sample.reporting + REST + (self.cluster or (0.0, 0.0))[0]
        return self._work_of(drawing) + self._starts + other

    def _work_of(self, drawing: float) -> float:
        if self.is_in_parts:  # which are read once more to count rows
            return 2 * self._reading + drawing + self._writing
        return self._reading + drawing + self._writing + self._keeping

    def _seconds_of(self, drawing: float) -> float:
        start, write = self.booting + self.sample.start, self._writing
        start += self.sample.reporting + REST + (self.cluster or (0.0, 0.0))[1]
        if self.is_in_parts:
            share = -(-self.parts // self.workers) / self.parts
            survey = self._reading / min(self.workers, self.sample.files)
            return start + survey + (self._reading + drawing + write) * share
        if self.workers == 1:
            # What writes does so in threads, where nobody else has the processors.
            return start + self._work_of(drawing / self.sample.threads)
        apart = max(self._reading + self._keeping, drawing / self.workers)
        return start + apart + write

    @property
    def _drawing(self) -> float:
        """Seconds of drawing: as measured, and what is left as the second half."""
        drawn = self.sample.drawn
        total, done = self.words, drawn.words
        if not drawn.words:
            total, done = self.rows, drawn.rows
        return drawn.seconds + max(0, total - done) * drawn.later

    def _scaled(self, seconds: float) -> float:
        """Scale seconds of the drawn rows by their words, or by rows without words."""
        drawn = self.sample.drawn
        if drawn.words:
            return seconds * self.words / drawn.words
        return seconds * self.rows / drawn.rows if drawn.rows else 0.0

    @property
    def _spread_of_words(self) -> float:
        """Relative spread of rows and of words in a row together."""
        blocks = self.sample.blocks
        rates = [block.words / block.rows for block in blocks if block.rows]
        rows = self._spread(self.sample.rates, 1.0)
        return math.hypot(rows, self._spread(rates, 1 - self.sample.share, least=0.0))

    def _spread(
        self, rates: Sequence[float], share: float, *, least: float = LEAST_SPAN
    ) -> float:
        """Return two standard errors of the mean of some rates, relative to it."""
        if self.sample.is_whole:
            return 0.0
        if len(rates) < 2 or not sum(rates):
            return least
        error = statistics.stdev(rates) / math.sqrt(len(rates))
        return max(least, 2 * error * math.sqrt(share) / statistics.mean(rates))

    @property
    def _span_of_guarantees(self) -> tuple[float, float]:
        """Where the guarantees lie that are spent on the most exposed subject.

        At least what was counted. Each subject's own runs of rows say how unevenly its
        rows lie: those of one whose rows lie together, by a factor of three.
        """
        taken = self.sample
        if taken.is_whole:
            return self.guarantees, self.guarantees
        if self.subject is None:
            return self.guarantees, math.inf
        seen = taken.exposure.busiest or 0
        count, share = len(taken.blocks), taken.share
        most = 0.0
        every: Counter[Subject] = Counter()
        for block in taken.blocks:
            every.update(block.spent)
        for name, total in every.most_common(EXPOSED):
            parts = [block.spent[name] for block in taken.blocks]
            uneven = count * statistics.pvariance(parts)
            # One run of rows says nothing about another: at least what chance does.
            error = math.sqrt(max(uneven, total) * (1 - share))
            most = max(most, (total + 2 * error) / share)
        return seen, math.ceil(most)


def _around(value: float, spread: float) -> tuple[float, float]:
    return value * (1 - spread), value * (1 + spread)


def _share(part: float, whole: float) -> float:
    """Return a part of a whole; of nothing, all of it."""
    return part / whole if whole else 1.0


def plan(
    request: ReleaseRequest[AnySettings],
    watch: Watch = SILENT,
    *,
    engine: str = LOCAL,
    whole: bool = False,
    booting: float = 0.0,
) -> Plan:
    """Say what a release would take; write, charge and keep nothing.

    No cluster is asked: the sample is counted and drawn by this process.

    Args:
        request: What would be asked for, with the number of processes.
        watch: Told how it goes.
        engine: Name of the engine.
        whole: Count all rows, however many there are.
        booting: Processor seconds that a process takes to start, where that is known.
    """
    if request.path == "-":
        raise ParameterError("a plan is for files; standard input is gone once read")
    workers = at_least("workers", request.workers, 1)
    if isinstance(request.settings, RetellSettings) and request.settings.server:
        raise ParameterError(
            "a plan measures the processor time of this process, and here another "
            "program writes; plan without --server"
        )
    in_parts = engine != LOCAL or is_in_parts(request, None)
    taken = sample(request, watch, in_parts=in_parts, whole=whole)
    of_words = not isinstance(request.settings, TimeSettings | PlaceSettings)
    subject = request.columns.subject
    return Plan(engine, workers, in_parts, subject, taken, booting, of_words)
