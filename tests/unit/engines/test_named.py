"""Engines by name, of other packages too; addresses that nobody answers at."""

import pickle
import socket
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from publius.core.errors import ParameterError, UnknownNameError, WorkerError
from publius.engines import named
from publius.engines.attempt import Failure
from publius.engines.local import Local
from publius.engines.reach import refuse_unreachable
from publius.engines.shipped import Shipped
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
    assert named.engine_names() == ["local", "spark", "ray", "theirs"]
    made = named.named_engine("theirs", address="there", trusts_cluster=True)
    assert made == Local(2)


def test_engines_of_publius() -> None:
    assert named.named_engine("local") is None
    spark = named.named_engine("spark", address="sc://host:1")
    assert spark == named.Spark(master="sc://host:1")
    assert named.named_engine("ray", address="auto") == named.Ray(address="auto")
    with pytest.raises(UnknownNameError, match="spark"):
        named.named_engine("sparc")


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
