"""Spark: one task per split number; the rows never pass through Spark itself.

``spark.range(n).mapInArrow`` works with Spark Connect too, which has no RDDs. A task
gets the settings and the key in its closure, which Spark may write to local disks:
encryption of what it writes is required, and on a cluster authentication and encryption
on the wire; `spark_session` opens sessions and refuses those without.
"""

import pickle
import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any

import pyarrow as pa

from publius.core.declared import settle
from publius.core.errors import ParameterError, PubliusError, WorkerError
from publius.engines.attempt import Failure, succeeded
from publius.engines.engine import Result, Task
from publius.engines.shipped import Shipped
from publius.engines.spark_session import (
    FAILURES,
    ConnectMode,
    gave_up,
    has_workers,
    is_remote,
    open_session,
    refuse_open,
    without_warnings,
)
from publius.engines.split import Split
from publius.engines.tally import Tallied, Tally

_WAVES = 50
"""Jobs into which a run is cut, so that the driver hears how far it is."""
_LEAST = 4
_AGAIN = 1.0
_PATIENCE = 300.0
"""Seconds for which a run waits for a worker while there is none."""
_SCHEMA = "outcome binary, tag binary, cost bigint"


@dataclass(slots=True)
class Spark:
    """Run tasks on Spark.

    Args:
        session: An open session, of Spark Connect too; None starts one, which `close`
            stops.
        master: Of the session that is started: ``spark://host:7077``, or
            ``sc://host:15002`` for Spark Connect.
        trusts_cluster: Accept a cluster without encryption and authentication.
    """

    session: Any = field(default=None, repr=False)
    master: str = "local[*]"
    trusts_cluster: bool = False
    _own: Any = field(default=None, init=False, repr=False)
    _mode: ConnectMode = field(
        default_factory=ConnectMode, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        settle(self)
        if self.session is not None and not hasattr(self.session, "range"):
            raise ParameterError(
                "session must be an open session of Spark, got a value of type "
                f"{type(self.session).__name__}; an address is given as master="
            )

    def run(self, task: Task[Result], splits: Sequence[Split]) -> Iterator[Result]:
        """Apply a picklable task to every split at least once, in any order.

        Raises:
            ParameterError: The cluster is not protected, and not trusted either.
            WorkerError: Spark is not installed, cannot be reached, or gave up.
        """
        with self._job() as job:
            yield from job.outcomes(task, splits, is_tallied=False)

    def run_tallied(
        self, task: Task[Tallied[Result]], splits: Sequence[Split], tally: Tally
    ) -> Iterator[Result]:
        """Apply a task likewise; its sums are shuffled and added up by Spark."""
        with self._job() as job:
            yield from job.outcomes(task, splits, is_tallied=True)
            job.add_up(tally)

    def close(self) -> None:
        """Stop the session that was started here."""
        if self._own is not None:
            with suppress(*FAILURES):
                self._own.stop()
            self._own = None
        self._mode.restore()

    @contextmanager
    def _job(self) -> "Iterator[_Job]":
        if self.session is None and self._own is None:
            self._mode.remember()
            self._own = open_session(self.master)
        job = _Job(self._own if self.session is None else self.session)
        try:
            if not self.trusts_cluster:
                refuse_open(job.session)
            yield job
        except PubliusError:
            raise
        except FAILURES as error:
            failure = gave_up(error)
        else:
            return
        finally:
            job.close()
        raise failure


@dataclass(slots=True)
class _Job:
    """The jobs of one run, under a tag by which they can be stopped."""

    session: Any
    tag: str = field(default_factory=lambda: f"publius-{secrets.token_hex(8)}")
    frames: list[Any] = field(default_factory=list)

    def outcomes(
        self, task: Task[Any], splits: Sequence[Split], *, is_tallied: bool
    ) -> Iterator[Any]:
        """Yield what the task returned for every split, in waves."""
        shipped = Shipped.of(task)
        size = max(_LEAST, -(-len(splits) // _WAVES))
        for first in range(0, len(splits), size):
            wave = list(splits[first : first + size])
            self.frames.append(self._frame(shipped, wave, is_tallied=is_tallied))
        # All at once, so that no worker waits for the last one of a wave.
        with ThreadPoolExecutor(max(1, len(self.frames))) as pool:
            waves = {pool.submit(self._collected, frame) for frame in self.frames}
            try:
                while waves:
                    done = self._next(waves)
                    waves -= done
                    for one in done:
                        for outcome in one.result():
                            yield succeeded(outcome)
            finally:
                self._stop(waves)

    def _next(self, waves: "set[Future[list[Any]]]") -> "set[Future[list[Any]]]":
        """Return the waves that are done next; Spark itself would wait for ever."""
        while True:
            done, _ = wait(waves, _PATIENCE, FIRST_COMPLETED)
            if done or not has_workers(self.session):
                break
        if not done:
            raise WorkerError(
                "no worker of Spark takes a task; see that its workers live and have "
                "the memory that spark.executor.memory asks for, and run again with "
                "--resume"
            )
        return done

    def add_up(self, tally: Tally) -> None:
        """Let Spark add up the sums of all waves; hear of them what is asked."""
        if not self.frames:
            return
        every = reduce(lambda one, other: one.unionAll(other), self.frames)
        sums = every.where("tag IS NOT NULL").groupBy("tag").agg({"cost": "sum"})
        named = sums.toDF("tag", "cost")
        if tally.hears_all:
            tally.close({bytes(row.tag): row.cost for row in named.collect()})
        else:
            tally.most = named.agg({"cost": "max"}).collect()[0][0] or 0

    def close(self) -> None:
        """Let go of the sums."""
        for frame in self.frames:
            with suppress(*FAILURES):
                frame.unpersist()

    def _frame(self, shipped: Shipped, wave: list[Split], *, is_tallied: bool) -> Any:  # noqa: ANN401 - pyspark is an extra
        with without_warnings():
            numbers = self.session.range(0, len(wave), 1, len(wave))
            work = partial(_work, shipped, wave, is_tallied)
            frame = numbers.mapInArrow(work, _SCHEMA)
        # Sums are asked for after the outcomes. Were kept ones lost, their task would
        # run again: it draws the same once more and finds its part committed.
        return frame.persist() if is_tallied else frame

    def _collected(self, frame: Any) -> list[Any]:  # noqa: ANN401 - pyspark is an extra
        if is_remote(self.session):
            self.session.addTag(self.tag)
        else:
            self.session.sparkContext.addJobTag(self.tag)
        rows = frame.where("outcome IS NOT NULL").select("outcome").collect()
        # Written by this program on workers that the user chose.
        return [pickle.loads(row.outcome) for row in rows]  # noqa: S301

    def _stop(self, waves: "set[Future[list[Any]]]") -> None:
        """Stop what still runs when the driver gives up; its commits are in order."""
        while waves:
            # Spark forgets that it was told to stop a job that had not begun.
            with suppress(*FAILURES):
                if is_remote(self.session):
                    self.session.interruptTag(self.tag)
                else:  # whose interruptTag knows the tags of its own thread alone
                    self.session.sparkContext.cancelJobsWithTag(self.tag)
            waves = wait(waves, _AGAIN).not_done


def _work(
    shipped: Shipped,
    splits: list[Split],
    is_tallied: bool,  # noqa: FBT001 - partial fixes it
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """Apply the task to the splits whose numbers come; runs in the worker."""
    for batch in batches:
        for place in batch.column(0).to_pylist():
            # A failure comes back as a value: Spark would log what is raised.
            outcome, sums = shipped.attempt(splits[place]), {}
            if is_tallied and not isinstance(outcome, Failure):
                outcome, sums = outcome.result, outcome.sums
            yield _rows([pickle.dumps(outcome)], [None], [None])
            if sums:
                yield _rows([None] * len(sums), list(sums), list(sums.values()))


def _rows(
    outcomes: Sequence[bytes | None],
    tags: Sequence[bytes | None],
    costs: Sequence[int | None],
) -> pa.RecordBatch:
    columns = [
        pa.array(outcomes, pa.binary()),
        pa.array(tags, pa.binary()),
        pa.array(costs, pa.int64()),
    ]
    return pa.record_batch(columns, names=["outcome", "tag", "cost"])
