"""--workers auto: one process for small inputs, idle processors for others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import publius as pb
from publius.engines import workers
from publius.engines.workers import AUTO, WORTH_WORKERS, workers_for

Command = Callable[..., Any]


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "idle_cores", lambda: 3)


def sized(path: Path, size: int) -> str:
    with path.open("wb") as file:
        file.truncate(size)
    return str(path)


@pytest.mark.usefixtures("three")
def test_the_size_of_the_input_decides(tmp_path: Path) -> None:
    assert workers_for(sized(tmp_path / "a.csv", WORTH_WORKERS - 1), AUTO) == 1
    assert workers_for(sized(tmp_path / "b.csv", WORTH_WORKERS), AUTO) == 3
    assert workers_for(str(tmp_path), AUTO) == 3
    assert workers_for(str(tmp_path / "b.csv"), 2) == 2


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("path", ["-", "s3://bucket/reviews", "none.csv"])
def test_what_has_no_size_here_gets_one_process(path: str) -> None:
    assert workers_for(path, AUTO) == 1


COMMANDS = {
    "release": ("--text", "body", "--vocabulary", 60, "--format", "csv"),
    "times": ("--column", "wake"),
    "places": ("--radius", "200m"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_auto_writes_the_bytes_of_one_process(
    publius: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    rows = "".join(f"people {i},07:{i % 60:02d},47.{i},8.{i}\n" for i in range(50))
    (tmp_path / "in.csv").write_text("body,wake,lat,lon\n" + rows)
    asked = (command, "in.csv", *COMMANDS[command], "--seed", 4)
    monkeypatch.setattr(workers, "idle_cores", lambda: 2)
    monkeypatch.setattr(workers, "WORTH_WORKERS", 1)
    done = publius(*asked, "-o", "auto", "--workers", "auto")
    assert done.code == 0, done.err
    assert publius(*asked, "-o", "one", "--workers", 1).code == 0
    one, other = ((tmp_path / out / "data.csv").read_bytes() for out in ("one", "auto"))
    assert one == other


def test_the_library_takes_auto_too() -> None:
    done = pb.release(["The people."], vocabulary=60, workers="auto", seed=1)
    assert done.data == pb.release(["The people."], vocabulary=60, seed=1).data
    with pytest.raises(pb.ParameterError, match=r"^workers must be "):
        pb.release(["The people."], workers="many")
