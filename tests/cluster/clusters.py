"""Real clusters, started as processes of this machine on ports that are free."""

import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 180.0
TOKEN = "token-of-this-test"  # noqa: S105 - of a server that lives for a minute
_CLASS = "org.apache.spark.deploy"


def spark_home() -> Path:
    import pyspark  # noqa: PLC0415 - an extra

    return Path(pyspark.__file__).parent


@dataclass
class Processes:
    """Programs with a log each, which end with the block that started them."""

    root: Path
    env: dict[str, str]
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, name: str, *command: str) -> Path:
        log = self.root / f"{name}.log"
        with log.open("wb") as sink:
            self.running.append(
                subprocess.Popen(  # noqa: S603 - Spark itself
                    command, env=self.env, stdout=sink, stderr=subprocess.STDOUT
                )
            )
        return log

    def await_line(self, log: Path, pattern: str) -> str:
        """Wait until a program has said something."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = re.search(pattern, log.read_text(errors="replace"))
            if found:
                return found.group(0)
            assert self.running[-1].poll() is None, log.read_text(errors="replace")
            time.sleep(0.1)
        raise TimeoutError(log.read_text(errors="replace"))

    def stop(self) -> None:
        for process in self.running:
            process.kill()
        for process in self.running:
            process.wait()


@dataclass
class Standalone:
    """A master and its workers, with authentication and encryption."""

    processes: Processes
    url: str = ""
    count: int = 0

    def add_worker(self) -> None:
        # Each has an address of its own, as if it were a machine of its own: Spark
        # starts no second attempt of a task on the machine that runs the first one.
        self.count += 1
        host = f"127.0.0.{1 + self.count}"
        root, name = self.processes.root, f"worker{self.count}"
        spark = str(spark_home() / "bin/spark-class")
        log = self.processes.start(
            name, spark, f"{_CLASS}.worker.Worker", "--host", host, "--cores", "1",
            "--memory", "1g", "--webui-port", "0", "-d", str(root / name), self.url,
        )  # fmt: skip
        self.processes.await_line(log, "Successfully registered with master")


@contextmanager
def standalone(root: Path, settings: dict[str, str]) -> Iterator[Standalone]:
    """Start a master with two workers; what they need to know is in the environment."""
    conf = root / "conf"
    conf.mkdir(parents=True)
    (root / "tmp").mkdir()
    secret = secrets.token_hex(16)
    common = {"spark.authenticate.secret": secret, **settings}
    lines = [f"{name} {value}\n" for name, value in common.items()]
    (conf / "spark-defaults.conf").write_text("".join(lines))
    env = os.environ | {
        "SPARK_HOME": str(spark_home()),
        "SPARK_CONF_DIR": str(conf),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={root / 'tmp'}",
        "TMPDIR": str(root / "tmp"),
    }
    cluster = Standalone(Processes(root, env))
    try:
        log = cluster.processes.start(
            "master", str(spark_home() / "bin/spark-class"), f"{_CLASS}.master.Master",
            "--host", "127.0.0.1", "--port", "0", "--webui-port", "0",
        )  # fmt: skip
        cluster.url = cluster.processes.await_line(log, r"spark://127\.0\.0\.1:\d+")
        cluster.add_worker()
        cluster.add_worker()
        yield cluster
    finally:
        cluster.processes.stop()


@contextmanager
def connect_server(cluster: Standalone) -> Iterator[str]:
    """Start a server of Spark Connect on a cluster; yield its address."""
    own = Processes(
        cluster.processes.root,
        cluster.processes.env | {"SPARK_CONNECT_AUTHENTICATE_TOKEN": TOKEN},
    )
    events = own.root / "events"
    events.mkdir(exist_ok=True)
    try:
        log = own.start(
            "connect", str(spark_home() / "bin/spark-submit"),
            "--class", "org.apache.spark.sql.connect.service.SparkConnectServer",
            "--master", cluster.url,
            "--conf", "spark.connect.grpc.binding.port=0",
            "--conf", "spark.connect.grpc.binding.address=127.0.0.1",
            "--conf", "spark.driver.host=127.0.0.1",
            "--conf", "spark.executor.memory=512m",
            "--conf", f"spark.local.dir={own.root / 'local'}",
            "--conf", "spark.eventLog.enabled=true",
            "--conf", f"spark.eventLog.dir={events.as_uri()}", "spark-internal",
        )  # fmt: skip
        said = own.await_line(log, r"Spark Connect server started at:? \S+:\d+")
        port = said.rpartition(":")[2]
        yield f"sc://localhost:{port}/;token={TOKEN}"
    finally:
        own.stop()
