"""One release on every engine: the same bytes, one draw, nothing told."""

import json
import shutil
import threading
import urllib.request
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lookout import SECRETS, Lookout

from conftest import ROWS, Asked, files
from publius import engines
from publius.accounting.ledger import Ledger
from publius.adapters import spark as adapter
from publius.core.config import LedgerSettings
from publius.core.errors import (
    BudgetError,
    DataError,
    OutputError,
    ParameterError,
    WorkerError,
)
from publius.core.watch import Watch
from publius.engines.spark_session import is_here
from publius.engines.split import Split
from publius.pipeline import release

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module", params=["spark", "ray"])
def engine(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("fault", ["Killed", "CommittedThenKilled", "Twice"])
def test_whatever_is_tried_again_is_one_draw(  # noqa: PLR0917 - fixtures and cases
    engine: Any,
    faults: ModuleType,
    asked: Asked,
    whole: dict[str, bytes],
    out: Path,
    tmp_path: Path,
    fault: str,
) -> None:
    bad = faults.Bad(engine, getattr(faults, fault), tmp_path / "mark")
    release(asked(out), engine=bad)
    assert (tmp_path / "mark").exists()
    assert files(out) == whole


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        ("Changed", OutputError, "part 1 was written by somebody else"),
        ("Vanished", DataError, "vanished, or cannot be read by a worker"),
        ("FullDisk", OutputError, "the file grew beyond the size limit"),
    ],
)
def test_what_cannot_be_released_leaves_no_manifest(  # noqa: PLR0917 - fixtures and cases
    engine: Any,
    faults: ModuleType,
    asked: Asked,
    out: Path,
    tmp_path: Path,
    fault: str,
    error: type[Exception],
    message: str,
) -> None:
    bad = faults.Bad(engine, getattr(faults, fault), tmp_path / "mark")
    with pytest.raises(error, match=message):
        release(asked(out, seed=None), engine=bad)
    assert not (out / "manifest.json").exists()


def test_an_error_comes_back_without_its_text_and_the_run_is_resumed(
    engine: Any,
    faults: ModuleType,
    asked: Asked,
    whole: dict[str, bytes],
    out: Path,
    tmp_path: Path,
) -> None:
    bad = faults.Bad(engine, faults.Raises, tmp_path / "mark")
    with pytest.raises(WorkerError, match="KeyError at") as caught:
        release(asked(out), engine=bad)
    assert faults.CANARY not in str(caught.value)
    with pytest.raises(OutputError, match="--resume"):
        release(asked(out), engine=engine)
    told: list[int] = []
    watch = Watch(rows=lambda rows, _: told.append(rows))
    release(asked(out, resume=True), watch, engine=engine)
    assert files(out) == whole
    assert told[-1] == ROWS, "the driver hears how far it is"


def test_a_failure_stops_what_still_waits(
    engine: Any, faults: ModuleType, tmp_path: Path
) -> None:
    splits = [Split(number, ()) for number in range(32)]
    with pytest.raises(DataError, match="bad"):
        list(engine.run(faults.Fourth(str(tmp_path)), splits))
    assert len(list(tmp_path.iterdir())) < 20  # of 24


def test_a_ledger_is_charged_once_and_by_the_engine(
    engine: Any, faults: ModuleType, asked: Asked, spot: Path, out: Path
) -> None:
    secret = spot / "secret" / out.name
    secret.mkdir(parents=True)
    ledger = LedgerSettings(str(secret / "ledger"))
    bad = faults.Bad(engine, faults.CommittedThenKilled, secret / "mark")
    done = release(asked(out, seed=None, ledger=ledger), engine=bad)
    with Ledger.open(ledger.file) as opened:
        names = {account.name for account in opened.accounts(99, 1e-6)}
        (charge,) = opened.charges()
    assert names == {f"canaryname{i}" for i in range(9)}
    assert charge.most == done.exposure.busiest
    assert charge.guarantees == done.exposure.words
    spent = LedgerSettings(str(secret / "ledger"), budget=1.0)
    more = out.with_name(out.name + "-more")
    with pytest.raises(BudgetError):
        release(asked(more, seed=None, ledger=spent), engine=engine)
    assert not more.exists()


def test_two_drivers_do_not_share_a_folder(
    engine: Any, asked: Asked, out: Path
) -> None:
    outcomes: Counter[str] = Counter()

    def drive() -> None:
        try:
            release(asked(out, seed=None), engine=engine)
            outcomes["done"] += 1
        except OutputError:
            outcomes["refused"] += 1

    drivers = [threading.Thread(target=drive) for _ in range(2)]
    for driver in drivers:
        driver.start()
    for driver in drivers:
        driver.join()
    assert outcomes == {"done": 1, "refused": 1}


def test_a_frame_is_written_once_and_read_back(
    spark: Any, folder: Path, spot: Path, out: Path
) -> None:
    # Spark tells on its pages what a frame was read from: not the folder of the others.
    own = shutil.copytree(folder, spot / "secret" / "source")
    frame = spark.session.read.parquet(own.as_uri()).limit(50)
    common = {"text": "body", "subject": "user", "vocabulary": 60}
    paths = {"to": str(out), "staging": str(spot / "secret" / "frame")}
    done = adapter.release(frame, **common, **paths)
    assert done.count() == 50
    assert done.columns == ["body"]
    assert not list((spot / "secret" / "frame").rglob("*.parquet"))
    if is_here(spark.session):
        assert adapter.release(frame, **common, to=f"{out}-too").count() == 50
    else:
        with pytest.raises(ParameterError, match="staging="):
            adapter.release(frame, **common, to=f"{out}-too")
    with pytest.raises(DataError, match="no column 'boddy'; columns: body, user"):
        adapter.release(frame, **{**common, **paths, "text": "boddy"})
    with pytest.raises(ParameterError, match="must not lie in the release"):
        adapter.release(frame, **common, to=paths["to"], staging=paths["to"] + "/x")


def test_a_mechanism_on_gpus_gets_an_actor_per_gpu(
    engine: Any, faults: ModuleType, tmp_path: Path
) -> None:
    if isinstance(engine, engines.Spark):
        pytest.skip("GPUs of a task are Spark's own business")
    made = engines.Ray()  # the second node says that it has two GPUs
    splits = [Split(number, ()) for number in range(6)]
    told = set(made.run(faults.OnGpu(str(tmp_path)), splits))
    made.close()
    assert len({process for process, _ in told}) == 2
    assert {gpus for _, gpus in told} == {("0",), ("1",)}


def test_a_lost_worker_is_replaced(  # noqa: PLR0917 - fixtures and cases
    engine: Any,
    request: pytest.FixtureRequest,
    faults: ModuleType,
    asked: Asked,
    whole: dict[str, bytes],
    out: Path,
    tmp_path: Path,
) -> None:
    bad = faults.Bad(engine, faults.WorkerLost, tmp_path / "mark")
    release(asked(out), engine=bad)
    assert (tmp_path / "mark").exists()
    assert files(out) == whole
    if isinstance(engine, engines.Spark):
        request.getfixturevalue("cluster").add_worker()


def test_no_page_of_spark_tells_a_secret(spark: Any, folder: Path) -> None:
    context = spark.session.sparkContext
    api = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}"
    asked_for = ("jobs", "stages?details=true", "environment", "sql?length=9999",
                 "allexecutors", "storage/rdd")  # fmt: skip
    pages = [f"{api}/{name}" for name in asked_for]
    pages += [f"{context.uiWebUrl}/{name}/" for name in ("jobs", "SQL", "environment")]
    read = []
    for page in pages:
        with urllib.request.urlopen(page) as answer:  # noqa: S310 - on this machine
            read.append(answer.read())
    assert len(json.loads(read[0])) > 5
    secrets = {*SECRETS, str(folder).encode()}
    assert not [page for page in read for secret in secrets if secret in page]


def test_no_table_of_ray_tells_a_secret(ray: Any, folder: Path) -> None:
    import ray as package  # noqa: PLC0415 - an extra

    del ray
    tables = [package.timeline(), package.nodes(), package._private.state.actors()]
    said = json.dumps(tables, default=repr).encode()
    assert b"apply" in said
    secrets = {*SECRETS, str(folder).encode()}
    assert not [secret for secret in secrets if secret in said]


def test_no_secret_is_in_any_file_that_an_engine_wrote(
    engine: Any, lookout: Lookout, spot: Path
) -> None:
    """Runs after all others of its engine."""
    del engine
    assert lookout.files > 20
    assert not lookout.hits
    (spot / "planted").write_bytes(b"..." + next(iter(SECRETS)))
    lookout.look()
    assert lookout.hits == {"planted"}
    lookout.hits.clear()
