"""One release on every engine: the same bytes, one draw, nothing told."""

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from publius import engines
from publius.adapters import spark as adapter
from publius.core.config import LedgerSettings, WordSettings
from publius.core.errors import (
    BudgetError,
    OutputError,
    ParameterError,
    WorkerError,
)
from publius.core.rng import RunKey
from publius.engines.store import store_at
from publius.pipeline import ReleaseRequest, release
from publius.tables.columns import Columns

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]

HERE = Path(__file__).parent
ROWS = 20_000  # two parts
SECRETS = (b"zqxcanary", b"canaryname", RunKey.from_seed(5).key)


@pytest.fixture(scope="module")
def spot() -> Iterator[Path]:
    """A short path: Ray's sockets lie under it."""
    path = Path(tempfile.mkdtemp(prefix="pb"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def faults() -> Iterator[ModuleType]:
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), before])
    sys.path.insert(0, str(HERE))
    yield __import__("faults")
    sys.path.remove(str(HERE))
    os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="module")
def folder(spot: Path) -> Path:
    path = spot / "in"
    path.mkdir()
    texts = [f"People said zqxcanary {i} of the world" for i in range(ROWS)]
    users = [f"canaryname{i % 9}" for i in range(ROWS)]
    whole = pa.table({"body": texts, "user": users})
    parquet.write_table(whole.slice(0, 7000), path / "a.parquet", row_group_size=999)
    parquet.write_table(whole.slice(7000), path / "b.parquet")
    return path


@pytest.fixture(scope="module", params=["spark", "ray"])
def engine(
    request: pytest.FixtureRequest, spot: Path, faults: ModuleType
) -> Iterator[Any]:
    del faults  # workers inherit the path on which they lie
    start = _spark if request.param == "spark" else _ray
    yield from start(spot)


def _spark(spot: Path) -> Iterator[Any]:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    (spot / "events").mkdir()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.io.encryption.enabled", "true")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.local.dir", str(spot / "spark"))
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.dir", (spot / "events").as_uri())
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    yield engines.Spark(session)
    session.stop()


def _ray(spot: Path) -> Iterator[Any]:
    import ray  # noqa: PLC0415 - an extra

    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        _temp_dir=str(spot / "ray"),
    )
    yield engines.Ray(workers=2)
    ray.shutdown()


def asked(path: Path | str, out: Path, **changes: object) -> ReleaseRequest[Any]:
    given: dict[str, object] = {
        "path": str(path),
        "out": out,
        "columns": Columns(("body",), "user"),
        "settings": WordSettings(vocabulary=60),
        "seed": 5,
    }
    return ReleaseRequest(**{**given, **changes})  # type: ignore[arg-type]


def files(out: Path) -> dict[str, bytes]:
    found = (path for path in out.rglob("*") if path.is_file())
    return {str(path.relative_to(out)): path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def whole(folder: Path, spot: Path) -> dict[str, bytes]:
    release(asked(folder, spot / "whole"))
    return files(spot / "whole")


@pytest.mark.parametrize("fault", ["Killed", "CommittedThenKilled", "Twice"])
def test_whatever_is_tried_again_is_one_draw(
    engine: Any,
    faults: ModuleType,
    folder: Path,
    whole: dict[str, bytes],
    tmp_path: Path,
    fault: str,
) -> None:
    bad = faults.Bad(engine, getattr(faults, fault), tmp_path / "mark")
    release(asked(folder, tmp_path / "out"), engine=bad)
    assert (tmp_path / "mark").exists()
    assert files(tmp_path / "out") == whole


def test_rows_that_change_between_attempts_are_refused(
    engine: Any, faults: ModuleType, folder: Path, tmp_path: Path
) -> None:
    bad = faults.Bad(engine, faults.Changed, tmp_path / "mark")
    with pytest.raises(OutputError, match="part 1 was written by somebody else"):
        release(asked(folder, tmp_path / "out", seed=None), engine=bad)
    assert not (tmp_path / "out/manifest.json").exists()


def test_an_error_comes_back_without_its_text(
    engine: Any, faults: ModuleType, folder: Path, whole: dict[str, bytes],
    tmp_path: Path,
) -> None:  # fmt: skip
    bad = faults.Bad(engine, faults.Raises, tmp_path / "mark")
    with pytest.raises(WorkerError, match="KeyError at") as caught:
        release(asked(folder, tmp_path / "out"), engine=bad)
    assert faults.CANARY not in str(caught.value)
    with pytest.raises(OutputError, match="--resume"):
        release(asked(folder, tmp_path / "out"), engine=engine)
    release(asked(folder, tmp_path / "out", resume=True), engine=engine)
    assert files(tmp_path / "out") == whole


def test_a_spent_budget_draws_nothing(
    engine: Any, folder: Path, tmp_path: Path
) -> None:
    ledger = LedgerSettings(str(tmp_path / "ledger.json"), budget=1.0)
    request = asked(folder, tmp_path / "out", seed=None, ledger=ledger)
    with pytest.raises(BudgetError):
        release(request, engine=engine)
    assert not (tmp_path / "out").exists()


def test_two_drivers_do_not_share_a_folder(
    engine: Any, folder: Path, tmp_path: Path
) -> None:
    outcomes: list[object] = []

    def drive() -> None:
        try:
            release(asked(folder, tmp_path / "out", seed=None), engine=engine)
            outcomes.append("done")
        except OutputError as error:
            outcomes.append(type(error))

    drivers = [threading.Thread(target=drive) for _ in range(2)]
    for driver in drivers:
        driver.start()
    for driver in drivers:
        driver.join()
    assert sorted(map(str, outcomes)) == sorted(["done", str(OutputError)])


def test_an_open_cluster_is_refused(engine: Any, folder: Path, tmp_path: Path) -> None:
    if not isinstance(engine, engines.Spark):
        pytest.skip("all nodes of this Ray are here")

    far = SimpleNamespace(conf={"spark.master": "spark://cluster:7077"})
    with pytest.raises(ParameterError, match=r"spark\.io\.encryption\.enabled"):
        release(asked(folder, tmp_path / "out"), engine=engines.Spark(far))


def test_a_frame_is_written_once_and_read_back(
    engine: Any, folder: Path, tmp_path: Path
) -> None:
    if not isinstance(engine, engines.Spark):
        pytest.skip("frames are Spark's")
    frame = engine.session.read.parquet(folder.as_uri()).limit(50)
    common = {"text": "body", "subject": "user", "vocabulary": 60}
    paths = {"to": str(tmp_path / "out"), "staging": str(tmp_path / "secret")}
    done = adapter.release(frame, **common, **paths)
    assert done.count() == 50
    assert done.columns == ["body"]
    assert not list((tmp_path / "secret").rglob("*.parquet"))
    with pytest.raises(ParameterError, match="must not lie in the release"):
        adapter.release(frame, **common, to=paths["to"], staging=paths["to"] + "/x")


def test_no_secret_is_in_any_file_that_an_engine_wrote(engine: Any, spot: Path) -> None:
    """Runs after all others of its engine."""
    del engine
    own = (spot / "in", spot / "whole")
    read = 0
    for path in spot.rglob("*"):
        if not path.is_file() or path.is_relative_to(own[0]) or own[1] in path.parents:
            continue
        content = path.read_bytes()
        read += 1
        assert not [secret for secret in SECRETS if secret in content], path.name
    assert read


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    import boto3  # noqa: PLC0415 - an extra
    from moto.server import ThreadedMotoServer  # noqa: PLC0415 - an extra

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    there = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "y",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in there.items():
            patch.setenv(name, value)
        boto3.client("s3").create_bucket(Bucket="bucket")
        yield "s3://bucket"
    server.stop()


def test_in_s3_the_first_of_eight_writers_wins(bucket: str) -> None:
    store = store_at(f"{bucket}/race")
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda i: store.put_once("part", b"%d" % i), range(8)))
    assert sum(won) == 1
    assert store.get("part") == b"%d" % won.index(True)
    assert store.get("none") is None
    with pytest.raises(OutputError, match="NoSuchBucket"):
        store_at("s3://nowhere/x").put_once("part", b"")


def test_from_s3_to_s3(bucket: str, folder: Path, whole: dict[str, bytes]) -> None:
    source, target = store_at(f"{bucket}/in"), store_at(f"{bucket}/out")
    for path in folder.iterdir():
        source.put(path.name, path.read_bytes())
    release(asked(f"{bucket}/in", Path(f"{bucket}/out")))
    assert {name: target.get(name) for name in target.names()} == whole
