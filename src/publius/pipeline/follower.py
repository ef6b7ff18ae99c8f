"""Write the table of a release while its shards are still being drawn."""

from collections.abc import Callable, Iterable, Iterator
from threading import Condition, Thread

import pyarrow as pa


class _StoppedError(Exception):
    """The run ended before its table did."""


class Follower:
    """A thread that writes shards in their order, each as soon as it is committed.

    The last step of a release is one process's work: done at the end, it would keep all
    workers waiting.

    Args:
        write: Writes tables one after another, or leaves nothing if they fail.
        read: Returns a shard that is committed.
        committed: Numbers of shards that an earlier run committed.
    """

    def __init__(
        self,
        write: Callable[[Iterable[pa.Table]], None],
        read: Callable[[int], pa.Table],
        committed: Iterable[int],
    ) -> None:
        self._write = write
        self._read = read
        self._committed = set(committed)
        self._total: int | None = None
        self._is_stopped = False
        self._error: BaseException | None = None
        self._changed = Condition()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def tell(self, number: int) -> None:
        """Say that a shard is committed; raise what went wrong with those before."""
        with self._changed:
            if self._error is not None:
                raise self._error
            self._committed.add(number)
            self._changed.notify()

    def finish(self, shards: int) -> None:
        """Wait until all shards are written, which must all be committed."""
        with self._changed:
            self._total = shards
            self._changed.notify()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """End without a table."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._write(self._tables())
        except _StoppedError:
            pass
        except BaseException as error:  # noqa: BLE001 - raised where the run goes on
            self._error = error

    def _tables(self) -> Iterator[pa.Table]:
        number = 0
        while self._comes(number):
            yield self._read(number)
            number += 1

    def _comes(self, number: int) -> bool:
        """Wait for a shard; return whether there is one of that number."""
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    self._is_stopped
                    or number in self._committed
                    or self._total is not None
                )
            )
            if self._is_stopped:
                raise _StoppedError
            return number in self._committed
