"""Run the fast tests of the lower floors with the other Pythons of this machine.

python scripts/test_pythons.py 3.12 3.13

A version that is neither on the path, nor with pyenv, nor with uv is left out, and that
is said. Each gets an environment of its own, .venv-3.12 and so on, without torch.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("core", "numerics", "storage", "tables", "language", "accounting",
         "information", "mechanisms", "reporting", "materials", "engines", "pipeline",
         "services")  # fmt: skip
SUITES = ("tests/laws", "tests/golden", *(f"tests/unit/{room}" for room in ROOMS))
TORCH = (
    "tests/laws/test_nearest.py::test_ties_go_to_the_lowest_id_at_any_scale_and_place",
    "tests/laws/test_nearest.py::test_all_backends_agree",
    "tests/unit/reporting/test_statements.py::test_a_seed_comes_first",
    "tests/unit/services/test_verbs.py"
    "::test_settings_of_sentences_and_of_retelling_may_be_given_by_name",
    "tests/unit/engines/test_parts.py::test_a_mechanism_on_a_gpu_declares_it",
)
"""Tests that need torch, which is not installed for other Pythons: it is 4 GB."""

FAST = ("-m", "not slow and not statistical")


def main() -> None:
    """Test every version that is asked for and found."""
    failed = []
    for version in sys.argv[1:]:
        python = find(version)
        if python is None:
            print(f"CPython {version} is not on this machine: left out")
        elif not passes(python, version):
            failed.append(version)
    if failed:
        raise SystemExit(f"tests fail on CPython {' and '.join(failed)}")


def find(version: str) -> str | None:
    """Return an interpreter of a version that runs; None if there is none."""
    return next((one for one in _candidates(version) if _is(one, version)), None)


def passes(python: str, version: str) -> bool:
    """Install Publius for an interpreter and run the tests with it."""
    home = ROOT / f".venv-{version}"
    own = home / "bin" / "python"
    if not (home / "done").exists():
        _run(python, "-m", "venv", str(home))
        asked = ("--constraint", "constraints.txt", "--editable", ".[unit]")
        _run(str(own), "-m", "pip", "--disable-pip-version-check", "install",
             "--quiet", *asked)  # fmt: skip
        (home / "done").touch()
    print(f"CPython {version}", flush=True)
    tests = [str(own), "-m", "pytest", "-n", "2", *FAST, *SUITES]
    tests += [f"--deselect={one}" for one in TORCH]
    return subprocess.run(tests, cwd=ROOT, check=False).returncode == 0


def _candidates(version: str) -> Iterator[str]:
    named = shutil.which(f"python{version}")
    if named is not None:
        yield named
    pyenv = Path.home() / ".pyenv" / "versions"
    yield from map(str, sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True))
    if shutil.which("uv") is not None:
        asked = ["uv", "python", "find", "--offline", version]
        told = subprocess.run(asked, capture_output=True, text=True, check=False)
        yield told.stdout.strip()


def _is(python: str, version: str) -> bool:
    """Tell whether a command is CPython of this version: a shim may be of none."""
    asked = "import sys; print(*sys.version_info[:2], sys.implementation.name)"
    try:
        told = subprocess.run(
            [python, "-c", asked], capture_output=True, text=True, check=False
        )
    except OSError:
        return False
    return told.stdout.split() == [*version.split("."), "cpython"]


def _run(*command: str) -> None:
    subprocess.run(command, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
