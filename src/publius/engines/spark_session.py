"""Sessions of Spark: opened without noise, refused without protection, understood."""

import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

try:
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession
except ImportError:
    HAS_SPARK = False
    FAILURES: tuple[type[Exception], ...] = ()
else:
    HAS_SPARK = True
    FAILURES = (PySparkException, Py4JError, OSError)

from publius.core.errors import ParameterError, PubliusError, WorkerError
from publius.engines.reach import refuse_unreachable, told

_AT_REST = "spark.io.encryption.enabled"
_AUTHENTICATED = "spark.authenticate"
_ON_THE_WIRE = ("spark.network.crypto.enabled", "spark.ssl.rpc.enabled")
_HERE = re.compile(r"local(\[[^]]*\])?\Z")
_CONNECT = "sc://"
_RETRIES = 6
_NO_PORT = re.compile(r"\A(sc://[^:/;]+)(?=[/;]|\Z)")
_HINT = "is the master running, and is its port open to this machine?"
_REASONS = {
    "PYTHON_VERSION_MISMATCH": "its workers have another version of Python than the "
    "driver; set PYSPARK_PYTHON to the same one everywhere",
    "Cannot run program": "its workers do not have the Python that PYSPARK_PYTHON "
    "names; install it there, or name another",
    "No module named": "its workers lack Publius or a package that it needs; install "
    "the same ones everywhere",
    "Can't get attribute": "its workers have another version of Publius; install the "
    "same version everywhere",
    "No space left on device": "a disk of its workers is full; free it, and run again "
    "with --resume",
    "JAVA_GATEWAY_EXITED": "Java is missing or too old; install Java 17, and set "
    "JAVA_HOME if it is not found",
    "UNAUTHENTICATED": "the token in its address is missing or wrong; write "
    "sc://host:15002/;token=…",
    "UNAVAILABLE": "its server went away; start it, and run again with --resume",
    "stopped SparkContext": "the master went away; start it, and run again with "
    "--resume",
}
"""What Spark says, never quoted, and what to do about it."""


class ConnectMode:
    """Whether this process speaks Spark Connect, which Spark never forgets by itself.

    A session of Connect leaves a variable behind, and no classic session is opened in
    its process, or in one that it starts, until it goes.
    """

    _VARIABLE = "SPARK_CONNECT_MODE_ENABLED"

    def __init__(self) -> None:
        self._was_on = True

    def remember(self) -> None:
        """Look before a session is opened."""
        self._was_on = self._VARIABLE in os.environ

    def restore(self) -> None:
        """Leave the process as it was, once the session has ended."""
        if not self._was_on:
            os.environ.pop(self._VARIABLE, None)


def open_session(master: str) -> Any:  # noqa: ANN401 - pyspark is an extra
    """Start a session that says nothing on the terminal.

    Raises:
        WorkerError: Spark or Java is missing, or the master cannot be reached.
    """
    if not HAS_SPARK:
        raise WorkerError(
            "Spark is not installed; pip install 'publius[spark]', and Java 17"
        )
    if not _HERE.match(master):
        refuse_unreachable("Spark", _NO_PORT.sub(r"\1:15002", master), _HINT)
    # Spark reads it from here alone; without it workers take any python3.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        with without_warnings():
            if master.startswith(_CONNECT):
                return _remote(master)
            return _classic(master)
    except PubliusError:
        raise
    except Exception as error:  # noqa: BLE001 - Spark raises whatever Java and gRPC do
        reason = _reason(error)
    raise WorkerError(f"Spark cannot be started at {told(master)!r}: {reason}")


def _remote(master: str) -> Any:  # noqa: ANN401 - pyspark is an extra
    """Return a session of Spark Connect that gives up after a minute, not ten."""
    retries = import_module("pyspark.sql.connect.client.retries")
    # It is said in one line of our own, from whichever thread it comes.
    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]")
    session: Any = SparkSession.builder.remote(master).getOrCreate()
    policy = retries.DefaultPolicy(max_retries=_RETRIES)
    session.client.set_retry_policies([policy])
    return session


def _classic(master: str) -> Any:  # noqa: ANN401 - pyspark is an extra
    """Return a session of this process, whose Java keeps what it says to itself."""
    if SparkContext._active_spark_context is not None:  # noqa: SLF001 - no other way
        raise WorkerError(
            "a Spark session is open in this process; give it to the engine: "
            "pb.engines.Spark(session)"
        )
    conf = (
        SparkConf()
        .setMaster(master)
        .setAppName("publius")
        .set("spark.ui.showConsoleProgress", "false")
        .set("spark.log.level", "OFF")
    )
    conf.setIfMissing(_AT_REST, "true")
    if _HERE.match(master):
        conf.set("spark.driver.bindAddress", "127.0.0.1")
        conf.set("spark.driver.host", "127.0.0.1")
    gateway = launch_gateway(  # type: ignore[no-untyped-call,unused-ignore]
        conf, popen_kwargs={"stderr": subprocess.DEVNULL}
    )
    return SparkSession(SparkContext(conf=conf, gateway=gateway))


def refuse_open(session: Any) -> None:  # noqa: ANN401 - pyspark is an extra
    """Refuse a cluster on which others could read the key of the noise.

    Raises:
        ParameterError: A setting is missing.
    """
    is_connect = is_remote(session)
    conf = session.conf if is_connect else session.sparkContext.getConf()
    said = {
        name: str(conf.get(name, "false")).lower() == "true"
        for name in (_AT_REST, _AUTHENTICATED, *_ON_THE_WIRE)
    }
    if not said[_AT_REST]:
        raise _refused(f"{_AT_REST} is not true")
    if is_connect and not session.client._builder.secure:  # noqa: SLF001 - no other way
        raise _refused(
            "Spark Connect is open to everybody: its address has neither token= nor "
            "use_ssl=true"
        )
    if _HERE.match(str(conf.get("spark.master", ""))):
        return
    if not said[_AUTHENTICATED]:
        raise _refused(f"{_AUTHENTICATED} is not true")
    if not any(said[name] for name in _ON_THE_WIRE):
        raise _refused(f"{_ON_THE_WIRE[0]} is not true")


def has_workers(session: Any) -> bool:  # noqa: ANN401 - pyspark is an extra
    """Tell whether a session has workers, as far as its client can know."""
    if is_remote(session):
        return True
    if is_here(session):
        return True
    context = session.sparkContext
    # The driver counts as one of them.
    executors = context._jsc.sc().statusTracker().getExecutorInfos()  # noqa: SLF001 - no other way
    return len(executors) > 1


def _refused(what: str) -> ParameterError:
    return ParameterError(
        f"{what}: others could read the key of the noise on the cluster; set it, or "
        "accept that with --trust-cluster"
    )


def is_remote(session: Any) -> bool:  # noqa: ANN401 - pyspark is an extra
    """Tell whether a session is one of Spark Connect."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def is_here(session: Any) -> bool:  # noqa: ANN401 - pyspark is an extra
    """Tell whether all workers of a session are on this machine."""
    return not is_remote(session) and bool(_HERE.match(session.sparkContext.master))


def gave_up(error: Exception) -> WorkerError:
    """Return what to do about an error of Spark, whose own text is not repeated."""
    return WorkerError(
        f"Spark gave up, and what was committed is kept: {_reason(error)}"
    )


def _reason(error: Exception) -> str:
    said = str(error)
    for mark, reason in _REASONS.items():
        if mark in said:
            return reason
    kind = type(error).__name__
    return f"{kind}; see that its workers live, and run again with --resume"


@contextmanager
def without_warnings() -> Iterator[None]:
    """Keep from the terminal what Spark thinks of other packages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
