"""What is shipped: a small wheel, and the weights in one of their own."""

import importlib.util
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEIGHTS = "publius/autoencoder/shipped/dp-vae.safetensors"
MOST = 12_000_000
"""Bytes of the wheel that everybody installs."""

BUILD = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"


def wheel(source: Path, out: Path) -> Path:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("needs hatchling")
    subprocess.run(  # noqa: S603 - our own package
        [sys.executable, "-c", BUILD, str(out)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    [made] = out.glob("*.whl")
    return made


def test_the_wheel_is_small_and_holds_all_but_the_weights(tmp_path: Path) -> None:
    made = wheel(ROOT, tmp_path)
    names = set(zipfile.ZipFile(made).namelist())
    assert made.stat().st_size < MOST
    assert WEIGHTS not in names
    assert "publius/services/references.bib" in names
    assert any(name.endswith("share/man/man1/publius.1") for name in names)
    source = ROOT / "src"
    modules = {one.relative_to(source).as_posix() for one in source.rglob("*.py")}
    assert modules <= names


def test_the_weights_have_a_wheel_of_their_own(tmp_path: Path) -> None:
    made = wheel(ROOT / "packages" / "publius-autoencoder", tmp_path)
    with zipfile.ZipFile(made) as held:
        assert held.read(WEIGHTS) == (ROOT / "src" / WEIGHTS).read_bytes()
        assert not [name for name in held.namelist() if name.endswith(".py")]


def test_both_have_the_same_version() -> None:
    pattern = re.compile(r'^version = "(.+)"', re.MULTILINE)
    base = (ROOT / "pyproject.toml").read_text("utf-8")
    other = ROOT / "packages" / "publius-autoencoder" / "pyproject.toml"
    assert pattern.findall(base) == pattern.findall(other.read_text("utf-8"))
    assert f"publius-autoencoder=={pattern.findall(base)[0]}" in base
