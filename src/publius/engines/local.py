"""The local engine: worker processes of this machine, or this process alone."""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, cast

import pyarrow as pa
from threadpoolctl import threadpool_limits

from publius.core.errors import ParameterError, WorkerError
from publius.engines.attempt import Failure, SafeStep, succeeded
from publius.engines.engine import Commit, Result, RunSummary, StepFactory, Task
from publius.engines.split import Split
from publius.engines.tally import Adding, Tallied, Tally
from publius.tables.shards import Shard

_PATIENCE = 5.0  # seconds that a worker gets to end by itself


@dataclass(frozen=True, slots=True)
class Local:
    """Run steps on this machine.

    Args:
        workers: Number of processes; 1 runs everything in this one.
    """

    workers: int = 1

    def __post_init__(self) -> None:
        if not (isinstance(self.workers, int) and self.workers >= 1):
            raise ParameterError(
                f"workers must be a whole number >= 1, got {self.workers}"
            )

    def map_batches(
        self,
        step_factory: StepFactory[Result],
        shards: Iterable[Shard],
        commit: Commit[Result],
    ) -> RunSummary:
        """Run the step on every shard and commit each result as it comes.

        At most one shard per worker and one more are in memory at a time. An error or
        Ctrl-C stops the workers at once; what was committed stays.
        """
        count = rows = 0
        with closing(self._outcomes(step_factory, shards)) as outcomes:
            for number, size, result in outcomes:
                commit(number, result)
                count, rows = count + 1, rows + size
        return RunSummary(count, rows)

    def run(self, task: Task[Result], splits: Sequence[Split]) -> Iterator[Result]:
        """Apply a picklable task to every split, in any order."""
        with closing(self._outcomes(partial(_given, task), splits)) as outcomes:
            for _, _, result in outcomes:
                yield result

    def run_tallied(
        self, task: Task[Tallied[Result]], splits: Sequence[Split], tally: Tally
    ) -> Iterator[Result]:
        """Apply a task to every split and add up its sums."""
        adding = Adding()
        with closing(self._outcomes(partial(_given, task), splits)) as outcomes:
            for number, _, told in outcomes:
                adding.add(number, told.sums)
                yield told.result
        tally.close(adding.total)

    def close(self) -> None:
        """Keep nothing: workers end with the run that started them."""

    def _outcomes(
        self,
        step_factory: Callable[[], Callable[[Any], Result]],
        work: "Iterable[Shard] | Iterable[Split]",
    ) -> Generator[tuple[int, int, Result], None, None]:
        if self.workers == 1:
            return _run_here(step_factory, work)
        return _run_in_processes(step_factory, work, self.workers)


def _given(task: Task[Result]) -> Task[Result]:
    return task


def _rows_of(work: "Shard | Split") -> int:
    return work.table.num_rows if isinstance(work, Shard) else 0


def _run_here(
    step_factory: Callable[[], Callable[[Any], Result]],
    work: "Iterable[Shard] | Iterable[Split]",
) -> Generator[tuple[int, int, Result], None, None]:
    step: SafeStep[Any, Result] = SafeStep(step_factory)
    for one in work:
        yield one.number, _rows_of(one), succeeded(step.attempt(one))


def _run_in_processes(
    step_factory: Callable[[], Callable[[Any], Result]],
    work: "Iterable[Shard] | Iterable[Split]",
    workers: int,
) -> Generator[tuple[int, int, Result], None, None]:
    waiting: Iterator[Shard | Split] = iter(work)
    # All workers are started before any is served: they load their models together.
    first = list(islice(waiting, workers))
    crew: list[_Worker[Result]] = []
    try:
        for _ in first:
            crew.append(_Worker(step_factory, len(first)))  # noqa: PERF401 - if one start fails, the others are stopped
        busy = {worker.connection: worker for worker in crew}
        for worker, shard in zip(crew, first, strict=True):
            worker.give(shard)
        del first
        ahead = next(waiting, None)
        while busy:
            for connection in wait(list(busy)):
                worker = busy[cast("Connection", connection)]
                number, size, result = worker.take()
                if ahead is None:
                    del busy[worker.connection]
                else:
                    worker.give(ahead)
                yield number, size, result
                if ahead is not None:
                    ahead = next(waiting, None)
    finally:
        for worker in crew:
            worker.stop()


class _Worker(Generic[Result]):
    """One process, with at most one shard in its hands."""

    def __init__(
        self, step_factory: Callable[[], Callable[[Any], Result]], workers: int
    ) -> None:
        # Neither fork, which copies locks that threads hold, nor a shared queue, which
        # a killed worker leaves locked: a fresh interpreter with a pipe of its own.
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(
            target=_serve, args=(theirs, step_factory, _threads(workers)), daemon=True
        )
        self._is_busy = False
        self._number = self._rows = 0
        try:
            with _interrupts_held():
                self._process.start()
        except OSError as error:
            raise WorkerError(
                f"cannot start a worker process: {error.strerror}; use fewer --workers"
            ) from None
        finally:
            theirs.close()

    def give(self, work: "Shard | Split") -> None:
        """Send a shard or a split to the worker, which must be waiting for one."""
        self._number, self._rows = work.number, _rows_of(work)
        self._is_busy = True
        try:
            self.connection.send(_packed(work))
        except OSError:
            raise self._lost() from None

    def take(self) -> tuple[int, int, Result]:
        """Receive the number, the rows and the result of the shard it worked on."""
        try:
            outcome = self.connection.recv()
        except (EOFError, OSError):
            raise self._lost() from None
        self._is_busy = False
        return self._number, self._rows, succeeded(outcome)

    def stop(self) -> None:
        """End the process, by force where it is busy."""
        self.connection.close()
        if self._is_busy:
            self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()

    def _lost(self) -> WorkerError:
        self._process.join(_PATIENCE)
        return WorkerError(
            f"a worker process ended in shard {self._number} "
            f"(exit code {self._process.exitcode}; killed, or memory ran out); "
            "what was committed is kept: run again with --resume and fewer --workers"
        )


def _threads(workers: int) -> int:
    return max(1, (os.cpu_count() or 1) // workers)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Start children that do not hear Ctrl-C; the parent hears it a moment later."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    connection: Connection, step_factory: StepFactory[Any], threads: int
) -> None:
    """Work on shards until the parent closes the connection; runs in the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    step: SafeStep[Any, Any] = SafeStep(step_factory)
    with threadpool_limits(threads):
        while True:
            try:
                work = _unpacked(connection.recv())
                connection.send_bytes(_answer(step, work, threads))
            except (EOFError, OSError):
                return  # the parent has stopped listening


def _answer(step: SafeStep[Any, Any], work: "Shard | Split", threads: int) -> bytes:
    outcome = step.attempt(work)
    # The step may have loaded libraries that were not there to be limited before.
    threadpool_limits(threads)
    try:
        return pickle.dumps(outcome)
    except (pickle.PicklingError, TypeError, AttributeError):
        pass  # its text may quote a value
    error = WorkerError(
        f"the result of shard {work.number} cannot be sent to its parent"
    )
    return pickle.dumps(Failure(error))


def _packed(work: "Shard | Split") -> "Split | tuple[int, int, bytes]":
    if isinstance(work, Split):
        return work
    # Pickling a slice would send the whole buffer behind it.
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, work.table.schema) as writer:
        writer.write_batch(work.table)
    return work.number, work.start, bytes(sink.getvalue())


def _unpacked(sent: "Split | tuple[int, int, bytes]") -> "Shard | Split":
    if isinstance(sent, Split):
        return sent
    number, start, packed = sent
    with pa.ipc.open_stream(packed) as reader:
        return Shard(number, reader.read_next_batch(), start)
