"""What goes wrong before or beside the work: one line, a remedy, no manifest."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from clusters import PATIENCE, Standalone

from conftest import session_of
from publius import engines
from publius.core.errors import WorkerError
from publius.engines.split import Split

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]


def publius(*words: str, env: dict[str, str] | None = None) -> Any:
    """Run a command as a user does."""
    return subprocess.run(  # noqa: S603 - Publius itself
        [sys.executable, "-c", "from publius.cli import main; main()", *words],
        env=os.environ | (env or {}),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def refused(done: Any, out: Path, *said: str) -> None:
    """Check that one line says why, and that nothing can be taken for a release."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert done.returncode == 1, done.stderr
    assert len(lines) == 1, done.stderr
    for words in said:
        assert words in lines[0]
    assert "Traceback" not in done.stderr
    assert not (out / "manifest.json").exists()


@pytest.fixture(scope="module")
def nowhere() -> str:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.parametrize(
    ("engine", "option", "prefix"),
    [
        ("spark", "--master", "spark://"),
        ("spark", "--master", "sc://"),
        ("ray", "--address", ""),
    ],
)
def test_a_cluster_that_does_not_answer(
    folder: Path, out: Path, nowhere: str, engine: str, option: str, prefix: str
) -> None:
    done = publius("release", str(folder), "--text", "body", "-o", str(out),
                   "--engine", engine, option, prefix + nowhere)  # fmt: skip
    refused(done, out, "cannot be reached at", nowhere)


def test_without_java(folder: Path, out: Path, tmp_path: Path) -> None:
    # All of the usual tools but Java.
    for tool in ("bash", "sh", "dirname", "env", "ps", "readlink", "which"):
        for place in ("/bin", "/usr/bin"):
            if Path(place, tool).exists() and not (tmp_path / tool).exists():
                (tmp_path / tool).symlink_to(Path(place, tool))
    env = {"PATH": str(tmp_path), "JAVA_HOME": ""}
    done = publius("release", str(folder), "--text", "body", "-o", str(out),
                   "--engine", "spark", env=env)  # fmt: skip
    refused(done, out, "install Java 17")


def on_cluster(cluster: Standalone, folder: Path, out: Path, **env: str) -> Any:
    """Release on a standalone cluster, with something else in the environment."""
    return publius(
        "release", str(folder), "--text", "body", "--author", "user",
        "--vocabulary", "60", "-o", str(out),
        "--engine", "spark", "--master", cluster.url,
        env=cluster.processes.env | {"PYTHONPATH": os.environ["PYTHONPATH"]} | env,
    )  # fmt: skip


def with_settings(cluster: Standalone, folder: Path, **changes: str) -> str:
    """Return a folder of settings for a driver of the cluster."""
    lines = (cluster.processes.root / "conf/spark-defaults.conf").read_text()
    folder.mkdir(exist_ok=True)
    more = "".join(f"{name} {value}\n" for name, value in changes.items())
    common = "spark.executor.memory 512m\nspark.driver.host 127.0.0.1\n"
    (folder / "spark-defaults.conf").write_text(lines + common + more)
    return str(folder)


def test_a_cluster_without_protection(
    cluster: Standalone, folder: Path, out: Path, tmp_path: Path
) -> None:
    name = "spark.network.crypto.enabled"
    conf = with_settings(cluster, tmp_path / "conf", **{name: "false"})
    done = on_cluster(cluster, folder, out, SPARK_CONF_DIR=conf)
    refused(done, out, f"{name} is not true", "--trust-cluster")


def test_workers_that_are_too_small(
    cluster: Standalone, spot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("publius.engines.spark._PATIENCE", 1.0)
    big = {"spark.executor.memory": "64g"}
    with session_of(cluster, spot, "big", big) as session:
        engine = engines.Spark(session)
        with pytest.raises(WorkerError, match="no worker of Spark takes a task"):
            list(engine.run(len, [Split(0, ())]))


def test_another_publius_on_the_workers(
    cluster: Standalone, folder: Path, out: Path, tmp_path: Path
) -> None:
    about = tmp_path / "other" / "publius-9.9.9.dist-info"
    about.mkdir(parents=True)
    facts = "Metadata-Version: 2.1\nName: publius\nVersion: 9.9.9\n"
    (about / "METADATA").write_text(facts)
    paths = os.pathsep.join([str(tmp_path / "other"), os.environ["PYTHONPATH"]])
    conf = with_settings(
        cluster, tmp_path / "conf", **{"spark.executorEnv.PYTHONPATH": paths}
    )
    done = on_cluster(cluster, folder, out, SPARK_CONF_DIR=conf)
    refused(done, out, "a worker has Publius 9.9.9 and the driver has", "same version")


def test_no_python_on_the_workers(
    cluster: Standalone, folder: Path, out: Path, tmp_path: Path
) -> None:
    conf = with_settings(cluster, tmp_path / "conf")
    done = on_cluster(cluster, folder, out, SPARK_CONF_DIR=conf,
                      PYSPARK_PYTHON=str(tmp_path / "python"))  # fmt: skip
    refused(done, out, "do not have the Python that PYSPARK_PYTHON names")


def test_another_python_on_the_workers(
    cluster: Standalone, folder: Path, out: Path, tmp_path: Path
) -> None:
    # The same interpreter, which says that it is an older one.
    (tmp_path / "older").mkdir()
    (tmp_path / "older/sitecustomize.py").write_text(
        "import sys\n"
        "class Old(tuple):\n"
        "    major, minor, micro = 3, 8, 0\n"
        "sys.version_info = Old((3, 8, 0, 'final', 0))\n"
    )
    paths = os.pathsep.join([str(tmp_path / "older"), os.environ["PYTHONPATH"]])
    conf = with_settings(
        cluster, tmp_path / "conf", **{"spark.executorEnv.PYTHONPATH": paths}
    )
    done = on_cluster(cluster, folder, out, SPARK_CONF_DIR=conf)
    refused(done, out, "another version of Python", "PYSPARK_PYTHON")
