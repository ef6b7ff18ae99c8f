"""Spark: one task per split number; the rows never pass through Spark itself.

``spark.range(n).mapInArrow`` works with Spark Connect too. A task gets the settings and
the key in its closure, which Spark may write to local disks: encryption of what it
writes is required, and off this machine authentication and encryption on the wire.
"""

import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa

try:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession
except ImportError:
    HAS_SPARK = False
else:
    HAS_SPARK = True

from publius.core.errors import ParameterError, WorkerError
from publius.engines.attempt import attempted, succeeded
from publius.engines.engine import Result, Task
from publius.engines.split import Split

_AT_REST = ("spark.io.encryption.enabled",)
_ON_THE_WIRE = ("spark.authenticate", "spark.network.crypto.enabled")
_WAVE = 1000
"""Splits after which the driver hears of the parts that are done."""
_HERE = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Spark:
    """Run tasks on Spark.

    Args:
        session: An open session; None starts one, which `close` stops.
        master: Of the session that is started, such as ``spark://host:7077``.
        trusts_cluster: Accept a cluster without encryption and authentication.
    """

    session: Any = field(default=None, repr=False)
    master: str = "local[*]"
    trusts_cluster: bool = False

    def run(self, task: Task[Result], splits: Sequence[Split]) -> Iterator[Result]:
        """Apply a picklable task to every split at least once, in any order.

        Raises:
            ParameterError: The cluster is not protected, and not trusted either.
            WorkerError: Spark is not installed, cannot be reached, or gave up.
        """
        session = self.session if self.session is not None else self._started()
        self._refuse_open(session)
        yield from _outcomes(session, task, splits)

    def close(self) -> None:
        """Stop the session that was started here."""
        if self.session is None and HAS_SPARK:
            session = SparkSession.getActiveSession()
            if session is not None:
                session.stop()

    def _started(self) -> Any:  # noqa: ANN401 - pyspark is an extra
        if not HAS_SPARK:
            raise WorkerError(
                "Spark is not installed; pip install 'publius[spark]', and Java 17"
            )
        # Spark reads it from here alone; without it workers take any python3.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = (
            SparkSession.builder.master(self.master)
            .appName("publius")
            .config("spark.io.encryption.enabled", "true")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.log.level", "OFF")
        )
        if self.master.startswith("local"):
            builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config(
                "spark.driver.host", "127.0.0.1"
            )
        try:
            return builder.getOrCreate()
        except (PySparkException, OSError, RuntimeError) as error:
            kind = type(error).__name__
        raise WorkerError(
            f"Spark cannot be started at {self.master!r} ({kind}); is the master "
            "running and reachable, and is Java 17 installed?"
        )

    def _refuse_open(self, session: Any) -> None:  # noqa: ANN401 - pyspark is an extra
        if self.trusts_cluster:
            return
        master = session.conf.get("spark.master", "")
        is_here = master.startswith("local") or any(
            f"//{host}:" in master for host in _HERE
        )
        needed = _AT_REST if is_here else (*_AT_REST, *_ON_THE_WIRE)
        for name in needed:
            if str(session.conf.get(name, "false")).lower() != "true":
                raise ParameterError(
                    f"{name} is not true: the key of the noise could be read on the "
                    "cluster; set it, or accept that with --trust-cluster"
                )


def _outcomes(
    session: Any,  # noqa: ANN401 - pyspark is an extra
    task: Task[Result],
    splits: Sequence[Split],
) -> Iterator[Result]:
    try:
        # An iterator over the frame would run one partition after another.
        for first in range(0, len(splits), _WAVE):
            wave = list(splits[first : first + _WAVE])
            numbers = session.range(0, len(wave), 1, len(wave))
            frame = numbers.mapInArrow(partial(_work, task, wave), "outcome binary")
            for row in frame.collect():
                # Written by this program on workers that the user chose.
                yield succeeded(pickle.loads(row.outcome))  # noqa: S301
    except PySparkException as error:
        kind = type(error).__name__
    else:
        return
    raise WorkerError(
        f"Spark gave up ({kind}); what was committed is kept: see that its workers "
        "live and have this Python and Publius, and run again with --resume"
    )


def _work(
    task: Task[Any], splits: list[Split], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Apply the task to the splits whose numbers come; runs in the worker."""
    for batch in batches:
        for place in batch.column(0).to_pylist():
            # A failure comes back as a value: Spark would log what is raised.
            outcome = pickle.dumps(attempted(task, splits[place]))
            yield pa.record_batch([pa.array([outcome], pa.binary())], names=["outcome"])
