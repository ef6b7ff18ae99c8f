"""Long work: it goes on while nobody asks, tells how far it is, and can be stopped."""

import secrets
import shutil
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path
from threading import Event, Lock
from time import monotonic

from publius.core.errors import CancelledError
from publius.core.watch import Watch
from publius.services.verb import Result
from publius.studio.problems import Problem, problem_of

MOST_JOBS = 32
WORKERS = 2


class State(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Say whether nothing more will happen."""
        return self in (State.DONE, State.FAILED, State.CANCELLED)


@dataclass(slots=True, eq=False)
class Job:
    """One piece of work.

    Args:
        verb: What is done.
        sent: Strings of the request, which errors do not repeat.
        folder: For files that it writes; None if it writes none.
        size: Bytes of input, for progress; 0 if unknown.
        notes: What a page wants to remember about it; no secret.
    """

    verb: str
    sent: tuple[str, ...] = ()
    folder: Path | None = None
    size: int = 0
    notes: Mapping[str, object] = field(default_factory=dict)
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    state: State = State.WAITING
    stage: str = ""
    rows: int = 0
    read: int = 0
    done: float | None = None
    result: Result | None = None
    problem: Problem | None = None
    began: float = field(default_factory=monotonic)
    ended: float | None = None
    stop: Event = field(default_factory=Event)

    @property
    def is_over(self) -> bool:
        """Say whether nothing more will happen."""
        return self.state.is_over

    @property
    def seconds(self) -> float:
        """Return how long it has taken so far."""
        return (self.ended or monotonic()) - self.began

    @property
    def share(self) -> float | None:
        """Return how much was read, or how many steps done; None if unknown."""
        return min(1.0, self.read / self.size) if self.size else self.done

    def to_json(self) -> dict[str, object]:
        """Return plain values; no secret."""
        return {
            "id": self.id,
            "verb": self.verb,
            "state": self.state.value,
            "stage": self.stage,
            "rows": self.rows,
            "share": self.share,
            "seconds": round(self.seconds, 3),
            "problem": None if self.problem is None else self.problem.to_json(),
            "files": self.files(),
        }

    def files(self) -> list[str]:
        """Return the names of what it wrote, once it is done."""
        if self.folder is None or self.state is not State.DONE:
            return []
        # Nobody but this server writes there; a link would be a way out all the same.
        paths = (p for p in self.folder.iterdir() if p.is_file() and not p.is_symlink())
        return sorted(path.name for path in paths)

    def watch(self) -> Watch:
        """Return what the work tells, and asks whether to go on."""
        return Watch(self._stage, self._rows, self.stop.is_set, steps=self._steps)

    def _stage(self, text: str) -> None:
        self.stage = text

    def _rows(self, done: int, read: int) -> None:
        self.rows, self.read = done, read

    def _steps(self, done: int, total: int) -> None:
        self.done = done / total if total else None


Work = Callable[[Watch], Result]


class Jobs:
    """Run jobs, a few at a time, and keep the last ones with their results.

    Args:
        workers: How many run at once; the others wait.
        most: How many are kept.
    """

    def __init__(self, workers: int = WORKERS, most: int = MOST_JOBS) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="publius-job")
        self._most, self._lock = most, Lock()
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def start(self, job: Job, work: Work) -> Job:
        """Begin, or wait for a worker."""
        with self._lock:
            self._make_room()
            self._jobs[job.id] = job
        self._pool.submit(_run, job, work)
        return job

    def find(self, number: str) -> Job:
        """Return a job by its id."""
        if number not in self._jobs:
            raise Problem(
                HTTPStatus.NOT_FOUND,
                "there is no such job; the server keeps the last ones until it ends",
            )
        return self._jobs[number]

    def listed(self) -> list[Job]:
        """Return all jobs, newest first."""
        return list(reversed(self._jobs.values()))

    def cancel(self, number: str) -> Job:
        """Ask a job to stop; what it committed until then stays."""
        job = self.find(number)
        job.stop.set()
        return job

    def stop(self) -> None:
        """Ask every job to stop, and wait for none."""
        for job in self._jobs.values():
            job.stop.set()

    def close(self) -> None:
        """Stop everything."""
        self.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _make_room(self) -> None:
        over = [job for job in self._jobs.values() if job.is_over]
        if len(self._jobs) < self._most:
            return
        if not over:
            raise Problem(
                HTTPStatus.TOO_MANY_REQUESTS, "too many jobs are waiting; try later"
            )
        folder = self._jobs.pop(over[0].id).folder
        # A resumed job writes to the folder of the one that was stopped.
        is_used = any(job.folder == folder for job in self._jobs.values())
        if folder is not None and not is_used:
            shutil.rmtree(folder, ignore_errors=True)


def _run(job: Job, work: Work) -> None:
    state = State.FAILED
    try:
        job.state = State.RUNNING
        watch = job.watch()
        watch.check()
        job.result = work(watch)
        state = State.DONE
    except CancelledError as error:
        job.problem, state = problem_of(error, job.sent), State.CANCELLED
    except Exception as error:  # noqa: BLE001 - nobody else would hear of it
        job.problem = problem_of(error, job.sent)
    job.ended = monotonic()
    # Last: who sees that it is over also sees the rest.
    job.state = state
