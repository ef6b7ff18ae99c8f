import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from publius.cli import audit_command, leakage_command
from publius.core.errors import DataError, RefutedError

DISCRETE = 1 - np.eye(3)
TRIANGLE = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])


def audit(*arguments: str) -> tuple[dict[str, object], Exception | None]:
    done = CliRunner().invoke(audit_command.command, [*arguments, "--json"])
    error = done.exception
    found = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    return found, error if isinstance(error, Exception) else None


def test_a_channel_is_certified_or_refuted(tmp_path: Path) -> None:
    path = tmp_path / "law.npz"
    np.savez(path, channel=TRIANGLE, distance=DISCRETE)
    found, error = audit("--channel", str(path), "--epsilon", "0.7")
    assert error is None
    assert found["epsilon"] == pytest.approx(np.log(2))
    assert found["exact"] is True
    found, error = audit("--channel", str(path), "--epsilon", "0.6")
    assert isinstance(error, RefutedError)
    assert error.exit_code == 3
    assert found["refuted"] is True
    assert "times likelier" in str(found["event"])


def test_a_csv_channel_takes_its_distances_from_a_file(tmp_path: Path) -> None:
    np.savetxt(tmp_path / "law.csv", TRIANGLE, delimiter=",")
    np.save(tmp_path / "far.npy", 2 * DISCRETE)
    law = str(tmp_path / "law.csv")
    found, _ = audit("--channel", law, "--epsilon", "1")
    assert found["epsilon"] == pytest.approx(np.log(2))
    far = str(tmp_path / "far.npy")
    found, _ = audit("--channel", law, "--epsilon", "1", "--metric", far)
    assert found["epsilon"] == pytest.approx(np.log(2) / 2)
    _, error = audit("--channel", law, "--epsilon", "1", "--metric", "hop")
    assert isinstance(error, DataError)


def test_logarithms_of_a_channel_are_read(tmp_path: Path) -> None:
    path = tmp_path / "law.npz"
    np.savez(path, log_prob=np.log(TRIANGLE), distance=DISCRETE, words=["a", "b", "c"])
    found, error = audit("--channel", str(path), "--epsilon", "0.7")
    assert error is None
    assert {found["x"], found["other"]} < {"a", "b", "c"}
    assert found["epsilon"] == pytest.approx(np.log(2))


@pytest.mark.parametrize(("keep", "refuted"), [(0.75, False), (0.97, True)])
def test_a_program_is_audited(tmp_path: Path, keep: float, *, refuted: bool) -> None:
    words = tmp_path / "words.txt"
    words.write_text("yes\nno\n\nyes\n", encoding="utf-8")
    code = (
        "import random, sys\n"
        "for line in sys.stdin:\n"
        "    word = line.strip()\n"
        f"    keep = random.random() < {keep}\n"
        "    print(word if keep else {'yes': 'no', 'no': 'yes'}[word])\n"
    )
    program = shlex.join([sys.executable, "-c", code])
    found, error = audit(
        "--exec", program, "--words", str(words), "--epsilon", "1.3",
        "--draws", "4000", "--confidence", "0.999999",
    )  # fmt: skip
    assert found["refuted"] is refuted
    assert isinstance(error, RefutedError) is refuted


def test_usage_is_checked(tmp_path: Path) -> None:
    for arguments in (["--epsilon", "1"], ["--epsilon", "1", "--exec", "x"]):
        done = CliRunner().invoke(audit_command.command, arguments)
        assert done.exit_code == 2
    missing = str(tmp_path / "none.txt")
    _, error = audit("--exec", "x", "--words", missing, "--epsilon", "1")
    assert isinstance(error, DataError)


def test_plain_output_names_the_pair(tmp_path: Path) -> None:
    path = tmp_path / "law.npz"
    np.savez(path, channel=TRIANGLE, distance=DISCRETE)
    done = CliRunner().invoke(
        audit_command.command, ["--channel", str(path), "--epsilon", "1"]
    )
    assert "epsilon is 0.69314718" in done.stdout
    assert "worst pair" in done.stdout


def test_leakage_of_a_file(tmp_path: Path) -> None:
    path, other = tmp_path / "law.npz", tmp_path / "flat.csv"
    np.savez(path, channel=TRIANGLE, distance=DISCRETE)
    np.savetxt(other, np.full((3, 2), 0.5), delimiter=",")
    done = CliRunner().invoke(
        leakage_command.command, [str(path), "--refined-by", str(other), "--json"]
    )
    found = json.loads(done.stdout)
    assert found["bayes_capacity"] == 1.5
    assert found["multiplicative_leakage"] == pytest.approx(1.5)
    assert found["metric_epsilon"] == pytest.approx(np.log(2))
    assert found["refined_by"] is True
    assert np.allclose(TRIANGLE @ np.array(found["witness"]), 0.5)
    plain = CliRunner().invoke(leakage_command.command, [str(path)])
    assert "confusability" in plain.stdout


def test_leakage_names_the_wrong_row(tmp_path: Path) -> None:
    path = tmp_path / "law.csv"
    np.savetxt(path, [[0.5, 0.5], [0.5, 0.4]], delimiter=",")
    done = CliRunner().invoke(leakage_command.command, [str(path)])
    assert "row 1 sums to 0.9" in str(done.exception)
