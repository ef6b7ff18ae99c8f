"""A slow task that Spark starts a second time, while the first attempt still runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from clusters import Standalone

from conftest import Asked, files, session_of
from publius import engines
from publius.pipeline import release

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]

SPECULATING = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.multiplier": "1.1",
    # Two tasks say little about what is usual: a task is slow after so long.
    "spark.speculation.task.duration.threshold": "1s",
    "spark.speculation.efficiency.enabled": "false",
}


@pytest.fixture(scope="module")
def speculating(cluster: Standalone, spot: Path) -> Iterator[Any]:
    """A session that speculates, with an event log of its own."""
    with session_of(cluster, spot, "speculation", SPECULATING) as session:
        yield engines.Spark(session)


def test_a_speculative_task_commits_the_same(  # noqa: PLR0917 - fixtures and cases
    speculating: Any,
    faults: ModuleType,
    asked: Asked,
    whole: dict[str, bytes],
    spot: Path,
    out: Path,
    tmp_path: Path,
) -> None:
    bad = faults.Bad(speculating, faults.Slow, tmp_path / "mark")
    release(asked(out), engine=bad)
    assert (tmp_path / "mark.again").exists(), "no second attempt ran"
    assert files(out) == whole
    speculating.session.stop()  # which ends the log
    said = "".join(
        path.read_text() for path in (spot / "events-speculation").rglob("*")
        if path.is_file()
    )  # fmt: skip
    ends = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    tasks = [
        one["Task Info"] for one in ends if one["Event"] == "SparkListenerTaskStart"
    ]
    second = [task for task in tasks if task["Speculative"]]
    assert second, "Spark itself says so"
