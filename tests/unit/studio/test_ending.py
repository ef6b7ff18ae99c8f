"""What is left of a server that is told to end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from publius.cli.frame import run
from publius.studio.desk import Desk
from publius.studio.jobs import Job, Jobs, State

SERVE = """
import signal

from publius.cli.frame import main

# Whoever starts the tests in the background ignores some of these for their children.
for name in ("SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
main(["serve"])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_what_was_sent_goes_with_the_server(name: str, tmp_path: Path) -> None:
    with subprocess.Popen(  # noqa: S603 - this interpreter
        [sys.executable, "-c", SERVE],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            while not process.stdout.readline().startswith(b"Stop with"):
                assert process.poll() is None
            (folder,) = tmp_path.glob("publius-studio-*")
            (folder / "sent.csv").write_text("a secret")
            process.send_signal(getattr(signal, name))
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert "Stopped; what was sent is removed." in said.decode().splitlines()
    assert process.returncode == 130
    assert not list(tmp_path.glob("publius-studio-*"))


def test_the_folder_of_a_resumed_job_outlives_the_stopped_one(tmp_path: Path) -> None:
    jobs, shared, own = Jobs(most=2), tmp_path / "shared", tmp_path / "own"
    for folder in (shared, own):
        folder.mkdir()
    stopped, resumed = Job("release", folder=shared), Job("release", folder=shared)
    stopped.state, resumed.state = State.CANCELLED, State.DONE
    jobs._jobs.update({job.id: job for job in (stopped, resumed)})
    jobs.start(Job("release", folder=own), lambda _: None)  # type: ignore[arg-type,return-value]
    assert shared.is_dir()
    jobs.start(Job("release"), lambda _: None)  # type: ignore[arg-type,return-value]
    assert not shared.exists()
    jobs.close()


def test_files_go_before_jobs_are_waited_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = desk.uploads.folder / "sent.csv"
    sent.write_text("a secret")
    seen: list[bool] = []
    close = desk.jobs.close
    monkeypatch.setattr(desk.jobs, "close", lambda: seen.append(sent.exists()))
    desk.jobs._jobs["one"] = job = Job("release")
    desk.close()
    close()
    assert seen == [False]
    assert job.stop.is_set()


@pytest.mark.parametrize("command", ["serve", "studio"])
def test_a_ledger_that_cannot_be_kept_is_said_before_anybody_is_served(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = tmp_path / "nowhere" / "led.db"
    assert run([command, "--ledger", str(ledger)]) == 1
    told = capsys.readouterr()
    assert "cannot make the ledger" in told.err
    assert "serves at" not in told.out
