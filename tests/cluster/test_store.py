"""S3: the first writer wins, the same release, and a bucket that says no."""

import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import Asked
from publius.core.errors import DataError, OutputError
from publius.engines.store import store_at
from publius.pipeline import release

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]


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


@pytest.fixture
def closed(bucket: str) -> Iterator[str]:
    """A bucket that nobody may use."""
    import boto3  # noqa: PLC0415 - an extra

    place = boto3.client("s3").meta.endpoint_url + "/moto-api/reset-auth"

    def allow(calls: int) -> None:
        asked = urllib.request.Request(  # noqa: S310 - on this machine
            place, str(calls).encode(), {"Content-Type": "text/plain"}, method="POST"
        )
        urllib.request.urlopen(asked).close()  # noqa: S310

    allow(0)
    yield bucket
    allow(1_000_000)


def test_the_first_of_eight_writers_wins(bucket: str) -> None:
    store = store_at(f"{bucket}/race")
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda i: store.put_once("part", b"%d" % i), range(8)))
    assert sum(won) == 1
    assert store.get("part") == b"%d" % won.index(True)
    assert store.get("none") is None
    with pytest.raises(OutputError, match="NoSuchBucket"):
        store_at("s3://nowhere/x").put_once("part", b"")


def test_from_s3_to_s3(
    bucket: str, folder: Path, asked: Asked, whole: dict[str, bytes]
) -> None:
    source, target = store_at(f"{bucket}/in"), store_at(f"{bucket}/out")
    for path in folder.iterdir():
        source.put(path.name, path.read_bytes())
    release(asked(Path(f"{bucket}/out"), path=f"{bucket}/in"))
    assert {name: target.get(name) for name in target.names()} == whole


def test_a_bucket_without_permission(
    closed: str, folder: Path, asked: Asked, spot: Path
) -> None:
    with pytest.raises(OutputError, match=r"cannot be used \(\w+\); check"):
        release(asked(Path(f"{closed}/no"), path=str(folder)))
    with pytest.raises(DataError, match="cannot be read; check the address"):
        release(asked(spot / "outs" / "none", path=f"{closed}/in"))
    assert not (spot / "outs" / "none").exists()
