"""Tests on real clusters, which `make test-cluster` starts."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # workers import from there too

from clusters import Standalone, standalone  # noqa: E402
from lookout import KEY, Lookout  # noqa: E402

from publius import engines  # noqa: E402
from publius.core.config import WordSettings  # noqa: E402
from publius.core.rng import Cipher, RunKey  # noqa: E402
from publius.pipeline import ReleaseRequest, release  # noqa: E402
from publius.tables.columns import Columns  # noqa: E402

ROWS = 20_000  # two parts
PROTECTED = {
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.io.encryption.enabled": "true",
}
Asked = Callable[..., ReleaseRequest[Any]]


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    if "cluster" in (config.option.markexpr or ""):
        return
    skip = pytest.mark.skip(reason="Spark, Ray and S3: run make test-cluster")
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def spot() -> Iterator[Path]:
    """A short path: Ray's sockets lie under it."""
    path = Path(tempfile.mkdtemp(prefix="pb"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")
def faults() -> Iterator[ModuleType]:
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), before])
    yield __import__("faults")
    os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="session", autouse=True)
def key() -> Iterator[bytes]:
    """Let seeds give a key that can be recognised wherever it appears."""
    with pytest.MonkeyPatch.context() as patch:
        made = RunKey(KEY, is_secure=True, cipher=Cipher.AES128)
        patch.setattr(RunKey, "from_seed", classmethod(lambda *_: made))
        yield KEY


@pytest.fixture(scope="session")
def folder(spot: Path) -> Path:
    path = spot / "in"
    path.mkdir()
    texts = [f"People said zqxcanary {i} of the world" for i in range(ROWS)]
    users = [f"canaryname{i % 9}" for i in range(ROWS)]
    whole = pa.table({"body": texts, "user": users})
    parquet.write_table(whole.slice(0, 7000), path / "a.parquet", row_group_size=999)
    parquet.write_table(whole.slice(7000), path / "b.parquet")
    return path


@pytest.fixture
def out(spot: Path, request: pytest.FixtureRequest) -> Path:
    """A folder that is watched."""
    return spot / "outs" / request.node.name


@pytest.fixture(scope="session")
def asked(folder: Path) -> Asked:
    def made(out: Path, **changes: object) -> ReleaseRequest[Any]:
        given: dict[str, object] = {
            "path": str(folder),
            "out": out,
            "columns": Columns(("body",), "user"),
            "settings": WordSettings(vocabulary=60),
            "seed": 5,
        }
        return ReleaseRequest(**{**given, **changes})  # type: ignore[arg-type]

    return made


def files(out: Path) -> dict[str, bytes]:
    every = (path for path in out.rglob("*") if path.is_file())
    return {str(path.relative_to(out)): path.read_bytes() for path in every}


@pytest.fixture(scope="session")
def whole(asked: Asked, spot: Path) -> dict[str, bytes]:
    """What this machine releases."""
    release(asked(spot / "whole"))
    return files(spot / "whole")


@pytest.fixture(scope="session")
def lookout(spot: Path, folder: Path) -> Iterator[Lookout]:
    watch = Lookout(spot, (folder, spot / "secret"))
    watch.start()
    yield watch
    watch.stop()


@pytest.fixture(scope="session")
def cluster(spot: Path, faults: ModuleType, lookout: Lookout) -> Iterator[Standalone]:
    """A standalone Spark: a master and two workers."""
    del faults, lookout  # workers inherit the path; all that they write is read
    with standalone(spot / "spark", PROTECTED) as made:
        yield made


@contextmanager
def session_of(
    cluster: Standalone, spot: Path, name: str, more: dict[str, str]
) -> Iterator[Any]:
    """Open a session on a cluster, whose log of events has a folder of that name."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    events = spot / f"events-{name}"
    events.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in cluster.processes.env.items():
            patch.setenv(variable, value)
        builder = SparkSession.builder.master(cluster.url)
        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.executor.memory": "512m",
            "spark.local.dir": str(spot / "local"),
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",  # which would hide a secret
            "spark.eventLog.dir": events.as_uri(),
            "spark.ui.port": "0",
            "spark.ui.showConsoleProgress": "false",
        }
        for setting, value in (settings | more).items():
            builder = builder.config(setting, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


@pytest.fixture(scope="module")
def spark(cluster: Standalone, spot: Path) -> Iterator[Any]:
    with session_of(cluster, spot, "spark", {}) as session:
        yield engines.Spark(session)


@pytest.fixture(scope="module")
def ray(spot: Path, faults: ModuleType, lookout: Lookout) -> Iterator[Any]:
    """Two nodes of Ray, the second of which may be lost."""
    del faults, lookout
    import ray as package  # noqa: PLC0415 - an extra
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - an extra

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", str(spot))
        head = {"num_cpus": 1, "include_dashboard": False}
        nodes = Cluster(initialize_head=True, head_node_args=head)
        nodes.add_node(num_cpus=1, num_gpus=2)
        package.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
        made = engines.Ray(workers=2)
        yield made
        made.close()
        package.shutdown()
        nodes.shutdown()
