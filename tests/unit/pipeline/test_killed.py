"""A release that is killed at any step on the disk, and then resumed, is the same.

The process ends without unwinding at the k-th opening, renaming, removing or making of
a file or folder, as under ``kill -9``; steps inside ``finish`` are among them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

AT_NIGHT = "KILL_POINTS" in os.environ
POINTS = int(os.environ.get("KILL_POINTS", "10"))
"""Steps that are tried, spread over a run; 200 at night."""

KINDS = ["times", "release"] if AT_NIGHT else ["times"]

DRIVER = r"""
import json, os, shutil, sys
from pathlib import Path
import matplotlib.figure
from publius.cli import release_command, times_command
from publius.cli.frame import run

folder, arguments, points = Path(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir"}


def in_child(out, kill_at=None, resume=False):
    # Count the steps under `out` in a child; end it in front of the k-th one.
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        steps = 0

        def step(event, details):
            nonlocal steps
            if event in EVENTS and str(out) in str(details[0]):
                steps += 1
                if steps == kill_at:
                    os._exit(137)

        sys.addaudithook(step)
        sys.stdout = sys.stderr = open(os.devnull, "w")
        again = ["--resume"] if resume else []
        code = run([*arguments, "-o", str(out), *again])
        os.write(write, str(steps).encode())
        os._exit(code)
    os.close(write)
    steps = os.read(read, 100)
    os.close(read)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(steps or 0)


def content(out):
    return {str(p.relative_to(out)): p.read_bytes().hex() for p in out.rglob("*")}


code, steps = in_child(folder / "whole")
assert code == 0, code
whole = content(folder / "whole")
found = {"steps": steps, "killed": 0, "wrong": []}
for k in sorted({1 + i * (steps - 1) // (points - 1) for i in range(points)}):
    out = folder / f"killed{k}"
    code, _ = in_child(out, kill_at=k)
    found["killed"] += code == 137
    code, _ = in_child(out, resume=True)
    is_complete = code == 1 and ".partial" not in content(out)
    if not (code == 0 or is_complete) or content(out) != whole:
        found["wrong"].append([k, code, sorted(content(out))])
    shutil.rmtree(out)
print(json.dumps(found))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_at_any_step_leaves_what_resume_completes(
    tmp_path: Path, kind: str
) -> None:
    table = tmp_path / "in.csv"
    if kind == "release":
        table.write_text("body,who\n" + "the people of the world,a\n" * 9000)
        asked = ["--text", "body", "--author", "who", "--vocabulary", "60"]
    else:
        table.write_text("at,who\n" + "10:30,a\n" * 300)
        asked = ["--column", "at", "--user", "who", "--radius", "30min", "--level", "2"]
    arguments = [kind, str(table), *asked, "--seed", "1"]
    done = subprocess.run(  # noqa: S603 - our own driver
        [sys.executable, "-c", DRIVER, tmp_path, json.dumps(arguments), str(POINTS)],
        capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["steps"] > 20
    assert found["killed"] >= min(POINTS, found["steps"]) - 1
    assert found["wrong"] == []
