"""Engines by name, of other packages too; addresses that nobody answers at."""

import os
import pickle
import socket
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

import publius as pb
from publius.adapters import spark
from publius.core.errors import (
    DataError,
    ParameterError,
    UnknownNameError,
    WorkerError,
)
from publius.engines import named
from publius.engines.attempt import Failure
from publius.engines.local import Local
from publius.engines.ray import Ray
from publius.engines.reach import refuse_unreachable
from publius.engines.shipped import Shipped
from publius.engines.spark import Spark
from publius.engines.spark_session import (
    HAS_SPARK,
    ConnectMode,
    gave_up,
    open_session,
    refuse_open,
)
from publius.engines.split import Split


def theirs(*, address: str | None, trusts_cluster: bool) -> Local:
    assert (address, trusts_cluster) == ("there", True)
    return Local(2)


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("theirs", f"{__name__}:theirs", named.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda _: theirs)
    monkeypatch.setattr("publius.core.plugins.entry_points", lambda **_: [point])


@pytest.mark.usefixtures("plugin")
def test_another_package_adds_an_engine() -> None:
    assert named.engine_names() == [*named.OWN, "theirs"]
    made = named.named_engine("theirs", address="there", trusts_cluster=True)
    assert made == Local(2)


def test_engines_of_publius() -> None:
    assert named.named_engine("local") is None
    spark = named.named_engine("spark", address="sc://host:1")
    assert spark == Spark(master="sc://host:1")
    assert named.named_engine("ray", address="auto") == Ray(address="auto")
    with pytest.raises(UnknownNameError, match="spark"):
        named.named_engine("sparc")


@pytest.mark.parametrize("before", [None, "1"])
def test_a_session_of_connect_leaves_the_process_as_it_was(
    monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    name = "SPARK_CONNECT_MODE_ENABLED"
    monkeypatch.setenv(name, "")  # is put back when the test ends
    if before is None:
        monkeypatch.delenv(name)

    def opened(_: str) -> SimpleNamespace:
        os.environ[name] = "1"  # as Spark does
        return SimpleNamespace(stop=lambda: None)

    monkeypatch.setattr("publius.engines.spark.open_session", opened)
    engine = Spark(master="sc://host:1", trusts_cluster=True)
    engine.close()  # was never opened
    assert (name in os.environ) is (before is not None)
    with engine._job():
        assert name in os.environ
    engine.close()
    assert (name in os.environ) is (before is not None)
    ConnectMode().restore()
    assert (name in os.environ) is (before is not None)


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(WorkerError, match=r"cannot be reached at .* start it"):
        refuse_unreachable("Spark", f"spark://127.0.0.1:{port}", "start it")
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        there = server.getsockname()[1]
        several = f"spark://127.0.0.1:{port},127.0.0.1:{there}"
        refuse_unreachable("Spark", several, "")
    refuse_unreachable("Ray", "auto", "")
    del tmp_path


def test_the_token_of_an_address_is_not_told() -> None:
    with pytest.raises(WorkerError, match="cannot be reached") as refused:
        refuse_unreachable("Spark", "sc://127.0.0.1:9/;token=hidden;use_ssl=true", "")
    assert "hidden" not in str(refused.value)
    assert "use_ssl=true" in str(refused.value)


@pytest.mark.skipif(not HAS_SPARK, reason="needs pyspark")
@pytest.mark.parametrize("rest", ["", "/;token=x"])
def test_spark_connect_without_a_port_is_asked_at_its_usual_one(
    monkeypatch: pytest.MonkeyPatch, rest: str
) -> None:
    asked: list[tuple[str, int]] = []
    answers = lambda host, port: bool(asked.append((host, port)))  # noqa: E731
    monkeypatch.setattr("publius.engines.reach._answers", answers)
    with pytest.raises(WorkerError, match="cannot be reached"):
        open_session(f"sc://there{rest}")
    assert asked == [("there", 15002)]


def half(split: Split) -> float:
    return split.number / 2


def test_a_task_is_unpacked_only_by_its_own_version() -> None:
    shipped = Shipped.of(half)
    assert shipped.attempt(Split(3, ())) == 1.5
    other = Shipped(b"never looked at", "0.0.1")
    outcome = other.attempt(Split(0, ()))
    assert isinstance(outcome, Failure)
    assert "install the same version everywhere" in str(outcome.error)
    assert "looked" not in repr(other)
    broken = Shipped(pickle.dumps(half)[:-4], shipped.made_with)
    assert isinstance(broken.attempt(Split(0, ())), Failure)


def test_a_name_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("ray", "x:y", named.GROUP)
    monkeypatch.setattr("publius.core.plugins.entry_points", lambda **_: [point])
    with pytest.raises(ParameterError, match="a name that is taken"):
        named.engine_names()


def session(**settings: str) -> SimpleNamespace:
    """What is asked of a session of Spark, whose settings have dots in their names."""
    said = {name.replace("_", "."): value for name, value in settings.items()}
    return SimpleNamespace(sparkContext=SimpleNamespace(getConf=lambda: said))


REST = {"spark_io_encryption_enabled": "true"}
KNOWN = {**REST, "spark_authenticate": "true"}


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({"spark_master": "local[2]"}, "spark.io.encryption.enabled"),
        ({"spark_master": "spark://127.0.0.1:7077", **REST}, "spark.authenticate"),
        ({"spark_master": "local-cluster[2,1,512]", **REST}, "spark.authenticate"),
        ({"spark_master": "yarn", **KNOWN}, "spark.network.crypto.enabled"),
    ],
)
def test_an_open_cluster_is_refused(settings: dict[str, str], missing: str) -> None:
    with pytest.raises(ParameterError, match=f"{missing} is not true.*trust-cluster"):
        refuse_open(session(**settings))


@pytest.mark.parametrize(
    "wire", ["spark_network_crypto_enabled", "spark_ssl_rpc_enabled"]
)
def test_a_protected_cluster_is_taken(wire: str) -> None:
    refuse_open(session(spark_master="local[*]", **REST))
    refuse_open(session(spark_master="spark://host:7077", **KNOWN, **{wire: "true"}))


def test_what_spark_says_is_not_repeated() -> None:
    said = gave_up(OSError("zqxcanary: No space left on device"))
    assert "a disk of its workers is full" in str(said)
    assert "zqxcanary" not in str(said) + str(gave_up(OSError("zqxcanary")))


WRONG = {
    "session": lambda: Spark("spark://host:7077"),
    "master": lambda: Spark(master=7077),
    "address": lambda: Ray(6379),
    "workers": lambda: Ray(workers=0),
    "engine": lambda: pb.release("posts.csv", out="released", engine=5),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_engine_that_cannot_run_is_refused_where_it_is_made(name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name} must be "):
        WRONG[name]()


def test_a_frame_of_another_library_is_refused() -> None:
    with pytest.raises(DataError, match="frame of Spark"):
        spark.release([1], text="body", to="released")
